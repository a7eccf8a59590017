#include "layout/common/user_attribute.h"

#include <string.h>

#include "core/text.h"
#include "table/open/names.h"

const char *const stoa_attribute_encodings[] = {"encoding-type", "encoding-version", NULL};

bool stoa_attribute_is_of_hep001(const char *name)
{
    static const char *const own[] = {
        "TITLE",        "description",   "units",   "units_vocabulary", "_index",
        "column-order", "KIND",          "ordered", "_FillValue",       "calendar",
        "flag_values",  "flag_meanings", NULL};

    return stoa_name_is_reserved(name) || strncmp(name, "stoa_", 5) == 0 ||
           stoa_is_listed(name, own);
}
