/*
 * H5Dread() and H5Dwrite() of sparse datasets under the connector.
 *
 * The selections in memory and in the file are walked in parallel and split into parts that are
 * contiguous in both. Parts are collected up to a limit, converted together, and passed to the
 * store row by row. The parts of a scattered write are passed as points, which the store sorts by
 * chunk before it modifies any.
 */
#include "sparse/connector/connector_transfer.h"
#include "hdf/ids.h"
#include "sparse/connector/connector_parts.h"

enum {
    PIECE_BYTES = 1 << 20,   /* converted at a time */
    PIECE_PARTS = 1 << 14,   /* parts converted at a time */
    SCATTERED_FEW = 1 << 12, /* elements; fewer are not worth sorting */
    SCATTERED_RUN = 8,       /* elements; longer runs are not worth sorting */
    LINE = 4                 /* elements from which a line is worth looking for */
};

/* --- selections ------------------------------------------------------------------------------ */

/* The dataspaces of a call; `file` and `memory` may be the same. `made` is the dataset's own. */
typedef struct spaces {
    hid_t file;
    hid_t memory; /* H5S_BLOCK is kept */
    hid_t made;
} spaces;

static stoa_status resolve(const stoa_link *link, hid_t file, hid_t memory, spaces *s,
                           stoa_error *err)
{
    *s = (spaces){.file = file, .memory = memory, .made = H5I_INVALID_HID};
    if (file == H5S_ALL) {
        STOA_RETURN_NOT_OK(stoa_below_space(link, &s->made, err));
        s->file = s->made;
    }
    if (memory == H5S_ALL) {
        s->memory = s->file; /* the buffer has the shape of the dataset */
    }
    return STOA_OK;
}

static stoa_status count(hid_t space, const char *where, uint64_t *n, stoa_error *err)
{
    hssize_t selected = 0;
    htri_t is_valid = 0;

    STOA_RETURN_HDF_ERROR(err, is_valid = H5Sselect_valid(space), "look at the selection in %s",
                          where);
    if (is_valid == 0) {
        return stoa_fail(err, STOA_ERANGE, "the selection in %s leaves its extent", where);
    }
    STOA_RETURN_HDF_ERROR(err, selected = H5Sget_select_npoints(space), "count the selection in %s",
                          where);
    *n = (uint64_t)selected;
    return STOA_OK;
}

static stoa_status check_spaces(stoa_transfer *t, const spaces *s, stoa_error *err)
{
    uint64_t n_memory = 0;
    int rank = 0;

    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_dims(s->file, t->extent, NULL),
                          "look at a dataspace");
    if ((unsigned)rank != stoa_store_shape(t->store)->rank) {
        return stoa_fail(err, STOA_EINVAL, "a dataspace of %d dimensions where the dataset has %u",
                         rank, stoa_store_shape(t->store)->rank);
    }
    t->rank = (unsigned)rank;
    STOA_RETURN_NOT_OK(count(s->file, "the file", &t->n_left, err));
    n_memory = t->n_left;
    if (s->memory != H5S_BLOCK) {
        STOA_RETURN_NOT_OK(count(s->memory, "memory", &n_memory, err));
    }
    if (n_memory != t->n_left) {
        return stoa_fail(err, STOA_EINVAL, "%llu elements are selected in the file, %llu in memory",
                         (unsigned long long)t->n_left, (unsigned long long)n_memory);
    }
    return STOA_OK;
}

static stoa_status side_begin(stoa_side *s, hid_t space, uint64_t n, stoa_error *err)
{
    s->is_plain = space == H5S_BLOCK;
    s->first = 0;
    s->n = s->is_plain ? n : 0;
    return s->is_plain || n == 0 ? STOA_OK : stoa_selection_begin(&s->walk, space, err);
}

static stoa_status side_next(stoa_side *s, stoa_error *err)
{
    if (s->n == 0) {
        STOA_RETURN_NOT_OK(stoa_selection_next(&s->walk, &s->first, &s->n, err));
        if (s->n == 0) {
            return stoa_fail(err, STOA_EINVAL, "a selection ends early");
        }
    }
    return STOA_OK;
}

/* --- types ----------------------------------------------------------------------------------- */

static stoa_status check_types(stoa_transfer *t, hid_t to, stoa_error *err)
{
    htri_t are_equal = 0;
    htri_t has_members = 0;

    STOA_RETURN_HDF_ERROR(err, are_equal = H5Tequal(t->file_type, t->memory_type),
                          "compare datatypes");
    STOA_RETURN_HDF_ERROR(err, has_members = H5Tdetect_class(to, H5T_COMPOUND),
                          "look at a datatype");
    t->converts = are_equal == 0;
    t->merges = t->converts && has_members > 0;
    t->file_size = H5Tget_size(t->file_type);
    t->stored_size = t->file_size;
    t->memory_size = H5Tget_size(t->memory_type);
    if (t->file_size == 0 || t->memory_size == 0) {
        STOA_RETURN_HDF_ERROR(err, -1, "look up the size of elements");
    }
    return STOA_OK;
}

/* Arrangement of the selected elements in the file. */
typedef enum spread {
    IN_RUNS,
    IN_LINES, /* short runs of a regular hyperslab */
    ANYWHERE  /* points, and irregular hyperslabs of short runs */
} spread;

/* Whether a regular hyperslab selects single elements of each row. */
static stoa_status look_for_lines(const stoa_transfer *t, hid_t space, bool *are_lines,
                                  stoa_error *err)
{
    const unsigned last = t->rank - 1;
    hsize_t stride[H5S_MAX_RANK];
    hsize_t count[H5S_MAX_RANK];
    hsize_t block[H5S_MAX_RANK];

    STOA_RETURN_HDF_ERROR(err, H5Sget_regular_hyperslab(space, NULL, stride, count, block),
                          "look at a selection");
    *are_lines = t->n_left >= LINE && block[last] == 1 && (count[last] == 1 || stride[last] > 1);
    return STOA_OK;
}

static stoa_status check_spread(const stoa_transfer *t, hid_t space, spread *is, stoa_error *err)
{
    H5S_sel_type type = H5S_SEL_ERROR;
    htri_t is_regular = 0;
    hssize_t n_runs = 1;

    *is = IN_RUNS;
    STOA_RETURN_HDF_ERROR(err, type = H5Sget_select_type(space), "look at a selection");
    if (type == H5S_SEL_HYPERSLABS) {
        STOA_RETURN_HDF_ERROR(err, is_regular = H5Sis_regular_hyperslab(space),
                              "look at a selection");
    }
    if (is_regular > 0) {
        bool is_line = false;
        STOA_RETURN_NOT_OK(look_for_lines(t, space, &is_line, err));
        *is = is_line ? IN_LINES : IN_RUNS;
    } else if (type != H5S_SEL_ALL && type != H5S_SEL_NONE && t->n_left >= SCATTERED_FEW) {
        if (type == H5S_SEL_HYPERSLABS) {
            STOA_RETURN_HDF_ERROR(err, n_runs = H5Sget_select_hyper_nblocks(space),
                                  "count the blocks of a selection");
        }
        *is = type == H5S_SEL_POINTS || t->n_left / (uint64_t)n_runs < SCATTERED_RUN ? ANYWHERE
                                                                                     : IN_RUNS;
    }
    return STOA_OK;
}

/* --- pieces ---------------------------------------------------------------------------------- */

/* Collect the next parts, up to the limits of a piece. *n is the number of elements. */
static stoa_status next_piece(stoa_transfer *t, uint64_t *n, stoa_error *err)
{
    const size_t larger = t->file_size > t->memory_size ? t->file_size : t->memory_size;
    const bool is_packed = t->converts || t->variable != NULL;
    const uint64_t most = is_packed ? PIECE_BYTES / larger + 1 : UINT64_MAX;

    *n = 0;
    t->parts.size = 0;
    while (t->n_left > 0 && *n < most && t->parts.size < PIECE_PARTS * sizeof(stoa_run_part)) {
        STOA_RETURN_NOT_OK(side_next(&t->file, err));
        STOA_RETURN_NOT_OK(side_next(&t->memory, err));
        stoa_run_part p = {.in_file = t->file.first, .in_memory = t->memory.first, .n = most - *n};
        p.n = p.n < t->file.n ? p.n : t->file.n;
        p.n = p.n < t->memory.n ? p.n : t->memory.n;
        p.n = p.n < t->n_left ? p.n : t->n_left;
        STOA_RETURN_NOT_OK(stoa_buffer_append(&t->parts, &p, sizeof p, err));
        t->file.first += p.n;
        t->file.n -= p.n;
        t->memory.first += p.n;
        t->memory.n -= p.n;
        t->n_left -= p.n;
        *n += p.n;
    }
    if (is_packed) {
        t->values.size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&t->values, (size_t)*n * larger, err));
    }
    if (t->converts) {
        t->background.size = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(&t->background, (size_t)*n * larger, err));
    }
    return STOA_OK;
}

static stoa_status read_piece(stoa_transfer *t, uint64_t n, uint8_t *buf, stoa_error *err)
{
    if (t->variable != NULL) {
        return stoa_variable_read(t, n, buf, err);
    }
    if (!t->converts) {
        return stoa_transfer_parts(t, buf, NULL, err);
    }
    STOA_RETURN_NOT_OK(stoa_transfer_stored(t, (stoa_stream){.to = t->values.data}, err));
    if (t->merges) {
        stoa_transfer_pack(t, buf, t->background.data);
    }
    STOA_RETURN_HDF_ERROR(err,
                          H5Tconvert(t->file_type, t->memory_type, (size_t)n, t->values.data,
                                     t->background.data, t->dxpl),
                          "convert elements");
    stoa_transfer_unpack(t, t->values.data, buf);
    return STOA_OK;
}

static stoa_status write_piece(stoa_transfer *t, uint64_t n, const uint8_t *buf, stoa_error *err)
{
    if (t->variable != NULL) {
        return stoa_variable_write(t, n, buf, err);
    }
    if (!t->converts) {
        return stoa_transfer_parts(t, NULL, buf, err);
    }
    stoa_transfer_pack(t, buf, t->values.data);
    if (t->merges) {
        STOA_RETURN_NOT_OK(stoa_transfer_stored(t, (stoa_stream){.to = t->background.data}, err));
    }
    STOA_RETURN_HDF_ERROR(err,
                          H5Tconvert(t->memory_type, t->file_type, (size_t)n, t->values.data,
                                     t->background.data, t->dxpl),
                          "convert elements");
    return stoa_transfer_stored(t, (stoa_stream){.from = t->values.data}, err);
}

/* --- calls ----------------------------------------------------------------------------------- */

static stoa_status move(const stoa_link *link, hid_t memory_type, const spaces *s, hid_t dxpl,
                        uint8_t *to, const uint8_t *from, stoa_error *err)
{
    stoa_transfer transfer = {.link = link,
                              .store = link->dataset->store,
                              .file = {.walk = STOA_SELECTION_WALK_INIT},
                              .memory = {.walk = STOA_SELECTION_WALK_INIT},
                              .file_space = s->file,
                              .memory_space = s->memory,
                              .file_type = link->dataset->below.type,
                              .memory_type = memory_type,
                              .dxpl = dxpl};
    stoa_transfer *t = &transfer;
    const stoa_error_stack errors = stoa_error_stack_begin(); /* once for all following calls */
    spread is = IN_RUNS;
    stoa_status status = STOA_OK;

    STOA_TRY(check_spaces(t, s, err));
    if (t->n_left > 0 && to == NULL && from == NULL) {
        STOA_FAIL(err, STOA_EINVAL, "no buffer for %llu elements", (unsigned long long)t->n_left);
    }
    STOA_TRY(check_types(t, to != NULL ? memory_type : t->file_type, err));
    if (stoa_store_vlen(t->store) != NULL) {
        STOA_TRY(stoa_variable_open(t, to != NULL, err));
    } else {
        STOA_TRY(check_spread(t, s->file, &is, err));
    }
    if (is == ANYWHERE || (is == IN_LINES && from != NULL && !t->merges)) {
        STOA_TRY(is == IN_LINES ? stoa_scatter_write_lines(t, from, err)
                                : stoa_scatter_move(t, to, from, err));
        goto done;
    }
    STOA_TRY(side_begin(&t->file, s->file, t->n_left, err));
    STOA_TRY(side_begin(&t->memory, s->memory, t->n_left, err));
    while (t->n_left > 0) {
        uint64_t n = 0;
        STOA_TRY(next_piece(t, &n, err));
        STOA_TRY(to != NULL ? read_piece(t, n, to, err) : write_piece(t, n, from, err));
    }

done:
    status = stoa_selection_end(&t->file.walk, status, err);
    status = stoa_selection_end(&t->memory.walk, status, err);
    stoa_variable_close(t);
    stoa_buffer_clear(&t->parts);
    stoa_buffer_clear(&t->values);
    stoa_buffer_clear(&t->background);
    stoa_error_stack_end(&errors);
    return status;
}

/* Whether the transfer has a data transform. Only libhdf5 can apply it. */
static bool has_transform(hid_t dxpl)
{
    bool has = false;

    if (dxpl != H5P_DATASET_XFER_DEFAULT) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        const hid_t stack = H5Eget_current_stack();
        has = H5Pget_data_transform(dxpl, NULL, 0) > 0;
        (void)H5Eset_current_stack(stack);
        stoa_error_stack_end(&errors);
    }
    return has;
}

/* Read through the filter. It sees only the file, so the store is flushed first. */
static herr_t read_below(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                         hid_t dxpl, void *buf)
{
    if (stoa_linked_dataset_flush(link) < 0) {
        return -1;
    }
    return H5VLdataset_read(1, &link->object, link->below, &mem_type, &mem_space, &file_space, dxpl,
                            &buf, NULL);
}

herr_t stoa_linked_dataset_read(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                                hid_t dxpl, void *buf)
{
    spaces s = {.made = H5I_INVALID_HID};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    /* Only libhdf5 follows references into the file's global heap. */
    if (file_space == H5S_PLIST || has_transform(dxpl) ||
        stoa_store_format(link->dataset->store)->has_references) {
        return read_below(link, mem_type, mem_space, file_space, dxpl, buf);
    }
    STOA_TRY(resolve(link, file_space, mem_space, &s, &err));
    STOA_TRY(move(link, mem_type, &s, dxpl, buf, NULL, &err));

done:
    status = stoa_hdf_close(&s.made, status, &err);
    return status == STOA_OK ? 0 : stoa_link_fail(&err);
}

herr_t stoa_linked_dataset_write(stoa_link *link, hid_t mem_type, hid_t mem_space, hid_t file_space,
                                 hid_t dxpl, const void *buf)
{
    spaces s = {.made = H5I_INVALID_HID};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (!link->file->can_write) {
        STOA_FAIL(&err, STOA_EINVAL, "the file is open for reading only");
    }
    if (file_space == H5S_PLIST || has_transform(dxpl)) {
        STOA_FAIL(&err, STOA_EINVAL,
                  "no writes to sparse datasets with a selection or an expression in the transfer "
                  "list; select in a dataspace, compute before");
    }
    STOA_TRY(resolve(link, file_space, mem_space, &s, &err));
    STOA_TRY(move(link, mem_type, &s, dxpl, NULL, buf, &err));

done:
    status = stoa_hdf_close(&s.made, status, &err);
    return status == STOA_OK ? 0 : stoa_link_fail(&err);
}
