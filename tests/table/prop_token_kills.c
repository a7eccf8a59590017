/*
 * Programs killed while they edit an indexed table of a file that they opened themselves, so that
 * no journal helps: an index whose tokens pass answers as a scan does (HEP001-2026-07 §12.2).
 *
 * A child edits and dies before one of its writes, any of them. Half of the files that survive are
 * then edited, and their writer killed, once more. Files that libhdf5 cannot read afterwards are
 * counted apart: HEP001 promises nothing for them.
 *
 * STOA_TOKEN_KILLS: how many (100). STOA_TOKEN_KILLS_IN: a directory that gets the files, for
 * another judge (tests/fault/test_kill_tokens.py); without it, Stoa compares each index itself.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "table/kit.h"

enum { N_ROWS = 500, MOST_ROWS = 90, N_COLUMNS = 5 };

/* --- a program that dies --------------------------------------------------------------------- */

static atomic_ullong *n_writes; /* shared with the children */
static unsigned long long dies_at = UINT64_MAX;

/* libhdf5's writes come by here: with offsets of 64 bits, this is the pwrite64() that it calls. */
static ssize_t write_or_die(int fd, const void *bytes, size_t n, off_t at)
{
    if (n_writes != NULL && atomic_fetch_add(n_writes, 1) == dies_at) {
        (void)kill(getpid(), SIGKILL);
    }
    return syscall(SYS_pwrite64, fd, bytes, n, at);
}

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    return write_or_die(fd, bytes, n, at);
}

/* --- what it does ---------------------------------------------------------------------------- */

static const char *const words[] = {"a", "bb", "ccc", "a longer word", "e", NULL};

/* Rows whose values a table of `width` 0 holds, or not. */
static batch rows_of(int64_t n, unsigned width)
{
    static int64_t numbers[N_ROWS];
    static double floats[N_ROWS];
    static int64_t flags[N_ROWS];
    static const char *texts[N_ROWS];
    static const char *labels[N_ROWS];
    static bool valid[N_ROWS];
    static const char *const new_labels[] = {"x", "yy", "a label that is longer than the others"};
    batch b = batch_begin(N_COLUMNS, n);

    for (int64_t i = 0; i < n; i++) {
        numbers[i] = (int64_t)check_random_below(width > 0 ? 100000 : 100);
        floats[i] = (double)check_random_below(64) / 4;
        flags[i] = (int64_t)check_random_below(2);
        valid[i] = check_random_below(7) != 0;
        texts[i] = width > 0 ? "a text of some length" : words[check_random_below(6)];
        labels[i] = width > 0 ? new_labels[check_random_below(3)] : words[check_random_below(3)];
    }
    batch_integers(&b, 0, "i", "s", numbers, valid);
    batch_floats(&b, 1, "f", "g", floats, NULL);
    batch_strings(&b, 2, "s", texts);
    batch_categories(&b, 3, "c", labels);
    batch_integers(&b, 4, "b", "b", flags, valid);
    return b;
}

static const char *const names[N_COLUMNS] = {"i", "f", "s", "c", "b"};
static const char *const kinds[] = {"minmax", "sorted", "bitmap", "bloom"};

static const char *any_column(void)
{
    return names[check_random_below(N_COLUMNS)];
}

static void do_append(stoa_table *table)
{
    batch b = rows_of(1 + (int64_t)check_random_below(MOST_ROWS), check_random_below(4) == 0);

    (void)append(table, &b, NULL);
}

static void do_truncate(stoa_table *table)
{
    (void)!stoa_table_truncate(table, check_random_below(stoa_table_n_rows(table) + 1), NULL, NULL);
}

static void do_update(stoa_table *table)
{
    static const stoa_assignment set[] = {{"i", "i % 50 + 1"}, {"f", "f + 1"}, {"s", "'bb'"},
                                          {"c", "'bb'"},       {"b", "not b"}, {"i", "70000"},
                                          {"c", "'fresh'"}};
    char where[32];

    (void)snprintf(where, sizeof where, "i %% 9 = %u", (unsigned)check_random_below(9));
    (void)!stoa_table_update(table, where, &set[check_random_below(7)], 1, NULL, NULL, NULL);
}

static void do_delete(stoa_table *table)
{
    char where[32];

    (void)snprintf(where, sizeof where, "i %% 9 = %u", (unsigned)check_random_below(9));
    (void)!stoa_table_delete(table, where, NULL, NULL, NULL);
}

static void do_index(stoa_table *table)
{
    stoa_index_options options = STOA_INDEX_OPTIONS_INIT;
    const char *const column = any_column();
    const char *const kind = kinds[check_random_below(4)];

    options.threads = 1;
    options.bare = check_random_below(2) == 0 && strcmp(kind, "sorted") == 0;
    if (stoa_index_add(table, column, kind, &options, NULL) != STOA_OK) {
        (void)!stoa_index_drop(table, column, kind, NULL);
    }
}

static void do_storage(stoa_table *table)
{
    static const uint64_t lengths[] = {32, 64, 256, STOA_CONTIGUOUS};
    const stoa_column_options storage = {.column = any_column(),
                                         .chunk_rows = lengths[check_random_below(4)]};

    (void)!stoa_column_set_storage(table, &storage, NULL, NULL);
}

static void do_labels(stoa_table *table)
{
    static const char *const other[] = {
        "fresh", "ccc", "bb", "a", "x", "yy", "a label that is longer than the others"};

    (void)!stoa_column_relabel(table, "c", other, 7, false, NULL, NULL);
}

static void do_column(stoa_table *table)
{
    (void)!stoa_column_drop(table, any_column(), NULL);
}

static void do_space(stoa_table *table)
{
    (void)!(check_random_below(2) == 0
                ? stoa_table_repack(table, NULL, NULL)
                : stoa_table_preallocate(table, stoa_table_n_rows(table) + 100, NULL, NULL));
}

static void do_repair(stoa_table *table)
{
    (void)!stoa_index_repair(table, NULL, NULL, NULL);
}

typedef struct edit {
    const char *name;
    void (*run)(stoa_table *table);
} edit;

/* Those that come more than once are as much more frequent. */
static const edit edits[] = {
    {"append", do_append}, {"append", do_append},   {"append", do_append},
    {"update", do_update}, {"update", do_update},   {"update", do_update},
    {"delete", do_delete}, {"delete", do_delete},   {"truncate", do_truncate},
    {"index", do_index},   {"storage", do_storage}, {"labels", do_labels},
    {"column", do_column}, {"space", do_space},     {"repair", do_repair},
};
enum { N_EDITS = sizeof edits / sizeof edits[0] };

/* Whether the superblock knows the whole file. A kill inside a flush may leave one that does not:
 * the next writer then takes space that is in use, and libhdf5 does not notice. (h5clear mends
 * that.) */
static bool is_known_whole(hid_t file, const char *path)
{
    struct stat info;
    haddr_t end = 0;

    return H5Fget_eoa(file, &end) >= 0 && stat(path, &info) == 0 && (haddr_t)info.st_size <= end;
}

/* In a child, which has the parent's random numbers: the same whenever it begins. */
static _Noreturn void edit_file(const char *path, const edit *what, unsigned long long at)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    stoa_table *table = NULL;

    if (file < 0 || !is_known_whole(file, path) ||
        stoa_hep001_open(file, "/t", &table, NULL) != STOA_OK) {
        _exit(3);
    }
    atomic_store(n_writes, 0);
    dies_at = at;
    what->run(table);
    stoa_table_close(table);
    (void)H5Fclose(file);
    _exit(0);
}

/* Whether it was killed; *is_readable is false if there was nothing it could have edited. */
static bool is_killed(const char *path, const edit *what, unsigned long long at, bool *is_readable)
{
    int how = -1;
    const pid_t child = fork();

    if (child == 0) {
        edit_file(path, what, at);
    }
    CHECK(waitpid(child, &how, 0) == child);
    *is_readable = !WIFEXITED(how) || WEXITSTATUS(how) == 0;
    CHECK(WIFEXITED(how) ? WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == 3
                         : WTERMSIG(how) == SIGKILL);
    return WIFSIGNALED(how);
}

/* --- what is left ---------------------------------------------------------------------------- */

typedef struct figures {
    unsigned n_killed;
    unsigned n_unreadable;
    unsigned n_valid;
    unsigned n_stale;
    unsigned n_wrong;
} figures;

typedef struct judgement {
    const char *path;
    const stoa_table *table;
    figures *seen;
} judgement;

/* Count an index, and compare it with its column if a query would use it. */
static bool judge_index(void *context, const stoa_index_info *info)
{
    const judgement *const now = context;
    stoa_error err = STOA_ERROR_INIT;
    bool same = true;

    now->seen->n_stale += info->stale;
    now->seen->n_valid += info->usable;
    if (info->usable &&
        stoa_index_verify(now->table, info->column, info->kind, &same, &err) == STOA_OK && !same) {
        now->seen->n_wrong++;
        printf("%s: %s: %s: %s\n", now->path, info->column, info->kind, err.message);
    }
    return true;
}

/* Stoa's own judgement: every index that it would use describes its column. In a child, since what
 * a kill left may be anything. */
static _Noreturn void judge_file(const char *path, figures *seen)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    judgement now = {.path = path, .seen = seen};
    stoa_table *table = NULL;

    if (file < 0 || stoa_hep001_open(file, "/t", &table, NULL) != STOA_OK) {
        seen->n_unreadable++;
        _exit(0);
    }
    now.table = table;
    seen->n_unreadable += stoa_index_visit(table, judge_index, &now, NULL) != STOA_OK;
    (void)fflush(stdout);
    _exit(0);
}

static void judge(const char *path, figures *seen)
{
    int how = -1;
    const pid_t child = fork();

    if (child == 0) {
        judge_file(path, seen);
    }
    CHECK(waitpid(child, &how, 0) == child);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void make_table(const char *path)
{
    static const stoa_column_index wanted[] = {
        {"i", "minmax"}, {"i", "sorted"}, {"i", "bitmap"}, {"i", "bloom"},  {"f", "minmax"},
        {"f", "sorted"}, {"s", "minmax"}, {"s", "bitmap"}, {"c", "bitmap"}, {"b", "bitmap"}};
    const stoa_column_options chunks = {.chunk_rows = 64};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    /* Else libhdf5 writes over chunks that the file still refers to, so that a scan is wrong. */
    const hid_t creation = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
    CHECK_H5(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_NONE, false, 1));
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, creation, H5P_DEFAULT));
    batch b = rows_of(N_ROWS, 0);

    CHECK_H5(H5Pclose(creation));

    options.columns = &chunks;
    options.n_columns = 1;
    options.indexes = wanted;
    options.n_indexes = sizeof wanted / sizeof wanted[0];
    write_batches(file, "/t", &b, 1, &options);
    CHECK_H5(H5Fclose(file));
}

/* Kill a writer of the file at any of its writes; false if it was not killed. */
static bool kill_once(const char *path, const char *trial, const edit *what)
{
    const uint64_t random = check_random(); /* now: both children shall do the same */
    bool is_readable = false;

    check_copy_file(path, trial);
    CHECK(!is_killed(trial, what, UINT64_MAX, &is_readable));
    const unsigned long long n = atomic_load(n_writes);
    return is_readable && n > 0 && is_killed(path, what, random % n, &is_readable);
}

static void an_index_whose_tokens_pass_is_right(void)
{
    const char *const wanted = getenv("STOA_TOKEN_KILLS");
    const char *const directory = getenv("STOA_TOKEN_KILLS_IN");
    const uint64_t n = wanted != NULL ? strtoull(wanted, NULL, 10) : check_n_cases(100);
    figures *const seen =
        mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char base[4096];
    char trial[4096];
    char path[4096];

    n_writes =
        mmap(NULL, sizeof *n_writes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(seen != MAP_FAILED && n_writes != MAP_FAILED);
    (void)snprintf(base, sizeof base, "%s", check_path("base.h5"));
    (void)snprintf(trial, sizeof trial, "%s", check_path("trial.h5"));
    *seen = (figures){0};
    for (unsigned i = 0; seen->n_killed < n; i++) {
        const edit *what = &edits[check_random_below(N_EDITS)];
        if (i % 20 == 0) {
            make_table(base);
        }
        (void)snprintf(path, sizeof path, "%s/%u-%s.h5",
                       directory != NULL ? directory : check_path(""), i, what->name);
        check_copy_file(base, path);
        bool killed = kill_once(path, trial, what);
        seen->n_killed += killed;
        if (killed && check_random_below(2) == 0) {
            seen->n_killed += kill_once(path, trial, &edits[check_random_below(N_EDITS)]);
        }
        if (directory == NULL) {
            judge(path, seen);
            CHECK(unlink(path) == 0);
        }
        (void)check_random(); /* the children begin with other random numbers each time */
    }
    printf("%u kills: %u files unreadable; of the indexes %u valid, %u stale; %u wrong\n",
           seen->n_killed, seen->n_unreadable, seen->n_valid, seen->n_stale, seen->n_wrong);
    CHECK_U64(seen->n_wrong, 0);
    CHECK(directory != NULL || (seen->n_valid > 0 && seen->n_stale > 0));
    CHECK(munmap(seen, sizeof *seen) == 0);
}

TEST_MAIN(TEST(an_index_whose_tokens_pass_is_right))
