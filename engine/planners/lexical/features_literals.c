/* Literals: whether a span is one, of which column, and how it is compared. */
#include "planners/lexical/features_parts.h"

#include <string.h>

/* Distance and side of the nearest mention of the column from the span: 0..3 before it, 4..7 after it, 8 inside, 9
 * none. */
static unsigned mention_near(const struct lex_column *col, const struct span *s, enum mention_kind worst)
{
    unsigned best = 9;
    for (size_t i = 0; i < col->mention_count; i++) {
        const struct mention *m = &col->mentions[i];
        if (m->kind > worst) continue;
        unsigned d = words_apart(m->first, m->end, s->first, s->end);
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
    feature_add(f, 160, what, look);
    feature_add(f, 161, what, hash_pair(look, (uint32_t)match));
    feature_add(f, 162, what, hash_pair(named, hits));
    feature_add(f, 163, what, hash_pair(look, l->words.items[s->first].hash));
    feature_add(f, 164, what, hash_pair(s->kind, best));
    feature_add(f, 165, what, s->kind == SPAN_NUMBER ? hash_text(s->text) : 0);
    features_around(f, l, &(struct mention){ .first = s->first, .end = s->end }, 166, hash_pair(what, s->kind));
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
    uint32_t key = column_marks(col);
    uint32_t base = hash_pair(s->kind, (uint32_t)sc->match * 2 + whole);
    feature_add(f, 180, base, 0);
    feature_add(f, 181, base, look);
    feature_add(f, 182, base, hash_pair(near, part));
    feature_add(f, 183, base, hash_pair(kind, strength));
    feature_add(f, 184, base, hash_pair(hits, strength));
    feature_add(f, 185, base, hash_pair(key, strength));
    feature_add(f, 186, base, hash_pair(col->class, strength));
    feature_add(f, 187, base, col->head);
    feature_add(f, 188, s->kind, hash_pair(col->head, word_tag(l, a - 1)));
    feature_add(f, 189, s->kind, hash_pair(col->head, word_tag(l, z)));
    feature_add(f, 190, s->kind, hash_pair(near, word_tag(l, a - 1)));
    feature_add(f, 191, s->kind, hash_pair(part, word_tag_pair(l, a - 2)));
    feature_add(f, 192, s->kind, hash_pair(key, word_tag(l, a - 1)));
    feature_add(f, 193, s->kind, hash_pair(col->class, word_tag(l, a - 1)));
    feature_add(f, 194, s->kind, hash_pair(hash_pair(near, strength), hits));
    feature_add(f, 195, hash_pair(base, look), hash_pair(near, strength));
    feature_add(f, 196, s->kind,
                hash_pair(table_apart(l, col, &(struct mention){ .first = s->first, .end = s->end }), near));
    feature_add(f, 197, s->kind, hash_pair(x->rivals[sc->column], kind));
    feature_add(f, 198, base, hash_pair(key, hash_pair(near, strength)));
    feature_add(f, 199, s->kind, hash_pair(col->class, hash_pair(kind, l->tables[col->table].bridge)));
    feature_add(f, 200, s->kind, hash_pair(table_near(x, col->table), strength));
    uint32_t lower = !capital && sc->value && sc->value[0] >= 'A' && sc->value[0] <= 'Z';
    feature_add(f, 201, base, hash_pair(x->cues[s->first], length));
    feature_add(f, 202, base, hash_pair(lower, hash_pair(length, capital)));
    feature_add(f, 203, base, hash_pair(s->named, hash_pair(length, lower)));
    if (s->kind == SPAN_CODE || s->kind == SPAN_FLAG) {
        feature_add(f, 204, s->kind, l->words.items[s->first].hash);
        feature_add(f, 206, hash_pair(s->kind, hash_text(sc->value)), l->words.items[s->first].hash);
    }
    for (size_t p = 0; p < l->words.count; p++)
        if (!(l->words.items[p].flags & WORD_MARK) && (p < s->first || p >= s->end))
            feature_add(f, 205, hash_pair(s->kind, col->head), l->words.items[p].hash);
}

void features_operator(const struct context *x, size_t span, size_t column, struct features *f)
{
    const struct linked *l = x->linked;
    const struct span *s = &l->spans[span];
    long a = (long)s->first, z = (long)s->end;
    uint32_t class = column == COLUMN_HAVING ? 50 : column < l->column_count ? (uint32_t)l->columns[column].class : 51;
    f->count = 0;
    feature_add(f, 220, class, s->kind);
    feature_add(f, 221, class, s->column_count ? (uint32_t)s->columns[0].match : 9);
    struct mention m = { .first = s->first, .end = s->end };
    features_around(f, l, &m, 225, 0);
    features_around(f, l, &m, 235, class + 1);
    for (long p = a - 4; p <= a - 1; p++) {
        if (p < 0) continue;
        feature_add(f, 245, 0, l->words.items[p].hash);
        feature_add(f, 246, class, l->words.items[p].hash);
        if (p + 1 <= a - 1) feature_add(f, 247, l->words.items[p].hash, l->words.items[p + 1].hash);
    }
    for (long p = z; p < z + 3 && p < (long)l->words.count; p++) {
        feature_add(f, 248, 0, l->words.items[p].hash);
        if (p + 1 < (long)l->words.count) feature_add(f, 249, l->words.items[p].hash, l->words.items[p + 1].hash);
    }
    for (size_t p = 0; p < l->words.count; p++) feature_add(f, 250, s->kind, l->words.items[p].hash);
    uint32_t other = 9; /* the neighbouring literal, for between */
    for (size_t i = 0; i < l->span_count; i++)
        if (i != span && l->spans[i].kind == s->kind) other = i > span ? 1 : 2;
    feature_add(f, 251, other, word_tag(l, a - 1));
    feature_add(f, 252, other, word_tag(l, z));
}
