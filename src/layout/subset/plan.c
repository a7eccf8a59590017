#include "layout/subset/plan.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/other_files.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

/* --- memory ---------------------------------------------------------------------------------- */

#define ITEMS(buffer, type) ((type *)(void *)(buffer).data)
#define COUNT(buffer, type) ((buffer).size / sizeof(type))

void stoa_subset_plan_clear(stoa_subset_plan *plan)
{
    for (size_t i = 0; i < COUNT(plan->steps, stoa_subset_step); i++) {
        const stoa_subset_step *const step = ITEMS(plan->steps, stoa_subset_step) + i;
        step->clear(step->context);
    }
    for (size_t i = 0; i < COUNT(plan->owned, stoa_axis_lines *); i++) {
        stoa_axis_lines_clear(ITEMS(plan->owned, stoa_axis_lines *)[i]);
        free(ITEMS(plan->owned, stoa_axis_lines *)[i]);
    }
    for (size_t i = 0; i < COUNT(plan->blocks, void *); i++) {
        free(ITEMS(plan->blocks, void *)[i]);
    }
    stoa_string_set_clear(&plan->tokens);
    stoa_string_set_clear(&plan->left);
    stoa_buffer_clear(&plan->items);
    stoa_buffer_clear(&plan->steps);
    stoa_buffer_clear(&plan->owned);
    stoa_buffer_clear(&plan->blocks);
}

stoa_axis_lines *stoa_subset_lines(stoa_subset_plan *plan, uint64_t n)
{
    stoa_axis_lines *const lines = stoa_alloc_zero(1, sizeof *lines);

    if (lines != NULL) {
        lines->n = n;
        if (stoa_buffer_append(&plan->owned, &lines, sizeof(stoa_axis_lines *), NULL) != STOA_OK) {
            free(lines);
            return NULL;
        }
    }
    return lines;
}

stoa_status stoa_subset_own(stoa_subset_plan *plan, void *block, stoa_error *err)
{
    const stoa_status status = stoa_buffer_append(&plan->blocks, &block, sizeof(void *), err);

    if (status != STOA_OK) {
        free(block);
    }
    return status;
}

/* --- selections ------------------------------------------------------------------------------ */

static stoa_status token_of(hid_t object, H5O_token_t *token, stoa_error *err)
{
    H5O_info2_t info;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at an object");
    *token = info.token;
    return STOA_OK;
}

/* Objects of the copy may have tokens of the file's objects. */
const stoa_subset_item *stoa_subset_find(const stoa_subset_plan *plan, hid_t dataset)
{
    H5O_info2_t root;
    H5O_info2_t info;
    uint32_t number = 0;

    return H5Oget_info3(plan->from, &root, H5O_INFO_BASIC) >= 0 &&
                   H5Oget_info3(dataset, &info, H5O_INFO_BASIC) >= 0 &&
                   root.fileno == info.fileno &&
                   stoa_string_set_find(&plan->tokens, &info.token, sizeof info.token, &number)
               ? ITEMS(plan->items, const stoa_subset_item) + number
               : NULL;
}

static stoa_status must_have_lines(const hsize_t *extent, int rank, int axis,
                                   const stoa_axis_lines *lines, uint64_t more, stoa_error *err)
{
    if (lines == NULL || (axis < rank && extent[axis] == lines->n + more)) {
        return STOA_OK;
    }
    if (axis >= rank) {
        return stoa_fail(err, STOA_EDATA, "has rank %d; %llu %s are needed", rank < 0 ? 0 : rank,
                         (unsigned long long)lines->n, axis == 0 ? "rows" : "columns");
    }
    return stoa_fail(err, STOA_EDATA, "has %llu %s; %llu are needed",
                     (unsigned long long)extent[axis], axis == 0 ? "rows" : "columns",
                     (unsigned long long)(lines->n + more));
}

static stoa_status must_be_selectable(hid_t dataset, const stoa_subset_item *item, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK];
    hid_t type = H5I_INVALID_HID;
    int rank = 0;

    STOA_TRY(stoa_extent_read(dataset, &rank, extent, err));
    STOA_TRY(must_have_lines(extent, rank, 0, item->rows, item->has_start ? 1 : 0, err));
    STOA_TRY(must_have_lines(extent, rank, 1, item->columns, 0, err));
    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    if (H5Tdetect_class(type, H5T_REFERENCE) > 0) {
        STOA_FAIL(err, STOA_ELOSS, "has references, of which no part can be taken");
    }
    if (stoa_dataset_is_elsewhere(dataset)) {
        STOA_FAIL(err, STOA_ELOSS,
                  "has its values in other files or datasets; HDF5's h5repack "
                  "brings them into one file");
    }
    if ((item->codes != NULL || item->are_ends) &&
        (H5Tget_class(type) != H5T_INTEGER || rank != 1)) {
        STOA_FAIL(err, STOA_EDATA, "has no list of integers");
    }

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_subset_add(stoa_subset_plan *plan, hid_t dataset, const stoa_subset_item *item,
                            stoa_error *err)
{
    H5O_token_t token;
    uint32_t number = 0;
    const uint32_t n = plan->tokens.count;

    STOA_RETURN_NOT_OK(must_be_selectable(dataset, item, err));
    STOA_RETURN_NOT_OK(token_of(dataset, &token, err));
    STOA_RETURN_NOT_OK(stoa_string_set_add(&plan->tokens, &token, sizeof token, &number, err));
    if (number == n) {
        return stoa_buffer_append(&plan->items, item, sizeof *item, err);
    }
    const stoa_subset_item *const old = ITEMS(plan->items, stoa_subset_item) + number;
    return old->rows == item->rows && old->columns == item->columns && old->codes == item->codes &&
                   old->are_ends == item->are_ends && !item->is_written
               ? STOA_OK
               : stoa_fail(err, STOA_ELOSS,
                           "has two names, and each needs another part of its elements");
}

stoa_status stoa_subset_select(stoa_subset_plan *plan, hid_t dataset, const stoa_axis_lines *rows,
                               const stoa_axis_lines *columns, stoa_error *err)
{
    const stoa_subset_item item = {.rows = rows, .columns = columns};

    return rows != NULL || columns != NULL ? stoa_subset_add(plan, dataset, &item, err) : STOA_OK;
}

stoa_status stoa_subset_select_lists(stoa_subset_plan *plan, hid_t ends,
                                     const stoa_axis_lines *rows, bool has_start,
                                     uint64_t n_elements, const stoa_axis_lines **elements,
                                     stoa_error *err)
{
    const stoa_subset_item item = {.rows = rows, .are_ends = true, .has_start = has_start};

    *elements = NULL;
    if (rows == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_subset_add(plan, ends, &item, err));
    stoa_axis_lines *const kept = stoa_subset_lines(plan, n_elements);
    STOA_RETURN_NO_MEMORY(err, kept);
    STOA_RETURN_NOT_OK(stoa_subset_find_elements(ends, rows, has_start, kept, err));
    *elements = kept;
    return STOA_OK;
}

stoa_status stoa_subset_leave(stoa_subset_plan *plan, hid_t object, stoa_error *err)
{
    H5O_token_t token;
    uint32_t number = 0;

    STOA_RETURN_NOT_OK(token_of(object, &token, err));
    return stoa_string_set_add(&plan->left, &token, sizeof token, &number, err);
}

/* --- steps ----------------------------------------------------------------------------------- */

stoa_status stoa_subset_add_step(stoa_subset_plan *plan, stoa_subset_step step, stoa_error *err)
{
    const stoa_status status = stoa_buffer_append(&plan->steps, &step, sizeof step, err);

    if (status != STOA_OK) {
        step.clear(step.context);
    }
    return status;
}

typedef struct new_attribute {
    uint64_t values[2];
    char *path;
    char *name;
} new_attribute;

static void clear_attribute(void *context)
{
    new_attribute *const a = context;

    free(a->path);
    free(a->name);
    free(a);
}

static stoa_status write_attribute(void *context, hid_t from, hid_t to, stoa_error *err)
{
    const new_attribute *const a = context;
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;
    hid_t attribute = H5I_INVALID_HID;

    (void)from;
    STOA_HDF(err, object = stoa_open_here(to, a->path), "open '%s'", a->path);
    STOA_HDF(err, attribute = H5Aopen(object, a->name, H5P_DEFAULT), "open attribute '%s'",
             a->name);
    STOA_HDF(err, H5Awrite(attribute, H5T_NATIVE_UINT64, a->values), "write attribute '%s'",
             a->name);

done:
    status = stoa_hdf_close(&attribute, status, err);
    return stoa_hdf_close(&object, status, err);
}

stoa_status stoa_subset_set_attribute(stoa_subset_plan *plan, const char *path, const char *name,
                                      const uint64_t *values, size_t n, stoa_error *err)
{
    new_attribute *const a = stoa_alloc_zero(1, sizeof *a);

    STOA_RETURN_NO_MEMORY(err, a);
    memcpy(a->values, values, n * sizeof *values);
    a->path = stoa_strdup(path);
    a->name = stoa_strdup(name);
    if (a->path == NULL || a->name == NULL) {
        clear_attribute(a);
        return stoa_fail_memory(err);
    }
    return stoa_subset_add_step(plan, (stoa_subset_step){write_attribute, clear_attribute, a}, err);
}

/* --- copying --------------------------------------------------------------------------------- */

static hsize_t length_of(const stoa_axis_lines *lines, hsize_t all)
{
    return lines != NULL ? lines->n_kept : all;
}

static void find_extent(const stoa_subset_item *item, hsize_t *extent)
{
    if (item->is_written) {
        extent[0] = item->extent;
        return;
    }
    extent[0] = length_of(item->rows, extent[0]) + (item->has_start && item->rows != NULL ? 1 : 0);
    extent[1] = length_of(item->columns, extent[1]);
}

/* A stoa_other_storage.reshape: what could grow beyond its extent can do so in the copy. */
static stoa_status reshape(void *context, hid_t source, hid_t space, stoa_error *err)
{
    const stoa_subset_plan *const plan = context;
    const stoa_subset_item *const item = stoa_subset_find(plan, source);
    hsize_t extent[H5S_MAX_RANK + 1] = {0};
    hsize_t old[H5S_MAX_RANK] = {0};
    hsize_t most[H5S_MAX_RANK] = {0};
    int rank = 0;

    if (item == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, rank = H5Sget_simple_extent_dims(space, extent, most),
                          "get the shape");
    memcpy(old, extent, sizeof old);
    find_extent(item, extent);
    for (int i = 0; i < rank; i++) {
        most[i] = most[i] > old[i] ? most[i] : extent[i];
    }
    STOA_RETURN_HDF_ERROR(err, H5Sset_extent_simple(space, rank, extent, most), "set the shape");
    return STOA_OK;
}

/* A chunk may not be larger than a dataset that cannot grow. */
static stoa_status fit_chunk(const stoa_subset_item *item, hid_t source, hid_t creation,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hsize_t extent[H5S_MAX_RANK + 1] = {0};
    hsize_t most[H5S_MAX_RANK];
    hsize_t chunk[H5S_MAX_RANK];
    hid_t space = H5I_INVALID_HID;
    int rank = 0;

    if (H5Pget_layout(creation) != H5D_CHUNKED) {
        return STOA_OK;
    }
    STOA_HDF(err, space = H5Dget_space(source), "get the shape");
    STOA_HDF(err, rank = H5Sget_simple_extent_dims(space, extent, most), "get the shape");
    STOA_HDF(err, H5Pget_chunk(creation, rank, chunk), "get the chunk's shape");
    for (int i = 0; i < rank; i++) {
        most[i] = most[i] > extent[i] ? most[i] : 0; /* 0: as the extent */
    }
    find_extent(item, extent);
    for (int i = 0; i < rank; i++) {
        const hsize_t limit = most[i] != 0 ? most[i] : extent[i];
        chunk[i] = chunk[i] <= limit || limit == 0 ? chunk[i] : limit;
    }
    STOA_HDF(err, H5Pset_chunk(creation, rank, chunk), "set the chunk's shape");

done:
    return stoa_hdf_close(&space, status, err);
}

static stoa_status choose(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err)
{
    stoa_subset_plan *const plan = context;
    const stoa_subset_item *const item = stoa_subset_find(plan, source);

    *is_other = item != NULL;
    if (item == NULL) {
        return plan->inner.choose != NULL
                   ? plan->inner.choose(plan->inner.context, source, creation, is_other, err)
                   : STOA_OK;
    }
    return creation >= 0 ? fit_chunk(item, source, creation, err) : STOA_OK;
}

static stoa_status fill(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    const stoa_subset_plan *const plan = context;
    const stoa_subset_item *const item = stoa_subset_find(plan, source);

    if (item == NULL) {
        return plan->inner.fill(plan->inner.context, source, copy, err);
    }
    if (item->is_written) {
        return STOA_OK;
    }
    return item->are_ends ? stoa_subset_copy_ends(item, source, copy, err)
                          : stoa_subset_copy_elements(item, source, copy, err);
}

static bool has_own(void *context, hid_t dataset)
{
    const stoa_subset_plan *const plan = context;

    return stoa_subset_find(plan, dataset) != NULL ||
           (plan->inner.has_own != NULL && plan->inner.has_own(plan->inner.context, dataset));
}

static stoa_status copy_other(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    const stoa_subset_plan *const plan = context;

    return plan->inner.copy(plan->inner.context, source, copy, err);
}

static bool is_left(const void *left, const H5O_token_t *token)
{
    const stoa_subset_plan *const plan = left;
    uint32_t unused = 0;

    return stoa_string_set_find(&plan->left, token, sizeof *token, &unused);
}

stoa_status stoa_subset_write(stoa_subset_plan *plan, hid_t to, const stoa_listener *listener,
                              uint64_t total_bytes, stoa_error *err)
{
    const stoa_other_storage other = {.context = plan,
                                      .choose = choose,
                                      .reshape = reshape,
                                      .fill = fill,
                                      .has_own = has_own,
                                      .copy = copy_other,
                                      .is_left = is_left,
                                      .left = plan};

    STOA_RETURN_NOT_OK(stoa_clone_group(plan->from, to, &other, listener, total_bytes, err));
    for (size_t i = 0; i < COUNT(plan->steps, stoa_subset_step); i++) {
        const stoa_subset_step *const step = ITEMS(plan->steps, stoa_subset_step) + i;
        STOA_RETURN_NOT_OK(step->run(step->context, plan->from, to, err));
    }
    return STOA_OK;
}
