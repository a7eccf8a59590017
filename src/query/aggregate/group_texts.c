/*
 * Numbers texts, for keys: texts of columns, and labels of dictionaries.
 *
 * Most text columns used as keys have few and short texts. A cache holds recent texts by their
 * bytes, as two words, so that very few rows need a lookup in the set of all texts.
 */
#include <stdlib.h>
#include <string.h>

#include "core/short_bytes.h"
#include "query/aggregate/group.h"

enum { CODES_AT_ONCE = 1024 };
enum { WORD = sizeof(uint64_t), TWO_WORDS = 2 * WORD, MEMO_BITS = 10, NONE = UINT16_MAX };

/* A cached text of up to two words. */
struct stoa_text_memo {
    uint64_t low;
    uint64_t high; /* its last eight bytes, if it is longer than eight */
    uint32_t length;
    uint32_t number;
};

typedef struct stoa_text_memo memo;

/* Up to eight bytes as a word, padded with zeros; `room` bytes may be read. */
static inline uint64_t short_word(const char *text, size_t length, size_t room)
{
    uint64_t word = 0;

    if (room < WORD || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
        memcpy(&word, text, length);
        return word;
    }
    return stoa_load_u64(text) &
           UINT64_MAX >> (64 - 8 * length); /* length > 0, since there is room */
}

/* The cached text that this one may be, of up to two words. */
static memo *find_memo(const stoa_key *key, const char *text, size_t length, size_t room,
                       memo *wanted)
{
    const uint64_t low = length <= WORD ? short_word(text, length, room) : stoa_load_u64(text);
    const uint64_t high = length <= WORD ? 0 : stoa_load_u64(text + length - WORD);
    const uint64_t hash = (low ^ (high + length) * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;

    *wanted = (memo){low, high, (uint32_t)length, 0};
    return &key->memos[hash >> (64 - MEMO_BITS)];
}

static stoa_status make_memos(stoa_key *key, stoa_error *err)
{
    const size_t n = (size_t)1 << MEMO_BITS;

    if (key->memos != NULL) {
        return STOA_OK;
    }
    key->memos = stoa_alloc_zero(n, sizeof *key->memos);
    STOA_RETURN_NO_MEMORY(err, key->memos);
    for (size_t i = 0; i < n; i++) {
        key->memos[i].length = NONE;
    }
    return STOA_OK;
}

/* The bytes of a text; *room bytes may be read from there on. */
static inline const char *text_at(const stoa_view *view, int64_t row, size_t end, size_t *length,
                                  size_t *room)
{
    int32_t ends[2];

    if (view->type.kind != STOA_KIND_STRING) {
        const char *text = stoa_view_bytes(view, row, length);
        *room = *length;
        return text;
    }
    memcpy(ends, (const uint8_t *)view->offsets + (size_t)(view->offset + row) * sizeof *ends,
           sizeof ends);
    *length = (size_t)(ends[1] - ends[0]);
    *room = *length != 0 ? end - (size_t)ends[0] : 0;
    return *length != 0 ? (const char *)view->values + ends[0] : "";
}

/* Rows whose texts are not in the cache. */
typedef struct unknown {
    const char **texts;
    size_t *lengths;
    memo **memos; /* where they may be kept; or NULL */
    memo *wanted;
    uint32_t *rows;
    uint32_t *numbers;
    size_t n;
} unknown;

static stoa_status unknown_open(stoa_evaluation *ev, unknown *u, stoa_error *err)
{
    const size_t n = (size_t)ev->n;

    *u = (unknown){.texts = stoa_arena_alloc(&ev->arena, n, sizeof(char *)),
                   .lengths = stoa_arena_alloc(&ev->arena, n, sizeof *u->lengths),
                   .memos = stoa_arena_alloc(&ev->arena, n, sizeof(memo *)),
                   .wanted = stoa_arena_alloc(&ev->arena, n, sizeof *u->wanted),
                   .rows = stoa_arena_alloc(&ev->arena, n, sizeof *u->rows),
                   .numbers = stoa_arena_alloc(&ev->arena, n, sizeof *u->numbers)};
    STOA_RETURN_NO_MEMORY(err, u->texts != NULL && u->lengths != NULL && u->memos != NULL &&
                                   u->wanted != NULL && u->rows != NULL && u->numbers != NULL);
    return STOA_OK;
}

static bool is_known(const memo *m, const memo *wanted)
{
    return m->low == wanted->low && m->high == wanted->high && m->length == wanted->length;
}

/* Number the texts of the rows that count. */
static stoa_status number_rows(stoa_key *key, stoa_evaluation *ev, const stoa_operand *rows,
                               uint32_t *numbers, stoa_error *err)
{
    const stoa_view *view = NULL;
    int32_t end = 0;
    unknown u;

    STOA_RETURN_NOT_OK(make_memos(key, err));
    STOA_RETURN_NOT_OK(unknown_open(ev, &u, err));
    STOA_RETURN_NOT_OK(stoa_evaluation_view(ev, key->expr->column, &view, err));
    if (view->type.kind == STOA_KIND_STRING) {
        memcpy(&end,
               (const uint8_t *)view->offsets +
                   (size_t)(view->offset + ev->first + ev->n) * sizeof end,
               sizeof end);
    }
    STOA_EACH_KEPT(row, rows)
    {
        size_t length;
        size_t room;
        memo wanted;
        memo *m = NULL;
        const char *text = text_at(view, ev->first + row, (size_t)end, &length, &room);
        if (length <= TWO_WORDS) {
            m = find_memo(key, text, length, room, &wanted);
            if (is_known(m, &wanted)) {
                numbers[row] = m->number;
                continue;
            }
            u.wanted[u.n] = wanted;
        }
        u.texts[u.n] = text;
        u.lengths[u.n] = length;
        u.memos[u.n] = m;
        u.rows[u.n++] = (uint32_t)row;
    }
    STOA_RETURN_NOT_OK(stoa_text_numbers_add(key->texts, u.texts, u.lengths, u.n, u.numbers, err));
    for (size_t i = 0; i < u.n; i++) {
        numbers[u.rows[i]] = u.numbers[i];
        if (u.memos[i] != NULL) {
            *u.memos[i] = u.wanted[i];
            u.memos[i]->number = u.numbers[i];
        }
    }
    return STOA_OK;
}

bool stoa_key_is_text(const stoa_key *key, const stoa_evaluation *ev)
{
    return key->expr->op == STOA_OP_COLUMN &&
           !ev->scope->columns[key->expr->column].is_dictionary &&
           ev->scope->columns[key->expr->column].value.domain == STOA_DOMAIN_TEXT;
}

stoa_status stoa_key_operand(stoa_key *key, stoa_evaluation *ev, const uint8_t *selected,
                             int64_t n_selected, stoa_operand *out, stoa_error *err)
{
    uint32_t *numbers = NULL;

    if (!stoa_key_is_text(key, ev)) {
        return stoa_operand_load(ev, key->expr, STOA_NEED_STORED, selected, n_selected, out, err);
    }
    STOA_RETURN_NOT_OK(
        stoa_operand_load(ev, key->expr, STOA_NEED_PRESENCE, selected, n_selected, out, err));
    numbers = stoa_arena_zero(&ev->arena, (size_t)ev->n, sizeof *numbers);
    STOA_RETURN_NO_MEMORY(err, numbers);
    if (out->n_kept > 0) {
        STOA_RETURN_NOT_OK(number_rows(key, ev, out, numbers, err));
    }
    out->kind = STOA_KIND_UINT32;
    out->values = numbers;
    return STOA_OK;
}

/* Codes of dictionaries ---------------------------------------------------------------------- */

/* Labels are numbered when first met, since most labels of a large dictionary may never occur.
 * Labels need not be distinct; equal ones get one number. Two threads may number a label at the
 * same time, which gives both the same. What `by_code` holds of a code: */
enum { CODE_UNKNOWN = 0, CODE_MISSING = 1, CODE_NUMBER = 2 /* and the label's number */ };

/* Codes whose labels are numbered together, so that memory accesses overlap. */
typedef struct listed {
    size_t n;
    uint16_t places[CODES_AT_ONCE]; /* where among these a code may be, by its last bits */
    uint32_t codes[CODES_AT_ONCE];
    const char *texts[CODES_AT_ONCE];
    size_t lengths[CODES_AT_ONCE];
    uint32_t numbers[CODES_AT_ONCE];
} listed;

static stoa_status number_listed(stoa_key *key, const stoa_labels *labels, listed *some,
                                 stoa_error *err)
{
    for (size_t i = 0; i < some->n; i++) {
        const stoa_bytes *const text = &labels->values.as.bytes[some->codes[i]];
        some->texts[i] = text->data;
        some->lengths[i] = text->length;
    }
    STOA_RETURN_NOT_OK(
        stoa_text_numbers_add(key->texts, some->texts, some->lengths, some->n, some->numbers, err));
    for (size_t i = 0; i < some->n; i++) {
        atomic_store_explicit(&key->by_code[some->codes[i]], some->numbers[i] + CODE_NUMBER,
                              memory_order_release);
    }
    some->n = 0;
    return STOA_OK;
}

static inline uint32_t number_of(const stoa_key *key, uint32_t code)
{
    return atomic_load_explicit(&key->by_code[code], memory_order_relaxed);
}

/* Number the labels that are not known. */
static stoa_status number_labels(stoa_key *key, const stoa_labels *labels, const uint32_t *codes,
                                 const uint32_t *at, int64_t n, stoa_error *err)
{
    listed some;

    some.n = 0;
    memset(some.places, 0, sizeof some.places);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t code = codes[at != NULL ? at[i] : i];
        uint16_t *const place = &some.places[code % CODES_AT_ONCE];
        if (number_of(key, code) != CODE_UNKNOWN ||
            (*place < some.n && some.codes[*place] == code)) {
            continue;
        }
        if (stoa_vector_is_null(&labels->values, code)) {
            atomic_store_explicit(&key->by_code[code], CODE_MISSING, memory_order_release);
            continue;
        }
        *place = (uint16_t)some.n;
        some.codes[some.n++] = code;
        if (some.n == CODES_AT_ONCE) {
            STOA_RETURN_NOT_OK(number_listed(key, labels, &some, err));
        }
    }
    return some.n > 0 ? number_listed(key, labels, &some, err) : STOA_OK;
}

/* Returns false if some labels are not known. */
static bool look_up(const stoa_key *key, const uint32_t *codes, const uint32_t *at, int64_t n,
                    uint32_t *numbers)
{
    bool is_known = true;

    for (int64_t i = 0; i < n; i++) {
        const uint32_t number = number_of(key, codes[at != NULL ? at[i] : i]);
        is_known &= number != CODE_UNKNOWN;
        numbers[i] = number - CODE_MISSING;
    }
    atomic_thread_fence(memory_order_acquire); /* numbers of other threads count as given out */
    return is_known;
}

stoa_status stoa_key_of_codes(stoa_key *key, const stoa_labels *labels, const uint32_t *codes,
                              const uint32_t *at, int64_t n, uint32_t *numbers, stoa_error *err)
{
    if (key->labels != NULL) {
        for (int64_t i = 0; i < n; i++) {
            const uint32_t code = codes[at != NULL ? at[i] : i];
            numbers[i] = code < labels->n ? code + 1 : 0;
        }
    } else if (!look_up(key, codes, at, n, numbers)) {
        STOA_RETURN_NOT_OK(number_labels(key, labels, codes, at, n, err));
        (void)look_up(key, codes, at, n, numbers);
    }
    return STOA_OK;
}

static stoa_status make_by_code(stoa_key *key, const stoa_labels *labels, stoa_error *err)
{
    const size_t n = (size_t)labels->n + 1; /* with that of missing rows */

    key->by_code = NULL;
    if (key->has_one_dictionary) {
        STOA_RETURN_NOT_OK(
            stoa_text_numbers_of_list(key->texts, labels->identity[1], n, &key->by_code, err));
    }
    key->owns_codes = key->by_code == NULL;
    if (key->owns_codes) {
        key->by_code = stoa_alloc_zero(n, sizeof *key->by_code);
        STOA_RETURN_NO_MEMORY(err, key->by_code);
    }
    return STOA_OK;
}

stoa_status stoa_key_labels(stoa_key *key, const stoa_labels *labels, bool *is_new, stoa_error *err)
{
    const bool is_same =
        key->by_code_of == labels->generation && key->by_labels == labels->values.as.bytes;

    if (is_new != NULL) {
        *is_new = !is_same;
    }
    if (is_same) {
        return STOA_OK;
    }
    if (key->owns_codes) {
        free(key->by_code);
    }
    key->by_code = NULL;
    key->owns_codes = false;
    key->by_labels = NULL;
    STOA_RETURN_NOT_OK(key->labels == NULL ? make_by_code(key, labels, err) : STOA_OK);
    key->by_code_of = labels->generation;
    key->by_labels = labels->values.as.bytes;
    return STOA_OK;
}

stoa_status stoa_groups_labels(stoa_groups *groups, size_t k, const stoa_labels *labels,
                               stoa_error *err)
{
    bool is_new = false;

    const stoa_status status = stoa_key_labels(&groups->keys[k], labels, &is_new, err);
    groups->is_stale = groups->is_stale || is_new;
    return status;
}
