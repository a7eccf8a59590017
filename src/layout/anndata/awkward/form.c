/* The JSON of forms (form.h). Its depth and its number of nodes are bounded, since each node is a
 * call and may be a dataset. Members that a class does not need are skipped. */
#include "layout/anndata/awkward/form.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"

typedef struct parser {
    stoa_json json;
    unsigned n_nodes;
} parser;

void stoa_awkward_form_clear(stoa_awkward_form *form)
{
    for (size_t i = 0; i < form->n_contents; i++) {
        stoa_awkward_form_clear(&form->contents[i]);
    }
    for (size_t i = 0; i < form->n_names; i++) {
        free(form->names[i]);
    }
    free(form->contents);
    free((void *)form->names);
    free(form->shape);
    free(form->kind);
    free(form->primitive);
    free(form->key);
    free(form->class_name);
    *form = (stoa_awkward_form){0};
}

/* --- members --------------------------------------------------------------------------------- */

/* The text that has just been read. */
static stoa_status copy_text(const parser *p, char **text, stoa_error *err)
{
    if (memchr(p->json.text, '\0', p->json.length) != NULL) {
        return stoa_fail(err, STOA_EDATA, "its form has a text with a NUL");
    }
    free(*text);
    *text = stoa_strndup(p->json.text, p->json.length);
    return *text != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* A text; another value is skipped. */
static stoa_status take_text(parser *p, char **text, stoa_error *err)
{
    stoa_json_kind kind;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    return kind == STOA_JSON_STRING ? copy_text(p, text, err) : stoa_json_skip(&p->json, kind, err);
}

static stoa_status take_size(parser *p, const char *name, uint64_t *size, stoa_error *err)
{
    stoa_json_kind kind;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if (kind != STOA_JSON_NUMBER || !stoa_parse_u64(p->json.text, p->json.length, size)) {
        return stoa_fail(err, STOA_EDATA, "its form has a '%s' that is no size", name);
    }
    return STOA_OK;
}

static stoa_status take_bool(parser *p, const char *name, bool *value, stoa_error *err)
{
    stoa_json_kind kind;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if (kind != STOA_JSON_BOOL) {
        return stoa_fail(err, STOA_EDATA, "its form has a '%s' that is neither true nor false",
                         name);
    }
    *value = p->json.length == 4;
    return STOA_OK;
}

static stoa_status take_shape(parser *p, stoa_awkward_form *form, stoa_error *err)
{
    stoa_json_kind kind;
    bool has_item = true;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if (kind != STOA_JSON_ARRAY || form->rank > 0) {
        return stoa_json_skip(&p->json, kind, err);
    }
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(&p->json, is_first, ']', &has_item, err));
        if (!has_item) {
            return STOA_OK;
        }
        if (form->rank == STOA_AWKWARD_MAX_DEPTH) {
            return stoa_fail(err, STOA_EDATA, "its form has values of more than %d dimensions",
                             STOA_AWKWARD_MAX_DEPTH);
        }
        uint64_t *const shape = stoa_one_more(form->shape, form->rank, sizeof *shape);
        STOA_RETURN_NO_MEMORY(err, shape);
        form->shape = shape;
        STOA_RETURN_NOT_OK(take_size(p, "inner_shape", &shape[form->rank++], err));
    }
}

/* Add a name. It is taken over in every case. */
static stoa_status add_name(stoa_awkward_form *form, char *name, stoa_error *err)
{
    char **const names =
        name != NULL ? stoa_one_more((void *)form->names, form->n_names, sizeof *names) : NULL;

    if (names == NULL) {
        free(name);
        return stoa_fail_memory(err);
    }
    form->names = names;
    names[form->n_names++] = name;
    return STOA_OK;
}

static stoa_status take_name(parser *p, stoa_awkward_form *form, stoa_error *err)
{
    char *name = NULL;

    STOA_RETURN_NOT_OK(copy_text(p, &name, err));
    return add_name(form, name, err);
}

/* The names of fields; null for those of a tuple, which have none. */
static stoa_status take_names(parser *p, stoa_awkward_form *form, stoa_error *err)
{
    stoa_json_kind kind;
    bool has_item = true;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if (kind != STOA_JSON_ARRAY || form->n_names > 0) {
        return stoa_json_skip(&p->json, kind, err);
    }
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(&p->json, is_first, ']', &has_item, err));
        if (!has_item) {
            return STOA_OK;
        }
        STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
        if (kind != STOA_JSON_STRING || form->n_names == STOA_AWKWARD_MAX_NODES) {
            return stoa_fail(err, STOA_EDATA, "its form has fields without names, or too many");
        }
        STOA_RETURN_NOT_OK(take_name(p, form, err));
    }
}

/* The parameters, of which only __array__ counts. */
static stoa_status take_parameters(parser *p, stoa_awkward_form *form, stoa_error *err)
{
    stoa_json_kind kind;
    bool has_item = true;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if (kind != STOA_JSON_OBJECT) {
        return stoa_json_skip(&p->json, kind, err);
    }
    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(&p->json, is_first, '}', &has_item, err));
        if (!has_item) {
            return STOA_OK;
        }
        STOA_RETURN_NOT_OK(stoa_json_key(&p->json, err));
        char *ignored = NULL;
        const bool is_kind = p->json.length == 9 && memcmp(p->json.text, "__array__", 9) == 0;
        const stoa_status status = take_text(p, is_kind ? &form->kind : &ignored, err);
        free(ignored);
        STOA_RETURN_NOT_OK(status);
    }
}

/* --- nodes ----------------------------------------------------------------------------------- */

static stoa_status take_form(parser *p, unsigned depth, stoa_awkward_form *form, stoa_error *err);

static stoa_status add_content(parser *p, unsigned depth, stoa_awkward_form *form, stoa_error *err)
{
    stoa_awkward_form *const contents =
        stoa_one_more(form->contents, form->n_contents, sizeof *contents);

    STOA_RETURN_NO_MEMORY(err, contents);
    form->contents = contents;
    contents[form->n_contents] = (stoa_awkward_form){0};
    return take_form(p, depth, &contents[form->n_contents++], err);
}

/* The fields of records: a list, or an object by name, as awkward 1 wrote it. */
static stoa_status take_contents(parser *p, unsigned depth, stoa_awkward_form *form,
                                 stoa_error *err)
{
    stoa_json_kind kind;
    bool has_item = true;

    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if ((kind != STOA_JSON_ARRAY && kind != STOA_JSON_OBJECT) || form->n_contents > 0) {
        return stoa_json_skip(&p->json, kind, err);
    }
    const bool is_object = kind == STOA_JSON_OBJECT;

    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(
            stoa_json_has_item(&p->json, is_first, is_object ? '}' : ']', &has_item, err));
        if (!has_item) {
            return STOA_OK;
        }
        if (is_object) {
            STOA_RETURN_NOT_OK(stoa_json_key(&p->json, err));
            STOA_RETURN_NOT_OK(take_name(p, form, err));
        }
        STOA_RETURN_NOT_OK(add_content(p, depth, form, err));
    }
}

static bool is_key(const parser *p, const char *key)
{
    return p->json.length == strlen(key) && memcmp(p->json.text, key, p->json.length) == 0;
}

static stoa_status take_member(parser *p, unsigned depth, stoa_awkward_form *form, stoa_error *err)
{
    stoa_json_kind kind;

    STOA_RETURN_NOT_OK(stoa_json_key(&p->json, err));
    if (is_key(p, "class")) {
        return take_text(p, &form->class_name, err);
    }
    if (is_key(p, "form_key")) {
        return take_text(p, &form->key, err);
    }
    if (is_key(p, "primitive")) {
        return take_text(p, &form->primitive, err);
    }
    if (is_key(p, "inner_shape")) {
        return take_shape(p, form, err);
    }
    if (is_key(p, "size")) {
        return take_size(p, "size", &form->size, err);
    }
    if (is_key(p, "valid_when")) {
        return take_bool(p, "valid_when", &form->valid_when, err);
    }
    if (is_key(p, "lsb_order")) {
        return take_bool(p, "lsb_order", &form->lsb_order, err);
    }
    if (is_key(p, "parameters")) {
        return take_parameters(p, form, err);
    }
    if (is_key(p, "fields")) {
        return take_names(p, form, err);
    }
    if (is_key(p, "content") && form->n_contents == 0) {
        return add_content(p, depth + 1, form, err);
    }
    if (is_key(p, "contents")) {
        return take_contents(p, depth + 1, form, err);
    }
    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    return stoa_json_skip(&p->json, kind, err);
}

/* What a class is called. A suffix says how wide its integers are, which their dataset says, too.
 */
typedef struct class_name {
    const char *name;
    stoa_awkward_class class;
    bool has_content;
} class_name;

static const class_name class_names[] = {
    {"NumpyArray", STOA_AWKWARD_NUMBERS, false},
    {"EmptyArray", STOA_AWKWARD_EMPTY, false},
    {"ListOffsetArray", STOA_AWKWARD_LISTS, true},
    {"ListArray", STOA_AWKWARD_RANGES, true},
    {"RegularArray", STOA_AWKWARD_FIXED, true},
    {"RecordArray", STOA_AWKWARD_RECORDS, false},
    {"IndexedArray", STOA_AWKWARD_INDEXED, true},
    {"IndexedOptionArray", STOA_AWKWARD_OPTIONS, true},
    {"ByteMaskedArray", STOA_AWKWARD_BYTE_MASKED, true},
    {"BitMaskedArray", STOA_AWKWARD_BIT_MASKED, true},
    {"UnmaskedArray", STOA_AWKWARD_UNMASKED, true},
};

static const class_name *find_class(const char *name)
{
    static const char *const widths[] = {"", "32", "U32", "64", NULL};

    for (size_t i = 0; i < sizeof class_names / sizeof *class_names; i++) {
        const size_t length = strlen(class_names[i].name);
        if (strncmp(name, class_names[i].name, length) == 0 &&
            stoa_is_listed(name + length, widths)) {
            return &class_names[i];
        }
    }
    return NULL;
}

static stoa_status check_records(const stoa_awkward_form *form, stoa_error *err)
{
    if (form->n_contents == 0) {
        return stoa_fail(err, STOA_EDATA,
                         "its form has a RecordArray without fields, which no column can show");
    }
    if (form->names != NULL && form->n_names != form->n_contents) {
        return stoa_fail(err, STOA_EDATA, "its form has %zu names for %zu fields of a RecordArray",
                         form->n_names, form->n_contents);
    }
    return STOA_OK;
}

/* Check that the form has what its class needs. */
static stoa_status settle(stoa_awkward_form *form, stoa_error *err)
{
    const char *const name = form->class_name != NULL ? form->class_name : "";
    const class_name *const known = find_class(name);

    if (strncmp(name, "Union", 5) == 0) {
        return stoa_fail(err, STOA_EDATA,
                         "its form has a '%.40s', values of several types, which no column can "
                         "show; give them one type in awkward",
                         name);
    }
    if (known == NULL) {
        return stoa_fail(err, STOA_EDATA,
                         "its form has a '%.40s', and no such array of awkward is known", name);
    }
    form->class = known->class;
    if (known->has_content && form->n_contents != 1) {
        return stoa_fail(err, STOA_EDATA, "its form has a '%.40s' without content", name);
    }
    if (known->class == STOA_AWKWARD_NUMBERS && form->primitive == NULL) {
        return stoa_fail(err, STOA_EDATA, "its form has a NumpyArray without primitive");
    }
    return known->class == STOA_AWKWARD_RECORDS ? check_records(form, err) : STOA_OK;
}

static stoa_status take_object(parser *p, unsigned depth, stoa_awkward_form *form, stoa_error *err)
{
    bool has_item = true;

    for (bool is_first = true;; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(&p->json, is_first, '}', &has_item, err));
        if (!has_item) {
            return settle(form, err);
        }
        STOA_RETURN_NOT_OK(take_member(p, depth, form, err));
    }
}

static stoa_status take_form(parser *p, unsigned depth, stoa_awkward_form *form, stoa_error *err)
{
    stoa_json_kind kind;

    if (depth >= STOA_AWKWARD_MAX_DEPTH) {
        return stoa_fail(err, STOA_EDATA, "its form is nested deeper than %d levels",
                         STOA_AWKWARD_MAX_DEPTH);
    }
    if (++p->n_nodes > STOA_AWKWARD_MAX_NODES) {
        return stoa_fail(err, STOA_EDATA, "its form has more than %d nodes",
                         STOA_AWKWARD_MAX_NODES);
    }
    form->valid_when = form->lsb_order = true;
    STOA_RETURN_NOT_OK(stoa_json_value(&p->json, &kind, err));
    if (kind == STOA_JSON_OBJECT) {
        return take_object(p, depth, form, err);
    }
    if (kind != STOA_JSON_STRING) {
        return stoa_fail(err, STOA_EDATA, "its form has a node that is no object");
    }
    /* A type alone stands for numbers of it, whose buffer has no name. */
    STOA_RETURN_NOT_OK(copy_text(p, &form->primitive, err));
    form->class = STOA_AWKWARD_NUMBERS;
    return STOA_OK;
}

stoa_status stoa_awkward_form_parse(const char *text, stoa_awkward_form *form, stoa_error *err)
{
    stoa_error why = STOA_ERROR_INIT;
    parser p = {.n_nodes = 0};

    *form = (stoa_awkward_form){0};
    stoa_json_begin(&p.json, text, strlen(text), 1);
    stoa_status status = take_form(&p, 0, form, &why);
    status = status == STOA_OK ? stoa_json_end(&p.json, &why) : status;
    stoa_json_clear(&p.json);
    if (status == STOA_ESYNTAX) {
        return stoa_fail(err, STOA_EDATA, "its form is not JSON: %s", why.message);
    }
    if (status != STOA_OK && err != NULL) {
        *err = why;
    }
    return status;
}
