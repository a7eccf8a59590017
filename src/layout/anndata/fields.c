/* obsm and varm of AnnData before 0.7: one dataset of rows, whose fields are the arrays. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/links.h"
#include "hdf/read/compound_rows.h"
#include "hdf/read/read_context.h"
#include "layout/anndata/anndata.h"

enum { AT_ONCE = 1 << 20 }; /* bytes */

/* A field that is being copied. */
typedef struct field {
    const stoa_row_member *member;
    const char *name;
    hid_t type; /* numbers in memory */
    int rank;
    hsize_t extent[H5S_MAX_RANK]; /* rows, then the shape of a row */
} field;

/* The shape of one row of the field: a number, or an array of numbers. */
static stoa_status shape_of(const stoa_rows *rows, field *f, stoa_error *err)
{
    const hid_t type = f->member->mem_type;
    int rank = 0;

    f->extent[0] = stoa_rows_extent(rows);
    if (H5Tget_class(type) == H5T_ARRAY) {
        STOA_RETURN_HDF_ERROR(err, rank = H5Tget_array_ndims(type), "get the shape of a row");
        if (rank >= H5S_MAX_RANK) {
            return stoa_fail(err, STOA_EDATA, "field '%s' has %d dimensions", f->name, rank);
        }
        STOA_RETURN_HDF_ERROR(err, H5Tget_array_dims2(type, f->extent + 1),
                              "get the shape of a row");
        STOA_RETURN_HDF_ERROR(err, f->type = H5Tget_super(type), "get the type of a field");
    } else {
        STOA_RETURN_HDF_ERROR(err, f->type = H5Tcopy(type), "get the type of a field");
    }
    f->rank = 1 + rank;
    if (H5Tget_class(f->type) != H5T_INTEGER && H5Tget_class(f->type) != H5T_FLOAT) {
        return stoa_fail(err, STOA_ETYPE, "field '%s' has no numbers", f->name);
    }
    return STOA_OK;
}

static stoa_status put_rows(const field *f, hid_t dataset, uint64_t first, uint64_t n, void *rows,
                            stoa_error *err)
{
    hsize_t start[H5S_MAX_RANK] = {first};
    hsize_t count[H5S_MAX_RANK];

    memcpy(count, f->extent, sizeof count);
    count[0] = n;
    STOA_RETURN_NOT_OK(stoa_row_member_read(f->member, first, n, rows, err));
    return stoa_dataset_write(dataset, f->type, start, count, rows, "rows", err);
}

static stoa_status put_field(const field *f, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = f->member->mem_size;
    const uint64_t at_once = size < AT_ONCE ? AT_ONCE / size : 1;
    hid_t space = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    void *rows = stoa_alloc((size_t)at_once, size);

    STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, space = H5Screate_simple(f->rank, f->extent, NULL), "make a dataspace");
    STOA_HDF(err,
             dataset =
                 H5Dcreate2(group, f->name, f->type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             "make dataset '%s'", f->name);
    STOA_TRY(stoa_anndata_encode(dataset, "array", "0.2.0", err));
    for (uint64_t at = 0; at < f->extent[0]; at += at_once) {
        const uint64_t rest = f->extent[0] - at;
        STOA_TRY(put_rows(f, dataset, at, rest < at_once ? rest : at_once, rows, err));
    }

done:
    free(rows);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_hdf_close(&space, status, err);
}

static stoa_status write_field(stoa_rows *rows, unsigned i, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    stoa_row_member member = STOA_ROW_MEMBER_INIT;
    char *name = NULL;
    field f = {.member = &member, .type = H5I_INVALID_HID};

    STOA_HDF(err, (name = H5Tget_member_name(stoa_rows_type(rows), i)) != NULL ? 0 : -1,
             "read a field's name");
    f.name = name;
    STOA_TRY(stoa_row_member_open(rows, i, STOA_WHOLE_MEMBER, &element, &member, err));
    STOA_TRY(shape_of(rows, &f, err));
    STOA_TRY(put_field(&f, group, err));

done:
    stoa_row_member_close(&member);
    stoa_element_clear(&element);
    (void)H5free_memory(name);
    return stoa_hdf_close(&f.type, status, err);
}

stoa_status stoa_anndata_write_fields(hid_t from, const char *path, hid_t to, const char *target,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_read_context *read_context = NULL;
    stoa_rows *rows = NULL;
    hid_t group = H5I_INVALID_HID;
    hid_t dataset = stoa_object_open(from, path);

    STOA_TRY(dataset >= 0 ? STOA_OK : stoa_fail(err, STOA_ENOTFOUND, "there is no '%s'", path));
    STOA_TRY(stoa_read_context_open(&read_context, err));
    const hid_t taken = dataset;
    dataset = H5I_INVALID_HID;
    STOA_TRY(stoa_rows_open(taken, read_context, &rows, err));
    STOA_HDF(err, group = H5Gcreate2(to, target, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
             "make group '%s'", target);
    STOA_TRY(stoa_anndata_encode(group, "dict", "0.1.0", err));
    for (int i = 0; i < H5Tget_nmembers(stoa_rows_type(rows)); i++) {
        STOA_TRY(write_field(rows, (unsigned)i, group, err));
    }

done:
    stoa_rows_close(rows);
    stoa_read_context_close(read_context);
    status = stoa_hdf_close(&dataset, status, err);
    return stoa_hdf_close(&group, status, err);
}
