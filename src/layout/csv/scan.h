/*
 * Finds the structure of CSV text, 64 bytes at a time. There is one table of functions per
 * instruction set.
 *
 * STOA_CSV_PAD bytes past the text must be readable. Their content does not matter.
 */
#ifndef STOA_LAYOUT_CSV_SCAN_H
#define STOA_LAYOUT_CSV_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STOA_CSV_PAD 64

typedef struct stoa_csv_counts {
    uint64_t n_quotes;
    uint64_t n_lines; /* line breaks, quoted or not: LF, CR, or CRLF as one, counted at its CR */
} stoa_csv_counts;

/* The structure of a text that begins at the start of a field and ends with a separator. */
typedef struct stoa_csv_marks {
    size_t n;       /* separators: delimiters, and line breaks outside quotes; of CRLF the CR */
    size_t n_lines; /* the line breaks among them */
    bool has_quotes;
    bool has_cr; /* outside quotes */
    bool has_nul;
    bool is_ascii;
    bool is_broken; /* a quote is misplaced or missing by RFC 4180 */
} stoa_csv_marks;

typedef struct stoa_csv_scan {
    /* Count quotes and lines. `after_cr`: the byte before the text is a CR, so its LF is already
     * counted. */
    void (*count)(const char *text, size_t n, bool after_cr, stoa_csv_counts *counts);
    /* Find the separators. `at` has room for n + STOA_CSV_PAD of them, and n is below 4 GiB. */
    void (*mark)(const char *text, size_t n, char delimiter, uint32_t *at, stoa_csv_marks *marks);
} stoa_csv_scan;

extern const stoa_csv_scan stoa_csv_scan_scalar;
extern const stoa_csv_scan stoa_csv_scan_avx2;
extern const stoa_csv_scan stoa_csv_scan_avx512;
extern const stoa_csv_scan stoa_csv_scan_neon;

/* The best one for this processor. */
const stoa_csv_scan *stoa_csv_scan_of_cpu(void);

#endif
