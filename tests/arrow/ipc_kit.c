/* See ipc_kit.h. */
#include "arrow/ipc_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stoa_status read_some(void *context, void *bytes, size_t capacity, size_t *n,
                             stoa_error *err)
{
    ipc_bytes *from = context;
    const size_t rest = from->n - from->at;

    (void)err;
    *n = capacity < rest ? capacity : rest;
    memcpy(bytes, from->bytes + from->at, *n);
    from->at += *n;
    return STOA_OK;
}

stoa_status ipc_open_bytes(ipc_bytes *bytes, struct ArrowArrayStream *stream, stoa_error *err)
{
    const stoa_ipc_source source = {.context = bytes, .read = read_some};

    return stoa_ipc_open(&source, stream, err);
}

static void write_bytes(batch *batches, size_t n, bool is_file, uint8_t **bytes, size_t *n_bytes)
{
    struct ArrowArrayStream stream;
    char *text = NULL;
    uint64_t n_rows = 0;
    stoa_error err = STOA_ERROR_INIT;

    *n_bytes = 0;
    stream_of(batches, n, &stream);
    FILE *const file = open_memstream(&text, n_bytes);
    CHECK(file != NULL);
    CHECK_OK((is_file ? stoa_ipc_write : stoa_ipc_write_stream)(&stream, file, NULL, &n_rows, &err),
             &err);
    CHECK(fclose(file) == 0);
    stoa_stream_release(&stream);
    *bytes = (uint8_t *)text;
}

void ipc_write_bytes(batch *batches, size_t n, uint8_t **bytes, size_t *n_bytes)
{
    write_bytes(batches, n, true, bytes, n_bytes);
}

void ipc_write_stream_bytes(batch *batches, size_t n, uint8_t **bytes, size_t *n_bytes)
{
    write_bytes(batches, n, false, bytes, n_bytes);
}

/* Column i: lists of a, or two at a time of the fixed kind, of the numbers 0, 1, ... */
static void lists(batch *b, int64_t i, const char *name, bool is_fixed)
{
    const int64_t n = b->array.length;
    int32_t *const offsets = is_fixed ? NULL : stoa_alloc((size_t)n + 1, sizeof *offsets);
    const int64_t n_items = 2 * n;
    uint16_t *const items = stoa_alloc_zero((size_t)n_items, sizeof *items);
    struct ArrowSchema *const schema = b->schema.children[i];
    struct ArrowArray *const array = b->array.children[i];

    for (int64_t k = 0; k < n_items; k++) {
        items[k] = (uint16_t)k;
    }
    for (int64_t k = 0; k <= n && !is_fixed; k++) {
        offsets[k] = (int32_t)(2 * k - (k % 2)); /* lists of 1 and 3, but for the last */
    }
    void *const buffers[] = {NULL, offsets};
    void *const of_items[] = {NULL, items};
    CHECK_OK(stoa_schema_make(schema, name, is_fixed ? "+w:2" : "+l", NULL));
    CHECK_OK(stoa_schema_children(schema, 1, NULL));
    CHECK_OK(stoa_schema_make(schema->children[0], "item", "S", NULL));
    CHECK_OK(stoa_array_make(array, n, 0, is_fixed ? 1 : 2, buffers, NULL));
    CHECK_OK(stoa_array_children(array, 1, NULL));
    CHECK_OK(stoa_array_make(array->children[0], n_items, 0, 2, of_items, NULL));
}

/* Column i: a struct of a double and three bytes. */
static void structs(batch *b, int64_t i, const char *name)
{
    const int64_t n = b->array.length;
    double *const numbers = stoa_alloc_zero((size_t)n, sizeof *numbers);
    uint8_t *const bytes = stoa_alloc_zero((size_t)n, 3);
    struct ArrowSchema *const schema = b->schema.children[i];
    struct ArrowArray *const array = b->array.children[i];

    for (int64_t k = 0; k < n; k++) {
        numbers[k] = 0.5 * (double)k;
        bytes[3 * k + 1] = (uint8_t)k;
    }
    void *const none[] = {NULL};
    void *const of_numbers[] = {NULL, numbers};
    void *const of_bytes[] = {NULL, bytes};
    CHECK_OK(stoa_schema_make(schema, name, "+s", NULL));
    CHECK_OK(stoa_schema_children(schema, 2, NULL));
    CHECK_OK(stoa_schema_make(schema->children[0], "x", "g", NULL));
    CHECK_OK(stoa_schema_make(schema->children[1], "y", "w:3", NULL));
    CHECK_OK(stoa_array_make(array, n, 0, 1, none, NULL));
    CHECK_OK(stoa_array_children(array, 2, NULL));
    CHECK_OK(stoa_array_make(array->children[0], n, 0, 2, of_numbers, NULL));
    CHECK_OK(stoa_array_make(array->children[1], n, 0, 2, of_bytes, NULL));
}

batch ipc_any_batch(int64_t n)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "b", "tdD"};
    static const char *const words[] = {"", "x", NULL, "longer than that", "y"};
    static const char *const durations[] = {"tDs", "tDm", "tDu", "tDn"};
    enum { N_INTEGERS = 10, N_COLUMNS = 20, MOST = 200 };
    int64_t values[MOST];
    double floats[MOST];
    bool valid[MOST];
    const char *texts[MOST];
    batch b = batch_begin(N_COLUMNS, n);

    CHECK(n <= MOST);
    for (int64_t i = 0; i < n; i++) {
        values[i] = i % 2 == 0 ? i : 0;
        floats[i] = (double)i / 4.0;
        valid[i] = i % 3 != 1;
        texts[i] = words[i % 5];
    }
    for (int64_t i = 0; i < N_INTEGERS; i++) {
        batch_integers(&b, i, formats[i], formats[i], values, i % 2 == 0 ? valid : NULL);
    }
    batch_floats(&b, 10, "half", "e", floats, NULL);
    batch_floats(&b, 11, "single", "f", floats, valid);
    batch_floats(&b, 12, "double", "g", floats, NULL);
    batch_strings(&b, 13, "texts", texts);
    lists(&b, 14, "lists", false);
    structs(&b, 15, "structs");
    for (int64_t i = 0; i < 4; i++) {
        batch_integers(&b, 16 + i, durations[i], durations[i], values, i % 2 == 0 ? valid : NULL);
    }
    CHECK_OK(stoa_schema_set(&b.schema, "of all", "1", NULL));
    CHECK_OK(stoa_schema_set(&b.schema, "of all, too", "", NULL));
    CHECK_OK(stoa_schema_set(b.schema.children[3], "of one", "two", NULL));
    b.schema.children[3]->flags = 0;
    stoa_schema_release(b.schema.children[9]);
    stoa_array_release(b.array.children[9]);
    lists(&b, 9, "pairs", true);
    return b;
}
