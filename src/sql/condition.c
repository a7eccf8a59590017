/*
 * Where DuckDB and Stoa differ:
 *
 * - NaN is greater than every number to DuckDB, and to Stoa it is not.
 * - DuckDB rounds a constant to float32 to compare it with such a column. Only constants that this
 *   does not change are translated.
 * - A time with a zone is translated if its text says the zone: the session's may be another.
 * - Integers beyond 2^53 and functions are not translated.
 */
#include "sql/condition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/type.h"
#include "sql/type_forms.h"

/* Smaller integers are exact as float64. */
#define EXACT 0x1p53

typedef struct translation {
    stoa_column_finder *find;
    void *context;
    stoa_buffer *out;
    stoa_error err; /* of the buffer */
} translation;

static bool print(translation *t, const char *text)
{
    return stoa_buffer_print(t->out, &t->err, "%s", text) == STOA_OK;
}

static bool print_quoted(translation *t, char quote, const char *text)
{
    return stoa_buffer_quote(t->out, quote, text, strlen(text), &t->err) == STOA_OK;
}

/* Operands --------------------------------------------------------------------------------------
 */

typedef enum domain {
    DOMAIN_NONE,
    DOMAIN_INTEGER,
    DOMAIN_FLOAT32,
    DOMAIN_FLOAT64,
    DOMAIN_TEXT,
    DOMAIN_DATE,
    DOMAIN_TIME, /* without a zone */
    DOMAIN_INSTANT
} domain;

typedef struct column {
    const struct ArrowSchema *schema; /* NULL: the operand is no column */
    stoa_type type;
    domain domain;
} column;

static domain domain_of(const struct ArrowSchema *schema, const stoa_type *type)
{
    stoa_type labels;

    if (type->kind == STOA_KIND_DICTIONARY) {
        return stoa_type_of(schema->dictionary, &labels, NULL) == STOA_OK &&
                       stoa_kind_is_string(labels.kind)
                   ? DOMAIN_TEXT
                   : DOMAIN_NONE;
    }
    return stoa_kind_is_integer(type->kind)    ? DOMAIN_INTEGER
           : type->kind == STOA_KIND_FLOAT64   ? DOMAIN_FLOAT64
           : stoa_kind_is_float(type->kind)    ? DOMAIN_FLOAT32
           : stoa_kind_is_string(type->kind)   ? DOMAIN_TEXT
           : type->kind == STOA_KIND_DATE      ? DOMAIN_DATE
           : type->kind == STOA_KIND_TIMESTAMP ? type->utc ? DOMAIN_INSTANT : DOMAIN_TIME
                                               : DOMAIN_NONE;
}

static column column_of(const translation *t, const stoa_tree *expression)
{
    column c = {.schema = NULL, .domain = DOMAIN_NONE};

    if (stoa_tree_is(expression, "class", "COLUMN_REF")) {
        c.schema = t->find(t->context, stoa_tree_find(expression, "column_names"));
    }
    if (c.schema != NULL) {
        const stoa_sql_form form = stoa_sql_form_of(c.schema, &c.type);
        const bool is_plain = !form.is_decimal && form.ticks == 0;
        c.domain = is_plain ? domain_of(c.schema, &c.type) : DOMAIN_NONE;
    }
    return c;
}

/* The type of a constant, "INTEGER", or of a cast of a text, "DATE"; "" if it is no constant. */
static const char *constant_of(const stoa_tree *expression, const stoa_tree **value)
{
    const bool is_cast =
        stoa_tree_is(expression, "class", "CAST") && stoa_tree_find(expression, "try_cast") == NULL;
    const stoa_tree *const constant = is_cast ? stoa_tree_find(expression, "child") : expression;
    const stoa_tree *const type = stoa_tree_find(stoa_tree_find(constant, "value"), "type");

    *value = stoa_tree_find(stoa_tree_find(constant, "value"), "value");
    if (!stoa_tree_is(constant, "class", "CONSTANT") || *value == NULL || (*value)->text == NULL ||
        stoa_tree_is(stoa_tree_find(constant, "value"), "is_null", "true")) {
        return "";
    }
    if (!is_cast) {
        return stoa_tree_text(type, "id");
    }
    return stoa_tree_is(type, "id", "VARCHAR")
               ? stoa_tree_text(stoa_tree_find(expression, "cast_type"), "id")
               : "";
}

/* Constants -------------------------------------------------------------------------------------
 */

/* Print a number, and get its value. */
static bool number_of(const stoa_tree *expression, char *text, double *value)
{
    static const char integers[] = "TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER";
    enum { MAX_DIGITS = 15 };
    const stoa_tree *found = NULL;
    const char *const type = constant_of(expression, &found);
    int64_t whole = 0;

    if (found == NULL || found->kind != STOA_JSON_NUMBER) {
        return false;
    }
    if (stoa_is_among(type, strlen(type), integers)) {
        if (!stoa_parse_i64(found->text, found->length, &whole)) {
            return false;
        }
        *value = (double)whole;
        (void)stoa_format_i64(whole, text);
        return fabs(*value) < EXACT;
    } else if (strcmp(type, "DOUBLE") == 0) {
        if (!stoa_parse_f64(found->text, found->length, value)) {
            return false;
        }
        (void)stoa_format_f64(*value, text);
    } else if (strcmp(type, "DECIMAL") == 0) {
        const stoa_tree *const info = stoa_tree_find(
            stoa_tree_find(stoa_tree_find(stoa_tree_find(expression, "value"), "type"),
                           "type_info"),
            "scale");
        int64_t scale = 0;
        if (found->length > MAX_DIGITS || !stoa_parse_i64(found->text, found->length, &whole) ||
            (info != NULL && !stoa_parse_i64(info->text, info->length, &scale)) || scale < 0 ||
            scale > MAX_DIGITS) {
            return false;
        }
        *value = stoa_decimal_f64((uint64_t)(whole < 0 ? -whole : whole), (int)-scale);
        *value = whole < 0 ? -*value : *value;
        (void)stoa_format_f64(*value, text);
    } else {
        return false;
    }
    return isfinite(*value);
}

/* Whether a text has one of these forms, in which d is a digit, and is a time of 1971 or later. */
static bool is_time_text(const char *text, size_t length, domain of)
{
    static const char *const forms[] = {"dddd-dd-dd", "dddd-dd-dd dd:dd:dd", "dddd-dd-dd dd:dd:ddZ",
                                        "dddd-dd-dd dd:dd:dd+dd", "dddd-dd-dd dd:dd:dd+dd:dd"};
    const size_t first = of == DOMAIN_INSTANT ? 2 : 0;
    const size_t end = of == DOMAIN_DATE ? 1 : of == DOMAIN_TIME ? 2 : 5;
    stoa_time time;

    for (size_t k = first; k < end; k++) {
        bool is = length == strlen(forms[k]);
        for (size_t i = 0; is && i < length; i++) {
            const char wanted = forms[k][i];
            is = wanted == 'd'   ? text[i] >= '0' && text[i] <= '9'
                 : wanted == ' ' ? text[i] == ' ' || text[i] == 'T'
                 : wanted == '+' ? text[i] == '+' || text[i] == '-'
                                 : text[i] == wanted;
        }
        if (is) {
            return strncmp(text, "1971", 4) >= 0 && stoa_parse_time(text, length, &time);
        }
    }
    return false;
}

/* Print a constant that is compared with a column; false if that is not the same comparison. */
static bool print_constant(translation *t, const column *c, const char *op,
                           const stoa_tree *expression)
{
    char text[STOA_NUMBER_SIZE];
    double number = 0;
    const stoa_tree *value = NULL;
    const char *const type = constant_of(expression, &value);
    const bool is_text =
        value != NULL && value->kind == STOA_JSON_STRING && strlen(value->text) == value->length;
    const bool is_cast = strcmp(type, "VARCHAR") != 0;

    switch (c->domain) {
    case DOMAIN_INTEGER:
        return number_of(expression, text, &number) && fabs(number) < EXACT && print(t, text);
    case DOMAIN_FLOAT64:
        return number_of(expression, text, &number) && print(t, text);
    case DOMAIN_FLOAT32:
        return number_of(expression, text, &number) && (double)(float)number == number &&
               print(t, text);
    case DOMAIN_TEXT:
        return is_text && !is_cast && print_quoted(t, '\'', value->text);
    case DOMAIN_DATE:
        return is_text && (!is_cast || strcmp(type, "DATE") == 0) &&
               is_time_text(value->text, value->length, c->domain) &&
               print_quoted(t, '\'', value->text);
    case DOMAIN_TIME:
    case DOMAIN_INSTANT: {
        const bool is_instant = c->domain == DOMAIN_INSTANT;
        /* DuckDB may cut nanoseconds off before it compares them with a TIMESTAMP. */
        const bool is_cut = (is_cast || is_instant) && c->type.unit == STOA_TIME_NANO;
        const bool is_cast_to_time =
            is_instant ? strcmp(type, "TIMESTAMP WITH TIME ZONE") == 0
                       : strcmp(type, "DATE") == 0 || strcmp(type, "TIMESTAMP") == 0;
        return is_text && (!is_cast || is_cast_to_time) &&
               (!is_cut || strcmp(op, "<") == 0 || strcmp(op, ">=") == 0) &&
               is_time_text(value->text, value->length, c->domain) &&
               print_quoted(t, '\'', value->text);
    }
    case DOMAIN_NONE:
        break;
    }
    return false;
}

/* Comparisons -----------------------------------------------------------------------------------
 */

static bool print_comparison(translation *t, const column *c, const char *op,
                             const stoa_tree *constant)
{
    const bool is_float = c->domain == DOMAIN_FLOAT32 || c->domain == DOMAIN_FLOAT64;
    const bool has_nan = is_float && op[0] == '>'; /* not (x <= 5) is true of NaN, too */
    const char *const printed = !has_nan ? op : op[1] == '=' ? "<" : "<=";

    return print(t, has_nan ? "not (" : "") && print_quoted(t, '"', c->schema->name) &&
           print(t, " ") && print(t, printed) && print(t, " ") &&
           print_constant(t, c, op, constant) && print(t, has_nan ? ")" : "");
}

static bool compare(translation *t, const stoa_tree *expression, const char *op,
                    const char *reversed)
{
    const stoa_tree *const left = stoa_tree_find(expression, "left");
    const stoa_tree *const right = stoa_tree_find(expression, "right");
    const column a = column_of(t, left);
    const column b = column_of(t, right);

    if (a.schema != NULL && b.schema != NULL) {
        const bool is_same = a.domain == b.domain && a.domain != DOMAIN_NONE &&
                             a.domain != DOMAIN_FLOAT32 && a.domain != DOMAIN_FLOAT64 &&
                             a.type.kind == b.type.kind && a.type.unit == b.type.unit &&
                             a.type.kind != STOA_KIND_DICTIONARY;
        return is_same && print_quoted(t, '"', a.schema->name) && print(t, " ") && print(t, op) &&
               print(t, " ") && print_quoted(t, '"', b.schema->name);
    }
    return a.schema != NULL   ? print_comparison(t, &a, op, right)
           : b.schema != NULL ? print_comparison(t, &b, reversed, left)
                              : false;
}

static bool between(translation *t, const stoa_tree *expression)
{
    const column c = column_of(t, stoa_tree_find(expression, "input"));

    return c.schema != NULL && print(t, "(") &&
           print_comparison(t, &c, ">=", stoa_tree_find(expression, "lower")) &&
           print(t, " and ") &&
           print_comparison(t, &c, "<=", stoa_tree_find(expression, "upper")) && print(t, ")");
}

static bool in_list(translation *t, const stoa_tree *expression, bool is_not)
{
    const stoa_tree *const children = stoa_tree_find(expression, "children");
    const stoa_tree *const first = children != NULL ? children->first : NULL;
    const column c = column_of(t, first);
    bool is_done = c.schema != NULL && first->next != NULL &&
                   print_quoted(t, '"', c.schema->name) && print(t, is_not ? " not in (" : " in (");

    for (const stoa_tree *at = is_done ? first->next : NULL; is_done && at != NULL; at = at->next) {
        is_done = print_constant(t, &c, "=", at) && print(t, at->next != NULL ? ", " : ")");
    }
    return is_done;
}

/* Only `like`: `not like` passes most rows, which DuckDB tests again, and asks no index. */
static bool like(translation *t, const stoa_tree *expression)
{
    const stoa_tree *const children = stoa_tree_find(expression, "children");
    const stoa_tree *const first = children != NULL ? children->first : NULL;
    const column c = column_of(t, first);
    const stoa_tree *pattern = NULL;

    if (c.domain != DOMAIN_TEXT || first->next == NULL || first->next->next != NULL ||
        strcmp(constant_of(first->next, &pattern), "VARCHAR") != 0 ||
        pattern->kind != STOA_JSON_STRING || strlen(pattern->text) != pattern->length ||
        strpbrk(pattern->text, "_\\") != NULL) {
        return false;
    }
    return print_quoted(t, '"', c.schema->name) && print(t, " like ") &&
           print_quoted(t, '\'', pattern->text);
}

/* Logic -----------------------------------------------------------------------------------------
 */

static bool translate(translation *t, const stoa_tree *expression, int depth, stoa_truth *of_nulls);

static bool junction(translation *t, const stoa_tree *expression, bool is_and, int depth,
                     stoa_truth *of_nulls)
{
    const stoa_tree *const children = stoa_tree_find(expression, "children");
    bool is_done = children != NULL && children->first != NULL && print(t, "(");

    *of_nulls = is_and ? STOA_TRUE : STOA_FALSE;
    for (const stoa_tree *at = is_done ? children->first : NULL; is_done && at != NULL;
         at = at->next) {
        stoa_truth one = STOA_UNKNOWN;
        is_done = translate(t, at, depth, &one) && print(t, at->next == NULL ? ")"
                                                            : is_and         ? " and "
                                                                             : " or ");
        *of_nulls = (is_and ? one < *of_nulls : one > *of_nulls) ? one : *of_nulls;
    }
    return is_done;
}

static bool negation(translation *t, const stoa_tree *expression, int depth, stoa_truth *of_nulls)
{
    const stoa_tree *const children = stoa_tree_find(expression, "children");
    stoa_truth one = STOA_UNKNOWN;
    const bool is_done = children != NULL && children->first != NULL && print(t, "not (") &&
                         translate(t, children->first, depth, &one) && print(t, ")");

    *of_nulls = (stoa_truth)(STOA_TRUE - one);
    return is_done;
}

static bool is_null(translation *t, const stoa_tree *expression, bool is_not, stoa_truth *of_nulls)
{
    const stoa_tree *const children = stoa_tree_find(expression, "children");
    const column c = column_of(t, children != NULL ? children->first : NULL);

    *of_nulls = is_not ? STOA_FALSE : STOA_TRUE;
    return c.schema != NULL && print_quoted(t, '"', c.schema->name) &&
           print(t, is_not ? " is not null" : " is null");
}

static bool translate(translation *t, const stoa_tree *expression, int depth, stoa_truth *of_nulls)
{
    enum { MAX_DEPTH = 64 };
    static const char *const comparisons[][3] = {
        {"COMPARE_EQUAL", "=", "="},
        {"COMPARE_NOTEQUAL", "!=", "!="},
        {"COMPARE_LESSTHAN", "<", ">"},
        {"COMPARE_GREATERTHAN", ">", "<"},
        {"COMPARE_LESSTHANOREQUALTO", "<=", ">="},
        {"COMPARE_GREATERTHANOREQUALTO", ">=", "<="},
    };
    const char *const type = stoa_tree_text(expression, "type");

    *of_nulls = STOA_UNKNOWN;
    if (depth == MAX_DEPTH) {
        return false;
    }
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (strcmp(type, comparisons[i][0]) == 0) {
            return compare(t, expression, comparisons[i][1], comparisons[i][2]);
        }
    }
    if (strcmp(type, "CONJUNCTION_AND") == 0 || strcmp(type, "CONJUNCTION_OR") == 0) {
        return junction(t, expression, type[12] == 'A', depth + 1, of_nulls);
    }
    if (strcmp(type, "OPERATOR_NOT") == 0) {
        return negation(t, expression, depth + 1, of_nulls);
    }
    if (strcmp(type, "OPERATOR_IS_NULL") == 0 || strcmp(type, "OPERATOR_IS_NOT_NULL") == 0) {
        return is_null(t, expression, type[12] == 'N' && type[13] == 'O', of_nulls);
    }
    if (strcmp(type, "COMPARE_BETWEEN") == 0) {
        return between(t, expression);
    }
    if (strcmp(type, "COMPARE_IN") == 0 || strcmp(type, "COMPARE_NOT_IN") == 0) {
        return in_list(t, expression, type[8] == 'N');
    }
    if (strcmp(type, "FUNCTION") == 0 && stoa_tree_find(expression, "schema") == NULL) {
        return stoa_tree_is(expression, "function_name", "~~") && like(t, expression);
    }
    return false;
}

bool stoa_condition_translate(const stoa_tree *expression, stoa_column_finder *find, void *context,
                              stoa_buffer *out, stoa_truth *of_nulls)
{
    translation t = {find, context, out, STOA_ERROR_INIT};

    return translate(&t, expression, 0, of_nulls);
}
