#include "hdf/metadata/libhdf5_checks.h"

#include <stdlib.h>
#include <string.h>

#include "codec/bytes.h"
#include "core/memory.h"

/* libhdf5 exposes the size of a fill value only in the encoded property list. There the property is
 * its name with a NUL, allocation time and fill time (a byte each), and the size (eight bytes,
 * little-endian). The size is 0 or negative if there is no user-defined value. */
static bool find_size(const uint8_t *encoded, size_t n, int64_t *size)
{
    static const char name[] = "fill_value";
    const size_t header = sizeof name + 2;

    for (size_t i = 0; i + header + 8 <= n; i++) {
        if (memcmp(encoded + i, name, sizeof name) == 0) {
            *size = (int64_t)stoa_get_le64(encoded + i + header);
            return true;
        }
    }
    return false;
}

/* More deeply nested datatypes are damage. */
enum { MAX_DEPTH = 32 };

/* In the file, a variable-length sequence or string is a length, an address and an index. A
 * reference of HDF5 1.12 has a kind, flags and a length before such an address and index. */
enum { STORED_VLEN = 16, STORED_REFERENCE = 18 };

/* Size in the file: the size in memory, with each member's size replaced by its stored size. */
static size_t stored_compound_size(hid_t type)
{
    const int n = H5Tget_nmembers(type);
    size_t size = H5Tget_size(type);

    for (int i = 0; i < n; i++) {
        hid_t member = H5Tget_member_type(type, (unsigned)i);
        const size_t in_memory = H5Tget_size(member);
        const size_t stored = stoa_stored_size(member);
        (void)stoa_hdf_close(&member, STOA_OK, NULL);
        if (stored == 0 || in_memory > size) {
            return 0;
        }
        size = size - in_memory + stored;
    }
    return n < 0 ? 0 : size;
}

static size_t stored_array_size(hid_t type)
{
    hid_t base = H5Tget_super(type);
    const size_t in_memory = H5Tget_size(base);
    const size_t stored = stoa_stored_size(base);

    (void)stoa_hdf_close(&base, STOA_OK, NULL);
    return in_memory == 0 ? 0 : H5Tget_size(type) / in_memory * stored;
}

size_t stoa_stored_size(hid_t type)
{
    if (H5Tis_variable_str(type) > 0) {
        return STORED_VLEN;
    }
    switch (H5Tget_class(type)) {
    case H5T_VLEN:
        return STORED_VLEN;
    case H5T_COMPOUND:
        return stored_compound_size(type);
    case H5T_ARRAY:
        return stored_array_size(type);
    case H5T_REFERENCE:
        return H5Tequal(type, H5T_STD_REF) > 0 ? STORED_REFERENCE : H5Tget_size(type);
    default:
        return H5Tget_size(type);
    }
}

/* Offsets in the result of H5Tencode(): the message type and a version come first. The class is in
 * the low four bits of its byte. For a variable-length type, those of the next byte tell a sequence
 * (0) from a string (1). */
enum { ENCODED_CLASS = 2, ENCODED_KIND = 3 };

/* Whether a variable-length type is a sequence (0) or a string (1). libhdf5 1.14 accepts any number
 * from a file. Then it neither changes such a type to its memory form, nor refuses to convert to
 * it. */
static bool is_list_of_a_kind(hid_t type)
{
    uint8_t few[512]; /* enough except for large compounds */
    uint8_t *many = NULL;
    size_t n = 0;
    bool is_so = false;

    (void)H5Tencode(type, NULL, &n); /* if it fails, so does the call below */
    if (n > sizeof few) {
        many = stoa_alloc(1, n);
        if (many == NULL) {
            return false; /* not checked, so not trusted */
        }
    }
    uint8_t *const encoded = many != NULL ? many : few;
    if (H5Tencode(type, encoded, &n) >= 0) {
        is_so = (encoded[ENCODED_CLASS] & 0x0f) == H5T_VLEN && (encoded[ENCODED_KIND] & 0x0f) <= 1;
    }
    free(many);
    return is_so;
}

static bool part_is_sound(hid_t part)
{
    const bool is_sound = part >= 0 && stoa_type_is_sound(part);

    (void)stoa_hdf_close(&part, STOA_OK, NULL);
    return is_sound;
}

/* Whether a number's size has room for its bits. libhdf5 1.14 uses the bit fields without comparing
 * them with the size. */
static bool is_number_whole(hid_t type)
{
    size_t sign = 0;
    size_t exponent = 0;
    size_t exponent_size = 0;
    size_t mantissa = 0;
    size_t mantissa_size = 0;
    const size_t precision = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);

    if (offset < 0 || (size_t)offset + precision > 8 * H5Tget_size(type)) {
        return false;
    }
    return H5Tget_class(type) != H5T_FLOAT ||
           (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) >= 0 &&
            sign < precision && exponent + exponent_size <= precision &&
            mantissa + mantissa_size <= precision);
}

bool stoa_type_is_sound(hid_t type)
{
    bool is_sound = true;

    if (H5Tis_variable_str(type) > 0) {
        return is_list_of_a_kind(type);
    }
    switch (H5Tget_class(type)) {
    case H5T_VLEN:
        return is_list_of_a_kind(type) && part_is_sound(H5Tget_super(type));
    case H5T_ARRAY:
    case H5T_ENUM:
        return part_is_sound(H5Tget_super(type));
    case H5T_COMPOUND:
        for (int i = 0; is_sound && i < H5Tget_nmembers(type); i++) {
            is_sound = part_is_sound(H5Tget_member_type(type, (unsigned)i));
        }
        return is_sound;
    case H5T_INTEGER:
    case H5T_BITFIELD:
    case H5T_FLOAT:
        return is_number_whole(type);
    default:
        return true;
    }
}

hid_t stoa_dataset_properties(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    const bool is_sound = type >= 0 && stoa_type_is_sound(type);

    (void)stoa_hdf_close(&type, STOA_OK, NULL);
    if (!is_sound) {
        (void)H5Epush2(
            H5E_DEFAULT, __FILE__, "stoa_dataset_properties", __LINE__, H5E_ERR_CLS, H5E_DATATYPE,
            H5E_BADTYPE,
            "a number has more bits than bytes for them, or a type of variable length is "
            "neither a sequence nor a string");
        return H5I_INVALID_HID;
    }
    return H5Dget_create_plist(dataset);
}

stoa_status stoa_fill_fits(hid_t dcpl, hid_t type, bool *fits, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t expected = stoa_stored_size(type);
    uint8_t *encoded = NULL;
    size_t n = 0;
    int64_t size = 0;

    *fits = false;
    STOA_HDF(err, H5Pencode2(dcpl, NULL, &n, H5P_DEFAULT), "measure a dataset's properties");
    encoded = stoa_alloc(1, n);
    if (encoded == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    STOA_HDF(err, H5Pencode2(dcpl, encoded, &n, H5P_DEFAULT), "encode a dataset's properties");
    /* A list that does not contain it has the library's default. */
    *fits =
        !find_size(encoded, n, &size) || size <= 0 || expected == 0 || (uint64_t)size == expected;

done:
    free(encoded);
    return status;
}

/* Where libhdf5 never fills, it leaves the caller's buffer alone. Our buffers are zeros. */
stoa_status stoa_fill_find(hid_t dataset, hid_t dcpl, hid_t mem_type, uint8_t **fill,
                           bool *is_known, stoa_error *err)
{
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    H5D_fill_time_t time = H5D_FILL_TIME_ERROR;
    H5D_space_status_t space = H5D_SPACE_STATUS_ERROR;

    *fill = NULL;
    *is_known = true;
    STOA_RETURN_HDF_ERROR(err, H5Pfill_value_defined(dcpl, &defined), "look for a fill value");
    STOA_RETURN_HDF_ERROR(err, H5Pget_fill_time(dcpl, &time), "get the time of filling");
    if (defined == H5D_FILL_VALUE_UNDEFINED && time != H5D_FILL_TIME_NEVER) {
        STOA_RETURN_HDF_ERROR(err, H5Dget_space_status(dataset, &space), "look for storage");
        *is_known = space != H5D_SPACE_STATUS_NOT_ALLOCATED;
    }
    if (defined != H5D_FILL_VALUE_USER_DEFINED || time == H5D_FILL_TIME_NEVER) {
        return STOA_OK;
    }
    *fill = stoa_alloc_zero(1, H5Tget_size(mem_type));
    STOA_RETURN_NO_MEMORY(err, *fill);
    STOA_RETURN_HDF_ERROR(err, H5Pget_fill_value(dcpl, mem_type, *fill), "get the fill value");
    return STOA_OK;
}

void stoa_fill_put(const uint8_t *fill, size_t element_size, uint64_t n, uint8_t *out)
{
    if (fill == NULL) {
        memset(out, 0, (size_t)n * element_size);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        memcpy(out + i * element_size, fill, element_size);
    }
}

bool stoa_type_is_plain(hid_t type)
{
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_ENUM:
    case H5T_BITFIELD:
    case H5T_OPAQUE:
        return true;
    case H5T_STRING:
        return H5Tis_variable_str(type) == 0;
    default:
        return false;
    }
}

static bool is_flat(hid_t type, int depth)
{
    const bool is_compound = H5Tget_class(type) == H5T_COMPOUND;
    const int n = is_compound ? H5Tget_nmembers(type) : 1;

    if (!is_compound && H5Tget_class(type) != H5T_ARRAY) {
        return H5Tget_class(type) == H5T_TIME || stoa_type_is_plain(type);
    }
    bool are_flat = n > 0 && depth < MAX_DEPTH;
    for (int i = 0; are_flat && i < n; i++) {
        hid_t inner = is_compound ? H5Tget_member_type(type, (unsigned)i) : H5Tget_super(type);
        are_flat = inner >= 0 && is_flat(inner, depth + 1);
        (void)stoa_hdf_close(&inner, STOA_OK, NULL);
    }
    return are_flat;
}

bool stoa_type_is_flat(hid_t type)
{
    return is_flat(type, 0);
}

unsigned stoa_mask_of_all(hid_t dcpl)
{
    const int n_filters = H5Pget_nfilters(dcpl);

    return n_filters <= 0 ? 0 : n_filters >= 32 ? ~0u : (1u << n_filters) - 1;
}

bool stoa_chunk_fits(unsigned all, unsigned filter_mask, uint64_t n_stored, uint64_t chunk_bytes)
{
    if (n_stored == 0) {
        return false;
    }
    return (filter_mask & all) != all || chunk_bytes == 0 || n_stored == chunk_bytes;
}

/* A reference of H5T_STD_REF is stored as two bytes, two lengths and an address. */
static size_t stored_reference_size(hid_t object)
{
    size_t address = 0;
    size_t length = 0;
    hid_t file = H5Iget_file_id(object);
    hid_t fcpl = H5Fget_create_plist(file);

    if (H5Pget_sizes(fcpl, &address, &length) < 0) {
        address = 8;
    }
    (void)stoa_hdf_close(&fcpl, STOA_OK, NULL);
    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    return 10 + address;
}

bool stoa_attribute_fits(hid_t attribute, hid_t type, uint64_t n)
{
    const size_t size =
        H5Tequal(type, H5T_STD_REF) > 0 ? stored_reference_size(attribute) : stoa_stored_size(type);

    if (!stoa_type_is_sound(type)) {
        return false;
    }
    return size == 0 || n <= H5Aget_storage_size(attribute) / size;
}
