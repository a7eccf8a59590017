/* An unlinked temporary file for the data of a sort that does not fit into memory. */
#ifndef STOA_CORE_SPILL_H
#define STOA_CORE_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Created by the first append, in $TMPDIR or /tmp. It has no name, so no other process can open it,
 * and it vanishes with the process. Zero-initialise; free with stoa_spill_close(). */
typedef struct stoa_spill {
    bool is_open;
    int descriptor;
    uint64_t size;
} stoa_spill;

stoa_status stoa_spill_append(stoa_spill *spill, const void *bytes, size_t n, stoa_error *err);
stoa_status stoa_spill_read(const stoa_spill *spill, uint64_t at, void *bytes, size_t n,
                            stoa_error *err);
/* Discard the contents and free the disk space. The spill file can be filled again. */
void stoa_spill_close(stoa_spill *spill);

#endif
