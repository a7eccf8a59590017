/* Reads waves of CSV text, and cuts them where rows end. */
#include "layout/csv/text.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 256 * 1024 }; /* read at a time, and counted while in the cache */
enum { FRONT_BYTES = 64 };         /* readable before the text */

static char *text_of(const stoa_csv_wave *wave)
{
    return wave->memory + FRONT_BYTES;
}

/* Reserve room for the text, an added line end, and the padding. */
static stoa_status reserve(stoa_csv_wave *wave, size_t size, stoa_error *err)
{
    const size_t wanted = FRONT_BYTES + size + 1 + STOA_CSV_PAD;

    if (wanted <= wave->capacity) {
        return STOA_OK;
    }
    char *memory = stoa_alloc_large(wanted, 1);
    STOA_RETURN_NO_MEMORY(err, memory);
    memset(memory, 0, FRONT_BYTES);
    memset(memory + wanted - STOA_CSV_PAD - 1, 0, STOA_CSV_PAD + 1);
    if (wave->memory != NULL) {
        memcpy(memory + FRONT_BYTES, text_of(wave), wave->size);
    }
    free(wave->memory);
    wave->memory = memory;
    wave->capacity = wanted;
    return STOA_OK;
}

/* Reading ----------------------------------------------------------------------------------- */

/* Count what lies in [from, wave->size), slice by slice. The last slice may be short. */
static stoa_status count_slices(const stoa_csv_text *text, stoa_csv_wave *wave, size_t from,
                                stoa_error *err)
{
    const char *bytes = text_of(wave);

    while (from < wave->size) {
        const size_t left = wave->size - from;
        const size_t n = left < text->slice_bytes ? left : text->slice_bytes;
        stoa_csv_counts counts;
        text->scan->count(bytes + from, n, from > 0 && bytes[from - 1] == '\r', &counts);
        STOA_RETURN_NOT_OK(stoa_buffer_append(&wave->slices, &counts, sizeof counts, err));
        from += n;
    }
    return STOA_OK;
}

/* Whole slices, so that each can be counted by itself. */
static size_t piece_of(const stoa_csv_text *text)
{
    return text->slice_bytes >= PIECE_BYTES ? text->slice_bytes
                                            : PIECE_BYTES / text->slice_bytes * text->slice_bytes;
}

static stoa_status read_wave(stoa_csv_text *text, stoa_csv_wave *wave, size_t wanted,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t end = wave->size + wanted;

    STOA_TRY(reserve(wave, end, err));
    while (wave->size < end && !wave->is_last) {
        const size_t room = end - wave->size;
        const size_t piece = piece_of(text) < room ? piece_of(text) : room;
        const size_t from = wave->size;
        size_t n = 0;
        STOA_TRY(stoa_input_read(text->input, text_of(wave) + from, piece, &n, err));
        wave->size += n;
        wave->is_last = n < piece;
        status = count_slices(text, wave, from, err);
        if (status != STOA_OK) {
            wave->size = from; /* drop what could not be counted */
            goto done;
        }
    }

done:
    /* Define the bytes that scanners load past the text. */
    if (wave->memory != NULL) {
        memset(text_of(wave) + wave->size, 0, STOA_CSV_PAD + 1);
    }
    return status;
}

void stoa_csv_text_fetch(stoa_csv_text *text)
{
    const stoa_csv_wave *before = &text->waves[text->now];
    stoa_csv_wave *wave = &text->waves[1 - text->now];
    /* For a row longer than a wave, double the size each time, so that its bytes are not recounted
     * too often. */
    const size_t wanted = wave->n_carried > text->wave_bytes ? wave->n_carried : text->wave_bytes;

    if (before->status != STOA_OK) { /* an earlier read has failed */
        wave->status = before->status;
        wave->error = before->error;
        return;
    }
    wave->error = (stoa_error)STOA_ERROR_INIT;
    wave->status = read_wave(text, wave, wanted, &wave->error);
}

/* A read error, reported after all data before it has been returned. */
static stoa_status failure_of(const stoa_csv_wave *wave, stoa_error *err)
{
    if (wave->status == STOA_OK || wave->size > wave->n_carried) {
        return STOA_OK;
    }
    if (err != NULL && err->status == STOA_OK) {
        *err = wave->error;
    }
    return wave->status;
}

/* Skip a UTF-8 byte order mark. One of UTF-16 is an error. */
static stoa_status skip_mark(stoa_csv_text *text, stoa_csv_wave *wave, stoa_error *err)
{
    char *b = text_of(wave);

    if (wave->size >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) {
        memmove(b, b + 3, wave->size - 3);
        wave->size -= 3;
        memset(b + wave->size, 0, 3);
        text->n_mark = 3;
        return STOA_OK;
    }
    if (wave->size >= 2 && (memcmp(b, "\xff\xfe", 2) == 0 || memcmp(b, "\xfe\xff", 2) == 0)) {
        return stoa_fail(
            err, STOA_ESYNTAX,
            "line 1: this is UTF-16 text; convert it to UTF-8, or read CSV with --encoding utf-16");
    }
    return STOA_OK;
}

static void reset(stoa_csv_wave *wave)
{
    wave->n_carried = 0;
    wave->size = 0;
    wave->slices.size = 0;
    wave->is_last = false;
    wave->status = STOA_OK;
}

/* Start at a place, without reading. */
static void start(stoa_csv_text *text, stoa_input *input, size_t slice_bytes, size_t n_slices,
                  const stoa_csv_place *place)
{
    text->input = input;
    text->scan = stoa_csv_scan_of_cpu();
    text->slice_bytes = slice_bytes;
    text->wave_bytes = slice_bytes * n_slices;
    text->now = 0;
    text->n_mark = place->n_mark;
    text->line = place->line;
    text->n_read = place->n_read;
    text->blocks.size = 0;
    reset(&text->waves[0]);
    reset(&text->waves[1]);
}

stoa_status stoa_csv_text_begin(stoa_csv_text *text, stoa_input *input, size_t slice_bytes,
                                size_t n_slices, stoa_error *err)
{
    start(text, input, slice_bytes, n_slices, &(stoa_csv_place){.line = 1});

    stoa_csv_wave *first = &text->waves[0];
    const size_t head =
        text->wave_bytes < 4 ? 4 : text->wave_bytes; /* enough for a byte order mark */
    first->error = (stoa_error)STOA_ERROR_INIT;
    first->status = read_wave(text, first, head, &first->error);
    STOA_RETURN_NOT_OK(failure_of(first, err));
    STOA_RETURN_NOT_OK(skip_mark(text, first, err));
    first->slices.size = 0;
    return count_slices(text, first, 0, err);
}

stoa_csv_place stoa_csv_text_place(const stoa_csv_text *text)
{
    return (stoa_csv_place){.n_read = text->n_read,
                            .n_mark = text->n_mark,
                            .line = text->line,
                            .n_carried = text->waves[text->now].n_carried};
}

stoa_status stoa_csv_text_resume(stoa_csv_text *text, stoa_input *input, size_t slice_bytes,
                                 size_t n_slices, const stoa_csv_place *place, stoa_error *err)
{
    stoa_csv_wave *first = &text->waves[1];
    size_t n = 0;

    start(text, input, slice_bytes, n_slices, place);
    STOA_RETURN_NOT_OK(stoa_input_skip(input, place->n_read + place->n_mark, err));
    STOA_RETURN_NOT_OK(reserve(first, place->n_carried, err));
    STOA_RETURN_NOT_OK(stoa_input_read(input, text_of(first), place->n_carried, &n, err));
    first->n_carried = n;
    first->size = n;
    first->is_last = n < place->n_carried;
    stoa_csv_text_fetch(text);
    return stoa_csv_text_turn(text, err);
}

/* Cutting ----------------------------------------------------------------------------------- */

/* The end of the row around `from`, after its line break; SIZE_MAX if it is not in this wave. */
static size_t row_end(const stoa_csv_wave *wave, size_t from, bool is_inside)
{
    const char *text = text_of(wave);
    const size_t size = wave->size;

    for (size_t i = from; i < size; i++) {
        if (text[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside && text[i] == '\n') {
            return i + 1;
        } else if (!is_inside && text[i] == '\r') {
            if (i + 1 == size) { /* an LF may follow */
                return wave->is_last ? size : SIZE_MAX;
            }
            return i + 1 + (text[i + 1] == '\n');
        }
    }
    return SIZE_MAX;
}

/* The end of the last whole row; 0 if there is none. */
static size_t last_row_end(const stoa_csv_wave *wave, bool is_inside)
{
    const char *text = text_of(wave);

    for (size_t i = wave->size; i-- > 0;) {
        if (text[i] == '"') {
            is_inside = !is_inside;
        } else if (!is_inside && (text[i] == '\n' || (text[i] == '\r' && i + 1 < wave->size))) {
            return i + 1;
        }
    }
    return 0;
}

/* The last line of a file may lack a line break. */
static void end_last_line(stoa_csv_wave *wave)
{
    char *text = text_of(wave);

    if (wave->is_last && wave->size > 0 && text[wave->size - 1] != '\n' &&
        text[wave->size - 1] != '\r') {
        text[wave->size++] = '\n';
    }
}

static uint64_t lines_in(const stoa_csv_text *text, const stoa_csv_wave *wave, size_t from,
                         size_t to)
{
    const char *bytes = text_of(wave);
    stoa_csv_counts counts;

    text->scan->count(bytes + from, to - from, from > 0 && bytes[from - 1] == '\r', &counts);
    return counts.n_lines;
}

static stoa_status add_block(stoa_csv_text *text, size_t from, size_t to, uint64_t line,
                             stoa_error *err)
{
    const stoa_csv_block block = {
        .text = text_of(&text->waves[text->now]) + from, .length = to - from, .line = line};

    return to > from ? stoa_buffer_append(&text->blocks, &block, sizeof block, err) : STOA_OK;
}

/* Cut the rows up to `end` into blocks, about one per slice. */
static stoa_status cut_rows(stoa_csv_text *text, size_t end, stoa_error *err)
{
    const stoa_csv_wave *wave = &text->waves[text->now];
    const stoa_csv_counts *slices = (const stoa_csv_counts *)(const void *)wave->slices.data;
    const size_t n_slices = wave->slices.size / sizeof *slices;
    stoa_csv_counts before; /* of the current slice */
    size_t from = 0;
    uint64_t line = text->line;

    text->scan->count(text_of(wave), wave->n_carried, false, &before);
    for (size_t k = 1; k < n_slices && from < end; k++) {
        const size_t at = wave->n_carried + k * text->slice_bytes;
        before.n_quotes += slices[k - 1].n_quotes;
        before.n_lines += slices[k - 1].n_lines;
        if (at <= from) {
            continue; /* inside a row that began in an earlier slice */
        }
        const size_t to = row_end(wave, at, (before.n_quotes & 1) != 0);
        if (to >= end) {
            break;
        }
        STOA_RETURN_NOT_OK(add_block(text, from, to, line, err));
        line = text->line + before.n_lines + lines_in(text, wave, at, to);
        from = to;
    }
    return add_block(text, from, end, line, err);
}

stoa_status stoa_csv_text_cut(stoa_csv_text *text, stoa_error *err)
{
    stoa_csv_wave *wave = &text->waves[text->now];
    stoa_csv_wave *next = &text->waves[1 - text->now];
    const stoa_csv_counts *slices = (const stoa_csv_counts *)(const void *)wave->slices.data;
    stoa_csv_counts all;
    size_t end;

    text->blocks.size = 0;
    text->scan->count(text_of(wave), wave->n_carried, false, &all);
    for (size_t k = 0; k < wave->slices.size / sizeof *slices; k++) {
        all.n_quotes += slices[k].n_quotes;
        all.n_lines += slices[k].n_lines;
    }
    if (wave->is_last) {
        end_last_line(wave);
        end = wave->size;
    } else {
        end = last_row_end(wave, (all.n_quotes & 1) != 0);
    }
    STOA_RETURN_NOT_OK(cut_rows(text, end, err));

    reset(next);
    STOA_RETURN_NOT_OK(reserve(next, wave->size - end, err));
    memcpy(text_of(next), text_of(wave) + end, wave->size - end);
    next->n_carried = wave->size - end;
    next->size = next->n_carried;
    text->line += all.n_lines - lines_in(text, wave, end, wave->size);
    text->n_read += end;
    return STOA_OK;
}

bool stoa_csv_text_is_last(const stoa_csv_text *text)
{
    return text->waves[text->now].is_last;
}

stoa_status stoa_csv_text_turn(stoa_csv_text *text, stoa_error *err)
{
    const stoa_status status = failure_of(&text->waves[1 - text->now], err);

    if (status == STOA_OK) {
        text->now = 1 - text->now;
        text->blocks.size = 0;
    }
    return status;
}

stoa_csv_block stoa_csv_text_rest(const stoa_csv_text *text)
{
    const stoa_csv_wave *next = &text->waves[1 - text->now];

    return (stoa_csv_block){text_of(next), next->n_carried, text->line};
}

void stoa_csv_text_end(stoa_csv_text *text)
{
    for (int k = 0; k < 2; k++) {
        free(text->waves[k].memory);
        stoa_buffer_clear(&text->waves[k].slices);
    }
    stoa_buffer_clear(&text->blocks);
    *text = (stoa_csv_text){0};
}
