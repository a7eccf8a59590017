/*
 * Reading SEARCH_INDEX_LIST, the only linkage between a column and its indexes (HEP001 §10.2).
 *
 * An index whose validity tokens fail is stale: it is listed, but must not be used (HEP001-2026-07
 * §12.2).
 *
 * The list is untrusted: references may be null, dangling, or lead to an object that is not a
 * dataset. Such entries are reported as invalid, and dropped when the list is next written. A
 * dataset that would make libhdf5 read past the end of its chunks is treated as unknown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_checks.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/other_files.h"
#include "hdf/metadata/references.h"
#include "index/common/link_list.h"

/* Read KIND. It must match exactly: short names of kinds, or other case, are unknown (notes A9). So
 * is an unreadable KIND. */
static stoa_status read_kind(hid_t dataset, stoa_index_link *link, stoa_error *err)
{
    char *text = NULL;
    const stoa_status status = stoa_attribute_read_text(dataset, "KIND", &text, NULL);

    if (status == STOA_OK && text != NULL) {
        const stoa_index_kind *kind = stoa_index_kind_find(text);
        (void)snprintf(link->kind_text, sizeof link->kind_text, "%s", text);
        link->kind = kind != NULL && strcmp(kind->kind, text) == 0 ? kind : NULL;
    }
    free(text);
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

/* Check the chunks, because a known kind makes callers read the dataset. */
static stoa_status check_chunks(hid_t dataset, stoa_index_link *link, stoa_error *err)
{
    const stoa_status status = link->kind != NULL ? stoa_chunks_check(dataset, NULL) : STOA_OK;

    if (status == STOA_ENOMEM) {
        return stoa_fail_memory(err);
    }
    link->is_unsound = status != STOA_OK || stoa_dataset_is_elsewhere(dataset);
    link->kind = link->is_unsound ? NULL : link->kind;
    return STOA_OK;
}

static stoa_status check_tokens(const stoa_column *column, hid_t dataset, stoa_index_link *link,
                                stoa_error *err)
{
    bool pass = false;

    STOA_RETURN_NOT_OK(stoa_tokens_read(dataset, &link->tokens, err));
    STOA_RETURN_NOT_OK(stoa_tokens_pass(&link->tokens, column->generation, &pass, err));
    link->is_stale = !pass;
    return STOA_OK;
}

stoa_status stoa_index_is_plausible(hid_t dataset, stoa_error *err)
{
    return stoa_dataset_may_shrink(dataset, (const hsize_t[H5S_MAX_RANK]){0}, err);
}

stoa_status stoa_index_links(const stoa_column *column, stoa_index_link **links, size_t *n,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t *targets = NULL;
    size_t n_targets = 0;

    *links = NULL;
    *n = 0;
    if (stoa_column_is_foreign(column) || column->list != NULL) { /* HEP001-2026-07 §9.6 */
        return STOA_OK;
    }
    STOA_TRY(stoa_column_reach(column, err));
    STOA_TRY(stoa_references_read(column->dataset, STOA_INDEX_LIST, &targets, &n_targets, err));
    *links = stoa_alloc_zero(n_targets, sizeof **links);
    STOA_TRY(*links != NULL ? STOA_OK : stoa_fail_memory(err));
    for (; *n < n_targets; ++*n) {
        stoa_index_link *link = &(*links)[*n];
        link->dataset = H5I_INVALID_HID;
        if (stoa_index_is_dataset(targets[*n])) {
            STOA_TRY(read_kind(targets[*n], link, err));
            STOA_TRY(check_chunks(targets[*n], link, err));
            STOA_TRY(check_tokens(column, targets[*n], link, err));
            link->dataset = targets[*n];
            targets[*n] = H5I_INVALID_HID;
        }
    }

done:
    if (status != STOA_OK) {
        stoa_index_links_clear(*links, *n);
        *links = NULL;
        *n = 0;
    }
    stoa_index_targets_close(targets, n_targets);
    return stoa_column_at(column, status, err);
}

bool stoa_index_is_linked(stoa_column *column)
{
    return !stoa_column_is_foreign(column) && column->list == NULL &&
           stoa_column_reach(column, NULL) == STOA_OK &&
           stoa_attribute_exists(column->dataset, STOA_INDEX_LIST);
}

bool stoa_index_link_is(const stoa_index_link *link, const stoa_index_kind *kind)
{
    return link->dataset >= 0 && strcmp(link->kind_text, kind->kind) == 0;
}

void stoa_index_links_clear(stoa_index_link *links, size_t n)
{
    for (size_t i = 0; links != NULL && i < n; i++) {
        (void)stoa_hdf_close(&links[i].dataset, STOA_OK, NULL);
    }
    free(links);
}
