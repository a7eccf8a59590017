/* The grammar of 'datatype' (LH5 notes §2.1). The parser does not recurse. */
#include "layout/lh5/common/datatype.h"

#include <stdlib.h>
#include <string.h>

#include "core/string_set.h"
#include "core/text.h"

static const char *const elements[] = {"real",   "bool", "complex",    "string",
                                       "symbol", "blob", "detectorid", "enum"};

/* --- parsing ---------------------------------------------------------------------------------- */

typedef struct cursor {
    const char *text;
    char *at; /* position in the type's copy of the text */
    stoa_lh5_datatype *type;
    stoa_error *err;
} cursor;

/* Fail with what was expected. Long texts are cut, starting shortly before the position. */
static stoa_status unlike(const cursor *c, const char *wanted)
{
    enum { BEFORE = 24, SHOWN = 60 };
    const size_t at = (size_t)(c->at - c->type->text);
    const char *const from = c->text + (at > BEFORE ? at - BEFORE : 0);

    return stoa_fail(c->err, STOA_EDATA,
                     "its attribute 'datatype' is no type of LH5 (data model): %s expected at "
                     "character %zu, of '%s%.*s%s'",
                     wanted, at + 1, from > c->text ? "..." : "", SHOWN, from,
                     strlen(from) > SHOWN ? "..." : "");
}

static bool accept(cursor *c, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(c->at, word, length) != 0) {
        return false;
    }
    c->at += length;
    return true;
}

static stoa_status want(cursor *c, const char *word)
{
    char wanted[16] = "'";

    if (accept(c, word)) {
        return STOA_OK;
    }
    (void)strncat(strncat(wanted, word, sizeof wanted - 3), "'", 2);
    return unlike(c, wanted);
}

static stoa_status want_rank(cursor *c, unsigned *rank)
{
    const size_t length = strspn(c->at, "0123456789");
    uint64_t number = 0;

    if (!stoa_parse_u64(c->at, length, &number) || number == 0 || number > STOA_LH5_HIGHEST_RANK) {
        return unlike(c, "a number from 1 to 32");
    }
    c->at += length;
    *rank = (unsigned)number;
    return STOA_OK;
}

static void add_name(cursor *c, char *name, int64_t value)
{
    stoa_lh5_datatype *const type = c->type;

    type->names[type->n_names] = name;
    type->values[type->n_names++] = value;
}

static stoa_status check_names(const cursor *c)
{
    stoa_status status = STOA_OK;
    const stoa_lh5_datatype *const type = c->type;
    stoa_string_set names = {0};

    for (size_t i = 0; i < type->n_names; i++) {
        uint32_t number = 0;
        STOA_TRY(
            stoa_string_set_add(&names, type->names[i], strlen(type->names[i]), &number, c->err));
        if (number < i) {
            STOA_FAIL(c->err, STOA_EDATA,
                      "its attribute 'datatype' has the name '%s' twice (LH5, data model)",
                      type->names[i]);
        }
    }

done:
    stoa_string_set_clear(&names);
    return status;
}

/* Allocate one name more than there are commas. */
static stoa_status make_room(cursor *c)
{
    size_t n = 1;

    for (const char *comma = c->at; (comma = strchr(comma, ',')) != NULL; comma++) {
        n++;
    }
    c->type->names = stoa_alloc(n, sizeof *c->type->names);
    c->type->values = stoa_alloc(n, sizeof *c->type->values);
    return c->type->names != NULL && c->type->values != NULL ? STOA_OK : stoa_fail_memory(c->err);
}

/* Parse NAME=1,OTHER=2} */
static stoa_status read_labels(cursor *c)
{
    STOA_RETURN_NOT_OK(make_room(c));
    do {
        char *const name = c->at;
        const size_t length = strcspn(name, "=,{}");
        c->at += length;
        STOA_RETURN_NOT_OK(length > 0 ? STOA_OK : unlike(c, "a name"));
        STOA_RETURN_NOT_OK(want(c, "="));
        const size_t n_digits = strcspn(c->at, ",}");
        int64_t value = 0;
        STOA_RETURN_NOT_OK(stoa_parse_i64(c->at, n_digits, &value) ? STOA_OK
                                                                   : unlike(c, "an integer"));
        name[length] = '\0';
        c->at += n_digits;
        add_name(c, name, value);
    } while (accept(c, ","));
    STOA_RETURN_NOT_OK(check_names(c));
    return want(c, "}");
}

/* Parse a,b,c} up to the end of the text. Names may contain braces. */
static stoa_status read_fields(cursor *c)
{
    char *const end = c->at + strlen(c->at) - 1; /* never before the text: a '{' precedes c->at */

    if (*end != '}') {
        c->at = end + 1;
        return unlike(c, "'}'");
    }
    if (end == c->at) {
        c->at++;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(make_room(c));
    while (c->at < end) {
        char *const name = c->at;
        size_t length = strcspn(name, ",/");
        length = length < (size_t)(end - name) ? length : (size_t)(end - name);
        c->at += length;
        STOA_RETURN_NOT_OK(length > 0 && *c->at != '/' && !(*c->at == ',' && c->at + 1 == end)
                               ? STOA_OK
                               : unlike(c, "a name without '/'"));
        c->at++; /* a comma, or the closing brace */
        name[length] = '\0';
        add_name(c, name, 0);
    }
    return check_names(c);
}

static stoa_status read_element(cursor *c)
{
    stoa_lh5_datatype *const type = c->type;

    if (accept(c, "enum{")) {
        type->element = STOA_LH5_ENUM;
        return read_labels(c);
    }
    for (unsigned i = 0; i < STOA_LH5_ENUM; i++) {
        if (accept(c, elements[i])) {
            type->element = (stoa_lh5_element)i;
            return STOA_OK;
        }
    }
    return unlike(c, "a type of elements (real, bool, complex, string, symbol, blob, detectorid, "
                     "enum{...})");
}

/* Parse the element and the closing braces of the `n_open` types around it. */
static stoa_status read_inner(cursor *c, unsigned n_open)
{
    stoa_status status = read_element(c);

    for (unsigned i = 0; status == STOA_OK && i < n_open; i++) {
        status = want(c, "}");
    }
    return status;
}

/* Parse the rest after "array<". */
static stoa_status read_array(cursor *c)
{
    stoa_lh5_datatype *const type = c->type;
    unsigned n_open = 1;

    STOA_RETURN_NOT_OK(want_rank(c, &type->rank));
    if (accept(c, ",")) {
        type->kind = STOA_LH5_EQUAL_ARRAYS;
        STOA_RETURN_NOT_OK(want_rank(c, &type->inner));
    }
    STOA_RETURN_NOT_OK(want(c, ">{"));
    while (type->kind == STOA_LH5_ARRAY && type->rank == 1 && accept(c, "array<1>{")) {
        n_open++;
        if (n_open > STOA_LH5_MAX_DEPTH) {
            return stoa_fail(c->err, STOA_EDATA,
                             "its attribute 'datatype' has more than %d vectors in each other",
                             STOA_LH5_MAX_DEPTH);
        }
    }
    if (n_open > 1) {
        type->kind = STOA_LH5_VECTORS;
        type->depth = n_open;
    } else if (type->kind == STOA_LH5_ARRAY && type->rank == 1 && accept(c, "encoded_array<1>{")) {
        type->kind = STOA_LH5_ENCODED_VECTORS;
        n_open++;
    } else if (type->kind == STOA_LH5_ARRAY &&
               (accept(c, "fixedsize_array<1>{") || accept(c, "ntuple{"))) {
        type->kind = STOA_LH5_EQUAL_ARRAYS;
        type->inner = 1;
        n_open++;
    }
    return read_inner(c, n_open);
}

typedef struct keyword {
    const char *word;
    stoa_lh5_kind kind;
    unsigned n_ranks;
} keyword;

static const keyword keywords[] = {
    {"fixedsize_array<", STOA_LH5_FIXED_ARRAY, 1},
    {"array_of_equalsized_arrays<", STOA_LH5_EQUAL_ARRAYS, 2},
    {"array_of_encoded_equalsized_arrays<", STOA_LH5_ENCODED_ARRAYS, 2},
    {"array_of_encoded_arrays<", STOA_LH5_ENCODED_VECTORS, 2},
    {"encoded_array<", STOA_LH5_ENCODED_ARRAY, 1},
    {"histogram<", STOA_LH5_HISTOGRAM, 1},
    {"ntuple{", STOA_LH5_FIXED_ARRAY, 0},
};

/* Parse the rest after a keyword: its ranks and the element. */
static stoa_status read_ranked(cursor *c, const keyword *word)
{
    stoa_lh5_datatype *const type = c->type;

    type->kind = word->kind;
    type->rank = 1;
    if (word->n_ranks > 0) {
        STOA_RETURN_NOT_OK(want_rank(c, &type->rank));
        if (word->n_ranks > 1) {
            STOA_RETURN_NOT_OK(want(c, ","));
            STOA_RETURN_NOT_OK(want_rank(c, &type->inner));
        }
        STOA_RETURN_NOT_OK(want(c, ">{"));
    }
    return read_inner(c, 1);
}

static stoa_status read_type(cursor *c)
{
    stoa_lh5_datatype *const type = c->type;

    if (accept(c, "struct{")) {
        type->kind = STOA_LH5_STRUCT;
        return read_fields(c);
    }
    if (accept(c, "table{")) {
        type->kind = STOA_LH5_TABLE;
        return read_fields(c);
    }
    if (accept(c, "array<")) {
        type->kind = STOA_LH5_ARRAY;
        return read_array(c);
    }
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (accept(c, keywords[i].word)) {
            return read_ranked(c, &keywords[i]);
        }
    }
    type->kind = STOA_LH5_SCALAR;
    return read_element(c);
}

stoa_status stoa_lh5_datatype_parse(const char *text, stoa_lh5_datatype *type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const meant = strcmp(text, "measurement") == 0 ? "struct{val,err}" : text;
    cursor c = {.text = meant, .type = type, .err = err};

    *type = (stoa_lh5_datatype){.text = stoa_strdup(meant)};
    STOA_TRY(type->text != NULL ? STOA_OK : stoa_fail_memory(err));
    c.at = type->text;
    STOA_TRY(read_type(&c));
    STOA_TRY((size_t)(c.at - type->text) == strlen(meant) ? STOA_OK : unlike(&c, "the end"));
    return STOA_OK;

done:
    stoa_lh5_datatype_clear(type);
    return status;
}

void stoa_lh5_datatype_clear(stoa_lh5_datatype *type)
{
    free(type->names);
    free(type->values);
    free(type->text);
    *type = (stoa_lh5_datatype){0};
}

bool stoa_lh5_datatype_has(const stoa_lh5_datatype *type, const char *name)
{
    for (size_t i = 0; i < type->n_names; i++) {
        if (strcmp(type->names[i], name) == 0) {
            return type->kind == STOA_LH5_STRUCT || type->kind == STOA_LH5_TABLE;
        }
    }
    return false;
}

stoa_status stoa_lh5_datatype_add(stoa_lh5_datatype *type, const char *name, stoa_error *err)
{
    char **const names = stoa_realloc(type->names, type->n_names + 1, sizeof *names);

    STOA_RETURN_NO_MEMORY(err, names);
    type->names = names;
    names[type->n_names++] = (char *)(uintptr_t)name;
    return STOA_OK;
}

/* --- printing --------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static stoa_status print_fields(const stoa_lh5_datatype *type, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char **const sorted = stoa_alloc(type->n_names, sizeof *sorted);

    STOA_TRY(sorted != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < type->n_names; i++) {
        sorted[i] = type->names[i];
    }
    qsort(sorted, type->n_names, sizeof *sorted, by_bytes);
    STOA_TRY(stoa_buffer_print(out, err, type->kind == STOA_LH5_TABLE ? "table{" : "struct{"));
    for (size_t i = 0; i < type->n_names; i++) {
        STOA_TRY(stoa_buffer_print(out, err, "%s%s", i > 0 ? "," : "", sorted[i]));
    }
    status = stoa_buffer_print(out, err, "}");

done:
    free(sorted);
    return status;
}

static stoa_status print_element(const stoa_lh5_datatype *type, stoa_buffer *out, stoa_error *err)
{
    stoa_status status = stoa_buffer_print(out, err, "%s", elements[type->element]);

    if (type->element != STOA_LH5_ENUM) {
        return status;
    }
    for (size_t i = 0; status == STOA_OK && i < type->n_names; i++) {
        status = stoa_buffer_print(out, err, "%s%s=%lld", i > 0 ? "," : "{", type->names[i],
                                   (long long)type->values[i]);
    }
    return status == STOA_OK ? stoa_buffer_print(out, err, "}") : status;
}

/* Print what precedes the element. *n_open is the number of braces that it opens. */
static stoa_status print_outer(const stoa_lh5_datatype *type, stoa_buffer *out, unsigned *n_open,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;

    *n_open = 1;
    switch (type->kind) {
    case STOA_LH5_ARRAY:
        return stoa_buffer_print(out, err, "array<%u>{", type->rank);
    case STOA_LH5_FIXED_ARRAY:
        return stoa_buffer_print(out, err, "fixedsize_array<%u>{", type->rank);
    case STOA_LH5_EQUAL_ARRAYS:
        return stoa_buffer_print(out, err, "array_of_equalsized_arrays<%u,%u>{", type->rank,
                                 type->inner);
    case STOA_LH5_VECTORS:
        *n_open = type->depth;
        for (unsigned i = 0; status == STOA_OK && i < type->depth; i++) {
            status = stoa_buffer_print(out, err, "array<1>{");
        }
        return status;
    case STOA_LH5_ENCODED_VECTORS:
        *n_open = 2;
        return stoa_buffer_print(out, err, "array<1>{encoded_array<1>{");
    case STOA_LH5_ENCODED_ARRAY:
        return stoa_buffer_print(out, err, "encoded_array<1>{");
    case STOA_LH5_ENCODED_ARRAYS:
        return stoa_buffer_print(out, err, "array_of_encoded_equalsized_arrays<%u,%u>{", type->rank,
                                 type->inner);
    case STOA_LH5_HISTOGRAM:
        return stoa_buffer_print(out, err, "histogram<%u>{", type->rank);
    default:
        *n_open = 0;
        return STOA_OK;
    }
}

stoa_status stoa_lh5_datatype_compose(const stoa_lh5_datatype *type, char **text, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer out = {0};
    unsigned n_open = 0;

    *text = NULL;
    if (type->kind == STOA_LH5_STRUCT || type->kind == STOA_LH5_TABLE) {
        STOA_TRY(print_fields(type, &out, err));
    } else {
        STOA_TRY(print_outer(type, &out, &n_open, err));
        STOA_TRY(print_element(type, &out, err));
        for (; n_open > 0; n_open--) {
            STOA_TRY(stoa_buffer_print(&out, err, "}"));
        }
    }
    *text = stoa_buffer_detach(&out);

done:
    stoa_buffer_clear(&out);
    return status;
}

stoa_status stoa_lh5_datatype_spell(const stoa_lh5_datatype *type, const char *before, char **text,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype old = {0};
    char *same = NULL;

    STOA_TRY(stoa_lh5_datatype_compose(type, text, err));
    if (before == NULL) {
        goto done;
    }
    status = stoa_lh5_datatype_parse(before, &old, NULL);
    STOA_TRY(status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK);
    STOA_TRY(stoa_lh5_datatype_compose(&old, &same, err));
    if (old.text != NULL && strcmp(same, *text) == 0) {
        free(same);
        same = *text;
        *text = stoa_strdup(before);
        STOA_TRY(*text != NULL ? STOA_OK : stoa_fail_memory(err));
    }

done:
    free(same);
    stoa_lh5_datatype_clear(&old);
    return status;
}
