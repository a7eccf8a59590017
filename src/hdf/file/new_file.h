/* A new file that is not visible until it is complete. */
#ifndef STOA_HDF_NEW_FILE_H
#define STOA_HDF_NEW_FILE_H

#include <stdbool.h>

#include "core/error.h"

/* If the system supports it, the file has no name until it is published (O_TMPFILE), so a killed
 * process leaves nothing. Otherwise it has a hidden name in the same directory. */
typedef struct stoa_new_file {
    int fd;
    char *name;      /* the final name */
    char *temporary; /* NULL: it has no name yet */
    bool replaces;   /* it replaces an existing file of that name */
} stoa_new_file;

#define STOA_NEW_FILE_INIT                                                                         \
    {                                                                                              \
        -1, NULL, NULL, false                                                                      \
    }

/* The final name of a new file: symbolic links are followed, including dangling ones. The caller
 * frees it; NULL if memory runs out. */
char *stoa_new_file_name(const char *name);

/* STOA_EEXISTS if `name` is in use. A dangling link will refer to the new file. */
stoa_status stoa_new_file_open(const char *name, stoa_new_file *file, stoa_error *err);
/* Create a file that is to replace the file `name`, which is open as `old`. Symbolic links are
 * followed. The new file gets the permissions of the old one, and its owner, group and extended
 * attributes as far as this user may set them. */
stoa_status stoa_new_file_open_successor(const char *name, int old, stoa_new_file *file,
                                         stoa_error *err);
/* Give the file its name, durably: that of its predecessor, or a new one. STOA_EEXISTS if a new
 * name is in use. Sync its bytes before. */
stoa_status stoa_new_file_publish(stoa_new_file *file, stoa_error *err);
/* Close the file. It is deleted unless it was published. */
void stoa_new_file_close(stoa_new_file *file);

#endif
