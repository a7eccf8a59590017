/* Categories datasets (HEP001 §8.7): labels numbered once and for all, whoever wrote the first of
 * them. */
#include "column/write/categories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/references.h"
#include "support/batches.h"
#include "support/sweep.h"

static hid_t new_group(hid_t *file)
{
    const hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
    *file = H5Fcreate(check_path("b.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    CHECK_H5(*file);
    H5Pclose(fapl);
    return H5Gcreate2(*file, "CATEGORIES", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/* A string type: size 0 is variable. */
static hid_t text_type(size_t size, H5T_str_t padding, H5T_cset_t charset)
{
    const hid_t type = H5Tcopy(H5T_C_S1);

    CHECK_H5(H5Tset_size(type, size == 0 ? H5T_VARIABLE : size));
    CHECK_H5(H5Tset_strpad(type, padding));
    CHECK_H5(H5Tset_cset(type, charset));
    return type;
}

/* A categories dataset of somebody else's: `n` values of a type, room for more if `grows`. */
static hid_t foreign_book(hid_t group, hid_t type, const void *values, hsize_t n, bool grows)
{
    const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &n, grows ? &(hsize_t){H5S_UNLIMITED} : NULL);

    if (grows) {
        CHECK_H5(H5Pset_chunk(dcpl, 1, &(hsize_t){4}));
    }
    const hid_t dataset = H5Dcreate2(group, "book", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_OK(stoa_attribute_write_bool(dataset, "ordered", true, NULL));
    H5Sclose(space);
    H5Pclose(dcpl);
    return dataset;
}

/* Codes of the texts (NULL: a missing label) into `codes`. */
static stoa_status codes_of(stoa_categories *book, const char *const *texts, int64_t n,
                            int64_t *codes, stoa_error *err)
{
    batch b = batch_begin(1, n);
    stoa_view view;

    batch_strings(&b, 0, "labels", texts);
    CHECK_OK(stoa_view_of(b.schema.children[0], b.array.children[0], &view, NULL));
    const stoa_status status = stoa_categories_codes(book, &view, codes, err);
    stoa_schema_release(&b.schema);
    stoa_array_release(&b.array);
    return status;
}

/* What a reader finds in the dataset "book": its labels, read as variable-length UTF-8. */
static void expect_labels(hid_t group, const char *const *labels, hsize_t n)
{
    char *found[16] = {NULL};
    const hid_t dataset = H5Dopen2(group, "book", H5P_DEFAULT);
    const hid_t stored = H5Dget_type(dataset);
    const hid_t space = H5Dget_space(dataset);
    const size_t size = H5Tget_size(stored);
    char fixed[512] = "";

    CHECK_U64((uint64_t)H5Sget_simple_extent_npoints(space), n);
    CHECK_H5(H5Dread(dataset, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                     H5Tis_variable_str(stored) > 0 ? (void *)found : (void *)fixed));
    for (hsize_t i = 0; i < n; i++) {
        if (H5Tis_variable_str(stored) > 0) {
            CHECK_STR(found[i], labels[i]);
            H5free_memory(found[i]);
        } else {
            char text[64] = "";
            size_t length = stoa_fixed_string_length(fixed + i * size, size, H5Tget_strpad(stored));
            memcpy(text, fixed + i * size, length);
            CHECK_STR(text, labels[i]);
        }
    }
    H5Sclose(space);
    H5Tclose(stored);
    H5Dclose(dataset);
}

/* The number of a text among `n`; *n + 1 of them if it is new. */
static int64_t number_among(char known[][8], int64_t *n, const char *text)
{
    for (int64_t i = 0; i < *n; i++) {
        if (strcmp(known[i], text) == 0) {
            return i;
        }
    }
    memcpy(known[*n], text, strlen(text) + 1);
    return (*n)++;
}

/* The same labels batch after batch, with one that is another, missing or new in between. */
static void batches_of_many_labels_have_the_codes_of_each(void)
{
    enum { N = 200, N_BATCHES = 12 };
    hid_t file;
    const hid_t group = new_group(&file);
    const hid_t type = text_type(0, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    const hid_t dataset = foreign_book(group, type, (const char *[]){"x", "y"}, 2, true);
    char texts[N][8];
    const char *labels[N];
    char known[N + N_BATCHES + 2][8] = {"x", "y"};
    int64_t n_known = 2;
    int64_t codes[N];
    stoa_categories book;

    CHECK_OK(stoa_categories_open(dataset, "x", &book, NULL));
    for (int i = 0; i < N; i++) {
        (void)snprintf(texts[i], sizeof texts[i], "t%03d", (i * 7) % N);
        labels[i] = texts[i];
    }
    for (int k = 0; k < N_BATCHES; k++) {
        if (k % 4 == 2) { /* as long as before */
            (void)snprintf(texts[k * 9], sizeof texts[0], "n%03d", k);
        }
        labels[50] = k % 4 == 3 ? NULL : texts[50];
        const int64_t n = k == 9 ? N - 1 : N;
        CHECK_OK(codes_of(&book, labels, n, codes, NULL));
        for (int64_t i = 0; i < n; i++) {
            CHECK_I64(codes[i], labels[i] != NULL ? number_among(known, &n_known, labels[i]) : -1);
        }
    }
    CHECK_U64(book.labels.count, (uint64_t)n_known);
    stoa_categories_clear(&book);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Gclose(group);
    H5Fclose(file);
}

/* Open a foreign book, let it learn labels, store it: the codes, the labels, and whether the
 * dataset had to be another one. */
static void learn(hid_t type, const void *values, bool grows, const char *label, bool replaced,
                  const char *const *labels)
{
    hid_t file;
    const hid_t group = new_group(&file);
    const hid_t dataset = foreign_book(group, type, values, 2, grows);
    stoa_categories book;
    stoa_error err = STOA_ERROR_INIT;
    int64_t codes[3];

    CHECK_OK(stoa_categories_open(dataset, "x", &book, &err), &err);
    CHECK_OK(codes_of(&book, (const char *[]){labels[1], label, NULL}, 3, codes, &err), &err);
    CHECK_I64(codes[0], 1);
    CHECK_I64(codes[1], 2);
    CHECK_I64(codes[2], -1);
    CHECK_OK(stoa_categories_store(&book, group, "book", &err), &err);
    CHECK_U64(book.was_replaced, replaced);
    CHECK(stoa_same_object(book.dataset, dataset) == !replaced);
    CHECK(stoa_attribute_exists(book.dataset, "ordered"));
    expect_labels(group, (const char *[]){labels[0], labels[1], label}, 3);
    stoa_categories_clear(&book);
    H5Dclose(dataset);
    H5Gclose(group);
    H5Fclose(file);
}

static void labels_that_fit_are_added_where_the_others_are(void)
{
    const char *const texts[] = {"one", "two"};
    const hid_t fixed = text_type(5, H5T_STR_NULLPAD, H5T_CSET_UTF8);
    const hid_t variable = text_type(0, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    const hid_t ascii = text_type(6, H5T_STR_NULLTERM, H5T_CSET_ASCII);

    learn(fixed, "one\0\0two\0\0", true, "three", false, texts);
    learn(variable, texts, true, "a much longer one", false, texts);
    learn(ascii, "one\0\0\0two\0\0\0", true, "three", false, texts);
    H5Tclose(ascii);
    H5Tclose(variable);
    H5Tclose(fixed);
}

static void labels_that_do_not_fit_move_the_book_and_no_code(void)
{
    const char *const texts[] = {"one", "two"};
    const hid_t fixed = text_type(5, H5T_STR_NULLPAD, H5T_CSET_UTF8);
    const hid_t terminated = text_type(5, H5T_STR_NULLTERM, H5T_CSET_UTF8);
    const hid_t spaced = text_type(5, H5T_STR_SPACEPAD, H5T_CSET_UTF8);
    const hid_t ascii = text_type(5, H5T_STR_NULLPAD, H5T_CSET_ASCII);

    learn(fixed, "one\0\0two\0\0", true, "longer", true, texts);
    learn(terminated, "one\0\0two\0\0", true, "three", true, texts); /* no room for its NUL */
    learn(spaced, "one  two  ", true, "x ", true, texts);            /* its space is not padding */
    learn(ascii, "one\0\0two\0\0", true, "é", true, texts);
    learn(fixed, "one\0\0two\0\0", false, "three", true, texts); /* the dataset cannot grow */
    H5Tclose(ascii);
    H5Tclose(spaced);
    H5Tclose(terminated);
    H5Tclose(fixed);
}

static void a_label_that_stands_twice_keeps_the_numbering(void)
{
    hid_t file;
    const hid_t group = new_group(&file);
    const hid_t type = text_type(3, H5T_STR_NULLPAD, H5T_CSET_UTF8);
    const hid_t dataset = foreign_book(group, type, "a\0\0a\0\0b\0\0", 3, true);
    stoa_categories book;
    stoa_error err = STOA_ERROR_INIT;
    int64_t codes[3];

    CHECK_OK(stoa_categories_open(dataset, "x", &book, &err), &err);
    CHECK_OK(codes_of(&book, (const char *[]){"b", "a", "new"}, 3, codes, &err), &err);
    CHECK_I64(codes[0], 2);
    CHECK_I64(codes[1], 0);
    CHECK_I64(codes[2], 3);
    CHECK_OK(stoa_categories_store(&book, group, "book", &err), &err);
    expect_labels(group, (const char *[]){"a", "a", "b", "new"}, 4);
    CHECK_OK(codes_of(&book, (const char *[]){"longer"}, 1, codes, &err), &err);
    CHECK_STATUS(STOA_ELOSS, stoa_categories_store(&book, group, "book", &err), &err);
    CHECK_CONTAINS(err.message, "twice");
    expect_labels(group, (const char *[]){"a", "a", "b", "new"}, 4);
    stoa_categories_clear(&book);
    H5Dclose(dataset);
    H5Tclose(type);
    H5Gclose(group);
    H5Fclose(file);
}

/* Codes of integers, of the kind that `format` says. */
static stoa_status codes_of_numbers(stoa_categories *book, const char *format,
                                    const int64_t *values, int64_t n, int64_t *codes,
                                    stoa_error *err)
{
    batch b = batch_begin(1, n);
    stoa_view view;

    batch_integers(&b, 0, "labels", format, values, NULL);
    CHECK_OK(stoa_view_of(b.schema.children[0], b.array.children[0], &view, NULL));
    const stoa_status status = stoa_categories_codes(book, &view, codes, err);
    stoa_schema_release(&b.schema);
    stoa_array_release(&b.array);
    return status;
}

static void books_of_numbers_take_numbers_of_their_kind_and_nothing_else(void)
{
    for (int grows = 0; grows < 2; grows++) {
        hid_t file;
        const hid_t group = new_group(&file);
        const hid_t dataset =
            foreign_book(group, H5T_STD_I32LE, (int32_t[]){70, 80}, 2, grows == 1);
        stoa_categories book;
        stoa_error err = STOA_ERROR_INIT;
        int64_t codes[2];
        int32_t found[3] = {0};

        CHECK_OK(stoa_categories_open(dataset, "x", &book, &err), &err);
        CHECK_OK(codes_of_numbers(&book, "i", (int64_t[]){80, 90}, 2, codes, &err), &err);
        CHECK_I64(codes[0], 1);
        CHECK_I64(codes[1], 2);
        CHECK_OK(codes_of_numbers(&book, "l", (int64_t[]){90, 80}, 2, codes, &err), &err);
        CHECK_I64(codes[0], 2);
        CHECK_I64(codes[1], 1);
        CHECK_STATUS(STOA_ELOSS,
                     codes_of_numbers(&book, "l", (int64_t[]){80, INT64_MAX}, 2, codes, NULL));
        CHECK_STATUS(STOA_ETYPE, codes_of(&book, (const char *[]){"80"}, 1, codes, NULL));
        CHECK_OK(stoa_categories_store(&book, group, "book", &err), &err);
        CHECK(book.was_replaced == (grows == 0)); /* that dataset has no room */
        CHECK(stoa_same_object(book.dataset, dataset) == (grows == 1));
        CHECK_H5(H5Dread(book.dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_I64(found[0], 70);
        CHECK_I64(found[1], 80);
        CHECK_I64(found[2], 90);
        stoa_categories_clear(&book);
        H5Dclose(dataset);
        H5Gclose(group);
        H5Fclose(file);
    }
}

/* A book of its own, not of a dataset. */
static stoa_categories fresh_book(void)
{
    batch b = batch_begin(1, 1);
    stoa_categories book;

    batch_strings(&b, 0, "labels", (const char *[]){"x"});
    CHECK_OK(stoa_categories_start(b.schema.children[0], &book, NULL));
    stoa_schema_release(&b.schema);
    stoa_array_release(&b.array);
    return book;
}

static void labels_given_by_hand_are_utf8_and_stand_once(void)
{
    hid_t file;
    const hid_t group = new_group(&file);
    stoa_categories book = fresh_book();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_categories_add(&book, (const char *[]){"b", "", "ä"}, 3, &err), &err);
    CHECK_STATUS(STOA_EINVAL, stoa_categories_add(&book, (const char *[]){"c", ""}, 2, &err));
    CHECK_CONTAINS(err.message, "twice");
    CHECK_STATUS(STOA_EINVAL, stoa_categories_add(&book, (const char *[]){"\xc3"}, 1, NULL));
    CHECK_OK(stoa_categories_create(&book, group, &err), &err);
    H5G_info_t info;
    CHECK_H5(H5Gget_info(group, &info));
    CHECK_U64(info.nlinks, 0);
    CHECK_H5(H5Olink(book.dataset, group, "book", H5P_DEFAULT, H5P_DEFAULT));
    expect_labels(group, (const char *[]){"b", "", "ä", "c"}, 4);
    stoa_categories_clear(&book);
    H5Gclose(group);
    H5Fclose(file);
}

static void a_book_without_labels_is_stored_too(void)
{
    hid_t file;
    const hid_t group = new_group(&file);
    stoa_categories book = fresh_book();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_categories_store(&book, group, "book", &err), &err);
    CHECK(!book.was_replaced);
    expect_labels(group, NULL, 0);
    stoa_categories_clear(&book);
    H5Gclose(group);
    H5Fclose(file);
}

static hid_t swept_group = H5I_INVALID_HID;
static hid_t swept_dataset = H5I_INVALID_HID;

static stoa_status open_and_create(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_categories book = {.dataset = H5I_INVALID_HID, .element = {.mem_type = H5I_INVALID_HID}};

    STOA_TRY(stoa_categories_open(swept_dataset, "x", &book, err));
    STOA_TRY(stoa_categories_add(&book, (const char *[]){"three", "four"}, 2, err));
    STOA_TRY(stoa_categories_create(&book, swept_group, err));

done:
    stoa_categories_clear(&book);
    return status;
}

static void a_book_is_made_or_memory_ran_out(void)
{
    hid_t file;
    const hid_t type = text_type(0, H5T_STR_NULLTERM, H5T_CSET_UTF8);

    swept_group = new_group(&file);
    swept_dataset = foreign_book(swept_group, type, (const char *[]){"one", "two"}, 2, true);
    CHECK(sweep_memory(open_and_create) > 5);
    expect_labels(swept_group, (const char *[]){"one", "two"}, 2);
    H5Dclose(swept_dataset);
    H5Gclose(swept_group);
    H5Tclose(type);
    H5Fclose(file);
}

TEST_MAIN(TEST(labels_that_fit_are_added_where_the_others_are),
          TEST(labels_that_do_not_fit_move_the_book_and_no_code),
          TEST(a_label_that_stands_twice_keeps_the_numbering),
          TEST(books_of_numbers_take_numbers_of_their_kind_and_nothing_else),
          TEST(batches_of_many_labels_have_the_codes_of_each),
          TEST(labels_given_by_hand_are_utf8_and_stand_once),
          TEST(a_book_without_labels_is_stored_too), TEST(a_book_is_made_or_memory_ran_out))
