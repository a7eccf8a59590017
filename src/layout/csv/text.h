/*
 * CSV text in waves: as many bytes as the workers parse at a time, cut into blocks of whole rows.
 *
 * Where a row ends depends on quotes far before, but only on whether their number is odd. So each
 * slice of a wave is counted while it is still in the cache of who has read it, and then the state
 * at every slice's start is known without parsing what lies before.
 */
#ifndef STOA_LAYOUT_CSV_TEXT_H
#define STOA_LAYOUT_CSV_TEXT_H

#include "core/memory.h"
#include "layout/csv/scan.h"
#include "layout/input.h"

/* Whole rows. STOA_CSV_PAD bytes behind the text can be read, and eight before it. */
typedef struct stoa_csv_block {
    const char *text;
    size_t length;
    uint64_t line; /* of its first byte, from 1 */
} stoa_csv_block;

typedef struct stoa_csv_wave {
    char *memory;
    size_t capacity;
    size_t n_carried;   /* the start of a row, kept from the wave before */
    size_t size;        /* these included */
    stoa_buffer slices; /* stoa_csv_counts of every slice of what was read */
    bool is_last;
    stoa_status status; /* of reading; what was read before it failed is there */
    stoa_error error;
} stoa_csv_wave;

/* Zero-initialise; free with stoa_csv_text_end(). */
typedef struct stoa_csv_text {
    stoa_input *input; /* borrowed, by whoever fetches: one thread at a time */
    const stoa_csv_scan *scan;
    size_t slice_bytes;
    size_t wave_bytes;
    stoa_csv_wave waves[2]; /* one is parsed while the other is read */
    int now;
    size_t n_mark;      /* bytes of the byte order mark */
    uint64_t line;      /* of the wave's first byte */
    uint64_t n_read;    /* bytes of text in the waves before */
    stoa_buffer blocks; /* stoa_csv_block: of this wave */
} stoa_csv_text;

/* Start at the input's first byte: read the first wave. `n_slices` in each. STOA_ESYNTAX for
 * UTF-16. */
stoa_status stoa_csv_text_begin(stoa_csv_text *text, stoa_input *input, size_t slice_bytes,
                                size_t n_slices, stoa_error *err);
/* Where a wave begins, once the one before is cut: what _resume() needs. */
typedef struct stoa_csv_place {
    uint64_t n_read;  /* bytes of text before it, behind a byte order mark */
    size_t n_mark;    /* bytes of that mark */
    uint64_t line;    /* of its first byte */
    size_t n_carried; /* of its bytes, those read with the wave before */
} stoa_csv_place;

stoa_csv_place stoa_csv_text_place(const stoa_csv_text *text);
/* As _begin(), from that wave on: its blocks are what they were. The input is at its first byte. */
stoa_status stoa_csv_text_resume(stoa_csv_text *text, stoa_input *input, size_t slice_bytes,
                                 size_t n_slices, const stoa_csv_place *place, stoa_error *err);
/* Cut the wave at hand into blocks, none if it does not hold one row; the rest is carried over. */
stoa_status stoa_csv_text_cut(stoa_csv_text *text, stoa_error *err);
bool stoa_csv_text_is_last(const stoa_csv_text *text);
/* Read the next wave. May run beside whoever reads the blocks; a failure is kept for _turn(). */
void stoa_csv_text_fetch(stoa_csv_text *text);
/* To the wave that was fetched; the blocks before are gone. */
stoa_status stoa_csv_text_turn(stoa_csv_text *text, stoa_error *err);
/* The start of a row that goes on in the next wave, once this one is cut. */
stoa_csv_block stoa_csv_text_rest(const stoa_csv_text *text);
void stoa_csv_text_end(stoa_csv_text *text);

#endif
