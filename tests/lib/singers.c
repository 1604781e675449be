#include "singers.h"

#include <string.h>

static const char ddl[] =
    "CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER, phone TEXT);"
    "CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, held_on DATE, seats INTEGER);"
    "CREATE TABLE appearance (singer_id INTEGER REFERENCES singer (singer_id), concert_id INTEGER REFERENCES concert "
    "(concert_id), PRIMARY KEY (singer_id, concert_id));"
    "CREATE TABLE flight (flight_id INTEGER PRIMARY KEY, origin_id INTEGER REFERENCES airport (airport_id), target_id "
    "INTEGER REFERENCES airport (airport_id)); CREATE TABLE airport (airport_id INTEGER PRIMARY KEY, city TEXT);";

int scene_of(void **state, const char *tables)
{
    static struct scene s;
    memset(&s, 0, sizeof s);
    call_begin(&s.call);
    s.call.who =
        (struct principal){ .user = "test", .tenant = "default", .source = "operator", .level = LEVEL_OPERATOR };
    fixture_open(&s.fixture, &s.call, tables);
    s.view = fixture_view(&s.fixture, &s.call, NULL, &s.policies);
    *state = &s;
    return 0;
}

int scene_open(void **state)
{
    return scene_of(state, ddl);
}

int scene_close(void **state)
{
    struct scene *s = *state;
    policies_free(s->policies);
    fixture_close(&s->fixture);
    call_end(&s->call);
    return 0;
}

int named_table(const struct linked *l, const char *name)
{
    for (size_t i = 0; i < l->table_count; i++)
        if (!strcmp(l->tables[i].table->name, name)) return (int)i;
    return -1;
}

const struct lex_column *named_column(const struct linked *l, const char *table, const char *name)
{
    for (size_t i = 0; i < l->column_count; i++)
        if (!strcmp(l->tables[l->columns[i].table].table->name, table) && !strcmp(l->columns[i].column->name, name))
            return &l->columns[i];
    return NULL;
}
