/* Libraries that few files or queries need. They are loaded when they are first needed, because
 * loading takes longer than many queries. libblosc, for example, brings the C++ runtime. */
#ifndef STOA_CORE_LIBRARY_H
#define STOA_CORE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

enum { STOA_LIBRARY_FILES = 3, STOA_LIBRARY_CALLS = 10 };

/* A function of a library; cast it to its type before the call. */
typedef void (*stoa_library_call)(void);

/* Zero-initialise. Belongs to one thread. */
typedef struct stoa_library {
    void *handle;
    stoa_library_call calls[STOA_LIBRARY_CALLS];
} stoa_library;

/* File names of a library on different systems, of which the first that exists is used, and the
 * names of its functions. Both lists end with NULL. */
typedef struct stoa_library_name {
    const char *files[STOA_LIBRARY_FILES + 1];
    const char *calls[STOA_LIBRARY_CALLS + 1];
} stoa_library_name;

/* Open the library unless it is open. False if it, or one of its functions, does not exist.
 * Thread-safe; the system loads a library once and keeps it. */
bool stoa_library_open(stoa_library *library, const stoa_library_name *name);

/*
 * The same for a library of more functions.
 *
 * @param files       its file names, the last followed by NULL
 * @param calls       n names of functions
 * @param[out] found  n functions; undefined after a failure
 * @return a handle that keeps it open; NULL if it, or one of its functions, does not exist
 */
void *stoa_library_find(const char *const *files, const char *const *calls, size_t n,
                        stoa_library_call *found);

/* Whether the library can be opened. */
bool stoa_library_is_there(const stoa_library_name *name);

void stoa_library_close(stoa_library *library);

#endif
