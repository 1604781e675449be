#include "base/embed.h"

#include <string.h>

const struct embedded *embedded_find(const char *name)
{
    for (const struct embedded *f = embedded_files; f->name; f++)
        if (!strcmp(f->name, name)) return f;
    return NULL;
}
