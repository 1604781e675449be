#include "log.h"

#include "base/clock.h"
#include "json.h"

#include <string.h>
#include <unistd.h>

static const char *const names[] = { "debug", "info", "warn", "error" };

void log_event(const struct log *l, enum log_level level, const char *event, ...)
{
    if (!l || level < l->least || level >= LOG_OFF) return;
    struct arena arena = { 0 };
    struct call scratch;
    memset(&scratch, 0, sizeof scratch);
    scratch.arena = arena;
    struct buf b;
    char now[CLOCK_TEXT];
    buf_init(&b, &scratch, 64 * 1024);
    clock_text(clock_utc_us(), now);
    buf_str(&b, "{\"time\":");
    json_add_string(&b, now);
    buf_str(&b, ",\"level\":");
    json_add_string(&b, names[level]);
    buf_str(&b, ",\"event\":");
    json_add_string(&b, event);
    va_list ap;
    va_start(ap, event);
    for (const char *name; (name = va_arg(ap, const char *));) {
        const char *value = va_arg(ap, const char *);
        if (!value) continue;
        buf_char(&b, ',');
        bool bare = name[0] == '#';
        json_add_string(&b, bare ? name + 1 : name);
        buf_char(&b, ':');
        if (bare) buf_str(&b, value);
        else json_add_string(&b, value);
    }
    va_end(ap);
    buf_str(&b, "}\n");
    /* One write keeps lines whole across threads. */
    ssize_t ignored = write(l->fd, b.data, b.len);
    (void)ignored;
    arena_free(&scratch.arena);
}
