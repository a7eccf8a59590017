/* The LH5 layout (LH5 notes). */
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "layout/common/categories_as_values.h"
#include "layout/lh5/read/describe.h"
#include "layout/lh5/read/histogram.h"
#include "layout/lh5/read/subset.h"
#include "layout/lh5/write/append.h"
#include "layout/lh5/write/nested.h"
#include "layout/lh5/write/saved_metadata.h"
#include "layout/lh5/write/writer.h"

extern const stoa_layout_class stoa_lh5_objects; /* lh5.c */

/* --- recognition ------------------------------------------------------------------------------ */

/* Every LH5 object has a datatype, even if Stoa cannot parse it. */
static bool is_said(hid_t object)
{
    return stoa_attribute_exists(object, "datatype");
}

static bool is_own_attribute(const char *name)
{
    return strcmp(name, "datatype") == 0;
}

/* --- objects beside tables -------------------------------------------------------------------- */

static stoa_status list(hid_t object, bool *is_table, stoa_layout_names *names, stoa_error *err)
{
    stoa_lh5_datatype type = {0};

    STOA_RETURN_NOT_OK(stoa_lh5_type_if_valid(object, &type, NULL, err));
    *is_table = type.kind == STOA_LH5_TABLE;
    if (*is_table) {
        stoa_lh5_move_names(&type, names);
    }
    stoa_lh5_datatype_clear(&type);
    return STOA_OK;
}

static stoa_status name_group(hid_t group, const char **kind, stoa_error *err)
{
    stoa_lh5_datatype type = {0};

    STOA_RETURN_NOT_OK(stoa_lh5_type_if_valid(group, &type, NULL, err));
    *kind = type.kind == STOA_LH5_STRUCT ? "struct" : NULL;
    stoa_lh5_datatype_clear(&type);
    return STOA_OK;
}

static stoa_status read_type(hid_t object, char **said, stoa_error *err)
{
    return stoa_attribute_read_optional(object, "datatype", said, err);
}

static const stoa_layout_members members = {list, name_group, read_type};

static const stoa_layout_nesting nesting = {stoa_lh5_list_inner, stoa_lh5_open_split,
                                            stoa_lh5_list_nested, stoa_lh5_nest};

/* --- remarks of a conversion ------------------------------------------------------------------ */

typedef struct telling {
    stoa_layout_remark *remark;
    void *context;
    const char *path;
    bool is_whole; /* no allocation has failed */
} telling;

static void tell_format(telling *t, const char *path, char *words)
{
    t->is_whole = t->is_whole && words != NULL;
    if (words != NULL) {
        t->remark(t->context, path, words);
    }
    free(words);
}

static void tell_name(void *context, const char *was, const char *is)
{
    telling *const t = context;

    tell_format(
        t, t->path,
        stoa_format("has a column '%s', called '%s' there: HEP001 reserves the name", was, is));
}

static stoa_status tell_renamed(hid_t file, const char *path, stoa_layout_remark *remark,
                                void *context, stoa_error *err)
{
    telling t = {remark, context, path, true};

    STOA_RETURN_NOT_OK(stoa_lh5_each_renamed(file, path, tell_name, &t, err));
    return t.is_whole ? STOA_OK : stoa_fail_memory(err);
}

static void tell_attribute(void *context, const char *path, const char *attribute, const char *why)
{
    tell_format(
        context, path,
        stoa_format("has an attribute '%s' that stays behind, since it %s", attribute, why));
}

static stoa_status tell_unread(hid_t loc, const char *path, stoa_layout_remark *remark,
                               void *context, stoa_error *err)
{
    telling t = {remark, context, path, true};

    STOA_RETURN_NOT_OK(stoa_lh5_each_unread(loc, path, tell_attribute, &t, err));
    return t.is_whole ? STOA_OK : stoa_fail_memory(err);
}

/* --- options ---------------------------------------------------------------------------------- */

/* The words of LEGEND's writer (LH5 notes §5.2), in the order of stoa_layout_mode. */
static const char *const modes[] = {"write_safe",     "append",        "overwrite",
                                    "overwrite_file", "append_column", NULL};

static stoa_layout_mode mode_of(const stoa_layout_options *options)
{
    const char *const said = stoa_layout_setting_of(options, "wo-mode");
    int i = 0;

    while (said != NULL && modes[i] != NULL && strcmp(modes[i], said) != 0) {
        i++;
    }
    return modes[i] != NULL ? (stoa_layout_mode)i : STOA_LAYOUT_SAFE;
}

static const stoa_layout_option options[] = {
    {.key = "flatten",
     .help = "tables in a table of LH5 become its columns, called a.b (the default)",
     .is_of_source = true,
     .excludes = STOA_LAYOUT_SPLIT},
    {.key = STOA_LAYOUT_SPLIT,
     .help = "they become tables of their own beside it, with row for row",
     .is_of_source = true},
    {.key = "wo-mode",
     .value = "MODE",
     .help = "write_safe (the default), append, overwrite, overwrite_file or append_column, as "
             "LEGEND's writer has them",
     .choices = modes},
    {.key = NULL}};

/* --- writing --------------------------------------------------------------------------------- */

/* Missing numbers are not written as NaN, which would read as a measured value. */
static bool holds_missing(const struct ArrowSchema *field)
{
    (void)field;
    return false;
}

static const stoa_layout_writer writer = {.write = stoa_lh5_write,
                                          .missing = {.holds = holds_missing, .drops = true},
                                          .plain = stoa_categories_all,
                                          .recall_fields = stoa_lh5_restore_fields,
                                          .take_notes = stoa_lh5_restore_metadata,
                                          .settle = stoa_lh5_list_all};

static stoa_status free_names(stoa_table *from, stoa_error *err)
{
    return stoa_lh5_is_source(from) ? stoa_lh5_rename_reserved(from, err) : STOA_OK;
}

static stoa_status save_metadata(const stoa_table *from, hid_t loc, const char *path, hid_t table,
                                 stoa_error *err)
{
    (void)loc;
    (void)path;
    return stoa_lh5_is_source(from) ? stoa_lh5_save_metadata(from, table, err) : STOA_OK;
}

/* The attributes that "lh5.attribute.NAME" and "lh5.part./NAME" are (common/attributes.c). The
 * description of a table is its title in other layouts. */
static stoa_status visit_metadata(const stoa_field_metadata *metadata, size_t n, const char *prefix,
                                  const char *column, stoa_layout_fact_visitor *visit,
                                  void *context, stoa_error *err)
{
    static const char *const own[] = {"datatype", "description", "units", NULL};

    for (size_t i = 0; i < n; i++) {
        const char *const name = metadata[i].key + strlen(prefix);
        const bool is_of = strncmp(metadata[i].key, prefix, strlen(prefix)) == 0;
        const char *const title = strchr(metadata[i].value, ' ');
        if (is_of && column == NULL && strcmp(name, "description") == 0 && title != NULL) {
            STOA_RETURN_NOT_OK(visit(context, "title", NULL, title + 1, err));
        }
        if (!is_of || stoa_is_listed(name, own)) {
            continue;
        }
        char *const what = stoa_format("attribute '%s'", name);
        const stoa_status status =
            what != NULL ? visit(context, what, column, "", err) : stoa_fail_memory(err);
        free(what);
        STOA_RETURN_NOT_OK(status);
    }
    return STOA_OK;
}

static stoa_status visit_facts(const stoa_table *table, stoa_layout_fact_visitor *visit,
                               void *context, stoa_error *err)
{
    if (!stoa_lh5_is_source(table)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(visit_metadata(table->metadata, table->n_metadata, "lh5.part./", NULL, visit,
                                      context, err));
    for (size_t i = 0; i < stoa_table_n_columns(table); i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        STOA_RETURN_NOT_OK(visit_metadata(column->metadata, column->n_metadata, "lh5.attribute.",
                                          column->name, visit, context, err));
    }
    return STOA_OK;
}

const stoa_layout stoa_layout_lh5 = {
    .name = "lh5",
    .title = "LH5",
    .suffix = ".lh5",
    .classes = (const stoa_layout_class *const[]){&stoa_lh5_objects, NULL},
    .is_said = is_said,
    .table_kind = "table",
    .is_own_attribute = is_own_attribute,
    .describe = stoa_lh5_describe,
    .visit_facts = visit_facts,
    .find_histogram = stoa_lh5_histogram_find,
    .writer = &writer,
    .takes_all = true,
    .options = options,
    .mode = mode_of,
    .append = stoa_lh5_append,
    .add_columns = stoa_lh5_add_columns,
    .free_names = free_names,
    .save_metadata = save_metadata,
    .tell_renamed = tell_renamed,
    .nesting = &nesting,
    .members = &members,
    .subset = &(const stoa_layout_subset){.count = stoa_lh5_count_lines,
                                          .select = stoa_lh5_select_rows,
                                          .coincide = stoa_lh5_coincide},
    .copy_rest = stoa_lh5_copy_unconverted,
    .is_at = stoa_lh5_is_at,
    .tell_unread = tell_unread};
