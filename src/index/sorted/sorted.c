/*
 * SORTED_ROWS (HEP001 §10.5): the permutation that sorts the rows by value.
 *
 * An external merge sort builds it (sorted_sort.h), and an append merges instead of sorting again.
 * Fences in an attribute (sorted_fences.h) say where a look-up begins. The rest of its search reads
 * single rows of the column.
 */
#include "index/sorted/sorted.h"

#include "hdf/metadata/attributes.h"
#include "index/sorted/sorted_write.h"

static stoa_status sorted_build(stoa_column *column, uint64_t n_rows, hid_t indexes,
                                const char *name, const stoa_index_options *options, hid_t *dataset,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sorted_store store;
    stoa_row_sorter sorter = {.column = NULL};

    *dataset = H5I_INVALID_HID;
    STOA_TRY(stoa_sorted_create(&store, column, indexes, n_rows, options->bare, err));
    STOA_TRY(
        stoa_row_sorter_run(&sorter, column, 0, n_rows, options->memory, &options->listener, err));
    STOA_TRY(stoa_sorted_fill(&store, n_rows, &sorter, err));
    STOA_TRY(stoa_sorted_describe(&store, sorter.memory, err));
    STOA_TRY(stoa_sorted_name(&store, indexes, name, err));
    *dataset = store.rows;
    store.rows = H5I_INVALID_HID;

done:
    stoa_row_sorter_clear(&sorter);
    return stoa_sorted_close(&store, status, err);
}

static void sorted_recall(hid_t dataset, stoa_index_options *options)
{
    options->bare =
        !stoa_attribute_exists(dataset, STOA_SORTED_HINTS) && !stoa_sorted_is_old(dataset);
}

/* Of older Stoa. */
static const char *const company[] = {STOA_SORTED_VALUES, STOA_SORTED_FENCES, NULL};

const stoa_index_kind stoa_index_sorted = {
    .name = "sorted",
    .kind = STOA_SORTED_KIND,
    .section = "HEP001 §10.5",
    .lists_rows = true,
    .reads_rows = true,
    .company = company,
    .accepts = stoa_sorted_accepts,
    .build = sorted_build,
    .recall = sorted_recall,
    .is_old = stoa_sorted_is_old,
    .append = stoa_sorted_append,
    .extend = stoa_sorted_extend,
    .verify = stoa_sorted_verify,
    .open = stoa_sorted_index_open,
    .estimate = stoa_sorted_estimate,
    .prune = stoa_sorted_prune,
    .ranks = stoa_sorted_ranks,
    .ranked = stoa_sorted_ranked,
    .summary = stoa_sorted_summary,
    .close = stoa_sorted_index_close,
};
