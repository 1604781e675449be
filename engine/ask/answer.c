#include "ask/run.h"

/* No row, or a count of none. */
static bool found_nothing(const struct run *r)
{
    if (!r->stats.rows) return true;
    if (r->stats.rows != 1 || r->rows.rows.count != 1 || r->rows.column_count != 1) return false;
    const struct cell *cell = LIST_AT(&r->rows.rows, struct cell *, 0);
    return cell->kind != CELL_NULL && cell->n == 1 && cell->text[0] == '0';
}

int ask_answer(struct run *r)
{
    const char *reading = r->reading && *r->reading ? r->reading : r->request->question;
    r->out->answer = ask_sentence(r->call, reading, &r->rows, &r->stats);
    if (r->doubt && found_nothing(r)) {
        const char *summary = call_format(r->call, "%s %s", r->out->answer->summary, r->doubt);
        *r->out->answer = (struct answer_text){ .summary = summary, .content = summary };
    }
    return OK;
}
