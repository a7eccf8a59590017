/* The RFC's direct chunk calls: read, write and look up structured chunks (RFC §2.2). */
#include <stdlib.h>
#include <string.h>

#include "sparse/rfc/rfc_sections.h"

/* --- reading and writing --------------------------------------------------------------------- */

/* Fill in the sections of an info. Its masks have 16 bits. */
static void tell_sections(const stoa_rfc_sections *sections, H5D_struct_chunk_info_t *info)
{
    info->type = H5D_STRUCT_CHUNK;
    info->num_sections = (uint8_t)sections->n;
    for (unsigned i = 0; i < sections->n; i++) {
        const stoa_stored_section *section = &sections->sections[i];
        if (info->filter_mask != NULL) {
            info->filter_mask[i] = (uint16_t)section->mask;
        }
        if (info->section_size != NULL) {
            info->section_size[i] = section->n_bytes;
        }
        if (info->section_orig_size != NULL) {
            info->section_orig_size[i] = section->n_original;
        }
    }
}

herr_t stoa_h5d_read_struct_chunk(hid_t dset, hid_t dxpl, const hsize_t *offset,
                                  H5D_struct_chunk_info_t *chunk_info, void *buf)
{
    void *const *buffers = buf;
    stoa_rfc_dataset d = {.store = NULL};
    stoa_rfc_sections sections = {.n = 0};
    uint64_t number = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    (void)dxpl;
    STOA_TRY(stoa_rfc_open(dset, &d, &err));
    if (offset == NULL || chunk_info == NULL) {
        STOA_FAIL(&err, STOA_EINVAL, "no offset, or no chunk_info");
    }
    STOA_TRY(stoa_rfc_number(&d, offset, &number, &err));
    STOA_TRY(stoa_rfc_sections_read(&d, number, &sections, &err));
    if (!sections.is_there) {
        STOA_FAIL(&err, STOA_ENOTFOUND,
                  "the chunk does not exist; H5Dget_struct_chunk_info_by_coord() tells");
    }
    tell_sections(&sections, chunk_info);
    for (unsigned i = 0; buffers != NULL && i < sections.n; i++) {
        if (buffers[i] != NULL && sections.sections[i].n_bytes > 0) {
            memcpy(buffers[i], sections.sections[i].bytes, sections.sections[i].n_bytes);
        }
    }

done:
    stoa_rfc_sections_clear(&sections);
    return stoa_rfc_result(stoa_rfc_close(&d, status, &err), &err);
}

/* Convert the caller's description of sections. */
static stoa_status sections_given(const H5D_struct_chunk_info_t *info, void *const *buffers,
                                  unsigned n, stoa_stored_section *given, stoa_error *err)
{
    if (info == NULL || buffers == NULL || info->section_size == NULL || info->num_sections != n) {
        return stoa_fail(err, STOA_EINVAL,
                         "a chunk of this dataset has %u sections, each with a "
                         "size in chunk_info and its bytes in buf",
                         n);
    }
    for (unsigned i = 0; i < n; i++) {
        given[i] = (stoa_stored_section){
            .bytes = buffers[i],
            .n_bytes = info->section_size[i],
            .n_original = info->section_orig_size != NULL ? info->section_orig_size[i]
                                                          : info->section_size[i],
            .mask = info->filter_mask != NULL ? info->filter_mask[i] : 0};
        if (given[i].bytes == NULL && given[i].n_bytes > 0) {
            return stoa_fail(err, STOA_EINVAL, "section %u has %zu bytes, but none in buf", i,
                             given[i].n_bytes);
        }
    }
    return STOA_OK;
}

herr_t stoa_h5d_write_struct_chunk(hid_t dset, hid_t dxpl, const hsize_t *offset,
                                   const H5D_struct_chunk_info_t *chunk_info, const void *buf)
{
    stoa_rfc_dataset d = {.store = NULL};
    stoa_stored_section given[STOA_MAX_SECTIONS] = {{.n_bytes = 0}};
    uint64_t number = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    (void)dxpl;
    STOA_TRY(stoa_rfc_open(dset, &d, &err));
    if (!d.can_write) {
        STOA_FAIL(&err, STOA_EIO, "the file is not open for writing");
    }
    if (offset == NULL) {
        STOA_FAIL(&err, STOA_EINVAL, "no offset");
    }
    STOA_TRY(stoa_rfc_number(&d, offset, &number, &err));
    STOA_TRY(sections_given(chunk_info, buf, stoa_sparse_n_sections(stoa_store_format(d.store)),
                            given, &err));
    STOA_TRY(stoa_rfc_sections_write(&d, number, given, &err));

done:
    return stoa_rfc_result(stoa_rfc_close(&d, status, &err), &err);
}

herr_t stoa_h5d_write_struct_chunk_r18(hid_t dset, hid_t dxpl,
                                       const H5D_struct_chunk_info_t *chunk_info,
                                       const hsize_t *offset, const void *buf)
{
    return stoa_h5d_write_struct_chunk(dset, dxpl, offset, chunk_info, buf);
}

/* --- looking up ------------------------------------------------------------------------------ */

/* Storage for the arrays of an info. */
typedef struct info_arrays {
    uint16_t mask[STOA_MAX_SECTIONS];
    size_t size[STOA_MAX_SECTIONS];
    size_t original[STOA_MAX_SECTIONS];
} info_arrays;

static void give_arrays(H5D_struct_chunk_info_t *info, info_arrays *arrays)
{
    info->filter_mask = arrays->mask;
    info->section_size = arrays->size;
    info->section_orig_size = arrays->original;
}

/* Callers pass an uninitialised struct, and nothing frees the arrays it will point to (fact sheet
 * §10). The library therefore keeps a few of them per thread between calls. */
static info_arrays *next_arrays(void)
{
    enum { KEPT = 16 };
    static _Thread_local info_arrays kept[KEPT];
    static _Thread_local unsigned next;

    next = (next + 1) % KEPT;
    return &kept[next];
}

/* The requested properties of a chunk; each pointer may be NULL. */
typedef struct answer {
    hsize_t *offset;
    H5D_struct_chunk_info_t *info;
    haddr_t *address;
    hsize_t *size;
} answer;

static stoa_status answer_number(const stoa_rfc_dataset *d, uint64_t number, const answer *to,
                                 stoa_error *err)
{
    stoa_rfc_sections sections = {.n = 0};
    uint64_t offset[H5S_MAX_RANK];
    haddr_t address = HADDR_UNDEF;
    hsize_t n_bytes = 0;
    stoa_status status = STOA_OK;

    stoa_shape_offset(stoa_store_shape(d->store), number, offset);
    STOA_TRY(stoa_store_flush(d->store, err));
    if (to->address != NULL || to->size != NULL) {
        STOA_TRY(stoa_rfc_locate(d, offset, &address, &n_bytes, err));
    }
    STOA_TRY(stoa_rfc_sections_read(d, number, &sections, err));
    if (to->info != NULL && sections.is_there) {
        give_arrays(to->info, next_arrays());
        tell_sections(&sections, to->info);
    }
    if (to->offset != NULL) {
        memcpy(to->offset, offset, stoa_store_shape(d->store)->rank * sizeof *offset);
    }
    if (to->address != NULL) {
        *to->address = address;
    }
    if (to->size != NULL) {
        *to->size = n_bytes;
    }

done:
    stoa_rfc_sections_clear(&sections);
    return status;
}

herr_t stoa_h5d_get_struct_chunk_info_by_coord(hid_t dset, const hsize_t *offset,
                                               H5D_struct_chunk_info_t *chunk_info, haddr_t *addr,
                                               hsize_t *chunk_size)
{
    const answer to = {.info = chunk_info, .address = addr, .size = chunk_size};
    stoa_rfc_dataset d = {.store = NULL};
    uint64_t number = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_rfc_open(dset, &d, &err));
    if (offset == NULL) {
        STOA_FAIL(&err, STOA_EINVAL, "no offset");
    }
    STOA_TRY(stoa_rfc_number(&d, offset, &number, &err));
    STOA_TRY(answer_number(&d, number, &to, &err));

done:
    return stoa_rfc_result(stoa_rfc_close(&d, status, &err), &err);
}

/* Whether a selection meets a chunk. */
static stoa_status meets(hid_t space, const stoa_shape *shape, uint64_t number, bool *does,
                         stoa_error *err)
{
    uint64_t first[H5S_MAX_RANK];
    hsize_t last[H5S_MAX_RANK];
    htri_t found = 0;

    stoa_shape_offset(shape, number, first);
    for (unsigned i = 0; i < shape->rank; i++) {
        const uint64_t end = first[i] + shape->chunk[i];
        last[i] = (end < shape->extent[i] ? end : shape->extent[i]) - 1;
    }
    STOA_RETURN_HDF_ERROR(err, found = H5Sselect_intersect_block(space, first, last),
                          "look at a selection");
    *does = found > 0;
    return STOA_OK;
}

/* Find the chunk with this index among the chunks that a selection meets, row-major. */
static stoa_status find_chunk(const stoa_rfc_dataset *d, hid_t space, hsize_t index,
                              uint64_t *number, stoa_error *err)
{
    const stoa_shape *shape = stoa_store_shape(d->store);
    const stoa_box all = stoa_shape_all(shape);
    stoa_buffer numbers = {NULL, 0, 0};
    hsize_t n = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_store_chunks(d->store, &all, &numbers, err));
    const uint64_t *found = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *found; i++) {
        bool counts = true;
        if (H5Sget_select_type(space) != H5S_SEL_ALL) {
            STOA_TRY(meets(space, shape, found[i], &counts, err));
        }
        if (counts && n++ == index) {
            *number = found[i];
            goto done;
        }
    }
    STOA_FAIL(err, STOA_ERANGE, "no chunk %llu; the selection meets %llu",
              (unsigned long long)index, (unsigned long long)n);

done:
    stoa_buffer_clear(&numbers);
    return status;
}

herr_t stoa_h5d_get_struct_chunk_info(hid_t dset, hid_t fspace, hsize_t chunk_idx, hsize_t *offset,
                                      H5D_struct_chunk_info_t *chunk_info, haddr_t *addr,
                                      hsize_t *chunk_size)
{
    const answer to = {.offset = offset, .info = chunk_info, .address = addr, .size = chunk_size};
    stoa_rfc_dataset d = {.store = NULL};
    hid_t space = H5I_INVALID_HID;
    uint64_t number = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_rfc_open(dset, &d, &err));
    STOA_TRY(stoa_rfc_selection(dset, fspace, &space, &err));
    STOA_TRY(find_chunk(&d, space, chunk_idx, &number, &err));
    STOA_TRY(answer_number(&d, number, &to, &err));

done:
    status = stoa_hdf_close(&space, status, &err);
    return stoa_rfc_result(stoa_rfc_close(&d, status, &err), &err);
}

/* --- iteration ------------------------------------------------------------------------------- */

/* Call the program's callback once; *result receives its return value. */
static stoa_status visit(const stoa_rfc_dataset *d, stoa_rfc_chunk *chunk,
                         H5D_struct_chunk_iter_op_t cb, void *op_data, int *result, stoa_error *err)
{
    stoa_rfc_sections sections = {.n = 0};
    info_arrays arrays;
    H5D_struct_chunk_info_t info;
    uint64_t number = 0;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_rfc_number(d, chunk->offset, &number, err));
    STOA_TRY(stoa_rfc_sections_read(d, number, &sections, err));
    give_arrays(&info, &arrays);
    tell_sections(&sections, &info);
    *result = cb(chunk->offset, &info, &chunk->address, &chunk->n_bytes, op_data);

done:
    stoa_rfc_sections_clear(&sections);
    return status;
}

herr_t stoa_h5d_struct_chunk_iter(hid_t dset, hid_t dxpl, H5D_struct_chunk_iter_op_t cb,
                                  void *op_data)
{
    stoa_rfc_dataset d = {.store = NULL};
    stoa_error err = STOA_ERROR_INIT;
    stoa_rfc_chunks chunks = {.rank = 0};
    int result = 0;
    stoa_status status = STOA_OK;

    (void)dxpl;
    STOA_TRY(stoa_rfc_open(dset, &d, &err));
    if (cb == NULL) {
        STOA_FAIL(&err, STOA_EINVAL, "no callback");
    }
    STOA_TRY(stoa_store_flush(d.store, &err));
    chunks.rank = stoa_store_shape(d.store)->rank;
    const stoa_chunk_io *io = stoa_store_io(d.store);
    STOA_TRY(io->iterate(io->context, stoa_rfc_note_chunk, &chunks, &err));
    stoa_rfc_chunk *all = (stoa_rfc_chunk *)(void *)chunks.all.data;
    for (size_t i = 0; result == 0 && i < chunks.all.size / sizeof *all; i++) {
        STOA_TRY(visit(&d, &all[i], cb, op_data, &result, &err));
    }

done:
    stoa_buffer_clear(&chunks.all);
    status = stoa_rfc_close(&d, status, &err);
    return status == STOA_OK ? result : stoa_rfc_result(status, &err);
}
