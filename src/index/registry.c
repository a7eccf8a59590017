/* The registry of search-index kinds (HEP001 §10.3). A new kind adds one line. */
#include <stoa/version.h>
#include <string.h>

#include "index/common/kind.h"

static const stoa_index_kind *const kinds[] = {
    &stoa_index_minmax,
    &stoa_index_sorted,
    &stoa_index_bitmap,
    &stoa_index_bloom,
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

const stoa_index_kind *stoa_index_kind_at(size_t i)
{
    return i < N_KINDS ? kinds[i] : NULL;
}

const char *stoa_index_kind_name(size_t i)
{
    return i < N_KINDS ? kinds[i]->name : NULL;
}

const stoa_index_kind *stoa_index_kind_find(const char *kind_or_name)
{
    for (size_t i = 0; i < N_KINDS; i++) {
        if (strcmp(kinds[i]->kind, kind_or_name) == 0 ||
            strcmp(kinds[i]->name, kind_or_name) == 0) {
            return kinds[i];
        }
    }
    return NULL;
}

stoa_status stoa_index_kind_named(const char *kind_or_name, const stoa_index_kind **kind,
                                  stoa_error *err)
{
    *kind = stoa_index_kind_find(kind_or_name);
    if (*kind != NULL) {
        return STOA_OK;
    }
    (void)stoa_fail(err, STOA_EINVAL, "unknown index kind '%s'; there is", kind_or_name);
    for (size_t i = 0; i < N_KINDS; i++) {
        stoa_advise(err, "%s %s", i != 0 ? "," : "", kinds[i]->name);
    }
    return STOA_EINVAL;
}
