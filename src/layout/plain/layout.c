/* Objects that declare no layout, as tables and arrays (docs/layouts/plain.md). */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/plain/plain.h"
#include "layout/pytables/user_attributes.h"
#include "layout/subset/plain.h"

/* What MATLAB's cells and objects refer to. */
static bool is_hidden(const char *path)
{
    return strncmp(path, "/#refs#", 7) == 0 || strncmp(path, "/#subsystem#", 12) == 0;
}

static void show_table(stoa_layout_found *found, uint64_t n_rows, uint64_t n_columns)
{
    found->is_table = true;
    found->table.layout = "plain";
    found->table.kind = "table";
    found->table.n_rows = n_rows;
    found->table.n_columns = n_columns;
}

/* The links of the group that lead to members. Members of a nested group follow one another. */
static uint64_t count_links(const stoa_plain_members *members)
{
    uint64_t n = 0;

    for (size_t i = 0; i < members->n; i++) {
        const char *const path = members->at[i].path;
        const size_t length = strcspn(path, "/");
        const char *const before = i > 0 ? members->at[i - 1].path : "";
        n += path[length] == '\0' || strncmp(before, path, length + 1) != 0;
    }
    return n;
}

static stoa_status look_at_group(hid_t group, stoa_layout_claims *claims, stoa_layout_found *found,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_plain_members members;
    H5G_info_t about = {.nlinks = 0};

    STOA_TRY(stoa_plain_find(group, claims, &members, err));
    if (members.n > 0) {
        STOA_HDF(err, H5Gget_info(group, &about), "look into the group");
        found->is_mixed = !members.is_closed && about.nlinks > count_links(&members);
        show_table(found, members.n_rows, members.n);
        found->is_closed = members.is_closed;
    }
    for (size_t i = 0; i < members.n; i++) {
        const char *const path = members.at[i].path;
        found->table.n_bytes += members.at[i].n_bytes;
        STOA_TRY(stoa_buffer_append(&found->parts, path, strlen(path) + 1, err));
    }

done:
    stoa_plain_clear(&members);
    return status;
}

static stoa_status look_at_dataset(hid_t dataset, stoa_layout_found *found, stoa_error *err)
{
    stoa_plain_shape shape;
    char **names = NULL;
    size_t n = 0;

    STOA_RETURN_NOT_OK(stoa_plain_shape_of(dataset, &shape, err));
    if (shape.rank < 0 || stoa_plain_is_bare_dimension(dataset)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_plain_names_of_columns(dataset, &shape, &names, &n, err));
    free(names);
    if (n > 0) {
        show_table(found, shape.n_rows, n);
        found->table.n_bytes = H5Dget_storage_size(dataset);
        return STOA_OK;
    }
    found->is_array = true;
    found->array.layout = "plain";
    found->array.kind = shape.rank == 0 ? "scalar" : "array";
    found->array.rank = (unsigned)shape.rank;
    memcpy(found->array.extent, shape.extent, sizeof shape.extent);
    found->array.n_bytes = H5Dget_storage_size(dataset);
    return STOA_OK;
}

static stoa_status identify(hid_t object, stoa_layout_claims *claims, stoa_layout_found *found,
                            stoa_error *err)
{
    switch (H5Iget_type(object)) {
    case H5I_GROUP:
        return look_at_group(object, claims, found, err);
    case H5I_DATASET:
        return look_at_dataset(object, found, err);
    default:
        return STOA_OK;
    }
}

const stoa_layout stoa_layout_plain = {
    .name = "plain",
    .title = "plain HDF5",
    .rest = &(const stoa_layout_rest){identify, stoa_plain_open},
    .paths = &(const stoa_layout_paths){stoa_plain_is_path, stoa_plain_open_path},
    .is_hidden = is_hidden,
    .subset = &stoa_subset_plain,
    .visit_user_attributes = stoa_user_attributes_visit};
