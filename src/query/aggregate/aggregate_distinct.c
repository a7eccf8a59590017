/*
 * distinct: the number of different values. `n` counts them, `seen` holds (group, value) pairs.
 *
 * When there are too many pairs for memory, they go to temporary files and `seen` starts empty
 * again. In the end the pairs of each file are counted, in parts that fit into memory. The hash
 * selects the file and the part, so equal pairs are always in the same one.
 */
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/aggregate.h"

enum { N_KEYS = 2, STRIDE = N_KEYS + 1, READ_BYTES = 65536 };

static stoa_status distinct_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                 stoa_error *err)
{
    const stoa_expr *arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];

    (void)binder;
    aggregate->result.domain = STOA_DOMAIN_I64;
    if (arg->type.domain == STOA_DOMAIN_OTHER) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, arg->syntax,
                                "distinct takes a plain value, and %s is a list or a struct",
                                stoa_syntax_source(arg->syntax, source));
    }
    return STOA_OK;
}

/* Add pairs, as rows of words; count the new ones. */
static stoa_status add_pairs(stoa_aggregate *aggregate, const uint64_t *rows, int64_t n,
                             stoa_error *err)
{
    stoa_groups *seen = &aggregate->seen;
    uint32_t pairs[STOA_BLOCK_ROWS];

    if (seen->keys == NULL) {
        STOA_RETURN_NOT_OK(stoa_groups_open(seen, NULL, N_KEYS, err));
    }
    seen->listener = aggregate->listener;
    const uint32_t before = seen->n_groups;
    STOA_RETURN_NOT_OK(stoa_groups_assign_words(seen, rows, n, pairs, err));
    const uint64_t *words = (const uint64_t *)(const void *)seen->words.data;
    for (uint32_t pair = before; pair < seen->n_groups; pair++) {
        stoa_cells(aggregate)[words[(size_t)pair * STRIDE]].n++;
    }
    return STOA_OK;
}

/* Numbers ----------------------------------------------------------------------------------- */

static stoa_status distinct_numbers(stoa_aggregate *aggregate, const stoa_operand *operand,
                                    const uint32_t *ids, stoa_error *err)
{
    const bool floats = operand->kind == STOA_KIND_FLOAT32 || operand->kind == STOA_KIND_FLOAT64;
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        for (int64_t i = 0; i < block.n; i++) {
            uint64_t *row = rows + i * STRIDE;
            row[0] = ids != NULL ? block.ids[i] : 0;
            row[1] = floats ? stoa_word_of_f64(block.values[i].f64) : block.values[i].u64;
            row[2] = 0;
        }
        STOA_RETURN_NOT_OK(add_pairs(aggregate, rows, block.n, err));
    }
    return STOA_OK;
}

/* Texts and bits ---------------------------------------------------------------------------- */

static stoa_status add_text(stoa_aggregate *aggregate, uint32_t group, stoa_bytes text,
                            stoa_error *err)
{
    uint64_t row[STRIDE] = {group, 0, 0};
    uint32_t number = 0;

    STOA_RETURN_NOT_OK(
        stoa_string_set_add(&aggregate->words, text.data, text.length, &number, err));
    row[1] = number;
    return add_pairs(aggregate, row, 1, err);
}

static stoa_status distinct_others(stoa_aggregate *aggregate, const stoa_operand *operand,
                                   const uint32_t *ids, stoa_error *err)
{
    const stoa_bytes *texts = operand->values;

    STOA_EACH_KEPT(row, operand)
    {
        const uint32_t group = ids != NULL ? ids[row] : 0;
        if (operand->kind == STOA_KIND_STRING) {
            STOA_RETURN_NOT_OK(add_text(aggregate, group, texts[row], err));
        } else {
            const uint64_t pair[STRIDE] = {group, stoa_bit_get(operand->values, (uint64_t)row), 0};
            STOA_RETURN_NOT_OK(add_pairs(aggregate, pair, 1, err));
        }
    }
    return STOA_OK;
}

/* Codes ------------------------------------------------------------------------------------- */

/* Pairs of group and code that were met are kept in a bitmap, so each label is looked up once.
 * With more bits than this, each row's label is looked up instead. */
#define MAX_BITS (UINT64_C(1) << 26)

/* Size the bitmap of pairs; clear it if the dictionary changed. *found is false if it would be
 * too large. */
static stoa_status make_room(stoa_aggregate *aggregate, const stoa_labels *labels, bool *found,
                             stoa_error *err)
{
    const uint64_t stride = (uint64_t)labels->n + 1;

    *found = stride <= MAX_BITS / aggregate->n_groups;
    if (aggregate->met_of != labels->generation ||
        aggregate->met_labels != labels->values.as.bytes) {
        aggregate->met.size = 0;
        aggregate->met_of = labels->generation;
        aggregate->met_labels = labels->values.as.bytes;
    }
    const size_t wanted = *found ? (size_t)stoa_bit_bytes(stride * aggregate->n_groups) : 0;
    if (wanted > aggregate->met.size) {
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&aggregate->met, wanted - aggregate->met.size, err));
    }
    return STOA_OK;
}

static stoa_status distinct_codes(stoa_aggregate *aggregate, const stoa_operand *operand,
                                  const uint32_t *ids, stoa_error *err)
{
    const stoa_labels *labels = operand->labels;
    const uint32_t *codes = operand->values;
    const uint64_t stride = (uint64_t)labels->n + 1;
    bool keeps = false;

    STOA_RETURN_NOT_OK(make_room(aggregate, labels, &keeps, err));
    uint8_t *met = aggregate->met.data;
    STOA_EACH_KEPT(row, operand)
    {
        const uint32_t group = ids != NULL ? ids[row] : 0;
        const uint64_t bit = group * stride + codes[row];
        if (!keeps || !stoa_bit_get(met, bit)) {
            STOA_RETURN_NOT_OK(
                add_text(aggregate, group, labels->values.as.bytes[codes[row]], err));
            if (keeps) {
                stoa_bit_set(met, bit);
            }
        }
    }
    return STOA_OK;
}

/* All types --------------------------------------------------------------------------------- */

static stoa_status distinct_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                                   const uint32_t *ids, stoa_error *err)
{
    switch (operand->kind) {
    case STOA_KIND_DICTIONARY:
        return distinct_codes(aggregate, operand, ids, err);
    case STOA_KIND_BOOL:
    case STOA_KIND_STRING:
        return distinct_others(aggregate, operand, ids, err);
    default:
        return distinct_numbers(aggregate, operand, ids, err);
    }
}

/* Spilling ---------------------------------------------------------------------------------- */

/* A pair in the file. The bytes of a text follow it. */
typedef struct record {
    uint64_t group;
    uint64_t value; /* or the text's length */
} record;

static bool has_texts(const stoa_aggregate *aggregate)
{
    return stoa_domain_is_bytes(aggregate->arg->type.domain);
}

static size_t bytes_seen(const stoa_aggregate *aggregate)
{
    const stoa_groups *seen = &aggregate->seen;
    const stoa_string_set *words = &aggregate->words;

    return seen->words.size + seen->hashes.size + seen->n_slots * sizeof *seen->slots +
           words->bytes.size + words->offsets.size + words->hashes.size +
           words->n_slots * sizeof *words->slots;
}

static void forget_seen(stoa_aggregate *aggregate)
{
    stoa_groups_clear(&aggregate->seen);
    stoa_string_set_clear(&aggregate->words);
}

static uint64_t hash_of(const record *r, const void *text)
{
    return stoa_hash_bytes(text, text != NULL ? (size_t)r->value : 0,
                           stoa_hash_bytes(r, sizeof *r, 1));
}

static size_t file_of(uint64_t hash)
{
    return (size_t)(hash >> 32 & (STOA_PAIR_FILES - 1));
}

/* Write each file's buffer if it has at least `least` bytes. */
static stoa_status write_out(stoa_aggregate *aggregate, stoa_buffer *outs, size_t least,
                             stoa_error *err)
{
    for (size_t i = 0; i < STOA_PAIR_FILES; i++) {
        if (outs[i].size >= least) {
            STOA_RETURN_NOT_OK(
                stoa_spill_append(&aggregate->pairs[i], outs[i].data, outs[i].size, err));
            outs[i].size = 0;
        }
    }
    return STOA_OK;
}

/* Move all pairs to the files. */
static stoa_status spill_pairs(stoa_aggregate *aggregate, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool texts = has_texts(aggregate);
    const uint64_t *words = (const uint64_t *)(const void *)aggregate->seen.words.data;
    stoa_buffer outs[STOA_PAIR_FILES] = {{0}};

    if (aggregate->pairs == NULL) {
        aggregate->pairs = stoa_alloc_zero(STOA_PAIR_FILES, sizeof *aggregate->pairs);
        STOA_TRY(aggregate->pairs != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    for (uint32_t pair = 0; pair < aggregate->seen.n_groups; pair++) {
        record r = {words[(size_t)pair * STRIDE], words[(size_t)pair * STRIDE + 1]};
        const char *text = NULL;
        size_t length = 0;
        if (texts) {
            text = stoa_string_set_get(&aggregate->words, (uint32_t)r.value, &length);
            r.value = length;
        }
        stoa_buffer *const out = &outs[file_of(hash_of(&r, text))];
        STOA_TRY(stoa_buffer_append(out, &r, sizeof r, err));
        STOA_TRY(stoa_buffer_append(out, text, length, err));
        if (pair % STOA_AGGREGATE_LOOK == 0) {
            STOA_TRY(stoa_aggregate_look(aggregate->listener, err));
            STOA_TRY(write_out(aggregate, outs, READ_BYTES, err));
        }
    }
    STOA_TRY(write_out(aggregate, outs, 1, err));
    forget_seen(aggregate);

done:
    for (size_t i = 0; i < STOA_PAIR_FILES; i++) {
        stoa_buffer_clear(&outs[i]);
    }
    return status;
}

/* Reads a file record by record. */
typedef struct reading {
    const stoa_spill *file;
    uint64_t at; /* the next position to read */
    stoa_buffer bytes;
    size_t taken; /* bytes that were consumed */
} reading;

/* Provide n contiguous bytes; *bytes is NULL at the end of the file. */
static stoa_status take(reading *r, size_t n, const uint8_t **bytes, stoa_error *err)
{
    if (r->bytes.size - r->taken < n) {
        const size_t kept = r->bytes.size - r->taken;
        const size_t wanted = n - kept > READ_BYTES ? n - kept : READ_BYTES;
        const uint64_t left = r->file->size - r->at;
        const size_t more = left < wanted ? (size_t)left : wanted;
        if (kept > 0) {
            memmove(r->bytes.data, (const uint8_t *)r->bytes.data + r->taken, kept);
        }
        r->bytes.size = kept;
        r->taken = 0;
        STOA_RETURN_NOT_OK(stoa_buffer_grow(&r->bytes, more, err));
        STOA_RETURN_NOT_OK(
            stoa_spill_read(r->file, r->at, (uint8_t *)r->bytes.data + kept, more, err));
        r->at += more;
    }
    *bytes = r->bytes.size - r->taken >= n ? (const uint8_t *)r->bytes.data + r->taken : NULL;
    r->taken += *bytes != NULL ? n : 0;
    return STOA_OK;
}

/* Count the pairs of one part of a file. */
static stoa_status count_part(stoa_aggregate *aggregate, const stoa_spill *file, uint64_t part,
                              uint64_t n_parts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bool texts = has_texts(aggregate);
    reading r = {.file = file};
    const uint8_t *bytes = NULL;
    record next;

    forget_seen(aggregate);
    for (uint64_t n = 1;; n++) {
        STOA_TRY(n % STOA_AGGREGATE_LOOK == 0 ? stoa_aggregate_look(aggregate->listener, err)
                                              : STOA_OK);
        STOA_TRY(take(&r, sizeof next, &bytes, err));
        if (bytes == NULL) {
            break;
        }
        memcpy(&next, bytes, sizeof next);
        if (texts) {
            STOA_TRY(take(&r, (size_t)next.value, &bytes, err));
        }
        if (hash_of(&next, texts ? bytes : NULL) % n_parts != part) {
            continue;
        }
        if (texts) {
            const stoa_bytes text = {.data = (const char *)bytes, .length = (size_t)next.value};
            STOA_TRY(add_text(aggregate, (uint32_t)next.group, text, err));
        } else {
            const uint64_t pair[STRIDE] = {next.group, next.value, 0};
            STOA_TRY(add_pairs(aggregate, pair, 1, err));
        }
    }

done:
    stoa_buffer_clear(&r.bytes);
    return status;
}

/* Size of a pair in memory, in multiples of its size in the file. */
enum { IN_MEMORY = 4 };

/* Count all pairs in the files, starting from 0. */
static stoa_status count_spilled(stoa_aggregate *aggregate, stoa_error *err)
{
    STOA_RETURN_NOT_OK(spill_pairs(aggregate, err));
    for (uint32_t group = 0; group < aggregate->n_groups; group++) {
        stoa_cells(aggregate)[group].n = 0;
    }
    for (size_t i = 0; i < STOA_PAIR_FILES; i++) {
        const uint64_t n_parts =
            aggregate->pairs[i].size * IN_MEMORY / (aggregate->most_bytes / 2 + 1) + 1;
        for (uint64_t part = 0; part < n_parts; part++) {
            STOA_RETURN_NOT_OK(count_part(aggregate, &aggregate->pairs[i], part, n_parts, err));
        }
        stoa_spill_close(&aggregate->pairs[i]);
    }
    forget_seen(aggregate);
    free(aggregate->pairs);
    aggregate->pairs = NULL;
    return STOA_OK;
}

static stoa_status distinct_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                   stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    if (aggregate->pairs != NULL) {
        STOA_RETURN_NOT_OK(count_spilled(aggregate, err));
    }
    return stoa_count_result(aggregate, first, n, arena, out, err);
}

/* Merging ----------------------------------------------------------------------------------- */

/* The two states number texts differently. */
static stoa_status distinct_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                                  const uint32_t *ids, stoa_error *err)
{
    const bool texts = has_texts(aggregate);
    const uint64_t *words = (const uint64_t *)(const void *)from->seen.words.data;
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    int64_t n = 0;

    for (uint32_t pair = 0; pair < from->seen.n_groups; pair++) {
        STOA_RETURN_NOT_OK(pair % STOA_AGGREGATE_LOOK == 0
                               ? stoa_aggregate_look(aggregate->listener, err)
                               : STOA_OK);
        const uint64_t *more = words + (size_t)pair * STRIDE;
        uint64_t *row = rows + n++ * STRIDE;
        row[0] = ids != NULL ? ids[more[0]] : 0;
        row[1] = more[1];
        row[2] = 0;
        if (texts) {
            uint32_t number = 0;
            size_t length;
            const char *text = stoa_string_set_get(&from->words, (uint32_t)more[1], &length);
            aggregate->words.listener = aggregate->listener;
            STOA_RETURN_NOT_OK(stoa_string_set_add(&aggregate->words, text, length, &number, err));
            row[1] = number;
        }
        if (n == STOA_BLOCK_ROWS || pair + 1 == from->seen.n_groups) {
            STOA_RETURN_NOT_OK(add_pairs(aggregate, rows, n, err));
            n = 0;
            if (bytes_seen(aggregate) > aggregate->most_bytes) {
                STOA_RETURN_NOT_OK(spill_pairs(aggregate, err));
            }
        }
    }
    return STOA_OK;
}

/* The kind ---------------------------------------------------------------------------------- */

const stoa_aggregate_kind stoa_aggregate_distinct = {
    {"distinct", "approx_distinct approx_count_distinct", "distinct(x)",
     "the number of different values", NULL},
    1,
    STOA_NEED_CODES,
    distinct_bind,
    distinct_update,
    distinct_merge,
    distinct_result,
    NULL};
