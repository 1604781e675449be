#include "running.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_CHARS (2 * SECRET_KEY_BYTES)

static const char *state_path(struct call *c, const struct engine_options *o, const struct config *config)
{
    const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (o->state_dir) return o->state_dir;
    if (config->state) return config->state;
    if (xdg && *xdg == '/') return call_format(c, "%s/querent", xdg);
    if (home && *home == '/') return call_format(c, "%s/.local/state/querent", home);
    return NULL;
}

/* Like mkdir -p; what is made belongs to the user alone. */
static int make_folder(struct call *c, const char *path)
{
    char *part = call_strdup(c, path);
    for (char *slash = part + 1;; slash++) {
        bool end = !*slash;
        if (*slash != '/' && !end) continue;
        *slash = '\0';
        if (mkdir(part, 0700) && errno != EEXIST)
            return call_fail(c, ERR_STORE_FAILED, "The state folder %s cannot be made: %s.", path, strerror(errno));
        if (end) break;
        *slash = '/';
    }
    struct stat st;
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return call_fail(c, ERR_STORE_FAILED, "The state folder %s is not a folder.", path);
    return OK;
}

static void key_text(const unsigned char key[SECRET_KEY_BYTES], char out[KEY_CHARS + 1])
{
    for (size_t i = 0; i < SECRET_KEY_BYTES; i++) snprintf(out + 2 * i, 3, "%02x", key[i]);
}

/* Appears whole or not at all, and never over another: two servers that start at once agree on one key. */
static int make_key(struct call *c, const char *folder, const char *path)
{
    unsigned char key[SECRET_KEY_BYTES];
    char text[KEY_CHARS + 2];
    char *draft = call_format(c, "%s/.master.key.XXXXXX", folder);
    random_bytes(key, sizeof key);
    key_text(key, text);
    text[KEY_CHARS] = '\n';
    int fd = mkostemp(draft, O_CLOEXEC); /* 0600 */
    bool ok = fd >= 0 && write(fd, text, KEY_CHARS + 1) == KEY_CHARS + 1 && !fsync(fd);
    if (ok && link(draft, path) && errno != EEXIST) ok = false;
    int problem = errno;
    if (fd >= 0) {
        close(fd);
        unlink(draft);
    }
    return ok ? OK : call_fail(c, ERR_STORE_FAILED, "The file %s cannot be made: %s.", path, strerror(problem));
}

static int digit(char ch)
{
    return ch >= '0' && ch <= '9' ? ch - '0' : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10 : -1;
}

static int read_key(struct call *c, const char *path, unsigned char out[SECRET_KEY_BYTES])
{
    char text[KEY_CHARS + 8];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        int problem = errno;
        if (fd >= 0) close(fd);
        return call_fail(c, ERR_STORE_FAILED, "The file %s cannot be read: %s.", path, strerror(problem));
    }
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    if (st.st_mode & 077)
        return call_fail(c, ERR_STORE_FAILED, "The file %s can be read by others; run: chmod 600 %s", path, path);
    bool ok = n == KEY_CHARS || (n == KEY_CHARS + 1 && text[KEY_CHARS] == '\n');
    for (size_t i = 0; ok && i < SECRET_KEY_BYTES; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        ok = high >= 0 && low >= 0;
        if (ok) out[i] = (unsigned char)(high * 16 + low);
    }
    return ok ? OK : call_fail(c, ERR_STORE_FAILED, "The file %s is not a master key: 64 hexadecimal digits.", path);
}

static int open_folder(struct call *c, const char *path, struct engine *e)
{
    struct stat st;
    int rc = make_folder(c, path);
    const char *key = call_format(c, "%s/master.key", path);
    if (!rc && stat(key, &st) && errno == ENOENT) rc = make_key(c, path, key);
    if (!rc) rc = read_key(c, key, e->master_key);
    return rc;
}

int state_open(struct call *c, const struct engine_options *o, const struct config *config, struct engine *e)
{
    const char *path = o->measure ? ":memory:" : state_path(c, o, config);
    if (!path)
        return call_fail(c, ERR_STORE_FAILED, "There is no place for the state folder: set HOME, or pass --state DIR.");
    if (!strcmp(path, ":memory:")) {
        random_bytes(e->master_key, sizeof e->master_key);
    } else {
        int rc = open_folder(c, path, e);
        if (rc) return rc;
        e->state_dir = path;
    }
    hmac_sha256(e->master_key, "cursor", 6, e->cursor_key);
    return OK;
}
