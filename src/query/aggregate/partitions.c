/* Rows staged by partition, and partitions that take them. */
#include "query/aggregate/partitions.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "query/aggregate/pairs.h"

/* A partition takes so many rows at a time. */
enum { TAKEN_ROWS = STOA_WINDOW_ROWS };

bool stoa_can_stage(const stoa_aggregate *aggregate, const stoa_scope *scope, size_t n_keys)
{
    const stoa_aggregate_kind *const kind = aggregate->kind;
    const stoa_expr *const arg = aggregate->arg;

    if (n_keys == 0) {
        return kind == &stoa_aggregate_distinct && arg->type.domain != STOA_DOMAIN_BOOL &&
               !(arg->op == STOA_OP_COLUMN && scope->columns[arg->column].is_dictionary);
    }
    if (kind->need == STOA_NEED_PRESENCE) {
        return true;
    }
    return aggregate->by == NULL && kind != &stoa_aggregate_fed && kind->form != STOA_TAKES_TEXTS &&
           !stoa_domain_is_bytes(arg->type.domain);
}

/* Staging ----------------------------------------------------------------------------------- */

void stoa_staged_close(stoa_staged *staged, size_t n_aggregates)
{
    for (size_t p = 0; staged != NULL && p < STOA_PARTITIONS; p++) {
        for (size_t i = 0; staged[p].values != NULL && i < n_aggregates; i++) {
            stoa_buffer_clear(&staged[p].values[i].words);
            stoa_buffer_clear(&staged[p].values[i].texts);
            stoa_buffer_clear(&staged[p].values[i].present);
        }
        free(staged[p].values);
        stoa_buffer_clear(&staged[p].keys);
        stoa_buffer_clear(&staged[p].rows);
    }
    free(staged);
}

void stoa_staged_reset(stoa_staged *staged, size_t n_aggregates)
{
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        staged[p].n = 0;
        staged[p].keys.size = 0;
        staged[p].rows.size = 0;
        for (size_t i = 0; i < n_aggregates; i++) {
            staged[p].values[i].words.size = 0;
            staged[p].values[i].texts.size = 0;
            staged[p].values[i].present.size = 0;
        }
    }
}

stoa_status stoa_staged_open(size_t n_aggregates, stoa_staged **staged, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_staged *made = stoa_alloc_zero(STOA_PARTITIONS, sizeof *made);

    *staged = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        made[p].values = stoa_alloc_zero(n_aggregates, sizeof *made[p].values);
        STOA_TRY(made[p].values != NULL ? STOA_OK : stoa_fail_memory(err));
    }
    *staged = made;
    made = NULL;

done:
    stoa_staged_close(made, n_aggregates);
    return status;
}

/* The rows of a window, ordered by partition. */
typedef struct spread {
    const uint64_t *words;   /* of the selected rows' keys; or */
    const uint32_t *numbers; /* of the only key's texts; NULL: there are words */
    const uint32_t *rows;    /* their places in the window */
    uint8_t *partitions;
    uint32_t *order; /* which of them come one after the other */
    uint32_t starts[STOA_PARTITIONS + 1];
} spread;

/* Load the keys of the selected rows, and find their partitions. Equal keys have the same. */
static stoa_status load_keys(stoa_groups *groups, stoa_evaluation *ev, const uint8_t *selected,
                             int64_t n, spread *out, stoa_error *err)
{
    const size_t stride = groups->n_keys + 1;

    *out = (spread){.partitions = stoa_arena_alloc(&ev->arena, (size_t)n, 1)};
    STOA_RETURN_NO_MEMORY(err, out->partitions);
    if (stoa_groups_are_numbered(groups)) {
        STOA_RETURN_NOT_OK(
            stoa_groups_numbers(groups, ev, selected, n, &out->numbers, &out->rows, err));
        for (int64_t i = 0; i < n; i++) {
            out->partitions[i] = (uint8_t)(out->numbers[i] % STOA_PARTITIONS);
        }
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_groups_words(groups, ev, selected, n, &out->words, &out->rows, err));
    for (int64_t i = 0; i < n; i++) {
        const uint64_t hash = stoa_hash_words(out->words + (size_t)i * stride, stride);
        out->partitions[i] = (uint8_t)(hash >> 32 & (STOA_PARTITIONS - 1));
    }
    return STOA_OK;
}

static stoa_status spread_rows(stoa_evaluation *ev, int64_t n, spread *out, stoa_error *err)
{
    uint32_t at[STOA_PARTITIONS];

    out->order = stoa_arena_alloc(&ev->arena, (size_t)n, sizeof *out->order);
    STOA_RETURN_NO_MEMORY(err, out->order);
    for (int64_t i = 0; i < n; i++) {
        out->starts[out->partitions[i] + 1]++;
    }
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        out->starts[p + 1] += out->starts[p];
        at[p] = out->starts[p];
    }
    for (int64_t i = 0; i < n; i++) {
        out->order[at[out->partitions[i]]++] = (uint32_t)i;
    }
    return STOA_OK;
}

/* Append n entries that the caller fills; NULL if memory runs out. */
static void *extend(stoa_buffer *buffer, size_t n, size_t size, stoa_error *err)
{
    const size_t before = buffer->size;

    if (stoa_buffer_reserve(buffer, n * size, err) != STOA_OK) {
        return NULL;
    }
    buffer->size += n * size;
    return buffer->data + before;
}

static stoa_status stage_keys(stoa_staged *to, const spread *from, size_t p, size_t stride,
                              uint32_t first, stoa_error *err)
{
    const uint32_t n = from->starts[p + 1] - from->starts[p];
    const uint32_t *const order = from->order + from->starts[p];
    const bool has_numbers = from->numbers != NULL;
    uint32_t *rows = extend(&to->rows, n, sizeof *rows, err);
    uint32_t *numbers = has_numbers ? extend(&to->keys, n, sizeof *numbers, err) : NULL;
    uint64_t *words = has_numbers ? NULL : extend(&to->keys, n * stride, sizeof *words, err);

    if (rows == NULL || (numbers == NULL && words == NULL)) {
        return STOA_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = first + from->rows[order[i]];
    }
    for (uint32_t i = 0; has_numbers && i < n; i++) {
        numbers[i] = from->numbers[order[i]];
    }
    for (uint32_t i = 0; !has_numbers && i < n; i++, words += stride) {
        for (size_t k = 0; k < stride; k++) {
            words[k] = from->words[order[i] * stride + k];
        }
    }
    to->n += n;
    return STOA_OK;
}

/* Stage which rows have a value. Before the first that has none, all have. */
static stoa_status stage_presence(stoa_staged_values *to, const stoa_operand *operand,
                                  bool is_whole, const spread *from, size_t p, size_t n_before,
                                  stoa_error *err)
{
    const uint32_t n = from->starts[p + 1] - from->starts[p];
    const uint32_t *const order = from->order + from->starts[p];
    uint8_t *present;

    if (is_whole && to->present.size == 0) {
        return STOA_OK;
    }
    if (to->present.size < n_before) {
        present = extend(&to->present, n_before - to->present.size, 1, err);
        if (present == NULL) {
            return STOA_ENOMEM;
        }
        memset(present, 1, n_before);
    }
    present = extend(&to->present, n, 1, err);
    if (present == NULL) {
        return STOA_ENOMEM;
    }
    for (uint32_t i = 0; i < n; i++) {
        const int64_t row = from->rows[order[i]];
        present[i] = operand->n_kept > 0 &&
                     (stoa_operand_word(operand, row - row % 64) >> (row % 64) & 1) != 0;
    }
    return STOA_OK;
}

/* The values of a window as words of 64 bits. */
static stoa_status widen(stoa_evaluation *ev, const stoa_operand *operand, const uint64_t **out,
                         stoa_error *err)
{
    uint64_t *const words = stoa_arena_alloc(&ev->arena, (size_t)operand->n, sizeof *words);

    STOA_RETURN_NO_MEMORY(err, words);
    *out = words;
    if (operand->kind == STOA_KIND_BOOL) {
        for (int64_t i = 0; i < operand->n; i++) {
            words[i] = stoa_bit_get(operand->values, (uint64_t)i);
        }
    } else if (stoa_kind_width(operand->kind) == 8) {
        *out = operand->values;
    } else {
        stoa_widen(operand->kind, operand->values, NULL, operand->n, words);
    }
    return STOA_OK;
}

static stoa_status stage_argument(stoa_staged *staged, size_t i, const stoa_aggregate *aggregate,
                                  stoa_evaluation *ev, const uint8_t *selected, int64_t n_selected,
                                  const spread *from, stoa_error *err)
{
    const uint64_t *words = NULL;
    stoa_operand operand;

    STOA_RETURN_NOT_OK(stoa_operand_load(ev, aggregate->arg, aggregate->kind->need, selected,
                                         n_selected, &operand, err));
    const bool takes_values = aggregate->kind->need != STOA_NEED_PRESENCE;
    const bool has_values = takes_values && operand.kind != STOA_KIND_NULL && operand.n_kept > 0;
    STOA_RETURN_NOT_OK(has_values ? widen(ev, &operand, &words, err) : STOA_OK);
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        const uint32_t n = from->starts[p + 1] - from->starts[p];
        const uint32_t *const order = from->order + from->starts[p];
        stoa_staged_values *const to = &staged[p].values[i];
        STOA_RETURN_NOT_OK(stage_presence(to, &operand, operand.n_kept == n_selected, from, p,
                                          staged[p].n - n, err));
        if (!takes_values) {
            continue;
        }
        uint64_t *const values = extend(&to->words, n, sizeof *values, err);
        if (values == NULL) {
            return STOA_ENOMEM;
        }
        for (uint32_t row = 0; row < n; row++) {
            values[row] = has_values ? words[from->rows[order[row]]] : 0;
        }
    }
    return STOA_OK;
}

/* Staging without keys ---------------------------------------------------------------------- */

/* Values that are staged together, and the partition of each. */
typedef struct value_block {
    int64_t n;
    uint64_t words[STOA_BLOCK_ROWS]; /* as stoa_staged_values has them */
    const char *texts[STOA_BLOCK_ROWS];
    uint8_t partitions[STOA_BLOCK_ROWS];
} value_block;

static uint8_t partition_of(uint64_t hash)
{
    return (uint8_t)(hash / (UINT64_MAX / STOA_PARTITIONS + 1)); /* tables use other bits */
}

/* Spread the values of a block over the partitions of aggregate i. */
static stoa_status spread_values(stoa_staged *staged, size_t i, const value_block *block,
                                 bool are_texts, stoa_error *err)
{
    uint64_t *words[STOA_PARTITIONS];
    uint8_t *bytes[STOA_PARTITIONS];
    size_t n[STOA_PARTITIONS] = {0};
    size_t n_bytes[STOA_PARTITIONS] = {0};

    for (int64_t row = 0; row < block->n; row++) {
        n[block->partitions[row]]++;
        n_bytes[block->partitions[row]] += are_texts ? (size_t)block->words[row] : 0;
    }
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        words[p] = extend(&staged[p].values[i].words, n[p], sizeof **words, err);
        bytes[p] = extend(&staged[p].values[i].texts, n_bytes[p], 1, err);
        if ((n[p] > 0 && words[p] == NULL) || (n_bytes[p] > 0 && bytes[p] == NULL)) {
            return STOA_ENOMEM;
        }
    }
    for (int64_t row = 0; row < block->n; row++) {
        const uint8_t p = block->partitions[row];
        *words[p]++ = block->words[row];
        if (are_texts) {
            memcpy(bytes[p], block->texts[row], (size_t)block->words[row]);
            bytes[p] += block->words[row];
        }
    }
    return STOA_OK;
}

static stoa_status stage_numbers(stoa_staged *staged, size_t i, const stoa_operand *operand,
                                 value_block *to, stoa_error *err)
{
    const bool floats = operand->kind == STOA_KIND_FLOAT32 || operand->kind == STOA_KIND_FLOAT64;
    stoa_block block;

    for (block.at = 0; stoa_block_next(&block, operand, NULL);) {
        to->n = block.n;
        for (int64_t row = 0; row < block.n; row++) {
            to->words[row] =
                floats ? stoa_word_of_f64(block.values[row].f64) : block.values[row].u64;
            to->partitions[row] = partition_of(stoa_hash_words(&to->words[row], 1));
        }
        STOA_RETURN_NOT_OK(spread_values(staged, i, to, false, err));
    }
    return STOA_OK;
}

static stoa_status stage_texts(stoa_staged *staged, size_t i, const stoa_operand *operand,
                               value_block *to, stoa_error *err)
{
    const stoa_bytes *const texts = operand->values;

    to->n = 0;
    STOA_EACH_KEPT(row, operand)
    {
        to->texts[to->n] = texts[row].data;
        to->words[to->n] = texts[row].length;
        to->partitions[to->n++] =
            partition_of(stoa_hash_bytes(texts[row].data, texts[row].length, 0));
        if (to->n == STOA_BLOCK_ROWS) {
            STOA_RETURN_NOT_OK(spread_values(staged, i, to, true, err));
            to->n = 0;
        }
    }
    return spread_values(staged, i, to, true, err);
}

static stoa_status stage_values(stoa_staged *staged, const stoa_aggregate *aggregates,
                                size_t n_aggregates, stoa_evaluation *ev, const uint8_t *selected,
                                int64_t n_selected, stoa_error *err)
{
    value_block block;
    stoa_operand operand;

    for (size_t i = 0; i < n_aggregates; i++) {
        STOA_RETURN_NOT_OK(stoa_operand_load(ev, aggregates[i].arg, aggregates[i].kind->need,
                                             selected, n_selected, &operand, err));
        if (operand.n_kept > 0) {
            STOA_RETURN_NOT_OK((operand.kind == STOA_KIND_STRING ? stage_texts : stage_numbers)(
                staged, i, &operand, &block, err));
        }
    }
    return STOA_OK;
}

/* All rows ---------------------------------------------------------------------------------- */

stoa_status stoa_staged_add(stoa_staged *staged, stoa_groups *groups,
                            const stoa_aggregate *aggregates, size_t n_aggregates,
                            stoa_evaluation *ev, const uint8_t *selected, int64_t n_selected,
                            uint32_t first, stoa_error *err)
{
    const size_t stride = groups->n_keys + 1;
    spread from;

    selected = n_selected < ev->n ? selected : NULL;
    if (groups->n_keys == 0) {
        return stage_values(staged, aggregates, n_aggregates, ev, selected, n_selected, err);
    }
    STOA_RETURN_NOT_OK(load_keys(groups, ev, selected, n_selected, &from, err));
    STOA_RETURN_NOT_OK(spread_rows(ev, n_selected, &from, err));
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        STOA_RETURN_NOT_OK(stage_keys(&staged[p], &from, p, stride, first, err));
    }
    for (size_t i = 0; i < n_aggregates; i++) {
        if (aggregates[i].holder == NULL && aggregates[i].arg != NULL) {
            STOA_RETURN_NOT_OK(
                stage_argument(staged, i, &aggregates[i], ev, selected, n_selected, &from, err));
        }
    }
    return STOA_OK;
}

/* Partitions -------------------------------------------------------------------------------- */

static stoa_status open_one(stoa_partition *partition, const stoa_aggregate *aggregates,
                            size_t n_aggregates, stoa_key *keys, size_t n_keys, stoa_error *err)
{
    stoa_groups_open(&partition->groups, keys, n_keys);
    partition->aggregates = stoa_alloc_zero(n_aggregates, sizeof *partition->aggregates);
    STOA_RETURN_NO_MEMORY(err, partition->aggregates);
    for (size_t i = 0; i < n_aggregates; i++) {
        stoa_aggregate *const own = &partition->aggregates[i];
        STOA_RETURN_NOT_OK(stoa_aggregate_clone(&aggregates[i], own, err));
        own->most_bytes = aggregates[i].most_bytes / STOA_PARTITIONS;
        own->n_files = STOA_PAIR_FILES / STOA_PARTITIONS;
        if (own->holder != NULL) {
            own->holder = &partition->aggregates[own->holder - aggregates];
        }
    }
    return STOA_OK;
}

stoa_status stoa_partitions_open(const stoa_aggregate *aggregates, size_t n_aggregates,
                                 stoa_key *keys, size_t n_keys, stoa_partition **partitions,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_partition *made = stoa_alloc_zero(STOA_PARTITIONS, sizeof *made);

    *partitions = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    for (size_t p = 0; p < STOA_PARTITIONS; p++) {
        STOA_TRY(open_one(&made[p], aggregates, n_aggregates, keys, n_keys, err));
    }
    *partitions = made;
    made = NULL;

done:
    stoa_partitions_close(made, n_aggregates);
    return status;
}

void stoa_partitions_close(stoa_partition *partitions, size_t n_aggregates)
{
    for (size_t p = 0; partitions != NULL && p < STOA_PARTITIONS; p++) {
        for (size_t i = 0; partitions[p].aggregates != NULL && i < n_aggregates; i++) {
            stoa_aggregate_clear(&partitions[p].aggregates[i]);
        }
        free(partitions[p].aggregates);
        stoa_groups_clear(&partitions[p].groups);
        stoa_buffer_clear(&partitions[p].firsts);
    }
    free(partitions);
}

/* Note where groups from `before` on first appeared. */
static stoa_status note_firsts(stoa_partition *partition, const uint32_t *ids, const uint32_t *rows,
                               size_t n, uint32_t before, uint32_t morsel, stoa_error *err)
{
    const uint32_t n_new = partition->groups.n_groups - before;
    uint64_t *const firsts = extend(&partition->firsts, n_new, sizeof *firsts, err);
    uint32_t noted = 0;

    if (firsts == NULL) {
        return STOA_ENOMEM;
    }
    for (size_t i = 0; noted < n_new && i < n; i++) {
        if (ids[i] == before + noted) {
            firsts[noted++] = (uint64_t)morsel << 32 | rows[i];
        }
    }
    return STOA_OK;
}

/* Staged arguments [at, at + n) as an operand. */
static stoa_operand operand_of(const stoa_aggregate *aggregate, const stoa_staged_values *values,
                               size_t at, size_t n, uint64_t *mask)
{
    const uint8_t *const present = values->present.data;
    stoa_operand operand = {
        .kind = STOA_KIND_NULL, .n = (int64_t)n, .n_kept = (int64_t)n, .is_ordered = true};

    if (aggregate->kind->need != STOA_NEED_PRESENCE) {
        operand.kind = stoa_kind_of_domain(aggregate->arg->type.domain);
        operand.values = (const uint64_t *)(const void *)values->words.data + at;
    }
    if (values->present.size > at) {
        memset(mask, 0, (n + 63) / 64 * sizeof *mask);
        operand.n_kept = 0;
        for (size_t i = 0; i < n; i++) {
            mask[i / 64] |= (uint64_t)present[at + i] << (i % 64);
            operand.n_kept += present[at + i];
        }
        operand.mask = operand.n_kept < operand.n ? mask : NULL;
    }
    return operand;
}

/* Staged values without keys, n of them from `words` on, as an operand. The texts begin at *texts,
 * which is advanced past them; `at` receives where each is. */
static stoa_operand operand_of_values(const stoa_aggregate *aggregate, const uint64_t *words,
                                      size_t n, const char **texts, stoa_bytes *at)
{
    stoa_operand operand = {.kind = stoa_kind_of_domain(aggregate->arg->type.domain),
                            .values = words,
                            .n = (int64_t)n,
                            .n_kept = (int64_t)n};

    if (operand.kind == STOA_KIND_STRING) {
        operand.values = at;
        for (size_t i = 0; i < n; i++) {
            at[i] = (stoa_bytes){*texts, (size_t)words[i]};
            *texts += words[i];
        }
    }
    return operand;
}

static stoa_status take_values(stoa_aggregate *aggregate, const stoa_staged_values *values,
                               const stoa_listener *listener, stoa_error *err)
{
    const uint64_t *const words = (const uint64_t *)(const void *)values->words.data;
    const size_t n_words = values->words.size / sizeof *words;
    const char *texts = (const char *)values->texts.data;
    stoa_bytes at[TAKEN_ROWS];
    size_t n = 0;

    aggregate->listener = listener;
    STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate, 1, err));
    for (size_t first = 0; first < n_words; first += n) {
        n = n_words - first < TAKEN_ROWS ? n_words - first : TAKEN_ROWS;
        const stoa_operand operand = operand_of_values(aggregate, words + first, n, &texts, at);
        STOA_RETURN_NOT_OK(aggregate->kind->update(aggregate, &operand, NULL, err));
        STOA_RETURN_NOT_OK(stoa_report_progress(listener, NULL, err));
    }
    return STOA_OK;
}

stoa_status stoa_partition_take(stoa_partition *partition, size_t n_aggregates,
                                const stoa_staged *staged, uint32_t morsel,
                                const stoa_listener *listener, stoa_error *err)
{
    stoa_groups *const groups = &partition->groups;
    const size_t stride = groups->n_keys + 1;
    uint32_t ids[TAKEN_ROWS];
    uint64_t mask[TAKEN_ROWS / 64];
    size_t n = 0;

    for (size_t i = 0; groups->n_keys == 0 && i < n_aggregates; i++) {
        STOA_RETURN_NOT_OK(
            take_values(&partition->aggregates[i], &staged->values[i], listener, err));
    }
    groups->listener = listener;
    for (size_t at = 0; at < staged->n; at += n) {
        const void *const keys = staged->keys.data;
        const uint32_t *const rows = (const uint32_t *)(const void *)staged->rows.data;
        const uint32_t before = groups->n_groups;
        n = staged->n - at < TAKEN_ROWS ? staged->n - at : TAKEN_ROWS;
        STOA_RETURN_NOT_OK(stoa_groups_are_numbered(groups)
                               ? stoa_groups_assign_numbers(groups, (const uint32_t *)keys + at,
                                                            (int64_t)n, STOA_PARTITIONS, ids, err)
                               : stoa_groups_assign_words(groups,
                                                          (const uint64_t *)keys + at * stride,
                                                          (int64_t)n, ids, err));
        STOA_RETURN_NOT_OK(note_firsts(partition, ids, rows + at, n, before, morsel, err));
        for (size_t i = 0; i < n_aggregates; i++) {
            stoa_aggregate *const aggregate = &partition->aggregates[i];
            if (aggregate->holder != NULL) {
                continue;
            }
            const stoa_operand operand = operand_of(aggregate, &staged->values[i], at, n, mask);
            aggregate->listener = listener;
            STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate, groups->n_groups, err));
            STOA_RETURN_NOT_OK(operand.n_kept > 0
                                   ? aggregate->kind->update(aggregate, &operand, ids, err)
                                   : STOA_OK);
        }
        STOA_RETURN_NOT_OK(stoa_report_progress(listener, NULL, err));
    }
    return STOA_OK;
}

/* Adding up --------------------------------------------------------------------------------- */

stoa_status stoa_partition_settle(stoa_partition *partition, size_t n_aggregates,
                                  unsigned n_threads, const stoa_listener *listener,
                                  stoa_error *err)
{
    const size_t n_at_once = n_threads < STOA_PARTITIONS ? n_threads : STOA_PARTITIONS;

    for (size_t i = 0; i < n_aggregates; i++) {
        stoa_aggregate *const aggregate = &partition->aggregates[i];
        aggregate->listener = listener;
        aggregate->most_bytes *= STOA_PARTITIONS / n_at_once; /* the others wait in their files */
        STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate, 1, err));
        STOA_RETURN_NOT_OK(stoa_pairs_settle(aggregate, NULL, err));
    }
    return STOA_OK;
}

stoa_status stoa_partitions_add_up(const stoa_partition *partitions, stoa_aggregate *aggregates,
                                   size_t n_aggregates, stoa_error *err)
{
    for (size_t i = 0; i < n_aggregates; i++) {
        STOA_RETURN_NOT_OK(stoa_aggregate_extend(&aggregates[i], 1, err));
        for (size_t p = 0; p < STOA_PARTITIONS; p++) {
            stoa_cells(&aggregates[i])->n += stoa_cells(&partitions[p].aggregates[i])->n;
        }
        aggregates[i].is_settled = true;
    }
    return STOA_OK;
}
