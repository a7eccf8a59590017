/* Which kind of index is advised (src/index/advise.c), for columns made to the rule's words. */
#include <stdlib.h>

#include "one_column.h"

enum { N = 100000 };

typedef int32_t (*generator)(uint32_t row);

static int32_t rising(uint32_t row)
{
    return (int32_t)row / 3;
}
static int32_t few(uint32_t row)
{
    return (int32_t)(row * 2654435761u >> 16) % 50;
}
static int32_t unique(uint32_t row)
{
    return (int32_t)(row * 2654435761u & 0x7fffffff);
}
static int32_t some(uint32_t row)
{
    return (int32_t)(row * 2654435761u >> 16) % 5000;
}
/* Each of the windows that are looked at rises, or falls, through the values of all of them. */
enum { STEP = N / 32 };
static int32_t rising_anew(uint32_t row)
{
    return (int32_t)(row / STEP + row % STEP * 32);
}
static int32_t falling_anew(uint32_t row)
{
    return (int32_t)(row / STEP + (STEP - row % STEP) * 32);
}
static int32_t missing(uint32_t row)
{
    (void)row;
    return -1;
}

static void check_advice(hid_t file_type, generator of, const char *kind)
{
    int32_t *rows = malloc(N * sizeof *rows);
    stoa_error err = STOA_ERROR_INIT;
    const char *found = "nothing";

    for (uint32_t i = 0; i < N; i++) {
        rows[i] = of(i);
    }
    one_column made = one_column_make(&(one_column_spec){.file_type = file_type,
                                                         .mem_type = H5T_NATIVE_INT32,
                                                         .fill = &(int32_t){-1},
                                                         .values = rows,
                                                         .extent = N,
                                                         .n_rows = N,
                                                         .chunk_rows = 1024});
    CHECK_OK(stoa_index_advise(made.table, "x", &found, &err), &err);
    CHECK_STR(found, kind);
    one_column_free(&made);
    free(rows);
}

/* "sorted" where there is that kind, min/max where not. */
static const char *sorted_or_minmax(void)
{
    return stoa_index_kind_find("sorted") != NULL ? "sorted" : "minmax";
}

static void numbers_are_judged_by_order_and_repetition(void)
{
    check_advice(H5T_STD_I32LE, rising, "minmax");
    check_advice(H5T_STD_I32LE, few, "bitmap");
    check_advice(H5T_STD_I32LE, some, "minmax");
    check_advice(H5T_STD_I32LE, unique, sorted_or_minmax());
    check_advice(H5T_STD_I32LE, missing, "minmax");
    check_advice(H5T_IEEE_F64LE, unique, "minmax");
}

static void rows_that_begin_apart_and_overlap_are_in_no_order(void)
{
    check_advice(H5T_STD_I32LE, rising_anew, sorted_or_minmax());
    check_advice(H5T_STD_I32LE, falling_anew, sorted_or_minmax());
}

static void strings_get_a_bloom_index_where_they_hardly_repeat(void)
{
    enum { SIZE = 8, ROWS = 20000 };
    char *rows = calloc(ROWS, SIZE);
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const char *found = NULL;

    CHECK_H5(H5Tset_size(text, SIZE));
    for (int random = 0; random < 2; random++) {
        for (uint32_t i = 0; i < ROWS; i++) {
            uint32_t number = random ? (uint32_t)unique(i) : i;
            for (int k = SIZE - 2; k >= 0; k--, number /= 10) {
                rows[i * SIZE + (uint32_t)k] = (char)('0' + number % 10);
            }
        }
        one_column made = one_column_make(&(one_column_spec){.file_type = text,
                                                             .fill = "\0\0\0\0\0\0\0",
                                                             .values = rows,
                                                             .extent = ROWS,
                                                             .n_rows = ROWS,
                                                             .chunk_rows = 1024});
        CHECK_OK(stoa_index_advise(made.table, "x", &found, NULL));
        CHECK_STR(found, random ? "bloom" : "minmax");
        one_column_free(&made);
    }
    CHECK_H5(H5Tclose(text));
    free(rows);
}

static void an_enum_gets_a_bitmap_and_an_array_nothing(void)
{
    const hid_t colour = CHECK_H5(H5Tenum_create(H5T_NATIVE_INT32));
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT, 1, &(hsize_t){2}));
    const int32_t rows[] = {1, 2, 1, 1};
    const char *found = NULL;

    CHECK_H5(H5Tenum_insert(colour, "red", &(int32_t){1}));
    CHECK_H5(H5Tenum_insert(colour, "blue", &(int32_t){2}));
    one_column made = one_column_make(&(one_column_spec){
        .file_type = colour, .fill = &(int32_t){0}, .values = rows, .extent = 4, .n_rows = 4});
    CHECK_OK(stoa_index_advise(made.table, "x", &found, NULL));
    CHECK_STR(found, "bitmap");
    one_column_free(&made);
    made = one_column_make(&(one_column_spec){
        .file_type = array, .fill = rows, .values = rows, .extent = 2, .n_rows = 2});
    CHECK_OK(stoa_index_advise(made.table, "x", &found, NULL));
    CHECK(found == NULL);
    one_column_free(&made);
    CHECK_H5(H5Tclose(array));
    CHECK_H5(H5Tclose(colour));
}

static void a_column_that_is_not_there_is_named(void)
{
    one_column made = one_column_make(&(one_column_spec){
        .file_type = H5T_NATIVE_INT32, .fill = &(int32_t){0}, .extent = 0, .n_rows = 0});
    stoa_error err = STOA_ERROR_INIT;
    const char *found = NULL;

    CHECK_STATUS(STOA_ENOTFOUND, stoa_index_advise(made.table, "y", &found, &err));
    CHECK_CONTAINS(err.message, "'y'");
    CHECK_OK(stoa_index_advise(made.table, "x", &found, NULL));
    CHECK_STR(found, "minmax");
    one_column_free(&made);
}

TEST_MAIN(TEST(numbers_are_judged_by_order_and_repetition),
          TEST(rows_that_begin_apart_and_overlap_are_in_no_order),
          TEST(strings_get_a_bloom_index_where_they_hardly_repeat),
          TEST(an_enum_gets_a_bitmap_and_an_array_nothing),
          TEST(a_column_that_is_not_there_is_named))
