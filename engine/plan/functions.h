/* functions: the catalogue of functions a plan may call. One row each; sql/dialects/ has a template per row and
 * dialect. */
#ifndef QUERENT_FUNCTIONS_H
#define QUERENT_FUNCTIONS_H

#include "domain/value_type.h"

#include <stdbool.h>
#include <stddef.h>

enum function_class { FUNC_SCALAR, FUNC_AGGREGATE, FUNC_WINDOW, FUNC_ORDERED_SET };

enum {
    FUNC_MAY_FAIL = 1,   /* can raise an error that depends on a value: fenced behind row filters */
    FUNC_VOLATILE = 2,   /* now, current_date: not the same on each run */
    FUNC_STAR = 4,       /* count(*) */
    FUNC_OVER = 8,       /* an aggregate that may also be a window function */
    FUNC_WITHIN = 16,    /* an aggregate that may be told the order of its rows (string_agg) */
    FUNC_ADDITIVE = 32,  /* a row that a join repeats changes the result: sum, avg, median; not min, max */
    FUNC_FRAME = 64,     /* a window function that heeds its frame */
    FUNC_MAY_RAISE = 128 /* the same, in some engine, where no other gives NULL instead */
};

/* Argument and result types are written as short texts. */
struct function {
    const char *name; /* lower case */
    enum function_class class;
    /* One letter an argument: n number, i integer, t text, d date, time or timestamp, a any, b boolean, u the literal
     * name of a unit, f a literal date_format. After '?' arguments are optional; '*' at the end repeats the last. */
    const char *args;
    /* A type name; "1" "2" "3" = type of that argument; "common" = of all of them; "sum" = integer of integers, else
     * decimal or double as the argument; "avg" = decimal of exact numbers, else double; "round" = the argument's
     * without its scale; "trunc", "add" = date_trunc's and date_add's (a date stays one while the unit is a day or
     * longer); "within" = type of the first order within. */
    const char *result;
    unsigned flags;
    const char *doc; /* shape and meaning, one sentence */
};

extern const struct function functions[];               /* ends with name NULL, sorted by name */
const struct function *function_find(const char *name); /* without case; knows no aliases */

/* Other names a plan may use: plan_check writes the catalogue's name, and the unit as the first argument. */
struct function_alias {
    const char *name, *to, *unit; /* unit NULL = none */
};
extern const struct function_alias function_aliases[]; /* ends with name NULL */
const struct function_alias *function_alias(const char *name);

size_t function_index(const struct function *f);
size_t function_count(void);
/* Least and most arguments; *most is SIZE_MAX when the last repeats. */
void function_arity(const struct function *f, size_t *least, size_t *most);
/* The letter of argument i, 0 when there is none. */
char function_arg(const struct function *f, size_t i);

#endif
