/* What upstream's feature branch has beside the RFC: filters that know their section, and the size
 * of the cache of chunks (docs/sparse.md). */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <string.h>

#include "sparse/fails.h"
#include "sparse/store/connector_op.h"
#include "sparse/store/store_parts.h"
#include "support/check.h"

enum { OURS = 305, OTHER = 306, NONE = 99 };

static const hsize_t FOUR = 4, TEN = 10;
static int n_calls;

/* Parameters: the section, and the size of elements. */
static herr_t set_local(hid_t dcpl, hid_t type, hid_t space, H5_section_type_t section)
{
    const unsigned values[2] = {(unsigned)section, (unsigned)H5Tget_size(type)};
    hsize_t dims[2] = {0};

    n_calls++;
    CHECK_I64(H5Sget_simple_extent_dims(space, dims, NULL), 1);
    CHECK_U64(dims[0], FOUR);
    return H5Pmodify_filter2(dcpl, section, OURS, H5Z_FLAG_MANDATORY, 2, values);
}

static herr_t refuse(hid_t dcpl, hid_t type, hid_t space, H5_section_type_t section)
{
    (void)dcpl;
    (void)type;
    (void)space;
    return section == H5_SECTION_FIXED ? -1 : 0;
}

/* Adds the first parameter to each byte. */
static size_t add(unsigned flags, size_t n_values, const unsigned values[], size_t n_bytes,
                  size_t *size, void **buf)
{
    uint8_t *bytes = *buf;

    (void)size;
    if (n_values != 2) {
        return 0;
    }
    for (size_t i = 0; i < n_bytes; i++) {
        bytes[i] = (uint8_t)((flags & H5Z_FLAG_REVERSE) != 0 ? bytes[i] - values[0]
                                                             : bytes[i] + values[0]);
    }
    return n_bytes;
}

static const H5Z_class3_t known[1] = {
    {H5Z_CLASS_T_VERS, OURS, 1, 1, "knows its section", NULL, set_local, add}};

static hid_t list_with(H5Z_filter_t filter)
{
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_struct_chunk(dcpl, 1, &FOUR, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_NUM, filter, H5Z_FLAG_MANDATORY, 0, NULL));
    return dcpl;
}

static void values_are(hid_t dcpl, H5_section_type_t section, unsigned size)
{
    unsigned flags = 0;
    unsigned values[4] = {NONE, NONE, NONE, NONE};
    size_t n = 4;

    CHECK_H5(H5Pget_filter_by_id3(dcpl, section, OURS, &flags, &n, values, 0, NULL, NULL));
    CHECK_U64(n, 2);
    CHECK_U64(values[0], (unsigned)section);
    CHECK_U64(values[1], size);
}

static void a_filter_is_told_which_section_it_is_of(void)
{
    const int values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const char *path = check_path("c.h5");
    int found[10] = {0};

    CHECK_H5(H5Zregister(known));
    CHECK(H5Zfilter_avail(OURS) > 0);
    for (int is_native = 0; is_native < 2; is_native++) { /* without the connector, too */
        n_calls = 0;
        const hid_t file =
            (hid_t)CHECK_H5(is_native ? (H5Fcreate)(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                      : H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t dcpl = list_with(OURS);
        const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));
        const hid_t dset = (hid_t)CHECK_H5(
            H5Dcreate(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
        CHECK_I64(n_calls, 2);
        CHECK_H5(H5Dwrite(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        CHECK_H5(H5Fflush(file, H5F_SCOPE_GLOBAL));
        const hid_t made = (hid_t)CHECK_H5(H5Dget_create_plist(dset));
        values_are(made, H5_SECTION_SELECTION, sizeof(int));
        values_are(made, H5_SECTION_FIXED, sizeof(int));
        CHECK_H5(H5Dread(dset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
        CHECK_MEM(found, values, sizeof values);
        CHECK_H5(H5Pclose(made));
        CHECK_H5(H5Dclose(dset));
        CHECK_H5(H5Sclose(space));
        CHECK_H5(H5Pclose(dcpl));
        CHECK_H5(H5Fclose(file));
    }
    CHECK_H5(H5Zunregister(OURS));
    CHECK(H5Zfilter_avail(OURS) == 0);
}

static void of_sequences_there_are_three_sections(void)
{
    const hid_t type = (hid_t)CHECK_H5(H5Tvlen_create(H5T_NATIVE_INT));

    CHECK_H5(H5Zregister(known));
    n_calls = 0;
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("v.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dcpl = list_with(OURS);
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    const hid_t dset =
        (hid_t)CHECK_H5(H5Dcreate(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_I64(n_calls, 3);
    const hid_t made = (hid_t)CHECK_H5(H5Dget_create_plist(dset));
    values_are(made, H5_SECTION_VL, sizeof(hvl_t));
    CHECK_H5(H5Pclose(made));
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Zunregister(OURS));
    CHECK_H5(H5Tclose(type));
}

static void one_that_refuses_leaves_no_dataset(void)
{
    const H5Z_class3_t refusing = {3, OTHER, 1, 1, "refuses", NULL, refuse, add};
    H5Z_class3_t wrong = refusing;
    const H5Z_class2_t plain = {.version = H5Z_CLASS_T_VERS,
                                .id = OTHER,
                                .encoder_present = 1,
                                .decoder_present = 1,
                                .filter = add};

    wrong.version = 7;
    CHECK_FAILS(H5Zregister(&wrong));
    CHECK_H5(H5Zregister(&refusing));
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("r.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t dcpl = list_with(OTHER);
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    CHECK_FAILS(H5Dcreate(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK(H5Lexists(file, "d", H5P_DEFAULT) == 0);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Zregister(&plain)); /* HDF5's own classes are taken as ever */
    CHECK_H5(H5Zunregister(OTHER));
}

/* The size of the cache of a dataset's chunks. */
static size_t bound_of(hid_t fapl)
{
    const hid_t file =
        (hid_t)CHECK_H5(H5Fcreate(check_path("s.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = (hid_t)CHECK_H5(H5Screate_simple(1, &TEN, NULL));
    stoa_connected connected;
    stoa_error err = STOA_ERROR_INIT;

    CHECK_H5(H5Pset_struct_chunk(dcpl, 1, &FOUR, H5D_SPARSE_CHUNK));
    const hid_t dset = (hid_t)CHECK_H5(
        H5Dcreate(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    CHECK_OK(stoa_connected_dataset(dset, &connected, &err), &err);
    const size_t bound = connected.store->cache.bound;
    CHECK_H5(H5Dclose(dset));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    return bound;
}

static void the_cache_of_chunks_has_the_size_that_the_access_list_says(void)
{
    const hid_t fapl = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    H5SC__cache_config_t config = {.version = H5SC__CURR_SCC_VERSION};

    CHECK_H5(H5Pget_scc_config(fapl, &config));
    CHECK_U64(config.max_q_size, STOA_STORE_CACHE);
    CHECK_U64(bound_of(fapl), STOA_STORE_CACHE);
    for (size_t size = 5000; size < 20000; size *= 3) {
        config.max_q_size = size;
        config.max_a_size = 3 * size;
        CHECK_H5(H5Pset_scc_config(fapl, &config));
        const hid_t copy = (hid_t)CHECK_H5(H5Pcopy(fapl));
        CHECK_U64(bound_of(copy), size);
        config.max_q_size = 0;
        CHECK_H5(H5Pget_scc_config(copy, &config));
        CHECK_U64(config.max_q_size, size);
        CHECK_H5(H5Pclose(copy));
    }
    config.max_a_size = 1;
    CHECK_FAILS(H5Pset_scc_config(fapl, &config));
    config.max_a_size = config.max_q_size;
    config.version = 1;
    CHECK_FAILS(H5Pset_scc_config(fapl, &config));
    CHECK_FAILS(H5Pget_scc_config(fapl, &config));
    config.version = 0;
    CHECK_FAILS(H5Pset_scc_config(dcpl, &config));
    CHECK_FAILS(H5Pset_scc_config(fapl, NULL));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Pclose(fapl));
}

TEST_MAIN(TEST(a_filter_is_told_which_section_it_is_of),
          TEST(of_sequences_there_are_three_sections), TEST(one_that_refuses_leaves_no_dataset),
          TEST(the_cache_of_chunks_has_the_size_that_the_access_list_says))
