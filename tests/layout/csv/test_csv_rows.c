/* CSV syntax (RFC 4180 and what is found beside it), for src/layout/csv/rows.c and csv.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/csv_kit.h"
#include "support/check.h"

static const char *csv(const char *path)
{
    return kit_text(path, NULL, STOA_TEXT_CSV);
}

static const char *jsonl(const char *path)
{
    return kit_text(path, NULL, STOA_TEXT_JSONL);
}

static const char *failure(const char *path)
{
    return kit_failure(path, NULL, STOA_ESYNTAX);
}

static void lines_end_in_lf_crlf_or_cr(void)
{
    CHECK_STR(csv(KIT_CSV("a,b\n1,2\n3,4\n")), "a,b\n1,2\n3,4\n");
    CHECK_STR(csv(KIT_CSV("a,b\r\n1,2\r\n3,4\r\n")), "a,b\n1,2\n3,4\n");
    CHECK_STR(csv(KIT_CSV("a,b\r1,2\r3,4\r")), "a,b\n1,2\n3,4\n");
}

static void the_last_line_needs_no_end(void)
{
    CHECK_STR(csv(KIT_CSV("a,b\n1,2\n3,4")), "a,b\n1,2\n3,4\n");
    CHECK_STR(csv(KIT_CSV("a,b\n1,2\n3,")), "a,b\n1,2\n3,\n");
    CHECK_STR(csv(KIT_CSV("a,b\n1,2\n3,\"4\"")), "a,b\n1,2\n3,4\n");
    CHECK_STR(csv(KIT_CSV("a,b")), "a,b\n");
}

static void quoted_fields_hold_delimiters_quotes_and_line_breaks(void)
{
    CHECK_STR(jsonl(KIT_CSV("a,b\n\"x,y\",\"he said \"\"no\"\"\"\n\"l\nf\",\"cr\r\nlf\"\n")),
              "{\"a\":\"x,y\",\"b\":\"he said \\\"no\\\"\"}\n"
              "{\"a\":\"l\\nf\",\"b\":\"cr\\r\\nlf\"}\n");
}

static void spaces_are_data(void)
{
    CHECK_STR(jsonl(KIT_CSV("a, b\n x ,\"  \"\ny,\t\n")),
              "{\"a\":\" x \",\" b\":\"  \"}\n{\"a\":\"y\",\" b\":\"\\t\"}\n");
}

static void an_empty_field_is_missing_but_quotes_make_it_a_value(void)
{
    CHECK_STR(jsonl(KIT_CSV("a,b\n,\"\"\n\"\",\nx,y\n")),
              "{\"a\":null,\"b\":\"\"}\n{\"a\":\"\",\"b\":null}\n{\"a\":\"x\",\"b\":\"y\"}\n");
}

static void a_blank_line_is_missing_in_one_column_and_nothing_in_many(void)
{
    CHECK_STR(jsonl(KIT_CSV("a\n1\n\n2\n\n")),
              "{\"a\":1}\n{\"a\":null}\n{\"a\":2}\n{\"a\":null}\n");
    CHECK_STR(jsonl(KIT_CSV("a\r\n1\r\n\r\n2\r\n")), "{\"a\":1}\n{\"a\":null}\n{\"a\":2}\n");
    CHECK_STR(csv(KIT_CSV("a,b\n\n1,2\n\n\n3,4\n\n")), "a,b\n1,2\n3,4\n");
    CHECK_STR(csv(KIT_CSV("\n\r\na,b\n1,2\n")), "a,b\n1,2\n");
}

static void a_byte_order_mark_is_skipped(void)
{
    CHECK_STR(csv(KIT_CSV("\xef\xbb\xbf"
                          "a,b\n1,2\n")),
              "a,b\n1,2\n");
    CHECK_STR(csv(KIT_CSV("\xef\xbb\xbf\"a\",b\n1,2\n")), "a,b\n1,2\n");
    CHECK_CONTAINS(failure(KIT_CSV("\xff\xfe"
                                   "a\0,\0b\0\n\0")),
                   "UTF-16");
}

static void tabs_part_fields_in_tsv(void)
{
    const stoa_csv_options options = {sizeof options, .delimiter = ';'};

    CHECK_STR(csv(kit_file("t.tsv", "a\tb,c\n1\t2\n", 10)), "a,\"b,c\"\n1,2\n");
    CHECK_STR(kit_text(KIT_CSV("a;b,c\n1;2\n"), &options, STOA_TEXT_CSV), "a,\"b,c\"\n1,2\n");
}

static void ragged_rows_are_told_with_both_numbers(void)
{
    CHECK_STR(failure(KIT_CSV("a,b\n1,2\n1,2,3\n")),
              "t.csv: line 3: 3 fields where the header has 2");
    CHECK_STR(failure(KIT_CSV("a,b\n1\n")), "t.csv: line 2: 1 field where the header has 2");
}

/* Editors count a line break inside quotes, whichever way it is spelled. */
static void lines_are_counted_as_editors_do(void)
{
    CHECK_CONTAINS(failure(KIT_CSV("a,b\n\"x\ny\",1\n\n2,\"p\r\nq\rz\"\n3\n")), "line 8: 1 field");
    CHECK_CONTAINS(failure(KIT_CSV("a,b\r\n1,2\r\n\r\n3\r\n")), "line 4: 1 field");
    CHECK_CONTAINS(failure(KIT_CSV("a,b\r1,2\r\r3\r")), "line 4: 1 field");
    CHECK_CONTAINS(failure(KIT_CSV("a,b\n\"\n\n\",x\xff\n")), "line 4, column 'b'");
}

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    return file;
}

/* Rows of 4 lines each, much longer together than a block of input. */
static void lines_are_counted_across_blocks(void)
{
    const char *path = check_path("t.csv");
    FILE *file = create(path);

    CHECK(fputs("a,b\n", file) > 0);
    for (int i = 0; i < 60000; i++) {
        (void)fprintf(file, "\"x\"\"\n\n\",%s\r\n\r\n", i % 2 != 0 ? "y" : "\"\"");
    }
    CHECK(fputs("1,2,3\n", file) > 0);
    CHECK(fclose(file) == 0);
    CHECK_CONTAINS(failure(path), "line 240002: 3 fields");
}

/* Rows of changing length march over the ends of blocks; only unquoted NAs are missing. */
static void whether_a_field_was_quoted_is_known_at_every_place_in_a_block(void)
{
    static const char *const quotes[] = {"", "\"\"", "\"\"\"\"", "\"\"x\"\"\"\""};
    const stoa_csv_options options = {sizeof options, .null_texts = (const char *[]){"NA"},
                                      .n_null_texts = 1};
    const char *path = check_path("t.csv");
    FILE *file = create(path);
    char *expected = NULL;
    size_t n_expected;
    FILE *wanted = open_memstream(&expected, &n_expected);

    (void)fputs("a,b\n", file);
    (void)fputs("a,b\n", wanted);
    for (int i = 0; i < 100000; i++) {
        (void)fprintf(file, "\"%s\",%s\n", quotes[i % 4], i % 3 == 0 ? "\"NA\"" : "NA");
        (void)fprintf(wanted, "\"%s\",%s\n", quotes[i % 4], i % 3 == 0 ? "NA" : "");
    }
    CHECK(fclose(file) == 0);
    CHECK(fclose(wanted) == 0);
    const bool is_same = strcmp(kit_text(path, &options, STOA_TEXT_CSV), expected) == 0;
    free(expected);
    CHECK(is_same);
}

static void bad_quotes_name_their_line(void)
{
    CHECK_CONTAINS(failure(KIT_CSV("a,b\n1,x\"y\n")), "line 2, column 2: a quote inside a field");
    CHECK_CONTAINS(failure(KIT_CSV("a,b\n1,2\n\"x\"y,3\n")), "line 3, column 1: a quote inside");
    CHECK_CONTAINS(failure(KIT_CSV("a,b\n1,\"x\n3,4\n")),
                   "line 2, column 2: the quoted field that begins here has no closing quote");
}

static void nul_bytes_are_told_from_text(void)
{
    CHECK_STR(failure(KIT_CSV("a,b\n1,x\0y\n")),
              "t.csv: line 2, column 'b': a NUL byte; is this a CSV file?");
    CHECK_CONTAINS(failure(KIT_CSV("a,\0\n1,x\n")), "line 1: the name of column 2 has a NUL byte");
}

static void bytes_that_are_no_utf8_name_line_and_column(void)
{
    CHECK_STR(
        failure(KIT_CSV("a,b\n1,gr\xfcn\n")),
        "t.csv: line 2, column 'b': byte 0xfc after 'gr' is not UTF-8; convert the file to UTF-8, "
        "or name its encoding: --encoding latin1");
    CHECK_CONTAINS(failure(KIT_CSV("a,\xc0\n1,x\n")), "the name of column 2 is not UTF-8");
}

static void a_header_is_needed_and_rows_are_not(void)
{
    CHECK_CONTAINS(kit_failure(KIT_CSV(""), NULL, STOA_EDATA), "t.csv: the file is empty");
    CHECK_CONTAINS(kit_failure(KIT_CSV("\n\n"), NULL, STOA_EDATA), "the file is empty");
    CHECK_CONTAINS(kit_failure(KIT_CSV("\xef\xbb\xbf"), NULL, STOA_EDATA), "the file is empty");
    CHECK_STR(csv(KIT_CSV("a,b\n")), "a,b\n");
    CHECK_STR(kit_schema(KIT_CSV("a,b\n"), NULL), "a:u b:u");
}

static void names_differ_and_a_nameless_column_is_called_by_its_place(void)
{
    CHECK_STR(csv(KIT_CSV("a,b,a\n1,2,3\n")), "a,b,a_2\n1,2,3\n");
    CHECK_STR(csv(KIT_CSV("a,a_2,a,a,b,b\n1,2,3,4,5,6\n")), "a,a_2,a_3,a_4,b,b_2\n1,2,3,4,5,6\n");
    CHECK_STR(csv(KIT_CSV("\" a \",b , b\n1,2,3\n")), " a ,b , b\n1,2,3\n");
    CHECK_STR(csv(KIT_CSV(",b,\"\"\n1,2,3\n")), "column_1,b,column_3\n1,2,3\n");
    CHECK_STR(csv(KIT_CSV(",column_1\n1,2\n")), "column_1,column_1_2\n1,2\n");
}

static void fields_have_a_longest_length(void)
{
    const stoa_csv_options options = {sizeof options, .max_field_bytes = 5};
    const stoa_csv_options too_many = {sizeof too_many, .max_field_bytes = SIZE_MAX};

    CHECK_STR(kit_text(KIT_CSV("a\nabcde\n"), &options, STOA_TEXT_CSV), "a\nabcde\n");
    CHECK_CONTAINS(kit_failure(KIT_CSV("a\nx\nabcdef\n"), &options, STOA_ESYNTAX),
                   "line 3, column 1: a field is longer than 5 bytes");
    CHECK_CONTAINS(kit_failure(KIT_CSV("a\nx\n"), &too_many, STOA_EINVAL), "fields of more than");
}

/* What a forgotten quote does to a long file. */
static void a_field_of_100_mb_is_refused_without_being_kept(void)
{
    const char *path = check_path("t.csv");
    FILE *file = create(path);
    char block[1 << 16];

    memset(block, 'x', sizeof block);
    CHECK(fputs("a,b\n1,\"", file) > 0);
    for (int i = 0; i < 1600; i++) {
        CHECK(fwrite(block, 1, sizeof block, file) == sizeof block);
    }
    CHECK(fclose(file) == 0);
    CHECK_STR(failure(path), "t.csv: line 2, column 2: a field is longer than 16777216 bytes; is a "
                             "closing quote missing?");
}

/* The same without a quote: a file of one line. */
static void a_line_of_100_mb_is_refused_too(void)
{
    const char *path = check_path("t.csv");
    FILE *file = create(path);
    char block[1 << 16];

    memset(block, 'x', sizeof block);
    CHECK(fputs("a,b\n1,2\n", file) > 0);
    for (int i = 0; i < 1600; i++) {
        CHECK(fwrite(block, 1, sizeof block, file) == sizeof block);
    }
    CHECK(fclose(file) == 0);
    CHECK_CONTAINS(failure(path), "t.csv: line 3, column 1: a field is longer than 16777216 bytes");
}

/* Longer than a wave of blocks is, and sound: it is gathered. */
static void a_row_longer_than_many_blocks_is_read_whole(void)
{
    const stoa_csv_options options = {sizeof options, .block_bytes = 3, .threads = 3};
    const size_t n = 20000;
    char *text = malloc(n + 20);

    CHECK(text != NULL);
    memcpy(text, "a,b\n1,\"", 7);
    memset(text + 7, '\n', n);
    memcpy(text + 7 + n, "\"\n2,y\n3", 8);
    const char *path = kit_file("t.csv", text, 7 + n + 8);
    CHECK_CONTAINS(kit_failure(path, &options, STOA_ESYNTAX), "line 20004: 1 field where");
    memcpy(text + 7 + n, "\"\n2,y\n", 7);
    path = kit_file("t.csv", text, 7 + n + 6);
    CHECK(strlen(kit_text(path, &options, STOA_TEXT_CSV)) == 7 + n + 6);
    free(text);
}

/* A CR may be the last byte of what was read so far, or of the file. */
static void line_breaks_may_be_cut_apart(void)
{
    for (size_t n = 1; n < 30; n++) {
        const stoa_csv_options options = {sizeof options, .block_bytes = n, .threads = 1};
        const char *path = KIT_CSV("a\r\n1\r\n\r\n\"\r\n\"\r\n23\r\n\n\r4\r");
        CHECK_STR(kit_text(path, &options, STOA_TEXT_JSONL),
                  "{\"a\":\"1\"}\n{\"a\":null}\n{\"a\":\"\\r\\n\"}\n{\"a\":\"23\"}\n{\"a\":null}\n"
                  "{\"a\":null}\n{\"a\":\"4\"}\n");
    }
}

static void more_columns_than_a_table_can_use_are_refused(void)
{
    const size_t n = 70000;
    char *text = malloc(n);

    CHECK(text != NULL);
    memset(text, ',', n);
    const char *path = kit_file("t.csv", text, n);
    free(text);
    CHECK_CONTAINS(failure(path), "line 1: more than 65536 fields");
}

static void a_delimiter_is_one_plain_character(void)
{
    static const char bad[] = {'"', '\n', '\r', (char)0xe9};

    for (size_t i = 0; i < sizeof bad; i++) {
        const stoa_csv_options options = {sizeof options, .delimiter = bad[i]};
        CHECK_CONTAINS(kit_failure(KIT_CSV("a\n"), &options, STOA_EINVAL), "delimiter");
    }
}

TEST_MAIN(TEST(lines_end_in_lf_crlf_or_cr), TEST(the_last_line_needs_no_end),
          TEST(quoted_fields_hold_delimiters_quotes_and_line_breaks), TEST(spaces_are_data),
          TEST(an_empty_field_is_missing_but_quotes_make_it_a_value),
          TEST(a_blank_line_is_missing_in_one_column_and_nothing_in_many),
          TEST(a_byte_order_mark_is_skipped), TEST(tabs_part_fields_in_tsv),
          TEST(ragged_rows_are_told_with_both_numbers), TEST(lines_are_counted_as_editors_do),
          TEST(lines_are_counted_across_blocks),
          TEST(whether_a_field_was_quoted_is_known_at_every_place_in_a_block),
          TEST(bad_quotes_name_their_line), TEST(nul_bytes_are_told_from_text),
          TEST(bytes_that_are_no_utf8_name_line_and_column),
          TEST(a_header_is_needed_and_rows_are_not),
          TEST(names_differ_and_a_nameless_column_is_called_by_its_place),
          TEST(fields_have_a_longest_length), TEST(a_field_of_100_mb_is_refused_without_being_kept),
          TEST(a_line_of_100_mb_is_refused_too), TEST(a_row_longer_than_many_blocks_is_read_whole),
          TEST(line_breaks_may_be_cut_apart), TEST(more_columns_than_a_table_can_use_are_refused),
          TEST(a_delimiter_is_one_plain_character))
