#include "table/indexes/verify.h"

#include <stdio.h>

const char stoa_index_unsound[] = "its chunks are shorter than their entries: the file is damaged";

stoa_status stoa_index_verify_link(const stoa_table *table, stoa_column *column,
                                   const stoa_index_link *link, const stoa_listener *listener,
                                   bool *same, char problem[static STOA_PROBLEM_SIZE],
                                   stoa_error *err)
{
    stoa_error failure = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    *same = true;
    if (link->is_unsound) {
        (void)snprintf(problem, STOA_PROBLEM_SIZE, "%s", stoa_index_unsound);
        *same = false;
    } else if (link->kind != NULL &&
               stoa_index_is_plausible(link->dataset, &failure) == STOA_EDATA) {
        (void)snprintf(problem, STOA_PROBLEM_SIZE, "%s", failure.message);
        *same = false;
    } else if (link->kind != NULL) {
        status = link->kind->verify(column, link->dataset, table->n_rows, listener, same, problem,
                                    &failure);
    }
    if (status == STOA_ETYPE) {
        *same = true;
        return STOA_OK;
    }
    if (status != STOA_OK && err != NULL) {
        *err = failure;
    }
    return status;
}
