/*
 * Programs that know nothing of sparse arrays, under the connector: whatever they write, read, grow
 * and cut in whatever selections and datatypes, it is as with a dense array and a mask of what was
 * written, for src/sparse/connector/connector*.c (sparse fact sheet §4, §11, 1 to 4, 8).
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sparse/connector/connector.h"
#include "sparse/connector/connector_parts.h"
#include "sparse/direct_chunk.h"
#include "sparse/format/filter.h"
#include "sparse/store/connector_op.h"
#include "support/check.h"
#include "support/sweep.h"

enum { MAX_RANK = 4, UNTOUCHED = 77 };

/* --- files ----------------------------------------------------------------------------------- */

static hid_t connected_list(void)
{
    stoa_error err = STOA_ERROR_INIT;
    hid_t connector = H5I_INVALID_HID;
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    stoa_connector_info info = {.below = H5VL_NATIVE};

    CHECK_OK(stoa_connector_register(&connector, &err), &err);
    CHECK_H5(H5Pset_vol(fapl, connector, check_random_below(2) == 0 ? NULL : &info));
    if (check_random_below(2) == 0) { /* for other indexes of chunks */
        CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    }
    CHECK_H5(H5VLclose(connector));
    return fapl;
}

static hid_t make_file(const char *name)
{
    const hid_t fapl = connected_list();
    const hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));

    CHECK_H5(H5Pclose(fapl));
    return file;
}

static hid_t open_file(const char *name, unsigned flags)
{
    const hid_t fapl = connected_list();
    const hid_t file = CHECK_H5(H5Fopen(name, flags, fapl));

    CHECK_H5(H5Pclose(fapl));
    return file;
}

static hid_t sparse_list(int rank, const hsize_t *chunk)
{
    const stoa_sparse_format format = {.is_sparse = true};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_chunk(dcpl, rank, chunk));
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, &err), &err);
    return dcpl;
}

static hid_t make_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *extent,
                          hid_t dcpl)
{
    hsize_t most[MAX_RANK];

    for (int i = 0; i < rank; i++) {
        most[i] = rank == 1 || check_random_below(2) == 0 ? H5S_UNLIMITED : extent[i] + 40;
    }
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, most));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    return dataset;
}

/* --- the model ------------------------------------------------------------------------------- */

typedef struct model {
    int rank;
    hsize_t extent[MAX_RANK], chunk[MAX_RANK];
    size_t n;
    int *values;
    uint8_t *defined;
    int fill;
    bool leaves_garbage; /* natively, what was never written is anything */
} model;

static size_t volume(int rank, const hsize_t *extent)
{
    size_t n = 1;

    for (int i = 0; i < rank; i++) {
        n *= extent[i];
    }
    return n;
}

static void coordinates(int rank, const hsize_t *extent, size_t element, hsize_t *at)
{
    for (int i = rank; i-- > 0;) {
        at[i] = element % extent[i];
        element /= extent[i];
    }
}

static size_t number_of(int rank, const hsize_t *extent, const hsize_t *at)
{
    size_t n = 0;

    for (int i = 0; i < rank; i++) {
        n = n * extent[i] + at[i];
    }
    return n;
}

static void resize(model *m, const hsize_t *extent)
{
    const size_t n = volume(m->rank, extent);
    int *values = malloc((n + 1) * sizeof *values);
    uint8_t *defined = calloc(n + 1, 1);

    for (size_t i = 0; i < n; i++) {
        hsize_t at[MAX_RANK];
        bool is_old = m->values != NULL;
        coordinates(m->rank, extent, i, at);
        for (int k = 0; k < m->rank; k++) {
            is_old = is_old && at[k] < m->extent[k];
        }
        const size_t old = is_old ? number_of(m->rank, m->extent, at) : 0;
        values[i] = is_old ? m->values[old] : m->fill;
        defined[i] = is_old ? m->defined[old] : 0;
    }
    free(m->values);
    free(m->defined);
    m->values = values;
    m->defined = defined;
    m->n = n;
    memcpy(m->extent, extent, (size_t)m->rank * sizeof *extent);
}

/* --- selections, and what they select by our own counting ------------------------------------ */

typedef struct selection {
    hid_t space; /* may be H5S_ALL, H5S_BLOCK */
    size_t n;
    size_t *elements; /* in its order */
} selection;

static void clear(selection *s)
{
    if (s->space != H5S_ALL && s->space != H5S_BLOCK) {
        CHECK_H5(H5Sclose(s->space));
    }
    free(s->elements);
}

static void select_points(selection *s, int rank, const hsize_t *extent, size_t n)
{
    hsize_t *points = malloc((n + 1) * (size_t)rank * sizeof *points);

    s->n = n;
    for (size_t i = 0; i < n; i++) {
        s->elements[i] = check_random_below(volume(rank, extent));
        coordinates(rank, extent, s->elements[i], points + i * (size_t)rank);
    }
    CHECK_H5(H5Sselect_elements(s->space, H5S_SELECT_SET, n, points));
    free(points);
}

/* A hyperslab into a mask of all elements. */
static void add_slab(selection *s, int rank, const hsize_t *extent, bool is_first, uint8_t *mask)
{
    hsize_t start[MAX_RANK], stride[MAX_RANK], count[MAX_RANK], block[MAX_RANK];

    for (int i = 0; i < rank; i++) {
        start[i] = check_random_below(extent[i]);
        block[i] = 1 + check_random_below(2);
        stride[i] = block[i] + check_random_below(3);
        if (start[i] + block[i] > extent[i]) {
            block[i] = 1;
        }
        /* libhdf5 1.14 counts {0} | {0, 3} as two elements and finds the first of them twice. */
        count[i] = is_first
                       ? 1 + check_random_below((extent[i] - start[i] - block[i]) / stride[i] + 1)
                       : 1;
    }
    CHECK_H5(H5Sselect_hyperslab(s->space, is_first ? H5S_SELECT_SET : H5S_SELECT_OR, start, stride,
                                 count, block));
    for (size_t e = 0; e < volume(rank, extent); e++) {
        hsize_t at[MAX_RANK];
        bool is_in = true;
        coordinates(rank, extent, e, at);
        for (int i = 0; i < rank; i++) {
            const hsize_t off = at[i] - start[i];
            is_in = is_in && at[i] >= start[i] && off / stride[i] < count[i] &&
                    off % stride[i] < block[i];
        }
        mask[e] |= is_in;
    }
}

static void select_slabs(selection *s, int rank, const hsize_t *extent)
{
    uint8_t *mask = calloc(volume(rank, extent), 1);
    const uint64_t n = 1 + check_random_below(3);

    for (uint64_t i = 0; i < n; i++) {
        add_slab(s, rank, extent, i == 0, mask);
    }
    for (size_t e = 0; e < volume(rank, extent); e++) {
        if (mask[e] != 0) {
            s->elements[s->n++] = e;
        }
    }
    free(mask);
}

/* A selection made one row too far up, and moved by its offset. */
static void select_by_offset(selection *s, int rank, const hsize_t *extent)
{
    hsize_t start[MAX_RANK] = {0};
    hsize_t count[MAX_RANK];
    hssize_t offset[MAX_RANK] = {0};

    for (int i = 0; i < rank; i++) {
        count[i] = extent[i];
    }
    count[0] = extent[0] - 1;
    offset[0] = 1;
    CHECK_H5(H5Sselect_hyperslab(s->space, H5S_SELECT_SET, start, NULL, count, NULL));
    CHECK_H5(H5Soffset_simple(s->space, offset));
    for (size_t e = volume(rank, extent) / extent[0]; e < volume(rank, extent); e++) {
        s->elements[s->n++] = e;
    }
}

static selection any_selection(int rank, const hsize_t *extent)
{
    const size_t n = volume(rank, extent);
    selection s = {.space = CHECK_H5(H5Screate_simple(rank, extent, NULL)),
                   .elements = malloc((2 * n + 8) * sizeof(size_t))};
    const uint64_t kind = check_random_below(n == 0 ? 2 : 8);

    switch (kind) {
    case 0:
    case 1:
        for (s.n = 0; s.n < n; s.n++) {
            s.elements[s.n] = s.n;
        }
        if (kind == 0) {
            CHECK_H5(H5Sclose(s.space));
            s.space = H5S_ALL;
        }
        break;
    case 2:
        CHECK_H5(H5Sselect_none(s.space));
        break;
    case 3:
    case 4:
        select_points(&s, rank, extent, 1 + check_random_below(n + 3));
        break;
    case 5:
        if (extent[0] > 1) {
            select_by_offset(&s, rank, extent);
            break;
        }
        /* fall through */
    default:
        select_slabs(&s, rank, extent);
        break;
    }
    return s;
}

/* Room for `n` elements in memory, somewhere in a buffer of *size. */
static selection any_room(size_t n, size_t *size)
{
    selection s = {.n = n, .elements = malloc((n + 1) * sizeof(size_t))};
    const hsize_t line = n;
    const hsize_t plane[2] = {2 * n + 1, 3};
    const hsize_t start[2] = {1, 2};
    const hsize_t stride[2] = {2, 1};
    const hsize_t count[2] = {n, 1};

    *size = n;
    for (size_t i = 0; i < n; i++) {
        s.elements[i] = i;
    }
    switch (check_random_below(4)) {
    case 0:
        s.space = H5S_BLOCK;
        break;
    case 1: /* every other row, its last column */
        s.space = CHECK_H5(H5Screate_simple(2, plane, NULL));
        if (n == 0) {
            CHECK_H5(H5Sselect_none(s.space));
        } else {
            CHECK_H5(H5Sselect_hyperslab(s.space, H5S_SELECT_SET, start, stride, count, NULL));
        }
        *size = (2 * n + 1) * 3;
        for (size_t i = 0; i < n; i++) {
            s.elements[i] = (1 + 2 * i) * 3 + 2;
        }
        break;
    case 2: /* backwards */
        s.space = CHECK_H5(H5Screate_simple(1, &line, NULL));
        if (n > 0) {
            hsize_t *points = malloc(n * sizeof *points);
            for (size_t i = 0; i < n; i++) {
                s.elements[i] = n - 1 - i;
                points[i] = s.elements[i];
            }
            CHECK_H5(H5Sselect_elements(s.space, H5S_SELECT_SET, n, points));
            free(points);
        }
        break;
    default:
        s.space =
            n == 1 ? CHECK_H5(H5Screate(H5S_SCALAR)) : CHECK_H5(H5Screate_simple(1, &line, NULL));
        break;
    }
    return s;
}

/* In memory as in the file, or H5S_ALL, which means the same. */
static selection same_room(const selection *file, const model *m, size_t *size)
{
    selection s = {
        .space = H5S_ALL, .n = file->n, .elements = malloc((file->n + 1) * sizeof(size_t))};

    memcpy(s.elements, file->elements, file->n * sizeof(size_t));
    *size = m->n;
    return s;
}

/* --- datatypes in memory ---------------------------------------------------------------------- */

enum { N_MEMORY_TYPES = 4 };

static hid_t memory_type(int which)
{
    const hid_t types[N_MEMORY_TYPES] = {H5T_NATIVE_INT, H5T_NATIVE_SHORT, H5T_NATIVE_DOUBLE,
                                         H5T_STD_I64BE};
    return types[which];
}

static void to_memory(int which, int value, uint8_t *at)
{
    const short as_short = (short)value;
    const double as_double = value;

    switch (which) {
    case 0:
        memcpy(at, &value, sizeof value);
        break;
    case 1:
        memcpy(at, &as_short, sizeof as_short);
        break;
    case 2:
        memcpy(at, &as_double, sizeof as_double);
        break;
    default:
        for (int i = 0; i < 8; i++) {
            at[i] = (uint8_t)((uint64_t)(int64_t)value >> (56 - 8 * i));
        }
        break;
    }
}

/* Elements as they are in memory, all of them `value`. */
static uint8_t *memory_of(int which, size_t n, int value)
{
    uint8_t *made = malloc((n + 1) * 8);

    for (size_t i = 0; i < n; i++) {
        to_memory(which, value, made + i * H5Tget_size(memory_type(which)));
    }
    return made;
}

/* --- what is done, here and there ------------------------------------------------------------- */

typedef struct subject {
    const char *name;
    hid_t file;
    hid_t dataset;
    hid_t other; /* another handle on it, or H5I_INVALID_HID */
    model m;
} subject;

static hid_t either(const subject *s)
{
    return s->other >= 0 && check_random_below(2) == 0 ? s->other : s->dataset;
}

static void write_some(subject *s)
{
    const int which = (int)check_random_below(N_MEMORY_TYPES);
    const size_t size = H5Tget_size(memory_type(which));
    selection file = any_selection(s->m.rank, s->m.extent);
    size_t n = 0;
    selection memory =
        check_random_below(5) == 0 ? same_room(&file, &s->m, &n) : any_room(file.n, &n);
    uint8_t *buf = memory_of(which, n, 0);
    int *given = calloc(n + 1, sizeof *given);

    for (size_t i = 0; i < n; i++) {
        given[i] = check_random_below(4) == 0 ? s->m.fill : (int)check_random_below(120);
        to_memory(which, given[i], buf + i * size);
    }
    CHECK_H5(H5Dwrite(either(s), memory_type(which), memory.space, file.space, H5P_DEFAULT, buf));
    for (size_t i = 0; i < file.n; i++) {
        s->m.values[file.elements[i]] = given[memory.elements[i]];
        s->m.defined[file.elements[i]] = 1;
    }
    free(given);
    free(buf);
    clear(&file);
    clear(&memory);
}

static void read_some(subject *s)
{
    const int which = (int)check_random_below(N_MEMORY_TYPES);
    const size_t size = H5Tget_size(memory_type(which));
    selection file = any_selection(s->m.rank, s->m.extent);
    size_t n = 0;
    selection memory =
        check_random_below(5) == 0 ? same_room(&file, &s->m, &n) : any_room(file.n, &n);
    uint8_t *expected = memory_of(which, n, UNTOUCHED);
    uint8_t *found = memory_of(which, n, UNTOUCHED);

    for (size_t i = 0; i < file.n; i++) {
        to_memory(which, s->m.values[file.elements[i]], expected + memory.elements[i] * size);
    }
    CHECK_H5(H5Dread(either(s), memory_type(which), memory.space, file.space, H5P_DEFAULT, found));
    CHECK_MEM(found, expected, n * size);
    free(found);
    free(expected);
    clear(&file);
    clear(&memory);
}

/* What is defined, by what the connector hands out. */
static void mask_is_right(const subject *s)
{
    const size_t row = s->m.n > 0 ? s->m.extent[s->m.rank - 1] : 0;
    stoa_connected connected;
    uint8_t defined[64];
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_connected_dataset(s->dataset, &connected, &err), &err);
    CHECK(connected.store != NULL);
    for (size_t e = 0; row > 0 && e < s->m.n; e += row) {
        hsize_t at[MAX_RANK];
        uint64_t from[MAX_RANK];
        coordinates(s->m.rank, s->m.extent, e, at);
        for (int i = 0; i < s->m.rank; i++) {
            from[i] = at[i];
        }
        CHECK_OK(stoa_store_read(connected.store, from, row, NULL, defined, NULL, &err), &err);
        CHECK_MEM(defined, s->m.defined + e, row);
    }
}

static void is_right(const subject *s)
{
    int *found = malloc((s->m.n + 1) * sizeof *found);

    CHECK_H5(H5Dread(s->dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, s->m.values, s->m.n * sizeof *found);
    free(found);
    mask_is_right(s);
}

static void erase_some(subject *s)
{
    stoa_connected connected;
    stoa_error err = STOA_ERROR_INIT;

    if (s->m.n == 0) {
        return;
    }
    CHECK_OK(stoa_connected_dataset(either(s), &connected, &err), &err);
    for (uint64_t k = check_random_below(5); k > 0; k--) {
        const size_t e = check_random_below(s->m.n);
        hsize_t at[MAX_RANK];
        uint64_t from[MAX_RANK];
        coordinates(s->m.rank, s->m.extent, e, at);
        for (int i = 0; i < s->m.rank; i++) {
            from[i] = at[i];
        }
        CHECK_OK(stoa_store_erase(connected.store, from, 1, &err), &err);
        s->m.values[e] = s->m.fill;
        s->m.defined[e] = 0;
    }
}

/* A chunk by the direct calls holds the elements of the model, and is written back. */
static void rewrite_chunk(subject *s)
{
    unsigned numbers[4096];
    unsigned found[4096];
    uint8_t is_in[4096] = {0};
    hsize_t offset[MAX_RANK];
    hid_t space = H5I_INVALID_HID;
    size_t n = 0;

    if (s->m.n == 0 || s->m.n > 4096) {
        return;
    }
    coordinates(s->m.rank, s->m.extent, check_random_below(s->m.n), offset);
    for (int i = 0; i < s->m.rank; i++) {
        offset[i] -= offset[i] % s->m.chunk[i];
    }
    direct_chunk_rewrite(either(s), offset, &space);
    if (space >= 0) {
        for (unsigned i = 0; i < s->m.n; i++) {
            numbers[i] = i;
        }
        n = (size_t)CHECK_H5(H5Sget_select_npoints(space));
        CHECK(n > 0 && n <= s->m.n);
        CHECK_H5(H5Dgather(space, numbers, H5T_NATIVE_UINT, n * sizeof *found, found, NULL, NULL));
        CHECK_H5(H5Sclose(space));
    }
    for (size_t i = 0; i < n; i++) {
        is_in[found[i]] = 1;
    }
    for (size_t e = 0; e < s->m.n; e++) {
        hsize_t at[MAX_RANK];
        bool is_of_chunk = true;
        coordinates(s->m.rank, s->m.extent, e, at);
        for (int i = 0; i < s->m.rank; i++) {
            is_of_chunk = is_of_chunk && at[i] / s->m.chunk[i] == offset[i] / s->m.chunk[i];
        }
        CHECK_U64(is_in[e], is_of_chunk && s->m.defined[e]);
    }
}

static void change_extent(subject *s)
{
    hsize_t extent[MAX_RANK];

    for (int i = 0; i < s->m.rank; i++) {
        extent[i] = check_random_below(9 - (uint64_t)s->m.rank);
    }
    CHECK_H5(H5Dset_extent(either(s), extent));
    resize(&s->m, extent);
}

static void close_handles(subject *s)
{
    if (s->other >= 0 && check_random_below(2) == 0) {
        CHECK_H5(H5Dclose(s->other));
        s->other = H5I_INVALID_HID;
    }
    CHECK_H5(H5Dclose(s->dataset));
    if (s->other >= 0) {
        CHECK_H5(H5Dclose(s->other));
        s->other = H5I_INVALID_HID;
    }
}

/* Without the connector the filter shows the same values. */
static void is_right_natively(const subject *s)
{
    int *found = malloc((s->m.n + 1) * sizeof *found);
    const hid_t file = CHECK_H5(H5Fopen(s->name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    if (!s->m.leaves_garbage) {
        CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_MEM(found, s->m.values, s->m.n * sizeof *found);
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    free(found);
}

static void reopen(subject *s, bool reopens_file)
{
    if (reopens_file && check_random_below(2) == 0) { /* the file first */
        CHECK_H5(H5Fclose(s->file));
        close_handles(s);
        is_right_natively(s);
        s->file = open_file(s->name, H5F_ACC_RDWR);
    } else if (reopens_file) {
        close_handles(s);
        CHECK_H5(H5Fclose(s->file));
        is_right_natively(s);
        s->file = open_file(s->name, H5F_ACC_RDWR);
    } else {
        close_handles(s);
    }
    s->dataset = CHECK_H5(H5Dopen2(s->file, "d", H5P_DEFAULT));
}

static void do_something(subject *s)
{
    switch (check_random_below(17)) {
    case 0:
        CHECK_H5(H5Dflush(either(s)));
        break;
    case 1:
        CHECK_H5(H5Fflush(s->file, H5F_SCOPE_LOCAL));
        break;
    case 2:
        change_extent(s);
        break;
    case 3:
        reopen(s, check_random_below(2) == 0);
        break;
    case 4:
        if (s->other < 0) {
            s->other = CHECK_H5(H5Oopen(s->file, "/d", H5P_DEFAULT));
        }
        break;
    case 5:
        erase_some(s);
        break;
    case 6:
        is_right(s);
        break;
    case 7:
        CHECK_H5(H5Drefresh(either(s)));
        break;
    case 8:
        rewrite_chunk(s);
        break;
    case 9:
    case 10:
    case 11:
        read_some(s);
        break;
    default:
        write_some(s);
        break;
    }
}

static void any_fill(hid_t dcpl, model *m)
{
    const int fill = 1 + (int)check_random_below(100);

    switch (check_random_below(4)) {
    case 0:
        break;
    case 1:
        CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, NULL));
        CHECK_H5(H5Pset_fill_time(dcpl, H5D_FILL_TIME_IFSET));
        m->leaves_garbage = true;
        break;
    default:
        m->fill = fill;
        CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
        break;
    }
    if (check_random_below(4) == 0 && !m->leaves_garbage) {
        CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    }
}

static subject any_subject(const char *name)
{
    const hid_t types[] = {H5T_STD_I32LE, H5T_STD_I16BE, H5T_IEEE_F64LE, H5T_STD_U8LE};
    subject s = {.name = name, .file = make_file(name), .other = H5I_INVALID_HID};
    hsize_t extent[MAX_RANK];

    s.m.rank = 1 + (int)check_random_below(MAX_RANK);
    for (int i = 0; i < s.m.rank; i++) {
        s.m.chunk[i] = 1 + check_random_below(4);
        extent[i] = check_random_below(10 - (uint64_t)s.m.rank);
    }
    const hid_t dcpl = sparse_list(s.m.rank, s.m.chunk);
    any_fill(dcpl, &s.m);
    if (check_random_below(3) == 0) { /* for each section, as the RFC has it */
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    }
    resize(&s.m, extent);
    s.dataset = make_dataset(s.file, "d", types[check_random_below(4)], s.m.rank, extent, dcpl);
    CHECK_H5(H5Pclose(dcpl));
    return s;
}

static void whatever_is_done_is_as_with_an_array_and_a_mask(void)
{
    for (uint64_t n = check_n_cases(400); n > 0; n--) {
        subject s = any_subject(check_path("any.h5"));

        for (uint64_t k = 4 + check_random_below(16); k > 0; k--) {
            do_something(&s);
        }
        is_right(&s);
        reopen(&s, true);
        is_right(&s);
        close_handles(&s);
        CHECK_H5(H5Fclose(s.file));
        free(s.m.values);
        free(s.m.defined);
    }
}

/* --- one thing at a time ---------------------------------------------------------------------- */

static const hsize_t TEN = 10;
static const hsize_t FOUR = 4;

static hid_t ten_ints(hid_t file, const char *name)
{
    const hid_t dcpl = sparse_list(1, &FOUR);
    const hid_t dataset = make_dataset(file, name, H5T_STD_I32LE, 1, &TEN, dcpl);

    CHECK_H5(H5Pclose(dcpl));
    return dataset;
}

static void write_one(hid_t dataset, hsize_t at, int value)
{
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_BLOCK, space, H5P_DEFAULT, &value));
    CHECK_H5(H5Sclose(space));
}

static void holds(hid_t dataset, const int *expected)
{
    int found[10];

    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, expected, sizeof found);
}

static void a_member_written_alone_leaves_the_others(void)
{
    typedef struct both {
        int a;
        short b;
    } both;
    const hid_t file = make_file(check_path("members.h5"));
    const hid_t stored = CHECK_H5(H5Tcreate(H5T_COMPOUND, 6));
    const hid_t memory = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(both)));
    const hid_t alone = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(short)));
    const hid_t dcpl = sparse_list(1, &FOUR);
    both values[10] = {{0}};
    short b[10];

    CHECK_H5(H5Tinsert(stored, "a", 0, H5T_STD_I32BE));
    CHECK_H5(H5Tinsert(stored, "b", 4, H5T_STD_I16LE));
    CHECK_H5(H5Tinsert(memory, "a", HOFFSET(both, a), H5T_NATIVE_INT));
    CHECK_H5(H5Tinsert(memory, "b", HOFFSET(both, b), H5T_NATIVE_SHORT));
    CHECK_H5(H5Tinsert(alone, "b", 0, H5T_NATIVE_SHORT));
    const hid_t dataset = make_dataset(file, "d", stored, 1, &TEN, dcpl);
    for (int i = 0; i < 10; i++) {
        values[i] = (both){.a = 100 + i, .b = (short)i};
        b[i] = (short)(-i);
    }
    CHECK_H5(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dwrite(dataset, alone, H5S_ALL, H5S_ALL, H5P_DEFAULT, b));
    for (int i = 0; i < 10; i++) {
        values[i] = (both){.a = -1, .b = -1};
    }
    CHECK_H5(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (int i = 0; i < 10; i++) {
        CHECK_I64(values[i].a, 100 + i);
        CHECK_I64(values[i].b, -i);
        values[i] = (both){.a = 5, .b = 5};
    }
    CHECK_H5(H5Tclose(memory)); /* a subset on the way back: what is not asked for stays */
    const hid_t subset = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(both)));
    CHECK_H5(H5Tinsert(subset, "b", HOFFSET(both, b), H5T_NATIVE_SHORT));
    CHECK_H5(H5Dread(dataset, subset, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    for (int i = 0; i < 10; i++) {
        CHECK_I64(values[i].a, 5);
        CHECK_I64(values[i].b, -i);
    }
    CHECK_H5(H5Tclose(subset));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(alone));
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Fclose(file));
}

/* --- scattered elements ---------------------------------------------------------------------- */

enum { SIDE = 512, N_SCATTERED = 40000 };

/* As many points in no order, some twice, moved by an offset; or every other element of some rows
 * and columns, which no regular hyperslab is. The elements in the order in which they are written,
 * fresh. */
static size_t *scatter(hid_t space, bool by_points, size_t *n)
{
    size_t *elements = malloc((size_t)SIDE * SIDE * sizeof *elements);

    *n = 0;
    if (by_points) {
        hsize_t *points = malloc((size_t)N_SCATTERED * 2 * sizeof *points);
        const hsize_t by[2] = {check_random_below(3), check_random_below(SIDE / 2)};
        const hssize_t offset[2] = {-(hssize_t)by[0], -(hssize_t)by[1]};
        for (*n = 0; *n < N_SCATTERED; ++*n) {
            elements[*n] = check_random_below((uint64_t)SIDE * SIDE);
            points[2 * *n] = elements[*n] / SIDE + by[0];
            points[2 * *n + 1] = elements[*n] % SIDE + by[1];
        }
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, *n, points));
        CHECK_H5(H5Soffset_simple(space, offset));
        free(points);
        return elements;
    }
    for (hsize_t row = 0; row < SIDE; row += 2 + row % 3) {
        const hsize_t start[2] = {row, row % 5};
        const hsize_t stride[2] = {1, 3 + row % 2};
        const hsize_t count[2] = {1, 100};
        CHECK_H5(H5Sselect_hyperslab(space, row == 0 ? H5S_SELECT_SET : H5S_SELECT_OR, start,
                                     stride, count, NULL));
        for (hsize_t i = 0; i < count[1]; i++) {
            elements[(*n)++] = (size_t)(row * SIDE + start[1] + i * stride[1]);
        }
    }
    CHECK(*n > 4096);
    return elements;
}

static void many_elements_here_and_there_are_written_once_each(void)
{
    const hsize_t extent[2] = {SIDE, SIDE};
    const hsize_t chunk[2] = {64, 100};
    const hid_t types[] = {H5T_NATIVE_INT, H5T_NATIVE_DOUBLE};

    for (unsigned round = 0; round < 4; round++) {
        const hid_t file = make_file(check_path("t.h5"));
        const hid_t dcpl = sparse_list(2, chunk);
        const hid_t dataset = make_dataset(file, "d", H5T_NATIVE_INT, 2, extent, dcpl);
        const hid_t space = CHECK_H5(H5Dget_space(dataset));
        int *expected = calloc((size_t)SIDE * SIDE, sizeof *expected);
        int *found = calloc((size_t)SIDE * SIDE, sizeof *found);
        size_t n = 0;
        size_t *elements = scatter(space, round % 2 == 0, &n);
        int *ints = malloc(n * sizeof *ints);
        double *doubles = malloc(n * sizeof *doubles);

        for (size_t i = 0; i < n; i++) {
            ints[i] = (int)i + 1;
            doubles[i] = (double)i + 1;
            expected[elements[i]] = ints[i]; /* the later of two wins */
        }
        const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){n}, NULL));
        CHECK_H5(H5Dwrite(dataset, types[round / 2], memory, space, H5P_DEFAULT,
                          round / 2 == 0 ? (const void *)ints : doubles));
        CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_MEM(found, expected, (size_t)SIDE * SIDE * sizeof *found);
        CHECK_H5(H5Sclose(memory));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
        free(elements);
        free(ints);
        free(doubles);
        free(expected);
        free(found);
    }
}

/* Half of the elements of some chunks, those of the lower half of the array since it was flushed.
 */
static int *write_half(hid_t dataset, const hsize_t *extent)
{
    const size_t n = (size_t)extent[0] * extent[1];
    int *values = calloc(n, sizeof *values);
    hsize_t *points = malloc(n * sizeof *points);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    for (size_t part = 0; part < 2; part++) {
        size_t n_points = 0;
        int *given = malloc(n * sizeof *given);
        for (size_t i = part * n / 2; i < (part + 1) * n / 2; i++) {
            if (i % extent[1] / 100 % 2 == 0 && check_random_below(2) == 0) {
                points[2 * n_points] = i / extent[1];
                points[2 * n_points + 1] = i % extent[1];
                values[i] = (int)check_random_below(1000);
                given[n_points++] = values[i];
            }
        }
        const hid_t memory = CHECK_H5(H5Screate_simple(1, &(hsize_t){n_points}, NULL));
        CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, n_points, points));
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, given));
        CHECK_H5(H5Sclose(memory));
        if (part == 0) {
            CHECK_H5(H5Dflush(dataset));
        }
        free(given);
    }
    CHECK_H5(H5Sclose(space));
    free(points);
    return values;
}

static void many_elements_here_and_there_are_read_into_any_memory(void)
{
    const hsize_t extent[2] = {SIDE, SIDE};
    const hsize_t chunk[2] = {64, 100};
    const hid_t file = make_file(check_path("t.h5"));
    const hid_t dcpl = sparse_list(2, chunk);
    const hid_t dataset = make_dataset(file, "d", H5T_NATIVE_INT, 2, extent, dcpl);
    int *expected = write_half(dataset, extent);

    for (uint64_t round = 0; round < check_n_cases(12); round++) {
        const int which = (int)check_random_below(N_MEMORY_TYPES);
        const size_t size = H5Tget_size(memory_type(which));
        const hid_t space = CHECK_H5(H5Dget_space(dataset));
        size_t n = 0;
        size_t n_room = 0;
        size_t *elements = scatter(space, round % 3 != 0, &n);
        selection memory = any_room(n, &n_room);
        uint8_t *found = memory_of(which, n_room, 7);
        uint8_t *wanted = memory_of(which, n_room, 7);

        for (size_t i = 0; i < n; i++) {
            to_memory(which, expected[elements[i]], wanted + memory.elements[i] * size);
        }
        CHECK_H5(H5Dread(dataset, memory_type(which), memory.space, space, H5P_DEFAULT, found));
        CHECK_MEM(found, wanted, n_room * size);
        clear(&memory);
        CHECK_H5(H5Sclose(space));
        free(elements);
        free(found);
        free(wanted);
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    free(expected);
}

/* n elements, beginning with `first`, from any place in memory, as int or double. */
static void write_from_anywhere(hid_t dataset, hid_t space, size_t n, int first)
{
    const bool are_doubles = check_random_below(3) == 0;
    size_t size = 0;
    selection room = any_room(n, &size);
    double *doubles = calloc(size, sizeof *doubles);
    int *ints = calloc(size, sizeof *ints);

    for (size_t i = 0; i < n; i++) {
        doubles[room.elements[i]] = first + (int)i;
        ints[room.elements[i]] = first + (int)i;
    }
    CHECK_H5(H5Dwrite(dataset, are_doubles ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, room.space, space,
                      H5P_DEFAULT, are_doubles ? (void *)doubles : (void *)ints));
    free(doubles);
    free(ints);
    clear(&room);
}

/* Lines along each dimension, some of them strided, here and there into the same chunks. */
static void lines_are_written_where_they_belong(void)
{
    enum { X = 37, Y = 41, Z = 43, N = X * Y * Z };
    const hsize_t extent[3] = {X, Y, Z};
    const hsize_t chunk[3] = {10, 41, 16};
    const hid_t file = make_file(check_path("t.h5"));
    const hid_t dcpl = sparse_list(3, chunk);
    const hid_t dataset = make_dataset(file, "d", H5T_NATIVE_INT, 3, extent, dcpl);
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    int *expected = calloc(N, sizeof *expected);
    int *found = calloc(N, sizeof *found);

    for (uint64_t round = 0; round < check_n_cases(400); round++) {
        hsize_t start[3];
        hsize_t stride[3];
        hsize_t count[3];
        hsize_t n = 1;
        for (int k = 0; k < 3; k++) {
            start[k] = check_random_below(extent[k]);
            stride[k] = 1 + check_random_below(4);
            count[k] = check_random_below(2) == 0
                           ? 1
                           : 1 + check_random_below((extent[k] - start[k] - 1) / stride[k] + 1);
            n *= count[k];
        }
        const int first = 1 + (int)(round % 1000);
        CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL));
        write_from_anywhere(dataset, space, n, first);
        for (hsize_t i = 0; i < n; i++) {
            const hsize_t x = start[0] + i / (count[1] * count[2]) * stride[0];
            const hsize_t y = start[1] + i / count[2] % count[1] * stride[1];
            const hsize_t z = start[2] + i % count[2] * stride[2];
            expected[(x * Y + y) * Z + z] = first + (int)i;
        }
        if (round % 20 == 0) {
            CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
            CHECK_MEM(found, expected, N * sizeof *found);
        }
    }
    CHECK_H5(H5Dflush(dataset));
    CHECK_H5(H5Drefresh(dataset));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, expected, N * sizeof *found);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    free(expected);
    free(found);
}

static void one_call_may_mix_sparse_and_dense_datasets_of_two_files(void)
{
    const hid_t files[2] = {make_file(check_path("one.h5")), make_file(check_path("two.h5"))};
    const hid_t space = CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    hid_t datasets[3] = {ten_ints(files[0], "sparse"),
                         CHECK_H5(H5Dcreate2(files[1], "dense", H5T_STD_I32LE, space, H5P_DEFAULT,
                                             H5P_DEFAULT, H5P_DEFAULT)),
                         ten_ints(files[1], "sparse")};
    hid_t types[3] = {H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT};
    hid_t all[3] = {H5S_ALL, H5S_ALL, H5S_ALL};
    int values[3][10];
    int found[3][10];
    const void *from[3] = {values[0], values[1], values[2]};
    void *to[3] = {found[0], found[1], found[2]};

    for (int i = 0; i < 30; i++) {
        values[i / 10][i % 10] = 3 * i + 1;
        found[i / 10][i % 10] = 0;
    }
    CHECK_H5(H5Dwrite_multi(3, datasets, types, all, all, H5P_DEFAULT, from));
    CHECK_H5(H5Dread_multi(3, datasets, types, all, all, H5P_DEFAULT, to));
    CHECK_MEM(found, values, sizeof values);
    for (int i = 0; i < 3; i++) {
        holds(datasets[i], values[i]);
        CHECK_H5(H5Dclose(datasets[i]));
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(files[0]));
    CHECK_H5(H5Fclose(files[1]));
}

static void nothing_is_lost_in_any_order_of_closing(void)
{
    const int expected[10] = {0, 0, 7, 0, 0, 0, 0, 0, 0, 0};

    for (int order = 0; order < 3; order++) {
        const char *name = check_path("order.h5");
        const hid_t fapl = connected_list();
        if (order == 2) {
            CHECK_H5(H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG));
        }
        hid_t file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
        CHECK_H5(H5Pclose(fapl));
        hid_t dataset = ten_ints(file, "d");
        write_one(dataset, 2, 7);
        if (order == 0) {
            CHECK_H5(H5Dclose(dataset));
        }
        CHECK_H5(H5Fclose(file));
        if (order == 1) {
            write_one(dataset, 2, 7);
            CHECK_H5(H5Dclose(dataset));
        }
        file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
        dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        holds(dataset, expected);
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
    }
}

static void a_program_that_ends_without_closing_loses_nothing(void)
{
    const int expected[10] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    const char *name = check_path("exit.h5");
    stoa_error err = STOA_ERROR_INIT;
    const pid_t child = fork();

    if (child == 0) {
        const hid_t file = make_file(name);
        write_one(ten_ints(file, "d"), 9, 9);
        exit(0);
    }
    int how = 0;
    CHECK(child > 0 && waitpid(child, &how, 0) == child);
    CHECK(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    const hid_t file = CHECK_H5(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    holds(dataset, expected);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static herr_t try_write(hid_t dataset)
{
    const int values[10] = {0};
    herr_t result = 0;

    H5E_BEGIN_TRY
    {
        result = H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5E_END_TRY
    return result;
}

static void a_file_open_for_reading_takes_no_writes(void)
{
    const char *name = check_path("readonly.h5");
    const int expected[10] = {0, 4};
    hid_t file = make_file(name);
    hid_t dataset = ten_ints(file, "d");

    write_one(dataset, 1, 4);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    file = open_file(name, H5F_ACC_RDONLY);
    dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK(try_write(dataset) < 0);
    holds(dataset, expected);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static int visit(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t n, void *context)
{
    (void)offset;
    (void)mask;
    (void)address;
    (void)n;
    (void)context;
    return 0;
}

static herr_t find_in_stack(unsigned n, const H5E_error2_t *error, void *wanted)
{
    (void)n;
    return error->desc != NULL && strstr(error->desc, wanted) != NULL;
}

/* Whether an error of the stack, which the failed call left, says so; the stack is empty then. */
static bool stack_says(char *text)
{
    const bool is_said = H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_in_stack, text) == 1;

    CHECK_H5(H5Eclear2(H5E_DEFAULT));
    return is_said;
}

/* h5py tells a file that is not there from one that cannot be opened by libhdf5's own words. */
static void what_fails_below_says_why(void)
{
    const char *path = check_path("a.h5");
    const hid_t fapl = connected_list();
    const hid_t file = make_file(path);
    hid_t result = 0;

    H5E_BEGIN_TRY
    {
        result = H5Fopen(check_path("none.h5"), H5F_ACC_RDWR, fapl);
        CHECK(result < 0 && stack_says((char[]){"errno = 2"}));
        result = H5Dopen2(file, "none", H5P_DEFAULT);
        CHECK(result < 0 && stack_says((char[]){"object 'none' doesn't exist"}));
        result = H5Gcreate2(file, "a/b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        CHECK(result < 0 && stack_says((char[]){"component not found"}));
    }
    H5E_END_TRY
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(fapl));
}

static void native_chunk_calls_fail_or_work_as_the_rfc_says(void)
{
    const hid_t file = make_file(check_path("chunks.h5"));
    const hid_t dataset = ten_ints(file, "d");
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const hsize_t offset = 4;
    hsize_t where = 0;
    hsize_t size = 0;
    hsize_t n = 0;
    unsigned mask = 0;
    haddr_t address = 0;
    herr_t results[4] = {0};

    write_one(dataset, 5, 6);
    CHECK_H5(H5Dget_num_chunks(dataset, H5S_ALL, &n));
    CHECK_U64(n, 1);
    CHECK_H5(H5Dget_chunk_storage_size(dataset, &offset, &size));
    CHECK(size > 0);
    CHECK_U64(CHECK_H5(H5Dget_storage_size(dataset)), size);
    H5E_BEGIN_TRY
    {
        results[0] = H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &offset, 4, "none");
        results[1] = H5Dget_chunk_info(dataset, space, 0, &where, &mask, &address, &size);
        results[2] = H5Dget_chunk_info_by_coord(dataset, &offset, &mask, &address, &size);
        results[3] = H5Dchunk_iter(dataset, H5P_DEFAULT, visit, NULL);
    }
    H5E_END_TRY
    for (int i = 0; i < 4; i++) {
        CHECK(results[i] < 0);
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void chunks_at_the_edge_are_structured_whatever_the_options_say(void)
{
    const char *path = check_path("options.h5");
    const int32_t values[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    int32_t found[10] = {0};
    const hid_t dcpl = sparse_list(1, &FOUR);
    const hid_t space = CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    hid_t file = make_file(path);
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;
    unsigned options = 1;

    CHECK_H5(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)); /* by the filter */
    CHECK_H5(dataset = H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, values, sizeof values);
    const hid_t made = CHECK_H5(H5Dget_create_plist(dataset));
    CHECK_H5(H5Pget_chunk_opts(made, &options));
    CHECK_U64(options, 0);
    CHECK_OK(stoa_sparse_format_of_list(made, &format, &err), &err);
    CHECK(format.asks_for_plain_edges);
    CHECK_H5(H5Pclose(made));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Sclose(space));
}

static void plain_filters_become_those_of_each_section(void)
{
    const hid_t file = make_file(check_path("filters.h5"));
    const hid_t list = sparse_list(1, &FOUR);
    stoa_sparse_format format;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_shuffle(list));
    CHECK_H5(H5Pset_deflate(list, 4));
    const hid_t dataset = make_dataset(file, "d", H5T_STD_I32LE, 1, &TEN, list);
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
    CHECK_I64(CHECK_H5(H5Pget_nfilters(dcpl)), 1);
    CHECK_OK(stoa_sparse_format_of_list(dcpl, &format, &err), &err);
    for (int i = 0; i < 2; i++) {
        CHECK_U64(format.sections[i].n, 2);
        CHECK_U64(format.sections[i].filters[0].id, H5Z_FILTER_SHUFFLE);
        CHECK_U64(format.sections[i].filters[1].id, H5Z_FILTER_DEFLATE);
        CHECK_U64(format.sections[i].filters[1].values[0], 4);
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(list));
    CHECK_H5(H5Fclose(file));
}

static void datasets_elsewhere_are_no_business_of_the_connector(void)
{
    stoa_connected connected;
    stoa_error err = STOA_ERROR_INIT;
    const hid_t native =
        CHECK_H5(H5Fcreate(check_path("native.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t file = make_file(check_path("dense.h5"));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    hid_t dataset = CHECK_H5(
        H5Dcreate2(file, "d", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_OK(stoa_connected_dataset(dataset, &connected, &err), &err);
    CHECK(connected.store == NULL);
    CHECK_H5(H5Dclose(dataset));
    dataset = ten_ints(native, "d");
    CHECK_STATUS(STOA_ENOTFOUND, stoa_connected_dataset(dataset, &connected, &err));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(native));
    CHECK_H5(H5Fclose(file));
}

/* What they refer to is in the file's global heap, where stock readers find it, too. */
static void strings_of_variable_length_pass_below(void)
{
    const char *name = check_path("strings.h5");
    const stoa_sparse_format format = {.is_sparse = true, .has_references = true};
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const char *words[10] = {"a", "", "stoa", "column", "walk", "x", "y", "z", "u", "v"};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    CHECK_H5(H5Pset_chunk(dcpl, 1, &FOUR));
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, &err), &err);
    for (int with = 1; with >= 0; with--) {
        char *found[10] = {NULL};
        hid_t file = with == 1 ? make_file(name) : H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
        CHECK_H5(file);
        const hid_t dataset = with == 1 ? make_dataset(file, "d", type, 1, &TEN, dcpl)
                                        : CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
        if (with == 1) {
            CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words));
        }
        CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        for (int i = 0; i < 10; i++) {
            CHECK_STR(found[i], words[i]);
        }
        const hid_t space = CHECK_H5(H5Dget_space(dataset));
        CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(dataset));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
}

static hid_t sweep_file, sweep_dcpl, sweep_space;

static herr_t use_dataset(void)
{
    const int values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    double found[10];
    const hsize_t extent = 7;
    herr_t result = -1;
    const hid_t dataset =
        H5Dcreate_anon(sweep_file, H5T_STD_I32LE, sweep_space, sweep_dcpl, H5P_DEFAULT);

    if (dataset >= 0 &&
        H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
        H5Dset_extent(dataset, &extent) >= 0) {
        result = H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
    }
    CHECK(result < 0 || (found[0] == 1.0 && found[6] == 7.0));
    if (dataset >= 0 && H5Dclose(dataset) < 0) {
        result = -1;
    }
    return result;
}

static stoa_status use_dataset_once(stoa_error *err)
{
    herr_t result = 0;

    H5E_BEGIN_TRY
    {
        result = use_dataset();
    }
    H5E_END_TRY
    return result < 0 ? stoa_fail_memory(err) : STOA_OK;
}

static void memory_that_runs_out_fails_the_call_and_no_more(void)
{
    const hsize_t most = H5S_UNLIMITED;

    sweep_file = make_file(check_path("sweep.h5"));
    sweep_dcpl = sparse_list(1, &FOUR);
    sweep_space = CHECK_H5(H5Screate_simple(1, &TEN, &most));
    CHECK(sweep_memory(use_dataset_once) > 10);
    CHECK_H5(H5Sclose(sweep_space));
    CHECK_H5(H5Pclose(sweep_dcpl));
    CHECK_H5(H5Fclose(sweep_file));
}

static void a_connector_below_that_is_no_number_is_refused(void)
{
    void *info = NULL;

    CHECK(stoa_on_info_from_str("under_vol=x", &info) < 0);
    CHECK(info == NULL);
    CHECK(stoa_on_info_from_str("under_vol=0", &info) == 0); /* the native one */
    CHECK(info != NULL && stoa_on_info_free(info) == 0);
}

static void the_connector_below_is_told_what_is_its_own(void)
{
    stoa_error err = STOA_ERROR_INIT;
    hid_t connector = H5I_INVALID_HID;
    char text[64];
    void *info = NULL;

    CHECK_OK(stoa_connector_register(&connector, &err), &err);
    for (int is_good = 0; is_good <= 1; is_good++) {
        (void)snprintf(text, sizeof text, "under_vol=%d;under_info={under_vol=%s}",
                       (int)STOA_CONNECTOR_VALUE, is_good ? "0" : "x");
        H5E_BEGIN_TRY
        {
            CHECK((stoa_on_info_from_str(text, &info) == 0) == is_good);
        }
        H5E_END_TRY
        CHECK((info != NULL) == is_good);
    }
    CHECK(((const stoa_connector_info *)info)->below_info != NULL);
    CHECK(stoa_on_info_free(info) == 0);
    CHECK_H5(H5VLclose(connector));
}

/* As HDF5_VOL_CONNECTOR takes it. */
static void information_becomes_text_and_back(void)
{
    const stoa_connector_info info = {.below = H5VL_NATIVE};
    void *back = NULL;
    char *text = NULL;
    int order = 1;

    CHECK(stoa_on_info_to_str(&info, &text) == 0);
    CHECK_STR(text, "under_vol=0;under_info={}");
    CHECK(stoa_on_info_from_str(text, &back) == 0);
    CHECK(stoa_on_info_cmp(&order, &info, back) == 0 && order == 0);
    CHECK(stoa_on_info_free(back) == 0);
    CHECK_H5(H5free_memory(text));
}

static void a_file_is_mounted_into_another(void)
{
    const hid_t file = make_file(check_path("outer.h5"));
    const hid_t other = make_file(check_path("inner.h5"));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    int expected[] = {0, 0, 0, 9, 0, 0, 0, 0, 0, 0};
    hid_t dataset = ten_ints(other, "d");

    write_one(dataset, 3, 9);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fmount(file, "g", other, H5P_DEFAULT));
    dataset = CHECK_H5(H5Dopen2(file, "g/d", H5P_DEFAULT));
    holds(dataset, expected);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Funmount(file, "g"));
    CHECK(H5Lexists(file, "g/d", H5P_DEFAULT) == 0);
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(other));
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(whatever_is_done_is_as_with_an_array_and_a_mask),
          TEST(many_elements_here_and_there_are_written_once_each),
          TEST(many_elements_here_and_there_are_read_into_any_memory),
          TEST(lines_are_written_where_they_belong), TEST(a_member_written_alone_leaves_the_others),
          TEST(one_call_may_mix_sparse_and_dense_datasets_of_two_files),
          TEST(nothing_is_lost_in_any_order_of_closing),
          TEST(a_program_that_ends_without_closing_loses_nothing),
          TEST(a_file_open_for_reading_takes_no_writes), TEST(what_fails_below_says_why),
          TEST(native_chunk_calls_fail_or_work_as_the_rfc_says),
          TEST(chunks_at_the_edge_are_structured_whatever_the_options_say),
          TEST(plain_filters_become_those_of_each_section),
          TEST(datasets_elsewhere_are_no_business_of_the_connector),
          TEST(strings_of_variable_length_pass_below),
          TEST(a_connector_below_that_is_no_number_is_refused),
          TEST(the_connector_below_is_told_what_is_its_own),
          TEST(information_becomes_text_and_back), TEST(a_file_is_mounted_into_another),
          TEST(memory_that_runs_out_fails_the_call_and_no_more))
