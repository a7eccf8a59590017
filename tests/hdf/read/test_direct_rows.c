/* How many bytes of the file rows take, and which: src/hdf/read/direct_rows.c, direct.c,
 * direct_open.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/journal/disk.h"
#include "hdf/read/direct_parts.h"
#include "support/check.h"
#include "support/sweep.h"

enum { N = 5000, CHUNK = 1000, MOST = 400000 };

/* --- what is read ---------------------------------------------------------------------------- */

typedef struct requests {
    size_t n;
    uint64_t n_bytes;
    uint64_t first[64]; /* where each begins, and how long it is */
    size_t sizes[64];
} requests;

static requests seen;

static int note(void *context, const stoa_disk_call *call)
{
    (void)context;
    seen.first[seen.n % 64] = call->offset;
    seen.sizes[seen.n % 64] = call->n;
    seen.n++;
    seen.n_bytes += call->n;
    return 0;
}

static struct {
    size_t n;
    uint64_t start[64];
    uint64_t length[64];
} wanted;

/* In the place of the system's call. */
int posix_fadvise(int fd, off_t start, off_t length, int advice)
{
    CHECK(fd >= 0 && advice == POSIX_FADV_WILLNEED && wanted.n < 64);
    wanted.start[wanted.n] = (uint64_t)start;
    wanted.length[wanted.n++] = (uint64_t)length;
    return 0;
}

/* --- a dataset ------------------------------------------------------------------------------- */

typedef struct opened {
    hid_t file;
    hid_t dataset;
    stoa_read_context *read_context;
    stoa_direct *direct;
    stoa_scratch scratch;
} opened;

static int32_t value(uint64_t i)
{
    return (int32_t)(i * 7919 % 1009);
}

static hid_t chunks_of(hsize_t n)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, 1, &n));
    return dcpl;
}

static void write_rows(hid_t dataset, uint64_t first, uint64_t n)
{
    int32_t *rows = malloc((size_t)n * sizeof *rows);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));

    CHECK(rows != NULL);
    for (uint64_t i = 0; i < n; i++) {
        rows[i] = value(first + i);
    }
    CHECK_H5(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &(hsize_t){first}, NULL, &(hsize_t){n}, NULL));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, rows));
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    free(rows);
}

/* Chunks in the order that is given, the first of which is -1 of all; closes the list. */
static hid_t make(hid_t type, uint64_t n, hid_t dcpl, const int *order)
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("rows.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    if (order == NULL) {
        write_rows(dataset, 0, n);
    }
    for (size_t i = 0; order != NULL && order[i] >= 0; i++) {
        write_rows(dataset, (uint64_t)order[i] * CHUNK, CHUNK);
        CHECK_H5(H5Dflush(dataset));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    return file;
}

/* Closes the file that was written. */
static opened open_again(hid_t made, hid_t mem_type)
{
    opened o = {.scratch = {.blocks = {NULL}}};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Fclose(made));
    o.file = CHECK_H5(H5Fopen(check_path("rows.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
    o.dataset = CHECK_H5(H5Dopen2(o.file, "d", H5P_DEFAULT));
    CHECK_OK(stoa_read_context_open(&o.read_context, &err), &err);
    CHECK_OK(stoa_direct_open(o.read_context, o.dataset, mem_type, &o.direct, &err), &err);
    return o;
}

static void close_all(opened *o)
{
    stoa_direct_close(o->direct);
    stoa_read_context_close(o->read_context);
    stoa_scratch_clear(&o->scratch);
    CHECK_H5(H5Dclose(o->dataset));
    CHECK_H5(H5Fclose(o->file));
}

static uint64_t address_of(const opened *o, uint64_t chunk, hsize_t *n_bytes)
{
    unsigned mask = 0;
    haddr_t address = 0;

    CHECK_H5(H5Dget_chunk_info_by_coord(o->dataset, &(hsize_t){chunk * CHUNK}, &mask, &address,
                                        n_bytes));
    return address;
}

typedef stoa_status reader(const stoa_direct *direct, uint64_t first, uint64_t count,
                           stoa_scratch *scratch, void *out, stoa_error *err);

/* Rows as they were written, by so many requests of so many bytes. */
static void check_read(opened *o, reader *read, uint64_t first, uint64_t count, size_t n_requests,
                       uint64_t n_bytes)
{
    static int32_t found[MOST + 1];
    stoa_error err = STOA_ERROR_INIT;

    CHECK(count <= MOST);
    memset(found, 0x55, ((size_t)count + 1) * sizeof *found);
    seen = (requests){.n = 0};
    stoa_disk_watch_reads(note, NULL);
    CHECK_OK(read(o->direct, first, count, &o->scratch, found, &err), &err);
    stoa_disk_watch_reads(NULL, NULL);
    for (uint64_t i = 0; i < count; i++) {
        CHECK_I64(found[i], value(first + i));
    }
    CHECK_I64(found[count], 0x55555555);
    CHECK_U64(seen.n, n_requests);
    CHECK_U64(seen.n_bytes, n_bytes);
}

/* --- as they lie ----------------------------------------------------------------------------- */

static void rows_that_lie_as_they_are_take_no_other_bytes(void)
{
    opened o = open_again(make(H5T_STD_I32LE, 70000, CHECK_H5(H5Pcreate(H5P_DATASET_CREATE)), NULL),
                          H5T_NATIVE_INT32);
    const uint64_t start = H5Dget_offset(o.dataset);

    CHECK_U64(stoa_direct_chunk_rows(o.direct), 65536);
    check_read(&o, stoa_direct_read, 10, 5, 1, 20);
    CHECK_U64(seen.first[0], start + 40);
    check_read(&o, stoa_direct_read, 65530, 10, 1,
               40); /* over the end of what stands for a chunk */
    check_read(&o, stoa_direct_read, 0, 70000, 1, 280000);
    check_read(&o, stoa_direct_read, 69999, 1, 1, 4);
    CHECK_U64(seen.first[0], start + 279996);
    check_read(&o, stoa_direct_read, 70000, 0, 0, 0);
    CHECK_U64(stoa_direct_rows_in(o.direct, 0), 65536);
    CHECK_U64(stoa_direct_rows_in(o.direct, 1), 70000 - 65536);
    CHECK_U64(stoa_direct_rows_in(o.direct, 2), 0);
    CHECK_U64(stoa_direct_rows_in(o.direct, UINT64_MAX), 0);
    CHECK(!stoa_direct_is_packed(o.direct));
    close_all(&o);
}

static void neighbouring_chunks_are_one_request(void)
{
    static const int ascending[] = {0, 1, 2, 3, 4, -1};
    static const int descending[] = {4, 3, 2, 1, 0, -1};
    opened o = open_again(make(H5T_STD_I32LE, N, chunks_of(CHUNK), ascending), H5T_NATIVE_INT32);
    bool are_neighbours = true;
    hsize_t size = 0;

    for (uint64_t i = 1; i < 5; i++) {
        are_neighbours =
            are_neighbours && address_of(&o, i, &size) == address_of(&o, i - 1, &size) + 4 * CHUNK;
    }
    if (are_neighbours) {
        check_read(&o, stoa_direct_read, 500, 3000, 1, 12000);
        CHECK_U64(seen.first[0], address_of(&o, 0, &size) + 2000);
        check_read(&o, stoa_direct_read, 0, N, 1, 4 * N);
        check_read(&o, stoa_direct_read, 999, 2, 1, 8);
        check_read(&o, stoa_direct_read, 999, 1, 1, 4);
    }
    check_read(&o, stoa_direct_read_again, 999, 2, 2, 8000); /* chunk by chunk */
    close_all(&o);
    o = open_again(make(H5T_STD_I32LE, N, chunks_of(CHUNK), descending), H5T_NATIVE_INT32);
    check_read(&o, stoa_direct_read, 500, 3000, 4, 12000);
    for (uint64_t i = 0; i < 4; i++) {
        CHECK_U64(seen.first[i], address_of(&o, i, &size) + (i == 0 ? 2000 : 0));
    }
    close_all(&o);
}

/* Some four MiB at a time. */
static void a_request_is_of_a_bounded_length(void)
{
    enum { ROWS = 5 << 19 };
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){ROWS}, NULL));
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("rows.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    int32_t *rows = malloc(ROWS * sizeof *rows);

    CHECK(rows != NULL);
    CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    opened o = open_again(file, H5T_NATIVE_INT32);
    seen = (requests){.n = 0};
    stoa_disk_watch_reads(note, NULL);
    CHECK_OK(stoa_direct_read(o.direct, 0, ROWS, &o.scratch, rows, NULL));
    stoa_disk_watch_reads(NULL, NULL);
    CHECK_U64(seen.n, 3);
    CHECK_U64(seen.sizes[0], 1 << 22);
    CHECK_U64(seen.sizes[1], 1 << 22);
    CHECK_U64(seen.sizes[2], 1 << 21);
    free(rows);
    close_all(&o);
}

/* --- looked up ------------------------------------------------------------------------------- */

/* A cell is 256 rows, or what fits into 2 KiB; the last one of a chunk ends with it. */
static void rows_that_are_looked_up_come_with_their_cell(void)
{
    static const int all[] = {0, 1, 2, 3, 4, -1};
    opened o = open_again(make(H5T_STD_I32LE, N, chunks_of(CHUNK), all), H5T_NATIVE_INT32);
    hsize_t size = 0;

    check_read(&o, stoa_direct_look_up, 300, 1, 1, 1024);
    CHECK_U64(seen.first[0], address_of(&o, 0, &size) + 1024);
    check_read(&o, stoa_direct_look_up, 511, 1, 0, 0);
    check_read(&o, stoa_direct_look_up, 256, 256, 0, 0);
    check_read(&o, stoa_direct_look_up, 500, 20, 1, 1024); /* of two cells, one of them new */
    CHECK_U64(seen.first[0], address_of(&o, 0, &size) + 2048);
    check_read(&o, stoa_direct_look_up, 500, 256, 0, 0);
    check_read(&o, stoa_direct_look_up, 500, 257, 1, 1028); /* too many for cells */
    check_read(&o, stoa_direct_look_up, 990, 10, 1, 928);
    CHECK_U64(seen.first[0], address_of(&o, 0, &size) + 3072);
    check_read(&o, stoa_direct_look_up, 999, 2, 1, 1024); /* the next chunk's first cell */
    check_read(&o, stoa_direct_look_up, 1000, 256, 0, 0);
    check_read(&o, stoa_direct_look_up, 4000, 1, 1, 1024); /* no other chunk's */
    close_all(&o);
    o = open_again(make(H5T_STD_I32LE, 66000, CHECK_H5(H5Pcreate(H5P_DATASET_CREATE)), NULL),
                   H5T_NATIVE_INT32);
    check_read(&o, stoa_direct_look_up, 65999, 1, 1, (66000 - 65536 - 256) * 4);
    check_read(&o, stoa_direct_look_up, 65792, 1, 0, 0);
    check_read(&o, stoa_direct_look_up, 65535, 2, 2, 2048);
    close_all(&o);
}

static void cells_are_as_large_as_fits_into_two_kib(void)
{
    static const struct {
        size_t size;
        uint64_t rows;
    } cells[] = {{1, 256}, {8, 256}, {9, 227}, {16, 128}, {2048, 1}, {3000, 1}};

    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        const hid_t type = CHECK_H5(H5Tcreate(H5T_OPAQUE, cells[i].size));
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("rows.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){300}, NULL));
        CHECK_H5(H5Dclose(
            CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
        CHECK_H5(H5Sclose(space));
        opened o = open_again(file, type);
        CHECK_U64(o.direct->cell_rows, cells[i].rows);
        CHECK(o.direct->owner != o.direct->cell_owner && o.direct->owner != o.direct->head_owner);
        CHECK(o.direct->cell_owner != o.direct->head_owner);
        close_all(&o);
        CHECK_H5(H5Tclose(type));
    }
}

static hid_t deflated(void)
{
    const hid_t dcpl = chunks_of(CHUNK);

    CHECK_H5(H5Pset_deflate(dcpl, 6));
    return dcpl;
}

static void an_unpacked_chunk_is_read_once_where_it_is_kept(void)
{
    opened o = open_again(make(H5T_STD_I32LE, N, deflated(), NULL), H5T_NATIVE_INT32);
    hsize_t size = 0;
    hsize_t next = 0;

    CHECK(stoa_direct_is_packed(o.direct));
    (void)address_of(&o, 2, &size);
    (void)address_of(&o, 3, &next);
    check_read(&o, stoa_direct_look_up, 2100, 3, 1, size);
    check_read(&o, stoa_direct_look_up, 2900, 100, 0, 0);
    stoa_scratch_clear(&o.scratch);
    check_read(&o, stoa_direct_look_up, 2000, 1000, 0,
               0); /* the read context has it, not the scratch */
    check_read(&o, stoa_direct_read, 2000, 10, 1, size);
    check_read(&o, stoa_direct_read, 2010, 10, 0, 0); /* who reads on goes on in this chunk */
    check_read(&o, stoa_direct_read, 2990, 20, 1, next);
    check_read(&o, stoa_direct_read, 3500, 500, 0, 0);
    check_read(&o, stoa_direct_read, 2990, 5, 1, size);
    check_read(&o, stoa_direct_read, 2000, 1000, 0, 0);
    stoa_scratch_clear(&o.scratch);
    check_read(&o, stoa_direct_read, 2000, 1000, 1, size); /* whole ones into their place */
    close_all(&o);
}

/* Behind a checksum the elements lie as they are, and are not unpacked into their place. */
static void a_chunk_with_a_checksum_is_kept_as_others_are(void)
{
    for (int is_swapped = 0; is_swapped < 2; is_swapped++) {
        const hid_t dcpl = chunks_of(CHUNK);
        hsize_t size = 0;
        CHECK_H5(H5Pset_fletcher32(dcpl));
        opened o = open_again(make(is_swapped ? H5T_STD_I32BE : H5T_STD_I32LE, N, dcpl, NULL),
                              H5T_NATIVE_INT32);
        (void)address_of(&o, 1, &size);
        stoa_direct_share(o.direct);
        check_read(&o, stoa_direct_read_again, 1100, 900, 1, size);
        check_read(&o, stoa_direct_read_again, 1000, 1000, 0, 0);
        check_read(&o, stoa_direct_look_up, 2100, 10, 1, size);
        check_read(&o, stoa_direct_look_up, 2100, 900, 0, 0);
        check_read(&o, stoa_direct_read, 3100, 10, 1, size);
        check_read(&o, stoa_direct_read, 4000, 1000, 1, size);
        close_all(&o);
    }
}

/* Two datasets may have chunks of one number. */
static void a_scratch_goes_on_in_the_chunk_of_its_own_dataset(void)
{
    opened o = open_again(make(H5T_STD_I32LE, N, deflated(), NULL), H5T_NATIVE_INT32);
    stoa_direct *other = NULL;
    hsize_t size = 0;

    (void)address_of(&o, 0, &size);
    CHECK_OK(stoa_direct_open(o.read_context, o.dataset, H5T_NATIVE_INT32, &other, NULL));
    check_read(&o, stoa_direct_read, 5, 5, 1, size);
    stoa_direct *const own = o.direct;
    o.direct = other;
    check_read(&o, stoa_direct_read, 5, 5, 1, size);
    o.direct = own;
    stoa_direct_close(other);
    close_all(&o);
}

/* --- picked ---------------------------------------------------------------------------------- */

static hid_t bits_alone(hsize_t n)
{
    const hid_t dcpl = chunks_of(n);

    CHECK_H5(H5Pset_scaleoffset(dcpl, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT));
    return dcpl;
}

/* Of bits that follow each other: a head of 21 bytes, and those that the rows are in, with some
 * behind that a vector may take along. */
static void few_rows_of_a_chunk_are_picked_out_of_its_bits(void)
{
    enum { HEAD = 21, SLACK = 64 };
    static const struct {
        uint64_t skip, n;
    } asked[] = {{0, 1}, {5, 3}, {400, 125}, {993, 7}, {999, 1}, {860, 125}};

    opened o = open_again(make(H5T_STD_I32LE, N, bits_alone(CHUNK), NULL), H5T_NATIVE_INT32);
    hsize_t size = 0;
    const uint64_t start = address_of(&o, 1, &size);
    uint8_t width = 0;
    CHECK_I64(stoa_disk_read(o.direct->file->fd, start, &width, 1), 0);
    CHECK(width >= 8 && width <= 10);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        const uint64_t from = HEAD + asked[i].skip * width / 8;
        const uint64_t to = HEAD + (asked[i].skip + asked[i].n) * width / 8 + SLACK;
        const uint64_t end = to < size ? to : size;
        check_read(&o, stoa_direct_read, CHUNK + asked[i].skip, asked[i].n, 2, HEAD + end - from);
        CHECK_U64(seen.first[0], start);
        CHECK_U64(seen.sizes[0], HEAD);
        CHECK_U64(seen.first[1], start + from);
    }
    check_read(&o, stoa_direct_read, CHUNK + 10, 126, 1, size); /* an eighth at most */
    stoa_scratch_clear(&o.scratch);
    /* 256 rows are more than an eighth: the chunk is unpacked, and kept */
    check_read(&o, stoa_direct_look_up, CHUNK + 5, 1, 2,
               HEAD + (5 + 1) * width / 8 - 5 * width / 8 + SLACK);
    close_all(&o);
}

/* Where a cell is at most an eighth of its chunk, the head is kept apart from the cells. */
static void the_head_of_a_chunk_is_read_once(void)
{
    enum { HEAD = 21, SLACK = 64, ROWS = 4000 };
    opened o = open_again(make(H5T_STD_I32LE, 2 * ROWS, bits_alone(ROWS), NULL), H5T_NATIVE_INT32);
    uint8_t width = 0;
    unsigned mask = 0;
    haddr_t start = 0;
    hsize_t size = 0;

    CHECK_H5(H5Dget_chunk_info_by_coord(o.dataset, &(hsize_t){0}, &mask, &start, &size));
    CHECK_I64(stoa_disk_read(o.direct->file->fd, start, &width, 1), 0);
    const uint64_t cell = 256 * (uint64_t)width / 8 + SLACK;
    check_read(&o, stoa_direct_look_up, 300, 1, 2, HEAD + cell);
    check_read(&o, stoa_direct_look_up, 301, 10, 0, 0);
    check_read(&o, stoa_direct_look_up, 600, 1, 1, cell);
    CHECK_U64(seen.first[0], start + HEAD + 512 * (uint64_t)width / 8);
    check_read(&o, stoa_direct_look_up, ROWS + 600, 1, 2, HEAD + cell);
    close_all(&o);
}

/* --- chosen ---------------------------------------------------------------------------------- */

static bool choose(opened *o, uint64_t first, uint64_t count, stoa_error *err)
{
    static uint8_t bits[CHUNK];
    static int32_t found[CHUNK * 8];
    bool is_found = true;

    memset(bits, 0, sizeof bits);
    stoa_bit_set(bits, 3);
    const stoa_status status =
        stoa_direct_choose(o->direct, first, count, bits, 1, &o->scratch, found, &is_found, err);
    CHECK(status == STOA_OK || status == STOA_EDATA);
    CHECK(status != STOA_OK || !is_found || found[0] == value(first + 3));
    return status == STOA_OK && is_found;
}

static void rows_are_chosen_within_one_chunk_of_bits_alone(void)
{
    static const int some[] = {0, 1, 2, 4, -1};
    opened o = open_again(make(H5T_STD_I32LE, N, bits_alone(CHUNK), some), H5T_NATIVE_INT32);

    CHECK(choose(&o, 0, CHUNK, NULL));
    CHECK(choose(&o, 100, 900, NULL));
    CHECK(!choose(&o, 100, 901, NULL));    /* of two chunks */
    CHECK(!choose(&o, 3000, CHUNK, NULL)); /* never written */
    CHECK(choose(&o, 4000, CHUNK, NULL));
    CHECK(!choose(&o, 4000, CHUNK + 1, NULL));
    CHECK(!choose(&o, N, 1, NULL));
    CHECK(!choose(&o, N + 1, 0, NULL));
    close_all(&o);
    o = open_again(make(H5T_STD_I32LE, N, chunks_of(CHUNK), NULL), H5T_NATIVE_INT32);
    CHECK(!choose(&o, 0, CHUNK, NULL));
    close_all(&o);
    o = open_again(make(H5T_STD_I32LE, N, deflated(), NULL), H5T_NATIVE_INT32);
    CHECK(!choose(&o, 0, CHUNK, NULL));
    close_all(&o);
    const hid_t both = bits_alone(CHUNK);
    CHECK_H5(H5Pset_deflate(both, 1));
    o = open_again(make(H5T_STD_I32LE, N, both, NULL), H5T_NATIVE_INT32);
    CHECK(!choose(&o, 0, CHUNK, NULL));
    close_all(&o);
}

/* More than are unpacked at a time. */
static void many_rows_of_a_long_chunk_are_chosen_in_order(void)
{
    enum { LONG = 20000, STEP = 3 };
    static uint8_t bits[(LONG + 7) / 8];
    static int32_t found[LONG];
    opened o = open_again(make(H5T_STD_I32LE, LONG, bits_alone(LONG), NULL), H5T_NATIVE_INT32);
    bool is_found = false;
    uint64_t n = 0;

    for (uint64_t i = 0; i < LONG; i += STEP) {
        stoa_bit_set(bits, i);
        n++;
    }
    CHECK_OK(stoa_direct_choose(o.direct, 0, LONG, bits, n, &o.scratch, found, &is_found, NULL),
             NULL);
    CHECK(is_found);
    for (uint64_t k = 0; k < n; k++) {
        CHECK_I64(found[k], value(k * STEP));
    }
    close_all(&o);
}

static void damaged_bits_are_told_of_by_every_way(void)
{
    stoa_error err = STOA_ERROR_INIT;
    const hid_t file = make(H5T_STD_I32LE, N, bits_alone(CHUNK), NULL);
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    static uint8_t bytes[200] = {10, 0, 0, 0, 8};
    int32_t row = 0;

    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){2 * CHUNK}, sizeof bytes, bytes));
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){3 * CHUNK}, 21, bytes));
    CHECK_H5(H5Dclose(dataset));
    opened o = open_again(file, H5T_NATIVE_INT32);
    CHECK(!choose(&o, 2 * CHUNK, CHUNK, &err));
    CHECK_CONTAINS(err.message, "chunk 2 (rows from 2000 on): a chunk is damaged: scale-offset");
    CHECK_STATUS(STOA_EDATA,
                 stoa_direct_read(o.direct, 2 * CHUNK + 500, 1, &o.scratch, &row, &err));
    CHECK_STATUS(STOA_EDATA,
                 stoa_direct_read(o.direct, 3 * CHUNK + 500, 1, &o.scratch, &row, &err));
    CHECK(choose(&o, CHUNK, CHUNK, NULL));
    close_all(&o);
}

/* --- ahead ----------------------------------------------------------------------------------- */

static void chunks_are_announced_with_their_neighbours(void)
{
    static const int some[] = {0, 1, 3, 2, -1}; /* the last was never written */
    hid_t file = make(H5T_STD_I32LE, N, chunks_of(CHUNK), some);
    opened o = open_again(file, H5T_NATIVE_INT32);
    hsize_t size = 0;
    uint64_t at[4];

    for (uint64_t i = 0; i < 4; i++) {
        at[i] = address_of(&o, i, &size);
    }
    CHECK(at[0] < at[1] && at[1] < at[3] && at[3] < at[2] && at[2] - at[1] < 65536);
    wanted.n = 0;
    stoa_direct_announce(o.direct, 0, 2);
    CHECK_U64(wanted.n, 1);
    CHECK_U64(wanted.start[0], at[0]);
    CHECK_U64(wanted.length[0], at[1] + 4000 - at[0]);
    wanted.n = 0;
    stoa_direct_announce(o.direct, 1, 10); /* back, for the fourth; the rest is not there */
    CHECK_U64(wanted.n, 2);
    CHECK_U64(wanted.start[0], at[1]);
    CHECK_U64(wanted.length[0], at[2] + 4000 - at[1]);
    CHECK_U64(wanted.start[1], at[3]);
    CHECK_U64(wanted.length[1], 4000);
    wanted.n = 0;
    stoa_direct_announce(o.direct, 4, 1);
    stoa_direct_announce(o.direct, 0, 0);
    CHECK_U64(wanted.n, 0);
    close_all(&o);
}

/* No more than 64 KiB apart are they neighbours. */
static void chunks_far_from_each_other_are_announced_apart(void)
{
    for (uint64_t gap = 65535; gap <= 65537; gap++) {
        const stoa_chunk_place places[] = {{1000, 10, 0}, {1010 + gap, 10, 0}};
        stoa_direct direct = {.file = &(stoa_descriptor){.fd = 1}, .is_chunked = true};
        for (uint64_t i = 0; i < 2; i++) {
            CHECK_OK(stoa_chunk_map_add(&direct.map, i, &places[i], NULL));
        }
        CHECK_OK(stoa_chunk_map_finish(&direct.map, NULL));
        wanted.n = 0;
        stoa_direct_announce(&direct, 0, 2);
        CHECK_U64(wanted.n, gap <= 65536 ? 1 : 2);
        stoa_chunk_map_clear(&direct.map);
    }
}

static void what_was_never_written_is_at_hand(void)
{
    static const int some[] = {0, -1};
    opened o = open_again(make(H5T_STD_I32LE, N, chunks_of(CHUNK), some), H5T_NATIVE_INT32);
    hsize_t size = 0;
    const uint64_t start = address_of(&o, 0, &size);

    CHECK(stoa_direct_is_at_hand(o.direct, 1));
    CHECK(stoa_direct_is_at_hand(o.direct, 0) ==
          stoa_disk_is_at_hand(o.direct->file->fd, start + size - 1));
    close_all(&o);
}

/* --- what can be read so ---------------------------------------------------------------------- */

/* Takes both. */
static void check_converts(hid_t stored, hid_t wanted_type, bool converts, bool swaps)
{
    bool found = !swaps;

    CHECK(stoa_direct_converts(stored, wanted_type, &found) == converts);
    CHECK(found == swaps);
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Tclose(wanted_type));
}

static hid_t enum_of(hid_t base)
{
    const hid_t type = CHECK_H5(H5Tenum_create(base));

    CHECK_H5(H5Tenum_insert(type, "one", &(int64_t){1}));
    return type;
}

static hid_t bits_of(hid_t like, size_t n_bits)
{
    const hid_t type = CHECK_H5(H5Tcopy(like));

    CHECK_H5(H5Tset_precision(type, n_bits));
    return type;
}

static hid_t wide(H5T_order_t order)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I64LE));

    CHECK_H5(H5Tset_size(type, 16));
    CHECK_H5(H5Tset_precision(type, 128));
    CHECK_H5(H5Tset_order(type, order));
    return type;
}

static void elements_are_as_stored_or_turned_round(void)
{
    static const bool no = false;
    static const bool yes = true;

    check_converts(H5Tcopy(H5T_STD_I32LE), H5Tcopy(H5T_STD_I32LE), yes, no);
    check_converts(H5Tcopy(H5T_STD_I32BE), H5Tcopy(H5T_STD_I32LE), yes, yes);
    check_converts(H5Tcopy(H5T_STD_I32LE), H5Tcopy(H5T_STD_I32BE), yes, yes);
    check_converts(H5Tcopy(H5T_STD_U16BE), H5Tcopy(H5T_STD_U16LE), yes, yes);
    check_converts(H5Tcopy(H5T_STD_I8BE), H5Tcopy(H5T_STD_I8LE), yes, no);
    check_converts(H5Tcopy(H5T_IEEE_F64BE), H5Tcopy(H5T_IEEE_F64LE), yes, yes);
    check_converts(H5Tcopy(H5T_STD_B32BE), H5Tcopy(H5T_STD_B32LE), yes, yes);
    check_converts(H5Tcopy(H5T_STD_I32BE), H5Tcopy(H5T_STD_U32LE), no, no);
    check_converts(H5Tcopy(H5T_STD_I32BE), H5Tcopy(H5T_STD_I64LE), no, no);
    check_converts(H5Tcopy(H5T_STD_I32BE), H5Tcopy(H5T_IEEE_F32LE), no, no);
    check_converts(H5Tcopy(H5T_STD_I32LE), H5Tcopy(H5T_IEEE_F32LE), no, no);
    check_converts(bits_of(H5T_STD_I32BE, 31), bits_of(H5T_STD_I32LE, 31), no, no);
    check_converts(bits_of(H5T_STD_I32LE, 31), bits_of(H5T_STD_I32LE, 31), yes, no);
    check_converts(wide(H5T_ORDER_BE), wide(H5T_ORDER_LE), no, no);
    check_converts(wide(H5T_ORDER_BE), wide(H5T_ORDER_BE), yes, no);
    check_converts(enum_of(H5T_STD_I16LE), H5Tcopy(H5T_STD_I16LE), yes, no);
    check_converts(enum_of(H5T_STD_I16BE), H5Tcopy(H5T_STD_I16LE), yes, yes);
    check_converts(enum_of(H5T_STD_I16BE), H5Tcopy(H5T_STD_I32LE), no, no);
    check_converts(H5Tcopy(H5T_STD_I16LE), enum_of(H5T_STD_I16LE), no, no);
    check_converts(H5Tcopy(H5T_C_S1), H5Tcopy(H5T_C_S1), yes, no);
    check_converts(H5Tcopy(H5T_C_S1), H5Tcopy(H5T_STD_I8LE), no, no);
    check_converts(H5Tcopy(H5T_STD_REF_OBJ), H5Tcopy(H5T_STD_U64LE), no, no);
}

static void nothing_is_asked_for_a_way_that_is_turned_off(void)
{
    static const struct {
        const char *value;
        bool is_off;
    } cases[] = {{"", false}, {"0", false}, {"1", true}, {"00", true}};

    CHECK(!stoa_direct_is_off());
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_I64(setenv("STOA_SLOW", cases[i].value, 1), 0);
        CHECK(stoa_direct_is_off() == cases[i].is_off);
    }
    CHECK_I64(unsetenv("STOA_SLOW"), 0);
}

static opened open_new(hid_t type, int rank, const hsize_t *extent, hid_t dcpl)
{
    const hid_t file =
        CHECK_H5(H5Fcreate(check_path("rows.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = rank == 0 ? CHECK_H5(H5Screate(extent == NULL ? H5S_NULL : H5S_SCALAR))
                                  : CHECK_H5(H5Screate_simple(rank, extent, NULL));

    CHECK_H5(
        H5Dclose(CHECK_H5(H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    return open_again(file, type);
}

static hid_t list(void)
{
    return CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
}

static void check_is_possible(opened o, bool is_possible)
{
    CHECK((o.direct != NULL) == is_possible);
    close_all(&o);
}

static void datasets_of_other_shapes_and_layouts_are_libhdf5s(void)
{
    const hsize_t extent[] = {10, 2};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    hid_t dcpl = list();

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    check_is_possible(open_new(H5T_NATIVE_INT32, 1, extent, list()), true);
    check_is_possible(open_new(H5T_NATIVE_INT32, 2, extent, list()), false);
    check_is_possible(open_new(H5T_NATIVE_INT32, 0, extent, list()), false);
    check_is_possible(open_new(H5T_NATIVE_INT32, 0, NULL, list()), false);
    check_is_possible(open_new(text, 1, extent, list()), false);
    check_is_possible(open_new(H5T_STD_REF_OBJ, 1, extent, list()), false);
    CHECK_H5(H5Pset_layout(dcpl, H5D_COMPACT));
    check_is_possible(open_new(H5T_NATIVE_INT32, 1, extent, dcpl), false);
    dcpl = list();
    CHECK_H5(H5Pset_external(dcpl, check_path("other"), 0, 40));
    check_is_possible(open_new(H5T_NATIVE_INT32, 1, extent, dcpl), false);
    dcpl = chunks_of(5);
    CHECK_H5(H5Pset_filter(dcpl, 700, H5Z_FLAG_OPTIONAL, 0, NULL));
    check_is_possible(open_new(H5T_NATIVE_INT32, 1, extent, dcpl), false);
    CHECK_H5(H5Tclose(text));
}

/* Without storage libhdf5 fails to read what has no fill value, unless it never fills. */
static void rows_without_a_fill_value_are_libhdf5s_to_refuse(void)
{
    static const struct {
        H5D_fill_time_t time;
        H5D_alloc_time_t allocation;
        bool is_possible;
    } cases[] = {{H5D_FILL_TIME_IFSET, H5D_ALLOC_TIME_LATE, false},
                 {H5D_FILL_TIME_IFSET, H5D_ALLOC_TIME_EARLY, true},
                 {H5D_FILL_TIME_NEVER, H5D_ALLOC_TIME_LATE, true},
                 {H5D_FILL_TIME_NEVER, H5D_ALLOC_TIME_EARLY, true}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hid_t dcpl = list();
        CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, NULL));
        CHECK_H5(H5Pset_fill_time(dcpl, cases[i].time));
        CHECK_H5(H5Pset_alloc_time(dcpl, cases[i].allocation));
        check_is_possible(open_new(H5T_NATIVE_INT32, 1, &(hsize_t){10}, dcpl),
                          cases[i].is_possible);
    }
}

/* libhdf5 would make a chunk of each to read a row. */
static void large_chunks_of_which_none_is_there_are_filled_a_part_at_a_time(void)
{
    static const hsize_t most = (hsize_t)16 << 20; /* 64 MiB */
    static int32_t rows[70000];

    for (int has_one = 0; has_one < 2; has_one++) {
        for (hsize_t n = most; n <= most + 1; n++) {
            hid_t dcpl = chunks_of(n);
            CHECK_H5(H5Pset_deflate(dcpl, 1));
            CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-7}));
            const hid_t file =
                CHECK_H5(H5Fcreate(check_path("rows.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
            const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){2 * most + 2}, NULL));
            const hid_t dataset = CHECK_H5(
                H5Dcreate2(file, "d", H5T_NATIVE_INT32, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
            if (has_one) {
                CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){0}, 4, "none"));
            }
            CHECK_H5(H5Dclose(dataset));
            CHECK_H5(H5Sclose(space));
            CHECK_H5(H5Pclose(dcpl));
            opened o = open_again(file, H5T_NATIVE_INT32);
            CHECK((o.direct != NULL) == (!has_one || n == most));
            if (o.direct != NULL) {
                CHECK_U64(stoa_direct_chunk_rows(o.direct), n == most ? most : 65536);
                CHECK(stoa_direct_is_packed(o.direct) == (n == most));
            }
            if (o.direct != NULL && !has_one && n > most) {
                CHECK_OK(stoa_direct_read(o.direct, 5, 70000, &o.scratch, rows, NULL));
                CHECK(rows[0] == -7 && rows[69999] == -7);
            }
            close_all(&o);
        }
    }
}

/* Those of a filter that libhdf5 lacks, which nobody else would unpack: Blosc2 here. */
static void large_chunks_of_a_lacking_filter_are_unpacked(void)
{
    static const hsize_t rows[] = {(16 << 20) + 1, (1 << 29) - 1, (1 << 29) + 1};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const hid_t dcpl = chunks_of(rows[i]);
        CHECK_H5(H5Pset_filter(dcpl, STOA_FILTER_BLOSC2, H5Z_FLAG_OPTIONAL, 0, NULL));
        const hid_t file =
            CHECK_H5(H5Fcreate(check_path("rows.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t space = CHECK_H5(H5Screate_simple(1, &rows[i], NULL));
        const hid_t dataset = CHECK_H5(
            H5Dcreate2(file, "d", H5T_NATIVE_INT32, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &(hsize_t){0}, 4, "none"));
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(dcpl));
        opened o = open_again(file, H5T_NATIVE_INT32);
        CHECK((o.direct != NULL) == (i < 2));
        close_all(&o);
    }
}

/* Chunks that pass no filter by their mask are as long as their rows. */
static void unfiltered_chunks_of_another_length_are_damage(void)
{
    static uint8_t bytes[4 * CHUNK + 1];

    for (size_t n = 4 * CHUNK - 1; n <= 4 * CHUNK + 1; n++) {
        stoa_direct *direct = NULL;
        stoa_read_context *read_context = NULL;
        stoa_error err = STOA_ERROR_INIT;
        const hid_t file = make(H5T_STD_I32LE, N, deflated(), NULL);
        hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, 1, &(hsize_t){2 * CHUNK}, n, bytes));
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
        const hid_t again = CHECK_H5(H5Fopen(check_path("rows.h5"), H5F_ACC_RDONLY, H5P_DEFAULT));
        dataset = CHECK_H5(H5Dopen2(again, "d", H5P_DEFAULT));
        CHECK_OK(stoa_read_context_open(&read_context, NULL));
        const stoa_status status =
            stoa_direct_open(read_context, dataset, H5T_NATIVE_INT32, &direct, &err);
        CHECK_STATUS(n == 4 * CHUNK ? STOA_OK : STOA_EDATA, status, &err);
        if (n != 4 * CHUNK) {
            CHECK_CONTAINS(err.message, "chunk 2 is shorter than its rows");
            CHECK(direct == NULL);
        }
        stoa_direct_close(direct);
        stoa_read_context_close(read_context);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(again));
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static hid_t swept;

static stoa_status read_all_ways(stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_read_context *read_context = NULL;
    stoa_direct *direct = NULL;
    stoa_scratch scratch = {.blocks = {NULL}};
    int32_t rows[CHUNK] = {0};
    uint8_t bits[CHUNK / 8] = {9};
    const uint8_t many[CHUNK / 8] = {0xff, 0xff, 0xff};
    bool found = false;

    STOA_TRY(stoa_read_context_open(&read_context, err));
    STOA_TRY(stoa_direct_open(read_context, swept, H5T_NATIVE_INT32, &direct, err));
    STOA_TRY(stoa_direct_choose(direct, 0, CHUNK, many, 24, &scratch, rows, &found, err));
    CHECK(!found || rows[23] == value(23));
    STOA_TRY(stoa_direct_read(direct, 5, 3, &scratch, rows, err));
    CHECK_I64(rows[2], value(7));
    STOA_TRY(stoa_direct_read(direct, 5, CHUNK, &scratch, rows, err));
    CHECK_I64(rows[CHUNK - 1], value(CHUNK + 4));
    STOA_TRY(stoa_direct_look_up(direct, 5, 300, &scratch, rows, err));
    CHECK_I64(rows[299], value(304));
    STOA_TRY(stoa_direct_read_again(direct, 5, 300, &scratch, rows, err));
    CHECK_I64(rows[299], value(304));
    STOA_TRY(stoa_direct_choose(direct, 0, CHUNK, bits, 2, &scratch, rows, &found, err));
    CHECK(!found || (rows[0] == value(0) && rows[1] == value(3)));

done:
    stoa_direct_close(direct);
    stoa_scratch_clear(&scratch);
    stoa_read_context_close(read_context);
    return status;
}

static void memory_may_run_out(void)
{
    for (int i = 0; i < 3; i++) {
        opened o = open_again(make(H5T_STD_I32LE, N,
                                   i == 0   ? chunks_of(CHUNK)
                                   : i == 1 ? deflated()
                                            : bits_alone(CHUNK),
                                   NULL),
                              H5T_NATIVE_INT32);
        swept = o.dataset;
        CHECK(sweep_memory_throughout(read_all_ways) >= 5);
        close_all(&o);
    }
}

TEST_MAIN(TEST(rows_that_lie_as_they_are_take_no_other_bytes),
          TEST(neighbouring_chunks_are_one_request), TEST(a_request_is_of_a_bounded_length),
          TEST(rows_that_are_looked_up_come_with_their_cell),
          TEST(cells_are_as_large_as_fits_into_two_kib),
          TEST(an_unpacked_chunk_is_read_once_where_it_is_kept),
          TEST(a_chunk_with_a_checksum_is_kept_as_others_are),
          TEST(a_scratch_goes_on_in_the_chunk_of_its_own_dataset),
          TEST(few_rows_of_a_chunk_are_picked_out_of_its_bits),
          TEST(the_head_of_a_chunk_is_read_once),
          TEST(rows_are_chosen_within_one_chunk_of_bits_alone),
          TEST(many_rows_of_a_long_chunk_are_chosen_in_order),
          TEST(damaged_bits_are_told_of_by_every_way),
          TEST(chunks_are_announced_with_their_neighbours),
          TEST(chunks_far_from_each_other_are_announced_apart),
          TEST(what_was_never_written_is_at_hand), TEST(elements_are_as_stored_or_turned_round),
          TEST(nothing_is_asked_for_a_way_that_is_turned_off),
          TEST(datasets_of_other_shapes_and_layouts_are_libhdf5s),
          TEST(rows_without_a_fill_value_are_libhdf5s_to_refuse),
          TEST(large_chunks_of_which_none_is_there_are_filled_a_part_at_a_time),
          TEST(large_chunks_of_a_lacking_filter_are_unpacked),
          TEST(unfiltered_chunks_of_another_length_are_damage), TEST(memory_may_run_out))
