#include "table/open/parts.h"

#include "core/starts.h"

size_t stoa_parts_find(const stoa_table_parts *parts, uint64_t row)
{
    return stoa_starts_find(&parts->items[0].first, sizeof *parts->items, parts->n, row);
}
