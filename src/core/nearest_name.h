/* Suggestions for mistyped names, by edit distance. */
#ifndef STOA_CORE_NEAREST_NAME_H
#define STOA_CORE_NEAREST_NAME_H

#include <stddef.h>

typedef struct stoa_nearest_name {
    const char *name; /* the mistyped name; borrowed, like the candidates */
    size_t length;
    const char *found; /* NULL if no candidate is close enough */
    size_t least;      /* distance of `found`; candidates must have a smaller one */
} stoa_nearest_name;

/* Start a search. A candidate needs fewer than `farther` insertions, deletions and replacements. 0
 * stands for a third of the name's length plus two. */
stoa_nearest_name stoa_nearest_name_to(const char *name, size_t length, size_t farther);
/* Try one candidate. Case is ignored. Of equally near candidates the first one wins. */
void stoa_nearest_name_try(stoa_nearest_name *nearest, const char *name, size_t length);

#endif
