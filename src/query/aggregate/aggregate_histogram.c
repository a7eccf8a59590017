/*
 * histogram: each group's values in their order, with the number of rows of each, as a list of
 * {value, count}. Takes an entry of memory for each value, as groups do.
 */
#include <stdlib.h>
#include <string.h>

#include "query/aggregate/pairs.h"
#include "query/aggregate/rank.h"

/* A value of a group. `rank` orders those that are no texts. */
typedef struct entry {
    uint32_t group;
    uint32_t pair;
    uint64_t rank;
    stoa_bytes text;
} entry;

static stoa_status histogram_bind(const stoa_binder *binder, stoa_aggregate *aggregate,
                                  stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_pick_bind(binder, aggregate, err));
    aggregate->item = aggregate->type.kind != STOA_KIND_NULL
                          ? aggregate->type
                          : stoa_type_of_values(&aggregate->result);
    aggregate->type = (stoa_type){.kind = STOA_KIND_LIST};
    aggregate->has_tallies = true;
    aggregate->column = SIZE_MAX;
    return STOA_OK;
}

static stoa_status histogram_schema(const stoa_aggregate *aggregate, const char *name,
                                    struct ArrowSchema *out, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_make(out, name, "+l", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, 1, err));
    STOA_RETURN_NOT_OK(stoa_schema_make(out->children[0], "item", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out->children[0], 2, err));
    STOA_RETURN_NOT_OK(
        stoa_schema_make_type(out->children[0]->children[0], "value", &aggregate->item, err));
    return stoa_schema_make(out->children[0]->children[1], "count", "l", err);
}

static int compare_entries(const void *a, const void *b)
{
    const entry *const left = a;
    const entry *const right = b;

    if (left->group != right->group) {
        return left->group < right->group ? -1 : 1;
    }
    if (left->text.data != NULL) {
        return stoa_compare_bytes(left->text.data, left->text.length, right->text.data,
                                  right->text.length);
    }
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* The entries of groups [first, first + n), in order. */
static stoa_status list_entries(const stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                stoa_buffer *entries, stoa_error *err)
{
    const stoa_value_domain domain = aggregate->result.domain;

    for (uint32_t pair = 0; pair < aggregate->seen.n_groups; pair++) {
        const uint64_t *const words = stoa_pair_words(aggregate, pair);
        entry one = {(uint32_t)words[0], pair, stoa_rank_of(words[1], domain), {NULL, 0}};
        if (one.group < first || one.group - first >= n) {
            continue;
        }
        if (stoa_domain_is_bytes(domain)) {
            one.text.data =
                stoa_string_set_get(&aggregate->words, (uint32_t)words[1], &one.text.length);
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(entries, &one, sizeof one, err));
    }
    const size_t n_entries = entries->size / sizeof(entry);
    if (n_entries > INT32_MAX) {
        return stoa_fail(err, STOA_ERANGE, "histogram: %zu values are more than one batch can hold",
                         n_entries);
    }
    if (n_entries > 0) {
        qsort(entries->data, n_entries, sizeof(entry), compare_entries);
    }
    return STOA_OK;
}

/* The values and the counts of the entries. */
static stoa_status make_items(const stoa_aggregate *aggregate, const stoa_buffer *entries,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arena arena = {0};
    const stoa_tally *const tallies = (const stoa_tally *)(const void *)aggregate->tallies.data;
    const entry *const all = (const entry *)(const void *)entries->data;
    const int64_t n = (int64_t)(entries->size / sizeof *all);
    const stoa_type count = {.kind = STOA_KIND_INT64};
    uint64_t *const words = stoa_arena_alloc(&arena, (size_t)n, sizeof *words);
    stoa_bytes *const texts = stoa_arena_alloc(&arena, (size_t)n, sizeof *texts);
    int64_t *const counts = stoa_arena_alloc(&arena, (size_t)n, sizeof *counts);
    stoa_vector values = {.type = aggregate->result, .n = n};

    STOA_TRY(words != NULL && texts != NULL && counts != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        words[i] = stoa_pair_words(aggregate, all[i].pair)[1];
        texts[i] = all[i].text;
        counts[i] = (int64_t)tallies[all[i].pair].n;
    }
    values.as.u64 = words;
    if (stoa_domain_is_bytes(values.type.domain)) {
        values.as.bytes = texts;
    }
    STOA_TRY(stoa_struct_of(n, 2, out, err));
    STOA_TRY(stoa_emit(&values, &aggregate->item, out->children[0], err));
    values = (stoa_vector){.type = {.domain = STOA_DOMAIN_I64}, .n = n};
    values.as.i64 = counts;
    STOA_TRY(stoa_emit(&values, &count, out->children[1], err));

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    stoa_arena_clear(&arena);
    return status;
}

static stoa_status histogram_array(stoa_aggregate *aggregate, uint32_t first, uint32_t n,
                                   struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray items = {.release = NULL};
    stoa_buffer entries = {0};
    int32_t *const ends = stoa_alloc((size_t)n + 1, sizeof *ends);
    uint8_t *const validity = stoa_alloc_zero(stoa_bit_bytes(n), 1);
    void *buffers[] = {validity, ends};
    size_t at = 0;

    STOA_TRY(ends != NULL && validity != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(list_entries(aggregate, first, n, &entries, err));
    STOA_TRY(make_items(aggregate, &entries, &items, err));
    const entry *const all = (const entry *)(const void *)entries.data;
    ends[0] = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (at < entries.size / sizeof *all && all[at].group == first + i) {
            at++;
        }
        ends[i + 1] = (int32_t)at;
        if (ends[i + 1] > ends[i]) {
            stoa_bit_set(validity, i);
        }
    }
    status = stoa_array_list(out, n, -1, 2, buffers, &items, err);
    buffers[0] = buffers[1] = NULL; /* taken over even on failure */

done:
    stoa_array_release(&items);
    stoa_buffer_clear(&entries);
    free(buffers[0]);
    free(buffers[1]);
    return status;
}

const stoa_aggregate_kind stoa_aggregate_histogram = {
    .text = {"histogram", NULL, "histogram(x)",
             "a list of {value, count}, in the order of the values", NULL},
    .form = STOA_TAKES_VALUE,
    .need = STOA_NEED_CODES,
    .bind = histogram_bind,
    .update = stoa_pairs_update,
    .merge = stoa_pairs_merge,
    .schema = histogram_schema,
    .array = histogram_array,
};
