/* Parses CSV text row by row (RFC 4180). This is the slow and exact path, which can report
 * errors. */
#ifndef STOA_LAYOUT_CSV_ROWS_H
#define STOA_LAYOUT_CSV_ROWS_H

#include "core/memory.h"

/* More columns are taken for a mistake, such as a binary file or a wrong delimiter. */
#define STOA_CSV_MAX_COLUMNS 65536

/* What is wrong with the bytes of a field. */
typedef enum stoa_csv_flaw { STOA_CSV_SOUND, STOA_CSV_HAS_NUL, STOA_CSV_BAD_UTF8 } stoa_csv_flaw;

typedef struct stoa_csv_field {
    size_t start; /* in the row's text */
    size_t length;
    uint64_t line; /* where it begins, as editors count lines */
    bool is_quoted;
    uint8_t flaw; /* stoa_csv_flaw */
} stoa_csv_field;

typedef struct stoa_csv_row {
    const char *text; /* all fields, back to back */
    const stoa_csv_field *fields;
    size_t n_fields; /* 0 for a blank line */
    uint64_t line;   /* of its first field */
} stoa_csv_row;

static inline const char *stoa_csv_row_text(const stoa_csv_row *row, const stoa_csv_field *field)
{
    return row->text + field->start;
}

/* A parser. Zero-initialise; free by stoa_csv_rows_end(). */
typedef struct stoa_csv_rows {
    const char *p; /* rest of the text */
    const char *end;
    uint64_t line; /* of `p`, from 1 */
    char delimiter;
    size_t max_field_bytes;
    stoa_buffer text;   /* of the current row */
    stoa_buffer fields; /* of stoa_csv_field */
} stoa_csv_rows;

/* Start at the beginning of a row. Buffers are reused. */
void stoa_csv_rows_begin(stoa_csv_rows *rows, const char *text, size_t length, uint64_t line,
                         char delimiter, size_t max_field_bytes);
/*
 * Parse the next row, borrowed until the next call. `has_row` is false at the end.
 *
 * With `is_all` the text is complete, so that its end also ends a row. Otherwise an incomplete row
 * is not returned, but it fails if it is too long already or has misplaced quotes.
 */
stoa_status stoa_csv_rows_next(stoa_csv_rows *rows, bool is_all, stoa_csv_row *row, bool *has_row,
                               stoa_error *err);
void stoa_csv_rows_end(stoa_csv_rows *rows);

#endif
