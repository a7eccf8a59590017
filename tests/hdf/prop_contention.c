/*
 * Readers and writers of one file at once, each a process: no answer is wrong, no program of Stoa
 * is refused, none waits for long (docs/crash-safety.md, "Locks").
 *
 * STOA_CONTENTION: seconds (3). STOA_CONTENTION_READER: a command that takes the place of the
 * readers that call HDF5 themselves; it is given the file and the seconds, and prints how many
 * opens it tried, how many were refused and how many answers were wrong (tests/fault/contention).
 */
#include <stoa/file.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

enum { ROWS = 200, TOTALS = 1500, N_STOA = 4, N_STOCK = 4, N_WRITERS = 2, MAX_MS = 10000 };

/* What one process saw; shared with the parent. */
typedef struct figures {
    uint64_t n;
    uint64_t n_wrong;
    uint64_t n_refused;
    uint64_t n_killed;
    uint64_t ms[MAX_MS + 1]; /* waits */
    double longest;
} figures;

static double now_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void count_wait(figures *seen, double seconds)
{
    const double ms = seconds * 1000;

    seen->ms[ms < MAX_MS ? (size_t)ms : MAX_MS]++;
    seen->longest = seconds > seen->longest ? seconds : seen->longest;
}

static void pause_ms(unsigned from, unsigned to)
{
    (void)usleep((from + (unsigned)check_random_below(to - from + 1)) * 1000);
}

/* ---- The file ------------------------------------------------------------------------------- */

static bool put(hid_t file, const char *name, hsize_t first, hsize_t n, const int64_t *values)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t memory = H5Screate_simple(1, &n, NULL);
    hid_t space = H5Dget_space(dataset);
    hsize_t extent = 0;
    bool good = H5Sget_simple_extent_dims(space, &extent, NULL) >= 0;

    if (good && extent < first + n) {
        const hsize_t longer = first + n;
        good = H5Dset_extent(dataset, &longer) >= 0;
        (void)H5Sclose(space);
        space = H5Dget_space(dataset);
    }
    good = good && H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL) >= 0 &&
           H5Dwrite(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, values) >= 0;
    (void)H5Sclose(space);
    (void)H5Sclose(memory);
    return H5Dclose(dataset) >= 0 && good;
}

static hsize_t extent_of(hid_t file, const char *name)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(dataset);
    hsize_t n = UINT64_MAX;

    (void)H5Sget_simple_extent_dims(space, &n, NULL);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
    return n;
}

static bool get(hid_t file, const char *name, hsize_t first, hsize_t n, int64_t *values)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t memory = H5Screate_simple(1, &n, NULL);
    const hid_t space = H5Dget_space(dataset);
    const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &n, NULL) >= 0 &&
                      H5Dread(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, values) >= 0;

    (void)H5Sclose(space);
    (void)H5Sclose(memory);
    return H5Dclose(dataset) >= 0 && good;
}

static void make_file(const char *path)
{
    static const char *const names[] = {"id", "value", "totals"};
    const hid_t file = (hid_t)CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    for (int i = 0; i < 3; i++) {
        const hsize_t n = i < 2 ? 0 : TOTALS;
        const hsize_t most = i < 2 ? H5S_UNLIMITED : TOTALS;
        const hsize_t chunk = 64;
        const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &n, &most));
        const hid_t list = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        if (i < 2) {
            CHECK_H5(H5Pset_chunk(list, 1, &chunk));
        }
        const hid_t dataset = (hid_t)CHECK_H5(
            H5Dcreate2(file, names[i], H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
        H5Dclose(dataset);
        H5Pclose(list);
        H5Sclose(space);
    }
    static const int64_t zeros[TOTALS];
    CHECK(put(file, "totals", 0, TOTALS, zeros));
    CHECK_H5(H5Fclose(file));
}

/* One more block of rows; every total, where it lies, becomes the number of blocks. */
static bool edit(hid_t file, int64_t id)
{
    const hsize_t n = extent_of(file, "id");
    int64_t ids[ROWS];
    int64_t values[ROWS];
    int64_t totals[TOTALS];

    for (int i = 0; i < ROWS; i++) {
        ids[i] = id;
        values[i] = id * 1000 + i;
    }
    for (int i = 0; i < TOTALS; i++) {
        totals[i] = (int64_t)(n / ROWS) + 1;
    }
    return put(file, "id", n, ROWS, ids) && put(file, "totals", 0, TOTALS, totals) &&
           put(file, "value", n, ROWS, values);
}

/* Whether the file holds whole blocks, and not fewer than before. */
static bool is_right(hid_t file, hsize_t *least)
{
    const hsize_t n = extent_of(file, "id");
    const hsize_t first = n > 20 * ROWS ? n - 20 * ROWS : 0;
    static int64_t ids[20 * ROWS];
    static int64_t values[20 * ROWS];
    int64_t totals[TOTALS];

    if (n % ROWS != 0 || n < *least || extent_of(file, "value") != n ||
        !get(file, "totals", 0, TOTALS, totals) ||
        (n != 0 && (!get(file, "id", first, n - first, ids) ||
                    !get(file, "value", first, n - first, values)))) {
        return false;
    }
    *least = n;
    for (hsize_t i = 0; i < n - first; i++) {
        if (ids[i] != ids[i - i % ROWS] || values[i] != ids[i] * 1000 + (int64_t)(i % ROWS)) {
            return false;
        }
    }
    for (int i = 0; i < TOTALS; i++) {
        if (totals[i] != (int64_t)(n / ROWS)) {
            return false;
        }
    }
    return true;
}

/* ---- The processes -------------------------------------------------------------------------- */

static void read_with_stoa(const char *path, double until, figures *seen)
{
    hsize_t least = 0;

    while (now_seconds() < until) {
        stoa_error err = STOA_ERROR_INIT;
        stoa_file *file = NULL;
        const double began = now_seconds();
        seen->n++;
        if (stoa_file_open(path, STOA_FILE_READ, &file, &err) != STOA_OK) {
            seen->n_refused++;
            fprintf(stderr, "%s\n", err.message);
        } else {
            count_wait(seen, now_seconds() - began);
            seen->n_wrong += !is_right(stoa_file_id(file), &least);
            stoa_file_close(file);
        }
        pause_ms(10, 50);
    }
}

static void read_with_hdf5(const char *path, double until, figures *seen)
{
    hsize_t least = 0;

    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (now_seconds() < until) {
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        seen->n++;
        if (file < 0) {
            seen->n_refused++;
        } else {
            seen->n_wrong += !is_right(file, &least);
            (void)H5Fclose(file);
        }
        pause_ms(10, 50);
    }
}

static void read_by_command(const char *command, const char *path, double until, figures *seen)
{
    char text[4096];
    unsigned long n[3] = {0, 0, 1};

    (void)snprintf(text, sizeof text, "%s '%s' %.1f", command, path, until - now_seconds());
    FILE *stream = popen(text, "r");
    if (stream == NULL || fscanf(stream, "%lu %lu %lu", &n[0], &n[1], &n[2]) != 3) {
        fprintf(stderr, "no figures of: %s\n", text);
    }
    if (stream != NULL) {
        (void)pclose(stream);
    }
    seen->n = n[0];
    seen->n_refused = n[1];
    seen->n_wrong = n[2];
}

static void write_once(const char *path, int64_t id, figures *seen)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;
    const double began = now_seconds();

    stoa_status status = stoa_file_open(path, STOA_FILE_EDIT, &file, &err);
    if (status == STOA_OK) {
        const double opened = now_seconds();
        if (!edit(stoa_file_id(file), id)) {
            stoa_file_close(file);
            _exit(1);
        }
        const double edited = now_seconds();
        status = stoa_file_commit(file, &err);
        count_wait(seen, now_seconds() - edited + opened - began);
    }
    if (status != STOA_OK) {
        seen->n_refused++;
        fprintf(stderr, "%s\n", err.message);
    }
    seen->n++;
}

/* Each edit is a process of its own; one of ten is killed somewhere. */
static void write_with_stoa(const char *path, double until, int64_t who, figures *seen)
{
    for (int64_t id = who; now_seconds() < until; id += N_WRITERS) {
        const bool dies = check_random_below(10) == 0;
        const pid_t child = fork();
        if (child == 0) {
            write_once(path, id, seen);
            _exit(0);
        }
        if (dies) {
            (void)usleep((unsigned)check_random_below(15000));
            (void)kill(child, SIGKILL);
            seen->n_killed++;
        }
        int how = 0;
        (void)waitpid(child, &how, 0);
        seen->n_wrong += WIFEXITED(how) && WEXITSTATUS(how) != 0;
        pause_ms(400, 1200);
    }
}

/* ---- The campaign --------------------------------------------------------------------------- */

static double percentile(const figures *seen, size_t n, double share)
{
    uint64_t all = 0;
    uint64_t below = 0;

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= MAX_MS; k++) {
            all += seen[i].ms[k];
        }
    }
    for (size_t k = 0; k <= MAX_MS; k++) {
        for (size_t i = 0; i < n; i++) {
            below += seen[i].ms[k];
        }
        if ((double)below >= share * (double)all) {
            return (double)k + 1;
        }
    }
    return MAX_MS;
}

static figures sum_of(const char *name, const figures *seen, size_t n)
{
    figures sum = {0};

    for (size_t i = 0; i < n; i++) {
        sum.n += seen[i].n;
        sum.n_wrong += seen[i].n_wrong;
        sum.n_refused += seen[i].n_refused;
        sum.n_killed += seen[i].n_killed;
        sum.longest = seen[i].longest > sum.longest ? seen[i].longest : sum.longest;
    }
    printf("  %s: %llu times, %llu wrong, %llu refused, %llu killed", name,
           (unsigned long long)sum.n, (unsigned long long)sum.n_wrong,
           (unsigned long long)sum.n_refused, (unsigned long long)sum.n_killed);
    if (sum.longest > 0) {
        printf("; waited (ms) 50 %%: %.0f, 99 %%: %.0f, 99.9 %%: %.0f, longest %.0f",
               percentile(seen, n, 0.5), percentile(seen, n, 0.99), percentile(seen, n, 0.999),
               sum.longest * 1000);
    }
    printf("\n");
    return sum;
}

static void readers_and_writers_get_right_answers_and_their_turns(void)
{
    const char *const command = getenv("STOA_CONTENTION_READER");
    const char *const asked = getenv("STOA_CONTENTION");
    const double seconds = asked != NULL ? strtod(asked, NULL) : 3;
    const char *path = check_path("a.h5");
    const size_t n = N_STOA + N_STOCK + N_WRITERS;
    figures *const seen =
        mmap(NULL, n * sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(seen != MAP_FAILED);
    make_file(path);
    const double until = now_seconds() + seconds;
    (void)fflush(stdout);
    for (size_t i = 0; i < n; i++) {
        if (fork() != 0) {
            continue;
        }
        for (size_t k = 0; k < i * 17; k++) {
            (void)check_random_below(2); /* not all the same pauses */
        }
        if (i < N_STOA) {
            read_with_stoa(path, until, &seen[i]);
        } else if (i < N_STOA + N_STOCK && command != NULL) {
            read_by_command(command, path, until, &seen[i]);
        } else if (i < N_STOA + N_STOCK) {
            read_with_hdf5(path, until, &seen[i]);
        } else {
            write_with_stoa(path, until, (int64_t)(i - N_STOA - N_STOCK), &seen[i]);
        }
        _exit(0);
    }
    for (size_t i = 0; i < n; i++) {
        int how = 0;
        CHECK(wait(&how) > 0);
        CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
    const figures readers = sum_of("Stoa reads", seen, N_STOA);
    const figures stock =
        sum_of(command != NULL ? "h5py reads" : "HDF5 reads", seen + N_STOA, N_STOCK);
    const figures writers = sum_of("Stoa writes", seen + N_STOA + N_STOCK, N_WRITERS);
    CHECK_U64(readers.n_wrong + stock.n_wrong + writers.n_wrong, 0);
    CHECK_U64(readers.n_refused + writers.n_refused, 0);
    CHECK(readers.n > 0 && stock.n > 0 && writers.n > 0);
    (void)munmap(seen, n * sizeof *seen);
}

TEST_MAIN(TEST(readers_and_writers_get_right_answers_and_their_turns))
