/* Numbers that HEP001 has widened, of the type that they were:
 * src/layout/common/restore_int_width.c. */
#include "layout/common/restore_int_width.h"

#include <math.h>
#include <stdlib.h>
#include <stoa/arrays.h>

#include "column/column.h"
#include "layout/common/column_stats.h"
#include "support/batches.h"
#include "support/check.h"

enum { COLUMNS = 7, ROWS = 3 };

/* What each column is, says that it was, and is to be. */
static const struct {
    const char *format, *said, *wanted;
} cases[COLUMNS] = {
    {"s", "int8", "c"},     {"S", "uint8", "C"}, {"i", "int8", "i"}, /* holds 300 */
    {"g", "float16", "e"},  {"g", "int8", "g"},                      /* another sort of number */
    {"l", "nonsense", "l"}, {"L", NULL, "L"},
};

static batch make_batch(void)
{
    static const bool valid[ROWS] = {true, false, true};
    batch b = batch_begin(COLUMNS, ROWS);

    batch_integers(&b, 0, "a", "s", (const int64_t[]){-128, 0, 127}, NULL);
    batch_integers(&b, 1, "b", "S", (const int64_t[]){0, 0, 255}, valid);
    batch_integers(&b, 2, "c", "i", (const int64_t[]){1, 2, 300}, NULL);
    batch_floats(&b, 3, "d", "g", (const double[]){1.5, 7, NAN}, NULL);
    batch_floats(&b, 4, "e", "g", (const double[]){1, 2, 3}, NULL);
    batch_integers(&b, 5, "f", "l", (const int64_t[]){1, 2, 3}, NULL);
    batch_integers(&b, 6, "g", "L", (const int64_t[]){1, 2, 3}, NULL);
    for (int64_t i = 0; i < COLUMNS; i++) {
        if (cases[i].said != NULL) {
            CHECK_OK(
                stoa_schema_set(b.schema.children[i], STOA_COLUMN_ARROW_TYPE, cases[i].said, NULL));
            CHECK_OK(stoa_schema_set(b.schema.children[i], "units", "m", NULL));
        }
    }
    return b;
}

static void check_rows(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    static const char *const wanted[COLUMNS][ROWS] = {
        {"-128", "0", "127"},  {"0", "null", "255"}, {"1", "2", "300"}, {"1.5", "7.0", "nan"},
        {"1.0", "2.0", "3.0"}, {"1", "2", "3"},      {"1", "2", "3"}};
    stoa_view rows;
    stoa_view cells;

    CHECK_OK(stoa_view_of(schema, array, &rows, NULL));
    for (int64_t i = 0; i < COLUMNS; i++) {
        CHECK_STR(schema->children[i]->format, cases[i].wanted);
        CHECK_OK(stoa_view_child(&rows, i, &cells, NULL));
        for (int64_t k = 0; k < ROWS; k++) {
            CHECK_STR(value_text(&cells, k), wanted[i][k]);
        }
    }
}

static struct ArrowSchema said;
static stoa_column_stats *known;

/* Of the batch, which is used up. */
static stoa_status narrow(struct ArrowArrayStream *from, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    bool any = false;

    STOA_TRY(stoa_schema_copy(&said, &schema, err));
    STOA_TRY(stoa_restore_int_width_fields(&schema, known, &any, err));
    CHECK(any);
    STOA_TRY(stoa_stream_cast(from, &schema, err));
    STOA_TRY(stoa_stream_next(from, &array, err));
    stoa_memory_fail_after(UINT64_MAX);
    check_rows(&schema, &array);

done:
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    return status;
}

static void learn(void)
{
    batch b = make_batch();

    CHECK_OK(stoa_schema_copy(&b.schema, &said, NULL));
    CHECK_OK(stoa_column_stats_make(&b.schema, &known, NULL));
    CHECK_OK(stoa_column_stats_add(known, &b.schema, &b.array, NULL, NULL));
    batch_end(&b);
}

static void forget(void)
{
    stoa_column_stats_free(known, COLUMNS);
    stoa_schema_release(&said);
}

static void columns_are_what_they_say_they_were_if_that_holds_them(void)
{
    uint64_t n = 0;
    stoa_status status = STOA_ENOMEM;

    learn();
    for (; status != STOA_OK; n++) { /* memory runs out at each place */
        struct ArrowArrayStream from = {.release = NULL};
        stoa_error err = STOA_ERROR_INIT;
        batch b = make_batch();
        stream_of(&b, 1, &from);
        stoa_memory_fail_after(n);
        status = narrow(&from, &err);
        stoa_memory_fail_after(UINT64_MAX);
        stoa_stream_release(&from);
        CHECK(status == STOA_OK || status == STOA_ENOMEM);
    }
    CHECK(n > 10);
    forget();
}

static void what_else_is_said_of_a_field_stays(void)
{
    stoa_error err = STOA_ERROR_INIT;
    char *units = NULL;
    bool any = false;

    learn();
    CHECK_OK(stoa_restore_int_width_fields(&said, known, &any, &err), &err);
    CHECK(any);
    CHECK_OK(stoa_schema_get_text(said.children[0], "units", &units, &err), &err);
    CHECK_STR(units, "m");
    free(units);
    CHECK_OK(stoa_restore_int_width_fields(&said, known, &any, &err), &err);
    CHECK(!any); /* they are so already */
    forget();
}

/* [-128 127], [], null and [0] of int16 that say they were int8; or a list of these. */
static batch make_lists(bool is_deep)
{
    static const bool valid[] = {true, true, false, true};
    batch numbers = batch_begin(1, 3);
    batch lists = batch_begin(1, 4);
    batch deep = batch_begin(1, 1);

    batch_integers(&numbers, 0, "item", "s", (const int64_t[]){-128, 127, 0}, NULL);
    CHECK_OK(stoa_schema_set(numbers.schema.children[0], STOA_COLUMN_ARROW_TYPE, "int8", NULL));
    batch_lists(&lists, 0, "v", is_deep ? "+l" : "+L", &numbers, (const int64_t[]){2, 0, 0, 1},
                valid);
    if (!is_deep) {
        batch_end(&deep);
        return lists;
    }
    batch_lists(&deep, 0, "v", "+l", &lists, (const int64_t[]){4}, NULL);
    return deep;
}

static void items_of_lists_are_what_they_say_they_were(void)
{
    for (int is_deep = 0; is_deep < 2; is_deep++) {
        stoa_error err = STOA_ERROR_INIT;
        struct ArrowArrayStream from = {.release = NULL};
        struct ArrowSchema schema = {.release = NULL};
        struct ArrowArray array = {.release = NULL};
        stoa_column_stats *stats = NULL;
        batch b = make_lists(is_deep != 0);
        stoa_view at;
        bool any = false;
        CHECK_OK(stoa_schema_copy(&b.schema, &schema, &err), &err);
        CHECK_OK(stoa_column_stats_make(&schema, &stats, &err), &err);
        CHECK_OK(stoa_column_stats_add(stats, &schema, &b.array, NULL, &err), &err);
        CHECK_OK(stoa_restore_int_width_fields(&schema, stats, &any, &err), &err);
        CHECK(any);
        stream_of(&b, 1, &from);
        CHECK_OK(stoa_stream_cast(&from, &schema, &err), &err);
        CHECK_OK(stoa_stream_next(&from, &array, &err), &err);
        CHECK_OK(stoa_view_of(&schema, &array, &at, &err), &err);
        for (int level = 0; level <= is_deep; level++) {
            const stoa_view outer = at;
            CHECK_OK(stoa_view_child(&outer, 0, &at, &err), &err);
        }
        for (int64_t i = 0; i < 4; i++) {
            int64_t first = 0;
            int64_t count = 0;
            stoa_view_range(&at, i, &first, &count);
            CHECK_I64(count, i == 0 ? 2 : i == 3 ? 1 : 0);
            CHECK(stoa_view_is_null(&at, i) == (i == 2));
        }
        const stoa_view lists = at;
        CHECK_OK(stoa_view_child(&lists, 0, &at, &err), &err);
        CHECK_U64(at.type.kind, STOA_KIND_INT8);
        CHECK_MEM(at.values, ((const int8_t[]){-128, 127, 0}), 3);
        stoa_array_release(&array);
        stoa_stream_release(&from);
        stoa_column_stats_free(stats, 1);
        stoa_schema_release(&schema);
    }
}

TEST_MAIN(TEST(columns_are_what_they_say_they_were_if_that_holds_them),
          TEST(what_else_is_said_of_a_field_stays),
          TEST(items_of_lists_are_what_they_say_they_were))
