/* An input file as a stream of decompressed bytes, which can be read from the start more than
 * once. */
#ifndef STOA_LAYOUT_INPUT_H
#define STOA_LAYOUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/progress.h>

#include "core/error.h"
#include "layout/input/input_fields.h"
#include "layout/input/input_text.h"

typedef struct stoa_input stoa_input;

/*
 * Open a file; "-" is standard input.
 *
 * The first bytes tell gzip (many members) and Zstandard (many frames), whatever the name is. An
 * input that cannot be read twice, such as a pipe, is first copied into an unnamed file in $TMPDIR
 * (or /tmp). The listener sees this as stage "receiving". It is borrowed for this call.
 *
 * @return STOA_EIO for a directory
 */
stoa_status stoa_input_open(const char *name, const stoa_listener *listener, stoa_input **input,
                            stoa_error *err);
/* Change the text that is read: before anything is. */
stoa_status stoa_input_use_text(stoa_input *input, const stoa_input_text *text, stoa_error *err);
/* Give its rows other fields: before any are read. */
stoa_status stoa_input_use_fields(stoa_input *input, const stoa_field_order *order,
                                  stoa_error *err);
/*
 * Continue with another input where this one ends, which is taken over.
 * A line break is added between them if there is none.
 *
 * @param name  of `next`, for stoa_input_locate(); copied
 */
stoa_status stoa_input_append(stoa_input *input, stoa_input *next, const char *name,
                              stoa_error *err);
/* The input that follows; NULL for none. */
stoa_input *stoa_input_next(const stoa_input *input);
/* The line of its file that a line of all text comes from; and the name of that file, NULL for the
 * first one. */
const char *stoa_input_locate(const stoa_input *input, uint64_t *line);
/* Read until `capacity` bytes are read or the input ends. 0 bytes mean that it has ended.
 * STOA_EDATA if compressed data is damaged or truncated. */
stoa_status stoa_input_read(stoa_input *input, void *bytes, size_t capacity, size_t *n,
                            stoa_error *err);
/* Skip n bytes, or all that remain. */
stoa_status stoa_input_skip(stoa_input *input, uint64_t n, stoa_error *err);
stoa_status stoa_input_rewind(stoa_input *input, stoa_error *err);
/* Whether the file differs, by size or time, from the one that was opened. */
bool stoa_input_has_changed(const stoa_input *input);
/* Bytes of the file on disk: consumed so far, and in total. */
uint64_t stoa_input_used(const stoa_input *input);
uint64_t stoa_input_total(const stoa_input *input);
void stoa_input_close(stoa_input *input);

/* Length of a file's name without the suffix of a compression. */
size_t stoa_input_stem(const char *name);

#endif
