#include "layout/input/input_fields.h"

#include <stdlib.h>
#include <string.h>

enum { RAW_BYTES = 65536, MAX_ROW = 1 << 28 };

struct stoa_field_filter {
    stoa_field_order is;
    uint8_t raw[RAW_BYTES]; /* text that is not cut into rows yet */
    size_t raw_at;
    size_t n_raw;
    bool at_end;

    stoa_buffer row;    /* the begun row */
    stoa_buffer starts; /* size_t: where its fields begin, but for the first */
    bool is_inside;     /* quotes */
    bool after_return;  /* the last row ended with CR, which LF may follow */
    bool has_header;

    stoa_buffer out; /* rows that are not handed out yet */
    size_t out_at;
};

stoa_status stoa_field_filter_open(const stoa_field_order *order, stoa_field_filter **filter,
                                   stoa_error *err)
{
    stoa_field_filter *self = stoa_alloc_zero(1, sizeof *self);
    size_t *const from = stoa_alloc(order->n, sizeof *from);
    char *const header = order->header != NULL ? stoa_strdup(order->header) : NULL;

    *filter = NULL;
    if (self == NULL || from == NULL || (order->header != NULL && header == NULL)) {
        free(self);
        free(from);
        free(header);
        return stoa_fail_memory(err);
    }
    memcpy(from, order->from, order->n * sizeof *from);
    self->is = *order;
    self->is.from = from;
    self->is.header = header;
    *filter = self;
    return STOA_OK;
}

void stoa_field_filter_rewind(stoa_field_filter *filter)
{
    filter->raw_at = 0;
    filter->n_raw = 0;
    filter->at_end = false;
    filter->row.size = 0;
    filter->starts.size = 0;
    filter->is_inside = false;
    filter->after_return = false;
    filter->has_header = false;
    filter->out.size = 0;
    filter->out_at = 0;
}

static stoa_status put(stoa_field_filter *filter, const void *bytes, size_t n, stoa_error *err)
{
    return stoa_buffer_append(&filter->out, bytes, n, err);
}

static stoa_status put_delimiters(stoa_field_filter *filter, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < n && status == STOA_OK; i++) {
        status = put(filter, &filter->is.delimiter, 1, err);
    }
    return status;
}

/* Put the fields of the row in their order. */
static stoa_status put_fields(stoa_field_filter *filter, stoa_error *err)
{
    const stoa_field_order *const is = &filter->is;
    const size_t *const starts = (const size_t *)(const void *)filter->starts.data;

    for (size_t i = 0; i < is->n; i++) {
        const size_t own = is->from[i];
        STOA_RETURN_NOT_OK(put_delimiters(filter, i > 0, err));
        if (own != SIZE_MAX) {
            const size_t start = own > 0 ? starts[own - 1] : 0;
            const size_t end = own + 1 < is->n_own ? starts[own] - 1 : filter->row.size;
            STOA_RETURN_NOT_OK(put(filter, filter->row.data + start, end - start, err));
        }
    }
    return STOA_OK;
}

static stoa_status end_row(stoa_field_filter *filter, stoa_error *err)
{
    const stoa_field_order *const is = &filter->is;
    const size_t n_fields = filter->starts.size / sizeof(size_t) + 1;
    stoa_status status = STOA_OK;

    if (filter->row.size == 0 && (is->n_own > 1 || (is->header != NULL && !filter->has_header))) {
        /* a blank line */
    } else if (is->header != NULL && !filter->has_header) {
        filter->has_header = true;
        status = put(filter, is->header, strlen(is->header), err);
    } else if (n_fields == is->n_own) {
        status = put_fields(filter, err);
    } else {
        status = put(filter, filter->row.data, filter->row.size, err);
        status = status == STOA_OK ? put_delimiters(filter, is->n - is->n_own, err) : status;
    }
    filter->row.size = 0;
    filter->starts.size = 0;
    return status;
}

static bool is_plain(const stoa_field_filter *filter, uint8_t c)
{
    return c != '"' &&
           (filter->is_inside || (c != (uint8_t)filter->is.delimiter && c != '\n' && c != '\r'));
}

/* Take the text up to the end of a row, or all of it. */
static stoa_status take(stoa_field_filter *filter, stoa_error *err)
{
    const size_t first = filter->raw_at;
    size_t at = first;

    while (at < filter->n_raw && is_plain(filter, filter->raw[at])) {
        at++;
    }
    filter->raw_at = at;
    STOA_RETURN_NOT_OK(stoa_buffer_append(&filter->row, filter->raw + first, at - first, err));
    if (filter->row.size > MAX_ROW) {
        return stoa_fail(err, STOA_ESYNTAX,
                         "a row is longer than %d bytes; is a closing quote "
                         "missing?",
                         MAX_ROW);
    }
    if (at == filter->n_raw) {
        filter->after_return = filter->after_return && at == first;
        return STOA_OK;
    }
    const uint8_t c = filter->raw[filter->raw_at++];
    const bool is_break = !filter->is_inside && (c == '\n' || c == '\r');
    const bool is_pair = c == '\n' && filter->after_return && at == first;
    filter->after_return = is_break && c == '\r';
    if (is_break) {
        STOA_RETURN_NOT_OK(is_pair ? STOA_OK : end_row(filter, err));
        return put(filter, &c, 1, err);
    }
    filter->is_inside = filter->is_inside != (c == '"');
    STOA_RETURN_NOT_OK(stoa_buffer_append(&filter->row, &c, 1, err));
    return c == '"' ? STOA_OK
                    : stoa_buffer_append(&filter->starts, &filter->row.size,
                                         sizeof filter->row.size, err);
}

/* Make rows that can be handed out, until there are none. */
static stoa_status make_rows(stoa_field_filter *filter, stoa_text_read read, void *context,
                             stoa_error *err)
{
    filter->out.size = 0;
    filter->out_at = 0;
    while (filter->out.size < RAW_BYTES && !filter->at_end) {
        if (filter->raw_at < filter->n_raw) {
            STOA_RETURN_NOT_OK(take(filter, err));
            continue;
        }
        filter->raw_at = 0;
        STOA_RETURN_NOT_OK(read(context, filter->raw, RAW_BYTES, &filter->n_raw, err));
        if (filter->n_raw == 0) {
            filter->at_end = true;
            STOA_RETURN_NOT_OK(filter->row.size > 0 ? end_row(filter, err) : STOA_OK);
        }
    }
    return STOA_OK;
}

stoa_status stoa_field_filter_read(stoa_field_filter *filter, stoa_text_read read, void *context,
                                   void *bytes, size_t capacity, size_t *n, stoa_error *err)
{
    *n = 0;
    while (*n < capacity) {
        const size_t left = filter->out.size - filter->out_at;
        const size_t some = left < capacity - *n ? left : capacity - *n;
        if (left == 0 && filter->at_end) {
            break;
        }
        if (left == 0) {
            STOA_RETURN_NOT_OK(make_rows(filter, read, context, err));
            continue;
        }
        memcpy((uint8_t *)bytes + *n, filter->out.data + filter->out_at, some);
        filter->out_at += some;
        *n += some;
    }
    return STOA_OK;
}

void stoa_field_filter_close(stoa_field_filter *filter)
{
    if (filter != NULL) {
        free((void *)(uintptr_t)filter->is.from);
        free((void *)(uintptr_t)filter->is.header);
        stoa_buffer_clear(&filter->row);
        stoa_buffer_clear(&filter->starts);
        stoa_buffer_clear(&filter->out);
        free(filter);
    }
}
