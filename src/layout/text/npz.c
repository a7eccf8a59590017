/*
 * Writes .npz archives. Rows come batch by batch, and a member has all rows of one column. So the
 * columns of each batch go into a temporary file, in pieces. A member is then read from it twice:
 * its checksum comes before its bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "arrow/build.h"
#include "core/spill.h"
#include "core/text.h"
#include "layout/text/npy.h"
#include "layout/text/npy_values.h"
#include "layout/text/zip_write.h"

enum { OUT_BYTES = 1 << 20, POINT_BYTES = 4, MOST_POINTS = INT32_MAX / POINT_BYTES };

/* The rows of a column in a batch. Texts are stored as their length, size_t, and their bytes. */
typedef struct piece {
    uint64_t at;
    uint64_t n_bytes;
} piece;

typedef struct archive {
    stoa_npy_values *columns;
    size_t *widest; /* of texts: code points */
    size_t n_columns;
    stoa_buffer pieces; /* of one batch after the other, a piece for each column */
    uint64_t n_rows;
    stoa_spill spill;
    stoa_buffer scratch;
    stoa_zip_writer zip;
    bool is_summing; /* bytes go into `crc`, not into the archive */
    uLong crc;
} archive;

/* --- collecting ------------------------------------------------------------------------------ */

static size_t count_points(const char *text, size_t length)
{
    size_t n = 0;

    for (size_t i = 0; i < length; i++) {
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    return n;
}

static stoa_status collect_texts(archive *a, size_t k, int64_t n, stoa_error *err)
{
    const char *text = NULL;
    size_t length = 0;

    for (int64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_npy_values_text(&a->columns[k], i, &text, &length, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&a->scratch, &length, sizeof length, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&a->scratch, text, length, err));
        const size_t width = count_points(text, length);
        a->widest[k] = width > a->widest[k] ? width : a->widest[k];
    }
    return STOA_OK;
}

static stoa_status collect_numbers(archive *a, size_t k, int64_t n, stoa_error *err)
{
    const stoa_npy_values *const f = &a->columns[k];
    const size_t n_each = f->size * f->n_items;

    STOA_RETURN_NOT_OK(stoa_buffer_grow(&a->scratch, (size_t)n * n_each, err));
    for (int64_t i = 0; i < n; i++) {
        STOA_RETURN_NOT_OK(stoa_npy_values_put(f, i, a->scratch.data + (size_t)i * n_each, err));
    }
    return STOA_OK;
}

static stoa_status collect(archive *a, const stoa_view *table, stoa_error *err)
{
    for (size_t k = 0; k < a->n_columns; k++) {
        a->scratch.size = 0;
        STOA_RETURN_NOT_OK(stoa_npy_values_bind(&a->columns[k], table, (int64_t)k, err));
        STOA_RETURN_NOT_OK(
            (a->columns[k].is_text ? collect_texts : collect_numbers)(a, k, table->length, err));
        const piece p = {a->spill.size, a->scratch.size};
        STOA_RETURN_NOT_OK(stoa_buffer_append(&a->pieces, &p, sizeof p, err));
        STOA_RETURN_NOT_OK(stoa_spill_append(&a->spill, a->scratch.data, a->scratch.size, err));
    }
    a->n_rows += (uint64_t)table->length;
    return STOA_OK;
}

/* --- members --------------------------------------------------------------------------------- */

static stoa_status give(archive *a, const void *bytes, size_t n, stoa_error *err)
{
    if (a->is_summing) {
        a->crc = crc32_z(a->crc, bytes, n);
        return STOA_OK;
    }
    return stoa_zip_write(&a->zip, bytes, n, err);
}

/* Texts as code points of 32 bits, padded with zeros. */
static stoa_status give_texts(archive *a, size_t width, stoa_error *err)
{
    const size_t n_each = width * POINT_BYTES;
    stoa_buffer out = {0};
    stoa_status status = STOA_OK;

    for (size_t at = 0; at < a->scratch.size;) {
        size_t length = 0;
        memcpy(&length, a->scratch.data + at, sizeof length);
        at += sizeof length;
        const size_t first = out.size;
        STOA_TRY(stoa_buffer_grow(&out, n_each, err));
        uint8_t *to = out.data + first;
        for (const size_t end = at + length; at < end; to += POINT_BYTES) {
            uint32_t point = 0;
            at += stoa_utf8_get((const char *)a->scratch.data + at, &point);
            memcpy(to, &point, sizeof point);
        }
        if (out.size >= OUT_BYTES || at == a->scratch.size) {
            STOA_TRY(give(a, out.data, out.size, err));
            out.size = 0;
        }
    }

done:
    stoa_buffer_clear(&out);
    return status;
}

static stoa_status give_rows(archive *a, size_t k, stoa_error *err)
{
    const piece *const pieces = (const piece *)(const void *)a->pieces.data;
    const size_t n = a->pieces.size / sizeof *pieces;

    for (size_t i = k; i < n; i += a->n_columns) {
        a->scratch.size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&a->scratch, pieces[i].n_bytes, err));
        STOA_RETURN_NOT_OK(
            stoa_spill_read(&a->spill, pieces[i].at, a->scratch.data, pieces[i].n_bytes, err));
        STOA_RETURN_NOT_OK(a->columns[k].is_text ? give_texts(a, a->widest[k], err)
                                                 : give(a, a->scratch.data, a->scratch.size, err));
    }
    return STOA_OK;
}

/* Texts have the width of the longest one, at least 1 as in NumPy. */
static stoa_status settle_width(archive *a, size_t k, stoa_error *err)
{
    stoa_npy_values *const f = &a->columns[k];

    a->widest[k] = a->widest[k] > 0 ? a->widest[k] : 1;
    if (a->widest[k] > MOST_POINTS) {
        return stoa_fail(err, STOA_ERANGE, "column '%s' has a text of %zu characters", f->name,
                         a->widest[k]);
    }
    f->size = a->widest[k] * POINT_BYTES;
    (void)snprintf(f->type, sizeof f->type, "<U%zu", a->widest[k]);
    return STOA_OK;
}

static stoa_status put_member(archive *a, size_t k, stoa_error *err)
{
    stoa_npy_values *const f = &a->columns[k];
    stoa_buffer types = {0};
    stoa_buffer shape = {0};
    stoa_buffer head = {0};
    char *const name = stoa_format("%s.npy", f->name);
    stoa_status status = STOA_OK;

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(f->is_text ? settle_width(a, k, err) : STOA_OK);
    STOA_TRY(stoa_buffer_print(&types, err, "'%s'", f->type));
    STOA_TRY(stoa_buffer_print(&shape, err, "(%llu,", (unsigned long long)a->n_rows));
    for (int i = 0; i < f->rank; i++) {
        STOA_TRY(stoa_buffer_print(&shape, err, " %llu,", (unsigned long long)f->shape[i]));
    }
    STOA_TRY(stoa_buffer_print(&shape, err, ")"));
    STOA_TRY(stoa_npy_head((const char *)types.data, (const char *)shape.data, &head, err));
    a->is_summing = true;
    a->crc = crc32_z(0, head.data, head.size);
    STOA_TRY(give_rows(a, k, err));
    a->is_summing = false;
    STOA_TRY(stoa_zip_begin(&a->zip, name, head.size + a->n_rows * f->size * f->n_items,
                            (uint32_t)a->crc, err));
    STOA_TRY(give(a, head.data, head.size, err));
    STOA_TRY(give_rows(a, k, err));

done:
    free(name);
    stoa_buffer_clear(&types);
    stoa_buffer_clear(&shape);
    stoa_buffer_clear(&head);
    return status;
}

/* --- the archive ----------------------------------------------------------------------------- */

static void clear(archive *a)
{
    free(a->columns);
    free(a->widest);
    stoa_buffer_clear(&a->pieces);
    stoa_buffer_clear(&a->scratch);
    stoa_spill_close(&a->spill);
    stoa_zip_writer_clear(&a->zip);
}

static stoa_status find_columns(archive *a, const struct ArrowSchema *schema, stoa_error *err)
{
    a->n_columns = (size_t)schema->n_children;
    a->columns = stoa_alloc_zero(a->n_columns + 1, sizeof *a->columns);
    a->widest = stoa_alloc_zero(a->n_columns + 1, sizeof *a->widest);
    STOA_RETURN_NO_MEMORY(err, a->columns != NULL ? a->widest : NULL);
    for (size_t k = 0; k < a->n_columns; k++) {
        STOA_RETURN_NOT_OK(stoa_npy_values_of(&a->columns[k], schema->children[k], true, err));
    }
    return STOA_OK;
}

stoa_status stoa_npz_write(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows,
                           stoa_error *err)
{
    archive a = {.zip = {.out = out}};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_status status = STOA_OK;
    stoa_view table;

    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(find_columns(&a, &schema, err));
    for (;;) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        if (batch.release == NULL) {
            break;
        }
        STOA_TRY(stoa_view_of(&schema, &batch, &table, err));
        STOA_TRY(collect(&a, &table, err));
        stoa_array_release(&batch);
    }
    for (size_t k = 0; k < a.n_columns; k++) {
        STOA_TRY(put_member(&a, k, err));
    }
    STOA_TRY(stoa_zip_end(&a.zip, err));
    *n_rows = a.n_rows;

done:
    clear(&a);
    stoa_array_release(&batch);
    stoa_schema_release(&schema);
    return status;
}
