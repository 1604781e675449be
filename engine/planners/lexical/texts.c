/* Texts that are no questions about data: statements, wishes to change something, instructions, other languages. */
#include "planners/lexical/texts.h"

#include "planners/lexical/cues.h"
#include "planners/lexical/language.h"

#include <string.h>

/* A statement pasted in place of a question is not one. */
static bool looks_like_sql(const struct words *q)
{
    static const char *const verbs[] = { "select", "insert", "update",   "delete", "drop",   "alter",  "create",
                                         "with",   "pragma", "truncate", "grant",  "attach", "explain" };
    static const char *const partners[] = { "from", "into", "set", "table", "where", "database", "join", "values" };
    if (q->count < 2) return false;
    bool verb = false, partner = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) verb |= strcmp(q->items[0].fold, verbs[i]) == 0;
    for (size_t k = 1; k < q->count; k++)
        for (size_t i = 0; i < sizeof partners / sizeof *partners; i++)
            partner |= strcmp(q->items[k].fold, partners[i]) == 0;
    bool marks = strchr(q->text, '*') || strchr(q->text, ';') || strchr(q->text, '=');
    return verb && partner && (marks || q->items[0].text[1] == 'E');
}

/* A wish to change something: there is nothing to answer, and what it names must not be shown in its stead. */
static bool wants_change(const struct words *q)
{
    static const char *const verbs[] = { "delete", "drop",   "insert", "update", "remove", "truncate", "alter", "erase",
                                         "purge",  "rename", "grant",  "revoke", "modify", "destroy",  "wipe" };
    size_t first = 0;
    while (first < q->count &&
           (q->items[first].flags & (WORD_MARK | WORD_STOP) || !strcmp(q->items[first].fold, "please")))
        first++;
    for (size_t i = 0; first < q->count && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(q->items[first].fold, verbs[i]) == 0) return true;
    return false;
}

/* Words to whoever reads, of rules and roles instead of data. */
static bool instructs(const struct words *q)
{
    bool verb = false, rule = false;
    for (size_t p = 0; p < q->count; p++) {
        const struct word *x = &q->items[p];
        if (x->flags & WORD_QUOTED) continue;
        verb |= word_listed(" ignore disregard forget bypass override pretend reveal jailbreak ", x->fold);
        rule |= word_listed(" instruction instructions prompt prompts rule rules guardrails previous prior system ",
                            x->fold);
    }
    return verb && rule;
}

const char *text_no_question(struct call *c, const struct linked *l)
{
    if (l->words.truncated) return "The question is too long to be read as one.";
    if (looks_like_sql(&l->words)) return "This is a statement in SQL, not a question.";
    if (wants_change(&l->words)) return "Data can be asked about here, never changed.";
    if (instructs(&l->words)) return "This is an instruction, not a question about the data.";
    const char *language = language_foreign(l);
    if (language) return call_format(c, "Questions are read in English; this one seems to be in %s.", language);
    return l->content_count ? NULL : "The question names nothing to look for.";
}
