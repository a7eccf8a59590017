/* Frames of AnnData before 0.7 (PyTables notes §11): obs and var are datasets of rows, as is
 * raw.var. The first field labels the rows. The labels of a field of codes are
 * uns/FIELD_categories. The root declares nothing in such files. */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/common/extent.h"
#include "layout/layout.h"
#include "layout/pytables/rows.h"

static const char *const paths[] = {"/obs", "/var", "/raw.var"};
enum { N_PATHS = sizeof paths / sizeof *paths };

/* --- recognising frames ---------------------------------------------------------------------- */

/* Whether an object is rows of no other layout. Those of PyTables and H5TB have a CLASS. */
static bool is_rows(hid_t object)
{
    return object >= 0 && H5Iget_type(object) == H5I_DATASET &&
           !stoa_attribute_exists(object, "CLASS") && stoa_class_of(object) == H5T_COMPOUND &&
           stoa_extent_rank(object) == 1;
}

static bool is_rows_at(hid_t file, const char *path)
{
    hid_t object = stoa_object_open(file, path);
    const bool is = is_rows(object);

    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

bool stoa_anndata_is_old_file(hid_t file)
{
    hid_t root = stoa_object_open(file, "/");
    const bool is = root >= 0 && !stoa_attribute_exists(root, "encoding-type") &&
                    is_rows_at(root, "/obs") && is_rows_at(root, "/var");

    (void)stoa_hdf_close(&root, STOA_OK, NULL);
    return is;
}

bool stoa_anndata_is_old_frame(hid_t object)
{
    bool is = false;

    if (is_rows(object) && stoa_anndata_is_old_file(object)) {
        for (int i = 0; i < N_PATHS && !is; i++) {
            is = stoa_object_is_at(object, paths[i]);
        }
    }
    return is;
}

static stoa_status identify(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                            stoa_error *err)
{
    *is_one = false;
    if (type != H5I_DATASET || !stoa_anndata_is_old_frame(object)) {
        return STOA_OK;
    }
    const stoa_status status = stoa_pytables_rows.identify(object, type, is_one, shown, err);
    shown->layout = "anndata";
    return status;
}

/* --- labels ---------------------------------------------------------------------------------- */

/* The path of the labels of a field; NULL if there are none. The caller frees it. */
static char *find_labels(hid_t object, const char *field)
{
    char *path = stoa_format("/uns/%s_categories", field);
    hid_t labels = path != NULL ? stoa_object_open(object, path) : H5I_INVALID_HID;

    if (labels < 0 || H5Iget_type(labels) != H5I_DATASET || stoa_extent_rank(labels) != 1) {
        free(path);
        path = NULL;
    }
    (void)stoa_hdf_close(&labels, STOA_OK, NULL);
    return path;
}

/* Whether every integer of a column is a number below n. A field of obs and one of var may have the
 * same name, and the labels may belong to either. */
static stoa_status are_below(stoa_column *column, uint64_t n, bool *are, stoa_error *err)
{
    enum { AT_ONCE = 1 << 16 };
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stoa_view view;

    *are = true;
    STOA_TRY(stoa_column_schema(column, &schema, err));
    for (uint64_t at = 0; *are && at < column->n_rows; at += AT_ONCE) {
        const uint64_t rest = column->n_rows - at;
        STOA_TRY(stoa_column_read(column, at, rest < AT_ONCE ? rest : AT_ONCE, &array, err));
        STOA_TRY(stoa_view_of(&schema, &array, &view, err));
        for (int64_t i = 0; i < view.length && *are; i++) {
            const int64_t code = stoa_view_i64(&view, i);
            *are = code >= -1 && (code < 0 || (uint64_t)code < n);
        }
        stoa_array_release(&array);
    }

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static bool is_integer(const stoa_column *column)
{
    return column->element.class == STOA_ELEMENT_INTEGER && !column->element.is_bitfield;
}

/* Give a field its labels. It is read once without them, to check that they are its own. */
static stoa_status label(stoa_rows *rows, unsigned i, stoa_column *column, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t dataset = stoa_rows_dataset(rows);
    char *const path = is_integer(column) ? find_labels(dataset, column->name) : NULL;
    stoa_column *codes = NULL;
    stoa_column *labels = NULL;
    bool are_codes = false;

    if (path == NULL) {
        return STOA_OK;
    }
    STOA_TRY(stoa_anndata_values(dataset, path, "labels", &labels, err));
    STOA_TRY(stoa_column_of_member(column->name, rows, i, STOA_WHOLE_MEMBER, &codes, err));
    STOA_TRY(are_below(codes, labels->n_rows, &are_codes, err));
    if (are_codes) {
        status = stoa_anndata_label(column, labels, false, err);
        labels = NULL;
    }

done:
    stoa_column_close(codes);
    stoa_column_close(labels);
    free(path);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status present_field(stoa_rows *rows, unsigned i, stoa_column *column, stoa_error *err)
{
    return i > 0 ? label(rows, i, column, err) : STOA_OK;
}

static stoa_status open_old(hid_t dataset, const char *path, const char *file, stoa_table **out,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;

    *out = NULL;
    STOA_TRY(stoa_pytables_open_rows(dataset, path, file, "anndata", present_field, &table, err));
    STOA_TRY(stoa_foreign_label_rows(table, 0, err));
    *out = table;
    table = NULL;

done:
    stoa_table_close(table);
    return status;
}

const stoa_layout_class stoa_anndata_old_frames = {.identify = identify, .open = open_old};
