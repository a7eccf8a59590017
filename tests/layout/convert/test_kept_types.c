/* Datatypes that a conversion to HEP001 keeps, since the text allows any (HEP001 §8.3). */
#include <stdlib.h>
#include <stoa/stoa.h>
#include <string.h>

#include "layout/hep001/hep001.h"
#include "support/batches.h"
#include "support/check.h"
#include "support/memory_file.h"

static void write(hid_t file, batch *b)
{
    struct ArrowArrayStream stream;
    stoa_error err = STOA_ERROR_INIT;

    stream_of(b, 1, &stream);
    CHECK_OK(stoa_table_write(file, "/t", &stream, NULL, NULL, &err), &err);
    stoa_stream_release(&stream);
}

static hid_t convert(hid_t from)
{
    const hid_t to = memory_file("to.h5", false);
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;

    options.layout = STOA_HEP001;
    CHECK_OK(stoa_hep001_open(from, "/t", &table, &err), &err);
    CHECK_OK(stoa_layout_write_table(table, to, "/t", &options, NULL, &err), &err);
    stoa_table_close(table);
    return to;
}

static hid_t type_of(hid_t file)
{
    const hid_t dataset = CHECK_H5(H5Dopen2(file, "/t/x", H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Dget_type(dataset));

    CHECK_H5(H5Dclose(dataset));
    return type;
}

static void check_type(hid_t file, hid_t wanted)
{
    const hid_t type = type_of(file);

    CHECK(H5Tequal(type, wanted) > 0);
    CHECK_H5(H5Tclose(type));
}

static void check_same_values(hid_t a, hid_t b, hid_t type, size_t n_bytes)
{
    uint8_t *const values[2] = {malloc(n_bytes), malloc(n_bytes)};
    const hid_t files[2] = {a, b};

    for (int i = 0; i < 2; i++) {
        const hid_t dataset = CHECK_H5(H5Dopen2(files[i], "/t/x", H5P_DEFAULT));
        CHECK(values[i] != NULL);
        CHECK_H5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[i]));
        CHECK_H5(H5Dclose(dataset));
    }
    CHECK_MEM(values[0], values[1], n_bytes);
    free(values[0]);
    free(values[1]);
}

static void arrays_keep_their_dimensions(void)
{
    const hid_t from = memory_file("from.h5", false);
    const hid_t wanted = CHECK_H5(H5Tarray_create2(H5T_STD_I16LE, 2, (hsize_t[]){2, 3}));
    batch b = batch_begin(1, 2);
    batch items = batch_begin(1, 12);
    int64_t numbers[12];

    for (int64_t i = 0; i < 12; i++) {
        numbers[i] = i * i;
    }
    batch_integers(&items, 0, "item", "s", numbers, NULL);
    batch_lists(&b, 0, "x", "+w:6", &items, (const int64_t[]){6, 6}, NULL);
    CHECK_OK(stoa_schema_set(b.schema.children[0], "ARROW:extension:name",
                             "arrow.fixed_shape_tensor", NULL));
    CHECK_OK(stoa_schema_set(b.schema.children[0], "ARROW:extension:metadata", "{\"shape\":[2,3]}",
                             NULL));
    write(from, &b);
    check_type(from, wanted);
    const hid_t column = CHECK_H5(H5Dopen2(from, "/t/x", H5P_DEFAULT));
    CHECK_H5(H5Adelete(column, "stoa_arrow_extension")); /* the datatype says it as well */
    CHECK_H5(H5Dclose(column));
    const hid_t to = convert(from);
    check_type(to, wanted);
    const hid_t native = CHECK_H5(H5Tarray_create2(H5T_NATIVE_INT16, 2, (hsize_t[]){2, 3}));
    check_same_values(from, to, native, 24);
    CHECK_H5(H5Tclose(native));
    CHECK_H5(H5Tclose(wanted));
    CHECK_H5(H5Fclose(to));
    CHECK_H5(H5Fclose(from));
}

/* A shape of other items than there are says nothing. */
static void a_shape_that_does_not_fit_is_passed_over(void)
{
    const hid_t file = memory_file("from.h5", false);
    const hid_t wanted = CHECK_H5(H5Tarray_create2(H5T_STD_I16LE, 1, (hsize_t[]){4}));
    batch b = batch_begin(1, 1);
    batch items = batch_begin(1, 4);

    batch_integers(&items, 0, "item", "s", (const int64_t[]){1, 2, 3, 4}, NULL);
    batch_lists(&b, 0, "x", "+w:4", &items, (const int64_t[]){4}, NULL);
    CHECK_OK(stoa_schema_set(b.schema.children[0], "ARROW:extension:name",
                             "arrow.fixed_shape_tensor", NULL));
    CHECK_OK(stoa_schema_set(b.schema.children[0], "ARROW:extension:metadata", "{\"shape\":[2,3]}",
                             NULL));
    write(file, &b);
    check_type(file, wanted);
    CHECK_H5(H5Tclose(wanted));
    CHECK_H5(H5Fclose(file));
}

static void bitfields_stay_bitfields(void)
{
    static const struct {
        const char *format;
        const char *text;
        hid_t *type;
    } kinds[] = {{"C", "bitfield8", &H5T_STD_B8LE_g},
                 {"S", "bitfield16", &H5T_STD_B16LE_g},
                 {"I", "bitfield32 big-endian", &H5T_STD_B32LE_g},
                 {"L", "bitfield64", &H5T_STD_B64LE_g}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const hid_t from = memory_file("from.h5", false);
        const bool valid[] = {true, true, false};
        batch b = batch_begin(1, 3);

        batch_integers(&b, 0, "x", kinds[i].format, (const int64_t[]){0x55, 3, 0}, valid);
        CHECK_OK(stoa_schema_set(b.schema.children[0], "stoa.datatype", kinds[i].text, NULL));
        write(from, &b);
        check_type(from, *kinds[i].type);
        const hid_t to = convert(from);
        check_type(to, *kinds[i].type);
        check_same_values(from, to, *kinds[i].type, 3 * H5Tget_size(*kinds[i].type));
        CHECK_H5(H5Fclose(to));
        CHECK_H5(H5Fclose(from));
    }
}

/* All of its bits are set somewhere: the fill value is another, or of a wider type. */
static void a_bitfield_that_holds_its_fill_value_gets_another_or_is_widened(void)
{
    const hid_t file = memory_file("from.h5", false);
    batch b = batch_begin(1, 256);
    int64_t values[256];
    stoa_error err = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    stoa_check_options checks = STOA_CHECK_OPTIONS_INIT;
    uint64_t n_must = 0;

    for (int64_t i = 0; i < 256; i++) {
        values[i] = i;
    }
    batch_integers(&b, 0, "x", "C", values, NULL);
    CHECK_OK(stoa_schema_set(b.schema.children[0], "stoa.datatype", "bitfield8", NULL));
    write(file, &b);
    check_type(file, H5T_STD_B16LE);
    const hid_t column = CHECK_H5(H5Dopen2(file, "/t/x", H5P_DEFAULT));
    CHECK(H5Aexists(column, "valid_min") == 0 && H5Aexists(column, "valid_max") == 0);
    CHECK_H5(H5Dclose(column));
    CHECK_OK(stoa_check(file, "/t", &checks, NULL, NULL, &n_must, NULL, &err), &err);
    CHECK_U64(n_must, 0);
    CHECK_OK(stoa_hep001_open(file, "/t", &table, &err), &err);
    stoa_table_close(table);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(arrays_keep_their_dimensions), TEST(a_shape_that_does_not_fit_is_passed_over),
          TEST(bitfields_stay_bitfields),
          TEST(a_bitfield_that_holds_its_fill_value_gets_another_or_is_widened))
