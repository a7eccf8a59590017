/* Files of other layouts, damaged at random or cut, are read or refused (fuzz_query.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/stoa.h>

#include "fuzz/fuzz.h"
#include "support/arkouda.h"
#include "support/check.h"

enum { ROOM = 1 << 18 };

static size_t load(const char *name, uint8_t *bytes)
{
    FILE *file = fopen(name, "rb");

    CHECK(file != NULL);
    const size_t n = fread(bytes, 1, ROOM, file);
    CHECK(n > 0 && n < ROOM && fclose(file) == 0);
    return n;
}

/* Numbers close by, among which attributes and offsets are, and any bits. */
static void damage(uint8_t *bytes, size_t n)
{
    for (uint64_t hits = 1 + check_random_below(6); hits > 0; hits--) {
        uint8_t *const at = &bytes[96 + check_random_below(n - 96)];
        switch (check_random_below(4)) {
        case 0:
            *at = (uint8_t)check_random();
            break;
        case 1:
            *at = (uint8_t)(*at + 1 - 2 * check_random_below(2));
            break;
        default:
            *at = (uint8_t)(*at ^ 1u << check_random_below(8));
            break;
        }
    }
}

/* libhdf5 leaks over damaged headers, and says so on its own. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

static void damaged_files_are_survived(void)
{
    static uint8_t bytes[ROOM];
    static uint8_t damaged[ROOM];
    const char *const name = check_path("arkouda.h5");
    H5E_auto2_t print = NULL;
    void *context = NULL;

    arkouda_make(name);
    const size_t n = load(name, bytes);
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    fuzz_layout(bytes, n);
    for (uint64_t i = check_n_cases(150); i > 0; i--) {
        memcpy(damaged, bytes, n);
        damage(damaged, n);
        fuzz_layout(damaged, check_random_below(20) == 0 ? 96 + check_random_below(n - 96) : n);
    }
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
}

/* --- sets of files --------------------------------------------------------------------------- */

static void save(size_t locale, const uint8_t *bytes, size_t n)
{
    char name[32];

    (void)snprintf(name, sizeof name, "set_LOCALE%04zu.h5", locale);
    FILE *const file = fopen(check_path(name), "wb");
    CHECK(file != NULL);
    CHECK(fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static bool is_read(hid_t file, const char *path)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};
    stoa_query *query = NULL;
    stoa_table *table = NULL;
    bool is_whole = false;

    if (stoa_table_open(file, path, &table, NULL) == STOA_OK &&
        stoa_query_open(table, &options, &query, NULL) == STOA_OK &&
        stoa_query_run(query, &stream, NULL) == STOA_OK) {
        while ((is_whole = stream.get_next(&stream, &batch) == 0) && batch.release != NULL) {
            batch.release(&batch);
        }
        stream.release(&stream);
    }
    stoa_query_close(query);
    stoa_table_close(table);
    return is_whole;
}

static size_t count_read(void)
{
    stoa_file *file = NULL;
    size_t n = 0;

    if (stoa_file_open(check_path("set_LOCALE0000.h5"), STOA_FILE_READ, &file, NULL) == STOA_OK) {
        for (size_t i = 0; arkouda_paths[i] != NULL; i++) {
            n += is_read(stoa_file_id(file), arkouda_paths[i]);
        }
        n += is_read(stoa_file_id(file), "/s,i,b");
    }
    stoa_file_close(file);
    return n;
}

static void sets_with_damaged_files_are_survived(void)
{
    static uint8_t bytes[ROOM];
    static uint8_t damaged[FUZZ_LOCALES * ROOM];
    H5E_auto2_t print = NULL;
    void *context = NULL;

    arkouda_make_part(check_path("part.h5"));
    const size_t n = load(check_path("part.h5"), bytes);
    CHECK_H5(H5Eget_auto2(H5E_DEFAULT, &print, &context));
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, NULL, NULL));
    for (size_t k = 0; k < FUZZ_LOCALES; k++) {
        save(k, bytes, n);
    }
    CHECK(count_read() > 8); /* GroupBys and views do not go on from file to file like this */
    for (uint64_t i = check_n_cases(60) + 1; i > 0; i--) {
        const uint64_t hit = check_random_below(FUZZ_LOCALES);
        for (size_t k = 0; k < FUZZ_LOCALES; k++) {
            memcpy(damaged + k * n, bytes, n);
            if (k == hit || i % 3 == 0) {
                damage(damaged + k * n, n);
            }
        }
        if (i % 20 == 0) { /* what a file is that was not written to its end */
            const size_t kept = 96 + (size_t)check_random_below(n - 96);
            memset(damaged + hit * n + kept, 0, n - kept);
        }
        fuzz_set(damaged, FUZZ_LOCALES * n);
    }
    CHECK_H5(H5Eset_auto2(H5E_DEFAULT, print, context));
}

TEST_MAIN(TEST(damaged_files_are_survived), TEST(sets_with_damaged_files_are_survived))
