/* outcome: how a run that did not succeed is told. A refusal says one sentence whatever it was for; limits and states
 * of the service say what they are; any other failure says its code and the trace, since its message may carry
 * anything. */
#include "ask/run.h"

#include <string.h>

#define MISSING_SHOWN 5

static const enum err_code shown[] = {
    ERR_SECURITY_VIOLATION,
    ERR_DATASOURCE_UNAVAILABLE,
    ERR_BUSY,
    ERR_CANCELLED,
    ERR_PIPELINE_TIMEOUT,
    ERR_EXECUTION_TIMEOUT,
    ERR_LIMIT_EXCEEDED,
    ERR_NOT_INDEXED,
    ERR_COST_LIMIT_REACHED,
    ERR_LLM_LIMIT_REACHED,
    ERR_PROVIDER_FAILED,
    ERR_UNAUTHENTICATED,
    ERR_SCHEMA_CHANGED,
};

/* Messages that ask/ itself wrote, or that a hook wrote for the caller. */
static const enum err_code own_words[] = { ERR_QUESTION_NOT_ANSWERABLE, ERR_DATASOURCE_NOT_FOUND, ERR_HOOK_DENIED };

static const enum err_code refusals[] = { ERR_SECURITY_VIOLATION,   ERR_QUESTION_NOT_ANSWERABLE,
                                          ERR_DATASOURCE_NOT_FOUND, ERR_GUARD_DISAGREEMENT,
                                          ERR_HOOK_DENIED,          ERR_UNAUTHENTICATED };

static bool has(const enum err_code *codes, size_t count, enum err_code code)
{
    for (size_t i = 0; i < count; i++)
        if (codes[i] == code) return true;
    return false;
}
#define HAS(codes, code) has(codes, sizeof(codes) / sizeof *(codes), code)

static const char *public_text(const char *code)
{
    for (int i = 1; i < ERR_COUNT; i++)
        if (!strcmp(code_row((enum err_code)i)->name, code)) return code_row((enum err_code)i)->text;
    return "";
}

struct answer_note *ask_note(struct run *r, struct list *notes, const char *code, const char *node, const char *message)
{
    struct answer_note *n = list_push(r->call, notes, sizeof *n);
    *n = (struct answer_note){ .code = code, .node = node, .message = message ? message : public_text(code) };
    return n;
}

const char *ask_missing(struct call *c, const struct proposal *p)
{
    struct buf text;
    if (p->why) return p->why;
    buf_init(&text, c, 4096);
    size_t count = p->missing.count, told = count > MISSING_SHOWN ? MISSING_SHOWN : count;
    for (size_t i = 0; i < told; i++)
        buf_format(&text, "%s'%s'",
                   !i              ? "Nothing in the data here explains "
                   : i + 1 < count ? ", "
                                   : " or ",
                   LIST_AT(&p->missing, const char *, i));
    if (count > told) buf_format(&text, " or %zu more words", count - told);
    if (count)
        buf_char(&text, '.');
    else
        buf_str(&text, code_row(ERR_QUESTION_NOT_ANSWERABLE)->text);
    if (p->nearest) buf_format(&text, " The nearest it has is: %s.", p->nearest);
    return text.data;
}

int ask_cannot(struct run *r, const struct proposal *p)
{
    struct call *c = r->call;
    bool question = !p || !p->why; /* a text that is none says nothing of what is hidden, and is told why */
    if (r->hides && question) {
        c->audit.rule = "view";
        return call_fail(c, ERR_SECURITY_VIOLATION, "%s", code_row(ERR_SECURITY_VIOLATION)->text);
    }
    c->audit.rule = "not_answerable";
    return call_fail(c, ERR_QUESTION_NOT_ANSWERABLE, "%s",
                     p ? ask_missing(c, p) : code_row(ERR_QUESTION_NOT_ANSWERABLE)->text);
}

void ask_failed(struct run *r, const char *node)
{
    struct call *c = r->call;
    const struct code_row *row = code_row(c->err.code);
    const char *message = HAS(own_words, c->err.code) ? c->err.message
                          : HAS(shown, c->err.code)   ? row->text
                                                    : call_format(c, "The run ended with %s; trace %s has the details.",
                                                                  row->name, c->trace_id);
    bool stopped = c->err.code == ERR_COST_LIMIT_REACHED || c->err.code == ERR_LLM_LIMIT_REACHED;
    r->out->status = c->err.code == ERR_NEEDS_APPROVAL ? RUN_NEEDS_APPROVAL : stopped ? RUN_STOPPED : RUN_ERROR;
    r->out->answer = NULL;
    ask_note(r, &r->out->errors, row->name, node, message);
    for (size_t i = 0; i < r->out->sub_queries.count; i++) /* nothing half-read leaves */
        LIST_AT(&r->out->sub_queries, struct answer_query, i).rows = (struct raw){ 0 };
    c->audit.failure = row->name;
    c->audit.failure_detail = c->err.detail ? c->err.detail : c->err.message;
    if (!c->audit.rule && HAS(refusals, c->err.code)) c->audit.rule = c->audit.failure_detail;
    call_forgive(c);
}
