#include "core/sized_struct.h"

#include <string.h>

#include "core/error.h"

static size_t size_of(const void *sized)
{
    size_t size;

    memcpy(&size, sized, sizeof size); /* each such struct begins with its size */
    return size;
}

stoa_status stoa_sized_check(const void *given, size_t least, const char *init, stoa_error *err)
{
    if (size_of(given) >= least) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_EINVAL, "a struct of the call has no size; start from %s", init);
}

stoa_status stoa_sized_copy(void *own, size_t size, const void *given, size_t least,
                            const char *init, stoa_error *err)
{
    if (given == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_sized_check(given, least, init, err));
    const size_t n = size_of(given) < size ? size_of(given) : size;
    memcpy((char *)own + sizeof size, (const char *)given + sizeof size, n - sizeof size);
    return STOA_OK;
}

void stoa_sized_give(const void *own, size_t size, void *given)
{
    if (given != NULL) {
        const size_t n = size_of(given) < size ? size_of(given) : size;
        memcpy((char *)given + sizeof size, (const char *)own + sizeof size, n - sizeof size);
    }
}
