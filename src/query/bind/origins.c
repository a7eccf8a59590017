#include "query/bind/origins.h"

#include <stdlib.h>
#include <string.h>

#include "column/read/foreign.h"
#include "core/memory.h"

const char *stoa_origin_name(stoa_origin origin)
{
    return origin == STOA_ORIGIN_FILE ? "file" : "object";
}

/* The code of each part; a table of one part has none. */
typedef struct origins {
    const stoa_table_parts *parts;
    int32_t *codes;
} origins;

static stoa_status read_codes(void *context, uint64_t first, uint64_t count, void *out,
                              stoa_error *err)
{
    const origins *const o = context;
    int32_t *to = out;

    (void)err;
    if (o->parts == NULL) {
        memset(to, 0, count * sizeof *to);
        return STOA_OK;
    }
    for (size_t k = count > 0 ? stoa_parts_find(o->parts, first) : 0; count > 0; k++) {
        const stoa_table_part *const part = &o->parts->items[k];
        const uint64_t left = part->first + part->n_rows - first;
        const uint64_t n = count < left ? count : left;
        for (uint64_t i = 0; i < n; i++) {
            to[i] = o->codes[k];
        }
        to += n;
        first += n;
        count -= n;
    }
    return STOA_OK;
}

static void close_origins(void *context)
{
    origins *const o = context;

    free(o->codes);
    free(o);
}

static stoa_status number_parts(origins *o, stoa_origin origin, stoa_string_set *labels,
                                stoa_error *err)
{
    o->codes = stoa_alloc(o->parts->n, sizeof *o->codes);
    STOA_RETURN_NO_MEMORY(err, o->codes);
    for (size_t k = 0; k < o->parts->n; k++) {
        const stoa_table_part *const part = &o->parts->items[k];
        const char *const text = origin == STOA_ORIGIN_FILE ? part->file : part->path;
        uint32_t number = 0;
        STOA_RETURN_NOT_OK(stoa_string_set_add(labels, text, strlen(text), &number, err));
        o->codes[k] = (int32_t)number;
    }
    return STOA_OK;
}

stoa_status stoa_origin_column(const stoa_table *table, stoa_origin origin, stoa_column **column,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set labels = {.count = 0};
    origins *o = stoa_alloc_zero(1, sizeof *o);
    const char *const text = origin == STOA_ORIGIN_FILE ? table->file : table->path;
    uint32_t number = 0;

    *column = NULL;
    STOA_TRY(o != NULL ? STOA_OK : stoa_fail_memory(err));
    o->parts = table->parts;
    STOA_TRY(o->parts != NULL ? number_parts(o, origin, &labels, err)
                              : stoa_string_set_add(&labels, text, strlen(text), &number, err));
    const stoa_column_source source = {
        .read_elements = read_codes, .close = close_origins, .context = o};
    o = NULL;
    STOA_TRY(stoa_column_of_codes(stoa_origin_name(origin), &labels, false, table->n_rows, &source,
                                  column, err));

done:
    if (o != NULL) {
        close_origins(o);
    }
    stoa_string_set_clear(&labels);
    return status;
}
