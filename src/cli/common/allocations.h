/* Detects that memory ran out anywhere in the command. That includes libhdf5, which does not always
 * report it. */
#ifndef STOA_CLI_ALLOCATIONS_H
#define STOA_CLI_ALLOCATIONS_H

#include <stdbool.h>

/* Whether an allocation of at most 64 MiB has failed. Larger ones do not count, because a damaged
 * file may ask for any size. Always false if libhdf5 is a shared library, whose calls are not
 * intercepted. */
bool cli_memory_ran_out(void);

#endif
