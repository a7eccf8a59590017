/*
 * A file that is open for reading and locked only while it is in use: between two uses other
 * programs may change it (docs/crash-safety.md, "Idle handles").
 */
#ifndef STOA_HDF_IDLE_H
#define STOA_HDF_IDLE_H

#include <stoa/file.h>

typedef struct stoa_idle {
    stoa_file *file;  /* at rest while there are no users */
    unsigned n_users; /* whose lock it is: the first one takes it, the last one lets go */
} stoa_idle;

/* Use the file as it was when it was used last. Fails where it has changed since, and then nobody
 * uses it. NULL: of a file that the caller holds the lock of. */
stoa_status stoa_idle_begin(stoa_idle *idle, stoa_error *err);
void stoa_idle_end(stoa_idle *idle);

/* The same, without an error where the file has changed: `*same` says so. */
stoa_status stoa_idle_try(stoa_idle *idle, bool *same, stoa_error *err);

#endif
