/* demo_tables: what the demo datasource is made of. Constants. */
#ifndef QUERENT_DEMO_TABLES_H
#define QUERENT_DEMO_TABLES_H

enum { DEMO_SHELVES = 17, DEMO_PLACES = 30, DEMO_LINES = 18, DEMO_DEPARTMENTS = 6 };

extern const char demo_schema_sql[], demo_index_sql[];

enum season { ALL_YEAR, SUMMER, SPRING, WINTER };

/* Categories of the second level with what is sold in them; the first word of a product's name is a line of goods. */
struct shelf {
    const char *name, *parent;
    enum season season;
    int least_cents, most_cents, least_grams, most_grams;
    const char *things[3];
};
extern const struct shelf demo_shelves[DEMO_SHELVES];

struct place {
    const char *city, *country;
};
extern const struct place demo_places[DEMO_PLACES];

extern const char *const demo_departments[DEMO_DEPARTMENTS]; /* "Bathroom" is planned: nothing is sold there yet */
extern const char *const demo_lines[DEMO_LINES];
extern const char *const demo_first_names[50], *const demo_last_names[48];
extern const char *const demo_supplier_names[10], *const demo_supplier_forms[4];
extern const char *const demo_reasons[5];     /* of returns */
extern const char *const demo_comments[5][4]; /* of reviews with one to five points */

#endif
