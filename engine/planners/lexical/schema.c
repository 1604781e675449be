/* The view as numbered tables and columns whose names are words. */
#include "planners/lexical/names.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static bool looks_like_date(const char *s)
{
    if (!s) return false;
    for (size_t i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? s[i] != '-' : !isdigit((unsigned char)s[i])) return false;
    return true;
}

/* A number as one counts: neither a code with zeros in front nor a long row of digits. */
static bool looks_like_amount(const char *s)
{
    size_t at = s[0] == '-', first = at;
    if (s[at] == '0' && isdigit((unsigned char)s[at + 1])) return false;
    while (isdigit((unsigned char)s[at])) at++;
    size_t digits = at - first;
    if (s[at] == '.')
        for (at++; isdigit((unsigned char)s[at]); at++) digits++;
    return digits && digits < 18 && !s[at] && strcspn(s + first, ".") < 10;
}

/* Declared as a text, and what is known of its values are amounts; some may be empty. */
static bool holds_amounts(const struct column *col)
{
    size_t amounts = 0;
    for (size_t i = 0; i < col->sample_count; i++) {
        if (!col->samples[i][0]) continue;
        if (!looks_like_amount(col->samples[i])) return false;
        amounts++;
    }
    return amounts && col->max && looks_like_amount(col->max) &&
           (!col->min || !col->min[0] || looks_like_amount(col->min));
}

static enum value_class class_of(const struct column *col)
{
    switch (col->type.kind) {
    case TYPE_INTEGER:
    case TYPE_DECIMAL:
    case TYPE_DOUBLE:
        return CLASS_NUMBER;
    case TYPE_BOOLEAN:
        return CLASS_FLAG;
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMPTZ:
        return CLASS_DATE;
    default:
        break;
    }
    if (looks_like_date(col->min) && looks_like_date(col->max)) return CLASS_DATE;
    if (col->sample_count && looks_like_date(col->samples[0])) return CLASS_DATE;
    if (col->type.kind == TYPE_TEXT && !col->primary_key && holds_amounts(col)) return CLASS_NUMBER;
    if (col->type.kind == TYPE_UNKNOWN && col->min && looks_like_amount(col->min)) return CLASS_NUMBER;
    return CLASS_TEXT;
}

static bool in_foreign_key(const struct table *t, const char *name)
{
    for (size_t i = 0; i < t->foreign_key_count; i++)
        for (size_t k = 0; k < t->foreign_keys[i].column_count; k++)
            if (strcmp(t->foreign_keys[i].columns[k], name) == 0) return true;
    return false;
}

/* stu of student, co of course offering: the first word of a longer name that shortens its table's. */
static bool shortens_table(const struct lex_table *t, const char *word)
{
    size_t n = strlen(word);
    if (!t->word_count || n > 4) return false;
    if (strlen(t->words[0].fold) > n && strncmp(t->words[0].fold, word, n) == 0) return true;
    if (n < 2 || n != t->word_count) return false;
    for (size_t k = 0; k < n; k++)
        if (t->words[k].fold[0] != word[k]) return false;
    return true;
}

static void mark_table_words(const struct lex_table *t, struct lex_column *col)
{
    for (size_t i = 0; i < col->word_count; i++)
        for (size_t k = 0; k < t->word_count; k++)
            if (col->words[i].hash == t->words[k].hash) col->words[i].of_table = true;
    if (col->word_count > 1 && shortens_table(t, col->words[0].fold)) col->words[0].of_table = true;
    bool all = col->word_count > 0;
    for (size_t i = 0; i < col->word_count; i++) all &= col->words[i].of_table;
    if (all && col->class == CLASS_TEXT && !col->foreign) col->name_like = true; /* party of party: its name */
}

static void read_column(struct vocabulary *v, struct linked *l, size_t table, const struct column *column)
{
    struct lex_table *t = &l->tables[table];
    struct lex_column *col = &l->columns[l->column_count++];
    col->table = table;
    col->column = column;
    col->grain = -1;
    col->base = COLUMN_NOTHING;
    col->class = class_of(column);
    col->key = column->primary_key > 0;
    col->foreign = in_foreign_key(t->table, column->name);
    col->word_count = name_read(v, column->name, col->key || col->foreign, col->words);
    if (col->word_count) {
        const struct name_word *last = &col->words[col->word_count - 1];
        col->head = last->hash;
        col->name_like = strcmp(last->stem, "name") == 0 || strcmp(last->stem, "titl") == 0 ||
                         (last->expanded[1] && strcmp(last->expanded[1], "name") == 0);
        col->id_like = last->id;
    }
    mark_table_words(t, col);
}

/* How often each hash was seen: open addressing, sized once. */
struct counter {
    uint32_t *keys, *counts;
    size_t mask;
};

static void counter_init(struct call *c, struct counter *t, size_t most)
{
    size_t size = 64;
    while (size < most * 2) size *= 2;
    t->keys = call_array(c, size, sizeof *t->keys);
    t->counts = call_array(c, size, sizeof *t->counts);
    t->mask = size - 1;
}

static uint32_t *counter_at(struct counter *t, uint32_t key)
{
    size_t i = key & t->mask;
    while (t->counts[i] && t->keys[i] != key) i = (i + 1) & t->mask;
    t->keys[i] = key;
    return &t->counts[i];
}

/* Rare words say more: weight = log(1 + items / items with the word), between 0.3 and 1 of the rarest. */
static void weigh(const struct linked *l, struct counter *seen, struct name_word *words, size_t count)
{
    float items = 1.0f + (float)l->column_count, rarest = logf(1.0f + items);
    for (size_t i = 0; i < count; i++) {
        uint32_t with = *counter_at(seen, words[i].hash);
        float w = logf(1.0f + items / (float)(with ? with : 1)) / rarest;
        words[i].weight = w < 0.3f ? 0.3f : w;
        if (words[i].id) words[i].weight *= 0.6f;
        if (word_is_stop(words[i].fold)) words[i].weight = 0.1f;
    }
}

static void count_words(struct call *c, struct linked *l)
{
    struct counter words, names;
    uint32_t *folded = call_array(c, l->column_count + 1, sizeof *folded); /* beside columns: hashes of their names */
    counter_init(c, &words, (l->column_count + l->table_count) * NAME_WORDS_MAX);
    counter_init(c, &names, l->column_count);
    for (size_t i = 0; i < l->column_count; i++) {
        struct lex_column *col = &l->columns[i];
        for (size_t k = 0; k < col->word_count; k++) ++*counter_at(&words, col->words[k].hash);
        folded[i] = hash_text(fold_text(c, col->column->name, strlen(col->column->name)));
        ++*counter_at(&names, folded[i]);
    }
    for (size_t i = 0; i < l->table_count; i++) weigh(l, &words, l->tables[i].words, l->tables[i].word_count);
    for (size_t i = 0; i < l->column_count; i++) {
        struct lex_column *col = &l->columns[i];
        weigh(l, &words, col->words, col->word_count);
        col->same_name = *counter_at(&names, folded[i]);
    }
}

void link_schema(struct call *c, struct stemmer *st, const struct view *view, struct linked *l)
{
    struct vocabulary v = { .call = c, .stemmer = st };
    size_t columns = 0;
    for (size_t i = 0; i < view->table_count; i++) columns += view->tables[i].column_count;
    l->tables = call_array(c, view->table_count + 1, sizeof *l->tables);
    l->columns = call_array(c, columns * 2 + 16, sizeof *l->columns);
    l->table_count = view->table_count;
    for (size_t i = 0; i < view->table_count; i++) {
        struct lex_table *t = &l->tables[i];
        t->table = &view->tables[i];
        t->word_count = name_read(&v, t->table->name, false, t->words);
        t->first_column = l->column_count;
        t->column_count = t->table->column_count;
        size_t keys = 0;
        for (size_t k = 0; k < t->column_count; k++) {
            read_column(&v, l, i, &t->table->columns[k]);
            if (l->columns[l->column_count - 1].foreign) keys++;
        }
        t->bridge = keys >= 2 && t->column_count <= keys + 2;
    }
    l->real_columns = l->column_count;
    count_words(c, l);
}
