/*
 * Which tables become which when all of a file is converted (<stoa/layout.h>).
 *
 * Tables in an LH5 table are columns of it, with a dot in their names, or tables of their own. As
 * no table lies in another one (HEP001 §7.6), these lie beside it, called as it is with a dot and
 * their name behind; row n of one belongs to row n of the other. An attribute says so, and brings
 * them back into it when LH5 is written.
 */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/attributes.h"
#include "layout/layout.h"
#include "layout/lh5/lh5.h"
#include "layout/lh5/notes.h"
#include "layout/lh5/writer.h"
#include "layout/writer.h"

/* Of a table that was in another: the name of that, which lies beside it. Fixed-length UTF-8, as
 * HEP001's own. */
#define NESTED_IN "stoa_nested_in"

/* Tables in each other; deeper ones are not opened (lh5.c). And of one table, in all: a table that
 * lies in itself has any number. */
enum { DEEPEST = 64, MOST_TABLES = 1 << 14 };

bool stoa_layout_takes(const char *layout, const stoa_object *object)
{
    const bool holds_all = strcmp(layout, "lh5") == 0 || strcmp(layout, STOA_LAYOUT_ARKOUDA) == 0;
    const bool is_lh5 = strcmp(object->layout, "lh5") == 0;

    return strcmp(object->kind, "columns") != 0 &&
           (holds_all || !is_lh5 || strcmp(object->kind, "table") == 0);
}

/* --- out of LH5 ------------------------------------------------------------------------------ */

typedef struct telling {
    stoa_layout_step_visitor visitor;
    void *context;
    unsigned n;
    bool is_stopped;
} telling;

static void tell(telling *t, const stoa_layout_step *step)
{
    t->n++;
    t->is_stopped = t->is_stopped || !t->visitor(t->context, step);
}

/* The table in a group, if it is one. */
static stoa_status open_table(hid_t loc, const char *path, hid_t *group, stoa_lh5_datatype *type,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *text = NULL;

    *group = stoa_object_open(loc, path);
    if (*group >= 0 && H5Iget_type(*group) == H5I_GROUP) {
        status = stoa_lh5_type_of(*group, type, &text, NULL);
        STOA_TRY(status != STOA_ENOMEM ? STOA_OK : stoa_fail_memory(err));
    }

done:
    free(text);
    return status;
}

static stoa_status list_inner(telling *t, hid_t file, const stoa_layout_step *outer, unsigned depth,
                              stoa_error *err);

static stoa_status list_field(telling *t, hid_t file, const stoa_layout_step *outer,
                              const char *name, unsigned depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t member = H5I_INVALID_HID;
    char *path = stoa_format("%s/%s", outer->path, name);
    char *target = stoa_format("%s.%s", outer->target, name);

    STOA_TRY(path != NULL && target != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(open_table(file, path, &member, &type, err));
    if (type.kind == STOA_LH5_TABLE) {
        const stoa_layout_step step = {path, target, outer->path, outer->target};
        tell(t, &step);
        STOA_TRY(list_inner(t, file, &step, depth + 1, err));
    }

done:
    free(path);
    free(target);
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&member, status, err);
}

/* Where they lie in each other too deep, opening them says so. */
static stoa_status list_inner(telling *t, hid_t file, const stoa_layout_step *outer, unsigned depth,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(open_table(file, outer->path, &group, &type, err));
    if (depth > DEEPEST || t->n > MOST_TABLES) {
        STOA_FAIL(err, STOA_EDATA, "it has more than %d tables in each other, or %d in all",
                  DEEPEST, MOST_TABLES);
    }
    for (size_t i = 0; type.kind == STOA_LH5_TABLE && i < type.n_names && !t->is_stopped; i++) {
        STOA_TRY(list_field(t, file, outer, type.names[i], depth, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}

/* --- back into it ---------------------------------------------------------------------------- */

/* The table beside the one at `path` that it was in, and the name that it had there; NULL: none.
 * Both are the caller's, `name` in one block with `outer`. */
static stoa_status outer_of(hid_t file, const char *path, char **outer, const char **name,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const slash = strrchr(path, '/');
    const char *const leaf = slash != NULL ? slash + 1 : path;
    hid_t group = stoa_object_open(file, path);
    hid_t other = H5I_INVALID_HID;
    char *note = NULL;
    bool is_table = false;

    *outer = NULL;
    if (group >= 0) {
        STOA_TRY(stoa_attribute_read_note(group, NESTED_IN, &note, err));
    }
    const size_t length = note != NULL ? strlen(note) : 0;
    if (length == 0 || strncmp(leaf, note, length) != 0 || leaf[length] != '.' ||
        leaf[length + 1] == '\0') {
        goto done;
    }
    *name = leaf + length + 1;
    *outer = stoa_format("%.*s%s", (int)(leaf - path), path, note);
    STOA_TRY(*outer != NULL ? STOA_OK : stoa_fail_memory(err));
    other = stoa_object_open(file, *outer);
    STOA_TRY(other >= 0 ? stoa_table_probe(other, &is_table, err) : STOA_OK);
    if (!is_table) {
        free(*outer);
        *outer = NULL;
    }

done:
    free(note);
    status = stoa_hdf_close(&other, status, err);
    return stoa_hdf_close(&group, status, err);
}

/* Where a table goes: into the place of the one that it was in. The names become shorter on the
 * way, which ends therefore. */
static stoa_status place_of(hid_t file, const char *path, char **target, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *name = NULL;
    char *outer = NULL;
    char *behind = stoa_strdup("");
    char *at = stoa_strdup(path);

    *target = NULL;
    STOA_TRY(at != NULL && behind != NULL ? STOA_OK : stoa_fail_memory(err));
    for (;;) {
        STOA_TRY(outer_of(file, at, &outer, &name, err));
        if (outer == NULL) {
            break;
        }
        char *const longer = stoa_format("/%s%s", name, behind);
        STOA_TRY(longer != NULL ? STOA_OK : stoa_fail_memory(err));
        free(behind);
        behind = longer;
        free(at);
        at = outer;
        outer = NULL;
    }
    *target = stoa_format("%s%s", at, behind);
    STOA_TRY(*target != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    free(outer);
    free(behind);
    free(at);
    return status;
}

static stoa_status list_nested(telling *t, hid_t file, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *name = NULL;
    char *outer = NULL;
    char *target = NULL;
    char *inside = NULL;

    STOA_TRY(outer_of(file, path, &outer, &name, err));
    STOA_TRY(place_of(file, path, &target, err));
    if (outer != NULL) {
        STOA_TRY(place_of(file, outer, &inside, err));
    }
    tell(t, &(stoa_layout_step){path, target, outer, inside});

done:
    free(outer);
    free(target);
    free(inside);
    return status;
}

/* A table lists the one that was put into it. */
static stoa_status nest(hid_t to, const stoa_layout_step *step, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    stoa_lh5_datatype more = {.kind = STOA_LH5_TABLE};
    hid_t group = H5I_INVALID_HID;
    const char *const name = strrchr(step->target, '/') + 1;
    char *text = NULL;

    STOA_HDF(err, group = H5Gopen2(to, step->inside, H5P_DEFAULT), "open '%s'", step->inside);
    STOA_TRY(stoa_lh5_type_of(group, &type, &text, err));
    STOA_TRY(stoa_lh5_check_name(name, step->target, err));
    if (stoa_lh5_datatype_has(&type, name)) {
        goto done;
    }
    free(text);
    text = NULL;
    more.names = stoa_alloc(type.n_names + 1, sizeof *more.names);
    STOA_TRY(more.names != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < type.n_names; i++) {
        more.names[more.n_names++] = type.names[i];
    }
    more.names[more.n_names++] = (char *)(uintptr_t)name; /* borrowed */
    STOA_TRY(stoa_lh5_datatype_compose(&more, &text, err));
    STOA_TRY(stoa_lh5_say(group, "datatype", text, err));

done:
    free(more.names);
    free(text);
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}

/* --- a step ---------------------------------------------------------------------------------- */

static bool is_to(const stoa_layout_options *options, const char *layout)
{
    return strcmp(options->layout, layout) == 0;
}

/* Whether tables in LH5 tables become tables of their own. */
static bool is_split(const stoa_layout_options *own)
{
    return own->no_flatten && !is_to(own, "lh5");
}

stoa_status stoa_layout_visit_steps(hid_t file, const char *path, const char *target,
                                    const stoa_layout_options *options,
                                    stoa_layout_step_visitor visitor, void *context,
                                    stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    telling t = {visitor, context, 0, false};

    STOA_RETURN_NOT_OK(stoa_layout_options_take(options, &own, err));
    if (target == NULL && is_to(&own, "lh5")) {
        STOA_RETURN_NOT_OK(list_nested(&t, file, path, err));
        return status;
    }
    const stoa_layout_step step = {path, target != NULL ? target : path, NULL, NULL};
    tell(&t, &step);
    status = is_split(&own) ? list_inner(&t, file, &step, 0, err)
                            : stoa_lh5_check_table(file, path, err);
    return stoa_layout_say_where(file, path, status, err);
}

/* An LH5 table, whose tables are left to steps of their own; or any other. */
static stoa_status open_one(hid_t from, const char *path, const stoa_layout_options *own,
                            stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t group = H5I_INVALID_HID;

    *table = NULL;
    if (is_split(own)) {
        STOA_TRY(open_table(from, path, &group, &type, err));
    }
    if (type.kind == STOA_LH5_TABLE) {
        STOA_TRY(stoa_lh5_open_alone(from, path, table, err));
    } else {
        STOA_TRY((own->widen ? stoa_table_open_widened : stoa_table_open)(from, path, table, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}

static stoa_status check_rows(hid_t from, const stoa_layout_step *step,
                              const stoa_layout_options *own, const stoa_table *table,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_table *outer = NULL;

    if (step->outer == NULL) {
        return STOA_OK;
    }
    STOA_TRY(open_one(from, step->outer, own, &outer, err));
    const uint64_t n = stoa_table_n_rows(table);
    const uint64_t n_outer = stoa_table_n_rows(outer);
    if (n != n_outer) {
        STOA_FAIL(err, STOA_EDATA,
                  "has %llu rows, and '%s', which its rows belong to, %llu (LH5, table)",
                  (unsigned long long)n, step->outer, (unsigned long long)n_outer);
    }

done:
    stoa_table_close(outer);
    return stoa_layout_say_where(from, step->path, status, err);
}

/* What is to be known of a table that was in another. */
static stoa_status settle(hid_t to, const stoa_layout_step *step, const stoa_layout_options *own,
                          stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    const char *slash = step->inside != NULL ? strrchr(step->inside, '/') : NULL;

    if (step->inside != NULL && is_to(own, "lh5")) {
        STOA_TRY(nest(to, step, err));
    } else if (step->inside != NULL && is_to(own, "hep001")) {
        STOA_HDF(err, group = H5Gopen2(to, step->target, H5P_DEFAULT), "open '%s'", step->target);
        STOA_TRY(stoa_attribute_write_utf8(group, NESTED_IN,
                                           slash != NULL ? slash + 1 : step->inside, err));
    }

done:
    status = stoa_hdf_close(&group, status, err);
    return stoa_layout_say_where(to, step->target, status, err);
}

stoa_status stoa_layout_convert_step(hid_t from, const stoa_layout_step *step, hid_t to,
                                     const stoa_layout_options *options, uint64_t *n_rows,
                                     stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_layout_options own;
    stoa_table *table = NULL;
    uint64_t n = 0;

    STOA_TRY(stoa_layout_options_take(options, &own, err));
    STOA_TRY(open_one(from, step->path, &own, &table, err));
    STOA_TRY(check_rows(from, step, &own, table, err));
    if (is_to(&own, "hep001") && table->layout != NULL && strcmp(table->layout, "lh5") == 0) {
        STOA_TRY(stoa_lh5_rename_reserved(table, err));
    }
    STOA_TRY(stoa_layout_write_table(table, to, step->target, &own, &n, err));
    STOA_TRY(settle(to, step, &own, err));

done:
    if (n_rows != NULL) {
        *n_rows = n;
    }
    stoa_table_close(table);
    return status;
}
