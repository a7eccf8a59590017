/* Reads the columns of a chain. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/cast/cast.h"
#include "arrow/read.h"
#include "arrow/take.h"
#include "column/read/foreign.h"
#include "core/memory.h"
#include "layout/open/chain.h"

/* Rows of one part --------------------------------------------------------------------------- */

static stoa_status read_part(stoa_chain_column *c, size_t k, uint64_t first, uint64_t count,
                             struct ArrowSchema *schema, struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    STOA_TRY(stoa_chain_table(c->chain, k, &table, err));
    stoa_column *const column = stoa_table_find(table, c->name);
    if (column == NULL) {
        STOA_FAIL(err, STOA_EDATA, "has no column '%s' any more", c->name);
    }
    STOA_TRY(stoa_column_schema(column, schema, err));
    STOA_TRY(stoa_column_read(column, first, count, out, err));

done:
    return stoa_at(err, status, "%s", c->chain->parts.items[k].file);
}

static stoa_status read_values(stoa_chain_column *c, size_t k, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};

    out->release = NULL;
    if (stoa_chain_is_absent(c, k)) {
        return stoa_array_missing(&c->schema, (int64_t)count, out, err);
    }
    STOA_TRY(read_part(c, k, first, count, &schema, out, err));
    if (!stoa_chain_same_type(&schema, &c->schema)) {
        STOA_TRY(stoa_cast_is_known(&schema, &c->schema)
                     ? stoa_array_cast(&schema, &c->schema, out, err)
                     : stoa_fail(err, STOA_EDATA, "its column '%s' has changed its type", c->name));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    stoa_schema_release(&schema);
    return stoa_within(err, status, "%s:%s", c->chain->parts.items[k].file,
                       c->chain->parts.items[k].path);
}

/* Values ------------------------------------------------------------------------------------- */

/* The next piece of the rows [*first, *first + *count) that lies in one part. */
static uint64_t cut(const stoa_table_parts *parts, size_t *k, uint64_t first, uint64_t count,
                    uint64_t *at)
{
    while (first - parts->items[*k].first >= parts->items[*k].n_rows) {
        ++*k;
    }
    *at = first - parts->items[*k].first;
    const uint64_t left = parts->items[*k].n_rows - *at;
    return count < left ? count : left;
}

/* Read the requested rows from each part, one array per part. */
static stoa_status read_parts(stoa_chain_column *c, uint64_t first, uint64_t count,
                              stoa_buffer *arrays, stoa_error *err)
{
    const stoa_table_parts *const parts = &c->chain->parts;
    uint64_t at = 0;

    for (size_t k = stoa_parts_find(parts, first); count > 0;) {
        const uint64_t n = cut(parts, &k, first, count, &at);
        struct ArrowArray part = {0};
        STOA_RETURN_NOT_OK(read_values(c, k, at, n, &part, err));
        const stoa_status status = stoa_buffer_append(arrays, &part, sizeof part, err);
        if (status != STOA_OK) {
            stoa_array_release(&part);
            return status;
        }
        first += n;
        count -= n;
    }
    return STOA_OK;
}

static stoa_status read_rows(void *context, uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chain_column *const c = context;
    stoa_buffer parts = {0};

    if (count == 0) {
        return stoa_array_missing(&c->schema, 0, out, err);
    }
    STOA_TRY(read_parts(c, first, count, &parts, err));
    struct ArrowArray *const arrays = (struct ArrowArray *)(void *)parts.data;
    const size_t n_parts = parts.size / sizeof *arrays;
    if (n_parts == 1) {
        stoa_array_move(&arrays[0], out);
    } else {
        STOA_TRY(stoa_take_all(&c->schema, arrays, n_parts, out, err));
    }

done:
    for (size_t i = 0; i < parts.size / sizeof(struct ArrowArray); i++) {
        stoa_array_release((struct ArrowArray *)(void *)parts.data + i);
    }
    stoa_buffer_clear(&parts);
    return status;
}

/* Codes of categories ------------------------------------------------------------------------ */

/* Number the labels of part k by those of all parts. */
static stoa_status number_labels(stoa_chain_column *c, size_t k, const stoa_view *labels,
                                 stoa_error *err)
{
    if (c->n_codes > 0 && c->codes_of == k && c->n_codes == labels->length) {
        return STOA_OK;
    }
    free(c->codes);
    c->n_codes = 0;
    c->codes = stoa_alloc((size_t)labels->length, sizeof *c->codes);
    STOA_RETURN_NO_MEMORY(err, c->codes);
    for (int64_t i = 0; i < labels->length; i++) {
        uint32_t number = 0;
        size_t length = 0;
        c->codes[i] = -1;
        if (!stoa_view_is_null(labels, i)) {
            const char *const text = stoa_view_bytes(labels, i, &length);
            if (!stoa_string_set_find(&c->labels, text, length, &number)) {
                return stoa_fail(err, STOA_EDATA, "the labels of '%s' have changed", c->name);
            }
            c->codes[i] = (int32_t)number;
        }
    }
    c->codes_of = k;
    c->n_codes = labels->length;
    return STOA_OK;
}

static stoa_status read_codes_of(stoa_chain_column *c, size_t k, uint64_t first, uint64_t count,
                                 int32_t *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view codes;
    stoa_view labels;

    STOA_TRY(read_part(c, k, first, count, &schema, &array, err));
    if (schema.dictionary == NULL) {
        STOA_FAIL(err, STOA_EDATA, "its column '%s' has changed its type", c->name);
    }
    STOA_TRY(stoa_view_of(&schema, &array, &codes, err));
    STOA_TRY(stoa_view_dictionary(&codes, &labels, err));
    STOA_TRY(number_labels(c, k, &labels, err));
    for (uint64_t i = 0; i < count; i++) {
        out[i] = stoa_view_is_null(&codes, (int64_t)i)
                     ? -1
                     : c->codes[stoa_view_i64(&codes, (int64_t)i)];
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return stoa_within(err, status, "%s:%s", c->chain->parts.items[k].file,
                       c->chain->parts.items[k].path);
}

static stoa_status read_codes(void *context, uint64_t first, uint64_t count, void *out,
                              stoa_error *err)
{
    stoa_chain_column *const c = context;
    const stoa_table_parts *const parts = &c->chain->parts;
    int32_t *to = out;
    uint64_t at = 0;

    for (size_t k = count > 0 ? stoa_parts_find(parts, first) : 0; count > 0;) {
        const uint64_t n = cut(parts, &k, first, count, &at);
        if (stoa_chain_is_absent(c, k)) {
            memset(to, 0xff, n * sizeof *to);
        } else {
            STOA_RETURN_NOT_OK(read_codes_of(c, k, at, n, to, err));
        }
        to += n;
        first += n;
        count -= n;
    }
    return STOA_OK;
}

/* Making columns ----------------------------------------------------------------------------- */

void stoa_chain_column_free(stoa_chain_column *column)
{
    if (column != NULL) {
        stoa_chain_release(column->chain);
        stoa_schema_release(&column->schema);
        stoa_string_set_clear(&column->labels);
        free(column->is_absent);
        free(column->codes);
        free(column->name);
        free(column);
    }
}

static void close_column(void *context)
{
    stoa_chain_column_free(context);
}

static stoa_status make_codes(stoa_chain_column *c, uint64_t n_rows, stoa_column **out,
                              stoa_error *err)
{
    const stoa_column_source source = {
        .read_elements = read_codes, .close = close_column, .context = c};
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;

    STOA_TRY(
        stoa_column_of_codes(c->name, &c->labels, c->is_ordered, n_rows, &source, &column, err));
    for (size_t i = 0; stoa_chain_kept[i] != NULL && status == STOA_OK; i++) {
        char *text = NULL;
        status = stoa_schema_get_text(&c->schema, stoa_chain_kept[i], &text, err);
        if (status == STOA_OK) {
            status = stoa_column_add_metadata(column, stoa_chain_kept[i], text, err);
        }
        free(text);
    }
    STOA_TRY(status);
    *out = column;
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

stoa_status stoa_chain_column_make(stoa_chain_column *column, uint64_t n_rows, stoa_column **out,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};

    *out = NULL;
    if (column->is_united) {
        return make_codes(column, n_rows, out, err);
    }
    status = stoa_schema_copy(&column->schema, &schema, err);
    if (status != STOA_OK) {
        stoa_chain_column_free(column);
        return status;
    }
    const stoa_column_source source = {
        .read_array = read_rows, .close = close_column, .context = column};
    return stoa_column_of_source(&schema, n_rows, &source, out, err);
}
