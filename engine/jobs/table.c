/* The kinds of jobs. */
#include "jobs/job_kind.h"

#include <string.h>

extern const struct job_kind job_index;

const struct job_kind *const job_kinds[] = { &job_index, NULL };

const struct job_kind *job_kind_find(const char *name)
{
    for (size_t i = 0; job_kinds[i]; i++)
        if (!strcmp(job_kinds[i]->name, name)) return job_kinds[i];
    return NULL;
}
