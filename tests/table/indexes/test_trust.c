/* The ledger of trusted files (HEP001 §16), for src/table/indexes/trust.c */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stoa/file.h>

#include "table/indexes/trust.h"

#include "hdf/metadata/attributes.h"
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

    CHECK_OK(stoa_trust_record(file, path, NULL, NULL, &err), &err);
}

static bool holds(const char *file, const char *path)
{
    return stoa_trust_get(file, path, NULL) == STOA_TRUST_HOLDS;
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

static void put_time(const char *file, const struct stat *as)
{
    const struct timespec times[2] = {as->st_atim, as->st_mtim};

    CHECK_I64(utimensat(AT_FDCWD, file, times, 0), 0);
}

static void nothing_is_trusted_at_first(void)
{
    const char *file = begin();

    CHECK(!holds(file, "/events"));
    CHECK(!holds(check_path("no such file"), "/events"));
}

static void a_record_holds_for_its_table_alone(void)
{
    const char *file = begin();
    const char *other = check_path("other.h5");

    write_text(other, "twelve bytes");
    record(file, "/events");
    CHECK(holds(file, "/events"));
    CHECK(!holds(file, "/event"));
    CHECK(!holds(file, "/events2"));
    CHECK(!holds(other, "/events"));
    record(file, "/runs");
    CHECK(holds(file, "/events"));
    CHECK(holds(file, "/runs"));
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
    CHECK(!holds(file, "/events"));

    /* The old size under another time, one nanosecond off. */
    write_text(file, "twelve bytes");
    struct timespec times[2] = {info.st_atim, info.st_mtim};
    times[1].tv_nsec = times[1].tv_nsec == 0 ? 1 : times[1].tv_nsec - 1;
    CHECK_I64(utimensat(AT_FDCWD, file, times, 0), 0);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_CHANGED);
}

static void a_change_of_the_same_size_with_the_time_put_back_is_seen(void)
{
    const char *file = begin();
    struct stat info;

    record(file, "/events");
    CHECK_I64(stat(file, &info), 0);
    write_text(file, "other twelve");
    put_time(file, &info);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_TOUCHED);
    CHECK_I64(stoa_trust_get(file, "/runs", NULL), STOA_TRUST_NONE);
}

static void an_inode_that_is_used_again_is_another_file(void)
{
    const char *file = begin();
    struct stat old;
    struct stat new;

    record(file, "/events");
    CHECK_I64(stat(file, &old), 0);
    for (int i = 0; i < 100; i++) {
        CHECK_I64(unlink(file), 0);
        write_text(file, "other twelve");
        put_time(file, &old);
        CHECK_I64(stat(file, &new), 0);
        CHECK(!holds(file, "/events"));
        if (new.st_ino == old.st_ino) {
            return;
        }
    }
    check_skip("the file system gives no inode number twice");
}

/* Written, recorded and written again without a pause: mostly within one tick of the clock. */
static void a_change_within_one_time_stamp_is_seen(void)
{
    const char *file = begin();

    for (int i = 0; i < 20; i++) {
        write_text(file, "twelve bytes");
        record(file, "/events");
        write_text(file, "other twelve");
        CHECK(!holds(file, "/events"));
    }
}

static int64_t unsettled(int64_t modified_s, long modified_ns, int64_t changed_s, long changed_ns)
{
    const struct timespec now = {1000, 500000000};
    const struct timespec modified = {modified_s, modified_ns};
    const struct timespec changed = {changed_s, changed_ns};

    return stoa_trust_unsettled(&modified, &changed, &now);
}

static void stamps_settle_by_the_clock_that_made_them(void)
{
    const int64_t ms = 1000000;

    /* A clock of nanoseconds, or of milliseconds. */
    CHECK_I64(unsettled(1000, 480 * ms, 1000, 480 * ms), 0);
    CHECK_I64(unsettled(1000, 480 * ms + 1, 1000, 480 * ms), 1);
    CHECK_I64(unsettled(1000, 480 * ms, 1000, 481 * ms), 1 * ms);
    CHECK_I64(unsettled(1000, 500 * ms, 1000, 500 * ms), 20 * ms);
    /* One of whole seconds, or of every other one. */
    CHECK_I64(unsettled(998, 0, 998, 0), 0);
    CHECK_I64(unsettled(999, 0, 999, 0), 500 * ms);
    CHECK_I64(unsettled(1000, 0, 999, 1), 1500 * ms);
    CHECK_I64(unsettled(999, 1, 1000, 0), 1500 * ms);
    /* mtime may be set to any time, ctime may not: then the clock is not to be relied on. */
    CHECK_I64(unsettled(2000, 0, 900, 1), 0);
    CHECK_I64(unsettled(INT64_MAX / 2, 0, 900, 1), 0);
    CHECK(unsettled(900, 1, 1001, 1) > 500 * ms);
    CHECK(unsettled(900, 1, INT64_MAX / 2, 1) > 2000 * ms);
}

static void another_generation_is_another_table(void)
{
    const char *file = begin();
    const uint64_t one = 1;
    const uint64_t two = 2;

    CHECK_OK(stoa_trust_record(file, "/events", &one, NULL, NULL));
    CHECK_I64(stoa_trust_get(file, "/events", &one), STOA_TRUST_HOLDS);
    CHECK_I64(stoa_trust_get(file, "/events", &two), STOA_TRUST_CHANGED);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_CHANGED);
    CHECK_I64(chmod(file, 0600), 0);
    CHECK_I64(stoa_trust_get(file, "/events", &one), STOA_TRUST_TOUCHED);
    CHECK_I64(stoa_trust_get(file, "/events", &two), STOA_TRUST_CHANGED);
}

static void the_generation_of_a_table_is_read_where_there_is_one(void)
{
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("g.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t group = (hid_t)CHECK_H5(H5Gcreate2(file, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    uint64_t generation = 0;

    CHECK(!stoa_trust_generation(file, "/t", &generation));
    CHECK(!stoa_trust_generation(file, "/no", &generation));
    CHECK_OK(stoa_attribute_write_u64(group, "GENERATION", 7, NULL));
    CHECK(stoa_trust_generation(file, "/t", &generation));
    CHECK_U64(generation, 7);
    CHECK_OK(stoa_attribute_delete(group, "GENERATION", NULL));
    CHECK_OK(stoa_attribute_write_ascii(group, "GENERATION", "seven", NULL));
    CHECK(!stoa_trust_generation(group, ".", &generation));
    H5Gclose(group);
    H5Fclose(file);
}

static void a_name_a_link_or_rights_touch_a_file_and_change_it_not(void)
{
    const char *file = begin();
    const char *other = check_path("other.h5");

    record(file, "/events");
    CHECK_I64(chmod(file, 0400), 0);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_TOUCHED);
    record(file, "/events");
    CHECK_I64(link(file, other), 0);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_TOUCHED);
    record(file, "/events");
    CHECK_I64(stoa_trust_get(other, "/events", NULL), STOA_TRUST_HOLDS);
    CHECK_I64(unlink(other), 0);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_TOUCHED);
    record(file, "/events");
    CHECK_I64(rename(file, other), 0);
    CHECK_I64(stoa_trust_get(other, "/events", NULL), STOA_TRUST_TOUCHED);
}

static void a_file_that_changes_while_it_is_looked_at_is_not_noted(void)
{
    const char *file = begin();
    stoa_error err = STOA_ERROR_INIT;
    char *stamp = NULL;

    CHECK_OK(stoa_trust_stamp(file, &stamp, &err), &err);
    CHECK_OK(stoa_trust_record(file, "/events", NULL, stamp, &err), &err);
    CHECK(holds(file, "/events"));
    write_text(file, "other twelve");
    CHECK_STATUS(STOA_EIO, stoa_trust_record(file, "/events", NULL, stamp, &err));
    CHECK_CONTAINS(err.message, "changed after its indexes were made or while");
    CHECK(!holds(file, "/events"));
    free(stamp);
}

static void lines_of_another_version_say_nothing_and_go(void)
{
    const char *file = begin();
    char line[256];
    char path[1024];
    struct stat info;

    record(file, "/runs");
    CHECK_I64(stat(file, &info), 0);
    (void)snprintf(path, sizeof path, "%s/stoa/ledger", getenv("XDG_STATE_HOME"));
    (void)snprintf(line, sizeof line, "%llu %llu %lld %lld.%09ld /events\n",
                   (unsigned long long)info.st_dev, (unsigned long long)info.st_ino,
                   (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                   (long)info.st_mtim.tv_nsec);
    write_text(path, line);
    CHECK_I64(stoa_trust_get(file, "/events", NULL), STOA_TRUST_NONE);
    record(file, "/runs");
    CHECK_U64(count_lines(), 1);
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
    CHECK(!holds(copy, "/events"));
}

static void names_with_blanks_and_newlines_stay_one_line(void)
{
    const char *file = begin();

    record(file, "/a b\nc%41");
    CHECK(holds(file, "/a b\nc%41"));
    CHECK(!holds(file, "/a b\ncA"));
    CHECK(!holds(file, "/a"));
    CHECK(!holds(file, "/a b"));
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
    CHECK(holds(file, "/events"));
    CHECK(!holds(file, "/runs"));
}

static void a_ledger_that_others_can_write_is_not_believed(void)
{
    const char *file = begin();
    char path[1024];

    record(file, "/events");
    (void)snprintf(path, sizeof path, "%s/stoa/ledger", getenv("XDG_STATE_HOME"));
    CHECK_I64(chmod(path, 0620), 0);
    CHECK(!holds(file, "/events"));
    CHECK_I64(chmod(path, 0640), 0);
    CHECK(holds(file, "/events"));
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
                if (stoa_trust_record(file, path, NULL, NULL, NULL) != STOA_OK) {
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
        CHECK(holds(file, path));
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
    CHECK(holds(file, "/events"));

    CHECK_I64(unsetenv("HOME"), 0);
    CHECK_STATUS(STOA_ENOTFOUND, stoa_trust_record(file, "/events", NULL, NULL, &err));
    CHECK(!holds(file, "/events"));
}

static void a_ledger_that_cannot_be_written_is_named(void)
{
    const char *file = begin();
    char path[1024];
    stoa_error err = STOA_ERROR_INIT;

    (void)snprintf(path, sizeof path, "%s/stoa/ledger", getenv("XDG_STATE_HOME"));
    record(file, "/events");
    CHECK_I64(unlink(path), 0);
    CHECK_I64(mkdir(path, 0700), 0);
    CHECK_STATUS(STOA_EIO, stoa_trust_record(file, "/events", NULL, NULL, &err));
    CHECK_CONTAINS(err.message, path);

    CHECK_I64(rmdir(path), 0);
    (void)snprintf(path, sizeof path, "%s/stoa/ledger.new", getenv("XDG_STATE_HOME"));
    CHECK_I64(mkdir(path, 0700), 0);
    err = (stoa_error)STOA_ERROR_INIT;
    CHECK_STATUS(STOA_EIO, stoa_trust_record(file, "/events", NULL, NULL, &err));
    CHECK_CONTAINS(err.message, path);
    CHECK_CONTAINS(err.message, strerror(EISDIR));
}

static const char *swept_file;

static stoa_status record_once(stoa_error *err)
{
    return stoa_trust_record(swept_file, "/events", NULL, NULL, err);
}

static void no_allocation_is_taken_for_granted(void)
{
    swept_file = begin();
    CHECK(sweep_memory(record_once) > 5);
    CHECK(holds(swept_file, "/events"));
}

/* A file of HDF5, opened in some way, and a change to it. */
static stoa_file *edited(const char *path, stoa_file_mode mode)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    (void)unlink(path);
    if (mode != STOA_FILE_CREATE) {
        CHECK_H5(
            H5Fclose((hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT))));
    }
    CHECK_OK(stoa_file_open(path, mode, &file, &err), &err);
    H5Gclose((hid_t)CHECK_H5(
        H5Gcreate2(stoa_file_id(file), "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
    return file;
}

/* Between the end of an edit and the ledger's line another program may write, of the same size. */
static void what_others_write_after_a_commit_is_not_taken_for_it(void)
{
    static const stoa_file_mode modes[] = {STOA_FILE_EDIT, STOA_FILE_SAFE, STOA_FILE_CREATE,
                                           STOA_FILE_EDIT};

    (void)begin();
    const char *path = check_path("edited.h5");
    for (size_t i = 0; i < 8; i++) {
        const bool is_discarded = i % 4 == 3;
        stoa_error err = STOA_ERROR_INIT;
        stoa_file *const file = edited(path, modes[i % 4]);
        char *stamp = NULL;

        if (is_discarded) {
            stoa_file_close_stamped(file, &stamp);
        } else {
            CHECK_OK(stoa_file_commit_stamped(file, &stamp, &err), &err);
        }
        CHECK(stamp != NULL);
        if (i < 4) {
            CHECK_OK(stoa_trust_record(path, "/events", NULL, stamp, &err), &err);
            CHECK(holds(path, "/events"));
        } else {
            const int fd = open(path, O_RDWR);
            char byte;
            CHECK_I64(pread(fd, &byte, 1, 100), 1);
            CHECK_I64(pwrite(fd, &byte, 1, 100), 1);
            CHECK_I64(close(fd), 0);
            CHECK_STATUS(STOA_EIO, stoa_trust_record(path, "/events", NULL, stamp, &err), &err);
            CHECK(!holds(path, "/events"));
        }
        free(stamp);
    }
}

/* A file that lost its name to another one has no stamp: that would be the other's. */
static void a_file_that_was_replaced_under_an_edit_has_no_stamp(void)
{
    (void)begin();
    const char *path = check_path("edited.h5");
    stoa_file *const file = edited(path, STOA_FILE_EDIT);
    char *stamp = NULL;

    CHECK_I64(unlink(path), 0);
    write_text(path, "another one");
    CHECK(stoa_file_commit_stamped(file, &stamp, NULL) != STOA_OK);
    CHECK(stamp == NULL);
}

/* --- trust over an edit ----------------------------------------------------------------------- */

/* The edit gives the file another time; the bytes do not matter here. */
static char *edit(const char *file, const char *bytes)
{
    char *stamp = NULL;

    write_text(file, bytes);
    CHECK_OK(stoa_trust_stamp(file, &stamp, NULL), NULL);
    return stamp;
}

static void tables_stay_trusted_over_an_edit(void)
{
    const char *file = begin();
    stoa_trusted *trusted = NULL;

    record(file, "/a 100% b");
    record(file, "/gone");
    record(file, "/x");
    CHECK_OK(stoa_trusted_open(file, &trusted, NULL), NULL);
    CHECK(!stoa_trusted_is_empty(trusted));
    CHECK(stoa_trusted_had(trusted, "/a 100% b"));
    CHECK(!stoa_trusted_had(trusted, "/a"));
    CHECK_OK(stoa_trusted_move(trusted, "/x", "/y", NULL), NULL);
    CHECK_OK(stoa_trusted_move(trusted, "/gone", NULL, NULL), NULL);
    char *stamp = edit(file, "twelve BYTES");
    CHECK(!holds(file, "/a 100% b"));
    CHECK_OK(stoa_trusted_record(trusted, file, stamp, true, NULL), NULL);
    CHECK(holds(file, "/a 100% b") && holds(file, "/y"));
    CHECK(!holds(file, "/x") && !holds(file, "/gone"));
    CHECK_U64(count_lines(), 2);
    free(stamp);
    stoa_trusted_close(trusted);
}

static void a_discarded_edit_leaves_what_was_trusted(void)
{
    const char *file = begin();
    stoa_trusted *trusted = NULL;
    stoa_error err = STOA_ERROR_INIT;

    record(file, "/x");
    CHECK_OK(stoa_trusted_open(file, &trusted, NULL), NULL);
    CHECK_OK(stoa_trusted_move(trusted, "/x", "/y", NULL), NULL);
    char *stamp = edit(file, "twelve bytes");
    CHECK_STATUS(STOA_EIO, stoa_trusted_record(trusted, file, NULL, false, &err), &err);
    CHECK_OK(stoa_trusted_record(trusted, file, stamp, false, NULL), NULL);
    CHECK(holds(file, "/x"));
    CHECK(!holds(file, "/y"));
    free(stamp);
    stoa_trusted_close(trusted);
}

static void a_new_file_begins_without_trust(void)
{
    const char *file = begin();
    stoa_trusted *trusted = NULL;

    record(file, "/x");
    CHECK_OK(stoa_trusted_open(NULL, &trusted, NULL), NULL);
    CHECK(stoa_trusted_is_empty(trusted));
    CHECK(!stoa_trusted_had(trusted, "/x"));
    CHECK_OK(stoa_trusted_record(trusted, file, NULL, true, NULL), NULL);
    stoa_trusted_close(trusted);
    stoa_trusted_close(NULL);
}

/* Without a word of what was edited, or for what is within it, GENERATION is read again. */
static void the_generation_is_that_of_the_edited_table(void)
{
    static const char *const edited[] = {NULL, "/", "/g", "/g/t", "/h"};
    const hid_t h5 =
        (hid_t)CHECK_H5(H5Fcreate(check_path("g.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t g = (hid_t)CHECK_H5(H5Gcreate2(h5, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t t = (hid_t)CHECK_H5(H5Gcreate2(g, "t", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const uint64_t before = 7;
    const uint64_t after = 8;

    CHECK_OK(stoa_attribute_write_u64(t, "GENERATION", after, NULL));
    for (size_t i = 0; i < 5; i++) {
        const char *file = begin();
        stoa_trusted *trusted = NULL;
        CHECK_OK(stoa_trust_record(file, "/g/t", &before, NULL, NULL));
        CHECK_OK(stoa_trusted_open(file, &trusted, NULL), NULL);
        stoa_trusted_look(trusted, h5, edited[i]);
        char *stamp = edit(file, "twelve BYTES");
        CHECK_OK(stoa_trusted_record(trusted, file, stamp, true, NULL), NULL);
        CHECK_I64(stoa_trust_get(file, "/g/t", &after),
                  i < 4 ? STOA_TRUST_HOLDS : STOA_TRUST_CHANGED);
        free(stamp);
        stoa_trusted_close(trusted);
    }
    H5Gclose(t);
    H5Gclose(g);
    H5Fclose(h5);
}

TEST_MAIN(TEST(tables_stay_trusted_over_an_edit), TEST(a_discarded_edit_leaves_what_was_trusted),
          TEST(a_new_file_begins_without_trust), TEST(the_generation_is_that_of_the_edited_table),
          TEST(what_others_write_after_a_commit_is_not_taken_for_it),
          TEST(a_file_that_was_replaced_under_an_edit_has_no_stamp),
          TEST(nothing_is_trusted_at_first), TEST(a_record_holds_for_its_table_alone),
          TEST(a_file_that_changed_is_not_trusted),
          TEST(a_change_of_the_same_size_with_the_time_put_back_is_seen),
          TEST(an_inode_that_is_used_again_is_another_file),
          TEST(a_change_within_one_time_stamp_is_seen),
          TEST(stamps_settle_by_the_clock_that_made_them),
          TEST(another_generation_is_another_table),
          TEST(the_generation_of_a_table_is_read_where_there_is_one),
          TEST(a_name_a_link_or_rights_touch_a_file_and_change_it_not),
          TEST(a_file_that_changes_while_it_is_looked_at_is_not_noted),
          TEST(lines_of_another_version_say_nothing_and_go), TEST(a_copy_is_another_file),
          TEST(names_with_blanks_and_newlines_stay_one_line),
          TEST(stale_lines_go_and_repeated_ones_are_one),
          TEST(a_ledger_that_others_can_write_is_not_believed),
          TEST(recorders_at_once_lose_no_line), TEST(home_stands_in_and_nowhere_is_an_error),
          TEST(a_ledger_that_cannot_be_written_is_named), TEST(no_allocation_is_taken_for_granted))
