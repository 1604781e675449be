/* log: JSON lines on stderr, one write per line. Never a row, a secret or a statement's literal. */
#ifndef QUERENT_LOG_H
#define QUERENT_LOG_H

#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF };

struct log {
    int fd;
    enum log_level least;
};

/* log_event(l, LOG_INFO, "server.started", "listen", addr, NULL): pairs of name and text, ended by NULL.
 * A NULL text omits the pair. A name that starts with '#' writes its text as a bare number. */
void log_event(const struct log *l, enum log_level level, const char *event, ...) __attribute__((sentinel));

#endif
