/* Names of files, and those that a shell pattern matches. */
#ifndef STOA_CORE_FILE_NAMES_H
#define STOA_CORE_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stoa/error.h>

/* Zero-initialise; free with stoa_file_names_clear(). */
typedef struct stoa_file_names {
    char **names;
    size_t n;
} stoa_file_names;

/* Append copies of n names. Not by several threads at a time. */
stoa_status stoa_file_names_add(stoa_file_names *files, char *const *names, size_t n,
                                stoa_error *err);
/* Whether a name is a shell pattern, as "run-*.h5". */
bool stoa_file_is_pattern(const char *name);
/* Append the files that a pattern matches, in the order of their bytes. STOA_ENOTFOUND if there are
 * none. */
stoa_status stoa_file_names_match(stoa_file_names *files, const char *pattern, stoa_error *err);
void stoa_file_names_clear(stoa_file_names *files);

#endif
