/*
 * The different values of each group, as (group, value) pairs in `seen`. A cell's `n` counts them.
 *
 * When there are too many pairs for memory, they go to temporary files and `seen` starts empty
 * again. In the end the pairs of each file are counted, in parts that fit into memory. The hash
 * selects the file and the part, so equal pairs are always in the same one.
 */
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/pairs.h"

/* Of the words of `seen`, the last one would say which are missing; here it is the value. */
enum { N_KEYS = 1, STRIDE = STOA_PAIR_WORDS, READ_BYTES = 65536 };

static bool has_texts(const stoa_aggregate *aggregate)
{
    return stoa_domain_is_bytes(aggregate->arg->type.domain) && !aggregate->numbered.is_hashed;
}

/* Whether `words` has the pairs: those of the only group and each text. */
static bool are_words(const stoa_aggregate *aggregate)
{
    return aggregate->counts_words && has_texts(aggregate);
}

static uint32_t count_pairs(const stoa_aggregate *aggregate)
{
    return are_words(aggregate) ? aggregate->words.count : aggregate->seen.n_groups;
}

static uint64_t group_of(const stoa_aggregate *aggregate, uint32_t pair)
{
    return are_words(aggregate) ? 0 : stoa_pair_words(aggregate, pair)[0];
}

static uint64_t value_of(const stoa_aggregate *aggregate, uint32_t pair)
{
    return are_words(aggregate) ? pair : stoa_pair_words(aggregate, pair)[1];
}

/* Tally pairs, n of them from `before` on new. `more` NULL: each occurs once, in this order. */
static stoa_status add_tallies(stoa_aggregate *aggregate, const uint32_t *pairs, int64_t n,
                               uint32_t before, const stoa_tally *more, stoa_error *err)
{
    const size_t wanted = aggregate->seen.n_groups * sizeof(stoa_tally);

    STOA_RETURN_NOT_OK(
        stoa_buffer_grow(&aggregate->tallies, wanted - aggregate->tallies.size, err));
    stoa_tally *const tallies = (stoa_tally *)(void *)aggregate->tallies.data;
    for (uint32_t pair = before; pair < aggregate->seen.n_groups; pair++) {
        tallies[pair].order = aggregate->n_before + pair;
    }
    for (int64_t i = 0; i < n; i++) {
        stoa_tally *const own = &tallies[pairs[i]];
        own->n += more != NULL ? more[i].n : 1;
        if (more != NULL && more[i].order < own->order) {
            own->order = more[i].order;
        }
    }
    return STOA_OK;
}

/* Add pairs, as rows of words; count the new ones. `pairs` receives their numbers. */
static stoa_status number_pairs(stoa_aggregate *aggregate, const uint64_t *rows, int64_t n,
                                const stoa_tally *tallies, uint32_t *pairs, stoa_error *err)
{
    stoa_groups *seen = &aggregate->seen;

    if (seen->n_keys == 0) {
        stoa_groups_open(seen, NULL, N_KEYS);
    }
    seen->listener = aggregate->listener;
    const uint32_t before = seen->n_groups;
    STOA_RETURN_NOT_OK(stoa_groups_assign_words(seen, rows, n, pairs, err));
    for (uint32_t pair = before; pair < seen->n_groups; pair++) {
        stoa_cells(aggregate)[stoa_pair_words(aggregate, pair)[0]].n++;
    }
    return aggregate->has_tallies ? add_tallies(aggregate, pairs, n, before, tallies, err)
                                  : STOA_OK;
}

static stoa_status add_pairs(stoa_aggregate *aggregate, const uint64_t *rows, int64_t n,
                             const stoa_tally *tallies, stoa_error *err)
{
    uint32_t pairs[STOA_BLOCK_ROWS];

    return number_pairs(aggregate, rows, n, tallies, pairs, err);
}

/* Numbers ----------------------------------------------------------------------------------- */

/* Pairs of earlier blocks of a window: where values are few, most rows are found here. */
enum { MET_BITS = 10 };
typedef struct met_pair {
    uint64_t value;
    uint32_t group;
    uint32_t number; /* of the pair, plus one; 0: none */
} met_pair;

static met_pair *met_at(met_pair *met, const uint64_t *row)
{
    const uint64_t hash =
        (row[1] + row[0] * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9e3779b97f4a7c15);

    return &met[hash >> (64 - MET_BITS)];
}

static stoa_status distinct_numbers(stoa_aggregate *aggregate, const stoa_operand *operand,
                                    const uint32_t *ids, stoa_error *err)
{
    const bool floats = operand->kind == STOA_KIND_FLOAT32 || operand->kind == STOA_KIND_FLOAT64;
    met_pair met[1 << MET_BITS] = {{.number = 0}};
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    uint32_t pairs[STOA_BLOCK_ROWS];
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, ids);) {
        stoa_tally *const tallies = (stoa_tally *)(void *)aggregate->tallies.data;
        int64_t n = 0;

        for (int64_t i = 0; i < block.n; i++) {
            uint64_t *const row = rows + n * STRIDE;
            row[0] = ids != NULL ? block.ids[i] : 0;
            row[1] = floats ? stoa_word_of_f64(block.values[i].f64) : block.values[i].u64;
            const met_pair *const one = met_at(met, row);
            if (one->number == 0 || one->value != row[1] || one->group != row[0]) {
                n++;
            } else if (aggregate->has_tallies) {
                tallies[one->number - 1].n++;
            }
        }
        STOA_RETURN_NOT_OK(number_pairs(aggregate, rows, n, NULL, pairs, err));
        for (int64_t i = 0; i < n; i++) {
            const uint64_t *const row = rows + i * STRIDE;
            *met_at(met, row) = (met_pair){row[1], (uint32_t)row[0], pairs[i] + 1};
        }
    }
    return STOA_OK;
}

/* Texts and bits ---------------------------------------------------------------------------- */

/* Texts that are added together. */
typedef struct text_block {
    int64_t n;
    uint32_t groups[STOA_BLOCK_ROWS];
    const char *texts[STOA_BLOCK_ROWS];
    size_t lengths[STOA_BLOCK_ROWS];
    uint64_t hashes[STOA_BLOCK_ROWS];
    stoa_tally tallies[STOA_BLOCK_ROWS]; /* if `has_tallies` */
    bool has_tallies;
} text_block;

/* Add the texts as pairs, and empty the block. */
static stoa_status add_texts(stoa_aggregate *aggregate, text_block *block, stoa_error *err)
{
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    uint32_t numbers[STOA_BLOCK_ROWS];
    const uint32_t before = aggregate->words.count;

    aggregate->words.listener = aggregate->listener;
    STOA_RETURN_NOT_OK(stoa_string_set_add_many(&aggregate->words, block->texts, block->lengths,
                                                block->hashes, (size_t)block->n, numbers, err));
    if (are_words(aggregate)) {
        stoa_cells(aggregate)->n += aggregate->words.count - before;
        block->n = 0;
        return STOA_OK;
    }
    for (int64_t i = 0; i < block->n; i++) {
        rows[i * STRIDE] = block->groups[i];
        rows[i * STRIDE + 1] = numbers[i];
    }
    STOA_RETURN_NOT_OK(
        add_pairs(aggregate, rows, block->n, block->has_tallies ? block->tallies : NULL, err));
    block->n = 0;
    return STOA_OK;
}

static stoa_status distinct_texts(stoa_aggregate *aggregate, const stoa_operand *operand,
                                  const uint32_t *ids, stoa_error *err)
{
    const stoa_bytes *const texts = operand->values;
    text_block block;

    block.n = 0;
    block.has_tallies = false;
    STOA_EACH_KEPT(row, operand)
    {
        const stoa_bytes text = texts[row];
        block.groups[block.n] = ids != NULL ? ids[row] : 0;
        block.texts[block.n] = text.data;
        block.lengths[block.n] = text.length;
        block.hashes[block.n++] = stoa_hash_bytes(text.data, text.length, 0);
        STOA_RETURN_NOT_OK(block.n == STOA_BLOCK_ROWS ? add_texts(aggregate, &block, err)
                                                      : STOA_OK);
    }
    return block.n > 0 ? add_texts(aggregate, &block, err) : STOA_OK;
}

static stoa_status distinct_bits(stoa_aggregate *aggregate, const stoa_operand *operand,
                                 const uint32_t *ids, stoa_error *err)
{
    STOA_EACH_KEPT(row, operand)
    {
        const uint64_t pair[STRIDE] = {ids != NULL ? ids[row] : 0,
                                       stoa_bit_get(operand->values, (uint64_t)row)};
        STOA_RETURN_NOT_OK(add_pairs(aggregate, pair, 1, NULL, err));
    }
    return STOA_OK;
}

/* Codes ------------------------------------------------------------------------------------- */

/* Forget the labels' numbers if the labels changed. */
static stoa_status renew_met(stoa_aggregate *aggregate, const stoa_labels *labels, stoa_error *err)
{
    if (aggregate->met.size > 0 && aggregate->met_of == labels->generation &&
        aggregate->met_labels == labels->values.as.bytes) {
        return STOA_OK;
    }
    aggregate->met.size = 0;
    aggregate->met_of = labels->generation;
    aggregate->met_labels = labels->values.as.bytes;
    return stoa_buffer_grow(&aggregate->met, ((size_t)labels->n + 1) * sizeof(uint32_t), err);
}

/* With tallies each row counts. `met` has the number of each label's text, plus one. */
static stoa_status tally_codes(stoa_aggregate *aggregate, const stoa_operand *operand,
                               const uint32_t *ids, stoa_error *err)
{
    const stoa_labels *const labels = operand->labels;
    const uint32_t *const codes = operand->values;
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    int64_t n = 0;

    STOA_RETURN_NOT_OK(renew_met(aggregate, labels, err));
    uint32_t *const met = (uint32_t *)(void *)aggregate->met.data;
    STOA_EACH_KEPT(row, operand)
    {
        uint32_t *const number = &met[codes[row]];
        if (*number == 0) {
            const stoa_bytes text = labels->values.as.bytes[codes[row]];
            STOA_RETURN_NOT_OK(
                stoa_string_set_add(&aggregate->words, text.data, text.length, number, err));
            ++*number;
        }
        uint64_t *const to = rows + n++ * STRIDE;
        to[0] = ids != NULL ? ids[row] : 0;
        to[1] = *number - 1;
        if (n == STOA_BLOCK_ROWS) {
            STOA_RETURN_NOT_OK(add_pairs(aggregate, rows, n, NULL, err));
            n = 0;
        }
    }
    return n > 0 ? add_pairs(aggregate, rows, n, NULL, err) : STOA_OK;
}

/* Spilling ---------------------------------------------------------------------------------- */

/* A pair in the file. The bytes of a text follow it. */
typedef struct record {
    uint64_t group;
    uint64_t value;   /* or the text's length */
    stoa_tally tally; /* left out if there are none */
} record;

static size_t record_size(const stoa_aggregate *aggregate)
{
    return aggregate->has_tallies ? sizeof(record) : offsetof(record, tally);
}

static size_t bytes_seen(const stoa_aggregate *aggregate)
{
    const stoa_groups *seen = &aggregate->seen;
    const stoa_string_set *words = &aggregate->words;

    return seen->words.size + seen->hashes.size + seen->n_slots * sizeof *seen->slots +
           aggregate->tallies.size + words->bytes.size + words->offsets.size + words->hashes.size +
           words->n_slots * sizeof *words->slots;
}

static void forget_seen(stoa_aggregate *aggregate)
{
    stoa_groups_clear(&aggregate->seen);
    stoa_string_set_clear(&aggregate->words);
    aggregate->tallies.size = 0;
}

/* Of a pair, whose word is its value or the hash of its text. Tables in memory use other bits. */
static uint64_t hash_of(uint64_t group, uint64_t word)
{
    const uint64_t words[STRIDE] = {group, word};

    return stoa_hash_words(words, STRIDE) >> 32;
}

static size_t file_of(const stoa_aggregate *aggregate, uint64_t hash)
{
    return (size_t)(hash & (aggregate->n_files - 1));
}

/* Write each file's buffer if it has at least `least` bytes. */
static stoa_status write_out(stoa_aggregate *aggregate, stoa_buffer *outs, size_t least,
                             stoa_error *err)
{
    for (size_t i = 0; i < STOA_PAIR_FILES; i++) {
        if (outs[i].size >= least) {
            STOA_RETURN_NOT_OK(
                stoa_spill_append(&aggregate->files[i], outs[i].data, outs[i].size, err));
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
    const stoa_tally *const tallies = (const stoa_tally *)(const void *)aggregate->tallies.data;
    const uint64_t *const hashes = (const uint64_t *)(const void *)aggregate->words.hashes.data;
    stoa_buffer outs[STOA_PAIR_FILES] = {{0}};

    if (aggregate->files == NULL) {
        aggregate->files = stoa_alloc_zero(STOA_PAIR_FILES, sizeof *aggregate->files);
        STOA_TRY(aggregate->files != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    for (uint32_t pair = 0; pair < count_pairs(aggregate); pair++) {
        const uint64_t value = value_of(aggregate, pair);
        record r = {group_of(aggregate, pair), value, {0, 0}};
        const char *text = NULL;
        size_t length = 0;
        if (texts) {
            text = stoa_string_set_get(&aggregate->words, (uint32_t)r.value, &length);
            r.value = length;
        }
        if (aggregate->has_tallies) {
            r.tally = tallies[pair];
        }
        const uint64_t word = texts ? hashes[value] : value;
        stoa_buffer *const out = &outs[file_of(aggregate, hash_of(r.group, word))];
        STOA_TRY(stoa_buffer_append(out, &r, record_size(aggregate), err));
        STOA_TRY(stoa_buffer_append(out, text, length, err));
        if (pair % STOA_AGGREGATE_LOOK == 0) {
            STOA_TRY(stoa_aggregate_look(aggregate->listener, err));
            STOA_TRY(write_out(aggregate, outs, READ_BYTES, err));
        }
    }
    STOA_TRY(write_out(aggregate, outs, 1, err));
    aggregate->n_before += count_pairs(aggregate);
    aggregate->met.size = 0; /* its numbers are those of `words` */
    forget_seen(aggregate);

done:
    for (size_t i = 0; i < STOA_PAIR_FILES; i++) {
        stoa_buffer_clear(&outs[i]);
    }
    return status;
}

/* All types --------------------------------------------------------------------------------- */

static stoa_status update(stoa_aggregate *aggregate, const stoa_operand *operand,
                          const uint32_t *ids, stoa_error *err)
{
    switch (operand->kind) {
    case STOA_KIND_DICTIONARY:
        return (aggregate->has_tallies ? tally_codes : stoa_numbered_add)(aggregate, operand, ids,
                                                                          err);
    case STOA_KIND_BOOL:
        return distinct_bits(aggregate, operand, ids, err);
    case STOA_KIND_STRING:
        return distinct_texts(aggregate, operand, ids, err);
    default:
        return distinct_numbers(aggregate, operand, ids, err);
    }
}

/* Make room in memory if the pairs are too many. */
static stoa_status spill_if_full(stoa_aggregate *aggregate, stoa_error *err)
{
    return aggregate->kind->may_spill && bytes_seen(aggregate) > aggregate->most_bytes
               ? spill_pairs(aggregate, err)
               : STOA_OK;
}

static stoa_status add_and_spill(stoa_aggregate *aggregate, const uint64_t *rows, int64_t n,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(add_pairs(aggregate, rows, n, NULL, err));
    return spill_if_full(aggregate, err);
}

stoa_status stoa_pairs_update(stoa_aggregate *aggregate, const stoa_operand *operand,
                              const uint32_t *ids, stoa_error *err)
{
    STOA_RETURN_NOT_OK(update(aggregate, operand, ids, err));
    return spill_if_full(aggregate, err);
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

/* Whether n more bytes must be read from the file, which moves those that were taken. */
static bool must_read(const reading *r, size_t n)
{
    return r->bytes.size - r->taken < n;
}

/* Pairs of a file that are added together: texts, or rows of words. */
typedef struct loading {
    stoa_aggregate *aggregate;
    bool are_texts;
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    text_block block; /* numbers use its `n` and `tallies` alone */
} loading;

/* Add the pairs that were loaded, whose texts are in the reader's buffer. */
static stoa_status add_loaded(loading *l, stoa_error *err)
{
    const int64_t n = l->block.n;

    STOA_RETURN_NOT_OK(stoa_aggregate_look(l->aggregate->listener, err));
    if (n == 0) {
        return STOA_OK;
    }
    if (l->are_texts) {
        return add_texts(l->aggregate, &l->block, err);
    }
    l->block.n = 0;
    return add_pairs(l->aggregate, l->rows, n, l->block.tallies, err);
}

/* Load one pair if it belongs to the part. *is_over: there is none. */
static stoa_status load_pair(loading *l, reading *r, uint64_t part, uint64_t n_parts, bool *is_over,
                             stoa_error *err)
{
    const size_t size = record_size(l->aggregate);
    const uint8_t *bytes = NULL;
    record next = {.group = 0};

    if (must_read(r, size) || l->block.n == STOA_BLOCK_ROWS) {
        STOA_RETURN_NOT_OK(add_loaded(l, err));
    }
    STOA_RETURN_NOT_OK(take(r, size, &bytes, err));
    *is_over = bytes == NULL;
    if (*is_over) {
        return STOA_OK;
    }
    memcpy(&next, bytes, size);
    uint64_t word = next.value;
    if (l->are_texts) {
        STOA_RETURN_NOT_OK(must_read(r, (size_t)next.value) ? add_loaded(l, err) : STOA_OK);
        STOA_RETURN_NOT_OK(take(r, (size_t)next.value, &bytes, err));
        word = stoa_hash_bytes(bytes, (size_t)next.value, 0);
    }
    if (hash_of(next.group, word) / STOA_PAIR_FILES % n_parts != part) {
        return STOA_OK;
    }
    const int64_t at = l->block.n++;
    l->block.tallies[at] = next.tally;
    l->block.groups[at] = (uint32_t)next.group;
    l->rows[at * STRIDE] = next.group;
    l->rows[at * STRIDE + 1] = next.value;
    if (l->are_texts) {
        l->block.texts[at] = (const char *)bytes;
        l->block.lengths[at] = (size_t)next.value;
        l->block.hashes[at] = word;
    }
    return STOA_OK;
}

/* Count the pairs of one part of a file. */
static stoa_status count_part(stoa_aggregate *aggregate, const stoa_spill *file, uint64_t part,
                              uint64_t n_parts, stoa_error *err)
{
    stoa_status status = STOA_OK;
    reading r = {.file = file};
    loading l;
    bool is_over = false;

    l.aggregate = aggregate;
    l.are_texts = has_texts(aggregate);
    l.block.n = 0;
    l.block.has_tallies = true;
    forget_seen(aggregate);
    while (!is_over) {
        STOA_TRY(load_pair(&l, &r, part, n_parts, &is_over, err));
    }

done:
    stoa_buffer_clear(&r.bytes);
    return status;
}

/* Size of a pair in memory, in multiples of its size in the file. */
enum { IN_MEMORY = 4 };

/* Count all pairs in the files, starting from 0, and visit them. */
static stoa_status count_spilled(stoa_aggregate *aggregate, stoa_pairs_visit *visit,
                                 stoa_error *err)
{
    STOA_RETURN_NOT_OK(spill_pairs(aggregate, err));
    for (uint32_t group = 0; group < aggregate->n_groups; group++) {
        stoa_cells(aggregate)[group].n = 0;
    }
    for (size_t i = 0; i < STOA_PAIR_FILES; i++) {
        const uint64_t n_parts =
            aggregate->files[i].size * IN_MEMORY / (aggregate->most_bytes / 2 + 1) + 1;
        for (uint64_t part = 0; part < n_parts; part++) {
            STOA_RETURN_NOT_OK(count_part(aggregate, &aggregate->files[i], part, n_parts, err));
            STOA_RETURN_NOT_OK(visit != NULL ? visit(aggregate, err) : STOA_OK);
        }
        stoa_spill_close(&aggregate->files[i]);
    }
    forget_seen(aggregate);
    free(aggregate->files);
    aggregate->files = NULL;
    return STOA_OK;
}

stoa_status stoa_pairs_settle(stoa_aggregate *aggregate, stoa_pairs_visit *visit, stoa_error *err)
{
    if (aggregate->is_settled) {
        return STOA_OK;
    }
    aggregate->is_settled = true;
    STOA_RETURN_NOT_OK(
        stoa_numbered_merge(aggregate, &aggregate->numbered, NULL, add_and_spill, err));
    if (aggregate->files != NULL) {
        return count_spilled(aggregate, visit, err);
    }
    return visit != NULL ? visit(aggregate, err) : STOA_OK;
}

/* Merging ----------------------------------------------------------------------------------- */

/* Add a block of pairs of another state, whose groups are `ids`. The states number texts
 * differently. */
static stoa_status merge_block(stoa_aggregate *aggregate, const stoa_aggregate *from,
                               uint32_t first, int64_t n, const uint32_t *ids, stoa_error *err)
{
    const uint64_t *const hashes = (const uint64_t *)(const void *)from->words.hashes.data;
    const stoa_tally *const tallies = (const stoa_tally *)(const void *)from->tallies.data;
    const bool texts = has_texts(aggregate);
    uint64_t rows[STOA_BLOCK_ROWS * STRIDE];
    text_block block;

    block.n = n;
    block.has_tallies = true;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t value = value_of(from, first + (uint32_t)i);
        block.groups[i] = ids != NULL ? ids[group_of(from, first + (uint32_t)i)] : 0;
        block.tallies[i] = (stoa_tally){tallies != NULL ? tallies[first + i].n : 1, UINT64_MAX};
        rows[i * STRIDE] = block.groups[i];
        rows[i * STRIDE + 1] = value;
        if (texts) {
            block.texts[i] = stoa_string_set_get(&from->words, (uint32_t)value, &block.lengths[i]);
            block.hashes[i] = hashes[value];
        }
    }
    return texts ? add_texts(aggregate, &block, err)
                 : add_pairs(aggregate, rows, n, block.tallies, err);
}

stoa_status stoa_pairs_merge(stoa_aggregate *aggregate, const stoa_aggregate *from,
                             const uint32_t *ids, stoa_error *err)
{
    uint32_t n = 0;

    STOA_RETURN_NOT_OK(stoa_numbered_merge(aggregate, &from->numbered, ids, add_and_spill, err));
    for (uint32_t first = 0; first < count_pairs(from); first += n) {
        n = count_pairs(from) - first;
        n = n < STOA_BLOCK_ROWS ? n : STOA_BLOCK_ROWS;
        STOA_RETURN_NOT_OK(stoa_aggregate_look(aggregate->listener, err));
        STOA_RETURN_NOT_OK(merge_block(aggregate, from, first, n, ids, err));
        STOA_RETURN_NOT_OK(spill_if_full(aggregate, err));
    }
    return STOA_OK;
}
