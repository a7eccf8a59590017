/*
 * A damaged file is a list of findings, or cannot be opened: it never crashes the check, makes it
 * hang, or leaves an id open (the fixture looks).
 */
#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>

#include "conformance/cases.h"
#include "support/check.h"
#include "support/damage.h"

static void check_damaged(void (*make)(hid_t file), uint64_t n_cases)
{
    const stoa_check_options options = {sizeof options, .indexes = true, .strict = true};
    const hid_t sound = damage_new_file();
    uint8_t *whole = NULL;
    uint8_t *bytes = NULL;
    size_t n = 0;
    uint64_t n_opened = 0;
    uint64_t n_judged = 0;

    make(sound);
    n = damage_take_image(sound, &whole);
    bytes = malloc(n);
    CHECK(bytes != NULL);
    for (uint64_t i = n_cases; i > 0; i--) {
        memcpy(bytes, whole, n);
        damage_bytes(bytes, n);
        const hid_t file = damage_open(bytes, n, H5F_ACC_RDONLY);
        if (file >= 0) {
            uint64_t n_refused = 0;
            if (stoa_check(file, NULL, &options, NULL, NULL, &n_refused, NULL, NULL) == STOA_OK) {
                n_judged += n_refused > 0;
            }
            n_opened++;
        }
        damage_close(file);
    }
    /* Otherwise this looked at nothing. */
    CHECK(n_opened > 0);
    CHECK(n_judged > 0);
    free(bytes);
    free(whole);
}

static void damage_is_found_and_survived(void)
{
    check_damaged(build_table, check_n_cases(500));
}

static void build_with_indexes(hid_t file)
{
    build_table(file);
    build_indexes(file);
}

static void damage_to_indexes_is_found_and_survived(void)
{
    check_damaged(build_with_indexes, check_n_cases(1000));
}

static void build_with_lists(hid_t file)
{
    build_july(file);
    build_string_list(file);
}

static void damage_to_lists_is_found_and_survived(void)
{
    check_damaged(build_with_lists, check_n_cases(1000));
}

TEST_MAIN(TEST(damage_is_found_and_survived), TEST(damage_to_indexes_is_found_and_survived),
          TEST(damage_to_lists_is_found_and_survived))
