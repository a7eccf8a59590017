#include "layout/text/npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "core/text.h"
#include "layout/text/npy_values.h"

enum { MAGIC_SIZE = 6, ALIGNMENT = 64, DIGITS = 20, MOST_SHORT_HEADER = 65535 };

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

static stoa_status put_shape(stoa_buffer *out, const stoa_npy_values *f, stoa_error *err)
{
    for (int i = 0; i < f->rank; i++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%llu, ", (unsigned long long)f->shape[i]));
    }
    return STOA_OK;
}

/* The type of all columns: of one, or a list of (name, type, shape). */
static stoa_status put_types(stoa_buffer *out, const stoa_npy_values *fields, size_t n,
                             stoa_error *err)
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
static stoa_status write_header(FILE *out, const stoa_npy_values *fields, size_t n, uint64_t n_rows,
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

static stoa_status write_batch(FILE *out, stoa_npy_values *fields, size_t n, const stoa_view *table,
                               uint8_t *row, stoa_error *err)
{
    size_t n_bytes = 0;

    for (size_t k = 0; k < n; k++) {
        STOA_RETURN_NOT_OK(stoa_npy_values_bind(&fields[k], table, (int64_t)k, err));
    }
    for (int64_t i = 0; i < table->length; i++) {
        n_bytes = 0;
        for (size_t k = 0; k < n; k++) {
            STOA_RETURN_NOT_OK(stoa_npy_values_put(&fields[k], i, row + n_bytes, err));
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
    stoa_npy_values *fields = NULL;
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
        STOA_TRY(stoa_npy_values_of(&fields[i], schema.children[i], false, err));
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
