/*
 * Chains of repacks between dense and sparse storage of strings, sequences and compounds with
 * them, against a dense array of numbers that stand for values, and a mask (sparse RFC §4.6); for
 * src/sparse/tools/relayout*.c.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoa/sparse.h>
#include <string.h>

#include "sparse/format/filter.h"
#include "sparse/repacks.h"
#include "sparse/tools/storage.h"
#include "support/check.h"

enum { RANK = 2, MOST = 9 * 9, MAX_BYTES = MOST * 32 };

/* What a number stands for: 0 is nothing at all, 1 the empty string. */
static const char *const words[] = {NULL, "", "a", "of columns", "a walk"};
static const int numbers[] = {3, -1, 4, 1, -5};
enum { N_VALUES = 5 };

typedef enum kind { STRINGS, SEQUENCES, COMPOUNDS, N_KINDS } kind;

typedef struct pair {
    int number;
    char *word;
} pair;

typedef struct model {
    kind kind;
    hid_t type;
    size_t size;
    hsize_t extent[RANK];
    size_t n;
    int values[MOST];
    bool defined[MOST];
    bool is_sparse;
    bool has_fill;
    int fill;
} model;

static int a_value(const model *m)
{
    const int value = (int)check_random_below(N_VALUES);

    return m->kind == SEQUENCES && value == 1 ? 0 : value; /* of one kind of nothing */
}

/* libhdf5 and Stoa leave alone what they are given. */
static void put(const model *m, int value, uint8_t *out)
{
    char *word = (char *)(uintptr_t)words[value];
    const pair both = {numbers[value], word};
    const hvl_t sequence = {(size_t)value, value > 0 ? (void *)(uintptr_t)numbers : NULL};

    memcpy(out,
           m->kind == STRINGS     ? (const void *)&word
           : m->kind == SEQUENCES ? (const void *)&sequence
                                  : (const void *)&both,
           m->size);
}

static void check_text(const char *found, const char *expected)
{
    CHECK((found == NULL) == (expected == NULL));
    if (found != NULL) {
        CHECK_STR(found, expected);
    }
}

static void check_value(const model *m, int value, const uint8_t *found)
{
    char *word = NULL;
    pair both;
    hvl_t sequence;

    if (m->kind == STRINGS) {
        memcpy(&word, found, sizeof word);
        check_text(word, words[value]);
    } else if (m->kind == SEQUENCES) {
        memcpy(&sequence, found, sizeof sequence);
        CHECK_U64(sequence.len, (size_t)value);
        CHECK_MEM(sequence.p, numbers, (size_t)value * sizeof *numbers);
    } else {
        memcpy(&both, found, sizeof both);
        CHECK_I64(both.number, numbers[value]);
        check_text(both.word, words[value]);
    }
}

static hid_t type_of(kind of)
{
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    hid_t type = H5I_INVALID_HID;

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    if (of == STRINGS) {
        return text;
    }
    if (of == SEQUENCES) {
        type = CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT));
    } else {
        type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(pair)));
        CHECK_H5(H5Tinsert(type, "number", offsetof(pair, number), H5T_NATIVE_INT));
        CHECK_H5(H5Tinsert(type, "word", offsetof(pair, word), text));
    }
    CHECK_H5(H5Tclose(text));
    return type;
}

/* --- the first file -------------------------------------------------------------------------- */

static void write_dense(const model *m, hid_t file)
{
    static uint8_t elements[MAX_BYTES];
    uint8_t fill[32];
    hsize_t chunk[RANK];
    const hid_t space = CHECK_H5(H5Screate_simple(RANK, m->extent, NULL));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    for (size_t i = 0; i < m->n; i++) {
        put(m, m->values[i], elements + i * m->size);
    }
    if (m->has_fill) {
        put(m, m->fill, fill);
        CHECK_H5(H5Pset_fill_value(dcpl, m->type, fill));
    }
    if (check_random_below(2) == 0) {
        repacks_chunk(RANK, m->extent, chunk);
        CHECK_H5(H5Pset_chunk(dcpl, RANK, chunk));
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, "x", m->type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, m->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

/* Some elements are defined, in chunks or in the global heap; the rest is nothing. */
static void write_sparse(model *m, hid_t file)
{
    stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
    stoa_sparse *array = NULL;
    uint8_t element[32];
    stoa_error err = STOA_ERROR_INIT;

    options.in_global_heap = check_random_below(2) == 0;
    m->is_sparse = true;
    m->has_fill = false;
    m->fill = 0;
    CHECK_OK(stoa_sparse_create(file, "x", m->type, RANK, m->extent, &options, NULL, &array, &err),
             &err);
    for (size_t i = 0; i < m->n; i++) {
        const uint64_t at[RANK] = {i / m->extent[1], i % m->extent[1]};
        m->defined[i] = check_random_below(3) == 0;
        m->values[i] = m->defined[i] ? m->values[i] : 0;
        if (m->defined[i]) {
            put(m, m->values[i], element);
            CHECK_OK(stoa_sparse_write(array, 1, at, element, m->type, &err), &err);
        }
    }
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
}

static void write_first(model *m, const char *path)
{
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));

    if (m->kind != COMPOUNDS && check_random_below(2) == 0) {
        write_sparse(m, file);
    } else {
        write_dense(m, file);
    }
    CHECK_H5(H5Fclose(file));
}

/* --- what is there --------------------------------------------------------------------------- */

static void read_all(const model *m, hid_t dataset, uint8_t *elements)
{
    static const uint64_t start[RANK];
    uint8_t defined[MOST];
    stoa_sparse *array = NULL;
    stoa_error err = STOA_ERROR_INIT;

    if (!m->is_sparse) {
        CHECK_H5(H5Dread(dataset, m->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
        return;
    }
    CHECK_OK(stoa_sparse_open_dataset(dataset, NULL, &array, &err), &err);
    CHECK_OK(stoa_sparse_read_dense(array, start, m->extent, m->type, elements, defined, &err),
             &err);
    CHECK_OK(stoa_sparse_commit(array, &err), &err);
    for (size_t i = 0; i < m->n; i++) {
        CHECK(defined[i] == m->defined[i]);
    }
}

static void check_file(const model *m, const char *path)
{
    static uint8_t elements[MAX_BYTES];
    const hid_t file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "x", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));

    CHECK(stoa_is_structured(dataset) == m->is_sparse);
    read_all(m, dataset, elements);
    for (size_t i = 0; i < m->n; i++) {
        check_value(m, m->values[i], elements + i * m->size);
    }
    CHECK_H5(H5Treclaim(m->type, space, H5P_DEFAULT, elements));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

/* --- what is asked --------------------------------------------------------------------------- */

/* The text of a value, and in the model what it does to leave that out. */
static const char *a_value_left_out(model *m, bool was_sparse)
{
    const int value = m->kind == SEQUENCES ? 0 : 1 + (int)check_random_below(N_VALUES - 1);

    if (!was_sparse && !m->has_fill && value > 1) {
        m->has_fill = true;
        m->fill = value;
    }
    for (size_t i = 0; i < m->n; i++) { /* '' is no string, too */
        const bool is_it = m->values[i] == value || (value == 1 && m->values[i] == 0);
        m->defined[i] = m->defined[i] && !is_it;
    }
    return m->kind == SEQUENCES ? "()" : words[value];
}

static void one_step(void *context, const char *from, const char *to)
{
    model *const m = context;
    static char path[] = "/x";
    static const stoa_new_layout layouts[] = {STOA_LAYOUT_SPARSE,     STOA_LAYOUT_SPARSE,
                                              STOA_LAYOUT_SPARSE,     STOA_LAYOUT_CHUNKED,
                                              STOA_LAYOUT_CONTIGUOUS, STOA_LAYOUT_COMPACT};
    stoa_relayout one = {.path = path, .layout = layouts[check_random_below(6)]};
    stoa_relayouts all = {.items = &one, .n = 1};
    stoa_regions regions = {0};
    const bool was_sparse = m->is_sparse;
    char text[1024];
    stoa_error err = STOA_ERROR_INIT;

    m->is_sparse = one.layout == STOA_LAYOUT_SPARSE;
    if (m->is_sparse || one.layout == STOA_LAYOUT_CHUNKED) {
        one.rank = RANK;
        repacks_chunk(RANK, m->extent, one.chunk);
    }
    if (m->is_sparse && check_random_below(3) == 0) {
        repacks_list(RANK, m->extent, m->defined, text, sizeof text);
        CHECK_OK(stoa_regions_parse(text, strlen(text), &regions, &err), &err);
        all.defined = &regions;
    } else if (!was_sparse) {
        memset(m->defined, true, sizeof m->defined);
    }
    if (m->is_sparse && m->kind != COMPOUNDS && check_random_below(3) == 0) {
        all.exclude = a_value_left_out(m, was_sparse);
    }
    for (size_t i = 0; i < m->n && m->is_sparse; i++) {
        m->values[i] = m->defined[i] ? m->values[i] : m->fill;
    }
    repacks_run(from, to, &all);
    stoa_regions_clear(&regions);
    check_file(m, to);
}

static void a_chain_of_repacks_keeps_strings_and_sequences_and_what_is_defined(void)
{
    static model m;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(stoa_sparse_filter_register(&err), &err);
    for (uint64_t c = check_n_cases(60); c > 0; c--) {
        memset(&m, 0, sizeof m);
        m.kind = (kind)check_random_below(N_KINDS);
        m.type = type_of(m.kind);
        m.size = H5Tget_size(m.type);
        m.n = 1;
        for (int d = 0; d < RANK; d++) {
            m.extent[d] = 1 + check_random_below(9);
            m.n *= m.extent[d];
        }
        m.has_fill = m.kind == COMPOUNDS || check_random_below(2) == 0;
        m.fill = m.has_fill ? a_value(&m) : 0;
        for (size_t i = 0; i < m.n; i++) {
            m.values[i] = a_value(&m);
        }
        write_first(&m, check_path("0.h5"));
        repacks_chain(5, one_step, &m);
        CHECK_H5(H5Tclose(m.type));
    }
}

TEST_MAIN(TEST(a_chain_of_repacks_keeps_strings_and_sequences_and_what_is_defined))
