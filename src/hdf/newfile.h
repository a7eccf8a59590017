/* A new file that nobody sees before it is whole. */
#ifndef STOA_HDF_NEWFILE_H
#define STOA_HDF_NEWFILE_H

#include "core/error.h"

/* Where the system allows, the file has no name at all until it is published (O_TMPFILE), so that
 * nothing stays of a killed process; elsewhere a hidden name beside its place. */
typedef struct stoa_newfile {
    int fd;
    char *name;      /* to be */
    char *temporary; /* NULL: it has no name yet */
} stoa_newfile;

#define STOA_NEWFILE_INIT                                                                          \
    {                                                                                              \
        -1, NULL, NULL                                                                             \
    }

/* STOA_EEXISTS if `name` is taken. */
stoa_status stoa_newfile_open(const char *name, stoa_newfile *file, stoa_error *err);
/* Give it its name, durably, unless that is taken by now: STOA_EEXISTS. Its bytes must be synced.
 */
stoa_status stoa_newfile_publish(stoa_newfile *file, stoa_error *err);
/* Close it; it is gone unless published. */
void stoa_newfile_close(stoa_newfile *file);

#endif
