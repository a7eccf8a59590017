#include "index/sorted/sorted_store.h"

#include <stdio.h>
#include <stdlib.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"

static const char values_name[] = STOA_SORTED_VALUES;
static const char fences_name[] = STOA_SORTED_FENCES;

enum {
    SMALL_CHUNK = 4096,  /* ranks, for a short index */
    LARGE_CHUNK = 32768, /* for more than LONG_ROWS rows */
    LONG_ROWS = 1 << 16,
    BLOCK_BYTES = 1 << 20
};

uint64_t stoa_sorted_block(const stoa_column *column)
{
    const uint64_t fitting = BLOCK_BYTES / column->element.size;

    return fitting >= LARGE_CHUNK ? LARGE_CHUNK : fitting > 0 ? fitting : 1;
}

uint64_t stoa_sorted_chunk(uint64_t n_rows)
{
    return n_rows > LONG_ROWS ? LARGE_CHUNK : SMALL_CHUNK;
}

/* --- Creating -------------------------------------------------------------------------------- */

/* Get the datatype of values in the file. */
static stoa_status get_types(stoa_sorted_store *store, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t stored = H5I_INVALID_HID;

    STOA_HDF(err, stored = H5Dget_type(store->column->dataset), "get the type of column '%s'",
             store->column->name);
    /* A copy is transient even if the column has a named datatype. */
    STOA_HDF(err, store->value_type = H5Tcopy(stored), "copy the type of column '%s'",
             store->column->name);

done:
    return stoa_hdf_close(&stored, status, err);
}

static void begin_store(stoa_sorted_store *store, stoa_column *column)
{
    *store = (stoa_sorted_store){.column = column,
                                 .rows = H5I_INVALID_HID,
                                 .values = H5I_INVALID_HID,
                                 .fences = H5I_INVALID_HID,
                                 .value_type = H5I_INVALID_HID};
}

stoa_status stoa_sorted_describe(const stoa_sorted_store *store, uint64_t memory, stoa_error *err)
{
    char parameters[64];

    (void)snprintf(parameters, sizeof parameters, "fences = %s, memory = %llu",
                   store->is_bare ? "false" : "true", (unsigned long long)memory);
    return stoa_index_describe(store->rows, STOA_SORTED_KIND, parameters, err);
}

stoa_status stoa_sorted_create(stoa_sorted_store *store, stoa_column *column, hid_t indexes,
                               uint64_t n_rows, bool bare, stoa_error *err)
{
    const bool is_narrow = n_rows <= (uint64_t)UINT32_MAX + 1;

    begin_store(store, column);
    store->is_bare = bare;
    STOA_RETURN_NOT_OK(stoa_sorted_remember(store, err));
    STOA_RETURN_NOT_OK(stoa_index_dataset(indexes, NULL, is_narrow ? H5T_STD_U32LE : H5T_STD_U64LE,
                                          stoa_sorted_chunk(n_rows), true, &store->rows, err));
    store->max_row = is_narrow ? UINT32_MAX : UINT64_MAX;
    return stoa_attribute_write_bool(store->rows, "ordered", true, err);
}

stoa_status stoa_sorted_name(const stoa_sorted_store *store, hid_t indexes, const char *name,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *made = NULL;

    STOA_TRY(stoa_index_free_name(indexes, name, &made, err));
    STOA_HDF(err, stoa_link_nameless(store->rows, indexes, made, H5P_DEFAULT),
             "name a sorted index '%s'", made);

done:
    free(made);
    return status;
}

stoa_status stoa_sorted_resize(stoa_sorted_store *store, uint64_t n_rows, uint64_t n_missing,
                               uint64_t n_nan, stoa_error *err)
{
    stoa_chunk_writer *writer = NULL;

    if (n_rows > 0 && n_rows - 1 > store->max_row) {
        return stoa_fail(err, STOA_ERANGE, "a sorted index of %llu rows needs a wider datatype",
                         (unsigned long long)n_rows);
    }
    store->n_rows = n_rows;
    store->n_missing = n_missing;
    store->n_nan = n_nan;
    STOA_RETURN_NOT_OK(stoa_sorted_writer(store, &writer, err));
    STOA_RETURN_NOT_OK(stoa_chunk_writer_resize(writer, n_rows, err));
    STOA_RETURN_NOT_OK(stoa_attribute_write_u64(store->rows, "fill_tail_length", n_missing, err));
    return stoa_attribute_write_u64(store->rows, "nan_tail_length", n_nan, err);
}

stoa_status stoa_sorted_fence(const stoa_sorted_store *store, const stoa_fences *fences,
                              stoa_error *err)
{
    return store->is_bare ? STOA_OK : stoa_fences_write(fences, store->rows, err);
}

/* --- Opening --------------------------------------------------------------------------------- */

/* Check the permutation: unsigned, wide enough and long enough. Surplus length is residue (§11.1,
 * notes A3). */
static stoa_status check_rows(stoa_sorted_store *store, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    uint64_t length = 0;

    STOA_HDF(err, type = H5Dget_type(store->rows), "get the type of a sorted index");
    if (H5Tget_class(type) != H5T_INTEGER || H5Tget_sign(type) != H5T_SGN_NONE) {
        STOA_FAIL(err, STOA_EDATA,
                  "the datatype of a sorted index is no unsigned integer (HEP001 §10.5)");
    }
    const size_t bits = H5Tget_precision(type);
    store->max_row = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    if (store->n_rows > 0 && store->n_rows - 1 > store->max_row) {
        STOA_FAIL(err, STOA_EDATA,
                  "the datatype of a sorted index cannot address %llu rows (HEP001 §10.5)",
                  (unsigned long long)store->n_rows);
    }
    STOA_TRY(stoa_index_length(store->rows, "a sorted index", "HEP001 §10.5", &length, err));
    if (length < store->n_rows) {
        STOA_FAIL(err, STOA_EDATA,
                  "a sorted index has %llu entries, the table %llu rows (HEP001 "
                  "§10.5)",
                  (unsigned long long)length, (unsigned long long)store->n_rows);
    }
    store->has_residue = length > store->n_rows;

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status read_tail(const stoa_sorted_store *store, const char *name, uint64_t *length,
                             stoa_error *err)
{
    bool found = false;

    STOA_RETURN_NOT_OK(stoa_attribute_read_u64(store->rows, name, length, &found, err));
    if (!found) {
        return stoa_fail(err, STOA_EDATA, "a sorted index has no attribute '%s' (HEP001 §10.5)",
                         name);
    }
    return STOA_OK;
}

static stoa_status check_attributes(stoa_sorted_store *store, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_column *column = store->column;
    hid_t boolean = H5I_INVALID_HID;
    int8_t ordered = 0;
    bool found = false;

    STOA_TRY(read_tail(store, "fill_tail_length", &store->n_missing, err));
    STOA_TRY(read_tail(store, "nan_tail_length", &store->n_nan, err));
    if (store->n_missing > store->n_rows || store->n_nan > store->n_rows - store->n_missing) {
        STOA_FAIL(err, STOA_EDATA,
                  "the tails of a sorted index hold more than its %llu rows "
                  "(HEP001 §10.5)",
                  (unsigned long long)store->n_rows);
    }
    if ((store->n_nan > 0 && column->element.class != STOA_ELEMENT_FLOAT) ||
        (store->n_missing > 0 && (column->fill == NULL || column->fill_is_nan))) {
        STOA_FAIL(err, STOA_EDATA,
                  "a sorted index has a tail that its column cannot have (HEP001 §10.5)");
    }
    STOA_TRY(stoa_boolean_type(&boolean, err));
    STOA_TRY(stoa_attribute_read_scalar(store->rows, "ordered", boolean, &ordered, &found, err));
    if (!found || ordered != 1) {
        STOA_FAIL(err, STOA_EDATA, "a sorted index does not say that it is ordered (HEP001 §10.5)");
    }

done:
    return stoa_hdf_close(&boolean, status, err);
}

bool stoa_sorted_is_old(hid_t dataset)
{
    return stoa_attribute_exists(dataset, values_name) ||
           stoa_attribute_exists(dataset, fences_name);
}

/* Open a covering dataset; *dataset stays invalid if there is none. */
static stoa_status open_cover(stoa_sorted_store *store, const char *name, uint64_t n_needed,
                              hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = NULL;
    size_t n = 0;
    hid_t type = H5I_INVALID_HID;
    uint64_t length = 0;

    STOA_TRY(stoa_references_read(store->rows, name, &targets, &n, err));
    if (n == 0) {
        goto done;
    }
    if (n != 1 || targets[0] < 0 || H5Iget_type(targets[0]) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "'%s' does not lead to a dataset", name);
    }
    STOA_HDF(err, type = H5Dget_type(targets[0]), "get the type of '%s'", name);
    if (H5Tequal(type, store->value_type) <= 0) {
        STOA_FAIL(err, STOA_EDATA, "the datatype of '%s' differs from the column's", name);
    }
    STOA_TRY(stoa_index_length(targets[0], name, "HEP001 §10.5", &length, err));
    if (length < n_needed) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has %llu entries, it needs %llu", name,
                  (unsigned long long)length, (unsigned long long)n_needed);
    }
    STOA_TRY(stoa_chunks_check(targets[0], err));
    store->has_residue = store->has_residue || length > n_needed;
    *dataset = targets[0];
    targets[0] = H5I_INVALID_HID;

done:
    for (size_t i = 0; i < n; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
    return stoa_hdf_close(&type, status, err);
}

/* Open both covering datasets. If either is damaged, both are ignored. */
static stoa_status open_covers(stoa_sorted_store *store, char *flaw, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error damage = STOA_ERROR_INIT;
    const uint64_t n_ordered = stoa_sorted_n_ordered(store);

    status = open_cover(store, values_name, n_ordered, &store->values, &damage);
    if (status == STOA_OK) {
        status = open_cover(store, fences_name, stoa_sorted_n_fences(n_ordered), &store->fences,
                            &damage);
    }
    if (status == STOA_OK && (store->values >= 0) != (store->fences >= 0)) {
        status =
            stoa_fail(&damage, STOA_EDATA, "'%s' and '%s' come together", values_name, fences_name);
    }
    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK) {
        (void)stoa_hdf_close(&store->values, STOA_OK, NULL);
        (void)stoa_hdf_close(&store->fences, STOA_OK, NULL);
    }
    if (flaw != NULL) {
        (void)snprintf(flaw, 256, "%.255s", status != STOA_OK ? damage.message : "");
    }
    return STOA_OK;
}

stoa_status stoa_sorted_accepts(const stoa_column *column, stoa_error *err)
{
    return stoa_column_is_ordered(column)
               ? STOA_OK
               : stoa_fail(err, STOA_ETYPE,
                           "column '%s' of %s has no order, so it cannot have a sorted index "
                           "(HEP001 §10.5)",
                           column->name, column->element.text);
}

stoa_status stoa_sorted_open(stoa_sorted_store *store, stoa_column *column, hid_t dataset,
                             uint64_t n_rows, char *flaw, stoa_error *err)
{
    begin_store(store, column);
    store->n_rows = n_rows;
    STOA_RETURN_NOT_OK(stoa_sorted_remember(store, err));
    STOA_RETURN_NOT_OK(stoa_sorted_accepts(column, err));
    STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(dataset), "share a sorted index");
    store->rows = dataset;
    STOA_RETURN_NOT_OK(get_types(store, err));
    STOA_RETURN_NOT_OK(check_rows(store, err));
    STOA_RETURN_NOT_OK(check_attributes(store, err));
    store->is_bare = !stoa_attribute_exists(dataset, STOA_SORTED_HINTS);
    return open_covers(store, flaw, err);
}

stoa_status stoa_sorted_close(stoa_sorted_store *store, stoa_status status, stoa_error *err)
{
    stoa_sorted_forget(store);
    status = stoa_hdf_close(&store->value_type, status, err);
    status = stoa_hdf_close(&store->fences, status, err);
    status = stoa_hdf_close(&store->values, status, err);
    return stoa_hdf_close(&store->rows, status, err);
}
