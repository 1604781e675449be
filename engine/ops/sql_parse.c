/* sql_parse: what the parser of a dialect makes of a text, for measuring. */
#include "base/clock.h"
#include "ops/op.h"
#include "sql/sql.h"

#include <string.h>

struct parse_in {
    const char *sql, *dialect;
};
static const struct field in_fields[] = {
    FIELD(struct parse_in, sql, K_STR, .flags = F_REQUIRED, .max = 1 << 20, .doc = "The text."),
    FIELD(struct parse_in, dialect, K_STR, .flags = F_REQUIRED, .max = 40, .doc = "Whose rules it follows."),
    { 0 },
};
static const struct type in_type = TYPE(struct parse_in, "SqlParse", in_fields);

enum parse_outcome { PARSE_ACCEPTED, PARSE_REFUSED, PARSE_FAILED };
static const char *const outcome_names[] = { "accepted", "refused", "failed", NULL };
struct parse_out {
    int outcome;
    const char *reason;
    int64_t us;
};
static const struct field out_fields[] = {
    FIELD(struct parse_out, outcome, K_ENUM, .flags = F_REQUIRED, .of = outcome_names,
          .doc = "accepted; refused by name though understood; or not understood."),
    FIELD(struct parse_out, reason, K_STR, .doc = "Of a refusal or failure."),
    FIELD(struct parse_out, us, K_INT, .flags = F_REQUIRED, .doc = "Microseconds the parser took."),
    { 0 },
};
static const struct type out_type = TYPE(struct parse_out, "SqlParsed", out_fields);

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct parse_in *in = vin;
    struct parse_out *out = vout;
    const char *refusal = NULL;
    (void)e;
    int64_t start = clock_mono_us();
    int rc = sql_parse(c, in->dialect, in->sql, strlen(in->sql), &refusal);
    out->us = clock_mono_us() - start;
    if (!rc) {
        out->outcome = refusal ? PARSE_REFUSED : PARSE_ACCEPTED;
        out->reason = refusal;
        return OK;
    }
    /* What is no query at all is refused by what it is. */
    out->outcome = rc == ERR_SQL_NOT_ALLOWED ? PARSE_REFUSED : PARSE_FAILED;
    out->reason = c->err.message;
    call_forgive(c);
    return OK;
}

const struct op op_sql_parse = { .name = "sql_parse",
                                 .doc = "What the parser of a dialect makes of a text, for measuring.",
                                 .level = LEVEL_OPERATOR,
                                 .flags = OP_CLI | OP_QUIET,
                                 .in = &in_type,
                                 .out = &out_type,
                                 .run = run };
