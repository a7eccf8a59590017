/* Search indexes of a table's columns (HEP001 §10), and whether you trust them (§16). */
#ifndef STOA_INDEX_H
#define STOA_INDEX_H

#include <stdbool.h>
#include <stoa/error.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/** One search index, as `stoa index list` shows it. Strings are borrowed for the call. */
typedef struct stoa_index_info {
    const char *column;
    const char *kind;        /**< the KIND attribute, such as "CHUNK_MINMAX"; may be unknown */
    const char *path;        /**< of the index dataset */
    const char *description; /**< "" if absent */
    uint64_t n_entries;
    uint64_t n_bytes;    /**< in the file, with its auxiliary datasets (§10.1) */
    bool usable;         /**< Stoa knows the kind, and can read its shape and type */
    const char *problem; /**< why it is not usable; "" otherwise */
    bool stale;          /**< its validity tokens do not fit the table (HEP001-2026-07 §12.2) */
} stoa_index_info;

typedef bool (*stoa_index_visitor)(void *context, const stoa_index_info *info);

/** How an index is built. Start from STOA_INDEX_OPTIONS_INIT. */
typedef struct stoa_index_options {
    size_t size;     /**< of this struct */
    uint64_t memory; /**< "sorted": bytes to sort in; 0: a quarter of the machine's,
                          at most 768 MiB */
    bool bare;       /**< "sorted": row positions only, without the fences that speed up look-ups */
    double false_positives; /**< "bloom": target rate in (0, 1); 0: 0.01 */
    uint32_t seed;          /**< "bloom": seed of the hash function */
    stoa_listener listener;
    unsigned threads; /**< at most; 0: one per processor. The index does not depend on it */
} stoa_index_options;

#define STOA_INDEX_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_index_options), 0, 0, 0, 0, {0, 0}, 0                                          \
    }

/**
 * Build an index on a column and link it (§10.2). `kind` is "minmax", "sorted", "bitmap" or
 * "bloom", or a KIND such as "CHUNK_MINMAX".
 *
 * @param options  NULL: the defaults
 * @return STOA_EEXISTS if the column has such an index; STOA_ETYPE if the kind is not defined for
 *         its type (§10.5, §10.7); STOA_EINVAL for an unknown kind or an impossible option;
 *         STOA_ERANGE for a bitmap of too many values (the message gives the limit)
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_add(stoa_table *table, const char *column,
                                                    const char *kind,
                                                    const stoa_index_options *options,
                                                    stoa_error *err);

/**
 * Choose the kind of index that is likely to help queries on a column, from a sample of its rows.
 * docs/indexes.md has the rules.
 *
 * @param[out] kind  as for stoa_index_add(), in static storage; NULL if the column's type cannot
 *                   have an index
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_advise(const stoa_table *table, const char *column,
                                                       const char **kind, stoa_error *err);

/** Remove a column's indexes of that kind (NULL: of every kind), together with their references. */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_drop(stoa_table *table, const char *column,
                                                     const char *kind, stoa_error *err);

/** Visit the indexes of every column, in column order. */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_visit(const stoa_table *table,
                                                      stoa_index_visitor visitor, void *context,
                                                      stoa_error *err);

/**
 * Recompute a column's indexes of that kind (NULL: all) and compare (§12, §16).
 *
 * If an index differs, the call still succeeds: err->status stays STOA_OK, and err->message names
 * the place. Indexes that no query uses are skipped, as stoa_index_visit() says: those of unknown
 * KIND, stale ones, and bitmaps of columns whose values no query compares.
 *
 * @param[out] same  whether every index describes its column
 * @return STOA_ENOTFOUND if the column has no index
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_verify(const stoa_table *table, const char *column,
                                                       const char *kind, bool *same,
                                                       stoa_error *err);

/** The same. `listener` and `threads` of the options count, which may be NULL. */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_verify_with(const stoa_table *table,
                                                            const char *column, const char *kind,
                                                            const stoa_index_options *options,
                                                            bool *same, stoa_error *err);

/** What stoa_index_repair() did with an index. */
typedef enum stoa_repair {
    STOA_REPAIR_NOTHING = 0, /**< it was right */
    STOA_REPAIR_TOKENS = 1,  /**< it described its column; its validity tokens did not say so */
    STOA_REPAIR_REBUILT = 2, /**< it did not describe its column, and was built again */
    STOA_REPAIR_DROPPED = 3, /**< the same, but it could not be built again */
    STOA_REPAIR_LEFT = 4,    /**< it cannot be compared, and no query uses it */
} stoa_repair;

/** Strings are borrowed for the call. */
typedef struct stoa_index_repaired {
    const char *column;
    const char *kind; /**< the KIND attribute; "" if the column's list cannot be read */
    stoa_repair done;
    const char *problem; /**< what was wrong, or why it could not be repaired; "" if nothing */
} stoa_index_repaired;

typedef void (*stoa_repair_visitor)(void *context, const stoa_index_repaired *index);

/**
 * Compare every index of a table with its column, and repair what is wrong.
 *
 * An index that describes its column gets the validity tokens of the table (HEP001-2026-07 §12.2).
 * Another one is built again. The table gets a GENERATION if it has none. Afterwards every index of
 * a known kind is right, so that it may be trusted.
 *
 * @param visitor  called for each index; may be NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_repair(stoa_table *table,
                                                       stoa_repair_visitor visitor, void *context,
                                                       stoa_error *err);

/** The same. `listener` and `threads` of the options count, which may be NULL. */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_repair_with(stoa_table *table,
                                                            const stoa_index_options *options,
                                                            stoa_repair_visitor visitor,
                                                            void *context, stoa_error *err);

/**
 * The ledger lists the tables whose indexes were built or verified by this user's Stoa
 * (docs/indexes.md).
 *
 * It is `$XDG_STATE_HOME/stoa/ledger`, else `~/.local/state/stoa/ledger`. Each table has a line:
 * the file's device, inode, size, mtime and ctime, the table's GENERATION, and its path. If any of
 * these changes, the table's indexes are not trusted.
 */

/** The entry of the ledger for a table. */
typedef enum stoa_trust {
    STOA_TRUST_NONE = 0,    /**< no entry, or an unreadable one */
    STOA_TRUST_HOLDS = 1,   /**< indexes were built or verified; no change since */
    STOA_TRUST_CHANGED = 2, /**< the file or GENERATION changed since */
    STOA_TRUST_TOUCHED = 3, /**< only ctime changed. Either the file was moved, linked or got other
                                 permissions, or its contents changed and mtime was reset */
} stoa_trust;

/** GENERATION of the table at `path` (HEP001 of July 2026, §12.2); false if it has no GENERATION.
 */
STOA_API bool stoa_trust_generation(hid_t loc, const char *path, uint64_t *generation);

/**
 * The current state of a file, for stoa_trust_record() after its tables were read.
 *
 * Waits at most two seconds, until a change would give the file another time stamp. Time stamps are
 * assumed to have a resolution of 20 ms, or of 2 s if the fraction of a second is zero.
 *
 * @param[out] stamp  yours, released by stoa_free()
 * @return STOA_EIO if the file keeps changing, or its ctime is in the future
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_trust_stamp(const char *file, char **stamp,
                                                      stoa_error *err);
/**
 * Record a table as trusted.
 *
 * @param generation  of the table; NULL if it has no GENERATION
 * @param stamp  from stoa_trust_stamp() before its indexes were compared, or from
 *               stoa_file_commit_stamped() of the edit that made them. NULL: the current state, if
 *               only your program writes the file; the call then waits 0.1 s at most
 * @return STOA_EIO if the file changed since the stamp, or so recently that another change would
 *         not be visible; also if the ledger cannot be written (err->message names it)
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_trust_record(const char *file, const char *path,
                                                       const uint64_t *generation,
                                                       const char *stamp, stoa_error *err);
STOA_API stoa_trust stoa_trust_get(const char *file, const char *path, const uint64_t *generation);

/**
 * The tables of a file that are trusted while your program edits it.
 *
 * An edit changes the time stamps of the whole file. So open the list before it, call
 * stoa_trusted_look() before the commit, and stoa_trusted_record() after it. The ledger is read
 * once and written once.
 */
typedef struct stoa_trusted stoa_trusted;

/**
 * List the tables whose entries hold now.
 *
 * @param file  NULL: a new one, so that the list is empty
 * @param[out] trusted  yours, released by stoa_trusted_close(); NULL on failure
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_trusted_open(const char *file, stoa_trusted **trusted,
                                                       stoa_error *err);
/** Whether there is nothing to record. NULL is an empty list. */
STOA_API bool stoa_trusted_is_empty(const stoa_trusted *trusted);
/** Whether a table was trusted when the edit began. */
STOA_API bool stoa_trusted_had(const stoa_trusted *trusted, const char *path);
/** The edit moves a table from `from` (NULL: it is new, or its indexes are) to `to` (NULL: it is
 * removed), with its trust. */
STOA_MUST_CHECK STOA_API stoa_status stoa_trusted_move(stoa_trusted *trusted, const char *from,
                                                       const char *to, stoa_error *err);
/** Read GENERATION, as the edit left it, of the table that was edited, or of all within this group.
 * `edited` may be NULL: of all tables. */
STOA_API void stoa_trusted_look(stoa_trusted *trusted, hid_t loc, const char *edited);
/**
 * Record the tables in the ledger again.
 *
 * @param file  usually the one that was edited; or its copy
 * @param stamp  from stoa_file_commit_stamped() or stoa_file_close_stamped()
 * @param is_edited  the edit was committed; else tables are recorded as they were before it, since
 * a discarded edit leaves the same bytes with another time
 * @return as stoa_trust_record(); STOA_EIO if `stamp` is NULL
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_trusted_record(const stoa_trusted *trusted,
                                                         const char *file, const char *stamp,
                                                         bool is_edited, stoa_error *err);
/** NULL is allowed. */
STOA_API void stoa_trusted_close(stoa_trusted *trusted);

STOA_END_DECLS

#endif
