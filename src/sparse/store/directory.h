/*
 * The stored chunks of a structured dataset, found once by iterating over all of them (sparse fact
 * sheet §5.3) and kept up to date. Chunks are looked up by number, or by box in row-major order.
 */
#ifndef STOA_SPARSE_DIRECTORY_H
#define STOA_SPARSE_DIRECTORY_H

#include "sparse/format/shape.h"
#include "sparse/store/chunk_io.h"

#define STOA_UNKNOWN UINT64_MAX

struct stoa_cached;

typedef enum stoa_certainty { STOA_MAY_BE, STOA_IS, STOA_IS_NOT } stoa_certainty;

typedef struct stoa_chunk_entry {
    uint64_t number;
    uint64_t n_bytes;           /* in the file; 0 if it is not stored yet */
    uint64_t address;           /* file offset when the directory was loaded */
    uint32_t mask;              /* filter mask when the directory was loaded */
    uint64_t n_defined;         /* inside of the extent; STOA_UNKNOWN if not counted yet */
    struct stoa_cached *cached; /* NULL if it is not in memory */
    stoa_certainty is_long;     /* whether section 2 is in the global heap (long_chunk.h) */
    bool is_clipped; /* the stored chunk certainly has no element outside of the extent */
} stoa_chunk_entry;

/* Zero-initialise; free with stoa_directory_clear(). */
typedef struct stoa_directory {
    stoa_chunk_entry **entries; /* in the order found; each entry keeps its address */
    size_t n;
    size_t capacity;
    uint32_t *slots; /* hash table: 0 is empty, otherwise index in entries + 1 */
    size_t n_slots;  /* a power of two */
    bool is_sorted;  /* by number */
} stoa_directory;

stoa_status stoa_directory_load(stoa_directory *directory, const stoa_shape *shape,
                                const stoa_chunk_io *io, stoa_error *err);
void stoa_directory_clear(stoa_directory *directory);

/* NULL if there is no such chunk. Valid as long as the directory, or until a smaller extent drops
 * the chunk. */
stoa_chunk_entry *stoa_directory_find(const stoa_directory *directory, uint64_t number);
/* Find a chunk, or add it. */
stoa_status stoa_directory_add(stoa_directory *directory, uint64_t number, stoa_chunk_entry **entry,
                               stoa_error *err);

/* Append the entries (stoa_chunk_entry *) that meet a box of elements to `out`, by number. */
stoa_status stoa_directory_meet(stoa_directory *directory, const stoa_shape *shape,
                                const stoa_box *box, stoa_buffer *out, stoa_error *err);

/* Renumber the chunks for a new extent. Entries beyond it are removed; none of them may be
 * cached. */
void stoa_directory_renumber(stoa_directory *directory, const stoa_shape *before,
                             const stoa_shape *after);

#endif
