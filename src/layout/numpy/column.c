#include "layout/numpy/column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/kernels/byteswap.h"
#include "core/text.h"

/* --- types ----------------------------------------------------------------------------------- */

/* Arrow's format of a time, and the factor to its unit; NULL if there is none. */
static const char *time_format(const stoa_npy_field *f, int64_t *factor)
{
    static const struct {
        const char *unit;
        const char *time;
        const char *duration;
        int64_t factor;
    } units[] = {{"W", "tss:", "tDs", 604800}, {"D", "tdD", "tDs", 86400},
                 {"h", "tss:", "tDs", 3600},   {"m", "tss:", "tDs", 60},
                 {"s", "tss:", "tDs", 1},      {"ms", "tsm:", "tDm", 1},
                 {"us", "tsu:", "tDu", 1},     {"ns", "tsn:", "tDn", 1}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(f->unit, units[i].unit) == 0 && f->multiple <= INT32_MAX) {
            const bool is_date = f->kind == 'M' && i == 1;
            *factor = (is_date ? 1 : units[i].factor) * (int64_t)f->multiple;
            return f->kind == 'M' ? units[i].time : units[i].duration;
        }
    }
    return NULL;
}

static const char *format_of(const stoa_npy_field *f)
{
    static const char *const all[] = {"c", "s", "i", "l", "C", "S", "I", "L", "e", "f", "g"};
    const size_t which = f->size == 1 ? 0 : f->size == 2 ? 1 : f->size == 4 ? 2 : 3;
    int64_t factor = 0;

    switch (f->kind) {
    case 'b':
        return "b";
    case 'i':
        return all[which];
    case 'u':
        return all[4 + which];
    case 'f':
        return all[7 + which];
    case 'S':
    case 'U':
        return "u";
    case 'M':
    case 'm':
        return time_format(f, &factor);
    default:
        return NULL;
    }
}

static stoa_status make_item(const stoa_npy_field *f, const char *name, struct ArrowSchema *out,
                             stoa_error *err)
{
    const char *const format = format_of(f);

    if (f->kind == 'V' && f->size > 0) {
        char bytes[32];
        (void)snprintf(bytes, sizeof bytes, "w:%zu", f->size);
        return stoa_schema_make(out, name, bytes, err);
    }
    if (f->kind == 'c') {
        const char *const part = f->size == 8 ? "f" : "g";
        STOA_RETURN_NOT_OK(stoa_schema_make(out, name, "+s", err));
        STOA_RETURN_NOT_OK(stoa_schema_children(out, 2, err));
        STOA_RETURN_NOT_OK(stoa_schema_make(out->children[0], "r", part, err));
        return stoa_schema_make(out->children[1], "i", part, err);
    }
    if (format == NULL && f->kind == 'V') {
        return stoa_fail(err, STOA_ETYPE, "'%s' has elements of no bytes", name);
    }
    if (format == NULL) {
        return stoa_fail(err, STOA_ETYPE,
                         "'%s' has times in the unit '%s'; convert them to a shorter one, as "
                         "astype('M8[D]')",
                         name, f->unit);
    }
    return stoa_schema_make(out, name, format, err);
}

stoa_status stoa_npy_schema(const stoa_npy_field *field, const char *name, struct ArrowSchema *out,
                            stoa_error *err)
{
    for (unsigned i = 0; i < field->rank; i++) {
        char list[40];
        if (field->shape[i] == 0 || field->shape[i] > INT32_MAX) {
            return stoa_fail(err, STOA_ETYPE, "'%s' has a dimension of %llu", name,
                             (unsigned long long)field->shape[i]);
        }
        (void)snprintf(list, sizeof list, "+w:%llu", (unsigned long long)field->shape[i]);
        STOA_RETURN_NOT_OK(stoa_schema_make(out, i == 0 ? name : "item", list, err));
        STOA_RETURN_NOT_OK(stoa_schema_children(out, 1, err));
        out = out->children[0];
    }
    return make_item(field, field->rank == 0 ? name : "item", out, err);
}

/* --- elements -------------------------------------------------------------------------------- */

/* Copy the elements of rows next to each other, in native byte order. */
static void gather(const stoa_npy_field *f, const uint8_t *rows, size_t stride, uint64_t n,
                   uint8_t *out)
{
    const size_t n_row = f->size * (size_t)f->n;
    const size_t part = f->kind == 'U' ? 4 : f->kind == 'c' ? f->size / 2 : f->size;

    for (uint64_t i = 0; i < n; i++) {
        memcpy(out + i * n_row, rows + i * stride + f->offset, n_row);
    }
    if (f->swaps) {
        stoa_byteswap(out, out, n * n_row / part, part, stoa_simd_of_cpu());
    }
}

static stoa_status make_bools(const uint8_t *elements, uint64_t n, struct ArrowArray *out,
                              stoa_error *err)
{
    uint8_t *const bits = stoa_alloc_zero((size_t)stoa_bit_bytes(n), 1);

    STOA_RETURN_NO_MEMORY(err, bits);
    for (uint64_t i = 0; i < n; i++) {
        if (elements[i] != 0) {
            stoa_bit_set(bits, i);
        }
    }
    return stoa_array_make(out, (int64_t)n, 0, 2, (void *[]){NULL, bits}, err);
}

/* Times; the least integer is NaT. */
static stoa_status make_times(const stoa_npy_field *f, const uint8_t *elements, uint64_t n,
                              struct ArrowArray *out, stoa_error *err)
{
    int64_t factor = 1;
    const char *const format = time_format(f, &factor);
    const bool is_date = format != NULL && strcmp(format, "tdD") == 0;
    const size_t size = is_date ? sizeof(int32_t) : sizeof(int64_t);
    uint8_t *values = stoa_alloc_zero((size_t)n + 1, size);
    uint8_t *valid = stoa_alloc_zero((size_t)stoa_bit_bytes(n) + 1, 1);
    int64_t n_missing = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(values != NULL && valid != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t i = 0; i < n; i++) {
        int64_t ticks = 0;
        memcpy(&ticks, elements + i * sizeof ticks, sizeof ticks);
        if (ticks == INT64_MIN) {
            n_missing++;
            continue;
        }
        if (ticks > INT64_MAX / factor || ticks < -(INT64_MAX / factor) ||
            (is_date && (ticks * factor > INT32_MAX || ticks * factor < INT32_MIN))) {
            STOA_FAIL(err, STOA_EDATA, "row %llu has a time beyond the range of Arrow's",
                      (unsigned long long)i);
        }
        ticks *= factor;
        const int32_t day = (int32_t)ticks;
        memcpy(values + i * size, is_date ? (const void *)&day : (const void *)&ticks, size);
        stoa_bit_set(valid, i);
    }
    void *const buffers[] = {valid, values};
    valid = values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, n_missing, 2, buffers, err));

done:
    free(values);
    free(valid);
    return status;
}

/* Append a text without the zeros at its end. */
static stoa_status add_text(const stoa_npy_field *f, const uint8_t *element, stoa_buffer *texts,
                            stoa_error *err)
{
    const size_t from = texts->size;
    size_t n = f->size;

    if (f->kind == 'S') {
        while (n > 0 && element[n - 1] == 0) {
            n--;
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(texts, element, n, err));
    }
    for (n = f->size / 4; f->kind == 'U' && n > 0; n--) {
        uint32_t code = 0;
        memcpy(&code, element + 4 * (n - 1), 4);
        if (code != 0) {
            break;
        }
    }
    for (size_t i = 0; f->kind == 'U' && i < n; i++) {
        uint32_t code = 0;
        char bytes[4];
        memcpy(&code, element + 4 * i, 4);
        const bool is_one = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        const size_t n_bytes = is_one ? stoa_utf8_put(code, bytes) : 0;
        if (!is_one) {
            return stoa_fail(err, STOA_EDATA, "a text has U+%lX, which is no character",
                             (unsigned long)code);
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(texts, bytes, n_bytes, err));
    }
    if (texts->size > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "texts of more than 2 GiB in a batch");
    }
    const size_t length = texts->size - from;
    return f->kind == 'U' || stoa_utf8_valid((const char *)texts->data + from, length) == length
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "a text is not UTF-8; decode it, or use numbers");
}

static stoa_status make_texts(const stoa_npy_field *f, const uint8_t *elements, uint64_t n,
                              struct ArrowArray *out, stoa_error *err)
{
    int32_t *offsets = stoa_alloc_zero((size_t)n + 1, sizeof *offsets);
    stoa_buffer texts = {0};
    stoa_status status = STOA_OK;

    STOA_TRY(offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_reserve(&texts, 1, err));
    for (uint64_t i = 0; i < n; i++) {
        STOA_TRY(add_text(f, elements + i * f->size, &texts, err));
        offsets[i + 1] = (int32_t)texts.size;
    }
    void *const buffers[] = {NULL, offsets, stoa_buffer_detach(&texts)};
    offsets = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)n, 0, 3, buffers, err));

done:
    free(offsets);
    stoa_buffer_clear(&texts);
    return status;
}

static stoa_status make_complex(const stoa_npy_field *f, const uint8_t *elements, uint64_t n,
                                struct ArrowArray *out, stoa_error *err)
{
    const size_t size = f->size / 2;

    STOA_RETURN_NOT_OK(stoa_array_struct(out, (int64_t)n, 2, err));
    for (size_t part = 0; part < 2; part++) {
        uint8_t *const values = stoa_alloc((size_t)n + 1, size);
        STOA_RETURN_NO_MEMORY(err, values);
        for (uint64_t i = 0; i < n; i++) {
            memcpy(values + i * size, elements + i * f->size + part * size, size);
        }
        STOA_RETURN_NOT_OK(
            stoa_array_make(out->children[part], (int64_t)n, 0, 2, (void *[]){NULL, values}, err));
    }
    return STOA_OK;
}

/* Elements next to each other, which are consumed. */
static stoa_status make_elements(const stoa_npy_field *f, uint8_t *elements, uint64_t n,
                                 struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;

    switch (f->kind) {
    case 'i':
    case 'u':
    case 'f':
    case 'V':
        return stoa_array_make(out, (int64_t)n, 0, 2, (void *[]){NULL, elements}, err);
    case 'b':
        status = make_bools(elements, n, out, err);
        break;
    case 'c':
        status = make_complex(f, elements, n, out, err);
        break;
    case 'M':
    case 'm':
        status = make_times(f, elements, n, out, err);
        break;
    default:
        status = make_texts(f, elements, n, out, err);
        break;
    }
    free(elements);
    return status;
}

stoa_status stoa_npy_column(const stoa_npy_field *field, const uint8_t *rows, size_t stride,
                            uint64_t n, struct ArrowArray *out, stoa_error *err)
{
    uint64_t n_items = n;
    uint8_t *const elements = stoa_alloc((size_t)(n * field->n) + 1, field->size);

    STOA_RETURN_NO_MEMORY(err, elements);
    gather(field, rows, stride, n, elements);
    for (unsigned i = 0; i < field->rank; i++) {
        stoa_status status = stoa_array_make(out, (int64_t)n_items, 0, 1, (void *[]){NULL}, err);
        status = status == STOA_OK ? stoa_array_children(out, 1, err) : status;
        if (status != STOA_OK) {
            free(elements);
            return status;
        }
        n_items *= field->shape[i];
        out = out->children[0];
    }
    return make_elements(field, elements, n_items, out, err);
}
