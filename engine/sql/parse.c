#include "sql/parse.h"

#include <string.h>
#include <strings.h>

const struct token *peek_token(struct parser *p, uint32_t ahead)
{
    while (p->held <= ahead) {
        struct token *t = &p->ring[(p->first + p->held) % TOKENS_AHEAD];
        if (lex_next(&p->lexer, t)) {
            /* The error stands in the call; the text ends here for every rule. */
            p->lexer.at = p->lexer.n;
            *t = (struct token){ .kind = TOKEN_END, .at = p->lexer.n, .end = p->lexer.n, .text = "" };
        }
        p->held++;
    }
    return &p->ring[(p->first + ahead) % TOKENS_AHEAD];
}

struct token take_token(struct parser *p)
{
    struct token t = *peek_token(p, 0);
    p->first = (p->first + 1) % TOKENS_AHEAD;
    p->held--;
    p->last_end = t.end;
    return t;
}

bool at_word(struct parser *p, uint16_t keyword)
{
    const struct token *t = peek_token(p, 0);
    return t->kind == TOKEN_WORD && t->keyword == keyword;
}

bool at_word_next(struct parser *p, uint16_t keyword)
{
    const struct token *t = peek_token(p, 1);
    return t->kind == TOKEN_WORD && t->keyword == keyword;
}

bool take_kind(struct parser *p, uint16_t kind)
{
    if (peek_token(p, 0)->kind != kind) return false;
    take_token(p);
    return true;
}

bool take_word_if(struct parser *p, uint16_t keyword)
{
    if (!at_word(p, keyword)) return false;
    take_token(p);
    return true;
}

bool token_is(const struct token *t, const char *word)
{
    return t->kind == TOKEN_WORD && strlen(word) == t->n && strncasecmp(t->text, word, t->n) == 0;
}

/* A token as a message shows it: short, and only what is safe to print. */
static const char *shown(struct parser *p, const struct token *t)
{
    if (t->kind == TOKEN_END) return "the end of the text";
    uint32_t n = t->end - t->at;
    if (n <= 40) return call_format(p->call, "'%.*s'", (int)n, p->lexer.text + t->at);
    n = 36;
    while (n > 0 && ((unsigned char)p->lexer.text[t->at + n] & 0xC0) == 0x80) n--;
    return call_format(p->call, "'%.*s…'", (int)n, p->lexer.text + t->at);
}

void *parse_fail(struct parser *p, const char *expected)
{
    const struct token *t = peek_token(p, 0);
    if (p->call->err.code) return NULL;
    lex_fail(&p->lexer, t->at, "expected %s, found %s", expected, shown(p, t));
    return NULL;
}

bool parse_fails(struct parser *p, const char *expected)
{
    parse_fail(p, expected);
    return false;
}

bool expect_kind(struct parser *p, uint16_t kind, const char *what)
{
    if (take_kind(p, kind)) return true;
    parse_fail(p, what);
    return false;
}

bool expect_word(struct parser *p, uint16_t keyword, const char *what)
{
    if (take_word_if(p, keyword)) return true;
    parse_fail(p, what);
    return false;
}

static bool too_large(struct parser *p, const char *what)
{
    if (!p->call->err.code)
        call_fail(p->call, ERR_PLAN_TOO_LARGE, "The SQL could not be parsed: %s, at %s.", what,
                  lex_position(p->call, p->lexer.text, p->lexer.n, peek_token(p, 0)->at));
    return false;
}

bool parse_too_deep(struct parser *p)
{
    return too_large(p, "it is nested too deeply");
}

bool parse_deeper(struct parser *p)
{
    return ++p->depth <= SYNTAX_DEPTH_MAX || parse_too_deep(p);
}

void parse_shallower(struct parser *p)
{
    p->depth--;
}

static void refuse(struct parser *p, enum err_code code, const char *message)
{
    if (p->out->refused) return;
    p->out->refused = code;
    p->out->refusal = message;
}

void refuse_feature(struct parser *p, uint32_t at, const char *fmt, ...)
{
    if (p->out->refused) return;
    va_list ap;
    va_start(ap, fmt);
    const char *what = call_vformat(p->call, fmt, ap);
    va_end(ap);
    refuse(p, ERR_PLAN_NOT_SUPPORTED,
           call_format(p->call, "The SQL could not be parsed: %s is not supported, at %s.", what,
                       lex_position(p->call, p->lexer.text, p->lexer.n, at)));
}

void refuse_function(struct parser *p, const char *name)
{
    refuse(p, ERR_SQL_NOT_ALLOWED, call_format(p->call, "The function '%s' is not allowed.", name));
}

void refuse_table_function(struct parser *p)
{
    refuse(p, ERR_SQL_NOT_ALLOWED, "Table functions such as read_csv are not allowed.");
}

void refuse_write(struct parser *p, uint32_t at, const char *what)
{
    if (p->call->err.code) return;
    call_fail(p->call, ERR_SQL_NOT_ALLOWED, "Only SELECT queries are allowed.");
    call_hint(p->call, "Leave out %s at %s.", what, lex_position(p->call, p->lexer.text, p->lexer.n, at));
}

bool skip_brackets(struct parser *p)
{
    unsigned open = 0;
    do {
        struct token t = take_token(p);
        if (t.kind == '(' || t.kind == '[' || t.kind == '{')
            open++;
        else if (t.kind == ')' || t.kind == ']' || t.kind == '}')
            open--;
        else if (t.kind == TOKEN_END || t.kind == ';')
            return parse_fails(p, "a closing bracket");
    } while (open);
    return true;
}

bool at_query(struct parser *p, uint32_t ahead)
{
    const struct token *t = peek_token(p, ahead);
    if (t->kind != TOKEN_WORD) return false;
    switch (t->keyword) {
    case KW_SELECT:
    case KW_WITH:
        return true;
    case KW_VALUES: {
        const struct token *next = peek_token(p, ahead + 1);
        return next->kind == '(' || (next->kind == TOKEN_WORD && next->keyword == KW_ROW);
    }
    case KW_TABLE:
        return (p->tongue == TONGUE_POSTGRES || p->tongue == TONGUE_MYSQL || p->tongue == TONGUE_DUCKDB) &&
               token_names(peek_token(p, ahead + 1), false);
    case KW_FROM:
        return p->tongue == TONGUE_DUCKDB;
    default:
        return false;
    }
}

bool starts_other_statement(const struct token *t)
{
    static const char *const verbs[] = {
        "abort",     "alter",    "analyze",     "analyse",  "attach",   "audit",     "backup",     "begin",
        "binlog",    "bulk",     "cache",       "call",     "change",   "check",     "checkpoint", "checksum",
        "close",     "cluster",  "comment",     "commit",   "copy",     "create",    "dbcc",       "deallocate",
        "declare",   "delete",   "delimiter",   "deny",     "desc",     "describe",  "detach",     "discard",
        "disable",   "do",       "drop",        "enable",   "end",      "exec",      "execute",    "explain",
        "export",    "fetch",    "flush",       "force",    "grant",    "handler",   "help",       "import",
        "insert",    "install",  "kill",        "listen",   "load",     "lock",      "merge",      "move",
        "msck",      "notify",   "open",        "optimize", "pragma",   "prepare",   "print",      "purge",
        "raiserror", "reassign", "reconfigure", "refresh",  "reindex",  "release",   "rename",     "repair",
        "replace",   "reset",    "restore",     "resignal", "return",   "revoke",    "rollback",   "save",
        "savepoint", "security", "set",         "show",     "shutdown", "signal",    "start",      "stop",
        "summarize", "system",   "throw",       "truncate", "undrop",   "uninstall", "unlisten",   "unload",
        "unlock",    "update",   "upsert",      "use",      "vacuum",   "wait",      "waitfor",    "xa",
    };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (token_is(t, verbs[i])) return true;
    return false;
}

struct node *node_new(struct parser *p, enum node_kind kind, uint32_t at)
{
    if (++p->nodes > SYNTAX_NODES_MAX) {
        too_large(p, "it is too large");
        return NULL;
    }
    struct node *n = call_alloc(p->call, sizeof *n);
    n->kind = (uint8_t)kind;
    n->at = at;
    n->height = 1;
    return n;
}

bool node_holds(struct parser *p, struct node *n, unsigned height)
{
    if (height >= SYNTAX_HEIGHT_MAX) return parse_too_deep(p);
    if (height + 1 > n->height) n->height = (uint16_t)(height + 1);
    return true;
}

struct node *node_over(struct parser *p, struct node *n, const struct node *a, const struct node *b,
                       const struct node *d)
{
    if (!n || (a && !node_holds(p, n, a->height)) || (b && !node_holds(p, n, b->height)) ||
        (d && !node_holds(p, n, d->height)))
        return NULL;
    return n;
}

/* Room for one more item: arrays double, and start small because most lists are short. */
static void *grown(struct parser *p, void *items, size_t count, size_t *room, size_t bytes)
{
    if (count < *room) return items;
    size_t more = *room ? *room * 2 : 4;
    void *bigger = arena_grow(&p->call->arena, items, *room * bytes, more * bytes);
    *room = more;
    return bigger;
}

void nodes_push(struct parser *p, struct nodes *l, struct node *n)
{
    l->items = grown(p, l->items, l->count, &l->room, sizeof *l->items);
    l->items[l->count++] = n;
}

void idents_push(struct parser *p, struct idents *l, struct ident i)
{
    l->items = grown(p, l->items, l->count, &l->room, sizeof *l->items);
    l->items[l->count++] = i;
}

bool token_names(const struct token *t, bool after_as)
{
    if (t->kind == TOKEN_QUOTED) return true;
    return t->kind == TOKEN_WORD && (after_as || !keyword_reserved(t->keyword));
}

struct ident token_ident(struct parser *p, const struct token *t)
{
    struct ident i = { .text = t->text, .quote = t->quote };
    if (t->kind == TOKEN_WORD) i.text = call_strndup(p->call, t->text, t->n);
    return i;
}

bool parse_name(struct parser *p, struct idents *out)
{
    const struct token *t = peek_token(p, 0);
    if (!token_names(t, false)) return parse_fails(p, "a name");
    struct token first = take_token(p);
    idents_push(p, out, token_ident(p, &first));
    while (peek_token(p, 0)->kind == '.') {
        const struct token *next = peek_token(p, 1);
        if (next->kind == '.' && p->tongue == TONGUE_MSSQL) { /* database..table */
            take_token(p);
            continue;
        }
        if (!token_names(next, true)) return true; /* t.* is the caller's */
        take_token(p);
        struct token part = take_token(p);
        idents_push(p, out, token_ident(p, &part));
    }
    return true;
}

bool parse_ident_list(struct parser *p, struct idents *out)
{
    if (!expect_kind(p, '(', "'('")) return false;
    do {
        const struct token *t = peek_token(p, 0);
        if (!token_names(t, true)) return parse_fails(p, "a column name");
        struct token name = take_token(p);
        idents_push(p, out, token_ident(p, &name));
    } while (take_kind(p, ','));
    return expect_kind(p, ')', "')'");
}

struct node *text_node(struct parser *p, const char *text, uint32_t at)
{
    struct node *n = node_new(p, NODE_TEXT, at);
    if (n) n->text = text;
    return n;
}

static int check_bytes(struct lexer *l, size_t n)
{
    if (n > SQL_BYTES_MAX)
        return call_fail(l->call, ERR_PLAN_TOO_LARGE, "The SQL could not be parsed: it is longer than %u bytes.",
                         SQL_BYTES_MAX);
    l->n = (uint32_t)n;
    const unsigned char *s = (const unsigned char *)l->text;
    for (size_t i = 0; i < n;) {
        if (s[i] == 0) return lex_fail(l, (uint32_t)i, "a NUL character");
        size_t len = utf8_sequence(s + i, n - i);
        if (len == 0) return lex_fail(l, (uint32_t)i, "the text is not UTF-8");
        i += len;
    }
    return OK;
}

static int fail_not_one(struct parser *p)
{
    if (p->call->err.code) return (int)p->call->err.code;
    return call_fail(p->call, ERR_SQL_NOT_ALLOWED, "Send exactly one SELECT statement.");
}

static int parse_statement(struct parser *p)
{
    while (take_kind(p, ';')) {
    }
    if (p->call->err.code) return (int)p->call->err.code;
    const struct token *first = peek_token(p, 0);
    if (first->kind == TOKEN_END) return fail_not_one(p);
    p->out->query = parse_query(p);
    if (!p->out->query || p->call->err.code) return (int)p->call->err.code;
    const struct token *t = peek_token(p, 0);
    if (t->kind == TOKEN_END) return (int)p->call->err.code;
    if (t->kind != ';') {
        if (starts_other_statement(t) || at_query(p, 0)) return fail_not_one(p);
        parse_fail(p, "the end of the statement");
        return (int)p->call->err.code;
    }
    while (take_kind(p, ';')) {
    }
    if (peek_token(p, 0)->kind != TOKEN_END) return fail_not_one(p);
    return (int)p->call->err.code;
}

int syntax_parse(struct call *c, enum tongue tongue, const char *text, size_t n, struct syntax *out)
{
    *out = (struct syntax){ 0 };
    struct parser p = {
        .lexer = { .call = c, .tongue = tongue, .text = text }, .call = c, .tongue = tongue, .out = out
    };
    int rc = check_bytes(&p.lexer, n);
    return rc ? rc : parse_statement(&p);
}
