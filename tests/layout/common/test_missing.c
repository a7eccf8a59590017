/* What stands for missing values, by kind: src/layout/common/missing.c, and
 * docs/layouts/pytables.md. */
#include "layout/common/missing.h"

#include <string.h>

#include "layout/common/column_stats.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

static const bool second_is_missing[] = {true, false};

/* Two rows of a kind: 1 and nothing. */
static batch make_pair(const char *format)
{
    static const int64_t ones[] = {1, 0};
    batch b = batch_begin(1, 2);

    if (strcmp(format, "dictionary") == 0) {
        batch_categories(&b, 0, "v", (const char *[]){"one", NULL});
    } else if (strcmp(format, "u") == 0) {
        batch_strings(&b, 0, "v", (const char *[]){"one", NULL});
    } else if (strchr("efg", format[0]) != NULL) {
        batch_floats(&b, 0, "v", format, (const double[]){1, 0}, second_is_missing);
    } else {
        batch_integers(&b, 0, "v", format, ones, second_is_missing);
    }
    return b;
}

typedef struct filled {
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_column_stats *stats;
    bool any; /* something stands in */
} filled;

static void clear(filled *f)
{
    stoa_column_stats_free(f->stats, (size_t)f->schema.n_children);
    stoa_array_release(&f->array);
    stoa_schema_release(&f->schema);
}

/* The batch, which is used up, with what the options say. */
static stoa_status fill(batch *b, const stoa_layout_options *options,
                        bool (*holds)(const struct ArrowSchema *), filled *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_stand_ins *ins = NULL;
    struct ArrowArrayStream from = {.release = NULL};
    const stoa_missing_rules rules = {.holds = holds, .empties = true};

    *f = (filled){.any = false};
    STOA_TRY(stoa_schema_copy(&b->schema, &f->schema, err));
    STOA_TRY(stoa_column_stats_make(&b->schema, &f->stats, err));
    STOA_TRY(stoa_column_stats_add(f->stats, &b->schema, &b->array, NULL, err));
    STOA_TRY(stoa_stand_ins_make(options, &rules, &f->schema, f->stats, &ins, err));
    f->any = ins != NULL;
    stream_of(b, 1, &from);
    if (ins != NULL) {
        STOA_TRY(stoa_stand_ins_stream(ins, &from, err));
    }
    STOA_TRY(stoa_stream_next(&from, &f->array, err));

done:
    if (from.release != NULL) {
        from.release(&from);
    } else {
        batch_end(b);
    }
    stoa_stand_ins_free(ins);
    if (status != STOA_OK && f->stats != NULL) {
        clear(f);
    } else if (status != STOA_OK) {
        stoa_schema_release(&f->schema);
    }
    return status;
}

static stoa_status fill_one(const char *format, const char *column, const char *text, filled *f,
                            stoa_error *err)
{
    const stoa_missing_value value = {column, text};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    batch b = make_pair(format);

    options.layout = "pytables";
    options.missing = &value;
    options.n_missing = 1;
    return fill(&b, &options, NULL, f, err);
}

static void expect_cells(const filled *f, int64_t column, const char *first, const char *second)
{
    stoa_view rows;
    stoa_view cells;

    CHECK_OK(stoa_view_of(&f->schema, &f->array, &rows, NULL));
    CHECK_OK(stoa_view_child(&rows, column, &cells, NULL));
    CHECK_STR(value_text(&cells, 0), first);
    CHECK_STR(value_text(&cells, 1), second);
}

static void every_kind_takes_its_values(void)
{
    /* 2020-01-02 is day 18263; 03:04:05 is second 11045 of it. */
    static const struct {
        const char *format, *text, *cell;
    } cases[] = {
        {"c", "-128", "-128"},
        {"C", "255", "255"},
        {"s", "-32768", "-32768"},
        {"S", "65535", "65535"},
        {"i", "-2147483648", "-2147483648"},
        {"I", "4294967295", "4294967295"},
        {"l", "-9223372036854775808", "-9223372036854775808"},
        {"l", "9223372036854775807", "9223372036854775807"},
        {"L", "18446744073709551615", "18446744073709551615"},
        {"b", "true", "1"},
        {"b", "1", "1"},
        {"b", "false", "0"},
        {"b", "0", "0"},
        {"e", "-65504", "-65504.0"},
        {"f", "0.5", "0.5"},
        {"g", "1e300", "1e+300"},
        {"f", "-inf", "-inf"},
        {"g", "nan", "nan"},
        {"tdD", "2020-01-02", "18263"},
        {"tss:UTC", "2020-01-02T03:04:05Z", "1577934245"},
        {"tsm:UTC", "2020-01-02T03:04:05.678Z", "1577934245678"},
        {"tsu:", "2020-01-02", "1577923200000000"},
        {"tsn:UTC", "1969-12-31T23:59:59.999999999Z", "-1"},
        {"u", "", "''"},
        {"u", "nan", "'nan'"},
        {"dictionary", "one", "'one'"},
        {"dictionary", "none", "'none'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_error err = STOA_ERROR_INIT;
        filled f;
        const char *const format = cases[i].format;
        const bool is_text = strcmp(format, "u") == 0 || strcmp(format, "dictionary") == 0;
        for (int is_named = 0; is_named < 2; is_named++) {
            CHECK_OK(fill_one(format, is_named ? "v" : NULL, cases[i].text, &f, &err), &err);
            CHECK_U64(f.stats[0].n_missing, 0);
            const bool is_float = strchr("efg", format[0]) != NULL;
            expect_cells(&f, 0, is_text ? "'one'" : is_float ? "1.0" : "1", cases[i].cell);
            clear(&f);
        }
    }
}

static void texts_that_are_no_value_are_refused_where_the_column_is_named(void)
{
    static const struct {
        const char *format, *text;
    } cases[] = {
        {"c", "-129"},
        {"c", "128"},
        {"C", "256"},
        {"C", "-1"},
        {"s", "32768"},
        {"S", "65536"},
        {"i", "1e3"},
        {"I", ""},
        {"l", "9223372036854775808"},
        {"L", "-1"},
        {"L", "18446744073709551616"},
        {"b", "yes"},
        {"b", "2"},
        {"e", "65520"},
        {"f", "1e39"},
        {"f", "x"},
        {"g", "1e400"},
        {"g", "0.5x"},
        {"tdD", "today"},
        {"tdD", "2020-01-02T03:04:05Z"},
        {"tss:UTC", "2020-01-02T03:04:05.5Z"},
        {"tsn:UTC", "9999-01-01"},
        {"tsm:UTC", "1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stoa_error err = STOA_ERROR_INIT;
        filled f;
        const stoa_status refused = fill_one(cases[i].format, "v", cases[i].text, &f, &err);
        if (refused == STOA_OK) {
            FAIL("'%s' is taken for a value of %s", cases[i].text, cases[i].format);
        }
        CHECK_U64(refused, STOA_EINVAL);
        CHECK_CONTAINS(err.message, "is no value that could stand in column 'v'");
        err = (stoa_error)STOA_ERROR_INIT; /* meant for others, where no column is named */
        CHECK_OK(fill_one(cases[i].format, NULL, cases[i].text, &f, &err), &err);
        CHECK(!f.any);
        CHECK_U64(f.stats[0].n_missing, 1);
        clear(&f);
    }
}

static void nan_makes_numbers_float64(void)
{
    static const char *const formats[] = {"c", "C", "s", "S", "i", "I", "l", "L", "b"};

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        stoa_error err = STOA_ERROR_INIT;
        filled f;
        CHECK_OK(fill_one(formats[i], NULL, "nan", &f, &err), &err);
        CHECK_STR(f.schema.children[0]->format, "g");
        expect_cells(&f, 0, "1.0", "nan");
        clear(&f);
    }
}

static stoa_status fill_wide(int64_t number, const char *format, filled *f, stoa_error *err)
{
    const stoa_missing_value value = {NULL, "nan"};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    batch b = batch_begin(1, 2);

    options.layout = "pytables";
    options.missing = &value;
    options.n_missing = 1;
    batch_integers(&b, 0, "v", format, (const int64_t[]){number, 0}, second_is_missing);
    CHECK_OK(stoa_schema_set(b.schema.children[0], "units", "m", err), err);
    return fill(&b, &options, NULL, f, err);
}

static void integers_beyond_2_to_the_53rd_are_no_floats(void)
{
    const int64_t most = INT64_C(1) << 53;
    const int64_t lost[] = {most + 1, -most - 1, INT64_MIN, INT64_MAX};
    stoa_error err = STOA_ERROR_INIT;
    filled f;
    char *units = NULL;

    CHECK_OK(fill_wide(-most, "l", &f, &err), &err);
    expect_cells(&f, 0, "-9007199254740992.0", "nan");
    CHECK_OK(stoa_schema_get_text(f.schema.children[0], "units", &units, &err), &err);
    CHECK_STR(units, "m");
    free(units);
    clear(&f);
    CHECK_STATUS(STOA_ELOSS, fill_wide(-1, "L", &f, &err)); /* 2^64 - 1 */
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_ELOSS, fill_wide(lost[i], "l", &f, &err));
        CHECK_CONTAINS(err.message, "column 'v' has integers beyond 2^53");
    }
}

/* --- which columns --------------------------------------------------------------------------- */

static bool holds_floats(const struct ArrowSchema *field)
{
    return strcmp(field->format, "g") == 0;
}

/* Integers, floats, texts, and integers of which none is missing. */
static stoa_status fill_four(const stoa_missing_value *values, size_t n, filled *f, stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    batch b = batch_begin(4, 2);

    options.layout = "pytables";
    options.missing = values;
    options.n_missing = n;
    batch_integers(&b, 0, "n", "s", (const int64_t[]){5, 0}, second_is_missing);
    batch_floats(&b, 1, "x", "g", (const double[]){0.5, 0}, second_is_missing);
    batch_strings(&b, 2, "s", (const char *[]){"a", NULL});
    batch_integers(&b, 3, "all", "s", (const int64_t[]){7, 8}, NULL);
    return fill(&b, &options, holds_floats, f, err);
}

static void a_value_without_a_column_stands_where_none_is_held(void)
{
    const stoa_missing_value values[] = {{NULL, "-1"}};
    stoa_error err = STOA_ERROR_INIT;
    filled f;

    CHECK_OK(fill_four(values, 1, &f, &err), &err);
    expect_cells(&f, 0, "5", "-1");
    expect_cells(&f, 1, "0.5", "null");
    expect_cells(&f, 2, "'a'", "'-1'");
    expect_cells(&f, 3, "7", "8");
    CHECK_I64(f.stats[0].domain.low, -1);
    CHECK_U64(f.stats[1].n_missing, 1);
    CHECK_U64(f.stats[2].domain.longest, 2);
    clear(&f);
}

static void a_column_that_is_named_has_its_own(void)
{
    const stoa_missing_value values[] = {{"n", "300"}, {NULL, "1"}, {NULL, "none"}, {"x", "-9"}};
    stoa_error err = STOA_ERROR_INIT;
    filled f;

    CHECK_OK(fill_four(values, 4, &f, &err), &err);
    expect_cells(&f, 0, "5", "300");
    expect_cells(&f, 1, "0.5", "-9.0");
    expect_cells(&f, 2, "'a'", "'none'"); /* the last one counts */
    CHECK_U64(f.stats[0].domain.high, 300);
    CHECK_U64(f.stats[2].domain.longest, 4);
    clear(&f);
}

static void columns_that_are_not_there_and_nothing_to_do(void)
{
    const stoa_missing_value unknown[] = {{"m", "1"}};
    const stoa_missing_value whole[] = {{"all", "-1"}};
    stoa_error err = STOA_ERROR_INIT;
    filled f;

    CHECK_STATUS(STOA_ENOTFOUND, fill_four(unknown, 1, &f, &err));
    CHECK_CONTAINS(err.message, "there is no column 'm'");
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_OK(fill_four(whole, 1, &f, &err), &err);
    CHECK(!f.any);
    clear(&f);
}

static void words_are_of_layouts_that_know_them(void)
{
    const stoa_missing_value values[] = {{"v", "mask"}, {"w", "drop"}, {"k", NULL}};
    const char *const names[] = {"v", "w", "k", "other"};
    const stoa_missing_way theirs[] = {STOA_MISSING_MASKED, STOA_MISSING_DROPPED, STOA_MISSING_KEPT,
                                       STOA_MISSING_KEPT};
    const stoa_missing_rules knowing = {.drops = true, .masks = true};
    const stoa_missing_rules plain = {.holds = NULL};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;

    options.missing = values;
    options.n_missing = 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct ArrowSchema field = {.format = "u", .name = names[i]};
        CHECK_U64(stoa_missing_way_of(&options, &knowing, &field), theirs[i]);
        CHECK_U64(stoa_missing_way_of(&options, &plain, &field),
                  i < 2 ? STOA_MISSING_FILLED : STOA_MISSING_KEPT);
    }
}

/* --- lists -------------------------------------------------------------------------------------
 */

/* [1 null], null and [null] of a kind, with what the options say. */
static stoa_status fill_lists(const char *format, const stoa_missing_value *values, size_t n,
                              filled *f, stoa_error *err)
{
    static const bool items_valid[] = {true, false, false};
    static const bool lists_valid[] = {true, false, true};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    batch items = batch_begin(1, 3);
    batch b = batch_begin(1, 3);

    options.layout = "pytables";
    options.missing = values;
    options.n_missing = n;
    if (strcmp(format, "u") == 0) {
        batch_strings(&items, 0, "item", (const char *[]){"one", NULL, NULL});
    } else if (strcmp(format, "g") == 0) {
        batch_floats(&items, 0, "item", "g", (const double[]){1, 0, 0}, items_valid);
    } else {
        batch_integers(&items, 0, "item", format, (const int64_t[]){1, 0, 0}, items_valid);
    }
    batch_lists(&b, 0, "v", "+l", &items, (const int64_t[]){2, 0, 1}, lists_valid);
    return fill(&b, &options, holds_floats, f, err);
}

static void expect_items(const filled *f, const char *const items[3])
{
    stoa_view rows;
    stoa_view lists;
    stoa_view cells;

    CHECK_OK(stoa_view_of(&f->schema, &f->array, &rows, NULL));
    CHECK_OK(stoa_view_child(&rows, 0, &lists, NULL));
    CHECK_OK(stoa_view_child(&lists, 0, &cells, NULL));
    for (int64_t i = 0; i < 3; i++) {
        int64_t at = 0;
        int64_t count = 0;
        stoa_view_range(&lists, i, &at, &count);
        CHECK_I64(at, i == 0 ? 0 : 2);
        CHECK_I64(count, i == 0 ? 2 : i == 1 ? 0 : 1);
        CHECK(stoa_view_is_null(&lists, i) == (i == 1));
        CHECK_STR(value_text(&cells, i), items[i]);
    }
}

static void values_stand_for_missing_items_of_lists(void)
{
    static const struct {
        const char *format, *text, *items[3];
    } cases[] = {
        {"i", "-7", {"1", "-7", "-7"}},
        {"b", "true", {"1", "1", "1"}},
        {"u", "none", {"'one'", "'none'", "'none'"}},
        {"tdD", "1970-01-03", {"1", "2", "2"}},
        {"g", "0.5", {"1.0", "0.5", "0.5"}},
        {"s", "nan", {"1.0", "nan", "nan"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const stoa_missing_value values[] = {{"v", cases[i].text}};
        stoa_error err = STOA_ERROR_INIT;
        filled f;
        CHECK_OK(fill_lists(cases[i].format, values, 1, &f, &err), &err);
        expect_items(&f, cases[i].items);
        CHECK_U64(f.stats[0].n_missing, 1); /* the list is still missing */
        CHECK_U64(f.stats[0].fields[0].n_missing, 0);
        clear(&f);
    }
}

/* The writer makes them so. */
static void missing_lists_become_empty_if_that_is_said(void)
{
    static const char *const kept[] = {"1", "null", "null"};
    static const char *const filled_up[] = {"1", "5", "5"};
    const stoa_missing_value values[] = {{"v", "[]"}, {"v", "5"}};

    for (size_t n = 1; n <= 2; n++) {
        stoa_error err = STOA_ERROR_INIT;
        filled f;
        CHECK_OK(fill_lists("i", values, n, &f, &err), &err);
        CHECK_U64(f.stats[0].n_missing, 0);
        CHECK_U64(f.stats[0].fields[0].n_missing, n == 1 ? 2 : 0);
        expect_items(&f, n == 1 ? kept : filled_up);
        clear(&f);
    }
}

static void a_value_without_a_column_leaves_floats_of_lists_missing(void)
{
    static const char *const kept[] = {"1.0", "null", "null"};
    const stoa_missing_value values[] = {{NULL, "5"}};
    stoa_error err = STOA_ERROR_INIT;
    filled f;

    CHECK_OK(fill_lists("g", values, 1, &f, &err), &err);
    CHECK(!f.any);
    expect_items(&f, kept);
    clear(&f);
}

static void what_is_no_item_is_refused(void)
{
    const stoa_missing_value values[] = {{"v", "many"}};
    stoa_error err = STOA_ERROR_INIT;
    filled f;

    CHECK_STATUS(STOA_EINVAL, fill_lists("i", values, 1, &f, &err));
    CHECK_CONTAINS(err.message, "'many' is no value that could stand in column 'v'");
}

/* --- labels ---------------------------------------------------------------------------------- */

static void a_new_label_is_one_more(void)
{
    stoa_error err = STOA_ERROR_INIT;
    filled f;

    CHECK_OK(fill_one("dictionary", "v", "none", &f, &err), &err);
    CHECK_U64(f.stats[0].labels.count, 2);
    CHECK_U64(f.stats[0].domain.longest, 4);
    clear(&f);
    CHECK_OK(fill_one("dictionary", "v", "one", &f, &err), &err);
    CHECK_U64(f.stats[0].labels.count, 1);
    clear(&f);
}

static filled swept;

static stoa_status fill_swept(stoa_error *err)
{
    const stoa_missing_value values[] = {{NULL, "nan"}};
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    const stoa_missing_rules rules = {.holds = NULL};
    stoa_stand_ins *ins = NULL;
    struct ArrowSchema schema = {.release = NULL};
    stoa_status status = STOA_OK;

    options.layout = "pytables";
    options.missing = values;
    options.n_missing = 1;
    STOA_TRY(stoa_schema_copy(&swept.schema, &schema, err));
    swept.stats[0].n_missing = 1;
    STOA_TRY(stoa_stand_ins_make(&options, &rules, &schema, swept.stats, &ins, err));

done:
    stoa_stand_ins_free(ins);
    stoa_schema_release(&schema);
    return status;
}

static void memory_may_run_out(void)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(fill_one("i", NULL, "x", &swept, &err), &err);
    CHECK(sweep_memory(fill_swept) > 3);
    clear(&swept);
}

TEST_MAIN(TEST(every_kind_takes_its_values),
          TEST(texts_that_are_no_value_are_refused_where_the_column_is_named),
          TEST(nan_makes_numbers_float64), TEST(integers_beyond_2_to_the_53rd_are_no_floats),
          TEST(a_value_without_a_column_stands_where_none_is_held),
          TEST(a_column_that_is_named_has_its_own),
          TEST(columns_that_are_not_there_and_nothing_to_do),
          TEST(words_are_of_layouts_that_know_them), TEST(values_stand_for_missing_items_of_lists),
          TEST(missing_lists_become_empty_if_that_is_said),
          TEST(a_value_without_a_column_leaves_floats_of_lists_missing),
          TEST(what_is_no_item_is_refused), TEST(a_new_label_is_one_more), TEST(memory_may_run_out))
