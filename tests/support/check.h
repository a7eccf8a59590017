/*
 * The test kit: checks, a table of tests, and a fixture around each of them.
 *
 *     #include "support/check.h"
 *
 *     static void an_empty_column_has_no_bounds(void)
 *     {
 *         CHECK_OK(stoa_minmax_build(column, &entry, &err), &err);
 *         CHECK_U64(entry.n_rows, 0);
 *     }
 *
 *     TEST_MAIN(TEST(an_empty_column_has_no_bounds))
 *
 * A failed check ends its test, even from within helpers. After each test that passed, the fixture
 * asserts that no HDF5 id is left open and that libhdf5's error printing is as before.
 *
 * Arguments of the program are parts of test names: it runs the tests that contain one of them.
 * --list prints the names. It exits with 0, with 1 if a test failed, or with 77 if every test was
 * skipped.
 */
#ifndef STOA_TESTS_CHECK_H
#define STOA_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/error.h>

#define CHECK(condition) check_true((condition), __FILE__, __LINE__, #condition)

/* Compare a found value with the expected one. Floats are equal if == holds or both are NaN. */
#define CHECK_U64(found, expected)                                                                 \
    check_u64((found), (expected), __FILE__, __LINE__, #found " is " #expected)
#define CHECK_I64(found, expected)                                                                 \
    check_i64((found), (expected), __FILE__, __LINE__, #found " is " #expected)
#define CHECK_F64(found, expected)                                                                 \
    check_f64((found), (expected), 0.0, __FILE__, __LINE__, #found " is " #expected)
#define CHECK_F64_NEAR(found, expected, within)                                                    \
    check_f64((found), (expected), (within), __FILE__, __LINE__, #found " is near " #expected)
#define CHECK_STR(found, expected)                                                                 \
    check_str((found), (expected), __FILE__, __LINE__, #found " is " #expected)
#define CHECK_MEM(found, expected, n_bytes)                                                        \
    check_mem((found), (expected), (n_bytes), __FILE__, __LINE__, #found " is " #expected)
/* Check that a text contains a part. */
#define CHECK_CONTAINS(text, part)                                                                 \
    check_contains((text), (part), __FILE__, __LINE__, #text " contains " #part)

/* CHECK_OK(call) or CHECK_OK(call, &err). The latter prints the error's message. */
#define CHECK_OK(...) CHECK_STATUS_OF_(STOA_OK, __VA_ARGS__, NULL, 0)
/* CHECK_STATUS(STOA_ENOTFOUND, call) or CHECK_STATUS(STOA_ENOTFOUND, call, &err). */
#define CHECK_STATUS(expected, ...) CHECK_STATUS_OF_(expected, __VA_ARGS__, NULL, 0)
#define CHECK_STATUS_OF_(expected, call, err, ...)                                                 \
    check_status((call), (expected), (err), __FILE__, __LINE__, #call)

/* The value of an HDF5 call. If it is negative, the test fails with libhdf5's messages. */
#define CHECK_H5(call) check_h5((int64_t)(call), __FILE__, __LINE__, #call)

/* Skip the test and say why it cannot run here. */
#define SKIP(reason) check_skip(reason)
/* Fail the test with a printf-style message. */
#define FAIL(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)

/* clang-format off */
#define TEST(name) {#name, name}
/* clang-format on */
#define TEST_MAIN(...)                                                                             \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        static const check_test tests[] = {__VA_ARGS__};                                           \
        return check_run(tests, sizeof tests / sizeof tests[0], argc, argv);                       \
    }

typedef struct check_test {
    const char *name; /* a sentence that can be false */
    void (*run)(void);
} check_test;

int check_run(const check_test *tests, size_t n_tests, int argc, char **argv);

/* A path in a directory of this test, which is removed after it. Valid until the test ends. */
const char *check_path(const char *name);
/* Copy a file. */
void check_copy_file(const char *from, const char *to);

/* Random numbers for property tests. The seed is $STOA_SEED or a fixed one, so that runs are
 * reproducible. A failing test prints it. */
uint64_t check_random(void);
/* A random number in [0, n), n > 0. */
uint64_t check_random_below(uint64_t n);
/* Number of cases for a property test: `usual` times the factor $STOA_EFFORT (default 1), at least
 * 1. */
uint64_t check_n_cases(uint64_t usual);

/* CPU seconds of the fastest of a few calls, at least 0.0001. Only for comparison with each
 * other. */
double check_cpu_seconds(void (*work)(void *context), void *context);

/* Number of HDF5 ids that the program created and has not closed. */
size_t check_n_open_ids(void);

void check_true(bool condition, const char *file, int line, const char *what);
void check_u64(uint64_t found, uint64_t expected, const char *file, int line, const char *what);
void check_i64(int64_t found, int64_t expected, const char *file, int line, const char *what);
void check_f64(double found, double expected, double within, const char *file, int line,
               const char *what);
void check_str(const char *found, const char *expected, const char *file, int line,
               const char *what);
void check_mem(const void *found, const void *expected, size_t n_bytes, const char *file, int line,
               const char *what);
void check_contains(const char *text, const char *part, const char *file, int line,
                    const char *what);
void check_status(stoa_status found, stoa_status expected, const stoa_error *err, const char *file,
                  int line, const char *what);
int64_t check_h5(int64_t result, const char *file, int line, const char *what);
_Noreturn void check_fail(const char *file, int line, const char *format, ...) STOA_PRINTF(3, 4);
_Noreturn void check_skip(const char *reason);

#endif
