#include "plain.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_view(const char *format)
{
    return strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0;
}

static bool is_milliseconds(const char *format)
{
    return strcmp(format, "tdm") == 0;
}

bool pystoa_plain_is_needed(const struct ArrowSchema *schema)
{
    bool is_needed = is_view(schema->format) || is_milliseconds(schema->format);

    for (int64_t i = 0; i < schema->n_children; i++) {
        is_needed = is_needed || pystoa_plain_is_needed(schema->children[i]);
    }
    return is_needed || (schema->dictionary != NULL && pystoa_plain_is_needed(schema->dictionary));
}

bool pystoa_plain_schema(struct ArrowSchema *schema)
{
    const char *const plain = strcmp(schema->format, "vu") == 0   ? "U"
                              : strcmp(schema->format, "vz") == 0 ? "Z"
                              : is_milliseconds(schema->format)   ? "tdD"
                                                                  : NULL;
    bool is_done = true;

    if (plain != NULL) {
        char *const format = strdup(plain);
        if (format == NULL) {
            return false;
        }
        free((void *)(uintptr_t)schema->format);
        schema->format = format;
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        is_done = is_done && pystoa_plain_schema(schema->children[i]);
    }
    return is_done && (schema->dictionary == NULL || pystoa_plain_schema(schema->dictionary));
}

/* --- arrays that replace others --------------------------------------------------------------- */

enum { MAX_BUFFERS = 3 };

static const char no_memory[] = "memory ran out";

static void release_plain(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_buffers; i++) {
        free((void *)(uintptr_t)array->buffers[i]);
    }
    free((void *)(uintptr_t)array->buffers);
    array->release = NULL;
}

/* An array of `n_buffers` without contents, but for the validity, which begins at bit 0. */
static bool begin(const struct ArrowArray *from, int64_t n_buffers, struct ArrowArray *out)
{
    const uint8_t *const bits = from->buffers[0];
    uint8_t *copy = NULL;

    *out = (struct ArrowArray){.length = from->length,
                               .null_count = bits == NULL ? 0 : from->null_count,
                               .n_buffers = n_buffers,
                               .buffers = calloc(MAX_BUFFERS, sizeof(void *)),
                               .release = release_plain};
    if (out->buffers != NULL && bits != NULL) {
        copy = calloc((size_t)from->length / 8 + 1, 1);
        for (int64_t i = 0; copy != NULL && i < from->length; i++) {
            const int64_t at = from->offset + i;
            copy[i / 8] |= (uint8_t)((bits[at / 8] >> (at % 8) & 1) << (i % 8));
        }
        out->buffers[0] = copy;
    }
    if (out->buffers == NULL || (bits != NULL && copy == NULL)) {
        if (out->buffers != NULL) {
            release_plain(out);
        }
        return false;
    }
    return true;
}

static bool is_missing(const struct ArrowArray *plain, int64_t i)
{
    const uint8_t *const bits = plain->buffers[0];

    return bits != NULL && (bits[i / 8] >> (i % 8) & 1) == 0;
}

/* --- views ------------------------------------------------------------------------------------ */

/* Bytes of a view: 12 of them lie in it, more lie in one of the buffers. */
typedef struct view {
    int32_t length;
    union {
        char bytes[12];
        struct {
            char prefix[4];
            int32_t buffer;
            int32_t offset;
        } there;
    } is;
} view;

/* The bytes of view i; NULL if it points beyond a buffer. Behind the buffers are their sizes. */
static const char *bytes_of(const struct ArrowArray *array, int64_t i, int32_t *length)
{
    const view *const v = (const view *)array->buffers[1] + array->offset + i;
    const int64_t n_buffers = array->n_buffers - MAX_BUFFERS;
    const int64_t *const sizes = array->buffers[array->n_buffers - 1];

    *length = v->length;
    if (v->length >= 0 && v->length <= (int32_t)sizeof v->is.bytes) {
        return v->is.bytes;
    }
    if (v->length < 0 || v->is.there.buffer < 0 || v->is.there.buffer >= n_buffers ||
        v->is.there.offset < 0 ||
        (int64_t)v->is.there.offset + v->length > sizes[v->is.there.buffer]) {
        return NULL;
    }
    return (const char *)array->buffers[2 + v->is.there.buffer] + v->is.there.offset;
}

static const char *measure(const struct ArrowArray *from, struct ArrowArray *plain,
                           int64_t *offsets)
{
    for (int64_t i = 0; i < from->length; i++) {
        int32_t length = 0;

        if (!is_missing(plain, i) && bytes_of(from, i, &length) == NULL) {
            return "a view of Arrow points beyond its buffer";
        }
        if (offsets[i] > INT64_MAX - length) {
            return "the views of an Arrow array are too long";
        }
        offsets[i + 1] = offsets[i] + length;
    }
    return NULL;
}

static const char *plain_views(const struct ArrowArray *from, struct ArrowArray *out)
{
    if (from->n_buffers < MAX_BUFFERS) {
        return "an Arrow array of views has too few buffers";
    }
    if (!begin(from, MAX_BUFFERS, out)) {
        return no_memory;
    }
    int64_t *const offsets = calloc((size_t)from->length + 1, sizeof *offsets);
    out->buffers[1] = offsets;
    const char *why = offsets != NULL ? measure(from, out, offsets) : no_memory;
    char *const data = why == NULL ? malloc((size_t)offsets[from->length] + 1) : NULL;
    out->buffers[2] = data;
    if (why == NULL && data == NULL) {
        why = no_memory;
    }
    for (int64_t i = 0; why == NULL && i < from->length; i++) {
        int32_t length = 0;

        if (!is_missing(out, i)) {
            const char *const bytes = bytes_of(from, i, &length);
            memcpy(data + offsets[i], bytes, (size_t)length);
        }
    }
    return why;
}

/* --- days ------------------------------------------------------------------------------------- */

static const char *plain_days(const struct ArrowArray *from, struct ArrowArray *out)
{
    enum { DAY = 86400000 };

    if (from->n_buffers != 2) {
        return "an Arrow array of dates has not two buffers";
    }
    if (!begin(from, 2, out)) {
        return no_memory;
    }
    int32_t *const days = calloc((size_t)from->length + 1, sizeof *days);
    out->buffers[1] = days;
    for (int64_t i = 0; days != NULL && i < from->length; i++) {
        const int64_t ms =
            is_missing(out, i) ? 0 : ((const int64_t *)from->buffers[1] + from->offset)[i];

        if (ms % DAY != 0 || ms / DAY > INT32_MAX || ms / DAY < INT32_MIN) {
            return "a date in milliseconds is no whole day; make a timestamp of it";
        }
        days[i] = (int32_t)(ms / DAY);
    }
    return days != NULL ? NULL : no_memory;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* A part is moved out of its batch, as the C data interface allows, and another is put there. */
static const char *replace(struct ArrowArray *array,
                           const char *make(const struct ArrowArray *from, struct ArrowArray *out))
{
    struct ArrowArray plain = {.release = NULL};
    const char *const why = make(array, &plain);

    if (why != NULL) {
        if (plain.release != NULL) {
            plain.release(&plain);
        }
        return why;
    }
    array->release(array);
    *array = plain;
    return NULL;
}

const char *pystoa_plain_array(const struct ArrowSchema *schema, struct ArrowArray *array)
{
    const char *why = NULL;

    if (is_view(schema->format)) {
        return replace(array, plain_views);
    }
    if (is_milliseconds(schema->format)) {
        return replace(array, plain_days);
    }
    if (array->n_children != schema->n_children) {
        return "an Arrow batch has other children than its schema";
    }
    for (int64_t i = 0; why == NULL && i < schema->n_children; i++) {
        why = pystoa_plain_array(schema->children[i], array->children[i]);
    }
    if (why == NULL && schema->dictionary != NULL && array->dictionary != NULL) {
        why = pystoa_plain_array(schema->dictionary, array->dictionary);
    }
    return why;
}
