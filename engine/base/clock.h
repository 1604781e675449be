/* clock: the two clocks, in microseconds. Monotonic for durations and deadlines, UTC (since 1970) for what is stored
 * and shown. */
#ifndef QUERENT_CLOCK_H
#define QUERENT_CLOCK_H

#include "call.h"

int64_t clock_mono_us(void);
int64_t clock_utc_us(void);
/* "2026-09-01T12:00:00.000Z" (24 bytes + NUL). */
#define CLOCK_TEXT 32
void clock_text(int64_t utc_us, char out[CLOCK_TEXT]);
/* RFC 3339 with offset or Z -> microseconds; false when it is not one. */
bool clock_parse(const char *text, int64_t *utc_us);
/* Days of the month 1..12, of the Gregorian calendar. */
int clock_days_in(int year, int month);

#endif
