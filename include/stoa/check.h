/* Is this what the specification says? Every finding, not the first. */
#ifndef STOA_CHECK_H
#define STOA_CHECK_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** One broken rule on one object. Strings are borrowed for the call. */
typedef struct stoa_finding {
    const char *path;    /**< absolute path of the object in the file */
    const char *level;   /**< "MUST", "SHOULD" or "INFO" */
    const char *section; /**< "7.3" */
    const char *rule;    /**< "7.3-NROWS-TYPE" */
    const char *message; /**< what was found, in one line */
} stoa_finding;

/** Return false to stop the check. */
typedef bool (*stoa_finding_visitor)(void *context, const stoa_finding *finding);

/** How a check is done. Start from STOA_CHECK_OPTIONS_INIT. */
typedef struct stoa_check_options {
    size_t size;
    bool indexes; /**< recompute index contents from the columns and compare (§12) */
} stoa_check_options;

#define STOA_CHECK_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_check_options), 0                                                              \
    }

/**
 * Check the table at `path`, or (NULL) every table below `loc`, against HEP001.
 *
 * Never trusts what it reads: damage is a finding. The call fails only where the object cannot be
 * reached at all or is no table.
 *
 * @param[out] n_must    findings of level MUST; may be NULL
 * @param[out] n_tables  tables that were checked; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_check(hid_t loc, const char *path,
                                                const stoa_check_options *options,
                                                stoa_finding_visitor visitor, void *context,
                                                uint64_t *n_must, uint64_t *n_tables,
                                                stoa_error *err);

STOA_END_DECLS

#endif
