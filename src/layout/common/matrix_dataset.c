#include "layout/common/matrix_dataset.h"

#include "column/type/codec.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/ids.h"

enum { MIN_CHUNK = 1 << 10, MAX_CHUNK = 1 << 17 }; /* elements */

/* An extensible dataset, since programs append to it. */
static stoa_status make_dataset(hid_t group, const char *name, hid_t type, uint64_t n,
                                const char *codec, hid_t *dataset, stoa_error *err)
{
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t space = H5I_INVALID_HID;
    hid_t dcpl = H5I_INVALID_HID;
    const hsize_t chunk = n < MIN_CHUNK ? MIN_CHUNK : n < MAX_CHUNK ? n : MAX_CHUNK;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){n}, &(hsize_t){H5S_UNLIMITED}),
             "make a dataspace");
    STOA_HDF(err, dcpl = H5Pcreate(H5P_DATASET_CREATE), "make a list");
    STOA_HDF(err, H5Pset_chunk(dcpl, 1, &chunk), "set a chunk length");
    STOA_TRY(stoa_codec_apply(dcpl, codec != NULL ? codec : "none", &element, chunk, NULL, err));
    STOA_HDF(err, *dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT),
             "make '%s'", name);

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&dcpl, status, err);
    return stoa_hdf_close(&space, status, err);
}

stoa_status stoa_matrix_dataset_write(hid_t group, const char *name, hid_t type, uint64_t n,
                                      const void *elements, const char *codec, stoa_error *err)
{
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    hid_t dataset = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_TRY(make_dataset(group, name, type, n, codec, &dataset, err));
    /* Elements are in storage form, except for enumerations, which are integers. */
    const hid_t given = element.class == STOA_ELEMENT_ENUM ? element.mem_type : type;
    STOA_TRY(stoa_chunk_writer_open(&writer, dataset, given, err));
    STOA_TRY(n > 0 ? stoa_chunk_writer_write(&writer, 0, n, elements, err) : STOA_OK);
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_chunk_writer_close(&writer);
    stoa_element_clear(&element);
    return stoa_hdf_close(&dataset, status, err);
}
