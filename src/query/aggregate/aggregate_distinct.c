/* Aggregates of the different values of each group: how many there are (distinct), which occurs
 * most often (mode), and any aggregate that gets each once, as sum(distinct x). */
#include <stdlib.h>

#include "query/aggregate/pairs.h"

stoa_status stoa_pairs_check(const stoa_aggregate *aggregate, stoa_error *err)
{
    const stoa_expr *const arg = aggregate->arg;
    char source[STOA_SOURCE_SIZE];

    if (arg->type.domain == STOA_DOMAIN_OTHER) {
        return STOA_FAIL_SYNTAX(
            err, STOA_ETYPE, arg->syntax, "%s takes a plain value, and %s is a list or a struct",
            aggregate->kind->text.name, stoa_syntax_source(arg->syntax, source));
    }
    return STOA_OK;
}

/* distinct ---------------------------------------------------------------------------------- */

static stoa_status distinct_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                 stoa_error *err)
{
    stoa_key *const reader = &aggregate->numbered.reader;

    (void)binder;
    aggregate->result.domain = STOA_DOMAIN_I64;
    STOA_RETURN_NOT_OK(stoa_pairs_check(aggregate, err));
    reader->owns_texts = true;
    reader->expr = aggregate->arg;
    return stoa_domain_is_bytes(aggregate->arg->type.domain)
               ? stoa_text_numbers_open(&reader->texts, err)
               : STOA_OK;
}

static stoa_status distinct_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                   stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pairs_settle(aggregate, NULL, err));
    return stoa_count_result(aggregate, first, n, arena, out, err);
}

const stoa_aggregate_kind stoa_aggregate_distinct = {
    .text = {"distinct", "approx_distinct approx_count_distinct", "distinct(x)",
             "the number of different values, as count(distinct x)", NULL},
    .form = STOA_TAKES_VALUE,
    .need = STOA_NEED_CODES,
    .may_spill = true,
    .bind = distinct_bind,
    .update = stoa_pairs_update,
    .merge = stoa_pairs_merge,
    .result = distinct_result,
};

/* mode: `a` (or a buffer of `texts`) holds the value, `moments` its tally ---------------------- */

static stoa_status mode_bind(const stoa_binder *binder, stoa_aggregate *aggregate, stoa_error *err)
{
    aggregate->has_tallies = true;
    return stoa_pick_bind(binder, aggregate, err);
}

static stoa_status keep_mode(stoa_aggregate *aggregate, uint64_t group, uint64_t value,
                             stoa_error *err)
{
    stoa_cells(aggregate)[group].a.u64 = value;
    if (stoa_domain_is_bytes(aggregate->result.domain)) {
        stoa_buffer *const kept = &((stoa_buffer *)(void *)aggregate->texts.data)[group];
        size_t length;
        const char *const text = stoa_string_set_get(&aggregate->words, (uint32_t)value, &length);
        kept->size = 0;
        return stoa_buffer_append(kept, text, length, err);
    }
    return STOA_OK;
}

static stoa_status find_modes(stoa_aggregate *aggregate, stoa_error *err)
{
    const stoa_tally *const tallies = (const stoa_tally *)(const void *)aggregate->tallies.data;

    STOA_RETURN_NOT_OK(
        stoa_aggregate_grow(aggregate, &aggregate->moments, sizeof(stoa_tally), err));
    stoa_tally *const best = (stoa_tally *)(void *)aggregate->moments.data;
    for (uint32_t pair = 0; pair < aggregate->seen.n_groups; pair++) {
        const uint64_t *const words = stoa_pair_words(aggregate, pair);
        stoa_tally *const most = &best[words[0]];
        if (tallies[pair].n > most->n ||
            (tallies[pair].n == most->n && tallies[pair].order < most->order)) {
            *most = tallies[pair];
            STOA_RETURN_NOT_OK(keep_mode(aggregate, words[0], words[1], err));
        }
    }
    return STOA_OK;
}

static stoa_status mode_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                               stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pairs_settle(aggregate, find_modes, err));
    return stoa_pick_result(aggregate, first, n, arena, out, err);
}

const stoa_aggregate_kind stoa_aggregate_mode = {
    .text = {"mode", NULL, "mode(x)",
             "the most frequent value; of several the one that comes first", NULL},
    .form = STOA_TAKES_VALUE,
    .need = STOA_NEED_CODES,
    .may_spill = true,
    .bind = mode_bind,
    .update = stoa_pairs_update,
    .merge = stoa_pairs_merge,
    .result = mode_result,
};

/* Aggregates that get each value once --------------------------------------------------------- */

enum { FED_ROWS = 4096 };

/* Texts of integers in memory of the arena. */
static stoa_status print_integers(const uint64_t *values, uint32_t n, bool is_signed,
                                  stoa_arena *arena, stoa_bytes *texts, stoa_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        char *const text = stoa_arena_alloc(arena, STOA_NUMBER_SIZE, 1);

        STOA_RETURN_NO_MEMORY(err, text);
        texts[i].data = text;
        texts[i].length = is_signed ? stoa_format_i64((int64_t)values[i], text)
                                    : stoa_format_u64(values[i], text);
    }
    return STOA_OK;
}

/* Give pairs [first, first + n) to the state. */
static stoa_status feed_rows(stoa_aggregate *aggregate, uint32_t first, uint32_t n, stoa_error *err)
{
    stoa_aggregate *const fed = aggregate->fed;
    stoa_operand operand = {
        .kind = stoa_kind_of_domain(aggregate->arg->type.domain), .n = n, .n_kept = n};
    uint32_t groups[FED_ROWS];
    uint64_t values[FED_ROWS];
    stoa_bytes texts[FED_ROWS];

    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *const words = stoa_pair_words(aggregate, first + i);
        groups[i] = (uint32_t)words[0];
        values[i] = words[1];
        if (operand.kind == STOA_KIND_STRING) {
            texts[i].data =
                stoa_string_set_get(&aggregate->words, (uint32_t)words[1], &texts[i].length);
        }
    }
    operand.values = operand.kind == STOA_KIND_STRING ? (const void *)texts : values;
    const stoa_operand by = operand;
    operand.by = fed->by != NULL ? &by : NULL; /* the values are ordered by themselves */
    if (fed->kind->form != STOA_TAKES_TEXTS || operand.kind == STOA_KIND_STRING) {
        return fed->kind->update(fed, &operand, groups, err);
    }
    stoa_arena arena = {.first = NULL};
    stoa_status status =
        print_integers(values, n, operand.kind == STOA_KIND_INT64, &arena, texts, err);
    operand.kind = STOA_KIND_STRING;
    operand.values = texts;
    status = status == STOA_OK ? fed->kind->update(fed, &operand, groups, err) : status;
    stoa_arena_clear(&arena);
    return status;
}

static stoa_status feed(stoa_aggregate *aggregate, stoa_error *err)
{
    const uint32_t n = aggregate->seen.n_groups;

    for (uint32_t first = 0; first < n; first += FED_ROWS) {
        STOA_RETURN_NOT_OK(stoa_aggregate_look(aggregate->listener, err));
        STOA_RETURN_NOT_OK(
            feed_rows(aggregate, first, n - first < FED_ROWS ? n - first : FED_ROWS, err));
    }
    return STOA_OK;
}

static stoa_status make_fed(stoa_aggregate *aggregate, stoa_error *err)
{
    aggregate->fed = stoa_alloc_zero(1, sizeof *aggregate->fed);
    STOA_RETURN_NO_MEMORY(err, aggregate->fed);
    STOA_RETURN_NOT_OK(stoa_aggregate_clone(aggregate, aggregate->fed, err));
    aggregate->fed->kind = aggregate->of_distinct;
    aggregate->fed->most_bytes = aggregate->most_bytes;
    aggregate->fed->listener = aggregate->listener;
    STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate->fed, aggregate->n_groups, err));
    return stoa_pairs_settle(aggregate, feed, err);
}

static stoa_status fed_array(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                             struct ArrowArray *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(aggregate->fed == NULL ? make_fed(aggregate, err) : STOA_OK);
    return stoa_aggregate_array(aggregate->fed, first, n, out, err);
}

static stoa_status fed_schema(const stoa_aggregate *aggregate, const char *name,
                              struct ArrowSchema *out, stoa_error *err)
{
    return aggregate->of_distinct->schema != NULL
               ? aggregate->of_distinct->schema(aggregate, name, out, err)
               : stoa_schema_make_type(out, name, &aggregate->type, err);
}

const stoa_aggregate_kind stoa_aggregate_fed = {
    .form = STOA_TAKES_VALUE,
    .need = STOA_NEED_VALUES,
    .may_spill = true,
    .update = stoa_pairs_update,
    .merge = stoa_pairs_merge,
    .schema = fed_schema,
    .array = fed_array,
};
