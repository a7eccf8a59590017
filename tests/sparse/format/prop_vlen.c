/*
 * Elements of variable length through the RFC's API and the connector: whatever is written, read,
 * erased, grown and cut, it is as with an array of strings and a mask of what was written, in
 * section 2 and in the global heap, sparse and dense, for
 * src/sparse/connector/connector_variable.c, store/blobs.c and vlen*.c (sparse fact sheet §6).
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/h5sparse.h>

#include "core/error.h"
#include "support/check.h"
#include "support/sweep.h"

enum { MOST = 400, MAX_ITEMS = 5, MAX_TEXT = 12 };

/* --- values, and how they lie in memory ------------------------------------------------------ */

typedef struct value {
    int id;
    bool has_text;
    char text[MAX_TEXT];
    size_t n;
    int items[MAX_ITEMS];
} value;

typedef struct record {
    int id;
    char *text;
    hvl_t items;
} record;

/* What elements are. */
typedef enum kind {
    TEXTS,     /* strings */
    SEQUENCES, /* of 32-bit big-endian numbers, of 16 bits in memory */
    RECORDS,   /* a number, a string, a sequence; big-endian in the file */
    LISTS,     /* sequences of strings */
    N_KINDS
} kind;

static const value no_value;

static value any_value(void)
{
    value v = {.id = (int)check_random_below(1000), .has_text = check_random_below(6) != 0};
    const size_t length = v.has_text ? check_random_below(MAX_TEXT) : 0;

    for (size_t i = 0; i < MAX_TEXT - 1; i++) { /* a bound that gcc 14 sees */
        v.text[i] = i < length ? (char)('a' + check_random_below(26)) : '\0';
    }
    v.n = check_random_below(MAX_ITEMS + 1);
    for (size_t i = 0; i < v.n; i++) {
        v.items[i] = (int)check_random_below(30000);
    }
    return v;
}

static size_t size_of(kind k)
{
    return k == TEXTS ? sizeof(char *) : k == RECORDS ? sizeof(record) : sizeof(hvl_t);
}

static hvl_t shorts_of(const value *v)
{
    hvl_t made = {.len = v->n, .p = v->n > 0 ? malloc(v->n * sizeof(short)) : NULL};

    for (size_t i = 0; i < v->n; i++) {
        ((short *)made.p)[i] = (short)v->items[i];
    }
    return made;
}

static hvl_t texts_of(const value *v)
{
    hvl_t made = {.len = v->n, .p = v->n > 0 ? malloc(v->n * sizeof(char *)) : NULL};

    for (size_t i = 0; i < v->n; i++) {
        char *text = malloc(16);
        (void)snprintf(text, 16, "%d", v->items[i]);
        ((char **)made.p)[i] = text;
    }
    return made;
}

/* In the form a program has it; freed by drop(). */
static void put(kind k, const value *v, uint8_t *at)
{
    char *text = v->has_text ? strdup(v->text) : NULL;
    record r = {.id = v->id, .text = text};
    hvl_t items = {0, NULL};

    if (k == TEXTS) {
        memcpy(at, &text, sizeof text);
        return;
    }
    if (k != RECORDS) {
        free(text);
    }
    items = k == LISTS ? texts_of(v) : shorts_of(v);
    r.items = items;
    memcpy(at, k == RECORDS ? (const void *)&r : &items, size_of(k));
}

static void drop(kind k, const uint8_t *at)
{
    record r = {0, NULL, {0, NULL}};

    if (k == RECORDS) {
        memcpy(&r, at, sizeof r);
    } else if (k == TEXTS) {
        memcpy(&r.text, at, sizeof r.text);
    } else {
        memcpy(&r.items, at, sizeof r.items);
    }
    for (size_t i = 0; k == LISTS && i < r.items.len; i++) {
        free(((char **)r.items.p)[i]);
    }
    free(r.items.p);
    free(r.text);
}

static void text_is(const char *found, const value *v)
{
    if (v->has_text) {
        CHECK(found != NULL);
        CHECK_STR(found, v->text);
    } else {
        CHECK(found == NULL);
    }
}

static void items_are(kind k, const hvl_t *found, const value *v)
{
    CHECK_U64(found->len, v->n);
    CHECK((found->p == NULL) == (v->n == 0));
    for (size_t i = 0; i < v->n; i++) {
        char text[16];
        if (k == LISTS) {
            (void)snprintf(text, sizeof text, "%d", v->items[i]);
            CHECK_STR(((char *const *)found->p)[i], text);
        } else {
            CHECK_I64(((const short *)found->p)[i], v->items[i]);
        }
    }
}

static void is_value(kind k, const uint8_t *at, const value *v)
{
    record r;

    if (k == TEXTS) {
        memcpy(&r.text, at, sizeof r.text);
        text_is(r.text, v);
    } else if (k == RECORDS) {
        memcpy(&r, at, sizeof r);
        CHECK_I64(r.id, v->id);
        text_is(r.text, v);
        items_are(k, &r.items, v);
    } else {
        memcpy(&r.items, at, sizeof r.items);
        items_are(k, &r.items, v);
    }
}

/* --- datatypes ------------------------------------------------------------------------------- */

static hid_t text_type(void)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

static hid_t record_type(hid_t number, hid_t item)
{
    const hid_t text = text_type();
    const hid_t items = CHECK_H5(H5Tvlen_create(item));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(record)));

    CHECK_H5(H5Tinsert(type, "id", HOFFSET(record, id), number));
    CHECK_H5(H5Tinsert(type, "text", HOFFSET(record, text), text));
    CHECK_H5(H5Tinsert(type, "items", HOFFSET(record, items), items));
    CHECK_H5(H5Tclose(items));
    CHECK_H5(H5Tclose(text));
    return type;
}

static hid_t type_of(kind k, bool in_file)
{
    hid_t text = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    switch (k) {
    case TEXTS:
        return text_type();
    case SEQUENCES:
        return CHECK_H5(H5Tvlen_create(in_file ? H5T_STD_I32BE : H5T_NATIVE_SHORT));
    case RECORDS:
        return in_file ? record_type(H5T_STD_I64BE, H5T_STD_I16BE)
                       : record_type(H5T_NATIVE_INT, H5T_NATIVE_SHORT);
    default:
        text = text_type();
        type = CHECK_H5(H5Tvlen_create(text));
        CHECK_H5(H5Tclose(text));
        return type;
    }
}

/* --- a dataset and its model ----------------------------------------------------------------- */

typedef struct subject {
    const char *name;
    kind k;
    bool is_sparse;
    bool is_in_heap; /* the file's */
    hid_t file, dataset, type;
    hsize_t extent[2];
    value fill;
    value values[MOST];
    bool defined[MOST];
} subject;

static size_t n_of(const subject *s)
{
    return (size_t)(s->extent[0] * s->extent[1]);
}

/* Elements of a box, or anywhere, some of them twice; in the file, by number. */
static hid_t any_selection(const subject *s, size_t *elements, size_t *n)
{
    const hid_t space = CHECK_H5(H5Screate_simple(2, s->extent, NULL));
    hsize_t start[2];
    hsize_t count[2];

    *n = 0;
    if (check_random_below(3) == 0) {
        hsize_t points[40];
        for (*n = 0; *n < 1 + check_random_below(20) && *n < 20; (*n)++) {
            elements[*n] = check_random_below(n_of(s));
            points[2 * *n] = elements[*n] / s->extent[1];
            points[2 * *n + 1] = elements[*n] % s->extent[1];
        }
        if (*n == 0) {
            CHECK_H5(H5Sselect_none(space));
        } else {
            CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, *n, points));
        }
        return space;
    }
    for (int i = 0; i < 2; i++) {
        start[i] = check_random_below(s->extent[i]);
        count[i] = 1 + check_random_below(s->extent[i] - start[i]);
    }
    CHECK_H5(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
    for (hsize_t r = 0; r < count[0]; r++) {
        for (hsize_t c = 0; c < count[1]; c++) {
            elements[(*n)++] = (size_t)((start[0] + r) * s->extent[1] + start[1] + c);
        }
    }
    return space;
}

static void write_some(subject *s)
{
    static value given[MOST];
    static size_t elements[MOST];
    size_t n = 0;
    const hid_t space = any_selection(s, elements, &n);
    const size_t size = size_of(s->k);
    uint8_t *buf = malloc((n + 1) * size);

    for (size_t i = 0; i < n; i++) {
        given[i] = check_random_below(5) == 0 ? s->fill : any_value();
        put(s->k, &given[i], buf + i * size);
    }
    CHECK_H5(H5Dwrite(s->dataset, s->type, H5S_BLOCK, space, H5P_DEFAULT, buf));
    for (size_t i = 0; i < n; i++) {
        s->values[elements[i]] = given[i];
        s->defined[elements[i]] = true;
        is_value(s->k, buf + i * size, &given[i]); /* the program's own are as they were */
        drop(s->k, buf + i * size);
    }
    free(buf);
    CHECK_H5(H5Sclose(space));
}

/* One member of records, the others stay. */
static void write_member(subject *s)
{
    static size_t elements[MOST];
    size_t n = 0;
    const bool is_text = check_random_below(2) == 0;
    const hid_t text = text_type();
    const size_t size = is_text ? sizeof(char *) : sizeof(int);
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, size));
    const hid_t space = any_selection(s, elements, &n);
    uint8_t *buf = malloc((n + 1) * size);

    CHECK_H5(H5Tinsert(type, is_text ? "text" : "id", 0, is_text ? text : H5T_NATIVE_INT));
    for (size_t i = 0; i < n; i++) {
        static char one[] = "one";
        static char none[] = "";
        const int id = (int)(elements[i] * 7 % 100);
        char *t = elements[i] % 3 == 0 ? one : elements[i] % 3 == 1 ? none : NULL;
        memcpy(buf + i * size, is_text ? (const void *)&t : &id, size);
    }
    CHECK_H5(H5Dwrite(s->dataset, type, H5S_BLOCK, space, H5P_DEFAULT, buf));
    for (size_t i = 0; i < n; i++) {
        const size_t e = elements[i];
        if (is_text) {
            s->values[e].has_text = e % 3 != 2;
            memset(s->values[e].text, 0, MAX_TEXT);
            (void)snprintf(s->values[e].text, MAX_TEXT, "%s", e % 3 == 0 ? "one" : "");
        } else {
            s->values[e].id = (int)(e * 7 % 100);
        }
        s->defined[e] = true;
    }
    free(buf);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(text));
}

static void *count_up(size_t size, void *info)
{
    ++*(long *)info;
    return malloc(size);
}

static void count_down(void *block, void *info)
{
    if (block != NULL) {
        --*(long *)info;
    }
    free(block);
}

/* Whatever is read is the program's to free, by its own functions. */
static void read_some(const subject *s)
{
    static size_t elements[MOST];
    size_t n = 0;
    long held = 0;
    size_t expected = 0;
    const bool counts = check_random_below(2) == 0;
    const hid_t dxpl = CHECK_H5(H5Pcreate(H5P_DATASET_XFER));
    const hid_t space = any_selection(s, elements, &n);
    const hsize_t count = n;
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &count, NULL));
    const size_t size = size_of(s->k);
    uint8_t *buf = malloc((n + 1) * size);

    memset(buf, 0xee, n * size);
    if (counts) {
        CHECK_H5(H5Pset_vlen_mem_manager(dxpl, count_up, &held, count_down, &held));
    }
    CHECK_H5(H5Dread(s->dataset, s->type, H5S_BLOCK, space, dxpl, buf));
    for (size_t i = 0; i < n; i++) {
        const value *v = &s->values[elements[i]];
        is_value(s->k, buf + i * size, v);
        expected += s->k == TEXTS || s->k == RECORDS ? v->has_text : 0;
        expected += s->k != TEXTS && v->n > 0;
        expected += s->k == LISTS ? v->n : 0;
    }
    CHECK_I64(held, counts ? (long)expected : 0);
    CHECK_H5(H5Treclaim(s->type, memory, dxpl, buf));
    CHECK_I64(held, 0);
    free(buf);
    CHECK_H5(H5Sclose(memory));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dxpl));
}

static void mask_is_right(const subject *s)
{
    const hid_t space =
        CHECK_H5(stoa_h5d_get_defined(s->dataset, H5S_ALL, H5P_DEFAULT, STOA_DEFINED_POINTS));
    const hssize_t n = CHECK_H5(H5Sget_select_npoints(space));
    hsize_t points[2 * MOST];
    hssize_t at = 0;

    if (s->is_sparse) {
        if (n > 0) {
            CHECK_H5(H5Sget_select_elem_pointlist(space, 0, (hsize_t)n, points));
        }
        for (size_t i = 0; i < n_of(s); i++) {
            if (s->defined[i]) {
                CHECK(at < n);
                CHECK_U64(points[2 * at] * s->extent[1] + points[2 * at + 1], i);
                at++;
            }
        }
        CHECK_I64(n, at);
    } else {
        CHECK_I64(n, (int64_t)n_of(s));
    }
    CHECK_H5(H5Sclose(space));
}

static void erase_some(subject *s)
{
    static size_t elements[MOST];
    size_t n = 0;
    const hid_t space = any_selection(s, elements, &n);

    CHECK_H5(H5Derase(s->dataset, space, H5P_DEFAULT));
    for (size_t i = 0; i < n; i++) {
        s->values[elements[i]] = s->fill;
        s->defined[elements[i]] = false;
    }
    CHECK_H5(H5Sclose(space));
}

static void change_extent(subject *s)
{
    const hsize_t extent[2] = {1 + check_random_below(18), 1 + check_random_below(18)};
    static value values[MOST];
    static bool defined[MOST];

    CHECK_H5(H5Dset_extent(s->dataset, extent));
    for (size_t i = 0; i < extent[0] * extent[1]; i++) {
        const hsize_t r = i / extent[1];
        const hsize_t c = i % extent[1];
        const bool is_old = r < s->extent[0] && c < s->extent[1];
        const size_t old = (size_t)(r * s->extent[1] + c);
        values[i] = is_old ? s->values[old] : s->fill;
        defined[i] = is_old && s->defined[old];
    }
    memcpy(s->values, values, sizeof values);
    memcpy(s->defined, defined, sizeof defined);
    memcpy(s->extent, extent, sizeof extent);
}

/* Without the connector: what is in the file's heap is there; of what is in section 2 the library
 * says that it cannot read it, or there is nothing of it. */
static void is_right_natively(const subject *s)
{
    const size_t size = size_of(s->k);
    uint8_t *buf = calloc(n_of(s), size);
    const hid_t file = CHECK_H5((H5Fopen)(s->name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    herr_t result = -1;

    H5E_BEGIN_TRY
    {
        result = H5Dread(dataset, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf);
    }
    H5E_END_TRY
    CHECK(result >= 0 || !s->is_in_heap);
    for (size_t i = 0; result >= 0 && i < n_of(s); i++) {
        value v = s->values[i];
        const size_t at = s->k == RECORDS ? HOFFSET(record, text) : 0;
        if (!s->is_in_heap && v.has_text && v.text[0] == '\0') { /* the filter has none as NULL */
            char *text = NULL;
            memcpy(&text, buf + i * size + at, sizeof text);
            v.has_text = text != NULL;
        }
        is_value(s->k, buf + i * size, &v);
    }
    /* What was read before a failure, too. */
    CHECK_H5(H5Treclaim(s->type, space, H5P_DEFAULT, buf));
    free(buf);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void reopen(subject *s)
{
    CHECK_H5(H5Dclose(s->dataset));
    if (check_random_below(2) == 0) {
        CHECK_H5(H5Fclose(s->file));
        is_right_natively(s);
        s->file = CHECK_H5(H5Fopen(s->name, H5F_ACC_RDWR, H5P_DEFAULT));
    }
    s->dataset = CHECK_H5(H5Dopen2(s->file, "d", H5P_DEFAULT));
}

static void do_something(subject *s)
{
    switch (check_random_below(10)) {
    case 0:
        change_extent(s);
        break;
    case 1:
        reopen(s);
        break;
    case 2:
        if (s->is_sparse) {
            erase_some(s);
        }
        break;
    case 3:
        CHECK_H5(H5Dflush(s->dataset));
        mask_is_right(s);
        break;
    case 4:
        if (s->k == RECORDS) {
            write_member(s);
            break;
        }
        /* fall through */
    case 5:
    case 6:
        write_some(s);
        break;
    default:
        read_some(s);
        break;
    }
}

static void make_subject(subject *s)
{
    const hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hsize_t chunk[2] = {1 + check_random_below(6), 1 + check_random_below(9)};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t type = type_of(s->k, true);
    uint8_t fill[sizeof(record)];

    s->type = type_of(s->k, false);
    s->is_sparse = check_random_below(4) != 0;
    s->is_in_heap = check_random_below(3) == 0;
    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, s->is_sparse ? H5D_SPARSE_CHUNK : H5D_VL_CHUNK));
    if (s->is_in_heap) {
        CHECK_H5(stoa_h5p_set_vl_storage(dcpl, STOA_VL_GLOBAL_HEAP));
    }
    if (check_random_below(2) == 0) {
        CHECK_H5(H5Pset_deflate(dcpl, 1));
    }
    s->fill = no_value;
    if (check_random_below(2) == 0) {
        s->fill = any_value();
        if (s->is_in_heap) { /* only what has no data of variable length */
            s->fill = (value){.id = s->fill.id};
        }
        put(s->k, &s->fill, fill);
        CHECK_H5(H5Pset_fill_value(dcpl, s->type, fill));
    }
    s->extent[0] = 1 + check_random_below(18);
    s->extent[1] = 1 + check_random_below(18);
    for (size_t i = 0; i < MOST; i++) {
        s->values[i] = s->fill;
        s->defined[i] = false;
    }
    const hid_t space = CHECK_H5(H5Screate_simple(2, s->extent, most));
    s->file = CHECK_H5(H5Fcreate(s->name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    s->dataset = CHECK_H5(H5Dcreate2(s->file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (memcmp(&s->fill, &no_value, sizeof no_value) != 0) {
        drop(s->k, fill);
    }
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Pclose(dcpl));
}

static void whatever_is_done_is_as_with_strings_and_a_mask(void)
{
    for (uint64_t i = 0; i < check_n_cases(100); i++) {
        static subject s;
        memset(&s, 0, sizeof s);
        s.name = check_path("vlen.h5");
        s.k = (kind)(i % N_KINDS);
        make_subject(&s);
        for (int j = 0; j < 25; j++) {
            do_something(&s);
        }
        read_some(&s);
        mask_is_right(&s);
        CHECK_H5(H5Dclose(s.dataset));
        CHECK_H5(H5Fclose(s.file));
        is_right_natively(&s);
        CHECK_H5(H5Tclose(s.type));
    }
}

/* --- damage ---------------------------------------------------------------------------------- */

/* A file with one chunk of section 2; its bytes. */
static size_t one_chunk(subject *s, uint8_t *bytes)
{
    const hsize_t offset[2] = {0, 0};
    const hsize_t extent[2] = {6, 6};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t stored = type_of(s->k, true);
    const hid_t space = CHECK_H5(H5Screate_simple(2, extent, NULL));
    uint32_t mask = 0;
    hsize_t n = 0;

    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, extent, H5D_SPARSE_CHUNK));
    s->type = type_of(s->k, false);
    memcpy(s->extent, extent, sizeof extent);
    s->file = CHECK_H5(H5Fcreate(s->name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    s->dataset = CHECK_H5(H5Dcreate2(s->file, "d", stored, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (int i = 0; i < 4; i++) {
        write_some(s);
    }
    CHECK_H5(H5Dclose(s->dataset));
    CHECK_H5(H5Fclose(s->file));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(stored));
    CHECK_H5(H5Pclose(dcpl));
    const hid_t file = CHECK_H5((H5Fopen)(s->name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    CHECK_H5(H5Dget_chunk_storage_size(dataset, offset, &n));
    CHECK(n < 8192);
#if H5_VERSION_GE(2, 0, 0)
    size_t room = 8192;
    CHECK_H5(H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, bytes, &room));
#else
    CHECK_H5(H5Dread_chunk(dataset, H5P_DEFAULT, offset, &mask, bytes));
#endif
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
    return (size_t)n;
}

/* Read under the connector and without: a failure, or values. */
static void may_fail_to_read(const subject *s, bool is_connected)
{
    const hid_t file = CHECK_H5(is_connected ? H5Fopen(s->name, H5F_ACC_RDONLY, H5P_DEFAULT)
                                             : (H5Fopen)(s->name, H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    uint8_t *buf = calloc(n_of(s), size_of(s->k));
    herr_t result = -1;

    H5E_BEGIN_TRY
    {
        result = H5Dread(dataset, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buf);
        (void)H5Sclose(H5Dget_defined(dataset, H5S_ALL, H5P_DEFAULT));
    }
    H5E_END_TRY
    if (result >= 0) {
        CHECK_H5(H5Treclaim(s->type, space, H5P_DEFAULT, buf));
    }
    free(buf);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void put_chunk(const subject *s, const uint8_t *bytes, size_t n)
{
    const hsize_t offset[2] = {0, 0};
    const hid_t file = CHECK_H5((H5Fopen)(s->name, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "d", H5P_DEFAULT));

    CHECK_H5((H5Dwrite_chunk)(dataset, H5P_DEFAULT, 0, offset, n, bytes));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Fclose(file));
}

static void damage_is_an_error_or_other_values_and_no_more(void)
{
    static subject s;
    static uint8_t bytes[8192];
    uint8_t damaged[8192];

    for (uint64_t i = 0; i < check_n_cases(60); i++) {
        memset(&s, 0, sizeof s);
        s.name = check_path("damaged.h5");
        s.k = (kind)(i % N_KINDS);
        const size_t n = one_chunk(&s, bytes);
        for (int j = 0; j < 8; j++) {
            size_t length = n;
            memcpy(damaged, bytes, n);
            if (check_random_below(4) == 0) {
                length = 1 + check_random_below(n);
            } else {
                for (uint64_t k = 0; k <= check_random_below(3); k++) {
                    const size_t at = check_random_below(3) == 0
                                          ? check_random_below(n)
                                          : n - 1 - check_random_below(n / 2);
                    damaged[at] ^= (uint8_t)(1u << check_random_below(8));
                }
            }
            put_chunk(&s, damaged, length);
            may_fail_to_read(&s, true);
            may_fail_to_read(&s, false);
        }
        CHECK_H5(H5Tclose(s.type));
    }
}

/* --- memory ---------------------------------------------------------------------------------- */

static subject swept;

/* All that a program does with a dataset, without a check that a failure might trip over. */
static herr_t use(const subject *s)
{
    const hsize_t extent[2] = {5, 3};
    const value v = {.id = 3, .has_text = true, .text = "abc", .n = 2, .items = {1, 2}};
    const size_t size = size_of(s->k);
    uint8_t *given = malloc(36 * size);
    uint8_t *found = calloc(36, size);
    const hsize_t count = 15;
    const hid_t memory = CHECK_H5(H5Screate_simple(1, &count, NULL));
    const hid_t dataset = H5Dopen2(s->file, "d", H5P_DEFAULT);
    herr_t result = dataset < 0 ? -1 : 0;

    for (int i = 0; i < 36; i++) {
        put(s->k, &v, given + i * size);
    }
    result = result < 0 ? -1 : H5Dset_extent(dataset, s->extent);
    result = result < 0 ? -1 : H5Dwrite(dataset, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, given);
    result = result < 0 ? -1 : H5Dflush(dataset);
    result = result < 0 ? -1 : H5Dset_extent(dataset, extent);
    result = result < 0 ? -1 : H5Dread(dataset, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
    if (result >= 0) {
        CHECK_H5(H5Treclaim(s->type, memory, H5P_DEFAULT, found));
    }
    for (int i = 0; i < 36; i++) {
        is_value(s->k, given + i * size, &v);
        drop(s->k, given + i * size);
    }
    free(found);
    free(given);
    CHECK_H5(H5Sclose(memory));
    return dataset >= 0 && H5Dclose(dataset) >= 0 ? result : -1;
}

static stoa_status use_once(stoa_error *err)
{
    herr_t result = 0;

    H5E_BEGIN_TRY
    {
        result = use(&swept);
    }
    H5E_END_TRY
    return result < 0 ? stoa_fail_memory(err) : STOA_OK;
}

static void memory_that_runs_out_fails_the_call_and_no_more(void)
{
    const hsize_t most[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    const hsize_t chunk[2] = {4, 4};

    for (int k = 0; k < N_KINDS; k++) {
        const hid_t stored = type_of((kind)k, true);
        const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        memset(&swept, 0, sizeof swept);
        swept.k = (kind)k;
        swept.type = type_of(swept.k, false);
        swept.extent[0] = 6;
        swept.extent[1] = 6;
        const hid_t space = CHECK_H5(H5Screate_simple(2, swept.extent, most));
        CHECK_H5(H5Pset_struct_chunk(dcpl, 2, chunk, H5D_SPARSE_CHUNK));
        swept.file =
            CHECK_H5(H5Fcreate(check_path("sweep.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(
            H5Dclose(H5Dcreate2(swept.file, "d", stored, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)));
        CHECK(sweep_memory(use_once) > 30);
        CHECK_H5(H5Fclose(swept.file));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Tclose(stored));
        CHECK_H5(H5Tclose(swept.type));
    }
}

TEST_MAIN(TEST(whatever_is_done_is_as_with_strings_and_a_mask),
          TEST(damage_is_an_error_or_other_values_and_no_more),
          TEST(memory_that_runs_out_fails_the_call_and_no_more))
