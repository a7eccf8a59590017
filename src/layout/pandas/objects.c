#include "layout/pandas/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/rows.h"
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
    stoa_column_rows rows = {.array.release = NULL};

    *objects = (stoa_pandas_objects){.pickle = NULL};
    STOA_TRY(stoa_column_of_dataset("objects", dataset, 0, STOA_WHOLE_ROWS, &column, err));
    if (column->element.class != STOA_ELEMENT_VLEN || column->element.items[0].size != 1 ||
        column->n_rows < 1) {
        STOA_FAIL(err, STOA_EDATA, "holds no pickled array");
    }
    STOA_TRY(stoa_column_rows_read(column, 0, 1, &rows, err));
    if (rows.array.n_children != 1 || rows.array.children[0]->n_buffers != 2) {
        STOA_FAIL(err, STOA_EDATA, "holds no pickled array");
    }
    STOA_TRY(stoa_pandas_objects_parse(rows.array.children[0]->buffers[1],
                                       (size_t)rows.array.children[0]->length, objects, err));

done:
    stoa_column_rows_clear(&rows);
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

/* What objects become. Those that are mixed become texts, up to FORM_DECIMAL. */
typedef enum form {
    FORM_NONE, /* all are missing */
    FORM_BOOL,
    FORM_INT,
    FORM_FLOAT,
    FORM_TEXT,
    FORM_DATE,
    FORM_DECIMAL, /* the digits of decimal.Decimal, which are exact */
    FORM_BYTES,
    FORM_OTHER /* has no place in a column */
} form;

/* The digits of a decimal.Decimal; NULL for other nodes. */
static const stoa_pickled *digits_of(const stoa_pickled *item)
{
    const stoa_pickled *const digits = stoa_pickled_item(stoa_pickled_call(item, "Decimal"), 0);

    return digits != NULL && digits->kind == STOA_PICKLE_TEXT ? digits : NULL;
}

static form form_of(const stoa_pickled *item, int64_t *days)
{
    stoa_pandas_time time;

    switch (item->kind) {
    case STOA_PICKLE_BOOL:
        return FORM_BOOL;
    case STOA_PICKLE_INT:
        return FORM_INT;
    case STOA_PICKLE_FLOAT:
        return FORM_FLOAT;
    case STOA_PICKLE_TEXT:
        return FORM_TEXT;
    case STOA_PICKLE_BYTES:
        return FORM_BYTES;
    case STOA_PICKLE_OBJECT:
        if (stoa_pandas_time_of(item, &time) && time.kind == STOA_PANDAS_IS_DATE) {
            *days = time.ticks;
            return FORM_DATE;
        }
        return digits_of(item) != NULL ? FORM_DECIMAL : FORM_OTHER;
    default:
        return FORM_OTHER;
    }
}

/* The common form of a column's objects. */
static form form_of_all(const stoa_pandas_objects *objects, uint64_t column, bool *are_mixed)
{
    form all = FORM_NONE;
    int64_t days = 0;

    *are_mixed = false;
    for (uint64_t i = 0; i < objects->n_rows; i++) {
        const stoa_pickled *const item = item_of(objects, i, column);
        const form one = stoa_pandas_is_missing(item) ? all : form_of(item, &days);
        if (all != FORM_NONE && one != all) {
            *are_mixed = true;
            all = one > FORM_DECIMAL || all > FORM_DECIMAL ? FORM_OTHER : FORM_TEXT;
        } else {
            all = one;
        }
        if (all == FORM_OTHER) {
            return all;
        }
    }
    return all;
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

    const stoa_pickled *const digits = digits_of(item);
    const stoa_pickled *const bytes = digits != NULL ? digits : item;

    if (bytes->kind == STOA_PICKLE_TEXT || bytes->kind == STOA_PICKLE_BYTES) {
        STOA_TRY(stoa_buffer_append(&b->text, bytes->as.bytes.data, bytes->as.bytes.length, err));
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

static stoa_status fill_rows(building *b, form kind, stoa_error *err)
{
    for (uint64_t i = 0; i < b->objects->n_rows; i++) {
        const stoa_pickled *const item = item_of(b->objects, i, b->column);
        const bool is_missing = stoa_pandas_is_missing(item);
        int64_t days = 0;
        b->n_missing += is_missing;
        if (!is_missing) {
            stoa_bit_set(b->validity, i);
        }
        if (kind == FORM_DATE) {
            (void)(is_missing ? FORM_NONE : form_of(item, &days));
            ((int32_t *)b->values)[i] = (int32_t)days;
        } else if (kind == FORM_INT) {
            ((int64_t *)b->values)[i] = is_missing ? 0 : item->as.integer;
        } else if (kind == FORM_FLOAT) {
            ((double *)b->values)[i] = is_missing ? 0 : item->as.number;
        } else if (kind == FORM_BOOL) {
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
    static const char *const formats[] = {
        [FORM_NONE] = "u", [FORM_BOOL] = "b",   [FORM_INT] = "l",     [FORM_FLOAT] = "g",
        [FORM_TEXT] = "u", [FORM_DATE] = "tdD", [FORM_DECIMAL] = "u", [FORM_BYTES] = "z"};
    stoa_status status = STOA_OK;
    bool are_mixed = false;
    const form kind =
        number < objects->n_columns ? form_of_all(objects, number, &are_mixed) : FORM_NONE;
    const size_t n = (size_t)objects->n_rows;
    building b = {.objects = objects, .column = number};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    *out = NULL;
    if (number >= objects->n_columns && objects->n_rows > 0) {
        STOA_FAIL(err, STOA_EDATA, "holds %llu columns of objects, and none for '%s'",
                  (unsigned long long)objects->n_columns, name);
    }
    if (kind == FORM_OTHER) {
        STOA_FAIL(err, STOA_ETYPE,
                  "column '%s' holds Python objects that are no texts, numbers, dates or bytes",
                  name);
    }
    b.validity = stoa_alloc_zero(stoa_bit_bytes(n) + 1, 1);
    if (kind == FORM_BOOL || kind == FORM_INT || kind == FORM_FLOAT || kind == FORM_DATE) {
        b.values = stoa_alloc_zero(n + 1, sizeof(int64_t));
    } else {
        b.offsets = stoa_alloc_zero(n + 1, sizeof *b.offsets);
    }
    STOA_TRY(b.validity != NULL && (b.values != NULL || b.offsets != NULL) ? STOA_OK
                                                                           : stoa_fail_memory(err));
    STOA_TRY(fill_rows(&b, kind, err));
    STOA_TRY(finish(&b, &array, err));
    STOA_TRY(stoa_schema_make(&schema, name, formats[kind], err));
    STOA_TRY(stoa_column_of_array(&schema, &array, out, err));
    if (are_mixed || kind == FORM_DECIMAL) {
        STOA_TRY(stoa_column_add_metadata(*out, STOA_PANDAS_OBJECTS,
                                          are_mixed ? "of several kinds" : "Decimal", err));
    }

done:
    free(b.validity);
    free(b.values);
    free(b.offsets);
    stoa_buffer_clear(&b.text);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}
