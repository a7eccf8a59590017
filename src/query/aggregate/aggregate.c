/* Aggregates of every kind: binding, sharing of cells, updates and results. */
#include "query/aggregate/aggregate.h"

#include <stdlib.h>

/* Sharing cells ----------------------------------------------------------------------------- */

/* The number column that the argument is, possibly cast; SIZE_MAX if it is something else. */
static size_t column_of(const stoa_aggregate *aggregate)
{
    const stoa_expr *arg = aggregate->arg;

    if (arg != NULL && arg->op == STOA_OP_CAST) {
        arg = arg->args[0];
    }
    if (arg == NULL || arg->op != STOA_OP_COLUMN || stoa_domain_is_bytes(arg->type.domain) ||
        arg->type.domain == STOA_DOMAIN_OTHER) {
        return SIZE_MAX;
    }
    return arg->column;
}

static bool is_extreme(const stoa_aggregate_kind *kind)
{
    return kind == &stoa_aggregate_min || kind == &stoa_aggregate_max;
}

static bool adds_up(const stoa_aggregate_kind *kind)
{
    return kind == &stoa_aggregate_sum || kind == &stoa_aggregate_mean;
}

/* Whether the cells of `holder` contain what `held` needs. */
static bool can_hold(const stoa_aggregate *holder, const stoa_aggregate *held)
{
    const bool counts = adds_up(holder->kind) || is_extreme(holder->kind) ||
                        holder->kind == &stoa_aggregate_stddev ||
                        holder->kind == &stoa_aggregate_count;

    if (column_of(held) == SIZE_MAX || column_of(holder) != column_of(held)) {
        return false;
    }
    if (held->kind == &stoa_aggregate_count) {
        return counts;
    }
    if (held->arg->type.domain != holder->arg->type.domain) {
        return false;
    }
    return (adds_up(held->kind) && adds_up(holder->kind)) ||
           (is_extreme(held->kind) && is_extreme(holder->kind)) ||
           (held->kind == &stoa_aggregate_stddev && holder->kind == held->kind);
}

/* Share cells among n aggregates of one column. */
static void share(stoa_aggregate *const *aggregates, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        stoa_aggregate *const held = aggregates[i];
        for (size_t j = 0; j < n && !held->is_holder && held->holder == NULL; j++) {
            stoa_aggregate *const holder = aggregates[j];
            if (j != i && holder->holder == NULL && can_hold(holder, held)) {
                held->holder = holder;
                holder->is_holder = true;
                holder->has_both =
                    holder->has_both || (is_extreme(holder->kind) && is_extreme(held->kind) &&
                                         holder->kind != held->kind);
            }
        }
    }
}

/* Order by column, then as requested. */
static int compare_columns(const void *a, const void *b)
{
    const stoa_aggregate *const *left = a;
    const stoa_aggregate *const *right = b;
    const size_t columns[] = {column_of(*left), column_of(*right)};

    return columns[0] != columns[1] ? (columns[0] > columns[1]) - (columns[0] < columns[1])
                                    : (*left > *right) - (*left < *right);
}

stoa_status stoa_aggregates_share(stoa_aggregate *aggregates, size_t n, stoa_error *err)
{
    stoa_aggregate **const sorted = stoa_alloc(n, sizeof(stoa_aggregate *));
    size_t end = 0;

    STOA_RETURN_NO_MEMORY(err, sorted);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &aggregates[i];
    }
    qsort(sorted, n, sizeof(stoa_aggregate *), compare_columns);
    for (size_t i = 0; i < n && column_of(sorted[i]) != SIZE_MAX; i = end) {
        for (end = i; end < n && column_of(sorted[end]) == column_of(sorted[i]); end++) {
        }
        share(&sorted[i], end - i);
    }
    free(sorted);
    return STOA_OK;
}

/* Running ----------------------------------------------------------------------------------- */

/* Portions pay off if each group gets about this many rows, and at least 1/KEPT_SHARE of the
 * rows count. */
enum { GROUP_ROWS = 4 * STOA_TURNS, KEPT_SHARE = 4 };

static bool are_few(const stoa_operand *operand, uint32_t n_numbers)
{
    return operand->n <= STOA_PORTION_ROWS && operand->n_kept >= operand->n / KEPT_SHARE &&
           operand->n_kept / GROUP_ROWS + 1 >= (int64_t)n_numbers;
}

static stoa_status tally(stoa_aggregate *aggregate, const stoa_operand *operand,
                         stoa_group_rows *rows, bool *is_done, stoa_error *err)
{
    *is_done = false;
    if (aggregate->kind->tally == NULL || rows == NULL || !are_few(operand, rows->n_groups)) {
        return STOA_OK;
    }
    if (!are_few(operand, rows->n_numbers)) {
        (void)stoa_group_ids(rows, operand->n);
    }
    return aggregate->kind->tally(aggregate, operand, rows, is_done, err);
}

/* Load the second expression for the rows of the first. */
static stoa_status load_by(const stoa_aggregate *aggregate, stoa_evaluation *ev,
                           stoa_operand *operand, stoa_operand *by, stoa_error *err)
{
    if (aggregate->by == NULL || operand->n_kept == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_operand_load(ev, aggregate->by, STOA_NEED_VALUES,
                                         (const uint8_t *)operand->mask, operand->n_kept, by, err));
    operand->by = by;
    if (aggregate->kind->form == STOA_TAKES_PAIR) {
        operand->mask = by->mask;
        operand->n_kept = by->n_kept;
    }
    return STOA_OK;
}

stoa_status stoa_aggregate_update(stoa_aggregate *aggregate, stoa_evaluation *ev,
                                  const uint8_t *selected, int64_t n_selected,
                                  stoa_group_rows *rows, stoa_error *err)
{
    bool is_done = false;
    stoa_operand operand;
    stoa_operand by;

    if (aggregate->holder != NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate, rows != NULL ? rows->n_groups : 1, err));
    if (aggregate->arg == NULL && rows == NULL) { /* rows are counted without reading values */
        operand = (stoa_operand){.kind = STOA_KIND_NULL, .n = n_selected, .n_kept = n_selected};
    } else {
        const stoa_need need = aggregate->only_looks ? STOA_NEED_BARE_CODES : aggregate->kind->need;
        STOA_RETURN_NOT_OK(
            stoa_operand_load(ev, aggregate->arg, need, selected, n_selected, &operand, err));
        STOA_RETURN_NOT_OK(load_by(aggregate, ev, &operand, &by, err));
    }
    if (operand.n_kept == 0) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(tally(aggregate, &operand, rows, &is_done, err));
    if (!is_done) {
        const uint32_t *ids = rows != NULL ? stoa_group_ids(rows, operand.n) : NULL;
        STOA_RETURN_NOT_OK(aggregate->kind->update(aggregate, &operand, ids, err));
    }
    return STOA_OK;
}

stoa_status stoa_aggregate_clone(const stoa_aggregate *from, stoa_aggregate *to, stoa_error *err)
{
    (void)err;
    *to = (stoa_aggregate){.kind = from->kind,
                           .holder = from->holder,
                           .is_holder = from->is_holder,
                           .has_both = from->has_both,
                           .arg = from->arg,
                           .by = from->by,
                           .p = from->p,
                           .separator = from->separator,
                           .is_descending = from->is_descending,
                           .may_end = from->may_end,
                           .only_looks = from->only_looks,
                           .end = from->end,
                           .end_text = from->end_text,
                           .of_distinct = from->of_distinct,
                           .has_tallies = from->has_tallies,
                           .counts_words = from->counts_words,
                           .most_bytes = SIZE_MAX,
                           .n_files = STOA_PAIR_FILES,
                           .numbered = {.reader = stoa_key_share(&from->numbered.reader)},
                           .result = from->result,
                           .type = from->type,
                           .item = from->item,
                           .reduce = from->reduce,
                           .kernels = from->kernels};
    return STOA_OK;
}

void stoa_aggregate_hand_on(stoa_aggregate *from, stoa_aggregate *to, bool has_groups)
{
    stoa_key *const reader = &from->numbered.reader;

    to->numbered.reader = *reader;
    to->numbered.reader.owns_texts = false;
    *reader = stoa_key_share(reader);
    if (!has_groups && !from->has_tallies) {
        to->met = from->met;
        to->met_of = from->met_of;
        to->met_labels = from->met_labels;
        to->has_ended = from->has_ended;
        from->met = (stoa_buffer){0};
        from->met_of = 0;
    }
}

stoa_status stoa_aggregate_merge(stoa_aggregate *into, const stoa_aggregate *from,
                                 const uint32_t *ids, uint32_t n_groups, stoa_error *err)
{
    if (into->holder != NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_aggregate_extend(into, n_groups, err));
    into->has_ended = into->has_ended || from->has_ended;
    return into->kind->merge(into, from, ids, err);
}

bool stoa_aggregate_counts_rows(const stoa_aggregate *aggregate)
{
    return aggregate->kind == &stoa_aggregate_count && aggregate->arg == NULL;
}

stoa_status stoa_aggregate_count_rows(stoa_aggregate *aggregate, uint64_t n_rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate, 1, err));
    stoa_cells(aggregate)->n += (int64_t)n_rows;
    return STOA_OK;
}

stoa_status stoa_aggregate_result(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                  stoa_arena *arena, stoa_vector *out, stoa_error *err)
{
    stoa_aggregate *holder = aggregate->holder != NULL ? aggregate->holder : aggregate;

    /* Without `by`, the only group exists even if there was no row. */
    STOA_RETURN_NOT_OK(stoa_aggregate_extend(holder, first + n, err));
    *out = (stoa_vector){.type = aggregate->result, .n = n};
    if (holder == aggregate) {
        STOA_RETURN_NOT_OK(aggregate->kind->result(aggregate, first, n, arena, out, err));
    } else {
        stoa_aggregate held = *aggregate;
        held.cells = holder->cells; /* borrowed to read */
        held.moments = holder->moments;
        held.has_both = holder->has_both;
        STOA_RETURN_NOT_OK(held.kind->result(&held, first, n, arena, out, err));
    }
    return STOA_OK;
}

stoa_status stoa_aggregate_array(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                 struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arena arena = {0};
    stoa_vector values;

    if (aggregate->kind->array != NULL) {
        STOA_RETURN_NOT_OK(stoa_aggregate_extend(aggregate, first + n, err));
        return aggregate->kind->array(aggregate, first, n, out, err);
    }
    STOA_TRY(stoa_aggregate_result(aggregate, first, n, &arena, &values, err));
    STOA_TRY(stoa_emit(&values, &aggregate->type, out, err));

done:
    stoa_arena_clear(&arena);
    return status;
}

stoa_status stoa_aggregate_schema(const stoa_aggregate *aggregate, const char *name,
                                  struct ArrowSchema *out, stoa_error *err)
{
    return aggregate->kind->schema != NULL
               ? aggregate->kind->schema(aggregate, name, out, err)
               : stoa_schema_make_type(out, name, &aggregate->type, err);
}

static void clear_texts(stoa_buffer *texts)
{
    stoa_buffer *const of_groups = (stoa_buffer *)(void *)texts->data;

    for (size_t i = 0; i < texts->size / sizeof *of_groups; i++) {
        stoa_buffer_clear(&of_groups[i]);
    }
    stoa_buffer_clear(texts);
}

void stoa_aggregate_clear(stoa_aggregate *aggregate)
{
    if (aggregate->fed != NULL) {
        stoa_aggregate_clear(aggregate->fed);
        free(aggregate->fed);
        aggregate->fed = NULL;
    }
    clear_texts(&aggregate->texts);
    clear_texts(&aggregate->keys);
    stoa_buffer_clear(&aggregate->cells);
    stoa_buffer_clear(&aggregate->moments);
    stoa_buffer_clear(&aggregate->scratch);
    stoa_buffer_clear(&aggregate->list);
    stoa_buffer_clear(&aggregate->owners);
    stoa_spilled_clear(&aggregate->spilled);
    for (size_t i = 0; aggregate->files != NULL && i < STOA_PAIR_FILES; i++) {
        stoa_spill_close(&aggregate->files[i]);
    }
    free(aggregate->files);
    stoa_buffer_clear(&aggregate->tallies);
    stoa_buffer_clear(&aggregate->met);
    stoa_numbered_clear(&aggregate->numbered);
    stoa_groups_clear(&aggregate->seen);
    stoa_string_set_clear(&aggregate->words);
}
