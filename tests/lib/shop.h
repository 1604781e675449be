/* shop: a small schema for tests of plans, as a view that hides nothing.
 * city(id*, name, country) <- customer(id*, name, email unique, city_id, born date, vip boolean, score double)
 * <- orders(id*, customer_id, placed timestamp, total decimal(10,2), status) <- item(order_id*, product_id*, quantity,
 * price decimal(10,2)) -> product(id*, name, parent_id -> product, year text). note(body) has no key. */
#ifndef QUERENT_TEST_SHOP_H
#define QUERENT_TEST_SHOP_H

#include "domain/view.h"

extern const struct view shop_view;

#endif
