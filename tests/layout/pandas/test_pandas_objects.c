/* Arrays of Python objects as columns, and labels, for src/layout/pandas/objects.c and pandas.c. */
#include "layout/pandas/objects.h"

#include <stdlib.h>
#include <string.h>

#include "layout/pandas/label.h"
#include "layout/pandas/pandas.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/sweep.h"

/* numpy's array of that shape, whose items in C order are those. */
#define ARRAY(shape, items)                                                                        \
    "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR(I1\n" shape            \
    "NI00\n(l" items "tb."

static const char two_by_two[] = ARRAY("(I2\nI2\nt", "Va\naF1.5\naNaI7\na");

static stoa_status parse(const char *program, stoa_pandas_objects *objects, stoa_error *err)
{
    return stoa_pandas_objects_parse(program, strlen(program), objects, err);
}

static void check_column(const stoa_pandas_objects *objects, uint64_t number, const char *format,
                         const char *first, const char *second)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_column *column = NULL;
    struct ArrowSchema schema;
    struct ArrowArray array;
    stoa_view view;

    CHECK_OK(stoa_pandas_objects_column(objects, number, "c", &column, &err), &err);
    CHECK_OK(stoa_column_schema(column, &schema, &err), &err);
    CHECK_STR(schema.format, format);
    CHECK_OK(stoa_column_read(column, 0, 2, &array, &err), &err);
    CHECK_OK(stoa_view_of(&schema, &array, &view, &err), &err);
    CHECK_STR(value_text(&view, 0), first);
    CHECK_STR(value_text(&view, 1), second);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_column_close(column);
}

static void items_lie_in_c_order(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pandas_objects objects;

    CHECK_OK(parse(two_by_two, &objects, &err), &err);
    check_column(&objects, 0, "u", "'a'", "null");
    check_column(&objects, 1, "u", "'1.5'", "'7'");
    stoa_pandas_objects_clear(&objects);
    CHECK_OK(parse(ARRAY("(I2\nt", "I5\naNa"), &objects, &err), &err);
    check_column(&objects, 0, "l", "5", "null");
    stoa_pandas_objects_clear(&objects);
}

static void a_column_beyond_the_last_is_refused(void)
{
    static const char *const programs[] = {
        two_by_two,
        ARRAY("(I4\nt", "NaNaNaNa"),
    };
    static const uint64_t widths[] = {2, 1};

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_pandas_objects objects;
        stoa_column *column = NULL;
        CHECK_OK(parse(programs[i], &objects, &err), &err);
        CHECK_U64(objects.n_columns, widths[i]);
        CHECK_STATUS(STOA_EDATA,
                     stoa_pandas_objects_column(&objects, widths[i], "c", &column, &err));
        CHECK(column == NULL);
        stoa_pandas_objects_clear(&objects);
    }
}

/* As pandas stores a frame's: (columns, 0). */
static void an_array_of_nothing_has_no_rows(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pandas_objects objects;
    stoa_column *column = NULL;

    CHECK_OK(parse(ARRAY("(I4294967295\nI0\nt", ""), &objects, &err), &err);
    CHECK_U64(objects.n_rows, 0);
    CHECK_OK(stoa_pandas_objects_column(&objects, 5, "c", &column, &err), &err);
    stoa_column_close(column);
    stoa_pandas_objects_clear(&objects);
}

static void shapes_that_the_items_have_not_are_refused(void)
{
    static const char *const programs[] = {
        ARRAY("(I3\nt", "NaNa"),
        ARRAY("(t", "Na"),
        ARRAY("(I1\nI1\nI1\nt", "Na"),
        ARRAY("(I-1\nI-1\nt", "Na"),
        ARRAY("(VI\nt", "Na"),
        ARRAY("(I4294967296\nI4294967296\nt", ""),
        "cos\nsystem\n(S'ls'\ntR.",
        "N.",
        "(l.",
    };

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_pandas_objects objects;
        CHECK_STATUS(STOA_EDATA, parse(programs[i], &objects, &err));
    }
}

static void objects_without_words_are_refused(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pandas_objects objects;
    stoa_column *column = NULL;

    CHECK_OK(parse(ARRAY("(I1\nt", "(la"), &objects, &err), &err);
    CHECK_STATUS(STOA_ETYPE, stoa_pandas_objects_column(&objects, 0, "c", &column, &err));
    stoa_pandas_objects_clear(&objects);
}

/* --- labels ---------------------------------------------------------------------------------- */

static char *label_of(const char *program)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pickle *pickle = NULL;

    CHECK_OK(stoa_pickle_read(program, strlen(program), &pickle, &err), &err);
    char *const label = stoa_pandas_label(stoa_pickle_root(pickle));
    CHECK(stoa_pandas_is_label(stoa_pickle_root(pickle)) == (label != NULL));
    stoa_pickle_close(pickle);
    return label;
}

static void labels_are_words(void)
{
    static const char *const rows[][2] = {
        {"Va b\n.", "a b"},      {"I-3\n.", "-3"}, {"F1.5\n.", "1.5"},          {"I01\n.", "True"},
        {"(Va\nI2\nt.", "a, 2"}, {"(t.", ""},      {"(Va\n(Vb\ntNt.", "a, , "},
    };
    static const char *const none[] = {"N.", "(l.", "(d.", "cos\nsystem\n.", "Va\\u0000b\n."};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *const label = label_of(rows[i][0]);
        CHECK_STR(label, rows[i][1]);
        free(label);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK(label_of(none[i]) == NULL);
    }
}

/* A pickle says the same text any number of times. */
static void labels_without_end_are_none(void)
{
    char program[8192] = "V";
    char *label = NULL;

    memset(program + 1, 'x', 4096);
    (void)strcpy(program + 4097, "\n.");
    label = label_of(program);
    CHECK_U64(strlen(label), 4096);
    free(label);
    (void)strcpy(program + 4097, "x\n.");
    CHECK(label_of(program) == NULL);
    (void)strcpy(program, "(");
    for (size_t i = 0; i < 101; i++) {
        (void)strcat(program, "I1\n");
    }
    (void)strcat(program, "t.");
    CHECK(label_of(program) == NULL);
}

/* --- memory ---------------------------------------------------------------------------------- */

static stoa_status read_all(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pandas_objects objects;
    stoa_column *column = NULL;

    STOA_TRY(parse(two_by_two, &objects, err));
    status = stoa_pandas_objects_column(&objects, 0, "c", &column, err);
    stoa_column_close(column);
    stoa_pandas_objects_clear(&objects);

done:
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(sweep_memory_throughout(read_all) > 5);
}

TEST_MAIN(TEST(items_lie_in_c_order), TEST(a_column_beyond_the_last_is_refused),
          TEST(an_array_of_nothing_has_no_rows), TEST(shapes_that_the_items_have_not_are_refused),
          TEST(objects_without_words_are_refused), TEST(labels_are_words),
          TEST(labels_without_end_are_none), TEST(memory_may_run_out))
