/* number: exact decimal arithmetic for takeaways, on the digits a database sent. No float. */
#ifndef QUERENT_NUMBER_H
#define QUERENT_NUMBER_H

#include "buf.h"

/* units / 10^scale. */
struct number {
    __extension__ __int128 units;
    int scale;
};

/* A JSON number's digits; false for anything else, NaN, infinities, or more than 30 digits. */
bool number_parse(const char *text, size_t n, struct number *out);
int number_compare(struct number a, struct number b); /* <0, 0, >0 */
/* a += b; false when it does not fit. */
bool number_add(struct number *a, struct number b);
/* part / whole in tenths of a percent, rounded half away from zero; false on a zero whole or when it does not fit. */
bool number_permille(struct number part, struct number whole, int64_t *out);
/* to - from; false when it does not fit. */
bool number_subtract(struct number to, struct number from, struct number *out);
/* With thousands separators and at most three digits after the point; text that is no number stays as it is. */
void number_write(struct buf *b, const char *text, size_t n);

#endif
