/*
 * Seeds with every structure of HDF5 that a command may come by: each index of chunks, old and
 * dense groups, shared messages, free space, heaps, links of every kind; and sparse arrays. The
 * object is /t, which is what the lines of fuzz_command ask for.
 */
#include <stoa/sparse.h>
#include <string.h>

#include "fuzz/driver/seeds.h"
#include "support/check.h"

static const seeds_format formats[] = {{"earliest", H5F_LIBVER_EARLIEST},
                                       {"v18", H5F_LIBVER_V18},
                                       {"v110", H5F_LIBVER_V110}};

/* --- datasets -------------------------------------------------------------------------------- */

typedef struct shape {
    const char *name;
    int rank;
    hsize_t extent[2], most[2], chunk[2];
    bool is_packed, is_early;
} shape;

static const shape shapes[] = {
    {"single-chunk", 2, {6, 4}, {6, 4}, {6, 4}, false, false},
    {"single-packed", 2, {6, 4}, {6, 4}, {6, 4}, true, false},
    {"implicit", 2, {6, 4}, {6, 4}, {2, 3}, false, true},
    {"fixed", 2, {8, 6}, {8, 6}, {3, 2}, false, false},
    {"fixed-packed", 2, {8, 6}, {8, 6}, {3, 2}, true, false},
    {"fixed-paged", 1, {1200}, {1200}, {1}, false, false},
    {"extensible", 1, {70}, {H5S_UNLIMITED}, {1}, false, false},
    {"extensible-packed", 2, {8, 6}, {H5S_UNLIMITED, 6}, {3, 2}, true, false},
    {"extensible-second", 2, {8, 6}, {9, H5S_UNLIMITED}, {3, 2}, false, false},
    {"tree", 2, {8, 6}, {H5S_UNLIMITED, H5S_UNLIMITED}, {1, 2}, false, false},
    {"tree-packed", 2, {8, 6}, {H5S_UNLIMITED, H5S_UNLIMITED}, {3, 2}, true, false},
};

static void put_numbers(hid_t file, const char *path, const shape *s)
{
    static int16_t numbers[1200];
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(s->rank, s->extent, s->most));

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        numbers[i] = (int16_t)(i % 7 == 0 ? 0 : i);
    }
    CHECK_H5(H5Pset_chunk(dcpl, s->rank, s->chunk));
    if (s->is_packed) {
        CHECK_H5(H5Pset_shuffle(dcpl));
        CHECK_H5(H5Pset_deflate(dcpl, 1));
        CHECK_H5(H5Pset_fletcher32(dcpl));
    }
    if (s->is_early) {
        CHECK_H5(H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

static void save_shapes(const seeds_format *format)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const hid_t file = seeds_file(format->low, H5P_DEFAULT);
        put_numbers(file, "/t", &shapes[i]);
        seeds_save(file, shapes[i].name, format->name);
        CHECK_H5(H5Fclose(file));
    }
}

/* --- types ----------------------------------------------------------------------------------- */

static void put_values(hid_t file, const char *path, hid_t type, hsize_t n, bool is_compact,
                       const void *values)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));

    if (is_compact) {
        CHECK_H5(H5Pset_layout(dcpl, H5D_COMPACT));
    }
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

static void save_types(const seeds_format *format)
{
    const hid_t file = seeds_file(format->low, H5P_DEFAULT);
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t list = CHECK_H5(H5Tvlen_create(H5T_STD_I32LE));
    const hid_t pair = CHECK_H5(H5Tcreate(H5T_COMPOUND, 16));
    const hid_t array = CHECK_H5(H5Tarray_create2(H5T_STD_U8LE, 1, (hsize_t[]){3}));
    const hid_t colours = CHECK_H5(H5Tenum_create(H5T_STD_I8LE));
    int32_t numbers[] = {1, 2, 3};
    const char *const texts[] = {"a", "longer", ""};
    const hvl_t lists[] = {{3, numbers}, {0, NULL}, {1, numbers}};
    hobj_ref_t objects[2];
    hdset_reg_ref_t region;

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    CHECK_H5(H5Tinsert(pair, "a", 0, H5T_STD_I32LE));
    CHECK_H5(H5Tinsert(pair, "b", 8, H5T_IEEE_F64LE));
    CHECK_H5(H5Tenum_insert(colours, "red", (int8_t[]){0}));
    CHECK_H5(H5Tenum_insert(colours, "blue", (int8_t[]){1}));
    CHECK_H5(H5Tcommit2(file, "/c", pair, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put_values(file, "/t", pair, 2, false, (int64_t[]){1, 2, 3, 4});
    put_values(file, "/s", text, 3, false, texts);
    put_values(file, "/lists", list, 3, false, lists);
    put_values(file, "/i", colours, 3, true, (int8_t[]){0, 1, 1});
    put_values(file, "/seg", array, 2, true, (uint8_t[]){1, 2, 3, 4, 5, 6});
    CHECK_H5(H5Rcreate(&objects[0], file, "/t", H5R_OBJECT, H5I_INVALID_HID));
    CHECK_H5(H5Rcreate(&objects[1], file, "/s", H5R_OBJECT, H5I_INVALID_HID));
    put_values(file, "/objects", H5T_STD_REF_OBJ, 2, false, objects);
    const hid_t space = CHECK_H5(H5Screate_simple(1, (hsize_t[]){3}, NULL));
    CHECK_H5(H5Sselect_elements(space, H5S_SELECT_SET, 2, (hsize_t[]){0, 2}));
    CHECK_H5(H5Rcreate(&region, file, "/s", H5R_DATASET_REGION, space));
    put_values(file, "/texts", H5T_STD_REF_DSETREG, 1, false, &region);
    if (format->low >= H5F_LIBVER_V110) {
        H5R_ref_t reference;
        CHECK_H5(H5Rcreate_object(file, "/t", H5P_DEFAULT, &reference));
        put_values(file, "/any", H5T_STD_REF, 1, false, &reference);
        CHECK_H5(H5Rdestroy(&reference));
    }
    seeds_save(file, "types", format->name);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(colours));
    CHECK_H5(H5Tclose(array));
    CHECK_H5(H5Tclose(pair));
    CHECK_H5(H5Tclose(list));
    CHECK_H5(H5Tclose(text));
    CHECK_H5(H5Fclose(file));
}

/* --- groups, and what a file says of itself -------------------------------------------------- */

/* More links and attributes than fit into an object header, or into a node. */
static void fill_group(hid_t file)
{
    const hid_t gcpl = CHECK_H5(H5Pcreate(H5P_GROUP_CREATE));
    const hid_t scalar = CHECK_H5(H5Screate(H5S_SCALAR));
    char name[32];

    CHECK_H5(H5Pset_link_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    CHECK_H5(H5Pset_attr_creation_order(gcpl, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
    CHECK_H5(H5Pset_link_phase_change(gcpl, 3, 2));
    CHECK_H5(H5Pset_attr_phase_change(gcpl, 3, 2));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "/t", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    put_values(group, "a", H5T_STD_I32LE, 3, false, (int32_t[]){1, 2, 3});
    CHECK_H5(H5Lcreate_soft("/t/a", group, "b", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external("b.h5", "/x", group, "c", H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 9; i++) {
        (void)snprintf(name, sizeof name, "l%d", i);
        CHECK_H5(H5Lcreate_hard(group, "a", group, name, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t attribute =
            CHECK_H5(H5Acreate2(group, name, H5T_STD_I16LE, scalar, H5P_DEFAULT, H5P_DEFAULT));
        CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT, &i));
        CHECK_H5(H5Aclose(attribute));
    }
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Sclose(scalar));
    CHECK_H5(H5Pclose(gcpl));
}

static void save_groups(const seeds_format *format)
{
    static const char *const names[] = {"group", "free-space", "pages", "shared"};

    for (unsigned which = 0; which < sizeof names / sizeof names[0]; which++) {
        const hid_t fcpl = CHECK_H5(H5Pcreate(H5P_FILE_CREATE));
        CHECK_H5(H5Pset_sym_k(fcpl, 1, 1));
        if (which == 1 || which == 2) {
            CHECK_H5(H5Pset_file_space_strategy(
                fcpl, which == 1 ? H5F_FSPACE_STRATEGY_FSM_AGGR : H5F_FSPACE_STRATEGY_PAGE, true,
                1));
            CHECK_H5(H5Pset_file_space_page_size(fcpl, 512));
        } else if (which == 3) {
            CHECK_H5(H5Pset_shared_mesg_nindexes(fcpl, 2));
            CHECK_H5(H5Pset_shared_mesg_index(fcpl, 0,
                                              H5O_SHMESG_DTYPE_FLAG | H5O_SHMESG_SDSPACE_FLAG, 8));
            CHECK_H5(H5Pset_shared_mesg_index(fcpl, 1, H5O_SHMESG_ATTR_FLAG, 8));
        }
        const hid_t file = seeds_file(format->low, fcpl);
        fill_group(file);
        put_numbers(file, "/gone", &shapes[3]);
        CHECK_H5(H5Ldelete(file, "/gone", H5P_DEFAULT));
        seeds_save(file, names[which], format->name);
        CHECK_H5(H5Fclose(file));
        CHECK_H5(H5Pclose(fcpl));
    }
}

/* Values that lie in another file, and in another dataset. */
static void save_elsewhere(const seeds_format *format)
{
    const hid_t file = seeds_file(format->low, H5P_DEFAULT);
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, (hsize_t[]){3}, NULL));

    CHECK_H5(H5Pset_external(dcpl, "b.bin", 0, 6));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, "/t", H5T_STD_I16LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Pclose(dcpl));
    if (format->low >= H5F_LIBVER_V110) {
        const hid_t parts = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
        put_values(file, "/s", H5T_STD_I16LE, 3, false, (int16_t[]){1, 2, 3});
        CHECK_H5(H5Pset_virtual(parts, space, ".", "/s", space));
        CHECK_H5(H5Dclose(CHECK_H5(
            H5Dcreate2(file, "/c", H5T_STD_I16LE, space, H5P_DEFAULT, parts, H5P_DEFAULT))));
        CHECK_H5(H5Pclose(parts));
    }
    seeds_save(file, "elsewhere", format->name);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
}

/* --- sparse arrays --------------------------------------------------------------------------- */

static void save_sparse(const seeds_format *format)
{
    static const char *const packed[] = {"none", "deflate", "small"};
    const uint64_t extent[] = {9, 8};
    const uint64_t chunk[] = {4, 3};
    const uint64_t coordinates[] = {0, 1, 2, 2, 3, 7, 8, 0, 8, 7};
    const char *const texts[] = {"a", "bb", "", "dddd", "e"};
    const hid_t text = CHECK_H5(H5Tcopy(H5T_C_S1));
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Tset_size(text, H5T_VARIABLE));
    for (unsigned i = 0; i < 4; i++) {
        const hid_t file = seeds_file(format->low, H5P_DEFAULT);
        stoa_sparse_options options = STOA_SPARSE_OPTIONS_INIT;
        stoa_sparse *array = NULL;
        char name[32];
        options.chunk = chunk;
        options.max_extent = i == 2 ? extent : NULL;
        options.positions = packed[i % 3];
        options.values = packed[i % 3];
        const hid_t type = i == 3 ? text : H5T_STD_I32LE;
        CHECK_OK(stoa_sparse_create(file, "/t", type, 2, extent, &options, NULL, &array, &err),
                 &err);
        CHECK_OK(stoa_sparse_write(array, 5, coordinates,
                                   i == 3 ? (const void *)texts
                                          : (const void *)(const int32_t[]){1, -2, 3, 0, 5},
                                   i == 3 ? text : H5T_NATIVE_INT32, &err),
                 &err);
        CHECK_OK(stoa_sparse_commit(array, &err), &err);
        (void)snprintf(name, sizeof name, "sparse-%u", i);
        seeds_save(file, name, format->name);
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Tclose(text));
}

void seeds_save_structures(void)
{
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        save_shapes(&formats[f]);
        save_types(&formats[f]);
        save_groups(&formats[f]);
        save_elsewhere(&formats[f]);
        save_sparse(&formats[f]);
    }
}
