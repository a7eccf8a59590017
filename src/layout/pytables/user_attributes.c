#include "layout/pytables/user_attributes.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/saved_attribute.h"
#include "hdf/metadata/types.h"
#include "layout/pickle/pickle.h"
#include "layout/pytables/pytables.h"
#include "layout/pytables/rows.h"

/* Only the size of larger values is shown. */
enum { MAX_BYTES = 1 << 20, MAX_DEPTH = 16 };

/* --- own names ------------------------------------------------------------------------------- */

bool stoa_attribute_is_of_pytables(const char *name)
{
    static const char *const own[] = {"CLASS",      "VERSION",
                                      "TITLE",      "NROWS",
                                      "EXTDIM",     "ENCODING",
                                      "FILTERS",    "AUTO_INDEX",
                                      "DIRTY",      "NODE_TYPE",
                                      "FLAVOR",     "NODE_TYPE_VERSION",
                                      "PSEUDOATOM", "PYTABLES_FORMAT_VERSION",
                                      NULL};

    return strncmp(name, "FIELD_", 6) == 0 || stoa_is_listed(name, own);
}

/* Attributes of an array that are those of its column. */
static bool is_of_column(const stoa_table *table, const char *name)
{
    static const char *const names[] = {"units", "description", STOA_COLUMN_ARROW_TYPE, NULL};

    return H5Iget_type(table->group) == H5I_DATASET && !stoa_pytables_is_row_wise(table) &&
           stoa_is_listed(name, names);
}

static bool has_notes(const stoa_table *table)
{
    return table->layout == NULL || table->has_user_attributes;
}

/* --- one attribute --------------------------------------------------------------------------- */

typedef struct opened {
    hid_t attribute;
    hid_t type;
    hid_t space;
    size_t size;
    uint64_t n;
    bool is_scalar;
} opened;

static stoa_status close_attribute(opened *a, stoa_status status, stoa_error *err)
{
    status = stoa_hdf_close(&a->space, status, err);
    status = stoa_hdf_close(&a->type, status, err);
    return stoa_hdf_close(&a->attribute, status, err);
}

static stoa_status open_attribute(hid_t object, const char *name, opened *a, stoa_error *err)
{
    stoa_status status = STOA_OK;

    *a = (opened){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0, 0, false};
    STOA_HDF(err, a->attribute = H5Aopen(object, name, H5P_DEFAULT), "open attribute '%s'", name);
    STOA_HDF(err, a->type = H5Aget_type(a->attribute), "look at attribute '%s'", name);
    STOA_HDF(err, a->space = H5Aget_space(a->attribute), "look at attribute '%s'", name);
    a->size = H5Tget_size(a->type);
    const hssize_t n = H5Sget_simple_extent_npoints(a->space);
    a->n = n > 0 ? (uint64_t)n : 0;
    a->is_scalar = H5Sget_simple_extent_type(a->space) != H5S_SIMPLE;

done:
    return status == STOA_OK ? STOA_OK : close_attribute(a, status, NULL);
}

/* Whether PyTables would unpickle the value (notes §1.2). *pickle is NULL if it would not parse as
 * a pickle. */
static bool is_pickle(const opened *a, const char *text, stoa_pickle **pickle)
{
    const size_t length = text != NULL ? strlen(text) : 0;
    stoa_error ignored = STOA_ERROR_INIT;

    *pickle = NULL;
    if (length == 0 || !a->is_scalar || text[length - 1] != '.' ||
        H5Tget_class(a->type) != H5T_STRING || H5Tget_cset(a->type) != H5T_CSET_ASCII) {
        return false;
    }
    if (stoa_pickle_read(text, length, pickle, &ignored) != STOA_OK) {
        *pickle = NULL;
    }
    return true;
}

/* --- values ---------------------------------------------------------------------------------- */

static stoa_status put_node(stoa_buffer *out, const stoa_pickled *node, int depth, bool *is_plain,
                            stoa_error *err);

static stoa_status put_items(stoa_buffer *out, const stoa_pickled *node, int depth, bool *is_plain,
                             stoa_error *err)
{
    const bool is_dict = node->kind == STOA_PICKLE_DICT;

    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, is_dict ? "{" : "["));
    for (size_t i = 0; *is_plain && i < node->as.items.n; i++) {
        const char *const between = is_dict && i % 2 == 1 ? ": " : i > 0 ? ", " : "";
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s", between));
        STOA_RETURN_NOT_OK(put_node(out, node->as.items.at[i], depth + 1, is_plain, err));
    }
    return stoa_buffer_print(out, err, is_dict ? "}" : "]");
}

/* Values, lists and dicts. What the pickle would call is not shown. */
static stoa_status put_node(stoa_buffer *out, const stoa_pickled *node, int depth, bool *is_plain,
                            stoa_error *err)
{
    char number[STOA_NUMBER_SIZE];

    if (depth > MAX_DEPTH || out->size > MAX_BYTES) {
        *is_plain = false;
        return STOA_OK;
    }
    switch (node->kind) {
    case STOA_PICKLE_NONE:
        return stoa_buffer_print(out, err, "null");
    case STOA_PICKLE_BOOL:
        return stoa_buffer_print(out, err, node->as.truth ? "true" : "false");
    case STOA_PICKLE_INT:
        return stoa_buffer_print(out, err, "%lld", (long long)node->as.integer);
    case STOA_PICKLE_FLOAT:
        (void)stoa_format_f64(node->as.number, number);
        return stoa_buffer_print(out, err, "%s", number);
    case STOA_PICKLE_TEXT:
        return stoa_json_quote(out, node->as.bytes.data, node->as.bytes.length, err);
    case STOA_PICKLE_LIST:
    case STOA_PICKLE_TUPLE:
    case STOA_PICKLE_DICT:
        return put_items(out, node, depth, is_plain, err);
    default:
        *is_plain = false;
        return STOA_OK;
    }
}

static stoa_status put_hex(stoa_buffer *out, const char *bytes, stoa_error *err)
{
    out->size = 0;
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "0x"));
    for (; *bytes != '\0'; bytes++) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%02x", (unsigned char)*bytes));
    }
    return STOA_OK;
}

/* --- showing --------------------------------------------------------------------------------- */

typedef struct showing {
    const stoa_table *table;
    stoa_user_attribute_visit visit;
    void *context;
} showing;

static stoa_status format_pickle(const showing *s, const char *name, const char *text,
                                 const stoa_pickle *pickle, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer out = {0};
    bool is_plain = pickle != NULL;

    if (is_plain) {
        STOA_TRY(put_node(&out, stoa_pickle_root(pickle), 0, &is_plain, err));
    }
    if (!is_plain) {
        STOA_TRY(put_hex(&out, text, err));
    }
    const stoa_user_attribute note = {
        .name = name, .text = (const char *)out.data, .is_scalar = true};
    STOA_TRY(s->visit(s->context, &note, err));

done:
    stoa_buffer_clear(&out);
    return status;
}

static stoa_status format_values(const showing *s, const char *name, const opened *a,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_element element = {.mem_type = H5I_INVALID_HID};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    uint8_t *values = NULL;
    stoa_view view;

    STOA_TRY(stoa_element_of(a->type, &element, err));
    if (stoa_element_is_variable(&element) || a->n > MAX_BYTES / (element.size + 1)) {
        char *const text = stoa_format("(%llu of %s)", (unsigned long long)a->n, element.text);
        const stoa_user_attribute note = {.name = name, .text = text, .is_scalar = true};
        STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
        status = s->visit(s->context, &note, err);
        free(text);
        goto done;
    }
    values = stoa_alloc_zero((size_t)a->n + 1, element.size);
    STOA_TRY(values != NULL ? STOA_OK : stoa_fail_memory(err));
    if (a->n > 0) {
        STOA_HDF(err, H5Aread(a->attribute, element.mem_type, values), "read attribute '%s'", name);
    }
    STOA_TRY(stoa_element_schema(&element, name, &schema, err));
    uint8_t *const taken = values;
    values = NULL;
    STOA_TRY(stoa_element_decode(&element, taken, (int64_t)a->n, NULL, &array, err));
    STOA_TRY(stoa_view_of(&schema, &array, &view, err));
    const stoa_user_attribute note = {
        .name = name, .values = &view, .n = (int64_t)a->n, .is_scalar = a->is_scalar};
    STOA_TRY(s->visit(s->context, &note, err));

done:
    free(values);
    stoa_array_release(&array);
    stoa_schema_release(&schema);
    stoa_element_clear(&element);
    return status;
}

static stoa_status format_note(const showing *s, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_pickle *pickle = NULL;
    char *text = NULL;
    opened a;

    STOA_TRY(open_attribute(s->table->group, name, &a, err));
    STOA_TRY(stoa_attribute_read_optional(s->table->group, name, &text, err));
    if (is_pickle(&a, text, &pickle)) {
        STOA_TRY(format_pickle(s, name, text, pickle, err));
    } else if (text != NULL) {
        const stoa_user_attribute note = {.name = name, .text = text, .is_scalar = true};
        STOA_TRY(s->visit(s->context, &note, err));
    } else {
        STOA_TRY(format_values(s, name, &a, err));
    }

done:
    stoa_pickle_close(pickle);
    free(text);
    return close_attribute(&a, status, err);
}

stoa_status stoa_user_attributes_visit(const stoa_table *table, stoa_user_attribute_visit visit,
                                       void *context, stoa_error *err)
{
    const showing s = {.table = table, .visit = visit, .context = context};
    const bool is_own = table->layout == NULL;
    stoa_status status = STOA_OK;
    stoa_buffer names = {0};

    if (has_notes(table)) {
        STOA_TRY(stoa_attribute_names(table->group, &names, NULL, err));
    }
    stoa_error_printing_off();
    for (size_t at = 0; status == STOA_OK && at < names.size;
         at += strlen((char *)names.data + at) + 1) {
        const char *const name = (char *)names.data + at;
        const bool is_passed =
            strcmp(name, "FLAVOR") == 0 ? is_own
            : is_own                    ? stoa_attribute_is_of_hep001(name)
                     : stoa_attribute_is_of_pytables(name) || is_of_column(s.table, name);
        /* An attribute that cannot be read is left out; the table is still readable. */
        if (!is_passed && format_note(&s, name, err) == STOA_ENOMEM) {
            status = STOA_ENOMEM;
        }
    }
    stoa_error_printing_on();

done:
    stoa_buffer_clear(&names);
    return status;
}

/* --- copying --------------------------------------------------------------------------------- */

typedef struct copying {
    const stoa_table *from;
    hid_t to;
    bool for_pytables;
    stoa_error *err;
    stoa_status status;
} copying;

/* Types that PyTables writes: little-endian numbers and fixed-length strings. PyTables reads
 * big-endian ones with their bytes swapped (§1.3). */
static bool is_plain_type(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);

    return class == H5T_STRING ? H5Tis_variable_str(type) == 0
           : class == H5T_INTEGER || class == H5T_FLOAT
               ? H5Tget_size(type) == 1 || H5Tget_order(type) == H5T_ORDER_LE
               : class == H5T_BITFIELD && H5Tget_size(type) == 1;
}

/* Whether a string must be rewritten: if it has variable length, has a terminator that PyTables
 * would include, or ends in the byte that makes PyTables unpickle it. */
static bool is_rewritten(const copying *c, const opened *a, const char *text)
{
    const bool is_utf8 = H5Tget_cset(a->type) == H5T_CSET_UTF8;
    const size_t n = strlen(text);

    return a->is_scalar &&
           (H5Tis_variable_str(a->type) > 0 || (c->for_pytables && c->from->layout == NULL &&
                                                (is_utf8 || (n > 0 && text[n - 1] == '.'))));
}

static stoa_status copy_note(const copying *c, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_saved_attribute kept = STOA_SAVED_ATTRIBUTE_INIT;
    stoa_pickle *pickle = NULL;
    char *text = NULL;
    opened a;

    STOA_TRY(open_attribute(c->from->group, name, &a, err));
    STOA_TRY(stoa_attribute_read_optional(c->from->group, name, &text, err));
    if (is_pickle(&a, text, &pickle) && (pickle != NULL || c->from->layout != NULL)) {
        goto done;
    }
    if (!c->for_pytables && stoa_is_listed(name, stoa_attribute_encodings)) {
        STOA_TRY(text != NULL ? stoa_attribute_write_mended(c->to, name, text, err) : STOA_OK);
    } else if (text != NULL && is_rewritten(c, &a, text)) {
        STOA_TRY(c->for_pytables ? stoa_pytables_write_text(c->to, name, text, err)
                                 : stoa_attribute_write_utf8(c->to, name, text, err));
    } else if (is_plain_type(a.type)) {
        STOA_TRY(stoa_attribute_save(c->from->group, name, &kept, err));
        STOA_TRY(stoa_attribute_put_back(c->to, name, &kept, err));
    }

done:
    stoa_saved_attribute_clear(&kept);
    stoa_pickle_close(pickle);
    free(text);
    return close_attribute(&a, status, err);
}

static herr_t read_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    copying *const c = context;

    (void)object;
    (void)info;
    if (stoa_attribute_is_of_pytables(name) || stoa_attribute_is_of_hep001(name) ||
        stoa_attribute_exists(c->to, name)) {
        return 0;
    }
    c->status = copy_note(c, name, c->err);
    return c->status == STOA_OK ? 0 : 1;
}

stoa_status stoa_user_attributes_copy(const stoa_table *from, hid_t to, bool for_pytables,
                                      stoa_error *err)
{
    copying c = {.from = from, .to = to, .for_pytables = for_pytables, .err = err};

    if (has_notes(from)) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        (void)H5Aiterate2(from->group, H5_INDEX_NAME, H5_ITER_INC, NULL, read_attribute, &c);
        stoa_error_stack_discard(&errors);
    }
    return c.status;
}
