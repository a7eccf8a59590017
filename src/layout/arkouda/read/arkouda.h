/* Numbers, names and limits of Arkouda's file format that reading and writing share (Arkouda notes
 * §B, §C, §D, §O). docs/layouts/arkouda.md says how each object is shown in Arrow. */
#ifndef STOA_LAYOUT_ARKOUDA_H
#define STOA_LAYOUT_ARKOUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* The attribute ObjType (§B). */
typedef enum stoa_arkouda_kind {
    STOA_ARKOUDA_UNKNOWN = -1,
    STOA_ARKOUDA_ARRAYVIEW = 0, /* up to v2024.06.21 */
    STOA_ARKOUDA_PDARRAY = 1,
    STOA_ARKOUDA_STRINGS = 2,
    STOA_ARKOUDA_SEGARRAY = 3,
    STOA_ARKOUDA_CATEGORICAL = 4,
    STOA_ARKOUDA_GROUPBY = 5,
    STOA_ARKOUDA_DATAFRAME = 6,
    STOA_ARKOUDA_DATETIME = 7,
    STOA_ARKOUDA_TIMEDELTA = 8,
    STOA_ARKOUDA_IPV4 = 9,
    STOA_ARKOUDA_BITVECTOR = 10, /* not used in files */
    STOA_ARKOUDA_SERIES = 11,    /* not used in files */
    STOA_ARKOUDA_INDEX = 12,
    STOA_ARKOUDA_MULTIINDEX = 13
} stoa_arkouda_kind;

/* Attributes (§C). Integers are int64, and the version is float32. */
#define STOA_ARKOUDA_OBJ_TYPE "ObjType"
#define STOA_ARKOUDA_IS_BOOL "isBool"
#define STOA_ARKOUDA_IS_BIGINT "isBigInt"
#define STOA_ARKOUDA_MAX_BITS "MaxBits"
#define STOA_ARKOUDA_NUM_LIMBS "NumLimbs"
#define STOA_ARKOUDA_NUM_KEYS "NumKeys"
#define STOA_ARKOUDA_NUM_COLS "NumCols"
#define STOA_ARKOUDA_NUM_IDX "NumIdx"
#define STOA_ARKOUDA_RANK "Rank"
#define STOA_ARKOUDA_SHAPE "Shape"
#define STOA_ARKOUDA_FORMAT "Format" /* ArrayView of 2022: 1 if stored with its shape (§L.4) */
#define STOA_ARKOUDA_FILE_VERSION "file_version"
#define STOA_ARKOUDA_VERSION "arkouda_version"
#define STOA_ARKOUDA_FILE_FORMAT "File_Format" /* root: 0 single file, 1 file per locale */
/* Stoa's own, on the root of each of several files: the same number in all, another one after each
 * write. Arkouda does not look at it. */
#define STOA_ARKOUDA_WRITE "stoa_write"

/* Precedes the number of a locale's file, which has at least four digits (§D). */
#define STOA_ARKOUDA_LOCALE "_LOCALE"

/* Children of groups (§E to §J), and those of versions 0 and 1 (§M). */
#define STOA_ARKOUDA_VALUES "values"
#define STOA_ARKOUDA_SEGMENTS "segments"
#define STOA_ARKOUDA_CODES "codes"
#define STOA_ARKOUDA_CATEGORIES "categories"
#define STOA_ARKOUDA_NA_CODES "NA_Codes"
#define STOA_ARKOUDA_PERMUTATION "permutation"
#define STOA_ARKOUDA_UNIQUE_KEY "unique_key_idx"
#define STOA_ARKOUDA_LIMB "Limb_"        /* Limb_0, Limb_1, ...: least significant first */
#define STOA_ARKOUDA_KEY "KEY_"          /* of a GroupBy */
#define STOA_ARKOUDA_LEVEL "IDX_"        /* of an Index or MultiIndex */
#define STOA_ARKOUDA_FRAME_INDEX "Index" /* of a DataFrame's group; required */
#define STOA_ARKOUDA_BOOLEANS "booleans"
#define STOA_ARKOUDA_METADATA "_arkouda_metadata"

/* The category for missing rows, if the writer has to add one (§G.1). */
#define STOA_ARKOUDA_NA_LABEL "N/A"
/* The value of a missing timestamp or duration. */
#define STOA_ARKOUDA_NAT INT64_MIN

/* Arkouda lists names into a buffer of 255 bytes each, joined by commas (§N). */
enum { STOA_ARKOUDA_MAX_NAME = 254 };
/* Upper bound on keys, levels or limbs; more mean damage. Arkouda itself misorders more than ten
 * (§H, §J.4). */
enum { STOA_ARKOUDA_MAX_PARTS = 4096, STOA_ARKOUDA_PARTS_IN_ORDER = 10 };

/* Extension names of Arrow fields. */
/* uint64: an IPv4 address. */
#define STOA_ARKOUDA_EXTENSION_IPV4 "arkouda.ipv4"
/* Fixed-size binary, 8 bytes per limb, little-endian. Its metadata is MaxBits in decimal. */
#define STOA_ARKOUDA_EXTENSION_BIGINT "arkouda.bigint"

/* The word of `stoa ls` for a kind: "pdarray", "strings", "groupby" ... NULL if no file holds that
 * kind. */
const char *stoa_arkouda_word(int64_t kind);
/* Arkouda's default name for an object in a file (§O): "array", "strings_array" ... NULL if no file
 * holds that kind. */
const char *stoa_arkouda_default_name(stoa_arkouda_kind kind);

/* The first file of a set, for a name that no file has. See stoa_layout_find_file(). */
stoa_status stoa_arkouda_find_file(const char *name, char **found, stoa_error *err);

/* The position of a locale's suffix: the length of the name up to its extension. An extension
 * begins at the last dot, if no '/' follows it (§D). */
size_t stoa_arkouda_stem(const char *file);
/* "run_LOCALE0003.h5" for "run.h5". The caller frees it. NULL if out of memory. */
char *stoa_arkouda_locale_file(const char *file, uint64_t locale);
/* First row of a locale under block distribution of `n_rows` rows over `n_locales` (§K). */
uint64_t stoa_arkouda_first_row(uint64_t n_rows, uint64_t locale, uint64_t n_locales);

#endif
