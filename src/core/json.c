/* JSON (RFC 8259), value by value. */
#include "core/json.h"

#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* Errors ------------------------------------------------------------------------------------ */

uint64_t stoa_json_byte(const stoa_json *json)
{
    return (uint64_t)(json->token - json->start) + 1;
}

static unsigned long long byte_of(const stoa_json *json)
{
    return (unsigned long long)(json->at - json->start) + 1;
}

static stoa_status fail(const stoa_json *json, const char *what, stoa_error *err)
{
    return stoa_fail(err, STOA_ESYNTAX, "line %llu, byte %llu: %s", (unsigned long long)json->line,
                     byte_of(json), what);
}

/* Something else than what must stand here. */
static stoa_status fail_expecting(const stoa_json *json, const char *what, stoa_error *err)
{
    const char c = json->at < json->end ? *json->at : '\0';
    char found[32];

    if (json->at == json->end) {
        return stoa_fail(err, STOA_ESYNTAX, "line %llu, byte %llu: the line ends where %s must be",
                         (unsigned long long)json->line, byte_of(json), what);
    }
    if (c > ' ' && c < 0x7f) {
        (void)snprintf(found, sizeof found, "'%c'", c);
    } else {
        (void)snprintf(found, sizeof found, "the byte 0x%02x", (unsigned)(uint8_t)c);
    }
    return stoa_fail(err, STOA_ESYNTAX, "line %llu, byte %llu: %s must be here, not %s",
                     (unsigned long long)json->line, byte_of(json), what, found);
}

/* Scalars ----------------------------------------------------------------------------------- */

static void skip_space(stoa_json *json)
{
    while (json->at < json->end &&
           (*json->at == ' ' || *json->at == '\t' || *json->at == '\r' || *json->at == '\n')) {
        json->at++;
    }
}

static bool is_at(const stoa_json *json, char c)
{
    return json->at < json->end && *json->at == c;
}

static bool take_word(stoa_json *json, const char *word)
{
    const size_t n = strlen(word);

    if ((size_t)(json->end - json->at) < n || memcmp(json->at, word, n) != 0) {
        return false;
    }
    json->at += n;
    return true;
}

static bool take_digits(stoa_json *json)
{
    const char *const first = json->at;

    while (json->at < json->end && *json->at >= '0' && *json->at <= '9') {
        json->at++;
    }
    return json->at != first;
}

static stoa_status take_number(stoa_json *json, stoa_error *err)
{
    if (is_at(json, '-')) {
        json->at++;
    }
    if (take_word(json, "Infinity")) {
        return STOA_OK;
    }
    const bool is_zero = is_at(json, '0');
    const char *const first = json->at;

    if (!take_digits(json)) {
        return fail_expecting(json, "a digit", err);
    }
    if (is_zero && json->at - first > 1) {
        json->at = first;
        return fail(json, "a number of JSON begins with no 0; write it as a string", err);
    }
    if (is_at(json, '.')) {
        json->at++;
        if (!take_digits(json)) {
            return fail_expecting(json, "a digit", err);
        }
    }
    if (is_at(json, 'e') || is_at(json, 'E')) {
        json->at++;
        if (is_at(json, '-') || is_at(json, '+')) {
            json->at++;
        }
        if (!take_digits(json)) {
            return fail_expecting(json, "a digit", err);
        }
    }
    return STOA_OK;
}

/* Four hexadecimal digits behind \u. */
static bool take_unit(stoa_json *json, uint32_t *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++, json->at++) {
        const char c = json->at < json->end ? stoa_lower(*json->at) : '\0';
        uint32_t digit;

        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = (uint32_t)(c - 'a') + 10;
        } else {
            return false;
        }
        *unit = *unit << 4 | digit;
    }
    return true;
}

/* A character of UTF-16, of which two units may be one. */
static stoa_status take_point(stoa_json *json, uint32_t *point, stoa_error *err)
{
    static const char half[] = "half of a UTF-16 pair is no character";
    uint32_t second;

    if (!take_unit(json, point)) {
        return fail_expecting(json, "a hexadecimal digit", err);
    }
    if (*point < 0xd800 || *point > 0xdfff) {
        return STOA_OK;
    }
    if (*point > 0xdbff || !take_word(json, "\\u")) {
        return fail(json, half, err);
    }
    if (!take_unit(json, &second)) {
        return fail_expecting(json, "a hexadecimal digit", err);
    }
    if (second < 0xdc00 || second > 0xdfff) {
        return fail(json, half, err);
    }
    *point = 0x10000 + ((*point - 0xd800) << 10) + (second - 0xdc00);
    return STOA_OK;
}

static stoa_status take_escape(stoa_json *json, stoa_error *err)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *found;
    char bytes[4];
    size_t n = 1;

    json->at++; /* the backslash */
    if (is_at(json, 'u')) {
        uint32_t point;

        json->at++;
        STOA_RETURN_NOT_OK(take_point(json, &point, err));
        n = stoa_utf8_put(point, bytes);
    } else {
        found = json->at < json->end && *json->at != '\0' ? strchr(letters, *json->at) : NULL;
        if (found == NULL) {
            return fail_expecting(json, "the letter of an escape", err);
        }
        bytes[0] = meant[found - letters];
        json->at++;
    }
    return stoa_buffer_append(&json->unescaped, bytes, n, err);
}

/* Bytes up to a quote, a backslash or a control character. */
static stoa_status take_plain(stoa_json *json, stoa_error *err)
{
    const char *const first = json->at;
    bool is_ascii = true;

    while (json->at < json->end && (uint8_t)*json->at >= 0x20 && *json->at != '"' &&
           *json->at != '\\') {
        is_ascii &= (uint8_t)*json->at < 0x80;
        json->at++;
    }
    if (!is_ascii) {
        const size_t length = (size_t)(json->at - first);
        const size_t n = stoa_utf8_valid(first, length);

        if (n != length) {
            json->at = first + n;
            return fail(json, "the text is not UTF-8", err);
        }
    }
    return STOA_OK;
}

static stoa_status take_string(stoa_json *json, stoa_error *err)
{
    const char *first;
    bool is_escaped = false;

    json->at++; /* the quote */
    json->unescaped.size = 0;
    for (;;) {
        first = json->at;
        STOA_RETURN_NOT_OK(take_plain(json, err));
        const size_t n = (size_t)(json->at - first);

        if (json->at == json->end) {
            return fail(json, "the line ends within a string", err);
        }
        if (is_escaped || *json->at == '\\') {
            is_escaped = true;
            STOA_RETURN_NOT_OK(stoa_buffer_append(&json->unescaped, first, n, err));
        }
        if (*json->at == '"') {
            json->text = is_escaped ? (const char *)json->unescaped.data : first;
            json->length = is_escaped ? json->unescaped.size : n;
            json->at++;
            return STOA_OK;
        }
        if (*json->at != '\\') {
            return fail(json,
                        *json->at == '\0' ? "a NUL byte; is this a text file?"
                                          : "a control character must be escaped within a string",
                        err);
        }
        STOA_RETURN_NOT_OK(take_escape(json, err));
    }
}

/* The public calls -------------------------------------------------------------------------- */

void stoa_json_begin(stoa_json *json, const char *text, size_t length, uint64_t line)
{
    json->start = json->at = json->token = text;
    json->end = text + length;
    json->line = line;
}

static stoa_status take_scalar(stoa_json *json, stoa_json_kind *kind, stoa_error *err)
{
    const char *const first = json->at;

    if (take_word(json, "null")) {
        *kind = STOA_JSON_NULL;
    } else if (take_word(json, "true") || take_word(json, "false")) {
        *kind = STOA_JSON_BOOL;
    } else if (take_word(json, "NaN") || take_word(json, "Infinity")) {
        *kind = STOA_JSON_NUMBER;
    } else if (json->at < json->end &&
               (*json->at == '-' || (*json->at >= '0' && *json->at <= '9'))) {
        *kind = STOA_JSON_NUMBER;
        STOA_RETURN_NOT_OK(take_number(json, err));
    } else {
        return fail_expecting(json, "a value", err);
    }
    json->text = first;
    json->length = (size_t)(json->at - first);
    return STOA_OK;
}

stoa_status stoa_json_value(stoa_json *json, stoa_json_kind *kind, stoa_error *err)
{
    skip_space(json);
    json->token = json->at;
    if (is_at(json, '"')) {
        *kind = STOA_JSON_STRING;
        return take_string(json, err);
    }
    if (is_at(json, '[') || is_at(json, '{')) {
        *kind = *json->at == '[' ? STOA_JSON_ARRAY : STOA_JSON_OBJECT;
        json->at++;
        return STOA_OK;
    }
    return take_scalar(json, kind, err);
}

bool stoa_json_take(stoa_json *json, char c)
{
    skip_space(json);
    const bool is_next = is_at(json, c);

    json->at += is_next;
    return is_next;
}

stoa_status stoa_json_has_item(stoa_json *json, bool is_first, char close, bool *has_item,
                               stoa_error *err)
{
    *has_item = !stoa_json_take(json, close);
    return !*has_item || is_first || stoa_json_take(json, ',')
               ? STOA_OK
               : fail_expecting(json, close == ']' ? "a comma or ']'" : "a comma or '}'", err);
}

stoa_status stoa_json_key(stoa_json *json, stoa_error *err)
{
    skip_space(json);
    json->token = json->at;
    if (!is_at(json, '"')) {
        return fail_expecting(json, "a key in quotes", err);
    }
    STOA_RETURN_NOT_OK(take_string(json, err));
    skip_space(json);
    if (!is_at(json, ':')) {
        return fail_expecting(json, "a colon", err);
    }
    json->at++;
    return STOA_OK;
}

static stoa_status skip(stoa_json *json, stoa_json_kind kind, int depth, stoa_error *err)
{
    const bool is_object = kind == STOA_JSON_OBJECT;
    bool has_item = is_object || kind == STOA_JSON_ARRAY;

    if (depth > STOA_JSON_MAX_DEPTH) {
        return fail_expecting(json, "fewer than 64 levels", err);
    }
    for (bool is_first = true; has_item; is_first = false) {
        STOA_RETURN_NOT_OK(
            stoa_json_has_item(json, is_first, is_object ? '}' : ']', &has_item, err));
        if (has_item) {
            STOA_RETURN_NOT_OK(is_object ? stoa_json_key(json, err) : STOA_OK);
            STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
            STOA_RETURN_NOT_OK(skip(json, kind, depth + 1, err));
        }
    }
    return STOA_OK;
}

stoa_status stoa_json_skip(stoa_json *json, stoa_json_kind kind, stoa_error *err)
{
    return skip(json, kind, 0, err);
}

stoa_status stoa_json_sizes(stoa_json *json, uint64_t *sizes, size_t room, size_t *n,
                            stoa_error *err)
{
    stoa_json_kind kind = STOA_JSON_NULL;
    bool has_item = true;
    bool are_sizes = true;

    *n = 0;
    for (size_t i = 0; has_item; i++) {
        STOA_RETURN_NOT_OK(stoa_json_has_item(json, i == 0, ']', &has_item, err));
        if (has_item) {
            STOA_RETURN_NOT_OK(stoa_json_value(json, &kind, err));
            are_sizes = are_sizes && i < room && kind == STOA_JSON_NUMBER &&
                        stoa_parse_u64(json->text, json->length, &sizes[i]);
            STOA_RETURN_NOT_OK(stoa_json_skip(json, kind, err));
            *n = i + 1;
        }
    }
    *n = are_sizes ? *n : 0;
    return STOA_OK;
}

bool stoa_json_is_blank(stoa_json *json)
{
    skip_space(json);
    return json->at == json->end;
}

stoa_status stoa_json_end(stoa_json *json, stoa_error *err)
{
    return stoa_json_is_blank(json) ? STOA_OK : fail_expecting(json, "the end of the line", err);
}

void stoa_json_clear(stoa_json *json)
{
    stoa_buffer_clear(&json->unescaped);
    *json = (stoa_json){0};
}

/* Strings ----------------------------------------------------------------------------------- */

stoa_status stoa_json_quote(stoa_buffer *out, const char *text, size_t length, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "\""));
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c == 0x7f) {
            STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "\\u%04x", c));
        } else {
            STOA_RETURN_NOT_OK(
                stoa_buffer_print(out, err, c == '"' || c == '\\' ? "\\%c" : "%c", c));
        }
    }
    return stoa_buffer_print(out, err, "\"");
}
