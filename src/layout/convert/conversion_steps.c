/*
 * The steps of a whole-file conversion: which tables become which (<stoa/layout.h>).
 *
 * A table with nested tables becomes several tables on request. In HEP001, an attribute of each
 * inner table names the table it was in, and a conversion back puts it there again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/registry.h"

/* Attribute of a table that was nested: the name of its outer table, in the same group.
 * Fixed-length UTF-8, like HEP001's own attributes. */
#define NESTED_IN "stoa_nested_in"

bool stoa_layout_converts(const char *layout, const stoa_object *object)
{
    const stoa_layout *const to = layout != NULL ? stoa_layout_find(layout) : NULL;
    const stoa_layout *const of = stoa_layout_find_listed(object->layout);
    const bool is_sum =
        of != NULL && of->sum_kind != NULL && strcmp(object->kind, of->sum_kind) == 0;
    const bool is_table =
        of == NULL || of->table_kind == NULL || strcmp(object->kind, of->table_kind) == 0;

    const bool takes_all = to != NULL && to->takes_all && (is_table || !of->gives_tables_alone);

    return !is_sum && (is_table || layout == NULL || takes_all);
}

/* --- from a layout with nested tables -------------------------------------------------------- */

/* Whether nested tables become tables of their own, in a layout without nesting. */
static bool is_split(const stoa_layout *layout, const stoa_layout_options *own)
{
    return stoa_layout_setting_of(own, STOA_LAYOUT_SPLIT) != NULL && layout->nesting == NULL;
}

/* Where a table of a whole file goes. A group that declares nothing may hold more than its table:
 * other tables, too. Then the table is put beside them. The caller frees *target; NULL: the table's
 * own path. */
static stoa_status find_target(hid_t file, const char *path, char **target, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t object = stoa_object_open(file, path);
    const stoa_layout_class *class = NULL;
    const stoa_layout_rest *rest = NULL;
    stoa_object shown = {.path = NULL};
    stoa_layout_found found = {.is_table = false};
    char name[32] = "table";
    bool is_own = false;

    *target = NULL;
    if (object < 0 || H5Iget_type(object) != H5I_GROUP) {
        goto done;
    }
    STOA_TRY(stoa_table_probe(object, &is_own, err));
    STOA_TRY(is_own ? STOA_OK : stoa_layout_find_class(object, &class, &shown, err));
    STOA_TRY(is_own || class != NULL ? STOA_OK : stoa_layout_find_rest(object, &rest, &found, err));
    for (unsigned i = 2; found.is_mixed && stoa_object_exists(object, name); i++) {
        (void)snprintf(name, sizeof name, "table%u", i);
    }
    if (found.is_mixed) {
        *target = stoa_format("%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
        STOA_TRY(*target != NULL ? STOA_OK : stoa_fail_memory(err));
    }

done:
    stoa_buffer_clear(&found.parts);
    return stoa_hdf_close(&object, status, NULL);
}

stoa_status stoa_layout_visit_steps(hid_t file, const char *path, const char *target,
                                    const stoa_layout_options *options,
                                    stoa_layout_step_visitor visitor, void *context,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    const stoa_layout *layout = NULL;
    char *beside = NULL;

    STOA_TRY(stoa_layout_options_resolve(options, &own, &layout, err));
    STOA_TRY(target == NULL ? find_target(file, path, &beside, err) : STOA_OK);
    if (target == NULL && beside == NULL && layout->nesting != NULL) {
        STOA_TRY(layout->nesting->list_nested(file, path, NESTED_IN, visitor, context, err));
        goto done;
    }
    const stoa_layout_step step = {path,
                                   target != NULL   ? target
                                   : beside != NULL ? beside
                                                    : path,
                                   NULL, NULL};
    if (!visitor(context, &step)) {
        goto done;
    }
    for (size_t i = 0; stoa_layouts[i] != NULL && status == STOA_OK; i++) {
        if (stoa_layouts[i]->nesting != NULL) {
            status = stoa_layouts[i]->nesting->list_inner(file, &step, is_split(layout, &own),
                                                          visitor, context, err);
        }
    }

done:
    free(beside);
    return stoa_layout_error_at(file, path, status, err);
}

/* Open a table, without its nested tables if they have steps of their own. */
static stoa_status open_one(hid_t from, const char *path, const stoa_layout *layout,
                            const stoa_layout_options *own, stoa_table **table, stoa_error *err)
{
    *table = NULL;
    for (size_t i = 0; is_split(layout, own) && stoa_layouts[i] != NULL && *table == NULL; i++) {
        if (stoa_layouts[i]->nesting != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->nesting->open_alone(from, path, table, err));
        }
    }
    return *table != NULL
               ? STOA_OK
               : (own->widen ? stoa_table_open_widened : stoa_table_open)(from, path, table, err);
}

/* --- a step ---------------------------------------------------------------------------------- */

static stoa_status check_rows(hid_t from, const stoa_layout_step *step, const stoa_layout *layout,
                              const stoa_layout_options *own, const stoa_table *table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *outer = NULL;

    if (step->outer == NULL) {
        return STOA_OK;
    }
    STOA_TRY(open_one(from, step->outer, layout, own, &outer, err));
    const uint64_t n = stoa_table_n_rows(table);
    const uint64_t n_outer = stoa_table_n_rows(outer);
    if (n != n_outer) {
        STOA_FAIL(err, STOA_EDATA, "has %llu rows, and '%s', which its rows belong to, %llu",
                  (unsigned long long)n, step->outer, (unsigned long long)n_outer);
    }

done:
    stoa_table_close(outer);
    return stoa_layout_error_at(from, step->path, status, err);
}

/* Record which table an inner table was in. */
static stoa_status settle(hid_t to, const stoa_layout_step *step, const stoa_layout *layout,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    const char *slash = step->inside != NULL ? strrchr(step->inside, '/') : NULL;

    if (step->inside != NULL && layout->nesting != NULL) {
        STOA_TRY(layout->nesting->nest(to, step, err));
    } else if (step->inside != NULL && layout->is_home) {
        STOA_HDF(err, group = H5Gopen2(to, step->target, H5P_DEFAULT), "open '%s'", step->target);
        STOA_TRY(stoa_attribute_write_utf8(group, NESTED_IN,
                                           slash != NULL ? slash + 1 : step->inside, err));
    }

done:
    status = stoa_hdf_close(&group, status, err);
    return stoa_layout_error_at(to, step->target, status, err);
}

stoa_status stoa_layout_convert_step(hid_t from, const stoa_layout_step *step, hid_t to,
                                     const stoa_layout_options *options, uint64_t *n_rows,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    const stoa_layout *layout = NULL;
    stoa_table *table = NULL;
    uint64_t n = 0;

    STOA_TRY(stoa_layout_options_resolve(options, &own, &layout, err));
    STOA_TRY(open_one(from, step->path, layout, &own, &table, err));
    STOA_TRY(check_rows(from, step, layout, &own, table, err));
    STOA_TRY(stoa_layout_prepare(table, layout, err));
    STOA_TRY(stoa_layout_write_table(table, to, step->target, &own, &n, err));
    STOA_TRY(settle(to, step, layout, err));

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_table_close(table);
    return status;
}
