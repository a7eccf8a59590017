#include "support/batches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"

batch batch_begin(int64_t n_columns, int64_t length)
{
    batch b = {.n_columns = n_columns};
    void *const none[] = {NULL};

    CHECK_OK(stoa_schema_make(&b.schema, "", "+s", NULL));
    b.schema.flags = 0;
    CHECK_OK(stoa_schema_children(&b.schema, n_columns, NULL));
    CHECK_OK(stoa_array_make(&b.array, length, 0, 1, none, NULL));
    CHECK_OK(stoa_array_children(&b.array, n_columns, NULL));
    return b;
}

static uint8_t *validity_of(const bool *valid, int64_t n, int64_t *n_null)
{
    uint8_t *bits = NULL;

    *n_null = 0;
    if (valid != NULL) {
        bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
        CHECK(bits != NULL);
        for (int64_t i = 0; i < n; i++) {
            if (valid[i]) {
                stoa_bit_set(bits, (uint64_t)i);
            } else {
                (*n_null)++;
            }
        }
    }
    return bits;
}

void batch_integers(batch *b, int64_t i, const char *name, const char *format,
                    const int64_t *values, const bool *valid)
{
    const int64_t n = b->array.length;
    stoa_type type;
    int64_t n_null;
    uint8_t *bits = validity_of(valid, n, &n_null);

    CHECK_OK(stoa_schema_make(b->schema.children[i], name, format, NULL));
    CHECK_OK(stoa_type_of(b->schema.children[i], &type, NULL));
    const bool is_bool = type.kind == STOA_KIND_BOOL;
    const size_t width = is_bool ? 0 : (size_t)stoa_kind_width(type.kind);
    uint8_t *data = is_bool ? stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1)
                            : stoa_alloc_zero((size_t)n, width);
    CHECK(data != NULL);
    for (int64_t k = 0; k < n; k++) {
        if (is_bool) {
            if (values[k] != 0) {
                stoa_bit_set(data, (uint64_t)k);
            }
        } else {
            memcpy(data + (size_t)k * width, &values[k], width);
        }
    }
    void *const buffers[] = {bits, data};
    CHECK_OK(stoa_array_make(b->array.children[i], n, n_null, 2, buffers, NULL));
}

void batch_floats(batch *b, int64_t i, const char *name, const char *format, const double *values,
                  const bool *valid)
{
    const int64_t n = b->array.length;
    int64_t n_null;
    uint8_t *bits = validity_of(valid, n, &n_null);
    const size_t width = format[0] == 'e' ? 2 : format[0] == 'f' ? 4 : 8;
    uint8_t *data = stoa_alloc_zero((size_t)n, width);

    CHECK(data != NULL);
    for (int64_t k = 0; k < n; k++) {
        const float narrow = (float)values[k];
        const uint16_t half = stoa_f32_to_f16(narrow);
        memcpy(data + (size_t)k * width,
               width == 2 ? (const void *)&half
                          : (width == 4 ? (const void *)&narrow : (const void *)&values[k]),
               width);
    }
    void *const buffers[] = {bits, data};
    CHECK_OK(stoa_schema_make(b->schema.children[i], name, format, NULL));
    CHECK_OK(stoa_array_make(b->array.children[i], n, n_null, 2, buffers, NULL));
}

static void make_strings(struct ArrowArray *array, const char *const *values, int64_t n)
{
    uint8_t *bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
    int32_t *offsets = stoa_alloc((size_t)n + 1, sizeof *offsets);
    stoa_buffer bytes = {0};
    int64_t n_null = 0;

    CHECK(bits != NULL && offsets != NULL);
    offsets[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        if (values[k] != NULL) {
            stoa_bit_set(bits, (uint64_t)k);
            CHECK_OK(stoa_buffer_append(&bytes, values[k], strlen(values[k]), NULL));
        } else {
            n_null++;
        }
        offsets[k + 1] = (int32_t)bytes.size;
    }
    void *const buffers[] = {bits, offsets, stoa_buffer_detach(&bytes)};
    CHECK_OK(stoa_array_make(array, n, n_null, 3, buffers, NULL));
}

void batch_strings(batch *b, int64_t i, const char *name, const char *const *values)
{
    CHECK_OK(stoa_schema_make(b->schema.children[i], name, "u", NULL));
    make_strings(b->array.children[i], values, b->array.length);
}

void batch_categories(batch *b, int64_t i, const char *name, const char *const *values)
{
    const int64_t n = b->array.length;
    stoa_string_set labels = {0};
    int32_t *codes = stoa_alloc_zero((size_t)n, sizeof *codes);
    uint8_t *bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
    struct ArrowArray dictionary;
    int64_t n_null = 0;

    CHECK(codes != NULL && bits != NULL);
    for (int64_t k = 0; k < n; k++) {
        if (values[k] == NULL) {
            n_null++;
            continue;
        }
        uint32_t code;
        CHECK_OK(stoa_string_set_add(&labels, values[k], strlen(values[k]), &code, NULL));
        codes[k] = (int32_t)code;
        stoa_bit_set(bits, (uint64_t)k);
    }
    const char **texts = stoa_alloc_zero(labels.count, sizeof *texts);
    char **owned = stoa_alloc_zero(labels.count, sizeof *owned);
    CHECK(texts != NULL && owned != NULL);
    for (uint32_t k = 0; k < labels.count; k++) {
        size_t length;
        const char *text = stoa_string_set_get(&labels, k, &length);
        texts[k] = owned[k] = stoa_strndup(text, length);
    }
    make_strings(&dictionary, texts, labels.count);
    void *const buffers[] = {bits, codes};
    CHECK_OK(stoa_schema_make(b->schema.children[i], name, "i", NULL));
    CHECK_OK(stoa_schema_dictionary(b->schema.children[i], "u", NULL));
    CHECK_OK(stoa_array_make(b->array.children[i], n, n_null, 2, buffers, NULL));
    CHECK_OK(stoa_array_dictionary(b->array.children[i], &dictionary, NULL));
    for (uint32_t k = 0; k < labels.count; k++) {
        free(owned[k]);
    }
    free(owned);
    free(texts);
    stoa_string_set_clear(&labels);
}

void batch_labelled(batch *b, int64_t i, const char *name, batch *labels, const int64_t *codes)
{
    const int64_t n = b->array.length;
    struct ArrowSchema *const field = b->schema.children[i];
    bool *valid = stoa_alloc((size_t)n, sizeof *valid);

    CHECK(valid != NULL);
    for (int64_t k = 0; k < n; k++) {
        valid[k] = codes[k] >= 0;
    }
    batch_integers(b, i, name, "i", codes, valid);
    CHECK_OK(stoa_schema_dictionary(field, labels->schema.children[0]->format, NULL));
    CHECK_OK(stoa_array_dictionary(b->array.children[i], labels->array.children[0], NULL));
    labels->array.children[0]->release = NULL;
    free(valid);
    batch_end(labels);
}

void batch_lists(batch *b, int64_t i, const char *name, const char *format, batch *items,
                 const int64_t *lengths, const bool *valid)
{
    const int64_t n = b->array.length;
    const bool is_large = strcmp(format, "+L") == 0;
    int64_t n_null;
    int64_t end = 0;
    uint8_t *bits = validity_of(valid, n, &n_null);
    int64_t *large = stoa_alloc_zero((size_t)n + 1, sizeof *large);
    int32_t *small = stoa_alloc_zero((size_t)n + 1, sizeof *small);

    CHECK(large != NULL && small != NULL);
    for (int64_t k = 0; k < n; k++) {
        end += lengths[k];
        large[k + 1] = end;
        small[k + 1] = (int32_t)end;
    }
    void *const offsets = is_large ? (void *)large : (void *)small;
    const bool is_fixed = strncmp(format, "+w", 2) == 0;
    CHECK_OK(stoa_schema_make(b->schema.children[i], name, format, NULL));
    CHECK_OK(stoa_schema_children(b->schema.children[i], 1, NULL));
    CHECK_OK(stoa_array_make(b->array.children[i], n, n_null, is_fixed ? 1 : 2,
                             (void *[]){bits, offsets}, NULL));
    CHECK_OK(stoa_array_children(b->array.children[i], 1, NULL));
    CHECK_OK(stoa_schema_copy(items->schema.children[0], b->schema.children[i]->children[0], NULL));
    *b->array.children[i]->children[0] = *items->array.children[0];
    items->array.children[0]->release = NULL;
    free(is_large && !is_fixed ? NULL : large);
    free(is_large || is_fixed ? small : NULL);
    batch_end(items);
}

void batch_end(batch *b)
{
    stoa_schema_release(&b->schema);
    stoa_array_release(&b->array);
}

/* The producer behind stream_of(). */
typedef struct source {
    struct ArrowSchema schema;
    struct ArrowArray *arrays;
    size_t n;
    size_t next;
} source;

static stoa_status source_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((source *)self)->schema, out, err);
}

static stoa_status source_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    source *s = self;

    (void)err;
    out->release = NULL;
    if (s->next < s->n) {
        stoa_array_move(&s->arrays[s->next++], out);
    }
    return STOA_OK;
}

static void source_release(void *self)
{
    source *s = self;

    for (size_t i = 0; i < s->n; i++) {
        stoa_array_release(&s->arrays[i]);
    }
    free(s->arrays);
    stoa_schema_release(&s->schema);
    free(s);
}

void stream_of(batch *batches, size_t n, struct ArrowArrayStream *stream)
{
    static const stoa_producer producer = {source_schema, source_next, source_release};
    source *s = stoa_alloc_zero(1, sizeof *s);

    CHECK(s != NULL);
    s->arrays = stoa_alloc_zero(n, sizeof *s->arrays);
    CHECK(s->arrays != NULL);
    s->n = n;
    stoa_schema_move(&batches[0].schema, &s->schema);
    for (size_t i = 0; i < n; i++) {
        stoa_array_move(&batches[i].array, &s->arrays[i]);
        batch_end(&batches[i]);
    }
    CHECK_OK(stoa_stream_make(stream, &producer, s, NULL));
}

const char *value_text(const stoa_view *view, int64_t i)
{
    static char texts[8][600];
    static unsigned turn;
    char *text = texts[turn++ % 8];
    stoa_view labels = *view;
    size_t length;

    if (stoa_view_is_null(view, i)) {
        return "null";
    }
    if (view->type.kind == STOA_KIND_DICTIONARY) {
        CHECK_OK(stoa_view_dictionary(view, &labels, NULL));
        i = stoa_view_i64(view, i);
    }
    if (stoa_kind_is_string(labels.type.kind)) {
        const char *bytes = stoa_view_bytes(&labels, i, &length);
        (void)snprintf(text, sizeof texts[0], "'%.*s'", (int)length, bytes);
    } else if (stoa_kind_is_float(labels.type.kind)) {
        (void)stoa_format_f64(stoa_view_f64(&labels, i), text);
    } else if (labels.type.kind == STOA_KIND_UINT64) {
        (void)stoa_format_u64((uint64_t)stoa_view_i64(&labels, i), text);
    } else {
        (void)stoa_format_i64(stoa_view_i64(&labels, i), text);
    }
    return text;
}
