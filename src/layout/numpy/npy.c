/* Parses headers: a Python literal of a dict with the keys descr, fortran_order and shape. */
#include "layout/numpy/npy.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum { MAGIC_SIZE = 6, MOST_HEADER = 1 << 20, MOST_FIELDS = 10000 };

static const char magic[] = "\x93NUMPY";

typedef struct parser {
    const char *at;
    const char *end;
    stoa_error *err;
} parser;

static stoa_status wrong(const parser *p, const char *what)
{
    return stoa_fail(p->err, STOA_EDATA, "the header of the array is damaged: %s", what);
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && strchr(" \t\n\r", *p->at) != NULL && *p->at != '\0') {
        p->at++;
    }
}

static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (p->at < p->end && *p->at == c) {
        p->at++;
        return true;
    }
    return false;
}

static stoa_status expect(parser *p, char c)
{
    return take(p, c) ? STOA_OK : wrong(p, "it is no dict of descr, fortran_order and shape");
}

/* A string in quotes. Its escapes are left as they are. */
static stoa_status take_text(parser *p, const char **text, size_t *length)
{
    skip_blanks(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) {
        return wrong(p, "a text is missing");
    }
    const char quote = *p->at++;
    *text = p->at;
    while (p->at < p->end && *p->at != quote) {
        p->at += *p->at == '\\' && p->at + 1 < p->end ? 2 : 1;
    }
    if (p->at >= p->end) {
        return wrong(p, "a text has no end");
    }
    *length = (size_t)(p->at++ - *text);
    return STOA_OK;
}

static stoa_status take_number(parser *p, uint64_t *number)
{
    skip_blanks(p);
    const char *const from = p->at;
    while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
        p->at++;
    }
    if (!stoa_parse_u64(from, (size_t)(p->at - from), number)) {
        return wrong(p, "a number is missing");
    }
    p->at += p->at < p->end && *p->at == 'L'; /* of Python 2 */
    return STOA_OK;
}

/* "(3, 4)", "(3,)" or "()". */
static stoa_status take_shape(parser *p, unsigned *rank, uint64_t *shape, uint64_t *n)
{
    *rank = 0;
    *n = 1;
    STOA_RETURN_NOT_OK(expect(p, '('));
    while (!take(p, ')')) {
        if (*rank == STOA_NPY_MAX_RANK) {
            return wrong(p, "more than 32 dimensions");
        }
        STOA_RETURN_NOT_OK(take_number(p, &shape[*rank]));
        if (shape[*rank] != 0 && *n > INT64_MAX / shape[*rank]) {
            return wrong(p, "more elements than 64 bits count");
        }
        *n *= shape[(*rank)++];
        if (!take(p, ',')) {
            STOA_RETURN_NOT_OK(expect(p, ')'));
            break;
        }
    }
    return STOA_OK;
}

/* "<M8[10ns]": the unit behind the size. */
static bool read_unit(const char *text, size_t length, stoa_npy_field *f)
{
    size_t at = 1;

    f->multiple = 1;
    if (length < 3 || text[0] != '[' || text[length - 1] != ']') {
        return false;
    }
    while (at < length && text[at] >= '0' && text[at] <= '9') {
        at++;
    }
    if (at > 1 && !stoa_parse_u64(text + 1, at - 1, &f->multiple)) {
        return false;
    }
    const size_t n = length - 1 - at;
    if (n == 0 || n >= sizeof f->unit) {
        return false;
    }
    memcpy(f->unit, text + at, n);
    return true;
}

static bool is_size(char kind, uint64_t size)
{
    switch (kind) {
    case 'b':
        return size == 1;
    case 'i':
    case 'u':
        return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
        return size == 2 || size == 4 || size == 8;
    case 'c':
        return size == 8 || size == 16;
    case 'M':
    case 'm':
        return size == 8;
    default:
        return strchr("SUV", kind) != NULL && size < INT32_MAX / 4;
    }
}

/* A type as "<f8". */
static stoa_status read_type(const parser *p, const char *text, size_t length, stoa_npy_field *f)
{
    uint64_t size = 0;
    size_t n_digits = 0;

    if (length >= 2 && text[1] == 'O') {
        return stoa_fail(p->err, STOA_ETYPE,
                         "the array has Python objects, which are not read; save numbers, texts or "
                         "times");
    }
    if (length < 3 || strchr("<>|=", text[0]) == NULL) {
        return wrong(p, "a type is unknown");
    }
    f->kind = text[1] == 'a' ? 'S' : text[1];
    while (2 + n_digits < length && text[2 + n_digits] >= '0' && text[2 + n_digits] <= '9') {
        n_digits++;
    }
    if (!stoa_parse_u64(text + 2, n_digits, &size) || !is_size(f->kind, size)) {
        return stoa_fail(p->err, STOA_ETYPE, "the array has the type '%.*s', which is not read",
                         length < 40 ? (int)length : 40, text);
    }
    const char *const unit = text + 2 + n_digits;
    const size_t n_unit = length - 2 - n_digits;
    const bool is_time = f->kind == 'M' || f->kind == 'm';
    if (is_time ? !read_unit(unit, n_unit, f) : n_unit > 0) {
        return stoa_fail(p->err, STOA_ETYPE, "the array has the type '%.*s', which is not read",
                         length < 40 ? (int)length : 40, text);
    }
    const uint16_t one = 1;
    const bool is_little = *(const uint8_t *)&one == 1;
    f->swaps = text[0] == (is_little ? '>' : '<') && size > 1 && f->kind != 'S' && f->kind != 'V';
    f->size = (size_t)size * (f->kind == 'U' ? 4 : 1);
    return STOA_OK;
}

static stoa_status add_field(const parser *p, stoa_npy *npy, stoa_npy_field **field)
{
    if (npy->n_fields == MOST_FIELDS) {
        return wrong(p, "more than 10000 fields");
    }
    stoa_npy_field *const more = stoa_realloc(npy->fields, npy->n_fields + 1, sizeof *more);
    STOA_RETURN_NO_MEMORY(p->err, more);
    npy->fields = more;
    *field = &more[npy->n_fields++];
    **field = (stoa_npy_field){.n = 1};
    return STOA_OK;
}

/* "('name', '<f8', (3,))"; the name may be a pair with a title. */
static stoa_status take_field(parser *p, stoa_npy *npy)
{
    stoa_npy_field *f = NULL;
    const char *text = NULL;
    size_t length = 0;

    STOA_RETURN_NOT_OK(add_field(p, npy, &f));
    STOA_RETURN_NOT_OK(expect(p, '('));
    if (take(p, '(')) {
        STOA_RETURN_NOT_OK(take_text(p, &text, &length));
        STOA_RETURN_NOT_OK(expect(p, ','));
    }
    const bool has_title = text != NULL;
    STOA_RETURN_NOT_OK(take_text(p, &text, &length));
    STOA_RETURN_NOT_OK(has_title ? expect(p, ')') : STOA_OK);
    f->name = stoa_strndup(text, length);
    STOA_RETURN_NO_MEMORY(p->err, f->name);
    STOA_RETURN_NOT_OK(expect(p, ','));
    skip_blanks(p);
    if (p->at < p->end && *p->at == '[') {
        return stoa_fail(p->err, STOA_ETYPE,
                         "the field '%s' is a structure within the structure, which is not read",
                         f->name);
    }
    STOA_RETURN_NOT_OK(take_text(p, &text, &length));
    STOA_RETURN_NOT_OK(read_type(p, text, length, f));
    if (take(p, ',') && !take(p, ')')) {
        STOA_RETURN_NOT_OK(take_shape(p, &f->rank, f->shape, &f->n));
    } else if (p->at[-1] == ')') {
        goto ends;
    }
    STOA_RETURN_NOT_OK(expect(p, ')'));
ends:
    f->offset = npy->item_size;
    if (f->size > 0 && f->n > (SIZE_MAX / 2 - npy->item_size) / f->size) {
        return wrong(p, "an element has more bytes than memory");
    }
    npy->item_size += f->size * (size_t)f->n;
    return STOA_OK;
}

static stoa_status take_types(parser *p, stoa_npy *npy)
{
    stoa_npy_field *f = NULL;
    const char *text = NULL;
    size_t length = 0;

    if (!take(p, '[')) {
        STOA_RETURN_NOT_OK(take_text(p, &text, &length));
        STOA_RETURN_NOT_OK(add_field(p, npy, &f));
        STOA_RETURN_NOT_OK(read_type(p, text, length, f));
        npy->item_size = f->size;
        return STOA_OK;
    }
    npy->is_struct = true;
    while (!take(p, ']')) {
        STOA_RETURN_NOT_OK(take_field(p, npy));
        if (!take(p, ',')) {
            return expect(p, ']');
        }
    }
    return STOA_OK;
}

static stoa_status take_truth(parser *p, bool *truth)
{
    skip_blanks(p);
    const size_t left = (size_t)(p->end - p->at);
    *truth = left >= 4 && memcmp(p->at, "True", 4) == 0;
    if (!*truth && (left < 5 || memcmp(p->at, "False", 5) != 0)) {
        return wrong(p, "fortran_order is neither True nor False");
    }
    p->at += *truth ? 4 : 5;
    return STOA_OK;
}

static stoa_status parse(parser *p, stoa_npy *npy)
{
    unsigned n_seen = 0;

    STOA_RETURN_NOT_OK(expect(p, '{'));
    while (!take(p, '}')) {
        const char *key = NULL;
        size_t length = 0;
        uint64_t n = 0;
        STOA_RETURN_NOT_OK(take_text(p, &key, &length));
        STOA_RETURN_NOT_OK(expect(p, ':'));
        if (length == 5 && memcmp(key, "descr", 5) == 0 && npy->n_fields == 0) {
            STOA_RETURN_NOT_OK(take_types(p, npy));
            n_seen |= 1;
        } else if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
            STOA_RETURN_NOT_OK(take_truth(p, &npy->is_fortran));
            n_seen |= 2;
        } else if (length == 5 && memcmp(key, "shape", 5) == 0) {
            STOA_RETURN_NOT_OK(take_shape(p, &npy->rank, npy->shape, &n));
            n_seen |= 4;
        } else {
            return wrong(p, "it has another key");
        }
        if (!take(p, ',')) {
            STOA_RETURN_NOT_OK(expect(p, '}'));
            break;
        }
    }
    return n_seen == 7 && npy->n_fields > 0 ? STOA_OK : wrong(p, "a key is missing");
}

bool stoa_npy_is_one(const char *name)
{
    stoa_bytes *bytes = NULL;
    char head[MAGIC_SIZE];
    const bool is = stoa_bytes_open_file(name, &bytes, NULL) == STOA_OK &&
                    stoa_bytes_read(bytes, head, sizeof head, NULL) == STOA_OK &&
                    memcmp(head, magic, MAGIC_SIZE) == 0;

    stoa_bytes_close(bytes);
    return is;
}

/* Make Latin-1, as versions 1 and 2 are, UTF-8 in place. Returns its length, at most 2n. */
static size_t make_utf8(uint8_t *text, size_t n)
{
    size_t length = n;

    for (size_t i = 0; i < n; i++) {
        length += text[i] >> 7;
    }
    for (size_t i = n, to = length; i-- > 0;) {
        const uint8_t c = text[i];
        text[--to] = c < 0x80 ? c : (uint8_t)(0x80 | (c & 0x3f));
        if (c >= 0x80) {
            text[--to] = (uint8_t)(0xc0 | c >> 6);
        }
    }
    return length;
}

stoa_status stoa_npy_read(stoa_bytes *bytes, stoa_npy *npy, stoa_error *err)
{
    uint8_t head[MAGIC_SIZE + 6];
    char *text = NULL;
    stoa_status status = STOA_OK;

    *npy = (stoa_npy){.rank = 0};
    STOA_TRY(stoa_bytes_read(bytes, head, MAGIC_SIZE + 4, err));
    if (memcmp(head, magic, MAGIC_SIZE) != 0) {
        STOA_FAIL(err, STOA_EDATA, "is no array of NumPy");
    }
    const unsigned version = head[MAGIC_SIZE];
    if (version < 1 || version > 3) {
        STOA_FAIL(err, STOA_EVERSION, "is of version %u of NumPy's format; 1 to 3 are read",
                  version);
    }
    size_t n = head[MAGIC_SIZE + 2] | (size_t)head[MAGIC_SIZE + 3] << 8;
    if (version > 1) {
        STOA_TRY(stoa_bytes_read(bytes, head, 2, err));
        n |= (size_t)head[0] << 16 | (size_t)head[1] << 24;
    }
    if (n > MOST_HEADER) {
        STOA_FAIL(err, STOA_EDATA, "the header of the array has %zu bytes", n);
    }
    text = stoa_alloc(2 * n + 1, 1);
    STOA_TRY(text != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_bytes_read(bytes, text, n, err));
    n = version < 3 ? make_utf8((uint8_t *)text, n) : n;
    parser p = {text, text + n, err};
    STOA_TRY(parse(&p, npy));
    const uint64_t n_all = stoa_npy_n(npy);
    if ((npy->item_size > 0 && n_all > UINT64_MAX / npy->item_size) ||
        !stoa_bytes_may_have(bytes, n_all * npy->item_size)) {
        STOA_FAIL(err, STOA_EDATA, "the array ends too early: it is to have %llu elements",
                  (unsigned long long)n_all);
    }

done:
    free(text);
    return status;
}

void stoa_npy_clear(stoa_npy *npy)
{
    for (size_t i = 0; i < npy->n_fields; i++) {
        free(npy->fields[i].name);
    }
    free(npy->fields);
    *npy = (stoa_npy){.rank = 0};
}

uint64_t stoa_npy_n(const stoa_npy *npy)
{
    uint64_t n = 1;

    for (unsigned i = 0; i < npy->rank; i++) {
        n *= npy->shape[i];
    }
    return n;
}
