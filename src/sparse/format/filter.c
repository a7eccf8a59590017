#include "sparse/format/filter.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/ids.h"
#include "sparse/format/chunk.h"
#include "sparse/format/dense.h"
#include "sparse/format/libhdf5_filter.h"
#include "sparse/format/section_class.h"
#include "sparse/format/vlen.h"

/* --- parameters and property lists ----------------------------------------------------------- */

stoa_status stoa_sparse_format_of_list(hid_t dcpl, stoa_sparse_format *format, stoa_error *err)
{
    unsigned flags = 0;
    unsigned words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = STOA_SPARSE_MAX_WORDS;
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t found =
        H5Pget_filter_by_id2(dcpl, STOA_SPARSE_FILTER, &flags, &n_words, words, 0, NULL, NULL);

    stoa_error_stack_discard(&errors);
    if (found < 0) {
        return stoa_fail(err, STOA_ENOTFOUND, "no dataset of structured chunks");
    }
    return stoa_sparse_format_unpack(
        words, n_words < STOA_SPARSE_MAX_WORDS ? n_words : STOA_SPARSE_MAX_WORDS, format, err);
}

bool stoa_list_is_structured(hid_t dcpl)
{
    stoa_sparse_format format;

    return stoa_sparse_format_of_list(dcpl, &format, NULL) != STOA_ENOTFOUND;
}

stoa_status stoa_sparse_format_to_list(hid_t dcpl, const stoa_sparse_format *format,
                                       stoa_error *err)
{
    /* libhdf5 1.14 only accepts optional filters for variable-length elements. It then stores a
     * chunk that the filter refuses unfiltered. */
    const unsigned flags =
        format->has_heap || format->has_references ? H5Z_FLAG_OPTIONAL : H5Z_FLAG_MANDATORY;
    uint32_t words[STOA_SPARSE_MAX_WORDS];
    size_t n_words = 0;

    STOA_RETURN_NOT_OK(stoa_sparse_format_pack(format, words, &n_words, err));
    /* H5Pmodify_filter() crashes if the list does not have the filter. */
    if (stoa_list_is_structured(dcpl)) {
        STOA_RETURN_HDF_ERROR(err,
                              H5Pmodify_filter(dcpl, STOA_SPARSE_FILTER, flags, n_words, words),
                              "set the parameters of filter %d", STOA_SPARSE_FILTER);
    } else {
        STOA_RETURN_HDF_ERROR(err, H5Pset_filter(dcpl, STOA_SPARSE_FILTER, flags, n_words, words),
                              "set filter %d", STOA_SPARSE_FILTER);
    }
    return STOA_OK;
}

/* --- binding to a dataset -------------------------------------------------------------------- */

static void describe_number(stoa_sparse_format *format, hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);

    format->number = STOA_NUMBER_OTHER;
    if (class == H5T_INTEGER) {
        format->number =
            H5Tget_sign(type) == H5T_SGN_NONE ? STOA_NUMBER_UNSIGNED : STOA_NUMBER_SIGNED;
    } else if (class == H5T_FLOAT &&
               (H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0 ||
                H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0)) {
        format->number = STOA_NUMBER_FLOAT;
    }
    format->is_big_endian =
        format->number != STOA_NUMBER_OTHER && H5Tget_order(type) == H5T_ORDER_BE;
}

static stoa_status bind_chunk(stoa_sparse_format *format, hid_t dcpl, stoa_error *err)
{
    hsize_t chunk[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_HDF_ERROR(err, rank = H5Pget_chunk(dcpl, H5S_MAX_RANK, chunk),
                          "look up the chunk's shape");
    format->n_elements = 1;
    for (int i = 0; i < rank; i++) {
        if (chunk[i] == 0 || chunk[i] > UINT32_MAX / format->element_size / format->n_elements) {
            return stoa_fail(err, STOA_ERANGE,
                             "the elements of a chunk take up 4 GiB or more; make chunks smaller");
        }
        format->n_elements *= chunk[i];
    }
    return STOA_OK;
}

/* Bind the user's fill value in the file's bytes, with empty slots. */
static stoa_status bind_variable_fill(stoa_sparse_format *format, hid_t dcpl, hid_t type,
                                      const stoa_vlen_layout *layout, stoa_error *err)
{
    stoa_sparse_format whole = *format;
    stoa_vlen_fill fill = {.value = NULL};
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_vlen_fill_of(dcpl, type, layout, &fill, err));
    if (fill.has_data && !format->has_heap) {
        STOA_FAIL(err, STOA_EINVAL,
                  "a fill value of variable length cannot be in the file's global heap; keep the "
                  "data in section 2");
    }
    format->fill_is_variable = fill.has_data;
    if (!format->fill_is_elsewhere) {
        whole.n_slots = layout->n_slots;
        (void)stoa_vlen_file_size(layout, whole.slot_size, whole.slots);
        stoa_sparse_expand(&whole, fill.value, format->fill);
    }

done:
    stoa_vlen_fill_clear(&fill);
    return status;
}

static stoa_status bind_fill(stoa_sparse_format *format, hid_t dcpl, hid_t type,
                             const stoa_vlen_layout *layout, stoa_error *err)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;

    memset(format->fill, 0, sizeof format->fill);
    format->fill_is_variable = false;
    STOA_RETURN_HDF_ERROR(err, H5Pfill_value_defined(dcpl, &defined), "look for a fill value");
    format->fill_is_elsewhere =
        format->element_size > STOA_SPARSE_MAX_FILL && defined == H5D_FILL_VALUE_USER_DEFINED;
    if (defined != H5D_FILL_VALUE_USER_DEFINED) {
        return STOA_OK;
    }
    if (layout != NULL) {
        STOA_RETURN_NOT_OK(bind_variable_fill(format, dcpl, type, layout, err));
    } else if (!format->fill_is_elsewhere && !format->has_references) {
        STOA_RETURN_HDF_ERROR(err, H5Pget_fill_value(dcpl, type, format->fill),
                              "read the fill value");
    }
    return STOA_OK;
}

/* Find the slots of elements, and the size of an element in the file. `memory` is the type in
 * memory. */
static stoa_status bind_slots(stoa_sparse_format *format, hid_t memory, size_t file_size,
                              size_t slot_size, stoa_vlen_layout **layout, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (!stoa_vlen_is_in(memory)) {
        format->has_heap = false; /* filters of section 2 do not create that section */
        return STOA_OK;
    }
    status = stoa_vlen_layout_of(memory, H5I_INVALID_HID, layout, err);
    if (status == STOA_ETYPE && !format->has_heap) { /* libhdf5 handles these elements */
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(status);
    const size_t n = (*layout)->n_slots;
    const size_t plain = (*layout)->packed_size - n * sizeof(uint32_t);
    format->slot_size = slot_size != 0 ? slot_size : (file_size - plain) / n;
    format->element_size = stoa_vlen_file_size(*layout, format->slot_size, format->slots);
    format->n_slots = format->has_heap ? n : 0;
    return status;
}

/* Check that all filters are available, as H5Dcreate() does for a dense dataset. Otherwise the
 * failure would only be noticed when data are written. */
static stoa_status find_filters(const stoa_sparse_format *format, stoa_error *err)
{
    stoa_status status = STOA_OK;

    for (unsigned i = 0; i < stoa_sparse_n_sections(format); i++) {
        const stoa_section_filters *section = &format->sections[i];
        const bool is_ours = stoa_sparse_section_is_ours(format, (stoa_section)i);
        for (size_t k = 0; k < section->n && !is_ours; k++) {
            if ((section->optional >> k & 1) == 0) {
                status = stoa_libhdf5_filter_must_have(section->filters[k].id, true, err);
                STOA_RETURN_NOT_OK(stoa_at(err, status, "section %u", i));
            }
        }
    }
    return status;
}

stoa_status stoa_sparse_format_bind(stoa_sparse_format *format, hid_t dcpl, hid_t type,
                                    size_t slot_size, stoa_error *err)
{
    stoa_vlen_layout *layout = NULL;
    hid_t memory = H5I_INVALID_HID;
    stoa_status status = STOA_OK;

    format->element_size = H5Tget_size(type);
    format->n_slots = 0;
    format->slot_size = sizeof(uint32_t);
    if (format->element_size == 0) {
        STOA_HDF(err, -1, "look up the size of the elements");
    }
    describe_number(format, type);
    STOA_HDF(err, memory = H5Tcopy(type), "copy a datatype");
    STOA_TRY(bind_slots(format, memory, format->element_size, slot_size, &layout, err));
    STOA_TRY(bind_chunk(format, dcpl, err));
    STOA_TRY(bind_fill(format, dcpl, layout != NULL ? memory : type, layout, err));
    STOA_TRY(find_filters(format, err));
    format->is_bound = true;

done:
    stoa_vlen_layout_free(layout);
    return stoa_hdf_close(&memory, status, err);
}

/* --- the filter ------------------------------------------------------------------------------ */

/* Push an error onto libhdf5's error stack. 1.14 drops the errors of filters, 2.x prints them. */
static void push(const stoa_error *err)
{
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_PLINE,
                   H5E_CANTFILTER, "%s%s%s", err->where, err->where[0] != 0 ? ": " : "",
                   err->message);
}

static herr_t set_local(hid_t dcpl, hid_t type, hid_t space)
{
    stoa_sparse_format format = {.is_bound = false};
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = stoa_sparse_format_of_list(dcpl, &format, &err);

    (void)space; /* the chunk's dataspace; the list has its shape too */
    const bool is_new = !format.is_bound;
    /* Only the connector writes a section 2, and it binds the format beforehand. */
    if (status == STOA_OK && !format.is_bound && stoa_vlen_is_in(type)) {
        format.has_references = true;
        format.has_heap = false;
    }
    if (status == STOA_OK) {
        status = stoa_sparse_format_bind(&format, dcpl, type, 0, &err);
    }
    if (status == STOA_OK) {
        status = stoa_sparse_format_to_list(dcpl, &format, &err);
    }
    if (status == STOA_OK && is_new) {
        status = stoa_section_classes_set_local(dcpl, type, &format, &err);
    }
    if (status != STOA_OK) {
        push(&err);
        return -1;
    }
    return 0;
}

/* State of one call of the filter. */
typedef struct call {
    stoa_sparse_format format;
    stoa_sparse_coder coder;
    stoa_sparse_chunk chunk;
    stoa_buffer packed;
} call;

/* Check that a dense chunk can hold everything. Data that are silently omitted would be lost: a
 * program reads the whole chunk before it copies the dataset or writes part of the chunk. */
static stoa_status must_be_dense(const call *c, const uint8_t *bytes, size_t n_bytes,
                                 stoa_error *err)
{
    stoa_split_chunk split;

    if (!c->format.has_heap) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_sparse_chunk_split(&c->format, bytes, n_bytes, &split, err));
    if (split.sections[STOA_SECTION_HEAP].n_original > 0 ||
        (c->format.fill_is_variable && c->chunk.n < c->format.n_elements)) {
        return stoa_fail(
            err, STOA_ETYPE,
            "strings or sequences are in section 2, which only Stoa's connector reads "
            "(HDF5_VOL_CONNECTOR=stoa); see docs/sparse.md for those that all can read");
    }
    return STOA_OK;
}

static stoa_status backwards(call *c, size_t n_bytes, size_t *size, void **buf, stoa_error *err)
{
    const size_t n_dense = c->format.element_size * (size_t)c->format.n_elements;
    const uint8_t *fill = c->format.fill;
    uint8_t *dense = NULL;
    stoa_split_chunk split;

    STOA_RETURN_NOT_OK(
        stoa_sparse_chunk_unpack(&c->format, *buf, n_bytes, 2, &c->coder, &c->chunk, err));
    STOA_RETURN_NOT_OK(must_be_dense(c, *buf, n_bytes, err));
    if (c->format.fill_is_elsewhere && c->chunk.n < c->format.n_elements) {
        STOA_RETURN_NOT_OK(stoa_sparse_chunk_split(&c->format, *buf, n_bytes, &split, err));
        fill = split.fill;
        if (fill == NULL) {
            return stoa_fail(err, STOA_EDATA,
                             "a structured chunk is damaged: it has no fill value");
        }
    }
    dense = H5allocate_memory(n_dense, false);
    STOA_RETURN_NO_MEMORY(err, dense);
    stoa_sparse_spread(&c->format, &c->chunk, fill, dense);
    (void)H5free_memory(*buf);
    *buf = dense;
    *size = n_dense;
    return STOA_OK;
}

static stoa_status forwards(call *c, size_t n_bytes, size_t *size, void **buf, stoa_error *err)
{
    const bool knows_fill = c->format.is_sparse && !c->format.fill_is_elsewhere;

    if (n_bytes != c->format.element_size * (size_t)c->format.n_elements) {
        return stoa_fail(err, STOA_EINVAL, "a chunk of %zu bytes is not of this dataset", n_bytes);
    }
    STOA_RETURN_NOT_OK(
        stoa_sparse_collect(&c->format, *buf, knows_fill ? c->format.fill : NULL, &c->chunk, err));
    STOA_RETURN_NOT_OK(
        stoa_sparse_chunk_pack(&c->format, &c->chunk, NULL, &c->coder, &c->packed, err));
    if (c->packed.size > *size) {
        void *room = H5allocate_memory(c->packed.size, false);
        STOA_RETURN_NO_MEMORY(err, room);
        (void)H5free_memory(*buf);
        *buf = room;
        *size = c->packed.size;
    }
    memcpy(*buf, c->packed.data, c->packed.size);
    return STOA_OK;
}

/* Filter one chunk. Returns its new size in bytes, or 0 after a failure. */
static size_t filter_chunk(unsigned flags, size_t n_words, const unsigned words[], size_t n_bytes,
                           size_t *size, void **buf)
{
    call *c = stoa_alloc_zero(1, sizeof *c);
    size_t n_result = 0;
    stoa_error err = STOA_ERROR_INIT;
    stoa_status status = STOA_OK;

    if (c == NULL) {
        status = stoa_fail_memory(&err);
        goto done;
    }
    STOA_TRY(stoa_sparse_format_unpack(words, n_words, &c->format, &err));
    if (!c->format.is_bound) {
        STOA_FAIL(&err, STOA_EDATA, "the parameters of filter %d do not describe a dataset",
                  STOA_SPARSE_FILTER);
    }
    STOA_TRY(stoa_sparse_coder_open(&c->format, &c->coder, &err));
    if ((flags & H5Z_FLAG_REVERSE) != 0) {
        STOA_TRY(backwards(c, n_bytes, size, buf, &err));
        n_result = *size;
    } else {
        STOA_TRY(forwards(c, n_bytes, size, buf, &err));
        n_result = c->packed.size;
    }

done:
    if (status != STOA_OK) {
        push(&err);
    }
    if (c != NULL) {
        stoa_sparse_coder_close(&c->coder);
        stoa_sparse_chunk_clear(&c->chunk);
        stoa_buffer_clear(&c->packed);
        free(c);
    }
    return n_result;
}

const H5Z_class2_t stoa_sparse_filter_class = {
    .version = H5Z_CLASS_T_VERS,
    .id = STOA_SPARSE_FILTER,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = STOA_SPARSE_FILTER_NAME,
    .set_local = set_local,
    .filter = filter_chunk,
};

stoa_status stoa_sparse_filter_register(stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, H5Zregister(&stoa_sparse_filter_class), "register filter %d",
                          STOA_SPARSE_FILTER);
    return STOA_OK;
}
