#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_mono_us(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_utc_us(void)
{
    return read_clock(CLOCK_REALTIME);
}

static void put_digits(char *to, int count, int64_t v)
{
    for (; count--; v /= 10) to[count] = (char)('0' + v % 10);
}

/* By hand: the library's calendar and formatting cost more than the rest of a log line. */
void clock_text(int64_t utc_us, char out[CLOCK_TEXT])
{
    int64_t micros = utc_us % 1000000;
    if (micros < 0) micros += 1000000;
    time_t seconds = (time_t)((utc_us - micros) / 1000000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    static const char shape[] = "0000-00-00T00:00:00.000Z";
    size_t n = 0;
    if (tm.tm_year + 1900 < 0 || tm.tm_year + 1900 > 9999) {
        n = strftime(out, CLOCK_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
        snprintf(out + n, CLOCK_TEXT - n, ".%03dZ", (int)(micros / 1000));
        return;
    }
    memcpy(out, shape, sizeof shape);
    put_digits(out, 4, tm.tm_year + 1900);
    put_digits(out + 5, 2, tm.tm_mon + 1);
    put_digits(out + 8, 2, tm.tm_mday);
    put_digits(out + 11, 2, tm.tm_hour);
    put_digits(out + 14, 2, tm.tm_min);
    put_digits(out + 17, 2, tm.tm_sec);
    put_digits(out + 20, 3, micros / 1000);
}

static bool digits(const char **p, int count, int *out)
{
    *out = 0;
    for (int i = 0; i < count; i++, (*p)++) {
        if (**p < '0' || **p > '9') return false;
        *out = *out * 10 + (**p - '0');
    }
    return true;
}

static bool literal(const char **p, char ch)
{
    if (**p != ch) return false;
    (*p)++;
    return true;
}

bool clock_parse(const char *text, int64_t *utc_us)
{
    const char *p = text;
    int year, month, day, hour, minute, second, oh = 0, om = 0, sign = 1;
    if (!digits(&p, 4, &year) || !literal(&p, '-') || !digits(&p, 2, &month) || !literal(&p, '-') ||
        !digits(&p, 2, &day))
        return false;
    if (*p != 'T' && *p != 't' && *p != ' ') return false;
    p++;
    if (!digits(&p, 2, &hour) || !literal(&p, ':') || !digits(&p, 2, &minute) || !literal(&p, ':') ||
        !digits(&p, 2, &second))
        return false;
    int64_t micros = 0;
    if (literal(&p, '.')) {
        int64_t unit = 100000;
        if (*p < '0' || *p > '9') return false;
        for (; *p >= '0' && *p <= '9'; p++, unit /= 10) micros += (*p - '0') * unit;
    }
    if (*p == '+' || *p == '-') {
        sign = *p++ == '-' ? -1 : 1;
        if (!digits(&p, 2, &oh) || !literal(&p, ':') || !digits(&p, 2, &om)) return false;
    } else if (!literal(&p, 'Z') && !literal(&p, 'z')) {
        return false;
    }
    if (*p || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return false;
    struct tm tm = {
        .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_hour = hour, .tm_min = minute, .tm_sec = second
    };
    int64_t seconds = (int64_t)timegm(&tm);
    *utc_us = (seconds - sign * (oh * 3600 + om * 60)) * 1000000 + micros;
    return tm.tm_mday == day;
}

int clock_days_in(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}
