/* Search indexes of a table's columns (HEP001 §10), and whether to believe them (§16). */
#ifndef STOA_INDEX_H
#define STOA_INDEX_H

#include <stdbool.h>
#include <stoa/error.h>
#include <stoa/table.h>

STOA_BEGIN_DECLS

/** One search index, as `stoa index list` shows it. Strings are borrowed for the call. */
typedef struct stoa_index_info {
    const char *column;
    const char *kind;        /**< the KIND attribute, as "CHUNK_MINMAX"; also unknown ones */
    const char *path;        /**< of the index dataset */
    const char *description; /**< "" if absent */
    uint64_t n_entries;
    uint64_t n_bytes;    /**< in the file, with the datasets that accompany it (§10.1) */
    bool usable;         /**< a kind Stoa knows, of a shape and type that can be read */
    const char *problem; /**< why it is not usable; "" otherwise */
} stoa_index_info;

typedef bool (*stoa_index_visitor)(void *context, const stoa_index_info *info);

/** How an index is built. Start from STOA_INDEX_OPTIONS_INIT. */
typedef struct stoa_index_options {
    size_t size;            /**< of this struct */
    uint64_t memory;        /**< bytes to sort in ("sorted"); 0: a quarter of the machine's */
    bool bare;              /**< "sorted": row positions alone, without the covering datasets */
    double false_positives; /**< "bloom": target rate in (0, 1); 0: 0.01 */
    uint32_t seed;          /**< "bloom": of the hash function */
    stoa_listener listener;
    unsigned threads; /**< to build with, at most; 0: one a processor. The index is the same */
} stoa_index_options;

#define STOA_INDEX_OPTIONS_INIT                                                                    \
    {                                                                                              \
        sizeof(stoa_index_options), 0, 0, 0, 0, {0, 0}, 0                                          \
    }

/**
 * Build an index on a column and link it (§10.2). `kind` is "minmax", "sorted", "bitmap" or
 * "bloom", or a KIND as "CHUNK_MINMAX".
 *
 * @param options  NULL: the defaults
 * @return STOA_EEXISTS if the column has one, STOA_ETYPE if the kind is not defined for its type
 *         (§10.5, §10.7), STOA_EINVAL for an unknown kind or an impossible option, STOA_ERANGE
 *         where the kind cannot help (a bitmap of too many values; the message says the limit)
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_add(stoa_table *table, const char *column,
                                                    const char *kind,
                                                    const stoa_index_options *options,
                                                    stoa_error *err);

/**
 * The kind of index that is likely to help queries on a column, by a look at some of its rows: a
 * bitmap where few values repeat, min/max where neighbouring rows are similar, else sorted or bloom
 * where values hardly repeat (docs/indexes.md has the rule).
 *
 * @param[out] kind  as stoa_index_add() takes it, in static storage; NULL if the column's type may
 *                   have none
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_advise(const stoa_table *table, const char *column,
                                                       const char **kind, stoa_error *err);

/** Remove a column's indexes of that kind (NULL: of every kind), reference and all. */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_drop(stoa_table *table, const char *column,
                                                     const char *kind, stoa_error *err);

/** Visit the indexes of every column, in column order. */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_list(const stoa_table *table,
                                                     stoa_index_visitor visitor, void *context,
                                                     stoa_error *err);

/**
 * Recompute a column's indexes of that kind (NULL: all) and compare (§12, §16).
 *
 * Where one does not, err->message says in which place, though the call succeeded (err->status
 * stays STOA_OK). Indexes that no query uses are passed over: those of unknown KIND, and bitmaps of
 * columns whose values no query compares (stoa_index_list() says so of them).
 *
 * @param[out] same  whether every one describes its column
 * @return STOA_ENOTFOUND if the column has none
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_index_verify(const stoa_table *table, const char *column,
                                                       const char *kind, bool *same,
                                                       stoa_error *err);

/**
 * The ledger of files whose indexes this user's Stoa built or verified (docs/indexes.md).
 *
 * A line a table, in `$XDG_STATE_HOME/stoa/ledger` (else `~/.local/state/stoa/ledger`): the file's
 * device, inode, size, mtime and ctime, the table's GENERATION, and its path. A file that changed
 * in any of these is not trusted.
 */

/** What the ledger says of a table. */
typedef enum stoa_trust {
    STOA_TRUST_NONE = 0,    /**< nothing, or nothing that can be read */
    STOA_TRUST_HOLDS = 1,   /**< its indexes were built or verified, and nothing changed since */
    STOA_TRUST_CHANGED = 2, /**< they were, and the file or GENERATION changed since */
    STOA_TRUST_TOUCHED =
        3, /**< they were, and ctime alone is another: the file was moved, linked or
                got other rights, or its contents changed and mtime was put back */
} stoa_trust;

/** GENERATION of the table at `path` (HEP001 of July 2026, §12.2); false where it has none. */
STOA_API bool stoa_trust_generation(hid_t loc, const char *path, uint64_t *generation);

/**
 * How a file is now, for stoa_trust_record() after its tables were read.
 *
 * Waits, at most two seconds, until a change would give the file another time stamp. A stamp counts
 * as fine to 20 ms, or to 2 s where its fraction of a second is zero.
 *
 * @param[out] stamp  the caller's, released by free()
 * @return STOA_EIO if the file keeps changing, or its ctime lies in the future
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_trust_stamp(const char *file, char **stamp,
                                                      stoa_error *err);
/**
 * Note a table as trusted.
 *
 * @param generation  of the table; NULL: it has none
 * @param stamp  what stoa_trust_stamp() said before its indexes were compared, or
 *               stoa_file_commit_stamped() of the edit that made them; NULL: the file as it is now,
 *               which nobody but the caller writes. Then the call waits 0.1 s at most.
 * @return STOA_EIO if the file changed since the stamp, or so shortly ago that another change could
 *         not be told from it; or if the ledger cannot be written, which err->message names
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_trust_record(const char *file, const char *path,
                                                       const uint64_t *generation,
                                                       const char *stamp, stoa_error *err);
STOA_API stoa_trust stoa_trust_look(const char *file, const char *path, const uint64_t *generation);

STOA_END_DECLS

#endif
