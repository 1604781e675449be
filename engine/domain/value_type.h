/* value_type: the plan's types, which columns, expressions and results share. */
#ifndef QUERENT_VALUE_TYPE_H
#define QUERENT_VALUE_TYPE_H

enum type_kind {
    TYPE_UNKNOWN, /* not typed yet, or a database type the plan has no name for */
    TYPE_NULL,    /* the type of a bare NULL: fits everything */
    TYPE_BOOLEAN,
    TYPE_INTEGER,
    TYPE_DECIMAL,
    TYPE_DOUBLE,
    TYPE_TEXT,
    TYPE_DATE,
    TYPE_TIME,
    TYPE_TIMESTAMP,
    TYPE_TIMESTAMPTZ,
    TYPE_BINARY,
    TYPE_INTERVAL,
    TYPE_COUNT
};

struct value_type {
    enum type_kind kind;
    int precision, scale; /* decimal only; 0 = not said */
};

extern const char *const type_kind_names[]; /* lower case, NULL-terminated */

#endif
