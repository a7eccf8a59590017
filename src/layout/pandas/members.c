#include "layout/pandas/members.h"
#include "layout/common/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "layout/common/column_datasets.h"
#include "layout/common/column_stats.h"
#include "layout/pandas/frame.h"

/* --- choosing members ------------------------------------------------------------------------ */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Names such as "_v_x" are reserved by PyTables. */
static bool is_reserved(const char *name)
{
    return name[0] == '_' && name[1] != '\0' && strchr("cfgipv", name[1]) != NULL && name[2] == '_';
}

/* Whether PyTables, and pandas' attributes, allow a column of that name. */
static bool is_possible_name(const char *name)
{
    return name[0] != '\0' && !is_reserved(name) && strchr(name, '/') == NULL &&
           strcmp(name, "index") != 0 && !begins(name, "FIELD_") && !begins(name, "values_block_");
}

/* Whether they allow it without a warning, since it is also an identifier. */
static bool is_member_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return is_possible_name(name) && name[0] != '_' && strspn(name, letters) == strlen(name) &&
           (name[0] < '0' || name[0] > '9');
}

bool stoa_pandas_is_text(const stoa_pandas_member *member)
{
    return !member->is_coded &&
           (member->shape.as == STOA_PANDAS_TEXT || member->shape.as == STOA_PANDAS_CATEGORY);
}

stoa_status stoa_pandas_check_text(const stoa_pandas_member *member, stoa_error *err)
{
    const struct ArrowSchema *const field = member->shape.field;
    stoa_type labels = {.kind = STOA_KIND_STRING};

    if (member->shape.stats->domain.has_last_nul) {
        return stoa_fail(
            err, STOA_ELOSS,
            "column '%s' has a text that ends with a NUL, which pandas' table format cannot "
            "hold; pandas-fixed can",
            field->name);
    }
    if (member->shape.as == STOA_PANDAS_CATEGORY) {
        STOA_RETURN_NOT_OK(stoa_type_of(field->dictionary, &labels, err));
    }
    if (!stoa_kind_is_string(labels.kind)) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' labels the rows, with categories that are no texts",
                         field->name);
    }
    return STOA_OK;
}

/* pandas indexes every data column when it appends. PyTables cannot index uint64, nor
 * multidimensional cells, in which pandas stores complex numbers. Levels are always data columns.
 */
static bool is_data_column(const stoa_pandas_member *member, const char *name)
{
    const bool is_uint64 =
        member->shape.as == STOA_PANDAS_NUMBER && member->shape.kind == STOA_KIND_UINT64;
    const bool is_complex = member->shape.as == STOA_PANDAS_COMPLEX;

    return member->is_level ? is_possible_name(name)
                            : is_member_name(name) && !is_uint64 && !is_complex;
}

static bool is_label(const stoa_pandas_members *members, size_t column)
{
    return stoa_pandas_is_index(members->source, column);
}

/* --- names of members ------------------------------------------------------------------------ */

/* pandas finds a block by its position among the values. */
static stoa_status name_members(stoa_pandas_members *members, stoa_error *err)
{
    size_t place = 0;
    size_t first = 0;

    for (size_t i = 0; i < members->n; i++) {
        stoa_pandas_member *const member = &members->all[i];
        first = member->item == 0 ? i : first;
        member->name = member->is_index ? stoa_strdup("index")
                       : member->is_block
                           ? stoa_format("values_block_%zu", member->item == 0 ? place : place - 1)
                           : stoa_strdup(member->shape.field->name);
        STOA_RETURN_NO_MEMORY(err, member->name);
        place += !member->is_index && member->item == 0;
        members->n_members += member->item == 0;
        if (member->text_size > members->all[first].text_size) {
            members->all[first].text_size = member->text_size;
        }
    }
    return STOA_OK;
}

/* --- all members ----------------------------------------------------------------------------- */

/* Whether pandas restores the dtype of such a member: periods and times of any unit in an index,
 * durations of any unit in both. */
static bool can_be(const stoa_pandas_member *member, const char *said)
{
    return said != NULL &&
           ((member->is_index && (begins(said, "period[") || begins(said, "datetime64["))) ||
            (!member->is_level && begins(said, "timedelta64[")));
}

static stoa_status shape_member(stoa_pandas_members *members, stoa_pandas_member *member,
                                stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_source *const source = members->source;
    const struct ArrowSchema *const field = source->schema->children[member->column];
    const bool is_value = !member->is_index && !member->is_level;
    char *said = NULL;

    STOA_TRY(stoa_pandas_dtype_of(source, field->name, &said, err));
    const bool was_categorical = said != NULL && strcmp(said, "category") == 0;
    if (is_value || (member->is_level && was_categorical)) {
        STOA_TRY(
            stoa_pandas_codes_plan(source, member->column, &member->codes, &member->is_coded, err));
    }
    STOA_TRY(stoa_pandas_shape_of(
        field, member->is_coded ? &member->codes.stats : &source->columns[member->column],
        can_be(member, said) ? said : NULL, "pandas' table format", &member->shape, err));
    if (member->shape.as == STOA_PANDAS_COMPLEX && !is_value) {
        STOA_FAIL(err, STOA_ETYPE, "column '%s' labels the rows, with complex numbers",
                  field->name);
    }
    if (stoa_pandas_is_text(member)) {
        const size_t longest = member->shape.stats->domain.longest;
        const size_t nan = member->shape.stats->n_missing > 0 ? strlen(STOA_PANDAS_NAN) : 1;
        const size_t wanted = stoa_pack_width_of(field);
        const size_t least = nan > wanted ? nan : wanted;
        STOA_TRY(stoa_pandas_check_text(member, err));
        member->text_size = longest > least ? longest : least;
        member->nan_rep = STOA_PANDAS_NAN;
    }

done:
    free(said);
    return status;
}

static stoa_status add_member(stoa_pandas_members *members, size_t column, bool is_unique,
                              stoa_error *err)
{
    stoa_pandas_member *const member = &members->all[members->n++];
    const char *const name = members->source->schema->children[column]->name;

    member->column = column;
    member->n_items = 1;
    member->is_index = !members->has_counter && is_label(members, column);
    member->is_level = members->has_counter && is_label(members, column);
    STOA_RETURN_NOT_OK(shape_member(members, member, err));
    member->can_stand_alone = is_data_column(member, name) &&
                              stoa_pandas_label_of(members->source, name) == NULL &&
                              (is_unique || member->is_level);
    if (!member->can_stand_alone && member->is_level) {
        return stoa_fail(
            err, STOA_ETYPE,
            "row labels called '%s' are none that pandas' table format can keep; rename the "
            "column",
            name);
    }
    return STOA_OK;
}

stoa_status stoa_pandas_members_make(const stoa_layout_source *source, stoa_pandas_members *members,
                                     stoa_error *err)
{
    const size_t n = (size_t)source->schema->n_children;
    bool is_unique = true;

    *members = (stoa_pandas_members){.source = source,
                                     .has_counter = source->n_index_columns != 1,
                                     .n_labels = source->n_index_columns};
    if (n == source->n_index_columns) {
        return stoa_fail(err, STOA_ETYPE,
                         "a frame without columns is none that pandas' table format can hold; "
                         "pandas-fixed can");
    }
    STOA_RETURN_NOT_OK(stoa_pandas_labels_are_unique(source, &is_unique, err));
    members->all = stoa_alloc_zero(n, sizeof *members->all);
    STOA_RETURN_NO_MEMORY(err, members->all);
    for (size_t i = 0; i < source->n_index_columns; i++) {
        STOA_RETURN_NOT_OK(add_member(members, source->index_columns[i], is_unique, err));
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_label(members, i)) {
            STOA_RETURN_NOT_OK(add_member(members, i, is_unique, err));
        }
    }
    STOA_RETURN_NOT_OK(stoa_pandas_arrange(members, is_unique, err));
    return name_members(members, err);
}

void stoa_pandas_members_clear(stoa_pandas_members *members)
{
    for (size_t i = 0; i < members->n; i++) {
        stoa_pandas_shape_clear(&members->all[i].shape);
        stoa_pandas_codes_clear(&members->all[i].codes);
        free(members->all[i].name);
    }
    free(members->all);
    members->all = NULL;
    members->n = 0;
}

/* --- schema ---------------------------------------------------------------------------------- */

static const char *format_of(const stoa_pandas_member *member)
{
    return stoa_pandas_is_text(member)
               ? "U"
               : stoa_kind_format(member->is_coded ? member->codes.kind : member->shape.kind);
}

static stoa_status make_values_field(const stoa_pandas_member *member, const char *name,
                                     struct ArrowSchema *field, stoa_error *err)
{
    if (member->shape.as != STOA_PANDAS_COMPLEX) {
        return stoa_schema_make(field, name, format_of(member), err);
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(field, name, "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(field, 2, err));
    STOA_RETURN_NOT_OK(stoa_schema_make(field->children[0], "r", format_of(member), err));
    return stoa_schema_make(field->children[1], "i", format_of(member), err);
}

static stoa_status make_field(const stoa_pandas_member *member, struct ArrowSchema *field,
                              stoa_error *err)
{
    char format[32];

    if (!member->is_block) {
        return make_values_field(member, member->name, field, err);
    }
    (void)snprintf(format, sizeof format, "+w:%zu", member->n_items);
    STOA_RETURN_NOT_OK(stoa_schema_make(field, member->name, format, err));
    STOA_RETURN_NOT_OK(stoa_schema_children(field, 1, err));
    return make_values_field(member, "item", field->children[0], err);
}

/* `member` is the first of its block. */
static void learn(const stoa_pandas_member *member, stoa_column_stats *stats)
{
    stoa_column_stats *const inner = member->is_block ? &stats->fields[0] : stats;

    inner->domain = member->shape.stats->domain;
    for (size_t i = 1; i < member->n_items; i++) {
        stoa_domain_merge(&inner->domain, &member[i].shape.stats->domain);
    }
    inner->domain.longest = member->text_size;
}

stoa_status stoa_pandas_members_schema(const stoa_pandas_members *members,
                                       struct ArrowSchema *schema, stoa_column_stats **stats,
                                       stoa_error *err)
{
    const size_t n_first = members->has_counter;
    size_t at = n_first;

    STOA_RETURN_NOT_OK(stoa_schema_make(schema, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(schema, (int64_t)(members->n_members + n_first), err));
    if (members->has_counter) {
        STOA_RETURN_NOT_OK(stoa_schema_make(schema->children[0], "index", "l", err));
    }
    for (size_t i = 0; i < members->n; i += members->all[i].n_items) {
        STOA_RETURN_NOT_OK(make_field(&members->all[i], schema->children[at++], err));
    }
    if (stats != NULL) {
        STOA_RETURN_NOT_OK(stoa_column_stats_make(schema, stats, err));
        at = n_first;
        for (size_t i = 0; i < members->n; i += members->all[i].n_items) {
            learn(&members->all[i], &(*stats)[at++]);
        }
    }
    return STOA_OK;
}
