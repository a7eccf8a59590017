#include "arrow/decode_dictionary.h"

#include <stdlib.h>
#include <string.h>

/* Rows per step, and bytes copied for a short text. The copy may include bytes after the text,
 * which the next text overwrites. */
enum { ROWS_AT_ONCE = 512, SHORT_TEXT = 16 };

/* The position of each label, for both widths of offsets. */
typedef struct spans {
    const char *bytes;
    const int32_t *narrow; /* one of the two is set */
    const int64_t *wide;
    int64_t end; /* of the bytes */
} spans;

static spans spans_of(const stoa_view *labels)
{
    const bool is_wide = labels->type.kind == STOA_KIND_LARGE_STRING;
    spans s = {.bytes = labels->values};

    if (labels->length == 0) {
        return s;
    }
    if (is_wide) {
        s.wide = (const int64_t *)labels->offsets + labels->offset;
        s.end = s.wide[labels->length];
    } else {
        s.narrow = (const int32_t *)labels->offsets + labels->offset;
        s.end = s.narrow[labels->length];
    }
    return s;
}

static inline int64_t begin_of(const spans *s, int64_t label)
{
    return s->wide != NULL ? s->wide[label] : s->narrow[label];
}

#define LOAD(type)                                                                                 \
    do {                                                                                           \
        const type *from = (const type *)codes->values + codes->offset + first;                    \
        for (int64_t i = 0; i < n; i++) {                                                          \
            places[i] = (int64_t)from[i];                                                          \
        }                                                                                          \
    } while (0)

/* Load the label numbers of n rows; -1 for a missing value. */
static void load(const stoa_view *codes, const stoa_view *labels, int64_t first, int64_t n,
                 int64_t *places)
{
    switch (stoa_kind_width(codes->type.kind == STOA_KIND_DICTIONARY ? codes->type.index
                                                                     : codes->type.kind)) {
    case 1:
        LOAD(uint8_t);
        break;
    case 2:
        LOAD(uint16_t);
        break;
    case 4:
        LOAD(uint32_t);
        break;
    default:
        LOAD(int64_t);
        break;
    }
    for (int64_t i = 0; i < n && (codes->validity != NULL || labels->validity != NULL); i++) {
        if (stoa_view_is_null(codes, first + i) || stoa_view_is_null(labels, places[i])) {
            places[i] = -1;
        }
    }
}

/* Compute the offset and validity of each string. Returns the number of nulls, or -1 if the offsets
 * would overflow. */
static int64_t measure(const stoa_view *codes, const stoa_view *labels, int64_t limit,
                       int64_t *offsets, uint8_t *validity)
{
    const spans of = spans_of(labels);
    int64_t places[ROWS_AT_ONCE];
    int64_t n_null = 0;

    offsets[0] = 0;
    for (int64_t first = 0; first < codes->length; first += ROWS_AT_ONCE) {
        const int64_t left = codes->length - first;
        const int64_t n = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        load(codes, labels, first, n, places);
        for (int64_t i = 0; i < n; i++) {
            const int64_t label = places[i];
            int64_t length = 0;
            if (label < 0) {
                n_null++;
            } else {
                length = begin_of(&of, label + 1) - begin_of(&of, label);
                stoa_bit_set(validity, (uint64_t)(first + i));
            }
            if (length > limit - offsets[first + i]) {
                return -1;
            }
            offsets[first + i + 1] = offsets[first + i] + length;
        }
    }
    return n_null;
}

/* `bytes` has room for SHORT_TEXT bytes more than all texts. */
static void copy_texts(const stoa_view *codes, const stoa_view *labels, const int64_t *offsets,
                       char *bytes)
{
    const spans of = spans_of(labels);
    int64_t places[ROWS_AT_ONCE];

    for (int64_t first = 0; first < codes->length; first += ROWS_AT_ONCE) {
        const int64_t left = codes->length - first;
        const int64_t n = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        load(codes, labels, first, n, places);
        for (int64_t i = 0; i < n; i++) {
            const int64_t length = offsets[first + i + 1] - offsets[first + i];
            if (length == 0) {
                continue;
            }
            const int64_t begin = begin_of(&of, places[i]);
            char *to = bytes + offsets[first + i];
            if (length <= SHORT_TEXT && begin + SHORT_TEXT <= of.end) {
                memcpy(to, of.bytes + begin, SHORT_TEXT);
            } else {
                memcpy(to, of.bytes + begin, (size_t)length);
            }
        }
    }
}

/* Convert offsets to 32 bits in place; no offset is overwritten before it is read. */
static void narrow(int64_t *offsets, int64_t n)
{
    uint8_t *to = (uint8_t *)offsets;

    for (int64_t i = 0; i < n; i++) {
        const int32_t offset = (int32_t)offsets[i];
        memcpy(to + (size_t)i * sizeof offset, &offset, sizeof offset);
    }
}

stoa_status stoa_decode_dictionary(const stoa_view *codes, const stoa_view *labels, stoa_kind kind,
                                   struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n = codes->length;
    const bool is_large = kind == STOA_KIND_LARGE_STRING;
    uint8_t *validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n), 1);
    int64_t *offsets = stoa_alloc((size_t)n + 1, sizeof *offsets);
    char *bytes = NULL;

    out->release = NULL;
    STOA_TRY(validity != NULL && offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    const int64_t n_null =
        measure(codes, labels, is_large ? INT64_MAX : INT32_MAX, offsets, validity);
    if (n_null < 0) {
        STOA_FAIL(err, STOA_ERANGE, "%lld strings are over 2 GiB; read fewer rows at once",
                  (long long)n);
    }
    bytes = stoa_alloc((size_t)offsets[n] + SHORT_TEXT, 1);
    STOA_TRY(bytes != NULL ? STOA_OK : stoa_fail_memory(err));
    copy_texts(codes, labels, offsets, bytes);
    if (!is_large) {
        narrow(offsets, n + 1);
    }
    void *const buffers[] = {validity, offsets, bytes};
    validity = NULL;
    offsets = NULL;
    bytes = NULL;
    STOA_TRY(stoa_array_make(out, n, n_null, 3, buffers, err));

done:
    free(validity);
    free(offsets);
    free(bytes);
    return status;
}

/* Numbers, times and booleans ------------------------------------------------------------------ */

/* Index of the label of item i; -1 if it is missing. */
static int64_t place_of(const stoa_view *codes, const stoa_view *labels, int64_t i)
{
    const int64_t code = stoa_view_is_null(codes, i) ? -1 : stoa_view_i64(codes, i);

    return code < 0 || code >= labels->length || stoa_view_is_null(labels, code) ? -1 : code;
}

typedef struct labelled {
    const stoa_view *codes;
    const stoa_view *labels;
} labelled;

static bool put_label(const void *context, int64_t i, uint8_t *values)
{
    const labelled *const from = context;
    const stoa_view *const labels = from->labels;
    const int64_t place = place_of(from->codes, labels, i);

    if (place < 0) {
        return false;
    }
    if (labels->type.kind != STOA_KIND_BOOL) {
        const size_t width = (size_t)stoa_kind_width(labels->type.kind);
        memcpy(values + (size_t)i * width,
               (const uint8_t *)labels->values + (size_t)(labels->offset + place) * width, width);
    } else if (stoa_view_i64(labels, place) != 0) {
        stoa_bit_set(values, (uint64_t)i);
    }
    return true;
}

stoa_status stoa_decode_values(const stoa_view *codes, const stoa_view *labels,
                               struct ArrowArray *out, stoa_error *err)
{
    const bool are_bits = labels->type.kind == STOA_KIND_BOOL;

    return stoa_array_put(out, codes->length,
                          are_bits ? 1 : (size_t)stoa_kind_width(labels->type.kind), put_label,
                          &(labelled){codes, labels}, err);
}

stoa_status stoa_dictionary_keep(const stoa_view *codes, struct ArrowArray *kept, bool *is_same,
                                 stoa_error *err)
{
    struct ArrowArray *const dictionary = codes->array->dictionary;

    *is_same = kept->release != NULL && kept->buffers == dictionary->buffers &&
               kept->offset == dictionary->offset && kept->length == dictionary->length;
    if (*is_same) {
        return STOA_OK;
    }
    stoa_array_release(kept);
    return stoa_array_share(dictionary, kept, err);
}
