/* Columns and tables: what they are, where the question names them and in what company. */
#include "planners/lexical/features_parts.h"

static unsigned span_near(const struct linked *l, const struct mention *m, size_t column, unsigned *own)
{
    unsigned best = 9;
    *own = 0;
    for (size_t i = 0; i < l->span_count; i++) {
        const struct span *s = &l->spans[i];
        for (size_t k = 0; k < s->column_count; k++)
            if (s->columns[k].column == column && s->kind == SPAN_VALUE)
                *own = s->columns[k].match <= MATCH_FOLDED ? 2 : *own ? *own : 1;
        if (!m) continue;
        unsigned d = words_apart(m->first, m->end, s->first, s->end);
        if (d == 8) return d; /* the mention stands inside a literal */
        if (best == 9 || (d & 3) < (best & 3)) best = d;
    }
    return best;
}

void features_column(const struct context *x, size_t column, struct features *f)
{
    const struct linked *l = x->linked;
    const struct lex_column *col = &l->columns[column];
    const struct lex_table *table = &l->tables[col->table];
    const struct mention *m = col->mention_count ? &col->mentions[0] : NULL;
    unsigned kind = m ? (unsigned)m->kind : MENTION_NONE;
    unsigned strength = x->table_strength[col->table];
    uint32_t kt = kind * 4 + strength;
    uint32_t key = column_marks(col);
    unsigned own, near = span_near(l, m, column, &own);
    size_t place = column < l->real_columns ? column - table->first_column : 9;
    f->count = 0;
    feature_add(f, 20, kind, 0);
    feature_add(f, 21, kt, 0);
    feature_add(f, 22, kt, col->class);
    feature_add(f, 23, kt, key);
    feature_add(f, 24, kt, x->rivals[column]);
    feature_add(f, 25, kind * 8 + x->order[column], x->opening[1]);
    feature_add(f, 26, kind, near);
    feature_add(f, 27, kind * 3 + own, near);
    feature_add(f, 28, kt, x->opening[0]);
    feature_add(f, 29, kt, x->opening[1]);
    feature_add(f, 30, kt, size_bucket(place));
    feature_add(f, 31, kt * 8 + (x->tables_named > 3 ? 3 : x->tables_named), key);
    feature_add(f, 32, kind, table_apart(l, col, m));
    feature_add(f, 33, kind * 8 + (col->same_name > 4 ? 4 : (unsigned)col->same_name), strength);
    feature_add(f, 34, kind, col->head);
    feature_add(f, 35, kt, hash_pair(col->head, x->opening[1]));
    feature_add(f, 36, kind * 16 + (m ? (unsigned)(m->score * 9) : 0), key);
    feature_add(f, 37, kt * 2 + (col->mention_count > 1), x->order[column]);
    feature_add(f, 38, kt, hash_pair(key, x->opening[1]));
    if (col->column->db_type) feature_add(f, 39, kind, (uint32_t)col->column->type.kind);
    if (m) {
        features_around(f, l, m, 40, kind);
        features_around(f, l, m, 50, 100 + col->class);
        long a = (long)m->first;
        feature_add(f, 60, kind, hash_pair(key, word_tag(l, a - 1)));
        feature_add(f, 61, x->order[column], word_tag(l, a - 1));
        if (m->first * 2 > l->words.count) feature_add(f, 62, kind, x->opening[0]);
    }
    for (uint32_t k = 0; m && k < CUES; k++) {
        for (long p = (long)m->first - 4; p < (long)m->end + 3; p++)
            if (p >= 0 && p < (long)l->words.count && x->cues[p] >> k & 1)
                feature_add(f, 95, hash_pair(k, kind), (uint32_t)(p < (long)m->first ? (long)m->first - p : 10));
    }
    for (uint32_t k = 0; k < CUES; k++)
        if (x->said >> k & 1) feature_add(f, 96, hash_pair(k, kt), col->class);
    for (uint32_t k = CUE_CHART; k <= CUE_BY_BARS; k++)
        if (x->said >> k & 1) feature_add(f, 97, hash_pair(k, kind), hash_pair(x->order[column], col->class));
    if (col->mention_count > 1) features_around(f, l, &col->mentions[1], 65, (uint32_t)col->mentions[1].kind);
    const struct mention *tm = table->mention_count ? &table->mentions[0] : NULL;
    if (tm && !m) {
        features_around(f, l, tm, 75, hash_pair(key, 5));
        feature_add(f, 85, hash_pair(key, size_bucket(place)), strength);
    }
    for (size_t p = 0; p < l->words.count; p++) {
        uint32_t h = l->words.items[p].hash;
        if (l->words.items[p].flags & WORD_MARK) continue;
        feature_add(f, 90, hash_pair(col->head, kind <= MENTION_WINDOW), h);
        feature_add(f, 91, kt * 2 + (m && p > m->first), word_tag(l, (long)p));
        if (!m) feature_add(f, 92, hash_pair(key * 4 + strength, col->class), h);
    }
}

void features_table(const struct context *x, size_t table, struct features *f)
{
    const struct linked *l = x->linked;
    const struct lex_table *t = &l->tables[table];
    const struct mention *m = t->mention_count ? &t->mentions[0] : NULL;
    unsigned kind = m ? (unsigned)m->kind : MENTION_NONE, full = 0, part = 0, only = 0, values = 0;
    for (size_t i = t->first_column; i < t->first_column + t->column_count; i++) {
        const struct lex_column *col = &l->columns[i];
        if (!col->mention_count) continue;
        bool good = col->mentions[0].kind <= MENTION_WINDOW;
        full += good;
        part += !good && col->mentions[0].kind <= MENTION_PART;
        only += good && col->same_name == 1 && x->rivals[i] == 0;
    }
    for (size_t i = 0; i < l->span_count; i++)
        for (size_t k = 0; k < l->spans[i].column_count; k++) {
            size_t column = l->spans[i].columns[k].column;
            if (column >= l->column_count || l->columns[column].table != table || l->spans[i].kind != SPAN_VALUE)
                continue;
            bool single = l->spans[i].column_count == 1;
            if (single)
                values |= 2;
            else
                values |= 1;
        }
    unsigned near = table_near(x, table), place = 0, ties = 0;
    for (size_t i = 0; i < l->table_count && m; i++) {
        const struct lex_table *u = &l->tables[i];
        if (i == table || !u->mention_count) continue;
        if (u->mentions[0].kind <= MENTION_PART && u->mentions[0].first < m->first) place++;
        if (u->mentions[0].kind <= m->kind && u->mentions[0].first < m->end && m->first < u->mentions[0].end) ties++;
    }
    full = full > 3 ? 3 : full;
    part = part > 2 ? 2 : part;
    only = only > 2 ? 2 : only;
    place = place > 3 ? 3 : place;
    ties = ties > 2 ? 2 : ties;
    f->count = 0;
    feature_add(f, 100, kind, 0);
    feature_add(f, 101, kind * 4 + full, part);
    feature_add(f, 102, kind * 4 + only, values);
    feature_add(f, 103, kind, near);
    feature_add(f, 104, kind * 4 + place, x->opening[0]);
    feature_add(f, 105, kind * 4 + place, x->opening[1]);
    feature_add(f, 106, kind * 4 + ties, x->tables_named > 4 ? 4 : x->tables_named);
    feature_add(f, 107, kind * 2 + t->bridge, near);
    feature_add(f, 108, kind * 4 + only, near * 4 + full);
    feature_add(f, 109, kind * 16 + (m ? (unsigned)(m->score * 9) : 0), ties);
    feature_add(f, 110, kind * 4 + (t->mention_count > 2 ? 2 : (unsigned)t->mention_count), place);
    feature_add(f, 111, hash_pair(kind * 4 + values, near), only * 4 + full);
    feature_add(f, 112, kind * 2 + t->bridge, values * 8 + (x->tables_named > 3 ? 3 : x->tables_named));
    if (m) {
        features_around(f, l, m, 120, kind);
        features_around(f, l, m, 130, hash_pair(kind, only));
        feature_add(f, 140, kind * 4 + only, word_tag(l, (long)m->first - 1));
    }
    if (t->mention_count > 1) features_around(f, l, &t->mentions[1], 145, (uint32_t)t->mentions[1].kind);
    for (size_t p = 0; p < l->words.count; p++) {
        if (l->words.items[p].flags & WORD_MARK) continue;
        feature_add(f, 155, kind * 8 + only * 2 + (m && p > m->first), word_tag(l, (long)p));
    }
}
