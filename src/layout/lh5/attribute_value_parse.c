/* See attribute_value.h: words of values that are anybody's. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "layout/lh5/attribute_type.h"
#include "layout/lh5/attribute_value.h"

/* Memory that values of one attribute point to; of a value that is refused. */
enum { MOST_BYTES = 60000, MOST_SHOWN = 60 };

/* Memory that a value points to, zeroed; NULL where it is too much for an attribute. */
static stoa_status keep_block(stoa_lh5_reading *r, size_t n, size_t size, void **block,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t bytes = 0;

    *block = NULL;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes > MOST_BYTES - r->n_bytes) {
        r->is = false;
        return STOA_OK;
    }
    r->n_bytes += bytes;
    *block = stoa_alloc_zero(n, size);
    STOA_RETURN_NOT_OK(*block != NULL ? STOA_OK : stoa_fail_memory(err));
    status = stoa_buffer_append(&r->blocks, block, sizeof *block, err);
    if (status != STOA_OK) {
        free(*block);
        *block = NULL;
    }
    return status;
}

static void takes(stoa_lh5_reading *r, char c)
{
    r->is = r->is && *r->at == c;
    r->at += r->is ? 1 : 0;
}

static void separate(stoa_lh5_reading *r, size_t i)
{
    if (i > 0) {
        takes(r, ' ');
    }
}

/* A value of so many bytes of text, which would become another one. */
static stoa_status refuse(const stoa_lh5_reading *r, size_t length, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer words = {0};
    bool can = true;

    STOA_TRY(stoa_lh5_attribute_type_print(type, &words, &can, err));
    STOA_FAIL(err, STOA_EINVAL, "attribute '%s' is to be %.*s, which its type, %s, does not hold",
              r->name, (int)(length < MOST_SHOWN ? length : MOST_SHOWN), r->at,
              (const char *)words.data);

done:
    stoa_buffer_clear(&words);
    return status;
}

static bool is_integer(const char *text, size_t length)
{
    const size_t sign = length > 0 && (text[0] == '-' || text[0] == '+');

    return length > sign && strspn(text + sign, "0123456789") >= length - sign;
}

static stoa_status parse_number(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    uint8_t room[STOA_LH5_NUMBER_BYTES] = {0};
    int64_t integer = 0;
    double real = 0;
    const size_t length = strcspn(r->at, " )}");
    const size_t size = H5Tget_size(type);
    const bool is_float = H5Tget_class(type) == H5T_FLOAT;
    bool fits = false;

    r->is = size <= sizeof room && (is_float ? stoa_parse_f64(r->at, length, &real)
                                    : H5Tget_sign(type) == H5T_SGN_2
                                        ? stoa_parse_i64(r->at, length, &integer)
                                        : stoa_parse_u64(r->at, length, (uint64_t *)&integer));
    if (!r->is && size <= sizeof room && !is_float && is_integer(r->at, length)) {
        return refuse(r, length, type, err); /* of more than 64 bits, or below 0 */
    }
    if (!r->is) {
        return STOA_OK;
    }
    memcpy(room, is_float ? (const void *)&real : (const void *)&integer, sizeof integer);
    STOA_RETURN_NOT_OK(stoa_lh5_number_from_memory(type, room, &fits, err));
    if (!fits) {
        STOA_RETURN_NOT_OK(refuse(r, length, type, err));
    }
    memcpy(value, room, size);
    r->at += length;
    return STOA_OK;
}

static stoa_status parse_enum(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;

    if (stoa_lh5_is_truth(type)) {
        const bool is_true = strncmp(r->at, "true", 4) == 0;
        r->is = is_true || strncmp(r->at, "false", 5) == 0;
        r->at += r->is ? (is_true ? 4 : 5) : 0;
        *(uint8_t *)value = is_true;
        return STOA_OK;
    }
    STOA_HDF(err, base = H5Tget_super(type), "get the type of an enumeration");
    STOA_TRY(parse_number(r, base, value, err));

done:
    return stoa_hdf_close(&base, status, err);
}

static stoa_status parse_text(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t size = H5Tget_size(type);
    const char *const from = r->at;
    void *block = NULL;
    char *text = NULL;

    STOA_TRY(stoa_lh5_quoted_parse(&r->at, &text, err));
    const size_t length = text != NULL ? strlen(text) : 0;
    r->is = text != NULL;
    if (r->is && H5Tis_variable_str(type) > 0) {
        STOA_TRY(keep_block(r, length + 1, 1, &block, err));
        if (block != NULL) {
            memcpy(block, text, length + 1);
            memcpy(value, &block, sizeof block);
        }
    } else if (r->is) {
        if (length > size) {
            const size_t n = (size_t)(r->at - from);
            r->at = from;
            STOA_TRY(refuse(r, n, type, err));
        }
        memset(value, H5Tget_strpad(type) == H5T_STR_SPACEPAD ? ' ' : 0, size);
        memcpy(value, text, length);
    }

done:
    free(text);
    return status;
}

static int digit(char c)
{
    const char *const digits = "0123456789abcdef";
    const char *const found = c != '\0' ? strchr(digits, c) : NULL;

    return found != NULL ? (int)(found - digits) : -1;
}

static stoa_status parse_bytes(stoa_lh5_reading *r, hid_t type, void *value)
{
    const size_t size = H5Tget_size(type);

    takes(r, '0');
    takes(r, 'x');
    for (size_t i = 0; r->is && i < size; i++) {
        const int high = digit(*r->at);
        const int low = high < 0 ? -1 : digit(r->at[1]);
        r->is = low >= 0;
        ((uint8_t *)value)[i] = (uint8_t)(r->is ? high << 4 | low : 0);
        r->at += r->is ? 2 : 0;
    }
    return STOA_OK;
}

static stoa_status parse_fields(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t field = H5I_INVALID_HID;
    const int n = H5Tget_nmembers(type);

    takes(r, '{');
    for (int i = 0; r->is && i < n; i++) {
        separate(r, (size_t)i);
        STOA_HDF(err, field = H5Tget_member_type(type, (unsigned)i), "get the type of a field");
        STOA_TRY(stoa_lh5_value_parse(
            r, field, (uint8_t *)value + H5Tget_member_offset(type, (unsigned)i), err));
        STOA_TRY(stoa_hdf_close(&field, STOA_OK, err));
    }
    takes(r, '}');

done:
    return stoa_hdf_close(&field, status, err);
}

/* How many there are until the bracket that closes. */
static size_t count_items(const char *at)
{
    size_t n = *at != ')';
    unsigned depth = 0;

    for (bool is_text = false; *at != '\0' && (is_text || depth > 0 || *at != ')'); at++) {
        if (is_text && *at == '\\' && at[1] != '\0') {
            at++;
        } else if (*at == '"') {
            is_text = !is_text;
        } else if (!is_text) {
            n += depth == 0 && *at == ' ';
            depth += *at == '(' || *at == '{';
            depth -= *at == ')' || *at == '}';
        }
    }
    return n;
}

static stoa_status parse_items(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t item = H5I_INVALID_HID;
    hvl_t list = {0, NULL};

    takes(r, '(');
    STOA_HDF(err, item = H5Tget_super(type), "get the type of items");
    const size_t size = H5Tget_size(item);
    if (H5Tget_class(type) == H5T_VLEN) {
        list.len = r->is ? count_items(r->at) : 0;
        STOA_TRY(keep_block(r, list.len, size, &list.p, err));
        memcpy(value, &list, list.p != NULL ? sizeof list : 0);
    } else {
        list = (hvl_t){H5Tget_size(type) / size, value};
    }
    for (size_t i = 0; r->is && i < list.len; i++) {
        separate(r, i);
        STOA_TRY(stoa_lh5_value_parse(r, item, (uint8_t *)list.p + i * size, err));
    }
    takes(r, ')');

done:
    return stoa_hdf_close(&item, status, err);
}

static stoa_status point(stoa_lh5_reading *r, hid_t type, hid_t target, void *value,
                         stoa_error *err)
{
    if (H5Tequal(type, H5T_STD_REF_OBJ) > 0) {
        STOA_RETURN_HDF_ERROR(err, H5Rcreate(value, target, ".", H5R_OBJECT, H5I_INVALID_HID),
                              "make a reference");
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&r->held, sizeof value, err));
    STOA_RETURN_HDF_ERROR(err, H5Rcreate_object(target, ".", H5P_DEFAULT, value),
                          "make a reference");
    return stoa_buffer_append(&r->held, &value, sizeof value, err);
}

static stoa_status parse_reference(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = H5I_INVALID_HID;
    char *path = NULL;

    STOA_TRY(stoa_lh5_quoted_parse(&r->at, &path, err));
    r->is = path != NULL;
    if (path == NULL || path[0] == '\0') {
        goto done;
    }
    target = path[0] == '/' ? stoa_object_open(r->file, path) : H5I_INVALID_HID;
    if (target >= 0) {
        STOA_TRY(point(r, type, target, value, err));
    } else if (r->lost == NULL) {
        r->lost = path;
        path = NULL;
    }

done:
    free(path);
    return stoa_hdf_close(&target, status, err);
}

stoa_status stoa_lh5_value_parse(stoa_lh5_reading *r, hid_t type, void *value, stoa_error *err)
{
    if (!r->is) {
        return STOA_OK;
    }
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
    case H5T_FLOAT:
        return parse_number(r, type, value, err);
    case H5T_ENUM:
        return parse_enum(r, type, value, err);
    case H5T_STRING:
        return parse_text(r, type, value, err);
    case H5T_OPAQUE:
        return parse_bytes(r, type, value);
    case H5T_COMPOUND:
        return parse_fields(r, type, value, err);
    case H5T_REFERENCE:
        return parse_reference(r, type, value, err);
    default:
        return parse_items(r, type, value, err);
    }
}

void stoa_lh5_reading_end(stoa_lh5_reading *r)
{
    void *const *const blocks = (void *const *)(const void *)r->blocks.data;
    H5R_ref_t *const *const held = (H5R_ref_t *const *)(const void *)r->held.data;

    for (size_t i = 0; i < r->held.size / sizeof *held; i++) {
        (void)H5Rdestroy(held[i]);
    }
    for (size_t i = 0; i < r->blocks.size / sizeof *blocks; i++) {
        free(blocks[i]);
    }
    stoa_buffer_clear(&r->held);
    stoa_buffer_clear(&r->blocks);
    free(r->lost);
    r->lost = NULL;
}
