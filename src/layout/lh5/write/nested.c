/* Nested LH5 tables, converted to columns with a dot in their names, or to tables of their own.
 * HEP001 does not nest tables (§7.6), so a table of its own lies beside its outer table. Its name
 * is the outer name, a dot and the inner name. Row n of one belongs to row n of the other. An
 * attribute records this, so that writing LH5 nests the tables again
 * (layout/convert/conversion_steps.c). */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"
#include "layout/lh5/read/lh5.h"
#include "layout/lh5/write/nested.h"
#include "layout/lh5/write/writer.h"

/* Limits of nesting depth, as in lh5.c, and of tables within one table. A table that contains
 * itself would have infinitely many. */
enum { MAX_TABLES = 1 << 14 };

/* --- from LH5 --------------------------------------------------------------------------------- */

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

/* Open the group at a path, if it is one, and parse its datatype. */
static stoa_status open_table(hid_t loc, const char *path, hid_t *group, stoa_lh5_datatype *type,
                              stoa_error *err)
{
    *group = stoa_object_open(loc, path);
    return *group >= 0 && H5Iget_type(*group) == H5I_GROUP
               ? stoa_lh5_type_if_valid(*group, type, NULL, err)
               : STOA_OK;
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

/* Visit the nested tables. Nesting that is too deep is an error. */
static stoa_status list_inner(telling *t, hid_t file, const stoa_layout_step *outer, unsigned depth,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(open_table(file, outer->path, &group, &type, err));
    if (depth > STOA_LH5_MAX_TABLE_DEPTH || t->n > MAX_TABLES) {
        STOA_FAIL(err, STOA_EDATA, "it has more than %d tables in each other, or %d in all",
                  STOA_LH5_MAX_TABLE_DEPTH, MAX_TABLES);
    }
    for (size_t i = 0; type.kind == STOA_LH5_TABLE && i < type.n_names && !t->is_stopped; i++) {
        STOA_TRY(list_field(t, file, outer, type.names[i], depth, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}

/* Check the number of columns of a table. Other objects pass. */
static stoa_status check_table(hid_t file, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t group = H5I_INVALID_HID;

    STOA_TRY(open_table(file, path, &group, &type, err));
    STOA_TRY(type.kind == STOA_LH5_TABLE ? stoa_lh5_check_columns(group, &type, err) : STOA_OK);

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_lh5_list_inner(hid_t file, const stoa_layout_step *step, bool is_split,
                                stoa_layout_step_visitor visitor, void *context, stoa_error *err)
{
    telling t = {visitor, context, 1, false};

    return is_split ? list_inner(&t, file, step, 0, err) : check_table(file, step->path, err);
}

/* Open an LH5 table without its nested tables, which have steps of their own. */
stoa_status stoa_lh5_open_split(hid_t from, const char *path, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t group = H5I_INVALID_HID;

    *table = NULL;
    STOA_TRY(open_table(from, path, &group, &type, err));
    if (type.kind == STOA_LH5_TABLE) {
        STOA_TRY(stoa_lh5_open_alone(from, path, table, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}

/* --- to LH5 ----------------------------------------------------------------------------------- */

/* Find the outer table of the table at `path` by its attribute, and the name within it. *outer is
 * NULL if there is none; the caller frees it with free(). *name points into `path`. */
static stoa_status outer_of(hid_t file, const char *path, const char *attribute, char **outer,
                            const char **name, stoa_error *err)
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
        STOA_TRY(stoa_attribute_read_optional(group, attribute, &note, err));
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

/* Compute the path of a table: inside its outer table, if it has one. The loop ends, because each
 * outer name is shorter. */
static stoa_status place_of(hid_t file, const char *path, const char *attribute, char **target,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *name = NULL;
    char *outer = NULL;
    char *behind = stoa_strdup("");
    char *at = stoa_strdup(path);

    *target = NULL;
    STOA_TRY(at != NULL && behind != NULL ? STOA_OK : stoa_fail_memory(err));
    for (;;) {
        STOA_TRY(outer_of(file, at, attribute, &outer, &name, err));
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

stoa_status stoa_lh5_list_nested(hid_t file, const char *path, const char *attribute,
                                 stoa_layout_step_visitor visitor, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *name = NULL;
    char *outer = NULL;
    char *target = NULL;
    char *inside = NULL;

    STOA_TRY(outer_of(file, path, attribute, &outer, &name, err));
    STOA_TRY(place_of(file, path, attribute, &target, err));
    if (outer != NULL) {
        STOA_TRY(place_of(file, outer, attribute, &inside, err));
    }
    (void)visitor(context, &(stoa_layout_step){path, target, outer, inside});

done:
    free(outer);
    free(target);
    free(inside);
    return status;
}

/* Add the nested table to the outer table's list of fields. */
stoa_status stoa_lh5_nest(hid_t to, const stoa_layout_step *step, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_datatype type = {0};
    hid_t group = H5I_INVALID_HID;
    const char *const name = strrchr(step->target, '/') + 1;

    STOA_HDF(err, group = H5Gopen2(to, step->inside, H5P_DEFAULT), "open '%s'", step->inside);
    STOA_TRY(stoa_lh5_type_of(group, &type, NULL, err));
    STOA_TRY(stoa_lh5_check_name(name, step->target, err));
    if (!stoa_lh5_datatype_has(&type, name)) {
        type.kind = STOA_LH5_TABLE;
        STOA_TRY(stoa_lh5_datatype_add(&type, name, err));
        STOA_TRY(stoa_lh5_say_datatype(group, &type, err));
    }

done:
    stoa_lh5_datatype_clear(&type);
    return stoa_hdf_close(&group, status, err);
}
