/* Any bytes as the blob of a value index, as it lies in the folder of caches: refused, or it answers and reads nothing
 * beyond itself. The first byte picks what is looked up. */
#include "schema/value_index.h"
#include "shop.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const phrases[] = { "Joe Sharp", "japan", "Zo\xc3\xab", "the big bang", "7" };
    struct call c;
    struct value_hit hits[8];
    if (!size) return 0;
    call_begin(&c);
    struct value_index *v = value_index_map(data + 1, size - 1);
    if (v) {
        size_t n = value_index_find(v, &c, &shop_view, phrases[data[0] % 5], hits, 8);
        for (size_t i = 0; i < n && i < 8; i++)
            if (hits[i].table_index >= shop_view.table_count || !strlen(hits[i].column)) abort();
    }
    value_index_free(v);
    call_end(&c);
    return 0;
}
