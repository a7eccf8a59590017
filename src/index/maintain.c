/*
 * Maintaining indexes over the life of a column: build, extend, rebuild, remove (HEP001 §10.1,
 * §11.2 step 4).
 *
 * Invariant: an index that does not describe its column does not exist. One that cannot be updated
 * (unknown kind, damage, a type too narrow) is removed with its reference, and rebuilt if possible.
 * Tokens follow the orders of HEP001-2026-07 §12: see common/tokens.h. A stale index counts as one
 * that cannot be updated.
 *
 * An edit does not fail because of an index, unless the system refuses memory or a file. Otherwise
 * a sound index would be lost.
 */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "index/common/auxiliary.h"

static const char group_name[] = "SEARCH_INDEXES";

/* Open the table's group SEARCH_INDEXES. If it does not exist, create it with `create`, else leave
 * *indexes invalid. */
static stoa_status open_group(hid_t table_group, bool create, hid_t *indexes, stoa_error *err)
{
    htri_t exists = 0;

    STOA_RETURN_HDF_ERROR(err, exists = H5Lexists(table_group, group_name, H5P_DEFAULT),
                          "look for '%s'", group_name);
    if (exists > 0) {
        STOA_RETURN_HDF_ERROR(err, *indexes = stoa_open_here(table_group, group_name),
                              "open group '%s'", group_name);
    } else if (create) {
        STOA_RETURN_HDF_ERROR(
            err,
            *indexes = H5Gcreate2(table_group, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
            "create group '%s'", group_name);
    }
    return STOA_OK;
}

/* Delete the group if it is empty. */
static stoa_status drop_empty_group(hid_t table_group, hid_t *indexes, stoa_error *err)
{
    H5G_info_t info;

    if (*indexes < 0) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, H5Gget_info(*indexes, &info), "look into group '%s'", group_name);
    STOA_RETURN_NOT_OK(stoa_hdf_close(indexes, STOA_OK, err));
    if (info.nlinks == 0) {
        STOA_RETURN_HDF_ERROR(err, stoa_unlink_or_leave(table_group, group_name),
                              "delete group '%s'", group_name);
    }
    return STOA_OK;
}

/* Callback for an index of a column. */
typedef stoa_status (*index_visit)(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                                   void *context, stoa_error *err);

/* Visit every index of the column, then remove broken references and an empty group. An unreadable
 * list is deleted, since no index can be found through it. */
static stoa_status for_each_index(hid_t table_group, stoa_column *column, index_visit visit,
                                  void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_index_link *links = NULL;
    size_t n = 0;
    bool has_broken = false;
    hid_t indexes = H5I_INVALID_HID;

    STOA_TRY(open_group(table_group, false, &indexes, err));
    status = stoa_index_links(column, &links, &n, NULL);
    if (status == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    if (status != STOA_OK) {
        STOA_TRY(stoa_attribute_delete(column->dataset, "SEARCH_INDEX_LIST", err));
    }
    for (size_t i = 0; i < n; i++) {
        if (links[i].dataset >= 0) {
            STOA_TRY(visit(indexes, column, &links[i], context, err));
        }
        has_broken = has_broken || links[i].dataset < 0;
    }
    if (has_broken) {
        STOA_TRY(stoa_index_link_remove(column, H5I_INVALID_HID, err));
    }
    stoa_index_links_clear(links, n);
    links = NULL;
    STOA_TRY(drop_empty_group(table_group, &indexes, err));

done:
    stoa_index_links_clear(links, n);
    status = stoa_hdf_close(&indexes, status, err);
    return stoa_column_at(column, status, err);
}

/* Choose the name of an index: "ts__chunk_minmax", "ts__chunk_minmax_2", ... */
static stoa_status choose_name(hid_t indexes, const stoa_column *column,
                               const stoa_index_kind *kind, char **name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *stem = stoa_format("%s__%s", column->name, kind->kind);

    STOA_TRY(stem != NULL ? STOA_OK : stoa_fail_memory(err));
    for (char *c = stem + strlen(column->name); *c != '\0'; c++) {
        *c = stoa_lower(*c);
    }
    STOA_TRY(stoa_index_free_name(indexes, stem, name, err));

done:
    free(stem);
    return status;
}

/* Remove the remains of a failed build. Errors are ignored, since the build's error is reported. */
static void undo_build(hid_t table_group, hid_t *indexes, const char *name)
{
    const stoa_error_stack errors = stoa_error_stack_begin();

    if (name != NULL && *indexes >= 0 && H5Lexists(*indexes, name, H5P_DEFAULT) > 0) {
        hid_t dataset = stoa_open_here(*indexes, name);
        (void)stoa_index_delete(*indexes, NULL, dataset, NULL);
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    }
    (void)drop_empty_group(table_group, indexes, NULL);
    stoa_error_stack_discard(&errors);
}

stoa_status stoa_index_build(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                             uint64_t n_rows, const stoa_index_options *options, stoa_error *err)
{
    static const stoa_index_options defaults = STOA_INDEX_OPTIONS_INIT;
    stoa_status status = STOA_OK;
    hid_t indexes = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    char *name = NULL; /* set once it is ours to delete */

    if (column->list != NULL) {
        STOA_FAIL(err, STOA_EINVAL,
                  "a list column has no search index (HEP001-2026-07 §9.6); queries scan it");
    }
    STOA_TRY(kind->accepts(column, err));
    STOA_TRY(stoa_column_may_be_scanned(column, n_rows, err));
    STOA_TRY(open_group(table_group, true, &indexes, err));
    STOA_TRY(choose_name(indexes, column, kind, &name, err));
    options = options != NULL ? options : &defaults;
    STOA_TRY(kind->build(column, n_rows, indexes, name, options, &dataset, err));
    STOA_TRY(stoa_tokens_date(dataset, column->generation, n_rows, err));
    STOA_TRY(stoa_index_link_add(column, dataset, err));

done:
    status = stoa_hdf_close(&dataset, status, err);
    if (status != STOA_OK) {
        undo_build(table_group, &indexes, name);
    }
    free(name);
    status = stoa_hdf_close(&indexes, status, err);
    return stoa_column_at(column, status, err);
}

/* The kind to remove; NULL for all. */
typedef struct removal {
    const stoa_index_kind *kind;
} removal;

static stoa_status remove_if_kind(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                                  void *context, stoa_error *err)
{
    const removal *wanted = context;

    return wanted->kind == NULL || stoa_index_link_is(link, wanted->kind)
               ? stoa_index_delete(indexes, column, link->dataset, err)
               : STOA_OK;
}

stoa_status stoa_index_remove(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                              stoa_error *err)
{
    return for_each_index(table_group, column, remove_if_kind, &(removal){kind}, err);
}

/* Removed indexes that are to be rebuilt with the same options. */
typedef struct remembered {
    const stoa_index_kind *kinds[8];
    stoa_index_options options[8];
    size_t n;
} remembered;

/* Remember one index per kind. Unknown kinds cannot be rebuilt. */
static void remember(remembered *set, const stoa_index_link *link)
{
    bool known = link->kind == NULL;

    for (size_t i = 0; i < set->n; i++) {
        known = known || set->kinds[i] == link->kind;
    }
    if (!known && set->n < sizeof set->kinds / sizeof set->kinds[0]) {
        stoa_index_options *options = &set->options[set->n];
        *options = (stoa_index_options)STOA_INDEX_OPTIONS_INIT;
        if (link->kind->recall != NULL) {
            link->kind->recall(link->dataset, options);
        }
        set->kinds[set->n++] = link->kind;
    }
}

static bool has_kind(const stoa_column *column, const stoa_index_kind *kind)
{
    stoa_index_link *links = NULL;
    size_t n = 0;
    bool has = false;

    (void)stoa_index_links(column, &links, &n, NULL);
    for (size_t i = 0; i < n; i++) {
        has = has || stoa_index_link_is(&links[i], kind);
    }
    stoa_index_links_clear(links, n);
    return has;
}

/* The index is sound but the system refused resources, so the edit fails. */
static bool is_refused_by_system(stoa_status status)
{
    return status == STOA_ENOMEM || status == STOA_EIO;
}

/* Rebuild the remembered indexes. One that cannot be rebuilt stays removed (§11.2 step 4). */
static stoa_status build_again(hid_t table_group, stoa_column *column, const remembered *set,
                               uint64_t n_rows, stoa_error *err)
{
    for (size_t i = 0; i < set->n; i++) {
        if (!has_kind(column, set->kinds[i])) {
            stoa_error why = STOA_ERROR_INIT;
            const stoa_status status = stoa_index_build(table_group, column, set->kinds[i], n_rows,
                                                        &set->options[i], &why);
            if (is_refused_by_system(status)) {
                return stoa_fail(err, status, "%s", why.message);
            }
        }
    }
    return STOA_OK;
}

/* From n_old rows to n_rows, the first n_same of which are unchanged. */
typedef struct change {
    uint64_t n_old;
    uint64_t n_same;
    uint64_t n_rows;
    remembered lost; /* damage, a datatype that has become too narrow, ... */
} change;

/* Shrink to the unchanged rows, then extend by the others. */
static stoa_status update(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                          const change *rows, stoa_error *err)
{
    const stoa_index_kind *kind = link->kind;

    if (kind == NULL || link->is_stale) {
        return STOA_ETYPE;
    }
    if (rows->n_same < rows->n_old) {
        STOA_RETURN_NOT_OK(kind->append(column, link->dataset, rows->n_old, rows->n_same, err));
    }
    return kind->extend != NULL
               ? kind->extend(column, link->dataset, rows->n_same, rows->n_rows, indexes, err)
               : kind->append(column, link->dataset, rows->n_same, rows->n_rows, err);
}

static stoa_status update_or_remove(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                                    void *context, stoa_error *err)
{
    change *rows = context;

    stoa_error why = STOA_ERROR_INIT;
    const stoa_status status = update(indexes, column, link, rows, &why);

    if (status == STOA_OK) {
        return STOA_OK;
    }
    if (is_refused_by_system(status)) {
        return stoa_fail(err, status, "%s", why.message);
    }
    remember(&rows->lost, link);
    return stoa_index_delete(indexes, column, link->dataset, err);
}

stoa_status stoa_index_change_all(hid_t table_group, stoa_column *column, uint64_t n_old,
                                  uint64_t n_same, uint64_t n_rows, stoa_error *err)
{
    change rows = {.n_old = n_old, .n_same = n_same, .n_rows = n_rows};

    STOA_RETURN_NOT_OK(for_each_index(table_group, column, update_or_remove, &rows, err));
    return build_again(table_group, column, &rows.lost, n_rows, err);
}

static stoa_status remove_and_remember(hid_t indexes, stoa_column *column,
                                       const stoa_index_link *link, void *context, stoa_error *err)
{
    remember(context, link);
    return stoa_index_delete(indexes, column, link->dataset, err);
}

stoa_status stoa_index_rebuild_all(hid_t table_group, stoa_column *column, uint64_t n_rows,
                                   stoa_error *err)
{
    remembered set = {.n = 0};

    STOA_RETURN_NOT_OK(for_each_index(table_group, column, remove_and_remember, &set, err));
    return build_again(table_group, column, &set, n_rows, err);
}

stoa_status stoa_index_replace(hid_t table_group, stoa_column *column, const stoa_index_link *link,
                               uint64_t n_rows, const stoa_listener *listener, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_index_kind *kind = stoa_index_kind_find(link->kind_text);
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    hid_t indexes = H5I_INVALID_HID;

    if (link->kind != NULL && link->kind->recall != NULL) {
        link->kind->recall(link->dataset, &options);
    }
    options.listener = *listener;
    STOA_TRY(open_group(table_group, false, &indexes, err));
    STOA_TRY(stoa_index_delete(indexes, column, link->dataset, err));
    if (kind != NULL) {
        STOA_TRY(stoa_index_build(table_group, column, kind, n_rows, &options, err));
    }

done:
    return stoa_hdf_close(&indexes, status, err);
}
