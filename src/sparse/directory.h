/*
 * Which chunks a structured dataset has, found once by going through all of them (sparse fact sheet
 * §5.3), then kept up to date: found by number, or in row-major order where they meet a box.
 */
#ifndef STOA_SPARSE_DIRECTORY_H
#define STOA_SPARSE_DIRECTORY_H

#include "sparse/chunk_io.h"
#include "sparse/shape.h"

#define STOA_UNKNOWN UINT64_MAX

struct stoa_cached;

typedef enum stoa_certainty { STOA_MAY_BE, STOA_IS, STOA_IS_NOT } stoa_certainty;

typedef struct stoa_chunk_entry {
    uint64_t number;
    uint64_t n_bytes;           /* in the file; 0: not there yet */
    uint64_t address;           /* where they were when the directory was loaded */
    uint32_t mask;              /* filter mask, alike */
    uint64_t n_defined;         /* inside of the extent; STOA_UNKNOWN: nobody looked yet */
    struct stoa_cached *cached; /* NULL: not in memory */
    stoa_certainty is_long;     /* its section 2 lies in the global heap (long_chunk.h) */
    bool is_clipped;            /* in the file it has no element outside of the extent, for sure */
} stoa_chunk_entry;

/* Zero-initialise; free with stoa_directory_clear(). */
typedef struct stoa_directory {
    stoa_chunk_entry **entries; /* as found; each at one place in memory as long as it lives */
    size_t n;
    size_t capacity;
    uint32_t *slots; /* hash: 0 none, else place in entries + 1 */
    size_t n_slots;  /* a power of two */
    bool is_sorted;  /* by number */
} stoa_directory;

stoa_status stoa_directory_load(stoa_directory *directory, const stoa_shape *shape,
                                const stoa_chunk_io *io, stoa_error *err);
void stoa_directory_clear(stoa_directory *directory);

/* NULL: no such chunk. Good as long as the directory, or until a new extent leaves it out. */
stoa_chunk_entry *stoa_directory_find(const stoa_directory *directory, uint64_t number);
/* The same, made where it is not there. */
stoa_status stoa_directory_add(stoa_directory *directory, uint64_t number, stoa_chunk_entry **entry,
                               stoa_error *err);

/* The entries that meet a box of elements, by number: append stoa_chunk_entry * to `out`. */
stoa_status stoa_directory_meet(stoa_directory *directory, const stoa_shape *shape,
                                const stoa_box *box, stoa_buffer *out, stoa_error *err);

/* Numbers of another extent; entries beyond it are taken out (none of them may be cached). */
void stoa_directory_renumber(stoa_directory *directory, const stoa_shape *before,
                             const stoa_shape *after);

#endif
