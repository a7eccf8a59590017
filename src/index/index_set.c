#include "index/index_set.h"
#include "hdf/metadata/other_files.h"

#include <stdlib.h>

/* The result of opening an index. */
typedef struct stoa_opened_index {
    bool tried;
    stoa_status status;
    stoa_error why;
    stoa_index *index; /* NULL if unusable */
} stoa_opened_index;

stoa_status stoa_index_set_open(stoa_column *column, stoa_index_set *set, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *set = (stoa_index_set){.column = column};
    STOA_TRY(stoa_index_links(column, &set->links, &set->n_links, err));
    for (size_t i = 0; i < set->n_links; i++) {
        set->links[i].kind = set->links[i].is_stale ? NULL : set->links[i].kind; /* as if absent */
    }
    column->is_one_of_many &= set->n_links == 0; /* reading them needs the dataset */
    set->is_elsewhere = set->n_links > 0 && stoa_dataset_is_elsewhere(column->dataset);
    set->opened = stoa_alloc_zero(set->n_links, sizeof *set->opened);
    STOA_TRY(set->opened != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    if (status != STOA_OK) {
        stoa_index_set_close(set);
    }
    return status;
}

stoa_status stoa_index_set_get(stoa_index_set *set, size_t link, uint64_t n_rows,
                               stoa_index **index, stoa_error *err)
{
    stoa_opened_index *opened = &set->opened[link];

    *index = NULL;
    if (set->is_elsewhere) {
        return stoa_fail(err, STOA_EDATA,
                         "the values of the column lie in other files or datasets, which may have "
                         "changed since");
    }
    if (!opened->tried) {
        opened->why = (stoa_error)STOA_ERROR_INIT;
        opened->status = stoa_index_is_plausible(set->links[link].dataset, &opened->why);
        if (opened->status == STOA_OK) {
            opened->status = set->links[link].kind->open(set->column, set->links[link].dataset,
                                                         n_rows, &opened->index, &opened->why);
        }
        opened->tried = opened->status != STOA_ENOMEM; /* try again later */
    }
    if (opened->status != STOA_OK) {
        return stoa_fail(err, opened->status, "%s", opened->why.message);
    }
    *index = opened->index;
    return STOA_OK;
}

void stoa_index_set_close(stoa_index_set *set)
{
    for (size_t i = 0; set->opened != NULL && i < set->n_links; i++) {
        if (set->opened[i].index != NULL) {
            set->links[i].kind->close(set->opened[i].index);
        }
    }
    free(set->opened);
    stoa_index_links_clear(set->links, set->n_links);
    *set = (stoa_index_set){.column = NULL};
}
