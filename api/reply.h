/* reply: an operation's output or the call's error -> HTTP. The only place that knows status codes. */
#ifndef QUERENT_API_REPLY_H
#define QUERENT_API_REPLY_H

#include "api/server.h"
#include "json.h"

/* RFC 9457, media type application/problem+json. */
struct problem_error {
    const char *pointer, *code, *detail;
};
struct problem {
    const char *type; /* "/problems/not-found" */
    const char *title;
    int64_t status;
    const char *detail, *code, *request_id, *hint;
    bool retryable;
    struct list errors; /* struct problem_error */
};
extern const struct type problem_error_type, problem_type;

/* The call's error as a problem; what may not leave is replaced by the code's public text. */
struct problem *problem_of(struct call *c);
void reply_problem(struct request *r);
void reply_object(struct request *r, int status, const struct type *type, const void *obj);
void reply_bytes(struct request *r, int status, const char *content_type, const char *bytes, size_t n);
/* A header line that this request's reply will carry; value without line ends. */
void reply_header(struct request *r, const char *name, const char *value);
/* Server-Timing from the call's steps. */
void reply_timing(struct request *r);

#endif
