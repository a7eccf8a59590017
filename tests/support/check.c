#include "support/check.h"

#include <dirent.h>
#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/open_ids.h"
#include "support/packs.h"

enum { PASSED = 0, FAILED = 1, SKIPPED = 2 };

#define EXIT_SKIPPED 77 /* as in tests/CMakeLists.txt, for ctest */

/* State of the running test. One test runs at a time, in one thread. */
static struct {
    const char *name;
    jmp_buf leave;
    char directory[512]; /* created by the first check_path(); empty until then */
    char path[1024];
    uint64_t seed, random;
} now;

/* --- leaving a test --------------------------------------------------------------------------- */

_Noreturn static void leave(int outcome)
{
    fflush(stdout);
    longjmp(now.leave, outcome);
}

static void print_place(const char *file, int line)
{
    const char *tests = strstr(file, "tests/");

    printf("FAILED %s\n  %s:%d: ", now.name, tests != NULL ? tests : file, line);
}

_Noreturn void check_fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    print_place(file, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    leave(FAILED);
}

_Noreturn void check_skip(const char *reason)
{
    printf("SKIP %s: %s\n", now.name, reason);
    leave(SKIPPED);
}

/* --- checks ----------------------------------------------------------------------------------- */

void check_true(bool condition, const char *file, int line, const char *what)
{
    if (!condition) {
        check_fail(file, line, "not so: %s", what);
    }
}

void check_u64(uint64_t found, uint64_t expected, const char *file, int line, const char *what)
{
    if (found != expected) {
        check_fail(file, line, "%s: found %" PRIu64 ", expected %" PRIu64, what, found, expected);
    }
}

void check_i64(int64_t found, int64_t expected, const char *file, int line, const char *what)
{
    if (found != expected) {
        check_fail(file, line, "%s: found %" PRId64 ", expected %" PRId64, what, found, expected);
    }
}

void check_f64(double found, double expected, double within, const char *file, int line,
               const char *what)
{
    if (!(found == expected || (isnan(found) && isnan(expected)) ||
          fabs(found - expected) <= within)) {
        check_fail(file, line, "%s: found %.17g, expected %.17g", what, found, expected);
    }
}

void check_str(const char *found, const char *expected, const char *file, int line,
               const char *what)
{
    if (found == expected || (found != NULL && expected != NULL && strcmp(found, expected) == 0)) {
        return;
    }
    check_fail(file, line, "%s:\n    found    %s\n    expected %s", what,
               found != NULL ? found : "(NULL)", expected != NULL ? expected : "(NULL)");
}

void check_mem(const void *found, const void *expected, size_t n_bytes, const char *file, int line,
               const char *what)
{
    const unsigned char *a = found;
    const unsigned char *b = expected;

    for (size_t i = 0; i < n_bytes; i++) {
        if (a[i] != b[i]) {
            check_fail(file, line, "%s: byte %zu of %zu: found 0x%02x, expected 0x%02x", what, i,
                       n_bytes, a[i], b[i]);
        }
    }
}

void check_contains(const char *text, const char *part, const char *file, int line,
                    const char *what)
{
    if (text == NULL || strstr(text, part) == NULL) {
        check_fail(file, line, "%s:\n    text %s\n    part %s", what,
                   text != NULL ? text : "(NULL)", part);
    }
}

void check_status(stoa_status found, stoa_status expected, const stoa_error *err, const char *file,
                  int line, const char *what)
{
    if (found != expected) {
        check_fail(file, line, "%s\n    found    %s (%d)%s%s%s%s\n    expected %s (%d)", what,
                   stoa_status_name(found), (int)found, err != NULL ? ": " : "",
                   err != NULL ? err->where : "", err != NULL && err->where[0] != '\0' ? ": " : "",
                   err != NULL ? err->message : "", stoa_status_name(expected), (int)expected);
    }
}

static herr_t print_frame(unsigned n, const H5E_error2_t *frame, void *context)
{
    (void)context;
    if (n == 0) {
        printf("    libhdf5: %s\n", frame->desc != NULL ? frame->desc : "?");
    }
    return 0;
}

int64_t check_h5(int64_t result, const char *file, int line, const char *what)
{
    if (result < 0) {
        print_place(file, line);
        printf("%s\n", what);
        (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, print_frame, NULL);
        leave(FAILED);
    }
    return result;
}

/* --- services for tests ----------------------------------------------------------------------- */

/* splitmix64 */
uint64_t check_random(void)
{
    uint64_t z = now.random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t check_random_below(uint64_t n)
{
    return check_random() % n;
}

uint64_t check_n_cases(uint64_t usual)
{
    const char *effort = getenv("STOA_EFFORT");
    const double n = (double)usual * (effort != NULL ? strtod(effort, NULL) : 1.0);

    return n < 1.0 ? 1 : (uint64_t)n;
}

const char *check_path(const char *name)
{
    if (now.directory[0] == '\0') {
        const char *base = getenv("TMPDIR");

        (void)snprintf(now.directory, sizeof now.directory, "%s/stoa-test-XXXXXX",
                       base != NULL && base[0] != '\0' ? base : "/tmp");
        if (mkdtemp(now.directory) == NULL) {
            const int reason = errno;

            now.directory[0] = '\0';
            check_fail(__FILE__, __LINE__, "cannot make a directory: %s", strerror(reason));
        }
    }
    (void)snprintf(now.path, sizeof now.path, "%s/%s", now.directory, name);
    char *path = strdup(now.path); /* freed after the test: a test may hold several paths */
    if (path == NULL) {
        check_fail(__FILE__, __LINE__, "memory ran out");
    }
    check_keep(path);
    return path;
}

void check_copy_file(const char *from, const char *to)
{
    static char bytes[1 << 16];
    FILE *in = fopen(from, "rb");
    FILE *out = fopen(to, "wb");
    size_t n = 0;

    CHECK(in != NULL && out != NULL);
    while ((n = fread(bytes, 1, sizeof bytes, in)) > 0) {
        CHECK(fwrite(bytes, 1, n, out) == n);
    }
    CHECK(ferror(in) == 0 && fclose(in) == 0 && fclose(out) == 0);
}

static void remove_tree(const char *path)
{
    struct stat info;

    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        DIR *directory = opendir(path);

        if (directory != NULL) {
            for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
                char inner[1024];

                if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
                    (void)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
                    remove_tree(inner);
                }
            }
            (void)closedir(directory);
        }
        (void)rmdir(path);
    } else {
        (void)unlink(path);
    }
}

/* --- the fixture ------------------------------------------------------------------------------ */

/* Check that the test, which has passed, left nothing behind. Prints what it left. */
static bool left_nothing(H5E_auto2_t print_before, void *context_before)
{
    H5E_auto2_t print = NULL;
    void *context = NULL;
    bool clean = check_no_open_ids(now.name);

    (void)H5Eget_auto2(H5E_DEFAULT, &print, &context);
    if (print != print_before || context != context_before) {
        printf("FAILED %s\n  libhdf5's error printing is not as it was\n", now.name);
        clean = false;
    }
    return clean;
}

static int run_one(const check_test *test)
{
    H5E_auto2_t print = NULL;
    void *context = NULL;

    now.name = test->name;
    now.directory[0] = '\0';
    now.random = now.seed;
    check_forget_ids();
    check_forget_packs();
    (void)H5Eget_auto2(H5E_DEFAULT, &print, &context);

    volatile int outcome = setjmp(now.leave);
    static bool returned; /* static: its value outlives the jump */
    if (outcome == 0) {
        returned = false;
        test->run();
        returned = true;
        if (!left_nothing(print, context)) {
            outcome = FAILED;
        }
    }
    if (!returned) {
        (void)H5Eset_auto2(H5E_DEFAULT, print, context);
    }
    if (now.directory[0] != '\0') {
        remove_tree(now.directory);
    }
    check_drop_kept();
    return outcome;
}

double check_cpu_seconds(void (*work)(void *context), void *context)
{
    enum { ROUNDS = 3 };
    double least = HUGE_VAL;

    for (int i = 0; i < ROUNDS; i++) {
        const clock_t before = clock();
        work(context);
        least = fmin(least, (double)(clock() - before) / CLOCKS_PER_SEC);
    }
    return fmax(least, 1e-4);
}

static bool is_chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strstr(name, argv[i]) != NULL) {
            return true;
        }
    }
    return argc < 2;
}

int check_run(const check_test *tests, size_t n_tests, int argc, char **argv)
{
    size_t n[3] = {0, 0, 0};
    const char *seed = getenv("STOA_SEED");

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < n_tests; i++) {
            printf("%s\n", tests[i].name);
        }
        return 0;
    }
    now.seed = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    (void)H5open();
    for (size_t i = 0; i < n_tests; i++) {
        if (is_chosen(tests[i].name, argc, argv)) {
            n[run_one(&tests[i])]++;
            fflush(stdout);
        }
    }
    if (n[FAILED] > 0) {
        printf("seed %" PRIu64 "\n", now.seed);
    }
    printf("%zu passed, %zu failed, %zu skipped\n", n[PASSED], n[FAILED], n[SKIPPED]);
    if (n[FAILED] > 0 || n[PASSED] + n[SKIPPED] == 0) {
        return EXIT_FAILURE;
    }
    return n[PASSED] == 0 ? EXIT_SKIPPED : EXIT_SUCCESS;
}
