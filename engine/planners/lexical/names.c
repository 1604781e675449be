/* Names of tables and columns as the words that people say. */
#include "planners/lexical/names.h"

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

size_t name_read(struct vocabulary *v, const char *name, bool key, struct name_word *out)
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
