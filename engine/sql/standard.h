/* standard: ways of writing that several dialects share. Private to sql/. */
#ifndef QUERENT_STANDARD_H
#define QUERENT_STANDARD_H

#include "sql/render.h"

void standard_cast(struct render *r, const struct expr *e);          /* CAST(x AS type) */
void standard_distinct_from(struct render *r, const struct expr *e); /* x IS [NOT] DISTINCT FROM y */
void standard_concat(struct render *r, const struct expr *e);        /* x || y, what is no text cast to it */
/* left, op, NULLIF(right, 0); NULLIF only where the divisor may be zero. type: the left side is cast to it; NULL = not.
 */
void standard_divide(struct render *r, const struct expr *e, const char *op, const char *type);
/* DATE '…', TIMESTAMP '…', TIME '…', TRUE, FALSE; false for the rest. */
bool standard_literal(struct render *r, const struct expr *e);
/* Engines that pass over NULL are asked for it: CASE WHEN a IS NULL OR … THEN NULL ELSE name(a, …) END. */
void standard_greatest(struct render *r, const struct expr *e, const char *name);
/* Engines that give NULL for NULL are kept from it: coalesce(name(a, b), a, b), up to four arguments. */
void standard_largest(struct render *r, const struct expr *e, const char *name);
bool is_too_many(const struct expr *e); /* largest or smallest of more than four */
/* string_agg of DISTINCT values in an order, where the value must be the key and is written as a text. */
bool distinct_order_is_no_text(const struct expr *e);
bool is_kind(const struct expr *e, enum type_kind kind);
bool is_exact_integer(const struct expr *e);
/* The pieces of a literal date_format: each call gets one % letter, or (letter 0) the text between. */
void format_pieces(const char *format, void (*piece)(void *ctx, char letter, const char *text, size_t n), void *ctx);

#endif
