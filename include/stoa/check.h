/* Conformance to HEP001: findings, and the list of rules. */
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
    bool refuses;        /**< the finding refuses the table: a MUST, or with `strict` */
} stoa_finding;

/** Return false to stop the check. */
typedef bool (*stoa_finding_visitor)(void *context, const stoa_finding *finding);

/** Options of a check. Start from STOA_CHECK_OPTIONS_INIT. */
typedef struct stoa_check_options {
    size_t size;
    bool indexes;    /**< compare index contents with the columns (§12) */
    bool strict;     /**< also refuse a broken SHOULD, and unknown objects (§7.6) */
    uint64_t memory; /**< bytes that the comparison may use; 0: 128 MiB */
} stoa_check_options;

#define STOA_CHECK_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_check_options), 0, 0, 0                                                        \
    }

/**
 * Check the table at `path`, or (NULL) every table below `loc`, against HEP001.
 *
 * The file is untrusted: damage is a finding. The call fails only if the object cannot be opened or
 * is not a table.
 *
 * @param[out] n_refused findings that refuse a table: those of level MUST. With `strict` also those
 *                       of level SHOULD, and those about objects that this revision does not
 *                       describe. May be NULL
 * @param[out] n_tables  tables that were checked; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_check(hid_t loc, const char *path,
                                                const stoa_check_options *options,
                                                stoa_finding_visitor visitor, void *context,
                                                uint64_t *n_refused, uint64_t *n_tables,
                                                stoa_error *err);

/** A rule of stoa_check(), or a sentence of HEP001 that no file can break. All strings are
 * static. */
typedef struct stoa_rule_info {
    const char *rule;    /**< "7.3-NROWS-TYPE"; NULL for a sentence */
    const char *section; /**< "7.3" */
    const char *level; /**< "MUST", "SHOULD", "INFO"; for a sentence its keyword or "definition" */
    const char *refuses; /**< when a finding refuses the table: "always", "strict", "never" */
    const char *object;  /**< the kind of object: "column" */
    const char *text;    /**< the condition that must hold, in one line */
    const char *reason;  /**< for a sentence: why no file can break it; for a rule NULL */
} stoa_rule_info;

/** Rule `i`, in order of the sections; NULL after the last. */
STOA_API const stoa_rule_info *stoa_check_rule(size_t i);
/** Sentence `i` of those that cannot be checked; NULL after the last. */
STOA_API const stoa_rule_info *stoa_check_unchecked(size_t i);
/** The title of a section of HEP001, such as "The NROWS attribute" for "7.3". NULL if the section
 * has no rule or sentence. */
STOA_API const char *stoa_check_heading(const char *section);

STOA_END_DECLS

#endif
