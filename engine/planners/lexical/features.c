#include "planners/lexical/features.h"

#include <string.h>

static void add(struct features *f, uint32_t template, uint32_t a, uint32_t b)
{
    if (f->count < FEATURES_MAX) f->items[f->count++] = hash_pair(template * 0x9e3779b1u + 77u, hash_pair(a, b));
}

static uint32_t tag(const struct linked *l, long p)
{
    if (p < 0) return 1;
    if ((size_t)p >= l->words.count) return 2;
    return l->tags[p];
}

static uint32_t tags2(const struct linked *l, long p)
{
    return hash_pair(tag(l, p), tag(l, p + 1));
}

static unsigned bucket(size_t n)
{
    return n < 4 ? (unsigned)n : n < 6 ? 4 : n < 10 ? 5 : 6;
}

void features_question(const struct context *x, struct features *f)
{
    const struct linked *l = x->linked;
    long n = (long)l->words.count;
    f->count = 0;
    for (long p = -1; p < n; p++) {
        uint32_t gram = tag(l, p);
        if (p >= 0) add(f, 1, gram, 0);
        for (unsigned k = 2; k <= 4; k++) {
            if (p + (long)k - 1 > n) break;
            gram = hash_pair(gram, tag(l, p + (long)k - 1));
            add(f, k, gram, 0);
        }
        if (p >= 0) { /* raw words under the placeholders, and skip-grams */
            uint32_t h = l->words.items[p].hash;
            if (tag(l, p) != h) add(f, 5, h, 0);
            if (p + 1 < n && (tag(l, p) != h || tag(l, p + 1) != l->words.items[p + 1].hash))
                add(f, 6, hash_pair(h, l->words.items[p + 1].hash), 0);
            if (p + 2 < n) add(f, 7, tag(l, p), tag(l, p + 2));
            if (p + 3 < n) add(f, 8, tag(l, p), tag(l, p + 3));
        }
    }
    for (long p = 0; p < n; p++)
        for (uint32_t k = 0; k < CUES; k++) {
            if (!(x->cues[p] >> k & 1)) continue;
            add(f, 260, k, 0);
            add(f, 261, k, tag(l, p + 1));
            add(f, 262, k, p ? tag(l, p - 1) : 1);
            add(f, 263, k, tags2(l, p + 1));
            add(f, 264, k, x->opening[0]);
        }
    add(f, 265, x->said, 0);
    add(f, 266, x->said & 0xff, x->opening[1]);
    unsigned columns = 0, tables = 0, values = 0, numbers = 0, marks = 0;
    for (long p = 0; p < n; p++) {
        uint8_t r = l->roles[p];
        bool starts = p == 0 || l->roles[p - 1] != r;
        if (!starts) continue;
        columns += r == 'c' || r == 'b';
        tables += r == 't' || r == 'b';
        values += r == 'v';
        numbers += r == 'n';
        marks += l->words.items[p].fold[0] == ',';
    }
    add(f, 10, columns > 5 ? 5 : columns, 0);
    add(f, 11, tables > 4 ? 4 : tables, 0);
    add(f, 12, values > 4 ? 4 : values, 0);
    add(f, 13, numbers > 3 ? 3 : numbers, 0);
    add(f, 14, (columns > 3 ? 3 : columns) * 10 + (values + numbers > 3 ? 3 : values + numbers), x->opening[0]);
    add(f, 15, (values > 3 ? 3 : values) * 10 + (numbers > 3 ? 3 : numbers), x->opening[1]);
    add(f, 16, marks > 3 ? 3 : marks, columns > 4 ? 4 : columns);
    add(f, 17, bucket((size_t)n / 3), x->opening[1]);
    add(f, 18, x->tables_named > 4 ? 4 : x->tables_named, x->opening[1]);
}

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
        unsigned d;
        if (s->first >= m->end)
            d = (unsigned)(s->first - m->end);
        else if (s->end <= m->first)
            d = (unsigned)(m->first - s->end);
        else
            return 8; /* the mention stands inside a literal */
        d = (d > 3 ? 3 : d) + (s->first >= m->end ? 0u : 4u);
        if (best == 9 || (d & 3) < (best & 3)) best = d;
    }
    return best;
}

/* The words around a mention, each template joined with what kind of mention it is. */
static void add_around(struct features *f, const struct linked *l, const struct mention *m, uint32_t base,
                       uint32_t kind)
{
    long a = (long)m->first, z = (long)m->end;
    add(f, base + 0, kind, tag(l, a - 1));
    add(f, base + 1, kind, tags2(l, a - 2));
    add(f, base + 2, kind, hash_pair(tags2(l, a - 3), tag(l, a - 1)));
    add(f, base + 3, kind, tag(l, z));
    add(f, base + 4, kind, tags2(l, z));
    add(f, base + 5, kind, hash_pair(tag(l, a - 1), tag(l, z)));
    add(f, base + 6, kind, hash_pair(tags2(l, a - 2), tags2(l, z)));
    for (long p = a - 5; p < a - 1; p++)
        if (p >= 0) add(f, base + 7, kind, tag(l, p));
    for (long p = z + 1; p < z + 4; p++)
        if (p < (long)l->words.count) add(f, base + 8, kind, tag(l, p));
}

static unsigned table_distance(const struct linked *l, const struct lex_column *col, const struct mention *m)
{
    const struct lex_table *t = &l->tables[col->table];
    if (!t->mention_count || !m) return 9;
    const struct mention *u = &t->mentions[0];
    if (u->first >= m->end) return (unsigned)(u->first - m->end > 3 ? 3 : u->first - m->end);
    if (u->end <= m->first) return 4 + (unsigned)(m->first - u->end > 3 ? 3 : m->first - u->end);
    return 8;
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
    uint32_t key =
        (uint32_t)col->key | (uint32_t)col->foreign << 1 | (uint32_t)col->name_like << 2 | (uint32_t)col->id_like << 3;
    unsigned own, near = span_near(l, m, column, &own);
    size_t place = column < l->real_columns ? column - table->first_column : 9;
    f->count = 0;
    add(f, 20, kind, 0);
    add(f, 21, kt, 0);
    add(f, 22, kt, col->class);
    add(f, 23, kt, key);
    add(f, 24, kt, x->rivals[column]);
    add(f, 25, kind * 8 + x->order[column], x->opening[1]);
    add(f, 26, kind, near);
    add(f, 27, kind * 3 + own, near);
    add(f, 28, kt, x->opening[0]);
    add(f, 29, kt, x->opening[1]);
    add(f, 30, kt, bucket(place));
    add(f, 31, kt * 8 + (x->tables_named > 3 ? 3 : x->tables_named), key);
    add(f, 32, kind, table_distance(l, col, m));
    add(f, 33, kind * 8 + (col->same_name > 4 ? 4 : (unsigned)col->same_name), strength);
    add(f, 34, kind, col->head);
    add(f, 35, kt, hash_pair(col->head, x->opening[1]));
    add(f, 36, kind * 16 + (m ? (unsigned)(m->score * 9) : 0), key);
    add(f, 37, kt * 2 + (col->mention_count > 1), x->order[column]);
    add(f, 38, kt, hash_pair(key, x->opening[1]));
    if (col->column->db_type) add(f, 39, kind, (uint32_t)col->column->type.kind);
    if (m) {
        add_around(f, l, m, 40, kind);
        add_around(f, l, m, 50, 100 + col->class);
        long a = (long)m->first;
        add(f, 60, kind, hash_pair(key, tag(l, a - 1)));
        add(f, 61, x->order[column], tag(l, a - 1));
        if (m->first * 2 > l->words.count) add(f, 62, kind, x->opening[0]);
    }
    for (uint32_t k = 0; m && k < CUES; k++) {
        for (long p = (long)m->first - 4; p < (long)m->end + 3; p++)
            if (p >= 0 && p < (long)l->words.count && x->cues[p] >> k & 1)
                add(f, 95, hash_pair(k, kind), (uint32_t)(p < (long)m->first ? (long)m->first - p : 10));
    }
    for (uint32_t k = 0; k < CUES; k++)
        if (x->said >> k & 1) add(f, 96, hash_pair(k, kt), col->class);
    for (uint32_t k = CUE_CHART; k <= CUE_BY_BARS; k++)
        if (x->said >> k & 1) add(f, 97, hash_pair(k, kind), hash_pair(x->order[column], col->class));
    if (col->mention_count > 1) add_around(f, l, &col->mentions[1], 65, (uint32_t)col->mentions[1].kind);
    const struct mention *tm = table->mention_count ? &table->mentions[0] : NULL;
    if (tm && !m) {
        add_around(f, l, tm, 75, hash_pair(key, 5));
        add(f, 85, hash_pair(key, bucket(place)), strength);
    }
    for (size_t p = 0; p < l->words.count; p++) {
        uint32_t h = l->words.items[p].hash;
        if (l->words.items[p].flags & WORD_MARK) continue;
        add(f, 90, hash_pair(col->head, kind <= MENTION_WINDOW), h);
        add(f, 91, kt * 2 + (m && p > m->first), tag(l, (long)p));
        if (!m) add(f, 92, hash_pair(key * 4 + strength, col->class), h);
    }
}

/* How close the nearest table with a good mention is along keys: 0 no other, 1 neighbour, 2 further. */
static unsigned neighbour(const struct context *x, size_t table)
{
    const struct graph *g = x->graph;
    unsigned best = x->tables_named > (x->table_strength[table] >= 2 ? 1u : 0u) ? 2 : 0;
    for (size_t k = g->first[table]; k < g->first[table + 1]; k++) {
        const struct edge *e = &g->edges[g->list[k]];
        size_t other = (size_t)(e->owner == (int)table ? e->other : e->owner);
        if (x->table_strength[other] >= 2) best = 1;
    }
    return best;
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
    unsigned near = neighbour(x, table), place = 0, ties = 0;
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
    add(f, 100, kind, 0);
    add(f, 101, kind * 4 + full, part);
    add(f, 102, kind * 4 + only, values);
    add(f, 103, kind, near);
    add(f, 104, kind * 4 + place, x->opening[0]);
    add(f, 105, kind * 4 + place, x->opening[1]);
    add(f, 106, kind * 4 + ties, x->tables_named > 4 ? 4 : x->tables_named);
    add(f, 107, kind * 2 + t->bridge, near);
    add(f, 108, kind * 4 + only, near * 4 + full);
    add(f, 109, kind * 16 + (m ? (unsigned)(m->score * 9) : 0), ties);
    add(f, 110, kind * 4 + (t->mention_count > 2 ? 2 : (unsigned)t->mention_count), place);
    add(f, 111, hash_pair(kind * 4 + values, near), only * 4 + full);
    add(f, 112, kind * 2 + t->bridge, values * 8 + (x->tables_named > 3 ? 3 : x->tables_named));
    if (m) {
        add_around(f, l, m, 120, kind);
        add_around(f, l, m, 130, hash_pair(kind, only));
        add(f, 140, kind * 4 + only, tag(l, (long)m->first - 1));
    }
    if (t->mention_count > 1) add_around(f, l, &t->mentions[1], 145, (uint32_t)t->mentions[1].kind);
    for (size_t p = 0; p < l->words.count; p++) {
        if (l->words.items[p].flags & WORD_MARK) continue;
        add(f, 155, kind * 8 + only * 2 + (m && p > m->first), tag(l, (long)p));
    }
}

/* Distance and side of the nearest mention of the column from the span: 0..3 before it, 4..7 after it, 8 inside, 9
 * none. */
static unsigned mention_near(const struct lex_column *col, const struct span *s, enum mention_kind worst)
{
    unsigned best = 9;
    for (size_t i = 0; i < col->mention_count; i++) {
        const struct mention *m = &col->mentions[i];
        if (m->kind > worst) continue;
        unsigned d = 8;
        if (m->end <= s->first)
            d = (unsigned)(s->first - m->end > 3 ? 3 : s->first - m->end);
        else if (m->first >= s->end)
            d = 4 + (unsigned)(m->first - s->end > 3 ? 3 : m->first - s->end);
        if (best == 9 || (d & 3) < (best & 3)) best = d;
    }
    return best;
}

/* A span that is no literal of a column: a count that groups are held to, how many rows are wanted, or nothing. */
static void features_elsewhere(const struct context *x, const struct span *s, uint32_t what, uint32_t look,
                               struct features *f)
{
    const struct linked *l = x->linked;
    unsigned hits = s->column_count > 4 ? 4 : (unsigned)s->column_count;
    unsigned named = s->first < l->words.count ? l->weights[s->first] > 60 : 0;
    unsigned best = 9;
    for (size_t i = 0; i < l->column_count; i++) {
        unsigned d = mention_near(&l->columns[i], s, MENTION_WINDOW);
        if (d < best && l->columns[i].class == CLASS_NUMBER) best = d;
    }
    enum value_match match = s->column_count ? s->columns[0].match : MATCH_TRIGRAM;
    add(f, 160, what, look);
    add(f, 161, what, hash_pair(look, (uint32_t)match));
    add(f, 162, what, hash_pair(named, hits));
    add(f, 163, what, hash_pair(look, l->words.items[s->first].hash));
    add(f, 164, what, hash_pair(s->kind, best));
    add(f, 165, what, s->kind == SPAN_NUMBER ? hash_text(s->text) : 0);
    add_around(f, l, &(struct mention){ .first = s->first, .end = s->end }, 166, hash_pair(what, s->kind));
}

void features_span(const struct context *x, size_t span, const struct span_column *sc, struct features *f)
{
    const struct linked *l = x->linked;
    const struct span *s = &l->spans[span];
    long a = (long)s->first, z = (long)s->end;
    f->count = 0;
    unsigned length = s->end - s->first > 3 ? 3 : (unsigned)(s->end - s->first);
    unsigned capital = 0, cased = 0;
    for (size_t p = s->first; p < s->end; p++) {
        capital |= (l->words.items[p].flags & WORD_CAPITAL) && !(l->words.items[p].flags & WORD_FIRST);
        cased |= (l->words.items[p].flags & WORD_QUOTED) ? 2 : 0;
    }
    uint32_t look = hash_pair((uint32_t)s->kind * 8 + length * 2 + capital, cased);
    bool pseudo = sc->column >= l->column_count;
    uint32_t what = pseudo ? 900u + (uint32_t)(0 - sc->column) : 800;
    unsigned hits = s->column_count > 4 ? 4 : (unsigned)s->column_count;
    if (s->kind == SPAN_NUMBER) look = hash_pair(look, (l->words.items[s->first].flags & WORD_NUMBER_WORD) != 0);
    if (pseudo) {
        features_elsewhere(x, s, what, look, f);
        return;
    }
    const struct lex_column *col = &l->columns[sc->column];
    unsigned strength = x->table_strength[col->table];
    unsigned kind = col->mention_count ? (unsigned)col->mentions[0].kind : MENTION_NONE;
    unsigned near = mention_near(col, s, MENTION_WINDOW), part = mention_near(col, s, MENTION_WEAK);
    unsigned whole = sc->value ? (unsigned)(strlen(sc->value) == strlen(s->text)) : 0;
    uint32_t key =
        (uint32_t)col->key | (uint32_t)col->foreign << 1 | (uint32_t)col->name_like << 2 | (uint32_t)col->id_like << 3;
    uint32_t base = hash_pair(s->kind, (uint32_t)sc->match * 2 + whole);
    add(f, 180, base, 0);
    add(f, 181, base, look);
    add(f, 182, base, hash_pair(near, part));
    add(f, 183, base, hash_pair(kind, strength));
    add(f, 184, base, hash_pair(hits, strength));
    add(f, 185, base, hash_pair(key, strength));
    add(f, 186, base, hash_pair(col->class, strength));
    add(f, 187, base, col->head);
    add(f, 188, s->kind, hash_pair(col->head, tag(l, a - 1)));
    add(f, 189, s->kind, hash_pair(col->head, tag(l, z)));
    add(f, 190, s->kind, hash_pair(near, tag(l, a - 1)));
    add(f, 191, s->kind, hash_pair(part, tags2(l, a - 2)));
    add(f, 192, s->kind, hash_pair(key, tag(l, a - 1)));
    add(f, 193, s->kind, hash_pair(col->class, tag(l, a - 1)));
    add(f, 194, s->kind, hash_pair(hash_pair(near, strength), hits));
    add(f, 195, hash_pair(base, look), hash_pair(near, strength));
    add(f, 196, s->kind,
        hash_pair(table_distance(l, col, &(struct mention){ .first = s->first, .end = s->end }), near));
    add(f, 197, s->kind, hash_pair(x->rivals[sc->column], kind));
    add(f, 198, base, hash_pair(key, hash_pair(near, strength)));
    add(f, 199, s->kind, hash_pair(col->class, hash_pair(kind, l->tables[col->table].bridge)));
    add(f, 200, s->kind, hash_pair(neighbour(x, col->table), strength));
    uint32_t lower = !capital && sc->value && sc->value[0] >= 'A' && sc->value[0] <= 'Z';
    add(f, 201, base, hash_pair(x->cues[s->first], length));
    add(f, 202, base, hash_pair(lower, hash_pair(length, capital)));
    add(f, 203, base, hash_pair(s->named, hash_pair(length, lower)));
    if (s->kind == SPAN_CODE || s->kind == SPAN_FLAG) {
        add(f, 204, s->kind, l->words.items[s->first].hash);
        add(f, 206, hash_pair(s->kind, hash_text(sc->value)), l->words.items[s->first].hash);
    }
    for (size_t p = 0; p < l->words.count; p++)
        if (!(l->words.items[p].flags & WORD_MARK) && (p < s->first || p >= s->end))
            add(f, 205, hash_pair(s->kind, col->head), l->words.items[p].hash);
}

void features_operator(const struct context *x, size_t span, size_t column, struct features *f)
{
    const struct linked *l = x->linked;
    const struct span *s = &l->spans[span];
    long a = (long)s->first, z = (long)s->end;
    uint32_t class = column == COLUMN_HAVING ? 50 : column < l->column_count ? (uint32_t)l->columns[column].class : 51;
    f->count = 0;
    add(f, 220, class, s->kind);
    add(f, 221, class, s->column_count ? (uint32_t)s->columns[0].match : 9);
    struct mention m = { .first = s->first, .end = s->end };
    add_around(f, l, &m, 225, 0);
    add_around(f, l, &m, 235, class + 1);
    for (long p = a - 4; p <= a - 1; p++) {
        if (p < 0) continue;
        add(f, 245, 0, l->words.items[p].hash);
        add(f, 246, class, l->words.items[p].hash);
        if (p + 1 <= a - 1) add(f, 247, l->words.items[p].hash, l->words.items[p + 1].hash);
    }
    for (long p = z; p < z + 3 && p < (long)l->words.count; p++) {
        add(f, 248, 0, l->words.items[p].hash);
        if (p + 1 < (long)l->words.count) add(f, 249, l->words.items[p].hash, l->words.items[p + 1].hash);
    }
    for (size_t p = 0; p < l->words.count; p++) add(f, 250, s->kind, l->words.items[p].hash);
    uint32_t other = 9; /* the neighbouring literal, for between */
    for (size_t i = 0; i < l->span_count; i++)
        if (i != span && l->spans[i].kind == s->kind) other = i > span ? 1 : 2;
    add(f, 251, other, tag(l, a - 1));
    add(f, 252, other, tag(l, z));
}
