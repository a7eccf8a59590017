/*
 * Libraries of codecs that few files need: opened when a dataset first wants them, because binding
 * them (libblosc brings the runtime of C++) takes longer than many a whole question.
 */
#ifndef STOA_CODEC_LIBRARY_H
#define STOA_CODEC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { STOA_LIBRARY_FILES = 3, STOA_LIBRARY_CALLS = 4 };

/* A call of a library; cast to its type before it is made. */
typedef void (*stoa_library_call)(void);

/* Zero-initialise. One thread's own. */
typedef struct stoa_library {
    void *handle;
    stoa_library_call calls[STOA_LIBRARY_CALLS];
} stoa_library;

/* What it is called on one system or another, the first that is there being taken, and the names of
 * what is called in it; NULL after the last of either. */
typedef struct stoa_library_name {
    const char *files[STOA_LIBRARY_FILES + 1];
    const char *calls[STOA_LIBRARY_CALLS + 1];
} stoa_library_name;

/* Open it, unless it is open. False where it, or one of its calls, is not there. Any thread may do
 * so at any time; the system opens a library once for all, and keeps it. */
bool stoa_library_open(stoa_library *library, const stoa_library_name *name);

/* Whether it could be opened. */
bool stoa_library_is_there(const stoa_library_name *name);

void stoa_library_close(stoa_library *library);

#endif
