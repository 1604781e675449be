#include "conversations/pending.h"

#include <strings.h>

static const struct field pending_option_fields[] = {
    FIELD(struct pending_option, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct pending_option, label, K_STR, .flags = F_REQUIRED),
    FIELD(struct pending_option, plan, K_JSON, .flags = F_REQUIRED),
    { 0 },
};
static const struct type pending_option_type = TYPE(struct pending_option, "PendingOption", pending_option_fields);

static const struct field pending_fields[] = {
    FIELD(struct pending, question, K_STR, .flags = F_REQUIRED),
    FIELD(struct pending, ask, K_STR, .flags = F_REQUIRED),
    FIELD(struct pending, datasource_id, K_STR, .flags = F_REQUIRED),
    FIELD(struct pending, fingerprint, K_STR, .flags = F_REQUIRED),
    FIELD(struct pending, options, K_LIST, .flags = F_REQUIRED, .of = &pending_option_type),
    { 0 },
};
static const struct type pending_type = TYPE(struct pending, "Pending", pending_fields);

int pending_write(struct call *c, const char *question, const struct answer *a, struct raw *out)
{
    *out = (struct raw){ 0 };
    if (!a->clarification || !a->plans.count) return OK;
    const struct answer_plan *first = &LIST_AT(&a->plans, struct answer_plan, 0);
    struct pending p = { .question = question,
                         .ask = a->clarification->question,
                         .datasource_id = first->datasource_id,
                         .fingerprint = first->fingerprint };
    for (size_t i = 0; i < a->clarification->options.count; i++) {
        const struct answer_option *from = &LIST_AT(&a->clarification->options, struct answer_option, i);
        struct pending_option *to = list_push(c, &p.options, sizeof *to);
        struct buf plan;
        to->id = from->id;
        to->label = from->label;
        buf_init(&plan, c, SIZE_MAX / 2);
        plan_encode(&plan, LIST_AT(&a->plans, struct answer_plan, i).plan);
        int rc = json_parse(c, plan.data, plan.len, &to->plan);
        if (rc) return rc;
    }
    struct buf b;
    buf_init(&b, c, SIZE_MAX / 2);
    json_encode(&b, &pending_type, &p);
    *out = (struct raw){ b.data, b.len };
    return OK;
}

int pending_read(struct call *c, const struct stored_conversation *v, struct pending **out)
{
    const struct json *tree;
    *out = NULL;
    if (!v->pending.text) return OK;
    int rc = json_parse(c, v->pending.text, v->pending.n, &tree);
    *out = call_alloc(c, sizeof **out);
    return rc ? rc : json_decode(c, &pending_type, tree, *out);
}

int pending_show(struct call *c, const struct stored_conversation *v, struct clarification **out)
{
    struct pending *p;
    int rc = pending_read(c, v, &p);
    *out = NULL;
    if (rc || !p) return rc;
    *out = call_alloc(c, sizeof **out);
    (*out)->question = p->ask;
    for (size_t i = 0; i < p->options.count; i++) {
        const struct pending_option *from = &LIST_AT(&p->options, struct pending_option, i);
        struct answer_option *to = list_push(c, &(*out)->options, sizeof *to);
        *to = (struct answer_option){ from->id, from->label };
    }
    return OK;
}

const struct pending_option *pending_find(const struct pending *p, const char *choice)
{
    for (size_t i = 0; i < p->options.count; i++) {
        const struct pending_option *o = &LIST_AT(&p->options, struct pending_option, i);
        if (!strcasecmp(o->id, choice) || !strcasecmp(o->label, choice)) return o;
    }
    return NULL;
}
