/* Reads descriptors (descriptor.h): "Binsparse JSON Descriptors" of the specification. The text is
 * untrusted. */
#include "layout/binsparse/descriptor.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"

enum { MAX_WORD = 40 };

typedef char word[MAX_WORD]; /* "" if it is longer */

static const stoa_binsparse_format formats[] = {
    {"CSR", "csr", 2, 0, "pointers_to_1", NULL, "indices_1"},
    {"CSC", "csc", 2, 1, "pointers_to_1", NULL, "indices_1"},
    {"DCSR", "dcsr", 2, 0, "pointers_to_1", "indices_0", "indices_1"},
    {"DCSC", "dcsc", 2, 1, "pointers_to_1", "indices_0", "indices_1"},
    {"COO", "coo", 2, 0, NULL, "indices_0", "indices_1"},
    {"COOR", "coor", 2, 0, NULL, "indices_0", "indices_1"},
    {"COOC", "cooc", 2, 1, NULL, "indices_0", "indices_1"},
    {"CVEC", "cvec", 1, 0, NULL, "indices_0", NULL},
    {"DVEC", NULL, 1, 0, NULL, NULL, NULL},
    {"DMAT", NULL, 2, 0, NULL, NULL, NULL},
    {"DMATR", NULL, 2, 0, NULL, NULL, NULL},
    {"DMATC", NULL, 2, 1, NULL, NULL, NULL}};

static const struct {
    const char *name;
    stoa_entries_mirror mirror;
    bool is_upper;
} structures[] = {{"symmetric_lower", STOA_ENTRIES_EQUAL, false},
                  {"symmetric_upper", STOA_ENTRIES_EQUAL, true},
                  {"hermitian_lower", STOA_ENTRIES_CONJUGATE, false},
                  {"hermitian_upper", STOA_ENTRIES_CONJUGATE, true},
                  {"skew_symmetric_lower", STOA_ENTRIES_NEGATIVE, false},
                  {"skew_symmetric_upper", STOA_ENTRIES_NEGATIVE, true}};

/* --- JSON ------------------------------------------------------------------------------------ */

/* What is written. */
typedef struct text {
    bool is_there; /* the object that has the rest */
    word version;
    word format;
    word structure;
    word type; /* of values */
    bool has_shape;
    bool has_count;
    stoa_binsparse_descriptor *d;
} text;

/* Take a member's value, of which scalars have been read. */
typedef stoa_status take_member(stoa_json *json, const char *key, stoa_json_kind kind, text *to,
                                stoa_error *err);

static void take_word(const stoa_json *json, char *to)
{
    const size_t length = json->length < MAX_WORD ? json->length : 0;

    memcpy(to, json->text, length);
    to[length] = '\0';
}

/* Take the members of an object, whose bracket has been read. */
static stoa_status take_members(stoa_json *json, take_member *take, text *to, stoa_error *err)
{
    stoa_json_kind kind = STOA_JSON_NULL;
    bool has_item = true;
    word key;

    for (bool is_first = true; has_item; is_first = false) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, is_first, '}', &has_item, err));
        if (has_item) {
            STOA_RETURN_NOT_OK(stoa_json_key(json, err));
            take_word(json, key);
            STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
            STOA_RETURN_NOT_OK(take(json, key, kind, to, err));
        }
    }
    return STOA_OK;
}

static stoa_status take_type(stoa_json *json, const char *key, stoa_json_kind kind, text *to,
                             stoa_error *err)
{
    if (strcmp(key, "values") == 0 && kind == STOA_JSON_STRING) {
        take_word(json, to->type);
    }
    return stoa_json_skip(json, kind, err);
}

static stoa_status take_fact(stoa_json *json, const char *key, stoa_json_kind kind, text *to,
                             stoa_error *err)
{
    const bool is_text = kind == STOA_JSON_STRING;
    size_t n = 0;

    if (strcmp(key, "shape") == 0 && kind == STOA_JSON_ARRAY) {
        STOA_RETURN_NOT_OK(stoa_json_sizes(json, to->d->shape, 2, &n, err));
        to->d->rank = (unsigned)n;
        to->has_shape = n > 0;
        return STOA_OK;
    }
    if (strcmp(key, "data_types") == 0 && kind == STOA_JSON_OBJECT) {
        return take_members(json, take_type, to, err);
    }
    if (strcmp(key, "version") == 0 && (is_text || kind == STOA_JSON_NUMBER)) {
        take_word(json, to->version);
    } else if (strcmp(key, "format") == 0 && is_text) {
        take_word(json, to->format);
    } else if (strcmp(key, "structure") == 0 && is_text) {
        take_word(json, to->structure);
    } else if (strcmp(key, "fill") == 0 && kind == STOA_JSON_BOOL) {
        to->d->has_fill = json->text[0] == 't';
    } else if (strcmp(key, "number_of_stored_values") == 0 && kind == STOA_JSON_NUMBER) {
        to->has_count = stoa_parse_u64(json->text, json->length, &to->d->n_stored);
    }
    return stoa_json_skip(json, kind, err);
}

static stoa_status take_top(stoa_json *json, const char *key, stoa_json_kind kind, text *to,
                            stoa_error *err)
{
    if (strcmp(key, STOA_BINSPARSE) == 0 && kind == STOA_JSON_OBJECT) {
        to->is_there = true;
        return take_members(json, take_fact, to, err);
    }
    return stoa_json_skip(json, kind, err);
}

static stoa_status parse(const char *attribute, text *to, stoa_error *err)
{
    stoa_json json = {.start = NULL};
    stoa_json_kind kind = STOA_JSON_NULL;
    stoa_status status = STOA_OK;

    stoa_json_begin(&json, attribute, strlen(attribute), 1);
    STOA_TRY(stoa_json_value(&json, &kind, err));
    STOA_TRY(kind == STOA_JSON_OBJECT ? take_members(&json, take_top, to, err)
                                      : stoa_json_skip(&json, kind, err));
    STOA_TRY(stoa_json_end(&json, err));

done:
    stoa_json_clear(&json);
    if (status == STOA_ESYNTAX) { /* the file is at fault, not the caller */
        status = STOA_EDATA;
        stoa_advise(err, " in the attribute '" STOA_BINSPARSE "'");
        if (err != NULL) {
            err->status = status;
        }
    }
    return status;
}

/* --- what it says ---------------------------------------------------------------------------- */

/* Cut "NAME[...]" down to what is between its brackets, if the type has that modifier. */
static bool cut_modifier(char *type, const char *name)
{
    const size_t n = strlen(name);
    const size_t length = strlen(type);
    const bool has =
        strncmp(type, name, n) == 0 && length > n + 1 && type[n] == '[' && type[length - 1] == ']';

    if (has) {
        type[length - 1] = '\0';
        memmove(type, type + n + 1, length - n - 1);
    }
    return has;
}

static stoa_status use_type(const char *said, stoa_binsparse_descriptor *d, stoa_error *err)
{
    static const char *const types[] = {"uint8", "uint16", "uint32",  "uint64",  "int8",  "int16",
                                        "int32", "int64",  "float32", "float64", "bint8", NULL};
    word type;

    memcpy(type, said, sizeof type);
    d->is_iso = cut_modifier(type, "iso");
    d->is_complex = cut_modifier(type, "complex");
    d->is_bool = strcmp(type, "bint8") == 0;
    return stoa_is_listed(type, types) && (!d->is_complex || strncmp(type, "float", 5) == 0)
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "'%s' is no type of values", said);
}

static stoa_status use_structure(const char *said, stoa_binsparse_descriptor *d, stoa_error *err)
{
    bool is_known = said[0] == '\0';

    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        if (strcmp(said, structures[i].name) == 0) {
            d->mirror = structures[i].mirror;
            d->is_upper = structures[i].is_upper;
            is_known = true;
        }
    }
    if (!is_known) {
        return stoa_fail(err, STOA_EDATA, "'%s' is no structure of a matrix", said);
    }
    return d->mirror != STOA_ENTRIES_CONJUGATE || d->is_complex
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA, "a Hermitian matrix has complex values");
}

static stoa_status use(const text *said, stoa_binsparse_descriptor *d, stoa_error *err)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        d->format = strcmp(said->format, formats[i].name) == 0 ? &formats[i] : d->format;
    }
    if (!said->is_there) {
        return stoa_fail(err, STOA_EDATA, "the attribute has no object '" STOA_BINSPARSE "'");
    }
    if (strncmp(said->version, "0.", 2) != 0) {
        return stoa_fail(err, STOA_EVERSION, "the version is '%s'; known is 0.1", said->version);
    }
    if (d->format == NULL) {
        return stoa_fail(err, STOA_EDATA,
                         "the format '%s' is not known; known are CSR, CSC, COO, "
                         "COOR, COOC, DCSR, DCSC and CVEC",
                         said->format);
    }
    if (!said->has_shape || d->rank != d->format->rank || d->shape[0] > INT64_MAX ||
        d->shape[1] > INT64_MAX) {
        return stoa_fail(err, STOA_EDATA, "'shape' is not %s",
                         d->format->rank == 1 ? "one length" : "two lengths");
    }
    if (!said->has_count) {
        return stoa_fail(err, STOA_EDATA, "'number_of_stored_values' is missing");
    }
    STOA_RETURN_NOT_OK(use_type(said->type, d, err));
    return use_structure(said->structure, d, err);
}

stoa_status stoa_binsparse_name_rule(stoa_status status, stoa_error *err)
{
    if (status == STOA_EDATA || status == STOA_EVERSION) {
        stoa_advise(err, " (" STOA_BINSPARSE_RULE ")");
    }
    return status;
}

stoa_status stoa_binsparse_describe(hid_t group, stoa_binsparse_descriptor *d, stoa_error *err)
{
    text said = {.d = d};
    char *attribute = NULL;
    stoa_status status = STOA_OK;

    *d = (stoa_binsparse_descriptor){.format = NULL};
    STOA_TRY(stoa_attribute_read_text(group, STOA_BINSPARSE, &attribute, err));
    if (attribute == NULL) {
        STOA_FAIL(err, STOA_ELAYOUT, "the attribute '" STOA_BINSPARSE "' is missing");
    }
    STOA_TRY(parse(attribute, &said, err));
    STOA_TRY(use(&said, d, err));

done:
    free(attribute);
    return stoa_binsparse_name_rule(status, err);
}
