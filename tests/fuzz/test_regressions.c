/* Files that once crashed, hung or misled a reader, and that a fuzzer found (README.md). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/check.h"

/* libhdf5 asks malloc() for what a damaged header says; it must hear no, not be killed. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

/* What libhdf5 leaks over a damaged header is its own; our ids are counted by the fixture. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static void run_file(const char *path, void (*target)(const uint8_t *, size_t))
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc((size_t)1 << 20);

    CHECK(file != NULL && bytes != NULL);
    const size_t n = fread(bytes, 1, (size_t)1 << 20, file);
    CHECK(n > 0 && fclose(file) == 0);
    uint8_t *exact = malloc(n); /* a sanitizer sees its end */
    CHECK(exact != NULL);
    memcpy(exact, bytes, n);
    target(exact, n);
    free(exact);
    free(bytes);
}

/* Call `run` with each file of a directory of tests/fuzz that ends so; the number of files. */
static uint64_t for_each(const char *name, const char *ending,
                         void (*run)(const char *path, void *context), void *context)
{
    const char *const source = getenv("STOA_SOURCE_DIR");
    char path[4096];
    DIR *directory = NULL;
    uint64_t n_files = 0;

    if (source == NULL) {
        SKIP("STOA_SOURCE_DIR does not say where the files are");
    }
    (void)snprintf(path, sizeof path, "%s/tests/fuzz/%s", source, name);
    directory = opendir(path);
    CHECK(directory != NULL);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strstr(entry->d_name, ending) != NULL) {
            (void)snprintf(path, sizeof path, "%s/tests/fuzz/%s/%s", source, name, entry->d_name);
            run(path, context);
            n_files++;
        }
    }
    CHECK(closedir(directory) == 0);
    return n_files;
}

static void check_file(const char *path, void *context)
{
    (void)context;
    run_file(path, fuzz_check);
}

static void query_file(const char *path, void *context)
{
    (void)context;
    run_file(path, fuzz_query);
}

static void layout_file(const char *path, void *context)
{
    (void)context;
    run_file(path, fuzz_layout);
}

static void run_line(const char *path, void *context)
{
    (void)context;
    run_file(path, fuzz_command);
}

static void read_chunk(const char *path, void *context)
{
    (void)context;
    run_file(path, fuzz_sparse);
}

static void undo_row(const char *path, void *context)
{
    (void)context;
    run_file(path, fuzz_waveform);
}

/* The targets keep libhdf5 quiet. */
static void run_all(const char *ending, void (*run)(const char *path, void *context))
{
    H5E_auto2_t print = NULL;
    void *context = NULL;

    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    const uint64_t n_files = for_each("regressions", ending, run, NULL);
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
    CHECK(n_files > 0);
}

static void files_that_a_check_once_stumbled_over_are_judged(void)
{
    run_all(".h5", check_file);
}

static void files_that_a_query_once_stumbled_over_are_answered(void)
{
    run_all(".h5", query_file);
}

static void tables_of_any_layout_that_a_query_once_stumbled_over_are_answered(void)
{
    run_all(".h5", layout_file);
}

static void lines_of_the_command_that_once_stumbled_over_a_file_end_in_order(void)
{
    run_all(".command", run_line);
}

static void chunks_that_readers_once_disagreed_on_are_read_alike_or_refused(void)
{
    run_all(".chunk", read_chunk);
}

static void rows_of_samples_are_undone_or_refused(void)
{
    run_all(".row", undo_row);
}

TEST_MAIN(TEST(files_that_a_check_once_stumbled_over_are_judged),
          TEST(files_that_a_query_once_stumbled_over_are_answered),
          TEST(tables_of_any_layout_that_a_query_once_stumbled_over_are_answered),
          TEST(lines_of_the_command_that_once_stumbled_over_a_file_end_in_order),
          TEST(chunks_that_readers_once_disagreed_on_are_read_alike_or_refused),
          TEST(rows_of_samples_are_undone_or_refused))
