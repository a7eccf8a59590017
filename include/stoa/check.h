/* Conformance to HEP001, in either revision: findings, and the list of rules. */
#ifndef STOA_CHECK_H
#define STOA_CHECK_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stoa/error.h>
#include <stoa/progress.h>
#include <stoa/revision.h>

STOA_BEGIN_DECLS

/** One broken rule on one object. Strings are borrowed for the call. */
typedef struct stoa_finding {
    const char *path;       /**< absolute path of the object in the file */
    const char *level;      /**< "MUST", "SHOULD" or "INFO" */
    const char *section;    /**< "7.3", as `revision` numbers it */
    const char *rule;       /**< "7.3-NROWS-TYPE" */
    const char *message;    /**< what was found, in one line */
    bool refuses;           /**< the finding refuses the table: a MUST, or with `strict` */
    const char *column;     /**< of an index: the column that it describes; else NULL */
    stoa_revision revision; /**< by which the table is judged */
} stoa_finding;

/** Return false to stop the check. */
typedef bool (*stoa_finding_visitor)(void *context, const stoa_finding *finding);

/** A table that was checked. Strings are borrowed for the call. */
typedef struct stoa_checked {
    const char *path;       /**< absolute path of the table in the file */
    stoa_revision revision; /**< by which it was judged; STOA_REVISION_TOLD for a later VERSION */
    uint64_t n_rows;        /**< NROWS; 0 if it cannot be read */
    bool indexes;           /**< index contents were compared with the columns */
    uint64_t n_findings;
    uint64_t n_refused; /**< findings that refuse the table */
} stoa_checked;

/** Called after the last finding of a table. */
typedef void (*stoa_checked_visitor)(void *context, const stoa_checked *table);

/** Options of a check. Start from STOA_CHECK_OPTIONS_INIT. */
typedef struct stoa_check_options {
    size_t size;
    bool indexes;           /**< compare index contents with the columns (§12) */
    bool strict;            /**< also refuse a broken SHOULD, and unknown objects (§7.6) */
    uint64_t memory;        /**< bytes that the comparison may use; 0: an eighth of the machine's */
    stoa_revision revision; /**< judge by this one; else by the one that the table tells */
    stoa_checked_visitor checked; /**< gets the context of the visitor of findings; may be NULL */
    stoa_listener listener;       /**< called on your thread */
    unsigned threads; /**< at most; 0: one per processor. Findings do not depend on it */
} stoa_check_options;

#define STOA_CHECK_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_check_options), 0, 0, 0, STOA_REVISION_TOLD, NULL, {NULL, NULL}, 0             \
    }

/**
 * Check the table at `path`, or (NULL) every table below `loc`, against HEP001.
 *
 * The file is untrusted: damage is a finding. The call fails only if the object cannot be opened or
 * is not a table.
 *
 * A table does not say which revision it follows, because both write VERSION 1.0. It is judged by
 * that of July 2026 if it has GENERATION, a list column, or a boolean column without a fill value,
 * and else by that of June.
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
    const char *section; /**< "7.3", as June 2026 numbers it; of what only July has, July's */
    const char *level; /**< "MUST", "SHOULD", "INFO"; for a sentence its keyword or "definition" */
    const char *refuses; /**< when a finding refuses the table: "always", "strict", "never" */
    const char *object;  /**< the kind of object: "column" */
    const char *text;    /**< the condition that must hold, in one line */
    const char *reason;  /**< for a sentence: why no file can break it; for a rule NULL */
    const char *june;    /**< its section in the revision of June 2026; NULL: it does not hold */
    const char *july;    /**< the same for July */
} stoa_rule_info;

/** Rule `i`, in order of July's sections; NULL after the last. */
STOA_API const stoa_rule_info *stoa_check_rule(size_t i);
/** Sentence `i` of those that cannot be checked; NULL after the last. */
STOA_API const stoa_rule_info *stoa_check_unchecked(size_t i);
/** The title of a section of HEP001 as June 2026 numbers it, such as "The NROWS attribute" for
 * "7.3". NULL if the section has no rule or sentence there. */
STOA_API const char *stoa_check_heading(const char *section);
/** The same as any revision numbers it; STOA_REVISION_TOLD is that of June. */
STOA_API const char *stoa_check_heading_of(stoa_revision revision, const char *section);

STOA_END_DECLS

#endif
