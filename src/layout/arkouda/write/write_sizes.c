/* Computes how much of each object each file holds, before it is written (write_plan.h). */
#include "layout/arkouda/write/write_plan.h"

#include <string.h>

#include "core/memory.h"

stoa_status stoa_arkouda_plan_view(const stoa_arkouda_plan *plan, const stoa_arkouda_entry *entry,
                                   const stoa_view *rows, stoa_view *view, int64_t *first,
                                   int64_t *count, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)entry->position, view, err));
    while (plan->form == STOA_ARKOUDA_VIEW && view->type.kind == STOA_KIND_FIXED_LIST) {
        stoa_view items;
        *first = (view->offset + *first) * view->type.width;
        *count *= view->type.width;
        STOA_RETURN_NOT_OK(stoa_view_child(view, 0, &items, err));
        *view = items;
    }
    return STOA_OK;
}

static bool is_open(const stoa_arkouda_entry *entry, const stoa_layout_source *source,
                    uint64_t n_files)
{
    const bool is_as_learned = n_files == 1 && entry->column.stats != NULL &&
                               stoa_missing_way_of(source->options, &stoa_arkouda_missing,
                                                   entry->column.field) != STOA_MISSING_FILLED;

    return !entry->is_mask &&
           (entry->is_na_asked || entry->column.shape.as == STOA_ARKOUDA_AS_LISTS ||
            (entry->column.shape.as == STOA_ARKOUDA_AS_TEXTS && !is_as_learned));
}

bool stoa_arkouda_plan_is_open(const stoa_arkouda_plan *plan, const stoa_layout_source *source,
                               uint64_t n_files)
{
    for (size_t i = 0; i < plan->n_entries; i++) {
        if (is_open(&plan->entries[i], source, n_files)) {
            return true;
        }
    }
    return false;
}

typedef struct measuring {
    stoa_arkouda_plan *plan;
    uint64_t n_files;
    uint64_t k; /* the file of the current rows */
} measuring;

/* Note whether a row has the label "N/A". */
static stoa_status ask_labels(stoa_arkouda_entry *entry, const stoa_view *view, stoa_error *err)
{
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    for (int64_t i = 0; i < labels.length && !entry->is_na_used; i++) {
        size_t length = 0;
        const char *const text =
            stoa_view_is_null(&labels, i) ? "" : stoa_view_bytes(&labels, i, &length);
        if (length != strlen(STOA_ARKOUDA_NA_LABEL) ||
            memcmp(text, STOA_ARKOUDA_NA_LABEL, length) != 0) {
            continue;
        }
        for (int64_t row = 0; row < view->length && !entry->is_na_used; row++) {
            entry->is_na_used = !stoa_view_is_null(view, row) && stoa_view_i64(view, row) == i;
        }
    }
    return STOA_OK;
}

static stoa_status measure_entry(const measuring *m, stoa_arkouda_entry *entry,
                                 const stoa_view *rows, uint64_t first, stoa_error *err)
{
    uint64_t k = m->k;
    stoa_view view;

    STOA_RETURN_NOT_OK(stoa_view_child(rows, (int64_t)entry->position, &view, err));
    if (entry->is_na_asked) {
        STOA_RETURN_NOT_OK(ask_labels(entry, &view, err));
    }
    for (int64_t at = 0; at < view.length;) {
        const uint64_t end = stoa_arkouda_first_row(m->plan->n_units, k + 1, m->n_files);
        const uint64_t room = end - (first + (uint64_t)at);
        const int64_t n = room < (uint64_t)(view.length - at) ? (int64_t)room : view.length - at;
        stoa_arkouda_sizes sizes = {0};
        STOA_RETURN_NOT_OK(stoa_arkouda_measure(&entry->column, &view, at, n, &sizes, err));
        entry->sizes[k].n_items += sizes.n_items;
        entry->sizes[k].n_bytes += sizes.n_bytes;
        at += n;
        k += (uint64_t)n == room;
    }
    return STOA_OK;
}

static stoa_status measure_rows(void *context, const stoa_view *rows, uint64_t first,
                                stoa_error *err)
{
    measuring *const m = context;

    for (size_t i = 0; i < m->plan->n_entries; i++) {
        stoa_arkouda_entry *const entry = &m->plan->entries[i];
        if (!entry->is_mask) {
            STOA_RETURN_NOT_OK(measure_entry(m, entry, rows, first, err));
        }
    }
    while (m->k + 1 < m->n_files &&
           stoa_arkouda_first_row(m->plan->n_units, m->k + 1, m->n_files) <=
               first + (uint64_t)rows->length) {
        m->k++;
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_plan_measure(stoa_arkouda_plan *plan, const stoa_layout_source *source,
                                      uint64_t n_files, stoa_error *err)
{
    measuring m = {plan, n_files, 0};

    for (size_t i = 0; i < plan->n_entries; i++) {
        for (uint64_t k = 0; k < n_files; k++) {
            plan->entries[i].sizes[k].n_bytes = 0; /* also of sizes that were known */
        }
    }
    return stoa_layout_each_batch(source, measure_rows, &m, err);
}
