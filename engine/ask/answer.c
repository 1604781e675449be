#include "ask/run.h"

int ask_answer(struct run *r)
{
    const char *reading = r->reading && *r->reading ? r->reading : r->request->question;
    r->out->answer = ask_sentence(r->call, reading, &r->rows, &r->stats);
    return OK;
}
