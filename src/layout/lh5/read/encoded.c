/* Encoded arrays (LH5, "Encoded arrays"; LH5 notes §6). Each row of encoded_data is a vector of
 * bytes that holds decoded_size packed samples. Decoding runs on all processors. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "codec/kernels/waveform.h"
#include "column/list/offsets.h"
#include "column/read/decode.h"
#include "core/memory.h"
#include "core/threads.h"
#include "hdf/metadata/attributes.h"
#include "layout/lh5/read/lh5.h"

typedef enum waveform_codec { CODEC_ULEB128, CODEC_SIGCOMPRESS } waveform_codec;

typedef struct encoded {
    stoa_list bytes;    /* of the rows */
    stoa_column *sizes; /* of ragged rows; NULL: every row has `size` samples */
    uint64_t size;
    waveform_codec codec;
    int32_t shift;
    const stoa_waveform_kernels *kernels;
    stoa_workers *workers;    /* opened on first use */
    stoa_buffer_pool *blocks; /* for the samples and the encoded input */
} encoded;

/* Upper bound of the memory kept from released batches for later ones, see column/list/reader.c. */
static const size_t most_idle = (size_t)32 << 20;

/* --- decoding -------------------------------------------------------------------------------- */

/* The rows that are decoded, with their input. The buffers come from `blocks`. */
typedef struct batch {
    encoded *is;
    stoa_scratch *scratches[2]; /* of this thread, to read without libhdf5; NULL: through libhdf5 */
    uint64_t first;             /* first row, for messages */
    uint64_t count;
    uint8_t *bytes;
    int64_t *offsets;  /* start of each row's bytes; count + 1 entries */
    uint64_t *samples; /* start of each row's samples; count + 1 entries */
    int32_t *out;
} batch;

enum { ROWS_A_PART = 32 };

/* Upper bound of the samples of a row. ULEB128 needs at least one byte for a sample; sigcompress
 * needs at least six for a block of 128 samples (LH5 notes §6.2). */
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

/* Read the numbers of samples of rows. */
static stoa_status read_sizes(const encoded *is, stoa_scratch *scratch, uint64_t first,
                              uint64_t count, uint64_t *sizes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_list_numbers numbers = {is->sizes, scratch};
    stoa_view view = {.type = is->sizes->type, .length = (int64_t)count};
    void *stored = NULL;

    if (!stoa_column_is_values(is->sizes)) {
        STOA_FAIL(err, STOA_EDATA, "decoded_size is of %s, not numbers", is->sizes->element.text);
    }
    stored = stoa_buffer_pool_get(is->blocks, (size_t)count * is->sizes->element.size);
    STOA_TRY(stored != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_list_numbers_read(&numbers, first, count, stored, err));
    view.values = stored;
    for (uint64_t i = 0; i < count; i++) {
        sizes[i] = (uint64_t)stoa_view_i64(&view, (int64_t)i);
    }

done:
    stoa_buffer_pool_put(stored);
    return status;
}

/* Compute where each row's samples begin. Fails if a row's bytes cannot hold its samples. */
static stoa_status place_rows(const batch *b, stoa_error *err)
{
    const encoded *const is = b->is;
    uint64_t *const starts = b->samples;
    uint64_t n_samples = 0;

    if (is->sizes != NULL) {
        STOA_RETURN_NOT_OK(read_sizes(is, b->scratches[0], b->first, b->count, starts, err));
    }
    for (uint64_t i = 0; i < b->count; i++) {
        const uint64_t n = is->sizes != NULL ? starts[i] : is->size;
        const uint64_t n_bytes = (uint64_t)(b->offsets[i + 1] - b->offsets[i]);
        if (n > most_samples(is, n_bytes)) {
            return stoa_fail(err, STOA_EDATA,
                             "encoded row %llu of %llu bytes cannot hold the %llu samples that "
                             "decoded_size says",
                             (unsigned long long)(b->first + i), (unsigned long long)n_bytes,
                             (unsigned long long)n);
        }
        starts[i] = n_samples;
        n_samples += n;
    }
    starts[b->count] = n_samples;
    if (is->sizes != NULL && n_samples > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE,
                         "%llu samples at once are more than a list has; read fewer rows",
                         (unsigned long long)n_samples);
    }
    return STOA_OK;
}

/* Decode in this thread if it is one of several readers; otherwise in several workers. */
static stoa_status decode(batch *b, stoa_error *err)
{
    encoded *const is = b->is;
    const uint64_t n_parts = (b->count + ROWS_A_PART - 1) / ROWS_A_PART;

    for (uint64_t part = 0; b->scratches[0] != NULL && part < n_parts; part++) {
        STOA_RETURN_NOT_OK(decode_part(b, 0, part, err));
    }
    if (b->scratches[0] == NULL) {
        STOA_RETURN_NOT_OK(is->workers == NULL ? stoa_workers_open(0, &is->workers, err) : STOA_OK);
        STOA_RETURN_NOT_OK(stoa_workers_run_little(is->workers, n_parts, decode_part, b, err));
    }
    return STOA_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Make lists of the samples, which are moved from: of fixed length, or with offsets. */
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

/* Read the encoded bytes of the rows, and allocate the samples. */
static stoa_status read_batch(batch *b, stoa_error *err)
{
    encoded *const is = b->is;
    const stoa_list_numbers bytes = {is->bytes.values, b->scratches[1]};
    stoa_list_span span;

    STOA_RETURN_NOT_OK(b->count < SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    b->offsets = stoa_buffer_pool_get(is->blocks, ((size_t)b->count + 1) * sizeof *b->offsets);
    b->samples = stoa_buffer_pool_get(is->blocks, ((size_t)b->count + 1) * sizeof *b->samples);
    STOA_RETURN_NO_MEMORY(err, b->offsets != NULL && b->samples != NULL);
    STOA_RETURN_NOT_OK(stoa_list_offsets_read(&is->bytes, b->scratches[0], b->first, b->count,
                                              is->blocks, true, b->offsets, &span, err));
    STOA_RETURN_NOT_OK(place_rows(b, err));
    const uint64_t n = b->samples[b->count];
    STOA_RETURN_NOT_OK(n < SIZE_MAX / 16 ? STOA_OK : stoa_fail_memory(err));
    b->bytes = stoa_buffer_pool_get(is->blocks, (size_t)span.count);
    b->out = stoa_buffer_pool_get(is->blocks, (size_t)n * sizeof *b->out);
    STOA_RETURN_NO_MEMORY(err, b->bytes != NULL && b->out != NULL);
    return stoa_list_numbers_read(&bytes, span.first, span.count, b->bytes, err);
}

static stoa_status read_free(void *context, stoa_scratch *for_lengths, stoa_scratch *for_bytes,
                             uint64_t first, uint64_t count, struct ArrowArray *out,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    encoded *const is = context;
    struct ArrowArray items = {.release = NULL};
    batch b = {.is = is, .scratches = {for_lengths, for_bytes}, .first = first, .count = count};

    out->release = NULL;
    STOA_TRY(read_batch(&b, err));
    STOA_TRY(decode(&b, err));
    void *const buffers[] = {NULL, b.out};
    b.out = NULL;
    STOA_TRY(stoa_array_make_of_blocks(&items, (int64_t)b.samples[count], 0, 2, buffers, err));
    STOA_TRY(make_lists(is, count, b.samples, &items, out, err));

done:
    stoa_buffer_pool_put(b.out);
    stoa_buffer_pool_put(b.bytes);
    stoa_buffer_pool_put(b.samples);
    stoa_buffer_pool_put(b.offsets);
    return status;
}

static stoa_status read_decoded(void *context, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    return read_free(context, NULL, NULL, first, count, out, err);
}

static stoa_status prepare(void *context, stoa_read_context *read_context, bool *is_free,
                           stoa_error *err)
{
    const encoded *const is = context;
    stoa_column *const parts[] = {is->bytes.offsets, is->bytes.values, is->sizes};

    *is_free = true;
    for (size_t i = 0; *is_free && i < sizeof parts / sizeof *parts; i++) {
        STOA_RETURN_NOT_OK(parts[i] != NULL
                               ? stoa_list_numbers_find(parts[i], read_context, is_free, err)
                               : STOA_OK);
    }
    return STOA_OK;
}

static void close_encoded(void *context)
{
    encoded *const is = context;

    stoa_column_close(is->bytes.offsets);
    stoa_column_close(is->bytes.values);
    stoa_column_close(is->sizes);
    stoa_workers_close(is->workers);
    stoa_buffer_pool_close(is->blocks);
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
    if (status != STOA_OK) { /* an integer attribute is refused as a double */
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

/* Read the single size of all rows. */
static stoa_status read_size(const stoa_column *sizes, encoded *is, stoa_error *err)
{
    uint64_t size = 0;

    STOA_RETURN_NOT_OK(sizes->n_rows == 1 ? read_sizes(is, NULL, 0, 1, &size, err) : STOA_OK);
    if (sizes->n_rows != 1 || size > INT32_MAX) {
        return stoa_fail(err, STOA_EDATA,
                         "decoded_size is not one number of samples (LH5 notes §1.1)");
    }
    is->size = size;
    return STOA_OK;
}

static stoa_status open_bytes(hid_t group, stoa_lh5_opener *open, encoded *is, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t data = stoa_object_open(group, STOA_LH5_ENCODED);

    if (data < 0) {
        STOA_FAIL(err, STOA_EDATA, "there is no 'encoded_data'");
    }
    STOA_TRY(open(data, STOA_LH5_LENGTHS, STOA_LH5_LENGTHS, true, &is->bytes.offsets, err));
    STOA_TRY(open(data, STOA_LH5_ITEMS, STOA_LH5_ITEMS, true, &is->bytes.values, err));
    if (is->bytes.offsets->element.class != STOA_ELEMENT_INTEGER ||
        is->bytes.values->element.class != STOA_ELEMENT_INTEGER ||
        is->bytes.values->element.size != 1) {
        STOA_FAIL(err, STOA_EDATA, "'encoded_data' is no vector of vectors of bytes");
    }

done:
    return stoa_hdf_close(&data, status, err);
}

static stoa_status open_parts(hid_t group, bool is_equal, stoa_lh5_opener *open, encoded *is,
                              stoa_error *err)
{
    is->bytes.is_ends = true;
    is->bytes.rule = STOA_LH5_VECTORS_RULE;
    is->kernels = stoa_waveform_kernels_of(stoa_simd_of_cpu());
    STOA_RETURN_NOT_OK(stoa_buffer_pool_open(most_idle, &is->blocks, err));
    STOA_RETURN_NOT_OK(read_codec(group, is, err));
    STOA_RETURN_NOT_OK(open_bytes(group, open, is, err));
    STOA_RETURN_NOT_OK(
        open(group, STOA_LH5_DECODED_SIZE, STOA_LH5_DECODED_SIZE, true, &is->sizes, err));
    if (is->sizes->element.class != STOA_ELEMENT_INTEGER) {
        return stoa_fail(err, STOA_EDATA, "decoded_size is of %s, not integers",
                         is->sizes->element.text);
    }
    if (is_equal) {
        STOA_RETURN_NOT_OK(read_size(is->sizes, is, err));
        stoa_column_close(is->sizes);
        is->sizes = NULL;
    } else if (is->sizes->n_rows != is->bytes.offsets->n_rows) {
        return stoa_fail(err, STOA_EDATA, "decoded_size has %llu rows, encoded_data %llu",
                         (unsigned long long)is->sizes->n_rows,
                         (unsigned long long)is->bytes.offsets->n_rows);
    }
    return STOA_OK;
}

stoa_status stoa_lh5_open_encoded(hid_t group, const char *name, bool is_equal,
                                  stoa_lh5_opener *open, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    encoded *is = stoa_alloc_zero(1, sizeof *is);
    struct ArrowSchema schema = {.release = NULL};
    stoa_type type = {.kind = is_equal ? STOA_KIND_FIXED_LIST : STOA_KIND_LIST};

    *column = NULL;
    STOA_TRY(is != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_parts(group, is_equal, open, is, err));
    type.width = (int32_t)is->size;
    STOA_TRY(stoa_schema_make_type(&schema, name, &type, err));
    STOA_TRY(stoa_schema_children(&schema, 1, err));
    STOA_TRY(stoa_schema_make(schema.children[0], "item", "i", err));
    const stoa_column_source source = {.read_array = read_decoded,
                                       .prepare = prepare,
                                       .read_free = read_free,
                                       .close = close_encoded,
                                       .context = is,
                                       .is_sound = true};
    const uint64_t n_rows = is->bytes.offsets->n_rows;
    is = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    if (is != NULL) {
        close_encoded(is);
    }
    stoa_schema_release(&schema);
    return status;
}
