#include "column/type/datatype.h"

#include <stdlib.h>

#include "column/type/tensor.h"
#include "core/memory.h"
#include "hdf/metadata/attributes.h"

stoa_status stoa_string_type(const stoa_domain *domain, bool prefers_ascii, hid_t *type,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t mean = domain->n_values != 0 ? (size_t)(domain->n_bytes / domain->n_values) : 0;
    const bool is_variable =
        domain->longest > 4096 || (domain->longest > 256 && domain->longest > 4 * mean);

    *type = H5I_INVALID_HID;
    if (domain->has_nul && (is_variable || domain->has_last_nul)) {
        STOA_FAIL(err, STOA_ELOSS, "a string holds a NUL byte where an HDF5 string would end");
    }
    STOA_HDF(err, *type = H5Tcopy(H5T_C_S1), "make a string type");
    STOA_HDF(err,
             H5Tset_size(*type,
                         is_variable ? H5T_VARIABLE : (domain->longest != 0 ? domain->longest : 1)),
             "size a string type");
    STOA_HDF(
        err,
        H5Tset_cset(*type, prefers_ascii && !domain->has_wide ? H5T_CSET_ASCII : H5T_CSET_UTF8),
        "set a character set");
    if (!is_variable) {
        STOA_HDF(err, H5Tset_strpad(*type, H5T_STR_NULLPAD), "set a padding");
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(type, status, NULL);
    }
    return status;
}

hid_t stoa_standard_type(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_INT8:
        return H5T_STD_I8LE;
    case STOA_KIND_INT16:
        return H5T_STD_I16LE;
    case STOA_KIND_INT32:
        return H5T_STD_I32LE;
    case STOA_KIND_INT64:
    case STOA_KIND_DATE:
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        return H5T_STD_I64LE;
    case STOA_KIND_UINT8:
    case STOA_KIND_BOOL:
        return H5T_STD_U8LE;
    case STOA_KIND_UINT16:
        return H5T_STD_U16LE;
    case STOA_KIND_UINT32:
        return H5T_STD_U32LE;
    case STOA_KIND_UINT64:
        return H5T_STD_U64LE;
    case STOA_KIND_FLOAT16:
        return H5T_IEEE_F16LE;
    case STOA_KIND_FLOAT32:
        return H5T_IEEE_F32LE;
    case STOA_KIND_FLOAT64:
        return H5T_IEEE_F64LE;
    default:
        return H5I_INVALID_HID;
    }
}

hid_t stoa_bits_type(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_UINT8:
        return H5T_STD_B8LE;
    case STOA_KIND_UINT16:
        return H5T_STD_B16LE;
    case STOA_KIND_UINT32:
        return H5T_STD_B32LE;
    case STOA_KIND_UINT64:
        return H5T_STD_B64LE;
    default:
        return stoa_standard_type(kind);
    }
}

static stoa_status make_type(const struct ArrowSchema *field, const stoa_domain *domain,
                             bool prefers_ascii, int depth, hid_t *type, stoa_error *err);

/* Make a compound of a struct's fields without gaps. Strings in it are variable-length because
 * their longest is not known. */
static stoa_status make_compound(const struct ArrowSchema *field, int depth, hid_t *type,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    const int64_t n = field->n_children;
    hid_t *types = stoa_alloc((size_t)n, sizeof *types);
    size_t size = 0;
    size_t offset = 0;
    int64_t n_made = 0;

    STOA_TRY(types != NULL ? STOA_OK : stoa_fail_memory(err));
    for (; n_made < n; n_made++) {
        if (field->children[n_made]->name == NULL || field->children[n_made]->name[0] == '\0') {
            STOA_FAIL(err, STOA_ETYPE, "a field of a struct has no name");
        }
        STOA_TRY(make_type(field->children[n_made], NULL, false, depth + 1, &types[n_made], err));
        size += H5Tget_size(types[n_made]);
    }
    STOA_HDF(err, *type = H5Tcreate(H5T_COMPOUND, size != 0 ? size : 1), "make a compound type");
    for (int64_t i = 0; i < n; i++) {
        STOA_HDF(err, H5Tinsert(*type, field->children[i]->name, offset, types[i]),
                 "make a compound type with field '%s'", field->children[i]->name);
        offset += H5Tget_size(types[i]);
    }

done:
    for (int64_t i = 0; i < n_made; i++) {
        (void)stoa_hdf_close(&types[i], STOA_OK, NULL);
    }
    free(types);
    return status;
}

static stoa_status make_sequence(const struct ArrowSchema *field, const stoa_type *arrow, int depth,
                                 hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t item = H5I_INVALID_HID;

    STOA_TRY(make_type(field->children[0], NULL, false, depth + 1, &item, err));
    if (arrow->kind == STOA_KIND_FIXED_LIST) {
        hsize_t extent[H5S_MAX_RANK] = {0};
        int rank = 0;
        STOA_TRY(stoa_tensor_shape(field, (uint64_t)arrow->width, extent, &rank, err));
        extent[0] = rank > 0 ? extent[0] : (hsize_t)arrow->width;
        STOA_HDF(err, *type = H5Tarray_create2(item, rank > 0 ? (unsigned)rank : 1, extent),
                 "make an array type");
    } else {
        STOA_HDF(err, *type = H5Tvlen_create(item), "make a variable-length type");
    }

done:
    return stoa_hdf_close(&item, status, err);
}

/* Make the stored datatype of a field. At depth 0 it is not called for dictionaries, whose codes'
 * type depends on the number of labels. */
static stoa_status make_type(const struct ArrowSchema *field, const stoa_domain *domain,
                             bool prefers_ascii, int depth, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_type arrow;
    char name[64];
    /* Domain of nested strings, which is not known: they become variable-length. */
    static const stoa_domain unknown = {.n_values = 1, .longest = 8192};

    *type = H5I_INVALID_HID;
    STOA_TRY(stoa_type_of(field, &arrow, err));
    if (depth > 30) {
        STOA_FAIL(err, STOA_ETYPE, "a type is nested deeper than 30 levels");
    }
    if (arrow.kind == STOA_KIND_BOOL && depth > 0) {
        STOA_TRY(stoa_boolean_type(type, err)); /* nested values need no room for a fill */
        goto done;
    }
    const hid_t standard = stoa_standard_type(arrow.kind);
    if (standard >= 0) {
        STOA_HDF(err, *type = H5Tcopy(standard), "copy a datatype");
        goto done;
    }
    if (arrow.kind == STOA_KIND_DICTIONARY && depth > 0) { /* nested values have no categories */
        STOA_TRY(make_type(field->dictionary, NULL, false, depth + 1, type, err));
        goto done;
    }
    if ((arrow.kind == STOA_KIND_FIXED_BINARY || arrow.kind == STOA_KIND_FIXED_LIST) &&
        arrow.width == 0) {
        STOA_FAIL(err, STOA_ETYPE, "an Arrow type of no bytes, %s, has no HDF5 datatype",
                  stoa_type_name(&arrow, name));
    }
    switch (arrow.kind) {
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        /* What nested strings hold is not known. */
        STOA_TRY(domain != NULL ? stoa_string_type(domain, prefers_ascii, type, err)
                                : stoa_string_type(&unknown, false, type, err));
        break;
    case STOA_KIND_FIXED_BINARY:
        STOA_HDF(err, *type = H5Tcreate(H5T_OPAQUE, (size_t)arrow.width), "make an opaque type");
        STOA_HDF(err, H5Tset_tag(*type, ""), "tag an opaque type");
        break;
    case STOA_KIND_BINARY:
    case STOA_KIND_LARGE_BINARY:
        STOA_HDF(err, *type = H5Tvlen_create(H5T_STD_U8LE), "make a variable-length type");
        break;
    case STOA_KIND_STRUCT:
        STOA_TRY(make_compound(field, depth, type, err));
        break;
    case STOA_KIND_FIXED_LIST:
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        STOA_TRY(make_sequence(field, &arrow, depth, type, err));
        break;
    default:
        STOA_FAIL(err, STOA_ETYPE, "a column of Arrow type %s has no HDF5 datatype",
                  stoa_type_name(&arrow, name));
    }

done:
    if (status != STOA_OK) {
        (void)stoa_hdf_close(type, status, NULL);
    }
    return status;
}

/* Bytes of an element of a field; 0 if a part of it has a length of its own. */
static uint64_t bytes_of(const struct ArrowSchema *field, int depth)
{
    enum { MAX_DEPTH = 30 };
    stoa_type type;
    uint64_t sum = 0;

    field = field->dictionary != NULL ? field->dictionary : field;
    if (depth > MAX_DEPTH || stoa_type_of(field, &type, NULL) != STOA_OK) {
        return 0;
    }
    if (type.kind == STOA_KIND_FIXED_BINARY) {
        return (uint64_t)type.width;
    }
    if (type.kind == STOA_KIND_FIXED_LIST) { /* at most 2^31 items of 2^31 items of ... */
        const uint64_t item = bytes_of(field->children[0], depth + 1);
        return item <= UINT32_MAX ? (uint64_t)type.width * item : item;
    }
    if (type.kind == STOA_KIND_STRUCT) {
        for (int64_t i = 0; i < field->n_children; i++) {
            const uint64_t part = bytes_of(field->children[i], depth + 1);
            if (part == 0) {
                return 0;
            }
            sum += part <= UINT32_MAX ? part : UINT32_MAX;
        }
        return sum;
    }
    return type.kind == STOA_KIND_BOOL     ? 1
           : stoa_kind_is_ticks(type.kind) ? sizeof(int64_t)
                                           : (uint64_t)stoa_kind_width(type.kind);
}

bool stoa_field_is_large_cell(const struct ArrowSchema *field)
{
    stoa_type type;

    return stoa_type_of(field, &type, NULL) == STOA_OK && type.kind == STOA_KIND_FIXED_LIST &&
           bytes_of(field, 0) > STOA_MAX_FILL_BYTES;
}

bool stoa_choose_integer(const stoa_domain *domain, stoa_kind kind, stoa_kind *chosen,
                         stoa_fill *fill)
{
    const int32_t width = stoa_kind_width(kind);
    const bool was_signed = stoa_kind_is_signed(kind);

    for (int pass = 0; pass < 2; pass++) {
        const bool is_signed = pass == 0 ? was_signed : !was_signed;
        for (int k = 0; k < 4; k++) {
            const stoa_kind wider = (stoa_kind)((is_signed ? STOA_KIND_INT8 : STOA_KIND_UINT8) + k);
            if (stoa_kind_width(wider) >= width && stoa_fill_integer(domain, wider, fill)) {
                *chosen = wider;
                return true;
            }
        }
    }
    return false;
}

stoa_kind stoa_choose_float(const stoa_domain *domain, stoa_kind kind)
{
    stoa_fill ignored;

    if (domain->n_values == 0) {
        return kind;
    }
    if (kind == STOA_KIND_FLOAT16 &&
        (!domain->is_float16 || !stoa_fill_float(domain, kind, &ignored))) {
        kind = STOA_KIND_FLOAT32;
    }
    return kind == STOA_KIND_FLOAT32 && !domain->is_float32 ? STOA_KIND_FLOAT64 : kind;
}

stoa_status stoa_field_type(const struct ArrowSchema *field, const stoa_domain *domain,
                            bool prefers_ascii, hid_t *type, stoa_error *err)
{
    return make_type(field, domain, prefers_ascii, 0, type, err);
}
