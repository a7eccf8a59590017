/*
 * BITMAP (HEP001 §10.6): for every distinct value, the rows that hold it.
 *
 * Invariants of a bitmap that Stoa wrote:
 * B1. Its values are the distinct values of rows [0, NROWS), or of more rows after a truncation.
 *     They exclude missing values and NaN. They are in the order of §10.5, so `ordered` is true.
 *     Codes of categoricals and enums are ordered as numbers.
 *
 * B2. A row is marked under its own value. Missing and NaN rows are marked nowhere.
 *     So `stoa_complete` is true, and `exhaustive` is, unless NaN is a value of a row.
 *
 * B3. Bits beyond NROWS in the last byte are zero. In foreign bitmaps they are ignored (notes A3).
 */
#include "index/bitmap/bitmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "index/bitmap/bitmap_bits.h"
#include "index/common/block_scan.h"
#include "index/common/order.h"

/* Limits of a bitmap: up to STOA_BITMAP_MAX_VALUES while the bits stay below small_bytes; beyond
 * that, max_values_of_large. Bits, zeros included, are held, packed and stored value by value. 4096
 * values take 512 bytes per row before packing: 64 times a column of 64-bit numbers. A sorted index
 * is cheaper then. */
static const uint64_t small_bytes = 64u << 20;
static const uint64_t max_values_of_large = 4096;

/* Building ---------------------------------------------------------------------------------- */

/* Context of writing computed bits. */
typedef struct writer {
    hid_t dataset;
    stoa_workers *workers; /* borrowed, may be NULL */
    uint64_t fresh;        /* the dataset is all zeros from this byte on */
    bool has_nan;          /* a row holds NaN that is not missing */
} writer;

static stoa_status write_block(void *context, const stoa_bitmap_block *block, stoa_error *err)
{
    writer *const w = context;
    const stoa_byte_matrix_part window = {0, block->first_byte, block->n_values, block->n_bytes};

    for (uint64_t i = 0; i < block->n_bytes && !w->has_nan; i++) {
        w->has_nan = (block->nans[i] & ~block->missing[i]) != 0;
    }
    return block->first_byte >= w->fresh
               ? stoa_byte_matrix_fill(w->dataset, &window, block->bits, w->workers, err)
               : stoa_byte_matrix_write(w->dataset, &window, block->bits, err);
}

/* Rows of the bitmap per chunk. 64 Ki rows of a column then need at most about 128 chunks. */
static uint64_t group_of(uint64_t n_values)
{
    const uint64_t group = n_values / 64;

    return group < 1 ? 1 : group > 32 ? 32 : group;
}

/* The distinct values found in each simultaneous run, and in total. */
typedef struct collecting {
    const stoa_column *column;
    stoa_bitmap_values *values;
    stoa_runs runs;
    stoa_bitmap_values *sets;
    uint32_t *n_taken; /* for each set, how many of its values were merged */
} collecting;

static stoa_status collect_slice(void *context, uint64_t place, uint64_t first,
                                 const stoa_block *slice, stoa_error *err)
{
    const collecting *c = context;

    (void)first;
    return stoa_bitmap_values_add(&c->sets[place], c->column, slice, err);
}

static stoa_status unite_sets(void *context, uint64_t n_runs, uint64_t first, uint64_t end,
                              stoa_error *err)
{
    const collecting *c = context;

    (void)first;
    (void)end;
    for (uint64_t i = 0; i < n_runs; i++) {
        STOA_RETURN_NOT_OK(
            stoa_bitmap_values_unite(c->values, c->column, &c->sets[i], c->n_taken[i], err));
        c->n_taken[i] = c->sets[i].keys.count;
    }
    return STOA_OK;
}

/* Upper estimate of the memory for the distinct values of n_rows rows. */
static uint64_t set_bytes(const stoa_column *column, uint64_t n_rows)
{
    enum { TO_FIND = 40, LONG_TEXT = 1 << 10 }; /* bytes per value: bookkeeping; a long text */
    const uint64_t n = n_rows < STOA_BITMAP_MAX_VALUES ? n_rows : STOA_BITMAP_MAX_VALUES;
    const bool is_text = stoa_element_is_variable(&column->element);

    return n * ((is_text ? LONG_TEXT : column->element.size) + TO_FIND);
}

/* Add the distinct values of rows [first, n_rows) to `values`. */
static stoa_status collect(stoa_bitmap_values *values, stoa_column *column, uint64_t first,
                           uint64_t n_rows, const stoa_listener *listener, stoa_error *err)
{
    stoa_status status = STOA_OK;
    collecting c = {.column = column, .values = values};

    if (first >= n_rows) {
        return STOA_OK;
    }
    STOA_TRY(stoa_runs_open(&c.runs, column, stoa_index_chunk_rows(column, n_rows), 0,
                            set_bytes(column, n_rows - first), first, n_rows, err));
    c.sets = stoa_alloc_zero((size_t)c.runs.n_places, sizeof *c.sets);
    c.n_taken = stoa_alloc_zero((size_t)c.runs.n_places, sizeof *c.n_taken);
    STOA_TRY(c.sets != NULL && c.n_taken != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(
        stoa_runs_visit(&c.runs, "finding values", listener, collect_slice, unite_sets, &c, err));

done:
    for (uint64_t i = 0; c.sets != NULL && i < c.runs.n_places; i++) {
        stoa_bitmap_values_clear(&c.sets[i]);
    }
    free(c.sets);
    free(c.n_taken);
    stoa_runs_close(&c.runs);
    return status;
}

static stoa_status check_size(const stoa_column *column, uint64_t n_values, uint64_t n_rows,
                              stoa_error *err)
{
    return n_values <= max_values_of_large || n_values * stoa_bit_bytes(n_rows) <= small_bytes
               ? STOA_OK
               : stoa_fail(err, STOA_ERANGE,
                           "column '%s' has %llu distinct values in %llu rows; a bitmap index "
                           "(HEP001 §10.6) of more than %llu values and %llu MiB of bits does not "
                           "help; a sorted or bloom index may",
                           column->name, (unsigned long long)n_values, (unsigned long long)n_rows,
                           (unsigned long long)max_values_of_large,
                           (unsigned long long)(small_bytes >> 20));
}

/* Write values and bits, replacing the datasets' contents. */
static stoa_status fill(stoa_column *column, hid_t dataset, hid_t values_dataset,
                        const stoa_bitmap_values *values, uint64_t n_rows,
                        const stoa_listener *listener, stoa_error *err)
{
    writer w = {.dataset = dataset, .workers = column->workers};

    STOA_RETURN_NOT_OK(stoa_bitmap_values_write(values, column, values_dataset, err));
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, 0, 0, err));
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, values->n, stoa_bit_bytes(n_rows), err));
    STOA_RETURN_NOT_OK(
        stoa_bitmap_compute(column, values, 0, n_rows, listener, write_block, &w, err));
    STOA_RETURN_NOT_OK(
        stoa_attribute_write_bool(dataset, "ordered", stoa_column_is_ordered(column), err));
    STOA_RETURN_NOT_OK(stoa_attribute_write_bool(dataset, STOA_BITMAP_EXHAUSTIVE, !w.has_nan, err));
    return stoa_attribute_write_bool(dataset, STOA_BITMAP_COMPLETE, true, err);
}

static stoa_status bitmap_build(stoa_column *column, uint64_t n_rows, hid_t indexes,
                                const char *name, const stoa_index_options *options, hid_t *dataset,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_bitmap_values values = {.n = 0};
    hid_t made = H5I_INVALID_HID;
    hid_t beside = H5I_INVALID_HID;
    char *beside_name = NULL;

    *dataset = H5I_INVALID_HID;
    STOA_TRY(collect(&values, column, 0, n_rows, &options->listener, err));
    STOA_TRY(check_size(column, values.keys.count, n_rows, err));
    STOA_TRY(stoa_bitmap_values_settle(&values, column, err));
    STOA_TRY(stoa_byte_matrix_create(indexes, name, group_of(values.n), STOA_BITMAP_BLOCK_BYTES,
                                     "deflate:1", &made, err));
    STOA_TRY(stoa_index_describe(made, stoa_index_bitmap.kind, NULL, err));
    STOA_TRY(stoa_bitmap_values_create(column, indexes, name, &beside_name, &beside, err));
    STOA_TRY(
        stoa_references_write(made, "VALUES", &beside, 1, true, column->has_old_references, err));
    STOA_TRY(fill(column, made, beside, &values, n_rows, &options->listener, err));
    *dataset = made;
    made = H5I_INVALID_HID;

done:
    stoa_bitmap_values_clear(&values);
    status = stoa_hdf_close(&beside, status, err);
    status = stoa_hdf_close(&made, status, err);
    if (status != STOA_OK && beside_name != NULL) {
        /* The caller unlinks `name`; only this function knows the other name. */
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)stoa_unlink(indexes, beside_name);
        stoa_error_stack_discard(&errors);
    }
    free(beside_name);
    return status;
}

/* Updating ---------------------------------------------------------------------------------- */

/* Fewer rows (§11.4): values that no row holds any more remain and mark nothing. */
static stoa_status shrink(hid_t dataset, uint64_t n_values, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint64_t n_bytes = stoa_bit_bytes(n_rows);
    const uint8_t mask = (uint8_t)((1u << (n_rows % 8)) - 1);
    uint8_t *last = stoa_alloc((size_t)n_values, 1);

    STOA_TRY(last != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_byte_matrix_resize(dataset, n_values, n_bytes, err));
    if (n_rows % 8 != 0) {
        const stoa_byte_matrix_part window = {0, n_bytes - 1, n_values, 1};
        STOA_TRY(stoa_byte_matrix_read(dataset, &window, last, err));
        for (uint64_t i = 0; i < n_values; i++) {
            last[i] &= mask;
        }
        STOA_TRY(stoa_byte_matrix_write(dataset, &window, last, err));
    }

done:
    free(last);
    return status;
}

/* More rows without new values: write only their bits. */
static stoa_status grow(stoa_column *column, hid_t dataset, const stoa_bitmap_values *values,
                        uint64_t n_old, uint64_t n_rows, stoa_error *err)
{
    const uint64_t n_old_bytes = stoa_bit_bytes(n_old);
    writer w = {.dataset = dataset, .workers = column->workers, .fresh = n_old_bytes};

    /* Discard bits beyond the old rows, so that all-zero chunks need not be written there. */
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, values->n, n_old_bytes, err));
    STOA_RETURN_NOT_OK(stoa_byte_matrix_resize(dataset, values->n, stoa_bit_bytes(n_rows), err));
    STOA_RETURN_NOT_OK(
        stoa_bitmap_compute(column, values, n_old - n_old % 8, n_rows, NULL, write_block, &w, err));
    return w.has_nan ? stoa_attribute_write_bool(dataset, STOA_BITMAP_EXHAUSTIVE, false, err)
                     : STOA_OK;
}

/* New values sort between the old ones, so then the bitmap is rewritten in order (§10.6 `ordered`).
 * Only bitmaps written by Stoa are updated: others may share their values dataset (notes D6), and
 * changing it would damage them. */
static stoa_status bitmap_append(stoa_column *column, hid_t dataset, uint64_t n_old,
                                 uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_bitmap_values values = {.n = 0};
    stoa_byte_matrix_part all;
    bool complete = false;
    bool is_ours = false;
    hid_t beside = H5I_INVALID_HID;

    STOA_TRY(stoa_bitmap_accepts(column, err));
    STOA_TRY(stoa_bitmap_load(column, dataset, n_old, &values, &all, &complete, err));
    STOA_TRY(stoa_attribute_read_bool(dataset, STOA_BITMAP_COMPLETE, &is_ours, err));
    if (!is_ours || !values.is_ours) {
        STOA_FAIL(err, STOA_EDATA, "a bitmap index of column '%s' is not as Stoa writes them",
                  column->name);
    }
    STOA_TRY(stoa_bitmap_values_open(column, dataset, values.n, &beside, err));
    if (n_rows <= n_old) {
        STOA_TRY(shrink(dataset, values.n, n_rows, err));
        goto done;
    }
    STOA_TRY(collect(&values, column, n_old, n_rows, NULL, err));
    if (values.keys.count == values.n) {
        STOA_TRY(check_size(column, values.n, n_rows, err));
        STOA_TRY(grow(column, dataset, &values, n_old, n_rows, err));
        goto done;
    }
    stoa_bitmap_values_clear(&values);
    STOA_TRY(collect(&values, column, 0, n_rows, NULL, err));
    STOA_TRY(check_size(column, values.keys.count, n_rows, err));
    STOA_TRY(stoa_bitmap_values_settle(&values, column, err));
    STOA_TRY(fill(column, dataset, beside, &values, n_rows, NULL, err));

done:
    stoa_bitmap_values_clear(&values);
    return stoa_hdf_close(&beside, status, err);
}

/* Verifying --------------------------------------------------------------------------------- */

/* Values whose bits are read together. */
enum { VALUES_TOGETHER = 64 };

typedef struct comparison {
    const stoa_column *column;
    const stoa_bitmap_values *values;
    hid_t dataset;
    uint64_t n_rows;
    bool complete;
    bool zero_is_open;     /* see compare_value() */
    uint8_t *read;         /* stored bits of VALUES_TOGETHER values, one block */
    const uint8_t *stored; /* those of one of them */
    uint8_t *nan_marks;    /* for each NaN value, the enum nan_marks seen so far */
    bool same;
    char *problem;
} comparison;

/* A NaN must mark no row or every NaN row (notes D6). These flags record violations of either. */
enum nan_marks { NOT_NONE = 1, NOT_ALL = 2 };

static void tell_difference(comparison *c, uint64_t k, uint64_t row, bool marked)
{
    char text[64] = "NaN";

    if (!c->values->items[k].is_nan) {
        stoa_scalar_text(c->column, &c->values->items[k].scalar, text, sizeof text);
    }
    c->same = false;
    (void)snprintf(c->problem, 256,
                   "row %llu is %smarked under value %s, the column says %s (HEP001 §10.6)",
                   (unsigned long long)row, marked ? "" : "not ", text,
                   marked ? "it is not of that value" : "it is of that value");
}

/* Mask of the bits of a byte that are rows. Bits beyond NROWS are ignored. */
static unsigned rows_of_byte(const comparison *c, uint64_t byte)
{
    const uint64_t left = c->n_rows - 8 * byte;

    return left < 8 ? (1u << left) - 1 : 0xff;
}

/* Compare the bits of a NaN value. */
static void compare_nan(comparison *c, const stoa_bitmap_block *block, uint64_t k)
{
    for (uint64_t i = 0; i < block->n_bytes; i++) {
        const unsigned rows = rows_of_byte(c, block->first_byte + i);
        c->nan_marks[k] |= (c->stored[i] & rows) != 0 ? NOT_NONE : 0;
        c->nan_marks[k] |= ((c->stored[i] ^ block->nans[i]) & rows) != 0 ? NOT_ALL : 0;
    }
    if (c->nan_marks[k] == (NOT_NONE | NOT_ALL)) {
        c->same = false;
        (void)snprintf(c->problem, 256,
                       "value %llu is NaN and marks neither no row nor every NaN (HEP001 §10.6)",
                       (unsigned long long)k);
    }
}

/* Compare one value's bits of a block. The fill value marks missing rows. If it is a zero, the zero
 * of the other sign equals it, and may or may not mark them (notes D6). */
static void compare_value(comparison *c, const stoa_bitmap_block *block, uint64_t k)
{
    const stoa_bitmap_value *item = &c->values->items[k];
    const uint8_t *right = block->bits + k * block->n_bytes;
    const uint64_t first = 8 * block->first_byte;

    if (!item->is_fill && !c->zero_is_open &&
        memcmp(c->stored, right, (size_t)block->n_bytes) == 0) {
        return;
    }
    for (uint64_t i = 0; i < block->n_bytes && c->same; i++) {
        const unsigned missing = item->is_fill ? block->missing[i] : 0;
        unsigned wrong = c->stored[i] ^ (right[i] | missing);
        wrong &= c->zero_is_open ? ~missing : ~0u;
        for (unsigned bit = 0; wrong != 0 && bit < 8 && c->same; bit++) {
            const uint64_t row = first + 8 * i + bit;
            if ((wrong >> bit & 1) != 0 && row < c->n_rows) {
                tell_difference(c, k, row, (c->stored[i] >> bit & 1) != 0);
            }
        }
    }
}

static stoa_status compare_block(void *context, const stoa_bitmap_block *block, stoa_error *err)
{
    comparison *c = context;

    if (c->same && c->complete && block->n_unknown > 0) {
        c->same = false;
        (void)snprintf(c->problem, 256,
                       "the value of row %llu is not among the bitmap's values, which are said to "
                       "be complete",
                       (unsigned long long)block->first_unknown);
    }
    for (uint64_t first = 0; first < block->n_values && c->same; first += VALUES_TOGETHER) {
        const uint64_t left = block->n_values - first;
        const uint64_t n = left < VALUES_TOGETHER ? left : VALUES_TOGETHER;
        const stoa_byte_matrix_part window = {first, block->first_byte, n, block->n_bytes};
        STOA_RETURN_NOT_OK(stoa_byte_matrix_read(c->dataset, &window, c->read, err));
        for (uint64_t k = first; k < first + n && c->same; k++) {
            c->stored = c->read + (k - first) * block->n_bytes;
            (c->values->items[k].is_nan ? compare_nan : compare_value)(c, block, k);
        }
    }
    return STOA_OK;
}

static bool has_zero_fill(const stoa_column *column)
{
    const stoa_scalar fill = column->element.class == STOA_ELEMENT_FLOAT && column->fill != NULL
                                 ? stoa_scalar_of(column, column->fill)
                                 : (stoa_scalar){.kind = STOA_SCALAR_I64};

    return fill.kind == STOA_SCALAR_F64 && fill.as.f64 == 0.0;
}

/* STOA_ETYPE if no query could use it. */
static stoa_status bitmap_verify(stoa_column *column, hid_t dataset, uint64_t n_rows,
                                 const stoa_listener *listener, bool *same, char *problem,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_bitmap_values values = {.n = 0};
    stoa_byte_matrix_part all;
    stoa_error damage = STOA_ERROR_INIT;
    comparison c = {.column = column,
                    .values = &values,
                    .dataset = dataset,
                    .n_rows = n_rows,
                    .same = true,
                    .problem = problem};

    *same = true;
    problem[0] = '\0';
    STOA_TRY(stoa_bitmap_accepts(column, err));
    status = stoa_bitmap_load(column, dataset, n_rows, &values, &all, &c.complete, &damage);
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK || values.has_twins) {
        (void)snprintf(problem, 256, "%.255s",
                       status != STOA_OK ? damage.message
                                         : "a value stands twice in the bitmap (HEP001 §10.6)");
        status = STOA_OK;
        *same = false;
        goto done;
    }
    c.zero_is_open = has_zero_fill(column);
    c.read = stoa_alloc(STOA_BITMAP_BLOCK_BYTES, VALUES_TOGETHER);
    c.nan_marks = stoa_alloc_zero((size_t)values.n, 1);
    STOA_TRY(c.read != NULL && c.nan_marks != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_bitmap_compute(column, &values, 0, n_rows, listener, compare_block, &c, err));
    *same = c.same;

done:
    free(c.read);
    free(c.nan_marks);
    stoa_bitmap_values_clear(&values);
    return status;
}

static const char *const company[] = {"VALUES", NULL};

const stoa_index_kind stoa_index_bitmap = {
    .name = "bitmap",
    .kind = "BITMAP",
    .section = "HEP001 §10.6",
    .company = company,
    .accepts = stoa_bitmap_accepts,
    .build = bitmap_build,
    .append = bitmap_append,
    .verify = bitmap_verify,
    .open = stoa_bitmap_open,
    .estimate = stoa_bitmap_estimate,
    .prune = stoa_bitmap_prune,
    .rows = stoa_bitmap_rows,
    .close = stoa_bitmap_close,
};
