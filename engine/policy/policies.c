#include "policy/policies.h"

#include "base/hash.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct role_text {
    const char *description;
    struct list allow, deny, columns_deny;
    const struct json *filters, *masks;
};
static const struct field role_fields[] = {
    FIELD(struct role_text, description, K_STR, .doc = "What the role is for."),
    FIELD(struct role_text, allow, K_STRINGS, .max = 10000, .doc = "Tables: ds.table, ds.schema.table, ds.*"),
    FIELD(struct role_text, deny, K_STRINGS, .max = 10000, .doc = "Tables that no other role opens either."),
    FIELD(struct role_text, columns_deny, K_STRINGS, .max = 10000, .doc = "Columns: ds.table.column"),
    FIELD(struct role_text, filters, K_JSON, .doc = "ds.table -> the rows that may be seen."),
    FIELD(struct role_text, masks, K_JSON, .doc = "ds.table.column -> what is shown in its place."),
    { 0 },
};
static const struct type role_text_type = TYPE(struct role_text, "Role", role_fields);

struct section {
    bool allow_all, refusal_names_tables;
    const char *default_role;
    struct list admin_roles, editor_roles, approver_roles;
    const struct json *roles;
};
static const struct field section_fields[] = {
    FIELD(struct section, allow_all, K_BOOL, .doc = "Every caller reads every table; no roles exist then."),
    FIELD(struct section, default_role, K_STR, .doc = "Role of a local caller that brings none."),
    FIELD(struct section, admin_roles, K_STRINGS, .def = "admin", .doc = "Roles that administer the server."),
    FIELD(struct section, editor_roles, K_STRINGS, .doc = "Roles that edit concepts, metrics and verified queries."),
    FIELD(struct section, approver_roles, K_STRINGS, .doc = "Roles that decide on approvals."),
    FIELD(struct section, refusal_names_tables, K_BOOL,
          .doc = "A refusal says which table is missing; never over MCP."),
    FIELD(struct section, roles, K_JSON, .doc = "Role name -> what it opens."),
    { 0 },
};
static const struct type section_type = TYPE(struct section, "Policies", section_fields);

static bool is_slug(const char *s)
{
    size_t n = strlen(s);
    if (!n || n > 63 || !islower((unsigned char)s[0])) return false;
    for (size_t i = 0; i < n; i++)
        if (!islower((unsigned char)s[i]) && !isdigit((unsigned char)s[i]) && s[i] != '_' && s[i] != '-') return false;
    return true;
}

static int table_patterns(struct call *c, const struct list *texts, const char *pointer, const char *member,
                          struct table_pattern **out, size_t *count)
{
    *count = texts->count;
    *out = call_array(c, texts->count, sizeof **out);
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = LIST_AT(texts, const char *, i);
        if (!pattern_parse(c, text, &(*out)[i]))
            return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "%s/%s/%zu", pointer, member, i),
                                "'%s' does not name tables; write ds.table, ds.schema.table or ds.*", text);
    }
    return OK;
}

static int column_patterns(struct call *c, const struct list *texts, const char *pointer, struct role *role)
{
    role->columns_deny_count = texts->count;
    role->columns_deny = call_array(c, texts->count, sizeof *role->columns_deny);
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = LIST_AT(texts, const char *, i);
        if (!column_pattern_parse(c, text, &role->columns_deny[i]))
            return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "%s/columns_deny/%zu", pointer, i),
                                "'%s' does not name a column; write ds.table.column", text);
    }
    return OK;
}

static int filters(struct call *c, const struct json *j, const char *pointer, struct role *role)
{
    if (!j) return OK;
    if (j->kind != J_OBJECT)
        return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "%s/filters", pointer),
                            "expected ds.table: condition");
    role->filter_count = j->count;
    role->filters = call_array(c, j->count, sizeof *role->filters);
    for (size_t i = 0; i < j->count; i++) {
        const char *at = call_format(c, "%s/filters/%s", pointer, j->names[i]);
        if (!pattern_parse(c, j->names[i], &role->filters[i].table))
            return call_fail_at(c, ERR_CONFIG_INVALID, at, "'%s' does not name tables; write ds.table", j->names[i]);
        int rc = filter_decode(c, &j->items[i], at, &role->filters[i].expr);
        if (rc) return rc;
    }
    return OK;
}

static int masks(struct call *c, const struct json *j, const char *pointer, struct role *role)
{
    if (!j) return OK;
    if (j->kind != J_OBJECT)
        return call_fail_at(c, ERR_CONFIG_INVALID, call_format(c, "%s/masks", pointer),
                            "expected ds.table.column: value");
    role->mask_count = j->count;
    role->masks = call_array(c, j->count, sizeof *role->masks);
    for (size_t i = 0; i < j->count; i++) {
        const char *at = call_format(c, "%s/masks/%s", pointer, j->names[i]);
        if (!column_pattern_parse(c, j->names[i], &role->masks[i].column))
            return call_fail_at(c, ERR_CONFIG_INVALID, at, "'%s' does not name a column; write ds.table.column",
                                j->names[i]);
        int rc = mask_decode(c, &j->items[i], at, &role->masks[i].expr);
        if (rc) return rc;
    }
    return OK;
}

static int load_role(struct call *c, const char *name, const struct json *j, struct role *role)
{
    const char *pointer = call_format(c, "/policies/roles/%s", name);
    struct role_text text = { 0 };
    if (!is_slug(name))
        return call_fail_at(c, ERR_CONFIG_INVALID, pointer,
                            "'%s' is not a role's name; use small letters, digits, _ and -, a letter first", name);
    int rc = json_decode_at(c, &role_text_type, j, pointer, &text);
    if (rc) return rc;
    role->name = name;
    role->description = text.description;
    if ((rc = table_patterns(c, &text.allow, pointer, "allow", &role->allow, &role->allow_count)) ||
        (rc = table_patterns(c, &text.deny, pointer, "deny", &role->deny, &role->deny_count)) ||
        (rc = column_patterns(c, &text.columns_deny, pointer, role)) || (rc = filters(c, text.filters, pointer, role)))
        return rc;
    return masks(c, text.masks, pointer, role);
}

static int load_roles(struct call *c, const struct json *j, struct policies *p)
{
    if (!j) return OK;
    if (j->kind != J_OBJECT)
        return call_fail_at(c, ERR_CONFIG_INVALID, "/policies/roles", "expected role names with what each opens");
    p->role_count = j->count;
    p->roles = call_array(c, j->count, sizeof *p->roles);
    for (size_t i = 0; i < j->count; i++) {
        int rc = load_role(c, j->names[i], &j->items[i], &p->roles[i]);
        if (rc) return rc;
    }
    return OK;
}

static int load(struct call *c, const struct json *section, struct policies *p)
{
    struct buf text;
    const struct json *own;
    struct section s = { 0 };
    buf_init(&text, c, (size_t)4 * 1024 * 1024);
    if (section)
        json_write(&text, section);
    else
        buf_str(&text, "{\"allow_all\":true}");
    p->version = hash_hex(c, text.data, text.len);
    /* The caller's tree dies with the caller: this one is ours. */
    int rc = json_parse(c, text.data, text.len, &own);
    if (!rc) rc = json_decode_at(c, &section_type, own, "/policies", &s);
    if (rc) return rc;
    p->allow_all = s.allow_all;
    p->refusal_names_tables = s.refusal_names_tables;
    p->default_role = s.default_role;
    p->admin_roles = s.admin_roles;
    p->editor_roles = s.editor_roles;
    p->approver_roles = s.approver_roles;
    if ((rc = load_roles(c, s.roles, p))) return rc;
    if (p->allow_all && p->role_count)
        return call_fail_at(c, ERR_CONFIG_INVALID, "/policies/allow_all",
                            "allow_all opens everything to everyone: remove it, or remove the roles");
    if (p->default_role && !policies_role(p, p->default_role))
        return call_fail_at(c, ERR_CONFIG_INVALID, "/policies/default_role", "there is no role '%s'", p->default_role);
    return OK;
}

int policies_load(struct call *c, const struct json *section, struct policies **out)
{
    struct policies *p = calloc(1, sizeof *p);
    if (!p) abort();
    call_begin(&p->memory);
    p->views = view_cache_new();
    int rc = load(&p->memory, section, p);
    if (rc) {
        /* Every way to fail in here is a fault of the configuration. */
        const char *at = p->memory.err.field;
        rc = call_fail_at(c, ERR_CONFIG_INVALID, at && strncmp(at, "/policies", 9) == 0 ? at : "/policies", "%s",
                          p->memory.err.message);
        if (p->memory.err.hint) call_hint(c, "%s", p->memory.err.hint);
        policies_free(p);
        return rc;
    }
    *out = p;
    return OK;
}

void policies_free(struct policies *p)
{
    if (!p) return;
    view_cache_free(p->views);
    call_end(&p->memory);
    free(p);
}

bool policies_allow_all(const struct policies *p)
{
    return p->allow_all;
}

const struct role *policies_role(const struct policies *p, const char *name)
{
    for (size_t i = 0; name && i < p->role_count; i++)
        if (strcmp(p->roles[i].name, name) == 0) return &p->roles[i];
    return NULL;
}

bool policies_has_role(const struct policies *p, const char *role)
{
    return policies_role(p, role) != NULL;
}

const char *policies_default_role(const struct policies *p)
{
    return p->default_role;
}

const char *policies_version(const struct policies *p)
{
    return p->version;
}

bool policies_refusal_names_tables(const struct policies *p)
{
    return p->refusal_names_tables;
}

struct list policies_role_names(const struct policies *p, struct call *c)
{
    struct list names = { 0 };
    for (size_t i = 0; i < p->role_count; i++) *(const char **)list_push(c, &names, sizeof(char *)) = p->roles[i].name;
    return names;
}

static bool listed(const struct list *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(LIST_AT(names, const char *, i), name) == 0) return true;
    return false;
}

enum level policies_level(const struct policies *p, const char *const *roles, size_t count, bool *approver)
{
    enum level level = LEVEL_ANYONE;
    *approver = false;
    for (size_t i = 0; i < count; i++) {
        if (!policies_has_role(p, roles[i])) continue;
        enum level own = listed(&p->admin_roles, roles[i])    ? LEVEL_ADMIN
                         : listed(&p->editor_roles, roles[i]) ? LEVEL_EDITOR
                                                              : LEVEL_VIEWER;
        if (own > level) level = own;
        if (listed(&p->approver_roles, roles[i])) *approver = true;
    }
    return level;
}
