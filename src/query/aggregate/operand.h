/*
 * An aggregate's argument in one window, as it is stored, and which of its rows count.
 *
 * Numbers and times of a column are read in place, in their own type. Computed values are a
 * vector's 64-bit values. A row counts if it is selected and its value is not missing.
 */
#ifndef STOA_QUERY_OPERAND_H
#define STOA_QUERY_OPERAND_H

#include "query/aggregate/reduce.h"
#include "query/eval/eval.h"

/* What an aggregate needs of its argument. */
typedef enum stoa_need {
    STOA_NEED_VALUES,
    STOA_NEED_CODES,      /* values, or codes if there are any */
    STOA_NEED_BARE_CODES, /* codes of labels that are not loaded; all rows count */
    STOA_NEED_STORED,     /* a dictionary column's codes in their stored type; loads the labels */
    STOA_NEED_PRESENCE    /* only whether there is a value */
} stoa_need;

typedef struct stoa_operand {
    /* INT8 .. UINT64, FLOAT32, FLOAT64: values of that type. BOOL: bits. STRING: stoa_bytes.
     * DICTIONARY: uint32_t codes of `labels`. NULL: values were not asked for. STOA_NEED_STORED:
     * codes are integers of their stored kind, and rows whose label is missing count. */
    stoa_kind kind;
    const void *values; /* of the window's rows */
    const stoa_labels *labels;
    int64_t n;            /* rows of the window */
    int64_t n_kept;       /* rows that count */
    const uint64_t *mask; /* bitmap of the rows that count, 0 past n; NULL: all */
    bool is_ordered;      /* floats are added in the order of the rows, whatever their number */
    const struct stoa_operand *by; /* of an aggregate's second expression, whose rows that count are
                                      among these; NULL: none */
} stoa_operand;

/* Load an argument for the rows in `selected` (n_selected of them; NULL: all). `arg` may be
 * NULL. The operand is valid until the evaluation moves. Only selected rows can make it fail. */
stoa_status stoa_operand_load(stoa_evaluation *ev, const stoa_expr *arg, stoa_need need,
                              const uint8_t *selected, int64_t n_selected, stoa_operand *out,
                              stoa_error *err);
/* Whether one of n codes is this one. */
bool stoa_has_code(const uint32_t *codes, int64_t n, uint32_t code);
/* A single row of an operand of fixed width. */
stoa_operand stoa_operand_row(const stoa_operand *operand, int64_t row);
/* An integer as 64 bits, or the bit of a BOOL. */
uint64_t stoa_operand_integer(const stoa_operand *operand, int64_t row);
/* The first and the last row that counts. At least one row must count. */
int64_t stoa_operand_first(const stoa_operand *operand);
int64_t stoa_operand_last(const stoa_operand *operand);

/* The kind of a domain's values that were widened to 64 bits, or are texts. */
static inline stoa_kind stoa_kind_of_domain(stoa_value_domain domain)
{
    return stoa_domain_is_bytes(domain) ? STOA_KIND_STRING
           : domain == STOA_DOMAIN_F64  ? STOA_KIND_FLOAT64
           : domain == STOA_DOMAIN_U64  ? STOA_KIND_UINT64
                                        : STOA_KIND_INT64;
}

/* A bitmap of the rows that count among the 64 from `at` on. */
static inline uint64_t stoa_operand_word(const stoa_operand *operand, int64_t at)
{
    return stoa_mask_word(operand->mask, at, operand->n);
}

static inline bool stoa_next_bit(uint64_t *word, int64_t at, int64_t *row)
{
    if (*word == 0) {
        return false;
    }
    *row = at + __builtin_ctzll(*word);
    *word &= *word - 1;
    return true;
}

/* Each row that counts, in order. */
#define STOA_EACH_KEPT(row, operand)                                                               \
    for (int64_t at_ = 0, row = 0; at_ < (operand)->n; at_ += 64)                                  \
        for (uint64_t word_ = stoa_operand_word(operand, at_); stoa_next_bit(&word_, at_, &(row));)

/* Blocks of values that count, contiguous and widened to 64 bits ---------------------------- */

#define STOA_BLOCK_ROWS 512

typedef struct stoa_block {
    int64_t at; /* where the next block begins; 0 at first */
    int64_t n;
    const stoa_word *values; /* int64, uint64 (of UINT64) or double */
    const uint32_t *ids;     /* NULL if there are none */
    stoa_word widened[STOA_BLOCK_ROWS];
    uint32_t packed[STOA_BLOCK_ROWS];
} stoa_block;

/* The next non-empty block of an operand of numbers. Returns false at the end. */
bool stoa_block_next(stoa_block *block, const stoa_operand *operand, const uint32_t *ids);

#endif
