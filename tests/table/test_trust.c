/* The ledger of trusted files (HEP001 §16), for src/table/trust.c */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stoa/index.h>

#include "support/check.h"
#include "support/sweep.h"

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    CHECK(file != NULL);
    CHECK(fputs(text, file) >= 0);
    CHECK_I64(fclose(file), 0);
}

/* check_path() answers in storage that lives as long as the test. */
static const char *begin(void)
{
    CHECK_I64(setenv("XDG_STATE_HOME", check_path("state"), 1), 0);
    const char *file = check_path("run.h5");
    write_text(file, "twelve bytes");
    return file;
}

static void record(const char *file, const char *path)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_trust_record(file, path, &err), &err);
}

static void nothing_is_trusted_at_first(void)
{
    const char *file = begin();

    CHECK(!stoa_trust_holds(file, "/events"));
    CHECK(!stoa_trust_holds(check_path("no such file"), "/events"));
}

static void a_record_holds_for_its_table_alone(void)
{
    const char *file = begin();
    const char *other = check_path("other.h5");

    write_text(other, "twelve bytes");
    record(file, "/events");
    CHECK(stoa_trust_holds(file, "/events"));
    CHECK(!stoa_trust_holds(file, "/event"));
    CHECK(!stoa_trust_holds(file, "/events2"));
    CHECK(!stoa_trust_holds(other, "/events"));
    record(file, "/runs");
    CHECK(stoa_trust_holds(file, "/events"));
    CHECK(stoa_trust_holds(file, "/runs"));
}

static void a_file_that_changed_is_not_trusted(void)
{
    const char *file = begin();
    struct stat info;

    record(file, "/events");
    CHECK_I64(stat(file, &info), 0);

    /* Another size under the old time. */
    write_text(file, "thirteen byte");
    const struct timespec old_times[2] = {info.st_atim, info.st_mtim};
    CHECK_I64(utimensat(AT_FDCWD, file, old_times, 0), 0);
    CHECK(!stoa_trust_holds(file, "/events"));

    /* The old size under another time, one nanosecond off. */
    write_text(file, "twelve bytes");
    CHECK_I64(utimensat(AT_FDCWD, file, old_times, 0), 0);
    CHECK(stoa_trust_holds(file, "/events"));
    struct timespec times[2] = {info.st_atim, info.st_mtim};
    times[1].tv_nsec = times[1].tv_nsec == 0 ? 1 : times[1].tv_nsec - 1;
    CHECK_I64(utimensat(AT_FDCWD, file, times, 0), 0);
    CHECK(!stoa_trust_holds(file, "/events"));
}

static void a_copy_is_another_file(void)
{
    const char *file = begin();
    const char *copy = check_path("copy.h5");
    struct stat info;

    record(file, "/events");
    CHECK_I64(stat(file, &info), 0);
    write_text(copy, "twelve bytes");
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    CHECK_I64(utimensat(AT_FDCWD, copy, times, 0), 0);
    CHECK(!stoa_trust_holds(copy, "/events"));
}

static void names_with_blanks_and_newlines_stay_one_line(void)
{
    const char *file = begin();

    record(file, "/a b\nc%41");
    CHECK(stoa_trust_holds(file, "/a b\nc%41"));
    CHECK(!stoa_trust_holds(file, "/a b\ncA"));
    CHECK(!stoa_trust_holds(file, "/a"));
    CHECK(!stoa_trust_holds(file, "/a b"));
}

static size_t count_lines(void)
{
    char path[1024];
    size_t n = 0;

    (void)snprintf(path, sizeof path, "%s/stoa/ledger", getenv("XDG_STATE_HOME"));
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
        n += c == '\n';
    }
    (void)fclose(file);
    return n;
}

static void stale_lines_go_and_repeated_ones_are_one(void)
{
    const char *file = begin();

    record(file, "/events");
    record(file, "/events");
    record(file, "/runs");
    CHECK_U64(count_lines(), 2);
    write_text(file, "another state of the file");
    record(file, "/events");
    CHECK_U64(count_lines(), 1);
    CHECK(stoa_trust_holds(file, "/events"));
    CHECK(!stoa_trust_holds(file, "/runs"));
}

static void a_ledger_that_others_can_write_is_not_believed(void)
{
    const char *file = begin();
    char path[1024];

    record(file, "/events");
    (void)snprintf(path, sizeof path, "%s/stoa/ledger", getenv("XDG_STATE_HOME"));
    CHECK_I64(chmod(path, 0620), 0);
    CHECK(!stoa_trust_holds(file, "/events"));
    CHECK_I64(chmod(path, 0640), 0);
    CHECK(stoa_trust_holds(file, "/events"));
}

static void recorders_at_once_lose_no_line(void)
{
    enum { N_PROCESSES = 4, N_RECORDS = 25 };
    const char *file = begin();
    pid_t children[N_PROCESSES];
    char path[32];

    for (int i = 0; i < N_PROCESSES; i++) {
        children[i] = fork();
        CHECK(children[i] >= 0);
        if (children[i] == 0) {
            for (int k = 0; k < N_RECORDS; k++) {
                (void)snprintf(path, sizeof path, "/t%d_%d", i, k);
                if (stoa_trust_record(file, path, NULL) != STOA_OK) {
                    _exit(1);
                }
            }
            _exit(0);
        }
    }
    for (int i = 0; i < N_PROCESSES; i++) {
        int result = 1;
        CHECK_I64(waitpid(children[i], &result, 0), children[i]);
        CHECK_I64(result, 0);
    }
    CHECK_U64(count_lines(), N_PROCESSES * N_RECORDS);
    for (int i = 0; i < N_PROCESSES; i++) {
        (void)snprintf(path, sizeof path, "/t%d_%d", i, N_RECORDS - 1);
        CHECK(stoa_trust_holds(file, path));
    }
}

static void home_stands_in_and_nowhere_is_an_error(void)
{
    const char *file = begin();
    const char *home = check_path("home");
    stoa_error err = STOA_ERROR_INIT;
    char path[1024];

    CHECK_I64(mkdir(home, 0700), 0);
    CHECK_I64(unsetenv("XDG_STATE_HOME"), 0);
    CHECK_I64(setenv("HOME", home, 1), 0);
    record(file, "/events");
    (void)snprintf(path, sizeof path, "%s/.local/state/stoa/ledger", home);
    CHECK_I64(access(path, R_OK), 0);
    CHECK(stoa_trust_holds(file, "/events"));

    CHECK_I64(unsetenv("HOME"), 0);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_trust_record(file, "/events", &err));
    CHECK(!stoa_trust_holds(file, "/events"));
}

static const char *swept_file;

static stoa_status record_once(stoa_error *err)
{
    return stoa_trust_record(swept_file, "/events", err);
}

static void no_allocation_is_taken_for_granted(void)
{
    swept_file = begin();
    CHECK(sweep_memory(record_once) > 5);
    CHECK(stoa_trust_holds(swept_file, "/events"));
}

TEST_MAIN(TEST(nothing_is_trusted_at_first), TEST(a_record_holds_for_its_table_alone),
          TEST(a_file_that_changed_is_not_trusted), TEST(a_copy_is_another_file),
          TEST(names_with_blanks_and_newlines_stay_one_line),
          TEST(stale_lines_go_and_repeated_ones_are_one),
          TEST(a_ledger_that_others_can_write_is_not_believed),
          TEST(recorders_at_once_lose_no_line), TEST(home_stands_in_and_nowhere_is_an_error),
          TEST(no_allocation_is_taken_for_granted))
