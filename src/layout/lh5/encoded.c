/*
 * Encoded arrays (LH5, "Encoded arrays"; LH5 notes §6): encoded_data holds a vector of bytes for
 * each row, which decoded_size samples are packed in; decoding runs on all processors.
 */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "codec/waveform.h"
#include "core/memory.h"
#include "core/threads.h"
#include "hdf/attributes.h"
#include "layout/lh5/lh5.h"

typedef enum waveform_codec { CODEC_ULEB128, CODEC_SIGCOMPRESS } waveform_codec;

typedef struct encoded {
    stoa_column *lengths; /* of the vectors of bytes */
    stoa_column *bytes;
    stoa_column *sizes; /* of ragged rows; NULL: all have `size` */
    uint64_t size;
    waveform_codec codec;
    int32_t shift;
    const stoa_waveform_kernels *kernels;
    stoa_workers *workers; /* opened when they are first needed */
    stoa_scratch scratch;
    stoa_blocks *blocks; /* for samples */
} encoded;

/* Of the scratch: where the bytes of rows begin, where their samples do, and the bytes. */
enum { PLACES_BLOCK, ROWS_BLOCK, BYTES_BLOCK };
static const size_t most_left = (size_t)8 << 20; /* of it, between batches */

/* Memory of batches that were released, kept for those to come: of a few. */
static const size_t most_idle = (size_t)32 << 20;

/* What is larger than a batch's is not kept. */
static void leave_scratch(stoa_scratch *scratch)
{
    size_t n = 0;

    for (size_t i = 0; i < sizeof scratch->sizes / sizeof scratch->sizes[0]; i++) {
        n += scratch->sizes[i];
    }
    if (n > most_left) {
        stoa_scratch_clear(scratch);
    }
}

/* --- decoding -------------------------------------------------------------------------------- */

/* Rows at work: those of a range. */
typedef struct batch {
    const encoded *is;
    uint64_t first; /* row, for messages */
    uint64_t count;
    const uint8_t *bytes;
    const int64_t *offsets;  /* where each row's bytes begin; one more than there are rows */
    const uint64_t *samples; /* the same of its samples */
    int32_t *out;
} batch;

enum { ROWS_A_PART = 32 };

/* No row holds more samples than that: a number takes a byte or more, a block of 128 samples six
 * (LH5 notes §6.2). */
static uint64_t most_samples(const encoded *is, uint64_t n_bytes)
{
    if (is->codec == CODEC_ULEB128) {
        return n_bytes;
    }
    const uint64_t most = n_bytes / 6 * 128;
    return most < UINT16_MAX ? most : UINT16_MAX;
}

static stoa_status decode_row(const batch *b, uint64_t i, stoa_error *err)
{
    const int64_t begin = b->offsets[i];
    const size_t n_bytes = (size_t)(b->offsets[i + 1] - begin);
    const size_t n = (size_t)(b->samples[i + 1] - b->samples[i]);
    int32_t *const out = b->out + b->samples[i];
    const encoded *const is = b->is;
    const char *const wrong =
        is->codec == CODEC_ULEB128
            ? is->kernels->undo_uleb128(b->bytes + begin, n_bytes, out, n)
            : is->kernels->undo_sigcompress(b->bytes + begin, n_bytes, is->shift, out, n);

    return wrong == NULL ? STOA_OK
                         : stoa_fail(err, STOA_EDATA, "encoded row %llu %s (LH5, data compression)",
                                     (unsigned long long)(b->first + i), wrong);
}

static stoa_status decode_part(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const batch *const b = context;
    const uint64_t from = part * ROWS_A_PART;
    const uint64_t to = b->count - from < ROWS_A_PART ? b->count : from + ROWS_A_PART;

    (void)worker;
    for (uint64_t i = from; status == STOA_OK && i < to; i++) {
        status = decode_row(b, i, err);
    }
    return status;
}

/* Samples of each row, as a column says. */
static stoa_status read_sizes(const encoded *is, uint64_t first, uint64_t count, uint64_t *starts,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view sizes;

    STOA_TRY(stoa_column_schema(is->sizes, &schema, err));
    STOA_TRY(stoa_column_read(is->sizes, first, count, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &sizes, err));
    for (uint64_t i = 0; i < count; i++) {
        starts[i] = (uint64_t)stoa_view_i64(&sizes, (int64_t)i);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

/* Where each row's samples begin; refused where its bytes cannot hold them. */
static stoa_status place_rows(const encoded *is, uint64_t first, uint64_t count,
                              const int64_t *offsets, uint64_t *starts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t n_samples = 0;

    if (is->sizes != NULL) {
        STOA_TRY(read_sizes(is, first, count, starts, err));
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t n = is->sizes != NULL ? starts[i] : is->size;
        const uint64_t n_bytes = (uint64_t)(offsets[i + 1] - offsets[i]);
        if (n > most_samples(is, n_bytes)) {
            STOA_FAIL(err, STOA_EDATA,
                      "encoded row %llu of %llu bytes cannot hold the %llu samples that "
                      "decoded_size says",
                      (unsigned long long)(first + i), (unsigned long long)n_bytes,
                      (unsigned long long)n);
        }
        starts[i] = n_samples;
        n_samples += n;
    }
    starts[count] = n_samples;

done:
    return status;
}

static stoa_status decode(encoded *is, const stoa_lh5_span *span, batch *b, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *const bytes = stoa_scratch_block(&is->scratch, BYTES_BLOCK, (size_t)span->count);

    STOA_TRY(bytes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_column_read_into(is->bytes, span->first, span->count, bytes, err));
    b->bytes = bytes;
    if (is->workers == NULL) {
        STOA_TRY(stoa_workers_open(0, &is->workers, err));
    }
    STOA_TRY(stoa_workers_run_little(is->workers, (b->count + ROWS_A_PART - 1) / ROWS_A_PART,
                                     decode_part, b, err));

done:
    return status;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Lists of the samples, which are moved from: of fixed length, or with offsets. */
static stoa_status make_lists(const encoded *is, uint64_t count, const uint64_t *starts,
                              struct ArrowArray *samples, struct ArrowArray *out, stoa_error *err)
{
    int32_t *offsets = NULL;

    if (is->sizes == NULL) {
        return stoa_array_list(out, (int64_t)count, 0, 1, (void *const[]){NULL}, samples, err);
    }
    offsets = stoa_alloc((size_t)count + 1, sizeof *offsets);
    if (offsets == NULL) {
        stoa_array_release(samples);
        return stoa_fail_memory(err);
    }
    for (uint64_t i = 0; i <= count; i++) {
        offsets[i] = (int32_t)starts[i];
    }
    return stoa_array_list(out, (int64_t)count, 0, 2, (void *const[]){NULL, offsets}, samples, err);
}

static stoa_status read_decoded(void *context, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    encoded *const is = context;
    stoa_lh5_span span;
    int32_t *samples = NULL;
    struct ArrowArray items = {.release = NULL};

    out->release = NULL;
    STOA_TRY(count < SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    const size_t size = ((size_t)count + 1) * sizeof(int64_t);
    int64_t *const offsets =
        (int64_t *)(void *)stoa_scratch_block(&is->scratch, PLACES_BLOCK, size);
    uint64_t *const starts = (uint64_t *)(void *)stoa_scratch_block(&is->scratch, ROWS_BLOCK, size);
    STOA_TRY(offsets != NULL && starts != NULL ? STOA_OK : stoa_fail_memory(err));
    const stoa_lh5_numbers lengths = {is->lengths, NULL};
    STOA_TRY(stoa_lh5_read_offsets(&lengths, first, count, is->bytes->n_rows, is->blocks, true,
                                   offsets, &span, err));
    STOA_TRY(place_rows(is, first, count, offsets, starts, err));
    if (is->sizes != NULL && starts[count] > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE,
                  "%llu samples at once are more than a list has; read fewer rows",
                  (unsigned long long)starts[count]);
    }
    STOA_TRY(starts[count] < SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    samples = stoa_blocks_take(is->blocks, (size_t)starts[count] * sizeof *samples);
    STOA_TRY(samples != NULL ? STOA_OK : stoa_fail_memory(err));
    batch b = {.is = is, first, count, NULL, offsets, starts, samples};
    STOA_TRY(decode(is, &span, &b, err));
    void *const buffers[] = {NULL, samples};
    samples = NULL;
    STOA_TRY(stoa_array_make_of_blocks(&items, (int64_t)starts[count], 0, 2, buffers, err));
    STOA_TRY(make_lists(is, count, starts, &items, out, err));

done:
    stoa_blocks_give_back(samples);
    leave_scratch(&is->scratch);
    return status;
}

static void close_encoded(void *context)
{
    encoded *const is = context;

    stoa_column_close(is->lengths);
    stoa_column_close(is->bytes);
    stoa_column_close(is->sizes);
    stoa_workers_close(is->workers);
    stoa_scratch_clear(&is->scratch);
    stoa_blocks_close(is->blocks);
    free(is);
}

/* --- opening --------------------------------------------------------------------------------- */

stoa_status stoa_lh5_read_shift(hid_t group, double *shift, bool *found, stoa_error *err)
{
    int64_t whole = 0;
    stoa_status status =
        stoa_attribute_read_scalar(group, "codec_shift", H5T_NATIVE_DOUBLE, shift, found, NULL);

    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    if (status != STOA_OK) { /* integers are of another class */
        status =
            stoa_attribute_read_scalar(group, "codec_shift", H5T_NATIVE_INT64, &whole, found, err);
        *shift = (double)whole;
    }
    return status;
}

static stoa_status read_codec(hid_t group, encoded *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *codec = NULL;
    double shift = 0;
    bool found = false;

    STOA_TRY(stoa_attribute_read_text(group, "codec", &codec, err));
    if (codec == NULL) {
        STOA_FAIL(err, STOA_EDATA, "attribute 'codec' does not say how it is encoded (LH5)");
    }
    if (strcmp(codec, "radware_sigcompress") == 0) {
        is->codec = CODEC_SIGCOMPRESS;
    } else if (strcmp(codec, "uleb128_zigzag_diff") == 0 || strcmp(codec, "varlend_diff1") == 0) {
        is->codec = CODEC_ULEB128;
    } else {
        STOA_FAIL(err, STOA_EDATA,
                  "its codec '%.40s' is none that Stoa knows: radware_sigcompress, "
                  "uleb128_zigzag_diff (LH5, data compression)",
                  codec);
    }
    STOA_TRY(stoa_lh5_read_shift(group, &shift, &found, err));
    if (!(shift >= INT32_MIN && shift <= INT32_MAX) || shift != (double)(int32_t)shift) {
        STOA_FAIL(err, STOA_EDATA, "attribute 'codec_shift' is no 32-bit integer");
    }
    is->shift = (int32_t)shift;

done:
    free(codec);
    return status;
}

/* One number for all rows. */
static stoa_status read_size(const stoa_column *sizes, encoded *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint64_t size = 0;

    STOA_TRY(sizes->n_rows == 1 ? read_sizes(is, 0, 1, &size, err) : STOA_OK);
    if (sizes->n_rows != 1 || size > INT32_MAX) {
        STOA_FAIL(err, STOA_EDATA, "decoded_size is not one number of samples (LH5 notes §1.1)");
    }
    is->size = size;

done:
    return status;
}

static stoa_status open_bytes(hid_t group, encoded *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t data = stoa_object_open(group, STOA_LH5_ENCODED);

    if (data < 0) {
        STOA_FAIL(err, STOA_EDATA, "there is no 'encoded_data'");
    }
    STOA_TRY(stoa_lh5_open_numbers(data, STOA_LH5_LENGTHS, &is->lengths, err));
    STOA_TRY(stoa_lh5_open_numbers(data, STOA_LH5_ITEMS, &is->bytes, err));
    if (is->lengths->element.class != STOA_ELEMENT_INTEGER ||
        is->bytes->element.class != STOA_ELEMENT_INTEGER || is->bytes->element.size != 1) {
        STOA_FAIL(err, STOA_EDATA, "'encoded_data' is no vector of vectors of bytes");
    }

done:
    return stoa_hdf_close(&data, status, err);
}

static stoa_status open_parts(hid_t group, bool is_equal, encoded *is, stoa_error *err)
{
    stoa_status status = STOA_OK;

    is->kernels = stoa_waveform_kernels_of(stoa_simd_of_cpu());
    STOA_TRY(stoa_blocks_open(most_idle, &is->blocks, err));
    STOA_TRY(read_codec(group, is, err));
    STOA_TRY(open_bytes(group, is, err));
    STOA_TRY(stoa_lh5_open_numbers(group, STOA_LH5_DECODED_SIZE, &is->sizes, err));
    if (is->sizes->element.class != STOA_ELEMENT_INTEGER) {
        STOA_FAIL(err, STOA_EDATA, "decoded_size is of %s, not integers", is->sizes->element.text);
    }
    if (is_equal) {
        STOA_TRY(read_size(is->sizes, is, err));
        stoa_column_close(is->sizes);
        is->sizes = NULL;
    } else if (is->sizes->n_rows != is->lengths->n_rows) {
        STOA_FAIL(err, STOA_EDATA, "decoded_size has %llu rows, encoded_data %llu",
                  (unsigned long long)is->sizes->n_rows, (unsigned long long)is->lengths->n_rows);
    }

done:
    return status;
}

stoa_status stoa_lh5_open_encoded(hid_t group, const char *name, bool is_equal,
                                  stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    encoded *is = stoa_alloc_zero(1, sizeof *is);
    struct ArrowSchema schema = {.release = NULL};
    stoa_type type = {.kind = is_equal ? STOA_KIND_FIXED_LIST : STOA_KIND_LIST};

    *column = NULL;
    STOA_TRY(is != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_parts(group, is_equal, is, err));
    type.width = (int32_t)is->size;
    STOA_TRY(stoa_schema_make_type(&schema, name, &type, err));
    STOA_TRY(stoa_schema_children(&schema, 1, err));
    STOA_TRY(stoa_schema_make(schema.children[0], "item", "i", err));
    const stoa_column_source source = {
        .read_array = read_decoded, .close = close_encoded, .context = is};
    const uint64_t n_rows = is->lengths->n_rows;
    is = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    if (is != NULL) {
        close_encoded(is);
    }
    stoa_schema_release(&schema);
    return status;
}
