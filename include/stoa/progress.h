/* How a long job tells its caller where it stands, and how the caller stops it. */
#ifndef STOA_PROGRESS_H
#define STOA_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** Where a long job stands. A total of 0 means "not known". */
typedef struct stoa_progress {
    const char *stage; /**< what is being done, as "reading" or "writing"; static storage */
    uint64_t rows;
    uint64_t total_rows;
    uint64_t bytes; /**< of the input, as it lies on disk */
    uint64_t total_bytes;
} stoa_progress;

/** A caller's ear: called about once a batch; return false to stop the job (STOA_ECANCELLED). */
typedef struct stoa_listener {
    bool (*on_progress)(void *context, const stoa_progress *progress); /**< may be NULL */
    void *context;
} stoa_listener;

#endif
