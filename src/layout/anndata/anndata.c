/*
 * Frames of AnnData: obs, var, and every other group whose encoding-type is "dataframe" (PyTables
 * notes §11).
 *
 * A column is a dataset, or a group of two datasets: codes and categories, or values and a mask. In
 * frames of version 0.1.0 an attribute of the codes refers to the categories.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"
#include "layout/anndata/anndata.h"
#include "layout/common/extent.h"
#include "layout/layout.h"
#include "layout/pandas/pandas.h"

typedef struct frame {
    hid_t group;
    stoa_table *table;
    char **names; /* of the columns, in order */
    size_t n_names;
    char *index; /* dataset of the row labels */
} frame;

/* --- recognising frames ---------------------------------------------------------------------- */

/* Rows of a dataset, or of the dataset in a group that has one value per row. */
static uint64_t count_rows(hid_t object)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;
    uint64_t n = 0;

    if (H5Iget_type(object) == H5I_DATASET) {
        return stoa_extent_read(object, &rank, extent, NULL) == STOA_OK && rank == 1 ? extent[0]
                                                                                     : 0;
    }
    hid_t part = stoa_object_open(object, "codes");
    part = part >= 0 ? part : stoa_object_open(object, "values");
    if (part >= 0 && H5Iget_type(part) == H5I_DATASET) {
        n = count_rows(part);
    }
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return n;
}

static uint64_t rows_of(hid_t group, const char *index)
{
    hid_t labels = index != NULL ? stoa_object_open(group, index) : H5I_INVALID_HID;
    const uint64_t n = labels >= 0 ? count_rows(labels) : 0;

    (void)stoa_hdf_close(&labels, STOA_OK, NULL);
    return n;
}

static herr_t weigh(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    stoa_object *const shown = context;
    hid_t part = info->type == H5L_TYPE_HARD ? stoa_object_open(group, name) : H5I_INVALID_HID;

    if (part >= 0) {
        shown->n_columns++;
        shown->n_bytes += stoa_bytes_within(part, 0);
    }
    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return 0;
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *encoding = NULL;
    char *index = NULL;

    *is_one = false;
    if (type != H5I_GROUP) {
        return STOA_OK;
    }
    STOA_TRY(stoa_attribute_read_optional(object, "encoding-type", &encoding, err));
    *is_one = encoding != NULL && strcmp(encoding, "dataframe") == 0;
    if (!*is_one) {
        goto done;
    }
    index = stoa_attribute_optional(object, "_index");
    shown->layout = "anndata";
    shown->kind = "table";
    shown->n_rows = rows_of(object, index);
    STOA_TRY(stoa_links_visit(object, weigh, shown, err));

done:
    free(index);
    free(encoding);
    return status;
}

/* --- columns --------------------------------------------------------------------------------- */

static bool is_ordered(hid_t object)
{
    stoa_error ignored = STOA_ERROR_INIT;
    uint64_t number = 0;
    bool ordered = false;
    bool found = false;

    if (stoa_attribute_read_bool(object, "ordered", &ordered, &ignored) == STOA_OK && ordered) {
        return true;
    }
    return stoa_attribute_read_u64(object, "ordered", &number, &found, &ignored) == STOA_OK &&
           found && number != 0;
}

stoa_status stoa_anndata_label(stoa_column *codes, stoa_column *labels, bool ordered,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    if (codes->element.class != STOA_ELEMENT_INTEGER || codes->element.is_bitfield) {
        STOA_FAIL(err, STOA_EDATA, "the codes of '%s' are %s", codes->name, codes->element.text);
    }
    STOA_TRY(stoa_column_read_labels(labels, &schema, &array, err));
    stoa_column_as_codes(codes, &schema, &array, ordered);
    if (stoa_kind_is_signed(codes->element.kind)) {
        STOA_TRY(stoa_pandas_set_missing_code(codes, err));
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(labels);
    return status;
}

static stoa_status open_categorical(hid_t group, const char *name, stoa_column **column,
                                    stoa_error *err)
{
    stoa_column *labels = NULL;

    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "codes", name, column, err));
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "categories", "labels", &labels, err));
    return stoa_anndata_label(*column, labels, is_ordered(group), err);
}

static stoa_status open_masked(hid_t group, const char *name, stoa_column **column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "values", name, column, err));
    STOA_RETURN_NOT_OK(stoa_anndata_values(group, "mask", "mask", &(*column)->mask, err));
    if ((*column)->mask->element.size != 1 || (*column)->mask->n_rows != (*column)->n_rows) {
        return stoa_fail(err, STOA_EDATA, "its mask is no mask of its values");
    }
    return STOA_OK;
}

/* Codes with an attribute that refers to their categories. */
static stoa_status find_old_labels(hid_t dataset, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t categories = H5I_INVALID_HID;
    stoa_column *labels = NULL;

    if (!stoa_attribute_exists(dataset, "categories")) {
        return STOA_OK;
    }
    STOA_TRY(stoa_reference_open(dataset, "categories", &categories, err));
    const bool ordered = is_ordered(categories);
    const hid_t taken = categories;
    categories = H5I_INVALID_HID;
    STOA_TRY(stoa_column_of_dataset("labels", taken, 0, STOA_WHOLE_ROWS, &labels, err));
    STOA_TRY(stoa_anndata_label(column, labels, ordered, err));

done:
    return stoa_hdf_close(&categories, status, err);
}

static stoa_status open_column(const frame *f, const char *name, stoa_column **column,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t part = stoa_object_open(f->group, name);
    char *encoding = NULL;

    *column = NULL;
    if (part < 0) {
        STOA_FAIL(err, STOA_EDATA,
                  H5Lexists(f->group, name, H5P_DEFAULT) > 0
                      ? "'%s' cannot be opened"
                      : "there is no column '%s', which the frame names",
                  name);
    }
    if (H5Iget_type(part) == H5I_DATASET) {
        STOA_TRY(stoa_anndata_values(f->group, name, name, column, err));
        STOA_TRY(find_old_labels(part, *column, err));
        goto done;
    }
    STOA_TRY(stoa_attribute_read_optional(part, "encoding-type", &encoding, err));
    STOA_TRY(encoding != NULL && strcmp(encoding, "categorical") == 0
                 ? open_categorical(part, name, column, err)
                 : open_masked(part, name, column, err));

done:
    free(encoding);
    if (status != STOA_OK) {
        stoa_column_close(*column);
        *column = NULL;
    }
    (void)stoa_at(err, status, "%s:%s/%s", f->table->file, f->table->path, name);
    return stoa_hdf_close(&part, status, err);
}

static stoa_status add_column(frame *f, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    stoa_column *column = NULL;

    if (open_column(f, name, &column, &why) == STOA_OK && column->n_rows != f->table->n_rows) {
        (void)!stoa_fail(&why, STOA_EDATA, "column '%s' has %llu rows, the frame %llu", name,
                         (unsigned long long)column->n_rows, (unsigned long long)f->table->n_rows);
    }
    if (why.status != STOA_OK) {
        STOA_TRY(stoa_foreign_add_damaged(f->table, name, &why, err));
        goto done;
    }
    status = stoa_foreign_add(f->table, column, err);
    column = NULL;

done:
    stoa_column_close(column);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status read_notes(frame *f, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;

    STOA_RETURN_NOT_OK(stoa_attribute_read_text(f->group, "_index", &f->index, err));
    if (f->index == NULL) {
        return stoa_fail(err, STOA_EDATA,
                         "attribute '_index' does not say where the row labels are");
    }
    /* Without columns, it is an empty array of numbers. */
    if (stoa_attribute_read_names(f->group, "column-order", &f->names, &f->n_names, &ignored) ==
        STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    return STOA_OK;
}

static stoa_status open_frame(hid_t group, const char *path, const char *file, stoa_table **table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    frame f = {.group = group};

    *table = NULL;
    STOA_TRY(stoa_foreign_begin(group, path, file, "anndata", 0, &f.table, err));
    STOA_TRY(read_notes(&f, err));
    f.table->n_rows = rows_of(group, f.index);
    STOA_TRY(add_column(&f, f.index, err));
    STOA_TRY(stoa_column_load(f.table->columns[0], err)); /* it says how many rows there are */
    STOA_TRY(stoa_foreign_label_rows(f.table, 0, err));
    for (size_t i = 0; i < f.n_names; i++) {
        if (strcmp(f.names[i], f.index) != 0) {
            STOA_TRY(add_column(&f, f.names[i], err));
        }
    }
    *table = f.table;
    f.table = NULL;

done:
    free(f.names);
    free(f.index);
    stoa_table_close(f.table);
    return status;
}

const stoa_layout_class stoa_anndata_frames = {.identify = identify, .open = open_frame};
