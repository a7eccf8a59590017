/* Chooses the cell type of each column (pack.h). */
#include "layout/common/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column/column.h"
#include "column/type/tensor.h"
#include "core/memory.h"

/* Upper bound on the total length of an enumeration's labels. They are stored in the object header
 * of the table, which is limited to 64 KiB. */
#define MAX_LABEL_BYTES ((size_t)8 << 10)

bool stoa_pack_is_complex(const stoa_pack *pack)
{
    return pack->how == STOA_PACK_FIELDS && pack->n_parts == 2 &&
           pack->parts[0].how == STOA_PACK_FLOAT && pack->parts[1].how == STOA_PACK_FLOAT &&
           pack->parts[0].size == pack->parts[1].size &&
           strcmp(pack->parts[0].field->name, "r") == 0 &&
           strcmp(pack->parts[1].field->name, "i") == 0;
}

/* Whether a missing cell can be stored as NaN. */
static bool can_miss(const stoa_pack *pack)
{
    if (pack->how == STOA_PACK_FLOAT) {
        return true;
    }
    bool can = pack->n_parts > 0;
    for (size_t i = 0; i < pack->n_parts; i++) {
        can = can && can_miss(&pack->parts[i]);
    }
    return can;
}

static stoa_status set_stored(stoa_pack *pack, stoa_pack_how how, hid_t type, stoa_error *err)
{
    pack->how = how;
    STOA_RETURN_HDF_ERROR(err, pack->stored = H5Tcopy(type), "copy a datatype");
    pack->size = H5Tget_size(pack->stored);
    return STOA_OK;
}

static stoa_status make(const struct ArrowSchema *field, const stoa_column_stats *stats,
                        const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err);

static hid_t number_type(stoa_kind kind)
{
    const hid_t types[] = {
        [STOA_KIND_INT8] = H5T_STD_I8LE,      [STOA_KIND_INT16] = H5T_STD_I16LE,
        [STOA_KIND_INT32] = H5T_STD_I32LE,    [STOA_KIND_INT64] = H5T_STD_I64LE,
        [STOA_KIND_UINT8] = H5T_STD_U8LE,     [STOA_KIND_UINT16] = H5T_STD_U16LE,
        [STOA_KIND_UINT32] = H5T_STD_U32LE,   [STOA_KIND_UINT64] = H5T_STD_U64LE,
        [STOA_KIND_FLOAT16] = H5T_IEEE_F16LE, [STOA_KIND_FLOAT32] = H5T_IEEE_F32LE,
        [STOA_KIND_FLOAT64] = H5T_IEEE_F64LE,
    };

    return types[kind];
}

static stoa_status make_number(stoa_pack *pack, stoa_error *err)
{
    return set_stored(pack, stoa_kind_is_float(pack->type.kind) ? STOA_PACK_FLOAT : STOA_PACK_BYTES,
                      number_type(pack->type.kind), err);
}

size_t stoa_pack_width_of(const struct ArrowSchema *field)
{
    enum { WIDEST = 1 << 20 };
    const char *value = NULL;
    size_t length = 0;
    char text[24] = "";

    if (stoa_schema_get(field, STOA_PACK_WIDTH, &value, &length) && length < sizeof text) {
        memcpy(text, value, length);
    }
    const unsigned long long width = strtoull(text, NULL, 10);
    return width <= WIDEST ? (size_t)width : 0;
}

/* A string may fill all bytes of its field. */
static stoa_status make_text(const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    const size_t needed = pack->stats->domain.longest + rules->n_terminator;
    const size_t wanted = stoa_pack_width_of(pack->field);
    const size_t longest = needed > wanted ? needed : wanted;

    if (pack->stats->domain.has_nul) {
        return stoa_fail(err, STOA_ELOSS, "has strings with NUL bytes, which %s ends at",
                         rules->layout);
    }
    STOA_RETURN_NOT_OK(set_stored(pack, STOA_PACK_TEXT, H5T_C_S1, err));
    pack->size = longest > 0 ? longest : 1;
    STOA_RETURN_HDF_ERROR(err, H5Tset_size(pack->stored, pack->size), "size a string type");
    return STOA_OK;
}

/* The type that the target has for a column; invalid if there is none. The caller closes it. */
static hid_t target_of(const stoa_pack_rules *rules, const stoa_pack *pack)
{
    hid_t type = H5I_INVALID_HID;

    if (rules->target > 0 && pack->field->name != NULL) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        const int at = H5Tget_member_index(rules->target, pack->field->name);
        type = at >= 0 ? H5Tget_member_type(rules->target, (unsigned)at) : H5I_INVALID_HID;
        stoa_error_stack_discard(&errors);
    }
    return type;
}

/* Whether every time fits in 32-bit seconds, or in seconds and microseconds. */
static bool is_near(const stoa_pack *pack, int64_t a_second)
{
    const stoa_domain *const domain = &pack->stats->domain;

    return (!domain->has_negative || domain->low / a_second >= INT32_MIN) &&
           (!domain->has_positive || domain->high / (uint64_t)a_second <= INT32_MAX);
}

static stoa_status make_time(const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    const stoa_time_unit unit = pack->type.unit;
    const int64_t a_second = unit == STOA_TIME_NANO    ? 1000000000
                             : unit == STOA_TIME_MICRO ? 1000000
                             : unit == STOA_TIME_MILLI ? 1000
                                                       : 1;
    bool is_whole = unit == STOA_TIME_SECOND;
    hid_t target = target_of(rules, pack);

    if (target >= 0 && H5Tget_class(target) != H5T_TIME) {
        (void)stoa_hdf_close(&target, STOA_OK, NULL);
        return set_stored(pack, STOA_PACK_BYTES, H5T_STD_I64LE, err);
    }
    if (target >= 0) {
        is_whole = !pack->stats->has_subsecond && H5Tget_size(target) == sizeof(int32_t);
        (void)stoa_hdf_close(&target, STOA_OK, NULL);
    }
    if (!rules->has_times || !pack->type.utc || !is_near(pack, a_second) ||
        pack->stats->has_submicro) {
        return set_stored(pack, STOA_PACK_BYTES, H5T_STD_I64LE, err);
    }
    return is_whole ? set_stored(pack, STOA_PACK_SECONDS, H5T_UNIX_D32LE, err)
                    : set_stored(pack, STOA_PACK_SPLIT, H5T_UNIX_D64LE, err);
}

static stoa_status make_parts(stoa_pack *pack, size_t n, stoa_error *err)
{
    pack->parts = stoa_alloc_zero(n, sizeof *pack->parts);
    STOA_RETURN_NO_MEMORY(err, pack->parts);
    pack->n_parts = n;
    for (size_t i = 0; i < n; i++) {
        pack->parts[i].stored = H5I_INVALID_HID;
    }
    return STOA_OK;
}

/* Whether the labels can be members of an enumeration, for PyTables too. They must not be empty,
 * and must be valid Python names. */
static bool are_members(const stoa_string_set *labels)
{
    size_t n_bytes = 0;

    for (uint32_t i = 0; i < labels->count; i++) {
        size_t length;
        const char *label = stoa_string_set_get(labels, i, &length);
        n_bytes += length + 16;
        if (length == 0 || label[0] == '_' || memchr(label, '\0', length) != NULL) {
            return false;
        }
    }
    return labels->count > 0 && n_bytes <= MAX_LABEL_BYTES;
}

/* Read "CODE=LABEL" lines into the codes of labels; false if one of them has none that fits. */
static bool parse_codes(const char *text, const stoa_string_set *labels, stoa_kind kind,
                        uint32_t *codes)
{
    uint32_t n_found = 0;

    memset(codes, 0, labels->count * sizeof *codes);
    for (const char *at = text; *at != '\0';) {
        char *end = NULL;
        uint32_t number = 0;
        const long long code = strtoll(at, &end, 10);
        const char *const label = *end == '=' ? end + 1 : NULL;
        const char *const stop = label != NULL ? strchr(label, '\n') : NULL;
        if (stop == NULL) {
            return false;
        }
        if (stoa_string_set_find(labels, label, (size_t)(stop - label), &number)) {
            if (code < stoa_kind_min(kind) ||
                (code > 0 && (unsigned long long)code > stoa_kind_max(kind))) {
                return false;
            }
            codes[number] = (uint32_t)code;
            n_found++;
        }
        at = stop + 1;
    }
    return n_found == labels->count;
}

/* The codes that the field says of its labels, if each has one of up to 32 bits. */
static stoa_status find_codes(stoa_pack *pack, stoa_kind *kind, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_string_set *labels = &pack->stats->labels;
    char *said = NULL;
    char *lines = NULL;
    char name[64];

    STOA_TRY(stoa_schema_get_text(pack->field, STOA_PACK_CODES, &said, err));
    lines = said != NULL ? strchr(said, '\n') : NULL;
    if (lines == NULL) {
        goto done;
    }
    *lines++ = '\0';
    pack->own_codes = stoa_alloc(labels->count, sizeof *pack->own_codes);
    STOA_TRY(pack->own_codes != NULL ? STOA_OK : stoa_fail_memory(err));
    bool are = false;
    for (stoa_kind k = STOA_KIND_INT8; k <= STOA_KIND_UINT64 && !are; k++) {
        are = stoa_kind_width(k) <= (int32_t)sizeof(uint32_t) &&
              strcmp(stoa_type_name(&(stoa_type){.kind = k}, name), said) == 0 &&
              parse_codes(lines, labels, k, pack->own_codes);
        *kind = are ? k : *kind;
    }
    if (!are) {
        free(pack->own_codes);
        pack->own_codes = NULL;
    }

done:
    free(said);
    return status;
}

static stoa_status make_enum(stoa_pack *pack, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_string_set *labels = &pack->stats->labels;
    stoa_kind kind = labels->count <= 256 ? STOA_KIND_UINT8 : STOA_KIND_UINT16;
    char *name = NULL;

    pack->how = STOA_PACK_CODE;
    STOA_TRY(find_codes(pack, &kind, err));
    STOA_HDF(err, pack->stored = H5Tenum_create(number_type(kind)), "make an enumeration");
    pack->size = H5Tget_size(pack->stored);
    for (uint32_t i = 0; i < labels->count; i++) {
        size_t length;
        const char *label = stoa_string_set_get(labels, i, &length);
        free(name);
        name = stoa_strndup(label, length);
        STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
        const uint32_t code = pack->own_codes != NULL ? pack->own_codes[i] : i;
        STOA_HDF(err, H5Tenum_insert(pack->stored, name, &code), "make an enumeration");
    }

done:
    free(name);
    return status;
}

static stoa_status make_dictionary(const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    stoa_type values;
    hid_t target = target_of(rules, pack);
    const bool wants_text = target >= 0 && H5Tget_class(target) != H5T_ENUM;

    (void)stoa_hdf_close(&target, STOA_OK, NULL);
    STOA_RETURN_NOT_OK(stoa_type_of(pack->field->dictionary, &values, err));
    if (stoa_kind_is_string(values.kind) && are_members(&pack->stats->labels) && !wants_text) {
        return make_enum(pack, err);
    }
    pack->how = STOA_PACK_LABEL;
    STOA_RETURN_NOT_OK(make_parts(pack, 1, err));
    STOA_RETURN_NOT_OK(make(pack->field->dictionary, pack->stats, rules, &pack->parts[0], err));
    pack->size = pack->parts[0].size;
    STOA_RETURN_HDF_ERROR(err, pack->stored = H5Tcopy(pack->parts[0].stored), "copy a datatype");
    return STOA_OK;
}

/* Whether the items have the same bytes as those of the target's array. There, booleans are shown
 * as numbers. */
static bool are_items(const stoa_pack *pack, hid_t own, hid_t other)
{
    const stoa_domain *const domain = &pack->stats->fields[0].domain;

    return H5Tequal(own, other) > 0 ||
           (H5Tget_class(other) == H5T_BITFIELD && H5Tget_size(other) == 1 &&
            pack->parts[0].type.kind == STOA_KIND_UINT8 && domain->high <= 1);
}

/* The target may have the same number of items in more dimensions. */
static stoa_status match_shape(const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t target = target_of(rules, pack);
    hid_t own = H5I_INVALID_HID;
    hid_t other = H5I_INVALID_HID;

    if (target < 0 || H5Tget_class(target) != H5T_ARRAY || H5Tget_size(target) != pack->size) {
        goto done;
    }
    STOA_HDF(err, own = H5Tget_super(pack->stored), "read an array type");
    STOA_HDF(err, other = H5Tget_super(target), "read an array type");
    if (are_items(pack, own, other)) {
        status = stoa_hdf_close(&pack->stored, status, err);
        pack->stored = target;
        target = H5I_INVALID_HID;
    }

done:
    status = stoa_hdf_close(&other, status, err);
    status = stoa_hdf_close(&own, status, err);
    return stoa_hdf_close(&target, status, err);
}

/* The dimensions that the field declares, before those of its items. */
static stoa_status find_dims(const stoa_pack *pack, hsize_t *dims, int *rank, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_tensor_shape(pack->field, (uint64_t)pack->type.width, dims, rank, err));
    if (*rank == 0) {
        dims[0] = (hsize_t)pack->type.width;
        *rank = 1;
    }
    return STOA_OK;
}

/* An array type, with more dimensions if its items are arrays. */
static stoa_status make_items(const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t base = H5I_INVALID_HID;
    hsize_t dims[H5S_MAX_RANK];
    int rank = 0;
    int n_inner = 0;

    if (pack->type.width <= 0) {
        STOA_FAIL(err, STOA_ETYPE, "has lists without items, which %s cannot hold", rules->layout);
    }
    pack->how = STOA_PACK_ITEMS;
    STOA_TRY(make_parts(pack, 1, err));
    STOA_TRY(make(pack->field->children[0], &pack->stats->fields[0], rules, &pack->parts[0], err));
    STOA_TRY(find_dims(pack, dims, &rank, err));
    if (H5Tget_class(pack->parts[0].stored) == H5T_ARRAY) {
        STOA_HDF(err, base = H5Tget_super(pack->parts[0].stored), "read an array type");
        n_inner = H5Tget_array_ndims(pack->parts[0].stored);
        if (n_inner < 0 || rank + n_inner > H5S_MAX_RANK) {
            STOA_FAIL(err, STOA_ETYPE, "has lists in too many lists");
        }
        STOA_HDF(err, H5Tget_array_dims2(pack->parts[0].stored, dims + rank), "read an array type");
    } else {
        STOA_HDF(err, base = H5Tcopy(pack->parts[0].stored), "copy a datatype");
    }
    STOA_HDF(err, pack->stored = H5Tarray_create2(base, (unsigned)(rank + n_inner), dims),
             "make an array type");
    pack->n = (size_t)pack->type.width;
    pack->size = H5Tget_size(pack->stored);
    STOA_TRY(match_shape(rules, pack, err));

done:
    return stoa_hdf_close(&base, status, err);
}

/* Opaque bytes are stored as an array of uint8. */
static stoa_status make_opaque(stoa_pack *pack, stoa_error *err)
{
    const hsize_t n = (hsize_t)pack->type.width;

    pack->how = STOA_PACK_BYTES;
    STOA_RETURN_HDF_ERROR(err, pack->stored = H5Tarray_create2(H5T_STD_U8LE, 1, &n),
                          "make an array type");
    pack->size = H5Tget_size(pack->stored);
    return STOA_OK;
}

static stoa_status check_name(const struct ArrowSchema *field, const stoa_pack_rules *rules,
                              stoa_error *err)
{
    const char *name = field->name != NULL ? field->name : "";

    if (name[0] == '\0' || strchr(name, '/') != NULL || strncmp(name, "_v_", 3) == 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "no column of %s can be called '%s' (no slash, no '_v_' in front)",
                         rules->layout, name);
    }
    return STOA_OK;
}

/* Name the innermost column at fault. */
static stoa_status blame(const char *name, stoa_status status, stoa_error *err)
{
    static const char named[] = "column '";
    stoa_error why;

    if (status != STOA_OK && err != NULL && strncmp(err->message, named, sizeof named - 1) != 0) {
        why = *err;
        (void)snprintf(err->message, sizeof err->message, "column '%s' %.900s", name, why.message);
    }
    return status;
}

static stoa_status make_fields(const stoa_pack_rules *rules, const stoa_column_stats *fields,
                               stoa_pack *pack, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)pack->field->n_children;

    pack->how = STOA_PACK_FIELDS;
    if (n == 0) {
        return stoa_fail(err, STOA_ETYPE, "has no columns, which %s cannot hold", rules->layout);
    }
    STOA_RETURN_NOT_OK(make_parts(pack, n, err));
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *field = pack->field->children[i];
        STOA_RETURN_NOT_OK(check_name(field, rules, err));
        status = make(field, &fields[i], rules, &pack->parts[i], err);
        STOA_RETURN_NOT_OK(blame(field->name, status, err));
        pack->parts[i].offset = pack->size;
        pack->size += pack->parts[i].size;
    }
    STOA_RETURN_HDF_ERROR(err, pack->stored = H5Tcreate(H5T_COMPOUND, pack->size),
                          "make a compound type");
    for (size_t i = 0; i < n; i++) {
        STOA_RETURN_HDF_ERROR(err,
                              H5Tinsert(pack->stored, pack->field->children[i]->name,
                                        pack->parts[i].offset, pack->parts[i].stored),
                              "make a compound type");
    }
    return status;
}

/* PyTables reads every pair called r and i as a complex number, and cannot open a table whose pair
 * is not one. */
static stoa_status check_pair(const stoa_pack_rules *rules, const stoa_pack *pack, stoa_error *err)
{
    const bool is_pair = pack->n_parts == 2 && strcmp(pack->parts[0].field->name, "r") == 0 &&
                         strcmp(pack->parts[1].field->name, "i") == 0;

    if (!rules->has_times || !is_pair || (stoa_pack_is_complex(pack) && pack->size >= 8)) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ETYPE,
                     "has two fields r and i that are no floats of one size, float32 or float64; "
                     "%s would take them for a complex number",
                     rules->layout);
}

static stoa_status make_by_type(const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    char name[64];

    if (stoa_kind_is_integer(pack->type.kind) || stoa_kind_is_float(pack->type.kind)) {
        return make_number(pack, err);
    }
    switch (pack->type.kind) {
    case STOA_KIND_BOOL:
        return set_stored(pack, STOA_PACK_BOOL, H5T_STD_B8LE, err);
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        return make_text(rules, pack, err);
    case STOA_KIND_FIXED_BINARY:
        return make_opaque(pack, err);
    case STOA_KIND_DATE:
        return set_stored(pack, STOA_PACK_BYTES, H5T_STD_I32LE, err);
    case STOA_KIND_DURATION:
        return set_stored(pack, STOA_PACK_BYTES, H5T_STD_I64LE, err);
    case STOA_KIND_TIMESTAMP:
        return make_time(rules, pack, err);
    case STOA_KIND_FIXED_LIST:
        return make_items(rules, pack, err);
    case STOA_KIND_STRUCT:
        STOA_RETURN_NOT_OK(make_fields(rules, pack->stats->fields, pack, err));
        STOA_RETURN_NOT_OK(check_pair(rules, pack, err));
        break;
    case STOA_KIND_DICTIONARY:
        return make_dictionary(rules, pack, err);
    default:
        return stoa_fail(err, STOA_ETYPE, "is of the type %s, which %s cannot hold%s",
                         stoa_type_name(&pack->type, name), rules->layout,
                         rules->target > 0 ? "" : "; keep it in hep001, or export it to Arrow");
    }
    return STOA_OK;
}

static stoa_status make(const struct ArrowSchema *field, const stoa_column_stats *stats,
                        const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    pack->field = field;
    pack->stats = stats;
    STOA_RETURN_NOT_OK(stoa_type_of(field, &pack->type, err));
    STOA_RETURN_NOT_OK(make_by_type(rules, pack, err));
    if (stats->n_missing > 0 && !can_miss(pack) && rules->target > 0) {
        return stoa_fail(
            err, STOA_ELOSS,
            "has missing values, which %s cannot hold; --missing '%s=VALUE' says what stands "
            "for them",
            rules->layout, field->name != NULL ? field->name : "");
    }
    if (stats->n_missing > 0 && !can_miss(pack)) {
        return stoa_layout_refuse_missing(field->name, stats->n_missing, rules->layout, "VALUE",
                                          err);
    }
    return STOA_OK;
}

stoa_status stoa_pack_make(const struct ArrowSchema *schema, const stoa_column_stats *columns,
                           const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    *pack = (stoa_pack){.stored = H5I_INVALID_HID, .field = schema};
    STOA_RETURN_NOT_OK(stoa_type_of(schema, &pack->type, err));
    return make_fields(rules, columns, pack, err);
}

stoa_status stoa_pack_make_cell(const struct ArrowSchema *field, const stoa_column_stats *stats,
                                const stoa_pack_rules *rules, stoa_pack *pack, stoa_error *err)
{
    *pack = (stoa_pack){.stored = H5I_INVALID_HID};
    return blame(field->name, make(field, stats, rules, pack, err), err);
}
