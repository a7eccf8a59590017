/* The domain of a column: the span of its values. It determines a type that holds them and a fill
 * value that is not among them (HEP001 §8.5). */
#ifndef STOA_COLUMN_DOMAIN_H
#define STOA_COLUMN_DOMAIN_H

#include "arrow/read.h"
#include "hdf/metadata/types.h"

/* The recommended fill of float32 and float64 (Table 1), exact in both. */
#define STOA_FLOAT_FILL 9.9692099683868690e+36

/* Zero-initialise. Missing values are not included, but noted. */
typedef struct stoa_domain {
    uint64_t n_values;
    bool has_missing;
    int64_t low;   /* integers and ticks: smallest value, if any is below 2^63 */
    uint64_t high; /* integers: largest value, if any is not negative */
    bool has_negative;
    bool has_positive; /* zero counts */
    uint8_t sentinels; /* bit k: the recommended fill of integer kind STOA_KIND_INT8 + k occurs */
    uint64_t spares;   /* bit k: spare fill k of int64 occurs; bit 32 + k: of uint64 */
    double low_f;      /* numbers, without NaN: smallest and largest value, integers rounded */
    double high_f;
    bool has_number; /* a number other than NaN occurs */
    bool has_nan;
    bool has_float_fill; /* STOA_FLOAT_FILL occurs */
    bool is_float16;     /* every number is exact in float16 */
    bool is_float32;     /* every number is exact in float32 */
    size_t longest;      /* strings and binaries: bytes of the longest */
    uint64_t n_bytes;    /* strings: total bytes */
    bool has_empty;      /* the empty string or list occurs */
    bool has_nul;        /* a string holds a NUL byte */
    bool has_last_nul;   /* a string ends with one */
    bool has_last_space; /* a string ends with a space */
    bool has_wide;       /* a string has a character beyond ASCII */
    uint64_t uniform[4]; /* bit c: a string or binary that only repeats byte c occurs */
    uint32_t controls;   /* bit c: the one-byte string c (1..31) occurs */
} stoa_domain;

/* Widen the domain by an array's values. A dictionary adds the labels that its values use. */
stoa_status stoa_domain_add(stoa_domain *domain, const stoa_view *view, stoa_error *err);
/* The same for codes. Labels that are marked in `used` were added before; the others are marked. */
stoa_status stoa_domain_add_labels(stoa_domain *domain, const stoa_view *codes, bool *used,
                                   stoa_error *err);

/* The domain of one number, to compare it with others. */
stoa_domain stoa_domain_of(stoa_kind kind, const void *value);

/* Widen `into` by the other domain. */
void stoa_domain_merge(stoa_domain *into, const stoa_domain *other);

/* Whether the domain lies within [low, high], each the domain of one number. False if that is
 * unknown. */
bool stoa_domain_is_within(const stoa_domain *domain, const stoa_domain *low,
                           const stoa_domain *high, bool as_float);

/* Whether every string fits into fixed-length elements and survives the removal of padding. */
bool stoa_string_fits(const stoa_domain *domain, size_t size, H5T_str_t padding);

/* Smallest and largest value of an integer kind. */
int64_t stoa_kind_min(stoa_kind kind);
uint64_t stoa_kind_max(stoa_kind kind);
/* The recommended fill of an integer kind (Table 1), as the bits of an int64. */
int64_t stoa_kind_sentinel(stoa_kind kind);
/* Spare fills of 64-bit integers, for columns that use the recommended fill and both ends of the
 * type as values. They are the neighbours of the recommended fill, towards zero. As the bits of an
 * int64. */
enum { STOA_N_SPARES = 32 };
int64_t stoa_kind_spare(stoa_kind kind, int k);
/* Whether every number of the domain is exact in a kind of integers or floats. Always true for
 * float64: integers that it would round are refused one by one. */
bool stoa_domain_fits(const stoa_domain *domain, stoa_kind kind);

/* A fill value. If it is not the recommended one, also the valid range, which excludes it. Values
 * are elements in memory form. */
typedef struct stoa_fill {
    uint8_t value[8];
    uint8_t valid_min[8];
    uint8_t valid_max[8];
    bool has_range;
} stoa_fill;

/*
 * Choose the fill of an integer kind. False if no value is left, so that a wider kind is needed.
 *
 * No kind is wider than 64 bits. If values of such a kind include the recommended fill and both
 * ends, a spare fill is used. The declared range then ends next to it, and the few values outside
 * that range remain values (notes C2).
 */
bool stoa_fill_integer(const stoa_domain *domain, stoa_kind kind, stoa_fill *fill);
/* Choose the fill of a float kind. False if no value is left, not even NaN. float16 always declares
 * its range because it has no recommended fill. */
bool stoa_fill_float(const stoa_domain *domain, stoa_kind kind, stoa_fill *fill);
/* Store a number as a float of that kind. */
void stoa_float_put(uint8_t *out, stoa_kind kind, double value);
/* Choose the fill of strings: "", else a control character that does not occur. False if none is
 * left. */
bool stoa_fill_string(const stoa_domain *domain, char *fill);
/* Choose the fill of opaque elements: bytes of 0xff, else of another value. False if none is
 * left. */
bool stoa_fill_opaque(const stoa_domain *domain, uint8_t *fill);

#endif
