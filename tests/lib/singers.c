#include "singers.h"

#include <string.h>

static const char ddl[] =
    "CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER, phone TEXT);"
    "CREATE TABLE concert (concert_id INTEGER PRIMARY KEY, title TEXT, held_on DATE, seats INTEGER);"
    "CREATE TABLE appearance (singer_id INTEGER REFERENCES singer (singer_id), concert_id INTEGER REFERENCES concert "
    "(concert_id), PRIMARY KEY (singer_id, concert_id));"
    "CREATE TABLE flight (flight_id INTEGER PRIMARY KEY, origin_id INTEGER REFERENCES airport (airport_id), target_id "
    "INTEGER REFERENCES airport (airport_id)); CREATE TABLE airport (airport_id INTEGER PRIMARY KEY, city TEXT);";

int scene_open(void **state)
{
    static struct scene s;
    memset(&s, 0, sizeof s);
    call_begin(&s.call);
    s.call.who =
        (struct principal){ .user = "test", .tenant = "default", .source = "operator", .level = LEVEL_OPERATOR };
    fixture_open(&s.fixture, &s.call, ddl);
    s.view = fixture_view(&s.fixture, &s.call, NULL, &s.policies);
    *state = &s;
    return 0;
}

int scene_close(void **state)
{
    struct scene *s = *state;
    policies_free(s->policies);
    fixture_close(&s->fixture);
    call_end(&s->call);
    return 0;
}
