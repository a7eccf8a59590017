/* Tables made with plain libhdf5. */
#include "conformance/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/raw_chunk.h"

#define FILL 0x1.ep+122

const double x_values[N_ROWS] = {3.0, NAN, FILL, 7.5, FILL, FILL, NAN, NAN, -1.0, 2.0};
const minmax x_entries[3] = {{3.0, 7.5, 1, 1, 4}, {FILL, FILL, 2, 2, 4}, {-1.0, 2.0, 0, 0, 2}};

double float_fill(void)
{
    const uint64_t bits = 0x479E000000000000;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

hid_t memory_file(void)
{
    const hid_t fapl = CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    hid_t file = H5I_INVALID_HID;

    CHECK_H5(H5Pset_fapl_core(fapl, (size_t)1 << 16, false));
    CHECK_H5(H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
    file = CHECK_H5(H5Fcreate("case.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    CHECK_H5(H5Pclose(fapl));
    return file;
}

/* --- types ----------------------------------------------------------------------------------- */

hid_t string_type(size_t size, H5T_str_t padding, H5T_cset_t charset)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));

    CHECK_H5(H5Tset_size(type, size));
    CHECK_H5(H5Tset_strpad(type, padding));
    CHECK_H5(H5Tset_cset(type, charset));
    return type;
}

hid_t variable_string_type(void)
{
    return string_type(H5T_VARIABLE, H5T_STR_NULLTERM, H5T_CSET_UTF8);
}

hid_t boolean_type(hid_t base)
{
    const hid_t type = CHECK_H5(H5Tenum_create(base));

    for (int value = 0; value < 2; value++) {
        int64_t code = value;
        CHECK_H5(H5Tconvert(H5T_NATIVE_INT64, base, 1, &code, NULL, H5P_DEFAULT));
        CHECK_H5(H5Tenum_insert(type, value == 0 ? "FALSE" : "TRUE", &code));
    }
    return type;
}

/* --- attributes ------------------------------------------------------------------------------ */

void drop(hid_t file, const char *object, const char *attribute)
{
    CHECK_H5(H5Adelete_by_name(file, object, attribute, H5P_DEFAULT));
}

void put_values(hid_t file, const char *object, const char *attribute, hid_t file_type,
                hid_t memory_type, const void *values, int rank, const hsize_t *dims)
{
    hid_t space = H5I_INVALID_HID;
    hid_t id = H5I_INVALID_HID;

    if (CHECK_H5(H5Aexists_by_name(file, object, attribute, H5P_DEFAULT)) > 0) {
        drop(file, object, attribute);
    }
    if (dims == NULL) {
        space = CHECK_H5(H5Screate(H5S_SCALAR));
    } else if (rank == 0) {
        space = CHECK_H5(H5Screate(H5S_NULL));
    } else {
        space = CHECK_H5(H5Screate_simple(rank, dims, NULL));
    }
    id = CHECK_H5(H5Acreate_by_name(file, object, attribute, file_type, space, H5P_DEFAULT,
                                    H5P_DEFAULT, H5P_DEFAULT));
    if (values != NULL) {
        CHECK_H5(H5Awrite(id, memory_type, values));
    }
    CHECK_H5(H5Aclose(id));
    CHECK_H5(H5Sclose(space));
}

void put_value(hid_t file, const char *object, const char *attribute, hid_t file_type,
               hid_t memory_type, const void *value)
{
    put_values(file, object, attribute, file_type, memory_type, value, 0, NULL);
}

static void put_padded(hid_t file, const char *object, const char *attribute, const char *value,
                       hid_t type, const hsize_t *dims)
{
    const size_t size = H5Tget_size(type);
    char *bytes = malloc(size);

    memset(bytes, H5Tget_strpad(type) == H5T_STR_SPACEPAD ? ' ' : '\0', size);
    memcpy(bytes, value, strlen(value) < size ? strlen(value) : size);
    put_values(file, object, attribute, type, type, bytes, 1, dims);
    free(bytes);
    CHECK_H5(H5Tclose(type));
}

void put_string(hid_t file, const char *object, const char *attribute, const char *value,
                size_t size, H5T_str_t padding, H5T_cset_t charset)
{
    put_padded(file, object, attribute, value, string_type(size, padding, charset), NULL);
}

void put_text(hid_t file, const char *object, const char *attribute, const char *value)
{
    put_string(file, object, attribute, value, strlen(value) + 1, H5T_STR_NULLTERM, H5T_CSET_UTF8);
}

void put_ascii(hid_t file, const char *object, const char *attribute, const char *value)
{
    put_string(file, object, attribute, value, strlen(value) + 1, H5T_STR_NULLTERM, H5T_CSET_ASCII);
}

void put_variable_string(hid_t file, const char *object, const char *attribute, const char *value)
{
    const hid_t type = variable_string_type();

    put_value(file, object, attribute, type, type, &value);
    CHECK_H5(H5Tclose(type));
}

void put_one_string(hid_t file, const char *object, const char *attribute, const char *value,
                    H5T_cset_t charset)
{
    const hsize_t one = 1;

    put_padded(file, object, attribute, value,
               string_type(strlen(value) + 1, H5T_STR_NULLTERM, charset), &one);
}

void put_names(hid_t file, const char *object, const char *attribute, const char *const *names,
               size_t n, H5T_cset_t charset)
{
    const size_t size = 16;
    const hsize_t dim = n;
    const hid_t type = string_type(size, H5T_STR_NULLPAD, charset);
    char *bytes = calloc(n + 1, size);

    for (size_t i = 0; i < n; i++) {
        memcpy(bytes + i * size, names[i], strlen(names[i]) < size ? strlen(names[i]) : size);
    }
    put_values(file, object, attribute, type, type, bytes, 1, &dim);
    free(bytes);
    CHECK_H5(H5Tclose(type));
}

static void put_targets(hid_t file, const char *object, const char *attribute,
                        const char *const *targets, size_t n, const hsize_t *dims)
{
    H5R_ref_t *references = calloc(n + 1, sizeof *references);

    for (size_t i = 0; i < n; i++) {
        if (targets[i] != NULL) {
            CHECK_H5(H5Rcreate_object(file, targets[i], H5P_DEFAULT, &references[i]));
        }
    }
    put_values(file, object, attribute, H5T_STD_REF, H5T_STD_REF, references, 1, dims);
    for (size_t i = 0; i < n; i++) {
        if (targets[i] != NULL) {
            CHECK_H5(H5Rdestroy(&references[i]));
        }
    }
    free(references);
}

void put_reference(hid_t file, const char *object, const char *attribute, const char *target)
{
    put_targets(file, object, attribute, &target, 1, NULL);
}

void put_references(hid_t file, const char *object, const char *attribute,
                    const char *const *targets, size_t n)
{
    const hsize_t dim = n;

    put_targets(file, object, attribute, targets, n, &dim);
}

void put_old_reference(hid_t file, const char *object, const char *attribute, const char *target,
                       bool scalar)
{
    const hsize_t one = 1;
    hobj_ref_t reference;

    CHECK_H5(H5Rcreate(&reference, file, target, H5R_OBJECT1, H5I_INVALID_HID));
    put_values(file, object, attribute, H5T_STD_REF_OBJ, H5T_STD_REF_OBJ, &reference, 1,
               scalar ? NULL : &one);
}

/* --- groups and datasets --------------------------------------------------------------------- */

void make_group(hid_t file, const char *path)
{
    CHECK_H5(H5Gclose(CHECK_H5(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
}

void remove_link(hid_t file, const char *path)
{
    CHECK_H5(H5Ldelete(file, path, H5P_DEFAULT));
}

void make_dataset(hid_t file, const char *path, hid_t file_type, hid_t memory_type,
                  const void *fill, const void *data, uint64_t n, uint64_t chunk, hid_t plist)
{
    const hsize_t extent = n;
    const hsize_t most = H5S_UNLIMITED;
    const hsize_t chunk_rows = chunk;
    const hid_t space = CHECK_H5(H5Screate_simple(1, &extent, chunk == 0 ? NULL : &most));
    const hid_t dcpl =
        CHECK_H5(plist == H5P_DEFAULT ? H5Pcreate(H5P_DATASET_CREATE) : H5Pcopy(plist));
    hid_t dataset = H5I_INVALID_HID;

    if (CHECK_H5(H5Lexists(file, path, H5P_DEFAULT)) > 0) {
        remove_link(file, path);
    }
    if (chunk > 0) {
        CHECK_H5(H5Pset_chunk(dcpl, 1, &chunk_rows));
    }
    if (fill != NULL) {
        CHECK_H5(H5Pset_fill_value(dcpl, memory_type, fill));
    }
    dataset = CHECK_H5(H5Dcreate2(file, path, file_type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (data != NULL) {
        CHECK_H5(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Sclose(space));
}

void make_column(hid_t file, const char *path, hid_t file_type, hid_t memory_type, const void *fill,
                 const void *data)
{
    make_dataset(file, path, file_type, memory_type, fill, data, N_ROWS, CHUNK, H5P_DEFAULT);
}

static size_t pass_through(unsigned flags, size_t n_values, const unsigned values[], size_t n_bytes,
                           size_t *size, void **buffer)
{
    (void)flags;
    (void)n_values;
    (void)values;
    (void)size;
    (void)buffer;
    return n_bytes;
}

hid_t lost_filter(void)
{
    const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, LOST_FILTER, 1,    1,
                                 "lost",           NULL,        NULL, pass_through};
    const hid_t plist = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Zregister(&filter));
    CHECK_H5(H5Pset_filter(plist, LOST_FILTER, H5Z_FLAG_MANDATORY, 0, NULL));
    return plist;
}

/* libhdf5 itself packs the bytes, for a dataset whose chunks are that short. */
void shorten_chunk(hid_t file, const char *path, hid_t plist, size_t n_bytes)
{
    const hsize_t first[2] = {0, 0};
    const hid_t filtered = CHECK_H5(H5Pcopy(plist));
    uint8_t zeroes[64] = {0};
    uint8_t packed[256];
    uint32_t mask = 0;
    size_t n_packed = 0;
    hid_t dataset = H5I_INVALID_HID;

    CHECK(n_bytes <= sizeof zeroes);
    make_dataset(file, "/short", H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, zeroes, n_bytes, n_bytes,
                 filtered);
    dataset = CHECK_H5(H5Dopen2(file, "/short", H5P_DEFAULT));
    CHECK_H5(H5Dflush(dataset));
    n_packed = raw_chunk(dataset, first, packed, sizeof packed, &mask);
    CHECK_H5(H5Dclose(dataset));
    remove_link(file, "/short");
    dataset = CHECK_H5(H5Dopen2(file, path, H5P_DEFAULT));
    CHECK_H5(H5Dwrite_chunk(dataset, H5P_DEFAULT, mask, first, n_packed, packed));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(filtered));
}

/* --- the table ------------------------------------------------------------------------------- */

typedef struct names {
    const char *names[32];
    char text[32][64];
    size_t n;
} names;

static herr_t visit_link(hid_t group, const char *name, const H5L_info2_t *link, void *context)
{
    names *list = context;
    H5O_info2_t info;

    if (link->type == H5L_TYPE_HARD) {
        CHECK_H5(H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT));
        if (info.type == H5O_TYPE_DATASET ||
            CHECK_H5(H5Aexists_by_name(group, name, "CLASS", H5P_DEFAULT)) > 0) {
            (void)snprintf(list->text[list->n], sizeof list->text[0], "%s", name);
            list->names[list->n] = list->text[list->n];
            list->n++;
        }
    }
    return 0;
}

void list_columns(hid_t file)
{
    names list = {.n = 0};
    hsize_t position = 0;

    CHECK_H5(H5Literate_by_name2(file, "/t", H5_INDEX_NAME, H5_ITER_INC, &position, visit_link,
                                 &list, H5P_DEFAULT));
    put_names(file, "/t", "column-order", list.names, list.n, H5T_CSET_UTF8);
}

static hid_t entry_type(hid_t value_type)
{
    static const char *const counts[] = {"nan_count", "fill_count", "n"};
    const size_t size = H5Tget_size(value_type);
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 2 * size + 24));

    CHECK_H5(H5Tinsert(type, "min", 0, value_type));
    CHECK_H5(H5Tinsert(type, "max", size, value_type));
    for (size_t i = 0; i < 3; i++) {
        CHECK_H5(H5Tinsert(type, counts[i], 2 * size + 8 * i, H5T_NATIVE_UINT64));
    }
    return type;
}

void make_minmax(hid_t file, const char *name, const char *column, hid_t file_type,
                 hid_t memory_type, const void *entries, size_t n)
{
    const hid_t in_file = entry_type(file_type);
    const hid_t in_memory = entry_type(memory_type);
    const char *paths[1];
    char path[128];

    (void)snprintf(path, sizeof path, "/t/SEARCH_INDEXES/%s", name);
    make_dataset(file, path, in_file, in_memory, NULL, entries, n, 16, H5P_DEFAULT);
    put_ascii(file, path, "KIND", "CHUNK_MINMAX");
    put_text(file, path, "description", "2024-01-01, by hand");
    paths[0] = path;
    put_references(file, column, "SEARCH_INDEX_LIST", paths, 1);
    CHECK_H5(H5Tclose(in_memory));
    CHECK_H5(H5Tclose(in_file));
}

void write_entries(hid_t file, const minmax *entries, size_t n)
{
    make_minmax(file, "x_minmax", "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, entries, n);
}

void build_empty(hid_t file, const char *path, uint64_t n_rows)
{
    if (strcmp(path, "/") != 0) {
        make_group(file, path);
    }
    put_ascii(file, path, "CLASS", "COLUMN_TABLE");
    put_ascii(file, path, "VERSION", "1.0");
    put_value(file, path, "NROWS", H5T_STD_U64LE, H5T_NATIVE_UINT64, &n_rows);
}

void build_table(hid_t file)
{
    const uint64_t id[N_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint64_t id_fill = UINT64_MAX;
    const int8_t label[N_ROWS] = {0, 1, 2, -127, 0, 1, 2, 0, 1, 2};
    const int8_t label_fill = -127;
    const double x_fill = float_fill();
    const char *const index_columns[] = {"/t/id"};
    const hid_t text = string_type(4, H5T_STR_NULLPAD, H5T_CSET_UTF8);

    build_empty(file, "/t", N_ROWS);
    put_text(file, "/t", "TITLE", "ten rows");
    make_column(file, "/t/id", H5T_STD_U64LE, H5T_NATIVE_UINT64, &id_fill, id);
    make_column(file, "/t/label", H5T_STD_I8LE, H5T_NATIVE_INT8, &label_fill, label);
    make_column(file, "/t/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &x_fill, x_values);
    put_text(file, "/t/x", "units", "MeV");
    list_columns(file);
    put_references(file, "/t", "INDEX_COLUMNS", index_columns, 1);
    put_text(file, "/t", "_index", "id");

    make_group(file, "/t/CATEGORIES");
    make_dataset(file, "/t/CATEGORIES/labels", text, text, NULL, "low\0mid\0high", 3, 0,
                 H5P_DEFAULT);
    put_reference(file, "/t/label", "CATEGORIES", "/t/CATEGORIES/labels");
    CHECK_H5(H5Tclose(text));

    make_group(file, "/t/SEARCH_INDEXES");
    write_entries(file, x_entries, 3);
}
