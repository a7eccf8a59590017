/*
 * Selections of every kind walked as runs, and dataspaces made of scattered elements, against marks
 * in memory, for src/sparse/store/selection.c (sparse fact sheet §11, 3 and 10).
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/store/selection.h"
#include "support/check.h"

enum { MAX_RANK = 4 };

typedef struct grid {
    int rank;
    hsize_t extent[MAX_RANK];
    uint64_t n;
    hid_t space;
} grid;

static grid any_grid(void)
{
    grid g = {.rank = 1 + (int)check_random_below(MAX_RANK), .n = 1};

    for (int i = 0; i < g.rank; i++) {
        g.extent[i] = 1 + check_random_below(g.rank == 1 ? 200 : 9);
        g.n *= g.extent[i];
    }
    g.space = CHECK_H5(H5Screate_simple(g.rank, g.extent, NULL));
    return g;
}

static void any_box(const grid *g, hid_t space, H5S_seloper_t how)
{
    hsize_t start[MAX_RANK], stride[MAX_RANK], count[MAX_RANK], block[MAX_RANK];

    for (int i = 0; i < g->rank; i++) {
        start[i] = check_random_below(g->extent[i]);
        block[i] = 1 + check_random_below(g->extent[i] - start[i]);
        stride[i] = block[i] + check_random_below(3);
        count[i] = 1 + check_random_below((g->extent[i] - start[i] - block[i]) / stride[i] + 1);
    }
    CHECK_H5(H5Sselect_hyperslab(space, how, start, stride, count, block));
}

static void any_points(const grid *g, hid_t space)
{
    const size_t n = 1 + check_random_below(30);
    hsize_t points[30 * MAX_RANK];

    for (size_t i = 0; i < n * (size_t)g->rank; i++) {
        points[i] = check_random_below(g->extent[i % (size_t)g->rank]);
    }
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, n, points));
}

static void any_selection(const grid *g, hid_t space)
{
    switch (check_random_below(5)) {
    case 0:
        CHECK_H5(H5Sselect_all(space));
        break;
    case 1:
        CHECK_H5(H5Sselect_none(space));
        break;
    case 2:
        any_points(g, space);
        break;
    case 3:
        any_box(g, space, H5S_SELECT_SET);
        break;
    default:
        any_box(g, space, H5S_SELECT_SET);
        any_box(g, space, H5S_SELECT_OR);
        any_box(g, space, H5S_SELECT_NOTB);
        any_box(g, space, H5S_SELECT_OR);
        break;
    }
}

/* The elements in the order in which libhdf5 itself would take them: gathered from their numbers.
 */
static uint64_t *expected_of(const grid *g, hid_t space, size_t *n)
{
    uint64_t *numbers = malloc(g->n * sizeof *numbers);
    uint64_t *found = malloc(1000 * g->n + 1000);
    size_t n_bytes = 0;

    for (uint64_t i = 0; i < g->n; i++) {
        numbers[i] = i;
    }
    *n = (size_t)CHECK_H5(H5Sget_select_npoints(space));
    n_bytes = *n * sizeof *found;
    if (*n > 0) {
        CHECK_H5(H5Dgather(space, numbers, H5T_NATIVE_UINT64, n_bytes, found, NULL, NULL));
    }
    free(numbers);
    return found;
}

static void a_walk_sees_what_libhdf5_sees(void)
{
    for (uint64_t i = 0; i < check_n_cases(2000); i++) {
        grid g = any_grid();
        size_t n = 0;
        size_t seen = 0;
        stoa_selection_walk walk = STOA_SELECTION_WALK_INIT;
        stoa_error err = STOA_ERROR_INIT;

        any_selection(&g, g.space);
        uint64_t *expected = expected_of(&g, g.space, &n);
        CHECK_OK(stoa_selection_begin(&walk, g.space, &err), &err);
        for (uint64_t first = 0, length = 0;;) {
            CHECK_OK(stoa_selection_next(&walk, &first, &length, &err), &err);
            if (length == 0) {
                break;
            }
            for (uint64_t j = 0; j < length; j++) {
                CHECK(seen < n);
                CHECK_U64(first + j, expected[seen++]);
            }
        }
        CHECK_U64(seen, n);
        CHECK_OK(stoa_selection_end(&walk, STOA_OK, &err), &err);
        free(expected);
        CHECK_H5(H5Sclose(g.space));
    }
}

static void a_walk_gives_elements_in_any_portions(void)
{
    for (uint64_t i = 0; i < check_n_cases(2000); i++) {
        grid g = any_grid();
        size_t n = 0;
        stoa_selection_walk walk = STOA_SELECTION_WALK_INIT;
        stoa_error err = STOA_ERROR_INIT;
        uint64_t past = 0;

        any_selection(&g, g.space);
        uint64_t *expected = expected_of(&g, g.space, &n);
        uint64_t *found = malloc((n + 1) * sizeof *found);
        CHECK_OK(stoa_selection_begin(&walk, g.space, &err), &err);
        for (size_t done = 0, some = 0; done < n; done += some) {
            some = 1 + check_random_below(n - done);
            CHECK_OK(stoa_selection_elements(&walk, some, found + done, &err), &err);
        }
        CHECK_MEM(found, expected, n * sizeof *found);
        CHECK_U64(stoa_selection_elements(&walk, 1, &past, &err), STOA_EINVAL);
        CHECK_OK(stoa_selection_end(&walk, STOA_OK, &err), &err);
        free(expected);
        free(found);
        CHECK_H5(H5Sclose(g.space));
    }
}

static void an_offset_moves_the_walk(void)
{
    const hsize_t extent[2] = {4, 5};
    const hsize_t start[2] = {0, 0};
    const hsize_t count[2] = {2, 2};
    const hssize_t offset[2] = {1, 2};
    const uint64_t expected[][2] = {{7, 2}, {12, 2}};
    stoa_selection_walk walk = STOA_SELECTION_WALK_INIT;
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));

    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK_H5(H5Soffset_simple(space, offset));
    CHECK_OK(stoa_selection_begin(&walk, space, NULL));
    for (int i = 0; i < 2; i++) {
        uint64_t first = 0;
        uint64_t n = 0;
        CHECK_OK(stoa_selection_next(&walk, &first, &n, NULL));
        CHECK_U64(first, expected[i][0]);
        CHECK_U64(n, expected[i][1]);
    }
    CHECK_OK(stoa_selection_end(&walk, STOA_OK, NULL));
    CHECK_H5(H5Sclose(space));
}

/* In any order, some twice, in any portions, moved by any offset. */
static void points_come_as_coordinates(void)
{
    for (uint64_t i = 0; i < check_n_cases(300); i++) {
        const size_t rank = 1 + check_random_below(4);
        const size_t n = 1 + check_random_below(300);
        hsize_t extent[4];
        hssize_t offset[4];
        hsize_t *points = malloc(n * rank * sizeof *points);
        uint64_t *expected = malloc(n * rank * sizeof *expected);
        uint64_t *found = malloc(n * rank * sizeof *found);
        stoa_selection_list list;
        stoa_error err = STOA_ERROR_INIT;

        for (size_t j = 0; j < rank; j++) {
            extent[j] = 1 + check_random_below(30);
            offset[j] = (hssize_t)check_random_below(4) - 2;
            offset[j] = check_random_below(2) == 0 ? 0 : offset[j];
        }
        for (size_t k = 0; k < n * rank; k++) { /* moved, it is inside */
            const hssize_t by = offset[k % rank];
            const hssize_t least = by < 0 ? 0 : by;
            const hssize_t all = (hssize_t)extent[k % rank];
            expected[k] = (uint64_t)least % (uint64_t)all;
            if (least < all) {
                expected[k] += check_random_below((uint64_t)(all - least));
            } else {
                offset[k % rank] = 0;
            }
        }
        for (size_t k = 0; k < n * rank; k++) {
            points[k] = (hsize_t)((hssize_t)expected[k] - offset[k % rank]);
        }
        const hid_t space = CHECK_H5(H5Screate_simple((int)rank, extent, NULL));
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, n, points));
        CHECK_H5(H5Soffset_simple(space, offset));
        CHECK(H5Sselect_valid(space) > 0);
        for (int again = 0; again < 2; again++) { /* libhdf5 notes where it stopped */
            CHECK_OK(stoa_selection_list_begin(&list, space, &err), &err);
            for (size_t done = 0, some = 0; done < n; done += some) {
                some = 1 + check_random_below(n - done);
                CHECK_OK(stoa_selection_list_next(&list, some, found + done * rank, &err), &err);
            }
            CHECK_MEM(found, expected, n * rank * sizeof *found);
        }
        CHECK_H5(H5Sclose(space));
        free(points);
        free(expected);
        free(found);
    }
}

static uint64_t *any_elements(const grid *g, size_t *n)
{
    uint64_t *elements = malloc((g->n + 1) * sizeof *elements);
    const uint64_t in_10 = check_random_below(11);

    *n = 0;
    for (uint64_t i = 0; i < g->n; i++) {
        if (check_random_below(10) < in_10) {
            elements[(*n)++] = i;
        }
    }
    return elements;
}

static void a_dataspace_selects_the_elements_it_is_made_of(void)
{
    for (uint64_t i = 0; i < check_n_cases(1000); i++) {
        grid g = any_grid();
        size_t n = 0;
        size_t n_found = 0;
        hid_t space = H5I_INVALID_HID;
        stoa_error err = STOA_ERROR_INIT;
        const stoa_selection_kind kind = (stoa_selection_kind)check_random_below(3);
        uint64_t *elements = any_elements(&g, &n);

        CHECK_OK(stoa_select_elements(g.space, elements, n, kind, &space, &err), &err);
        uint64_t *found = expected_of(&g, space, &n_found);
        CHECK_U64(n_found, n);
        CHECK_MEM(found, elements, n * sizeof *elements);
        if (n > 0 && kind == STOA_SELECT_BLOCKS) {
            CHECK(H5Sget_select_type(space) == H5S_SEL_HYPERSLABS);
        }
        free(found);
        free(elements);
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Sclose(g.space));
    }
}

static void what_two_selections_share_is_kept(void)
{
    for (uint64_t i = 0; i < check_n_cases(1000); i++) {
        grid g = any_grid();
        size_t n = 0;
        size_t n_selected = 0;
        stoa_error err = STOA_ERROR_INIT;
        uint8_t *marks = calloc(g.n, 1);
        uint64_t *elements = any_elements(&g, &n);

        any_selection(&g, g.space);
        uint64_t *selected = expected_of(&g, g.space, &n_selected);
        for (size_t j = 0; j < n_selected; j++) {
            marks[selected[j]] = 1;
        }
        size_t n_expected = 0;
        uint64_t *expected = malloc((n + 1) * sizeof *expected);
        for (size_t j = 0; j < n; j++) {
            if (marks[elements[j]]) {
                expected[n_expected++] = elements[j];
            }
        }
        CHECK_OK(stoa_selected_among(g.space, elements, &n, &err), &err);
        CHECK_U64(n, n_expected);
        CHECK_MEM(elements, expected, n * sizeof *elements);
        free(expected);
        free(selected);
        free(elements);
        free(marks);
        CHECK_H5(H5Sclose(g.space));
    }
}

/* RFC §4.1: the figure's matrix is two blocks and three points. */
static void blocks_are_those_of_the_rfc(void)
{
    static const uint64_t extent[2] = {13, 10};
    static const uint64_t expected[][4] = {
        {2, 2, 3, 6}, {5, 9, 1, 1}, {6, 0, 1, 3}, {11, 1, 1, 1}, {12, 8, 1, 1}};
    uint64_t elements[24];
    size_t n = 0;
    stoa_block *blocks = NULL;
    size_t n_blocks = 0;

    for (uint64_t row = 2; row <= 4; row++) {
        for (uint64_t column = 2; column <= 7; column++) {
            elements[n++] = row * 10 + column;
        }
    }
    const uint64_t rest[] = {59, 60, 61, 62, 111, 128};
    memcpy(elements + n, rest, sizeof rest);
    n += 6;
    CHECK_OK(stoa_blocks_of(2, extent, elements, n, 3, &blocks, &n_blocks, NULL));
    CHECK_U64(n_blocks, 4); /* more than 3 */
    free(blocks);
    CHECK_OK(stoa_blocks_of(2, extent, elements, n, 5, &blocks, &n_blocks, NULL));
    CHECK_U64(n_blocks, 5);
    for (size_t i = 0; i < 5; i++) {
        for (int k = 0; k < 2; k++) {
            CHECK_U64(blocks[i].first[k], expected[i][k]);
            CHECK_U64(blocks[i].count[k], expected[i][2 + k]);
        }
    }
    free(blocks);
}

/* 10^5 single elements: hopeless if hyperslabs were joined one by one. */
static void many_scattered_elements_are_selected(void)
{
    const hsize_t extent[2] = {16384, 16384};
    const size_t n = 100000;
    uint64_t *elements = malloc(n * sizeof *elements);
    const hid_t like = CHECK_H5(H5Screate_simple(2, extent, NULL));
    hid_t space = H5I_INVALID_HID;

    for (size_t i = 0; i < n; i++) {
        elements[i] = 2003 * i + check_random_below(2000);
    }
    CHECK_OK(stoa_select_elements(like, elements, n, STOA_SELECT_BEST, &space, NULL));
    CHECK_I64(H5Sget_select_npoints(space), (int64_t)n);
    CHECK(H5Sget_select_type(space) == H5S_SEL_POINTS);
    CHECK_H5(H5Sclose(space));
    CHECK_OK(stoa_select_elements(like, elements, 20000, STOA_SELECT_BLOCKS, &space, NULL));
    CHECK_I64(H5Sget_select_npoints(space), 20000);
    CHECK(H5Sget_select_type(space) == H5S_SEL_HYPERSLABS);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Sclose(like));
    free(elements);
}

/* Elements in blocks of `length` each, with one left out between two. */
static H5S_sel_type kind_of_blocks(size_t n_blocks, size_t length)
{
    const hsize_t extent[] = {n_blocks * (length + 1)};
    const hid_t space = CHECK_H5(H5Screate_simple(1, extent, NULL));
    uint64_t *elements = malloc(n_blocks * length * sizeof *elements);
    hid_t selected = H5I_INVALID_HID;
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < n_blocks * length; i++) {
        elements[i] = i / length * (length + 1) + i % length;
    }
    CHECK_OK(
        stoa_select_elements(space, elements, n_blocks * length, STOA_SELECT_BEST, &selected, &err),
        &err);
    const H5S_sel_type kind = H5Sget_select_type(selected);
    CHECK_H5(H5Sclose(selected));
    CHECK_H5(H5Sclose(space));
    free(elements);
    return kind;
}

static void blocks_are_hyperslabs_while_they_are_few_or_long(void)
{
    CHECK(kind_of_blocks(200, 1) == H5S_SEL_HYPERSLABS);
    CHECK(kind_of_blocks(1000, 100) == H5S_SEL_HYPERSLABS);
    CHECK(kind_of_blocks(1000, 1) == H5S_SEL_POINTS); /* libhdf5 would join them for 8 ms */
    CHECK(kind_of_blocks(50000, 2) == H5S_SEL_POINTS);
}

TEST_MAIN(TEST(a_walk_sees_what_libhdf5_sees), TEST(a_walk_gives_elements_in_any_portions),
          TEST(an_offset_moves_the_walk), TEST(points_come_as_coordinates),
          TEST(a_dataspace_selects_the_elements_it_is_made_of),
          TEST(what_two_selections_share_is_kept), TEST(blocks_are_those_of_the_rfc),
          TEST(many_scattered_elements_are_selected),
          TEST(blocks_are_hyperslabs_while_they_are_few_or_long))
