/* See unlink.h. */
#include "hdf/storage.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/guard.h"
#include "hdf/walk.h"

/* A stretch of the file. */
typedef struct stretch {
    uint64_t first;
    uint64_t n;
} stretch;

typedef struct storage {
    uint64_t end; /* of the file */
    stoa_buffer stretches;
    bool is_outside;
    stoa_status status;
} storage;

static void add(storage *s, haddr_t address, hsize_t n)
{
    const stretch one = {address, n};

    if (address == HADDR_UNDEF || n == 0) {
        return;
    }
    s->is_outside = s->is_outside || address == 0 || address > s->end || n > s->end - address;
    s->status = stoa_buffer_append(&s->stretches, &one, sizeof one, NULL);
}

static int add_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n,
                     void *context)
{
    storage *const s = context;

    (void)offset;
    (void)mask;
    add(s, address, n);
    return s->status == STOA_OK && !s->is_outside ? H5_ITER_CONT : H5_ITER_STOP;
}

/* What cannot be looked at, libhdf5 cannot delete either. */
static stoa_status add_dataset(void *context, hid_t dataset, const char *path, stoa_error *err)
{
    storage *const s = context;
    hid_t dcpl = stoa_dataset_properties(dataset);
    const H5D_layout_t layout = dcpl >= 0 ? H5Pget_layout(dcpl) : H5D_LAYOUT_ERROR;

    (void)path;
    (void)err;
    if (layout == H5D_CHUNKED) {
        (void)H5Dchunk_iter(dataset, H5P_DEFAULT, add_chunk, s);
    } else if (layout == H5D_CONTIGUOUS && H5Pget_external_count(dcpl) == 0) {
        add(s, H5Dget_offset(dataset), H5Dget_storage_size(dataset));
    }
    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
    return s->status;
}

static int compare(const void *a, const void *b)
{
    const stretch *const left = a;
    const stretch *const right = b;

    return (left->first > right->first) - (left->first < right->first);
}

static bool is_apart(const storage *s)
{
    stretch *const all = (stretch *)(void *)s->stretches.data;
    const size_t n = s->stretches.size / sizeof *all;

    if (n > 1) {
        qsort(all, n, sizeof *all, compare);
    }
    for (size_t i = 1; i < n; i++) {
        if (all[i].first - all[i - 1].first < all[i - 1].n) {
            return false;
        }
    }
    return true;
}

static const char no_memory[] = "there is no memory for a list of its chunks";

/* NULL, or why it is refused. Datasets that are only copied may share bytes. */
static const char *look(hid_t object, bool is_copied)
{
    storage s = {.status = STOA_OK};
    hsize_t end = 0;
    hid_t file = H5Iget_file_id(object);
    const char *fault = NULL;

    if (file >= 0 && H5Fget_filesize(file, &end) >= 0) {
        s.end = end;
        const bool is_dataset = H5Iget_type(object) == H5I_DATASET;
        const stoa_status status = is_dataset ? add_dataset(&s, object, "", NULL)
                                              : stoa_datasets_visit(object, add_dataset, &s, NULL);
        fault = status == STOA_ENOMEM || s.status == STOA_ENOMEM ? no_memory
                : s.is_outside ? "it is damaged: a part of it lies outside of the file"
                : !is_copied && !is_apart(&s) ? "it is damaged: parts of it overlap"
                                              : NULL;
    }
    stoa_buffer_clear(&s.stretches);
    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    return fault;
}

static const char *look_at_link(hid_t loc, const char *name, bool is_copied)
{
    const stoa_quiet quiet = stoa_quiet_begin();
    H5L_info2_t link;
    const char *fault = NULL;

    if (is_copied ||
        (H5Lget_info2(loc, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_HARD)) {
        hid_t object = H5Oopen(loc, name, H5P_DEFAULT);
        const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
        fault = type == H5I_GROUP || type == H5I_DATASET ? look(object, is_copied) : NULL;
        if (object >= 0) {
            (void)H5Oclose(object);
        }
    }
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    if (fault != NULL) {
        (void)H5Epush2(H5E_DEFAULT, __FILE__, "stoa_object", __LINE__, H5E_ERR_CLS, H5E_DATASET,
                       fault == no_memory ? H5E_NOSPACE : H5E_BADVALUE, "%s", fault);
    }
    return fault;
}

herr_t stoa_unlink(hid_t loc, const char *name)
{
    return look_at_link(loc, name, false) != NULL ? -1 : H5Ldelete(loc, name, H5P_DEFAULT);
}

herr_t stoa_object_copy(hid_t from, const char *name, hid_t to, const char *new_name,
                        hid_t properties, hid_t lcpl)
{
    return look_at_link(from, name, true) != NULL
               ? -1
               : H5Ocopy(from, name, to, new_name, properties, lcpl);
}
