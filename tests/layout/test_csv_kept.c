/* Numbers of labels between the two passes over a CSV file, for src/layout/csv/kept.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "csv_kit.h"
#include "layout/csv/kept.h"
#include "support/check.h"

static void put_number(stoa_csv_numbers *numbers, uint32_t number)
{
    CHECK_OK(stoa_buffer_append(&numbers->rows, &number, sizeof number, NULL));
}

/* Known labels by codes[number], own ones by codes[own[...]]; at every width and its limits. */
static void numbers_become_codes_at_every_width(void)
{
    static const struct {
        uint32_t n_labels;
        size_t width;
    } cases[] = {{3, 1}, {255, 1}, {256, 2}, {65535, 2}, {65536, 4}, {100000, 4}};

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        enum { N = 1000 };
        const uint32_t n = cases[c].n_labels;
        const uint32_t n_known = n - n / 3;
        uint32_t *codes = malloc((size_t)n * sizeof *codes);
        uint32_t given[N];
        int64_t found[N];
        stoa_csv_numbers numbers = {.n_known = n_known};
        CHECK(codes != NULL);
        for (uint32_t i = 0; i < n; i++) {
            codes[i] = n - 1 - i;
        }
        for (uint32_t i = n_known; i < n; i++) { /* own labels, in reverse */
            const uint32_t number = n_known + (n - 1 - i);
            CHECK_OK(stoa_buffer_append(&numbers.own, &number, sizeof number, NULL));
        }
        for (size_t i = 0; i < N; i++) {
            given[i] =
                check_random_below(7) == 0 ? STOA_STRINGS_NONE : (uint32_t)check_random_below(n);
            given[i] = i == 0 ? n - 1 : given[i];
            put_number(&numbers, given[i]);
        }
        stoa_csv_numbers_narrow(&numbers, N, n);
        CHECK_U64(numbers.width, cases[c].width);
        CHECK_U64(numbers.rows.size, N * cases[c].width);
        stoa_csv_numbers_codes(&numbers, codes, 0, N, found);
        for (size_t i = 0; i < N; i++) {
            const uint32_t number = given[i] < n_known ? given[i] : n_known + (n - 1 - given[i]);
            CHECK_I64(found[i], given[i] == STOA_STRINGS_NONE ? -1 : (int64_t)(n - 1 - number));
        }
        stoa_csv_numbers_codes(&numbers, codes, 990, 10, found);
        CHECK(given[999] == STOA_STRINGS_NONE ? found[9] == -1 : found[9] >= 0);
        stoa_csv_numbers_clear(&numbers);
        free(codes);
    }
}

static void a_block_is_known_by_its_place_its_line_and_its_length(void)
{
    stoa_csv_kept kept = {.n_bytes = 0};
    stoa_csv_numbers columns[2] = {{.width = 0}, {.width = 0}};
    const stoa_csv_block first = {.text = "a\n", .length = 2, .line = 2};
    const stoa_csv_block second = {.text = "bb\n", .length = 3, .line = 3};
    uint64_t n_rows = 0;

    put_number(&columns[1], 0);
    stoa_csv_numbers_narrow(&columns[1], 1, 1);
    CHECK_OK(stoa_csv_kept_add(&kept, &first, 1, columns, 2, NULL));
    columns[1].width = 0;
    CHECK_OK(stoa_csv_kept_add(&kept, &second, 7, columns, 2, NULL)); /* nothing to keep */
    const stoa_csv_numbers *found = stoa_csv_kept_find(&kept, 0, &first, &n_rows);
    CHECK(found != NULL && found[0].width == 0 && found[1].width == 1);
    CHECK_U64(n_rows, 1);
    CHECK(stoa_csv_kept_find(&kept, 1, &second, &n_rows) == NULL);
    CHECK(stoa_csv_kept_find(&kept, 0, &second, &n_rows) == NULL); /* the file has changed */
    CHECK(stoa_csv_kept_find(&kept, 2, &first, &n_rows) == NULL);
    stoa_csv_numbers_clear(&columns[1]);
    stoa_csv_kept_clear(&kept);
}

/* More labels than two bytes can number, in blocks that each bring some of their own. */
static void a_file_of_many_labels_reads_back_as_it_was(void)
{
    enum { N_LABELS = 70000, N_ROWS = 100000 };
    static const char *const category[] = {"name"};
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    CHECK(out != NULL);
    (void)fprintf(out, "name,x\n");
    for (int i = 0; i < N_ROWS; i++) {
        if (i % 1000 == 7) {
            (void)fprintf(out, ",%d\n", i);
        } else {
            (void)fprintf(out, "label %05d,%d\n", (i * 7919) % N_LABELS, i);
        }
    }
    CHECK(fclose(out) == 0);
    options.category = category;
    options.n_category = 1;
    options.n_threads = 3;
    options.block_bytes = 20000;
    CHECK_STR(kit_text(kit_file("many.csv", text, n), &options, STOA_TEXT_CSV), text);
    free(text);
}

TEST_MAIN(TEST(numbers_become_codes_at_every_width),
          TEST(a_block_is_known_by_its_place_its_line_and_its_length),
          TEST(a_file_of_many_labels_reads_back_as_it_was))
