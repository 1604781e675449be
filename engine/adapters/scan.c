#include "adapters/scan.h"

#include "adapters/endpoint.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MOST = 8, ENTRIES_MOST = 10000, HEAD_BYTES = 16, PROBE_MS = 300 };

static const struct {
    const char *type, *bytes;
    size_t at, n;
} magic[] = { { "sqlite", "SQLite format 3", 0, 16 }, { "duckdb", "DUCK", 8, 4 } };

static const struct {
    const char *type;
    int64_t port;
} ports[] = { { "postgres", 5432 }, { "mysql", 3306 } };

static const struct adapter_kind *kind_of(int folder, const char *name)
{
    char head[HEAD_BYTES];
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return NULL;
    ssize_t n = pread(fd, head, sizeof head, 0);
    close(fd);
    for (size_t i = 0; n == (ssize_t)sizeof head && i < sizeof magic / sizeof magic[0]; i++)
        if (!memcmp(head + magic[i].at, magic[i].bytes, magic[i].n)) return adapter_kind_find(magic[i].type);
    return NULL;
}

struct walk {
    struct call *call;
    struct list *out;
    int entries;
};

static void look(struct walk *w, const char *path, int depth)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0) close(fd);
        return;
    }
    for (const struct dirent *e; (e = readdir(dir)) && w->entries < ENTRIES_MOST && !call_check(w->call);) {
        struct stat st;
        if (e->d_name[0] == '.' || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        w->entries++;
        const char *inner = call_format(w->call, "%s/%s", path, e->d_name);
        if (S_ISDIR(st.st_mode) && depth < DEPTH_MOST) look(w, inner, depth + 1);
        const struct adapter_kind *kind = S_ISREG(st.st_mode) ? kind_of(fd, e->d_name) : NULL;
        if (!kind) continue;
        struct scan_hit *hit = list_push(w->call, w->out, sizeof *hit);
        *hit = (struct scan_hit){ .kind = kind, .path = inner };
    }
    closedir(dir);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct scan_hit *)a)->path, ((const struct scan_hit *)b)->path);
}

int scan_folder(struct call *c, const char *folder, struct list *out)
{
    struct list found = { 0 };
    struct walk w = { .call = c, .out = &found };
    look(&w, folder, 1);
    if (found.count) qsort(found.items, found.count, sizeof(struct scan_hit), by_path);
    for (size_t i = 0; i < found.count; i++)
        *(struct scan_hit *)list_push(c, out, sizeof(struct scan_hit)) = LIST_AT(&found, struct scan_hit, i);
    return call_check(c);
}

int scan_ports(struct call *c, struct list *out)
{
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        const struct endpoint at = { .host = "127.0.0.1", .port = ports[i].port, .connect_timeout_ms = PROBE_MS };
        const struct adapter_kind *kind = adapter_kind_find(ports[i].type);
        if (!kind || endpoint_reach(c, &at, "") != REACH_OK) continue;
        struct scan_hit *hit = list_push(c, out, sizeof *hit);
        *hit = (struct scan_hit){ .kind = kind, .port = ports[i].port };
    }
    return call_check(c);
}
