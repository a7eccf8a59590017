#include "hdf/copy/portable.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/other_files.h"
#include "hdf/read/checked_reader.h"

/* Elements read at once. */
#define BLOCK UINT64_C(65536)
#define DEFLATE_LEVEL 4

/* --- looking ---------------------------------------------------------------------------------- */

/* What is to be changed of a dataset. */
typedef struct change {
    bool filters;
    bool charset;
} change;

static bool has_rare_filter(hid_t creation)
{
    const int n = H5Pget_nfilters(creation);
    bool has = false;

    for (int i = 0; i < n; i++) {
        unsigned flags = 0;
        size_t n_values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(creation, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL);
        has = has || (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
                      filter != H5Z_FILTER_FLETCHER32);
    }
    return has;
}

static stoa_status length_of(hid_t dataset, bool *is_line, hsize_t *n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Dget_space(dataset), "get the shape");
    *is_line =
        H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_ndims(space) == 1;
    if (*is_line) {
        STOA_HDF(err, H5Sget_simple_extent_dims(space, n, NULL), "get the shape");
    }

done:
    return stoa_hdf_close(&space, status, err);
}

/* Read a dataset in its own type, block by block. */
typedef stoa_status (*visit_block)(void *context, uint64_t first, uint64_t n, const uint8_t *block,
                                   stoa_error *err);

static stoa_status visit(hid_t dataset, hid_t type, visit_block take, void *context,
                         stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    bool is_line = false;
    hsize_t n_all = 0;
    uint8_t *block = NULL;

    STOA_TRY(length_of(dataset, &is_line, &n_all, err));
    block = stoa_alloc_zero((size_t)(n_all < BLOCK ? n_all : BLOCK), H5Tget_size(type));
    STOA_TRY(block != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_checked_reader_open(&reader, dataset, type, NULL, err));
    for (uint64_t first = 0; first < n_all; first += BLOCK) {
        const uint64_t n = n_all - first < BLOCK ? n_all - first : BLOCK;
        STOA_TRY(stoa_checked_reader_read(&reader, first, n, NULL, NULL, block, err));
        STOA_TRY(take(context, first, n, block, err));
    }

done:
    stoa_checked_reader_close(&reader);
    free(block);
    return status;
}

typedef struct look {
    size_t size;
    bool is_ascii;
} look;

static stoa_status look_at(void *context, uint64_t first, uint64_t n, const uint8_t *block,
                           stoa_error *err)
{
    look *const l = context;

    (void)first;
    (void)err;
    l->is_ascii = l->is_ascii && stoa_is_ascii((const char *)block, (size_t)n * l->size);
    return STOA_OK;
}

/* Whether all strings of a dataset are ASCII. It is read once. */
static stoa_status look_into(stoa_portable *portable, hid_t dataset, hid_t type, bool *are_ascii,
                             stoa_error *err)
{
    look l = {H5Tget_size(type), true};
    H5O_info2_t info;
    uint32_t number = 0;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(dataset, &info, H5O_INFO_BASIC), "look at a dataset");
    if (!stoa_string_set_find(&portable->known, &info.token, sizeof info.token, &number)) {
        STOA_RETURN_NOT_OK(visit(dataset, type, look_at, &l, err));
        STOA_RETURN_NOT_OK(
            stoa_string_set_add(&portable->known, &info.token, sizeof info.token, &number, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(&portable->are_ascii, &l.is_ascii, 1, err));
    }
    *are_ascii = portable->are_ascii.data[number] != 0;
    return STOA_OK;
}

static stoa_status find_change(stoa_portable *portable, hid_t source, change *todo, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t creation = H5I_INVALID_HID;
    bool is_line = false;
    hsize_t n = 0;

    *todo = (change){false, false};
    STOA_TRY(length_of(source, &is_line, &n, err));
    STOA_HDF(err, type = H5Dget_type(source), "get the datatype");
    if (!is_line || !stoa_type_is_flat(type) || H5Tdetect_class(type, H5T_REFERENCE) > 0 ||
        stoa_dataset_is_elsewhere(source)) {
        goto done;
    }
    STOA_HDF(err, creation = stoa_dataset_properties(source), "get the creation properties");
    todo->filters = has_rare_filter(creation);
    if (H5Tget_class(type) == H5T_STRING && H5Tget_cset(type) == H5T_CSET_UTF8 &&
        H5Tcommitted(type) <= 0) {
        STOA_TRY(look_into(portable, source, type, &todo->charset, err));
    }

done:
    status = stoa_hdf_close(&creation, status, err);
    return stoa_hdf_close(&type, status, err);
}

/* --- copying ---------------------------------------------------------------------------------- */

/* Give creation properties a fill value of the type that the copy has: libhdf5 does not convert
 * between character sets. */
static stoa_status retype_fill(hid_t creation, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t ascii = H5I_INVALID_HID;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    void *fill = stoa_alloc_zero(1, H5Tget_size(type));

    STOA_TRY(fill != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Pfill_value_defined(creation, &defined), "look for the fill value");
    if (defined == H5D_FILL_VALUE_USER_DEFINED) {
        STOA_HDF(err, H5Pget_fill_value(creation, type, fill), "get the fill value");
        STOA_HDF(err, ascii = H5Tcopy(type), "copy a datatype");
        STOA_HDF(err, H5Tset_cset(ascii, H5T_CSET_ASCII), "set a character set");
        STOA_HDF(err, H5Pset_fill_value(creation, ascii, fill), "set the fill value");
    }

done:
    free(fill);
    return stoa_hdf_close(&ascii, status, err);
}

static stoa_status make_creation(hid_t source, const change *todo, hid_t creation, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Dget_type(source), "get the datatype");
    if (todo->filters) {
        STOA_HDF(err, H5Premove_filter(creation, H5Z_FILTER_ALL), "remove the old filters");
        if (H5Tget_size(type) > 1) {
            STOA_HDF(err, H5Pset_shuffle(creation), "set the shuffle filter");
        }
        STOA_HDF(err, H5Pset_deflate(creation, DEFLATE_LEVEL), "set the deflate filter");
    }
    if (todo->charset) {
        STOA_TRY(retype_fill(creation, type, err));
    }

done:
    return stoa_hdf_close(&type, status, err);
}

static stoa_status choose_inner(const stoa_portable *portable, hid_t source, hid_t creation,
                                bool *is_other, stoa_error *err)
{
    *is_other = false;
    return portable->inner.choose != NULL
               ? portable->inner.choose(portable->inner.context, source, creation, is_other, err)
               : STOA_OK;
}

static stoa_status choose(void *context, hid_t source, hid_t creation, bool *is_other,
                          stoa_error *err)
{
    stoa_portable *const portable = context;
    change todo;

    STOA_RETURN_NOT_OK(choose_inner(portable, source, creation, is_other, err));
    if (*is_other) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(find_change(portable, source, &todo, err));
    *is_other = todo.filters || todo.charset;
    return *is_other && creation >= 0 ? make_creation(source, &todo, creation, err) : STOA_OK;
}

static stoa_status retype(void *context, hid_t source, hid_t type, stoa_error *err)
{
    stoa_portable *const portable = context;
    bool is_other = false;
    change todo;

    STOA_RETURN_NOT_OK(choose_inner(portable, source, H5I_INVALID_HID, &is_other, err));
    if (is_other) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(find_change(portable, source, &todo, err));
    if (todo.charset) {
        STOA_RETURN_HDF_ERROR(err, H5Tset_cset(type, H5T_CSET_ASCII), "set a character set");
    }
    return STOA_OK;
}

static stoa_status write_block(void *context, uint64_t first, uint64_t n, const uint8_t *block,
                               stoa_error *err)
{
    return stoa_chunk_writer_write(context, first, n, block, err);
}

/* Both types have the same bytes. */
static stoa_status fill(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_portable *const portable = context;
    hid_t from = H5I_INVALID_HID;
    hid_t to = H5I_INVALID_HID;
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    bool is_other = false;

    STOA_TRY(choose_inner(portable, source, H5I_INVALID_HID, &is_other, err));
    if (is_other) {
        STOA_TRY(portable->inner.fill(portable->inner.context, source, copy, err));
        goto done;
    }
    STOA_HDF(err, from = H5Dget_type(source), "get the datatype");
    STOA_HDF(err, to = H5Dget_type(copy), "get the datatype");
    STOA_TRY(stoa_chunk_writer_open(&writer, copy, to, err));
    STOA_TRY(visit(source, from, write_block, &writer, err));
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_chunk_writer_close(&writer);
    status = stoa_hdf_close(&to, status, err);
    return stoa_hdf_close(&from, status, err);
}

static bool has_own(void *context, hid_t dataset)
{
    const stoa_portable *const portable = context;

    return portable->inner.has_own != NULL &&
           portable->inner.has_own(portable->inner.context, dataset);
}

static stoa_status copy_inner(void *context, hid_t source, hid_t copy, stoa_error *err)
{
    const stoa_portable *const portable = context;

    return portable->inner.copy(portable->inner.context, source, copy, err);
}

stoa_other_storage stoa_portable_storage(stoa_portable *portable)
{
    stoa_other_storage other = portable->inner;

    other.context = portable;
    other.choose = choose;
    other.retype = retype;
    other.fill = fill;
    other.has_own = has_own;
    other.copy = copy_inner;
    other.is_earliest = true;
    return other;
}

void stoa_portable_clear(stoa_portable *portable)
{
    stoa_string_set_clear(&portable->known);
    stoa_buffer_clear(&portable->are_ascii);
}
