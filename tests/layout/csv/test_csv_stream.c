/* Rows that cannot be read, batches, progress and changes under way, for src/layout/csv/csv.c */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrow/build.h"
#include "layout/csv_kit.h"
#include "support/check.h"
#include "support/sweep.h"

/* Column b is to be an int8; the text of what passes, and how many errors were counted. */
static const char *passes(const char *path, stoa_csv_on_error on_error, uint64_t *n_errors)
{
    const stoa_csv_pair type = {"b", "int8"};
    const stoa_csv_options options = {sizeof options, .types = &type, .n_types = 1,
                                      .on_error = on_error};
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    stoa_csv *csv;

    CHECK_OK(stoa_csv_open(path, &options, &csv, &err), &err);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    const char *text = kit_stream_text(&stream, STOA_TEXT_CSV);
    *n_errors = stoa_csv_n_errors(csv);
    stoa_csv_close(csv);
    return text;
}

#define BAD_ROWS "a,b,c\n1,1,x\n2,12x,x\n3,300,x\n4,4\n5,5,x,y\n6,6,x\xffy\n7,\"7\n\",x\0y\n8,8,\n"

static void bad_rows_are_left_out_whole_and_counted(void)
{
    uint64_t n_errors;

    CHECK_STR(passes(KIT_CSV(BAD_ROWS), STOA_CSV_SKIP, &n_errors), "a,b,c\n1,1,x\n8,8,\n");
    CHECK_U64(n_errors, 6);
}

static void bad_values_become_missing_and_are_counted(void)
{
    uint64_t n_errors;

    CHECK_STR(passes(KIT_CSV(BAD_ROWS), STOA_CSV_NULL, &n_errors),
              "a,b,c\n1,1,x\n2,,x\n3,,x\n4,4,\n5,5,x\n6,6,\n7,,\n8,8,\n");
    CHECK_U64(n_errors, 7);
}

/* Else a row that is left out would decide what the others are. */
static void a_row_left_out_has_no_say_in_the_types(void)
{
    const stoa_csv_pair type = {"b", "int8"};
    const stoa_csv_options options = {sizeof options, .types = &type, .n_types = 1,
                                      .on_error = STOA_CSV_SKIP};

    CHECK_STR(kit_schema(KIT_CSV("a,b\n1,1\nx,12x\n2,2\n"), &options), "a:c b:c");
    CHECK_STR(kit_schema(KIT_CSV("a,b,c\n1,1,x\n\"x\",1,\xff\n2,2,y\n"), &options), "a:c b:c c:u");
}

static void broken_quotes_end_the_reading_whatever_the_policy(void)
{
    const stoa_csv_options options = {sizeof options, .on_error = STOA_CSV_SKIP};

    CHECK_CONTAINS(kit_failure(KIT_CSV("a\nx\"y\nz\n"), &options, STOA_ESYNTAX), "a quote inside");
}

static void null_texts_are_missing_unless_quoted(void)
{
    const char *nulls[] = {"NA", "-999"};
    const stoa_csv_options options = {sizeof options, .null_texts = nulls, .n_null_texts = 2};

    CHECK_STR(kit_text(KIT_CSV("a,b\nNA,1\n\"NA\",-999\nx,na\n"), &options, STOA_TEXT_JSONL),
              "{\"a\":null,\"b\":\"1\"}\n{\"a\":\"NA\",\"b\":null}\n{\"a\":\"x\",\"b\":\"na\"}\n");
    CHECK_STR(kit_schema(KIT_CSV("a\n1\nNA\n-999\n"), &options), "a:c");
}

static void a_long_value_is_told_by_its_start(void)
{
    const stoa_csv_pair type = {"a", "int8"};
    const stoa_csv_options options = {sizeof options, .types = &type, .n_types = 1};

    CHECK_CONTAINS(kit_failure(KIT_CSV("a\nthis value goes on and on to no good purpose at all\n"),
                               &options, STOA_ESYNTAX),
                   "column 'a': 'this value goes on and on");
    CHECK_CONTAINS(kit_failure(KIT_CSV("a\n\"x\ny\"\n"), &options, STOA_ESYNTAX),
                   "'x?y' is no int8");
}

/* Batches ---------------------------------------------------------------------------------- */

static int64_t next_length(struct ArrowArrayStream *stream)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArray batch;
    int64_t length = -1;

    CHECK_OK(stoa_stream_next(stream, &batch, &err), &err);
    if (batch.release != NULL) {
        length = batch.length;
        stoa_array_release(&batch);
    }
    return length;
}

static stoa_csv *open_batches(const char *path, uint64_t batch_rows,
                              struct ArrowArrayStream *stream)
{
    const stoa_csv_options options = {sizeof options, .batch_rows = batch_rows};
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv *csv;

    CHECK_OK(stoa_csv_open(path, &options, &csv, &err), &err);
    CHECK_OK(stoa_csv_stream(csv, stream, &err), &err);
    return csv;
}

static void batches_are_as_long_as_asked_but_for_the_last(void)
{
    struct ArrowArrayStream stream;
    stoa_csv *csv = open_batches(KIT_CSV("a\n1\n2\n3\n4\n5\n"), 2, &stream);

    CHECK_I64(next_length(&stream), 2);
    CHECK_I64(next_length(&stream), 2);
    CHECK_I64(next_length(&stream), 1);
    CHECK_I64(next_length(&stream), -1);
    CHECK_I64(next_length(&stream), -1);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

static void a_table_without_rows_has_no_batch(void)
{
    struct ArrowArrayStream stream;
    stoa_csv *csv = open_batches(KIT_CSV("a,b\n"), 2, &stream);

    CHECK_I64(next_length(&stream), -1);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

/* Whatever the number of rows asked for: 1.6 MB a row makes 64 MiB long before 65,536 rows. */
static void a_batch_of_long_rows_ends_early(void)
{
    const char *path = check_path("t.csv");
    FILE *file = fopen(path, "wb");
    char *value = malloc(1600001);
    struct ArrowArrayStream stream;

    CHECK(file != NULL && value != NULL);
    memset(value, 'x', 1600000);
    value[1600000] = '\0';
    (void)fputs("a\n", file);
    for (int i = 0; i < 60; i++) {
        value[i] = 'y';
        (void)fprintf(file, "%s\n", value);
    }
    CHECK(fclose(file) == 0);
    free(value);
    stoa_csv *csv = open_batches(path, 0, &stream);
    CHECK_I64(next_length(&stream), 42);
    CHECK_I64(next_length(&stream), 18);
    CHECK_I64(next_length(&stream), -1);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

static void a_stream_may_be_left_before_its_end(void)
{
    struct ArrowArrayStream stream;
    stoa_csv *csv = open_batches(KIT_CSV("a,b\n1,x\n2,x\n3,x\n4,x\n"), 1, &stream);

    CHECK_I64(next_length(&stream), 1);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

static void a_reader_has_one_stream(void)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArrayStream other;
    stoa_csv *csv = open_batches(KIT_CSV("a\n1\n"), 1, &stream);

    CHECK_STATUS(STOA_EINVAL, stoa_csv_stream(csv, &other, &err), &err);
    CHECK(other.release == NULL);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

/* What happens meanwhile ------------------------------------------------------------------- */

/* Times and strings are read again. */
static void check_change(const char *after, size_t n, const char *message)
{
    const char *path = KIT_CSV("a,b\n2001-01-01,x\n2001-01-02,y\n");
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    stoa_csv *csv;

    CHECK_OK(stoa_csv_open(path, NULL, &csv, &err), &err);
    (void)kit_file("t.csv", after, n);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    stoa_status status = STOA_OK;
    do {
        status = stoa_stream_next(&stream, &batch, &err);
        if (status == STOA_OK && batch.release == NULL) {
            break;
        }
        stoa_array_release(&batch);
    } while (status == STOA_OK);
    CHECK_U64(status, STOA_EDATA);
    CHECK_CONTAINS(err.message, message);
    CHECK_CONTAINS(err.where, "t.csv");
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
}

static void a_file_that_changes_between_the_passes_is_noticed(void)
{
    check_change("a,b\n2001-01-01,x\n2001-zz-02,y\n", 30,
                 "line 3, column 'a': '2001-zz-02' is no date: the file has changed");
    check_change("a,b\n2001-01-01,x\n2001-01-02,y\n2001-01-03,z\n", 43, "the file has changed");
    check_change("a,b,c\n2001-01-01,x,1\n", 21, "the header has changed");
}

/* What is kept of the first pass is all that there is to it. */
static void a_file_of_numbers_and_categories_is_read_once(void)
{
    const char *text = "a,b,c\n1,0.5,true\n2,,false\n";
    const char *path = kit_file("t.csv", text, strlen(text));
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct stat before;
    stoa_csv *csv;

    CHECK(stat(path, &before) == 0);
    CHECK_OK(stoa_csv_open(path, NULL, &csv, &err), &err);
    (void)kit_file("t.csv", "a,b,c\n7,9.5,true\n7,,true,\n", strlen(text));
    const struct timespec times[] = {before.st_atim, before.st_mtim};
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
    CHECK_OK(stoa_csv_stream(csv, &stream, &err), &err);
    CHECK_STR(kit_stream_text(&stream, STOA_TEXT_CSV), text);
    stoa_csv_close(csv);
}

typedef struct ear {
    int n_calls;
    int stop_at;
    char stages[64];
    uint64_t bytes;
    uint64_t total_bytes;
} ear;

static bool hear(void *context, const stoa_progress *progress)
{
    ear *self = context;

    if (strstr(self->stages, progress->stage) == NULL) {
        (void)strcat(self->stages, progress->stage);
        (void)strcat(self->stages, " ");
    }
    CHECK(progress->bytes <= progress->total_bytes);
    self->bytes = progress->bytes;
    self->total_bytes = progress->total_bytes;
    return ++self->n_calls != self->stop_at;
}

/* 20 MB of rows. */
static const char *long_file(void)
{
    const char *path = check_path("long.csv");
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    (void)fputs("a,b\n", file);
    for (int i = 0; i < 1000000; i++) {
        (void)fprintf(file, "%d,%s\n", i % 10, "abcdefghijklmnopq");
    }
    CHECK(fclose(file) == 0);
    return path;
}

static void the_listener_hears_of_both_passes_to_their_end(void)
{
    ear self = {0};
    const stoa_csv_options options = {sizeof options, .listener = {hear, &self}};

    CHECK(strlen(kit_text(long_file(), &options, STOA_TEXT_CSV)) == 20000004);
    CHECK_STR(self.stages, "scanning reading ");
    CHECK(self.n_calls >= 2 + 3);
    CHECK_U64(self.bytes, 20000004);
    CHECK_U64(self.total_bytes, 20000004);
}

static void the_listener_can_stop_the_job(void)
{
    ear self = {.stop_at = 2};
    const stoa_csv_options options = {sizeof options, .listener = {hear, &self}};
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv *csv;

    CHECK_STATUS(STOA_ECANCELLED, stoa_csv_open(long_file(), &options, &csv, &err), &err);
    CHECK_I64(self.n_calls, 2);
}

static stoa_status read_all_in(size_t block_bytes, stoa_csv_on_error on_error, size_t n_category,
                               stoa_error *err)
{
    const stoa_csv_pair units = {"a", "m"};
    const char *nulls[] = {"NA"};
    const char *category[] = {"b"};
    const stoa_csv_options options = {
        sizeof options,       .units = &units,           .n_units = 1,
        .category = category, .n_category = n_category,  .null_texts = nulls,
        .n_null_texts = 1,    .on_error = on_error,      .batch_rows = 3,
        .threads = 1,         .block_bytes = block_bytes};
    stoa_status status = STOA_OK;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_csv *csv = NULL;

    STOA_TRY(stoa_csv_open(check_path("t.csv"), &options, &csv, err));
    STOA_TRY(stoa_csv_stream(csv, &stream, err));
    STOA_TRY(stoa_stream_schema(&stream, &schema, err));
    do {
        stoa_array_release(&batch);
        STOA_TRY(stoa_stream_next(&stream, &batch, err));
    } while (batch.release != NULL);

done:
    stoa_schema_release(&schema);
    stoa_array_release(&batch);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
    return status;
}

static stoa_status read_all(stoa_error *err)
{
    return read_all_in(0, STOA_CSV_STOP, 0, err);
}

static stoa_status read_in_blocks(stoa_error *err)
{
    return read_all_in(8, STOA_CSV_NULL, 0, err);
}

static stoa_status read_labels_in_blocks(stoa_error *err)
{
    return read_all_in(16, STOA_CSV_STOP, 1, err);
}

static void running_out_of_memory_anywhere_is_just_an_error(void)
{
    (void)KIT_CSV("a,b,c,d,e\n1,x,1.5,2001-01-01,true\n2,x,NA,,false\n3,x,,2001-01-02,\n"
                  "4,x,1e5,2001-01-03,true\n5,\"q\"\"q\",,,\n");
    CHECK(sweep_memory(read_all) > 50);
}

/* With waves that are carried over, blocks that are read row by row, and labels that turn out to be
 * needed after all. */
static void running_out_of_memory_between_blocks_is_just_an_error(void)
{
    (void)KIT_CSV("a,b,c,d,e\n1,x,1.5,2001-01-01,true\n2,x,NA,,false\n3,x,,2001-01-02,\n"
                  "4,x,1e5,2001-01-03,true\n5,\"q\"\"q, and a long text too\",,,\n1,2\n"
                  "5,\"q\"\"q\",,,\n5,\"q\"\"q\",,,\n5,\"q\"\"q\",,,\n5,\"q\"\"q\",,,\nx,,,,\n");
    CHECK(sweep_memory(read_in_blocks) > 200);
}

/* With numbers of labels that the second pass finds where the first has left them. */
static void running_out_of_memory_over_labels_is_just_an_error(void)
{
    (void)KIT_CSV("a,b\n1,ada\n2,grace\n3,NA\n4,ada\n5,emmy\n6,grace\n7,lise\n8,ada\n9,emmy\n"
                  "10,emmy\n11,ada\n12,a label of more than sixteen bytes\n13,ada\n14,grace\n");
    CHECK(sweep_memory(read_labels_in_blocks) > 100);
}

TEST_MAIN(TEST(bad_rows_are_left_out_whole_and_counted),
          TEST(bad_values_become_missing_and_are_counted),
          TEST(a_row_left_out_has_no_say_in_the_types),
          TEST(broken_quotes_end_the_reading_whatever_the_policy),
          TEST(null_texts_are_missing_unless_quoted), TEST(a_long_value_is_told_by_its_start),
          TEST(batches_are_as_long_as_asked_but_for_the_last),
          TEST(a_table_without_rows_has_no_batch), TEST(a_batch_of_long_rows_ends_early),
          TEST(a_stream_may_be_left_before_its_end), TEST(a_reader_has_one_stream),
          TEST(a_file_that_changes_between_the_passes_is_noticed),
          TEST(a_file_of_numbers_and_categories_is_read_once),
          TEST(the_listener_hears_of_both_passes_to_their_end), TEST(the_listener_can_stop_the_job),
          TEST(running_out_of_memory_anywhere_is_just_an_error),
          TEST(running_out_of_memory_between_blocks_is_just_an_error),
          TEST(running_out_of_memory_over_labels_is_just_an_error))
