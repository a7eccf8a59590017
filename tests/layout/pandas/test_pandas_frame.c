/* Labels in words and as opcodes, and names that no column has: src/layout/pandas/frame.c. */
#include "layout/pandas/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "layout/pickle/write.h"
#include "support/check.h"

static void check_label(const char *program, const char *name, const char *said)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pickle *pickle = NULL;
    stoa_pandas_label_text label = {NULL, NULL, false};

    CHECK_OK(stoa_pickle_read(program, strlen(program), &pickle, &err), &err);
    CHECK_OK(stoa_pandas_label_make(stoa_pickle_root(pickle), "else", &label, &err), &err);
    CHECK_STR(label.name, name);
    CHECK(said == NULL ? label.said == NULL : strcmp(label.said, said) == 0);
    stoa_pandas_label_clear(&label);
    stoa_pickle_close(pickle);
}

static void labels_are_said_as_they_were(void)
{
    check_label("Va\n.", "a", "Va\n");
    check_label("I7\n.", "7", "I7\n");
    check_label("(Va\nI7\nt.", "a, 7", "(Va\nI7\nt");
    check_label("N.", "else", "N");
    check_label("(d.", "else", NULL);
    check_label("(l.", "else", NULL);
    check_label("((dt.", "else", NULL);
}

static void a_long_text_is_no_label(void)
{
    char *const program = calloc(1, 6000);

    program[0] = 'V';
    memset(program + 1, 'x', 5000);
    strcat(program, "\n.");
    check_label(program, "else", NULL);
    free(program);
}

/* Each tuple is the one before it, ten times: the last stands for 10^12 items. */
static void tuples_in_tuples_are_not_spread_out(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_pickle *pickle = NULL;
    stoa_buffer out = {0};
    char program[1024] = "Va\np0\n0";
    bool is_plain = true;

    for (int level = 1; level <= 12; level++) {
        strcat(program, "(");
        for (int i = 0; i < 10; i++) {
            (void)snprintf(program + strlen(program), 16, "g%d\n", level - 1);
        }
        (void)snprintf(program + strlen(program), 16, "tp%d\n%s", level, level < 12 ? "0" : ".");
    }
    CHECK_OK(stoa_pickle_read(program, strlen(program), &pickle, &err), &err);
    CHECK_OK(stoa_pickle_put_node(&out, stoa_pickle_root(pickle), &is_plain, &err), &err);
    CHECK(!is_plain);
    CHECK(out.size < 100000);
    stoa_buffer_clear(&out);
    check_label(program, "else", NULL);
    stoa_pickle_close(pickle);
}

static void columns_called_alike_are_numbered(void)
{
    static const struct {
        const char *wanted;
        const char *name;
    } steps[] = {{"a", "a"},      {"a", "a.1"},     {"a.2", "a.2"}, {"a", "a.3"},
                 {"b", "b"},      {"a.1", "a.1.1"}, {"a", "a.4"},   {"b", "b.1"},
                 {"", "unnamed"}, {"", "unnamed.1"}};
    enum { N = sizeof steps / sizeof *steps };
    stoa_error err = STOA_ERROR_INIT;
    stoa_pandas_metadata notes = {.is_series = false};
    stoa_column columns[N] = {0};
    stoa_column *added[N];
    stoa_table table = {.columns = added};

    for (size_t i = 0; i < N; i++) {
        stoa_pandas_label_text label = {strdup(steps[i].wanted), NULL, true};
        CHECK_OK(stoa_pandas_add_column(&notes, &table, &label, &err), &err);
        CHECK_STR(label.name, steps[i].name);
        columns[i].name = label.name;
        label.name = NULL;
        added[i] = &columns[i];
        table.n_columns = i + 1;
        stoa_pandas_label_clear(&label);
    }
    for (size_t i = 0; i < N; i++) {
        free(columns[i].name);
    }
    stoa_pandas_metadata_clear(&notes);
}

TEST_MAIN(TEST(labels_are_said_as_they_were), TEST(a_long_text_is_no_label),
          TEST(tuples_in_tuples_are_not_spread_out), TEST(columns_called_alike_are_numbered))
