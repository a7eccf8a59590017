/*
 * The plan of a subset of an AnnData file (subset.h): rows of obs and of var, and of everything
 * that is aligned with them. `raw` has variables of its own, so only its observations are selected.
 *
 * As anndata does it, categories that no row has any more are removed. Those of obs and var take
 * their colours in uns with them.
 */
#include "layout/anndata/subset/subset.h"

#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/read/checked_reader.h"
#include "layout/anndata/awkward_read.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

/* What is known while a part of the file is planned. */
typedef struct frame {
    stoa_subset_plan *plan;
    const char *path;
    const stoa_axis_lines *rows;
    bool is_axis; /* obs or var, whose labels may have colours */
    stoa_error *err;
    stoa_status status;
} frame;

/* --- categories ------------------------------------------------------------------------------ */

enum { AT_ONCE = 1 << 16 }; /* codes */

/* Mark the labels of some rows; `first` is that of codes[0]. */
static void mark(const int64_t *codes, uint64_t first, stoa_range run, uint64_t n, uint8_t *used)
{
    for (uint64_t i = 0; i < run.count; i++) {
        const int64_t code = codes[run.first - first + i];
        if (code >= 0 && (uint64_t)code < n) {
            stoa_bit_set(used, (uint64_t)code);
        }
    }
}

static stoa_status mark_used(hid_t dataset, const stoa_axis_lines *rows, uint64_t n, uint8_t *used,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    int64_t *const codes = stoa_alloc(AT_ONCE, sizeof *codes);
    stoa_line_cursor cursor = {0};
    hsize_t extent[H5S_MAX_RANK] = {0};
    stoa_range run;
    int rank = 0;

    STOA_TRY(codes != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_extent_read(dataset, &rank, extent, err));
    if (rank != 1 || stoa_class_of(dataset) != H5T_INTEGER) {
        STOA_FAIL(err, STOA_EDATA, "has no list of codes");
    }
    STOA_TRY(stoa_checked_reader_open(&reader, dataset, H5T_NATIVE_INT64, NULL, err));
    for (uint64_t first = 0; first < extent[0]; first += AT_ONCE) {
        const uint64_t count = extent[0] - first < AT_ONCE ? extent[0] - first : AT_ONCE;
        bool is_read = false;
        while (stoa_axis_lines_next(rows, &cursor, first + count, UINT64_MAX, &run)) {
            STOA_TRY(is_read
                         ? STOA_OK
                         : stoa_checked_reader_read(&reader, first, count, NULL, NULL, codes, err));
            is_read = true;
            mark(codes, first, run, n, used);
        }
    }

done:
    stoa_checked_reader_close(&reader);
    free(codes);
    return status;
}

/* Which labels are kept: those that a row has. */
static stoa_status keep_used(stoa_subset_plan *plan, hid_t codes, const stoa_axis_lines *rows,
                             uint64_t n, stoa_axis_lines **kept, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *const used = stoa_alloc_zero((size_t)stoa_bit_bytes(n) + 1, 1);

    *kept = stoa_subset_lines(plan, n);
    STOA_TRY(used != NULL && *kept != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(mark_used(codes, rows, n, used, err));
    for (uint64_t i = 0; i < n; i++) {
        STOA_TRY(stoa_bit_get(used, i) ? stoa_axis_lines_keep(*kept, i, 1, err) : STOA_OK);
    }

done:
    free(used);
    return status;
}

/* The colours of a column's labels. anndata removes them if there are more or fewer than labels. */
static stoa_status select_colours(stoa_subset_plan *plan, const char *column,
                                  const stoa_axis_lines *labels, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank = 0;
    char *const path = stoa_format("uns/%s_colors", column);
    hid_t colours = H5I_INVALID_HID;

    STOA_RETURN_NO_MEMORY(err, path);
    colours = stoa_object_open(plan->from, path);
    if (colours < 0 || H5Iget_type(colours) != H5I_DATASET) {
        goto done;
    }
    STOA_TRY(stoa_extent_read(colours, &rank, extent, err));
    const bool is_other = stoa_subset_find(plan, colours) != NULL; /* obs and var share them */
    if (rank == 1 && extent[0] == labels->n && !is_other) {
        STOA_TRY(labels->n_kept < labels->n ? stoa_subset_select(plan, colours, labels, NULL, err)
                                            : STOA_OK);
    } else if (rank > 0) {
        STOA_TRY(stoa_subset_leave(plan, colours, err));
    }

done:
    status = stoa_layout_error_at(plan->from, path, status, err);
    free(path);
    return stoa_hdf_close(&colours, status, err);
}

/* Codes whose unused labels are removed. */
static stoa_status select_used(const frame *f, hid_t codes, hid_t labels, const char *column,
                               stoa_error *err)
{
    stoa_subset_item item = {.rows = f->rows};
    hsize_t extent[H5S_MAX_RANK] = {0};
    stoa_axis_lines *kept = NULL;
    uint32_t *places = NULL;
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_extent_read(labels, &rank, extent, err));
    if (rank != 1) {
        return stoa_fail(err, STOA_EDATA, "its categories are no list");
    }
    STOA_RETURN_NOT_OK(keep_used(f->plan, codes, f->rows, extent[0], &kept, err));
    STOA_RETURN_NOT_OK(f->is_axis ? select_colours(f->plan, column, kept, err) : STOA_OK);
    if (kept->n_kept == kept->n) {
        return stoa_subset_select(f->plan, codes, f->rows, NULL, err);
    }
    STOA_RETURN_NOT_OK(stoa_axis_lines_places(kept, &places, err));
    STOA_RETURN_NOT_OK(stoa_subset_own(f->plan, places, err));
    item.codes = places;
    item.n_codes = kept->n;
    STOA_RETURN_NOT_OK(stoa_subset_add(f->plan, codes, &item, err));
    return stoa_subset_select(f->plan, labels, kept, NULL, err);
}

static stoa_status select_categorical(const frame *f, hid_t codes, hid_t labels, const char *column,
                                      stoa_error *err)
{
    return labels >= 0 ? select_used(f, codes, labels, column, err)
                       : stoa_subset_select(f->plan, codes, f->rows, NULL, err);
}

/* --- frames ---------------------------------------------------------------------------------- */

/* A dataset of a frame. AnnData 0.7 has labels of codes in the group __categories. */
static stoa_status select_dataset(const frame *f, hid_t group, hid_t dataset, const char *name,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *path = NULL;
    hid_t labels = H5I_INVALID_HID;

    if (!stoa_attribute_exists(dataset, "categories")) {
        return stoa_subset_select(f->plan, dataset, f->rows, NULL, err);
    }
    path = stoa_format("__categories/%s", name);
    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    labels = stoa_object_open(group, path);
    STOA_TRY(select_categorical(f, dataset, labels, name, err));

done:
    free(path);
    return stoa_hdf_close(&labels, status, err);
}

/* The datasets "values" and "mask" of a nullable column. */
static stoa_status select_part(const frame *f, hid_t group, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t part = stoa_object_open(group, name);

    if (part < 0 || H5Iget_type(part) != H5I_DATASET) {
        STOA_FAIL(err, STOA_EDATA, "the dataset '%s' is missing", name);
    }
    STOA_TRY(stoa_subset_select(f->plan, part, f->rows, NULL, err));

done:
    return stoa_hdf_close(&part, status, err);
}

static stoa_status select_coded(const frame *f, hid_t group, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t codes = stoa_object_open(group, "codes");
    hid_t labels = stoa_object_open(group, "categories");

    if (codes < 0 || H5Iget_type(codes) != H5I_DATASET || labels < 0 ||
        H5Iget_type(labels) != H5I_DATASET) { /* labels may be nullable, too: these stay */
        STOA_TRY(select_part(f, group, "codes", err));
        goto done;
    }
    STOA_TRY(select_categorical(f, codes, labels, name, err));

done:
    status = stoa_hdf_close(&labels, status, err);
    return stoa_hdf_close(&codes, status, err);
}

static stoa_status select_group(const frame *f, hid_t group, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *encoding = NULL;

    STOA_TRY(stoa_attribute_read_optional(group, "encoding-type", &encoding, err));
    if (encoding == NULL && strcmp(name, "__categories") == 0) {
        goto done;
    }
    if (encoding != NULL && strcmp(encoding, "categorical") == 0) {
        STOA_TRY(select_coded(f, group, name, err));
    } else if (encoding != NULL && strncmp(encoding, "nullable-", 9) == 0) {
        STOA_TRY(select_part(f, group, "values", err));
        STOA_TRY(select_part(f, group, "mask", err));
    } else {
        STOA_FAIL(err, STOA_ELAYOUT, "is a column of the unknown encoding '%.40s'",
                  encoding != NULL ? encoding : "");
    }

done:
    free(encoding);
    return status;
}

static herr_t see_column(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    frame *const f = context;
    hid_t object = stoa_object_open(group, name);

    (void)link;
    if (object >= 0) {
        f->status = H5Iget_type(object) == H5I_DATASET
                        ? select_dataset(f, group, object, name, f->err)
                        : select_group(f, object, name, f->err);
        f->status = stoa_layout_error_at(group, name, f->status, f->err);
    }
    f->status = stoa_hdf_close(&object, f->status, f->err);
    return f->status == STOA_OK ? 0 : 1;
}

static stoa_status select_frame(stoa_subset_plan *plan, hid_t group, const stoa_axis_lines *rows,
                                bool is_axis, stoa_error *err)
{
    frame f = {.plan = plan, .rows = rows, .is_axis = is_axis, .err = err};

    STOA_RETURN_NOT_OK(stoa_links_visit(group, see_column, &f, err));
    return f.status;
}

/* --- elements -------------------------------------------------------------------------------- */

static bool is_encoded(const char *encoding, const char *as)
{
    return encoding != NULL && strcmp(encoding, as) == 0;
}

static stoa_status select_encoded(stoa_subset_plan *plan, hid_t group, const char *path,
                                  const char *encoding, const stoa_axis_lines *rows,
                                  const stoa_axis_lines *columns, stoa_error *err)
{
    if (columns == NULL && is_encoded(encoding, "dataframe")) {
        return select_frame(plan, group, rows, false, err); /* also if all rows are kept */
    }
    if (rows == NULL && columns == NULL) {
        return STOA_OK;
    }
    if (columns == NULL && is_encoded(encoding, STOA_AWKWARD_ENCODING)) {
        return stoa_anndata_select_awkward(plan, group, path, rows, err);
    }
    if (is_encoded(encoding, "csr_matrix") || is_encoded(encoding, "csc_matrix") ||
        (encoding == NULL && stoa_matrix_group_is_one(group, "."))) {
        return stoa_anndata_select_matrix(plan, path, rows, columns, err);
    }
    return stoa_fail(err, STOA_ELAYOUT, "is no array, matrix or frame, so no part can be taken");
}

static stoa_status select_element_group(stoa_subset_plan *plan, hid_t group, const char *path,
                                        const stoa_axis_lines *rows, const stoa_axis_lines *columns,
                                        stoa_error *err)
{
    char *encoding = NULL;

    STOA_RETURN_NOT_OK(stoa_attribute_read_optional(group, "encoding-type", &encoding, err));
    const stoa_status status = select_encoded(plan, group, path, encoding, rows, columns, err);
    free(encoding);
    return status;
}

static stoa_status select_element(stoa_subset_plan *plan, const char *path,
                                  const stoa_axis_lines *rows, const stoa_axis_lines *columns,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_object_open(plan->from, path);

    if (object < 0) {
        goto done;
    }
    if (H5Iget_type(object) != H5I_DATASET) {
        STOA_TRY(select_element_group(plan, object, path, rows, columns, err));
    } else if (stoa_extent_rank(object) >= 0) { /* not AnnData's null */
        STOA_TRY(stoa_subset_select(plan, object, rows, columns, err));
    }

done:
    status = stoa_layout_error_at(plan->from, path, status, err);
    return stoa_hdf_close(&object, status, err);
}

typedef struct members {
    stoa_subset_plan *plan;
    const char *parent;
    const stoa_axis_lines *rows;
    const stoa_axis_lines *columns;
    stoa_error *err;
    stoa_status status;
} members;

static herr_t see_member(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    members *const m = context;
    char *const path = stoa_format("/%s/%s", m->parent, name);

    (void)group;
    (void)link;
    m->status = path != NULL ? select_element(m->plan, path, m->rows, m->columns, m->err)
                             : stoa_fail_memory(m->err);
    free(path);
    return m->status == STOA_OK ? 0 : 1;
}

/* All members of a group; before AnnData 0.7, obsm and varm are one dataset of rows. */
static stoa_status select_members(stoa_subset_plan *plan, const char *parent,
                                  const stoa_axis_lines *rows, const stoa_axis_lines *columns,
                                  stoa_error *err)
{
    members m = {plan, parent, rows, columns, err, STOA_OK};
    stoa_status status = STOA_OK;
    hid_t group = stoa_object_open(plan->from, parent);

    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        STOA_TRY(stoa_links_visit(group, see_member, &m, err));
        status = m.status;
    } else if (group >= 0) {
        STOA_TRY(select_element(plan, parent, rows, columns, err));
    }

done:
    return stoa_hdf_close(&group, status, err);
}

static stoa_status select_axis(stoa_subset_plan *plan, const char *path,
                               const stoa_axis_lines *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *encoding = NULL;
    hid_t object = stoa_object_open(plan->from, path);

    if (object < 0) {
        goto done;
    }
    if (H5Iget_type(object) == H5I_DATASET) {
        STOA_TRY(stoa_subset_select(plan, object, rows, NULL, err));
        goto done;
    }
    STOA_TRY(stoa_attribute_read_optional(object, "encoding-type", &encoding, err));
    if (is_encoded(encoding, "dataframe")) {
        STOA_TRY(select_frame(plan, object, rows, true, err));
    } else if (rows != NULL) {
        STOA_FAIL(err, STOA_ELAYOUT,
                  "is no frame of AnnData; 'stoa convert --to anndata' makes one "
                  "of a HEP001 table");
    }

done:
    free(encoding);
    status = stoa_layout_error_at(plan->from, path, status, err);
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_anndata_plan_subset(stoa_subset_plan *plan, const stoa_axis_lines *const *axes,
                                     stoa_error *err)
{
    const stoa_axis_lines *const obs = axes[0];
    const stoa_axis_lines *const var = axes[1];

    STOA_RETURN_NOT_OK(select_axis(plan, "/obs", obs, err));
    STOA_RETURN_NOT_OK(select_axis(plan, "/var", var, err));
    STOA_RETURN_NOT_OK(select_element(plan, "/X", obs, var, err));
    STOA_RETURN_NOT_OK(select_members(plan, "layers", obs, var, err));
    STOA_RETURN_NOT_OK(select_members(plan, "obsm", obs, NULL, err));
    STOA_RETURN_NOT_OK(select_members(plan, "varm", var, NULL, err));
    STOA_RETURN_NOT_OK(select_members(plan, "obsp", obs, obs, err));
    STOA_RETURN_NOT_OK(select_members(plan, "varp", var, var, err));
    STOA_RETURN_NOT_OK(select_element(plan, "/raw/X", obs, NULL, err));
    return select_element(plan, "/raw.X", obs, NULL, err);
}
