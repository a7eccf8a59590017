/* Files of other layouts, damaged at random or cut, are read or refused (fuzz_query.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

TEST_MAIN(TEST(damaged_files_are_survived))
