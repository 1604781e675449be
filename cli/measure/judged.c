#include "cli/measure/judged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const outcome_names[] = { "correct", "wrong", "error", "rejected", "unanswered", "left_out" };
static const char *const left_names[] = { "malformed", "no_database", "gold_failed" };

static void add_number(struct buf *b, const char *name, double v)
{
    buf_format(b, ",\"%s\":%.4f", name, v);
}

void judged_print(struct call *c, const struct json *id, const struct judged *j)
{
    struct buf b;
    buf_init(&b, c, 16u << 20);
    buf_str(&b, "{\"id\":");
    if (id)
        json_write(&b, id);
    else
        buf_str(&b, "null");
    buf_format(&b, ",\"outcome\":\"%s\",\"answered\":%s,\"top3\":%s", outcome_names[j->outcome],
               j->answered ? "true" : "false", j->top3 ? "true" : "false");
    add_number(&b, "confidence", j->confidence);
    add_number(&b, "fit", j->fit);
    buf_str(&b, ",\"sql\":");
    json_add_string(&b, j->sql);
    if (j->reading) {
        buf_str(&b, ",\"reading\":");
        json_add_string(&b, j->reading);
    }
    buf_format(&b, ",\"hardness\":\"%s\"", hardness_names[j->hardness]);
    add_number(&b, "ms", (double)j->us / 1000);
    if (j->detail) {
        buf_str(&b, ",\"detail\":");
        json_add_text(&b, j->detail, strcspn(j->detail, "\n"));
    }
    buf_char(&b, '}');
    puts(b.data);
}

/* ---- summary ---- */

struct tally {
    size_t n, correct, answered, answered_right, top3;
};

static void count(struct tally *t, const struct judged *j)
{
    t->n++;
    t->correct += j->outcome == CORRECT;
    t->answered += j->answered;
    t->answered_right += j->answered && j->outcome == CORRECT;
    t->top3 += j->top3;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

static void add_rates(struct buf *b, const struct tally *t)
{
    buf_format(b, "\"n\":%zu", t->n);
    add_number(b, "accuracy", share(t->correct, t->n));
    add_number(b, "coverage", share(t->answered, t->n));
    add_number(b, "precision", share(t->answered_right, t->answered));
    add_number(b, "top3", share(t->top3, t->n));
}

struct summary {
    struct tally all, by_hardness[HARDNESSES];
    size_t by_outcome[OUTCOMES], left[LEFT_REASONS];
    int64_t *us;                  /* sorted */
    const struct judged **surest; /* first */
};

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int by_confidence(const void *a, const void *b)
{
    const struct judged *x = *(const struct judged *const *)a, *y = *(const struct judged *const *)b;
    if (x->confidence != y->confidence) return x->confidence > y->confidence ? -1 : 1;
    return x < y ? -1 : x > y; /* of one array: in its order */
}

static void summarise(struct call *c, const struct judged *all, size_t n, struct summary *s)
{
    s->us = call_array(c, n + 1, sizeof *s->us);
    s->surest = call_array(c, n + 1, sizeof(struct judged *));
    for (size_t i = 0; i < n; i++) {
        const struct judged *j = &all[i];
        s->by_outcome[j->outcome]++;
        if (j->outcome == LEFT_OUT) {
            s->left[j->left]++;
            continue;
        }
        s->us[s->all.n] = j->us;
        s->surest[s->all.n] = j;
        count(&s->all, j);
        count(&s->by_hardness[j->hardness], j);
    }
    qsort(s->us, s->all.n, sizeof *s->us, by_time);
    qsort(s->surest, s->all.n, sizeof(struct judged *), by_confidence);
}

static double p50_ms(const struct summary *s)
{
    return s->all.n ? (double)s->us[s->all.n / 2] / 1000 : 0;
}

static double p99_ms(const struct summary *s)
{
    return s->all.n ? (double)s->us[s->all.n - 1 - s->all.n / 100] / 1000 : 0;
}

/* Of each tenth more of the questions, the surest ones: how many are right, and how sure the least sure of them is. */
static void add_curve(struct buf *b, const struct summary *s)
{
    size_t right = 0, at = 0;
    buf_str(b, ",\"risk_coverage\":[");
    for (size_t tenth = 1; tenth <= 10 && s->all.n; tenth++) {
        size_t end = (s->all.n * tenth + 9) / 10;
        for (; at < end; at++) right += s->surest[at]->outcome == CORRECT;
        buf_format(b, "%s{\"coverage\":%.1f", tenth > 1 ? "," : "", (double)tenth / 10);
        add_number(b, "precision", share(right, at));
        add_number(b, "confidence", s->surest[at - 1]->confidence);
        buf_char(b, '}');
    }
    buf_char(b, ']');
}

static void print_json(struct call *c, const struct summary *s)
{
    struct buf b;
    buf_init(&b, c, 65536);
    buf_char(&b, '{');
    add_rates(&b, &s->all);
    buf_str(&b, ",\"by_outcome\":{");
    for (int i = 0; i < OUTCOMES; i++) buf_format(&b, "%s\"%s\":%zu", i ? "," : "", outcome_names[i], s->by_outcome[i]);
    buf_str(&b, "},\"left_out\":{");
    for (int i = 0; i < LEFT_REASONS; i++) buf_format(&b, "%s\"%s\":%zu", i ? "," : "", left_names[i], s->left[i]);
    buf_str(&b, "},\"by_hardness\":{");
    for (int i = 0; i < HARDNESSES; i++) {
        buf_format(&b, "%s\"%s\":{", i ? "," : "", hardness_names[i]);
        add_rates(&b, &s->by_hardness[i]);
        buf_char(&b, '}');
    }
    buf_char(&b, '}');
    add_curve(&b, s);
    add_number(&b, "p50_ms", p50_ms(s));
    add_number(&b, "p99_ms", p99_ms(s));
    buf_char(&b, '}');
    puts(b.data);
}

static void print_rates(const char *name, const struct tally *t)
{
    printf("%-8s %6zu questions: right %5.1f %%, among three %5.1f %%; answered %5.1f %%, of them right %5.1f %%\n",
           name, t->n, 100 * share(t->correct, t->n), 100 * share(t->top3, t->n), 100 * share(t->answered, t->n),
           100 * share(t->answered_right, t->answered));
}

void judged_summary(struct call *c, const struct judged *all, size_t n, bool as_json)
{
    struct summary *s = call_alloc(c, sizeof *s);
    summarise(c, all, n, s);
    if (as_json) {
        print_json(c, s);
        return;
    }
    print_rates("all", &s->all);
    for (int i = 0; i < HARDNESSES; i++)
        if (s->by_hardness[i].n) print_rates(hardness_names[i], &s->by_hardness[i]);
    printf("time     p50 %.1f ms, p99 %.1f ms\n", p50_ms(s), p99_ms(s));
    for (int i = 0; i < LEFT_REASONS; i++)
        if (s->left[i]) printf("left out %6zu %s\n", s->left[i], left_names[i]);
}
