#include "plan/functions.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define S   FUNC_SCALAR
#define A   FUNC_AGGREGATE
#define W   FUNC_WINDOW
#define O   FUNC_ORDERED_SET
#define ADD (FUNC_OVER | FUNC_ADDITIVE)

const struct function functions[] = {
    { "abs", S, "n", "1", FUNC_MAY_RAISE, "absolute value" },
    { "acos", S, "n", "double", FUNC_MAY_FAIL, "arc cosine in radians" },
    { "any_value", A, "a", "1", 0, "the value of some row of the group" },
    { "asin", S, "n", "double", FUNC_MAY_FAIL, "arc sine in radians" },
    { "atan", S, "n", "double", 0, "arc tangent in radians" },
    { "atan2", S, "nn", "double", 0, "arc tangent of y / x in radians" },
    { "avg", A, "n", "avg", ADD, "mean" },
    { "bool_and", A, "b", "boolean", FUNC_OVER, "true when true in every row" },
    { "bool_or", A, "b", "boolean", FUNC_OVER, "true when true in some row" },
    { "ceil", S, "n", "round", 0, "least whole number that is not smaller" },
    { "coalesce", S, "aa*", "common", 0, "first argument that is not NULL" },
    { "concat", S, "a*", "text", 0, "arguments joined as text, NULL counts as empty" },
    { "concat_ws", S, "ta*", "text", 0, "arguments that are not NULL, joined with the first between them" },
    { "cos", S, "n", "double", FUNC_MAY_RAISE, "cosine of radians" },
    { "count", A, "a", "integer", FUNC_STAR | FUNC_OVER, "rows, or values that are not NULL" },
    { "cume_dist", W, "", "double", 0, "share of rows at or before this one" },
    { "current_date", S, "", "date", FUNC_VOLATILE, "today in the session's time zone" },
    { "date", S, "a", "date", FUNC_MAY_FAIL, "the date of a timestamp or an ISO text" },
    { "date_add", S, "uid", "add", FUNC_MAY_FAIL, "unit, number of units, date: the date moved by so many units" },
    { "date_diff", S, "udd", "integer", FUNC_MAY_FAIL, "unit, later, earlier: boundaries of the unit crossed" },
    { "date_format", S, "df", "text", FUNC_MAY_FAIL, "date as text by %Y %m %d %H %M %S %j %w" },
    { "date_part", S, "ud", "integer", FUNC_MAY_FAIL, "the unit of a date as a whole number" },
    { "date_trunc", S, "ud", "trunc", FUNC_MAY_FAIL, "start of the unit the date is in" },
    { "degrees", S, "n", "double", FUNC_MAY_RAISE, "radians as degrees" },
    { "dense_rank", W, "", "integer", 0, "rank without gaps" },
    { "epoch", S, "d", "integer", FUNC_MAY_FAIL, "whole seconds since 1970-01-01 UTC" },
    { "exp", S, "n", "double", FUNC_MAY_FAIL, "e to the power" },
    { "first_value", W, "a", "1", FUNC_FRAME, "value in the first row of the frame" },
    { "floor", S, "n", "round", 0, "greatest whole number that is not larger" },
    { "glob", S, "at", "boolean", FUNC_MAY_RAISE, "text, pattern: matches with * ? [], case-sensitive" },
    { "greatest", S, "aa*", "common", 0, "largest argument, NULL when one of them is NULL" },
    { "instr", S, "tt", "integer", 0, "text, part: position of the first occurrence, 0 when none" },
    { "julian_day", S, "d", "double", FUNC_MAY_FAIL, "days since noon of 24 November 4714 BC" },
    { "lag", W, "a?ia", "1", 0, "value some rows (1) before, else the third argument" },
    { "largest", S, "aa*", "common", 0, "largest argument that is not NULL" },
    { "last_value", W, "a", "1", FUNC_FRAME, "value in the last row of the frame" },
    { "lead", W, "a?ia", "1", 0, "value some rows (1) after, else the third argument" },
    { "least", S, "aa*", "common", 0, "smallest argument, NULL when one of them is NULL" },
    { "left", S, "ti", "text", FUNC_MAY_RAISE, "first characters" },
    { "length", S, "t", "integer", 0, "characters of a text" },
    { "ln", S, "n", "double", FUNC_MAY_FAIL, "natural logarithm" },
    { "log", S, "nn", "double", FUNC_MAY_FAIL, "base, number: logarithm" },
    { "log10", S, "n", "double", FUNC_MAY_FAIL, "logarithm to base 10" },
    { "lower", S, "t", "text", 0, "in lower case" },
    { "ltrim", S, "t?t", "text", 0, "without leading spaces, or without the leading characters named" },
    { "max", A, "a", "1", FUNC_OVER, "largest value" },
    { "median", A, "n", "avg", ADD, "middle value, or the mean of the two middle ones" },
    { "min", A, "a", "1", FUNC_OVER, "smallest value" },
    { "mod", S, "nn", "common", FUNC_MAY_FAIL, "remainder with the sign of the first argument, NULL on zero" },
    { "mode", O, "", "within", FUNC_ADDITIVE, "most frequent value of the order within" },
    { "now", S, "", "timestamp", FUNC_VOLATILE, "date and time of the statement in UTC" },
    { "nth_value", W, "ai", "1", FUNC_FRAME, "value in the nth row of the frame" },
    { "ntile", W, "i", "integer", 0, "number of the row's bucket of so many equal ones" },
    { "nullif", S, "aa", "1", 0, "NULL when the two are equal, else the first" },
    { "percent_rank", W, "", "double", 0, "relative rank from 0 to 1" },
    { "percentile", O, "n", "double", FUNC_ADDITIVE, "fraction: interpolated value of the order within" },
    { "percentile_disc", O, "n", "within", FUNC_ADDITIVE, "fraction: first value of the order within that reaches it" },
    { "pi", S, "", "double", 0, "3.14159…" },
    { "position", S, "tt", "integer", 0, "part, text: position of the first occurrence, 0 when none" },
    { "power", S, "nn", "double", FUNC_MAY_FAIL, "first to the power of the second" },
    { "radians", S, "n", "double", FUNC_MAY_RAISE, "degrees as radians" },
    { "rank", W, "", "integer", 0, "rank with gaps" },
    { "replace", S, "ttt", "text", FUNC_MAY_RAISE, "text, from, to: every occurrence replaced" },
    { "right", S, "ti", "text", FUNC_MAY_RAISE, "last characters" },
    { "round", S, "n?i", "round", FUNC_MAY_RAISE, "to so many decimals (0), halves away from zero" },
    { "row_number", W, "", "integer", 0, "number of the row from 1" },
    { "rtrim", S, "t?t", "text", 0, "without trailing spaces, or without the trailing characters named" },
    { "sign", S, "n", "integer", FUNC_MAY_RAISE, "-1, 0 or 1" },
    { "sin", S, "n", "double", FUNC_MAY_RAISE, "sine of radians" },
    { "smallest", S, "aa*", "common", 0, "smallest argument that is not NULL" },
    { "split_part", S, "tti", "text", FUNC_MAY_FAIL,
      "text, separator, n: the nth part from 1, empty when there is none" },
    { "sqrt", S, "n", "double", FUNC_MAY_FAIL, "square root" },
    { "stddev", A, "n", "double", ADD, "standard deviation of the sample" },
    { "stddev_pop", A, "n", "double", ADD, "standard deviation of the population" },
    { "string_agg", A, "a?t", "text", FUNC_OVER | FUNC_WITHIN | FUNC_ADDITIVE,
      "values as text with the separator (,) between" },
    { "substr", S, "ti?i", "text", FUNC_MAY_RAISE, "text, start from 1, length; a negative start counts from the end" },
    { "sum", A, "n", "sum", ADD, "sum, NULL over no rows" },
    { "tan", S, "n", "double", FUNC_MAY_RAISE, "tangent of radians" },
    { "time", S, "a", "time", FUNC_MAY_FAIL, "the time of day of a timestamp or an ISO text" },
    { "timestamp", S, "a", "timestamp", FUNC_MAY_FAIL, "date and time of a date or an ISO text" },
    { "total", A, "n", "double", ADD, "sum as a double, 0 over no rows" },
    { "trim", S, "t?t", "text", 0, "without spaces at both ends, or without the characters named" },
    { "trunc", S, "n?i", "round", FUNC_MAY_RAISE, "without decimals beyond so many (0)" },
    { "upper", S, "t", "text", 0, "in upper case" },
    { "variance", A, "n", "double", ADD, "variance of the sample" },
    { "variance_pop", A, "n", "double", ADD, "variance of the population" },
    { "weekday", S, "d", "integer", FUNC_MAY_FAIL, "day of the week, Sunday = 0" },
    { "yearday", S, "d", "integer", FUNC_MAY_FAIL, "day of the year from 1" },
    { NULL, S, NULL, NULL, 0, NULL },
};

#define ROWS (sizeof functions / sizeof functions[0] - 1)

const struct function_alias function_aliases[] = {
    { "ceiling", "ceil", NULL },           { "day", "date_part", "day" },       { "extract", "date_part", NULL },
    { "hour", "date_part", "hour" },       { "minute", "date_part", "minute" }, { "month", "date_part", "month" },
    { "quarter", "date_part", "quarter" }, { "second", "date_part", "second" }, { "substring", "substr", NULL },
    { "week", "date_part", "week" },       { "year", "date_part", "year" },     { NULL, NULL, NULL },
};

const struct function *function_find(const char *name)
{
    size_t low = 0, high = ROWS;
    while (low < high) {
        size_t mid = (low + high) / 2;
        int order = strcasecmp(name, functions[mid].name);
        if (!order) return &functions[mid];
        if (order < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}

const struct function_alias *function_alias(const char *name)
{
    for (const struct function_alias *a = function_aliases; a->name; a++)
        if (!strcasecmp(a->name, name)) return a;
    return NULL;
}

size_t function_index(const struct function *f)
{
    return (size_t)(f - functions);
}

size_t function_count(void)
{
    return ROWS;
}

void function_arity(const struct function *f, size_t *least, size_t *most)
{
    const char *optional = strchr(f->args, '?');
    size_t letters = strlen(f->args) - (optional ? 1 : 0);
    bool repeats = letters && f->args[strlen(f->args) - 1] == '*';
    if (repeats) letters--;
    *most = repeats ? SIZE_MAX : letters;
    *least = optional ? (size_t)(optional - f->args) : letters;
}

char function_arg(const struct function *f, size_t i)
{
    char last = 0;
    for (const char *p = f->args; *p; p++) {
        if (*p == '?') continue;
        if (*p == '*') return last;
        last = *p;
        if (!i--) return last;
    }
    return 0;
}
