/* Edits of rows that fail half-way: the table is as it was (HEP001 §11). */
#include <stdlib.h>

#include "support/sweep.h"
#include "table/edited.h"

/* Lets `n` calls pass, and stops the next one. */
static bool stop_after(void *context, const stoa_progress *progress)
{
    unsigned *n = context;

    (void)progress;
    return (*n)-- > 0;
}

typedef stoa_status (*edit_call)(stoa_table *table, const stoa_edit_options *options,
                                 stoa_error *err);

static stoa_status update_in_place(stoa_table *table, const stoa_edit_options *options,
                                   stoa_error *err)
{
    const stoa_assignment assignments[] = {{"i", "9"}, {"c", "'n'"}, {"t", "null"}};

    return stoa_table_update(table, "i >= 3", assignments, 3, options, NULL, err);
}

static stoa_status update_anew(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    const stoa_assignment assignments[] = {
        {"i", "90000"}, {"s", "'a longer one'"}, {"c", "'a much longer label'"}, {"x", "-1"}};

    return stoa_table_update(table, "i >= 3", assignments, 4, options, NULL, err);
}

static stoa_status delete_some(stoa_table *table, const stoa_edit_options *options, stoa_error *err)
{
    return stoa_table_delete(table, "i = 1 or i = 2", options, NULL, err);
}

static stoa_status truncate_some(stoa_table *table, const stoa_edit_options *options,
                                 stoa_error *err)
{
    return stoa_table_truncate(table, 3, options, err);
}

static stoa_status preallocate_some(stoa_table *table, const stoa_edit_options *options,
                                    stoa_error *err)
{
    return stoa_table_preallocate(table, 50, options, err);
}

static const edit_call edits[] = {update_in_place, update_anew, delete_some, truncate_some,
                                  preallocate_some};
enum { N_EDITS = sizeof edits / sizeof edits[0] };

enum { N_INDEXES = 7 };

/* The sample with an index of every kind. */
static stoa_table *indexed_table(hid_t file)
{
    static const char *const indexes[][2] = {
        {"i", "sorted"}, {"c", "bitmap"}, {"s", "bloom"}, {"x", "sorted"}};
    stoa_table *table = sample_table(file, true);
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
        CHECK_OK(stoa_index_add(table, indexes[i][0], indexes[i][1], NULL, &err), &err);
    }
    CHECK_U64(n_indexes(table), N_INDEXES);
    return table;
}

static void an_edit_that_is_stopped_leaves_the_table(void)
{
    for (size_t k = 0; k < N_EDITS; k++) {
        stoa_status status = STOA_ECANCELLED;
        for (unsigned n = 0; status != STOA_OK; n++) {
            const hid_t file = new_file();
            stoa_table *table = indexed_table(file);
            stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
            stoa_error err = STOA_ERROR_INIT;
            unsigned left = n;

            options.listener = (stoa_listener){stop_after, &left};
            status = edits[k](table, &options, &err);
            if (status != STOA_OK) {
                CHECK_STATUS(STOA_ECANCELLED, status, &err);
                expect_as_made(table);
                CHECK_U64(n_indexes(table), N_INDEXES);
                stoa_table_close(table);
                check_conformant(file, "/t");
                table = open_table(file, "/t");
                expect_as_made(table);
                CHECK_OK(edits[k](table, NULL, &err), &err);
            }
            close_table(table, file);
        }
    }
}

static stoa_status edit_failing_at(uint64_t n, edit_call edit, stoa_table *table, stoa_error *err)
{
    stoa_memory_fail_after(n);
    const stoa_status status = edit(table, NULL, err);
    stoa_memory_fail_after(UINT64_MAX);
    return status;
}

static void an_edit_that_memory_does_not_suffice_for_leaves_the_table(void)
{
    uint64_t total = 0;

    for (size_t k = 0; k < N_EDITS; k++) {
        stoa_status status = STOA_ENOMEM;
        uint64_t n = 0;
        for (; status != STOA_OK; n++) {
            const hid_t file = new_file();
            stoa_table *table = indexed_table(file);
            stoa_error err = STOA_ERROR_INIT;

            status = edit_failing_at(n, edits[k], table, &err);
            if (status != STOA_OK) {
                CHECK_STATUS(STOA_ENOMEM, status, &err);
                expect_as_made(table);
            }
            stoa_table_close(table);
            if (n % 8 == k) { /* the checker takes its time; these are all stages */
                check_conformant(file, "/t");
            }
            H5Fclose(file);
        }
        total += n;
    }
    CHECK(total > 500);
}

TEST_MAIN(TEST(an_edit_that_is_stopped_leaves_the_table),
          TEST(an_edit_that_memory_does_not_suffice_for_leaves_the_table))
