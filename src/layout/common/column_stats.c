#include "layout/common/column_stats.h"

#include <stdlib.h>

#include "arrow/decode_dictionary.h"
#include "core/memory.h"
#include "core/text.h"

stoa_status stoa_column_stats_make(const struct ArrowSchema *schema, stoa_column_stats **stats,
                                   stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n = (size_t)schema->n_children;
    stoa_column_stats *made = stoa_alloc_zero(n, sizeof *made);

    *stats = NULL;
    STOA_RETURN_NO_MEMORY(err, made);
    for (size_t i = 0; i < n; i++) {
        const struct ArrowSchema *const field = schema->children[i];
        if (field->n_children > 0) {
            STOA_TRY(stoa_column_stats_make(field, &made[i].fields, err));
            made[i].n_fields = (size_t)field->n_children;
        }
    }
    *stats = made;
    made = NULL;

done:
    stoa_column_stats_free(made, n);
    return status;
}

void stoa_column_stats_free(stoa_column_stats *stats, size_t n)
{
    for (size_t i = 0; stats != NULL && i < n; i++) {
        stoa_column_stats_free(stats[i].fields, stats[i].n_fields);
        stoa_string_set_clear(&stats[i].labels);
        stoa_array_release(&stats[i].dictionary);
        free(stats[i].used);
    }
    free(stats);
}

/* Note whether times have fractions of a second or of a microsecond. */
static void add_times(stoa_column_stats *stats, const stoa_view *view)
{
    static const int64_t ticks[] = {
        [STOA_TIME_SECOND] = 1,
        [STOA_TIME_MILLI] = 1000,
        [STOA_TIME_MICRO] = 1000000,
        [STOA_TIME_NANO] = 1000000000,
    };
    const int64_t a_second = ticks[view->type.unit];

    if (a_second == 1) {
        return;
    }
    for (int64_t i = 0; i < view->length && !stats->has_submicro; i++) {
        if (!stoa_view_is_null(view, i)) {
            const int64_t tick = stoa_view_i64(view, i);
            stats->has_subsecond = stats->has_subsecond || tick % a_second != 0;
            stats->has_submicro = a_second == 1000000000 && tick % 1000 != 0;
        }
        if (stats->has_subsecond && a_second != 1000000000) {
            break;
        }
    }
}

static void add_texts(stoa_column_stats *stats, const stoa_view *view)
{
    for (int64_t i = 0; i < view->length && !stats->has_high_bytes; i++) {
        size_t length = 0;
        const char *const text =
            stoa_view_is_null(view, i) ? "" : stoa_view_bytes(view, i, &length);
        stats->has_high_bytes = !stoa_is_ascii(text, length);
    }
}

/* Add the labels of a dictionary that was not met before. */
static stoa_status add_dictionary(stoa_column_stats *stats, const stoa_view *labels,
                                  stoa_error *err)
{
    uint32_t number;

    free(stats->used);
    stats->used = stoa_alloc_zero((size_t)labels->length, sizeof *stats->used);
    STOA_RETURN_NO_MEMORY(err, stats->used);
    for (int64_t i = 0; stoa_kind_is_string(labels->type.kind) && i < labels->length; i++) {
        size_t length;
        const char *text = stoa_view_bytes(labels, i, &length);
        if (!stoa_view_is_null(labels, i)) {
            STOA_RETURN_NOT_OK(stoa_string_set_add(&stats->labels, text, length, &number, err));
            stats->has_high_bytes = stats->has_high_bytes || !stoa_is_ascii(text, length);
        }
    }
    return STOA_OK;
}

/* Add new labels, and those that are used to the domain. Count rows whose label is missing. */
static stoa_status add_labels(stoa_column_stats *stats, const stoa_view *view, stoa_error *err)
{
    bool is_same = false;
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    STOA_RETURN_NOT_OK(stoa_dictionary_keep(view, &stats->dictionary, &is_same, err));
    STOA_RETURN_NOT_OK(is_same ? STOA_OK : add_dictionary(stats, &labels, err));
    for (int64_t i = 0; labels.null_count > 0 && i < view->length; i++) {
        stats->n_missing +=
            !stoa_view_is_null(view, i) && stoa_view_is_null(&labels, stoa_view_i64(view, i));
    }
    return stoa_domain_add_labels(&stats->domain, view, stats->used, err);
}

static stoa_status add_array(stoa_column_stats *stats, const stoa_view *view, stoa_error *err);

static stoa_status add_fields(stoa_column_stats *stats, const stoa_view *view, stoa_error *err)
{
    for (size_t i = 0; i < stats->n_fields; i++) {
        stoa_view field;
        STOA_RETURN_NOT_OK(stoa_view_child(view, (int64_t)i, &field, err));
        STOA_RETURN_NOT_OK(add_array(&stats->fields[i], &field, err));
    }
    return STOA_OK;
}

static stoa_status add_array(stoa_column_stats *stats, const stoa_view *view, stoa_error *err)
{
    stats->n_missing += (uint64_t)view->null_count;
    switch (view->type.kind) {
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        for (int64_t i = 0; i < view->length; i++) {
            int64_t first;
            int64_t count;
            stoa_view_range(view, i, &first, &count);
            stats->longest = (uint64_t)count > stats->longest ? (uint64_t)count : stats->longest;
            stats->has_empty = stats->has_empty || count == 0 || stoa_view_is_null(view, i);
        }
        return add_fields(stats, view, err);
    case STOA_KIND_STRUCT:
    case STOA_KIND_FIXED_LIST:
        return add_fields(stats, view, err);
    case STOA_KIND_TIMESTAMP:
        add_times(stats, view);
        break;
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        add_texts(stats, view);
        break;
    case STOA_KIND_DICTIONARY:
        return add_labels(stats, view, err);
    default:
        break;
    }
    return stoa_domain_add(&stats->domain, view, err);
}

typedef struct adding {
    stoa_column_stats *stats;
    const struct ArrowSchema *schema;
    const stoa_view *rows;
} adding;

static stoa_status add_column(void *context, unsigned worker, uint64_t i, stoa_error *err)
{
    const adding *const add = context;
    stoa_view column;

    (void)worker;
    STOA_RETURN_NOT_OK(stoa_view_child(add->rows, (int64_t)i, &column, err));
    return stoa_at(err, add_array(&add->stats[i], &column, err), "%s",
                   add->schema->children[i]->name);
}

stoa_status stoa_column_stats_add(stoa_column_stats *stats, const struct ArrowSchema *schema,
                                  const struct ArrowArray *batch, stoa_workers *workers,
                                  stoa_error *err)
{
    stoa_view rows;
    adding add = {.stats = stats, .schema = schema, .rows = &rows};

    STOA_RETURN_NOT_OK(stoa_view_of(schema, batch, &rows, err));
    return stoa_workers_run_little(workers, (uint64_t)schema->n_children, add_column, &add, err);
}
