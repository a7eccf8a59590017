/* What HEP001 of July 2026 adds to a table, made with plain libhdf5: tokens and list columns. */
#include <stdio.h>
#include <string.h>

#include "conformance/build.h"
#include "support/check.h"

void put_tokens(hid_t file, const char *index, uint64_t generation, uint64_t n_rows)
{
    put_u64(file, index, "SOURCE_GENERATION", H5T_STD_U64LE, generation);
    put_u64(file, index, "SOURCE_NROWS", H5T_STD_U64LE, n_rows);
}

void build_july(hid_t file)
{
    build_table(file);
    put_u64(file, "/t", "GENERATION", H5T_STD_U64LE, GENERATION);
    put_tokens(file, "/t/SEARCH_INDEXES/x_minmax", GENERATION, N_ROWS);
}

hid_t nullable_type(int8_t missing)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    CHECK_H5(H5Tenum_insert(type, "MISSING", &missing));
    return type;
}

/* --- list columns ---------------------------------------------------------------------------- */

static const char *member_of(const char *group, const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof path, "%s/%s", group, name);
    return path;
}

void make_offsets(hid_t file, const char *group, const uint64_t *offsets, uint64_t n)
{
    make_dataset(file, member_of(group, "OFFSETS"), H5T_STD_U64LE, H5T_NATIVE_UINT64, NULL, offsets,
                 n, CHUNK, H5P_DEFAULT);
}

void make_mask(hid_t file, const char *group, const uint8_t *mask, uint64_t n)
{
    const hid_t type = boolean_type(H5T_STD_I8LE);

    make_dataset(file, member_of(group, "MASK"), type, type, NULL, mask, n, CHUNK, H5P_DEFAULT);
    CHECK_H5(H5Tclose(type));
}

void make_list(hid_t file, const char *group)
{
    make_group(file, group);
    put_ascii(file, group, "CLASS", "LIST_COLUMN");
    put_ascii(file, group, "KIND", "OFFSETS");
}

void make_strings(hid_t file, const char *group)
{
    make_group(file, group);
    put_ascii(file, group, "CLASS", "STRING_VALUES");
}

void make_chars(hid_t file, const char *group, const char *chars, uint64_t n)
{
    make_dataset(file, member_of(group, "CHARS"), H5T_STD_U8LE, H5T_NATIVE_UINT8, NULL, chars, n, 8,
                 H5P_DEFAULT);
}

const uint64_t list_offsets[N_ROWS + 1] = {0, 2, 2, 2, 5, 6, 6, 7, 7, 9, 12};
const uint8_t list_mask[N_ROWS] = {1, 0, 1, 1, 1, 1, 1, 0, 1, 1};

void build_list(hid_t file)
{
    const float fill = -1;
    const float values[N_ELEMENTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

    make_list(file, LIST);
    make_offsets(file, LIST, list_offsets, N_ROWS + 1);
    make_mask(file, LIST, list_mask, N_ROWS);
    make_dataset(file, LIST "/VALUES", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &fill, values, N_ELEMENTS,
                 CHUNK, H5P_DEFAULT);
    list_columns(file);
}

/* The elements of build_list() as strings of one, two and three bytes in turn, the last one null.
 */
void build_string_list(hid_t file)
{
    static const char chars[] = "a\xc3\xa9\xe2\x82\xac"
                                "b\xc3\xa8\xe2\x82\xad"
                                "c\xc3\xa7\xe2\x82\xae"
                                "d\xc3\xa6";
    const uint64_t offsets[N_ELEMENTS + 1] = {0, 1, 3, 6, 7, 9, 12, 13, 15, 18, 19, 21, 21};
    const uint8_t mask[N_ELEMENTS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};

    build_list(file);
    remove_link(file, LIST "/VALUES");
    make_strings(file, LIST_STRINGS);
    make_offsets(file, LIST_STRINGS, offsets, N_ELEMENTS + 1);
    make_mask(file, LIST_STRINGS, mask, N_ELEMENTS);
    make_chars(file, LIST_STRINGS, chars, sizeof chars - 1);
}
