/* Arrow files and streams as input, compressed as a whole or not (arrow/ipc.h). */
#ifndef STOA_LAYOUT_ARROW_FILE_H
#define STOA_LAYOUT_ARROW_FILE_H

#include <stdbool.h>
#include <stoa/arrow.h>
#include <stoa/progress.h>

#include "core/error.h"

/* Whether a file begins as an Arrow file does; false if it cannot be read. */
bool stoa_arrow_is_one(const char *name);
/* @param[out] stream  the caller releases it */
stoa_status stoa_arrow_open(const char *name, const stoa_listener *listener,
                            struct ArrowArrayStream *stream, stoa_error *err);

#endif
