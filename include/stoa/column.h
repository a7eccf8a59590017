/* One column of a table: its type, its storage, its values. */
#ifndef STOA_COLUMN_H
#define STOA_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/arrow.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** A column of an open table; borrowed from the table and valid until it is closed. It belongs to
 * the table's handle: use the table and its columns from one thread at a time. */
typedef struct stoa_column stoa_column;

/** How a column is stored. Start from STOA_COLUMN_STORAGE_INIT. Of a list column (HEP001-2026-07
 * §9) the bytes are those of all its members. Chunk rows are those of OFFSETS. Layout and filters
 * are those of the innermost VALUES. */
typedef struct stoa_column_storage {
    size_t size;             /**< of this struct, as the caller's compiler knows it */
    uint64_t extent;         /**< rows that the dataset has space for, >= NROWS (HEP001 §7.3) */
    uint64_t chunk_rows;     /**< rows in a chunk; 0 if the dataset is not chunked */
    uint64_t n_stored_bytes; /**< bytes in the file, after filters */
    uint64_t n_raw_bytes;    /**< bytes of the extent before filters */
    char layout[16];         /**< "chunked", "contiguous", "compact", "virtual"; "made": no dataset
                                  holds the column, as in tables of several files; "unknown" */
    char filters[128];       /**< pipeline in order, such as "shuffle,deflate:4"; empty if none */
    char datatype[64];       /**< of stored elements: "int16", "string[12] utf8 nullpad" */
} stoa_column_storage;

#define STOA_COLUMN_STORAGE_INIT                                                                   \
    {                                                                                              \
        sizeof(stoa_column_storage), 0, 0, 0, 0, "", "", ""                                        \
    }

STOA_API const char *stoa_column_name(const stoa_column *column);

/**
 * The column as an Arrow field.
 *
 * - Types are integers, floats, strings, opaque (fixed-size binary), bool, enum and categorical
 *   (dictionary), compound (struct), array (fixed-size list), variable-length and list columns
 *   (list).
 * - Integer columns whose units are `UNIT since EPOCH` are dates and timestamps.
 * - Strings that Stoa stored as categories by itself (docs/hep001.md) are strings.
 * - Field metadata are "units", "units_vocabulary", "description", "valid_min" and "valid_max" as
 *   text, and "stoa.datatype" as in stoa_column_storage.
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_schema(const stoa_column *column,
                                                        struct ArrowSchema *out, stoa_error *err);

/**
 * @param[out] storage  unchanged after a failure
 * @return STOA_EINVAL if `storage` has no size
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_storage_of(const stoa_column *column,
                                                            stoa_column_storage *storage,
                                                            stoa_error *err);

/**
 * Read rows [first, first + count) of a column; missing rows become nulls (HEP001 §8.5).
 *
 * @param[out] out  shape (count,), of the type that stoa_column_schema() returns; you release it
 * @return STOA_ERANGE if the rows exceed NROWS (§7.3), STOA_EDATA if a chunk is damaged
 */
STOA_MUST_CHECK STOA_API stoa_status stoa_column_read(stoa_column *column, uint64_t first,
                                                      uint64_t count, struct ArrowArray *out,
                                                      stoa_error *err);

STOA_END_DECLS

#endif
