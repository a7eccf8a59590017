/*
 * A block of memory that is kept for the next one who needs some: what is given back to the system
 * for every batch of rows costs more to get again than to fill.
 */
#ifndef STOA_CORE_SPARE_H
#define STOA_CORE_SPARE_H

#include <stdatomic.h>
#include <stddef.h>

/* Zero-initialise. Threads may share one: who comes while the block is taken gets another. */
typedef struct stoa_spare {
    _Atomic(void *) block;
} stoa_spare;

/* n bytes that hold anything; NULL: memory ran out. */
void *stoa_spare_take(stoa_spare *spare, size_t n);
/* What was taken, back; NULL is fine. */
void stoa_spare_give(stoa_spare *spare, void *bytes);
/* When nobody takes any more. */
void stoa_spare_clear(stoa_spare *spare);

#endif
