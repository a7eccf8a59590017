/* Whether memory ran out anywhere in the command, in libhdf5 too, which does not always say so. */
#ifndef STOA_CLI_ALLOCATIONS_H
#define STOA_CLI_ALLOCATIONS_H

#include <stdbool.h>

/* An allocation of 64 MiB or less has failed. A damaged file may ask for more than there is. Always
 * false where libhdf5 is a shared library: then its calls are not seen. */
bool cli_memory_ran_out(void);

#endif
