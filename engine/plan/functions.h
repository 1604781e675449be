/* functions: the catalogue of functions a plan may call. One row each; sql/dialects/ has a template per row and dialect. */
#ifndef QUERENT_FUNCTIONS_H
#define QUERENT_FUNCTIONS_H

#include "domain/value_type.h"

#include <stdbool.h>
#include <stddef.h>

enum function_class { FUNC_SCALAR, FUNC_AGGREGATE, FUNC_WINDOW, FUNC_ORDERED_SET };

enum {
    FUNC_MAY_FAIL = 1, /* can raise an error that depends on a value: fenced behind row filters */
    FUNC_VOLATILE = 2, /* now, current_date: not the same on each run */
    FUNC_STAR = 4,     /* count(*) */
    FUNC_OVER = 8      /* an aggregate that may also be a window function */
};

/* Argument and result types are written as short texts, see functions.c. */
struct function {
    const char *name; /* lower case */
    enum function_class class;
    const char *args;   /* one letter an argument: n number, i integer, t text, d date or timestamp, a any, b boolean,
                           u unit literal; lower case required, after '?' optional, '*' repeats the last */
    const char *result; /* a type name; "1" = type of the first argument, "sum", "common" */
    unsigned flags;
};

extern const struct function functions[]; /* ends with name NULL, sorted by name */
const struct function *function_find(const char *name); /* without case */
size_t function_index(const struct function *f);

#endif
