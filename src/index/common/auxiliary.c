/*
 * Deleting an index together with its auxiliary datasets (HEP001 §10.1).
 *
 * Everything to delete is found first. Once the column no longer refers to the index, it could not
 * be found again. Deleting what was found needs no memory.
 */
#include "index/common/auxiliary.h"

#include <stdlib.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/copy/object_storage.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "hdf/metadata/references.h"

/* Maximum number of auxiliary datasets (§10.1). Attributes with more references, and references
 * beyond the maximum, are ignored. */
enum { MAX_COMPANY = 16 };

/* The targets of a dataset's reference attributes. */
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

/* Attributes of another type, or unreadable ones, count as no reference. */
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

/* Fails only if memory runs out. */
static stoa_status collect_company(hid_t object, company *found, stoa_error *err)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hsize_t position = 0;

    (void)H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect_members, found);
    stoa_error_stack_discard(&errors);
    return found->is_out_of_memory ? stoa_fail_memory(err) : STOA_OK;
}

/* The search for another index in the group that needs the dataset (notes D6: two may share
 * one). */
typedef struct needs {
    hid_t dataset;
    hid_t other_than;
    bool is_needed;
    bool is_out_of_memory;
} needs;

static herr_t find_need(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    needs *search = context;
    company found = {.n = 0};

    if (info->type != H5L_TYPE_HARD) {
        return 0;
    }
    hid_t object = stoa_open_here(group, name);
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

/* The links in the group to be deleted with an index. */
typedef struct doomed {
    char *names[MAX_COMPANY + 1];
    bool is_damaged[MAX_COMPANY + 1]; /* the storage is damaged */
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
    char **const name = &links->names[links->n];

    STOA_RETURN_NOT_OK(stoa_link_name(indexes, object, name, err));
    if (*name != NULL) {
        const bool is_dataset = H5Iget_type(object) == H5I_DATASET;
        const stoa_status soundness = is_dataset ? stoa_chunks_check(object, NULL) : STOA_OK;
        links->is_damaged[links->n++] = soundness != STOA_OK;
        if (soundness == STOA_ENOMEM) {
            return stoa_fail_memory(err);
        }
    }
    return STOA_OK;
}

/* Find the link of the index and those of its auxiliary datasets (§10.1). Auxiliary datasets are
 * deleted with the last index that refers to them. A dataset with a KIND is an index itself and
 * stays. */
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
        STOA_TRY(stoa_links_visit(indexes, find_need, &search, err));
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

/* libhdf5 cannot free storage whose directory is damaged, and would then keep the link as well. An
 * additional reference count makes it keep the storage and remove the link. Repacking the file
 * frees the storage. */
static stoa_status delete_one(hid_t indexes, const char *name, bool is_damaged, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    if (is_damaged) {
        STOA_HDF(err, object = stoa_open_here(indexes, name), "open search index '%s'", name);
        STOA_HDF(err, H5Oincr_refcount(object), "let go of search index '%s'", name);
    }
    STOA_HDF(err, stoa_unlink_or_leave(indexes, name), "delete search index '%s'", name);

done:
    return stoa_hdf_close(&object, status, err);
}

static stoa_status delete_doomed(hid_t indexes, const doomed *links, stoa_error *err)
{
    for (size_t i = 0; i < links->n; i++) {
        /* two attributes may refer to the same dataset */
        if (H5Lexists(indexes, links->names[i], H5P_DEFAULT) > 0) {
            STOA_RETURN_NOT_OK(delete_one(indexes, links->names[i], links->is_damaged[i], err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_index_delete(hid_t indexes, stoa_column *column, hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    doomed links = {.n = 0};

    if (indexes >= 0) {
        STOA_TRY(find_doomed(indexes, dataset, &links, err));
    }
    if (column != NULL) {
        STOA_TRY(stoa_index_link_remove(column, dataset, err));
    }
    STOA_TRY(delete_doomed(indexes, &links, err));

done:
    clear_doomed(&links);
    return status;
}
