/* A new file that nobody sees before it is whole. */
#ifndef STOA_HDF_NEWFILE_H
#define STOA_HDF_NEWFILE_H

#include <stdbool.h>

#include "core/error.h"

/* Where the system allows, the file has no name at all until it is published (O_TMPFILE), so that
 * nothing stays of a killed process; elsewhere a hidden name beside its place. */
typedef struct stoa_newfile {
    int fd;
    char *name;      /* to be */
    char *temporary; /* NULL: it has no name yet */
    bool replaces;   /* a file has that name now, and loses it */
} stoa_newfile;

#define STOA_NEWFILE_INIT                                                                          \
    {                                                                                              \
        -1, NULL, NULL, false                                                                      \
    }

/* Where a new file of that name goes: links are followed, also those that lead nowhere yet. The
 * caller's; NULL when memory runs out. */
char *stoa_newfile_name(const char *name);

/* STOA_EEXISTS if `name` is taken; a link that leads nowhere yet leads to the new file. */
stoa_status stoa_newfile_open(const char *name, stoa_newfile *file, stoa_error *err);
/*
 * A file that is to take the place of the file `name`, which `old` has open: links to it by name
 * are followed. It gets the old one's permissions, and its owner, group and extended attributes as
 * far as this user may give them.
 */
stoa_status stoa_newfile_open_successor(const char *name, int old, stoa_newfile *file,
                                        stoa_error *err);
/* Give it its name, durably: that of its predecessor, or one that must be free still: STOA_EEXISTS.
 * Its bytes must be synced. */
stoa_status stoa_newfile_publish(stoa_newfile *file, stoa_error *err);
/* Close it; it is gone unless published. */
void stoa_newfile_close(stoa_newfile *file);

#endif
