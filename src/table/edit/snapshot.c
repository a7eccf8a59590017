#include "table/edit/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "column/type/cf_attributes.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"

/* --- Links ------------------------------------------------------------------------------------ */

typedef struct collecting {
    stoa_member_links *links;
    size_t capacity;
    stoa_status status;
    stoa_error *err;
} collecting;

static stoa_status add_link(collecting *found, hid_t group, const char *name)
{
    stoa_member_links *links = found->links;

    if (links->n == found->capacity) {
        const size_t capacity = found->capacity * 2 + 16;
        stoa_member_link *items = stoa_realloc(links->items, capacity, sizeof *items);
        STOA_RETURN_NO_MEMORY(found->err, items);
        links->items = items;
        found->capacity = capacity;
    }
    stoa_member_link *link = &links->items[links->n];
    *link = (stoa_member_link){stoa_strdup(name), H5I_INVALID_HID};
    STOA_RETURN_NO_MEMORY(found->err, link->name);
    links->n++;
    STOA_RETURN_HDF_ERROR(found->err, link->object = stoa_open_here(group, name), "open '%s'",
                          name);
    return STOA_OK;
}

/* Edits never follow soft or external links. */
static herr_t visit_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    collecting *found = context;

    if (info->type == H5L_TYPE_HARD) {
        found->status = add_link(found, group, name);
    }
    return found->status == STOA_OK ? 0 : -1;
}

static void clear_links(stoa_member_links *links)
{
    for (size_t i = 0; i < links->n; i++) {
        free(links->items[i].name);
        (void)stoa_hdf_close(&links->items[i].object, STOA_OK, NULL);
    }
    free(links->items);
    (void)stoa_hdf_close(&links->group, STOA_OK, NULL);
    *links = (stoa_member_links){.group = H5I_INVALID_HID};
}

/* Record all hard links of a group. The group id gets another reference. */
static stoa_status save_links(hid_t group, stoa_member_links *links, stoa_error *err)
{
    stoa_status status = STOA_OK;
    collecting found = {.links = links, .err = err};

    STOA_RETURN_HDF_ERROR(err, H5Iinc_ref(group), "hold a group");
    links->group = group;
    status = stoa_links_visit(group, visit_link, &found, err);
    return found.status != STOA_OK ? found.status : status;
}

/* Record the links of a subgroup of the table, if it exists. */
static stoa_status save_subgroup(const stoa_snapshot *snapshot, const char *name,
                                 stoa_member_links *links, stoa_error *err)
{
    for (size_t i = 0; i < snapshot->table.n; i++) {
        const stoa_member_link *link = &snapshot->table.items[i];
        if (strcmp(link->name, name) == 0 && H5Iget_type(link->object) == H5I_GROUP) {
            return save_links(link->object, links, err);
        }
    }
    return STOA_OK;
}

static const stoa_member_link *find_link(const stoa_member_links *links, const char *name)
{
    for (size_t i = 0; i < links->n; i++) {
        if (strcmp(links->items[i].name, name) == 0) {
            return &links->items[i];
        }
    }
    return NULL;
}

/* Unlink what the snapshot does not have, and link what is missing. */
static void restore_links(const stoa_member_links *then)
{
    stoa_member_links now = {.group = H5I_INVALID_HID};

    if (then->group < 0 || save_links(then->group, &now, NULL) != STOA_OK) {
        clear_links(&now);
        return;
    }
    for (size_t i = 0; i < now.n; i++) {
        const stoa_member_link *old = find_link(then, now.items[i].name);
        if (old == NULL || !stoa_same_object(old->object, now.items[i].object)) {
            (void)stoa_unlink(then->group, now.items[i].name);
        }
    }
    for (size_t i = 0; i < then->n; i++) {
        if (H5Lexists(then->group, then->items[i].name, H5P_DEFAULT) == 0) {
            (void)H5Olink(then->items[i].object, then->group, then->items[i].name, H5P_DEFAULT,
                          H5P_DEFAULT);
        }
    }
    clear_links(&now);
}

/* --- Attributes ------------------------------------------------------------------------------- */

static stoa_status keep_note(stoa_snapshot *snapshot, hid_t object, const char *name,
                             stoa_error *err)
{
    stoa_error damage = STOA_ERROR_INIT;
    stoa_snapshot_attribute *note = &snapshot->notes[snapshot->n_notes++];

    *note = (stoa_snapshot_attribute){
        .object = object, .name = name, .kept = STOA_SAVED_ATTRIBUTE_INIT};
    const stoa_status status = stoa_attribute_save(object, name, &note->kept, &damage);
    note->is_damaged = status != STOA_OK;
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

static stoa_status save_metadata(stoa_snapshot *snapshot, stoa_error *err)
{
    static const char *const of_table[] = {"column-order", "INDEX_COLUMNS", "_index"};
    static const char *const of_column[] = {"SEARCH_INDEX_LIST", "CATEGORIES",
                                            STOA_COLUMN_CATEGORIES_PATH, STOA_CF_FLAG_VALUES,
                                            STOA_CF_FLAG_MEANINGS};
    enum { N_TABLE = sizeof of_table / sizeof *of_table };
    enum { N_COLUMN = sizeof of_column / sizeof *of_column };

    snapshot->notes =
        stoa_alloc_zero(N_TABLE + snapshot->table.n * N_COLUMN, sizeof *snapshot->notes);
    STOA_RETURN_NO_MEMORY(err, snapshot->notes);
    for (size_t i = 0; i < N_TABLE; i++) {
        STOA_RETURN_NOT_OK(keep_note(snapshot, snapshot->table.group, of_table[i], err));
    }
    for (size_t i = 0; i < snapshot->table.n; i++) {
        for (size_t k = 0; k < N_COLUMN; k++) {
            STOA_RETURN_NOT_OK(
                keep_note(snapshot, snapshot->table.items[i].object, of_column[k], err));
        }
    }
    return STOA_OK;
}

/* --- Snapshots -------------------------------------------------------------------------------- */

stoa_status stoa_snapshot_keep(stoa_snapshot *snapshot, hid_t object, const char *name,
                               stoa_error *err)
{
    stoa_snapshot_attribute *notes =
        stoa_realloc(snapshot->notes, snapshot->n_notes + 1, sizeof *notes);

    STOA_RETURN_NO_MEMORY(err, notes);
    snapshot->notes = notes;
    return keep_note(snapshot, object, name, err);
}

stoa_status stoa_snapshot_take(hid_t group, stoa_snapshot *snapshot, stoa_error *err)
{
    STOA_RETURN_NOT_OK(save_links(group, &snapshot->table, err));
    STOA_RETURN_NOT_OK(save_subgroup(snapshot, "CATEGORIES", &snapshot->categories, err));
    STOA_RETURN_NOT_OK(save_subgroup(snapshot, "SEARCH_INDEXES", &snapshot->indexes, err));
    STOA_RETURN_NOT_OK(save_metadata(snapshot, err));
    snapshot->is_whole = true;
    return STOA_OK;
}

void stoa_snapshot_restore(const stoa_snapshot *snapshot)
{
    if (!snapshot->is_whole) {
        return; /* nothing was changed yet */
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    restore_links(&snapshot->table);
    restore_links(&snapshot->categories);
    restore_links(&snapshot->indexes);
    for (size_t i = 0; i < snapshot->n_notes; i++) {
        const stoa_snapshot_attribute *note = &snapshot->notes[i];
        if (!note->is_damaged) {
            (void)stoa_attribute_put_back(note->object, note->name, &note->kept, NULL);
        }
    }
    stoa_error_stack_discard(&errors);
}

void stoa_snapshot_clear(stoa_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->n_notes; i++) {
        stoa_saved_attribute_clear(&snapshot->notes[i].kept);
    }
    free(snapshot->notes);
    clear_links(&snapshot->indexes);
    clear_links(&snapshot->categories);
    clear_links(&snapshot->table);
    *snapshot = (stoa_snapshot)STOA_SNAPSHOT_INIT;
}
