/* judged: what came of the questions of an evaluation: one judgement each, printed as lines and as a summary. What a
 * judgement points at belongs to whoever judged. */
#ifndef QUERENT_CLI_JUDGED_H
#define QUERENT_CLI_JUDGED_H

#include "cli/measure/hardness.h"
#include "json.h"

enum outcome { CORRECT, WRONG, FAILED, REJECTED, UNANSWERED, LEFT_OUT, OUTCOMES };

/* Why a question says nothing about a planner. */
enum left_out { LEFT_MALFORMED, LEFT_NO_DATABASE, LEFT_GOLD_FAILED, LEFT_REASONS };

struct judged {
    enum outcome outcome; /* of the best guess */
    enum left_out left;   /* when LEFT_OUT */
    enum hardness hardness;
    bool answered; /* would the product answer without asking back */
    bool top3;     /* a right plan is among the first three */
    double confidence, fit;
    const char *sql, *reading, *detail;
    int64_t us;
};

/* One line of JSON. id is the question's, of any kind, or NULL. */
void judged_print(struct call *c, const struct json *id, const struct judged *j);
/* Counts, rates, difficulty, precision of the surest parts and times of those that are not left out. */
void judged_summary(struct call *c, const struct judged *all, size_t count, bool as_json);

#endif
