#include "sparse/format/libhdf5_filter.h"

#include <stdlib.h>

#include "hdf/chunk/chunk_list.h"
#include "hdf/ids.h"

struct stoa_libhdf5_filter {
    hid_t file;
    stoa_buffer stored;
};

/* --- a filter that checks the section's length ------------------------------------------------ */

/* Only used in the memory-only files of this module. */
enum { LENGTH_FILTER = STOA_SPARSE_FILTER + 1 };

/* A length check, first on encoding and so last on decoding. libhdf5 1.14 takes the output of the
 * other filters for a whole chunk, and reads past the end if it is shorter. */
static size_t filter_length(unsigned flags, size_t n_words, const unsigned words[], size_t n_bytes,
                            size_t *size, void **buf)
{
    (void)size;
    (void)buf;
    if ((flags & H5Z_FLAG_REVERSE) == 0) {
        return n_bytes;
    }
    return n_words == 2 && n_bytes == ((uint64_t)words[1] << 32 | words[0]) ? n_bytes : 0;
}

static const H5Z_class2_t length_class = {
    .version = H5Z_CLASS_T_VERS,
    .id = LENGTH_FILTER,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "stoa-length",
    .filter = filter_length,
};

static stoa_status add_length(hid_t dcpl, uint64_t n_bytes, stoa_error *err)
{
    const unsigned words[2] = {(unsigned)(n_bytes & UINT32_MAX), (unsigned)(n_bytes >> 32)};

    STOA_RETURN_HDF_ERROR(err, H5Pset_filter(dcpl, LENGTH_FILTER, H5Z_FLAG_MANDATORY, 2, words),
                          "watch the length of a section");
    return STOA_OK;
}

/* --- a file in memory ------------------------------------------------------------------------- */

stoa_status stoa_libhdf5_filter_open(stoa_libhdf5_filter **foreign, stoa_error *err)
{
    enum { INCREMENT = 1 << 16 };
    hid_t fapl = H5I_INVALID_HID;
    char *name = NULL;
    stoa_libhdf5_filter *made = stoa_alloc_zero(1, sizeof *made);
    stoa_status status = STOA_OK;

    *foreign = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    made->file = H5I_INVALID_HID;
    STOA_HDF(err, H5Zregister(&length_class), "register a filter");
    STOA_HDF(err, fapl = H5Pcreate(H5P_FILE_ACCESS), "make a file access list");
    STOA_HDF(err, H5Pset_fapl_core(fapl, INCREMENT, false), "keep a file in memory");
    /* Override HDF5_VOL_CONNECTOR, which may name the connector that called us. */
    STOA_HDF(err, H5Pset_vol(fapl, H5VL_NATIVE, NULL), "use the native connector");
    /* The name must be unique, because libhdf5 does not create a file twice, not even in memory. */
    name = stoa_format("stoa-sections-%p", (void *)made);
    if (name == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    STOA_HDF(err, made->file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, fapl),
             "make a file in memory");
    *foreign = made;

done:
    free(name);
    status = stoa_hdf_close(&fapl, status, err);
    if (status != STOA_OK) {
        *foreign = NULL;
        stoa_libhdf5_filter_close(made);
    }
    return status;
}

void stoa_libhdf5_filter_close(stoa_libhdf5_filter *foreign)
{
    if (foreign != NULL) {
        (void)stoa_hdf_close(&foreign->file, STOA_OK, NULL);
        stoa_buffer_clear(&foreign->stored);
        free(foreign);
    }
}

/* A number type if the filters may benefit from it; otherwise bytes. */
static hid_t type_of(const stoa_elements *elements)
{
    const size_t size = elements->size;
    const bool is_integer =
        elements->number == STOA_NUMBER_UNSIGNED || elements->number == STOA_NUMBER_SIGNED;
    hid_t type = H5I_INVALID_HID;

    if (is_integer && (size == 1 || size == 2 || size == 4 || size == 8)) {
        type = H5Tcopy(H5T_STD_I64LE);
        if (type >= 0 && H5Tset_size(type, size) >= 0) {
            (void)H5Tset_sign(type,
                              elements->number == STOA_NUMBER_SIGNED ? H5T_SGN_2 : H5T_SGN_NONE);
        }
    } else if (elements->number == STOA_NUMBER_FLOAT && (size == 4 || size == 8)) {
        type = H5Tcopy(size == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE);
    } else {
        return H5Tcreate(H5T_OPAQUE, size);
    }
    if (type >= 0 && elements->is_big_endian) {
        (void)H5Tset_order(type, H5T_ORDER_BE);
    }
    return type;
}

/* The dataset that represents a section while it is filtered. */
typedef struct passage {
    hid_t type;
    hid_t space;
    hid_t dcpl;
    hid_t dataset;
} passage;

#define PASSAGE_INIT                                                                               \
    {                                                                                              \
        H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID                         \
    }

static bool is_left_out(uint32_t mask, size_t i)
{
    return (mask >> i & 1) != 0;
}

stoa_status stoa_libhdf5_filter_must_have(uint32_t filter, bool encodes, stoa_error *err)
{
    unsigned config = 0;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const bool is_there = H5Zfilter_avail((H5Z_filter_t)filter) > 0 &&
                          H5Zget_filter_info((H5Z_filter_t)filter, &config) >= 0;

    stoa_error_stack_discard(&errors);
    if (!is_there) {
        return stoa_fail(err, STOA_EHDF5,
                         "this HDF5 has no filter %u%s, neither built in nor on HDF5_PLUGIN_PATH",
                         (unsigned)filter, filter == H5Z_FILTER_SZIP ? " (szip)" : "");
    }
    if (encodes && (config & H5Z_FILTER_CONFIG_ENCODE_ENABLED) == 0) {
        return stoa_fail(err, STOA_EHDF5, "this HDF5 has filter %u%s for reading alone",
                         (unsigned)filter, filter == H5Z_FILTER_SZIP ? " (szip)" : "");
    }
    return STOA_OK;
}

static stoa_status add_filter(hid_t dcpl, const stoa_section_filters *filters, size_t i,
                              stoa_error *err)
{
    const stoa_filter *filter = &filters->filters[i];
    const unsigned flags =
        is_left_out(filters->optional, i) ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY;

    if (!is_left_out(filters->optional, i)) {
        STOA_RETURN_NOT_OK(stoa_libhdf5_filter_must_have(filter->id, false, err));
    }
    STOA_RETURN_HDF_ERROR(
        err, H5Pset_filter(dcpl, (H5Z_filter_t)filter->id, flags, filter->n_values, filter->values),
        "use filter %u", filter->id);
    return STOA_OK;
}

/* Create a dataset of n_bytes with all filters except those in the mask. */
static stoa_status begin(const stoa_libhdf5_filter *foreign, const stoa_section_filters *filters,
                         uint32_t mask, const stoa_elements *elements, size_t n_bytes, passage *p,
                         stoa_error *err)
{
    const hsize_t n = n_bytes / elements->size;

    STOA_RETURN_HDF_ERROR(err, p->type = type_of(elements), "describe the elements of a section");
    STOA_RETURN_HDF_ERROR(err, p->space = H5Screate_simple(1, &n, NULL), "describe a section");
    STOA_RETURN_HDF_ERROR(err, p->dcpl = H5Pcreate(H5P_DATASET_CREATE),
                          "make a dataset creation list");
    STOA_RETURN_HDF_ERROR(err, H5Pset_chunk(p->dcpl, 1, &n), "describe a section");
    STOA_RETURN_HDF_ERROR(err, H5Pset_fill_time(p->dcpl, H5D_FILL_TIME_NEVER),
                          "describe a section");
    STOA_RETURN_NOT_OK(add_length(p->dcpl, n_bytes, err));
    for (size_t i = 0; i < filters->n; i++) {
        if (!is_left_out(mask, i)) {
            STOA_RETURN_NOT_OK(add_filter(p->dcpl, filters, i, err));
        }
    }
    STOA_RETURN_HDF_ERROR(
        err, p->dataset = H5Dcreate_anon(foreign->file, p->type, p->space, p->dcpl, H5P_DEFAULT),
        "use the filters of a section");
    return STOA_OK;
}

static stoa_status end(passage *p, stoa_status status, stoa_error *err)
{
    status = stoa_hdf_close(&p->dataset, status, err);
    status = stoa_hdf_close(&p->dcpl, status, err);
    status = stoa_hdf_close(&p->space, status, err);
    return stoa_hdf_close(&p->type, status, err);
}

/* The optional filters that refuse such elements. libhdf5 skips some by itself, but not
 * scale-offset for elements that are not numbers. */
static uint32_t refusing(const stoa_libhdf5_filter *foreign, const stoa_section_filters *filters,
                         const stoa_elements *elements, size_t n_bytes)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < filters->n; i++) {
        if (is_left_out(filters->optional, i)) {
            passage alone = PASSAGE_INIT;
            const uint32_t others = ~(UINT32_C(1) << i);
            stoa_status status = begin(foreign, filters, others, elements, n_bytes, &alone, NULL);
            status = end(&alone, status, NULL);
            mask |= status != STOA_OK ? UINT32_C(1) << i : 0;
        }
    }
    return mask;
}

/* Expand a mask over the filters that `without` leaves to a mask over all filters. */
static uint32_t spread(uint32_t mask, uint32_t without, size_t n)
{
    uint32_t all = without;

    for (size_t i = 0; i < n; i++) {
        if (!is_left_out(without, i)) {
            all |= (mask & 1) << i;
            mask >>= 1;
        }
    }
    return all;
}

/* Apply the filters to the section. Those that refuse it are skipped. The result is in
 * foreign->stored. */
static stoa_status apply(stoa_libhdf5_filter *foreign, const stoa_section_filters *filters,
                         const stoa_elements *elements, const uint8_t *bytes, size_t n_bytes,
                         uint32_t *mask, stoa_error *err)
{
    const hsize_t origin = 0;
    passage p = PASSAGE_INIT;
    hsize_t size = 0;
    uint32_t without = 0;
    stoa_status status = begin(foreign, filters, 0, elements, n_bytes, &p, NULL);

    if (status != STOA_OK) {
        (void)end(&p, STOA_OK, NULL);
        without = refusing(foreign, filters, elements, n_bytes);
        STOA_TRY(begin(foreign, filters, without, elements, n_bytes, &p, err));
    }
    STOA_HDF(err, H5Dwrite(p.dataset, p.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes),
             "filter a section");
    STOA_HDF(err, H5Dflush(p.dataset), "filter a section");
    STOA_HDF(err, H5Dget_chunk_storage_size(p.dataset, &origin, &size), "filter a section");
    foreign->stored.size = 0;
    STOA_TRY(stoa_buffer_grow(&foreign->stored, (size_t)size, err));
    STOA_HDF(err, stoa_raw_chunk_read(p.dataset, &origin, (size_t)size, foreign->stored.data, mask),
             "filter a section");
    *mask = spread(*mask >> 1, without, filters->n); /* the first filter is the length check */

done:
    return end(&p, status, err);
}

stoa_status stoa_libhdf5_filter_apply(stoa_libhdf5_filter *foreign,
                                      const stoa_section_filters *filters,
                                      const stoa_elements *elements, const uint8_t *bytes,
                                      size_t n_bytes, const uint8_t **stored, size_t *n_stored,
                                      uint32_t *mask, stoa_error *err)
{
    uint8_t *again = stoa_alloc(1, n_bytes);
    stoa_status status = STOA_OK;

    if (again == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    STOA_TRY(apply(foreign, filters, elements, bytes, n_bytes, mask, err));
    *stored = foreign->stored.data;
    *n_stored = foreign->stored.size;
    if (stoa_libhdf5_filter_undo(foreign, filters, elements, *mask, *stored, *n_stored, again,
                                 n_bytes, NULL) != STOA_OK) {
        *mask = filters->n < 32 ? (UINT32_C(1) << filters->n) - 1 : UINT32_MAX;
        *stored = bytes;
        *n_stored = n_bytes;
    }

done:
    free(again);
    return status;
}

stoa_status stoa_libhdf5_filter_undo(stoa_libhdf5_filter *foreign,
                                     const stoa_section_filters *filters,
                                     const stoa_elements *elements, uint32_t mask,
                                     const uint8_t *stored, size_t n_stored, uint8_t *out,
                                     size_t n_out, stoa_error *err)
{
    const hsize_t origin = 0;
    passage p = PASSAGE_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(begin(foreign, filters, mask, elements, n_out, &p, err));
    STOA_HDF(err, H5Dwrite_chunk(p.dataset, H5P_DEFAULT, 0, &origin, n_stored, stored),
             "unfilter a section");
    STOA_HDF(err, H5Dread(p.dataset, p.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out),
             "unfilter a section");

done:
    return end(&p, status, err);
}
