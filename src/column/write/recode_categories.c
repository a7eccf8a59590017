#include "column/write/recode_categories.h"

#include <stdlib.h>

#include "column/read/block.h"
#include "column/type/create_column.h"
#include "core/memory.h"
#include "hdf/metadata/libhdf5_checks.h"

/* Get the code of a row of a block that is not missing, and check that it has a label. */
static stoa_status code_at(const stoa_column *column, const stoa_view *view, uint64_t first,
                           int64_t i, uint64_t n, uint64_t *code, stoa_error *err)
{
    /* A negative code becomes larger than any count. */
    *code = (uint64_t)stoa_view_i64(view, i);
    return *code < n ? STOA_OK
                     : stoa_fail(err, STOA_EDATA,
                                 "row %llu of '%s' holds a code without a label (HEP001 §8.7); "
                                 "see stoa check",
                                 (unsigned long long)first + (unsigned long long)i, column->name);
}

typedef struct usage {
    const stoa_column *column;
    bool *used;
    uint64_t n;
} usage;

static stoa_status mark_used(void *context, uint64_t first, const stoa_view *view, stoa_error *err)
{
    const usage *codes = context;
    uint64_t code = 0;

    for (int64_t i = 0; i < view->length; i++) {
        if (!stoa_view_is_null(view, i)) {
            STOA_RETURN_NOT_OK(code_at(codes->column, view, first, i, codes->n, &code, err));
            codes->used[code] = true;
        }
    }
    return STOA_OK;
}

stoa_status stoa_column_used_codes(stoa_column *column, uint64_t n_rows, bool *used, uint64_t n,
                                   stoa_error *err)
{
    return stoa_column_visit(column, 0, n_rows, mark_used, &(usage){column, used, n}, err);
}

typedef struct recoding {
    const stoa_column *column;
    const int64_t *codes;
    uint64_t n;
    hid_t mem_type; /* 64 bits, signed like the dataset's; a library type */
    int64_t fill;   /* of the dataset, in mem_type */
    stoa_chunk_writer writer;
} recoding;

static stoa_status recode_block(void *context, uint64_t first, const stoa_view *view,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    recoding *to = context;
    int64_t *codes = stoa_alloc((size_t)view->length, sizeof *codes);
    uint64_t code = 0;

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < view->length; i++) {
        codes[i] = to->fill;
        if (!stoa_view_is_null(view, i)) {
            STOA_TRY(code_at(to->column, view, first, i, to->n, &code, err));
            codes[i] = to->codes[code];
        }
    }
    STOA_TRY(stoa_chunk_writer_write(&to->writer, first, (uint64_t)view->length, codes, err));

done:
    free(codes);
    return status;
}

static stoa_status check_dataset(recoding *to, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    to->mem_type = H5Tget_sign(type) == H5T_SGN_NONE ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    STOA_HDF(err, H5Pget_fill_value(dcpl, to->mem_type, &to->fill), "read the fill value");
    STOA_TRY(stoa_chunk_writer_open(&to->writer, dataset, to->mem_type, err));

done:
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_column_recode_categories(stoa_column *column, uint64_t n_rows,
                                          const int64_t *codes, uint64_t n, uint64_t n_labels,
                                          hid_t *dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_domain span = {.n_values = n_labels,
                              .has_positive = n_labels > 0,
                              .high = n_labels > 0 ? n_labels - 1 : 0};
    const stoa_storage contiguous = {.extent = column->extent, .codec = "none"};
    recoding to = {column, codes, n, H5I_INVALID_HID, 0, STOA_CHUNK_WRITER_INIT};

    const stoa_rewriting how = {.n_labels = n_labels,
                                .extent = column->extent,
                                .storage = column->chunk_rows == 0 ? &contiguous : NULL};
    STOA_TRY(stoa_column_rewrite_dataset(column, &span, &how, NULL, dataset, err));
    STOA_TRY(check_dataset(&to, *dataset, err));
    STOA_TRY(stoa_column_visit(column, 0, n_rows, recode_block, &to, err));
    STOA_TRY(stoa_chunk_writer_flush(&to.writer, err));

done:
    stoa_chunk_writer_close(&to.writer);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(dataset, status, NULL);
    }
    return stoa_at(err, status, "%s", column->name);
}
