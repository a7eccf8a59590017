#include "table/open/parts.h"

size_t stoa_parts_find(const stoa_table_parts *parts, uint64_t row)
{
    size_t low = 0;
    size_t high = parts->n;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (parts->items[middle].first <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
