/*
 * Random runs and lines written, runs read and erased, boxes erased, chunks merged, extents
 * changed, flushed and opened again, with a cache so small that chunks leave it all the time,
 * against a dense array and a mask in memory; then libhdf5 alone must read the dense truth. For
 * src/sparse/store/store*.c, content*.c, cache.c and directory.c.
 */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/format/filter.h"
#include "sparse/store/dataset.h"
#include "support/check.h"

enum { MAX_RANK = 4, BIG = 100 };

/* --- the model ------------------------------------------------------------------------------- */

typedef struct model {
    unsigned rank;
    uint64_t extent[H5S_MAX_RANK];
    size_t size;
    uint8_t fill[BIG];
    uint8_t *values;  /* of the extent, dense */
    uint8_t *defined; /* a byte each */
    bool knows_fill;  /* libhdf5 shows the fill value where nothing is defined */
} model;

static uint64_t n_of(const model *m)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < m->rank; i++) {
        n *= m->extent[i];
    }
    return n;
}

static uint64_t place_of(const model *m, const uint64_t *at)
{
    uint64_t place = 0;

    for (unsigned i = 0; i < m->rank; i++) {
        place = place * m->extent[i] + at[i];
    }
    return place;
}

static void undefine(model *m, uint64_t place)
{
    memcpy(m->values + place * m->size, m->fill, m->size);
    m->defined[place] = 0;
}

static void make_arrays(model *m)
{
    const uint64_t n = n_of(m);

    m->values = malloc(n * m->size + 1);
    m->defined = malloc(n + 1);
    for (uint64_t i = 0; i < n; i++) {
        undefine(m, i);
    }
}

static bool next_of(const model *m, const uint64_t *count, uint64_t *at)
{
    for (unsigned i = m->rank; i-- > 0;) {
        if (++at[i] < count[i]) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static void set_model_extent(model *m, const uint64_t *extent)
{
    model old = *m;
    uint64_t at[H5S_MAX_RANK] = {0};

    memcpy(m->extent, extent, m->rank * sizeof *extent);
    make_arrays(m);
    for (bool more = n_of(&old) > 0; more; more = next_of(&old, old.extent, at)) {
        bool stays = true;
        for (unsigned i = 0; i < m->rank; i++) {
            stays = stays && at[i] < m->extent[i];
        }
        if (stays) {
            const uint64_t from = place_of(&old, at);
            const uint64_t to = place_of(m, at);
            memcpy(m->values + to * m->size, old.values + from * m->size, m->size);
            m->defined[to] = old.defined[from];
        }
    }
    free(old.values);
    free(old.defined);
}

/* --- a dataset ------------------------------------------------------------------------------- */

typedef struct subject {
    hid_t file, dataset, type;
    stoa_store *store;
    size_t bound;
    uint64_t chunk[H5S_MAX_RANK];
    model model;
} subject;

static hid_t any_type(void)
{
    const hid_t types[] = {H5T_STD_U8LE, H5T_STD_I16BE, H5T_IEEE_F32LE, H5T_STD_I64LE};
    const uint64_t which = check_random_below(6);

    if (which == 4) {
        const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 11));
        CHECK_H5(H5Tinsert(type, "a", 0, H5T_STD_I64LE));
        CHECK_H5(H5Tinsert(type, "b", 8, H5T_STD_I16BE));
        return type;
    }
    return CHECK_H5(which == 5 ? H5Tcreate(H5T_OPAQUE, BIG) : H5Tcopy(types[which]));
}

static void any_fill(hid_t dcpl, subject *s)
{
    const uint64_t state = check_random_below(4);

    if (state == 0) {
        CHECK_H5(H5Pset_fill_value(dcpl, s->type, NULL)); /* none at all */
    } else if (state > 1) {
        for (size_t i = 0; i < s->model.size; i++) {
            s->model.fill[i] = (uint8_t)(check_random_below(3) * 5);
        }
        CHECK_H5(H5Pset_fill_value(dcpl, s->type, s->model.fill));
    }
    s->model.knows_fill = state != 0;
    /* Without a fill value early chunks are whatever was in memory; where it is too long for the
     * filter's parameters, the filter takes all of them for defined. */
    if (state != 0 && s->model.size != BIG && check_random_below(4) == 0) {
        CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    }
}

static void add_filters(hid_t dcpl)
{
    stoa_sparse_format format = {.is_sparse = true};
    stoa_section_filters *values = &format.sections[STOA_SECTION_VALUES];
    const uint64_t which = check_random_below(8);

    if (which < 2) {
        values->filters[values->n++] = (stoa_filter){.id = STOA_FILTER_SHUFFLE};
        values->filters[values->n++] =
            (stoa_filter){.id = STOA_FILTER_DEFLATE, .n_values = 1, .values = {1}};
    } else if (which == 2) {
        values->filters[values->n++] = (stoa_filter){.id = H5Z_FILTER_NBIT};
        values->optional = 1;
    }
    CHECK_OK(stoa_sparse_format_to_list(dcpl, &format, NULL));
}

static void open_store(subject *s, const char *name)
{
    stoa_error err = STOA_ERROR_INIT;

    s->file = CHECK_H5(H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT));
    s->dataset = CHECK_H5(H5Dopen2(s->file, "x", H5P_DEFAULT));
    CHECK_OK(stoa_store_of_dataset(s->dataset, s->bound, &s->store, &err), &err);
}

static void close_store(subject *s)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_store_flush(s->store, &err), &err);
    CHECK(!stoa_store_is_dirty(s->store));
    stoa_store_close(s->store);
    CHECK_H5(H5Dclose(s->dataset));
    CHECK_H5(H5Fclose(s->file));
}

static void any_extent(const subject *s, uint64_t *extent)
{
    const uint64_t most[] = {3000, 60, 16, 8};

    for (unsigned i = 0; i < s->model.rank; i++) {
        extent[i] = check_random_below(most[s->model.rank - 1]);
    }
}

static subject any_subject(const char *name)
{
    const uint64_t most[] = {400, 30, 8, 5};
    subject s = {.type = any_type()};
    hsize_t limit[MAX_RANK];
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_OK(stoa_sparse_filter_register(NULL));
    s.model.rank = 1 + (unsigned)check_random_below(MAX_RANK);
    s.model.size = H5Tget_size(s.type);
    s.bound = check_random_below(2) == 0 ? 1 : 1 + check_random_below(20000);
    for (unsigned i = 0; i < s.model.rank; i++) {
        s.chunk[i] = 1 + check_random_below(most[s.model.rank - 1]);
        limit[i] = H5S_UNLIMITED;
    }
    any_extent(&s, s.model.extent);
    any_fill(dcpl, &s);
    add_filters(dcpl);
    CHECK_H5(H5Pset_chunk(dcpl, (int)s.model.rank, s.chunk));
    make_arrays(&s.model);
    s.file = CHECK_H5(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple((int)s.model.rank, s.model.extent, limit));
    s.dataset = CHECK_H5(H5Dcreate2(s.file, "x", s.type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(s.dataset));
    CHECK_H5(H5Fclose(s.file));
    return s;
}

/* --- edits ----------------------------------------------------------------------------------- */

/* Where a run begins, and how long it is; 0: there is no element. */
static uint64_t any_run(const model *m, uint64_t *at)
{
    if (n_of(m) == 0) {
        return 0;
    }
    for (unsigned i = 0; i < m->rank; i++) {
        at[i] = check_random_below(m->extent[i]);
    }
    const uint64_t rest = m->extent[m->rank - 1] - at[m->rank - 1];
    return check_random_below(3) == 0 ? 1 : 1 + check_random_below(rest);
}

static void any_values(const model *m, uint8_t *values, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        if (check_random_below(4) == 0) {
            memcpy(values + i * m->size, m->fill, m->size); /* defined all the same */
        } else {
            for (size_t j = 0; j < m->size; j++) {
                values[i * m->size + j] = (uint8_t)check_random();
            }
        }
    }
}

static void write_run(subject *s)
{
    model *m = &s->model;
    uint64_t at[H5S_MAX_RANK];
    const uint64_t n = any_run(m, at);
    stoa_error err = STOA_ERROR_INIT;

    if (n > 0) {
        uint8_t *values = malloc(n * m->size);
        any_values(m, values, n);
        CHECK_OK(stoa_store_write(s->store, at, n, values, NULL, &err), &err);
        memcpy(m->values + place_of(m, at) * m->size, values, n * m->size);
        memset(m->defined + place_of(m, at), 1, n);
        free(values);
    }
}

/* Along any dimension, values side by side or apart. */
static void write_line(subject *s)
{
    model *m = &s->model;
    const unsigned along = (unsigned)check_random_below(m->rank);
    const uint64_t every = 1 + check_random_below(3);
    const size_t step = m->size * (1 + check_random_below(2));
    uint64_t at[H5S_MAX_RANK];
    stoa_error err = STOA_ERROR_INIT;

    if (any_run(m, at) == 0) {
        return;
    }
    const uint64_t n = 1 + check_random_below((m->extent[along] - 1 - at[along]) / every + 1);
    uint8_t *values = malloc(n * step);
    any_values(m, values, n * step / m->size);
    CHECK_OK(stoa_store_write_line(s->store, at, along, every, n, values, (ptrdiff_t)step, &err),
             &err);
    for (uint64_t i = 0; i < n; i++) {
        memcpy(m->values + place_of(m, at) * m->size, values + i * step, m->size);
        m->defined[place_of(m, at)] = 1;
        at[along] += every;
    }
    free(values);
}

static void erase_run(subject *s)
{
    model *m = &s->model;
    uint64_t at[H5S_MAX_RANK];
    const uint64_t n = any_run(m, at);
    stoa_error err = STOA_ERROR_INIT;

    if (n > 0) {
        CHECK_OK(stoa_store_erase(s->store, at, n, &err), &err);
        for (uint64_t i = 0; i < n; i++) {
            undefine(m, place_of(m, at) + i);
        }
    }
}

static stoa_box any_box(const model *m)
{
    stoa_box box = {{0}, {0}};

    for (unsigned i = 0; i < m->rank; i++) {
        box.start[i] = check_random_below(m->extent[i] + 1);
        box.count[i] = check_random_below(m->extent[i] - box.start[i] + 1);
    }
    return box;
}

static void erase_box(subject *s)
{
    model *m = &s->model;
    const stoa_box box = any_box(m);
    uint64_t at[H5S_MAX_RANK] = {0};
    uint64_t n = 1;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_store_erase_box(s->store, &box, &err), &err);
    for (unsigned i = 0; i < m->rank; i++) {
        n *= box.count[i];
    }
    for (bool more = n > 0; more; more = next_of(m, box.count, at)) {
        uint64_t there[H5S_MAX_RANK];
        for (unsigned i = 0; i < m->rank; i++) {
            there[i] = box.start[i] + at[i];
        }
        undefine(m, place_of(m, there));
    }
}

/* Some elements of one chunk, ascending. */
static size_t any_positions(const subject *s, uint64_t *number, uint32_t *positions,
                            uint64_t *places)
{
    const stoa_shape *shape = stoa_store_shape(s->store);
    uint64_t at[H5S_MAX_RANK];
    uint64_t offset[H5S_MAX_RANK];
    uint64_t position = 0;
    size_t n = 0;

    (void)any_run(&s->model, at);
    *number = stoa_shape_locate(shape, at, &position);
    stoa_shape_offset(shape, *number, offset);
    const uint64_t every = 1 + check_random_below(20);
    for (uint64_t i = 0; i < shape->n_elements; i++) {
        bool is_inside = true;
        stoa_shape_element(shape, offset, i, at);
        for (unsigned j = 0; j < shape->rank; j++) {
            is_inside = is_inside && at[j] < shape->extent[j];
        }
        if (is_inside && check_random_below(every) == 0) {
            positions[n] = (uint32_t)i;
            places[n++] = place_of(&s->model, at);
        }
    }
    return n;
}

static void edit_chunk(subject *s)
{
    model *m = &s->model;
    const size_t most = (size_t)stoa_store_shape(s->store)->n_elements;
    uint64_t number = 0;
    stoa_error err = STOA_ERROR_INIT;

    if (n_of(m) == 0) {
        return;
    }
    uint32_t *positions = malloc(most * sizeof *positions);
    uint64_t *places = malloc(most * sizeof *places);
    uint8_t *values = malloc(most * m->size);
    const size_t n = any_positions(s, &number, positions, places);
    const bool erases = check_random_below(2) == 0;
    any_values(m, values, n);
    if (erases) {
        CHECK_OK(stoa_store_remove(s->store, number, positions, n, &err), &err);
    } else {
        CHECK_OK(stoa_store_merge(s->store, number, positions, n, values, &err), &err);
    }
    for (size_t i = 0; i < n; i++) {
        if (erases) {
            undefine(m, places[i]);
        } else {
            memcpy(m->values + places[i] * m->size, values + i * m->size, m->size);
            m->defined[places[i]] = 1;
        }
    }
    free(positions);
    free(places);
    free(values);
}

static void change_extent(subject *s)
{
    uint64_t extent[H5S_MAX_RANK];
    stoa_error err = STOA_ERROR_INIT;

    any_extent(s, extent);
    for (unsigned i = 0; i < s->model.rank; i++) {
        extent[i] = check_random_below(2) == 0 ? s->model.extent[i] : extent[i];
    }
    CHECK_OK(stoa_store_set_extent(s->store, extent, &err), &err);
    set_model_extent(&s->model, extent);
}

/* --- what is seen ---------------------------------------------------------------------------- */

static void read_run(subject *s)
{
    const model *m = &s->model;
    uint64_t at[H5S_MAX_RANK];
    const uint64_t n = any_run(m, at);
    stoa_error err = STOA_ERROR_INIT;

    if (n > 0) {
        uint8_t *values = malloc(n * m->size);
        uint8_t *defined = malloc(n);
        CHECK_OK(stoa_store_read(s->store, at, n, values, defined, NULL, &err), &err);
        CHECK_MEM(values, m->values + place_of(m, at) * m->size, n * m->size);
        CHECK_MEM(defined, m->defined + place_of(m, at), n);
        free(values);
        free(defined);
    }
}

static uint64_t n_defined(const model *m)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < n_of(m); i++) {
        n += m->defined[i];
    }
    return n;
}

/* All, chunk by chunk. */
static void is_the_model(subject *s)
{
    const model *m = &s->model;
    const stoa_shape *shape = stoa_store_shape(s->store);
    const stoa_box all = stoa_shape_all(shape);
    stoa_buffer numbers = {NULL, 0, 0};
    uint64_t n = 0;
    uint64_t found = 0;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_store_count(s->store, &n, &err), &err);
    CHECK_U64(n, n_defined(m));
    CHECK_OK(stoa_store_chunks(s->store, &all, &numbers, &err), &err);
    const uint64_t *number = (const uint64_t *)(const void *)numbers.data;
    for (size_t i = 0; i < numbers.size / sizeof *number; i++) {
        const stoa_sparse_chunk *chunk = NULL;
        uint64_t offset[H5S_MAX_RANK];
        CHECK(i == 0 || number[i - 1] < number[i]);
        stoa_shape_offset(shape, number[i], offset);
        CHECK_OK(stoa_store_read_chunk(s->store, number[i], true, &chunk, &err), &err);
        for (size_t j = 0; j < chunk->n; j++) {
            uint64_t at[H5S_MAX_RANK];
            stoa_shape_element(shape, offset, chunk->positions[j], at);
            const uint64_t place = place_of(m, at);
            CHECK_U64(m->defined[place], 1);
            CHECK_MEM(chunk->values + j * m->size, m->values + place * m->size, m->size);
        }
        found += chunk->n;
    }
    CHECK_U64(found, n);
    stoa_buffer_clear(&numbers);
}

/* Programs that know nothing of us. */
static void libhdf5_agrees(subject *s)
{
    const model *m = &s->model;
    const uint64_t n = n_of(m);
    uint8_t *values = malloc(n * m->size + 1);

    /* It refuses to read nothing at all where there is no fill value. */
    const bool has_chunks = H5Dget_storage_size(s->dataset) > 0;
    CHECK(has_chunks || n_defined(m) == 0);
    if (has_chunks || m->knows_fill) {
        CHECK_H5(H5Dread(s->dataset, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    for (uint64_t i = 0; i < n; i++) {
        if (m->defined[i] || m->knows_fill) {
            CHECK_MEM(values + i * m->size, m->values + i * m->size, m->size);
        }
    }
    free(values);
}

static void one_step(subject *s, const char *name)
{
    stoa_error err = STOA_ERROR_INIT;

    switch (check_random_below(24)) {
    case 0:
        change_extent(s);
        break;
    case 1:
        erase_box(s);
        break;
    case 2:
        CHECK_OK(stoa_store_flush(s->store, &err), &err);
        break;
    case 3:
        close_store(s);
        open_store(s, name);
        break;
    case 4:
    case 5:
        edit_chunk(s);
        break;
    case 6:
    case 7:
    case 8:
        erase_run(s);
        break;
    case 9:
    case 10:
    case 11:
        read_run(s);
        break;
    case 12:
        CHECK_OK(stoa_store_refresh(s->store, &err), &err);
        break;
    case 13:
    case 14:
    case 15:
    case 16:
        write_line(s);
        break;
    default:
        write_run(s);
        break;
    }
}

static void a_store_is_a_dense_array_and_a_mask(void)
{
    const char *name = check_path("store.h5");

    for (uint64_t i = 0; i < check_n_cases(300); i++) {
        subject s = any_subject(name);
        const uint64_t n = 1 + check_random_below(60);
        stoa_error err = STOA_ERROR_INIT;

        open_store(&s, name);
        for (uint64_t j = 0; j < n; j++) {
            one_step(&s, name);
        }
        is_the_model(&s);
        CHECK_OK(stoa_store_flush(s.store, &err), &err);
        libhdf5_agrees(&s);
        close_store(&s);
        open_store(&s, name);
        is_the_model(&s);
        close_store(&s);
        CHECK_H5(H5Tclose(s.type));
        free(s.model.values);
        free(s.model.defined);
    }
}

TEST_MAIN(TEST(a_store_is_a_dense_array_and_a_mask))
