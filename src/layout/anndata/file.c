/*
 * Converts whole AnnData files, in both directions (<stoa/anndata.h>).
 *
 * Everything except frames and matrices is copied unchanged first. Then frames and matrices are
 * written to their places. The plan decides beforehand what is left out (plan.h), so that it is
 * never copied.
 */
#include <stdlib.h>
#include <stoa/anndata.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/root_members.h"
#include "layout/hep001/hep001.h"
#include "sparse/format/filter.h"
#include "sparse/tools/relayout.h"
#include "table/open/table.h"

typedef struct conversion {
    hid_t from; /* root groups */
    hid_t to;
    stoa_layout_options options;
    stoa_anndata_plan plan;
    stoa_anndata_counts counts;
    const char *path; /* of the frame whose columns are looked at */
} conversion;

/* --- recognising files ----------------------------------------------------------------------- */

static bool is_frame(hid_t root, const char *name)
{
    hid_t object = stoa_object_open(root, name);
    bool is = false;

    if (object >= 0 && H5Iget_type(object) == H5I_GROUP) {
        is = stoa_attribute_is(object, "encoding-type", "dataframe") ||
             (stoa_table_probe(object, &is, NULL) == STOA_OK && is);
    }
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

bool stoa_anndata_is_one(hid_t file)
{
    hid_t root = stoa_object_open(file, "/");
    const bool is =
        root >= 0 &&
        (stoa_attribute_is(root, "encoding-type", "anndata") || stoa_anndata_is_old_file(root) ||
         (is_frame(root, "obs") && (is_frame(root, "var") || stoa_object_exists(root, "X"))));

    (void)stoa_hdf_close(&root, STOA_OK, NULL);
    return is;
}

/* --- matrices -------------------------------------------------------------------------------- */

static stoa_status read_group(const conversion *j, const char *path, hid_t to, const char *target,
                              const char *codec, stoa_sparse **array, stoa_error *err)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;

    options.values = codec;
    return stoa_matrix_group_import(j->from, path, to, target, &options, NULL, &j->options.listener,
                                    array, err);
}

static stoa_status group_to_array(const conversion *j, const stoa_anndata_item *item,
                                  const stoa_matrix_group_info *info, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sparse *array = NULL;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(read_group(j, item->path, j->to, item->target, j->options.codec, &array, err));
    status = stoa_sparse_commit(array, err);
    array = NULL;
    STOA_TRY(status);
    STOA_HDF(err, dataset = H5Dopen2(j->to, item->target, H5P_DEFAULT), "open the array");
    STOA_TRY(stoa_anndata_encode(
        dataset, info->form == STOA_MATRIX_CSR ? "csr_matrix" : "csc_matrix", "0.1.0", err));

done:
    stoa_sparse_close(array);
    return stoa_hdf_close(&dataset, status, err);
}

/* Convert through an array, which checks all index pointers. AnnData crashes if they are
 * invalid. */
static stoa_status group_to_group(const conversion *j, const stoa_anndata_item *item,
                                  const stoa_matrix_group_info *info, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sparse *array = NULL;
    hid_t scratch = H5I_INVALID_HID;

    STOA_TRY(stoa_layout_open_temporary(&scratch, err));
    STOA_TRY(read_group(j, item->path, scratch, "/X", NULL, &array, err));
    STOA_TRY(
        stoa_matrix_group_export(array, info->form, j->to, item->target, j->options.codec, err));

done:
    stoa_sparse_close(array); /* of a temporary file */
    return stoa_hdf_close(&scratch, status, err);
}

static stoa_status convert_group(conversion *j, const stoa_anndata_item *item, stoa_error *err)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;

    STOA_RETURN_NOT_OK(stoa_matrix_group_describe(j->from, item->path, &info, err));
    return j->plan.is_out ? group_to_group(j, item, &info, err)
                          : group_to_array(j, item, &info, err);
}

/* Export in the form that the array had before, if it is recorded. */
static stoa_status convert_array(const conversion *j, const stoa_anndata_item *item,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sparse *array = NULL;
    hid_t dataset = H5I_INVALID_HID;

    STOA_HDF(err, dataset = stoa_open_here(j->from, item->path), "open the array");
    const stoa_matrix_form form = stoa_attribute_is(dataset, "encoding-type", "csc_matrix")
                                      ? STOA_MATRIX_CSC
                                      : STOA_MATRIX_CSR;
    STOA_TRY(stoa_sparse_open_dataset(dataset, NULL, &array, err));
    STOA_TRY(stoa_matrix_group_export(array, form, j->to, item->target, j->options.codec, err));

done:
    stoa_sparse_close(array); /* nothing was changed */
    return stoa_hdf_close(&dataset, status, err);
}

/* --- frames ---------------------------------------------------------------------------------- */

static bool is_axis(const char *path)
{
    return strcmp(path, "/obs") == 0 || strcmp(path, "/var") == 0 || strcmp(path, "/raw/var") == 0;
}

static stoa_status write_frame(stoa_table *table, hid_t to, const char *path, bool is_out,
                               const stoa_layout_options *options, uint64_t *n_rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    if (is_out) {
        return stoa_layout_write_by(is_axis(path) ? &stoa_anndata_axis_writer
                                                  : &stoa_anndata_writer,
                                    table, NULL, to, path, options, NULL, n_rows, err);
    }
    STOA_TRY(stoa_hep001_write(table, to, path, options, n_rows, err));
    STOA_HDF(err, group = stoa_open_here(to, path), "open the table");
    STOA_TRY(stoa_anndata_save_metadata(table, to, path, group, err));

done:
    return stoa_hdf_close(&group, status, err);
}

static stoa_status leave_column(void *context, const stoa_column *column, stoa_error *err)
{
    conversion *const j = context;
    char *const path = stoa_format("%s/%s", j->path, stoa_column_name(column));
    const stoa_status status =
        path != NULL ? stoa_anndata_plan_leave_bad(&j->plan, path, column->damage, err)
                     : stoa_fail_memory(err);

    free(path);
    return status;
}

static stoa_status convert_frame(conversion *j, const stoa_anndata_item *item, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *table = NULL;
    uint64_t n_rows = 0;

    STOA_TRY(stoa_anndata_open(j->from, item->path, &table, err));
    if (j->options.skip_bad) {
        j->path = item->path;
        STOA_TRY(stoa_foreign_drop_damaged(table, leave_column, j, err));
    }
    STOA_TRY(write_frame(table, j->to, item->target, j->plan.is_out, &j->options, &n_rows, err));
    j->counts.n_tables++;
    j->counts.n_rows += n_rows;

done:
    stoa_table_close(table);
    return status;
}

/* --- converting ------------------------------------------------------------------------------ */

static stoa_status copy_rest(conversion *j, stoa_error *err)
{
    stoa_relayouts none = {.n = 0};
    stoa_other_storage other = stoa_relayout_storage(&none);

    other.is_left = stoa_anndata_plan_has;
    other.left = &j->plan;
    STOA_RETURN_NOT_OK(stoa_sparse_filter_register(err));
    STOA_RETURN_NOT_OK(stoa_clone_group(j->from, j->to, &other, &j->options.listener, 0, err));
    STOA_RETURN_NOT_OK(stoa_anndata_move_raw(j->to, err));
    if (j->plan.is_out) {
        STOA_RETURN_NOT_OK(stoa_anndata_encode_all(j->to, err));
    }
    return STOA_OK;
}

static stoa_status link_again(const conversion *j, const stoa_anndata_item *item, stoa_error *err)
{
    const char *const target = stoa_anndata_plan_item(&j->plan, item->same)->target;

    if (j->options.skip_bad && !stoa_object_exists(j->to, target)) {
        return STOA_OK; /* it was left behind */
    }
    STOA_RETURN_HDF_ERROR(
        err, H5Lcreate_hard(j->to, target, j->to, item->target, H5P_DEFAULT, H5P_DEFAULT),
        "link '%s'", item->target);
    return STOA_OK;
}

static stoa_status convert_item(conversion *j, const stoa_anndata_item *item, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (stoa_object_exists(j->to, item->target)) { /* lists of a frame were written there */
        status = stoa_fail(err, STOA_EEXISTS,
                           "a list column of a frame needs the place '%s'; rename that column",
                           item->target);
        return stoa_layout_error_at(j->from, item->path, status, err);
    }
    switch (item->kind) {
    case STOA_ANNDATA_FRAME:
        return convert_frame(j, item, err);
    case STOA_ANNDATA_GROUP:
        status = convert_group(j, item, err);
        j->counts.n_matrices += status == STOA_OK;
        break;
    case STOA_ANNDATA_ARRAY:
        status = convert_array(j, item, err);
        j->counts.n_matrices += status == STOA_OK;
        break;
    case STOA_ANNDATA_FIELDS:
        status = stoa_anndata_write_fields(j->from, item->path, j->to, item->target, err);
        break;
    case STOA_ANNDATA_ALIAS:
        return link_again(j, item, err);
    }
    return stoa_layout_error_at(j->from, item->path, status, err);
}

/* Convert an item, or leave it behind if its data are damaged. */
static stoa_status convert_or_leave(conversion *j, const stoa_anndata_item *item, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    stoa_status status = convert_item(j, item, &why);

    if (status != STOA_EDATA || !j->options.skip_bad) {
        if (status != STOA_OK && err != NULL) {
            *err = why;
        }
        return status;
    }
    if (stoa_object_exists(j->to, item->target)) {
        STOA_RETURN_HDF_ERROR(err, stoa_unlink_or_leave(j->to, item->target), "remove '%s'",
                              item->target);
    }
    return stoa_anndata_plan_leave_bad(&j->plan, item->path, why.message, err);
}

static stoa_status finish(conversion *j, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_anndata_mend_links(j->to, &j->plan, err));
    STOA_RETURN_NOT_OK(stoa_anndata_complete(j->to, err));
    return stoa_anndata_check_shapes(j->to, err);
}

static stoa_status convert(conversion *j, stoa_error *err)
{
    stoa_status status = STOA_OK;

    const char *const layout = j->options.layout != NULL ? j->options.layout : "";

    j->plan.is_out = strcmp(layout, "anndata") == 0;
    j->plan.skips_bad = j->options.skip_bad;
    if (!j->plan.is_out && strcmp(layout, STOA_HEP001) != 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "all of an AnnData file becomes hep001 or anndata, not %s", layout);
    }
    status = stoa_anndata_plan_make(&j->plan, j->from, err);
    STOA_RETURN_NOT_OK(stoa_layout_error_at(j->from, "/", status, err));
    STOA_RETURN_NOT_OK(copy_rest(j, err));
    for (size_t i = 0; i < stoa_anndata_plan_count(&j->plan); i++) {
        STOA_RETURN_NOT_OK(convert_or_leave(j, stoa_anndata_plan_item(&j->plan, i), err));
    }
    if (j->plan.is_out) {
        STOA_RETURN_NOT_OK(finish(j, err));
    }
    STOA_RETURN_HDF_ERROR(err, stoa_flush(j->to), "flush the file");
    return status;
}

stoa_status stoa_anndata_convert(hid_t from, hid_t to, const stoa_layout_options *options,
                                 stoa_anndata_remark remark, void *context,
                                 stoa_anndata_counts *counts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    conversion j = {.from = H5I_INVALID_HID, .to = H5I_INVALID_HID};

    if (counts != NULL) {
        STOA_RETURN_NOT_OK(STOA_SIZED_CHECK(counts, n_matrices, "STOA_ANNDATA_COUNTS_INIT", err));
    }
    STOA_TRY(stoa_layout_options_copy(options, &j.options, err));
    STOA_HDF(err, j.from = H5Gopen2(from, "/", H5P_DEFAULT), "open '/'");
    STOA_HDF(err, j.to = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(convert(&j, err));
    j.counts.n_left = j.plan.n_bad;
    if (remark != NULL) {
        stoa_anndata_plan_report(&j.plan, remark, context);
    }
    STOA_SIZED_GIVE(&j.counts, counts);

done:
    stoa_anndata_plan_clear(&j.plan);
    status = stoa_hdf_close(&j.to, status, err);
    return stoa_hdf_close(&j.from, status, err);
}

stoa_status stoa_anndata_of_table(stoa_table *table, hid_t to, const stoa_layout_options *options,
                                  uint64_t *n_rows, stoa_error *err)
{
    const stoa_status entered = stoa_table_enter(table, err);
    stoa_status status = STOA_OK;
    stoa_layout_options own = STOA_LAYOUT_OPTIONS_INIT;
    hid_t root = H5I_INVALID_HID;
    uint64_t n = 0;

    STOA_TRY(entered);
    STOA_TRY(stoa_layout_options_copy(options, &own, err));
    own.layout = "anndata";
    STOA_HDF(err, root = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(write_frame(table, root, "/obs", true, &own, &n, err));
    STOA_TRY(stoa_anndata_complete(root, err));
    if (n_rows != NULL) {
        *n_rows = n;
    }

done:
    if (entered == STOA_OK) {
        stoa_table_leave(table);
    }
    return stoa_hdf_close(&root, status, err);
}
