/* Reads and writes single attributes. saved_attribute.c copies all attributes of an object. */
#include "hdf/metadata/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/libhdf5_checks.h"
#include "hdf/metadata/types.h"

/* Larger text attributes are damage. */
#define MAX_TEXT_BYTES ((size_t)16 << 20)
/* Limit of an attribute's value in an object header of the earliest format, whose messages have
 * less than 64 KiB. */
enum { MAX_EARLIEST_BYTES = 64000 };

bool stoa_attribute_exists(hid_t object, const char *name)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const htri_t exists = H5Aexists(object, name);

    stoa_error_stack_discard(&errors);
    return exists > 0;
}

typedef struct gathering {
    stoa_buffer *names;
    stoa_status status;
    stoa_error *err;
} gathering;

static herr_t gather(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    gathering *const g = context;

    (void)object;
    (void)info;
    g->status = stoa_buffer_append(g->names, name, strlen(name) + 1, g->err);
    return g->status == STOA_OK ? 0 : -1;
}

stoa_status stoa_attribute_names(hid_t object, stoa_buffer *names, bool *are_listed,
                                 stoa_error *err)
{
    gathering g = {names, STOA_OK, err};
    const stoa_error_stack errors = stoa_error_stack_begin();
    const herr_t walked = H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, gather, &g);

    stoa_error_stack_discard(&errors);
    if (are_listed != NULL) {
        *are_listed = walked >= 0;
    }
    return g.status;
}

stoa_status stoa_attribute_delete(hid_t object, const char *name, stoa_error *err)
{
    if (stoa_attribute_exists(object, name)) {
        STOA_RETURN_HDF_ERROR(err, H5Adelete(object, name), "delete attribute '%s'", name);
    }
    return STOA_OK;
}

/* Headers of the earliest format have no other place for an attribute. */
static stoa_status refuse_large(hid_t object, const char *name, uint64_t n_bytes, stoa_error *err)
{
    char *const path = stoa_hdf_name(object, H5Iget_name);
    const bool is_named = path != NULL && path[0] != '\0';
    const stoa_status status =
        stoa_fail(err, STOA_ERANGE,
                  "attribute '%s'%s%s takes %llu bytes, and one of an object of HDF5's earliest "
                  "format must have less than 64 KiB; write to a new file, or to one made with "
                  "H5F_LIBVER_V18 (h5py: libver='v108') or later",
                  name, is_named ? " of " : "", is_named ? path : "", (unsigned long long)n_bytes);

    free(path);
    return status;
}

stoa_status stoa_attribute_make(hid_t object, const char *name, hid_t type, hid_t space,
                                hid_t *attribute, stoa_error *err)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    const uint64_t n_bytes = (uint64_t)(n > 0 ? n : 0) * H5Tget_size(type);
    H5O_native_info_t info;
    stoa_status status = STOA_OK;

    *attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (*attribute < 0 && n_bytes >= MAX_EARLIEST_BYTES &&
        H5Oget_native_info(object, &info, H5O_NATIVE_INFO_HDR) >= 0 && info.hdr.version == 1) {
        (void)H5Eclear2(H5E_DEFAULT);
        status = refuse_large(object, name, n_bytes, err);
    } else if (*attribute < 0) {
        status = stoa_hdf_fail(err, "create attribute '%s'", name);
    }
    stoa_error_stack_end(&errors);
    return status;
}

/* Replace or create an attribute and write it. Borrows `space` and the types. */
static stoa_status write_attribute(hid_t object, const char *name, hid_t file_type, hid_t mem_type,
                                   hid_t space, const void *data, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;

    STOA_TRY(stoa_attribute_delete(object, name, err));
    STOA_TRY(stoa_attribute_make(object, name, file_type, space, &attr, err));
    if (data != NULL) {
        STOA_HDF(err, H5Awrite(attr, mem_type, data), "write attribute '%s'", name);
    }

done:
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_attribute_write_scalar(hid_t object, const char *name, hid_t file_type,
                                        hid_t mem_type, const void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;

    STOA_HDF(err, space = H5Screate(H5S_SCALAR), "make a scalar dataspace");
    STOA_TRY(write_attribute(object, name, file_type, mem_type, space, value, err));

done:
    return stoa_hdf_close(&space, status, err);
}

static stoa_status write_text(hid_t object, const char *name, const char *value, H5T_cset_t charset,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;

    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, strlen(value) + 1), "size a string type");
    STOA_HDF(err, H5Tset_cset(type, charset), "set a character set");
    STOA_TRY(stoa_attribute_write_scalar(object, name, type, type, value, err));

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_attribute_write_ascii(hid_t object, const char *name, const char *value,
                                       stoa_error *err)
{
    return write_text(object, name, value, H5T_CSET_ASCII, err);
}

stoa_status stoa_attribute_write_utf8(hid_t object, const char *name, const char *value,
                                      stoa_error *err)
{
    return write_text(object, name, value, H5T_CSET_UTF8, err);
}

stoa_status stoa_attribute_write_mended(hid_t object, const char *name, const char *value,
                                        stoa_error *err)
{
    char *const mended = stoa_utf8_mended(value);
    const stoa_status status = mended != NULL ? stoa_attribute_write_utf8(object, name, mended, err)
                                              : stoa_fail_memory(err);

    free(mended);
    return status;
}

stoa_status stoa_attribute_write_names(hid_t object, const char *name, const char *const *values,
                                       size_t n, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    char *block = NULL;
    size_t width = 1;

    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(values[i]);
        width = length > width ? length : width;
    }
    block = stoa_alloc_zero(n, width);
    if (block == NULL) {
        status = stoa_fail_memory(err);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(block + i * width, values[i], strlen(values[i]));
    }
    STOA_HDF(err, type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err, H5Tset_size(type, width), "size a string type");
    STOA_HDF(err, H5Tset_strpad(type, H5T_STR_NULLPAD), "set a padding");
    STOA_HDF(err, H5Tset_cset(type, H5T_CSET_UTF8), "set a character set");
    STOA_HDF(err, space = H5Screate_simple(1, &(hsize_t){n}, NULL), "make a dataspace");
    STOA_TRY(write_attribute(object, name, type, type, space, n != 0 ? block : NULL, err));

done:
    free(block);
    status = stoa_hdf_close(&space, status, err);
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_attribute_write_u64(hid_t object, const char *name, uint64_t value,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;

    /* In place if possible: overwriting eight bytes is as close to atomic as HDF5 gets. */
    if (stoa_attribute_exists(object, name)) {
        STOA_HDF(err, attr = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
        STOA_HDF(err, type = H5Aget_type(attr), "get the type of attribute '%s'", name);
        if (H5Tequal(type, H5T_STD_U64LE) > 0 || H5Tequal(type, H5T_STD_U64BE) > 0) {
            STOA_HDF(err, H5Awrite(attr, H5T_NATIVE_UINT64, &value), "write attribute '%s'", name);
            goto done;
        }
    }
    STOA_TRY(
        stoa_attribute_write_scalar(object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value, err));

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_boolean_type(hid_t *type, stoa_error *err)
{
    STOA_RETURN_HDF_ERROR(err, *type = H5Tenum_create(H5T_STD_I8LE), "make a boolean type");
    STOA_RETURN_HDF_ERROR(err, H5Tenum_insert(*type, "FALSE", &(int8_t){0}), "make a boolean type");
    STOA_RETURN_HDF_ERROR(err, H5Tenum_insert(*type, "TRUE", &(int8_t){1}), "make a boolean type");
    return STOA_OK;
}

hid_t stoa_complex_type(hid_t part)
{
    const size_t size = H5Tget_size(part);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);

    if (type >= 0 && (H5Tinsert(type, "r", 0, part) < 0 || H5Tinsert(type, "i", size, part) < 0)) {
        (void)H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

stoa_status stoa_attribute_write_bool(hid_t object, const char *name, bool value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    const int8_t stored = value ? 1 : 0;

    STOA_TRY(stoa_boolean_type(&type, err));
    STOA_TRY(stoa_attribute_write_scalar(object, name, type, type, &stored, err));

done:
    return stoa_hdf_close(&type, status, err);
}

/* Open an attribute and get its shape. If it is absent, *attr remains invalid and the status is
 * OK. */
static stoa_status open_attribute(hid_t object, const char *name, hid_t *attr, hid_t *type,
                                  hsize_t *n_values, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t space = H5I_INVALID_HID;
    hssize_t n = 0;

    if (!stoa_attribute_exists(object, name)) {
        return STOA_OK;
    }
    STOA_HDF(err, *attr = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, *type = H5Aget_type(*attr), "get the type of attribute '%s'", name);
    STOA_HDF(err, space = H5Aget_space(*attr), "get the shape of attribute '%s'", name);
    STOA_HDF(err, n = H5Sget_simple_extent_npoints(space), "get the shape of attribute '%s'", name);
    if (H5Sget_simple_extent_ndims(space) > 1) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' has more than one dimension", name);
    }
    if (!stoa_attribute_fits(*attr, *type, (uint64_t)n)) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' is shorter than its values: the file is damaged",
                  name);
    }
    *n_values = (hsize_t)n;

done:
    return stoa_hdf_close(&space, status, err);
}

/* One block that holds `n` pointers, followed by their strings. */
static stoa_status pack_names(const char *const *texts, const size_t *lengths, size_t n,
                              char ***values, stoa_error *err)
{
    size_t bytes = n * sizeof(char *);

    for (size_t i = 0; i < n; i++) {
        bytes += lengths[i] + 1;
    }
    char **block = stoa_alloc_zero(bytes + 1, 1);
    STOA_RETURN_NO_MEMORY(err, block);
    char *next = (char *)(block + n);
    for (size_t i = 0; i < n; i++) {
        memcpy(next, texts[i], lengths[i]);
        block[i] = next;
        next += lengths[i] + 1;
    }
    *values = block;
    return STOA_OK;
}

/* The strings of an attribute, as libhdf5 reads them. */
typedef struct read_texts {
    size_t n;
    char *fixed;     /* back to back, or */
    char **variable; /* allocated by libhdf5 if is_read */
    bool is_read;
    const char **texts;
    size_t *lengths;
} read_texts;

static stoa_status read_variable(hid_t attr, hid_t type, const char *name, read_texts *r,
                                 stoa_error *err)
{
    r->variable = stoa_alloc_zero(r->n, sizeof *r->variable);
    STOA_RETURN_NO_MEMORY(err, r->variable);
    STOA_RETURN_HDF_ERROR(err, H5Aread(attr, type, r->variable), "read attribute '%s'", name);
    r->is_read = true;
    for (size_t i = 0; i < r->n; i++) {
        r->texts[i] = r->variable[i] != NULL ? r->variable[i] : "";
        r->lengths[i] = strlen(r->texts[i]);
    }
    return STOA_OK;
}

static stoa_status read_fixed(hid_t attr, hid_t type, const char *name, read_texts *r,
                              stoa_error *err)
{
    const size_t size = H5Tget_size(type);

    r->fixed = stoa_alloc(r->n, size);
    STOA_RETURN_NO_MEMORY(err, r->fixed);
    STOA_RETURN_HDF_ERROR(err, H5Aread(attr, type, r->fixed), "read attribute '%s'", name);
    for (size_t i = 0; i < r->n; i++) {
        r->texts[i] = r->fixed + i * size;
        r->lengths[i] = stoa_fixed_string_length(r->texts[i], size, H5Tget_strpad(type));
    }
    return STOA_OK;
}

static stoa_status check_texts(hid_t type, hsize_t count, const char *name, stoa_error *err)
{
    const size_t size = H5Tget_size(type);

    if (H5Tget_class(type) != H5T_STRING) {
        return stoa_fail(err, STOA_EDATA, "attribute '%s' is no string", name);
    }
    if (count > MAX_TEXT_BYTES || size == 0 || size > MAX_TEXT_BYTES ||
        count * size > MAX_TEXT_BYTES) {
        return stoa_fail(err, STOA_EDATA, "attribute '%s' is larger than 16 MiB", name);
    }
    return STOA_OK;
}

stoa_status stoa_attribute_read_names(hid_t object, const char *name, char ***values, size_t *n,
                                      stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    read_texts r = {0};
    hsize_t count = 0;

    *values = NULL;
    *n = 0;
    STOA_TRY(open_attribute(object, name, &attr, &type, &count, err));
    if (attr < 0) {
        goto done;
    }
    STOA_TRY(check_texts(type, count, name, err));
    r.n = (size_t)count;
    r.texts = stoa_alloc_zero(r.n, sizeof *r.texts);
    r.lengths = stoa_alloc_zero(r.n, sizeof *r.lengths);
    STOA_TRY(r.texts != NULL && r.lengths != NULL ? STOA_OK : stoa_fail_memory(err));
    if (r.n > 0) { /* else an empty 1-D or a null dataspace */
        STOA_TRY(
            (H5Tis_variable_str(type) > 0 ? read_variable : read_fixed)(attr, type, name, &r, err));
    }
    STOA_TRY(pack_names(r.texts, r.lengths, r.n, values, err));
    *n = r.n;

done:
    if (r.is_read) {
        space = H5Aget_space(attr);
        (void)H5Treclaim(type, space, H5P_DEFAULT, r.variable);
    }
    free(r.fixed);
    free(r.variable);
    free(r.texts);
    free(r.lengths);
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_attribute_read_text(hid_t object, const char *name, char **value, stoa_error *err)
{
    char **values = NULL;
    size_t n = 0;

    *value = NULL;
    stoa_status status = stoa_attribute_read_names(object, name, &values, &n, err);
    if (status == STOA_OK && values != NULL) {
        if (n != 1) {
            status = stoa_fail(err, STOA_EDATA, "attribute '%s' has %zu values, not one", name, n);
        } else {
            *value = stoa_strdup(values[0]);
            status = *value != NULL ? STOA_OK : stoa_fail_memory(err);
        }
    }
    free(values);
    return status;
}

stoa_status stoa_attribute_read_scalar(hid_t object, const char *name, hid_t mem_type, void *value,
                                       bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hsize_t count = 0;

    *found = false;
    STOA_TRY(open_attribute(object, name, &attr, &type, &count, err));
    if (attr < 0) {
        goto done;
    }
    if (count != 1) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' has %llu values, not one", name,
                  (unsigned long long)count);
    }
    if (H5Tget_class(type) != H5Tget_class(mem_type)) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' has a datatype of another class", name);
    }
    STOA_HDF(err, H5Aread(attr, mem_type, value), "read attribute '%s'", name);
    *found = true;

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_attribute_read_doubles(hid_t object, const char *name, size_t n, double *values,
                                        bool *found, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hsize_t count = 0;

    *found = false;
    STOA_TRY(open_attribute(object, name, &attr, &type, &count, err));
    const H5T_class_t class = attr >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    if (count == n && (class == H5T_INTEGER || class == H5T_FLOAT)) {
        STOA_HDF(err, H5Aread(attr, H5T_NATIVE_DOUBLE, values), "read attribute '%s'", name);
        *found = true;
    }

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

/* Whether libhdf5 converts the type to int64; false for strings and compounds. */
static bool is_number(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    hid_t base = class == H5T_ENUM ? H5Tget_super(type) : H5I_INVALID_HID;
    const bool is_one = class == H5T_INTEGER || class == H5T_FLOAT ||
                        (base >= 0 && H5Tget_class(base) == H5T_INTEGER);

    (void)stoa_hdf_close(&base, STOA_OK, NULL);
    return is_one && H5Tget_size(type) <= sizeof(int64_t);
}

stoa_status stoa_attribute_read_number(hid_t object, const char *name, int64_t *value, bool *found,
                                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hsize_t count = 0;

    *found = false;
    STOA_TRY(open_attribute(object, name, &attr, &type, &count, err));
    if (attr >= 0 && count == 1 && is_number(type)) {
        STOA_HDF(err, H5Aread(attr, H5T_NATIVE_INT64, value), "read attribute '%s'", name);
        *found = true;
    }

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_attribute_read_bool(hid_t object, const char *name, bool *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t type = H5I_INVALID_HID;
    int8_t stored = 0;
    bool found = false;

    *value = false;
    STOA_TRY(stoa_boolean_type(&type, err));
    STOA_TRY(stoa_attribute_read_scalar(object, name, type, &stored, &found, err));
    *value = found && stored == 1;

done:
    return stoa_hdf_close(&type, status, err);
}

stoa_status stoa_attribute_read_optional(hid_t object, const char *name, char **text,
                                         stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;

    *text = NULL;
    return stoa_attribute_read_text(object, name, text, &ignored) == STOA_ENOMEM
               ? stoa_fail_memory(err)
               : STOA_OK;
}

char *stoa_attribute_optional(hid_t object, const char *name)
{
    char *text = NULL;

    (void)!stoa_attribute_read_optional(object, name, &text, NULL);
    return text;
}

bool stoa_attribute_is(hid_t object, const char *name, const char *text)
{
    char *const there = stoa_attribute_optional(object, name);
    const bool is = there != NULL && strcmp(there, text) == 0;

    free(there);
    return is;
}

stoa_status stoa_attribute_read_u64(hid_t object, const char *name, uint64_t *value, bool *found,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hsize_t count = 0;
    int64_t signed_value = 0;

    *found = false;
    STOA_TRY(open_attribute(object, name, &attr, &type, &count, err));
    if (attr < 0) {
        goto done;
    }
    if (count != 1 || H5Tget_class(type) != H5T_INTEGER) {
        STOA_FAIL(err, STOA_EDATA, "attribute '%s' is no single integer", name);
    }
    if (H5Tget_sign(type) == H5T_SGN_NONE) {
        STOA_HDF(err, H5Aread(attr, H5T_NATIVE_UINT64, value), "read attribute '%s'", name);
    } else {
        STOA_HDF(err, H5Aread(attr, H5T_NATIVE_INT64, &signed_value), "read attribute '%s'", name);
        if (signed_value < 0) {
            STOA_FAIL(err, STOA_EDATA, "attribute '%s' is negative", name);
        }
        *value = (uint64_t)signed_value;
    }
    *found = true;

done:
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

static stoa_status read_exact_u64(hid_t object, const char *name, bool *is_exact, uint64_t *value,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t attr = H5I_INVALID_HID;
    hid_t type = H5I_INVALID_HID;
    hid_t space = H5I_INVALID_HID;
    hsize_t count = 0;

    STOA_TRY(open_attribute(object, name, &attr, &type, &count, err));
    STOA_HDF(err, space = H5Aget_space(attr), "get the shape of attribute '%s'", name);
    if (H5Sget_simple_extent_type(space) == H5S_SCALAR &&
        (H5Tequal(type, H5T_STD_U64LE) > 0 || H5Tequal(type, H5T_STD_U64BE) > 0)) {
        STOA_HDF(err, H5Aread(attr, H5T_NATIVE_UINT64, value), "read attribute '%s'", name);
        *is_exact = true;
    }

done:
    status = stoa_hdf_close(&space, status, err);
    status = stoa_hdf_close(&type, status, err);
    return stoa_hdf_close(&attr, status, err);
}

stoa_status stoa_attribute_read_exact_u64(hid_t object, const char *name, bool *exists,
                                          bool *is_exact, uint64_t *value, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;

    *exists = stoa_attribute_exists(object, name);
    *is_exact = false;
    *value = 0;
    return *exists && read_exact_u64(object, name, is_exact, value, &ignored) == STOA_ENOMEM
               ? stoa_fail_memory(err)
               : STOA_OK;
}
