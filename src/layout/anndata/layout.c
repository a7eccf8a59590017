/* AnnData as a layout (PyTables notes §11): frames, matrices beside them, and whole files. */
#include <string.h>

#include <stoa/anndata.h>
#include <stoa/matrix_group.h>

#include "hdf/metadata/attributes.h"
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

/* A damaged one is listed, too. */
static bool identify_group(hid_t group, stoa_array_object *shown)
{
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    stoa_error ignored = STOA_ERROR_INIT;
    const bool is_one = stoa_matrix_group_is_one(group, ".");

    if (is_one) {
        const bool is_sound = stoa_matrix_group_describe(group, ".", &info, &ignored) == STOA_OK;
        shown->layout = "anndata";
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
    *counts = (stoa_layout_counts){n.n_tables, n.n_rows, n.n_matrices};
    return STOA_OK;
}

/* --- old frames ------------------------------------------------------------------------------ */

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
    .may_append = stoa_pytables_may_append,
    .save_metadata = stoa_anndata_save_metadata};
