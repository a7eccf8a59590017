/* A scan allocates nothing for a chunk: how many allocations a question makes does not depend on
 * how many chunks there are. */
#include <stdatomic.h>
#include <stdlib.h>

#include "core/memory.h"
#include "tables.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

enum { CHUNK = 1000, MANY = 1000000 };

/* Allocations of the libraries beneath as well, where malloc() can be stood in front of. */
#if defined(__GLIBC__) && !defined(IS_SANITIZED)
#define COUNTS_ALL 1
#define FOR_ALL __attribute__((visibility("default")))
static atomic_uint_fast64_t n_allocations;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

FOR_ALL void *malloc(size_t size)
{
    atomic_fetch_add(&n_allocations, 1);
    return __libc_malloc(size);
}

FOR_ALL void *calloc(size_t n, size_t size)
{
    atomic_fetch_add(&n_allocations, 1);
    return __libc_calloc(n, size);
}

FOR_ALL void *realloc(void *block, size_t size)
{
    atomic_fetch_add(&n_allocations, 1);
    return __libc_realloc(block, size);
}

FOR_ALL void *aligned_alloc(size_t alignment, size_t size)
{
    atomic_fetch_add(&n_allocations, 1);
    return __libc_memalign(alignment, size);
}

FOR_ALL int posix_memalign(void **block, size_t alignment, size_t size)
{
    atomic_fetch_add(&n_allocations, 1);
    *block = __libc_memalign(alignment, size);
    return *block != NULL ? 0 : 12;
}
#endif

/* Row i has x = i % 1000 and y = i / 4; deflated, so that each chunk must be unpacked. */
static home make(const char *file, const char *codec, int64_t n)
{
    const char *name = check_path(file);
    const stoa_column_options all = {NULL, codec, CHUNK};
    stoa_table_options options = STOA_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;
    int64_t *x = malloc((size_t)n * sizeof *x);
    double *y = malloc((size_t)n * sizeof *y);
    batch b = batch_begin(2, n);

    CHECK(x != NULL && y != NULL);
    for (int64_t i = 0; i < n; i++) {
        x[i] = i % 1000;
        y[i] = (double)i / 4;
    }
    batch_integers(&b, 0, "x", "l", x, NULL);
    batch_floats(&b, 1, "y", "g", y, NULL);
    free(x);
    free(y);
    options.columns = &all;
    options.n_columns = 1;
    const hid_t made = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    stream_of(&b, 1, &stream);
    CHECK_OK(stoa_table_write(made, "/t", &stream, &options, NULL, &err), &err);
    stoa_stream_release(&stream);
    CHECK_H5(H5Fclose(made));
    home h = {.file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT))};
    CHECK_OK(stoa_hep001_open(h.file, "/t", &h.table, &err), &err);
    return h;
}

/* Stoa's own, and all. */
typedef struct allocations {
    uint64_t own;
    uint64_t all;
} allocations;

static allocations allocations_of(home *h, unsigned threads)
{
    allocations n = {0, 0};

    stoa_memory_fail_after(MANY);
#ifdef COUNTS_ALL
    const uint64_t before = n_allocations;
#endif
    (void)ASK(h, .where = "x >= 500", .aggregates = "count(), sum(y)", .threads = threads);
#ifdef COUNTS_ALL
    n.all = n_allocations - before;
#endif
    for (void *block = stoa_alloc(1, 1); block != NULL; block = stoa_alloc(1, 1)) {
        free(block);
        n.own++;
    }
    stoa_memory_fail_after(UINT64_MAX);
    CHECK(n.own < MANY);
    n.own = MANY - n.own;
    return n;
}

/*
 * 540 chunks more, of 65 of which a scan makes a unit: a few allocations for each of nine units,
 * for a thread that is needed, and for libhdf5's listing of chunks, once, in nodes of 64. The first
 * question unpacks every chunk into buffers that are used again; the second one keeps them, each in
 * memory of its own; those after it find them there.
 */
static void check_codec(const char *codec, unsigned threads)
{
    enum { FEW = 60, MORE = 540, FOR_UNITS = 36, FOR_A_THREAD = 100, FOR_LISTS = 100 };
    const uint64_t most = FOR_UNITS + (uint64_t)FOR_A_THREAD * (threads - 1);
    home few = make("few.h5", codec, FEW * CHUNK);
    home many = make("many.h5", codec, (FEW + MORE) * CHUNK);

    for (int i = 0; i < 4; i++) {
        const allocations of_few = allocations_of(&few, threads);
        const allocations of_many = allocations_of(&many, threads);
        if (i != 1 &&
            (of_many.own > of_few.own + most || of_many.all > of_few.all + most + FOR_LISTS)) {
            FAIL("%s, %u threads, question %d: %llu allocations for %d chunks (%llu in all), %llu "
                 "for %d (%llu)",
                 codec, threads, i, (unsigned long long)of_few.own, FEW,
                 (unsigned long long)of_few.all, (unsigned long long)of_many.own, FEW + MORE,
                 (unsigned long long)of_many.all);
        }
    }
    home_leave(&few);
    home_leave(&many);
}

static void chunks_cost_no_allocations(void)
{
    for (const char *const *codec =
             (const char *const[]){"none", "auto", "scaleoffset", "small", "deflate:1", "zstd",
                                   "lz4", "blosc", NULL};
         *codec != NULL; codec++) {
        check_codec(*codec, 1);
        check_codec(*codec, 2);
    }
}

TEST_MAIN(TEST(chunks_cost_no_allocations))
