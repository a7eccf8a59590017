/*
 * Rows of CSV text (RFC 4180), parsed by libcsv.
 *
 * libcsv hands over fields without saying where they stood or whether they were quoted. Both follow
 * from what it does say: in strict mode a field takes up its length, plus two quotes and one for
 * each quote inside if it was quoted, plus the delimiter or line end behind it. So the position of
 * every field is known, and a look at its first byte tells whether it was quoted.
 */
#include "layout/csv_rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"

enum { ROWS_BLOCK_BYTES = 256 * 1024 };
enum { LIBCSV_STEP = 4096 }; /* by which libcsv's buffer grows, to begin with */

/* A row may be this many times longer than its longest allowed field. */
enum { ROWS_MAX_FIELDS_LONG = 16 };

static int no_space(unsigned char c)
{
    (void)c;
    return 0; /* spaces are data */
}

static size_t n_fields(const stoa_csv_rows *rows)
{
    return rows->fields.size / sizeof(stoa_csv_field);
}

static uint64_t count_byte(const char *text, size_t length, char byte)
{
    uint64_t n = 0;

    for (const char *p = text, *end = text + length;
         (p = memchr(p, byte, (size_t)(end - p))) != NULL; p++) {
        n++;
    }
    return n;
}

/* Line breaks inside a field: LF, CR, or both as one. */
static uint64_t count_lines(const char *text, size_t length)
{
    uint64_t n = count_byte(text, length, '\n');

    for (const char *p = text, *end = text + length;
         (p = memchr(p, '\r', (size_t)(end - p))) != NULL; p++) {
        n += p + 1 == end || p[1] != '\n';
    }
    return n;
}

static bool block_is_plain(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == 0 || bytes[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static stoa_csv_flaw flaw_of(const stoa_csv_rows *rows, const char *text, size_t length)
{
    if (rows->is_plain || length == 0) {
        return STOA_CSV_SOUND;
    }
    if (memchr(text, 0, length) != NULL) {
        return STOA_CSV_HAS_NUL;
    }
    return stoa_utf8_valid(text, length) == length ? STOA_CSV_SOUND : STOA_CSV_BAD_UTF8;
}

/* The next field's first byte; anything but a quote at the very end of the input. */
static uint8_t first_byte(const stoa_csv_rows *rows)
{
    if (rows->position < rows->block_start) {
        return rows->first_byte;
    }
    const uint64_t offset = rows->position - rows->block_start;
    return offset < rows->n_block ? rows->block[offset] : 0;
}

static void fail_too_long(stoa_csv_rows *rows, const char *what, size_t limit)
{
    rows->status =
        stoa_fail(rows->err, STOA_ESYNTAX,
                  "line %llu, column %zu: %s is longer than %zu bytes; is a closing quote "
                  "missing?",
                  (unsigned long long)rows->line, n_fields(rows) + 1, what, limit);
}

/* libcsv's first callback: a field has ended. */
static void take_field(void *bytes, size_t length, void *context)
{
    stoa_csv_rows *rows = context;
    const char *text = bytes != NULL ? bytes : "";
    const bool is_quoted = first_byte(rows) == '"';
    const stoa_csv_field field = {.start = rows->text.size,
                                  .length = length,
                                  .line = rows->line,
                                  .is_quoted = is_quoted,
                                  .flaw = (uint8_t)flaw_of(rows, text, length)};

    if (rows->status != STOA_OK) {
        return; /* libcsv cannot be stopped inside a block */
    }
    if (length > rows->max_field_bytes) {
        fail_too_long(rows, "a field", rows->max_field_bytes);
        return;
    }
    if (rows->text.size + length > rows->max_field_bytes * ROWS_MAX_FIELDS_LONG) {
        fail_too_long(rows, "the row", rows->max_field_bytes * ROWS_MAX_FIELDS_LONG);
        return;
    }
    if (n_fields(rows) == STOA_CSV_MAX_COLUMNS) {
        rows->status = stoa_fail(rows->err, STOA_ESYNTAX,
                                 "line %llu: more than %d fields; is this a CSV file?",
                                 (unsigned long long)rows->line, STOA_CSV_MAX_COLUMNS);
        return;
    }
    rows->status = stoa_buffer_append(&rows->text, text, length, rows->err);
    if (rows->status == STOA_OK) {
        rows->status = stoa_buffer_append(&rows->fields, &field, sizeof field, rows->err);
    }
    rows->position += length + 1;
    if (is_quoted) {
        rows->position += 2 + count_byte(text, length, '"');
        rows->line += count_lines(text, length);
    }
}

/* libcsv's second callback: a line break has ended a row, or follows another one directly. */
static void take_line_end(int c, void *context)
{
    stoa_csv_rows *rows = context;
    const size_t n = n_fields(rows);
    const stoa_csv_field *fields = (const stoa_csv_field *)(const void *)rows->fields.data;
    const bool is_second_half = n == 0 && c == '\n' && rows->after_cr;

    if (rows->status != STOA_OK) {
        return;
    }
    rows->after_cr = c == '\r';
    rows->position += n == 0; /* else counted with the last field */
    if (!is_second_half) {
        const stoa_csv_row row = {.text = (const char *)rows->text.data,
                                  .fields = fields,
                                  .n_fields = n,
                                  .line = n != 0 ? fields[0].line : rows->line};
        rows->line++;
        rows->status = rows->on_row(rows->context, &row, rows->err);
    }
    rows->text.size = 0;
    rows->fields.size = 0;
}

stoa_status stoa_csv_rows_begin(stoa_csv_rows *rows, stoa_input *input, char delimiter,
                                size_t max_field_bytes, stoa_csv_on_row on_row, void *context,
                                stoa_error *err)
{
    *rows = (stoa_csv_rows){.input = input,
                            .on_row = on_row,
                            .context = context,
                            .max_field_bytes = max_field_bytes,
                            .line = 1};
    rows->block = stoa_alloc(ROWS_BLOCK_BYTES, 1);
    /* A row of empty fields still has a text to point into. */
    const stoa_status status = stoa_buffer_reserve(&rows->text, 1, err);
    if (status != STOA_OK || rows->block == NULL ||
        csv_init(&rows->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL | CSV_EMPTY_IS_NULL) !=
            0) {
        return stoa_fail_memory(err);
    }
    rows->has_parser = true;
    csv_set_delim(&rows->parser, (unsigned char)delimiter);
    csv_set_space_func(&rows->parser, no_space);
    csv_set_blk_size(&rows->parser, LIBCSV_STEP);
    return STOA_OK;
}

/* A UTF-8 byte order mark is skipped; one of UTF-16 tells what is wrong. */
static stoa_status take_mark(stoa_csv_rows *rows, size_t *skip, stoa_error *err)
{
    const uint8_t *b = rows->block;

    *skip = 0;
    if (rows->block_start != 0) {
        return STOA_OK;
    }
    if (rows->n_block >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) {
        *skip = 3;
        rows->position = 3;
    } else if (rows->n_block >= 2 &&
               ((b[0] == 0xff && b[1] == 0xfe) || (b[0] == 0xfe && b[1] == 0xff))) {
        return stoa_fail(err, STOA_ESYNTAX, "line 1: this is UTF-16 text; convert it to UTF-8");
    }
    return STOA_OK;
}

static stoa_status fail_parser(stoa_csv_rows *rows, stoa_error *err)
{
    const int error = csv_error(&rows->parser);

    if (error == CSV_ENOMEM || error == CSV_ETOOBIG) {
        return stoa_fail_memory(err);
    }
    return stoa_fail(err, STOA_ESYNTAX,
                     rows->at_end
                         ? "line %llu, column %zu: the quoted field that begins here has no "
                           "closing quote"
                         : "line %llu, column %zu: a quote inside a field; such a field must "
                           "be quoted as a whole and its quotes doubled (RFC 4180)",
                     (unsigned long long)rows->line, n_fields(rows) + 1);
}

static stoa_status finish(stoa_csv_rows *rows, stoa_error *err)
{
    rows->at_end = true;
    if (csv_fini(&rows->parser, take_field, take_line_end, rows) != 0) {
        return fail_parser(rows, err);
    }
    return rows->status;
}

stoa_status stoa_csv_rows_more(stoa_csv_rows *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    size_t skip = 0;

    rows->err = err;
    if (rows->position < rows->block_start + rows->n_block) {
        rows->first_byte = first_byte(rows);
    } else {
        rows->is_plain = true; /* no field is under way */
    }
    rows->block_start += rows->n_block;
    rows->n_block = 0;
    STOA_TRY(stoa_input_read(rows->input, rows->block, ROWS_BLOCK_BYTES, &rows->n_block, err));
    if (rows->n_block == 0) {
        return finish(rows, err);
    }
    STOA_TRY(take_mark(rows, &skip, err));
    rows->is_plain = rows->is_plain && block_is_plain(rows->block, rows->n_block);

    const size_t n = rows->n_block - skip;
    const size_t n_parsed =
        csv_parse(&rows->parser, rows->block + skip, n, take_field, take_line_end, rows);
    STOA_TRY(rows->status);
    if (n_parsed != n) {
        STOA_TRY(fail_parser(rows, err));
    }
    /* A field that goes on from block to block finds room that doubles, not 4 KiB at a time. */
    if (csv_get_buffer_size(&rows->parser) > LIBCSV_STEP) {
        csv_set_blk_size(&rows->parser, csv_get_buffer_size(&rows->parser));
    }
    if (rows->parser.entry_pos > rows->max_field_bytes) {
        fail_too_long(rows, "a field", rows->max_field_bytes);
        status = rows->status;
    }

done:
    return status;
}

void stoa_csv_rows_end(stoa_csv_rows *rows)
{
    if (rows->has_parser) {
        csv_free(&rows->parser);
    }
    free(rows->block);
    stoa_buffer_clear(&rows->text);
    stoa_buffer_clear(&rows->fields);
    *rows = (stoa_csv_rows){0};
}
