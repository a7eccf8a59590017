/*
 * Strings and sequences through the public calls for sparse arrays, in section 2 and in the file's
 * global heap, with libhdf5 alone and under the connector; for src/sparse/array/array_vlen*.c.
 */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>
#include <zlib.h>

#include "codec/bytes.h"
#include "hdf/chunk/chunk_list.h"
#include "sparse/array/array.h"
#include "sparse/format/filter.h"
#include "support/check.h"
#include "support/sweep.h"

static const uint64_t extent[] = {10, 10};
static const uint64_t chunk[] = {4, 3};

/* Where the data go, and who has the file open. */
typedef struct way {
    bool in_global_heap;
    bool is_connected;
} way;

static const way ways[] = {{false, false}, {false, true}, {true, false}, {true, true}};
enum { N_WAYS = 4 };

static hid_t make_file(bool is_connected)
{
    const char *path = check_path("v.h5");

    return CHECK_H5(is_connected ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                 : (H5Fcreate)(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

static hid_t open_file(bool is_connected)
{
    const char *path = check_path("v.h5");

    return CHECK_H5(is_connected ? H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)
                                 : (H5Fopen)(path, H5F_ACC_RDWR, H5P_DEFAULT));
}

static hid_t text_type(void)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

static stoa_sparse *make(hid_t file, const char *path, hid_t type, bool in_global_heap)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    options.chunk = chunk;
    options.values = "deflate:1";
    options.heap = in_global_heap ? NULL : "deflate:6";
    options.in_global_heap = in_global_heap;
    CHECK_OK(stoa_sparse_create(file, path, type, 2, extent, &options, NULL, &array, &err), &err);
    return array;
}

/* Six points, two of them at one place, in no order; NULL, and a string of no characters. */
static const uint64_t places[] = {9, 9, 0, 3, 4, 4, 0, 3, 2, 1, 4, 5};
static const char *const words[] = {"walk", "old", "of", "columns", "", NULL};
static const uint64_t sorted_places[] = {0, 3, 2, 1, 4, 4, 4, 5, 9, 9};
static const char *const sorted_words[] = {"columns", "", "of", NULL, "walk"};

static void words_are(stoa_sparse *array, hid_t type, size_t n, const uint64_t *at,
                      const char *const *expected)
{
    stoa_sparse_points points;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_read(array, NULL, NULL, type, &points, &err), &err);
    CHECK_U64(points.n, n);
    CHECK_MEM(points.coordinates, at, n * 2 * sizeof *at);
    char **found = points.values;
    for (size_t i = 0; i < n; i++) {
        CHECK(expected[i] != NULL || found[i] == NULL);
        CHECK(expected[i] == NULL || (found[i] != NULL && strcmp(found[i], expected[i]) == 0));
    }
    CHECK_OK(stoa_sparse_reclaim(array, type, points.n, points.values, &err), &err);
    CHECK(found[0] == NULL);
    CHECK_OK(stoa_sparse_reclaim(array, type, points.n, NULL, &err), &err);
    stoa_sparse_points_clear(&points);
}

/* What is written as points is taken for what lies in the file. */
static void strings_are_no_points(void)
{
    const uint64_t at[] = {1, 2};
    const uint8_t bytes[64] = {0};

    for (int i = 0; i < 2; i++) {
        const hid_t type = text_type();
        const hid_t file = make_file(false);
        stoa_sparse *array = make(file, "x", type, i == 1);
        stoa_error err = STOA_ERROR_INIT;

        CHECK_STATUS(STOA_ETYPE, stoa_points_write(array->store, NULL, 1, at, bytes, &err));
        CHECK_CONTAINS(err.message, "variable length");
        CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        words_are(array, type, 5, sorted_places, sorted_words);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Tclose(type));
    }
}

/* Data too long for their chunk lie in the file's global heap; ten times those of one chunk. */
static void long_data_that_are_replaced_give_their_room_back(void)
{
    enum { N_ROUNDS = 10, N = 5, LENGTH = 40000 };
    static const uint64_t at[2 * N] = {0, 0, 0, 1, 1, 0, 2, 2, 3, 1};
    static char texts[N][LENGTH + 1];
    const char *values[N];

    for (int connected = 0; connected < 2; connected++) {
        const hid_t type = text_type();
        const hid_t file = make_file(connected == 1);
        stoa_sparse *array = make(file, "x", type, false);
        stoa_error err = STOA_ERROR_INIT;
        hsize_t n_bytes = 0;

        for (int round = 0; round < N_ROUNDS; round++) {
            for (size_t k = 0; k < N; k++) {
                for (size_t j = 0; j < LENGTH; j++) {
                    texts[k][j] = (char)(1 + check_random_below(255));
                }
                values[k] = texts[k];
            }
            CHECK_OK(stoa_sparse_write(array, N, at, values, type, &err), &err);
            CHECK_OK(stoa_sparse_commit(array, &err), &err);
            CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
        }
        words_are(array, type, N, at, values);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fget_filesize(file, &n_bytes));
        CHECK(n_bytes > N * LENGTH && n_bytes < 4 * N * LENGTH);
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Tclose(type));
    }
}

static void strings_come_back_wherever_they_are(void)
{
    for (int i = 0; i < N_WAYS; i++) {
        const hid_t type = text_type();
        hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", type, ways[i].in_global_heap);
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        words_are(array, type, 5, sorted_places, sorted_words);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
        for (int connected = 0; connected < 2; connected++) { /* whoever reads */
            file = open_file(connected == 1);
            CHECK_OK(stoa_sparse_open(file, "x", NULL, &array, &err), &err);
            words_are(array, STOA_FILE_NATIVE, 5, sorted_places, sorted_words);
            CHECK_OK(stoa_sparse_commit(array, &err), &err);
            CHECK_H5(H5Fclose(file));
        }
        CHECK_H5(H5Tclose(type));
    }
}

static void a_box_is_read_dense_with_the_fill_value_between(void)
{
    const uint64_t start[] = {2, 1};
    const uint64_t count[] = {3, 5};
    const char *fill = "none";

    for (int i = 0; i < 2; i++) { /* the global heap has no fill value of variable length */
        const hid_t type = text_type();
        const hid_t file = make_file(i == 1);
        stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
        stoa_sparse *array = NULL;
        uint8_t defined[15];
        char *found[15];
        stoa_error err = STOA_ERROR_INIT;

        options.chunk = chunk;
        options.fill = &fill;
        CHECK_OK(stoa_sparse_create(file, "x", type, 2, extent, &options, NULL, &array, &err),
                 &err);
        CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        CHECK_OK(stoa_sparse_read_dense(array, start, count, type, found, defined, &err), &err);
        for (int k = 0; k < 15; k++) {
            const bool is_word = k == 0 || k == 13 || k == 14;
            CHECK_U64(defined[k], is_word);
            CHECK(is_word || strcmp(found[k], "none") == 0);
        }
        CHECK_STR(found[0], "");
        CHECK_STR(found[13], "of");
        CHECK(found[14] == NULL);
        CHECK_OK(stoa_sparse_reclaim(array, type, 15, found, &err), &err);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        options.in_global_heap = true;
        CHECK_STATUS(STOA_EINVAL,
                     stoa_sparse_create(file, "y", type, 2, extent, &options, NULL, &array, NULL));
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Tclose(type));
    }
}

/* --- other types ----------------------------------------------------------------------------- */

static void sequences_are_converted_and_the_callers_stay_his(void)
{
    int numbers[] = {1, -2, 300};
    hvl_t given[] = {{3, numbers}, {0, NULL}, {1, numbers + 1}};
    const uint64_t at[] = {0, 0, 0, 1, 0, 2};
    const hid_t stored = CHECK_H5(H5Tvlen_create(H5T_STD_I16BE));
    const hid_t memory = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT));

    for (int i = 0; i < N_WAYS; i++) {
        const hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", stored, ways[i].in_global_heap);
        stoa_sparse_points points;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_sparse_write(array, 3, at, given, memory, &err), &err);
        CHECK(given[0].p == numbers && numbers[0] == 1 && numbers[1] == -2 && numbers[2] == 300);
        CHECK_OK(stoa_sparse_read(array, NULL, NULL, memory, &points, &err), &err);
        CHECK_U64(points.n, 3); /* the empty one, too */
        const hvl_t *found = points.values;
        CHECK_U64(found[0].len, 3);
        CHECK_MEM(found[0].p, numbers, sizeof numbers);
        CHECK_U64(found[1].len, 0);
        CHECK_U64(found[2].len, 1);
        CHECK_I64(*(const int *)found[2].p, -2);
        CHECK_OK(stoa_sparse_reclaim(array, memory, points.n, points.values, &err), &err);
        stoa_sparse_points_clear(&points);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(memory));
    CHECK_H5(H5Tclose(stored));
}

typedef struct record {
    double weight;
    const char *name;
    hvl_t tags; /* of char * */
} record;

static hid_t record_type(void)
{
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(record)));
    const hid_t text = text_type();
    const hid_t tags = CHECK_H5(H5Tvlen_create(text));

    CHECK_H5(H5Tinsert(type, "weight", offsetof(record, weight), H5T_NATIVE_DOUBLE));
    CHECK_H5(H5Tinsert(type, "name", offsetof(record, name), text));
    CHECK_H5(H5Tinsert(type, "tags", offsetof(record, tags), tags));
    CHECK_H5(H5Tclose(tags));
    CHECK_H5(H5Tclose(text));
    return type;
}

static void records_with_sequences_of_strings_come_back(void)
{
    const char *tags[] = {"north", NULL, "stoa"};
    const record given[] = {{0.5, "a", {3, tags}}, {2, NULL, {0, NULL}}};
    const uint64_t at[] = {9, 9, 1, 1};
    const hid_t type = record_type();

    for (int i = 0; i < N_WAYS; i++) {
        const hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", type, ways[i].in_global_heap);
        stoa_sparse_points points;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_sparse_write(array, 2, at, given, type, &err), &err);
        CHECK_OK(stoa_sparse_read(array, NULL, NULL, type, &points, &err), &err);
        CHECK_U64(points.n, 2);
        const record *found = points.values;
        CHECK_F64(found[0].weight, 2);
        CHECK(found[0].name == NULL);
        CHECK_U64(found[0].tags.len, 0);
        CHECK_F64(found[1].weight, 0.5);
        CHECK_STR(found[1].name, "a");
        CHECK_U64(found[1].tags.len, 3);
        char *const *found_tags = found[1].tags.p;
        CHECK_STR(found_tags[0], "north");
        CHECK(found_tags[1] == NULL);
        CHECK_STR(found_tags[2], "stoa");
        CHECK_OK(stoa_sparse_reclaim(array, type, points.n, points.values, &err), &err);
        stoa_sparse_points_clear(&points);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

static void what_does_not_fit_is_refused_and_nothing_is_written(void)
{
    const uint64_t outside[] = {1, 1, 10, 0};
    const hid_t type = text_type();

    for (int i = 0; i < N_WAYS; i++) {
        const hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", type, ways[i].in_global_heap);
        stoa_sparse_points points;
        stoa_sparse_info info = STOA_SPARSE_INFO_INIT;

        CHECK_STATUS(STOA_ERANGE, stoa_sparse_write(array, 2, outside, words, type, NULL));
        CHECK_STATUS(STOA_ETYPE, stoa_sparse_write(array, 1, places, words, H5T_NATIVE_INT, NULL));
        CHECK_STATUS(STOA_EINVAL, stoa_sparse_write(array, 1, places, NULL, type, NULL));
        CHECK_STATUS(STOA_ETYPE,
                     stoa_sparse_append(array, 3, 1, places + 2, words, H5T_NATIVE_INT, NULL));
        CHECK_STATUS(STOA_ERANGE, stoa_sparse_append(array, 1, 1, outside + 2, words, type, NULL));
        CHECK_OK(stoa_sparse_describe(array, &info, NULL));
        CHECK_U64(info.n_defined, 0);
        CHECK_U64(info.extent[0], 10);
        CHECK_OK(stoa_sparse_write(array, 1, places, words, type, NULL));
        CHECK_STATUS(STOA_ETYPE,
                     stoa_sparse_read(array, NULL, NULL, H5T_NATIVE_INT, &points, NULL));
        CHECK_OK(stoa_sparse_commit(array, NULL));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

static void references_beside_them_are_refused(void)
{
    const hid_t file = make_file(false);
    const hid_t text = text_type();
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8 + sizeof(H5R_ref_t)));
    stoa_sparse *array = NULL;

    CHECK_H5(H5Tinsert(type, "text", 0, text));
    CHECK_H5(H5Tinsert(type, "object", 8, H5T_STD_REF));
    CHECK_STATUS(STOA_ETYPE,
                 stoa_sparse_create(file, "x", type, 2, extent, NULL, NULL, &array, NULL));
    CHECK(H5Lexists(file, "x", H5P_DEFAULT) == 0);
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Fclose(file));
}

/* --- edits ----------------------------------------------------------------------------------- */

/* Whether the filter of a dataset takes its elements for so large. */
static bool claims(hid_t file, const char *name, size_t size)
{
    const hid_t dataset = (hid_t)CHECK_H5(H5Dopen2(file, name, H5P_DEFAULT));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Dget_create_plist(dataset));
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_format_of_list(dcpl, &format, &err), &err);
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(dataset));
    return format.element_size == size;
}

/* A filter's parameters may claim any size of what an element refers by. libhdf5 2 tells the filter
 * the right one when it makes a dataset, so that nothing is wrong there. */
static void references_of_another_size_than_the_files_are_refused(void)
{
    static const size_t sizes[] = {8, 24};
    const hsize_t all[] = {extent[0], extent[1]};
    const hsize_t part[] = {chunk[0], chunk[1]};
    const hid_t file = make_file(false); /* the connector would set them */
    const hid_t type = text_type();
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(2, all, NULL));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    for (int i = 0; i < 2; i++) {
        stoa_sparse_format format = {.is_sparse = true, .has_references = true};
        stoa_sparse *array = NULL;
        const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        const char *const name = i == 0 ? "short" : "long";
        CHECK_H5(H5Pset_chunk(dcpl, 2, part));
        CHECK_OK(stoa_sparse_format_bind(&format, dcpl, type, sizes[i], &err), &err);
        CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, &err), &err);
        CHECK_H5(H5Dclose(
            (hid_t)CHECK_H5(H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
        CHECK_OK(stoa_sparse_open(file, name, NULL, &array, &err), &err);
        if (claims(file, name, sizes[i])) {
            CHECK_STATUS(STOA_EDATA, stoa_sparse_write(array, 6, places, words, type, &err));
            CHECK_CONTAINS(err.message, "parameters of the filter are not those of the dataset");
        } else {
            CHECK(H5_VERSION_GE(2, 0, 0));
            CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        }
        stoa_sparse_close(array);
        CHECK_H5(H5Pclose(dcpl));
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
}

static void elements_are_replaced_erased_and_appended(void)
{
    const uint64_t erased[] = {4, 4, 7, 7};
    const uint64_t new_places[] = {2, 0, 0, 9};
    const char *const new_words[] = {"last", "first"};
    const uint64_t start[] = {9, 0};
    const uint64_t count[] = {1, 10};
    const uint64_t left[] = {0, 3, 2, 1, 4, 5, 10, 9, 12, 0};
    const char *const left_words[] = {"columns", "", NULL, "first", "last"};
    const hid_t type = text_type();

    for (int i = 0; i < N_WAYS; i++) {
        const hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", type, ways[i].in_global_heap);
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        CHECK_OK(stoa_sparse_flush(array, &err), &err);
        CHECK_OK(stoa_sparse_append(array, 3, 2, new_places, new_words, type, &err), &err);
        CHECK_OK(stoa_sparse_erase(array, 2, erased, &err), &err);
        CHECK_OK(stoa_sparse_erase_box(array, start, count, &err), &err);
        words_are(array, type, 5, left, left_words);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

typedef struct visited {
    size_t most; /* then it stops */
    size_t n_parts;
    size_t n;
    uint64_t places[12];
    char words[6][16];
} visited;

static bool note(void *context, const stoa_sparse_part *part)
{
    visited *v = context;

    v->n_parts++;
    CHECK(part->offset[0] % chunk[0] == 0 && part->offset[1] % chunk[1] == 0);
    for (uint64_t i = 0; i < part->n; i++, v->n++) {
        const char *word = ((char *const *)part->values)[i];
        memcpy(v->places + 2 * v->n, part->coordinates + 2 * i, 2 * sizeof(uint64_t));
        (void)snprintf(v->words[v->n], 16, "%s", word != NULL ? word : "-");
    }
    return v->n < v->most;
}

static void chunks_are_visited_one_by_one(void)
{
    const uint64_t start[] = {0, 1};
    const uint64_t count[] = {9, 9};
    const uint64_t expected[] = {2, 1, 0, 3, 4, 4, 4, 5}; /* chunk by chunk */
    const hid_t type = text_type();

    for (int i = 0; i < N_WAYS; i++) {
        const hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", type, ways[i].in_global_heap);
        visited v = {.most = 5};
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        CHECK_OK(stoa_sparse_visit(array, start, count, type, note, &v, &err), &err);
        CHECK_U64(v.n_parts, 3);
        CHECK_U64(v.n, 4);
        CHECK_MEM(v.places, expected, sizeof expected);
        CHECK_STR(v.words[0], "");
        CHECK_STR(v.words[1], "columns");
        CHECK_STR(v.words[2], "of");
        CHECK_STR(v.words[3], "-");
        v = (visited){.most = 5};
        CHECK_STATUS(STOA_ECANCELLED, stoa_sparse_visit(array, NULL, NULL, type, note, &v, &err));
        CHECK_U64(v.n, 5);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

static void arrays_are_merged_wherever_their_data_are(void)
{
    const uint64_t more_places[] = {0, 3, 8, 8};
    const char *const more_words[] = {"new", ""};
    const uint64_t at[] = {0, 3, 2, 1, 4, 4, 4, 5, 8, 8, 9, 9};
    const char *const expected[] = {"new", "", "of", NULL, "", "walk"};
    const hid_t type = text_type();

    for (int i = 0; i < N_WAYS; i++) {
        for (int heap = 0; heap < 2; heap++) {
            const hid_t file = make_file(ways[i].is_connected);
            stoa_sparse *to = make(file, "x", type, ways[i].in_global_heap);
            stoa_sparse *from = make(file, "y", type, heap == 1);
            stoa_error err = STOA_ERROR_INIT;

            CHECK_OK(stoa_sparse_write(to, 6, places, words, type, &err), &err);
            CHECK_OK(stoa_sparse_write(from, 2, more_places, more_words, type, &err), &err);
            CHECK_OK(stoa_sparse_merge(to, from, &err), &err);
            CHECK_OK(stoa_sparse_commit(from, &err), &err);
            words_are(to, type, 6, at, expected);
            CHECK_OK(stoa_sparse_commit(to, &err), &err);
            CHECK_H5(H5Fclose(file));
        }
    }
    CHECK_H5(H5Tclose(type));
}

static void numbers_and_strings_do_not_merge(void)
{
    const hid_t type = text_type();
    const hid_t file = make_file(false);
    stoa_sparse *text = make(file, "x", type, false);
    stoa_sparse *number = NULL;
    const int one = 1;

    CHECK_OK(stoa_sparse_create(file, "n", H5T_STD_I32LE, 2, extent, NULL, NULL, &number, NULL));
    CHECK_OK(stoa_sparse_write(number, 1, places, &one, H5T_NATIVE_INT, NULL));
    CHECK_OK(stoa_sparse_write(text, 1, places, words, type, NULL));
    CHECK_STATUS(STOA_ETYPE, stoa_sparse_merge(text, number, NULL));
    CHECK_STATUS(STOA_ETYPE, stoa_sparse_merge(number, text, NULL));
    CHECK_OK(stoa_sparse_commit(text, NULL));
    CHECK_OK(stoa_sparse_commit(number, NULL));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Tclose(type));
}

static void an_array_is_copied_where_that_can_be(void)
{
    const hid_t type = text_type();

    for (int i = 0; i < N_WAYS; i++) {
        const hid_t file = make_file(ways[i].is_connected);
        stoa_sparse *array = make(file, "x", type, ways[i].in_global_heap);
        stoa_sparse *copy = NULL;
        stoa_error err = STOA_ERROR_INIT;

        CHECK_OK(stoa_sparse_write(array, 6, places, words, type, &err), &err);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        CHECK_STATUS(STOA_ENOTFOUND, stoa_sparse_copy(file, "y", file, "z", NULL));
        CHECK_STATUS(STOA_ELAYOUT, stoa_sparse_copy(file, "/", file, "z", NULL));
        if (!ways[i].is_connected) {
            CHECK_STATUS(STOA_ETYPE, stoa_sparse_copy(file, "x", file, "z", &err));
            CHECK_CONTAINS(err.message, "stoa_sparse_file_open()");
        } else {
            CHECK_STATUS(STOA_EEXISTS, stoa_sparse_copy(file, "x", file, "x", NULL));
            CHECK_OK(stoa_sparse_copy(file, "x", file, "deep/z", &err), &err);
            CHECK_OK(stoa_sparse_open(file, "deep/z", NULL, &copy, &err), &err);
            words_are(copy, type, 5, sorted_places, sorted_words);
            CHECK_OK(stoa_sparse_commit(copy, &err), &err);
        }
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(type));
}

/* --- others see the same --------------------------------------------------------------------- */

static void in_the_global_heap_libhdf5_reads_what_was_written(void)
{
    const hid_t type = text_type();
    hid_t file = make_file(false);
    stoa_sparse *array = make(file, "x", type, true);
    char *found[100];

    CHECK_OK(stoa_sparse_write(array, 6, places, words, type, NULL));
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
    file = open_file(false);
    const hid_t dset = CHECK_H5((H5Dopen2)(file, "x", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dset));
    CHECK_H5((H5Dread)(dset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (size_t i = 0, k = 0; i < 100; i++) {
        const bool is_word = k < 5 && sorted_places[2 * k] * 10 + sorted_places[2 * k + 1] == i;
        const char *expected = is_word ? sorted_words[k++] : NULL;
        CHECK(expected != NULL || found[i] == NULL);
        CHECK(expected == NULL || (found[i] != NULL && strcmp(found[i], expected) == 0));
    }
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Tclose(type));
}

/* Under the connector both sides have one cache. */
static void dataset_and_array_see_each_others_edits(void)
{
    const hid_t type = text_type();
    const hid_t file = make_file(true);
    stoa_sparse *array = make(file, "x", type, false);
    const hid_t dset = CHECK_H5(H5Dopen(file, "x", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dset));
    const hsize_t at[] = {9, 9};
    const char *changed = "changed";
    const char *const expected[] = {"columns", "", "of", NULL, "changed"};
    char *found = NULL;

    CHECK_OK(stoa_sparse_write(array, 6, places, words, type, NULL));
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, at));
    CHECK_H5(H5Dread(dset, type, H5S_BLOCK, space, H5P_DEFAULT, &found));
    CHECK_STR(found, "walk");
    free(found);
    CHECK_H5(H5Dwrite(dset, type, H5S_BLOCK, space, H5P_DEFAULT, &changed));
    words_are(array, type, 5, sorted_places, expected);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dset));
    CHECK_OK(stoa_sparse_commit(array, NULL));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Tclose(type));
}

/* --- hostile sections ------------------------------------------------------------------------ */

/* A chunk of unfiltered sections as docs/sparse-format.md §3 has it, with its numbers below 128. */
typedef struct forged {
    uint8_t bytes[256];
    size_t n;
    size_t n_sections[3];
    size_t values; /* where section 1 begins */
} forged;

static void take_apart(forged *f)
{
    const size_t header = 16;

    for (size_t i = 0; i < 3; i++) {
        f->n_sections[i] = f->bytes[7 + 3 * i];
    }
    f->values = header + 12 + f->n_sections[0];
    CHECK_U64(f->values + f->n_sections[1] + f->n_sections[2], f->n);
}

static void sign(forged *f)
{
    uLong sum = crc32(0, f->bytes, 16);

    sum = crc32(sum, f->bytes + 28, (uInt)f->n_sections[0]);
    stoa_put_le32(f->bytes + 16, (uint32_t)sum);
    stoa_put_le32(f->bytes + 20, (uint32_t)crc32(0, f->bytes + f->values, (uInt)f->n_sections[1]));
    const size_t heap = f->values + f->n_sections[1];
    stoa_put_le32(f->bytes + 24, (uint32_t)crc32(0, f->bytes + heap, (uInt)(f->n - heap)));
}

static stoa_status read_forged(hid_t file, const forged *f)
{
    const hsize_t offset[2] = {0, 0};
    const hid_t type = text_type();
    const hid_t dset = CHECK_H5((H5Dopen2)(file, "x", H5P_DEFAULT));
    stoa_sparse *array = NULL;
    stoa_sparse_points points = {.n = 0};
    visited v = {.most = 7};

    CHECK_H5((H5Dwrite_chunk)(dset, H5P_DEFAULT, 0, offset, f->n, f->bytes));
    CHECK_OK(stoa_sparse_open_dataset(dset, NULL, &array, NULL));
    const stoa_status status = stoa_sparse_read(array, NULL, NULL, type, &points, NULL);
    if (status == STOA_OK) {
        CHECK_OK(stoa_sparse_reclaim(array, type, points.n, points.values, NULL));
        stoa_sparse_points_clear(&points);
    }
    CHECK_STATUS(status, stoa_sparse_visit(array, NULL, NULL, type, note, &v, NULL));
    CHECK_STATUS(status, stoa_sparse_write(array, 1, (const uint64_t[]){1, 1}, words, type, NULL));
    stoa_sparse_close(array);
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Tclose(type));
    return status;
}

static void sections_that_contradict_each_other_are_refused(void)
{
    const uint64_t at[] = {0, 0, 1, 2, 3, 1};
    const char *const given[] = {"walk", "", "of columns"};
    const hsize_t offset[2] = {0, 0};
    const hid_t type = text_type();
    const hid_t file = make_file(false);
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    forged good = {.n = 0};
    hsize_t n = 0;
    uint32_t mask = 0;

    options.chunk = chunk;
    CHECK_OK(stoa_sparse_create(file, "x", type, 2, extent, &options, NULL, &array, NULL));
    CHECK_OK(stoa_sparse_write(array, 3, at, given, type, NULL));
    CHECK_OK(stoa_sparse_commit(array, NULL));
    const hid_t dset = CHECK_H5((H5Dopen2)(file, "x", H5P_DEFAULT));
    CHECK_H5(H5Dget_chunk_storage_size(dset, offset, &n));
    CHECK(n <= sizeof good.bytes);
    good.n = (size_t)n;
    CHECK_H5(stoa_raw_chunk_read(dset, offset, good.n, good.bytes, &mask));
    CHECK_H5(H5Dclose(dset));
    take_apart(&good);
    CHECK_U64(good.n_sections[1], 12);
    CHECK_U64(good.n_sections[2], 14);
    sign(&good); /* nothing changes */
    CHECK_STATUS(STOA_OK, read_forged(file, &good));
    for (size_t i = 0; i < 12; i++) { /* every length, wrong in each of its bits */
        for (int bit = 0; bit < 8; bit++) {
            forged bad = good;
            bad.bytes[bad.values + i] ^= (uint8_t)(1 << bit);
            sign(&bad);
            /* NULL instead of "": no other length comes out at the same sum */
            CHECK_STATUS(i == 4 && bit == 0 ? STOA_OK : STOA_EDATA, read_forged(file, &bad));
        }
    }
    for (uint8_t length = 0; length < 14; length++) { /* every section 2 that is too short */
        forged bad = good;
        bad.bytes[13] = length;
        bad.bytes[14] = length;
        bad.n = bad.values + 12 + length;
        sign(&bad);
        CHECK_STATUS(STOA_EDATA, read_forged(file, &bad));
    }
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Tclose(type));
}

/* --- memory that runs out -------------------------------------------------------------------- */

static stoa_status use(stoa_sparse *array, stoa_sparse *other, hid_t type, stoa_error *err)
{
    const uint64_t new_place[] = {0, 9};
    stoa_sparse_points points = {.n = 0};
    visited v = {.most = 7};
    char *dense[110] = {NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_write(array, 4, places, words, type, err));
    STOA_TRY(stoa_sparse_write(other, 6, places, words, type, err));
    STOA_TRY(stoa_sparse_merge(array, other, err));
    STOA_TRY(stoa_sparse_append(array, 1, 1, new_place, words, type, err));
    STOA_TRY(stoa_sparse_erase(array, 1, places, err));
    STOA_TRY(stoa_sparse_visit(array, NULL, NULL, type, note, &v, err));
    STOA_TRY(stoa_sparse_read_dense(array, NULL, NULL, type, dense, NULL, err));
    while (stoa_sparse_reclaim(array, type, 110, dense, NULL) != STOA_OK) {
        status = stoa_fail_memory(err); /* the next time it comes through */
    }
    STOA_TRY(status);
    STOA_TRY(stoa_sparse_read(array, NULL, NULL, type, &points, err));
    while (stoa_sparse_reclaim(array, type, points.n, points.values, NULL) != STOA_OK) {
        status = stoa_fail_memory(err);
    }
    stoa_sparse_points_clear(&points);

done:
    return status;
}

static stoa_status sweep(bool in_global_heap, stoa_error *err)
{
    const hid_t file = make_file(false);
    const hid_t type = text_type();
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse_access access = STOA_SPARSE_ACCESS_INIT;
    stoa_sparse *array = NULL;
    stoa_sparse *other = NULL;
    stoa_status status = STOA_OK;

    options.chunk = chunk;
    options.in_global_heap = in_global_heap;
    access.threads = 1;
    access.cache_bytes = 1;
    STOA_TRY(stoa_sparse_create(file, "x", type, 2, extent, &options, &access, &array, err));
    STOA_TRY(stoa_sparse_create(file, "y", type, 2, extent, &options, &access, &other, err));
    STOA_TRY(use(array, other, type, err));

done:
    stoa_sparse_close(other);
    if (status == STOA_OK) {
        status = stoa_sparse_commit(array, err);
    } else {
        stoa_sparse_close(array);
    }
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Fclose(file));
    return status;
}

/* libhdf5 does not hand on why our filter has failed: reading the global heap, and in 2.x making a
 * dataset. */
static stoa_status by_the_reason(stoa_status status, stoa_error *err)
{
    if (status == STOA_EHDF5) {
        err->status = STOA_ENOMEM;
    }
    return status == STOA_EHDF5 ? STOA_ENOMEM : status;
}

static stoa_status in_sections(stoa_error *err)
{
    return by_the_reason(sweep(false, err), err);
}

static stoa_status in_global_heap(stoa_error *err)
{
    return by_the_reason(sweep(true, err), err);
}

static void memory_may_run_out_anywhere(void)
{
    CHECK(sweep_memory(in_sections) > 50);
    CHECK(sweep_memory(in_global_heap) > 50);
}

TEST_MAIN(TEST(strings_are_no_points), TEST(long_data_that_are_replaced_give_their_room_back),
          TEST(strings_come_back_wherever_they_are),
          TEST(a_box_is_read_dense_with_the_fill_value_between),
          TEST(sequences_are_converted_and_the_callers_stay_his),
          TEST(records_with_sequences_of_strings_come_back),
          TEST(what_does_not_fit_is_refused_and_nothing_is_written),
          TEST(references_beside_them_are_refused),
          TEST(references_of_another_size_than_the_files_are_refused),
          TEST(elements_are_replaced_erased_and_appended), TEST(chunks_are_visited_one_by_one),
          TEST(arrays_are_merged_wherever_their_data_are), TEST(numbers_and_strings_do_not_merge),
          TEST(an_array_is_copied_where_that_can_be),
          TEST(in_the_global_heap_libhdf5_reads_what_was_written),
          TEST(dataset_and_array_see_each_others_edits),
          TEST(sections_that_contradict_each_other_are_refused), TEST(memory_may_run_out_anywhere))
