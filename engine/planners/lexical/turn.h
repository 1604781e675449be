/* turn: what questions ask for around a plain one, and no reading says: a share of a whole, an average of counts, the
 * best of each group. The words that ask for it are found by grammar and taken out; what is left is read as any plain
 * question; then each reading is turned, or told by nobody when its form does not allow it. One file a kind, one row in
 * turn.c. All memory is the call's. */
#ifndef QUERENT_LEXICAL_TURN_H
#define QUERENT_LEXICAL_TURN_H

#include "planners/lexical/assemble.h"
#include "planners/lexical/edit.h"
#include "planners/lexical/emit.h"
#include "planners/lexical/wording.h"

#define VARIANTS_MAX 4 /* what one reading can become when the question leaves it open */
#define EACH_MAX     8
#define IMPOSSIBLE   SIZE_MAX
#define SENSE_SAME   0.75f /* the words mean the same, not only something near */
#define NOWHERE      SIZE_MAX

struct turn_kind;

/* What was found in a question. Places are bytes of it, for words move when others are taken out. */
struct turn {
    const struct turn_kind *kind;
    struct words words;        /* of the plain question that is left */
    const char *said;          /* the words that ask for the turn, as they were written */
    size_t head;               /* what the turn is of: the orders of the share of orders; NOWHERE = not said */
    size_t verb;               /* share: what stands behind it is the part, before it the whole; NOWHERE = none */
    bool doubted;              /* the words may be part of a name: never answered, however sure */
    bool counts;               /* mean: the number, a total is not meant */
    bool sums;                 /* the total, of one: a count is not meant */
    bool whole_said;           /* share: of the total */
    bool with_none, with_some; /* mean: those without any count as 0, or do not count, in so many words */
    const struct table *each;  /* best: one of it for each row of this, or else for each value of one of the columns */
    const struct column *columns[EACH_MAX];
    size_t column_count;
    int grain;  /* or else for each unit of a date; -1 = none */
    bool dated; /* best: by a word that is said of times: the latest */
};

/* What became of a reading. */
struct turned {
    const struct turn *turn;
    size_t plain;                /* number of the reading that it was: those of one number are its variants */
    struct core core;            /* hangs from the table whose rows count */
    struct cond part[CONDS_MAX]; /* share: the conditions that tell the part; those of the core tell the whole */
    int part_count;
    bool any;                /* one of them is enough */
    int entity;              /* mean: the table that is averaged over; -1 = groups that are no things */
    bool with_none;          /* mean: things without any count as 0 */
    int each, grain;         /* best: what tells the groups apart, cut to a unit when grain >= 0 */
    int label_count;         /* best: the first items of the core, which name the group */
    const struct core *told; /* best: the core without them */
};

struct turning {
    struct call *call;
    const struct turn *turn;
    struct question *question; /* the plain one */
    const struct linked *l;
};

struct turn_kind {
    const char *name; /* how a reason names it */
    /* Is it asked for? The words are edited into the plain question. l: the question as it stands. */
    bool (*find)(const struct linked *l, const struct edit *e, struct turn *out);
    /* What the reading becomes, likelier first; 0 = its form does not allow it, IMPOSSIBLE = nobody can mean it. */
    size_t (*apply)(const struct turning *t, const struct reading *r, struct turned out[VARIANTS_MAX]);
    struct query *(*plan)(const struct emit *e, const struct turned *t);
    void (*say)(struct buf *b, const struct linked *l, const struct turned *t);
    /* The question that tells two variants of one reading apart; NULL = there is none. May be NULL itself. */
    const char *(*ask)(struct call *c, const struct linked *l, const struct turned *a, const struct turned *b);
};
extern const struct turn_kind turn_share, turn_mean, turn_best;

/* The turn that the question asks for, NULL when there is none. */
const struct turn *turn_find(const struct linked *l);
/* The readings of the plain question as they are turned; those that cannot be stay among them as rivals. How many, 0
 * when none can be. */
size_t turn_readings(struct call *c, const struct turn *turn, struct question *plain, const struct reading *readings,
                     size_t count, struct reading **out);

/* For the kinds. Is the p-th word part of the name of a column, or the name of a table? Said as a whole, the name is
 * asked for and no turn; a part of one in a table that is spoken of leaves a doubt. */
enum turn_name { NAME_NONE, NAME_NEAR, NAME_SAID };
enum turn_name turn_names(const struct linked *l, size_t p);
/* The noun that stands at p or behind words that belong to it: the last of the first run of names. NOWHERE = none. */
size_t turn_noun(const struct linked *l, size_t p);
/* Does the p-th word name a number that is kept, and no table? */
bool turn_amount(const struct linked *l, size_t p);
/* Is a name of the table said at this byte of the question, and none better? A synonym has at least this score. */
bool turn_says_table(const struct linked *l, int table, size_t at, float sense);
bool turn_says_column(const struct linked *l, int column, size_t at);
/* The core, hanging from the table whose rows it counts; every other one has one row at most for each of them. False
 * when it is not so. */
bool core_hang(const struct core *core, struct core *out);
/* The columns that a row of the table is called by: its name, both parts of a person's, or else its key; at most 2. */
int label_items(const struct linked *l, int table, int out[2]);
/* Adds what leads from the root of a hung core to the table, each step to one row at most. False when there is no way,
 * or more than one that is as short. */
bool core_reach(const struct graph *g, struct core *core, int from, int table);
/* The single key of a table, -1 when it has none. */
int key_item(const struct linked *l, int table);
/* The table whose rows a column tells apart: that of which it is the key, or the one it refers to; -1 = neither. */
int table_told(const struct linked *l, int column);
/* existence.c: different things that are counted in other tables, as the rows of their own table that are among those.
 * False when the core does not count different things that the turn is of. */
bool core_existence(const struct turning *t, const struct core *core, struct core *out);
/* The one aggregate of a core, when it counts or adds up; -1 when there is another, or none. */
int core_measure(const struct core *core);
/* Is what is counted, or added up, what the turn is said to be of, and no sum of keys? The core hangs from what it
 * counts. */
bool turn_measures(const struct turning *t, const struct core *core, const struct term *measure);
/* A core that hangs from what it counts, in words, without the tables that it only goes through. */
void say_turned(struct buf *b, const struct linked *l, const struct core *core);
/* The words [first, end) as they were written. */
const char *turn_text(const struct linked *l, size_t first, size_t end);
/* Equal for readings that become the same. */
uint64_t turned_key(const struct turned *t);

#endif
