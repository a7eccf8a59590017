/* See edited_file.h. Everything here also runs in forked children, so nothing uses the test kit. */
#include "edited_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OLD 1000
#define N_NEW 1777
#define CHUNK 128

/* True if all calls so far went well; ids are closed in any case. */
static bool close_all(bool good, hid_t a, hid_t b, hid_t c)
{
    const hid_t ids[] = {a, b, c};

    for (size_t i = 0; i < 3; i++) {
        good = (ids[i] == H5I_INVALID_HID || H5Idec_ref(ids[i]) >= 0) && good;
    }
    return good;
}

static bool set_attribute(hid_t object, const char *name, int64_t value)
{
    const hid_t scalar = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Aexists(object, name) > 0
            ? H5Aopen(object, name, H5P_DEFAULT)
            : H5Acreate2(object, name, H5T_STD_I64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0;

    return close_all(good, attribute, scalar, H5I_INVALID_HID);
}

static bool make_groups(hid_t file, const char *stem, int n)
{
    bool good = true;

    for (int i = 0; i < n && good; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%d", stem, i);
        const hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        good = group >= 0 && set_attribute(group, "number", i) && H5Gclose(group) >= 0;
    }
    return good;
}

/* Rows [first, n) of a dataset become factor * row. */
static bool write_rows(hid_t file, const char *name, hsize_t first, hsize_t n, int64_t factor)
{
    const hsize_t count = n - first;
    int64_t *rows = malloc((size_t)n * sizeof *rows);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t in_file = H5Dget_space(dataset);
    const hid_t in_memory = H5Screate_simple(1, &count, NULL);
    bool good = rows != NULL && dataset >= 0;

    for (hsize_t i = 0; good && i < count; i++) {
        rows[i] = factor * (int64_t)(first + i);
    }
    good = good && H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0 &&
           H5Dwrite(dataset, H5T_NATIVE_INT64, in_memory, in_file, H5P_DEFAULT, rows) >= 0;
    free(rows);
    return close_all(good, dataset, in_file, in_memory);
}

static bool make_rows(hid_t file, const char *name, bool chunked, bool deflated)
{
    const hsize_t n = N_OLD;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hsize_t chunk = CHUNK;
    const hid_t space = H5Screate_simple(1, &n, chunked ? &unlimited : NULL);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = (!chunked || H5Pset_chunk(list, 1, &chunk) >= 0) &&
                (!deflated || H5Pset_deflate(list, 4) >= 0);
    const hid_t dataset =
        H5Dcreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);

    good = good && dataset >= 0;
    return close_all(good, space, list, dataset) && write_rows(file, name, 0, N_OLD, 3);
}

static bool write_words(hid_t file, bool create, const char *word)
{
    enum { N_WORDS = 50 };
    const hsize_t n = N_WORDS;
    const char *words[N_WORDS];
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate_simple(1, &n, NULL);
    bool good = H5Tset_size(type, H5T_VARIABLE) >= 0;
    const hid_t dataset =
        create ? H5Dcreate2(file, "words", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
               : H5Dopen2(file, "words", H5P_DEFAULT);

    for (size_t i = 0; i < N_WORDS; i++) {
        words[i] = word;
    }
    good = good && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words) >= 0;
    return close_all(good, type, space, dataset);
}

bool edited_file_make(const char *path, H5F_libver_t low, hsize_t user_block)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    bool good = H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST) >= 0 &&
                H5Pset_userblock(creation, user_block) >= 0;
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);

    good = good && file >= 0 && make_rows(file, "plain", true, false) &&
           make_rows(file, "packed", true, true) && make_rows(file, "whole", false, false) &&
           write_words(file, true, "stoa") && make_groups(file, "old", 20);
    for (int i = 0; i < 24 && good; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "attribute%d", i);
        good = set_attribute(file, name, i);
    }
    good = good && set_attribute(file, "NROWS", N_OLD);
    return close_all(good, file, access, creation);
}

static bool extend(hid_t file, const char *name)
{
    const hsize_t n = N_NEW;
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const bool good = dataset >= 0 && H5Dset_extent(dataset, &n) >= 0;

    return close_all(good, dataset, H5I_INVALID_HID, H5I_INVALID_HID) &&
           write_rows(file, name, 100, N_NEW, 5);
}

bool edited_file_append(hid_t file)
{
    return extend(file, "plain") && extend(file, "packed") &&
           H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 && set_attribute(file, "NROWS", N_NEW) &&
           H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

bool edited_file_edit(hid_t file)
{
    bool good =
        extend(file, "plain") && extend(file, "packed") && write_rows(file, "whole", 333, 666, 7) &&
        write_words(file, false, "a covered walk with columns") && make_groups(file, "new", 30);

    for (int i = 0; i < 20 && good; i += 3) {
        char name[32];
        (void)snprintf(name, sizeof name, "old%d", i);
        good = H5Ldelete(file, name, H5P_DEFAULT) >= 0;
        (void)snprintf(name, sizeof name, "attribute%d", i);
        good = good && H5Adelete(file, name) >= 0;
        (void)snprintf(name, sizeof name, "added%d", i);
        good = good && set_attribute(file, name, -i);
    }
    return good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0 && set_attribute(file, "NROWS", N_NEW) &&
           H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

/* ---- The digest ----------------------------------------------------------------------------- */

static void mix(uint64_t *digest, const void *bytes, size_t n)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < n; i++) {
        *digest = (*digest ^ byte[i]) * UINT64_C(1099511628211);
    }
}

/* Elements as libhdf5 reads them. What it keeps of references of the newer kind is not of the file.
 */
static void mix_elements(hid_t type, const void *elements, size_t n, uint64_t *digest)
{
    const hid_t base = H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : H5I_INVALID_HID;
    const size_t size = base >= 0 ? H5Tget_size(base) : H5Tget_size(type);
    const hvl_t *const lists = elements;
    char *const *const words = elements;

    for (size_t i = 0; i < n && H5Tequal(type, H5T_STD_REF) == 0; i++) {
        if (base >= 0) {
            mix(digest, &lists[i].len, sizeof lists[i].len);
            mix(digest, lists[i].p, lists[i].len * size);
        } else if (H5Tis_variable_str(type) > 0) {
            const char *const word = words[i] != NULL ? words[i] : "";
            mix(digest, word, strlen(word) + 1);
        } else {
            mix(digest, (const char *)elements + i * size, size);
        }
    }
    (void)close_all(true, base, H5I_INVALID_HID, H5I_INVALID_HID);
}

/* All elements of a dataset or an attribute, with their number. */
static bool mix_all(hid_t of, bool is_attribute, uint64_t *digest)
{
    const hid_t space = is_attribute ? H5Aget_space(of) : H5Dget_space(of);
    const hid_t type = is_attribute ? H5Aget_type(of) : H5Dget_type(of);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    bool good = n >= 0 && n < 10000000 && type >= 0;
    void *elements = good ? calloc((size_t)n + 1, H5Tget_size(type)) : NULL;

    good = elements != NULL &&
           (is_attribute ? H5Aread(of, type, elements)
                         : H5Dread(of, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements)) >= 0;
    if (good) {
        mix(digest, &n, sizeof n);
        mix_elements(type, elements, (size_t)n, digest);
        (void)H5Treclaim(type, space, H5P_DEFAULT, elements);
    }
    free(elements);
    return close_all(good, space, type, H5I_INVALID_HID);
}

static herr_t mix_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);

    (void)info;
    mix(context, name, strlen(name) + 1);
    const bool good = attribute >= 0 && mix_all(attribute, true, context);
    return close_all(good, attribute, H5I_INVALID_HID, H5I_INVALID_HID) ? 0 : -1;
}

static bool mix_dataset(hid_t file, const char *name, uint64_t *digest)
{
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    const bool good = dataset >= 0 && mix_all(dataset, false, digest);

    return close_all(good, dataset, H5I_INVALID_HID, H5I_INVALID_HID);
}

static herr_t mix_object(hid_t file, const char *name, const H5O_info2_t *info, void *context)
{
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    hsize_t at = 0;
    bool good = object >= 0;

    mix(context, name, strlen(name) + 1);
    good =
        good && H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, mix_attribute, context) >= 0;
    if (object >= 0) {
        (void)H5Oclose(object);
    }
    good = good && (info->type != H5O_TYPE_DATASET || mix_dataset(file, name, context));
    return good ? 0 : -1;
}

bool edited_file_digest(hid_t file, uint64_t *digest)
{
    H5E_auto2_t print;
    void *context;

    *digest = UINT64_C(14695981039346656037);
    (void)H5Eget_auto2(H5E_DEFAULT, &print, &context);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const bool good =
        H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, mix_object, digest, H5O_INFO_BASIC) >= 0;
    (void)H5Eset_auto2(H5E_DEFAULT, print, context);
    return good;
}
