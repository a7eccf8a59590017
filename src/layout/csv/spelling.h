/* Numbers with a decimal comma, and times of a given format, as the parsers know them. */
#ifndef STOA_LAYOUT_CSV_SPELLING_H
#define STOA_LAYOUT_CSV_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

/* How numbers and times are written. Zero: as usual. */
typedef struct stoa_csv_spelling {
    bool has_comma;          /* as the decimal point */
    const char *date_format; /* as of strptime(); NULL: ISO 8601. Borrowed */
} stoa_csv_spelling;

enum { STOA_CSV_SPELLING_BYTES = 64 };

/* STOA_EINVAL for a format that does not give a date. */
stoa_status stoa_csv_spelling_check(const stoa_csv_spelling *spelling, stoa_error *err);
/* Whether anything is to be changed. */
static inline bool stoa_csv_spelling_is_own(const stoa_csv_spelling *spelling)
{
    return spelling->has_comma || spelling->date_format != NULL;
}
/* The usual spelling of a number or a time, in `out`. False if the text stays as it is. */
bool stoa_csv_respell(const stoa_csv_spelling *spelling, const char *text, size_t length, char *out,
                      size_t *n);

#endif
