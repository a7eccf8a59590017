/* Boxes of arrays, as NumPy reads slices. For src/layout/common/slice.c. */
#include "layout/common/slice.h"

#include "support/check.h"

static void check_box(const char *text, uint64_t start, uint64_t count)
{
    stoa_array_box box = {.rank = 2, .extent = {10, 7}};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_array_box_parse(text, &box, &err), &err);
    CHECK_U64(box.start[0], start);
    CHECK_U64(box.count[0], count);
    CHECK_U64(box.start[1], 0);
    CHECK_U64(box.count[1], 7);
}

static void a_range_is_cut_to_the_extent(void)
{
    check_box(NULL, 0, 10);
    check_box(":", 0, 10);
    check_box(" 2 : 5 , : ", 2, 3);
    check_box("2:", 2, 8);
    check_box(":-3", 0, 7);
    check_box("-3:", 7, 3);
    check_box("-30:2", 0, 2);
    check_box("8:100", 8, 2);
    check_box("5:2", 5, 0);
    check_box("100:", 10, 0);
}

static void one_position_is_a_range_of_one(void)
{
    check_box("0", 0, 1);
    check_box("9,:", 9, 1);
    check_box("-1", 9, 1);
    check_box("-10", 0, 1);
}

static void other_texts_are_refused(void)
{
    static const char *const wrong[] = {"", "a", "1:2:3", "1:b", ":,", "1,2,3", "1.5", "x:"};
    static const char *const outside[] = {"10", "-11", ":,7", "99999999999"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        stoa_array_box box = {.rank = 2, .extent = {10, 7}};
        stoa_error err = STOA_ERROR_INIT;
        CHECK_STATUS(STOA_EINVAL, stoa_array_box_parse(wrong[i], &box, &err));
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        stoa_array_box box = {.rank = 2, .extent = {10, 7}};
        stoa_error err = STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ERANGE, stoa_array_box_parse(outside[i], &box, &err));
    }
}

TEST_MAIN(TEST(a_range_is_cut_to_the_extent), TEST(one_position_is_a_range_of_one),
          TEST(other_texts_are_refused))
