/* Changing SEARCH_INDEX_LIST (HEP001 §10.2), independent of index kinds, whose code calls this. */
#include "index/common/link_list.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"

void stoa_index_targets_close(hid_t *targets, size_t n)
{
    for (size_t i = 0; targets != NULL && i < n; i++) {
        (void)stoa_hdf_close(&targets[i], STOA_OK, NULL);
    }
    free(targets);
}

bool stoa_index_is_dataset(hid_t target)
{
    return target >= 0 && H5Iget_type(target) == H5I_DATASET;
}

/* Rewrite the list: the valid entries except `without`, then `with`. Either may be invalid. */
static stoa_status rewrite_list(stoa_column *column, hid_t without, hid_t with, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = NULL;
    hid_t *kept = NULL;
    size_t n_targets = 0;
    size_t n_kept = 0;

    STOA_TRY(stoa_references_read(column->dataset, STOA_INDEX_LIST, &targets, &n_targets, err));
    kept = stoa_alloc(n_targets + 1, sizeof *kept);
    STOA_TRY(kept != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < n_targets; i++) {
        if (stoa_index_is_dataset(targets[i]) &&
            (without < 0 || !stoa_same_object(targets[i], without))) {
            kept[n_kept++] = targets[i];
        }
    }
    if (with >= 0) {
        kept[n_kept++] = with;
    }
    if (n_kept == 0) {
        STOA_TRY(stoa_attribute_delete(column->dataset, STOA_INDEX_LIST, err));
    } else {
        STOA_TRY(stoa_references_write(column->dataset, STOA_INDEX_LIST, kept, n_kept, false,
                                       column->has_old_references, err));
    }

done:
    free(kept);
    stoa_index_targets_close(targets, n_targets);
    return stoa_column_at(column, status, err);
}

stoa_status stoa_index_link_add(stoa_column *column, hid_t dataset, stoa_error *err)
{
    return rewrite_list(column, H5I_INVALID_HID, dataset, err);
}

stoa_status stoa_index_link_remove(stoa_column *column, hid_t dataset, stoa_error *err)
{
    return rewrite_list(column, dataset, H5I_INVALID_HID, err);
}

/* --- One column per index -------------------------------------------------------------------- */

/* A column's reference to a dataset. All targets are in the same file, since references into other
 * files are not followed. */
typedef struct reference {
    H5O_token_t token;
    size_t column;
} reference;

static int compare_targets(const reference *a, const reference *b)
{
    return memcmp(&a->token, &b->token, sizeof a->token);
}

static int compare_references(const void *a, const void *b)
{
    const reference *x = a;
    const reference *y = b;
    const int order = compare_targets(x, y);

    return order != 0 ? order : (x->column > y->column) - (x->column < y->column);
}

/* Add a column's references. An unreadable list has none. */
static stoa_status gather(const stoa_column *column, size_t number, stoa_buffer *all,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = NULL;
    size_t n = 0;

    if (stoa_references_read(column->dataset, STOA_INDEX_LIST, &targets, &n, NULL) == STOA_ENOMEM) {
        STOA_TRY(stoa_fail_memory(err));
    }
    for (size_t i = 0; i < n; i++) {
        H5O_info2_t info;
        if (stoa_index_is_dataset(targets[i])) {
            STOA_HDF(err, H5Oget_info3(targets[i], &info, H5O_INFO_BASIC),
                     "look at a search index");
            const reference one = {info.token, number};
            STOA_TRY(stoa_buffer_append(all, &one, sizeof one, err));
        }
    }

done:
    stoa_index_targets_close(targets, n);
    return status;
}

/* Remove the reference of the second column, unless both columns are the same dataset. */
static stoa_status part(stoa_column *const *columns, const reference *first,
                        const reference *second, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = columns[second->column];
    hid_t dataset = H5I_INVALID_HID;

    if (first->column == second->column ||
        stoa_same_object(columns[first->column]->dataset, column->dataset)) {
        return STOA_OK;
    }
    STOA_HDF(err, dataset = H5Oopen_by_token(column->dataset, second->token),
             "open a search index");
    STOA_TRY(stoa_index_link_remove(column, dataset, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

stoa_status stoa_index_links_settle(stoa_column *const *columns, size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer all = {0};
    size_t first = 0;

    for (size_t i = 0; i < n; i++) {
        STOA_TRY(gather(columns[i], i, &all, err));
    }
    const size_t n_references = all.size / sizeof(reference);
    reference *const references = (reference *)(void *)all.data;
    if (n_references != 0) {
        qsort(references, n_references, sizeof *references, compare_references);
    }
    for (size_t i = 1; i < n_references; i++) {
        if (compare_targets(&references[first], &references[i]) != 0) {
            first = i;
        } else {
            STOA_TRY(part(columns, &references[first], &references[i], err));
        }
    }

done:
    stoa_buffer_clear(&all);
    return status;
}
