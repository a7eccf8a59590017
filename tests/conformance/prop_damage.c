/*
 * A damaged file is a list of findings, or cannot be opened: it never crashes the check, makes it
 * hang, or leaves an id open (the fixture looks).
 */
#include <hdf5.h>
#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>

#include "conformance/cases.h"
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

static hid_t open_image(void *bytes, size_t n)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 16, false));
    if (bytes != NULL) {
        CHECK_H5(H5Pset_file_image(fapl, bytes, n));
    }
    H5E_BEGIN_TRY
    {
        file = bytes == NULL ? H5Fcreate("whole.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl)
                             : H5Fopen("damaged.h5", H5F_ACC_RDONLY, fapl);
    }
    H5E_END_TRY
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* The conformant table of build.h as the bytes of its file. */
static size_t whole_table(uint8_t **bytes)
{
    const hid_t file = open_image(NULL, 0);
    ssize_t n = 0;

    build_table(file);
    CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
    n = (ssize_t)CHECK_H5(H5Fget_file_image(file, NULL, 0));
    *bytes = malloc((size_t)n);
    CHECK(*bytes != NULL);
    CHECK_H5(H5Fget_file_image(file, *bytes, (size_t)n));
    CHECK_H5(H5Fclose(file));
    return (size_t)n;
}

static void damage(uint8_t *bytes, size_t n)
{
    /* Most of a young file is empty space, which is not worth damaging. */
    for (uint64_t hits = 1 + check_random_below(3); hits > 0;) {
        const size_t at = (size_t)check_random_below(n);
        if (bytes[at] != 0 || check_random_below(16) == 0) {
            bytes[at] = check_random_below(2) == 0
                            ? (uint8_t)check_random()
                            : (uint8_t)(bytes[at] ^ (1u << check_random_below(8)));
            hits--;
        }
    }
}

static void damage_is_found_and_survived(void)
{
    const stoa_check_options options = {.size = sizeof options, .indexes = true};
    uint8_t *whole = NULL;
    const size_t n = whole_table(&whole);
    uint8_t *bytes = malloc(n);
    uint64_t n_opened = 0;
    uint64_t n_judged = 0;

    CHECK(bytes != NULL);
    for (uint64_t i = check_n_cases(500); i > 0; i--) {
        memcpy(bytes, whole, n);
        damage(bytes, n);
        const hid_t file = open_image(bytes, n);
        if (file >= 0) {
            uint64_t n_must = 0;
            if (stoa_check(file, NULL, &options, NULL, NULL, &n_must, NULL, NULL) == STOA_OK) {
                n_judged += n_must > 0;
            }
            n_opened++;
            H5E_BEGIN_TRY
            {
                (void)H5Fclose(file);
            }
            H5E_END_TRY
        }
    }
    /* Otherwise this looked at nothing. */
    CHECK(n_opened > 0);
    CHECK(n_judged > 0);
    free(bytes);
    free(whole);
}

TEST_MAIN(TEST(damage_is_found_and_survived))
