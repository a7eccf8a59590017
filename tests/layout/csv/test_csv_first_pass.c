/* What is kept between the two passes over a CSV file, for src/layout/csv/first_pass.c, and what
 * the second pass makes of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "layout/csv/first_pass.h"
#include "layout/csv_kit.h"
#include "support/check.h"

/* Known labels by codes[number], own ones by codes[own[...]]; at every width and its limits. */
static void labels_become_codes_at_every_width(void)
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
        int64_t out[N];
        stoa_csv_parsed_column found = {.n_missing = 0};
        stoa_csv_kept_column column = {.n_known = n_known};
        stoa_buffer bytes = {0};
        CHECK(codes != NULL);
        CHECK_OK(stoa_csv_parsed_column_begin(&found, N, NULL));
        uint32_t *given = (uint32_t *)(void *)found.values.data;
        for (uint32_t i = 0; i < n; i++) {
            codes[i] = n - 1 - i;
        }
        for (uint32_t i = n_known; i < n; i++) { /* own labels, in reverse */
            const uint32_t number = n_known + (n - 1 - i);
            CHECK_OK(stoa_buffer_append(&column.own, &number, sizeof number, NULL));
        }
        for (size_t i = 0; i < N; i++) {
            given[i] =
                check_random_below(7) == 0 ? STOA_STRING_SET_NONE : (uint32_t)check_random_below(n);
            given[i] = i == 0 ? n - 1 : given[i];
        }
        found.kind = STOA_CSV_KEPT_LABELS;
        CHECK_OK(stoa_buffer_append(&bytes, "odd", 3, NULL)); /* a column before this one */
        CHECK_OK(stoa_csv_kept_pack(&column, &found, N, n, &bytes, NULL));
        CHECK_U64(column.width, cases[c].width);
        CHECK_U64(bytes.size, 8 + N * cases[c].width);
        stoa_csv_kept_codes(&column, bytes.data, codes, 0, N, out);
        for (size_t i = 0; i < N; i++) {
            const uint32_t number = given[i] < n_known ? given[i] : n_known + (n - 1 - given[i]);
            CHECK_I64(out[i], given[i] == STOA_STRING_SET_NONE ? -1 : (int64_t)(n - 1 - number));
        }
        stoa_csv_kept_codes(&column, bytes.data, codes, 990, 10, out);
        CHECK(given[999] == STOA_STRING_SET_NONE ? out[9] == -1 : out[9] >= 0);
        stoa_buffer_clear(&column.own);
        stoa_buffer_clear(&bytes);
        stoa_csv_parsed_column_clear(&found);
        free(codes);
    }
}

static void integers_come_back_from_the_fewest_bytes_that_hold_them(void)
{
    static const struct {
        int64_t low;
        int64_t high;
        size_t width;
    } cases[] = {{0, 0, 1},
                 {-100, 155, 1},
                 {-100, 156, 2},
                 {1700000000000, 1700000065535, 2},
                 {0, 65536, 4},
                 {INT64_MAX - UINT32_MAX, INT64_MAX, 4},
                 {INT64_MIN, INT64_MIN + UINT32_MAX + INT64_C(1), 8},
                 {INT64_MIN, INT64_MAX, 8}};

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        enum { N = 5 };
        const int64_t given[N] = {cases[c].high, cases[c].low, cases[c].low, cases[c].high,
                                  cases[c].low};
        int64_t out[N];
        stoa_csv_parsed_column found = {.n_missing = 0};
        stoa_csv_kept_column column = {.width = 0};
        stoa_buffer bytes = {0};
        CHECK_OK(stoa_csv_parsed_column_begin(&found, N, NULL));
        found.kind = STOA_CSV_KEPT_INTEGERS;
        for (size_t i = 0; i < N; i++) {
            stoa_csv_parsed_column_integers(&found)[i] = given[i];
        }
        stoa_csv_parsed_column_leave_out(&found, 2);
        CHECK_OK(stoa_csv_kept_pack(&column, &found, N, 0, &bytes, NULL));
        CHECK_U64(column.width, cases[c].width);
        CHECK_U64(column.n_missing, 1);
        CHECK_U64(bytes.data[column.validity] & 0x1f, 0x1b);
        stoa_csv_kept_integers(&column, bytes.data, 1, N - 1, out);
        for (size_t i = 1; i < N; i++) {
            CHECK(i == 2 || out[i - 1] == given[i]);
        }
        stoa_buffer_clear(&bytes);
        stoa_csv_parsed_column_clear(&found);
    }
}

/* A block of one column, from the machine's memory to the file's. */
static stoa_csv_kept_block block_of(const char *text, uint64_t line, size_t n_bytes)
{
    stoa_csv_kept_block block = {.block = {.text = text, .length = strlen(text), .line = line},
                                 .n_rows = 1,
                                 .n_bytes = n_bytes,
                                 .n_columns = 1};

    block.columns = calloc(1, sizeof *block.columns);
    CHECK(block.columns != NULL);
    block.columns[0].kind = STOA_CSV_KEPT_INTEGERS;
    block.columns[0].width = 1;
    return block;
}

static void a_block_is_known_by_its_place_its_line_and_its_length(void)
{
    stoa_csv_kept kept = {.n_bytes = 0};
    const stoa_csv_block first = {.text = "a\n", .length = 2, .line = 2};
    const stoa_csv_block second = {.text = "bb\n", .length = 3, .line = 3};
    stoa_csv_kept_block given = block_of("a\n", 2, 1);
    stoa_csv_kept_block nothing = {.block = second, .n_rows = 7};

    CHECK_OK(stoa_csv_kept_add(&kept, &given, NULL));
    CHECK(given.columns == NULL);
    CHECK_OK(stoa_csv_kept_add(&kept, &nothing, NULL));
    const stoa_csv_kept_block *found = stoa_csv_kept_find(&kept, 0, &first);
    CHECK(found != NULL && found->n_rows == 1);
    CHECK(stoa_csv_kept_find(&kept, 1, &second) == NULL);
    CHECK(stoa_csv_kept_find(&kept, 0, &second) == NULL); /* the file has changed */
    CHECK(stoa_csv_kept_find(&kept, 2, &first) == NULL);
    stoa_csv_kept_drop(&kept, 0);
    CHECK(stoa_csv_kept_find(&kept, 0, &first) == NULL);
    CHECK_U64(stoa_csv_kept_name(&kept, 0)->length, 2);
    stoa_csv_kept_clear(&kept);
}

static void what_there_is_no_room_for_is_not_kept(void)
{
    stoa_csv_kept kept = {.n_bytes = 0};
    const stoa_csv_block names[] = {
        {.length = 2, .line = 1}, {.length = 3, .line = 2}, {.length = 2, .line = 4}};
    stoa_csv_kept_block small = block_of("a\n", 1, (size_t)255 << 20);
    stoa_csv_kept_block large = block_of("bb\n", 2, (size_t)1 << 20);
    stoa_csv_kept_block late = block_of("c\n", 4, 1);

    CHECK_OK(stoa_csv_kept_add(&kept, &small, NULL));
    CHECK(!kept.is_full);
    CHECK_OK(stoa_csv_kept_add(&kept, &large, NULL));
    CHECK(kept.is_full);
    CHECK_OK(stoa_csv_kept_add(&kept, &late, NULL)); /* nor what would fit */
    CHECK(stoa_csv_kept_find(&kept, 0, &names[0]) != NULL);
    CHECK(stoa_csv_kept_find(&kept, 1, &names[1]) == NULL);
    CHECK(stoa_csv_kept_find(&kept, 2, &names[2]) == NULL);
    CHECK_U64(stoa_csv_kept_count(&kept), 3);
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
    options.threads = 3;
    options.block_bytes = 20000;
    CHECK_STR(kit_text(kit_file("many.csv", text, n), &options, STOA_TEXT_CSV), text);
    free(text);
}

static void a_shelf_is_there_as_long_as_anybody_uses_it(void)
{
    enum { N = 40, LENGTH = 50001 };
    stoa_csv_arena *arena = NULL;
    stoa_csv_kept_block blocks[N] = {{.n_rows = 0}};

    for (size_t i = 0; i < N; i++) {
        CHECK_OK(stoa_csv_arena_alloc(&arena, LENGTH, &blocks[i].bytes, NULL));
        CHECK_U64((uintptr_t)blocks[i].bytes % sizeof(uint64_t), 0);
        blocks[i].arena = arena;
        memset(blocks[i].bytes, (int)i, LENGTH);
    }
    CHECK(blocks[0].arena != arena && blocks[N - 1].arena == arena);
    stoa_csv_arena_leave(arena);
    for (size_t i = 0; i < N; i++) {
        CHECK(blocks[i].bytes[0] == i && blocks[i].bytes[LENGTH - 1] == i);
        stoa_csv_kept_block_clear(&blocks[i]);
    }
}

/* Of every kind, with missing values among them; and one where what follows is read from text. */
static void kept_values_read_as_their_text_does(void)
{
    static const char text[] = "i,f,b,w\n"
                               "1,0.5,true,9223372036854775807\n"
                               ",,,-1\n"
                               "-3,-0.0,false,\n"
                               "70000,1e+300,,5\n";
    static const char *const strings[] = {"i,f,b,w,s\n1,0.5,true,7,x\n", ",,,,\n",
                                          "2,,false,8,y\n"};
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    char lines[200];

    CHECK_STR(kit_schema(KIT_CSV("i,f,b,w\n1,0.5,true,9223372036854775807\n-70000,,,\n"), NULL),
              "i:i f:g b:b w:l");
    CHECK_STR(kit_text(kit_file("t.csv", text, sizeof text - 1), NULL, STOA_TEXT_CSV), text);
    options.block_bytes = 30; /* several blocks, and the last one by itself */
    CHECK_STR(kit_text(kit_file("t.csv", text, sizeof text - 1), &options, STOA_TEXT_CSV), text);
    const int n = snprintf(lines, sizeof lines, "%s%s%s", strings[0], strings[1], strings[2]);
    CHECK_STR(kit_text(kit_file("t.csv", lines, (size_t)n), &options, STOA_TEXT_CSV), lines);
}

/* The values that a type was said of are kept as that type, rounded once. */
static void typed_values_are_kept_as_they_are_read(void)
{
    static const stoa_csv_pair types[] = {{"f", "float32"}, {"u", "uint64"}, {"b", "bool"}};
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;

    options.types = types;
    options.n_types = 3;
    CHECK_STR(kit_text(KIT_CSV("f,u,b\n0.1,18446744073709551615,1\n16777217,007,0\n,,\n"), &options,
                       STOA_TEXT_CSV),
              "f,u,b\n0.1,18446744073709551615,true\n16777216.0,7,false\n,,\n");
}

/* A column that is numbers at first and text in the end: no value of it is what it was taken for.
 */
static void numbers_among_strings_stay_strings(void)
{
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    const char *text = "a,b,c\n1,true,1.5\n2,false,2.5\n03,1,x\n4,true,1e999\n";

    options.block_bytes = 10;
    CHECK_STR(kit_text(kit_file("t.csv", text, strlen(text)), &options, STOA_TEXT_CSV), text);
}

/* The text behind the blocks that are kept begins in the middle of a row of the wave before. */
static void text_goes_on_behind_what_was_kept(void)
{
    enum { N_KEPT = 3000, N_MORE = 3000 };
    stoa_csv_options options = STOA_CSV_OPTIONS_INIT;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    CHECK(out != NULL);
    (void)fprintf(out, "\xef\xbb\xbfu,x\n");
    for (int i = 0; i < N_KEPT + N_MORE; i++) { /* of uint64, no integer beyond int64 is kept */
        (void)fprintf(out, "%s%d,%d.5\n", i < N_KEPT ? "" : "1844674407370955", 1000 + i % 609, i);
    }
    CHECK(fclose(out) == 0);
    options.threads = 2;
    for (options.block_bytes = 100; options.block_bytes < 5000; options.block_bytes *= 3) {
        CHECK_STR(kit_text(kit_file("t.csv", text, n), &options, STOA_TEXT_CSV), text + 3);
    }
    free(text);
}

TEST_MAIN(TEST(labels_become_codes_at_every_width),
          TEST(integers_come_back_from_the_fewest_bytes_that_hold_them),
          TEST(a_block_is_known_by_its_place_its_line_and_its_length),
          TEST(what_there_is_no_room_for_is_not_kept),
          TEST(a_shelf_is_there_as_long_as_anybody_uses_it),
          TEST(kept_values_read_as_their_text_does), TEST(typed_values_are_kept_as_they_are_read),
          TEST(numbers_among_strings_stay_strings), TEST(text_goes_on_behind_what_was_kept),
          TEST(a_file_of_many_labels_reads_back_as_it_was))
