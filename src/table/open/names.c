#include "table/open/names.h"

#include <string.h>

#include "core/text.h"
#include "table/open/reserved_names.h"

#define NAME_OF(name, revision, roles) name,

bool stoa_name_is_reserved(const char *name)
{
    static const char *const reserved[] = {STOA_RESERVED_NAMES(NAME_OF) NULL};

    return stoa_is_listed(name, reserved);
}

stoa_status stoa_column_name_check(const char *name, stoa_error *err)
{
    const size_t length = strlen(name);

    if (length == 0) {
        return stoa_fail(err, STOA_EINVAL, "a column has no name");
    }
    if (strchr(name, '/') != NULL || strcmp(name, ".") == 0) {
        return stoa_fail(err, STOA_EINVAL,
                         "a column cannot be called '%s': HDF5 takes '/' and '.' for paths "
                         "(HEP001 §8.1); rename it",
                         name);
    }
    if (stoa_utf8_valid(name, length) != length) {
        return stoa_fail(err, STOA_EINVAL, "a column's name is not UTF-8 (HEP001 §8.1)");
    }
    if (stoa_name_is_reserved(name)) {
        return stoa_fail(
            err, STOA_EINVAL,
            "a column cannot be called '%s', which HEP001 reserves (§13.2, HEP001-2026-07 "
            "§14.2); rename it",
            name);
    }
    return STOA_OK;
}
