#include "index/common/tokens.h"

#include <stdio.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"

/* SOURCE_NROWS of an index that an edit must not leave valid. No table has as many rows. */
#define VOID_N_ROWS UINT64_MAX

/* --- The table --------------------------------------------------------------------------------
 */

stoa_status stoa_generation_read(hid_t group, uint64_t n_rows, stoa_generation *generation,
                                 stoa_error *err)
{
    *generation = (stoa_generation){.group = group, .n_rows = n_rows};
    return stoa_attribute_read_exact_u64(group, STOA_GENERATION, &generation->is_shown,
                                         &generation->is_known, &generation->value, err);
}

/* What the datasets of SEARCH_INDEXES show. */
typedef struct survey {
    bool is_shown;
    uint64_t above; /* the least number above every SOURCE_GENERATION */
    stoa_status status;
    stoa_error *err;
} survey;

static herr_t look_at(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    survey *const seen = context;
    stoa_tokens tokens = {.is_shown = false};

    if (info->type != H5L_TYPE_HARD) {
        return 0;
    }
    hid_t object = stoa_open_here(group, name);
    if (object >= 0) { /* an index that cannot be opened is not used anyway */
        seen->status = stoa_tokens_read(object, &tokens, seen->err);
    }
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    seen->is_shown = seen->is_shown || tokens.is_shown;
    if (tokens.has_generation && tokens.generation >= seen->above) {
        seen->above = tokens.generation + 1;
    }
    return seen->status == STOA_OK ? 0 : -1;
}

static stoa_status survey_indexes(hid_t table, survey *seen, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t group = stoa_open_here(table, "SEARCH_INDEXES");

    *seen = (survey){.err = err};
    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        status = stoa_links_visit(group, look_at, seen, err);
    }
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
    if (seen->status != STOA_OK) {
        return seen->status;
    }
    /* A damaged group leads to no index. */
    return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
}

stoa_status stoa_generation_is_shown(stoa_generation *generation, bool *is_shown, stoa_error *err)
{
    survey seen;

    *is_shown = false;
    if (generation == NULL) {
        return STOA_OK;
    }
    if (!generation->is_shown && !generation->has_looked) {
        STOA_RETURN_NOT_OK(survey_indexes(generation->group, &seen, err));
        generation->is_shown = seen.is_shown;
        generation->has_looked = true;
    }
    *is_shown = generation->is_shown;
    return STOA_OK;
}

stoa_status stoa_generation_start(stoa_generation *generation, stoa_error *err)
{
    survey seen;
    uint64_t old = 0;
    bool found = false;

    if (generation == NULL || generation->is_known) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(survey_indexes(generation->group, &seen, err));
    /* Also above a GENERATION of another type. */
    if (stoa_attribute_read_u64(generation->group, STOA_GENERATION, &old, &found, NULL) ==
            STOA_OK &&
        found && old >= seen.above) {
        seen.above = old + 1;
    }
    STOA_RETURN_NOT_OK(
        stoa_attribute_write_u64(generation->group, STOA_GENERATION, seen.above, err));
    STOA_RETURN_HDF_ERROR(err, stoa_flush(generation->group), "flush GENERATION");
    generation->is_shown = generation->is_known = true;
    generation->value = seen.above;
    return STOA_OK;
}

stoa_status stoa_generation_advance(stoa_generation *generation, uint64_t n_rows, stoa_error *err)
{
    bool is_shown = false;
    survey seen;

    STOA_RETURN_NOT_OK(stoa_generation_is_shown(generation, &is_shown, err));
    if (!is_shown) {
        return STOA_OK;
    }
    generation->next = generation->value + 1;
    if (!generation->is_known) {
        STOA_RETURN_NOT_OK(survey_indexes(generation->group, &seen, err));
        generation->next = seen.above;
    }
    generation->next_n_rows = n_rows;
    generation->has_next = true;
    generation->is_raised = false;
    return STOA_OK;
}

void stoa_generation_settle(stoa_generation *generation, bool is_published)
{
    if (generation == NULL || !generation->has_next) {
        return;
    }
    if (is_published || generation->is_raised) {
        generation->value = generation->next;
        generation->is_shown = generation->is_known = true;
    }
    if (is_published) {
        generation->n_rows = generation->next_n_rows;
    }
    generation->has_next = generation->is_raised = false;
}

/* --- Indexes ----------------------------------------------------------------------------------
 */

stoa_status stoa_tokens_read(hid_t index, stoa_tokens *tokens, stoa_error *err)
{
    bool has_generation = false;
    bool has_n_rows = false;

    *tokens = (stoa_tokens){.is_shown = false};
    STOA_RETURN_NOT_OK(stoa_attribute_read_exact_u64(index, STOA_SOURCE_GENERATION, &has_generation,
                                                     &tokens->has_generation, &tokens->generation,
                                                     err));
    STOA_RETURN_NOT_OK(stoa_attribute_read_exact_u64(index, STOA_SOURCE_NROWS, &has_n_rows,
                                                     &tokens->has_n_rows, &tokens->n_rows, err));
    tokens->is_shown = has_generation || has_n_rows;
    return STOA_OK;
}

stoa_status stoa_tokens_write(hid_t index, uint64_t generation, uint64_t n_rows, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_attribute_write_u64(index, STOA_SOURCE_NROWS, n_rows, err));
    return stoa_attribute_write_u64(index, STOA_SOURCE_GENERATION, generation, err);
}

stoa_status stoa_tokens_void(hid_t index, stoa_error *err)
{
    return stoa_attribute_write_u64(index, STOA_SOURCE_NROWS, VOID_N_ROWS, err);
}

stoa_status stoa_tokens_copy(hid_t from, hid_t to, stoa_error *err)
{
    stoa_tokens tokens;

    STOA_RETURN_NOT_OK(stoa_tokens_read(from, &tokens, err));
    return tokens.has_generation && tokens.has_n_rows
               ? stoa_tokens_write(to, tokens.generation, tokens.n_rows, err)
               : STOA_OK;
}

bool stoa_tokens_are(const stoa_tokens *tokens, uint64_t generation, uint64_t n_rows)
{
    return tokens->has_generation && tokens->has_n_rows && tokens->generation == generation &&
           tokens->n_rows == n_rows;
}

stoa_status stoa_tokens_pass(const stoa_tokens *tokens, stoa_generation *generation, bool *pass,
                             stoa_error *err)
{
    bool is_shown = false;

    STOA_RETURN_NOT_OK(stoa_generation_is_shown(generation, &is_shown, err));
    if (!is_shown) {
        *pass = generation == NULL || !tokens->is_shown;
        return STOA_OK;
    }
    *pass =
        (generation->is_known && stoa_tokens_are(tokens, generation->value, generation->n_rows)) ||
        (generation->has_next &&
         stoa_tokens_are(tokens, generation->next, generation->next_n_rows));
    return STOA_OK;
}

void stoa_tokens_explain(const stoa_tokens *tokens, const stoa_generation *generation, char *out,
                         size_t size)
{
    if (!generation->is_known) {
        (void)snprintf(out, size,
                       "not used: the table has no valid GENERATION, so nothing tells whether the "
                       "index is up to date (HEP001-2026-07 §12.2)");
    } else if (!tokens->has_generation || !tokens->has_n_rows) {
        (void)snprintf(out, size,
                       "not used: it lacks valid SOURCE_GENERATION and SOURCE_NROWS, so nothing "
                       "tells whether it is up to date (HEP001-2026-07 §12.2)");
    } else if (tokens->n_rows == VOID_N_ROWS) {
        (void)snprintf(out, size,
                       "not used: an edit of the column did not come to its end, so the index may "
                       "not describe it (HEP001-2026-07 §12.2)");
    } else {
        (void)snprintf(out, size,
                       "out of date: it describes %llu rows at GENERATION %llu; the table has "
                       "%llu at %llu (HEP001-2026-07 §12.2)",
                       (unsigned long long)tokens->n_rows, (unsigned long long)tokens->generation,
                       (unsigned long long)generation->n_rows,
                       (unsigned long long)generation->value);
    }
}

stoa_status stoa_tokens_date(hid_t index, stoa_generation *generation, uint64_t n_rows,
                             stoa_error *err)
{
    if (generation == NULL || !(generation->is_known || generation->has_next)) {
        return STOA_OK;
    }
    STOA_RETURN_HDF_ERROR(err, stoa_flush(index), "flush a search index");
    return stoa_tokens_write(index, generation->has_next ? generation->next : generation->value,
                             n_rows, err);
}
