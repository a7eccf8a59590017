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
    return "allocator_may_return_null=1";
}

/* What libhdf5 leaks over a damaged header is its own; our ids are counted by the fixture. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static size_t run_file(const char *path, void (*target)(const uint8_t *, size_t))
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
    return n;
}

static void run_all(void (*target)(const uint8_t *, size_t))
{
    H5E_auto2_t print = NULL;
    void *context = NULL;
    const char *const source = getenv("STOA_SOURCE_DIR");
    char path[4096];
    DIR *directory = NULL;
    uint64_t n_files = 0;

    if (source == NULL) {
        SKIP("STOA_SOURCE_DIR does not say where the files are");
    }
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    (void)snprintf(path, sizeof path, "%s/tests/fuzz/regressions", source);
    directory = opendir(path);
    CHECK(directory != NULL);
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strstr(entry->d_name, ".h5") != NULL) {
            (void)snprintf(path, sizeof path, "%s/tests/fuzz/regressions/%s", source,
                           entry->d_name);
            (void)run_file(path, target);
            n_files++;
        }
    }
    CHECK(closedir(directory) == 0);
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
    CHECK(n_files > 0);
}

static void files_that_a_check_once_stumbled_over_are_judged(void)
{
    run_all(fuzz_check);
}

static void files_that_a_query_once_stumbled_over_are_answered(void)
{
    run_all(fuzz_query);
}

TEST_MAIN(TEST(files_that_a_check_once_stumbled_over_are_judged),
          TEST(files_that_a_query_once_stumbled_over_are_answered))
