/* CSV text as rows, one after another (RFC 4180): slow, exact, and able to say what is wrong. */
#ifndef STOA_LAYOUT_CSV_ROWS_H
#define STOA_LAYOUT_CSV_ROWS_H

#include "core/memory.h"

/* More columns than this are taken for a mistake (a binary file, a wrong delimiter). */
#define STOA_CSV_MAX_COLUMNS 65536

/* What is wrong with the bytes of a field. */
typedef enum stoa_csv_flaw { STOA_CSV_SOUND, STOA_CSV_HAS_NUL, STOA_CSV_BAD_UTF8 } stoa_csv_flaw;

typedef struct stoa_csv_field {
    size_t start; /* in the row's text */
    size_t length;
    uint64_t line; /* where it begins, as editors count */
    bool is_quoted;
    uint8_t flaw; /* stoa_csv_flaw */
} stoa_csv_field;

typedef struct stoa_csv_row {
    const char *text; /* all fields, back to back */
    const stoa_csv_field *fields;
    size_t n_fields; /* 0: a blank line */
    uint64_t line;   /* of its first field */
} stoa_csv_row;

static inline const char *stoa_csv_row_text(const stoa_csv_row *row, const stoa_csv_field *field)
{
    return row->text + field->start;
}

/* A way through a text. Zero-initialise; free with stoa_csv_rows_end(). */
typedef struct stoa_csv_rows {
    const char *p; /* what is left of the text */
    const char *end;
    uint64_t line; /* the one `p` is on, from 1 */
    char delimiter;
    size_t max_field_bytes;
    stoa_buffer text;   /* of the row being gathered */
    stoa_buffer fields; /* stoa_csv_field */
} stoa_csv_rows;

/* Start at the beginning of a row. The buffers of an earlier way are used again. */
void stoa_csv_rows_begin(stoa_csv_rows *rows, const char *text, size_t length, uint64_t line,
                         char delimiter, size_t max_field_bytes);
/*
 * The next row, borrowed until the next call; false in `has_row`: there is none.
 *
 * `is_all`: the text is whole, so that its end ends a row too. Else a row that is not whole is no
 * row, but it fails where it is too long already or its quotes are wrong.
 */
stoa_status stoa_csv_rows_next(stoa_csv_rows *rows, bool is_all, stoa_csv_row *row, bool *has_row,
                               stoa_error *err);
void stoa_csv_rows_end(stoa_csv_rows *rows);

#endif
