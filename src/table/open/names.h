/* Names that HEP001 reserves (§13). */
#ifndef STOA_TABLE_NAMES_H
#define STOA_TABLE_NAMES_H

#include <stdbool.h>

#include "core/error.h"

/* Check a column name (§8.1, §13.1, §13.2), by both revisions. Returns STOA_EINVAL with the reason.
 */
stoa_status stoa_column_name_check(const char *name, stoa_error *err);

/* Whether §13.2 lists the name, in either revision (reserved_names.h). The names of §13.3 are
 * reserved as attributes only. */
bool stoa_name_is_reserved(const char *name);

#endif
