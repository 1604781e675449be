#include "charts/number.h"

#define DIGITS_MAX  30
#define SHOWN_SCALE 3

bool number_parse(const char *text, size_t n, struct number *out)
{
    struct number v = { 0 };
    size_t i = 0, digits = 0;
    bool negative = n && text[0] == '-', point = false;
    int exponent = 0;
    if (negative) i++;
    size_t first = i;
    for (; i < n && ((text[i] >= '0' && text[i] <= '9') || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        if (v.units || text[i] != '0') digits++;
        if (digits > DIGITS_MAX || v.scale >= DIGITS_MAX) return false;
        v.units = v.units * 10 + (text[i] - '0');
        if (point) v.scale++;
    }
    if (i == first) return false;
    if (i < n && (text[i] == 'e' || text[i] == 'E')) {
        bool minus = ++i < n && text[i] == '-';
        if (i < n && (text[i] == '-' || text[i] == '+')) i++;
        if (i == n) return false;
        for (; i < n && text[i] >= '0' && text[i] <= '9' && exponent < 100; i++)
            exponent = exponent * 10 + text[i] - '0';
        v.scale += minus ? exponent : -exponent;
    }
    if (i != n || v.scale > DIGITS_MAX || v.scale < -DIGITS_MAX) return false;
    for (; v.scale < 0; v.scale++)
        if (__builtin_mul_overflow(v.units, 10, &v.units)) return false;
    if (negative) v.units = -v.units;
    *out = v;
    return true;
}

static bool align(struct number *a, struct number *b)
{
    struct number *low = a->scale < b->scale ? a : b, *high = low == a ? b : a;
    __extension__ __int128 larger;
    for (; low->scale < high->scale; low->scale++) {
        if (__builtin_mul_overflow(low->units, 10, &larger)) return false;
        low->units = larger;
    }
    return true;
}

int number_compare(struct number a, struct number b)
{
    if (!align(&a, &b)) { /* one is so large that its sign decides */
        struct number *large = a.scale < b.scale ? &a : &b;
        bool up = large->units > 0;
        return (large == &a) == up ? 1 : -1;
    }
    return a.units < b.units ? -1 : a.units > b.units;
}

bool number_add(struct number *a, struct number b)
{
    return align(a, &b) && !__builtin_add_overflow(a->units, b.units, &a->units);
}

bool number_subtract(struct number to, struct number from, struct number *out)
{
    from.units = -from.units;
    *out = to;
    return number_add(out, from);
}

bool number_permille(struct number part, struct number whole, int64_t *out)
{
    if (!whole.units || !align(&part, &whole)) return false;
    __extension__ __int128 scaled, base = whole.units < 0 ? -whole.units : whole.units;
    if (__builtin_mul_overflow(part.units, 2000, &scaled) ||
        __builtin_add_overflow(scaled, scaled < 0 ? -base : base, &scaled))
        return false;
    scaled /= 2 * base;
    if (scaled > INT64_MAX || scaled < -INT64_MAX) return false;
    *out = (int64_t)scaled;
    return true;
}

void number_write(struct buf *b, const char *text, size_t n)
{
    struct number v;
    if (!number_parse(text, n, &v)) {
        buf_add(b, text, n);
        return;
    }
    bool negative = v.units < 0;
    if (negative) v.units = -v.units;
    for (; v.scale > SHOWN_SCALE; v.scale--) v.units = v.scale == SHOWN_SCALE + 1 ? (v.units + 5) / 10 : v.units / 10;
    while (v.scale > 0 && v.units % 10 == 0) {
        v.units /= 10;
        v.scale--;
    }
    char digits[64];
    size_t at = sizeof digits;
    for (int i = 0; i < v.scale; i++, v.units /= 10) digits[--at] = (char)('0' + (int)(v.units % 10));
    if (v.scale) digits[--at] = '.';
    bool any = v.scale > 0 || v.units;
    for (int i = 0; i == 0 || v.units; i++, v.units /= 10) {
        if (i && i % 3 == 0) digits[--at] = ',';
        digits[--at] = (char)('0' + (int)(v.units % 10));
    }
    if (negative && any) digits[--at] = '-';
    buf_add(b, digits + at, sizeof digits - at);
}
