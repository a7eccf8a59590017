/*
 * Reads CSV text in waves. A wave is as much text as the workers parse at a time, cut into blocks
 * of whole rows.
 *
 * Where a row ends depends on all quotes before, but only on whether their number is odd. So the
 * quotes in each slice of a wave are counted while it is still in the reader's cache. The state at
 * the start of every slice is then known without parsing the text before it.
 */
#ifndef STOA_LAYOUT_CSV_TEXT_H
#define STOA_LAYOUT_CSV_TEXT_H

#include "core/memory.h"
#include "layout/csv/scan.h"
#include "layout/input/input.h"

/* Whole rows. STOA_CSV_PAD bytes past the text are readable, and eight before it. */
typedef struct stoa_csv_block {
    const char *text;
    size_t length;
    uint64_t line; /* of its first byte, from 1 */
} stoa_csv_block;

typedef struct stoa_csv_wave {
    char *memory;
    size_t capacity;
    size_t n_carried;   /* start of a row, from the wave before */
    size_t size;        /* including these */
    stoa_buffer slices; /* stoa_csv_counts of each slice that was read */
    bool is_last;
    stoa_status status; /* of reading; data read before a failure is valid */
    stoa_error error;
} stoa_csv_wave;

/* Zero-initialise; free by stoa_csv_text_end(). */
typedef struct stoa_csv_text {
    stoa_input *input; /* borrowed by the thread that fetches, one at a time */
    const stoa_csv_scan *scan;
    size_t slice_bytes;
    size_t wave_bytes;
    stoa_csv_wave waves[2]; /* one is parsed while the other is read */
    int now;
    size_t n_mark;      /* bytes of the byte order mark */
    uint64_t line;      /* of the first byte of the wave */
    uint64_t n_read;    /* bytes of text in earlier waves */
    stoa_buffer blocks; /* stoa_csv_block: of this wave */
} stoa_csv_text;

/* Start at the first byte of the input, and read the first wave. Each wave has `n_slices` slices.
 * STOA_ESYNTAX for UTF-16. */
stoa_status stoa_csv_text_begin(stoa_csv_text *text, stoa_input *input, size_t slice_bytes,
                                size_t n_slices, stoa_error *err);
/* The start of a wave, once the wave before is cut. Needed by stoa_csv_text_resume(). */
typedef struct stoa_csv_place {
    uint64_t n_read;  /* bytes of text before it, after a byte order mark */
    size_t n_mark;    /* bytes of that mark */
    uint64_t line;    /* of its first byte */
    size_t n_carried; /* of its bytes, those read with the wave before */
} stoa_csv_place;

stoa_csv_place stoa_csv_text_place(const stoa_csv_text *text);
/* As stoa_csv_text_begin(), from that wave on. Its blocks are the same as before. The input is at
 * its first byte. */
stoa_status stoa_csv_text_resume(stoa_csv_text *text, stoa_input *input, size_t slice_bytes,
                                 size_t n_slices, const stoa_csv_place *place, stoa_error *err);
/* Cut the current wave into blocks, or none if it does not contain a whole row. The rest goes to
 * the next wave. */
stoa_status stoa_csv_text_cut(stoa_csv_text *text, stoa_error *err);
bool stoa_csv_text_is_last(const stoa_csv_text *text);
/* Read the next wave. May run in parallel with readers of the blocks. stoa_csv_text_turn() reports
 * a failure. */
void stoa_csv_text_fetch(stoa_csv_text *text);
/* Go to the wave that was fetched. Earlier blocks become invalid. */
stoa_status stoa_csv_text_turn(stoa_csv_text *text, stoa_error *err);
/* The start of a row that continues in the next wave, once this one is cut. */
stoa_csv_block stoa_csv_text_rest(const stoa_csv_text *text);
void stoa_csv_text_end(stoa_csv_text *text);

#endif
