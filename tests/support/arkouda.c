#include "support/arkouda.h"

#include <hdf5.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

const char *const arkouda_paths[] = {"/i", "/b",   "/s", "/bare", "/seg", "/texts",
                                     "/c", "/big", "/g", "/f",    "/v",   NULL};

void arkouda_say(hid_t object, const char *name, int64_t value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);

    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT64, &value));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
}

static void put(hid_t loc, const char *name, hid_t file_type, hid_t type, size_t n,
                const void *values, int64_t kind)
{
    const hsize_t extent = n;
    const hid_t space = H5Screate_simple(1, &extent, NULL);
    const hid_t dataset =
        H5Dcreate2(loc, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    CHECK_H5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    if (kind >= 0) {
        arkouda_say(dataset, "ObjType", kind);
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
}

void arkouda_put_i64(hid_t loc, const char *name, size_t n, const int64_t *values)
{
    put(loc, name, H5T_STD_I64LE, H5T_NATIVE_INT64, n, values, 1);
}

void arkouda_put_u64(hid_t loc, const char *name, size_t n, const uint64_t *values)
{
    put(loc, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, n, values, 1);
}

static void put_bytes(hid_t loc, const char *name, size_t n, const void *values)
{
    put(loc, name, H5T_STD_U8LE, H5T_NATIVE_UINT8, n, values, 1);
}

void arkouda_put_bools(hid_t loc, const char *name, size_t n, const uint8_t *values)
{
    put_bytes(loc, name, n, values);
    const hid_t dataset = H5Dopen2(loc, name, H5P_DEFAULT);
    arkouda_say(dataset, "isBool", 1);
    CHECK_H5(H5Dclose(dataset));
}

hid_t arkouda_group(hid_t loc, const char *name, int64_t kind)
{
    const hid_t made = H5Gcreate2(loc, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    CHECK_H5(made);
    arkouda_say(made, "ObjType", kind);
    return made;
}

void arkouda_put_strings(hid_t loc, const char *name, size_t n, const int64_t *starts,
                         const char *text, size_t n_text)
{
    const hid_t made = arkouda_group(loc, name, 2);

    put_bytes(made, "values", n_text, text);
    if (starts != NULL) {
        arkouda_put_i64(made, "segments", n, starts);
    }
    CHECK_H5(H5Gclose(made));
}

static const int64_t numbers[ARKOUDA_ROWS] = {3, 1, 3, 2, 1};
static const char text[] = "one\0\0three\0four\0five"; /* ends with the NUL of the last string */
static const int64_t text_starts[ARKOUDA_ROWS] = {0, 4, 5, 11, 16};
static const int64_t list_starts[ARKOUDA_ROWS] = {0, 2, 2, 3, 5};

static void put_lists(hid_t file)
{
    const hid_t seg = arkouda_group(file, "seg", 3);
    const hid_t texts = arkouda_group(file, "texts", 3);

    arkouda_put_i64(seg, "values", ARKOUDA_ROWS, numbers);
    arkouda_put_i64(seg, "segments", ARKOUDA_ROWS, list_starts);
    arkouda_put_strings(texts, "values", ARKOUDA_ROWS, text_starts, text, sizeof text);
    arkouda_put_i64(texts, "segments", ARKOUDA_ROWS, list_starts);
    CHECK_H5(H5Gclose(seg));
    CHECK_H5(H5Gclose(texts));
}

static void put_categories(hid_t loc)
{
    static const int64_t starts[] = {0, 2, 4, 6};
    static const int64_t na_code = 2;
    const hid_t made = arkouda_group(loc, "c", 4);

    arkouda_put_i64(made, "codes", ARKOUDA_ROWS, numbers);
    arkouda_put_strings(made, "categories", 4, starts, "a\0b\0c\0d", 8);
    arkouda_put_i64(made, "NA_Codes", 1, &na_code);
    CHECK_H5(H5Gclose(made));
}

static void put_big(hid_t file)
{
    static const uint64_t limbs[2][ARKOUDA_ROWS] = {{1, 2, 3, 4, UINT64_MAX}, {0, 1, 0, 1, 7}};
    const hid_t made = arkouda_group(file, "big", 1);

    arkouda_say(made, "isBigInt", 1);
    arkouda_say(made, "MaxBits", -1);
    arkouda_say(made, "NumLimbs", 2);
    arkouda_put_u64(made, "Limb_0", ARKOUDA_ROWS, limbs[0]);
    arkouda_put_u64(made, "Limb_1", ARKOUDA_ROWS, limbs[1]);
    CHECK_H5(H5Gclose(made));
}

static void put_groups(hid_t file)
{
    static const int64_t order[ARKOUDA_ROWS] = {1, 4, 3, 0, 2};
    static const int64_t starts[] = {0, 2, 3};
    static const int64_t firsts[] = {1, 3, 0};
    const hid_t made = arkouda_group(file, "g", 5);

    arkouda_say(made, "NumKeys", 1);
    arkouda_put_i64(made, "KEY_0", ARKOUDA_ROWS, numbers);
    arkouda_put_i64(made, "permutation", ARKOUDA_ROWS, order);
    arkouda_put_i64(made, "segments", 3, starts);
    arkouda_put_i64(made, "unique_key_idx", 3, firsts);
    CHECK_H5(H5Gclose(made));
}

static void put_view(hid_t file)
{
    static const int64_t values[2 * ARKOUDA_ROWS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const int64_t shape[] = {ARKOUDA_ROWS, 2};
    const hsize_t rank = 2;

    put(file, "v", H5T_STD_I64LE, H5T_NATIVE_INT64, 2 * ARKOUDA_ROWS, values, 0);
    const hid_t dataset = H5Dopen2(file, "v", H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &rank, NULL);
    const hid_t attribute =
        H5Acreate2(dataset, "Shape", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    CHECK_H5(H5Awrite(attribute, H5T_NATIVE_INT64, shape));
    arkouda_say(dataset, "Rank", 2);
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Dclose(dataset));
}

static void put_frame(hid_t file)
{
    const hid_t made = arkouda_group(file, "f", 6);

    arkouda_put_i64(made, "Index", ARKOUDA_ROWS, numbers);
    arkouda_put_strings(made, "name", ARKOUDA_ROWS, text_starts, text, sizeof text);
    put_categories(made);
    CHECK_H5(H5Gclose(made));
}

void arkouda_make(const char *name)
{
    static const uint8_t bools[ARKOUDA_ROWS] = {1, 0, 0, 1, 1};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    CHECK_H5(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110));
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    CHECK_H5(file);
    arkouda_say(file, "File_Format", 0);
    arkouda_put_i64(file, "i", ARKOUDA_ROWS, numbers);
    arkouda_put_bools(file, "b", ARKOUDA_ROWS, bools);
    arkouda_put_strings(file, "s", ARKOUDA_ROWS, text_starts, text, sizeof text);
    arkouda_put_strings(file, "bare", ARKOUDA_ROWS, NULL, text, sizeof text);
    put_lists(file);
    put_categories(file);
    put_big(file);
    put_groups(file);
    put_frame(file);
    put_view(file);
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(access));
}

void arkouda_make_part(const char *name)
{
    arkouda_make(name);
    const hid_t file = H5Fopen(name, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);

    CHECK_H5(H5Adelete(root, "File_Format"));
    arkouda_say(root, "File_Format", 1);
    CHECK_H5(H5Gclose(root));
    CHECK_H5(H5Fclose(file));
}
