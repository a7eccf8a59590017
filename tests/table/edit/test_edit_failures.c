/* Edits of rows that fail half-way: the table is as it was (HEP001 §11). */
#include <stdlib.h>

#include "column/column.h"
#include "support/sweep.h"
#include "table/edited.h"

/* Lets `n` calls pass, and stops the next one. */
static bool stop_after(void *context, const stoa_progress *progress)
{
    unsigned *n = context;

    (void)progress;
    return (*n)-- > 0;
}

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

/* The first column is one of those whose code books grow. */
static void labels_of_an_edit_that_is_stopped_are_forgotten(void)
{
    const stoa_assignment assignment = {"c", "'z'"};
    stoa_status status = STOA_ECANCELLED;

    for (unsigned n = 0; status != STOA_OK; n++) {
        const hid_t file = new_file();
        stoa_edit_options options = STOA_EDIT_OPTIONS_INIT;
        stoa_error err = STOA_ERROR_INIT;
        unsigned left = n;
        batch b = batch_begin(1, 3);

        batch_categories(&b, 0, "c", (const char *[]){"u", "v", "u"});
        write_batches(file, "/t", &b, 1, NULL);
        stoa_table *table = open_table(file, "/t");
        options.listener = (stoa_listener){stop_after, &left};
        status = stoa_table_update(table, "c = 'v'", &assignment, 1, &options, NULL, &err);
        if (status != STOA_OK) {
            CHECK_STATUS(STOA_ECANCELLED, status, &err);
            CHECK_I64(stoa_table_find(table, "c")->dictionary.length, 2);
            CHECK_U64(update(table, "c = 'v'", "c", "'z'"), 1);
        }
        EXPECT(table, "c", "'u'", "'z'", "'u'");
        close_table(table, file);
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

static void expect_whole(const char *path, bool is_as_made)
{
    const hid_t file = (hid_t)CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    stoa_table *table = open_table(file, "/t");

    CHECK_U64(n_indexes(table), N_INDEXES);
    if (is_as_made) {
        expect_as_made(table);
    }
    stoa_table_close(table);
    H5Fclose(file);
}

/* Any of some hundred reads. Only those that look whether another program was there while a lock
 * was let go of may fail in silence: it was not let go of. */
static void an_edit_with_a_refused_read_says_so_or_loses_nothing(void)
{
    const char *path = check_path("t.h5");
    const uint64_t most = 600 / check_n_cases(40);

    for (size_t k = 0; k < N_EDITS; k++) {
        unsigned n_told = 0;
        bool was_refused = true;
        for (uint64_t n = 0; was_refused; n += 1 + check_random_below(most + 1)) {
            const hid_t made = new_file();
            stoa_status status = STOA_OK;
            stoa_error err = STOA_ERROR_INIT;

            stoa_table_close(indexed_table(made));
            H5Fclose(made);
            was_refused = edit_with_read_refused(path, edits[k], n, &status, &err);
            CHECK(was_refused || status == STOA_OK);
            expect_whole(path, status != STOA_OK);
            n_told += status != STOA_OK;
        }
        CHECK(n_told > 3);
    }
}

TEST_MAIN(TEST(an_edit_that_is_stopped_leaves_the_table),
          TEST(labels_of_an_edit_that_is_stopped_are_forgotten),
          TEST(an_edit_with_a_refused_read_says_so_or_loses_nothing),
          TEST(an_edit_that_memory_does_not_suffice_for_leaves_the_table))
