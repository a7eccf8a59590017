/*
 * Values of many points, in whatever order, by any number of workers, with a cache of any size,
 * against a dense array in memory; each slice of points is gone as soon as it may be. And what
 * fails on the way. For src/sparse/points/points_get.c, points_stream.c, points_look_*.c and
 * points_tuples_*.c.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/format/filter.h"
#include "sparse/points/points_lookup.h"
#include "sparse/points/points_tuples.h"
#include "sparse/store/dataset.h"
#include "support/check.h"
#include "support/sweep.h"

enum { WIDEST = 11, ROWS = 200, COLUMNS = 157, MAX_CHUNKS = ROWS * COLUMNS, NONE = -1 };

/* --- an array -------------------------------------------------------------------------------- */

/* Chunks on their way out of the file: how often each is read, and what goes wrong. */
typedef struct traffic {
    stoa_chunk_dataset dataset;
    stoa_chunk_io below;
    const stoa_shape *shape;
    unsigned *n_reads; /* of each chunk */
    int64_t damaged;   /* chunk, or NONE */
    int64_t lost;
} traffic;

typedef struct subject {
    hid_t file, dataset, type, dcpl, space;
    hsize_t extent[2], chunk[2];
    size_t size;
    uint8_t *values; /* dense */
    stoa_store *store;
    traffic io;
} subject;

static uint64_t chunk_of(const subject *s, uint64_t element)
{
    const uint64_t grid = (s->extent[1] + s->chunk[1] - 1) / s->chunk[1];

    return element / s->extent[1] / s->chunk[0] * grid + element % s->extent[1] / s->chunk[1];
}

static stoa_status read_chunk(void *context, const hsize_t *offset, stoa_buffer *bytes,
                              uint32_t *mask, stoa_error *err)
{
    traffic *t = context;
    uint64_t position = 0;
    const uint64_t number = stoa_shape_locate(t->shape, offset, &position);
    stoa_status status = STOA_OK;

    t->n_reads[number]++;
    if ((int64_t)number == t->lost) {
        STOA_FAIL(err, STOA_EHDF5, "chunk %d is lost", (int)number);
    }
    STOA_TRY(t->below.read(t->below.context, offset, bytes, mask, err));
    if ((int64_t)number == t->damaged) {
        bytes->data[0] ^= 1;
    }

done:
    return status;
}

static stoa_status iterate(void *context, stoa_chunk_visit visit, void *visitor, stoa_error *err)
{
    const traffic *t = context;

    return t->below.iterate(t->below.context, visit, visitor, err);
}

static hid_t any_type(void)
{
    const hid_t types[] = {H5T_STD_U8LE, H5T_IEEE_F32LE, H5T_STD_I64BE};
    const uint64_t which = check_random_below(5);

    return which > 2 ? CHECK_H5(which == 3 ? H5Tcreate(H5T_OPAQUE, WIDEST) : H5Tcopy(types[1]))
                     : CHECK_H5(H5Tcopy(types[which]));
}

static void add_filters(hid_t dcpl)
{
    stoa_sparse_format format = {.is_sparse = true};
    stoa_section_filters *values = &format.sections[STOA_SECTION_VALUES];
    const uint64_t which = check_random_below(6);

    if (which == 0) {
        values->filters[values->n++] =
            (stoa_filter){.id = STOA_FILTER_DEFLATE, .n_values = 1, .values = {1}};
    } else if (which == 1) { /* libhdf5 runs it */
        values->filters[values->n++] = (stoa_filter){.id = H5Z_FILTER_NBIT};
        values->optional = 1;
    }
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, NULL));
}

/* Elements at random, of which whole chunks may be missing, and their values by the connectorless
 * way: one row at a time. */
static void write_some(subject *s)
{
    const uint64_t share = 1 + check_random_below(4);
    const uint64_t n = s->extent[0] * s->extent[1];
    uint8_t *missing = calloc(MAX_CHUNKS, 1);
    stoa_error err = STOA_ERROR_INIT;

    for (size_t i = 0; i < MAX_CHUNKS; i++) {
        missing[i] = check_random_below(6) == 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at[2] = {i / s->extent[1], i % s->extent[1]};
        uint8_t *value = s->values + i * s->size;
        if (missing[chunk_of(s, i)] == 0 && check_random_below(share) == 0) {
            for (size_t j = 0; j < s->size; j++) {
                value[j] = (uint8_t)check_random();
            }
            CHECK_OK(stoa_store_write(s->store, at, 1, value, NULL, &err), &err);
        }
    }
    free(missing);
    CHECK_OK(stoa_store_flush(s->store, &err), &err);
}

static void open_store(subject *s, size_t bound)
{
    stoa_error err = STOA_ERROR_INIT;

    s->io = (traffic){.dataset = {.id = s->dataset}, .damaged = NONE, .lost = NONE};
    s->io.below = stoa_chunk_io_of(&s->io.dataset);
    const stoa_chunk_io io = {.context = &s->io,
                              .read = read_chunk,
                              .write = s->io.below.write,
                              .iterate = iterate,
                              .set_extent = s->io.below.set_extent};
    CHECK_OK(stoa_store_of(&io, s->dcpl, s->type, s->space, bound, &s->store, &err), &err);
    s->io.shape = stoa_store_shape(s->store);
    s->io.n_reads = calloc(MAX_CHUNKS, sizeof *s->io.n_reads);
}

static void close_store(subject *s)
{
    stoa_store_close(s->store);
    free(s->io.n_reads);
}

static subject make_subject(hid_t type, const hsize_t *extent, const hsize_t *chunk)
{
    subject s = {.type = type, .extent = {extent[0], extent[1]}, .chunk = {chunk[0], chunk[1]}};
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    s.size = H5Tget_size(type);
    s.values = calloc(extent[0] * extent[1], s.size);
    s.dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_chunk(s.dcpl, 2, chunk));
    add_filters(s.dcpl);
    s.space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    s.file = CHECK_H5(H5Fcreate(check_path("p.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    s.dataset = CHECK_H5(H5Dcreate2(s.file, "x", type, s.space, H5P_DEFAULT, s.dcpl, H5P_DEFAULT));
    CHECK_H5(H5Pclose(s.dcpl)); /* as the dataset has it, its parameters are complete */
    s.dcpl = CHECK_H5(H5Dget_create_plist(s.dataset));
    CHECK_OK(stoa_store_of_dataset(s.dataset, 0, &s.store, &err), &err);
    write_some(&s);
    stoa_store_close(s.store);
    return s;
}

static subject any_subject(void)
{
    const hsize_t extent[2] = {1 + check_random_below(ROWS), 1 + check_random_below(COLUMNS)};
    const hsize_t chunk[2] = {1 + check_random_below(40) % extent[0],
                              1 + check_random_below(60) % extent[1]};

    return make_subject(any_type(), extent, chunk);
}

static void close_subject(subject *s)
{
    free(s->values);
    CHECK_H5(H5Dclose(s->dataset));
    CHECK_H5(H5Sclose(s->space));
    CHECK_H5(H5Pclose(s->dcpl));
    CHECK_H5(H5Tclose(s->type));
    CHECK_H5(H5Fclose(s->file));
}

/* --- points ---------------------------------------------------------------------------------- */

typedef struct points {
    uint64_t n;
    uint64_t *elements;
    /* What is known, and that no longer than it must be: point i is at i % room. */
    uint64_t *known;
    uint64_t room;
    uint64_t n_fetched;
    uint64_t fails_at; /* fetching this point fails; UINT64_MAX: none does */
} points;

static stoa_status fetch(const void *context, uint64_t first, uint64_t end, stoa_error *err)
{
    points *p = (points *)(uintptr_t)context;

    CHECK_U64(first, p->n_fetched);
    CHECK_U64(first % STOA_POINTS_SLICE, 0);
    CHECK(end > first && end <= p->n && end - first <= STOA_POINTS_SLICE);
    if (p->fails_at >= first && p->fails_at < end) {
        return stoa_fail(err, STOA_EINVAL, "no point %d", (int)p->fails_at);
    }
    memcpy(p->known + first % p->room, p->elements + first, (end - first) * sizeof *p->known);
    p->n_fetched = end;
    return STOA_OK;
}

static stoa_status look(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                        stoa_error *err)
{
    (void)context;
    (void)shape;
    (void)first;
    (void)end;
    (void)err;
    return STOA_OK;
}

static void locate(const void *context, const stoa_shape *shape, uint64_t first, uint64_t end,
                   stoa_point_runs *runs, uint32_t *places)
{
    const points *p = context;

    for (uint64_t i = first; i < end; i++) {
        const uint64_t element = p->known[i % p->room];
        const uint64_t at[2] = {element / shape->extent[1], element % shape->extent[1]};
        uint64_t position = 0;
        stoa_point_runs_add(runs, stoa_shape_locate(shape, at, &position), 1);
        places[i - first] = (uint32_t)position;
    }
}

/* In the order of the array, from anywhere on, with some left out or twice; or runs in no order. */
static void choose(points *p, uint64_t n_elements)
{
    const uint64_t step = check_random_below(4);
    const uint64_t longest = check_random_below(4) == 0 ? 1 : 1 + check_random_below(200);
    const bool jumps = check_random_below(2) == 0;
    uint64_t at = check_random_below(n_elements);

    for (uint64_t i = 0; i < p->n;) {
        const uint64_t end = i + 1 + check_random_below(longest);
        for (; i < p->n && i < end; i++) {
            p->elements[i] = at;
            at = (at + check_random_below(2 * step + 1)) % n_elements;
        }
        at = jumps ? check_random_below(n_elements) : at;
    }
}

static points any_points(const subject *s, uint64_t n)
{
    points p = {.n = n, .fails_at = UINT64_MAX};

    p.elements = malloc((n + 1) * sizeof *p.elements);
    choose(&p, s->extent[0] * s->extent[1]);
    p.room = n < STOA_POINTS_AHEAD ? n : STOA_POINTS_AHEAD;
    p.known = malloc((p.room + 1) * sizeof *p.known);
    return p;
}

static void clear_points(points *p)
{
    free(p->elements);
    free(p->known);
}

static stoa_status get(subject *s, points *p, stoa_workers *workers, uint8_t *found,
                       stoa_error *err)
{
    const stoa_point_source source = {
        .context = p, .fetch = fetch, .check = look, .locate = locate};

    p->n_fetched = 0;
    return stoa_points_get(s->store, workers, p->n, &source, found, err);
}

static void check_values(subject *s, points *p, stoa_workers *workers)
{
    uint8_t *expected = malloc(p->n * s->size + 1);
    uint8_t *found = malloc(p->n * s->size + 1);
    stoa_error err = STOA_ERROR_INIT;

    for (uint64_t i = 0; i < p->n; i++) {
        memcpy(expected + i * s->size, s->values + p->elements[i] * s->size, s->size);
    }
    CHECK_OK(get(s, p, workers, found, &err), &err);
    CHECK_U64(p->n_fetched, p->n);
    CHECK_MEM(found, expected, p->n * s->size);
    free(expected);
    free(found);
}

static stoa_workers *any_workers(void)
{
    const unsigned n = (unsigned)check_random_below(5);
    stoa_workers *workers = NULL;
    stoa_error err = STOA_ERROR_INIT;

    if (n > 0) {
        CHECK_OK(stoa_workers_open(n, &workers, &err), &err);
    }
    return workers;
}

/* --------------------------------------------------------------------------------------------- */

static void values_are_those_of_a_dense_array(void)
{
    for (uint64_t i = 0; i < check_n_cases(40); i++) {
        const uint64_t most[] = {10, STOA_POINTS_SLICE + 1, 5 * STOA_POINTS_SLICE};
        const size_t bounds[] = {1, 1 + check_random_below(300000), 0};
        subject s = any_subject();
        open_store(&s, bounds[check_random_below(3)]);
        for (int k = 0; k < 2; k++) {
            stoa_workers *workers = any_workers();
            points p = any_points(&s, 1 + check_random_below(most[check_random_below(3)]));
            check_values(&s, &p, workers);
            clear_points(&p);
            stoa_workers_close(workers);
        }
        close_store(&s);
        close_subject(&s);
    }
}

/* More than are known at a time. */
static void points_may_be_forgotten_once_others_are_so_far_ahead(void)
{
    for (int i = 0; i < 2; i++) {
        subject s = any_subject();
        points p = any_points(&s, STOA_POINTS_AHEAD + 3 * STOA_POINTS_SLICE + 5);
        stoa_workers *workers = any_workers();
        open_store(&s, 0);
        check_values(&s, &p, workers);
        stoa_workers_close(workers);
        clear_points(&p);
        close_store(&s);
        close_subject(&s);
    }
}

static void each_chunk_is_read_once(void)
{
    for (uint64_t i = 0; i < check_n_cases(10); i++) {
        subject s = any_subject();
        stoa_workers *workers = any_workers();
        points p = any_points(&s, 4 * STOA_POINTS_SLICE);
        for (uint64_t k = 0; k < p.n; k++) { /* all in order, so that no slice is left out */
            p.elements[k] = k % (s.extent[0] * s.extent[1]);
        }
        open_store(&s, 0);
        check_values(&s, &p, workers);
        for (size_t k = 0; k < MAX_CHUNKS; k++) {
            CHECK(s.io.n_reads[k] <= 1);
        }
        stoa_workers_close(workers);
        clear_points(&p);
        close_store(&s);
        close_subject(&s);
    }
}

/* Chunks of four rows; every element, in order, so that it is known which one is needed first. */
static subject rows_of_chunks(points *p)
{
    const hsize_t extent[2] = {ROWS, COLUMNS};
    const hsize_t chunk[2] = {4, COLUMNS};
    subject s = make_subject(CHECK_H5(H5Tcopy(H5T_IEEE_F32LE)), extent, chunk);

    for (hsize_t i = 0; i < ROWS; i += 4) { /* none is missing */
        const uint64_t at[2] = {i, 0};
        stoa_error err = STOA_ERROR_INIT;
        const float one = 1;
        CHECK_OK(stoa_store_of_dataset(s.dataset, 0, &s.store, &err), &err);
        CHECK_OK(stoa_store_write(s.store, at, 1, (const uint8_t *)&one, NULL, &err), &err);
        CHECK_OK(stoa_store_flush(s.store, &err), &err);
        stoa_store_close(s.store);
        memcpy(s.values + i * COLUMNS * sizeof one, &one, sizeof one);
    }
    *p = any_points(&s, ROWS * COLUMNS);
    for (uint64_t i = 0; i < p->n; i++) {
        p->elements[i] = i;
    }
    return s;
}

/* Whatever is at work when, and with how many workers. */
static void the_first_chunk_that_is_damaged_or_lost_is_told(void)
{
    points p;
    subject s = rows_of_chunks(&p);
    uint8_t *found = malloc(p.n * s.size);
    char name[40];

    for (uint64_t i = 0; i < check_n_cases(40); i++) {
        stoa_workers *workers = any_workers();
        stoa_error err = STOA_ERROR_INIT;
        open_store(&s, check_random_below(3) == 0 ? 1 : 0);
        s.io.damaged = (int64_t)check_random_below(ROWS / 4);
        s.io.lost = (s.io.damaged + 1 + (int64_t)check_random_below(ROWS / 4 - 1)) % (ROWS / 4);
        const stoa_status expected = s.io.lost < s.io.damaged ? STOA_EHDF5 : STOA_EDATA;
        CHECK_STATUS(expected, get(&s, &p, workers, found, &err), &err);
        (void)snprintf(name, sizeof name, "(%d,0)",
                       4 * (int)(s.io.lost < s.io.damaged ? s.io.lost : s.io.damaged));
        CHECK(strstr(err.where, name) != NULL || strstr(err.message, name) != NULL);
        s.io.damaged = NONE;
        s.io.lost = NONE;
        p.fails_at = check_random_below(p.n);
        err = (stoa_error)STOA_ERROR_INIT;
        CHECK_STATUS(STOA_EINVAL, get(&s, &p, workers, found, &err), &err);
        p.fails_at = UINT64_MAX;
        check_values(&s, &p, workers); /* and nothing stays of it */
        stoa_workers_close(workers);
        close_store(&s);
    }
    free(found);
    clear_points(&p);
    close_subject(&s);
}

static subject *swept;
static points *swept_points;
static uint8_t *swept_values;

static stoa_status get_once(stoa_error *err)
{
    stoa_workers *workers = NULL;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_workers_open(3, &workers, err));
    STOA_TRY(get(swept, swept_points, workers, swept_values, err));

done:
    stoa_workers_close(workers);
    return status;
}

static void memory_that_runs_out_fails_the_call_and_no_more(void)
{
    for (int i = 0; i < 2; i++) { /* in order; and left out as there is no room */
        points p;
        subject s = rows_of_chunks(&p);
        open_store(&s, i == 0 ? 0 : 1);
        swept = &s;
        swept_points = &p;
        swept_values = malloc(p.n * s.size);
        CHECK(sweep_memory(get_once) > 10);
        CHECK_MEM(swept_values, s.values, p.n * s.size);
        free(swept_values);
        clear_points(&p);
        close_store(&s);
        close_subject(&s);
    }
}

/* --- instruction sets ------------------------------------------------------------------------ */

/* Of any rank; here and there with more elements than doubles can number. */
static stoa_shape any_shape(void)
{
    const unsigned rank = (unsigned)(1 + check_random_below(5));
    uint64_t extent[H5S_MAX_RANK];
    uint64_t chunk[H5S_MAX_RANK];
    stoa_shape shape;
    stoa_error err = STOA_ERROR_INIT;

    for (unsigned j = 0; j < rank; j++) {
        const uint64_t most = rank > 1 ? 2000 : UINT64_C(1) << (10 + check_random_below(53));
        extent[j] = 1 + check_random_below(most);
        chunk[j] = 1 + check_random_below(extent[j] < 70 ? extent[j] : 70);
    }
    CHECK_OK(stoa_shape_make(rank, extent, chunk, &shape, &err), &err);
    return shape;
}

/* Points that follow each other, and now and then one from anywhere. */
static uint64_t *any_tuples(const stoa_shape *shape, size_t n)
{
    const uint64_t seldom = 1 + check_random_below(20);
    uint64_t *tuples = malloc((n * shape->rank + 1) * sizeof *tuples);

    for (size_t i = 0; i < n; i++) {
        uint64_t *at = tuples + i * shape->rank;
        const bool jumps = i == 0 || check_random_below(seldom) == 0;
        for (unsigned j = 0; j < shape->rank; j++) {
            at[j] = jumps ? check_random_below(shape->extent[j]) : (at - shape->rank)[j];
        }
        if (!jumps && at[shape->rank - 1] + 1 < shape->extent[shape->rank - 1]) {
            at[shape->rank - 1]++;
        }
    }
    return tuples;
}

static void points_are_located_by_their_coordinates(void)
{
    for (uint64_t i = 0; i < check_n_cases(1000); i++) {
        const stoa_shape shape = any_shape();
        const size_t n = check_random_below(100);
        const size_t cut = check_random_below(n + 1); /* the rest goes on with the last run */
        uint64_t *tuples = any_tuples(&shape, n);
        uint32_t *places = malloc((n + 1) * sizeof *places);

        for (int k = 0; k < 2; k++) {
            stoa_tuples_locate *locate_some =
                k == 0 ? stoa_tuples_locate_scalar : stoa_tuples_locate_of(stoa_simd_of_cpu());
            stoa_point_runs runs = {.runs = malloc((n + 1) * sizeof *runs.runs)};
            size_t at = 0;
            locate_some(&shape, tuples, cut, &runs, places);
            locate_some(&shape, tuples + cut * shape.rank, n - cut, &runs, places + cut);
            for (size_t r = 0; r < runs.n; r++) {
                CHECK(r == 0 || runs.runs[r].number != runs.runs[r - 1].number);
                CHECK(runs.runs[r].n > 0 && runs.runs[r].n <= n - at);
                for (uint64_t end = at + runs.runs[r].n; at < end; at++) {
                    uint64_t position = 0;
                    CHECK_U64(stoa_shape_locate(&shape, tuples + at * shape.rank, &position),
                              runs.runs[r].number);
                    CHECK_U64(places[at], position);
                }
            }
            CHECK_U64(at, n);
            free(runs.runs);
        }
        free(tuples);
        free(places);
    }
}

/* Some of the elements of a chunk, and places, in rows or anywhere, which may have none. */
static void every_instruction_set_looks_alike(void)
{
    enum { MOST = 300, SIZES = 5 };
    static const size_t sizes[SIZES] = {1, 2, 4, 8, 11};

    for (uint64_t i = 0; i < check_n_cases(2000); i++) {
        const size_t size = sizes[check_random_below(SIZES)];
        const uint64_t share = 1 + check_random_below(4);
        const uint64_t seldom = 1 + check_random_below(40);
        const size_t n = check_random_below(MOST);
        uint8_t fill[11] = {0xee, 0xdd};
        stoa_sparse_chunk list = {.positions = malloc(MOST * sizeof *list.positions),
                                  .values = malloc(MOST * size)};
        uint8_t *dense = malloc(MOST * size);
        uint32_t *places = malloc((n + 1) * sizeof *places);
        uint8_t *expected = malloc(n * size + 1);

        for (uint32_t k = 0; k < MOST; k++) {
            memcpy(dense + k * size, fill, size);
            if (check_random_below(share) == 0) {
                for (size_t j = 0; j < size; j++) {
                    dense[k * size + j] = (uint8_t)check_random();
                }
                memcpy(list.values + list.n * size, dense + k * size, size);
                list.positions[list.n++] = k;
            }
        }
        size_t at = 0; /* in the list, most of the time */
        for (size_t k = 0; k < n; k++) {
            at = check_random_below(seldom) == 0 ? check_random_below(MOST) : at + 1;
            places[k] = at < list.n ? list.positions[at] : (uint32_t)check_random_below(MOST);
            memcpy(expected + k * size, dense + places[k] * size, size);
        }
        for (int k = 0; k < 2; k++) {
            stoa_chunk_cursor_get *get_some = k == 0 ? stoa_chunk_cursor_get_scalar
                                                     : stoa_chunk_cursor_get_of(stoa_simd_of_cpu());
            const uint32_t cut = (uint32_t)check_random_below(n + 1);
            uint8_t *found = malloc(n * size + 1);
            stoa_chunk_cursor finger = {.list = &list};
            get_some(&finger, places, cut, size, fill, found);
            get_some(&finger, places + cut, (uint32_t)n - cut, size, fill, found + cut * size);
            CHECK_MEM(found, expected, n * size);
            free(found);
        }
        free(list.positions);
        free(list.values);
        free(dense);
        free(places);
        free(expected);
    }
}

TEST_MAIN(TEST(values_are_those_of_a_dense_array),
          TEST(points_may_be_forgotten_once_others_are_so_far_ahead), TEST(each_chunk_is_read_once),
          TEST(the_first_chunk_that_is_damaged_or_lost_is_told),
          TEST(memory_that_runs_out_fails_the_call_and_no_more),
          TEST(points_are_located_by_their_coordinates), TEST(every_instruction_set_looks_alike))
