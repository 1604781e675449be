/* The view as numbered tables and columns whose names are words. */
#include "planners/lexical/link.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Abbreviations that schema authors use, as the words people say. Sorted by nothing: few and looked up once a name. */
static const struct {
    const char *shorter, *longer[2];
} abbreviations[] = { { "fname", { "first", "name" } },
                      { "lname", { "last", "name" } },
                      { "mname", { "middle", "name" } },
                      { "dob", { "birth", "date" } },
                      { "num", { "number" } },
                      { "no", { "number" } },
                      { "nbr", { "number" } },
                      { "qty", { "quantity" } },
                      { "amt", { "amount" } },
                      { "addr", { "address" } },
                      { "dept", { "department" } },
                      { "desc", { "description" } },
                      { "descr", { "description" } },
                      { "emp", { "employee" } },
                      { "cust", { "customer" } },
                      { "prod", { "product" } },
                      { "stu", { "student" } },
                      { "std", { "student" } },
                      { "avg", { "average" } },
                      { "max", { "maximum" } },
                      { "min", { "minimum" } },
                      { "lat", { "latitude" } },
                      { "lng", { "longitude" } },
                      { "long", { "longitude" } },
                      { "alt", { "altitude" } },
                      { "temp", { "temperature" } },
                      { "tel", { "telephone" } },
                      { "tele", { "telephone" } },
                      { "mgr", { "manager" } },
                      { "yr", { "year" } },
                      { "hrs", { "hours" } },
                      { "hr", { "hour" } },
                      { "mins", { "minutes" } },
                      { "lang", { "language" } },
                      { "org", { "organization" } },
                      { "univ", { "university" } },
                      { "dest", { "destination" } },
                      { "dst", { "destination" } },
                      { "src", { "source" } },
                      { "acc", { "account" } },
                      { "acct", { "account" } },
                      { "trans", { "transaction" } },
                      { "pop", { "population" } },
                      { "bldg", { "building" } },
                      { "loc", { "location" } },
                      { "cat", { "category" } },
                      { "cert", { "certificate" } },
                      { "doc", { "document" } },
                      { "msg", { "message" } },
                      { "img", { "image" } },
                      { "pct", { "percent" } },
                      { "perc", { "percentage" } },
                      { "sal", { "salary" } },
                      { "hire", { "hire" } },
                      { "cnt", { "count" } },
                      { "ref", { "reference" } },
                      { "info", { "information" } },
                      { "prof", { "professor" } },
                      { "instr", { "instructor" } },
                      { "sem", { "semester" } },
                      { "lib", { "library" } },
                      { "elev", { "elevation" } },
                      { "dist", { "distance" } },
                      { "pos", { "position" } },
                      { "abbr", { "abbreviation" } },
                      { "abv", { "abbreviation" } },
                      { "mfr", { "manufacturer" } },
                      { "fk", { "id" } },
                      { "pk", { "id" } },
                      { "est", { "established" } },
                      { "att", { "attendance" } },
                      { "pts", { "points" } },
                      { "rec", { "record" } },
                      { "eng", { "english" } },
                      { "stat", { "status" } },
                      { "attr", { "attribute" } },
                      { "mpg", { "miles", "gallon" } },
                      { "zip", { "postal", "code" } },
                      { "gpa", { "grade", "point" } } };

static const char *const id_words[] = { "id", "ids", "code", "number", "num", "no", "key", "identifier", "nr" };

/* Words that end a compound name without a seam: stuid, custname, hiredate. */
static const char *const seams[] = { "id", "name", "code", "number", "date", "type",
                                     "no", "year", "city", "state",  "time", "price" };

static bool one_of(const char *s, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(s, list[i]) == 0) return true;
    return false;
}

static void expand(struct call *c, struct stemmer *st, struct name_word *w)
{
    for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++) {
        if (w->fold[0] != abbreviations[i].shorter[0] || strcmp(w->fold, abbreviations[i].shorter) != 0) continue;
        for (size_t k = 0; k < 2 && abbreviations[i].longer[k]; k++)
            w->expanded[k] = stem_word(c, st, abbreviations[i].longer[k]);
        return;
    }
}

bool link_abbreviates(const char *shorter, const char *longer)
{
    if (strlen(shorter) > 5) return false;
    for (size_t i = 0; i < sizeof abbreviations / sizeof *abbreviations; i++) {
        if (strcmp(shorter, abbreviations[i].shorter) != 0) continue;
        for (size_t k = 0; k < 2 && abbreviations[i].longer[k]; k++) {
            size_t n = strlen(longer);
            if (n > 2 && strncmp(abbreviations[i].longer[k], longer, n - 1) == 0) return true;
        }
    }
    return false;
}

/* Words that were read before in names of the same view: names share most of theirs. */
struct vocabulary {
    struct call *call;
    struct stemmer *stemmer;
    struct list words; /* struct name_word */
    uint32_t *slots;   /* number + 1, 0 = empty; a power of two, never half full */
    size_t size;
};

static void vocabulary_grow(struct vocabulary *v)
{
    v->size = v->size ? v->size * 2 : 512;
    v->slots = call_array(v->call, v->size, sizeof *v->slots);
    for (size_t i = 0; i < v->words.count; i++) {
        size_t at = hash_text(LIST_AT(&v->words, struct name_word, i).fold) & (v->size - 1);
        while (v->slots[at]) at = (at + 1) & (v->size - 1);
        v->slots[at] = (uint32_t)i + 1;
    }
}

static const struct name_word *word_of(struct vocabulary *v, const char *fold)
{
    if (v->words.count * 2 >= v->size) vocabulary_grow(v);
    size_t at = hash_text(fold) & (v->size - 1);
    for (; v->slots[at]; at = (at + 1) & (v->size - 1)) {
        const struct name_word *w = &LIST_AT(&v->words, struct name_word, v->slots[at] - 1);
        if (strcmp(w->fold, fold) == 0) return w;
    }
    struct name_word *w = list_push(v->call, &v->words, sizeof *w);
    w->fold = fold;
    w->stem = stem_word(v->call, v->stemmer, fold);
    w->hash = hash_text(w->stem);
    w->id = one_of(fold, id_words, sizeof id_words / sizeof *id_words);
    expand(v->call, v->stemmer, w);
    v->slots[at] = (uint32_t)v->words.count;
    return w;
}

static void push_word(struct vocabulary *v, const char *fold, struct name_word *out, size_t *count)
{
    if (*count < NAME_WORDS_MAX) out[(*count)++] = *word_of(v, fold);
}

/* Splits stuid into stu + id when what is left is long enough to mean something. */
static bool split_seam(struct vocabulary *v, const char *fold, struct name_word *out, size_t *count)
{
    size_t n = strlen(fold);
    for (size_t i = 0; i < sizeof seams / sizeof *seams; i++) {
        size_t m = strlen(seams[i]);
        size_t least = m > 3 ? 2 : 3;
        if (n < m + least || strcmp(fold + n - m, seams[i]) != 0) continue;
        static const char *const whole[] = { "covid",   "valid",   "paid",     "rapid",     "android",   "humid",
                                             "solid",   "piano",   "casino",   "update",    "candidate", "validate",
                                             "estate",  "surname", "username", "nickname",  "volcano",   "techno",
                                             "avocado", "metro",   "lifetime", "prototype", "capacity",  "velocity",
                                             "bid",     "aid",     "grid",     "raid",      "pyramid",   "zipcode" };
        if (one_of(fold, whole, sizeof whole / sizeof *whole)) return false;
        push_word(v, call_strndup(v->call, fold, n - m), out, count);
        push_word(v, seams[i], out, count);
        return true;
    }
    return false;
}

/* aid, eid: a short key is a letter or two of its table before id. */
static bool split_key(struct vocabulary *v, const char *fold, struct name_word *out, size_t *count)
{
    size_t n = strlen(fold);
    if (n < 3 || n > 5 || strcmp(fold + n - 2, "id") != 0) return false;
    push_word(v, call_strndup(v->call, fold, n - 2), out, count);
    push_word(v, "id", out, count);
    return true;
}

static size_t read_name(struct vocabulary *v, const char *name, bool key, struct name_word *out)
{
    struct word parts[NAME_WORDS_MAX];
    size_t n = name_words(v->call, NULL, name, parts, NAME_WORDS_MAX), count = 0;
    for (size_t i = 0; i < n; i++) {
        if (key && n == 1 && split_key(v, parts[i].fold, out, &count)) continue;
        if (word_of(v, parts[i].fold)->expanded[0] || !split_seam(v, parts[i].fold, out, &count))
            push_word(v, parts[i].fold, out, &count);
    }
    return count;
}

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
    col->word_count = read_name(v, column->name, col->key || col->foreign, col->words);
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
        t->word_count = read_name(&v, t->table->name, false, t->words);
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
