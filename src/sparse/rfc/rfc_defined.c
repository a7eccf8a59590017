/* Query and erase defined elements (RFC §2.1.4, §2.1.5). */
#include <stdlib.h>

#include "sparse/rfc/rfc_dataset.h"
#include "sparse/store/selection.h"

/* --- defined elements ------------------------------------------------------------------------ */

static stoa_status bounds_of(hid_t space, const stoa_shape *shape, stoa_box *box, stoa_error *err)
{
    hsize_t first[H5S_MAX_RANK];
    hsize_t last[H5S_MAX_RANK];

    STOA_RETURN_HDF_ERROR(err, H5Sget_select_bounds(space, first, last),
                          "look at the selection's bounds");
    for (unsigned i = 0; i < shape->rank; i++) {
        box->start[i] = first[i];
        box->count[i] = last[i] - first[i] + 1;
    }
    return STOA_OK;
}

/* Append the defined elements that are selected, ascending. */
static stoa_status defined_among(stoa_store *store, hid_t space, stoa_buffer *out, stoa_error *err)
{
    stoa_box box;

    if (H5Sget_select_npoints(space) <= 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(bounds_of(space, stoa_store_shape(store), &box, err));
    STOA_RETURN_NOT_OK(stoa_store_defined(store, &box, out, err));
    size_t n = out->size / sizeof(uint64_t);
    if (n > 0 && H5Sget_select_type(space) != H5S_SEL_ALL) {
        STOA_RETURN_NOT_OK(stoa_selected_among(space, (uint64_t *)(void *)out->data, &n, err));
        out->size = n * sizeof(uint64_t);
    }
    return STOA_OK;
}

/* In a dataset without structured chunks every element is defined. */
static stoa_status all_of(hid_t dset, hid_t file_space, hid_t *space, stoa_error *err)
{
    if (file_space == H5S_ALL) {
        STOA_RETURN_HDF_ERROR(err, *space = H5Dget_space(dset), "look up the extent");
    } else {
        STOA_RETURN_HDF_ERROR(err, *space = H5Scopy(file_space), "copy a dataspace");
    }
    return STOA_OK;
}

hid_t stoa_h5d_get_defined(hid_t dset, hid_t file_space, hid_t dxpl, stoa_defined_kind kind)
{
    stoa_rfc_dataset d = {.store = NULL};
    stoa_buffer elements = {NULL, 0, 0};
    hid_t selected = H5I_INVALID_HID;
    hid_t defined = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = stoa_rfc_open(dset, &d, &err);

    (void)dxpl; /* no property matters here */
    if (status == STOA_ELAYOUT || (status == STOA_OK && !stoa_store_format(d.store)->is_sparse)) {
        err = (stoa_error)STOA_ERROR_INIT;
        STOA_TRY(all_of(dset, file_space, &defined, &err));
        goto done;
    }
    STOA_TRY(status);
    STOA_TRY(stoa_rfc_selection(dset, file_space, &selected, &err));
    STOA_TRY(defined_among(d.store, selected, &elements, &err));
    STOA_TRY(stoa_select_elements(selected, (const uint64_t *)(const void *)elements.data,
                                  elements.size / sizeof(uint64_t), (stoa_selection_kind)kind,
                                  &defined, &err));

done:
    stoa_buffer_clear(&elements);
    status = stoa_hdf_close(&selected, status, &err);
    status = stoa_rfc_close(&d, status, &err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(&defined, STOA_OK, NULL);
        return stoa_rfc_result(status, &err);
    }
    return defined;
}

/* --- erasing --------------------------------------------------------------------------------- */

/* An element, as chunk number and position. */
typedef struct in_chunk {
    uint64_t number;
    uint64_t position;
} in_chunk;

static int by_chunk(const void *a, const void *b)
{
    const in_chunk *one = a;
    const in_chunk *other = b;

    if (one->number != other->number) {
        return one->number > other->number ? 1 : -1;
    }
    return (one->position > other->position) - (one->position < other->position);
}

static in_chunk locate(const stoa_shape *shape, uint64_t element)
{
    uint64_t at[H5S_MAX_RANK];
    in_chunk found;

    stoa_coordinates_of((int)shape->rank, shape->extent, element, at);
    found.number = stoa_shape_locate(shape, at, &found.position);
    return found;
}

/* Undefine elements chunk by chunk. */
static stoa_status remove_elements(stoa_store *store, const uint64_t *elements, size_t n,
                                   stoa_error *err)
{
    in_chunk *places = stoa_alloc(n, sizeof *places);
    uint32_t *positions = stoa_alloc(n, sizeof *positions);
    stoa_status status = STOA_OK;

    STOA_TRY(places != NULL && positions != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n; i++) {
        places[i] = locate(stoa_store_shape(store), elements[i]);
    }
    qsort(places, n, sizeof *places, by_chunk);
    for (size_t i = 0; i < n;) {
        const uint64_t number = places[i].number;
        size_t n_here = 0;
        for (; i < n && places[i].number == number; i++) {
            positions[n_here++] = (uint32_t)places[i].position;
        }
        STOA_TRY(stoa_store_remove(store, number, positions, n_here, err));
    }

done:
    free(positions);
    free(places);
    return status;
}

herr_t stoa_h5d_erase(hid_t dset, hid_t file_space, hid_t dxpl)
{
    stoa_rfc_dataset d = {.store = NULL};
    stoa_buffer elements = {NULL, 0, 0};
    hid_t selected = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = stoa_rfc_open(dset, &d, &err);

    (void)dxpl;
    if (status == STOA_ELAYOUT || (status == STOA_OK && !stoa_store_format(d.store)->is_sparse)) {
        err = (stoa_error)STOA_ERROR_INIT;
        STOA_FAIL(&err, STOA_ELAYOUT, "only sparse datasets have elements to erase (RFC §2.1.5)");
    }
    STOA_TRY(status);
    if (!d.can_write) {
        STOA_FAIL(&err, STOA_EIO, "the file is not open for writing");
    }
    STOA_TRY(stoa_rfc_selection(dset, file_space, &selected, &err));
    if (H5Sget_select_type(selected) == H5S_SEL_ALL) {
        const stoa_box all = stoa_shape_all(stoa_store_shape(d.store));
        STOA_TRY(stoa_store_erase_box(d.store, &all, &err));
    } else {
        STOA_TRY(defined_among(d.store, selected, &elements, &err));
        STOA_TRY(remove_elements(d.store, (const uint64_t *)(const void *)elements.data,
                                 elements.size / sizeof(uint64_t), &err));
    }

done:
    stoa_buffer_clear(&elements);
    status = stoa_hdf_close(&selected, status, &err);
    return stoa_rfc_result(stoa_rfc_close(&d, status, &err), &err);
}
