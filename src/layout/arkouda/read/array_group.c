#include "layout/arkouda/read/array_group.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/arkouda/read/column.h"
#include "layout/layout.h"

/* --- objects in pieces (§M) ------------------------------------------------------------------ */

static bool link_exists(hid_t group, const char *base, size_t n_base, const char *ending)
{
    char *name = stoa_format("%.*s%s", (int)n_base, base, ending);
    const bool exists = name != NULL && stoa_object_exists(group, name);

    free(name);
    return exists;
}

/* The length of a name without its ending; 0 if it ends otherwise. */
static size_t before(const char *name, const char *ending)
{
    const size_t n = strlen(name);
    const size_t n_ending = strlen(ending);

    return n > n_ending && strcmp(name + n - n_ending, ending) == 0 ? n - n_ending : 0;
}

static bool is_lists(hid_t group, const char *base, size_t n)
{
    return n > 0 && link_exists(group, base, n, "_" STOA_ARKOUDA_SEGMENTS) &&
           link_exists(group, base, n, "_" STOA_ARKOUDA_VALUES);
}

static bool is_codes(hid_t group, const char *base, size_t n)
{
    return n > 0 && link_exists(group, base, n, "." STOA_ARKOUDA_CATEGORIES) &&
           link_exists(group, base, n, "." STOA_ARKOUDA_CODES);
}

/* The length of the name of the object that a link is a piece of; 0 if none. One piece of each
 * object is its head. */
static size_t piece_of(hid_t group, const char *name, bool *is_head)
{
    static const char *const list_ends[] = {"_" STOA_ARKOUDA_SEGMENTS, "_" STOA_ARKOUDA_VALUES};
    static const char *const code_ends[] = {"." STOA_ARKOUDA_CATEGORIES, "." STOA_ARKOUDA_CODES,
                                            "._akNAcode", "." STOA_ARKOUDA_PERMUTATION,
                                            "." STOA_ARKOUDA_SEGMENTS};

    *is_head = false;
    for (size_t i = 0; i < sizeof list_ends / sizeof *list_ends; i++) {
        const size_t n = before(name, list_ends[i]);
        if (is_lists(group, name, n)) {
            *is_head = i == 0;
            return n;
        }
    }
    for (size_t i = 0; i < sizeof code_ends / sizeof *code_ends; i++) {
        const size_t n = before(name, code_ends[i]);
        if (is_codes(group, name, n)) {
            *is_head = i == 0;
            return n;
        }
    }
    return 0;
}

/* --- columns --------------------------------------------------------------------------------- */

typedef struct loose {
    stoa_table *table;
    stoa_arkouda_set *set;
    const char *directory; /* absolute; "" for the root */
    hid_t group;           /* the same directory in the first file */
    stoa_status status;    /* of a visit of links */
    stoa_error *err;
} loose;

static stoa_status open_pieces(const loose *l, const char *base, stoa_column **column,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    const char *const at = l->directory;
    char *segments = stoa_format("%s/%s_%s", at, base, STOA_ARKOUDA_SEGMENTS);
    char *values = stoa_format("%s/%s_%s", at, base, STOA_ARKOUDA_VALUES);
    stoa_arkouda_parts parts = {
        .codes = stoa_format("%s/%s.%s", at, base, STOA_ARKOUDA_CODES),
        .categories = stoa_format("%s/%s.%s", at, base, STOA_ARKOUDA_CATEGORIES),
        .na_codes = stoa_format("%s/%s._akNAcode", at, base),
    };

    STOA_TRY(segments != NULL && values != NULL && parts.codes != NULL &&
                     parts.categories != NULL && parts.na_codes != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    STOA_TRY(is_lists(l->group, base, strlen(base))
                 ? stoa_arkouda_column_of_lists(l->set, segments, values, true, base, column, err)
                 : stoa_arkouda_column_of_codes(l->set, &parts, base, column, err));

done:
    stoa_arkouda_parts_clear(&parts);
    free(segments);
    free(values);
    return status;
}

/* The single level of an index, which then stands for it (§I.1); NULL if there are more. */
static char *only_level(const loose *l, const char *path)
{
    char *level = stoa_format("%s/%s0", path, STOA_ARKOUDA_LEVEL);
    char *next = stoa_format("%s/%s1", path, STOA_ARKOUDA_LEVEL);

    if (level == NULL || next == NULL || !stoa_object_exists(l->group, level) ||
        stoa_object_exists(l->group, next)) {
        free(level);
        level = NULL;
    }
    free(next);
    return level;
}

/* Open an object as a column, or none if it is not Arkouda's. An object of several columns becomes
 * a struct if the user asked for it, and is left out otherwise. */
static stoa_status open_whole(const loose *l, const char *name, bool is_asked, stoa_column **column,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_arkouda_class sort = {.kind = STOA_ARKOUDA_UNKNOWN};
    char *path = stoa_format("%s/%s", l->directory, name);
    char *level = NULL;

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    hid_t object = stoa_object_open(l->group, path);
    const stoa_arkouda_class first = stoa_arkouda_class_of(object, true);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    if (!first.is_known) {
        goto done;
    }
    STOA_TRY(stoa_arkouda_class_in_set(l->set, path, true, &sort, err));
    if (!stoa_arkouda_is_column(&sort) && sort.kind == STOA_ARKOUDA_INDEX) {
        level = only_level(l, path);
    }
    if (level != NULL) {
        STOA_TRY(stoa_arkouda_class_in_set(l->set, level, true, &sort, err));
    }
    if (stoa_arkouda_is_column(&sort)) {
        STOA_TRY(stoa_arkouda_column_open(l->set, level != NULL ? level : path, &sort, name, column,
                                          err));
    } else if (is_asked) {
        STOA_TRY(stoa_arkouda_class_check(&sort, err));
        STOA_TRY(stoa_arkouda_struct_open(l->set, path, &sort, name, column, err));
    }

done:
    free(level);
    free(path);
    return status;
}

/* Open a column by name. *column is NULL for an object that cannot be one. */
static stoa_status open_one(const loose *l, const char *name, bool is_asked, stoa_column **column,
                            stoa_error *err)
{
    const size_t n = strlen(name);

    if (stoa_object_exists(l->group, name)) {
        return open_whole(l, name, is_asked, column, err);
    }
    return is_lists(l->group, name, n) || is_codes(l->group, name, n)
               ? open_pieces(l, name, column, err)
               : stoa_fail(err, STOA_ENOTFOUND, "there is no '%s'", name);
}

/* Add such a column. An object that cannot be one is an error if `is_asked`, and is left out
 * otherwise. */
static stoa_status put(const loose *l, const char *name, bool is_asked, stoa_column *column,
                       stoa_error *err)
{
    if (column == NULL && is_asked) {
        return stoa_fail(err, STOA_EINVAL,
                         "'%s' is no array, so that it is no column beside others", name);
    }
    return column != NULL ? stoa_arkouda_table_add(l->table, column, err) : STOA_OK;
}

static stoa_status add(const loose *l, const char *name, bool is_asked, stoa_error *err)
{
    stoa_column *column = NULL;

    STOA_RETURN_NOT_OK(open_one(l, name, is_asked, &column, err));
    return put(l, name, is_asked, column, err);
}

/* The same for all of a group: what cannot be opened does not stop the others. */
static stoa_status add_sound(const loose *l, const char *name, bool is_asked, stoa_error *err)
{
    stoa_column *column = NULL;
    stoa_error why = STOA_ERROR_INIT;
    const stoa_status status = open_one(l, name, is_asked, &column, &why);

    if (status == STOA_EDATA) {
        return stoa_foreign_add_damaged(l->table, name, &why, err);
    }
    if (status != STOA_OK) {
        if (err != NULL) {
            *err = why;
        }
        return status;
    }
    return put(l, name, is_asked, column, err);
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    loose *const l = context;
    bool is_head = false;

    if (info->type != H5L_TYPE_HARD || strcmp(name, STOA_ARKOUDA_METADATA) == 0) {
        return 0;
    }
    const size_t n = piece_of(group, name, &is_head);
    if (n == 0) {
        l->status = add_sound(l, name, false, l->err);
    } else if (is_head) {
        char *base = stoa_strndup(name, n);
        l->status = base != NULL ? add_sound(l, base, true, l->err) : stoa_fail_memory(l->err);
        free(base);
    }
    return l->status == STOA_OK ? 0 : 1;
}

static stoa_status add_all(loose *l, stoa_error *err)
{
    l->err = err;
    STOA_RETURN_NOT_OK(stoa_links_visit_as_made(l->group, see_link, l, err));
    STOA_RETURN_NOT_OK(l->status);
    if (l->table->n_columns == 0) {
        return stoa_fail(err, STOA_ELAYOUT, "holds no arrays that could be columns");
    }
    return STOA_OK;
}

static stoa_status add_named(const loose *l, const char *names, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *copy = stoa_strdup(names);
    char *next = NULL;

    STOA_TRY(copy != NULL ? STOA_OK : stoa_fail_memory(err));
    for (char *name = copy; name != NULL; name = next) {
        char *const comma = strchr(name, ',');
        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = '\0';
        }
        STOA_TRY(add(l, name, true, err));
    }

done:
    free(copy);
    return status;
}

/* --- paths ----------------------------------------------------------------------------------- */

/* Split "/run/a,b" into the group "/run" and "a,b". The caller frees both. */
static stoa_status split(const char *path, char **directory, char **names, stoa_error *err)
{
    const char *const slash = strrchr(path, '/');
    const size_t n = slash != NULL ? (size_t)(slash - path) : 0;

    *directory = slash == NULL ? stoa_strdup(".")
                 : n == 0      ? stoa_strdup("/")
                               : stoa_strndup(path, n);
    *names = stoa_strdup(slash != NULL ? slash + 1 : path);
    return *directory != NULL && *names != NULL ? STOA_OK : stoa_fail_memory(err);
}

/* Whether a path leads to the root of an Arkouda file. */
static bool is_root(hid_t loc, const char *path)
{
    hid_t object = stoa_object_open(loc, path);
    char *file = object >= 0 ? stoa_hdf_name(object, H5Fget_name) : NULL;
    const bool is =
        file != NULL && stoa_object_is_at(object, "/") && stoa_arkouda_is_file(object, file);

    free(file);
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return is;
}

/* Whether an object is a group but no HEP001 table, which would know more about its columns. */
static bool is_bare_group(hid_t group)
{
    stoa_error ignored = STOA_ERROR_INIT;
    bool is_table = true;

    return H5Iget_type(group) == H5I_GROUP &&
           stoa_table_probe(group, &is_table, &ignored) == STOA_OK && !is_table;
}

/* Whether a list of names is for this layout: the file is Arkouda's, or they are not all datasets,
 * which need no layout. */
static bool is_list_of_arrays(hid_t group, const char *names)
{
    const size_t length = strlen(names);
    char *file = stoa_hdf_name(group, H5Fget_name);
    char *copy = stoa_strdup(names);
    bool is = length > 0 && names[length - 1] != ']' && strchr(names, ',') != NULL &&
              file != NULL && copy != NULL;
    bool is_ours = is && stoa_arkouda_is_file(group, file);

    for (char *name = copy, *next = NULL; is && !is_ours && name != NULL; name = next) {
        char *const comma = strchr(name, ',');
        next = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = '\0';
        }
        hid_t object = stoa_object_open(group, name);
        is_ours = object < 0 || H5Iget_type(object) != H5I_DATASET;
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
    }
    free(copy);
    free(file);
    return is && is_ours;
}

bool stoa_arkouda_is_array_group(hid_t loc, const char *path)
{
    stoa_error ignored = STOA_ERROR_INIT;
    char *directory = NULL;
    char *names = NULL;
    hid_t group = H5I_INVALID_HID;
    bool is = false;

    if (stoa_object_exists(loc, path)) {
        return path[strspn(path, "/.")] == '\0' && is_root(loc, path);
    }
    if (split(path, &directory, &names, &ignored) == STOA_OK) {
        group = stoa_object_open(loc, directory);
        is = group >= 0 && is_bare_group(group) &&
             (is_list_of_arrays(group, names) || is_lists(group, names, strlen(names)) ||
              is_codes(group, names, strlen(names)));
    }
    (void)stoa_hdf_close(&group, STOA_OK, NULL);
    free(directory);
    free(names);
    return is;
}

static stoa_status fill(loose *l, const char *names, bool widens, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *own = stoa_hdf_name(l->group, H5Iget_name);
    char *file = stoa_hdf_name(l->group, H5Fget_name); /* links may lead to another file */

    STOA_TRY(own != NULL && file != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_set_open(l->group, file, &l->set, err));
    l->set->widens = widens;
    l->directory = strcmp(own, "/") == 0 ? "" : own;
    STOA_TRY(names != NULL ? add_named(l, names, err) : add_all(l, err));

done:
    stoa_arkouda_set_release(l->set);
    free(file);
    free(own);
    return status;
}

/* Open the named columns of a group, or all if `names` is NULL. Takes ownership of the group, also
 * on failure. */
static stoa_status open_columns(hid_t group, const char *path, const char *file, const char *names,
                                bool widens, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    loose l = {.group = group};

    *table = NULL;
    STOA_TRY(stoa_foreign_begin(group, path, file, "arkouda", 0, &l.table, err));
    STOA_TRY(fill(&l, names, widens, err));
    *table = l.table;
    l.table = NULL;

done:
    stoa_table_close(l.table);
    return status;
}

stoa_status stoa_arkouda_array_group_open(hid_t loc, const char *path, const char *file,
                                          bool widens, stoa_table **table, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;
    char *directory = NULL;
    char *names = NULL;

    *table = NULL;
    if (stoa_object_exists(loc, path)) {
        STOA_HDF(err, group = stoa_open_here(loc, path), "open the group");
    } else {
        STOA_TRY(split(path, &directory, &names, err));
        STOA_HDF(err, group = stoa_open_here(loc, directory), "open the group");
    }
    STOA_TRY(open_columns(group, path, file, names, widens, table, err));

done:
    free(directory);
    free(names);
    return status;
}

/* --- the root, as ls shows it ---------------------------------------------------------------- */

static stoa_status look(hid_t object, H5I_type_t type, bool *is_one, stoa_object *shown,
                        stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_table *table = NULL;
    char *file = NULL;

    *is_one = false;
    if (type != H5I_GROUP || !is_root(object, ".")) {
        return STOA_OK;
    }
    file = stoa_hdf_name(object, H5Fget_name);
    STOA_TRY(file != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Iinc_ref(object), "hold the root");
    if (open_columns(object, "/", file, NULL, true, &table, &ignored) == STOA_OK &&
        table->n_columns > 1) {
        *is_one = true;
        shown->layout = "arkouda";
        shown->kind = "columns";
        shown->n_rows = table->n_rows;
        shown->n_columns = table->n_columns;
        shown->n_bytes = 0; /* of the arrays, which are listed separately */
    }

done:
    stoa_table_close(table);
    free(file);
    return status;
}

static stoa_status open_root(hid_t object, const char *path, const char *file, stoa_table **table,
                             stoa_error *err)
{
    return open_columns(object, path, file, NULL, false, table, err);
}

static stoa_status open_widened(hid_t object, const char *path, const char *file,
                                stoa_table **table, stoa_error *err)
{
    return open_columns(object, path, file, NULL, true, table, err);
}

const stoa_layout_class stoa_arkouda_root = {look, open_root, true, open_widened, true};
