#include "base/clock.h"
#include "plan/checker.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define DIGITS_MAX 400

static size_t digits(const char *s)
{
    size_t n = 0;
    while (isdigit((unsigned char)s[n])) n++;
    return n;
}

static bool is_integer(const char *s)
{
    if (*s == '-' || *s == '+') s++;
    size_t n = digits(s);
    return n && n <= DIGITS_MAX && !s[n];
}

/* Digits with an optional fraction and, for doubles, an exponent. */
static bool is_number(const char *s, bool exponent)
{
    if (*s == '-' || *s == '+') s++;
    size_t whole = digits(s), fraction = 0;
    s += whole;
    if (*s == '.') {
        fraction = digits(s + 1);
        s += 1 + fraction;
    }
    if (!(whole + fraction) || whole + fraction > DIGITS_MAX) return false;
    if (exponent && (*s == 'e' || *s == 'E')) {
        s++;
        if (*s == '-' || *s == '+') s++;
        size_t n = digits(s);
        if (!n || n > 4) return false;
        s += n;
    }
    return !*s;
}

/* Exactly n digits; advances. */
static bool take(const char **s, size_t n, int *value)
{
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isdigit((unsigned char)**s)) return false;
        *value = *value * 10 + (*(*s)++ - '0');
    }
    return true;
}

static bool take_char(const char **s, char ch)
{
    if (**s != ch) return false;
    (*s)++;
    return true;
}

static bool take_date(const char **s)
{
    int year, month, day;
    if (!take(s, 4, &year) || !take_char(s, '-') || !take(s, 2, &month) || !take_char(s, '-') || !take(s, 2, &day))
        return false;
    return month >= 1 && month <= 12 && day >= 1 && day <= clock_days_in(year, month);
}

static bool take_time(const char **s)
{
    int hour, minute, second;
    if (!take(s, 2, &hour) || !take_char(s, ':') || !take(s, 2, &minute) || hour > 23 || minute > 59) return false;
    if (!take_char(s, ':')) return true;
    if (!take(s, 2, &second) || second > 59) return false;
    if (!take_char(s, '.')) return true;
    size_t n = digits(*s);
    *s += n;
    return n >= 1 && n <= 9;
}

static bool take_offset(const char **s)
{
    int hour, minute;
    if (take_char(s, 'Z') || take_char(s, 'z')) return true;
    if (**s != '+' && **s != '-') return false;
    (*s)++;
    if (!take(s, 2, &hour) || hour > 18) return false;
    if (!**s) return true;
    take_char(s, ':');
    return take(s, 2, &minute) && minute < 60;
}

static bool is_timestamp(const char *s, bool offset)
{
    if (!take_date(&s)) return false;
    if (!*s) return !offset;
    if (!take_char(&s, ' ') && !take_char(&s, 'T')) return false;
    return take_time(&s) && (!offset || !*s || take_offset(&s)) && !*s;
}

static bool is_hex(const char *s)
{
    size_t n = strlen(s);
    return n % 2 == 0 && strspn(s, "0123456789abcdefABCDEF") == n;
}

bool literal_valid(enum type_kind kind, const char *s)
{
    switch (kind) {
    case TYPE_BOOLEAN:
        return !strcmp(s, "true") || !strcmp(s, "false");
    case TYPE_INTEGER:
        return is_integer(s);
    case TYPE_DECIMAL:
        return is_number(s, false);
    case TYPE_DOUBLE:
        return is_number(s, true);
    case TYPE_DATE:
        return take_date(&s) && !*s;
    case TYPE_TIME:
        return take_time(&s) && !*s;
    case TYPE_TIMESTAMP:
        return is_timestamp(s, false);
    case TYPE_TIMESTAMPTZ:
        return is_timestamp(s, true);
    case TYPE_BINARY:
        return is_hex(s);
    case TYPE_TEXT:
        return true;
    case TYPE_UNKNOWN:
    case TYPE_NULL:
    case TYPE_INTERVAL:
    case TYPE_COUNT:
        break;
    }
    return false;
}
