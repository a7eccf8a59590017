/* Random repacks for tests of src/sparse/tools/relayout*.c. */
#ifndef STOA_TESTS_SPARSE_REPACKS_H
#define STOA_TESTS_SPARSE_REPACKS_H

#include <hdf5.h>

#include "sparse/tools/relayout.h"
#include "support/check.h"

enum { REPACKS_MAX_RANK = 3 };

/* Choose a valid random chunk shape for an array of this extent. */
void repacks_chunk(int rank, const hsize_t *extent, hsize_t *chunk);
/* Make a list of blocks and points, "POINT (1,2)\n, (0,0) - (1,1)\n". listed[i] tells whether
 * element i is in the list. */
void repacks_list(int rank, const hsize_t *extent, bool *listed, char *text, size_t size);
void repacks_coordinates(int rank, const hsize_t *extent, uint64_t i, uint64_t *at);

void repacks_run(const char *from, const char *to, stoa_relayouts *all);
/* Repack "0.h5" in the test's directory to a second file, that to a third, and so on. */
void repacks_chain(int n, void (*step)(void *context, const char *from, const char *to),
                   void *context);

#endif
