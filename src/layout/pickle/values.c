/* Opcodes that push numbers and strings (pickle.h). */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "layout/pickle/machine.h"

/* --- numbers --------------------------------------------------------------------------------- */

static stoa_status push_integer(stoa_pickle_machine *m, int64_t value)
{
    stoa_pickled *node = NULL;
    const stoa_status status = stoa_pickle_push_new(m, STOA_PICKLE_INT, &node);

    if (status == STOA_OK) {
        node->as.integer = value;
    }
    return status;
}

static stoa_status push_truth(stoa_pickle_machine *m, bool truth)
{
    stoa_pickled *node = NULL;
    const stoa_status status = stoa_pickle_push_new(m, STOA_PICKLE_BOOL, &node);

    if (status == STOA_OK) {
        node->as.truth = truth;
    }
    return status;
}

static stoa_status push_none(stoa_pickle_machine *m)
{
    stoa_pickled *node = NULL;

    return stoa_pickle_push_new(m, STOA_PICKLE_NONE, &node);
}

static stoa_status push_bool(stoa_pickle_machine *m)
{
    return push_truth(m, m->op->n != 0);
}

static stoa_status push_signed(stoa_pickle_machine *m)
{
    uint64_t bits = 0;
    const stoa_status status = stoa_pickle_read_number(m, 4, &bits);

    return status == STOA_OK ? push_integer(m, (int32_t)(uint32_t)bits) : status;
}

static stoa_status push_unsigned(stoa_pickle_machine *m)
{
    uint64_t bits = 0;
    const stoa_status status = stoa_pickle_read_number(m, m->op->n, &bits);

    return status == STOA_OK ? push_integer(m, (int64_t)bits) : status;
}

/* Two's complement of any length. 0 bytes are 0. */
static stoa_status push_long(stoa_pickle_machine *m)
{
    const uint8_t *bytes = NULL;
    uint64_t length = 0;
    uint64_t value = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_read_number(m, m->op->n, &length));
    STOA_RETURN_NOT_OK(stoa_pickle_read_bytes(m, length, &bytes));
    if (length > 8) {
        return stoa_pickle_push_bytes(m, STOA_PICKLE_BIG, bytes, (size_t)length);
    }
    for (unsigned i = 0; i < 8; i++) {
        const uint8_t sign = length > 0 && (bytes[length - 1] & 0x80) != 0 ? 0xff : 0;
        value |= (uint64_t)(i < length ? bytes[i] : sign) << (8 * i);
    }
    return push_integer(m, (int64_t)value);
}

/* "12" or "12L". 00 and 01 are the booleans of protocol 0. */
static stoa_status push_decimal(stoa_pickle_machine *m)
{
    const char *line = NULL;
    size_t length = 0;
    int64_t value = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_read_line(m, &line, &length));
    if (length == 2 && line[0] == '0' && (line[1] == '0' || line[1] == '1')) {
        return push_truth(m, line[1] == '1');
    }
    length -= length > 0 && line[length - 1] == 'L';
    if (stoa_parse_i64(line, length, &value)) {
        return push_integer(m, value);
    }
    for (size_t i = 0; i < length; i++) {
        if ((line[i] < '0' || line[i] > '9') && (i > 0 || line[i] != '-' || length == 1)) {
            return stoa_fail(m->err, STOA_EDATA, "a pickle holds an integer that is none");
        }
    }
    return stoa_pickle_push_bytes(m, STOA_PICKLE_BIG, line, length);
}

static stoa_status push_number(stoa_pickle_machine *m, double value)
{
    stoa_pickled *node = NULL;
    const stoa_status status = stoa_pickle_push_new(m, STOA_PICKLE_FLOAT, &node);

    if (status == STOA_OK) {
        node->as.number = value;
    }
    return status;
}

static stoa_status push_float_line(stoa_pickle_machine *m)
{
    const char *line = NULL;
    size_t length = 0;
    double value = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_read_line(m, &line, &length));
    if (!stoa_parse_f64(line, length, &value)) {
        return stoa_fail(m->err, STOA_EDATA, "a pickle holds a number that is none");
    }
    return push_number(m, value);
}

static stoa_status push_float(stoa_pickle_machine *m)
{
    const uint8_t *bytes = NULL;
    uint64_t bits = 0;
    double value = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_read_bytes(m, 8, &bytes));
    for (unsigned i = 0; i < 8; i++) { /* big-endian, unlike everything else */
        bits = bits << 8 | bytes[i];
    }
    memcpy(&value, &bits, sizeof value);
    return push_number(m, value);
}

/* --- strings --------------------------------------------------------------------------------- */

static stoa_status push_text(stoa_pickle_machine *m, const char *text, size_t length)
{
    if (stoa_utf8_valid(text, length) != length) {
        return stoa_fail(m->err, STOA_EDATA, "a pickle holds a text that is not UTF-8");
    }
    return stoa_pickle_push_bytes(m, STOA_PICKLE_TEXT, text, length);
}

/* An n-byte length, followed by that many bytes. */
static stoa_status push_counted(stoa_pickle_machine *m)
{
    const stoa_pickle_kind kind = m->op->kind;
    const uint8_t *bytes = NULL;
    uint64_t length = 0;

    STOA_RETURN_NOT_OK(stoa_pickle_read_number(m, m->op->n, &length));
    STOA_RETURN_NOT_OK(stoa_pickle_read_bytes(m, length, &bytes));
    return kind == STOA_PICKLE_TEXT ? push_text(m, (const char *)bytes, (size_t)length)
                                    : stoa_pickle_push_bytes(m, kind, bytes, (size_t)length);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parse n hexadecimal digits between `from` and `end`. */
static bool parse_hex(const char *from, const char *end, int n, uint32_t *value)
{
    *value = 0;
    if (end - from < n) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        const int digit = hex_digit(from[i]);
        if (digit < 0) {
            return false;
        }
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* Latin-1 with the escapes \uXXXX and \UXXXXXXXX. */
static stoa_status push_text_line(stoa_pickle_machine *m)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    const char *line = NULL;
    size_t length = 0;

    STOA_TRY(stoa_pickle_read_line(m, &line, &length));
    for (const char *c = line; c < line + length; c++) {
        const int n_digits = c[0] != '\\' || c + 1 == line + length ? 0
                             : c[1] == 'u'                          ? 4
                             : c[1] == 'U'                          ? 8
                                                                    : 0;
        uint32_t point = (uint8_t)*c;
        char utf8[4];
        if (n_digits > 0) {
            if (!parse_hex(c + 2, line + length, n_digits, &point)) {
                STOA_FAIL(m->err, STOA_EDATA, "a pickle holds a text with a broken escape");
            }
            c += 1 + n_digits;
        }
        STOA_TRY(stoa_buffer_append(&text, utf8, stoa_utf8_put(point, utf8), m->err));
    }
    STOA_TRY(push_text(m, (const char *)text.data, text.size));

done:
    stoa_buffer_clear(&text);
    return status;
}

/* Decode one escape of a Python 2 string literal. Returns the number of characters consumed. */
static size_t unescape(const char *from, const char *end, char *out)
{
    static const char letters[] = "abfnrtv\\'\"";
    static const char meant[] = "\a\b\f\n\r\t\v\\'\"";
    const char *const found = from + 1 < end ? strchr(letters, from[1]) : NULL;
    uint32_t value = 0;

    if (found != NULL && from[1] != '\0') {
        *out = meant[found - letters];
        return 2;
    }
    if (from + 1 < end && from[1] == 'x' && parse_hex(from + 2, end, 2, &value)) {
        *out = (char)value;
        return 4;
    }
    *out = *from;
    return 1;
}

/* A quoted string literal of Python 2. */
static stoa_status push_literal(stoa_pickle_machine *m)
{
    stoa_status status = STOA_OK;
    stoa_buffer text = {0};
    const char *line = NULL;
    size_t length = 0;

    STOA_TRY(stoa_pickle_read_line(m, &line, &length));
    if (length < 2 || (line[0] != '\'' && line[0] != '"') || line[length - 1] != line[0]) {
        STOA_FAIL(m->err, STOA_EDATA, "a pickle holds a string without its quotes");
    }
    for (const char *c = line + 1, *end = line + length - 1; c < end;) {
        char plain = *c;
        c += *c == '\\' ? unescape(c, end, &plain) : 1;
        STOA_TRY(stoa_buffer_append(&text, &plain, 1, m->err));
    }
    STOA_TRY(stoa_pickle_push_bytes(m, STOA_PICKLE_BYTES, text.data, text.size));

done:
    stoa_buffer_clear(&text);
    return status;
}

const stoa_pickle_op stoa_pickle_value_ops[256] = {
    ['F'] = {.run = push_float_line},
    ['G'] = {.run = push_float},
    ['I'] = {.run = push_decimal},
    ['J'] = {.run = push_signed},
    ['K'] = {push_unsigned, .n = 1},
    ['L'] = {.run = push_decimal},
    ['M'] = {push_unsigned, .n = 2},
    ['N'] = {.run = push_none},
    ['S'] = {.run = push_literal},
    ['V'] = {.run = push_text_line},
    ['X'] = {push_counted, STOA_PICKLE_TEXT, 4},
    ['B'] = {push_counted, STOA_PICKLE_BYTES, 4},
    ['C'] = {push_counted, STOA_PICKLE_BYTES, 1},
    ['T'] = {push_counted, STOA_PICKLE_BYTES, 4},
    ['U'] = {push_counted, STOA_PICKLE_BYTES, 1},
    [0x88] = {push_bool, .n = true},
    [0x89] = {push_bool, .n = false},
    [0x8a] = {push_long, .n = 1},
    [0x8b] = {push_long, .n = 4},
    [0x8c] = {push_counted, STOA_PICKLE_TEXT, 1},
    [0x8d] = {push_counted, STOA_PICKLE_TEXT, 8},
    [0x8e] = {push_counted, STOA_PICKLE_BYTES, 8},
    [0x96] = {push_counted, STOA_PICKLE_BYTES, 8},
};
