/* Checks the lengths of obs and var against the rest of an AnnData file (root_members.h). */
#include <stdlib.h>
#include <stoa/matrix_group.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/anndata/anndata.h"
#include "layout/anndata/awkward_read.h"
#include "layout/anndata/root_members.h"
#include "layout/common/extent.h"

/* --- shapes ---------------------------------------------------------------------------------- */

/* The first two dimensions of the object at a path. */
typedef struct shape {
    int rank; /* 0 if it has none, or does not exist */
    uint64_t extent[2];
} shape;

static stoa_status shape_of_dataset(hid_t dataset, shape *out, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &rank, extent, err));
    out->rank = rank > 0 ? rank : 0;
    for (int i = 0; i < rank && i < 2; i++) {
        out->extent[i] = extent[i];
    }
    return STOA_OK;
}

static stoa_status shape_of_group(hid_t loc, const char *path, hid_t group, shape *out,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_matrix_group_info info = STOA_MATRIX_GROUP_INFO_INIT;
    stoa_table *table = NULL;

    if (stoa_matrix_group_is_one(loc, path)) {
        STOA_TRY(stoa_matrix_group_describe(loc, path, &info, err));
        *out = (shape){2, {info.n_rows, info.n_columns}};
    } else if (stoa_attribute_is(group, "encoding-type", "dataframe")) {
        STOA_TRY(stoa_anndata_open(loc, path, &table, err));
        *out = (shape){1, {stoa_table_n_rows(table), 0}};
    } else if (stoa_attribute_is(group, "encoding-type", STOA_AWKWARD_ENCODING)) {
        out->rank = 1;
        STOA_TRY(stoa_awkward_read_length(group, &out->extent[0], err));
    }

done:
    stoa_table_close(table);
    return status;
}

static stoa_status shape_of(hid_t loc, const char *path, shape *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_object_open(loc, path);

    *out = (shape){0};
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
        STOA_TRY(shape_of_dataset(object, out, err));
    } else if (object >= 0) {
        STOA_TRY(shape_of_group(loc, path, object, out, err));
    }

done:
    return stoa_hdf_close(&object, status, err);
}

/* --- checks ---------------------------------------------------------------------------------- */

/* The length of an axis, and the object that determines it. */
typedef struct axis {
    const char *name; /* NULL if any length is allowed */
    uint64_t n;
} axis;

typedef struct checker {
    const char *parent; /* "layers" */
    axis axes[2];
    stoa_error *err;
    stoa_status status;
} checker;

static stoa_status check_one(hid_t loc, const char *path, const axis *axes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    shape found;

    STOA_TRY(shape_of(loc, path, &found, err));
    for (int i = 0; i < 2 && i < found.rank; i++) {
        if (axes[i].name != NULL && axes[i].n != found.extent[i]) {
            STOA_FAIL(err, STOA_EDATA, "has %llu %s, and %s has %llu rows",
                      (unsigned long long)found.extent[i], i == 0 ? "rows" : "columns",
                      axes[i].name, (unsigned long long)axes[i].n);
        }
    }

done:
    return stoa_layout_error_at(loc, path, status, err);
}

static herr_t see_member(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    checker *const c = context;
    char *const path = stoa_format("/%s/%s", c->parent, name);

    (void)link;
    c->status = path != NULL ? check_one(group, path, c->axes, c->err) : stoa_fail_memory(c->err);
    free(path);
    return c->status == STOA_OK ? 0 : 1;
}

static stoa_status check_members(hid_t root, const char *parent, axis first, axis second,
                                 stoa_error *err)
{
    checker c = {.parent = parent, .axes = {first, second}, .err = err};
    stoa_status status = STOA_OK;
    hid_t group = stoa_object_open(root, parent);

    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        STOA_TRY(stoa_links_visit(group, see_member, &c, err));
        status = c.status;
    }

done:
    return stoa_hdf_close(&group, status, err);
}

static stoa_status check_raw(hid_t root, axis obs, stoa_error *err)
{
    shape var;
    axis axes[2] = {obs, {NULL, 0}};

    STOA_RETURN_NOT_OK(shape_of(root, "raw/var", &var, err));
    if (var.rank == 1) {
        axes[1] = (axis){"/raw/var", var.extent[0]};
    }
    return check_one(root, "/raw/X", axes, err);
}

stoa_status stoa_anndata_check_shapes(hid_t root, stoa_error *err)
{
    const axis any = {NULL, 0};
    shape obs;
    shape var;

    STOA_RETURN_NOT_OK(shape_of(root, "obs", &obs, err));
    STOA_RETURN_NOT_OK(shape_of(root, "var", &var, err));
    const axis o = {"/obs", obs.extent[0]};
    const axis v = {"/var", var.extent[0]};
    STOA_RETURN_NOT_OK(check_one(root, "/X", (const axis[]){o, v}, err));
    STOA_RETURN_NOT_OK(check_members(root, "layers", o, v, err));
    STOA_RETURN_NOT_OK(check_members(root, "obsm", o, any, err));
    STOA_RETURN_NOT_OK(check_members(root, "varm", v, any, err));
    STOA_RETURN_NOT_OK(check_members(root, "obsp", o, o, err));
    STOA_RETURN_NOT_OK(check_members(root, "varp", v, v, err));
    return check_raw(root, o, err);
}

/* --- missing members ------------------------------------------------------------------------- */

static stoa_status make_dict(hid_t root, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    if (!stoa_object_exists(root, name)) {
        STOA_HDF(err, group = H5Gcreate2(root, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 "make group '/%s'", name);
        STOA_TRY(stoa_anndata_encode_plain(group, err));
    }

done:
    return stoa_hdf_close(&group, status, err);
}

/* Create obs or var, with the length that X implies. */
static stoa_status make_axis(hid_t root, const char *path, int dimension, stoa_error *err)
{
    shape x;

    if (!stoa_object_exists(root, path)) {
        STOA_RETURN_NOT_OK(shape_of(root, "X", &x, err));
        STOA_RETURN_NOT_OK(
            stoa_anndata_write_labels(root, path, x.rank == 2 ? x.extent[dimension] : 0, err));
    }
    return STOA_OK;
}

stoa_status stoa_anndata_complete(hid_t root, stoa_error *err)
{
    static const char *const dicts[] = {"layers", "obsm", "varm", "obsp", "varp", "uns"};

    if (!stoa_attribute_exists(root, "encoding-type")) {
        STOA_RETURN_NOT_OK(stoa_anndata_encode(root, "anndata", "0.1.0", err));
    }
    for (size_t i = 0; i < sizeof dicts / sizeof *dicts; i++) {
        STOA_RETURN_NOT_OK(make_dict(root, dicts[i], err));
    }
    STOA_RETURN_NOT_OK(make_axis(root, "/obs", 0, err));
    return make_axis(root, "/var", 1, err);
}
