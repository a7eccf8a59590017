/* Bytes that do not fit into memory during a sort: an unlinked temporary file. */
#ifndef STOA_CORE_SPILL_H
#define STOA_CORE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Made with the first byte, in $TMPDIR or /tmp; nobody else can open it, and it is gone with the
 * process. Zero-initialise; free with stoa_spill_close(). */
typedef struct stoa_spill {
    bool is_open;
    int descriptor;
    uint64_t size;
} stoa_spill;

stoa_status stoa_spill_append(stoa_spill *spill, const void *bytes, size_t n, stoa_error *err);
stoa_status stoa_spill_read(const stoa_spill *spill, uint64_t at, void *bytes, size_t n,
                            stoa_error *err);
/* Forget what it holds and give the space back; it may be filled again. */
void stoa_spill_close(stoa_spill *spill);

#endif
