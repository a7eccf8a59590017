/* A file that is open for reading, but locked only while it is in use. Between two uses other
 * programs may change it (docs/crash-safety.md, "Idle handles"). */
#ifndef STOA_HDF_IDLE_H
#define STOA_HDF_IDLE_H

#include <stoa/file.h>

typedef struct stoa_idle {
    stoa_file *file;  /* at rest while there are no users */
    unsigned n_users; /* the first one takes the lock, the last one releases it */
} stoa_idle;

/* Use the file in its state of the last use. Fails if it has changed since; then do not call end().
 * `idle` is NULL for a file that the caller has locked. */
stoa_status stoa_idle_begin(stoa_idle *idle, stoa_error *err);
void stoa_idle_end(stoa_idle *idle);

/* The same, but a changed file is not an error: `*same` is false then. */
stoa_status stoa_idle_try(stoa_idle *idle, bool *same, stoa_error *err);

#endif
