#include "layout/text/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "column/type/tensor.h"
#include "core/memory.h"
#include "core/text.h"

enum { MAGIC_SIZE = 6, ALIGNMENT = 64, DIGITS = 20, MOST_SHORT_HEADER = 65535 };

/* How a column is stored. */
typedef struct field {
    const char *name; /* borrowed from the schema */
    stoa_kind kind;   /* of an item */
    size_t size;      /* bytes of an item in the file */
    size_t n_items;   /* in a row */
    int n_levels;     /* of fixed-size lists, one within the other */
    int64_t base;     /* of the current batch: the item of row 0 */
    bool is_complex;
    int rank; /* of a row */
    hsize_t shape[H5S_MAX_RANK];
    char type[32];   /* "<f8" */
    stoa_view items; /* of the current batch, and the parts of complex numbers */
    stoa_view parts[2];
    stoa_view rows;
} field;

/* --- types ----------------------------------------------------------------------------------- */

static stoa_status refuse(const field *f, const char *what, stoa_error *err)
{
    return stoa_fail(err, STOA_ETYPE,
                     "column '%s' holds %s, which no .npy file has; write .csv or .arrow, or "
                     "choose other columns",
                     f->name, what);
}

static bool is_pair(const struct ArrowSchema *schema, stoa_type *part)
{
    stoa_type other;

    return schema->n_children == 2 && stoa_type_of(schema->children[0], part, NULL) == STOA_OK &&
           stoa_type_of(schema->children[1], &other, NULL) == STOA_OK && part->kind == other.kind &&
           (part->kind == STOA_KIND_FLOAT32 || part->kind == STOA_KIND_FLOAT64) &&
           (strcmp(schema->children[0]->name, "r") == 0 ||
            strncmp(schema->children[0]->name, "re", 2) == 0);
}

static stoa_status find_type(field *f, const struct ArrowSchema *schema, const stoa_type *type,
                             stoa_error *err)
{
    static const char *const units[] = {[STOA_TIME_DAY] = "D",
                                        [STOA_TIME_SECOND] = "s",
                                        [STOA_TIME_MILLI] = "ms",
                                        [STOA_TIME_MICRO] = "us",
                                        [STOA_TIME_NANO] = "ns"};
    char name[64];
    stoa_type part;

    f->kind = type->kind;
    f->size = stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind)
                  ? (size_t)stoa_kind_width(type->kind)
                  : 8;
    if (stoa_kind_is_integer(type->kind) || stoa_kind_is_float(type->kind)) {
        const char letter = stoa_kind_is_float(type->kind)    ? 'f'
                            : stoa_kind_is_signed(type->kind) ? 'i'
                                                              : 'u';
        (void)snprintf(f->type, sizeof f->type, "%c%c%zu", f->size == 1 ? '|' : '<', letter,
                       f->size);
    } else if (type->kind == STOA_KIND_BOOL) {
        f->size = 1;
        (void)strcpy(f->type, "|b1");
    } else if (type->kind == STOA_KIND_DATE) {
        (void)strcpy(f->type, "<M8[D]");
    } else if (type->kind == STOA_KIND_TIMESTAMP || type->kind == STOA_KIND_DURATION) {
        (void)snprintf(f->type, sizeof f->type, "<%c8[%s]",
                       type->kind == STOA_KIND_TIMESTAMP ? 'M' : 'm', units[type->unit]);
    } else if (type->kind == STOA_KIND_STRUCT && is_pair(schema, &part)) {
        f->is_complex = true;
        f->size = 2 * (size_t)stoa_kind_width(part.kind);
        (void)snprintf(f->type, sizeof f->type, "<c%zu", f->size);
    } else {
        return refuse(f, stoa_type_name(type, name), err);
    }
    return STOA_OK;
}

static stoa_status look_at(field *f, const struct ArrowSchema *schema, stoa_error *err)
{
    const struct ArrowSchema *item = schema;
    stoa_type type;

    *f = (field){.name = schema->name != NULL ? schema->name : "", .n_items = 1};
    STOA_RETURN_NOT_OK(stoa_type_of(item, &type, err));
    for (; type.kind == STOA_KIND_FIXED_LIST && f->n_levels < H5S_MAX_RANK - 1; f->n_levels++) {
        if (__builtin_mul_overflow(f->n_items, (size_t)type.width, &f->n_items) ||
            f->n_items > INT32_MAX) {
            return refuse(f, "more than 2^31 values in a row", err);
        }
        f->shape[f->rank++] = (hsize_t)type.width;
        item = item->children[0];
        STOA_RETURN_NOT_OK(stoa_type_of(item, &type, err));
    }
    if (stoa_kind_is_list(type.kind)) {
        return refuse(f, "lists of different lengths", err);
    }
    if (f->n_levels == 1) {
        STOA_RETURN_NOT_OK(stoa_tensor_shape(schema, f->n_items, f->shape, &f->rank, err));
        if (f->rank == 0) {
            f->rank = 1;
            f->shape[0] = f->n_items;
        }
    }
    return find_type(f, item, &type, err);
}

/* --- header ---------------------------------------------------------------------------------- */

/* A text as Python's repr() has it. */
static stoa_status put_name(stoa_buffer *out, const char *name, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "'"));
    for (const char *c = name; *c != '\0'; c++) {
        const bool is_odd = *c == '\'' || *c == '\\';
        STOA_RETURN_NOT_OK((unsigned char)*c < ' '
                               ? stoa_buffer_print(out, err, "\\x%02x", (unsigned)*c)
                               : stoa_buffer_print(out, err, "%s%c", is_odd ? "\\" : "", *c));
    }
    return stoa_buffer_print(out, err, "'");
}

static stoa_status put_shape(stoa_buffer *out, const field *f, stoa_error *err)
{
    for (int i = 0; i < f->rank; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%llu, ", (unsigned long long)f->shape[i]));
    }
    return STOA_OK;
}

/* The type of all columns: of one, or a list of (name, type, shape). */
static stoa_status put_types(stoa_buffer *out, const field *fields, size_t n, stoa_error *err)
{
    if (n == 1) {
        return stoa_buffer_print(out, err, "'%s'", fields[0].type);
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "["));
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "("));
        STOA_RETURN_NOT_OK(put_name(out, fields[i].name, err));
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, ", '%s'%s", fields[i].type,
                                             fields[i].rank > 0 ? ", (" : ""));
        STOA_RETURN_NOT_OK(put_shape(out, &fields[i], err));
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s), ", fields[i].rank > 0 ? ")" : ""));
    }
    return stoa_buffer_print(out, err, "]");
}

stoa_status stoa_npy_head(const char *types, const char *shape, stoa_buffer *out, stoa_error *err)
{
    stoa_buffer text = {0};
    stoa_status status = STOA_OK;
    uint8_t start[MAGIC_SIZE + 6] = "\x93NUMPY\x01";
    size_t n_start = MAGIC_SIZE + 4;

    STOA_TRY(stoa_buffer_print(&text, err, "{'descr': %s, 'fortran_order': False, 'shape': %s, }",
                               types, shape));
    if (text.size > MOST_SHORT_HEADER - ALIGNMENT ||
        !stoa_is_ascii((const char *)text.data, text.size)) {
        start[MAGIC_SIZE] = 3; /* UTF-8, and a length of 32 bits */
        n_start = MAGIC_SIZE + 6;
    }
    while ((n_start + text.size + 1) % ALIGNMENT != 0) {
        STOA_TRY(stoa_buffer_append(&text, " ", 1, err));
    }
    STOA_TRY(stoa_buffer_append(&text, "\n", 1, err));
    for (size_t i = MAGIC_SIZE + 2; i < n_start; i++) {
        start[i] = (uint8_t)(text.size >> (8 * (i - MAGIC_SIZE - 2)));
    }
    STOA_TRY(stoa_buffer_append(out, start, n_start, err));
    STOA_TRY(stoa_buffer_append(out, text.data, text.size, err));

done:
    stoa_buffer_clear(&text);
    return status;
}

/* The header of n_rows rows. Its length does not depend on them. */
static stoa_status write_header(FILE *out, const field *fields, size_t n, uint64_t n_rows,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer types = {0};
    stoa_buffer shape = {0};
    stoa_buffer head = {0};

    STOA_TRY(put_types(&types, fields, n, err));
    STOA_TRY(stoa_buffer_print(&shape, err, "(%*" PRIu64 ", ", DIGITS, n_rows));
    STOA_TRY(n == 1 ? put_shape(&shape, &fields[0], err) : STOA_OK);
    STOA_TRY(stoa_buffer_print(&shape, err, ")"));
    STOA_TRY(stoa_npy_head((const char *)types.data, (const char *)shape.data, &head, err));
    if (fwrite(head.data, 1, head.size, out) != head.size) {
        STOA_FAIL(err, STOA_EIO, "cannot be written");
    }

done:
    stoa_buffer_clear(&types);
    stoa_buffer_clear(&shape);
    stoa_buffer_clear(&head);
    return status;
}

/* --- rows ------------------------------------------------------------------------------------ */

static stoa_status bind(field *f, const stoa_view *table, int64_t i, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_view_child(table, i, &f->rows, err));
    f->items = f->rows;
    f->base = f->rows.offset * (int64_t)f->n_items;
    for (int k = 0, n = (int)f->n_items; k < f->n_levels; k++) {
        const stoa_view lists = f->items;
        if (k > 0 && lists.null_count > 0) {
            return refuse(f, "missing lists within lists", err);
        }
        n = lists.type.width > 0 ? n / lists.type.width : 0;
        STOA_RETURN_NOT_OK(stoa_view_child(&lists, 0, &f->items, err));
        f->base += k + 1 < f->n_levels ? f->items.offset * n : 0;
    }
    for (int64_t k = 0; f->is_complex && k < 2; k++) {
        STOA_RETURN_NOT_OK(stoa_view_child(&f->items, k, &f->parts[k], err));
    }
    return STOA_OK;
}

/* Whether the file holds the bytes that Arrow has. */
static bool is_as_stored(const field *f)
{
    return !f->is_complex && f->kind != STOA_KIND_BOOL && f->kind != STOA_KIND_DATE;
}

/* A value in the form of the file. */
static void put_value(const stoa_view *view, stoa_kind kind, size_t size, int64_t i, uint8_t *to)
{
    if (kind == STOA_KIND_BOOL || kind == STOA_KIND_DATE) {
        const int64_t value = stoa_view_i64(view, i);
        memcpy(to, &value, size);
    } else {
        memcpy(to, (const uint8_t *)view->values + (size_t)(view->offset + i) * size, size);
    }
}

static bool put_missing(const field *f, uint8_t *to)
{
    static const double nan64 = (double)NAN;
    static const float nan32 = NAN;
    static const uint16_t nan16 = 0x7e00;
    static const int64_t nat = INT64_MIN;

    switch (f->kind) {
    case STOA_KIND_FLOAT64:
        memcpy(to, &nan64, sizeof nan64);
        return true;
    case STOA_KIND_FLOAT32:
        memcpy(to, &nan32, sizeof nan32);
        return true;
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        memcpy(to, &nat, sizeof nat);
        return true;
    default:
        memcpy(to, &nan16, f->size < 2 ? f->size : 2);
        return stoa_kind_is_float(f->kind);
    }
}

static stoa_status put_row(const field *f, int64_t row, uint8_t *to, stoa_error *err)
{
    const int64_t n = (int64_t)f->n_items;
    const int64_t first = f->n_levels > 0 ? f->base + row * n : row;
    const bool is_gone = stoa_view_is_null(&f->rows, row);

    if (!is_gone && f->items.validity == NULL && is_as_stored(f)) {
        memcpy(to, (const uint8_t *)f->items.values + (size_t)(f->items.offset + first) * f->size,
               (size_t)n * f->size);
        return STOA_OK;
    }
    for (int64_t i = 0; i < n; i++, to += f->size) {
        const bool is_missing = is_gone || stoa_view_is_null(&f->items, first + i);
        if (is_missing && !put_missing(f, to)) {
            return stoa_fail(err, STOA_ELOSS,
                             "column '%s' has missing values, which its type has no place for in a "
                             ".npy file; leave them out (-w) or write .arrow or .csv",
                             f->name);
        }
        if (!is_missing && f->is_complex) {
            put_value(&f->parts[0], f->kind, f->size / 2, first + i, to);
            put_value(&f->parts[1], f->kind, f->size / 2, first + i, to + f->size / 2);
        } else if (!is_missing) {
            put_value(&f->items, f->kind, f->size, first + i, to);
        }
    }
    return STOA_OK;
}

static stoa_status write_batch(FILE *out, field *fields, size_t n, const stoa_view *table,
                               uint8_t *row, stoa_error *err)
{
    size_t n_bytes = 0;

    for (size_t k = 0; k < n; k++) {
        STOA_RETURN_NOT_OK(bind(&fields[k], table, (int64_t)k, err));
    }
    for (int64_t i = 0; i < table->length; i++) {
        n_bytes = 0;
        for (size_t k = 0; k < n; k++) {
            STOA_RETURN_NOT_OK(put_row(&fields[k], i, row + n_bytes, err));
            n_bytes += fields[k].size * fields[k].n_items;
        }
        if (fwrite(row, 1, n_bytes, out) != n_bytes) {
            return stoa_fail(err, STOA_EIO, "cannot be written");
        }
    }
    return STOA_OK;
}

stoa_status stoa_npy_write(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_view table;
    field *fields = NULL;
    uint8_t *row = NULL;
    size_t n_bytes = 0;
    const off_t start = ftello(out);

    *n_rows = 0;
    if (start < 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "a .npy file begins with its number of rows, so that it cannot go into a "
                         "pipe; give it a name, or use -f csv or -f arrow");
    }
    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    const size_t n = (size_t)schema.n_children;
    fields = stoa_alloc_zero(n + 1, sizeof *fields);
    STOA_TRY(fields != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(look_at(&fields[i], schema.children[i], err));
        n_bytes += fields[i].size * fields[i].n_items;
    }
    row = stoa_alloc_zero(n_bytes + 8, 1);
    STOA_TRY(row != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(write_header(out, fields, n, 0, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(&schema, &batch, &table, err));
        STOA_TRY(write_batch(out, fields, n, &table, row, err));
        *n_rows += (uint64_t)table.length;
        stoa_array_release(&batch);
    }
    if (fseeko(out, start, SEEK_SET) != 0) {
        STOA_FAIL(err, STOA_EIO, "cannot be written");
    }
    STOA_TRY(write_header(out, fields, n, *n_rows, err));
    if (fseeko(out, 0, SEEK_END) != 0) {
        STOA_FAIL(err, STOA_EIO, "cannot be written");
    }

done:
    free(row);
    free(fields);
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    return status;
}
