/* See attribute_type.h: words of types that are anybody's. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "hdf/attributes.h"
#include "layout/lh5/attribute_type.h"
#include "layout/lh5/writer.h"

/* No attribute has larger values. */
enum { MOST_BYTES = 1 << 16 };

stoa_status stoa_lh5_quoted_parse(const char **at, char **text, stoa_error *err)
{
    const char *from = *at + 1;
    const char *end = from;
    char *to = NULL;

    *text = NULL;
    if (**at != '"') {
        return STOA_OK;
    }
    for (; *end != '"'; end++) { /* what follows may be long, and have many more of them */
        end += *end == '\\' ? 1 : 0;
        if (*end == '\0') {
            return STOA_OK;
        }
    }
    *text = to = stoa_strndup(from, (size_t)(end - from));
    if (to == NULL) {
        return stoa_fail_memory(err);
    }
    for (; from < end; from++) {
        from += *from == '\\' ? 1 : 0;
        *to++ = *from;
    }
    *to = '\0';
    *at = end + 1;
    return STOA_OK;
}

/* Words that are read; whatever goes wrong, but for memory, means that they say nothing. */
typedef struct parsing {
    const char *at;
    unsigned depth;
} parsing;

static stoa_status parse_type(parsing *p, hid_t *type, stoa_error *err);

/* The words are no type. */
static stoa_status no_type(stoa_error *err)
{
    return stoa_fail(err, STOA_EDATA, "no type");
}

static bool takes(parsing *p, const char *text)
{
    const size_t length = strlen(text);
    const bool is = strncmp(p->at, text, length) == 0;

    p->at += is ? length : 0;
    return is;
}

static bool parse_size(parsing *p, size_t most, size_t *size)
{
    const size_t length = strspn(p->at, "0123456789");
    uint64_t number = 0;
    const bool is = length > 0 && stoa_parse_u64(p->at, length, &number) && number <= most;

    p->at += length;
    *size = (size_t)number;
    return is;
}

/* One of the words, by its place among them; -1: none. */
static int parse_word(parsing *p, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (takes(p, words[i])) {
            return i;
        }
    }
    return -1;
}

static stoa_status parse_string(parsing *p, hid_t *type, stoa_error *err)
{
    size_t size = H5T_VARIABLE;
    int padding = H5T_STR_NULLTERM;
    int charset = H5T_CSET_UTF8;

    if (takes(p, "(")) {
        const bool is_sized = takes(p, "*") || (parse_size(p, MOST_BYTES, &size) && size > 0);
        padding = is_sized && takes(p, ",") ? parse_word(p, stoa_lh5_paddings) : -1;
        charset = padding >= 0 && takes(p, ",") ? parse_word(p, stoa_lh5_charsets) : -1;
        if (charset < 0 || !takes(p, ")")) {
            return no_type(err);
        }
    }
    STOA_RETURN_HDF_ERROR(err, *type = H5Tcopy(H5T_C_S1), "make a type");
    STOA_RETURN_HDF_ERROR(err, H5Tset_size(*type, size), "make a type");
    STOA_RETURN_HDF_ERROR(err, H5Tset_strpad(*type, (H5T_str_t)padding), "make a type");
    STOA_RETURN_HDF_ERROR(err, H5Tset_cset(*type, (H5T_cset_t)charset), "make a type");
    return STOA_OK;
}

static stoa_status parse_opaque(parsing *p, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t size = 0;
    char *tag = NULL;

    if (!takes(p, "(") || !parse_size(p, MOST_BYTES, &size) || size == 0 || !takes(p, ",")) {
        STOA_TRY(no_type(err));
    }
    STOA_TRY(stoa_lh5_quoted_parse(&p->at, &tag, err));
    if (tag == NULL || strlen(tag) >= H5T_OPAQUE_TAG_MAX || !takes(p, ")")) {
        STOA_TRY(no_type(err));
    }
    STOA_HDF(err, *type = H5Tcreate(H5T_OPAQUE, size), "make a type");
    STOA_HDF(err, H5Tset_tag(*type, tag), "make a type");

done:
    free(tag);
    return status;
}

static stoa_status parse_number(parsing *p, hid_t *type, stoa_error *err)
{
    static const char turned[] = " big-endian";
    stoa_status status = STOA_OK;
    const char *const from = p->at;
    char *words = NULL;

    p->at += strspn(p->at, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (p->at == from) {
        STOA_TRY(no_type(err));
    }
    (void)takes(p, turned);
    words = stoa_strndup(from, (size_t)(p->at - from));
    STOA_TRY(words != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_lh5_number_type(words, STOA_KIND_FLOAT64, type, err));

done:
    free(words);
    return status;
}

static stoa_status parse_member(parsing *p, hid_t base, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool is_signed = H5Tget_sign(base) == H5T_SGN_2;
    uint8_t code[STOA_LH5_NUMBER_BYTES] = {0};
    uint64_t number = 0;
    bool fits = false;
    char *name = NULL;

    STOA_TRY(stoa_lh5_quoted_parse(&p->at, &name, err));
    if (name == NULL || !takes(p, "=")) {
        STOA_TRY(no_type(err));
    }
    const size_t length = strspn(p->at, "-0123456789");
    if (!(is_signed ? stoa_parse_i64(p->at, length, (int64_t *)&number)
                    : stoa_parse_u64(p->at, length, &number))) {
        STOA_TRY(no_type(err));
    }
    p->at += length;
    memcpy(code, &number, sizeof number);
    STOA_TRY(stoa_lh5_number_from_memory(base, code, &fits, err));
    if (!fits) {
        STOA_TRY(no_type(err));
    }
    STOA_HDF(err, H5Tenum_insert(type, name, code), "name a code");

done:
    free(name);
    return status;
}

static stoa_status parse_enum(parsing *p, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;

    if (!takes(p, "(")) {
        STOA_TRY(no_type(err));
    }
    STOA_TRY(parse_number(p, &base, err));
    if (H5Tget_class(base) != H5T_INTEGER) {
        STOA_TRY(no_type(err));
    }
    STOA_HDF(err, *type = H5Tenum_create(base), "make a type");
    for (unsigned i = 0; takes(p, ","); i++) {
        if (i == STOA_LH5_MOST_MEMBERS) {
            STOA_TRY(no_type(err));
        }
        STOA_TRY(parse_member(p, base, *type, err));
    }
    if (!takes(p, ")")) {
        STOA_TRY(no_type(err));
    }

done:
    return stoa_hdf_close(&base, status, err);
}

/* Behind what is there already, which ends at *end; the type grows with it. */
static stoa_status parse_field(parsing *p, hid_t type, size_t *end, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t field = H5I_INVALID_HID;
    char *name = NULL;

    STOA_TRY(stoa_lh5_quoted_parse(&p->at, &name, err));
    if (name == NULL || (takes(p, "@") && !parse_size(p, MOST_BYTES, end)) || !takes(p, ":")) {
        STOA_TRY(no_type(err));
    }
    STOA_TRY(parse_type(p, &field, err));
    const size_t begin = *end;
    *end += H5Tget_size(field);
    if (*end > MOST_BYTES) {
        STOA_TRY(no_type(err));
    }
    if (*end > H5Tget_size(type)) {
        STOA_HDF(err, H5Tset_size(type, *end), "make a type");
    }
    STOA_HDF(err, H5Tinsert(type, name, begin, field), "make a type");

done:
    free(name);
    return stoa_hdf_close(&field, status, err);
}

static stoa_status parse_compound(parsing *p, hid_t *type, stoa_error *err)
{
    size_t end = 0;
    size_t size = 0;
    unsigned n = 0;

    STOA_RETURN_HDF_ERROR(err, *type = H5Tcreate(H5T_COMPOUND, 1), "make a type");
    do {
        if (n++ == STOA_LH5_MOST_MEMBERS) {
            return no_type(err);
        }
        STOA_RETURN_NOT_OK(parse_field(p, *type, &end, err));
    } while (takes(p, ","));
    if (!takes(p, "}")) {
        return no_type(err);
    }
    if (*p->at >= '0' && *p->at <= '9') {
        if (!parse_size(p, MOST_BYTES, &size)) {
            return no_type(err);
        }
        STOA_RETURN_HDF_ERROR(err, H5Tset_size(*type, size), "make a type");
    }
    return STOA_OK;
}

/* Arrays, and lists, which have no extents. */
static stoa_status parse_items(parsing *p, bool is_array, hid_t *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t item = H5I_INVALID_HID;
    hsize_t extent[H5S_MAX_RANK];
    unsigned rank = 0;
    size_t n = 1;
    size_t size = 0;

    if (!takes(p, "(")) {
        STOA_TRY(no_type(err));
    }
    while (is_array && *p->at >= '0' && *p->at <= '9') {
        if (rank == H5S_MAX_RANK || !parse_size(p, MOST_BYTES, &size) || size == 0 ||
            (n *= size) > MOST_BYTES || !takes(p, ",")) {
            STOA_TRY(no_type(err));
        }
        extent[rank++] = size;
    }
    STOA_TRY(parse_type(p, &item, err));
    if (!takes(p, ")") || (rank == 0) == is_array || H5Tget_size(item) * n > MOST_BYTES) {
        STOA_TRY(no_type(err));
    }
    STOA_HDF(err, *type = is_array ? H5Tarray_create2(item, rank, extent) : H5Tvlen_create(item),
             "make a type");

done:
    return stoa_hdf_close(&item, status, err);
}

static stoa_status parse_type(parsing *p, hid_t *type, stoa_error *err)
{
    if (++p->depth > STOA_LH5_DEEPEST_TYPE) {
        return no_type(err);
    }
    if (takes(p, "{")) {
        STOA_RETURN_NOT_OK(parse_compound(p, type, err));
    } else if (takes(p, "string")) {
        STOA_RETURN_NOT_OK(parse_string(p, type, err));
    } else if (takes(p, "bool")) {
        STOA_RETURN_NOT_OK(stoa_boolean_type(type, err));
    } else if (takes(p, "opaque")) {
        STOA_RETURN_NOT_OK(parse_opaque(p, type, err));
    } else if (takes(p, "enum")) {
        STOA_RETURN_NOT_OK(parse_enum(p, type, err));
    } else if (takes(p, "array")) {
        STOA_RETURN_NOT_OK(parse_items(p, true, type, err));
    } else if (takes(p, "list")) {
        STOA_RETURN_NOT_OK(parse_items(p, false, type, err));
    } else if (takes(p, "reference")) {
        *type = H5Tcopy(takes(p, "(std)") ? H5T_STD_REF : H5T_STD_REF_OBJ);
        STOA_RETURN_HDF_ERROR(err, *type, "make a type");
    } else {
        STOA_RETURN_NOT_OK(parse_number(p, type, err));
    }
    p->depth--;
    return STOA_OK;
}

stoa_status stoa_lh5_attribute_type_parse(const char **at, hid_t *type, stoa_error *err)
{
    parsing p = {*at, 0};
    stoa_error why = STOA_ERROR_INIT;
    const stoa_quiet quiet = stoa_quiet_begin();
    const stoa_status status = parse_type(&p, type, &why);

    *at = p.at;
    if (status != STOA_OK) {
        (void)stoa_hdf_close(type, STOA_OK, NULL);
        (void)H5Eclear2(H5E_DEFAULT);
    }
    stoa_quiet_end(&quiet);
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}
