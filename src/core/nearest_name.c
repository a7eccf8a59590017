#include "core/nearest_name.h"

#include <stdint.h>

#include "core/text.h"

enum { MAX_LENGTH = 64 };

/* Levenshtein distance, ignoring case; SIZE_MAX for names over MAX_LENGTH. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t row[MAX_LENGTH + 1];

    if (n > MAX_LENGTH || m > MAX_LENGTH) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= m; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (stoa_lower(a[i - 1]) != stoa_lower(b[j - 1]));
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

stoa_nearest_name stoa_nearest_name_to(const char *name, size_t length, size_t farther)
{
    return (stoa_nearest_name){name, length, NULL, farther != 0 ? farther : length / 3 + 2};
}

void stoa_nearest_name_try(stoa_nearest_name *nearest, const char *name, size_t length)
{
    const size_t far = distance(nearest->name, nearest->length, name, length);

    if (far < nearest->least) {
        nearest->least = far;
        nearest->found = name;
    }
}
