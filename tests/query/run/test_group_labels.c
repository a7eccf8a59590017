/* Groups and different values of categories are those of the texts, also once a table that stays
 * open knows that its labels are distinct. Plain strings of the same rows are the judge. */
#include "query/run/group_labels.h"

#include <stdlib.h>
#include <string.h>

#include "query/tables.h"
#include "table/open/table.h"

enum { N_ROWS = 3000, N_LABELS = 7 };

/* Column "c" is a category, "p" its texts as plain strings, "n" the number of the row. The last
 * label stands in the last rows alone. The labels are `distinct`, while it is written. */
static home make(const char *const *texts, const char *const *distinct)
{
    batch b = batch_begin(3, N_ROWS);
    batch labels = batch_begin(1, N_LABELS);
    const char *plain[N_ROWS];
    int64_t codes[N_ROWS];
    int64_t rows[N_ROWS];

    for (int64_t i = 0; i < N_ROWS; i++) {
        codes[i] = i < N_ROWS - 10 ? (i * 5 + i / 7) % N_LABELS - 1 : N_LABELS - 1;
        plain[i] = codes[i] >= 0 ? texts[codes[i]] : NULL;
        rows[i] = i;
    }
    batch_strings(&labels, 0, "labels", distinct);
    batch_labelled(&b, 0, "c", &labels, codes);
    batch_strings(&b, 1, "p", plain);
    batch_integers(&b, 2, "n", "l", rows, NULL);
    return home_of(&b, 512, NULL, 0);
}

/* Write one of the labels in the place of another, as other programs may. */
static void repeat_label(home *h, size_t from, size_t to)
{
    stoa_error err = STOA_ERROR_INIT;
    char labels[N_LABELS][8] = {{0}};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t dataset = CHECK_H5(H5Dopen(h->file, "/t/CATEGORIES/c__CATEGORIES", H5P_DEFAULT));

    CHECK_H5(H5Tset_size(text, sizeof labels[0]));
    CHECK_H5(H5Tset_strpad(text, H5T_STR_NULLPAD));
    CHECK_H5(H5Tset_cset(text, H5T_CSET_UTF8));
    CHECK_H5(H5Dread(dataset, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels));
    memcpy(labels[to], labels[from], sizeof labels[0]);
    CHECK_H5(H5Dwrite(dataset, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(text));
    stoa_table_close(h->table);
    CHECK_OK(stoa_hep001_open(h->file, "/t", &h->table, &err), &err);
}

static bool knows(home *h)
{
    return stoa_table_column(h->table, 0)->has_distinct_labels;
}

/* "c" and "p" have the same groups and different values. */
static void check_all(home *h)
{
    static const char *const wheres[] = {NULL, "n < 11", "n > 2990"};

    for (int i = 0; i < 6; i++) {
        const unsigned threads = i < 3 ? 1 : 3;
        const char *const where = wheres[i % 3];
        char *const all =
            strdup(ASK(h, .aggregates = "distinct(p)", .where = where, .threads = threads));
        char *const groups = strdup(ASK(h, .aggregates = "count(), distinct(p), sum(n)",
                                        .by = "p, n % 3", .where = where, .threads = threads));

        CHECK_STR(ASK(h, .aggregates = "distinct(c)", .where = where, .threads = threads), all);
        CHECK_STR(ASK(h, .aggregates = "count(), distinct(c), sum(n)", .by = "c, n % 3",
                      .where = where, .threads = threads),
                  groups);
        free(all);
        free(groups);
    }
}

static void distinct_labels_are_known_once_all_of_them_occurred(void)
{
    static const char *const texts[N_LABELS] = {"b", "a", "", "bb", "ba", "name", "zz"};
    home h = make(texts, texts);

    CHECK(!knows(&h));
    CHECK_STR(ASK(&h, .aggregates = "distinct(c)", .where = "n < 2990"), "6");
    CHECK(!knows(&h));
    CHECK_STR(ASK(&h, .aggregates = "distinct(c)"), "7");
    CHECK(knows(&h));
    check_all(&h);
    home_leave(&h);

    h = make(texts, texts);
    CHECK_CONTAINS(ASK(&h, .aggregates = "count()", .by = "c"), "'zz' 10");
    CHECK(knows(&h));
    check_all(&h);
    home_leave(&h);
}

static void labels_that_stand_twice_stay_one_group(void)
{
    static const char *const texts[N_LABELS] = {"b", "a", "b", "bb", "a", "name", "zz"};
    static const char *const distinct[N_LABELS] = {"b", "a", "x", "bb", "y", "name", "zz"};
    home h = make(texts, distinct);

    repeat_label(&h, 0, 2);
    repeat_label(&h, 1, 4);

    CHECK_STR(ASK(&h, .aggregates = "distinct(c)"), "5");
    CHECK(!knows(&h));
    check_all(&h);
    CHECK(!knows(&h));
    home_leave(&h);
}

/* Label 0, the least, stands in no row, and is equal to label 2, which does. Neither does label 5,
 * the largest. */
static void the_best_of_all_labels_is_no_answer_if_no_row_has_it(void)
{
    static const char *const distinct[N_LABELS] = {"a", "m", "x", "z", "n", "zz", "b"};
    batch b = batch_begin(2, N_ROWS);
    batch labels = batch_begin(1, N_LABELS);
    int64_t codes[N_ROWS];
    int64_t rows[N_ROWS];

    for (int64_t i = 0; i < N_ROWS; i++) {
        codes[i] = i == N_ROWS / 2 ? 2 : i % 3 == 0 ? -1 : i % 3 == 1 ? 1 : 4;
        rows[i] = i;
    }
    batch_strings(&labels, 0, "labels", distinct);
    batch_labelled(&b, 0, "c", &labels, codes);
    batch_integers(&b, 1, "n", "l", rows, NULL);
    home h = home_of(&b, 512, NULL, 0);
    repeat_label(&h, 0, 2);

    const stoa_column *const c = stoa_table_column(h.table, 0);
    CHECK(!c->has_label_ends);
    for (unsigned threads = 1; threads <= 3; threads++) {
        CHECK_STR(ASK(&h, .aggregates = "min(c), max(c)", .threads = threads), "'a' 'n'");
        CHECK(c->has_label_ends && c->label_ends[0] == 0 && c->label_ends[1] == 5);
        CHECK_STR(ASK(&h, .aggregates = "count(c), max(c), min(c)", .threads = threads),
                  "2001 'n' 'a'");
        CHECK_STR(ASK(&h, .aggregates = "min(c), max(c)", .where = "n <> 1500", .threads = threads),
                  "'m' 'n'");
        CHECK_STR(
            ASK(&h, .aggregates = "min(c)", .where = "n % 3 = 0 and n <> 1500", .threads = threads),
            "null");
    }
    home_leave(&h);
}

static void new_labels_are_among_the_best_ones(void)
{
    static const char *const texts[N_LABELS] = {"b", "a", "x", "bb", "ba", "name", "zz"};
    static const char *const added[] = {"0", "zzz"};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    home h = make(texts, texts);
    batch b = batch_begin(3, 2);

    CHECK_STR(ASK(&h, .aggregates = "min(c), max(c)"), "'a' 'zz'");
    batch_categories(&b, 0, "c", added);
    batch_strings(&b, 1, "p", added);
    batch_integers(&b, 2, "n", "l", (int64_t[]){N_ROWS, N_ROWS + 1}, NULL);
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_append(h.table, &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_STR(ASK(&h, .aggregates = "min(c), max(c)"), "'0' 'zzz'");
    home_leave(&h);
}

TEST_MAIN(TEST(distinct_labels_are_known_once_all_of_them_occurred),
          TEST(labels_that_stand_twice_stay_one_group),
          TEST(the_best_of_all_labels_is_no_answer_if_no_row_has_it),
          TEST(new_labels_are_among_the_best_ones))
