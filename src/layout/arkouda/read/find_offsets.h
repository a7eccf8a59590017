/* Finds strings whose offsets were left out: each starts after a NUL (Arkouda notes §F.1). */
#ifndef STOA_LAYOUT_ARKOUDA_FIND_OFFSETS_H
#define STOA_LAYOUT_ARKOUDA_FIND_OFFSETS_H

#include "core/memory.h"
#include "layout/arkouda/read/array.h"

/* Offsets of every n-th string, from which the others are found. Zero-initialise; release by
 * stoa_arkouda_nuls_clear(). */
typedef struct stoa_arkouda_nuls {
    stoa_buffer starts; /* of uint64_t */
} stoa_arkouda_nuls;

/*
 * Read all bytes once.
 *
 * @param[out] rows  where the strings of each file start in the whole; one entry more than files
 * @return STOA_EDATA, naming the file whose last string has no NUL
 */
stoa_status stoa_arkouda_nuls_find(stoa_arkouda_nuls *nuls, const stoa_arkouda_array *values,
                                   uint64_t *rows, stoa_error *err);
/* Offsets as stoa_arkouda_offsets_read() gives them. */
stoa_status stoa_arkouda_nuls_read(const stoa_arkouda_nuls *nuls, const stoa_arkouda_array *values,
                                   uint64_t first, uint64_t count, int64_t *offsets,
                                   stoa_error *err);
void stoa_arkouda_nuls_clear(stoa_arkouda_nuls *nuls);

#endif
