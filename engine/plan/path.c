#include "plan/path.h"

#include "buf.h"

static void write_path(struct buf *b, const struct path *p)
{
    if (!p) return;
    write_path(b, p->up);
    buf_char(b, '/');
    if (!p->name) {
        buf_int(b, (int64_t)p->index);
        return;
    }
    for (const char *s = p->name; *s; s++) {
        if (*s == '~')
            buf_str(b, "~0");
        else if (*s == '/')
            buf_str(b, "~1");
        else
            buf_char(b, *s);
    }
}

const char *path_pointer(struct call *c, const struct path *p)
{
    struct buf b;
    buf_init(&b, c, 4096);
    write_path(&b, p);
    return b.data;
}
