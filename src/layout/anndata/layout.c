/* AnnData as a layout (PyTables notes §11): frames, matrices beside them, and whole files. */
#include <stdlib.h>
#include <string.h>

#include <stoa/anndata.h>
#include <stoa/matrix_group.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward_read.h"
#include "layout/anndata/entries.h"
#include "layout/anndata/subset/subset.h"
#include "layout/common/extent.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/rows.h"

/* --- arrays ---------------------------------------------------------------------------------- */

/* A dense matrix, which is kept unchanged. */
static bool identify_dataset(hid_t dataset, stoa_array_object *shown)
{
    int rank = 0;

    if (stoa_attribute_is(dataset, "encoding-type", "array")) {
        (void)!stoa_extent_read(dataset, &rank, shown->extent, NULL);
        shown->layout = "anndata";
        shown->kind = "array";
        shown->rank = rank > 0 ? (unsigned)rank : 0;
        shown->n_bytes = H5Dget_storage_size(dataset);
    }
    return rank >= 2;
}

/* A matrix of 10x Genomics has its barcodes and features beside it. */
static const char *const *parts_of_array(hid_t object)
{
    static const char *const parts[] = {"data", "indices", "indptr", "shape", NULL};

    return H5Iget_type(object) == H5I_GROUP && stoa_matrix_group_is_one(object, ".") &&
                   !stoa_attribute_exists(object, "encoding-type") &&
                   !stoa_attribute_exists(object, "h5sparse_format")
               ? parts
               : NULL;
}

/* A damaged one is listed, too. */
static bool identify_group(hid_t group, stoa_array_object *shown)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    stoa_error ignored = STOA_ERROR_INIT;
    const bool is_one = stoa_matrix_group_is_one(group, ".");

    if (is_one) {
        const bool is_sound = stoa_matrix_group_describe(group, ".", &info, &ignored) == STOA_OK;
        shown->layout = parts_of_array(group) != NULL ? "10x" : "anndata";
        shown->kind = info.form == STOA_MATRIX_CSC ? "csc" : "csr";
        shown->rank = is_sound ? 2 : 0;
        shown->extent[0] = info.n_rows;
        shown->extent[1] = info.n_columns;
        shown->n_bytes = info.n_bytes;
    }
    return is_one;
}

static bool identify_array(hid_t object, stoa_array_object *shown)
{
    return H5Iget_type(object) == H5I_GROUP ? identify_group(object, shown)
                                            : identify_dataset(object, shown);
}

/* --- words ----------------------------------------------------------------------------------- */

static bool is_own_attribute(const char *name)
{
    return strncmp(name, "encoding-", 9) == 0;
}

/* --- whole files ----------------------------------------------------------------------------- */

static stoa_status convert(hid_t from, hid_t to, const stoa_layout_options *options,
                           stoa_layout_remark *remark, void *context, stoa_layout_counts *counts,
                           stoa_error *err)
{
    stoa_anndata_counts n = STOA_ANNDATA_COUNTS_INIT;

    STOA_RETURN_NOT_OK(stoa_anndata_convert(from, to, options, remark, context, &n, err));
    *counts = (stoa_layout_counts){n.n_tables, n.n_rows, n.n_matrices, n.n_left};
    return STOA_OK;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Cut the last part off a path: its name. The rest is the parent, "/" for the root. */
static const char *cut_name(char *path)
{
    char *const slash = strrchr(path, '/');

    if (slash == NULL) {
        return "";
    }
    if (slash == path) {
        memmove(path + 2, path + 1, strlen(path + 1) + 1);
    }
    slash[slash == path] = '\0';
    return slash + 1 + (slash == path);
}

/* Whether the object at a path has observations and variables. */
static bool has_axes(hid_t loc, const char *path)
{
    hid_t group = stoa_object_open(loc, path);
    const bool has = strcmp(path, "/") == 0
                         ? stoa_anndata_is_one(loc)
                         : stoa_attribute_is(group, "encoding-type", "anndata") ||
                               stoa_attribute_is(group, "encoding-type", "raw");

    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    return has;
}

/* Whether the rows of a table belong to those of other members: an axis, or one of obsm and varm.
 */
static stoa_status is_bound(const stoa_table *table, bool *is, stoa_error *err)
{
    char *const path = stoa_format("%s ", stoa_table_path(table)); /* room for cut_name() */

    STOA_RETURN_NO_MEMORY(err, path);
    path[strlen(path) - 1] = '\0';
    const stoa_error_stack errors = stoa_error_stack_begin();
    const char *const name = cut_name(path);
    const bool is_axis = strcmp(name, "obs") == 0 || strcmp(name, "var") == 0;
    *is = is_axis && has_axes(table->group, path);
    if (!*is && strcmp(path, "/") != 0) {
        const char *const above = cut_name(path);
        *is = (strcmp(above, "obsm") == 0 || strcmp(above, "varm") == 0) &&
              has_axes(table->group, path);
    }
    stoa_error_stack_discard(&errors);
    free(path);
    return STOA_OK;
}

static stoa_status may_append(const stoa_table *table, stoa_error *err)
{
    bool is = false;

    if (!stoa_attribute_is(table->group, "encoding-type", "dataframe") &&
        !stoa_pytables_is_row_wise(table)) {
        return stoa_fail(err, STOA_ELAYOUT, "is no frame; of AnnData, only frames get rows");
    }
    STOA_RETURN_NOT_OK(is_bound(table, &is, err));
    return is ? stoa_fail(err, STOA_ELAYOUT,
                          "its rows belong to those of other members of the file, such as X; join "
                          "whole files by stoa concat")
              : STOA_OK;
}

/* Frames of columns. Those before version 0.7 are rows. */
static bool grows_anew(const stoa_table *table)
{
    return !stoa_pytables_is_row_wise(table);
}

static stoa_status append(const stoa_layout_source *source, stoa_table *table, stoa_error *err)
{
    return stoa_pytables_append(source, table->group, table->path, err);
}

const stoa_layout stoa_layout_anndata = {
    .name = "anndata",
    .title = "AnnData",
    .classes = (const stoa_layout_class *const[]){&stoa_anndata_frames, &stoa_anndata_old_frames,
                                                  &stoa_awkward_arrays, NULL},
    .identify_array = identify_array,
    .parts_of_array = parts_of_array,
    .open_entries = stoa_anndata_open_entries,
    .table_kind = "table", /* not "awkward", which few layouts can hold whole */
    .gives_tables_alone = true,
    .is_own_attribute = is_own_attribute,
    .writer = &stoa_anndata_writer,
    .whole = &(const stoa_layout_whole){stoa_anndata_is_one, convert, stoa_anndata_of_table,
                                        stoa_anndata_of_matrix},
    .suffix = ".h5ad",
    .subset = &(const stoa_layout_subset){.is_one = stoa_anndata_is_one,
                                          .axes = {"/obs", "/var"},
                                          .plan = stoa_anndata_plan_subset},
    .append = append,
    .grows_anew = grows_anew,
    .may_append = may_append,
    .save_metadata = stoa_anndata_save_metadata};
