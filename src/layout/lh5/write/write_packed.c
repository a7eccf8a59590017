/* Lists of integers, packed by LEGEND's codecs (LH5 notes §6). encoded_data holds the bytes of each
 * row. decoded_size holds the number of samples of each row, or one number for all rows. Packing
 * runs on all processors. */
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/waveform.h"
#include "hdf/metadata/attributes.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/writer.h"

enum { ROWS_A_PART = 32, SAMPLES_AT_ONCE = 4 << 20 };

/* --- creating --------------------------------------------------------------------------------- */

static stoa_status make_bytes(stoa_lh5_sink *sink, uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    stoa_lh5_storage storage = sink->target->storage;

    STOA_TRY(stoa_lh5_make_group(sink->group, STOA_LH5_ENCODED, &group, err));
    STOA_TRY(stoa_lh5_write_text(group, "datatype", "array<1>{array<1>{real}}", err));
    storage.most_rows = n_rows;
    STOA_TRY(stoa_lh5_rows_make(group, STOA_LH5_LENGTHS, H5T_STD_U32LE, 1, NULL, "array<1>{real}",
                                &storage, &sink->rows, err));
    storage.chunk_rows = 0;
    storage.most_rows = UINT64_MAX;
    storage.level = 0; /* already packed; the Python writer does not deflate them either */
    STOA_TRY(stoa_lh5_rows_make(group, STOA_LH5_ITEMS, H5T_STD_U8LE, 1, NULL, "array<1>{real}",
                                &storage, &sink->bytes, err));

done:
    return stoa_hdf_close(&group, status, err);
}

/* Create the sizes of the rows. If all rows have the same size, it is one number, written at
 * once. */
static stoa_status make_sizes(stoa_lh5_sink *sink, bool is_equal, uint64_t n_rows, int32_t width,
                              stoa_error *err)
{
    stoa_lh5_storage storage = sink->target->storage;

    storage.most_rows = n_rows;
    return is_equal ? stoa_lh5_scalar_put(sink->group, STOA_LH5_DECODED_SIZE, H5T_STD_I64LE,
                                          H5T_NATIVE_INT32, &width, "real", err)
                    : stoa_lh5_rows_make(sink->group, STOA_LH5_DECODED_SIZE, H5T_STD_I64LE, 1, NULL,
                                         "array<1>{real}", &storage, &sink->sizes, err);
}

/* Write the shift in its original number type, if that type can hold every shift. */
static stoa_status write_shift(const stoa_lh5_sink *sink, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const double shift = sink->packing.shift;
    char *was = NULL;
    hid_t type = H5I_INVALID_HID;

    STOA_TRY(stoa_schema_get_text(sink->field, "lh5.attribute.codec_shift", &was, err));
    STOA_TRY(stoa_lh5_number_type(was != NULL ? was : "", STOA_KIND_FLOAT64, &type, err));
    const bool is_narrow = H5Tget_size(type) < sizeof(int32_t) ||
                           (H5Tget_class(type) == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE);
    STOA_TRY(stoa_attribute_write_scalar(sink->group, "codec_shift",
                                         is_narrow ? H5T_IEEE_F64LE : type, H5T_NATIVE_DOUBLE,
                                         &shift, err));

done:
    free(was);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_lh5_packed_make(stoa_lh5_sink *sink, hid_t parent, const char *name,
                                 uint64_t n_rows, stoa_error *err)
{
    stoa_type type;

    STOA_RETURN_NOT_OK(stoa_type_of(sink->field, &type, err));
    const bool is_equal = type.kind == STOA_KIND_FIXED_LIST;
    STOA_RETURN_NOT_OK(stoa_lh5_make_group(parent, name, &sink->group, err));
    STOA_RETURN_NOT_OK(stoa_lh5_write_text(sink->group, "datatype",
                                           is_equal
                                               ? "array_of_encoded_equalsized_arrays<1,1>{real}"
                                               : "array<1>{encoded_array<1>{real}}",
                                           err));
    STOA_RETURN_NOT_OK(
        stoa_lh5_write_text(sink->group, "codec", stoa_lh5_codec_name(sink->packing.codec), err));
    if (sink->packing.has_shift) {
        STOA_RETURN_NOT_OK(write_shift(sink, err));
    }
    STOA_RETURN_NOT_OK(make_sizes(sink, is_equal, n_rows, type.width, err));
    return make_bytes(sink, n_rows, err);
}

/* --- packing --------------------------------------------------------------------------------- */

/* The rows that are packed. */
typedef struct batch {
    const stoa_lh5_sink *sink;
    const stoa_view *lists;
    const stoa_view *samples;
    int64_t first; /* first row, an index into `lists` */
    int64_t count;
    uint8_t *bytes;  /* packed rows; gaps allow for each row's maximum size */
    size_t *begins;  /* offset of each row in `bytes` */
    size_t *n_bytes; /* actual size of each row */
} batch;

static size_t bound(const stoa_lh5_sink *sink, int64_t n)
{
    return sink->packing.codec == STOA_LH5_ULEB128 ? stoa_uleb128_bound((size_t)n)
                                                   : stoa_sigcompress_bound((size_t)n);
}

static stoa_status pack_row(const batch *b, int64_t row, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t first = 0;
    int64_t n = 0;
    int32_t *samples = NULL;
    const char *wrong = NULL;
    uint8_t *const to = b->bytes + b->begins[row];

    stoa_view_range(b->lists, b->first + row, &first, &n);
    samples = stoa_alloc((size_t)n, sizeof *samples);
    STOA_TRY(samples != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        samples[i] = (int32_t)stoa_view_i64(b->samples, first + i);
    }
    if (b->sink->packing.codec == STOA_LH5_ULEB128) {
        b->n_bytes[row] = stoa_uleb128_do(samples, (size_t)n, to);
    } else {
        wrong =
            stoa_sigcompress_do(samples, (size_t)n, b->sink->packing.shift, to, &b->n_bytes[row]);
    }
    if (wrong != NULL) {
        STOA_FAIL(err, STOA_ELOSS, "column '%s': row %llu %s", b->sink->field->name,
                  (unsigned long long)(b->sink->rows.extent[0] + (uint64_t)row), wrong);
    }

done:
    free(samples);
    return status;
}

static stoa_status pack_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const batch *const b = context;
    const int64_t from = (int64_t)part * ROWS_A_PART;
    const int64_t to = b->count - from < ROWS_A_PART ? b->count : from + ROWS_A_PART;

    (void)worker;
    for (int64_t i = from; status == STOA_OK && i < to; i++) {
        status = pack_row(b, i, err);
    }
    return status;
}

/* Close the gaps between the rows, and compute the end of each row. */
static stoa_status close_ranks(const batch *b, uint64_t n_before, uint32_t *ends, size_t *n_bytes,
                               stoa_error *err)
{
    *n_bytes = 0;
    for (int64_t i = 0; i < b->count; i++) {
        memmove(b->bytes + *n_bytes, b->bytes + b->begins[i], b->n_bytes[i]);
        *n_bytes += b->n_bytes[i];
        if (n_before + *n_bytes > UINT32_MAX) {
            return stoa_fail(err, STOA_ELOSS,
                             "column '%s' has more than 4 GiB of packed rows, which the lengths of "
                             "encoded arrays do not count; write fewer rows",
                             b->sink->field->name);
        }
        ends[i] = (uint32_t)(n_before + *n_bytes);
    }
    return STOA_OK;
}

static stoa_status write_rows(stoa_lh5_sink *sink, const batch *b, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t n_bytes = 0;
    uint32_t *ends = stoa_alloc((size_t)b->count, sizeof *ends);
    int64_t *sizes = stoa_alloc((size_t)b->count, sizeof *sizes);

    STOA_TRY(ends != NULL && sizes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(close_ranks(b, sink->n_items, ends, &n_bytes, err));
    for (int64_t i = 0; i < b->count; i++) {
        int64_t first = 0;
        stoa_view_range(b->lists, b->first + i, &first, &sizes[i]);
    }
    STOA_TRY(stoa_lh5_rows_put(&sink->bytes, H5T_NATIVE_UINT8, n_bytes, b->bytes, err));
    STOA_TRY(stoa_lh5_rows_put(&sink->rows, H5T_NATIVE_UINT32, (uint64_t)b->count, ends, err));
    if (sink->sizes.dataset >= 0) {
        STOA_TRY(stoa_lh5_rows_put(&sink->sizes, H5T_NATIVE_INT64, (uint64_t)b->count, sizes, err));
    }
    sink->n_items += n_bytes;

done:
    free(ends);
    free(sizes);
    return status;
}

/* Pack and write the rows of a batch. `n_bytes` is the bound of their packed size. */
static stoa_status put_rows(stoa_lh5_sink *sink, batch *b, size_t n_bytes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t at = 0;

    b->bytes = stoa_alloc(n_bytes, 1);
    b->begins = stoa_alloc((size_t)b->count, sizeof *b->begins);
    b->n_bytes = stoa_alloc((size_t)b->count, sizeof *b->n_bytes);
    STOA_TRY(b->bytes != NULL && b->begins != NULL && b->n_bytes != NULL ? STOA_OK
                                                                         : stoa_fail_memory(err));
    for (int64_t i = 0; i < b->count; i++) {
        int64_t first = 0;
        int64_t n = 0;
        stoa_view_range(b->lists, b->first + i, &first, &n);
        b->begins[i] = at;
        at += bound(sink, n);
    }
    STOA_TRY(stoa_workers_run_little(sink->target->workers,
                                     ((uint64_t)b->count + ROWS_A_PART - 1) / ROWS_A_PART,
                                     pack_part, b, err));
    STOA_TRY(write_rows(sink, b, err));

done:
    free(b->bytes);
    free(b->begins);
    free(b->n_bytes);
    return status;
}

stoa_status stoa_lh5_packed_put(stoa_lh5_sink *sink, const stoa_view *view, stoa_error *err)
{
    stoa_view samples;
    int64_t to = 0;

    STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &samples, err));
    for (int64_t from = 0; from < view->length; from = to) {
        size_t n_bytes = 0;
        int64_t n_samples = 0;
        for (to = from; to < view->length && (to == from || n_samples < SAMPLES_AT_ONCE); to++) {
            int64_t first = 0;
            int64_t n = 0;
            stoa_view_range(view, to, &first, &n);
            n_samples += n;
            n_bytes += bound(sink, n);
        }
        batch b = {
            .sink = sink, .lists = view, .samples = &samples, .first = from, .count = to - from};
        STOA_RETURN_NOT_OK(put_rows(sink, &b, n_bytes, err));
    }
    return STOA_OK;
}
