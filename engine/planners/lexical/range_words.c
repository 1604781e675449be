/* Ranges of dates as people say them. */
#include "base/clock.h"
#include "planners/lexical/reading.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct day {
    int year, month, day;
};

static bool day_of(const char *text, struct day *d)
{
    if (!text || strlen(text) != 10 || text[4] != '-' || text[7] != '-') return false;
    for (int i = 0; i < 10; i++)
        if (i != 4 && i != 7 && !isdigit((unsigned char)text[i])) return false;
    *d = (struct day){ (int)strtol(text, NULL, 10), (int)strtol(text + 5, NULL, 10), (int)strtol(text + 8, NULL, 10) };
    return d->month >= 1 && d->month <= 12 && d->day >= 1 && d->day <= 31;
}

static struct day day_before(struct day d)
{
    if (--d.day) return d;
    if (!--d.month) {
        d.month = 12;
        d.year--;
    }
    d.day = clock_days_in(d.year, d.month);
    return d;
}

void range_words(struct buf *b, const char *from, const char *to)
{
    static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
                                          "July",    "August",   "September", "October", "November", "December" };
    struct day first = { 0 }, end = { 0 };
    bool whole = day_of(from, &first);
    whole &= day_of(to, &end);
    struct day last = day_before(end);
    if (!from || !to) {
        if (from) buf_format(b, " is %s or later", from);
        if (to) buf_format(b, " is before %s", to);
    } else if (!whole) {
        buf_format(b, " is from %s to before %s", from, to);
    } else if (first.day == 1 && end.day == 1 && first.month == 1 && end.month == 1 && end.year == first.year + 1) {
        buf_format(b, " is in %d", first.year);
    } else if (first.day == 1 && end.day == 1 && last.month == first.month && last.year == first.year) {
        buf_format(b, " is in %s %d", months[first.month - 1], first.year);
    } else if (last.day == first.day && last.month == first.month && last.year == first.year) {
        buf_format(b, " is on %s", from);
    } else {
        buf_format(b, " is from %s to %04d-%02d-%02d", from, last.year, last.month, last.day);
    }
}
