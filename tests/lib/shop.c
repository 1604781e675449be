#include "shop.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define COLUMN(name_, kind_, digits_, null_, key_, unique_)                                                            \
    {                                                                                                                  \
        .name = (name_), .db_type = "", .type.kind = (kind_), .type.precision = (digits_),                             \
        .type.scale = (digits_) / 5, .nullable = (null_), .primary_key = (key_), .unique = (unique_),                  \
        .distinct_count = -1, .null_count = -1                                                                         \
    }
#define PLAIN(name, kind) COLUMN(name, kind, 0, false, 0, false)
#define MAYBE(name, kind) COLUMN(name, kind, 0, true, 0, false)
#define MONEY(name)       COLUMN(name, TYPE_DECIMAL, 10, false, 0, false)
#define KEY(name, n)      COLUMN(name, TYPE_INTEGER, 0, false, n, false)
#define REFERS(own, other, theirs)                                                                                     \
    {                                                                                                                  \
        .columns = (const char *const[]){ (own) }, .column_count = 1, .table = (other),                                \
        .referred = (const char *const[])                                                                              \
        {                                                                                                              \
            (theirs)                                                                                                   \
        }                                                                                                              \
    }

static struct column city[] = { KEY("id", 1), PLAIN("name", TYPE_TEXT), PLAIN("country", TYPE_TEXT) };
static struct column customer[] = { KEY("id", 1),
                                    PLAIN("name", TYPE_TEXT),
                                    COLUMN("email", TYPE_TEXT, 0, false, 0, true),
                                    PLAIN("city_id", TYPE_INTEGER),
                                    MAYBE("born", TYPE_DATE),
                                    PLAIN("vip", TYPE_BOOLEAN),
                                    MAYBE("score", TYPE_DOUBLE) };
static struct column item[] = { KEY("order_id", 1), KEY("product_id", 2), PLAIN("quantity", TYPE_INTEGER),
                                MONEY("price") };
static struct column note[] = { MAYBE("body", TYPE_TEXT) };
static struct column orders[] = { KEY("id", 1), PLAIN("customer_id", TYPE_INTEGER), PLAIN("placed", TYPE_TIMESTAMP),
                                  MONEY("total"), PLAIN("status", TYPE_TEXT) };
static struct column product[] = { KEY("id", 1), PLAIN("name", TYPE_TEXT), MAYBE("parent_id", TYPE_INTEGER),
                                   MAYBE("year", TYPE_TEXT) };
static struct foreign_key customer_keys[] = { REFERS("city_id", "city", "id") };
static struct foreign_key item_keys[] = { REFERS("order_id", "orders", "id"), REFERS("product_id", "product", "id") };
static struct foreign_key orders_keys[] = { REFERS("customer_id", "customer", "id") };
static struct foreign_key product_keys[] = { REFERS("parent_id", "product", "id") };

#define TABLE(n)                                                                                                       \
    {                                                                                                                  \
        .name = #n, .columns = n, .column_count = COUNT(n), .row_count = -1                                            \
    }
#define TABLE_KEYS(n)                                                                                                  \
    {                                                                                                                  \
        .name = #n, .columns = n, .column_count = COUNT(n), .row_count = -1, .foreign_keys = n##_keys,                 \
        .foreign_key_count = COUNT(n##_keys)                                                                           \
    }

static struct table tables[] = { TABLE(city), TABLE_KEYS(customer), TABLE_KEYS(item),
                                 TABLE(note), TABLE_KEYS(orders),   TABLE_KEYS(product) };
static struct table_access access_of[COUNT(tables)];
static const struct snapshot snapshot = {
    .datasource = "shop", .dialect = "sqlite", .fingerprint = "shop", .tables = tables, .table_count = COUNT(tables)
};
const struct view shop_view = {
    .snapshot = &snapshot, .tables = tables, .access = access_of, .table_count = COUNT(tables), .key = "shop"
};
