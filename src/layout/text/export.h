/* stoa_text_write() by as many threads as the caller says. */
#ifndef STOA_LAYOUT_EXPORT_H
#define STOA_LAYOUT_EXPORT_H

#include <stoa/export.h>

#include "core/error.h"

/* @param n_threads  at most, the calling one included; 0: one per processor */
stoa_status stoa_text_write_by(struct ArrowArrayStream *stream, stoa_text_format format, FILE *out,
                               unsigned n_threads, const stoa_listener *listener, uint64_t *n_rows,
                               stoa_error *err);

#endif
