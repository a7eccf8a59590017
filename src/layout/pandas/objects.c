#include "layout/pandas/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "core/memory.h"
#include "layout/pandas/label.h"

/* --- reading --------------------------------------------------------------------------------- */

/* numpy's _reconstruct(ndarray, ...) with the state (version, shape, dtype, is_fortran, items). */
static bool find_items(stoa_pandas_objects *objects)
{
    const stoa_pickled *const root = stoa_pickle_root(objects->pickle);
    const stoa_pickled *const state =
        stoa_pickled_call(root, "_reconstruct") != NULL ? root->as.items.at[2] : NULL;
    const stoa_pickled *const shape = stoa_pickled_item(state, 1);
    const stoa_pickled *const items = stoa_pickled_item(state, 4);
    const size_t rank = stoa_pickled_count(shape);
    uint64_t sizes[2] = {0, 1};

    if (rank < 1 || rank > 2 || items == NULL || items->kind != STOA_PICKLE_LIST) {
        return false;
    }
    for (size_t i = 0; i < rank; i++) {
        const stoa_pickled *const size = stoa_pickled_item(shape, i);
        if (size->kind != STOA_PICKLE_INT || size->as.integer < 0 ||
            size->as.integer > UINT32_MAX) {
            return false;
        }
        sizes[i] = (uint64_t)size->as.integer;
    }
    /* A frame without rows has its shape the other way round. */
    objects->n_rows = items->as.items.n > 0 ? sizes[0] : 0;
    objects->n_columns = sizes[1];
    objects->items = items->as.items.at;
    return sizes[0] * sizes[1] == items->as.items.n;
}

stoa_status stoa_pandas_objects_parse(const void *bytes, size_t n, stoa_pandas_objects *objects,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;

    *objects = (stoa_pandas_objects){.pickle = NULL};
    STOA_TRY(stoa_pickle_read(bytes, n, &objects->pickle, err));
    if (!find_items(objects)) {
        STOA_FAIL(err, STOA_EDATA, "holds a pickle that is no array of objects");
    }

done:
    if (status != STOA_OK) {
        stoa_pandas_objects_clear(objects);
    }
    return status;
}

stoa_status stoa_pandas_objects_read(hid_t dataset, stoa_pandas_objects *objects, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    *objects = (stoa_pandas_objects){.pickle = NULL};
    STOA_TRY(stoa_column_of_dataset("objects", dataset, 0, STOA_WHOLE_ROWS, &column, err));
    if (column->element.class != STOA_ELEMENT_VLEN || column->element.items[0].size != 1 ||
        column->n_rows < 1) {
        STOA_FAIL(err, STOA_EDATA, "holds no pickled array");
    }
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_column_read(column, 0, 1, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    if (array.n_children != 1 || array.children[0]->n_buffers != 2) {
        STOA_FAIL(err, STOA_EDATA, "holds no pickled array");
    }
    STOA_TRY(stoa_pandas_objects_parse(array.children[0]->buffers[1],
                                       (size_t)array.children[0]->length, objects, err));

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(column);
    return status;
}

void stoa_pandas_objects_clear(stoa_pandas_objects *objects)
{
    stoa_pickle_close(objects->pickle);
    *objects = (stoa_pandas_objects){.pickle = NULL};
}

/* --- columns --------------------------------------------------------------------------------- */

static bool ends_with(const stoa_pickled *global, const char *name)
{
    return global->kind == STOA_PICKLE_GLOBAL && global->as.bytes.length > strlen(name) &&
           stoa_ends_with(global->as.bytes.data, global->as.bytes.length, name);
}

/* None, NaN, pandas.NA, NaT. */
bool stoa_pandas_is_missing(const stoa_pickled *node)
{
    switch (node->kind) {
    case STOA_PICKLE_NONE:
        return true;
    case STOA_PICKLE_FLOAT:
        return isnan(node->as.number);
    case STOA_PICKLE_GLOBAL:
        return ends_with(node, " NA");
    case STOA_PICKLE_OBJECT:
        return ends_with(node->as.items.at[0], "_nat_unpickle");
    default:
        return false;
    }
}

static const stoa_pickled *item_of(const stoa_pandas_objects *objects, uint64_t row,
                                   uint64_t column)
{
    return objects->items[row * objects->n_columns + column];
}

/* The common kind of a column's objects, or TEXT. NONE if all are missing, OBJECT if one cannot be
 * shown as text. */
static stoa_pickle_kind kind_of(const stoa_pandas_objects *objects, uint64_t column)
{
    stoa_pickle_kind kind = STOA_PICKLE_NONE;

    for (uint64_t i = 0; i < objects->n_rows; i++) {
        const stoa_pickled *const item = item_of(objects, i, column);
        if (stoa_pandas_is_missing(item)) {
            continue;
        }
        if (item->kind >= STOA_PICKLE_LIST || item->kind == STOA_PICKLE_BYTES ||
            item->kind == STOA_PICKLE_BIG) {
            return STOA_PICKLE_OBJECT;
        }
        kind = kind == STOA_PICKLE_NONE || kind == item->kind ? item->kind : STOA_PICKLE_TEXT;
    }
    return kind;
}

/* The column under construction. */
typedef struct building {
    const stoa_pandas_objects *objects;
    uint64_t column;
    uint8_t *validity;
    void *values;     /* int64_t, double, or bits */
    stoa_buffer text; /* of strings, with their offsets */
    int32_t *offsets;
    int64_t n_missing;
} building;

static stoa_status put_text(building *b, uint64_t row, const stoa_pickled *item, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *words = NULL;

    if (item->kind == STOA_PICKLE_TEXT) {
        STOA_TRY(stoa_buffer_append(&b->text, item->as.bytes.data, item->as.bytes.length, err));
    } else {
        words = stoa_pandas_label(item);
        STOA_TRY(words != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_buffer_append(&b->text, words, strlen(words), err));
    }
    if (b->text.size > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "its texts are over 2 GiB at row %llu",
                  (unsigned long long)row);
    }

done:
    free(words);
    return status;
}

static stoa_status fill_rows(building *b, stoa_pickle_kind kind, stoa_error *err)
{
    for (uint64_t i = 0; i < b->objects->n_rows; i++) {
        const stoa_pickled *const item = item_of(b->objects, i, b->column);
        const bool is_missing = stoa_pandas_is_missing(item);
        b->n_missing += is_missing;
        if (!is_missing) {
            stoa_bit_set(b->validity, i);
        }
        if (kind == STOA_PICKLE_INT) {
            ((int64_t *)b->values)[i] = is_missing ? 0 : item->as.integer;
        } else if (kind == STOA_PICKLE_FLOAT) {
            ((double *)b->values)[i] = is_missing ? 0 : item->as.number;
        } else if (kind == STOA_PICKLE_BOOL) {
            if (!is_missing && item->as.truth) {
                stoa_bit_set(b->values, i);
            }
        } else {
            STOA_RETURN_NOT_OK(is_missing ? STOA_OK : put_text(b, i, item, err));
            b->offsets[i + 1] = (int32_t)b->text.size;
        }
    }
    return STOA_OK;
}

static stoa_status finish(building *b, struct ArrowArray *out, stoa_error *err)
{
    const int64_t n = (int64_t)b->objects->n_rows;
    uint8_t *const validity = b->validity;

    b->validity = NULL;
    if (b->offsets == NULL) {
        void *const buffers[] = {validity, b->values};
        b->values = NULL;
        return stoa_array_make(out, n, b->n_missing, 2, buffers, err);
    }
    void *const buffers[] = {validity, b->offsets, b->text.data};
    b->offsets = NULL;
    b->text = (stoa_buffer){0};
    return stoa_array_make(out, n, b->n_missing, 3, buffers, err);
}

stoa_status stoa_pandas_objects_column(const stoa_pandas_objects *objects, uint64_t number,
                                       const char *name, stoa_column **out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_pickle_kind kind =
        number < objects->n_columns ? kind_of(objects, number) : STOA_PICKLE_NONE;
    const size_t n = (size_t)objects->n_rows;
    building b = {.objects = objects, .column = number};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    const char *format = "u";

    *out = NULL;
    if (number >= objects->n_columns && objects->n_rows > 0) {
        STOA_FAIL(err, STOA_EDATA, "holds %llu columns of objects, and none for '%s'",
                  (unsigned long long)objects->n_columns, name);
    }
    if (kind == STOA_PICKLE_OBJECT) {
        STOA_FAIL(err, STOA_ETYPE,
                  "column '%s' holds Python objects that are no text and no "
                  "number",
                  name);
    }
    b.validity = stoa_alloc_zero(stoa_bit_bytes(n) + 1, 1);
    if (kind == STOA_PICKLE_INT || kind == STOA_PICKLE_FLOAT || kind == STOA_PICKLE_BOOL) {
        b.values = stoa_alloc_zero(n + 1, sizeof(int64_t));
        format = kind == STOA_PICKLE_INT ? "l" : kind == STOA_PICKLE_FLOAT ? "g" : "b";
    } else {
        b.offsets = stoa_alloc_zero(n + 1, sizeof *b.offsets);
    }
    STOA_TRY(b.validity != NULL && (b.values != NULL || b.offsets != NULL) ? STOA_OK
                                                                           : stoa_fail_memory(err));
    STOA_TRY(fill_rows(&b, kind, err));
    STOA_TRY(finish(&b, &array, err));
    STOA_TRY(stoa_schema_make(&schema, name, format, err));
    STOA_TRY(stoa_column_of_array(&schema, &array, out, err));

done:
    free(b.validity);
    free(b.values);
    free(b.offsets);
    stoa_buffer_clear(&b.text);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}
