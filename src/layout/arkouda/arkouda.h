/*
 * What Arkouda's files are made of: the numbers, names and limits that reading and writing share
 * (Arkouda notes §B, §C, §D, §O). docs/layouts/arkouda.md says how each object is shown in Arrow.
 */
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
    STOA_ARKOUDA_BITVECTOR = 10, /* never in files */
    STOA_ARKOUDA_SERIES = 11,    /* never in files */
    STOA_ARKOUDA_INDEX = 12,
    STOA_ARKOUDA_MULTIINDEX = 13
} stoa_arkouda_kind;

/* Attributes (§C); integers are int64, the version is float32. */
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
#define STOA_ARKOUDA_FORMAT "Format" /* of an ArrayView of 2022: 1 stored with its shape (§L.4) */
#define STOA_ARKOUDA_FILE_VERSION "file_version"
#define STOA_ARKOUDA_VERSION "arkouda_version"
#define STOA_ARKOUDA_FILE_FORMAT "File_Format" /* of the root: 0 one file, 1 one of each locale */

/* What a file of a locale has before its number of four digits or more (§D). */
#define STOA_ARKOUDA_LOCALE "_LOCALE"

/* Children of groups (§E to §J), and those of version 0 and 1 (§M). */
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
#define STOA_ARKOUDA_FRAME_INDEX "Index" /* of a DataFrame's group; needed */
#define STOA_ARKOUDA_BOOLEANS "booleans"
#define STOA_ARKOUDA_METADATA "_arkouda_metadata"

/* The category that stands for missing rows, where the writer has to add one (§G.1). */
#define STOA_ARKOUDA_NA_LABEL "N/A"
/* The timestamp, and the duration, that stands for none. */
#define STOA_ARKOUDA_NAT INT64_MIN

/* Arkouda lists names into a buffer of 255 bytes each, joined by commas (§N). */
enum { STOA_ARKOUDA_MAX_NAME = 254 };
/* More keys, levels or limbs are damage; Arkouda itself mixes up more than ten (§H, §J.4). */
enum { STOA_ARKOUDA_MAX_PARTS = 4096, STOA_ARKOUDA_PARTS_IN_ORDER = 10 };

/* Extension names of Arrow fields. */
/* uint64: an IPv4 address. */
#define STOA_ARKOUDA_EXTENSION_IPV4 "arkouda.ipv4"
/* Fixed-size binary of 8 bytes a limb, little-endian; its metadata is MaxBits in decimal. */
#define STOA_ARKOUDA_EXTENSION_BIGINT "arkouda.bigint"

/* "pdarray", "strings", "groupby" ...: the words of `stoa ls`; NULL for no kind of file. */
const char *stoa_arkouda_word(int64_t kind);
/* What Arkouda calls such an object in a file if nobody says how (§O): "array",
 * "strings_array" ...; NULL for no kind of file. */
const char *stoa_arkouda_default_name(stoa_arkouda_kind kind);

/* The first file of a set, for a name that no file has: as stoa_layout_find_file(). */
stoa_status stoa_arkouda_find_file(const char *name, char **found, stoa_error *err);

/* Where the suffix of a locale goes: the length of the name up to its extension, which begins with
 * the last dot if no '/' follows that one (§D). */
size_t stoa_arkouda_stem(const char *file);
/* "run_LOCALE0003.h5" of "run.h5"; free(), NULL when memory runs out. */
char *stoa_arkouda_locale_file(const char *file, uint64_t locale);
/* First row of a locale of `n_locales` that has rows of `n_rows` (§K): block distribution. */
uint64_t stoa_arkouda_first_row(uint64_t n_rows, uint64_t locale, uint64_t n_locales);

#endif
