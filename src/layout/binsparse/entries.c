/* The entries of matrices and vectors (descriptor.h). */
#include "arrow/build.h"
#include "arrow/read.h"
#include "column/read/foreign.h"
#include "column/read/rows.h"
#include "hdf/metadata/links.h"
#include "layout/binsparse/descriptor.h"
#include "layout/layout.h"

/* Elements of a dataset for each stored byte, beyond what compression reaches. A small file would
 * else take forever to read. */
#define MAX_PER_BYTE UINT64_C(100000)

/* --- complex numbers ------------------------------------------------------------------------- */

/* Every second number, from one on. */
static void *every_second(const stoa_view *numbers, int64_t from, uint64_t n)
{
    const bool is_double = numbers->type.kind == STOA_KIND_FLOAT64;
    double *const doubles = stoa_alloc((size_t)n, is_double ? sizeof(double) : sizeof(float));
    float *const floats = (float *)(void *)doubles;
    const int64_t first = numbers->offset + from;

    for (uint64_t i = 0; doubles != NULL && i < n; i++) {
        const size_t at = (size_t)first + 2 * i;
        if (is_double) {
            doubles[i] = ((const double *)numbers->values)[at];
        } else {
            floats[i] = ((const float *)numbers->values)[at];
        }
    }
    return doubles;
}

static stoa_status read_complex(void *context, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_column_rows rows = {.array.release = NULL};
    stoa_status status = STOA_OK;

    out->release = NULL;
    STOA_TRY(stoa_column_rows_read(context, 2 * first, 2 * count, &rows, err));
    STOA_TRY(stoa_array_struct(out, (int64_t)count, 2, err));
    for (int64_t i = 0; i < 2; i++) {
        void *const buffers[] = {NULL, every_second(&rows.view, i, count)};
        STOA_TRY(buffers[1] != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_array_make(out->children[i], (int64_t)count, 0, 2, buffers, err));
    }

done:
    stoa_column_rows_clear(&rows);
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static void close_numbers(void *context)
{
    stoa_column_close(context);
}

/* Make pairs of numbers a column of structs {r, i}. Takes ownership of `numbers`, also on
 * failure. */
static stoa_status as_complex(stoa_column *numbers, stoa_column **column, stoa_error *err)
{
    const stoa_column_source source = {
        .read_array = read_complex, .close = close_numbers, .context = numbers};
    struct ArrowSchema schema = {.release = NULL};
    const stoa_kind kind = numbers->type.kind;
    const char *const format = kind == STOA_KIND_FLOAT64 ? "g" : "f";
    stoa_status status = STOA_OK;

    *column = NULL;
    if (kind != STOA_KIND_FLOAT64 && kind != STOA_KIND_FLOAT32) {
        STOA_FAIL(err, STOA_EDATA, "'values' has no pairs of float32 or float64");
    }
    if (numbers->n_rows % 2 != 0) {
        STOA_FAIL(err, STOA_EDATA, "'values' has %llu numbers, which are no pairs",
                  (unsigned long long)numbers->n_rows);
    }
    const uint64_t n_rows = numbers->n_rows / 2;
    STOA_TRY(stoa_schema_make(&schema, numbers->name, "+s", err));
    STOA_TRY(stoa_schema_children(&schema, 2, err));
    STOA_TRY(stoa_schema_make(schema.children[0], "r", format, err));
    STOA_TRY(stoa_schema_make(schema.children[1], "i", format, err));
    numbers = NULL;
    STOA_TRY(stoa_column_of_source(&schema, n_rows, &source, column, err));

done:
    stoa_column_close(numbers);
    stoa_schema_release(&schema);
    return status;
}

/* --- datasets -------------------------------------------------------------------------------- */

static stoa_status open_part(hid_t group, const char *name, stoa_column **column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = stoa_object_open(group, name);

    *column = NULL;
    if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "there is no dataset '%s'", name);
    }
    const uint64_t n_bytes = H5Dget_storage_size(dataset);
    const hid_t taken = dataset;
    dataset = H5I_INVALID_HID;
    STOA_TRY(stoa_column_of_dataset(name, taken, 0, STOA_WHOLE_ROWS, column, err));
    const stoa_kind kind = (*column)->type.kind;
    if (!stoa_kind_is_integer(kind) && !stoa_kind_is_float(kind) && kind != STOA_KIND_BOOL) {
        STOA_FAIL(err, STOA_EDATA, "'%s' is no list of numbers", name);
    }
    if ((*column)->n_rows / MAX_PER_BYTE > n_bytes) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has %llu elements in %llu bytes", name,
                  (unsigned long long)(*column)->n_rows, (unsigned long long)n_bytes);
    }

done:
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status open_values(hid_t group, const stoa_binsparse_descriptor *d,
                               stoa_column **column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(open_part(group, "values", column, err));
    stoa_column *const numbers = *column;
    if (d->is_complex) {
        return as_complex(numbers, column, err);
    }
    if (d->is_bool && numbers->type.kind != STOA_KIND_BOOL) {
        if (!stoa_kind_is_integer(numbers->type.kind)) {
            return stoa_fail(err, STOA_EDATA, "'values' has no integers, as bint8 does");
        }
        return stoa_layout_ints_as_bool(numbers, column, err);
    }
    return STOA_OK;
}

/* Elements that are not stored are 0, as those of all sparse matrices here. */
static stoa_status check_fill(hid_t group, stoa_error *err)
{
    stoa_column_rows rows = {.array.release = NULL};
    stoa_column *column = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(open_part(group, "fill_value", &column, err));
    if (column->n_rows < 1 || column->n_rows > 2) {
        STOA_FAIL(err, STOA_EDATA, "'fill_value' has %llu elements",
                  (unsigned long long)column->n_rows);
    }
    STOA_TRY(stoa_column_rows_read(column, 0, column->n_rows, &rows, err));
    for (int64_t i = 0; i < rows.view.length; i++) {
        if (stoa_kind_is_float(rows.view.type.kind) ? stoa_view_f64(&rows.view, i) != 0
                                                    : stoa_view_i64(&rows.view, i) != 0) {
            STOA_FAIL(err, STOA_EDATA,
                      "'fill_value' is not 0: every element has a value, and this is no sparse "
                      "matrix");
        }
    }

done:
    stoa_column_rows_clear(&rows);
    stoa_column_close(column);
    return status;
}

static stoa_status open_parts(hid_t group, const stoa_binsparse_descriptor *d, stoa_entries *m,
                              stoa_error *err)
{
    const stoa_binsparse_format *const f = d->format;

    STOA_RETURN_NOT_OK(d->has_fill ? check_fill(group, err) : STOA_OK);
    STOA_RETURN_NOT_OK(f->pointers != NULL ? open_part(group, f->pointers, &m->pointers, err)
                                           : STOA_OK);
    STOA_RETURN_NOT_OK(f->lines != NULL ? open_part(group, f->lines, &m->lines, err) : STOA_OK);
    STOA_RETURN_NOT_OK(f->indices != NULL ? open_part(group, f->indices, &m->indices, err)
                                          : STOA_OK);
    STOA_RETURN_NOT_OK(open_values(group, d, &m->values, err));
    const stoa_column *const stored = m->indices != NULL ? m->indices : m->lines;
    return stored->n_rows == d->n_stored
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "'number_of_stored_values' is %llu, '%s' has %llu",
                           (unsigned long long)d->n_stored, stoa_column_name(stored),
                           (unsigned long long)stored->n_rows);
}

stoa_status stoa_binsparse_open_entries(hid_t object, const char *path, const char *file,
                                        const char *text, stoa_array_box *box, stoa_table **table,
                                        stoa_error *err)
{
    stoa_entries m = {.rule = STOA_BINSPARSE_RULE};
    stoa_binsparse_descriptor d;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_binsparse_describe(object, &d, err));
    m.line_axis = d.format->line_axis;
    m.box.rank = d.rank;
    m.box.extent[0] = d.shape[0];
    m.box.extent[1] = d.shape[1];
    m.is_iso = d.is_iso;
    m.mirror = d.mirror;
    m.is_upper = d.is_upper;
    status = open_parts(object, &d, &m, err);
    STOA_TRY(stoa_binsparse_name_rule(status, err));
    return stoa_entries_open(object, path, file, text, &m, box, table, err);

done:
    stoa_entries_clear(&m);
    return stoa_hdf_close(&object, status, err);
}
