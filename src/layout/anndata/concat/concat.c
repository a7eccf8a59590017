/* The public call that joins AnnData files (concat.h). */
#include "layout/anndata/concat/concat.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/sized_struct.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/root_members.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

/* --- elements -------------------------------------------------------------------------------- */

/* Join an element, by what it is in the first file. Without `names`, columns have none. */
static stoa_status join_element(stoa_concat *c, const char *path, const stoa_concat_axis *names,
                                bool *is_joined, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_concat_axis columns = {.n = 0};
    const stoa_concat_axis *const axis = names != NULL ? names : &columns;
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    const hid_t first = stoa_file_id(c->first);
    hid_t object = stoa_object_open(first, path);

    *is_joined = true;
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET && stoa_extent_rank(object) > 0) {
        STOA_TRY(names == NULL ? stoa_concat_count_columns(c, path, &columns, err) : STOA_OK);
        STOA_TRY(stoa_concat_arrays(c, path, axis, err));
    } else if (object >= 0 && stoa_matrix_group_is_one(object, ".")) {
        STOA_TRY(names == NULL ? stoa_concat_count_columns(c, path, &columns, err) : STOA_OK);
        STOA_TRY(stoa_matrix_group_describe(first, path, &info, err));
        STOA_TRY(stoa_concat_groups(c, path, info.form == STOA_MATRIX_CSR, axis, err));
    } else if (object >= 0 && names == NULL &&
               stoa_attribute_is(object, "encoding-type", "dataframe")) {
        STOA_TRY(stoa_concat_frames(c, path, false, err));
    } else {
        *is_joined = false;
    }

done:
    stoa_concat_axis_clear(&columns, c->n);
    return stoa_hdf_close(&object, status, err);
}

/* --- members --------------------------------------------------------------------------------- */

typedef struct joiner {
    stoa_concat c;
    stoa_concat_axis var;
    stoa_concat_axis raw;
    stoa_concat_remark remark;
    void *context;
    const char *parent;
    stoa_error *err;
    stoa_status status;
} joiner;

static stoa_status is_everywhere(joiner *j, const char *path, bool *is, stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;

    *is = true;
    for (size_t i = 0; i < j->c.n && *is; i++) {
        STOA_RETURN_NOT_OK(stoa_concat_open(&j->c, i, &file, err));
        *is = stoa_object_exists(file, path);
    }
    return STOA_OK;
}

static void leave(const joiner *j, const char *path, const char *why)
{
    if (j->remark != NULL) {
        j->remark(j->context, path, why);
    }
}

/* An element that all files have; others stay behind. */
static stoa_status join_member(joiner *j, const char *path, const stoa_concat_axis *names,
                               stoa_error *err)
{
    bool is = false;

    STOA_RETURN_NOT_OK(is_everywhere(j, path, &is, err));
    if (!is) {
        leave(j, path, "is left out: not all files have it");
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(join_element(&j->c, path, names, &is, err));
    if (!is) {
        leave(j, path, "is left out: it is no array, CSR, CSC or frame");
    }
    return STOA_OK;
}

static herr_t see_member(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    joiner *const j = context;
    char *const path = stoa_format("/%s/%s", j->parent, name);

    (void)group;
    (void)link;
    const stoa_concat_axis *const names = strcmp(j->parent, "layers") == 0 ? &j->var : NULL;
    j->status = path != NULL ? join_member(j, path, names, j->err) : stoa_fail_memory(j->err);
    free(path);
    return j->status == STOA_OK ? 0 : 1;
}

static stoa_status join_members(joiner *j, const char *parent, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = stoa_object_open(stoa_file_id(j->c.first), parent);

    j->parent = parent;
    j->err = err;
    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        STOA_TRY(stoa_links_visit(group, see_member, j, err));
        status = j->status;
    }

done:
    return stoa_hdf_close(&group, status, err);
}

static stoa_status join_raw(joiner *j, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    bool is = false;

    STOA_RETURN_NOT_OK(is_everywhere(j, "raw/var", &is, err));
    STOA_RETURN_NOT_OK(is ? is_everywhere(j, "raw/X", &is, err) : STOA_OK);
    if (!is) {
        return STOA_OK;
    }
    STOA_TRY(stoa_concat_find_names(&j->c, "/raw/var", &j->raw, err));
    STOA_TRY(join_member(j, "/raw/X", &j->raw, err));
    STOA_TRY(stoa_concat_write_names(&j->c, "/raw/var", &j->raw, err));
    STOA_HDF(err, group = stoa_open_here(j->c.to, "raw"), "open '/raw'");
    STOA_TRY(stoa_anndata_encode(group, "raw", "0.1.0", err));

done:
    return stoa_hdf_close(&group, status, err);
}

static void tell_left(const joiner *j)
{
    static const char *const dropped[] = {"/uns", "/obsp", "/varm", "/varp"};
    const hid_t first = stoa_file_id(j->c.first);

    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        hid_t group = stoa_object_open(first, dropped[i]);
        H5G_info_t info = {.nlinks = 0};
        if (group >= 0 && H5Iget_type(group) == H5I_GROUP && H5Gget_info(group, &info) >= 0 &&
            info.nlinks > 0) {
            leave(j, dropped[i], "is left out: it is not of single observations");
        }
        (void)stoa_hdf_close(&group, STOA_OK, NULL);
    }
}

static stoa_status count_rows(joiner *j, stoa_error *err)
{
    hid_t file = H5I_INVALID_HID;

    for (size_t i = 0; i < j->c.n; i++) {
        stoa_table *table = NULL;
        STOA_RETURN_NOT_OK(stoa_concat_open(&j->c, i, &file, err));
        if (!stoa_anndata_is_one(file)) {
            return stoa_at(err, stoa_fail(err, STOA_ELAYOUT, "is no AnnData file"), "%s",
                           j->c.files[i]);
        }
        STOA_RETURN_NOT_OK(stoa_table_open(file, "/obs", &table, err));
        j->c.n_obs[i] = stoa_table_n_rows(table);
        j->c.n_all += j->c.n_obs[i];
        stoa_table_close(table);
    }
    return STOA_OK;
}

/* Matrices come first: the system writes them to the medium while the frames are joined. */
static stoa_status join_all(joiner *j, stoa_error *err)
{
    bool has_x = false;

    STOA_RETURN_NOT_OK(count_rows(j, err));
    STOA_RETURN_NOT_OK(stoa_concat_find_names(&j->c, "/var", &j->var, err));
    STOA_RETURN_NOT_OK(stoa_anndata_encode(j->c.to, "anndata", "0.1.0", err));
    STOA_RETURN_NOT_OK(is_everywhere(j, "/X", &has_x, err));
    STOA_RETURN_NOT_OK(has_x ? join_member(j, "/X", &j->var, err) : STOA_OK);
    STOA_RETURN_NOT_OK(join_members(j, "layers", err));
    STOA_RETURN_NOT_OK(join_members(j, "obsm", err));
    STOA_RETURN_NOT_OK(join_raw(j, err));
    STOA_RETURN_NOT_OK(stoa_concat_frames(&j->c, "/obs", true, err));
    STOA_RETURN_NOT_OK(stoa_concat_write_names(&j->c, "/var", &j->var, err));
    STOA_RETURN_NOT_OK(stoa_anndata_encode_all(j->c.to, err));
    STOA_RETURN_NOT_OK(stoa_anndata_complete(j->c.to, err));
    tell_left(j);
    if (j->c.were_packed && j->c.options.codec == NULL) {
        leave(j, "/", "is compressed, and the new file is not, unless a codec is chosen");
    }
    return STOA_OK;
}

static stoa_status check_options(const stoa_concat *c, stoa_error *err)
{
    if (c->n == 0) {
        return stoa_fail(err, STOA_EINVAL, "no files to join");
    }
    if (c->options.n_keys != 0 && c->options.n_keys != c->n) {
        return stoa_fail(err, STOA_EINVAL, "%zu keys for %zu files", c->options.n_keys, c->n);
    }
    for (size_t i = 0; i < c->options.n_keys; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(c->options.keys[i], c->options.keys[k]) == 0) {
                return stoa_fail(err, STOA_EINVAL, "the key '%s' is given twice",
                                 c->options.keys[i]);
            }
        }
    }
    return STOA_OK;
}

stoa_status stoa_concat_files(const char *const *files, size_t n, hid_t to,
                              const stoa_concat_options *options, stoa_concat_remark remark,
                              void *context, uint64_t *n_rows, stoa_error *err)
{
    joiner j = {
        .c = {.files = files, .n = n, .options = STOA_CONCAT_OPTIONS_INIT, .to = H5I_INVALID_HID},
        .remark = remark,
        .context = context};
    stoa_status status = STOA_OK;

    STOA_TRY(STOA_SIZED_COPY(&j.c.options, options, threads, "STOA_CONCAT_OPTIONS_INIT", err));
    STOA_TRY(check_options(&j.c, err));
    j.c.n_obs = stoa_alloc_zero(n, sizeof *j.c.n_obs);
    STOA_TRY(j.c.n_obs != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, j.c.to = H5Gopen2(to, "/", H5P_DEFAULT), "open '/'");
    STOA_TRY(stoa_concat_open_apart(&j.c, 0, &j.c.first, err));
    STOA_TRY(join_all(&j, err));
    if (n_rows != NULL) {
        *n_rows = j.c.n_all;
    }

done:
    stoa_concat_axis_clear(&j.var, n);
    stoa_concat_axis_clear(&j.raw, n);
    free(j.c.n_obs);
    stoa_file_close(j.c.other);
    stoa_file_close(j.c.first);
    return stoa_hdf_close(&j.c.to, status, err);
}
