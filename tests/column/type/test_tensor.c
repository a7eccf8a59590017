/* The shape of cells in the metadata of arrow.fixed_shape_tensor. */
#include "column/type/tensor.h"

#include "arrow/build.h"
#include "support/check.h"

static int rank_of(const char *metadata, uint64_t n_items, hsize_t *shape)
{
    struct ArrowSchema field = {.release = NULL};
    int rank = -1;

    CHECK_OK(stoa_schema_make(&field, "f", "+w:6", NULL), NULL);
    CHECK_OK(stoa_schema_set(&field, "ARROW:extension:metadata", metadata, NULL), NULL);
    CHECK_OK(stoa_tensor_shape(&field, n_items, shape, &rank, NULL), NULL);
    stoa_schema_release(&field);
    return rank;
}

static void the_shape_is_found_among_other_members(void)
{
    hsize_t shape[H5S_MAX_RANK];

    CHECK_I64(rank_of("{\"dim_names\":[\"shape\",\"[9]\"],\"shape\":[2, 3],\"permutation\":[0,1]}",
                      6, shape),
              2);
    CHECK_U64(shape[0], 2);
    CHECK_U64(shape[1], 3);
}

static void what_is_no_shape_of_so_many_items_is_none(void)
{
    hsize_t shape[H5S_MAX_RANK];

    CHECK_I64(rank_of("{\"shape\":[2,4]}", 6, shape), 0);
    CHECK_I64(rank_of("{\"shape\":\"[2,3]\"}", 6, shape), 0);
    CHECK_I64(rank_of("{\"shape\":[4294967296,4294967296]}", 0, shape), 0);
    CHECK_I64(rank_of("{\"shape\":[2,3", 6, shape), 0);
    CHECK_I64(rank_of("[2,3]", 6, shape), 0);
    CHECK_I64(rank_of("", 6, shape), 0);
}

TEST_MAIN(TEST(the_shape_is_found_among_other_members),
          TEST(what_is_no_shape_of_so_many_items_is_none))
