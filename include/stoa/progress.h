/* Progress callbacks of long jobs. A callback can also stop its job. */
#ifndef STOA_PROGRESS_H
#define STOA_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** The progress of a long job. A total of 0 means "not known". */
typedef struct stoa_progress {
    const char *stage; /**< such as "reading" or "writing"; static storage */
    uint64_t rows;
    uint64_t total_rows;
    uint64_t bytes; /**< of the input, as stored on disk */
    uint64_t total_bytes;
} stoa_progress;

/** A progress callback, called about once per batch. Return false to stop the job
 * (STOA_ECANCELLED). */
typedef struct stoa_listener {
    bool (*on_progress)(void *context, const stoa_progress *progress); /**< may be NULL */
    void *context;
} stoa_listener;

#endif
