/* The files that objects of Arkouda are written to: <stoa/arkouda.h>. */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_FILES_H
#define STOA_LAYOUT_ARKOUDA_WRITE_FILES_H

#include <stoa/arkouda.h>
#include <stoa/file.h>

/* One of them. */
typedef struct stoa_arkouda_file {
    char *name;
    stoa_file *file;
    stoa_file *old; /* which it takes the place of: locked until then; NULL: none */
} stoa_arkouda_file;

struct stoa_arkouda_files {
    char *name; /* as it was given */
    bool is_distributed;
    uint64_t n;
    stoa_arkouda_file *all;
    char **stale; /* files of locales beyond the last, which the new ones have no part in */
    size_t n_stale;
    bool has_failed; /* half an object may be in them */
};

#endif
