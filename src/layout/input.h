/* The bytes of an input file, decompressed on the way, readable from the start as often as needed.
 */
#ifndef STOA_LAYOUT_INPUT_H
#define STOA_LAYOUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/progress.h>

#include "core/error.h"

typedef struct stoa_input stoa_input;

/*
 * Open a file; "-" is standard input.
 *
 * gzip (many members) and Zstandard (many frames) are known by their first bytes, whatever the
 * name. What cannot be read twice, a pipe say, is first copied as it comes into a nameless file in
 * $TMPDIR (else /tmp); the listener hears of that as stage "receiving". The listener is borrowed
 * for this call. STOA_EIO for a directory.
 */
stoa_status stoa_input_open(const char *name, const stoa_listener *listener, stoa_input **input,
                            stoa_error *err);
/* Read until `capacity` bytes are there or the input ends; 0 bytes: it has. STOA_EDATA if
 * compressed data is damaged or cut off. */
stoa_status stoa_input_read(stoa_input *input, void *bytes, size_t capacity, size_t *n,
                            stoa_error *err);
/* Pass over n bytes, or what there is of them. */
stoa_status stoa_input_skip(stoa_input *input, uint64_t n, stoa_error *err);
stoa_status stoa_input_rewind(stoa_input *input, stoa_error *err);
/* Whether the file is not, by size or time, the one that was opened. */
bool stoa_input_has_changed(const stoa_input *input);
/* Bytes of the file (as it lies on disk) that were used so far, and in all. */
uint64_t stoa_input_used(const stoa_input *input);
uint64_t stoa_input_total(const stoa_input *input);
void stoa_input_close(stoa_input *input);

#endif
