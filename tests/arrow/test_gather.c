/* Parts of Arrow arrays: src/arrow/gather.c. */
#include "arrow/gather.h"

#include <string.h>

#include "support/batches.h"

#define INTEGERS(...) ((const int64_t[]){__VA_ARGS__})
#define TRUTHS(...) ((const bool[]){__VA_ARGS__})

/* The column of a batch, whose first value is left out by the array's offset. */
static stoa_view column_of(batch *b)
{
    stoa_view view;

    b->array.children[0]->offset = 1;
    b->array.children[0]->length--;
    CHECK_OK(stoa_view_of(b->schema.children[0], b->array.children[0], &view, NULL));
    return view;
}

static void release(batch *b)
{
    stoa_schema_release(&b->schema);
    stoa_array_release(&b->array);
}

static void a_slice_counts_its_own_nulls(void)
{
    batch b = batch_begin(1, 6);

    batch_integers(&b, 0, "i", "i", INTEGERS(0, 1, 2, 3, 4, 5), TRUTHS(1, 0, 1, 0, 1, 1));
    const stoa_view view = column_of(&b);
    const stoa_view middle = stoa_view_slice(&view, 1, 2);
    CHECK_I64(middle.length, 2);
    CHECK_I64(middle.null_count, 1);
    CHECK(!stoa_view_is_null(&middle, 0) && stoa_view_is_null(&middle, 1));
    CHECK_I64(stoa_view_i64(&middle, 0), 2);
    CHECK_I64(stoa_view_slice(&view, 3, 2).null_count, 0);
    release(&b);
}

static void a_slice_without_nulls_has_none(void)
{
    batch b = batch_begin(1, 2);

    batch_integers(&b, 0, "i", "i", INTEGERS(0, 1), NULL);
    stoa_view view = column_of(&b);
    view.length = 0; /* a view of no rows, and all its rows are null */
    CHECK_I64(stoa_view_slice(&view, 0, 1).null_count, 0);
    release(&b);
}

static void numbers_of_several_ranges_are_copied(void)
{
    const stoa_row_range ranges[] = {{0, 2}, {3, 0}, {4, 1}};
    batch b = batch_begin(1, 6);
    struct ArrowArray own;
    stoa_view parts;

    batch_integers(&b, 0, "i", "s", INTEGERS(0, 1, 2, 3, 4, 5), TRUTHS(1, 1, 0, 1, 1, 1));
    stoa_view view = column_of(&b);
    CHECK_OK(stoa_view_gather(&view, ranges, 3, &own, &parts, NULL));
    CHECK_I64(parts.length, 3);
    CHECK_I64(parts.null_count, 1);
    CHECK_I64(stoa_view_i64(&parts, 0), 1);
    CHECK(stoa_view_is_null(&parts, 1));
    CHECK_I64(stoa_view_i64(&parts, 2), 5);
    stoa_array_release(&own);
    release(&b);

    b = batch_begin(1, 4);
    batch_integers(&b, 0, "b", "b", INTEGERS(1, 0, 1, 1), NULL);
    view = column_of(&b);
    CHECK_OK(stoa_view_gather(&view, ranges, 2, &own, &parts, NULL));
    CHECK(parts.length == 2 && parts.null_count == 0 && parts.validity == NULL);
    CHECK(stoa_view_i64(&parts, 0) == 0 && stoa_view_i64(&parts, 1) == 1);
    stoa_array_release(&own);
    release(&b);
}

/* A struct's fields, and the items of lists of one length, are copied with it. */
static void nested_values_are_copied_with_their_parts(void)
{
    const stoa_row_range ranges[] = {{0, 1}, {2, 1}};
    batch items = batch_begin(1, 8);
    batch b = batch_begin(1, 4);
    batch whole = batch_begin(1, 4);
    struct ArrowArray own;
    stoa_view parts;
    stoa_view pairs;
    stoa_view child;

    batch_integers(&items, 0, "item", "C", INTEGERS(0, 1, 2, 3, 4, 5, 6, 7), NULL);
    batch_lists(&b, 0, "w", "+w:2", &items, INTEGERS(2, 2, 2, 2), NULL);
    stoa_schema_move(&b.schema, whole.schema.children[0]);
    stoa_array_move(&b.array, whole.array.children[0]);
    const stoa_view view = column_of(&whole);
    CHECK_OK(stoa_view_gather(&view, ranges, 2, &own, &parts, NULL));
    CHECK_I64(parts.length, 2);
    CHECK_OK(stoa_view_child(&parts, 0, &pairs, NULL));
    CHECK_OK(stoa_view_child(&pairs, 0, &child, NULL));
    for (int64_t i = 0; i < 2; i++) {
        int64_t first = 0;
        int64_t count = 0;
        stoa_view_range(&pairs, i, &first, &count);
        CHECK_I64(count, 2);
        CHECK_I64(stoa_view_i64(&child, first), i == 0 ? 2 : 6);
        CHECK_I64(stoa_view_i64(&child, first + 1), i == 0 ? 3 : 7);
    }
    stoa_array_release(&own);
    release(&whole);
}

TEST_MAIN(TEST(a_slice_counts_its_own_nulls), TEST(a_slice_without_nulls_has_none),
          TEST(numbers_of_several_ranges_are_copied),
          TEST(nested_values_are_copied_with_their_parts))
