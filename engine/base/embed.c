#include "base/embed.h"

#include "engine.h"

#include <string.h>

const struct embedded *embedded_find(const char *name)
{
    for (const struct embedded *f = embedded_files; f->name; f++)
        if (!strcmp(f->name, name)) return f;
    return NULL;
}

const char *engine_file(const char *name, size_t *n)
{
    const struct embedded *file = embedded_find(name);
    if (!file) return NULL;
    *n = (size_t)(file->end - file->begin);
    return file->begin;
}
