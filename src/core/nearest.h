/* The name that was meant, where somebody mistyped one. */
#ifndef STOA_CORE_NEAREST_H
#define STOA_CORE_NEAREST_H

#include <stddef.h>

typedef struct stoa_nearest {
    const char *name; /* mistyped; borrowed, as the others are */
    size_t length;
    const char *found; /* NULL: none is near */
    size_t least;      /* its distance; what is not less far is no help */
} stoa_nearest;

/* Names that are nearer than so many insertions, deletions and replacements; 0: a third of the name
 * and two more. */
stoa_nearest stoa_nearest_to(const char *name, size_t length, size_t farther);
/* One that there is; case counts for nothing, and of equally near ones the first is it. */
void stoa_nearest_try(stoa_nearest *nearest, const char *name, size_t length);

#endif
