/* Groups of binsparse: what is read comes back, what contradicts itself is refused, and nothing
 * stays open. For src/layout/binsparse; formats and types are in tests/interop/test_binsparse.py.
 */
#include <hdf5.h>
#include <stoa/layout.h>
#include <stoa/query.h>
#include <string.h>

#include "layout/binsparse/descriptor.h"
#include "support/check.h"
#include "support/sweep.h"

#define USUAL                                                                                      \
    "{\"binsparse\": {\"version\": \"0.1\", \"format\": \"DCSR\", \"shape\": [5, 4], "             \
    "\"number_of_stored_values\": 3, \"data_types\": {\"values\": \"complex[float64]\"}}}"

static hid_t file;

static void put_text(hid_t group, const char *text)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    CHECK_H5(H5Tset_size(type, strlen(text) + 1));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(group, "binsparse", type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, text));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

static void put_numbers(hid_t group, const char *name, hid_t type, hid_t given, hsize_t n,
                        const void *numbers)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &n, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Dwrite(dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers));
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
}

/* A file with the group "g": (1, 0) 1+2i, (1, 3) 3+4i, (4, 1) 5+6i, and this descriptor. */
static void make(const char *text)
{
    file = CHECK_H5(H5Fcreate(check_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t group = CHECK_H5(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put_text(group, text);
    put_numbers(group, "indices_0", H5T_STD_U64LE, H5T_NATIVE_INT, 2, (int[]){1, 4});
    put_numbers(group, "pointers_to_1", H5T_STD_U64LE, H5T_NATIVE_INT, 3, (int[]){0, 2, 3});
    put_numbers(group, "indices_1", H5T_STD_U8LE, H5T_NATIVE_INT, 3, (int[]){0, 3, 1});
    put_numbers(group, "values", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 6,
                (double[]){1, 2, 3, 4, 5, 6});
    CHECK_H5(H5Gclose(group));
}

/* Write the entries of a group as another one. */
static stoa_status copy_group(const char *from, const char *to, bool replace, uint64_t *n,
                              stoa_error *err)
{
    stoa_layout_options options = STOA_LAYOUT_OPTIONS_INIT;
    stoa_table *table = NULL;

    options.layout = "binsparse";
    options.replace = replace;
    options.threads = 1;
    stoa_status status = stoa_table_open(file, from, &table, err);
    if (status == STOA_OK) {
        status = stoa_layout_write_table(table, file, to, &options, n, err);
    }
    stoa_table_close(table);
    return status;
}

static void a_hypersparse_matrix_of_complex_numbers_is_written_as_csr(void)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_binsparse_descriptor d;
    uint64_t n = 0;
    int64_t pointers[6];
    double values[6];

    make(USUAL);
    CHECK_OK(copy_group("g", "h", false, &n, &err), &err);
    CHECK_U64(n, 3);
    CHECK_STATUS(STOA_EEXISTS, copy_group("g", "h", false, &n, NULL));
    CHECK_OK(copy_group("g", "h", true, &n, &err), &err);
    const hid_t group = CHECK_H5(H5Gopen2(file, "h", H5P_DEFAULT));
    CHECK_OK(stoa_binsparse_describe(group, &d, &err), &err);
    CHECK_STR(d.format->name, "CSR");
    CHECK_U64(d.shape[0], 5);
    CHECK_U64(d.shape[1], 4);
    CHECK_U64(d.n_stored, 3);
    CHECK(d.is_complex && !d.is_iso && !d.is_bool);
    hid_t dataset = CHECK_H5(H5Dopen2(group, "pointers_to_1", H5P_DEFAULT));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers));
    CHECK_MEM(pointers, ((int64_t[]){0, 0, 2, 2, 2, 3}), sizeof pointers);
    CHECK_H5(H5Dclose(dataset));
    dataset = CHECK_H5(H5Dopen2(group, "values", H5P_DEFAULT));
    CHECK_H5(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CHECK_MEM(values, ((double[]){1, 2, 3, 4, 5, 6}), sizeof values);
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Gclose(group));
    CHECK_H5(H5Fclose(file));
}

static void a_descriptor_that_is_none_is_refused(void)
{
    static const struct {
        const char *text;
        stoa_status status;
        const char *says;
    } wrong[] = {
        {"", STOA_EDATA, "a value"},
        {"{\"binsparse\": {}} x", STOA_EDATA, "line 1"},
        {"{\"binsparse\": {}}", STOA_EVERSION, "the version is ''"},
        {"{\"binsparse\": {\"version\": \"1.0\"}}", STOA_EVERSION, "known is 0.1"},
        {"{\"binsparse\": {\"version\": \"0.1\"}}", STOA_EDATA, "the format ''"},
        {"{\"binsparse\": {\"version\": 0.1, \"format\": \"CVEC\", \"shape\": [1, 2]}}", STOA_EDATA,
         "'shape' is not one length"},
        {"{\"binsparse\": {\"version\": \"0.1\", \"format\": \"CSR\", \"shape\": [5, 4], "
         "\"number_of_stored_values\": 3, \"data_types\": {\"values\": \"complex[int8]\"}}}",
         STOA_EDATA, "'complex[int8]' is no type of values"},
        {"{\"binsparse\": {\"version\": \"0.1\", \"format\": \"CSR\", \"shape\": [5, 4], "
         "\"number_of_stored_values\": 3, \"data_types\": {\"values\": \"float64\"}}}",
         STOA_EDATA, "'pointers_to_1' has 3 elements, and there are 5 rows"}};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        stoa_error err = STOA_ERROR_INIT;
        uint64_t n = 0;

        make(wrong[i].text);
        CHECK_STATUS(wrong[i].status, copy_group("g", "h", false, &n, &err));
        CHECK_CONTAINS(err.message, wrong[i].says);
        CHECK_CONTAINS(err.message, "binsparse 0.1");
        CHECK(H5Lexists(file, "h", H5P_DEFAULT) == 0);
        CHECK_H5(H5Fclose(file));
    }
}

static stoa_status open_and_close(stoa_error *err)
{
    const hid_t group = CHECK_H5(H5Gopen2(file, "g", H5P_DEFAULT));
    stoa_array_box box;
    stoa_table *table = NULL;
    const stoa_status status =
        stoa_binsparse_open_entries(group, "/g", "a.h5", "1:5, 0:2", &box, &table, err);

    stoa_memory_fail_after(UINT64_MAX);
    CHECK(status != STOA_OK || stoa_table_n_rows(table) == 2);
    stoa_table_close(table);
    return status;
}

static void memory_that_runs_out_is_a_failure(void)
{
    make(USUAL);
    CHECK(sweep_memory(open_and_close) > 20);
    CHECK_H5(H5Fclose(file));
}

TEST_MAIN(TEST(a_hypersparse_matrix_of_complex_numbers_is_written_as_csr),
          TEST(a_descriptor_that_is_none_is_refused), TEST(memory_that_runs_out_is_a_failure))
