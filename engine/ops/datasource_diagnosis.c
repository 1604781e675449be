/* datasource_diagnosis: what a connection is, and what Querent could do through it if every guard failed. */
#include "ops/connecting.h"
#include "ops/reach.h"

struct ref {
    const char *id;
};
static const struct field in_fields[] = {
    FIELD(struct ref, id, K_STR, .flags = F_REQUIRED | F_PATH, .max = 63, .doc = "Id of the datasource."),
    { 0 },
};
static const struct type in_type = TYPE(struct ref, "DatasourceDiagnosisRef", in_fields);

static const struct field finding_fields[] = {
    FIELD(struct diagnosis_finding, name, K_STR, .flags = F_REQUIRED, .doc = "What was looked at."),
    FIELD(struct diagnosis_finding, found, K_STR, .flags = F_REQUIRED, .doc = "What is so."),
    FIELD(struct diagnosis_finding, state, K_ENUM, .flags = F_REQUIRED, .of = finding_state_names),
    FIELD(struct diagnosis_finding, advice, K_STR, .doc = "What would be better."),
    { 0 },
};
static const struct type finding_type = TYPE(struct diagnosis_finding, "DiagnosisFinding", finding_fields);

struct diagnosis {
    const char *id, *type;
    int state;
    struct list findings;
};
static const struct field out_fields[] = {
    FIELD(struct diagnosis, id, K_STR, .flags = F_REQUIRED),
    FIELD(struct diagnosis, type, K_STR, .flags = F_REQUIRED),
    FIELD(struct diagnosis, state, K_ENUM, .flags = F_REQUIRED, .of = finding_state_names,
          .doc = "The worst of the findings."),
    FIELD(struct diagnosis, findings, K_LIST, .flags = F_REQUIRED, .of = &finding_type,
          .doc = "The connection, and what it could do if every guard failed."),
    { 0 },
};
static const struct type out_type = TYPE(struct diagnosis, "DatasourceDiagnosis", out_fields);

/* A rule that was meant to hide something and hides nothing. */
static void add_unmatched(struct call *c, const struct snapshot *s, struct list *findings)
{
    struct list all = policy_unmatched(c, c->world->policies, s);
    for (size_t i = 0; i < all.count; i++) {
        const struct unmatched *u = &LIST_AT(&all, struct unmatched, i);
        diagnosis_add(c, findings, "policy",
                      call_format(c, "%s of role %s: '%s' meets nothing here", u->rule, u->role, u->pattern),
                      FINDING_WARNING,
                      u->near ? call_format(c, "Did you mean '%s'?", u->near) : "Correct or remove the rule.");
    }
}

static int run(struct engine *e, struct call *c, const void *vin, void *vout)
{
    const struct ref *in = vin;
    struct diagnosis *out = vout;
    (void)e;
    c->audit.object_id = in->id;
    const struct datasource *ds;
    int rc = connecting_stored(c, in->id, &ds);
    if (rc) return rc;
    *out = (struct diagnosis){ .id = ds->config->id, .type = ds->config->type };
    rc = adapter_diagnose(c, ds->adapter, &out->findings);
    if (!rc && ds->snapshot) add_unmatched(c, ds->snapshot, &out->findings);
    for (size_t i = 0; i < out->findings.count; i++) {
        int state = LIST_AT(&out->findings, struct diagnosis_finding, i).state;
        if (state > out->state) out->state = state;
    }
    return rc;
}

const struct op op_datasource_diagnosis = { .name = "datasource_diagnosis",
                                            .doc = "What a connection is and what it could do.",
                                            .level = LEVEL_ADMIN,
                                            .in = &in_type,
                                            .out = &out_type,
                                            .run = run };
