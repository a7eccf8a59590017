/*
 * The structure of CSV text, found 64 bytes at a time: one table of functions an instruction set.
 *
 * Texts must be readable for STOA_CSV_PAD bytes behind their end; what stands there has no say.
 */
#ifndef STOA_LAYOUT_CSV_SCAN_H
#define STOA_LAYOUT_CSV_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STOA_CSV_PAD 64

typedef struct stoa_csv_counts {
    uint64_t n_quotes;
    uint64_t n_lines; /* line breaks, in quotes or not: LF, CR, or both as one, counted at its CR */
} stoa_csv_counts;

/* What a text is made of. It begins at a field's start and ends with a separator. */
typedef struct stoa_csv_marks {
    size_t n;       /* separators: delimiters and line breaks outside quotes; of CRLF the CR */
    size_t n_lines; /* the line breaks among them */
    bool has_quotes;
    bool has_cr; /* outside quotes */
    bool has_nul;
    bool is_ascii;
    bool is_broken; /* a quote stands where RFC 4180 has none, or none stands where it must */
} stoa_csv_marks;

typedef struct stoa_csv_scan {
    /* `after_cr`: the byte before the text is a CR, so that an LF has been counted. */
    void (*count)(const char *text, size_t n, bool after_cr, stoa_csv_counts *counts);
    /* Where the separators are; `at` has room for n + STOA_CSV_PAD of them. n is below 4 GiB. */
    void (*mark)(const char *text, size_t n, char delimiter, uint32_t *at, stoa_csv_marks *marks);
} stoa_csv_scan;

extern const stoa_csv_scan stoa_csv_scan_scalar;
extern const stoa_csv_scan stoa_csv_scan_avx2;
extern const stoa_csv_scan stoa_csv_scan_avx512;
extern const stoa_csv_scan stoa_csv_scan_neon;

/* The best one for this processor. */
const stoa_csv_scan *stoa_csv_scan_of_cpu(void);

#endif
