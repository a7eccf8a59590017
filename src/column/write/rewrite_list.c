#include "column/write/rewrite_list.h"

#include <string.h>

#include "column/list/create.h"
#include "column/list/list.h"
#include "column/members.h"
#include "column/read/block.h"
#include "column/type/cf_attributes.h"
#include "column/type/dataset.h"
#include "column/write/write.h"
#include "core/memory.h"
#include "hdf/copy/groups.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/other_files.h"

/* --- groups of new members -------------------------------------------------------------------- */

/* Makes the unlinked dataset that a member of `list` becomes. */
typedef stoa_status make_member(void *context, const stoa_list *list, stoa_column *member,
                                hid_t *dataset, stoa_error *err);

/* Refuse a group that holds more than its members (§9.2): that would be lost. */
static stoa_status check_members(const stoa_column *column, hsize_t n_members, stoa_error *err)
{
    H5G_info_t info;

    STOA_RETURN_HDF_ERROR(err, H5Gget_info(column->dataset, &info), "look into '%s'", column->name);
    if (info.nlinks != n_members) {
        return stoa_fail(err, STOA_EDATA,
                         "'%s' holds objects that are no members of a list column "
                         "(HEP001-2026-07 §9.2), and would be lost; see stoa check",
                         column->place != NULL ? column->place : column->name);
    }
    return STOA_OK;
}

static stoa_status remake(const stoa_column *column, make_member *make, void *context, hid_t *group,
                          stoa_error *err);

static stoa_status add_member(const stoa_list *list, stoa_column *member, make_member *make,
                              void *context, hid_t group, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    STOA_TRY(member->list != NULL ? remake(member, make, context, &object, err)
                                  : make(context, list, member, &object, err));
    STOA_HDF(err, stoa_link_nameless(object, group, member->name, H5P_DEFAULT), "link %s",
             member->name);

done:
    return stoa_hdf_close(&object, status, err);
}

/* Make an unlinked group like the column's. */
static stoa_status remake(const stoa_column *column, make_member *make, void *context, hid_t *group,
                          stoa_error *err)
{
    static const char *const none[] = {NULL};
    stoa_status status = STOA_OK;
    hid_t creation = H5I_INVALID_HID;
    stoa_column *const members[] = {column->list->offsets, column->list->values,
                                    column->list->mask};
    const size_t n_members = column->list->mask != NULL ? 3 : 2;

    STOA_TRY(check_members(column, n_members, err));
    STOA_TRY(stoa_group_creation(column->dataset, &creation, err));
    STOA_HDF(err, *group = H5Gcreate_anon(column->dataset, creation, H5P_DEFAULT),
             "create a group");
    STOA_TRY(stoa_attributes_copy(column->dataset, *group, none, err));
    STOA_TRY(stoa_comment_copy(column->dataset, *group, err));
    for (size_t i = 0; i < n_members; i++) {
        STOA_TRY(add_member(column->list, members[i], make, context, *group, err));
    }

done:
    status = stoa_hdf_close(&creation, status, err);
    if (status != STOA_OK) {
        (void)stoa_hdf_close(group, status, NULL);
    }
    return status;
}

/* --- twins ------------------------------------------------------------------------------------ */

/* Write OFFSETS[0], which is 0 whatever the lists are. */
static stoa_status begin_offsets(hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;

    STOA_TRY(stoa_chunk_writer_open(&writer, dataset, H5T_NATIVE_UINT64, err));
    STOA_TRY(stoa_chunk_writer_write(&writer, 0, 1, &(uint64_t){0}, err));
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_chunk_writer_close(&writer);
    return status;
}

/* Make an empty member that can grow. */
static stoa_status make_twin(void *context, const stoa_list *list, stoa_column *member,
                             hid_t *dataset, stoa_error *err)
{
    static const char *const none[] = {NULL};
    const bool is_offsets = member == list->offsets;
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;

    (void)context;
    STOA_TRY(stoa_values_may_be_written(member->dataset, err));
    STOA_HDF(err, type = is_offsets ? H5Tcopy(H5T_STD_U64LE) : H5Dget_type(member->dataset),
             "get the datatype");
    STOA_HDF(err, dcpl = stoa_dataset_properties(member->dataset), "get the creation properties");
    STOA_TRY(stoa_chunk_rows_set(
        dcpl, member->chunk_rows != 0 ? member->chunk_rows : stoa_fitted_chunk_rows(member->extent),
        err));
    STOA_HDF(err,
             space = H5Screate_simple(1, &(hsize_t){is_offsets ? 1 : 0}, &(hsize_t){H5S_UNLIMITED}),
             "make a dataspace");
    STOA_HDF(err, *dataset = H5Dcreate_anon(member->dataset, type, space, dcpl, H5P_DEFAULT),
             "create %s", member->name);
    STOA_TRY(stoa_attributes_copy(member->dataset, *dataset, none, err));
    STOA_TRY(is_offsets ? begin_offsets(*dataset, err) : STOA_OK);

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&dcpl, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_column_at(member, status, err);
}

/* Open a new group as the list column that it will be. The group is taken over. */
static stoa_status open_column(const stoa_column *column, hid_t group, uint64_t n_rows,
                               stoa_column **fresh, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *made = NULL;

    *fresh = NULL;
    STOA_RETURN_NOT_OK(stoa_list_note(group, H5I_INVALID_HID, column->name, n_rows,
                                      column->units_vocabulary, &made, err));
    made->place = column->place != NULL ? stoa_strdup(column->place) : NULL;
    STOA_TRY(made->place != NULL || column->place == NULL ? STOA_OK : stoa_fail_memory(err));
    made->home = column->home;
    STOA_TRY(stoa_column_load(made, err));
    *fresh = made;
    made = NULL;

done:
    stoa_column_close(made);
    return status;
}

stoa_status stoa_list_twin(const stoa_column *column, stoa_column **fresh, stoa_error *err)
{
    hid_t group = H5I_INVALID_HID;

    *fresh = NULL;
    STOA_RETURN_NOT_OK(remake(column, make_twin, NULL, &group, err));
    return open_column(column, group, 0, fresh, err);
}

/* --- wider twins ------------------------------------------------------------------------------ */

static stoa_status add_to_domain(void *context, uint64_t first, const stoa_view *view,
                                 stoa_error *err)
{
    stoa_domain *const domain = context;

    (void)first;
    domain->has_missing = domain->has_missing || view->null_count > 0;
    return stoa_domain_add(domain, view, err);
}

static bool is_same_bound(const stoa_column *a, const uint8_t *of_a, const uint8_t *of_b)
{
    return of_a == of_b ||
           (of_a != NULL && of_b != NULL && memcmp(of_a, of_b, a->element.size) == 0);
}

/* Replace the innermost values of a twin by ones that can hold the old and the new values. */
static stoa_status widen_values(stoa_column *level, stoa_column *column, stoa_column *newer,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_domain domain = {0};
    stoa_column *fresh = NULL;
    const bool is_alike = stoa_list_are_alike(newer, column);
    const stoa_rewriting how = {
        .domain = &domain,
        .fill_is_taken = !is_alike && column->fill != NULL &&
                         H5Tequal(column->element.mem_type, newer->element.mem_type) > 0};

    if (is_alike && (column->narrower == NULL) == (newer->narrower == NULL) &&
        is_same_bound(column, column->valid_min, newer->valid_min) &&
        is_same_bound(column, column->valid_max, newer->valid_max)) {
        return stoa_attribute_exists(newer->dataset, STOA_CF_FILL)
                   ? stoa_column_show_fill(level->list->values, &(bool){false}, err)
                   : STOA_OK;
    }
    STOA_TRY(stoa_column_visit(newer, 0, newer->n_rows, add_to_domain, &domain, err));
    STOA_TRY(stoa_column_remake(column, column->n_rows, &how, &fresh, err));
    STOA_TRY(stoa_column_publish(level->dataset, level->list->values, fresh, err));

done:
    stoa_column_close(fresh);
    return status;
}

stoa_status stoa_list_twin_widen(stoa_column *fresh, stoa_column *column, stoa_column *newer,
                                 stoa_error *err)
{
    for (;;) {
        if (fresh->list->mask == NULL && newer->list->mask != NULL) {
            STOA_RETURN_NOT_OK(stoa_list_add_mask(fresh, 0, err));
        }
        if (!stoa_column_is_list_group(column->list->values)) {
            break;
        }
        fresh = fresh->list->values;
        column = column->list->values;
        newer = newer->list->values;
    }
    return column->list->is_text
               ? STOA_OK
               : widen_values(fresh, column->list->values, newer->list->values, err);
}

/* --- the end of twins ------------------------------------------------------------------------- */

/* Give a member the extent of what it holds. */
static stoa_status finish_member(stoa_column *member, stoa_error *err)
{
    stoa_column_writer writer = {
        .column = member, .group = H5I_INVALID_HID, .n_rows = member->n_rows};

    STOA_RETURN_NOT_OK(stoa_column_flush(member, err));
    return stoa_column_resize(&writer, member->n_rows, err);
}

stoa_status stoa_list_finish(stoa_column *fresh, stoa_error *err)
{
    stoa_members members;

    stoa_members_of(fresh, &members);
    for (size_t i = 0; i < members.n; i++) {
        STOA_RETURN_NOT_OK(finish_member(members.items[i].column, err));
    }
    fresh->extent = fresh->n_rows;
    return STOA_OK;
}

/* --- other storage ---------------------------------------------------------------------------- */

typedef struct restorage {
    const stoa_storage *storage;
    const stoa_listener *listener;
} restorage;

static stoa_status make_stored(void *context, const stoa_list *list, stoa_column *member,
                               hid_t *dataset, stoa_error *err)
{
    const restorage *const how = context;
    stoa_storage storage = *how->storage;

    storage.extent = member->n_rows;
    if (storage.chunk_rows == 0) {
        storage.chunk_rows =
            member->chunk_rows != 0 ? member->chunk_rows : stoa_fitted_chunk_rows(member->extent);
    } else if (list->width > 0 && member == list->values && storage.chunk_rows < UINT32_MAX) {
        storage.chunk_rows = stoa_chunk_rows_limited(storage.chunk_rows * (uint64_t)list->width,
                                                     member->element.size);
    }
    STOA_RETURN_NOT_OK(stoa_values_may_be_written(member->dataset, err));
    return stoa_column_at(
        member,
        stoa_column_rewrite_storage(member, member->n_rows, &storage, how->listener, dataset, err),
        err);
}

stoa_status stoa_list_rewrite_storage(stoa_column *column, const stoa_storage *storage,
                                      const stoa_listener *listener, hid_t *group, stoa_error *err)
{
    restorage how = {storage, listener};

    *group = H5I_INVALID_HID;
    return remake(column, make_stored, &how, group, err);
}

/* --- reserved elements ------------------------------------------------------------------------ */

/* Rewrite the members in chunks, and put them in the place of the old ones. */
static stoa_status rewrite_all(stoa_column *column, hid_t table, stoa_error *err)
{
    const stoa_storage same = {.chunk_rows = 0};
    stoa_status status = STOA_OK;
    stoa_column *fresh = NULL;
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(stoa_list_rewrite_storage(column, &same, NULL, &group, err));
    STOA_TRY(open_column(column, group, column->n_rows, &fresh, err));
    STOA_TRY(stoa_column_publish(table, column, fresh, err));

done:
    stoa_column_close(fresh);
    return status;
}

/* Whether a member can be cut. One with a second link may be part of another column. */
static stoa_status can_shrink(const stoa_column *member, bool *can, stoa_error *err)
{
    bool has_more = false;

    *can = true;
    if (member->extent == member->n_rows) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_values_may_be_written(member->dataset, err));
    STOA_RETURN_NOT_OK(stoa_column_has_more_links(member, &has_more, err));
    STOA_RETURN_NOT_OK(stoa_column_can_resize(member, member->n_rows, can, err));
    *can = *can && !has_more;
    return STOA_OK;
}

stoa_status stoa_list_shrink(stoa_column *column, hid_t table, stoa_error *err)
{
    stoa_members members;
    bool can = true;

    stoa_members_of(column, &members);
    for (size_t i = 0; can && i < members.n; i++) {
        STOA_RETURN_NOT_OK(can_shrink(members.items[i].column, &can, err));
    }
    if (!can) {
        return rewrite_all(column, table, err);
    }
    for (size_t i = 0; i < members.n; i++) {
        STOA_RETURN_NOT_OK(finish_member(members.items[i].column, err));
    }
    column->extent = column->n_rows;
    return STOA_OK;
}
