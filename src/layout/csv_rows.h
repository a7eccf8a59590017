/* CSV text as rows: libcsv does the parsing, this adds lines, quotes seen, limits and flaws. */
#ifndef STOA_LAYOUT_CSV_ROWS_H
#define STOA_LAYOUT_CSV_ROWS_H

#include <csv.h>

#include "core/memory.h"
#include "layout/input.h"

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

/* Is told of every row; borrowed for the call. A failure ends the parsing. */
typedef stoa_status (*stoa_csv_on_row)(void *context, const stoa_csv_row *row, stoa_error *err);

/* A pass over an input. Zero-initialise; free with stoa_csv_rows_end(). */
typedef struct stoa_csv_rows {
    stoa_input *input; /* borrowed */
    stoa_csv_on_row on_row;
    void *context;
    size_t max_field_bytes;
    struct csv_parser parser;
    bool has_parser;
    bool at_end;
    stoa_status status; /* the first failure inside libcsv's callbacks, */
    stoa_error *err;    /* and where it is told */

    /* The block being parsed, and where in the input it and the next field begin. */
    uint8_t *block;
    size_t n_block;
    uint64_t block_start;
    uint64_t position;
    uint8_t first_byte; /* of the next field, if that lies before the block */
    bool is_plain;      /* all text since that field began is ASCII without NUL */

    uint64_t line; /* the one the next byte is on, from 1 */
    bool after_cr; /* the last line ended in CR: an LF belongs to it */

    stoa_buffer text;   /* of the row being gathered */
    stoa_buffer fields; /* stoa_csv_field */
} stoa_csv_rows;

/* Start at the input's first byte. */
stoa_status stoa_csv_rows_begin(stoa_csv_rows *rows, stoa_input *input, char delimiter,
                                size_t max_field_bytes, stoa_csv_on_row on_row, void *context,
                                stoa_error *err);
/* Parse one more block; on_row is called for each row that ends in it. Sets rows->at_end. */
stoa_status stoa_csv_rows_more(stoa_csv_rows *rows, stoa_error *err);
void stoa_csv_rows_end(stoa_csv_rows *rows);

#endif
