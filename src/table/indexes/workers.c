/* The worker threads of an open table: one pool, kept between calls. */
#include "table/open/table.h"

stoa_status stoa_table_borrow_workers(stoa_table *table, unsigned n_threads, stoa_workers **workers,
                                      stoa_error *err)
{
    *workers = NULL;
    if (table->workers != NULL && table->n_threads != n_threads && table->n_borrowers == 0) {
        stoa_workers_close(table->workers);
        table->workers = NULL;
    }
    if (table->workers == NULL) {
        STOA_RETURN_NOT_OK(stoa_workers_open(n_threads, &table->workers, err));
        table->n_threads = n_threads;
    }
    table->n_borrowers++;
    *workers = table->workers;
    return STOA_OK;
}

void stoa_table_return_workers(stoa_table *table)
{
    table->n_borrowers--;
}
