#include "layout/csv/rows.h"

#include <string.h>

#include "core/text.h"

/* Longest row, as a multiple of the longest allowed field. */
enum { ROWS_MAX_FIELDS_LONG = 16 };

static size_t n_fields(const stoa_csv_rows *rows)
{
    return rows->fields.size / sizeof(stoa_csv_field);
}

static stoa_csv_flaw flaw_of(const char *text, size_t length)
{
    if (length == 0) {
        return STOA_CSV_SOUND;
    }
    if (memchr(text, 0, length) != NULL) {
        return STOA_CSV_HAS_NUL;
    }
    return stoa_utf8_valid(text, length) == length ? STOA_CSV_SOUND : STOA_CSV_BAD_UTF8;
}

static stoa_status fail_too_long(const stoa_csv_rows *rows, const char *what, size_t limit,
                                 stoa_error *err)
{
    return stoa_fail(err, STOA_ESYNTAX,
                     "line %llu, column %zu: %s is longer than %zu bytes; is a closing quote "
                     "missing?",
                     (unsigned long long)rows->line, n_fields(rows) + 1, what, limit);
}

static stoa_status fail_quote(const stoa_csv_rows *rows, bool is_open, stoa_error *err)
{
    return stoa_fail(err, STOA_ESYNTAX,
                     is_open ? "line %llu, column %zu: the quoted field that begins here has no "
                               "closing quote"
                             : "line %llu, column %zu: a quote inside a field; such a field must "
                               "be quoted as a whole and its quotes doubled (RFC 4180)",
                     (unsigned long long)rows->line, n_fields(rows) + 1);
}

/* The limits also apply to incomplete fields. Otherwise a missing quote would collect the whole
 * file. */
static stoa_status check_length(const stoa_csv_rows *rows, size_t length, stoa_error *err)
{
    if (length > rows->max_field_bytes) {
        return fail_too_long(rows, "a field", rows->max_field_bytes, err);
    }
    if (rows->text.size + length > rows->max_field_bytes * ROWS_MAX_FIELDS_LONG) {
        return fail_too_long(rows, "the row", rows->max_field_bytes * ROWS_MAX_FIELDS_LONG, err);
    }
    return STOA_OK;
}

static bool ends_field(const stoa_csv_rows *rows, char c)
{
    return c == rows->delimiter || c == '\n' || c == '\r';
}

/* Append an unquoted field to the row's text, and move `p` past it. */
static stoa_status parse_plain(stoa_csv_rows *rows, const char **p, stoa_error *err)
{
    const char *start = *p;

    while (*p < rows->end && !ends_field(rows, **p) && **p != '"') {
        (*p)++;
    }
    STOA_RETURN_NOT_OK(check_length(rows, (size_t)(*p - start), err));
    if (*p < rows->end && **p == '"') {
        return fail_quote(rows, false, err);
    }
    return stoa_buffer_append(&rows->text, start, (size_t)(*p - start), err);
}

/* Append a quoted field. `is_open` if the text ends inside it. */
static stoa_status parse_quoted(stoa_csv_rows *rows, const char **p, bool *is_open, stoa_error *err)
{
    const size_t first = rows->text.size;

    *is_open = false;
    for ((*p)++;; (*p)++) {
        const char *quote = *p < rows->end ? memchr(*p, '"', (size_t)(rows->end - *p)) : NULL;
        const char *stop = quote != NULL ? quote : rows->end;
        const size_t length = rows->text.size - first + (size_t)(stop - *p);
        if (length > rows->max_field_bytes) {
            return fail_too_long(rows, "a field", rows->max_field_bytes, err);
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(&rows->text, *p, (size_t)(stop - *p), err));
        *p = stop;
        if (quote == NULL) {
            *is_open = true;
            break;
        }
        (*p)++;
        if (*p == rows->end || **p != '"') {
            break;
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(&rows->text, "\"", 1, err));
    }
    if (rows->text.size > rows->max_field_bytes * ROWS_MAX_FIELDS_LONG) {
        return fail_too_long(rows, "the row", rows->max_field_bytes * ROWS_MAX_FIELDS_LONG, err);
    }
    if (!*is_open && *p < rows->end && !ends_field(rows, **p)) {
        STOA_RETURN_NOT_OK(check_length(rows, rows->text.size - first, err));
        return fail_quote(rows, false, err);
    }
    return STOA_OK;
}

/* Line breaks inside a field: LF, CR, or CRLF as one. */
static uint64_t count_lines(const char *text, size_t length)
{
    uint64_t n = 0;

    for (size_t i = 0; i < length; i++) {
        n += text[i] == '\n' || (text[i] == '\r' && (i + 1 == length || text[i + 1] != '\n'));
    }
    return n;
}

/* Parse one field, and leave `p` at its end. */
static stoa_status parse_field(stoa_csv_rows *rows, const char **p, bool *is_open, stoa_error *err)
{
    const char *start = *p;
    stoa_csv_field field = {.start = rows->text.size,
                            .line = rows->line,
                            .is_quoted = start < rows->end && *start == '"'};

    *is_open = false;
    if (field.is_quoted) {
        STOA_RETURN_NOT_OK(parse_quoted(rows, p, is_open, err));
    } else {
        STOA_RETURN_NOT_OK(parse_plain(rows, p, err));
    }
    if (n_fields(rows) == STOA_CSV_MAX_COLUMNS) {
        return stoa_fail(err, STOA_ESYNTAX, "line %llu: more than %d fields; is this a CSV file?",
                         (unsigned long long)rows->line, STOA_CSV_MAX_COLUMNS);
    }
    if (*is_open) {
        return STOA_OK;
    }
    field.length = rows->text.size - field.start;
    field.flaw = (uint8_t)flaw_of((const char *)rows->text.data + field.start, field.length);
    STOA_RETURN_NOT_OK(stoa_buffer_append(&rows->fields, &field, sizeof field, err));
    rows->line += field.is_quoted ? count_lines(start, (size_t)(*p - start)) : 0;
    return STOA_OK;
}

void stoa_csv_rows_begin(stoa_csv_rows *rows, const char *text, size_t length, uint64_t line,
                         char delimiter, size_t max_field_bytes)
{
    rows->p = text;
    rows->end = text + length;
    rows->line = line;
    rows->delimiter = delimiter;
    rows->max_field_bytes = max_field_bytes;
}

/* Move past a line break. CRLF is one. */
static void skip_break(stoa_csv_rows *rows, const char *p)
{
    const bool is_pair = *p == '\r' && p + 1 < rows->end && p[1] == '\n';

    rows->p = p + 1 + is_pair;
    rows->line++;
}

/* Parse fields up to a line break or the end of the text. */
static stoa_status gather(stoa_csv_rows *rows, const char **at, bool is_all, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *p = *at;
    bool is_open = false;

    if (p < rows->end && (*p == '\n' || *p == '\r')) {
        goto done; /* a blank line */
    }
    for (;;) {
        STOA_TRY(parse_field(rows, &p, &is_open, err));
        if (is_open && is_all) {
            STOA_TRY(fail_quote(rows, true, err));
        }
        if (p == rows->end || *p != rows->delimiter) {
            break;
        }
        p++;
    }

done:
    *at = p;
    return status;
}

stoa_status stoa_csv_rows_next(stoa_csv_rows *rows, bool is_all, stoa_csv_row *row, bool *has_row,
                               stoa_error *err)
{
    const uint64_t line = rows->line;
    const char *p = rows->p;

    *has_row = false;
    rows->text.size = 0;
    rows->fields.size = 0;
    if (p == rows->end) {
        return STOA_OK;
    }
    /* A row of empty fields also needs a text to point to. */
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&rows->text, 1, err));
    STOA_RETURN_NOT_OK(gather(rows, &p, is_all, err));
    if (p == rows->end && !is_all) {
        return STOA_OK;
    }
    *has_row = true;
    *row = (stoa_csv_row){.text = (const char *)rows->text.data,
                          .fields = (const stoa_csv_field *)(const void *)rows->fields.data,
                          .n_fields = n_fields(rows),
                          .line = line};
    if (p == rows->end) {
        rows->p = p;
    } else {
        skip_break(rows, p);
    }
    return STOA_OK;
}

void stoa_csv_rows_end(stoa_csv_rows *rows)
{
    stoa_buffer_clear(&rows->text);
    stoa_buffer_clear(&rows->fields);
    *rows = (stoa_csv_rows){0};
}
