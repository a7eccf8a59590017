/* Names that HEP001 keeps for itself (§13). */
#ifndef STOA_TABLE_NAMES_H
#define STOA_TABLE_NAMES_H

#include <stdbool.h>

#include "core/error.h"

/* Whether a name can be a column's (§8.1, §13.1, §13.2): STOA_EINVAL with the reason. */
stoa_status stoa_column_name_check(const char *name, stoa_error *err);

/* Whether the catalogue of §13.2 lists the name. (The names of §13.3 are reserved as attributes
 * only.) */
bool stoa_name_is_reserved(const char *name);

#endif
