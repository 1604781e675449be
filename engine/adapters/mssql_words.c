#include "adapters/mssql_words.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { DEPTH_MAX = 1024 };

/* Every name that Querent writes is quoted, so none of these stands bare in a SELECT of its own. */
static const char *const refused[] = {
    "alter",      "backup",   "begin",    "bulk",      "checkpoint", "commit",      "create",   "dbcc",
    "deallocate", "declare",  "delete",   "deny",      "disable",    "drop",        "enable",   "exec",
    "execute",    "for",      "freetext", "goto",      "grant",      "if",          "insert",   "into",
    "kill",       "merge",    "open",     "openquery", "option",     "openrowset",  "openxml",  "opendatasource",
    "openjson",   "pivot",    "print",    "raiserror", "readtext",   "reconfigure", "restore",  "return",
    "revert",     "revoke",   "rollback", "save",      "set",        "setuser",     "shutdown", "tablesample",
    "throw",      "truncate", "unpivot",  "update",    "updatetext", "use",         "waitfor",  "while",
    "writetext",  "apply",
};
/* Words before a parenthesis that call nothing. */
static const char *const grammar[] = {
    "all",
    "and",
    "as",
    "between",
    "binary",
    "by",
    "case",
    "cast",
    "char",
    "datetime2",
    "datetimeoffset",
    "decimal",
    "else",
    "escape",
    "except",
    "exists",
    "float",
    "from",
    "group",
    "having",
    "in",
    "intersect",
    "is",
    "join",
    "like",
    "next",
    "not",
    "nvarchar",
    "numeric",
    "offset",
    "on",
    "or",
    "order",
    "over",
    "partition",
    "select",
    "then",
    "time",
    "top",
    "union",
    "values",
    "varbinary",
    "varchar",
    "when",
    "where",
    "with",
    "distinct",
    "nchar",
};
/* After these no table stands any more. */
static const char *const closing[] = { "where", "group",  "having",    "order", "offset",
                                       "union", "except", "intersect", "select" };

static bool among(const char *const *words, size_t count, const char *w, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == n && !strncasecmp(words[i], w, n)) return true;
    return false;
}
#define AMONG(words, t) ((t)->kind == WORD && among(words, sizeof words / sizeof words[0], (t)->at, (t)->n))

/* ---- words ---- */

enum kind { END, WORD, NAME, TEXT, NUMBER, SYMBOL, BAD };
struct token {
    enum kind kind;
    const char *at;
    size_t n;
};

/* Length of what is quoted, 0 when it does not end. */
static size_t quoted(const char *p)
{
    char end = *p == '[' ? ']' : *p;
    for (size_t i = 1; p[i]; i++)
        if (p[i] == end && p[++i] != end) return i;
    return 0;
}

static struct token token_at(const char *p)
{
    while (isspace((unsigned char)*p)) p++;
    struct token t = { .at = p, .n = 1 };
    unsigned char ch = (unsigned char)*p;
    if (!ch) {
        t.kind = END;
        t.n = 0;
    } else if (ch == '\'' || ch == '"' || ch == '[') {
        t.n = quoted(p);
        t.kind = !t.n ? BAD : ch == '\'' ? TEXT : NAME;
    } else if (isdigit(ch)) { /* 1e5 and 0x1F are no words */
        while (isalnum((unsigned char)p[t.n]) || p[t.n] == '.') t.n++;
        t.kind = NUMBER;
    } else if (isalpha(ch) || ch == '_' || ch >= 0x80) {
        while (isalnum((unsigned char)p[t.n]) || (unsigned char)p[t.n] >= 0x80 || (p[t.n] && strchr("_@#$", p[t.n])))
            t.n++;
        t.kind = WORD;
        if (t.n == 1 && (ch == 'N' || ch == 'n') && p[1] == '\'') {
            size_t n = quoted(p + 1);
            t = (struct token){ .kind = n ? TEXT : BAD, .at = p, .n = n + 1 };
        }
    } else {
        bool comment = !strncmp(p, "--", 2) || !strncmp(p, "/*", 2);
        t.kind = comment || !strchr("(),.=<>+-*/%", ch) ? BAD : SYMBOL;
    }
    return t;
}

static bool is_word(const struct token *t, const char *word)
{
    return t->kind == WORD && strlen(word) == t->n && !strncasecmp(t->at, word, t->n);
}

static bool is_symbol(const struct token *t, char ch)
{
    return t->kind == SYMBOL && *t->at == ch;
}

static const char *name_of(struct call *c, const struct token *t)
{
    if (t->kind == WORD) return call_strndup(c, t->at, t->n);
    char *out = call_alloc(c, t->n), *to = out, end = *t->at == '[' ? ']' : *t->at;
    for (size_t i = 1; i + 1 < t->n; i++) {
        *to++ = t->at[i];
        if (t->at[i] == end) i++;
    }
    return out;
}

/* ---- where they stand ---- */

struct place {
    bool begins;  /* a SELECT may stand here */
    bool selects; /* one stood here */
    bool from;    /* between FROM and WHERE */
    bool source;  /* a table or a parenthesis comes next */
};

struct reader {
    struct call *call;
    struct mssql_words *out;
    const char *p; /* past the token at hand */
    struct token before, now;
    struct list names; /* const char *: of the statement's WITH */
    struct place places[DEPTH_MAX];
    size_t depth;
    bool with;  /* its list is being read */
    bool named; /* … and a name comes next */
};

static void add_function(struct reader *r, const char *name)
{
    char *lower = call_strdup(r->call, name);
    for (char *p = lower; *p; p++) *p = (char)tolower((unsigned char)*p);
    *(const char **)list_push(r->call, &r->out->functions, sizeof(const char *)) = lower;
}

/* A table's name of up to three parts, or one of the WITH; the token at hand is its first. */
static const char *source(struct reader *r)
{
    const char *parts[3];
    size_t count = 0;
    struct token t = r->now;
    for (;;) {
        if (t.kind != WORD && t.kind != NAME) return "a table was expected";
        if (count == 3) return "a name of four parts";
        parts[count++] = name_of(r->call, &t);
        struct token dot = token_at(r->p);
        if (!is_symbol(&dot, '.')) break;
        t = token_at(dot.at + 1);
        r->p = t.at + t.n;
    }
    struct token next = token_at(r->p);
    if (is_symbol(&next, '(')) return "a table function";
    for (size_t i = 0; count == 1 && i < r->names.count; i++)
        if (!strcasecmp(LIST_AT(&r->names, const char *, i), parts[0])) return NULL;
    if (count == 3) return "a name with a database";
    struct table_read *read = list_push(r->call, &r->out->tables, sizeof *read);
    *read = (struct table_read){ .schema = count == 2 ? parts[0] : NULL, .table = parts[count - 1] };
    return NULL;
}

static const char *symbol(struct reader *r)
{
    struct place *here = &r->places[r->depth];
    if (is_symbol(&r->now, '(')) {
        bool grouped = here->source;
        here->source = here->begins = false;
        if (++r->depth == DEPTH_MAX) return "nested too deeply";
        struct token next = token_at(r->p);
        bool tables = grouped && !is_word(&next, "select") && !is_word(&next, "values") && !is_symbol(&next, '(');
        r->places[r->depth] = (struct place){ .begins = true, .from = tables, .source = tables };
    } else if (is_symbol(&r->now, ')')) {
        if (!r->depth--) return "a parenthesis closes nothing";
        if (!r->depth && r->with) r->places[0].begins = true;
    } else if (is_symbol(&r->now, ',')) {
        here->source = here->from;
        r->named = r->with && !r->depth;
    }
    return NULL;
}

static const char *word(struct reader *r)
{
    struct place *here = &r->places[r->depth];
    struct token next = token_at(r->p);
    if (AMONG(refused, &r->now)) return "a word that does more than read";
    if (is_word(&r->now, "with")) {
        struct token group = token_at(r->p);
        if (r->depth || r->before.kind != END || is_symbol(&group, '(')) return "WITH in another place than the first";
        r->with = r->named = true;
        here->begins = false;
        return NULL;
    }
    if (is_word(&r->now, "select")) {
        if (!here->begins) return "more than one statement";
        if (!r->depth) r->with = false;
        *here = (struct place){ .selects = true };
        return NULL;
    }
    bool joins = is_word(&r->now, "union") || is_word(&r->now, "except") || is_word(&r->now, "intersect");
    here->begins = joins || (is_word(&r->now, "all") && is_word(&r->before, "union"));
    if (is_word(&r->now, "from") || is_word(&r->now, "join"))
        here->from = here->source = true;
    else if (AMONG(closing, &r->now))
        here->from = here->source = false;
    else if (is_symbol(&next, '(') && !AMONG(grammar, &r->now))
        add_function(r, name_of(r->call, &r->now));
    return NULL;
}

static const char *one(struct reader *r)
{
    struct place *here = &r->places[r->depth];
    struct token next = token_at(r->p);
    bool named = r->now.kind == NAME || r->now.kind == WORD;
    if (r->before.kind == END && !is_word(&r->now, "select") && !is_word(&r->now, "with"))
        return "it does not begin with SELECT";
    if (r->now.kind != WORD && r->now.kind != SYMBOL) here->begins = false;
    if (r->now.kind == BAD) return "a comment, a quote that does not end, or more than one statement";
    if (r->named && named && !is_word(&r->now, "with")) {
        *(const char **)list_push(r->call, &r->names, sizeof(const char *)) = name_of(r->call, &r->now);
        r->named = false;
        return NULL;
    }
    if (here->source && named && !AMONG(closing, &r->now)) {
        here->source = false;
        return source(r);
    }
    if (here->source && !is_symbol(&r->now, '(')) return "a table was expected";
    if (r->now.kind == SYMBOL) return symbol(r);
    if (r->now.kind == WORD) return word(r);
    if (r->now.kind == NAME && is_symbol(&next, '(') && !is_word(&r->before, "as"))
        return "a function of the database's own";
    return NULL;
}

const char *mssql_words(struct call *c, const char *sql, struct mssql_words *out)
{
    struct reader *r = call_alloc(c, sizeof *r);
    const char *wrong = NULL;
    *r = (struct reader){ .call = c, .out = out, .p = sql };
    r->places[0].begins = true;
    for (;;) {
        r->now = token_at(r->p);
        if (r->now.kind == END) break;
        r->p = r->now.at + r->now.n;
        wrong = one(r);
        if (wrong) return wrong;
        r->before = r->now;
    }
    if (r->depth) return "a parenthesis does not close";
    if (r->places[0].source) return "a table was expected";
    return r->places[0].selects ? NULL : "no SELECT";
}
