#include "layout/arkouda/read/array.h"

#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "layout/common/extent.h"

int64_t stoa_arkouda_number(hid_t object, const char *name, int64_t otherwise)
{
    stoa_error ignored = STOA_ERROR_INIT;
    int64_t number = 0;
    bool found = false;

    return stoa_attribute_read_number(object, name, &number, &found, &ignored) == STOA_OK && found
               ? number
               : otherwise;
}

size_t stoa_arkouda_file_of(const uint64_t *starts, size_t n_files, uint64_t at)
{
    size_t low = 0;
    size_t high = n_files - 1;

    while (low < high) { /* the last file that starts at or before it, which skips empty ones */
        const size_t middle = low + (high - low + 1) / 2;
        if (starts[middle] <= at) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* --- pieces ---------------------------------------------------------------------------------- */

static stoa_status measure(hid_t dataset, uint64_t *n, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK];
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_extent_read(dataset, &rank, extent, err));
    if (rank == 0 || rank > 1) {
        return stoa_fail(err, STOA_EDATA, "has %d dimensions where Arkouda's arrays have one",
                         rank);
    }
    *n = rank == 1 ? extent[0] : 0;
    return STOA_OK;
}

static stoa_status find_piece(const stoa_arkouda_array *array, size_t k,
                              const stoa_arkouda_requirements *wish, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_piece *const piece = &array->pieces[k];
    const uint64_t wanted = wish->like != NULL ? wish->like->pieces[k].n : 0;

    piece->dataset = stoa_arkouda_set_object(array->set, k, array->path);
    if (piece->dataset < 0 && !wish->may_lack) {
        STOA_FAIL(err, STOA_EDATA, "is missing%s",
                  array->set->n > 1 ? ", which the other files of the set hold" : "");
    }
    if (piece->dataset < 0 || H5Iget_type(piece->dataset) != H5I_DATASET) {
        (void)stoa_hdf_close(&piece->dataset, STOA_OK, NULL);
        piece->n = wanted;
        goto done;
    }
    STOA_TRY(measure(piece->dataset, &piece->n, err));
    if (wish->like != NULL && piece->n != wanted) {
        STOA_FAIL(err, STOA_EDATA, "has %llu elements, and what it belongs to %llu",
                  (unsigned long long)piece->n, (unsigned long long)wanted);
    }

done:
    return stoa_arkouda_set_at(array->set, k, array->path, status, err);
}

static stoa_status find_pieces(stoa_arkouda_array *array, const stoa_arkouda_requirements *wish,
                               stoa_error *err)
{
    for (size_t k = 0; k < array->set->n; k++) {
        STOA_RETURN_NOT_OK(find_piece(array, k, wish, err));
        if (array->pieces[k].n > INT64_MAX - array->starts[k]) {
            return stoa_fail(err, STOA_EDATA, "has more elements than can be counted");
        }
        array->starts[k + 1] = array->starts[k] + array->pieces[k].n;
    }
    return STOA_OK;
}

/* --- types ----------------------------------------------------------------------------------- */

/* Check the type of a file's elements. `text` of an element names its type. */
static stoa_status check_kind(const stoa_element *element, bool is_bool,
                              const stoa_arkouda_requirements *wish, stoa_error *err)
{
    const bool is_integer = element->class == STOA_ELEMENT_INTEGER && !element->is_bitfield;
    const bool is_number = is_integer || element->class == STOA_ELEMENT_FLOAT;

    if (!is_number || element->is_odd) {
        return stoa_fail(err, STOA_EDATA, "is of type %s, which no array of Arkouda has",
                         element->text);
    }
    if (is_bool && element->kind != STOA_KIND_UINT8 && element->kind != STOA_KIND_INT8) {
        return stoa_fail(err, STOA_EDATA, "has isBool 1, but holds %s", element->text);
    }
    if (wish->is_int64 && !is_integer) {
        return stoa_fail(err, STOA_EDATA, "holds %s where integers belong", element->text);
    }
    if (wish->is_bytes && element->kind != STOA_KIND_UINT8) {
        return stoa_fail(err, STOA_EDATA, "holds %s where the bytes of strings belong",
                         element->text);
    }
    return STOA_OK;
}

/* The common type of files that may differ in width. *is_one is false if there is none. */
static stoa_status widen(stoa_element *element, const stoa_element *other, bool *is_one,
                         stoa_error *err)
{
    const bool is_long = element->kind == STOA_KIND_UINT64 || other->kind == STOA_KIND_UINT64;
    const bool is_signed =
        !stoa_kind_is_unsigned(element->kind) || !stoa_kind_is_unsigned(other->kind);
    const hid_t type = element->class == STOA_ELEMENT_FLOAT ? H5T_NATIVE_DOUBLE
                       : is_long                            ? H5T_NATIVE_UINT64
                                                            : H5T_NATIVE_INT64;

    *is_one = element->class == other->class && !(is_long && is_signed);
    if (*is_one) {
        stoa_element_clear(element);
        STOA_RETURN_NOT_OK(stoa_element_of(type, element, err));
    }
    return STOA_OK;
}

/* Read the type of one file's elements. If `is_first`, it becomes the type of the array. */
static stoa_status read_type(stoa_arkouda_array *array, size_t k, bool is_first,
                             const stoa_arkouda_requirements *wish, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const hid_t dataset = array->pieces[k].dataset;
    hid_t type = H5I_INVALID_HID;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    const bool is_bool =
        wish->is_bool || stoa_arkouda_number(dataset, STOA_ARKOUDA_IS_BOOL, 0) == 1;
    bool is_one = false;

    STOA_HDF(err, type = H5Dget_type(dataset), "get the datatype");
    STOA_TRY(stoa_element_of(type, &element, err));
    STOA_TRY(check_kind(&element, is_bool, wish, err));
    if (wish->is_int64) {
        stoa_element_clear(&element);
        STOA_TRY(stoa_element_of(H5T_NATIVE_INT64, &element, err));
    }
    if (is_first) {
        array->element = element;
        array->is_bool = is_bool;
        element = (stoa_element){.mem_type = H5I_INVALID_HID};
        goto done;
    }
    is_one = element.kind == array->element.kind;
    if (!is_one && array->set->widens && !is_bool && !array->is_bool) {
        STOA_TRY(widen(&array->element, &element, &is_one, err));
    }
    if (!is_one || is_bool != array->is_bool) {
        STOA_FAIL(err, STOA_EDATA, "holds %s%s, and another file of the set %s%s", element.text,
                  is_bool ? " as bools" : "", array->element.text,
                  array->is_bool ? " as bools" : "");
    }

done:
    stoa_element_clear(&element);
    status = stoa_hdf_close(&type, status, err);
    return stoa_arkouda_set_at(array->set, k, array->path, status, err);
}

/* Files with elements determine the type; if all are empty, the first file does. */
static stoa_status find_type(stoa_arkouda_array *array, const stoa_arkouda_requirements *wish,
                             stoa_error *err)
{
    bool is_first = true;

    for (size_t k = 0; k < array->set->n; k++) {
        if (array->pieces[k].n > 0 && array->pieces[k].dataset >= 0) {
            STOA_RETURN_NOT_OK(read_type(array, k, is_first, wish, err));
            is_first = false;
        }
    }
    for (size_t k = 0; k < array->set->n && is_first; k++) {
        if (array->pieces[k].dataset >= 0) {
            STOA_RETURN_NOT_OK(read_type(
                array, k, is_first, &(stoa_arkouda_requirements){.is_int64 = wish->is_int64}, err));
            is_first = false;
        }
    }
    if (is_first) {
        STOA_RETURN_NOT_OK(stoa_element_of(wish->is_bytes ? H5T_NATIVE_UINT8 : H5T_NATIVE_INT64,
                                           &array->element, err));
    }
    return STOA_OK;
}

/* Reject a length that no filter could reach with the stored bytes, since readers allocate memory
 * by it. */
static stoa_status check_size(const stoa_arkouda_array *array, size_t k, stoa_error *err)
{
    static const uint64_t small = UINT64_C(1) << 26;
    static const uint64_t most = 65536; /* highest compression ratio */
    const stoa_arkouda_piece *const piece = &array->pieces[k];
    const uint64_t size = array->element.size;

    if (piece->n <= small / size || piece->n / most <= H5Dget_storage_size(piece->dataset) / size) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_EDATA,
                     "claims %llu elements, of which the file holds %llu bytes: it is damaged, or "
                     "was never written",
                     (unsigned long long)piece->n,
                     (unsigned long long)H5Dget_storage_size(piece->dataset));
}

/* --- opening and reading --------------------------------------------------------------------- */

static stoa_status open_pieces(stoa_arkouda_array *array, stoa_error *err)
{
    stoa_status status = STOA_OK;

    array->is_free = true;
    for (size_t k = 0; k < array->set->n; k++) {
        stoa_arkouda_piece *const piece = &array->pieces[k];
        if (piece->n == 0 || piece->dataset < 0) {
            continue;
        }
        status = check_size(array, k, err);
        STOA_RETURN_NOT_OK(stoa_arkouda_set_at(array->set, k, array->path, status, err));
        status = stoa_checked_reader_open(&piece->reader, piece->dataset, array->element.mem_type,
                                          array->set->read_context, err);
        STOA_RETURN_NOT_OK(stoa_arkouda_set_at(array->set, k, array->path, status, err));
        array->is_free = array->is_free && piece->reader.direct != NULL;
    }
    return status;
}

static stoa_status make(stoa_arkouda_set *set, const char *path, stoa_arkouda_array **out,
                        stoa_error *err)
{
    stoa_arkouda_array *array = stoa_alloc_zero(1, sizeof *array);

    *out = array;
    STOA_RETURN_NO_MEMORY(err, array);
    array->set = stoa_arkouda_set_hold(set);
    array->turn = stoa_arkouda_offsets_simd_of(stoa_simd_of_cpu());
    array->element.mem_type = H5I_INVALID_HID;
    array->path = stoa_strdup(path);
    array->starts = stoa_alloc_zero(set->n + 1, sizeof *array->starts);
    array->pieces = stoa_alloc(set->n, sizeof *array->pieces);
    for (size_t k = 0; array->pieces != NULL && k < set->n; k++) {
        array->pieces[k] =
            (stoa_arkouda_piece){.dataset = H5I_INVALID_HID, .reader = STOA_CHECKED_READER_INIT};
    }
    STOA_RETURN_NO_MEMORY(err,
                          array->path != NULL && array->starts != NULL && array->pieces != NULL);
    return STOA_OK;
}

stoa_status stoa_arkouda_array_open(stoa_arkouda_set *set, const char *path,
                                    const stoa_arkouda_requirements *wish, stoa_arkouda_array **out,
                                    stoa_error *err)
{
    static const stoa_arkouda_requirements anything = {.may_lack = false};
    stoa_status status = STOA_OK;

    wish = wish != NULL ? wish : &anything;
    STOA_TRY(make(set, path, out, err));
    STOA_TRY(find_pieces(*out, wish, err));
    STOA_TRY(find_type(*out, wish, err));
    STOA_TRY(open_pieces(*out, err));

done:
    if (status != STOA_OK) {
        stoa_arkouda_array_close(*out);
        *out = NULL;
    }
    return status;
}

/* Read rows of one file. */
static stoa_status read_piece(const stoa_arkouda_array *array, size_t k, uint64_t first,
                              uint64_t count, uint8_t *out, stoa_error *err)
{
    stoa_arkouda_piece *const piece = &array->pieces[k];

    if (piece->dataset < 0) {
        memset(out, 0, (size_t)count * array->element.size);
        return STOA_OK;
    }
    stoa_scratch scratch = stoa_read_context_borrow(array->set->read_context);
    const stoa_status status =
        stoa_checked_reader_read(&piece->reader, first, count, &scratch, NULL, out, err);
    stoa_read_context_return(array->set->read_context, &scratch);
    return stoa_arkouda_set_at(array->set, k, array->path, status, err);
}

stoa_status stoa_arkouda_array_read(const stoa_arkouda_array *array, uint64_t first, uint64_t count,
                                    void *out, stoa_error *err)
{
    uint8_t *const to = out;
    uint64_t n_done = 0;

    if (count == 0) {
        return STOA_OK;
    }
    for (size_t k = stoa_arkouda_file_of(array->starts, array->set->n, first); n_done < count;
         k++) {
        const uint64_t from = first + n_done - array->starts[k];
        const uint64_t left = array->pieces[k].n - from;
        const uint64_t n = left < count - n_done ? left : count - n_done;
        if (n > 0) {
            STOA_RETURN_NOT_OK(
                read_piece(array, k, from, n, to + n_done * array->element.size, err));
        }
        n_done += n;
    }
    return STOA_OK;
}

void stoa_arkouda_array_close(stoa_arkouda_array *array)
{
    if (array == NULL) {
        return;
    }
    for (size_t k = 0; array->pieces != NULL && k < array->set->n; k++) {
        stoa_checked_reader_close(&array->pieces[k].reader);
        (void)stoa_hdf_close(&array->pieces[k].dataset, STOA_OK, NULL);
    }
    stoa_element_clear(&array->element);
    free(array->pieces);
    free(array->starts);
    free(array->path);
    stoa_arkouda_set_release(array->set);
    free(array);
}
