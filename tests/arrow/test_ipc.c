/* Arrow files: what goes in comes out, and what is refused. pyarrow's are in tests/interop. For
 * src/arrow/ipc_*.c. */
#include "arrow/ipc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/ipc_kit.h"
#include "arrow/ipc_packed_bytes.h"
#include "arrow/read.h"
#include "support/sweep.h"

static void same_text(const struct ArrowSchema *a, const struct ArrowSchema *b, const char *key)
{
    char *in_a = NULL, *in_b = NULL;

    CHECK_OK(stoa_schema_get_text(a, key, &in_a, NULL));
    CHECK_OK(stoa_schema_get_text(b, key, &in_b, NULL));
    CHECK((in_a == NULL) == (in_b == NULL));
    if (in_a != NULL) {
        CHECK_STR(in_a, in_b);
    }
    free(in_a);
    free(in_b);
}

static void same_schema(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    CHECK_STR(a->format, b->format);
    CHECK_STR(a->name, b->name);
    CHECK_I64(a->flags, b->flags);
    CHECK_I64(a->n_children, b->n_children);
    same_text(a, b, "of all");
    same_text(a, b, "of all, too");
    same_text(a, b, "of one");
    for (int64_t i = 0; i < a->n_children; i++) {
        same_schema(a->children[i], b->children[i]);
    }
}

static void same_values(const stoa_view *a, const stoa_view *b, int64_t i, int64_t k)
{
    int64_t first_a, first_b, n_a, n_b;
    stoa_view in_a, in_b;

    CHECK(stoa_view_is_null(a, i) == stoa_view_is_null(b, k));
    if (stoa_view_is_null(a, i)) {
        return;
    }
    if (a->type.kind == STOA_KIND_LIST || a->type.kind == STOA_KIND_FIXED_LIST) {
        stoa_view_range(a, i, &first_a, &n_a);
        stoa_view_range(b, k, &first_b, &n_b);
        CHECK_I64(n_a, n_b);
        CHECK_OK(stoa_view_child(a, 0, &in_a, NULL));
        CHECK_OK(stoa_view_child(b, 0, &in_b, NULL));
        for (int64_t item = 0; item < n_a; item++) {
            same_values(&in_a, &in_b, first_a + item, first_b + item);
        }
        return;
    }
    for (int64_t child = 0; child < a->schema->n_children; child++) {
        CHECK_OK(stoa_view_child(a, child, &in_a, NULL));
        CHECK_OK(stoa_view_child(b, child, &in_b, NULL));
        same_values(&in_a, &in_b, i, k);
    }
    if (a->type.kind == STOA_KIND_FIXED_BINARY) {
        size_t n = 0, m = 0;
        const char *bytes = stoa_view_bytes(a, i, &n);
        CHECK_MEM(stoa_view_bytes(b, k, &m), bytes, n);
        CHECK_U64(m, n);
    } else if (a->schema->n_children == 0) {
        char text[100];
        (void)snprintf(text, sizeof text, "%s", value_text(a, i));
        CHECK_STR(value_text(b, k), text);
    }
}

static void columns_of_every_kind_come_back(void)
{
    const int64_t lengths[] = {0, 1, 7, 200, 64};
    batch batches[5], again[5];
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    ipc_bytes from = {.at = 0};
    uint8_t *bytes = NULL;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < 5; i++) {
        batches[i] = ipc_any_batch(lengths[i]);
        again[i] = ipc_any_batch(lengths[i]);
    }
    ipc_write_bytes(batches, 5, &bytes, &from.n);
    CHECK_MEM(bytes, "ARROW1\0\0", 8);
    CHECK_MEM(bytes + from.n - 6, "ARROW1", 6);
    from.bytes = bytes;
    CHECK_OK(ipc_open_bytes(&from, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    same_schema(&schema, &again[0].schema);
    for (size_t i = 0; i < 5; i++) {
        stoa_view in, out;
        CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &in, &err), &err);
        CHECK_OK(stoa_view_of(&again[i].schema, &again[i].array, &out, &err), &err);
        CHECK_I64(in.length, lengths[i]);
        for (int64_t k = 0; k < in.length; k++) {
            same_values(&in, &out, k, k);
        }
        stoa_array_release(&array);
        batch_end(&again[i]);
    }
    CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
    CHECK(array.release == NULL);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    free(bytes);
}

static void a_stream_needs_neither_frame_nor_end(void)
{
    batch b = ipc_any_batch(20);
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    ipc_bytes from = {.at = 0};
    uint8_t *bytes = NULL;
    size_t n = 0, end = 0;
    stoa_error err = STOA_ERROR_INIT;

    ipc_write_bytes(&b, 1, &bytes, &n);
    for (size_t i = 8; i + 8 <= n && end == 0; i += 8) { /* where its end is said */
        end = memcmp(bytes + i, "\xff\xff\xff\xff\0\0\0\0", 8) == 0 ? i : 0;
    }
    CHECK(end > 0);
    from.bytes = bytes + 8;
    from.n = end - 8;
    CHECK_OK(ipc_open_bytes(&from, &stream, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
    CHECK_I64(array.length, 20);
    stoa_array_release(&array);
    CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
    CHECK(array.release == NULL);
    stoa_stream_release(&stream);
    free(bytes);
}

/* Two batches of times in a zone and of labels. */
static void labelled(batch *batches, const char *const *first, const char *const *second)
{
    const int64_t ticks[] = {-5, 0, 7};

    for (size_t i = 0; i < 2; i++) {
        batches[i] = batch_begin(2, 3);
        batch_integers(&batches[i], 0, "when", "tsm:Europe/Berlin", ticks, NULL);
        batch_categories(&batches[i], 1, "c", i == 0 ? first : second);
    }
}

static void times_and_dictionaries_come_back(void)
{
    const char *const texts[] = {"a", "b", "a"};
    batch batches[2], again[2];
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    ipc_bytes from = {.at = 0};
    uint8_t *bytes = NULL;
    stoa_error err = STOA_ERROR_INIT;

    labelled(batches, texts, texts);
    labelled(again, texts, texts);
    ipc_write_bytes(batches, 2, &bytes, &from.n);
    from.bytes = bytes;
    CHECK_OK(ipc_open_bytes(&from, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_STR(schema.children[0]->format, "tsm:Europe/Berlin");
    CHECK_STR(schema.children[1]->format, again[0].schema.children[1]->format);
    CHECK(schema.children[1]->dictionary != NULL);
    for (size_t i = 0; i < 2; i++) {
        stoa_view rows, column, labels;
        size_t length = 0;
        CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &rows, &err), &err);
        CHECK_I64(rows.length, 3);
        CHECK_OK(stoa_view_child(&rows, 0, &column, &err), &err);
        CHECK_I64(stoa_view_i64(&column, 0), -5);
        CHECK_I64(stoa_view_i64(&column, 2), 7);
        CHECK_OK(stoa_view_child(&rows, 1, &column, &err), &err);
        CHECK_OK(stoa_view_dictionary(&column, &labels, &err), &err);
        for (int64_t k = 0; k < 3; k++) {
            const char *const text = stoa_view_bytes(&labels, stoa_view_i64(&column, k), &length);
            CHECK_U64(length, 1);
            CHECK_MEM(text, texts[k], 1);
        }
        stoa_array_release(&array);
        batch_end(&again[i]);
    }
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    free(bytes);
}

static void a_dictionary_may_change_in_a_stream(void)
{
    const char *const texts[] = {"a", "b", "a"};
    const char *const others[] = {"b", "c", NULL};
    batch batches[2];
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    ipc_bytes from = {.at = 0};
    uint8_t *bytes = NULL;
    stoa_error err = STOA_ERROR_INIT;

    labelled(batches, texts, others);
    ipc_write_stream_bytes(batches, 2, &bytes, &from.n);
    CHECK_MEM(bytes, "\xff\xff\xff\xff", 4);
    CHECK_MEM(bytes + from.n - 8, "\xff\xff\xff\xff\0\0\0\0", 8);
    from.bytes = bytes;
    CHECK_OK(ipc_open_bytes(&from, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    for (size_t i = 0; i < 2; i++) {
        stoa_view rows, codes;
        CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &rows, &err), &err);
        CHECK_OK(stoa_view_child(&rows, 1, &codes, &err), &err);
        for (int64_t k = 0; k < 3; k++) {
            const char *const wanted = i == 0 ? texts[k] : others[k];
            CHECK(stoa_view_is_null(&codes, k) == (wanted == NULL));
            if (wanted != NULL) {
                CHECK_CONTAINS(value_text(&codes, k), wanted);
            }
        }
        stoa_array_release(&array);
    }
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    free(bytes);
}

static void a_dictionary_that_changes_is_not_written(void)
{
    const char *const first[] = {"a", "b", "a"};
    const char *const second[] = {"a", "c", "a"};
    batch batches[2];
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    FILE *const file = fopen(check_path("x.arrow"), "w");

    CHECK(file != NULL);
    labelled(batches, first, second);
    stream_of(batches, 2, &stream);
    CHECK_STATUS(STOA_EINVAL, stoa_ipc_write(&stream, file, NULL, NULL, &err));
    CHECK_CONTAINS(err.message, "column 'c'");
    stoa_stream_release(&stream);
    CHECK(fclose(file) == 0);
}

static void parts_of_arrays_are_written_from_their_first_row(void)
{
    batch b = ipc_any_batch(200);
    batch again = ipc_any_batch(200);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view in, out;
    ipc_bytes from = {.at = 0};
    uint8_t *bytes = NULL;
    stoa_error err = STOA_ERROR_INIT;

    b.array.offset = 13;
    b.array.length = 150;
    ipc_write_bytes(&b, 1, &bytes, &from.n);
    from.bytes = bytes;
    CHECK_OK(ipc_open_bytes(&from, &stream, &err), &err);
    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    CHECK_OK(stoa_stream_next(&stream, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &in, &err), &err);
    CHECK_OK(stoa_view_of(&again.schema, &again.array, &out, &err), &err);
    CHECK_I64(in.length, 150);
    for (int64_t k = 0; k < in.length; k++) {
        same_values(&in, &out, k, k + 13);
    }
    stoa_array_release(&array);
    batch_end(&again);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    free(bytes);
}

static void is_refused(const void *bytes, size_t n, stoa_status expected, const char *part)
{
    ipc_bytes from = {.bytes = bytes, .n = n};
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_STATUS(expected, ipc_open_bytes(&from, &stream, &err), &err);
    CHECK_CONTAINS(err.message, part);
    CHECK(stream.release == NULL);
}

static void what_is_no_arrow_file_is_refused(void)
{
    is_refused("", 0, STOA_EDATA, "no Arrow data");
    is_refused("row,column,value\n", 17, STOA_EDATA, "no Arrow data");
    is_refused("ARROW1\0\0", 8, STOA_EDATA, "do not begin with a schema");
    is_refused("ARROW1\0\0\x10\0\0\0\0\0\0\0", 16, STOA_EVERSION, "before version 0.15");
    is_refused("\xff\xff\xff\xff\xff\xff\xff\x7f", 8, STOA_EDATA, "2147483647 bytes of metadata");
    is_refused("\xff\xff\xff\xff\0\0\0\x01", 8, STOA_EDATA, "end within a message");
    is_refused("\xff\xff\xff\xff\x08\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16, STOA_EDATA,
               "a message is damaged");
}

/* --- what another program has compressed ----------------------------------------------------- */

static void rows_are_as_their_note_says(struct ArrowArrayStream *stream)
{
    static const char *const words[] = {"walk", "of", "columns"};
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view rows, i, c, labels, l, items, numbers;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_stream_schema(stream, &schema, &err), &err);
    CHECK_OK(stoa_stream_next(stream, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &rows, &err), &err);
    CHECK_I64(rows.length, 40);
    CHECK_OK(stoa_view_child(&rows, 0, &i, &err), &err);
    CHECK_OK(stoa_view_child(&rows, 1, &c, &err), &err);
    CHECK_OK(stoa_view_dictionary(&c, &labels, &err), &err);
    CHECK_OK(stoa_view_child(&rows, 2, &l, &err), &err);
    CHECK_OK(stoa_view_child(&l, 0, &items, &err), &err);
    CHECK_OK(stoa_view_dictionary(&items, &numbers, &err), &err);
    for (int64_t row = 0; row < 40; row++) {
        size_t length = 0;
        int64_t first = 0;
        int64_t count = 0;
        CHECK_I64(stoa_view_i64(&i, row), row);
        CHECK_U64(stoa_view_is_null(&c, row), row % 7 == 3);
        if (row % 7 != 3) {
            const char *word = stoa_view_bytes(&labels, stoa_view_i64(&c, row), &length);
            CHECK_U64(length, strlen(words[row % 3]));
            CHECK_MEM(word, words[row % 3], length);
        }
        stoa_view_range(&l, row, &first, &count);
        CHECK_I64(count, 1);
        CHECK_F64(stoa_view_f64(&numbers, stoa_view_i64(&items, first)),
                  0.5 + (double)(2 * row % 3));
    }
    stoa_array_release(&array);
    CHECK_OK(stoa_stream_next(stream, &array, &err), &err);
    CHECK(array.release == NULL);
    stoa_schema_release(&schema);
}

static void compressed_batches_and_dictionaries_are_read(void)
{
    ipc_bytes from[] = {{.bytes = packed_lz4, .n = sizeof packed_lz4},
                        {.bytes = packed_zstd, .n = sizeof packed_zstd}};

    for (int i = 0; i < 2; i++) {
        struct ArrowArrayStream stream;
        stoa_error err = STOA_ERROR_INIT;
        CHECK_OK(ipc_open_bytes(&from[i], &stream, &err), &err);
        rows_are_as_their_note_says(&stream);
        stoa_stream_release(&stream);
    }
}

static uint8_t *swept;
static size_t n_swept;

static stoa_status read_all(stoa_error *err)
{
    ipc_bytes from = {.bytes = swept, .n = n_swept};
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(ipc_open_bytes(&from, &stream, err));
    STOA_TRY(stoa_stream_next(&stream, &array, err));

done:
    stoa_memory_fail_after(UINT64_MAX);
    stoa_array_release(&array);
    stoa_stream_release(&stream);
    return status;
}

static stoa_status read_packed(stoa_error *err)
{
    swept = (uint8_t *)(uintptr_t)packed_zstd;
    n_swept = sizeof packed_zstd;
    return read_all(err);
}

static stoa_status write_all(stoa_error *err)
{
    stoa_memory_fail_after(UINT64_MAX);
    batch b = ipc_any_batch(20);
    struct ArrowArrayStream stream;
    FILE *const file = fopen(check_path("x.arrow"), "w");

    stream_of(&b, 1, &stream);
    CHECK(file != NULL);
    stoa_memory_fail_after(n_swept);
    const stoa_status status = stoa_ipc_write(&stream, file, NULL, NULL, err);
    stoa_memory_fail_after(UINT64_MAX);
    stoa_stream_release(&stream);
    CHECK(fclose(file) == 0);
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    batch b = ipc_any_batch(20);

    ipc_write_bytes(&b, 1, &swept, &n_swept);
    CHECK(sweep_memory(read_all) > 20);
    free(swept);
    CHECK(sweep_memory(read_packed) > 30);
    for (n_swept = 0;; n_swept++) { /* the batch is made anew each time, which is not to fail */
        stoa_error err = STOA_ERROR_INIT;
        const stoa_status status = write_all(&err);
        if (status == STOA_OK) {
            break;
        }
        CHECK_U64(status, STOA_ENOMEM);
    }
    CHECK(n_swept > 5);
}

TEST_MAIN(TEST(columns_of_every_kind_come_back), TEST(a_stream_needs_neither_frame_nor_end),
          TEST(compressed_batches_and_dictionaries_are_read),
          TEST(times_and_dictionaries_come_back), TEST(a_dictionary_may_change_in_a_stream),
          TEST(a_dictionary_that_changes_is_not_written),
          TEST(parts_of_arrays_are_written_from_their_first_row),
          TEST(what_is_no_arrow_file_is_refused), TEST(memory_that_runs_out_is_a_failure))
