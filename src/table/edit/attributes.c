/* Listing the descriptive attributes of a table and its columns (HEP001 §7.4, §8.5, §8.6). */
#include <stdlib.h>
#include <stoa/edit.h>
#include <string.h>

#include "arrow/read.h"
#include "column/column.h"
#include "column/type/cf_attributes.h"
#include "core/text.h"
#include "hdf/metadata/attributes.h"
#include "table/open/names.h"
#include "table/open/table.h"

/* Attributes that HEP001 itself maintains are shown by other calls, and those for programs that do
 * not know HEP001 repeat them. */
static bool is_descriptive(const char *name)
{
    static const char *const kept[] = {"column-order",
                                       "_index",
                                       STOA_CF_FILL,
                                       STOA_CF_CALENDAR,
                                       STOA_CF_FLAG_VALUES,
                                       STOA_CF_FLAG_MEANINGS,
                                       STOA_COLUMN_CATEGORIES_PATH,
                                       NULL};

    return strcmp(name, "TITLE") == 0 || strncmp(name, "valid_", 6) == 0 ||
           (!stoa_is_listed(name, kept) && !stoa_name_is_reserved(name));
}

/* Ticks of a time column as a time; false if the text is no number of ticks, or out of range. */
static bool time_of(const stoa_column *column, const char *text, char *out)
{
    int64_t ticks = 0;

    if (!stoa_parse_i64(text, strlen(text), &ticks) ||
        __builtin_mul_overflow(ticks, column->time.ticks_per, &ticks) ||
        __builtin_add_overflow(ticks, column->time.epoch_ticks, &ticks)) {
        return false;
    }
    (void)stoa_type_format_ticks(&column->type, ticks, out);
    return true;
}

/* Print a bound like the column's values; nothing if it cannot be read. */
static stoa_status print_bound(const stoa_column *column, const char *name, stoa_buffer *out,
                               stoa_error *err)
{
    const bool is_low = strcmp(name, "valid_min") == 0;
    struct ArrowSchema schema = {.release = NULL};
    stoa_error ignored = STOA_ERROR_INIT;
    char time[STOA_NUMBER_SIZE];
    char *text = NULL;
    stoa_status status = STOA_OK;

    if ((is_low ? column->valid_min : column->valid_max) == NULL ||
        stoa_column_schema(column, &schema, &ignored) != STOA_OK) {
        return STOA_OK;
    }
    STOA_TRY(stoa_schema_get_text(&schema, name, &text, err));
    if (text != NULL) {
        const bool is_time = column->is_time && time_of(column, text, time);
        STOA_TRY(stoa_buffer_print(out, err, "%s", is_time ? time : text));
    }

done:
    free(text);
    stoa_schema_release(&schema);
    return status;
}

/* Describe one attribute to the visitor; *go_on is its answer. */
static stoa_status visit(hid_t object, const stoa_column *column, const char *name,
                         stoa_attribute_visitor visitor, void *context, bool *go_on,
                         stoa_error *err)
{
    const bool is_bound = column != NULL && strncmp(name, "valid_", 6) == 0;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_buffer other = {0};
    char *text = NULL;
    stoa_status status = STOA_OK;

    if (is_bound) {
        STOA_TRY(print_bound(column, name, &other, err));
    } else if (stoa_attribute_read_text(object, name, &text, &ignored) != STOA_OK) {
        text = NULL;
    }
    if (text == NULL && other.size == 0) {
        STOA_TRY(stoa_attribute_print(object, name, 1, &other, err));
    }
    const stoa_attribute attribute = {name, text != NULL ? text : (const char *)other.data,
                                      text != NULL};
    *go_on = visitor(context, &attribute);

done:
    stoa_buffer_clear(&other);
    free(text);
    return status;
}

static stoa_status visit_all(hid_t object, const stoa_column *column,
                             stoa_attribute_visitor visitor, void *context, stoa_error *err)
{
    stoa_buffer names = {0};
    stoa_status status = STOA_OK;
    bool are_listed = true;
    bool go_on = true;

    STOA_TRY(stoa_attribute_names(object, &names, &are_listed, err));
    if (!are_listed) {
        STOA_FAIL(err, STOA_EDATA, "the attributes cannot be listed");
    }
    for (size_t at = 0; go_on && at < names.size;) {
        const char *const name = (const char *)names.data + at;

        at += strlen(name) + 1;
        if (is_descriptive(name)) {
            STOA_TRY(visit(object, column, name, visitor, context, &go_on, err));
        }
    }

done:
    stoa_buffer_clear(&names);
    return status;
}

static stoa_status visit_of(const stoa_table *table, const char *column_name,
                            stoa_attribute_visitor visitor, void *context, stoa_error *err)
{
    const stoa_column *column = NULL;

    if (column_name == NULL) { /* several files have no group in common */
        const stoa_attribute frame = {table->frame_name, table->frame, true};
        if (table->frame != NULL && !visitor(context, &frame)) {
            return STOA_OK;
        }
        return table->group < 0 ? STOA_OK : visit_all(table->group, NULL, visitor, context, err);
    }
    column = stoa_table_find(table, column_name);
    if (column == NULL) {
        return stoa_table_fail_name(table, column_name, err);
    }
    if (stoa_column_is_foreign(column)) { /* a column inside rows has no attributes of its own */
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_column_reach(column, err));
    return visit_all(column->dataset, column, visitor, context, err);
}

stoa_status stoa_attribute_visit(const stoa_table *table, const char *column,
                                 stoa_attribute_visitor visitor, void *context, stoa_error *err)
{
    stoa_status status = stoa_table_enter(table, err);

    if (status == STOA_OK) {
        status = visit_of(table, column, visitor, context, err);
        stoa_table_leave(table);
    }
    return stoa_at(err, status, "%s:%s", table->file, table->path);
}
