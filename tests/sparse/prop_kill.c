/*
 * Processes killed while sparse datasets are written back: under stoa_sparse_file_open() the edit
 * is there wholly or not at all, whatever the moment; under the connector alone, what was flushed
 * is there as long as nothing was written back after it (docs/crash-safety.md, docs/sparse.md).
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <stoa/sparse.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hdf/file/file.h"
#include "hdf/journal/disk.h"
#include "support/check.h"

enum { ROWS = 70, COLUMNS = 50, N = ROWS * COLUMNS, LENGTH = 16 };

/* --- the edits ------------------------------------------------------------------------------- */

typedef struct state {
    uint8_t defined[N];
    int values[N];
} state;

/* Whether a round writes the element, and what: chunks grow, shrink and stay. */
static bool is_written(unsigned round, unsigned e)
{
    return ((e * 2654435761U + round * 40503U) >> 16) % (3 + round % 5) == 0 || e % 71 == round;
}

static bool is_erased(unsigned round, unsigned e)
{
    return round % 3 == 2 && e / COLUMNS / 9 == round % 7;
}

static void model(state *s, unsigned n_rounds)
{
    memset(s, 0, sizeof *s);
    for (unsigned round = 0; round < n_rounds; round++) {
        for (unsigned e = 0; e < N; e++) {
            if (is_written(round, e)) {
                s->defined[e] = 1;
                s->values[e] = (int)(round * 10000 + e);
            }
            if (is_erased(round, e)) {
                s->defined[e] = 0;
                s->values[e] = 0;
            }
        }
    }
}

typedef bool (*chosen)(unsigned round, unsigned e);

/* The space of a dataset, with the elements that are chosen; their values, where asked for. */
static hid_t select_chosen(hid_t dset, chosen is, unsigned round, int *values, hsize_t *n)
{
    hsize_t *points = malloc(N * 2 * sizeof *points);
    const hid_t space = H5Dget_space(dset);

    *n = 0;
    for (unsigned e = 0; e < N && points != NULL; e++) {
        if (is(round, e)) {
            points[2 * *n] = e / COLUMNS;
            points[2 * *n + 1] = e % COLUMNS;
            values[(*n)++] = (int)(round * 10000 + e);
        }
    }
    if (*n == 0) {
        (void)H5Sselect_none(space);
    } else {
        (void)H5Sselect_elements(space, H5S_SELECT_SET, (size_t)*n, points);
    }
    free(points);
    return space;
}

/* In children, where a failed check would end the wrong program. */
static bool write_round(hid_t file, unsigned round)
{
    static int values[N];
    hsize_t n = 0;
    const hid_t dset = H5Dopen(file, "d", H5P_DEFAULT);
    hid_t space = select_chosen(dset, is_written, round, values, &n);
    const hid_t memory = H5Screate_simple(1, &n, NULL);

    bool is_good = H5Dwrite(dset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) >= 0;
    (void)H5Sclose(memory);
    (void)H5Sclose(space);
    space = select_chosen(dset, is_erased, round, values, &n);
    is_good = is_good && H5Derase(dset, space, H5P_DEFAULT) >= 0;
    (void)H5Sclose(space);
    return H5Dclose(dset) >= 0 && is_good;
}

static void make_dataset(hid_t file)
{
    const hsize_t extent[2] = {ROWS, COLUMNS};
    const hsize_t chunk[2] = {LENGTH, LENGTH};
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_fletcher32(dcpl));
    const hid_t dset =
        CHECK_H5(H5Dcreate(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

/* --- what is found --------------------------------------------------------------------------- */

static void read_state(hid_t file, state *found)
{
    static const uint64_t start[2] = {0, 0};
    static const uint64_t count[2] = {ROWS, COLUMNS};
    stoa_error err = STOA_ERROR_INIT;
    stoa_sparse *array = NULL;

    CHECK_OK(stoa_sparse_open(file, "d", NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read_dense(array, start, count, H5T_NATIVE_INT, found->values,
                                    found->defined, &err),
             &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static bool is_state(const state *found, unsigned n_rounds)
{
    static state expected;

    model(&expected, n_rounds);
    return memcmp(found, &expected, sizeof expected) == 0;
}

/* Which number of rounds, `least` or one more, the file holds; opened as Stoa does. */
static unsigned rounds_of(const char *path, unsigned least)
{
    static state found;
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    CHECK_OK(stoa_file_open(path, STOA_FILE_READ, &file, &err), &err);
    read_state(stoa_file_id(file), &found);
    stoa_file_close(file);
    CHECK(is_state(&found, least) || is_state(&found, least + 1));
    return is_state(&found, least) ? least : least + 1;
}

/* --- wholly or not at all -------------------------------------------------------------------- */

static void make_file(const char *path)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    (void)unlink(path);
    CHECK_OK(stoa_sparse_file_open(path, STOA_FILE_CREATE, &file, &err), &err);
    make_dataset(stoa_file_id(file));
    CHECK_OK(stoa_file_commit(file, &err), &err);
}

static bool edit(const char *path, unsigned round)
{
    stoa_file *file = NULL;

    if (stoa_sparse_file_open(path, STOA_FILE_EDIT, &file, NULL) != STOA_OK) {
        return false;
    }
    const bool is_good = write_round(stoa_file_id(file), round) &&
                         H5Fflush(stoa_file_id(file), H5F_SCOPE_GLOBAL) >= 0;
    if (!is_good) {
        stoa_file_close(file);
        return false;
    }
    return stoa_file_commit(file, NULL) == STOA_OK;
}

static int die_at(void *context, const stoa_disk_call *call)
{
    size_t *left = context;

    (void)call;
    if ((*left)-- == 0) {
        (void)kill(getpid(), SIGKILL);
    }
    return 0;
}

/* An edit in a child that dies before its n-th call that changes the file; false if it came
 * through. */
static bool is_killed_at(const char *path, unsigned round, size_t n)
{
    (void)fflush(stdout);
    const pid_t child = fork();
    int how = -1;

    if (child == 0) {
        size_t left = n;
        stoa_disk_watch(die_at, &left);
        _exit(edit(path, round) ? 0 : 3);
    }
    CHECK(waitpid(child, &how, 0) == child);
    CHECK(WIFSIGNALED(how) ? WTERMSIG(how) == SIGKILL : WEXITSTATUS(how) == 0);
    return WIFSIGNALED(how);
}

static void a_killed_edit_is_there_wholly_or_not_at_all(void)
{
    const char *path = check_path("a.h5");
    unsigned n_rounds = 0;

    make_file(path);
    while (n_rounds < 3 + check_n_cases(2)) {
        bool is_killed = true;
        for (size_t n = 0; is_killed && rounds_of(path, n_rounds) == n_rounds; n++) {
            is_killed = is_killed_at(path, n_rounds, n);
        }
        CHECK_U64(rounds_of(path, n_rounds), n_rounds + 1);
        n_rounds++;
    }
}

/* Edit after edit, until somebody kills us. */
static _Noreturn void edit_for_ever(const char *path, atomic_uint *n_done)
{
    while (*n_done < UINT32_MAX && edit(path, *n_done)) {
        *n_done += 1;
    }
    _exit(3);
}

static void a_process_killed_at_any_moment_leaves_its_last_commit_or_the_next(void)
{
    const char *path = check_path("a.h5");
    atomic_uint *n_done =
        mmap(NULL, sizeof *n_done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(n_done != MAP_FAILED);
    make_file(path);
    *n_done = 0;
    for (uint64_t i = check_n_cases(15); i > 0; i--) {
        int how = -1;
        (void)fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            edit_for_ever(path, n_done);
        }
        CHECK(usleep((useconds_t)check_random_below(30000)) == 0);
        CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &how, 0) == child);
        CHECK(WIFSIGNALED(how));
        *n_done = rounds_of(path, *n_done);
    }
    CHECK(munmap(n_done, sizeof *n_done) == 0);
}

/* --- the connector alone --------------------------------------------------------------------- */

typedef enum way { BY_FILE, BY_ARRAY, BY_CLOSE, N_WAYS } way;

/* Rounds that are flushed in some way, and one that stays in memory, as the process dies. */
static _Noreturn void flush_and_die(const char *path, unsigned n_rounds, way flush)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    bool is_good = true;

    for (unsigned round = 0; round < n_rounds; round++) {
        is_good = is_good && write_round(file, round);
    }
    if (flush == BY_CLOSE) {
        is_good = is_good && H5Fclose(file) >= 0;
        file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    } else {
        is_good = is_good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    }
    const hid_t dset = H5Dopen(file, "d", H5P_DEFAULT);
    stoa_sparse *array = NULL;
    if (flush == BY_ARRAY) {
        const uint64_t place[2] = {1, 1};
        const int value = 5;
        is_good = is_good && stoa_sparse_open_dataset(dset, NULL, &array, NULL) == STOA_OK &&
                  stoa_sparse_write(array, 1, place, &value, H5T_NATIVE_INT, NULL) == STOA_OK;
    } else {
        is_good = is_good && H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                      (const int[N]){1}) >= 0;
    }
    if (is_good) {
        (void)kill(getpid(), SIGKILL);
    }
    _exit(3);
}

static void what_was_flushed_is_there_after_a_kill(void)
{
    const char *path = check_path("a.h5");

    for (unsigned i = 0; i < N_WAYS * 3; i++) {
        static state found;
        int how = -1;
        make_file(path);
        (void)fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            flush_and_die(path, 1 + i / N_WAYS * 2, (way)(i % N_WAYS));
        }
        CHECK(waitpid(child, &how, 0) == child);
        CHECK(WIFSIGNALED(how));
        const hid_t file = CHECK_H5((H5Fopen)(path, H5F_ACC_RDONLY, H5P_DEFAULT));
        read_state(file, &found);
        CHECK(is_state(&found, 1 + i / N_WAYS * 2));
        CHECK_H5(H5Fclose(file));
    }
}

TEST_MAIN(TEST(a_killed_edit_is_there_wholly_or_not_at_all),
          TEST(a_process_killed_at_any_moment_leaves_its_last_commit_or_the_next),
          TEST(what_was_flushed_is_there_after_a_kill))
