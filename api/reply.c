#include "api/reply.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define BODY_BYTES    ((size_t)256 * 1024 * 1024)
#define HEADERS_BYTES (16 * 1024)

static const struct field problem_error_fields[] = {
    FIELD(struct problem_error, pointer, K_STR, .flags = F_REQUIRED,
          .doc = "JSON pointer into the body; a parameter is a member named like it."),
    FIELD(struct problem_error, code, K_STR, .flags = F_REQUIRED, .doc = "Stable code of the finding."),
    FIELD(struct problem_error, detail, K_STR, .doc = "What was found and what would be right."),
    { 0 },
};
const struct type problem_error_type = TYPE(struct problem_error, "ProblemError", problem_error_fields);

static const struct field problem_fields[] = {
    FIELD(struct problem, type, K_STR, .flags = F_REQUIRED, .doc = "Names the kind of problem; relative URI."),
    FIELD(struct problem, title, K_STR, .flags = F_REQUIRED, .doc = "The same text for every problem of this code."),
    FIELD(struct problem, status, K_INT, .flags = F_REQUIRED, .doc = "HTTP status."),
    FIELD(struct problem, detail, K_STR, .flags = F_REQUIRED, .doc = "What is wrong with this request."),
    FIELD(struct problem, code, K_STR, .flags = F_REQUIRED, .doc = "Stable code, for programs."),
    FIELD(struct problem, request_id, K_STR, .flags = F_REQUIRED, .doc = "The request's id, as in the log."),
    FIELD(struct problem, hint, K_STR, .doc = "What to do about it."),
    FIELD(struct problem, retryable, K_BOOL, .flags = F_REQUIRED, .doc = "The same request may succeed later."),
    FIELD(struct problem, errors, K_LIST, .of = &problem_error_type, .doc = "Findings, each at its place."),
    { 0 },
};
const struct type problem_type = TYPE(struct problem, "Problem", problem_fields);

static const char *problem_uri(struct call *c, const char *code)
{
    char *uri = call_format(c, "/problems/%s", code);
    for (char *p = uri + 10; *p; p++) *p = *p == '_' ? '-' : (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
    return uri;
}

struct problem *problem_of(struct call *c)
{
    const struct err *e = &c->err;
    const struct code_row *row = code_row(e->code);
    bool inside = e->code == ERR_INTERNAL_ERROR || e->code == ERR_STORE_FAILED || !e->message;
    struct problem *p = call_alloc(c, sizeof *p);
    *p = (struct problem){ .type = problem_uri(c, row->name),
                           .title = row->text,
                           .status = row->status,
                           .detail = inside ? row->text : e->message,
                           .code = row->name,
                           .request_id = c->request_id,
                           .hint = e->hint,
                           .retryable = row->retryable };
    for (size_t i = 0; i < e->finding_count; i++)
        *(struct problem_error *)list_push(c, &p->errors, sizeof(struct problem_error)) = (struct problem_error){
            .pointer = e->findings[i].pointer, .code = e->findings[i].code, .detail = e->findings[i].detail
        };
    if (e->field && !e->finding_count)
        *(struct problem_error *)list_push(c, &p->errors, sizeof(struct problem_error)) =
            (struct problem_error){ .pointer = e->field, .code = row->name, .detail = p->detail };
    return p;
}

void reply_header(struct request *r, const char *name, const char *value)
{
    if (strpbrk(value, "\r\n")) return;
    if (!r->headers) {
        r->headers = call_alloc(r->call, sizeof *r->headers);
        buf_init(r->headers, r->call, HEADERS_BYTES);
    }
    buf_str(r->headers, name);
    buf_str(r->headers, ": ");
    buf_str(r->headers, value);
    buf_str(r->headers, "\r\n");
}

void reply_bytes(struct request *r, int status, const char *content_type, const char *bytes, size_t n)
{
    request_reply(r, &(struct reply){ .status = status, .content_type = content_type, .body = bytes, .n = n });
}

void reply_object(struct request *r, int status, const struct type *type, const void *obj)
{
    struct buf b;
    if (!type) {
        reply_bytes(r, status, NULL, "", 0);
        return;
    }
    buf_init(&b, r->call, BODY_BYTES);
    json_encode(&b, type, obj);
    if (b.failed) {
        call_fail(r->call, ERR_LIMIT_EXCEEDED, "The answer is larger than a reply may be.");
        reply_problem(r);
        return;
    }
    reply_bytes(r, status, "application/json", b.data, b.len);
}

void reply_problem(struct request *r)
{
    struct call *c = r->call;
    const struct problem *p = problem_of(c);
    struct buf b;
    if (p->status == 401) reply_header(r, "WWW-Authenticate", "Bearer realm=\"querent\"");
    if (p->status == 429 || p->status == 503) reply_header(r, "Retry-After", call_number(c, c->err.retry_after_s > 0 ? c->err.retry_after_s : 1));
    buf_init(&b, c, BODY_BYTES);
    json_encode(&b, &problem_type, p);
    reply_bytes(r, (int)p->status, "application/problem+json", b.data, b.len);
}

static void add_step(struct buf *b, const char *name, int64_t us)
{
    const char thousandths[] = { '.', (char)('0' + us / 100 % 10), (char)('0' + us / 10 % 10), (char)('0' + us % 10) };
    if (b->len) buf_str(b, ", ");
    buf_str(b, name);
    buf_str(b, ";dur=");
    buf_int(b, us / 1000);
    buf_add(b, thousandths, sizeof thousandths);
}

void reply_timing(struct request *r)
{
    struct call *c = r->call;
    struct timespec t;
    struct buf b;
    buf_init(&b, c, 4096);
    for (size_t i = 0; i < c->step_count; i++)
        if (c->steps[i].us >= 0) add_step(&b, c->steps[i].name, c->steps[i].us);
    clock_gettime(CLOCK_MONOTONIC, &t);
    add_step(&b, "total", (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 - c->started_us);
    reply_header(r, "Server-Timing", b.data);
}
