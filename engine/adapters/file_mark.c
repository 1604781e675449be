#include "adapters/file_mark.h"

#include <sys/stat.h>

static char *state_of(struct call *c, const char *path)
{
    struct stat st;
    if (stat(path, &st)) return "-";
    return call_format(c, "%llu.%lld.%lld.%09ld", (unsigned long long)st.st_ino, (long long)st.st_size,
                       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

void file_mark(struct call *c, const char *path, const char *log, struct snapshot *s)
{
    const char *mark = call_format(c, "%s %s", state_of(c, path), state_of(c, call_format(c, "%s%s", path, log)));
    for (size_t i = 0; i < s->table_count; i++)
        if (s->tables[i].kind == TABLE_BASE) s->tables[i].mark = mark;
}
