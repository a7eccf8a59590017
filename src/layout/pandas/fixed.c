/* pandas HDFStore, fixed format: a group of arrays. They are the labels of two axes, and one block
 * of values for each type (PyTables notes §9.2). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"
#include "layout/layout.h"
#include "layout/pandas/fixed_read.h"
#include "layout/pandas/frame.h"
#include "layout/pandas/pandas.h"
#include "layout/pandas/shape.h"
#include "layout/pickle/write.h"

typedef struct fixed {
    hid_t group;
    stoa_table *table;
    stoa_pandas_label_text *labels; /* of the columns of the frame, in order */
    size_t n_labels;
    size_t next; /* where to look for the next column of the block */
    stoa_pandas_metadata notes;
    stoa_column **columns; /* by position in the frame; NULL if not found yet */
    char **dtypes;         /* for each column, its string dtype; NULL if none */
} fixed;

/* --- recognising frames ---------------------------------------------------------------------- */

static bool is_series(hid_t group)
{
    return stoa_attribute_is(group, "pandas_type", "series");
}

/* Rows, as far as the size of a node tells. */
static uint64_t count_rows(hid_t group, const char *name)
{
    const hid_t dataset = stoa_open_here(group, name);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    const bool is_sentinel = dataset >= 0 && stoa_attribute_exists(dataset, "shape");
    const hssize_t n = space >= 0 && !is_sentinel ? H5Sget_simple_extent_npoints(space) : 0;

    (void)stoa_hdf_close(&space, STOA_OK, NULL);
    if (dataset >= 0) {
        (void)H5Dclose(dataset);
    }
    return n > 0 ? (uint64_t)n : 0;
}

/* The length of an axis of labels, or of codes. */
static uint64_t count_labels(hid_t group, const char *axis, const char *codes)
{
    return count_rows(group, H5Lexists(group, axis, H5P_DEFAULT) > 0 ? axis : codes);
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *kind = NULL;

    *is_one = false;
    if (type == H5I_GROUP) {
        STOA_TRY(stoa_attribute_read_optional(object, "pandas_type", &kind, err));
    }
    *is_one = kind != NULL && (strcmp(kind, "series") == 0 || strcmp(kind, "frame") == 0);
    if (*is_one) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        const bool is_frame = !is_series(object);
        shown->layout = "pandas";
        shown->kind = "table";
        shown->n_rows = count_labels(object, is_frame ? "axis1" : "index",
                                     is_frame ? "axis1_label0" : "index_label0");
        shown->n_columns = is_frame ? count_labels(object, "axis0", "axis0_label0") : 1;
        shown->n_bytes = stoa_bytes_within(object, 0);
        stoa_error_stack_discard(&errors);
    }

done:
    free(kind);
    return status;
}

/* --- the blocks ------------------------------------------------------------------------------ */

/* Whether the dataset of a block has rows first, which pandas calls transposed. */
static bool has_rows_first(hid_t group, const char *node)
{
    stoa_error ignored = STOA_ERROR_INIT;
    const hid_t dataset = stoa_open_here(group, node);
    uint8_t value = 0;
    bool found = false;

    /* PyTables writes a bit field, which libhdf5 does not convert to an integer. */
    if (dataset >= 0 && stoa_attribute_read_scalar(dataset, "transposed", H5T_NATIVE_B8, &value,
                                                   &found, &ignored) != STOA_OK) {
        uint64_t number = 0;
        found =
            stoa_attribute_read_u64(dataset, "transposed", &number, &found, &ignored) == STOA_OK &&
            found;
        value = number != 0;
    }
    if (dataset >= 0) {
        (void)H5Dclose(dataset);
    }
    return found && value != 0;
}

static bool is_same_label(const stoa_pandas_label_text *a, const stoa_pandas_label_text *b)
{
    return strcmp(a->name, b->name) == 0 &&
           (a->said == NULL || b->said == NULL || strcmp(a->said, b->said) == 0);
}

/* The next unused position with that label, since columns may have the same label. The search
 * starts after the previous column, since a block keeps the order of the frame. So a wide frame is
 * scanned only once. */
static size_t place_of(fixed *f, const stoa_pandas_label_text *label)
{
    for (size_t k = 0; k < f->n_labels; k++) {
        const size_t i = (f->next + k) % f->n_labels;
        if (f->columns[i] == NULL && is_same_label(&f->labels[i], label)) {
            f->next = i + 1;
            return i;
        }
    }
    return f->n_labels;
}

/* Check that a block of numbers is as wide as its labels. Blocks of objects have their shape in the
 * pickle, and blocks without rows in an attribute. */
static stoa_status check_width(hid_t group, const char *node, int axis, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    STOA_HDF(err, dataset = stoa_open_here(group, node), "open '%s'", node);
    STOA_TRY(stoa_extent_read(dataset, &rank, extent, err));
    if (rank == 2 && extent[1 - axis] != n && !stoa_attribute_exists(dataset, "shape")) {
        STOA_FAIL(err, STOA_EDATA, "'%s' has %llu columns, and labels of %zu", node,
                  (unsigned long long)extent[1 - axis], n);
    }

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* The value type of a node; NULL if none. The caller frees it. */
static char *value_type_of(hid_t group, const char *node)
{
    hid_t dataset = stoa_open_here(group, node);
    char *const said = dataset >= 0 ? stoa_attribute_optional(dataset, "value_type") : NULL;

    (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    return said;
}

static stoa_status open_block(fixed *f, unsigned number, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *items = stoa_format("block%u_items", number);
    char *values = stoa_format("block%u_values", number);
    stoa_pandas_label_text *labels = NULL;
    size_t n = 0;

    STOA_TRY(items != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_pandas_read_axis(f->group, items, &labels, &n, err));
    const int axis = has_rows_first(f->group, values) ? 0 : 1;
    STOA_TRY(check_width(f->group, values, axis, n, err));
    f->next = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t place = place_of(f, &labels[i]);
        if (place == f->n_labels) {
            STOA_FAIL(err, STOA_EDATA, "'%s' names a column '%s' that the frame has not", items,
                      labels[i].name);
        }
        STOA_TRY(stoa_pandas_open_line(f->group, values, "value_type", axis, i, labels[i].name,
                                       &f->columns[place], err));
        free(f->dtypes[place]);
        f->dtypes[place] = value_type_of(f->group, values);
    }

done:
    stoa_pandas_free_labels(labels, n);
    free(items);
    free(values);
    return status;
}

static stoa_status add_values(fixed *f, stoa_pandas_label_text *label, const char *dtype,
                              stoa_column **column, stoa_error *err)
{
    stoa_column *const added = *column;
    char *name = NULL;

    STOA_RETURN_NOT_OK(stoa_pandas_add_column(&f->notes, f->table, label, err));
    if (stoa_kind_is_string(added->type.kind)) {
        STOA_RETURN_NOT_OK(stoa_pandas_add_strings(&f->notes, label->name, dtype, err));
    }
    name = stoa_strdup(label->name);
    STOA_RETURN_NO_MEMORY(err, name);
    free(added->name);
    added->name = name;
    STOA_RETURN_NOT_OK(stoa_pandas_check_rows(f->table, added, err));
    *column = NULL;
    return stoa_foreign_add(f->table, added, err);
}

/* Note the name of the column axis or of one of its levels. A single level without a name needs no
 * note. */
static stoa_status note_axis_name(fixed *f, const char *node, bool is_level, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_label_text label = {NULL, NULL, false};
    stoa_buffer said = {0};

    STOA_TRY(stoa_pandas_name_of(f->group, node, "", &label, err));
    if (label.is_text) {
        STOA_TRY(stoa_pickle_put_text(&said, label.name, err));
        STOA_TRY(stoa_buffer_append(&said, "", 1, err));
    }
    if (label.is_text || label.said != NULL) {
        STOA_TRY(stoa_pandas_add_name(&f->notes,
                                      label.is_text ? (const char *)said.data : label.said, err));
    } else if (is_level) {
        STOA_TRY(stoa_pandas_add_name(&f->notes, "N", err));
    }

done:
    stoa_buffer_clear(&said);
    stoa_pandas_label_clear(&label);
    return status;
}

/* Note the dtype of numeric column labels, and the frequency of times. */
static stoa_status note_axis_type(fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    stoa_pandas_freq freq;
    bool are_periods = false;
    const bool has_freq =
        stoa_pandas_freq_at(f->group, "axis0", &freq, &are_periods) && !are_periods;
    const char *dtype = NULL;
    hid_t dataset = H5I_INVALID_HID;
    stoa_kind kind = STOA_KIND_INT64;

    STOA_HDF(err, dataset = stoa_open_here(f->group, "axis0"), "open 'axis0'");
    if (stoa_attribute_is(dataset, "kind", "integer") ||
        stoa_attribute_is(dataset, "kind", "float")) {
        STOA_TRY(stoa_pandas_open_line(f->group, "axis0", "kind", 0, STOA_WHOLE_ROWS, "axis0",
                                       &column, err));
        kind = column->type.kind;
    }
    if ((stoa_kind_is_integer(kind) && kind != STOA_KIND_INT64) || kind == STOA_KIND_FLOAT32) {
        dtype = stoa_pandas_dtype(kind);
    }
    STOA_TRY(stoa_pandas_add_axis(&f->notes, dtype, has_freq ? &freq : NULL, f->n_labels, err));

done:
    stoa_column_close(column);
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status note_axis(fixed *f, stoa_error *err)
{
    uint64_t n_levels = 0;
    char name[48];

    STOA_RETURN_NOT_OK(stoa_pandas_axis_levels(f->group, "axis0", &n_levels, err));
    if (n_levels == 0) {
        STOA_RETURN_NOT_OK(f->n_labels > 0 ? note_axis_type(f, err) : STOA_OK);
        return note_axis_name(f, "axis0", false, err);
    }
    for (uint64_t i = 0; i < n_levels; i++) {
        (void)snprintf(name, sizeof name, "axis0_level%llu", (unsigned long long)i);
        STOA_RETURN_NOT_OK(note_axis_name(f, name, true, err));
    }
    return STOA_OK;
}

static stoa_status add_frame(fixed *f, stoa_error *err)
{
    uint64_t n_blocks = 0;
    stoa_error why = STOA_ERROR_INIT;

    STOA_RETURN_NOT_OK(stoa_pandas_add_row_labels(f->group, "axis1", f->table, &f->notes, err));
    STOA_RETURN_NOT_OK(stoa_pandas_read_axis(f->group, "axis0", &f->labels, &f->n_labels, err));
    STOA_RETURN_NOT_OK(note_axis(f, err));
    f->columns = stoa_alloc_zero(f->n_labels, sizeof(stoa_column *));
    f->dtypes = stoa_alloc_zero(f->n_labels, sizeof(char *));
    STOA_RETURN_NO_MEMORY(err, f->columns != NULL && f->dtypes != NULL);
    STOA_RETURN_NOT_OK(stoa_pandas_read_count(f->group, "nblocks", "", &n_blocks, err));
    for (unsigned i = 0; i < n_blocks; i++) {
        stoa_error one = STOA_ERROR_INIT;
        if (open_block(f, i, &one) == STOA_ENOMEM) {
            return stoa_fail_memory(err);
        }
        if (one.status != STOA_OK) {
            (void)!stoa_fail(&why, one.status, "%s%s%s", one.where,
                             one.where[0] != '\0' ? ": " : "", one.message);
        }
    }
    bool is_told = why.status == STOA_OK;
    for (size_t i = 0; i < f->n_labels; i++) {
        if (f->columns[i] == NULL) { /* of a block that could not be opened, or of none */
            (void)!stoa_fail(&why, STOA_EDATA, "no block holds column '%s'", f->labels[i].name);
            STOA_RETURN_NOT_OK(stoa_foreign_add_damaged(f->table, f->labels[i].name, &why, err));
            is_told = true;
            continue;
        }
        STOA_RETURN_NOT_OK(add_values(f, &f->labels[i], f->dtypes[i], &f->columns[i], err));
    }
    /* A bad block of no column contradicts the frame. */
    return is_told ? STOA_OK : stoa_fail(err, why.status, "%s", why.message);
}

static stoa_status add_series(fixed *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *column = NULL;
    stoa_pandas_label_text label = {NULL, NULL, false};
    char *dtype = value_type_of(f->group, "values");

    f->notes.is_series = true;
    STOA_TRY(stoa_pandas_add_row_labels(f->group, "index", f->table, &f->notes, err));
    STOA_TRY(stoa_pandas_read_name(f->group, "values", &label, err));
    STOA_TRY(stoa_pandas_open_line(f->group, "values", "value_type", 0, STOA_WHOLE_ROWS, label.name,
                                   &column, err));
    STOA_TRY(add_values(f, &label, dtype, &column, err));

done:
    free(dtype);
    stoa_pandas_label_clear(&label);
    stoa_column_close(column);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status open_fixed(hid_t group, const char *path, const char *file, stoa_table **table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    fixed f = {.group = group};

    *table = NULL;
    STOA_TRY(stoa_foreign_begin(group, path, file, "pandas", 0, &f.table, err));
    STOA_TRY(is_series(group) ? add_series(&f, err) : add_frame(&f, err));
    STOA_TRY(stoa_pandas_metadata_end(&f.notes, f.table, err));
    *table = f.table;
    f.table = NULL;

done:
    for (size_t i = 0; f.columns != NULL && i < f.n_labels; i++) {
        stoa_column_close(f.columns[i]);
    }
    for (size_t i = 0; f.dtypes != NULL && i < f.n_labels; i++) {
        free(f.dtypes[i]);
    }
    free(f.dtypes);
    free(f.columns);
    stoa_pandas_free_labels(f.labels, f.n_labels);
    stoa_pandas_metadata_clear(&f.notes);
    stoa_table_close(f.table);
    return status;
}

const stoa_layout_class stoa_pandas_fixed_frames = {.identify = identify, .open = open_fixed};
