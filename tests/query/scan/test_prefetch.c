/* src/query/scan/prefetch.c, and src/hdf/journal/disk.c beneath: what the system is told before a
 * scan reads it. The test stands between Stoa and the system's calls. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "query/scan/prefetch.h"
#include "query/tables.h"

#if defined(__GLIBC__) && defined(SYS_pread64) && defined(SYS_fadvise64)

/* The system's side -------------------------------------------------------------------------- */

enum { MOST = 4096, CHUNK = 10000, CHUNK_BYTES = 8 * CHUNK };

typedef struct part {
    uint64_t first;
    uint64_t end;
} part;

static struct {
    bool is_on;
    bool is_warm;     /* what is asked for without waiting is there */
    int probe_error;  /* else: why it is not */
    int advice_error; /* what posix_fadvise() returns */
    bool is_shaky;    /* reads are short, and interrupted */
    size_t least;     /* bytes of a read that is noted */
    unsigned n_probes;
    unsigned n_reads;
    part told[MOST];
    size_t n_told;
    part read[MOST];
    size_t n_read;
    uint64_t prefetch; /* bytes that were told and are not read yet */
    uint64_t most_ahead;
} os;

/* Threads of a query call at the same time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void note_advice(part told)
{
    (void)pthread_mutex_lock(&mutex);
    CHECK(os.n_told < MOST && told.end > told.first);
    os.told[os.n_told++] = told;
    os.prefetch += told.end - told.first;
    os.most_ahead = os.prefetch > os.most_ahead ? os.prefetch : os.most_ahead;
    (void)pthread_mutex_unlock(&mutex);
}

/* Whether the read is to be made; *n: how much of it. */
static bool note_read(uint64_t offset, size_t *n)
{
    (void)pthread_mutex_lock(&mutex);
    const bool is_made = !os.is_shaky || ++os.n_reads % 3 != 0;
    if (os.is_shaky) {
        *n = *n > 1 ? *n / 2 + 1 : *n;
    } else if (*n >= os.least) {
        CHECK(os.n_read < MOST);
        os.read[os.n_read++] = (part){offset, offset + *n};
        os.prefetch -= *n < os.prefetch ? *n : os.prefetch;
    }
    (void)pthread_mutex_unlock(&mutex);
    return is_made;
}

/* In place of libc's, for the whole program. */
int posix_fadvise(int fd, off_t offset, off_t n, int advice)
{
    if (!os.is_on) {
        return (int)syscall(SYS_fadvise64, fd, offset, n, advice);
    }
    CHECK_I64(advice, POSIX_FADV_WILLNEED);
    note_advice((part){(uint64_t)offset, (uint64_t)(offset + n)});
    return os.advice_error;
}

ssize_t preadv2(int fd, const struct iovec *parts, int n_parts, off_t offset, int flags)
{
    (void)fd;
    (void)offset;
    CHECK_I64(flags, RWF_NOWAIT);
    CHECK_I64(n_parts, 1);
    CHECK_U64(parts->iov_len, 1);
    (void)pthread_mutex_lock(&mutex);
    os.n_probes++;
    (void)pthread_mutex_unlock(&mutex);
    if (os.is_warm) {
        *(uint8_t *)parts->iov_base = 0;
        return 1;
    }
    errno = os.probe_error;
    return -1;
}

ssize_t pread(int fd, void *out, size_t n, off_t offset)
{
    if (os.is_on && !note_read((uint64_t)offset, &n)) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_pread64, fd, out, n, offset);
}

static void begin(bool is_warm, int probe_error)
{
    memset(&os, 0, sizeof os);
    os.is_on = true;
    os.is_warm = is_warm;
    os.probe_error = probe_error;
    os.least = CHUNK_BYTES;
}

/* Tables ------------------------------------------------------------------------------------- */

/* `t` counts the rows, `v` is three times as much, `u` once more; unpacked, t indexed. */
static home table_in_chunks(int64_t n_rows, uint64_t chunk_rows)
{
    const stoa_column_options all = {NULL, "none", chunk_rows};
    const stoa_column_index index = {"t", "minmax"};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    int64_t *values = malloc((size_t)n_rows * sizeof *values);
    static const char *const names[] = {"t", "v", "u"};
    batch b = batch_begin(3, n_rows);

    CHECK(values != NULL);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < n_rows; i++) {
            values[i] = c == 0 ? i : 3 * i;
        }
        batch_integers(&b, c, names[c], "l", values, NULL);
    }
    free(values);
    options.columns = &all;
    options.n_columns = 1;
    options.indexes = &index;
    options.n_indexes = 1;
    return home_on_disk("ahead.h5", &b, &options);
}

static home table_of(int64_t n_rows)
{
    return table_in_chunks(n_rows, CHUNK);
}

/* Where the chunk of a column lies that begins with the row, as libhdf5 says. */
static part place_at(const home *h, const char *column, hsize_t row)
{
    const hid_t group = CHECK_H5(H5Gopen2(h->file, "t", H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(group, column, H5P_DEFAULT));
    haddr_t address = 0;
    hsize_t size = 0;

    CHECK_H5(H5Dget_chunk_info_by_coord(dataset, &row, NULL, &address, &size));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(group));
    return (part){address, address + size};
}

static part place_of(const home *h, const char *column, hsize_t chunk)
{
    return place_at(h, column, chunk * CHUNK);
}

static bool holds(const part *parts, size_t n, part one)
{
    uint64_t first = one.first;

    for (size_t k = 0; k < n; k++) { /* they may be cut anywhere: go on where the first one ends */
        for (size_t i = 0; i < n && first < one.end; i++) {
            first = parts[i].first <= first && parts[i].end > first ? parts[i].end : first;
        }
    }
    return first >= one.end;
}

static bool touches(const part *parts, size_t n, part one)
{
    bool does = false;

    for (size_t i = 0; i < n; i++) {
        does = does || (parts[i].first < one.end && one.first < parts[i].end);
    }
    return does;
}

static uint64_t total(const part *parts, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += parts[i].end - parts[i].first;
    }
    return sum;
}

/* The tests ---------------------------------------------------------------------------------- */

#define RANGE "t >= 50000 and t < 120000"

static void what_is_announced_is_read_and_what_an_index_excludes_is_not_announced(void)
{
    home h = table_of(20 * CHUNK);

    begin(false, EAGAIN);
    CHECK_STR(ASK(&h, .aggregates = "sum(v)", .where = RANGE, .use_indexes = true, .threads = 1),
              "17849895000"); /* 3 * (50000 + ... + 119999) */
    os.is_on = false;
    for (hsize_t chunk = 0; chunk < 20; chunk++) {
        CHECK(holds(os.told, os.n_told, place_of(&h, "v", chunk)) == (chunk >= 5 && chunk < 12));
        CHECK(!holds(os.told, os.n_told, place_of(&h, "u", chunk)));
    }
    for (size_t i = 0; i < os.n_told; i++) {
        CHECK(holds(os.read, os.n_read, os.told[i]));
    }
    CHECK_U64(total(os.told, os.n_told), total(os.read, os.n_read));
    home_leave(&h);
}

static void a_tested_column_is_announced_where_it_is_in_doubt(void)
{
    home h = table_of(20 * CHUNK);

    begin(false, EAGAIN);
    CHECK_STR(ASK(&h, .aggregates = "count()", .where = "t >= 55000 and t < 125000",
                  .use_indexes = true, .threads = 1),
              "70000");
    os.is_on = false;
    for (hsize_t chunk = 0; chunk < 20; chunk++) { /* those between are certain */
        CHECK(holds(os.told, os.n_told, place_of(&h, "t", chunk)) == (chunk == 5 || chunk == 12));
    }
    home_leave(&h);
}

static void rows_that_are_looked_up_are_not_announced(void)
{
    home h = table_of(20 * CHUNK);

    begin(false, EAGAIN);
    CHECK_STR(ASK(&h, .columns = "v", .where = "t in (77, 123456)", .use_indexes = true),
              "231 | 370368");
    os.is_on = false;
    for (hsize_t chunk = 0; chunk < 20; chunk++) {
        CHECK(!holds(os.told, os.n_told, place_of(&h, "v", chunk)));
    }
    home_leave(&h);
}

/* No index: every chunk of the tested column is read, and of the others those where rows pass. (Of
 * shorter chunks those of 64 Ki rows are looked at together.) */
static void other_columns_are_read_where_rows_pass_and_nowhere_else(void)
{
    enum { LONG = 65536, N_CHUNKS = 8 };
    static const struct {
        const char *aggregates;
        const char *columns;
        const char *answer;
    } wanted[] = {{"sum(v)", NULL, "2949111"}, {NULL, "v", "983034 | 983037 | 983040"}};

    for (size_t w = 0; w < sizeof wanted / sizeof wanted[0]; w++) {
        home h = table_in_chunks(N_CHUNKS * LONG, LONG);
        begin(false, EAGAIN);
        os.least = 4096; /* libhdf5 reads less of what it looks for */
        CHECK_STR(ASK(&h, .aggregates = wanted[w].aggregates, .columns = wanted[w].columns,
                      .where = "u >= 983034 and u < 983043", .threads = 1),
                  wanted[w].answer); /* rows 327678 to 327680 */
        os.is_on = false;
        for (hsize_t chunk = 0; chunk < N_CHUNKS; chunk++) {
            const hsize_t row = chunk * LONG;
            const bool has_some = chunk == 4 || chunk == 5;
            CHECK(holds(os.read, os.n_read, place_at(&h, "u", row)));
            CHECK(has_some || !touches(os.read, os.n_read, place_at(&h, "v", row)));
            CHECK(!touches(os.read, os.n_read, place_at(&h, "t", row)));
        }
        home_leave(&h);
    }
}

/* Where libhdf5 puts the chunks of three columns differs between versions: what counts is how many
 * bytes of v are told and not read yet. Each is told once. */
static void no_more_than_two_strides_are_ahead_and_nothing_is_told_twice(void)
{
    enum { N_CHUNKS = 200 }; /* 16 MB a column */
    home h = table_of((int64_t)N_CHUNKS * CHUNK);

    begin(false, EOPNOTSUPP);
    CHECK_STR(ASK(&h, .aggregates = "sum(v)", .threads = 1), "5999997000000");
    os.is_on = false;
    const uint64_t told = total(os.told, os.n_told) - (uint64_t)N_CHUNKS * CHUNK_BYTES;
    CHECK(told < (uint64_t)N_CHUNKS * CHUNK_BYTES / 100); /* but small gaps between chunks */
    CHECK_U64(total(os.read, os.n_read), (uint64_t)N_CHUNKS * CHUNK_BYTES);
    for (hsize_t chunk = 0; chunk < N_CHUNKS; chunk++) {
        CHECK(holds(os.told, os.n_told, place_of(&h, "v", chunk)));
    }
    CHECK(os.n_told <= 3 * (uint64_t)N_CHUNKS * CHUNK_BYTES / STOA_PREFETCH_BYTES);
    CHECK(os.most_ahead <= 2 * (uint64_t)STOA_PREFETCH_BYTES + 2 * CHUNK_BYTES);
    CHECK(os.most_ahead > STOA_PREFETCH_BYTES);
    home_leave(&h);
}

static void a_file_in_memory_costs_a_few_calls(void)
{
    home h = table_of(200 * CHUNK);

    begin(true, 0);
    CHECK_STR(ASK(&h, .aggregates = "sum(v)"), "5999997000000");
    os.is_on = false;
    CHECK_U64(os.n_told, 0);
    CHECK(os.n_probes > 0);
    CHECK(os.n_probes <= 3 * (200 * CHUNK_BYTES / STOA_PREFETCH_BYTES + 2));
    home_leave(&h);
}

static void advice_that_fails_changes_nothing(void)
{
    static const int errors[] = {EIO, ESPIPE, EINVAL, ENOSYS};
    home h = table_of(20 * CHUNK);

    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        begin(false, errors[i]);
        os.advice_error = errors[i];
        CHECK_STR(ASK(&h, .aggregates = "sum(v), sum(u)", .where = "t >= 50000 and v < 360000"),
                  "17849895000 17849895000");
        CHECK(os.n_told > 0);
        os.is_on = false;
    }
    home_leave(&h);
}

static void short_and_interrupted_reads_are_gone_on_with(void)
{
    home h = table_of(20 * CHUNK);

    begin(false, EAGAIN);
    os.is_shaky = true;
    CHECK_STR(ASK(&h, .aggregates = "sum(v), sum(u)", .where = RANGE), "17849895000 17849895000");
    CHECK(os.n_reads > 100);
    os.is_on = false;
    home_leave(&h);
}

TEST_MAIN(TEST(what_is_announced_is_read_and_what_an_index_excludes_is_not_announced),
          TEST(a_tested_column_is_announced_where_it_is_in_doubt),
          TEST(rows_that_are_looked_up_are_not_announced),
          TEST(other_columns_are_read_where_rows_pass_and_nowhere_else),
          TEST(no_more_than_two_strides_are_ahead_and_nothing_is_told_twice),
          TEST(a_file_in_memory_costs_a_few_calls), TEST(advice_that_fails_changes_nothing),
          TEST(short_and_interrupted_reads_are_gone_on_with))

#else

static void nothing_can_stand_between(void)
{
    SKIP("the C library's calls cannot be taken over here");
}

TEST_MAIN(TEST(nothing_can_stand_between))

#endif
