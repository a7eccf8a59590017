/* Copies of groups within a file and into another one: src/hdf/copy/clone.c, clone_values.c,
 * clone_chunks.c, remap_references.c. */
#include "hdf/copy/clone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hdf/metadata/other_files.h"
#include "support/check.h"
#include "support/memory_file.h"
#include "support/raw_chunk.h"
#include "support/sweep.h"

/* --- helpers --------------------------------------------------------------------------------- */

static hid_t make_group(hid_t loc, const char *name)
{
    return CHECK_H5(H5Gcreate2(loc, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static hid_t text_type(void)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, H5T_VARIABLE));
    return type;
}

/* Closes the list. */
static hid_t make_dataset(hid_t loc, const char *name, hid_t type, int rank, const hsize_t *extent,
                          hid_t dcpl, const void *values)
{
    const hid_t space =
        rank > 0 ? CHECK_H5(H5Screate_simple(rank, extent, NULL)) : CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(loc, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    if (values != NULL) {
        CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    CHECK_H5(H5Sclose(space));
    if (dcpl != H5P_DEFAULT) {
        CHECK_H5(H5Pclose(dcpl));
    }
    return dataset;
}

static hid_t in_chunks(int rank, const hsize_t *chunk)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_chunk(dcpl, rank, chunk));
    return dcpl;
}

static stoa_status clone(hid_t from, hid_t to, stoa_error *err)
{
    return stoa_clone_group(from, to, NULL, NULL, 0, err);
}

/* A group `from` in a file, and an empty group `to` in it or in another one. */
typedef struct pair {
    hid_t file;
    hid_t other; /* the same, or not */
    hid_t from;
    hid_t to;
} pair;

static pair make_pair(bool is_same)
{
    pair p = {.file = memory_file("from.h5", false)};

    p.other = is_same ? p.file : memory_file("to.h5", false);
    p.from = make_group(p.file, "from");
    p.to = make_group(p.other, "to");
    return p;
}

static void close_pair(pair *p)
{
    CHECK_H5(H5Gclose(p->from));
    CHECK_H5(H5Gclose(p->to));
    if (p->other != p->file) {
        CHECK_H5(H5Fclose(p->other));
    }
    CHECK_H5(H5Fclose(p->file));
}

static void clone_ok(const pair *p)
{
    stoa_error err = STOA_ERROR_INIT;

    CHECK_OK(clone(p->from, p->to, &err), &err);
    CHECK(H5Lexists(p->other, "/.stoa-types-0", H5P_DEFAULT) == 0);
}

static H5O_token_t token_of(hid_t loc, const char *name)
{
    H5O_info2_t info;

    CHECK_H5(H5Oget_info_by_name3(loc, name, &info, H5O_INFO_BASIC, H5P_DEFAULT));
    return info.token;
}

static bool is_same_object(hid_t a, const char *name, hid_t b, const char *other)
{
    const H5O_token_t one = token_of(a, name);
    const H5O_token_t two = token_of(b, other);

    return memcmp(&one, &two, sizeof one) == 0;
}

/* --- values of every shape ------------------------------------------------------------------- */

static const char *texts[] = {"a", "bb", "ccc", "dddd", "eeeee", "ffffff"};

static void check_texts(hid_t loc, const char *name, size_t n, bool is_chunked)
{
    const hid_t type = text_type();
    const hid_t dataset = CHECK_H5(H5Dopen2(loc, name, H5P_DEFAULT));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    char *found[6] = {NULL};

    CHECK((H5Pget_layout(dcpl) == H5D_CHUNKED) == is_chunked);
    CHECK_I64(H5Sget_simple_extent_npoints(space), (int64_t)n);
    CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    for (size_t i = 0; i < n; i++) {
        CHECK_STR(found[i], texts[i]);
    }
    CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Tclose(type));
}

static void texts_are_copied_element_by_element_whatever_their_shape(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hid_t type = text_type();
        const hsize_t line[] = {6};
        const hsize_t box[] = {2, 3};
        const hsize_t chunk[] = {2, 2};
        CHECK_H5(H5Dclose(make_dataset(p.from, "one", type, 0, NULL, H5P_DEFAULT, texts)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "line", type, 1, line, H5P_DEFAULT, texts)));
        CHECK_H5(H5Dclose(
            make_dataset(p.from, "chunks", type, 1, line, in_chunks(1, (hsize_t[]){4}), texts)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "box", type, 2, box, H5P_DEFAULT, texts)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "grid", type, 2, box, in_chunks(2, chunk), texts)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "none", type, 1, line, H5P_DEFAULT, NULL)));
        clone_ok(&p);
        check_texts(p.to, "one", 1, false);
        check_texts(p.to, "line", 6, false);
        check_texts(p.to, "chunks", 6, true);
        check_texts(p.to, "box", 6, false);
        check_texts(p.to, "grid", 6, true);
        const hid_t none = CHECK_H5(H5Dopen2(p.to, "none", H5P_DEFAULT));
        CHECK_U64(H5Dget_storage_size(none), 0); /* nothing was ever written */
        CHECK_H5(H5Dclose(none));
        CHECK_H5(H5Tclose(type));
        close_pair(&p);
    }
}

/* Texts within arrays and compounds lie in a heap of the file, too. */
static void texts_within_other_types_are_found(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hid_t text = text_type();
        const hid_t pair_type = CHECK_H5(H5Tarray_create2(text, 1, &(hsize_t){2}));
        const hid_t row = CHECK_H5(H5Tcreate(H5T_COMPOUND, 8 + 2 * sizeof(char *)));
        const hid_t flat = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT32, 1, &(hsize_t){2}));
        const hsize_t n = 2;
        struct {
            int64_t number;
            const char *texts[2];
        } rows[2] = {{1, {"a", "bb"}}, {2, {"ccc", "dddd"}}}, found[2];

        CHECK_H5(H5Tinsert(row, "number", 0, H5T_NATIVE_INT64));
        CHECK_H5(H5Tinsert(row, "texts", 8, pair_type));
        CHECK_H5(H5Dclose(make_dataset(p.from, "rows", row, 1, &n, H5P_DEFAULT, rows)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "flat", flat, 1, &n, H5P_DEFAULT, rows)));
        clone_ok(&p);
        const hid_t copy = CHECK_H5(H5Dopen2(p.to, "rows", H5P_DEFAULT));
        const hid_t space = CHECK_H5(H5Dget_space(copy));
        CHECK_H5(H5Ldelete(p.file, "from", H5P_DEFAULT)); /* the copy has its own */
        CHECK_H5(H5Dread(copy, row, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_STR(found[1].texts[1], "dddd");
        CHECK_STR(found[0].texts[1], "bb");
        CHECK_H5(H5Treclaim(row, space, H5P_DEFAULT, found));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(copy));
        CHECK_H5(H5Tclose(flat));
        CHECK_H5(H5Tclose(row));
        CHECK_H5(H5Tclose(pair_type));
        CHECK_H5(H5Tclose(text));
        close_pair(&p);
    }
}

/* Rows of 64 KiB with a text behind them: 64 of them are more than is copied at a time. */
static void long_rows_are_copied_in_pieces(void)
{
    enum { N = 150, PAD = 1 << 16 };
    typedef struct long_row {
        uint8_t pad[PAD];
        char *text;
    } long_row;
    static const hsize_t shapes[][3] = {{N}, {3, N / 3}, {N / 3, 3}, {2, N / 10, 5}};
    static const int ranks[] = {1, 2, 2, 3};
    long_row *many = calloc(N, sizeof *many);
    long_row *found = malloc(N * sizeof *found);
    const hid_t text = text_type();
    const hid_t pad = CHECK_H5(H5Tcreate(H5T_OPAQUE, PAD));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, sizeof(long_row)));

    CHECK(many != NULL && found != NULL);
    CHECK_H5(H5Tinsert(type, "pad", HOFFSET(long_row, pad), pad));
    CHECK_H5(H5Tinsert(type, "text", HOFFSET(long_row, text), text));
    for (size_t i = 0; i < N; i++) {
        many[i].text = (char *)(uintptr_t)texts[i * 7 / 3 % 6];
        many[i].pad[i] = (uint8_t)(i + 1);
    }
    for (size_t k = 0; k < 4; k++) {
        pair p = make_pair(false);
        CHECK_H5(H5Dclose(make_dataset(p.from, "d", type, ranks[k], shapes[k], H5P_DEFAULT, many)));
        clone_ok(&p);
        const hid_t copy = CHECK_H5(H5Dopen2(p.to, "d", H5P_DEFAULT));
        const hid_t space = CHECK_H5(H5Dget_space(copy));
        CHECK_H5(H5Dread(copy, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        for (size_t i = 0; i < N; i++) {
            CHECK_STR(found[i].text, many[i].text);
            CHECK_MEM(found[i].pad, many[i].pad, N);
        }
        CHECK_H5(H5Treclaim(type, space, H5P_DEFAULT, found));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Dclose(copy));
        close_pair(&p);
    }
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Tclose(pad));
    CHECK_H5(H5Tclose(text));
    free(found);
    free(many);
}

/* --- references ------------------------------------------------------------------------------ */

static hid_t make_references(const pair *p, const char *name, hid_t target)
{
    H5R_ref_t references[2];
    const hsize_t n = 2;

    memset(references, 0, sizeof references);
    CHECK_H5(H5Rcreate_object(target, ".", H5P_DEFAULT, &references[0]));
    const hid_t made = make_dataset(p->from, name, H5T_STD_REF, 1, &n, H5P_DEFAULT, references);
    CHECK_H5(H5Rdestroy(&references[0]));
    return made;
}

static void references_lead_to_the_copies_of_what_they_led_to(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hsize_t n = 2;
        hobj_ref_t old[2] = {0, 0};
        hobj_ref_t old_found[2] = {7, 7};
        H5R_ref_t found[2];
        const hid_t inner = make_group(p.from, "inner");

        CHECK_H5(H5Dclose(make_references(&p, "new", inner)));
        CHECK_H5(H5Rcreate(&old[0], p.from, "inner", H5R_OBJECT, H5I_INVALID_HID));
        CHECK_H5(H5Dclose(make_dataset(p.from, "old", H5T_STD_REF_OBJ, 1, &n, H5P_DEFAULT, old)));
        clone_ok(&p);
        hid_t copy = CHECK_H5(H5Dopen2(p.to, "new", H5P_DEFAULT));
        CHECK_H5(H5Dread(copy, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        char name[64] = "";
        CHECK_H5(H5Rget_obj_name(&found[0], H5P_DEFAULT, name, sizeof name));
        CHECK_STR(name, "/to/inner");
        CHECK_H5(H5Rdestroy(&found[0]));
        CHECK_H5(H5Dclose(copy));
        copy = CHECK_H5(H5Dopen2(p.to, "old", H5P_DEFAULT));
        CHECK_H5(H5Dread(copy, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, old_found));
        const hid_t target =
            CHECK_H5(H5Rdereference2(copy, H5P_DEFAULT, H5R_OBJECT, &old_found[0]));
        CHECK(is_same_object(target, ".", p.to, "inner"));
        CHECK_U64(old_found[1], 0);
        CHECK_H5(H5Oclose(target));
        CHECK_H5(H5Dclose(copy));
        CHECK_H5(H5Gclose(inner));
        close_pair(&p);
    }
}

/* To what lies outside of the group: shared in the same file, and in another one there is none. */
static void a_reference_out_of_the_group_cannot_go_into_another_file(void)
{
    for (int i = 0; i < 4; i++) {
        const bool is_same = i % 2 != 0;
        pair p = make_pair(is_same);
        stoa_error err = STOA_ERROR_INIT;
        const hid_t outer = make_group(p.file, "outer");
        hobj_ref_t old = 0;
        const hsize_t one = 1;

        if (i < 2) {
            CHECK_H5(H5Dclose(make_references(&p, "r", outer)));
        } else {
            CHECK_H5(H5Rcreate(&old, p.file, "outer", H5R_OBJECT, H5I_INVALID_HID));
            CHECK_H5(
                H5Dclose(make_dataset(p.from, "r", H5T_STD_REF_OBJ, 1, &one, H5P_DEFAULT, &old)));
        }
        const stoa_status status = clone(p.from, p.to, &err);
        CHECK_STATUS(is_same ? STOA_OK : STOA_ELOSS, status, &err);
        if (!is_same) {
            CHECK_CONTAINS(err.message, "'/from/r': holds a reference to '/outer', which is not "
                                        "copied along, so that the copy would have none");
        }
        CHECK_H5(H5Gclose(outer));
        close_pair(&p);
    }
}

/* Dangling references are data: as they were, or nothing in another file. */
static void references_to_nothing_are_kept_or_cleared(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hsize_t one = 1;
        hobj_ref_t old = 0;
        hobj_ref_t found = 7;

        CHECK_H5(H5Gclose(make_group(p.file, "gone")));
        CHECK_H5(H5Rcreate(&old, p.file, "gone", H5R_OBJECT, H5I_INVALID_HID));
        CHECK_H5(H5Dclose(make_dataset(p.from, "r", H5T_STD_REF_OBJ, 1, &one, H5P_DEFAULT, &old)));
        CHECK_H5(H5Ldelete(p.file, "gone", H5P_DEFAULT));
        CHECK_H5(H5Fflush(p.file, H5F_SCOPE_GLOBAL));
        clone_ok(&p);
        const hid_t copy = CHECK_H5(H5Dopen2(p.to, "r", H5P_DEFAULT));
        CHECK_H5(H5Dread(copy, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found));
        CHECK_U64(found, is_same ? old : 0);
        CHECK_H5(H5Dclose(copy));
        close_pair(&p);
    }
}

/* --- committed datatypes --------------------------------------------------------------------- */

static H5O_token_t type_of(hid_t loc, const char *name)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(loc, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));

    CHECK(H5Tcommitted(type) > 0);
    const H5O_token_t token = token_of(type, ".");
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Dclose(dataset));
    return token;
}

/* In the same file datasets share them with their copies; in another one there is one copy. */
static void a_committed_datatype_stays_one(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hsize_t n = 3;
        const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I16LE));
        const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I16LE));
        hvl_t lists[3] = {{0, NULL}};

        CHECK_H5(H5Tcommit2(p.from, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Tcommit2(p.file, "outer", list, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Dclose(make_dataset(p.from, "a", type, 1, &n, H5P_DEFAULT, "123456")));
        CHECK_H5(H5Dclose(make_dataset(p.from, "b", type, 1, &n, H5P_DEFAULT, "123456")));
        CHECK_H5(H5Dclose(make_dataset(p.from, "l", list, 1, &n, H5P_DEFAULT, lists)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "m", list, 1, &n, H5P_DEFAULT, lists)));
        clone_ok(&p);
        const H5O_token_t a = type_of(p.to, "a");
        const H5O_token_t b = type_of(p.to, "b");
        const H5O_token_t named = token_of(p.to, "type");
        const H5O_token_t l = type_of(p.to, "l");
        const H5O_token_t m = type_of(p.to, "m");
        CHECK(memcmp(&a, &b, sizeof a) == 0 && memcmp(&a, &named, sizeof a) == 0);
        CHECK(memcmp(&l, &m, sizeof l) == 0);
        if (is_same) {
            const H5O_token_t old = token_of(p.from, "type");
            CHECK(memcmp(&a, &old, sizeof a) == 0);
            CHECK(is_same_object(p.file, "outer", p.file, "outer"));
        }
        CHECK_H5(H5Tclose(list));
        CHECK_H5(H5Tclose(type));
        close_pair(&p);
    }
}

/* A name that somebody has is not used for the while. */
static void the_group_of_datatypes_takes_a_free_name(void)
{
    pair p = make_pair(false);
    const hsize_t n = 3;
    const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I16LE));

    CHECK_H5(H5Gclose(make_group(p.other, "/.stoa-types-0")));
    CHECK_H5(H5Gclose(make_group(p.other, "/.stoa-types-1")));
    CHECK_H5(H5Tcommit2(p.from, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dclose(make_dataset(p.from, "a", type, 1, &n, H5P_DEFAULT, "123456")));
    stoa_error err = STOA_ERROR_INIT;
    CHECK_OK(clone(p.from, p.to, &err), &err);
    CHECK(H5Lexists(p.other, "/.stoa-types-0", H5P_DEFAULT) > 0);
    CHECK(H5Lexists(p.other, "/.stoa-types-1", H5P_DEFAULT) > 0);
    CHECK(H5Lexists(p.other, "/.stoa-types-2", H5P_DEFAULT) == 0);
    CHECK_H5(H5Tclose(type));
    close_pair(&p);
}

/* --- storage --------------------------------------------------------------------------------- */

/* Chunks that filters made larger are copied as they lie; others of another size are damaged. */
static void chunks_that_outgrow_their_rows_are_copied_one_by_one(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hsize_t n = 25;
        const hid_t dcpl = in_chunks(1, (hsize_t[]){10});
        uint8_t large[48];
        uint8_t found[64];
        uint32_t mask = 0;

        for (size_t i = 0; i < sizeof large; i++) {
            large[i] = (uint8_t)(i * 3 + 1);
        }
        CHECK_H5(H5Pset_fletcher32(dcpl));
        CHECK_H5(H5Pset_filter(dcpl, 700, H5Z_FLAG_OPTIONAL, 0, NULL));
        const hid_t source = make_dataset(p.from, "d", H5T_STD_I32LE, 1, &n, dcpl, NULL);
        CHECK_H5(H5Dwrite_chunk(source, H5P_DEFAULT, 2, &(hsize_t){10}, 48, large));
        CHECK_H5(H5Dwrite_chunk(source, H5P_DEFAULT, 0, &(hsize_t){20}, 7, large + 5));
        CHECK_H5(H5Dclose(source));
        clone_ok(&p);
        const hid_t copy = CHECK_H5(H5Dopen2(p.to, "d", H5P_DEFAULT));
        CHECK_U64(raw_chunk(copy, &(hsize_t){10}, found, sizeof found, &mask), 48);
        CHECK_U64(mask, 2);
        CHECK_MEM(found, large, 48);
        CHECK_U64(raw_chunk(copy, &(hsize_t){20}, found, sizeof found, &mask), 7);
        CHECK_U64(mask, 0);
        CHECK_MEM(found, large + 5, 7);
        CHECK_U64(H5Dget_storage_size(copy), 55); /* the first was never written */
        CHECK_H5(H5Dclose(copy));
        close_pair(&p);
    }
}

/* In the same file external storage stays that; in another one the values are written. */
static void values_that_lie_elsewhere_are_written_into_another_file(void)
{
    for (int i = 0; i < 3; i++) {
        const bool is_same = i == 0;
        pair p = make_pair(is_same);
        stoa_error err = STOA_ERROR_INIT;
        const hsize_t n = 3;
        const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        const stoa_other_storage whole = {.keeps_elsewhere = true};

        CHECK_H5(H5Pset_external(dcpl, check_path("outside"), 0, 12));
        CHECK_H5(H5Pset_fill_value(dcpl, H5T_NATIVE_INT32, &(int32_t){-9}));
        CHECK_H5(H5Dclose(make_dataset(p.from, "d", H5T_STD_I32LE, 1, &n, dcpl, NULL)));
        const stoa_status status =
            stoa_clone_group(p.from, p.to, i == 2 ? &whole : NULL, NULL, 0, &err);
        /* A file that a program opened itself leads nowhere. */
        CHECK_STATUS(i == 1 ? STOA_EIO : STOA_OK, status, &err);
        if (i == 1) {
            CHECK_CONTAINS(err.message, "'/from/d': its values lie in another file");
        } else {
            const hid_t copy = CHECK_H5(H5Dopen2(p.to, "d", H5P_DEFAULT));
            CHECK(stoa_dataset_is_elsewhere(copy));
            CHECK_H5(H5Dclose(copy));
        }
        close_pair(&p);
    }
}

/* Nobody writes into the pipe: a program that opens it waits for ever. */
static void sources_are_not_opened(void)
{
    const char *pipe = check_path("pipe");
    const char *path = check_path("from.h5");
    pair p = {.file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
              .other = memory_file("to.h5", false)};
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t part = CHECK_H5(H5Screate_simple(1, &(hsize_t){4}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t whole = CHECK_H5(H5Screate_simple(1, &(hsize_t){4}, &(hsize_t){H5S_UNLIMITED}));
    stoa_error err = STOA_ERROR_INIT;

    p.from = make_group(p.file, "from");
    p.to = make_group(p.other, "to");
    for (int i = 0; i < 2; i++) {
        CHECK_H5(H5Sselect_hyperslab(i == 0 ? whole : part, H5S_SELECT_SET, &(hsize_t){0}, NULL,
                                     &(hsize_t){1}, &(hsize_t){H5S_UNLIMITED}));
    }
    CHECK_H5(H5Pset_virtual(dcpl, whole, pipe, "d", part));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(p.from, "d", H5T_STD_I32LE, whole, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Gclose(p.from));
    CHECK_H5(H5Fclose(p.file));
    p.file = CHECK_H5(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT));
    p.from = CHECK_H5(H5Gopen2(p.file, "from", H5P_DEFAULT));
    CHECK(mkfifo(pipe, 0600) == 0);
    (void)alarm(20);
    CHECK_STATUS(STOA_EIO, clone(p.from, p.to, &err), &err);
    (void)alarm(0);
    CHECK_CONTAINS(err.message, "'/from/d': its values lie in another file");
    CHECK_H5(H5Sclose(whole));
    CHECK_H5(H5Sclose(part));
    CHECK_H5(H5Pclose(dcpl));
    close_pair(&p);
}

/* References there cannot be changed with the file. */
static void references_that_lie_elsewhere_are_refused(void)
{
    pair p = make_pair(false);
    stoa_error err = STOA_ERROR_INIT;
    const hsize_t n = 3;
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const stoa_other_storage whole = {.keeps_elsewhere = true};

    CHECK_H5(H5Pset_external(dcpl, check_path("outside"), 0, 24));
    CHECK_H5(H5Dclose(make_dataset(p.from, "d", H5T_STD_REF_OBJ, 1, &n, dcpl, NULL)));
    CHECK_STATUS(STOA_ELOSS, stoa_clone_group(p.from, p.to, &whole, NULL, 0, &err), &err);
    CHECK_CONTAINS(err.message, "its references lie in other files or datasets");
    close_pair(&p);
}

/* --- stored otherwise ------------------------------------------------------------------------ */

typedef struct others {
    unsigned n_chosen, n_filled, n_copied, n_asked;
    bool has_own;
} others;

static bool is_named(hid_t dataset, char first)
{
    char name[64] = "";

    CHECK_H5(H5Iget_name(dataset, name, sizeof name));
    return strrchr(name, '/')[1] == first;
}

/* Those whose names begin with an o lie in chunks of five, and one with a w in one piece. */
static stoa_status choose(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err)
{
    others *const o = context;

    (void)err;
    *is_other = is_named(source, 'o') || is_named(source, 'w');
    if (is_named(source, 'w') && creation != H5I_INVALID_HID) {
        CHECK_H5(H5Pset_layout(creation, H5D_CONTIGUOUS));
    } else if (*is_other && creation != H5I_INVALID_HID) {
        o->n_chosen++;
        CHECK_H5(H5Pset_chunk(creation, 1, &(hsize_t){5}));
    }
    return STOA_OK;
}

static stoa_status fill(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    others *const o = context;
    int32_t rows[6] = {0};

    (void)err;
    o->n_filled++;
    CHECK_H5(H5Dread(source, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    CHECK_H5(H5Dwrite(copy, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows));
    return STOA_OK;
}

static stoa_status copy_own(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    (void)source;
    (void)copy;
    ((others *)context)->n_copied++;
    return stoa_fail(err, STOA_EDATA, "is copied in a way of its own");
}

static bool has_own(void *context, hid_t dataset)
{
    others *const o = context;

    o->n_asked++;
    return o->has_own && is_named(dataset, 'v');
}

static H5D_layout_t layout_of(hid_t loc, const char *name)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(loc, name, H5P_DEFAULT));
    const hid_t dcpl = CHECK_H5(H5Dget_create_plist(dataset));
    const H5D_layout_t layout = H5Pget_layout(dcpl);

    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Dclose(dataset));
    return layout;
}

static void datasets_that_are_chosen_lie_otherwise_in_the_copy(void)
{
    pair p = make_pair(false);
    others o = {.has_own = false};
    const stoa_other_storage other = {
        .context = &o, .choose = choose, .fill = fill, .has_own = has_own, .copy = copy_own};
    const hsize_t n = 6;
    const int32_t rows[6] = {1, 2, 3, 4, 5, 6};
    int32_t found[6] = {0};
    const hid_t type = text_type();
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Dclose(make_dataset(p.from, "other", H5T_STD_I32LE, 1, &n, H5P_DEFAULT, rows)));
    CHECK_H5(H5Dclose(make_dataset(p.from, "same", H5T_STD_I32LE, 1, &n, H5P_DEFAULT, rows)));
    CHECK_H5(H5Dclose(make_dataset(p.from, "otexts", type, 1, &n, H5P_DEFAULT, texts)));
    CHECK_H5(H5Dclose(make_dataset(p.from, "vtexts", type, 1, &n, H5P_DEFAULT, texts)));
    CHECK_OK(stoa_clone_group(p.from, p.to, &other, NULL, 0, &err), &err);
    CHECK(layout_of(p.to, "other") == H5D_CHUNKED && layout_of(p.to, "same") == H5D_CONTIGUOUS);
    CHECK_U64(o.n_chosen, 2);
    CHECK_U64(o.n_filled, 1);
    CHECK(o.n_asked > 0 && o.n_copied == 0);
    check_texts(p.to, "otexts", 6, true);
    check_texts(p.to, "vtexts", 6, false);
    const hid_t copy = CHECK_H5(H5Dopen2(p.to, "other", H5P_DEFAULT));
    CHECK_H5(H5Dread(copy, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    CHECK_MEM(found, rows, sizeof rows);
    CHECK_H5(H5Dclose(copy));
    /* Texts that have a way of their own. */
    const hid_t again = make_group(p.other, "again");
    o.has_own = true;
    CHECK_STATUS(STOA_EDATA, stoa_clone_group(p.from, again, &other, NULL, 0, &err), &err);
    CHECK_CONTAINS(err.message, "'/from/vtexts': is copied in a way of its own");
    CHECK_U64(o.n_copied, 1);
    CHECK_H5(H5Gclose(again));
    CHECK_H5(H5Tclose(type));
    close_pair(&p);
}

/* Six rows that may become any number. */
static void make_growing(hid_t loc, const char *name)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){6}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t dcpl = in_chunks(1, &(hsize_t){3});

    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(loc, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

/* -1: it has no shape at all. */
static int shape_of(hid_t loc, const char *name, hsize_t *most)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(loc, name, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Dget_space(dataset));
    const int rank = H5Sget_simple_extent_type(space) == H5S_NULL
                         ? -1
                         : CHECK_H5(H5Sget_simple_extent_dims(space, NULL, most));

    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
    return rank;
}

/* Only chunks have room to grow; no shape stays none. */
static void what_lies_in_one_piece_is_bounded(void)
{
    pair p = make_pair(false);
    others o = {.has_own = false};
    const stoa_other_storage other = {
        .context = &o, .choose = choose, .fill = fill, .has_own = has_own, .copy = copy_own};
    const hid_t type = text_type();
    const hid_t none = CHECK_H5(H5Screate(H5S_NULL));
    hsize_t most = 0;
    stoa_error err = STOA_ERROR_INIT;

    make_growing(p.from, "grows otherwise");
    make_growing(p.from, "others");
    make_growing(p.from, "whole");
    CHECK_H5(H5Dclose(CHECK_H5(
        H5Dcreate2(p.from, "nothing", type, none, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    CHECK_OK(stoa_clone_group(p.from, p.to, &other, NULL, 0, &err), &err);
    CHECK(shape_of(p.to, "grows otherwise", &most) == 1 && most == H5S_UNLIMITED);
    CHECK(shape_of(p.to, "others", &most) == 1 && most == H5S_UNLIMITED);
    CHECK(shape_of(p.to, "whole", &most) == 1 && most == 6);
    CHECK(layout_of(p.to, "whole") == H5D_CONTIGUOUS);
    CHECK_I64(shape_of(p.to, "nothing", &most), -1);
    CHECK_H5(H5Sclose(none));
    CHECK_H5(H5Tclose(type));
    close_pair(&p);
}

static bool is_left(const void *left, const H5O_token_t *token)
{
    return memcmp(left, token, sizeof *token) == 0;
}

static void what_is_left_out_goes_with_what_only_it_leads_to(void)
{
    pair p = make_pair(false);
    const hid_t out = make_group(p.from, "out");
    const hid_t in = make_group(p.from, "in");
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Gclose(make_group(out, "deep")));
    CHECK_H5(H5Gclose(make_group(in, "kept")));
    CHECK_H5(H5Lcreate_hard(out, ".", in, "again", H5P_DEFAULT, H5P_DEFAULT));
    const H5O_token_t token = token_of(out, ".");
    const stoa_other_storage other = {.is_left = is_left, .left = &token};
    CHECK_OK(stoa_clone_group(p.from, p.to, &other, NULL, 0, &err), &err);
    CHECK(H5Lexists(p.to, "out", H5P_DEFAULT) == 0);
    CHECK(H5Lexists(p.to, "in/again", H5P_DEFAULT) == 0);
    CHECK(H5Lexists(p.to, "in/kept", H5P_DEFAULT) > 0);
    CHECK_H5(H5Gclose(in));
    CHECK_H5(H5Gclose(out));
    close_pair(&p);
}

/* --- progress -------------------------------------------------------------------------------- */

typedef struct told {
    unsigned n;
    uint64_t bytes, total;
    unsigned stops_at;
} told;

static bool tell(void *context, const stoa_progress *progress)
{
    told *const t = context;

    CHECK_STR(progress->stage, "copying");
    CHECK(progress->bytes >= t->bytes);
    t->bytes = progress->bytes;
    t->total = progress->total_bytes;
    return ++t->n != t->stops_at;
}

static void bytes_of_storage_are_told(void)
{
    for (unsigned stops_at = 0; stops_at <= 2; stops_at += 2) {
        pair p = make_pair(false);
        const hsize_t n = 6;
        const int32_t rows[6] = {0};
        told t = {.stops_at = stops_at};
        const stoa_listener listener = {tell, &t};
        stoa_error err = STOA_ERROR_INIT;

        CHECK_H5(H5Dclose(make_dataset(p.from, "a", H5T_STD_I32LE, 1, &n, H5P_DEFAULT, rows)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "b", H5T_STD_I32LE, 1, &n, H5P_DEFAULT, rows)));
        CHECK_H5(H5Dclose(make_dataset(p.from, "c", H5T_STD_I32LE, 1, &n, H5P_DEFAULT, rows)));
        const stoa_status status = stoa_clone_group(p.from, p.to, NULL, &listener, 1234, &err);
        CHECK((status == STOA_OK) == (stops_at == 0));
        CHECK_U64(t.n, stops_at == 0 ? 3 : 2);
        CHECK_U64(t.bytes, t.n * 24);
        CHECK_U64(t.total, 1234);
        close_pair(&p);
    }
}

/* --- links and attributes -------------------------------------------------------------------- */

static void put_attribute(hid_t object, const char *name, int32_t value)
{
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));

    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT32, &value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static int32_t attribute_of(hid_t object, const char *name)
{
    int32_t value = -1;
    const hid_t attribute = CHECK_H5(H5Aopen(object, name, H5P_DEFAULT));

    CHECK_H5(H5Aread(attribute, H5T_NATIVE_INT32, &value));
    CHECK_H5(H5Aclose(attribute));
    return value;
}

static bool is_in_file(const char *path, const char *words)
{
    static char bytes[1 << 16];
    FILE *stream = fopen(path, "rb");
    bool is = false;

    CHECK(stream != NULL);
    const size_t n = fread(bytes, 1, sizeof bytes, stream);
    for (size_t i = 0; i + strlen(words) <= n && !is; i++) {
        is = memcmp(bytes + i, words, strlen(words)) == 0;
    }
    (void)fclose(stream);
    return is;
}

/* So nobody takes half a copy for a whole one, even if the program is killed then. */
static void all_else_is_in_the_file_before_the_attributes_of_the_group(void)
{
    const char *path = check_path("to.h5");
    pair p = {.file = memory_file("from.h5", false),
              .other = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))};
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    H5R_ref_t reference;
    stoa_error err = STOA_ERROR_INIT;

    p.from = make_group(p.file, "from");
    p.to = make_group(p.other, "to");
    CHECK_H5(H5Gclose(make_group(p.file, "outer")));
    CHECK_H5(H5Gclose(make_group(p.from, "seen in the file")));
    CHECK_H5(H5Rcreate_object(p.file, "outer", H5P_DEFAULT, &reference));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(p.from, "last", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK(!is_in_file(path, "seen in the file"));
    CHECK_STATUS(STOA_ELOSS, clone(p.from, p.to, &err), &err);
    CHECK_CONTAINS(err.message, "'/from': attribute 'last': holds a reference to '/outer'");
    CHECK(is_in_file(path, "seen in the file"));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    close_pair(&p);
}

/* Of the group itself, of what is in it, and of a datatype that only an attribute has. */
static void links_attributes_and_comments_go_along(void)
{
    for (int is_same = 0; is_same < 2; is_same++) {
        pair p = make_pair(is_same);
        const hid_t inner = make_group(p.from, "inner");
        const hid_t type = CHECK_H5(H5Tcopy(H5T_STD_I32LE));
        const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
        char text[32] = "";

        put_attribute(p.from, "own", 1);
        put_attribute(inner, "inside", 2);
        CHECK_H5(H5Oset_comment(inner, "a comment"));
        CHECK_H5(H5Lcreate_hard(p.from, "inner", inner, "round", H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Lcreate_soft("../inner", inner, "soft", H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Lcreate_external("f.h5", "/x", inner, "far", H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Tcommit2(p.file, "outer", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        put_attribute(type, "of type", 3);
        const hid_t typed =
            CHECK_H5(H5Acreate2(p.from, "typed", type, space, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Awrite(typed, H5T_NATIVE_INT32, &(int32_t){4}));
        CHECK_H5(H5Aclose(typed));
        clone_ok(&p);
        const hid_t copy = CHECK_H5(H5Gopen2(p.to, "inner", H5P_DEFAULT));
        CHECK_I64(attribute_of(p.to, "own"), 1);
        CHECK_I64(attribute_of(p.to, "typed"), 4);
        CHECK_I64(attribute_of(copy, "inside"), 2);
        CHECK_H5(H5Oget_comment(copy, text, sizeof text));
        CHECK_STR(text, "a comment");
        CHECK(is_same_object(copy, "round", p.to, "inner"));
        CHECK_H5(H5Lget_val(copy, "soft", text, sizeof text, H5P_DEFAULT));
        CHECK_STR(text, "../inner");
        H5L_info2_t link;
        CHECK_H5(H5Lget_info2(copy, "far", &link, H5P_DEFAULT));
        CHECK(link.type == H5L_TYPE_EXTERNAL);
        const hid_t attribute = CHECK_H5(H5Aopen(p.to, "typed", H5P_DEFAULT));
        const hid_t its_type = CHECK_H5(H5Aget_type(attribute));
        CHECK(H5Tcommitted(its_type) > 0);
        CHECK_I64(attribute_of(its_type, "of type"), 3);
        CHECK_H5(H5Tclose(its_type));
        CHECK_H5(H5Aclose(attribute));
        CHECK_H5(H5Gclose(copy));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Tclose(type));
        CHECK_H5(H5Gclose(inner));
        close_pair(&p);
    }
}

static void bytes_of_a_dataset_are_those_it_takes_up(void)
{
    pair p = make_pair(true);
    const hsize_t n = 6;
    const int32_t rows[6] = {0};
    const hid_t dataset = make_dataset(p.from, "a", H5T_STD_I32LE, 1, &n, H5P_DEFAULT, rows);

    CHECK_U64(stoa_stored_bytes(dataset), 24);
    CHECK_U64(stoa_stored_bytes(p.from), 0);
    CHECK_H5(H5Dclose(dataset));
    close_pair(&p);
}

/* --- memory ---------------------------------------------------------------------------------- */

static stoa_status clone_a_little(stoa_error *err)
{
    pair p = make_pair(false);
    const hsize_t n = 2;
    const hid_t type = text_type();
    const hid_t inner = make_group(p.from, "inner");

    CHECK_H5(H5Dclose(make_dataset(inner, "t", type, 1, &n, H5P_DEFAULT, texts)));
    CHECK_H5(H5Dclose(make_references(&p, "r", inner)));
    put_attribute(inner, "a", 1);
    CHECK_H5(H5Oset_comment(inner, "a comment"));
    const stoa_status status = clone(p.from, p.to, err);
    CHECK_H5(H5Gclose(inner));
    CHECK_H5(H5Tclose(type));
    close_pair(&p);
    return status;
}

static void memory_may_run_out(void)
{
    CHECK(sweep_memory_throughout(clone_a_little) > 20);
}

TEST_MAIN(TEST(what_lies_in_one_piece_is_bounded), TEST(sources_are_not_opened),
          TEST(all_else_is_in_the_file_before_the_attributes_of_the_group),
          TEST(texts_are_copied_element_by_element_whatever_their_shape),
          TEST(texts_within_other_types_are_found), TEST(long_rows_are_copied_in_pieces),
          TEST(references_lead_to_the_copies_of_what_they_led_to),
          TEST(a_reference_out_of_the_group_cannot_go_into_another_file),
          TEST(references_to_nothing_are_kept_or_cleared), TEST(a_committed_datatype_stays_one),
          TEST(the_group_of_datatypes_takes_a_free_name),
          TEST(chunks_that_outgrow_their_rows_are_copied_one_by_one),
          TEST(values_that_lie_elsewhere_are_written_into_another_file),
          TEST(references_that_lie_elsewhere_are_refused),
          TEST(datasets_that_are_chosen_lie_otherwise_in_the_copy),
          TEST(what_is_left_out_goes_with_what_only_it_leads_to), TEST(bytes_of_storage_are_told),
          TEST(links_attributes_and_comments_go_along),
          TEST(bytes_of_a_dataset_are_those_it_takes_up), TEST(memory_may_run_out))
