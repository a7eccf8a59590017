/* The threads of an open table: src/table/indexes/workers.c. */
#include <dirent.h>

#include "table/kit.h"
#include "table/open/table.h"

/* Threads of this process; 0 where the system does not say. */
static size_t n_threads_now(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t n = 0;

    if (tasks == NULL) {
        return 0;
    }
    while (readdir(tasks) != NULL) {
        n++;
    }
    CHECK_I64(closedir(tasks), 0);
    return n;
}

static stoa_table *small_table(hid_t file)
{
    batch b = batch_begin(1, 1);

    batch_integers(&b, 0, "i", "l", (int64_t[]){1}, NULL);
    write_batches(file, "/t", &b, 1, NULL);
    return open_table(file, "/t");
}

static stoa_status nothing(void *context, unsigned worker, uint64_t part, stoa_error *err)
{
    (void)context;
    (void)worker;
    (void)part;
    (void)err;
    return STOA_OK;
}

/* Have them begin, too. */
static stoa_workers *borrow(stoa_table *table, unsigned n)
{
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_table_borrow_workers(table, n, &workers, &err), &err);
    CHECK_OK(stoa_workers_run(workers, 100, nothing, NULL, &err), &err);
    return workers;
}

static void another_number_of_threads_replaces_those_that_nobody_has(void)
{
    const hid_t file = new_file();
    stoa_table *table = small_table(file);

    (void)borrow(table, 3);
    stoa_table_return_workers(table);
    const size_t n = n_threads_now();
    for (unsigned i = 0; i < 20; i++) {
        (void)borrow(table, 2 + i % 2);
        CHECK_U64(table->n_threads, 2 + i % 2);
        stoa_table_return_workers(table);
    }
    CHECK(n == 0 || n_threads_now() <= n);
    stoa_table_close(table);
    H5Fclose(file);
}

static void those_who_have_them_at_once_share_them(void)
{
    const hid_t file = new_file();
    stoa_table *table = small_table(file);
    stoa_workers *const first = borrow(table, 3);

    CHECK(borrow(table, 2) == first); /* as many as the first one asked for */
    CHECK_U64(table->n_threads, 3);
    stoa_table_return_workers(table);
    CHECK(borrow(table, 4) == first); /* one of them has them still */
    stoa_table_return_workers(table);
    stoa_table_return_workers(table);
    CHECK_U64(table->n_borrowers, 0);
    (void)borrow(table, 3);
    CHECK(table->workers == first); /* as many: the same ones */
    stoa_table_return_workers(table);
    stoa_table_close(table);
    H5Fclose(file);
}

TEST_MAIN(TEST(another_number_of_threads_replaces_those_that_nobody_has),
          TEST(those_who_have_them_at_once_share_them))
