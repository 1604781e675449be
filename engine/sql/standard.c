#include "sql/standard.h"

#include <string.h>

bool is_kind(const struct expr *e, enum type_kind kind)
{
    return e->type.kind == kind;
}

bool is_exact_integer(const struct expr *e)
{
    return e->type.kind == TYPE_INTEGER || e->type.kind == TYPE_BOOLEAN;
}

void standard_cast(struct render *r, const struct expr *e)
{
    const char *type = r->dialect->type_name(r->call, e->cast.to);
    if (!*type) {
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "A cast to %s is not available for %s.",
                      type_kind_names[e->cast.to.kind], r->dialect->name);
        return;
    }
    render_text(r, "CAST(");
    render_value(r, e->cast.arg, BINDS_ANY);
    render_format(r, " AS %s)", type);
}

void standard_distinct_from(struct render *r, const struct expr *e)
{
    render_binary(r, e->is.left, e->negated ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM", e->is.right, BINDS_CONCAT,
                  BINDS_CONCAT);
}

static void as_text(struct render *r, const struct expr *e, enum level_of least)
{
    if (e->type.kind == TYPE_TEXT || e->type.kind == TYPE_UNKNOWN || e->type.kind == TYPE_NULL) {
        render_value(r, e, least);
        return;
    }
    render_text(r, "CAST(");
    render_value(r, e, BINDS_ANY);
    render_format(r, " AS %s)", r->dialect->type_name(r->call, (struct value_type){ TYPE_TEXT, 0, 0 }));
}

void standard_concat(struct render *r, const struct expr *e)
{
    as_text(r, e->binary.left, BINDS_CONCAT);
    render_text(r, " || ");
    as_text(r, e->binary.right, BINDS_UNARY);
}

void standard_greatest(struct render *r, const struct expr *e, const char *name)
{
    const struct exprs *a = &e->call.args;
    size_t nullable = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (!a->items[i]->nullable) continue;
        render_text(r, nullable++ ? " OR " : "CASE WHEN ");
        render_value(r, a->items[i], BINDS_CONCAT);
        render_text(r, " IS NULL");
    }
    render_format(r, nullable ? " THEN NULL ELSE %s(" : "%s(", name);
    render_list(r, a);
    render_text(r, nullable ? ") END" : ")");
}

static void largest_of(struct render *r, const struct exprs *a, size_t count, const char *name)
{
    if (count == 1) {
        render_value(r, a->items[0], BINDS_ANY);
        return;
    }
    render_format(r, "coalesce(%s(", name);
    largest_of(r, a, count - 1, name);
    render_text(r, ", ");
    render_value(r, a->items[count - 1], BINDS_ANY);
    render_text(r, "), ");
    largest_of(r, a, count - 1, name);
    render_text(r, ", ");
    render_value(r, a->items[count - 1], BINDS_ANY);
    render_text(r, ")");
}

void standard_largest(struct render *r, const struct expr *e, const char *name)
{
    if (is_too_many(e))
        render_refuse(r, ERR_PLAN_NOT_SUPPORTED, "%s takes no more than four arguments for %s.", e->call.name,
                      r->dialect->name);
    else
        largest_of(r, &e->call.args, e->call.args.count, name);
}

bool is_too_many(const struct expr *e)
{
    return e->kind == EXPR_CALL && e->call.args.count > 4 &&
           (strcmp(e->call.name, "largest") == 0 || strcmp(e->call.name, "smallest") == 0);
}

bool distinct_order_is_no_text(const struct expr *e)
{
    if (distinct_order_differs(e)) return true;
    return e->kind == EXPR_CALL && e->call.distinct && e->call.within.count &&
           !is_kind(e->call.args.items[0], TYPE_TEXT);
}

void standard_divide(struct render *r, const struct expr *e, const char *op, const char *type)
{
    const struct expr *left = e->binary.left, *right = e->binary.right;
    if (type) render_text(r, "CAST(");
    render_value(r, left, type ? BINDS_ANY : BINDS_MULTIPLY);
    if (type) render_format(r, " AS %s)", type);
    render_format(r, " %s ", op);
    if (expr_is_nonzero(right)) {
        render_value(r, right, BINDS_UNARY);
        return;
    }
    render_text(r, "nullif(");
    render_value(r, right, BINDS_ANY);
    render_text(r, ", 0)");
}

bool standard_literal(struct render *r, const struct expr *e)
{
    const char *word = NULL;
    switch (e->type.kind) {
    case TYPE_BOOLEAN:
        render_text(r, strcmp(e->literal.text, "true") == 0 ? "TRUE" : "FALSE");
        return true;
    case TYPE_DATE:
        word = "DATE ";
        break;
    case TYPE_TIME:
        word = "TIME ";
        break;
    case TYPE_TIMESTAMP:
        word = "TIMESTAMP ";
        break;
    default:
        return false;
    }
    render_text(r, word);
    render_quoted(r, e->literal.text);
    return true;
}

void format_pieces(const char *format, void (*piece)(void *ctx, char letter, const char *text, size_t n), void *ctx)
{
    const char *start = format;
    for (const char *p = format; *p; p++) {
        if (*p != '%' || !p[1]) continue;
        if (p > start) piece(ctx, 0, start, (size_t)(p - start));
        p++;
        if (*p == '%')
            piece(ctx, 0, p, 1);
        else
            piece(ctx, *p, NULL, 0);
        start = p + 1;
    }
    if (*start) piece(ctx, 0, start, strlen(start));
}
