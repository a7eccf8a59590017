/* Aggregate arguments as they are stored: masks, and blocks of widened values. */
#include "query/aggregate/operand.h"

#include <string.h>

#include "core/cpu.h"

/* Masks ------------------------------------------------------------------------------------- */

/* 64 bits of a bitmap from bit `first` on; bits from `end` on are 0. */
static uint64_t bits_at(const uint8_t *bits, uint64_t first, uint64_t end)
{
    const uint64_t n = end - first < 64 ? end - first : 64;
    const uint8_t *from = bits + (first >> 3);
    const size_t n_bytes = (size_t)stoa_bit_bytes((first & 7) + n);
    const unsigned shift = first & 7;
    uint64_t word = 0;

    for (size_t i = 0; n_bytes < 8 && i < n_bytes; i++) {
        word |= (uint64_t)from[i] << (8 * i);
    }
    if (n_bytes >= 8) {
        memcpy(&word, from, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
    }
    word >>= shift;
    if (n_bytes > 8) {
        word |= (uint64_t)from[8] << (64 - shift);
    }
    return n < 64 ? word & ((UINT64_C(1) << n) - 1) : word;
}

/* Copy n bits to words, and fill up with zeros. Whole words are copied at once if they begin at
 * a byte. */
static void copy_words(const uint8_t *bits, uint64_t first, uint64_t n, uint64_t *words)
{
    uint64_t done = 0;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if ((first & 7) == 0) {
        done = n / 64;
        memcpy(words, bits + (first >> 3), (size_t)done * sizeof *words);
    }
#endif
    for (; done * 64 < n; done++) {
        words[done] = bits_at(bits, first + done * 64, first + n);
    }
}

/* Make a mask of the rows whose bit is set. Bit `first` is that of the window's first row. */
static stoa_status make_mask(stoa_evaluation *ev, const stoa_operand *operand, const uint8_t *bits,
                             uint64_t first, uint64_t **mask, stoa_error *err)
{
    *mask = stoa_arena_alloc(&ev->arena, ((size_t)operand->n + 63) / 64, sizeof **mask);
    STOA_RETURN_NO_MEMORY(err, *mask);
    copy_words(bits, first, (uint64_t)operand->n, *mask);
    return STOA_OK;
}

/* Restrict the operand to rows whose bit is set. */
static stoa_status keep(stoa_evaluation *ev, stoa_operand *operand, const uint8_t *bits,
                        uint64_t first, stoa_error *err)
{
    const size_t n_words = ((size_t)operand->n + 63) / 64;
    uint64_t *mask = NULL;

    STOA_RETURN_NOT_OK(make_mask(ev, operand, bits, first, &mask, err));
    operand->n_kept = operand->mask != NULL
                          ? ev->filter->leave(operand->mask, 0, NULL, n_words, mask)
                          : ev->filter->count(mask, n_words);
    operand->mask = operand->n_kept < operand->n ? mask : NULL;
    return STOA_OK;
}

/* The same for selected rows, whose number is already known. */
static stoa_status keep_selected(stoa_evaluation *ev, stoa_operand *operand,
                                 const uint8_t *selected, stoa_error *err)
{
    uint64_t *mask = NULL;

    STOA_RETURN_NOT_OK(make_mask(ev, operand, selected, 0, &mask, err));
    operand->mask = mask;
    return STOA_OK;
}

int64_t stoa_operand_first(const stoa_operand *operand)
{
    int64_t at = 0;

    while (stoa_operand_word(operand, at) == 0) {
        at += 64;
    }
    return at + __builtin_ctzll(stoa_operand_word(operand, at));
}

int64_t stoa_operand_last(const stoa_operand *operand)
{
    int64_t at = (operand->n - 1) / 64 * 64;

    while (stoa_operand_word(operand, at) == 0) {
        at -= 64;
    }
    return at + 63 - __builtin_clzll(stoa_operand_word(operand, at));
}

/* Values ------------------------------------------------------------------------------------ */

STOA_CLONES static bool has_code(const uint32_t *codes, int64_t n, uint32_t code)
{
    uint32_t found = 0;

    for (int64_t i = 0; i < n; i++) {
        found |= codes[i] == code;
    }
    return found != 0;
}

bool stoa_has_code(const uint32_t *codes, int64_t n, uint32_t code)
{
    return has_code(codes, n, code);
}

/* The kind of a column's stored values; STOA_KIND_NULL if they are not numbers. */
static stoa_kind stored_kind(stoa_kind kind)
{
    switch (kind) {
    case STOA_KIND_DATE:
        return STOA_KIND_INT32;
    case STOA_KIND_TIMESTAMP:
    case STOA_KIND_DURATION:
        return STOA_KIND_INT64;
    case STOA_KIND_FLOAT32:
    case STOA_KIND_FLOAT64:
        return kind;
    default:
        return stoa_kind_is_integer(kind) ? kind : STOA_KIND_NULL;
    }
}

static stoa_status load_stored(stoa_evaluation *ev, const stoa_view *view, stoa_operand *out,
                               stoa_error *err)
{
    const int64_t first = view->offset + ev->first;

    if (out->kind != STOA_KIND_NULL) {
        out->values = (const uint8_t *)view->values + first * stoa_kind_width(out->kind);
    }
    if (view->null_count != 0 && view->validity != NULL) {
        STOA_RETURN_NOT_OK(keep(ev, out, view->validity, (uint64_t)first, err));
    }
    return STOA_OK;
}

/* Whether so few rows count that the others had better not be read. */
static bool are_few(const stoa_evaluation *ev, size_t column, const stoa_operand *operand)
{
    enum { FEW_PART = 32 };

    return ev->peek != NULL && operand->mask != NULL && operand->n_kept <= operand->n / FEW_PART &&
           ev->views[column].length < 0 && !stoa_scope_column_is_coded(&ev->scope->columns[column]);
}

/* Load these rows of a column that was not fetched. *found is false if the column must be
 * fetched. */
static stoa_status load_few(stoa_evaluation *ev, size_t column, stoa_need need, stoa_operand *out,
                            bool *found, stoa_error *err)
{
    const stoa_view *view = NULL;
    const size_t n_words = ((size_t)out->n + 63) / 64;
    uint64_t n_kept = (uint64_t)out->n_kept;
    uint64_t *mask = NULL;

    STOA_RETURN_NOT_OK(ev->peek(ev->fetch_context, column, &view, err));
    *found = view != NULL && stored_kind(view->type.kind) != STOA_KIND_NULL;
    if (!*found) {
        return STOA_OK;
    }
    const stoa_kind kind = stored_kind(view->type.kind);
    const uint8_t *const values =
        (const uint8_t *)view->values + (view->offset + ev->first) * stoa_kind_width(kind);
    mask = stoa_arena_alloc(&ev->arena, n_words, sizeof *mask);
    STOA_RETURN_NO_MEMORY(err, mask);
    memcpy(mask, out->mask, n_words * sizeof *mask);
    STOA_RETURN_NOT_OK(
        ev->keep(ev->fetch_context, column, values, (uint64_t)out->n, mask, &n_kept, err));
    out->mask = mask;
    out->n_kept = (int64_t)n_kept;
    out->kind = need != STOA_NEED_PRESENCE ? kind : STOA_KIND_NULL;
    out->values = need != STOA_NEED_PRESENCE ? values : NULL;
    return STOA_OK;
}

/* A row does not count if its label is missing. */
static stoa_status load_coded(stoa_evaluation *ev, size_t column, stoa_need need, stoa_operand *out,
                              stoa_error *err)
{
    stoa_labels *labels = NULL;
    const size_t n_words = ((size_t)out->n + 63) / 64;
    uint64_t *mask = NULL;

    STOA_RETURN_NOT_OK(need == STOA_NEED_BARE_CODES ? stoa_load_bare_codes(ev, column, &labels, err)
                                                    : stoa_load_codes(ev, column, &labels, err));
    out->kind = STOA_KIND_DICTIONARY;
    out->values = labels->codes;
    out->labels = labels;
    if (need == STOA_NEED_BARE_CODES) {
        return STOA_OK;
    }
    if (!labels->has_missing && !stoa_has_code(labels->codes, out->n, (uint32_t)labels->n)) {
        return STOA_OK;
    }
    mask = stoa_arena_alloc(&ev->arena, n_words, sizeof *mask);
    STOA_RETURN_NO_MEMORY(err, mask);
    for (size_t i = 0; i < n_words; i++) {
        const uint32_t *const codes = labels->codes + i * 64;
        mask[i] = 0;
        for (uint64_t left = stoa_operand_word(out, (int64_t)i * 64); left != 0; left &= left - 1) {
            const unsigned row = (unsigned)__builtin_ctzll(left);
            mask[i] |= (uint64_t)stoa_bit_get(labels->values.validity, codes[row]) << row;
        }
    }
    out->n_kept = ev->filter->count(mask, n_words);
    out->mask = out->n_kept < out->n ? mask : NULL;
    return STOA_OK;
}

/* Codes are never negative. */
static stoa_kind codes_kind(int width)
{
    return width == 1   ? STOA_KIND_UINT8
           : width == 2 ? STOA_KIND_UINT16
           : width == 4 ? STOA_KIND_UINT32
                        : STOA_KIND_UINT64;
}

static stoa_status load_stored_codes(stoa_evaluation *ev, size_t column, stoa_operand *out,
                                     stoa_error *err)
{
    const stoa_view *view = NULL;
    stoa_labels *labels = NULL;

    STOA_RETURN_NOT_OK(stoa_load_labels(ev, column, &labels, err));
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, column, &view, err));
    out->kind = codes_kind(stoa_kind_width(view->type.index));
    out->labels = labels;
    return load_stored(ev, view, out, err);
}

/* The kind of a vector's values; STOA_KIND_NULL if they cannot be aggregated. */
static stoa_kind computed_kind(stoa_value_domain domain)
{
    switch (domain) {
    case STOA_DOMAIN_BOOL:
        return STOA_KIND_BOOL;
    case STOA_DOMAIN_I64:
    case STOA_DOMAIN_TIME:
    case STOA_DOMAIN_DURATION:
        return STOA_KIND_INT64;
    case STOA_DOMAIN_U64:
        return STOA_KIND_UINT64;
    case STOA_DOMAIN_F64:
        return STOA_KIND_FLOAT64;
    case STOA_DOMAIN_TEXT:
    case STOA_DOMAIN_BYTES:
        return STOA_KIND_STRING;
    default:
        return STOA_KIND_NULL;
    }
}

static stoa_status load_computed(stoa_evaluation *ev, const stoa_expr *arg, const uint8_t *selected,
                                 stoa_operand *out, stoa_error *err)
{
    stoa_vector vector;

    STOA_RETURN_NOT_OK(stoa_eval_rows(ev, arg, selected, &vector, err));
    STOA_RETURN_NOT_OK(stoa_vector_spread(&ev->arena, &vector, err));
    out->kind = computed_kind(vector.type.domain);
    out->values = vector.as.bits;
    if (vector.type.domain == STOA_DOMAIN_NULL) {
        out->n_kept = 0;
    } else if (vector.validity != NULL) {
        STOA_RETURN_NOT_OK(keep(ev, out, vector.validity, 0, err));
    }
    return STOA_OK;
}

stoa_status stoa_operand_load(stoa_evaluation *ev, const stoa_expr *arg, stoa_need need,
                              const uint8_t *selected, int64_t n_selected, stoa_operand *out,
                              stoa_error *err)
{
    const stoa_view *view = NULL;
    bool found = false;

    *out = (stoa_operand){.kind = STOA_KIND_NULL, .n = ev->n, .n_kept = n_selected};
    if (n_selected < ev->n) {
        STOA_RETURN_NOT_OK(keep_selected(ev, out, selected, err));
    }
    if (arg == NULL || n_selected == 0) {
        return STOA_OK;
    }
    if (arg->op != STOA_OP_COLUMN || ev->scope->columns[arg->column].is_labelled) {
        return load_computed(ev, arg, selected, out, err);
    }
    if (ev->scope->columns[arg->column].is_dictionary && need == STOA_NEED_STORED) {
        return load_stored_codes(ev, arg->column, out, err);
    }
    if (ev->scope->columns[arg->column].is_dictionary && need != STOA_NEED_VALUES) {
        return load_coded(ev, arg->column, need, out, err);
    }
    if (are_few(ev, arg->column, out)) {
        STOA_RETURN_NOT_OK(load_few(ev, arg->column, need, out, &found, err));
        if (found) {
            return STOA_OK;
        }
    }
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, arg->column, &view, err));
    out->kind = need != STOA_NEED_PRESENCE ? stored_kind(view->type.kind) : STOA_KIND_NULL;
    if (out->kind == STOA_KIND_NULL && need != STOA_NEED_PRESENCE) {
        STOA_RETURN_NOT_OK(load_computed(ev, arg, selected, out, err));
    } else if (view->type.kind == STOA_KIND_NULL) {
        out->n_kept = 0;
    } else {
        STOA_RETURN_NOT_OK(load_stored(ev, view, out, err));
    }
    return STOA_OK;
}

stoa_operand stoa_operand_row(const stoa_operand *operand, int64_t row)
{
    stoa_operand one = *operand;

    one.values = (const uint8_t *)operand->values + row * stoa_kind_width(operand->kind);
    one.mask = NULL;
    one.n = 1;
    one.n_kept = 1;
    return one;
}

/* Blocks ------------------------------------------------------------------------------------ */

/* List the rows of the block that count, relative to its first row. */
static int64_t list_rows(const stoa_operand *operand, int64_t at, int64_t end, uint16_t *rows)
{
    int64_t n = 0;

    for (int64_t from = at; from < end; from += 64) {
        uint64_t word = stoa_operand_word(operand, from);
        for (int64_t row; stoa_next_bit(&word, from, &row); n++) {
            rows[n] = (uint16_t)(row - at);
        }
    }
    return n;
}

bool stoa_block_next(stoa_block *block, const stoa_operand *operand, const uint32_t *ids)
{
    uint16_t rows[STOA_BLOCK_ROWS];

    for (block->n = 0; block->at < operand->n && block->n == 0;) {
        const int64_t at = block->at;
        const int64_t left = operand->n - at;
        const int64_t end = at + (left < STOA_BLOCK_ROWS ? left : STOA_BLOCK_ROWS);
        const bool all = operand->mask == NULL;
        block->n = all ? end - at : list_rows(operand, at, end, rows);
        block->at = end;
        block->values = block->widened;
        block->ids = ids != NULL ? ids + at : NULL;
        if (all && stoa_kind_width(operand->kind) == 8) {
            block->values = (const stoa_word *)operand->values + at;
        } else if (operand->kind != STOA_KIND_NULL) {
            const uint8_t *from = operand->values;
            stoa_widen(operand->kind, from + at * stoa_kind_width(operand->kind), all ? NULL : rows,
                       block->n, block->widened);
        }
        if (ids != NULL && !all) {
            for (int64_t i = 0; i < block->n; i++) {
                block->packed[i] = ids[at + rows[i]];
            }
            block->ids = block->packed;
        }
    }
    return block->n > 0;
}

uint64_t stoa_operand_integer(const stoa_operand *operand, int64_t row)
{
    stoa_block block;

    if (operand->kind == STOA_KIND_BOOL) {
        return stoa_bit_get(operand->values, (uint64_t)row);
    }
    const stoa_operand one = stoa_operand_row(operand, row);
    block.at = 0;
    (void)stoa_block_next(&block, &one, NULL);
    return block.values->u64;
}
