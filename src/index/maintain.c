/*
 * Indexes over the life of a column: built, extended, rebuilt, removed (HEP001 §10.1, §11.2 step
 * 4).
 *
 * What must always hold: an index that does not describe its column is not there. So whatever
 * cannot be brought up to date (unknown kind, damage, any failure) is removed, reference and all,
 * and built again where that can be done; an append never fails for the sake of an index.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/attributes.h"
#include "hdf/chunks.h"
#include "hdf/references.h"
#include "index/kind.h"

static const char group_name[] = "SEARCH_INDEXES";

/* The table's SEARCH_INDEXES group, made if there is none and `create` says so; else invalid. */
static stoa_status open_group(hid_t table_group, bool create, hid_t *indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    htri_t exists = 0;

    STOA_HDF(err, exists = H5Lexists(table_group, group_name, H5P_DEFAULT), "look for '%s'",
             group_name);
    if (exists > 0) {
        STOA_HDF(err, *indexes = H5Gopen2(table_group, group_name, H5P_DEFAULT), "open group '%s'",
                 group_name);
    } else if (create) {
        STOA_HDF(err,
                 *indexes =
                     H5Gcreate2(table_group, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 "create group '%s'", group_name);
    }

done:
    return status;
}

/* The group goes with its last dataset. */
static stoa_status drop_empty_group(hid_t table_group, hid_t *indexes, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5G_info_t info;

    if (*indexes < 0) {
        return STOA_OK;
    }
    STOA_HDF(err, H5Gget_info(*indexes, &info), "look into group '%s'", group_name);
    STOA_TRY(stoa_hdf_close(indexes, STOA_OK, err));
    if (info.nlinks == 0) {
        STOA_HDF(err, H5Ldelete(table_group, group_name, H5P_DEFAULT), "delete group '%s'",
                 group_name);
    }

done:
    return status;
}

/* What an index may need beside it; one that refers to more needs none of it (§10.1). */
enum { MAX_COMPANY = 16 };

/* The objects that the reference attributes of a dataset lead to. */
typedef struct company {
    hid_t members[MAX_COMPANY];
    size_t n;
    bool is_out_of_memory;
} company;

static void clear_company(company *found)
{
    for (size_t i = 0; i < found->n; i++) {
        (void)stoa_hdf_close(&found->members[i], STOA_OK, NULL);
    }
    found->n = 0;
}

/* Attributes of another type, or that cannot be read, refer to nothing. */
static herr_t collect_members(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    company *found = context;
    hid_t *targets = NULL;
    size_t n = 0;

    (void)info;
    found->is_out_of_memory = found->is_out_of_memory ||
                              stoa_references_read(object, name, &targets, &n, NULL) == STOA_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        if (targets[i] >= 0 && n <= MAX_COMPANY && found->n < MAX_COMPANY) {
            found->members[found->n++] = targets[i];
        } else {
            (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
        }
    }
    free(targets);
    return 0;
}

/* Fails only when memory runs out. */
static stoa_status collect_company(hid_t object, company *found, stoa_error *err)
{
    const stoa_quiet quiet = stoa_quiet_begin();
    hsize_t position = 0;

    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect_members, found);
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
    return found->is_out_of_memory ? stoa_fail_memory(err) : STOA_OK;
}

/* Does an index in the group, other than one, need the dataset (notes D6: two may share one)? */
typedef struct needs {
    hid_t dataset;
    hid_t other_than;
    bool is_needed;
    bool is_out_of_memory;
} needs;

static herr_t look_for_need(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    needs *search = context;
    company found = {.n = 0};

    (void)info;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object >= 0 && stoa_attribute_exists(object, "KIND") &&
        !stoa_same_object(object, search->other_than)) {
        search->is_out_of_memory = collect_company(object, &found, NULL) != STOA_OK;
    }
    for (size_t i = 0; i < found.n; i++) {
        search->is_needed =
            search->is_needed || stoa_same_object(found.members[i], search->dataset);
    }
    clear_company(&found);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return search->is_needed || search->is_out_of_memory ? 1 : 0;
}

/* The links in the group that go with an index. */
typedef struct doomed {
    char *names[MAX_COMPANY + 1];
    bool is_damaged[MAX_COMPANY + 1]; /* in its storage */
    size_t n;
} doomed;

static void clear_doomed(doomed *links)
{
    for (size_t i = 0; i < links->n; i++) {
        free(links->names[i]);
    }
    links->n = 0;
}

/* Add the name of the object's link, if it has one. */
static stoa_status add_doomed(hid_t indexes, hid_t object, doomed *links, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char **const name = &links->names[links->n];

    STOA_TRY(stoa_link_name(indexes, object, name, err));
    if (*name != NULL) {
        const bool is_dataset = H5Iget_type(object) == H5I_DATASET;
        const stoa_status soundness = is_dataset ? stoa_chunks_check(object, NULL) : STOA_OK;
        links->is_damaged[links->n++] = soundness != STOA_OK;
        if (soundness == STOA_ENOMEM) {
            STOA_TRY(stoa_fail_memory(err));
        }
    }

done:
    return status;
}

/* Its own, and those of accompanying datasets, which exist for their index alone (§10.1): they go
 * with the last one that refers to them. What has a KIND is an index of its own. */
static stoa_status find_doomed(hid_t indexes, hid_t dataset, doomed *links, stoa_error *err)
{
    stoa_status status = STOA_OK;
    company found = {.n = 0};

    STOA_TRY(add_doomed(indexes, dataset, links, err));
    STOA_TRY(collect_company(dataset, &found, err));
    for (size_t i = 0; i < found.n; i++) {
        needs search = {.dataset = found.members[i], .other_than = dataset};
        if (H5Iget_type(found.members[i]) != H5I_DATASET ||
            stoa_attribute_exists(found.members[i], "KIND")) {
            continue;
        }
        STOA_HDF(err,
                 H5Literate2(indexes, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, look_for_need, &search),
                 "walk group '%s'", group_name);
        if (search.is_out_of_memory) {
            STOA_TRY(stoa_fail_memory(err));
        }
        if (!search.is_needed) {
            STOA_TRY(add_doomed(indexes, found.members[i], links, err));
        }
    }

done:
    clear_company(&found);
    return status;
}

/* libhdf5 cannot free storage whose directory is damaged, and would keep the link as well. With one
 * more reference, which nobody holds, it leaves the storage alone; repacking the file gives it
 * back. */
static stoa_status delete_one(hid_t indexes, const char *name, bool is_damaged, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    if (is_damaged) {
        STOA_HDF(err, object = H5Oopen(indexes, name, H5P_DEFAULT), "open search index '%s'", name);
        STOA_HDF(err, H5Oincr_refcount(object), "let go of search index '%s'", name);
    }
    STOA_HDF(err, H5Ldelete(indexes, name, H5P_DEFAULT), "delete search index '%s'", name);

done:
    return stoa_hdf_close(&object, status, err);
}

static stoa_status delete_doomed(hid_t indexes, const doomed *links, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (size_t i = 0; i < links->n; i++) {
        /* Two attributes may lead to one dataset. */
        if (H5Lexists(indexes, links->names[i], H5P_DEFAULT) > 0) {
            STOA_TRY(delete_one(indexes, links->names[i], links->is_damaged[i], err));
        }
    }

done:
    return status;
}

/* Take one index away from its column and out of the file. What goes is found first: once the
 * column does not refer to it, nobody could find it again, and what is found needs no memory to
 * go. */
static stoa_status remove_one(hid_t indexes, stoa_column *column, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    doomed links = {.n = 0};

    if (indexes >= 0) {
        STOA_TRY(find_doomed(indexes, dataset, &links, err));
    }
    STOA_TRY(stoa_index_link_remove(column, dataset, err));
    STOA_TRY(delete_doomed(indexes, &links, err));

done:
    clear_doomed(&links);
    return status;
}

/* What to do with each index of a column; `dataset` is invalid for a broken reference. */
typedef stoa_status (*index_visit)(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                                   void *context, stoa_error *err);

/* Visit every index of the column, then tidy up behind. A list that cannot even be read is deleted:
 * nothing can be found through it. */
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
    return stoa_at(err, status, "%s", column->name);
}

stoa_status stoa_index_free_name(hid_t indexes, const char *stem, char **name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    htri_t taken = 1;
    char *text = NULL;

    for (unsigned i = 1; taken > 0; i++) {
        free(text);
        text = i == 1 ? stoa_strdup(stem) : stoa_format("%s_%u", stem, i);
        if (text == NULL) {
            STOA_TRY(stoa_fail_memory(err));
        }
        STOA_HDF(err, taken = H5Lexists(indexes, text, H5P_DEFAULT), "look for '%s'", text);
    }
    *name = text;
    text = NULL;

done:
    free(text);
    return status;
}

/* What an index of the kind is called: "ts__chunk_minmax", "ts__chunk_minmax_2", ... */
static stoa_status choose_name(hid_t indexes, const stoa_column *column,
                               const stoa_index_kind *kind, char **name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *stem = stoa_format("%s__%s", column->name, kind->kind);

    if (stem == NULL) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (char *c = stem + strlen(column->name); *c != '\0'; c++) {
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    }
    STOA_TRY(stoa_index_free_name(indexes, stem, name, err));

done:
    free(stem);
    return status;
}

/* Take back what a failed build has left, in silence: its failure is the one to report. */
static void undo_build(hid_t table_group, hid_t *indexes, const char *name)
{
    const stoa_quiet quiet = stoa_quiet_begin();

    if (name != NULL && *indexes >= 0 && H5Lexists(*indexes, name, H5P_DEFAULT) > 0) {
        doomed links = {.n = 0};
        hid_t dataset = H5Oopen(*indexes, name, H5P_DEFAULT);
        (void)find_doomed(*indexes, dataset, &links, NULL);
        (void)delete_doomed(*indexes, &links, NULL);
        clear_doomed(&links);
        (void)stoa_hdf_close(&dataset, STOA_OK, NULL);
    }
    (void)drop_empty_group(table_group, indexes, NULL);
    (void)H5Eclear2(H5E_DEFAULT);
    stoa_quiet_end(&quiet);
}

stoa_status stoa_index_build(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                             uint64_t n_rows, const stoa_index_options *options, stoa_error *err)
{
    static const stoa_index_options defaults = STOA_INDEX_OPTIONS_INIT;
    stoa_status status = STOA_OK;
    hid_t indexes = H5I_INVALID_HID;
    hid_t dataset = H5I_INVALID_HID;
    char *name = NULL; /* set once it is ours to delete */

    STOA_TRY(kind->accepts(column, err));
    STOA_TRY(open_group(table_group, true, &indexes, err));
    STOA_TRY(choose_name(indexes, column, kind, &name, err));
    options = options != NULL ? options : &defaults;
    STOA_TRY(kind->build(column, n_rows, indexes, name, options, &dataset, err));
    STOA_TRY(stoa_index_link_add(column, dataset, err));

done:
    status = stoa_hdf_close(&dataset, status, err);
    if (status != STOA_OK) {
        undo_build(table_group, &indexes, name);
    }
    free(name);
    status = stoa_hdf_close(&indexes, status, err);
    return stoa_at(err, status, "%s", column->name);
}

/* Which kind goes; NULL: every one. */
typedef struct removal {
    const stoa_index_kind *kind;
} removal;

static stoa_status remove_if_kind(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                                  void *context, stoa_error *err)
{
    const removal *wanted = context;

    return wanted->kind == NULL || stoa_index_link_is(link, wanted->kind)
               ? remove_one(indexes, column, link->dataset, err)
               : STOA_OK;
}

stoa_status stoa_index_remove(hid_t table_group, stoa_column *column, const stoa_index_kind *kind,
                              stoa_error *err)
{
    return for_each_index(table_group, column, remove_if_kind, &(removal){kind}, err);
}

/* Indexes that were removed, to be built again as they were. */
typedef struct remembered {
    const stoa_index_kind *kinds[8];
    stoa_index_options options[8];
    size_t n;
} remembered;

/* One of each kind will do; of unknown kinds nobody can build any. */
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

/* One that cannot be built again stays away (§11.2 step 4). */
static void build_again(hid_t table_group, stoa_column *column, const remembered *set,
                        uint64_t n_rows)
{
    for (size_t i = 0; i < set->n; i++) {
        if (!has_kind(column, set->kinds[i])) {
            (void)stoa_index_build(table_group, column, set->kinds[i], n_rows, &set->options[i],
                                   NULL);
        }
    }
}

typedef struct extension {
    uint64_t n_old;
    uint64_t n_rows;
    remembered lost; /* damage, a datatype that has become too narrow, ... */
} extension;

static stoa_status extend_or_remove(hid_t indexes, stoa_column *column, const stoa_index_link *link,
                                    void *context, stoa_error *err)
{
    extension *rows = context;

    if (link->kind != NULL &&
        link->kind->append(column, link->dataset, rows->n_old, rows->n_rows, NULL) == STOA_OK) {
        return STOA_OK;
    }
    remember(&rows->lost, link);
    return remove_one(indexes, column, link->dataset, err);
}

stoa_status stoa_index_extend_all(hid_t table_group, stoa_column *column, uint64_t n_old,
                                  uint64_t n_rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    extension rows = {.n_old = n_old, .n_rows = n_rows};

    STOA_TRY(for_each_index(table_group, column, extend_or_remove, &rows, err));
    build_again(table_group, column, &rows.lost, n_rows);

done:
    return status;
}

static stoa_status remove_and_remember(hid_t indexes, stoa_column *column,
                                       const stoa_index_link *link, void *context, stoa_error *err)
{
    remember(context, link);
    return remove_one(indexes, column, link->dataset, err);
}

stoa_status stoa_index_rebuild_all(hid_t table_group, stoa_column *column, uint64_t n_rows,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    remembered set = {.n = 0};

    STOA_TRY(for_each_index(table_group, column, remove_and_remember, &set, err));
    build_again(table_group, column, &set, n_rows);

done:
    return status;
}
