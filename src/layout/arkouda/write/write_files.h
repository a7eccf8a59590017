/* The files that Arkouda objects are written to: <stoa/arkouda.h>. */
#ifndef STOA_LAYOUT_ARKOUDA_WRITE_FILES_H
#define STOA_LAYOUT_ARKOUDA_WRITE_FILES_H

#include <stoa/arkouda.h>
#include <stoa/file.h>

/* One of the files. */
typedef struct stoa_arkouda_file {
    char *name;
    stoa_file *file;
    stoa_file *old; /* the file to replace, locked until then; NULL if none */
} stoa_arkouda_file;

struct stoa_arkouda_files {
    char *name; /* as given */
    bool is_distributed;
    uint64_t n;
    int64_t write;  /* number of this write */
    int64_t before; /* of the one that the files are of */
    stoa_arkouda_file *all;
    char **stale; /* files of higher locales from an earlier set, to be removed */
    size_t n_stale;
    bool has_failed; /* an object may be incomplete */
};

#endif
