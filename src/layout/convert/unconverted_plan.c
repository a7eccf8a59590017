/* The walk that finds what no table holds (unconverted_objects.h). It has its own stack. */
#include "layout/convert/unconverted_objects.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/metadata/attributes.h"
#include "hdf/metadata/links.h"

/* Nested tables are searched to this depth; deeper ones are not opened. */
enum { MAX_DEPTH = 64 };

/* A group that is still to be visited. */
typedef struct waiting {
    char *path;
    H5O_token_t token;
} waiting;

typedef struct walker {
    stoa_unconverted_plan *plan;
    hid_t root;
    stoa_string_set seen;  /* tokens */
    stoa_string_set parts; /* tokens: of matrices, which are reported as a whole */
    stoa_buffer stack;     /* of waiting */
    const char *path;      /* of the group whose links are visited */
    const stoa_layout *of; /* layout of the table at `path`, if it lists its columns */
    const stoa_layout_names *listed;
    unsigned depth; /* of nested tables */
    stoa_error *err;
    stoa_status status;
} walker;

static char *join(const char *path, const char *name)
{
    return stoa_format("%s%s%s", path, strcmp(path, "/") == 0 ? "" : "/", name);
}

/* --- items ----------------------------------------------------------------------------------- */

/* Takes ownership of `datatype` and `attributes`. A NULL `datatype` means that memory ran out. */
static stoa_status add_item(stoa_unconverted_plan *plan, const char *path, const char *kind,
                            char *datatype, char *attributes, const char *why, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *own = stoa_strdup(path);
    const stoa_unconverted_item item = {
        {own, kind, datatype, attributes, why}, own, datatype, attributes, NULL};

    STOA_TRY(own != NULL && datatype != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_append(&plan->items, &item, sizeof item, err));
    return STOA_OK;

done:
    free(own);
    free(datatype);
    free(attributes);
    return status;
}

/* Add another name of a table. */
static stoa_status add_name(stoa_unconverted_plan *plan, const char *path, const char *table,
                            stoa_error *err)
{
    STOA_RETURN_NOT_OK(
        add_item(plan, path, "hard link", stoa_format("-> %s", table), NULL, NULL, err));
    stoa_unconverted_item *const items = (stoa_unconverted_item *)(void *)plan->items.data;
    items[plan->items.size / sizeof *items - 1].table = table;
    return STOA_OK;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const stoa_unconverted_item *)a)->path,
                  ((const stoa_unconverted_item *)b)->path);
}

void stoa_unconverted_plan_clear(stoa_unconverted_plan *plan)
{
    const stoa_unconverted_item *const items =
        (const stoa_unconverted_item *)(const void *)plan->items.data;

    for (size_t i = 0; i < plan->items.size / sizeof *items; i++) {
        free(items[i].path);
        free(items[i].datatype);
        free(items[i].attributes);
    }
    stoa_buffer_clear(&plan->items);
    stoa_buffer_clear(&plan->numbers);
    stoa_string_set_clear(&plan->converted);
    stoa_string_set_clear(&plan->left);
}

bool stoa_unconverted_plan_leaves(const void *plan, const H5O_token_t *token)
{
    const stoa_unconverted_plan *const p = plan;
    uint32_t unused = 0;

    return stoa_string_set_find(&p->left, token, sizeof *token, &unused);
}

/* --- tables ---------------------------------------------------------------------------------- */

/* The number of a converted table, by its token. */
static bool find_table(const stoa_unconverted_plan *plan, const H5O_token_t *token, size_t *number)
{
    uint32_t at = 0;

    if (!stoa_string_set_find(&plan->converted, token, sizeof *token, &at)) {
        return false;
    }
    memcpy(number, plan->numbers.data + at * sizeof *number, sizeof *number);
    return true;
}

/* Note the datasets of a table whose group declares nothing, and holds other objects. Such a group
 * is a group like others, and what else lies in it is found. */
static stoa_status note_parts(stoa_unconverted_plan *plan, hid_t table, bool *has_parts,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout_class *class = NULL;
    const stoa_layout_rest *rest = NULL;
    stoa_object shown = {.path = NULL};
    stoa_layout_found found = {.is_table = false};
    H5O_info2_t info;
    uint32_t number = 0;
    bool is_own = false;

    *has_parts = false;
    if (H5Iget_type(table) != H5I_GROUP) {
        return STOA_OK;
    }
    STOA_TRY(stoa_table_probe(table, &is_own, err));
    STOA_TRY(is_own ? STOA_OK : stoa_layout_find_class(table, &class, &shown, err));
    if (is_own || class != NULL) {
        goto done;
    }
    STOA_TRY(stoa_layout_find_rest(table, &rest, &found, err));
    *has_parts = found.is_mixed;
    const char *const paths = (const char *)found.parts.data;
    for (size_t at = 0; *has_parts && at < found.parts.size; at += strlen(paths + at) + 1) {
        STOA_HDF(err, stoa_info_here(table, paths + at, &info), "look at '%s'", paths + at);
        STOA_TRY(stoa_string_set_add(&plan->left, &info.token, sizeof info.token, &number, err));
    }

done:
    stoa_buffer_clear(&found.parts);
    return status;
}

/* Tables of other files, behind external links, are not objects of this one. */
static stoa_status note_tables(walker *w, stoa_error *err)
{
    stoa_unconverted_plan *const plan = w->plan;
    H5O_info2_t root;
    H5O_info2_t info;
    uint32_t number = 0;

    STOA_RETURN_HDF_ERROR(err, H5Oget_info3(w->root, &root, H5O_INFO_BASIC), "look at '/'");
    for (size_t i = 0; i < plan->n_tables; i++) {
        hid_t table = stoa_object_open(w->root, plan->tables[i]);
        const bool is_here = table >= 0 && H5Oget_info3(table, &info, H5O_INFO_BASIC) >= 0 &&
                             info.fileno == root.fileno;
        const uint32_t n = plan->converted.count;
        bool has_parts = false;
        const stoa_status status = is_here ? note_parts(plan, table, &has_parts, err) : STOA_OK;
        (void)stoa_hdf_close(&table, STOA_OK, NULL);
        STOA_RETURN_NOT_OK(status);
        if (!is_here || has_parts) {
            continue;
        }
        STOA_RETURN_NOT_OK(
            stoa_string_set_add(&plan->converted, &info.token, sizeof info.token, &number, err));
        STOA_RETURN_NOT_OK(number == n ? stoa_buffer_append(&plan->numbers, &i, sizeof i, err)
                                       : STOA_OK);
        STOA_RETURN_NOT_OK(
            stoa_string_set_add(&plan->left, &info.token, sizeof info.token, &number, err));
    }
    return STOA_OK;
}

/* Whether a link leads to a table or to a group above one. */
static bool is_way_to_table(const stoa_unconverted_plan *plan, const char *path)
{
    const size_t length = strlen(path);

    for (size_t i = 0; i < plan->n_tables; i++) {
        const char *const table = plan->tables[i];
        if (strncmp(table, path, length) == 0 && (table[length] == '\0' || table[length] == '/')) {
            return true;
        }
    }
    return false;
}

static stoa_status visit_table(walker *w, hid_t object, const char *path, stoa_error *err);

/* The layout that lists the columns of this object as a table; *of is NULL if there is none. */
static stoa_status list_columns(hid_t object, const stoa_layout **of, stoa_layout_names *names,
                                stoa_error *err)
{
    bool is_one = false;

    *of = NULL;
    for (size_t i = 0; stoa_layouts[i] != NULL && !is_one; i++) {
        if (stoa_layouts[i]->members != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->members->list(object, &is_one, names, err));
        }
        *of = is_one ? stoa_layouts[i] : NULL;
    }
    return STOA_OK;
}

/* The type that an object declares, in the words of its layout; NULL if none. The caller frees
 * it. */
static stoa_status read_said(hid_t object, char **said, stoa_error *err)
{
    *said = NULL;
    for (size_t i = 0; stoa_layouts[i] != NULL && *said == NULL; i++) {
        if (stoa_layouts[i]->members != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->members->read(object, said, err));
        }
    }
    return STOA_OK;
}

/* A table inside a table. Its columns belong to the outer table, or it is converted as well. It is
 * visited once, however many tables contain it. */
static stoa_status see_inner(walker *w, hid_t object, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t info;
    const uint32_t n_before = w->seen.count;
    uint32_t seen = 0;
    size_t number = 0;
    char *text = NULL;
    char *attributes = NULL;

    STOA_HDF(err, H5Oget_info3(object, &info, H5O_INFO_BASIC), "look at '%s'", path);
    STOA_TRY(stoa_string_set_add(&w->seen, &info.token, sizeof info.token, &seen, err));
    if (seen < n_before) {
        goto done;
    }
    if (!find_table(w->plan, &info.token, &number)) {
        STOA_TRY(stoa_unconverted_name_attributes(object, w->of, &attributes, err));
    }
    if (attributes != NULL) {
        STOA_TRY(read_said(object, &text, err));
        char *const said = text;
        char *const names = attributes;
        text = attributes = NULL;
        STOA_TRY(add_item(w->plan, path, "table", said, names,
                          "its columns have become another table's", err));
    }
    STOA_TRY(visit_table(w, object, path, err));

done:
    free(text);
    free(attributes);
    return status;
}

/* A member that the table does not list. */
static stoa_status see_stranger(walker *w, hid_t member, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *said = NULL;
    char *words = NULL;

    STOA_TRY(read_said(member, &said, err));
    STOA_TRY(stoa_unconverted_describe(member, said, &words, err));
    status = add_item(w->plan, path, H5Iget_type(member) == H5I_GROUP ? "group" : "dataset", words,
                      NULL, "it lies in a table that does not list it", err);

done:
    free(said);
    return status;
}

static bool is_listed(const stoa_layout_names *names, const char *name)
{
    bool is = false;

    for (size_t i = 0; i < names->n && !is; i++) {
        is = strcmp(names->at[i], name) == 0;
    }
    return is;
}

/* A dangling link is not reported, since the members that the table lists must exist. */
static stoa_status see_member(walker *w, hid_t group, const char *name, const char *path,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_layout *of = NULL;
    stoa_layout_names names = {.at = NULL};
    hid_t member = stoa_object_open(group, name);

    if (member < 0) {
        return STOA_OK;
    }
    if (!is_listed(w->listed, name)) {
        STOA_TRY(see_stranger(w, member, path, err));
        goto done;
    }
    STOA_TRY(list_columns(member, &of, &names, err));
    if (of != NULL && H5Iget_type(member) == H5I_GROUP) {
        STOA_TRY(see_inner(w, member, path, err));
    }

done:
    stoa_layout_names_clear(&names);
    return stoa_hdf_close(&member, status, err);
}

static herr_t see_member_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    walker *const w = context;
    char *const path = join(w->path, name);

    (void)info;
    w->status = path != NULL ? see_member(w, group, name, path, w->err) : stoa_fail_memory(w->err);
    free(path);
    return w->status == STOA_OK ? 0 : -1;
}

/* Find what a table does not list. If its layout lists no columns, everything in its group belongs
 * to it. */
static stoa_status visit_table(walker *w, hid_t object, const char *path, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const walker before = *w;
    const stoa_layout *of = NULL;
    stoa_layout_names names = {.at = NULL};

    if (H5Iget_type(object) != H5I_GROUP || w->depth > MAX_DEPTH) {
        return STOA_OK;
    }
    STOA_TRY(list_columns(object, &of, &names, err));
    if (of != NULL) {
        w->path = path;
        w->of = of;
        w->listed = &names;
        w->depth++;
        status = stoa_links_visit(object, see_member_link, w, err);
        STOA_TRY(w->status != STOA_OK ? w->status : status);
    }

done:
    w->path = before.path;
    w->of = before.of;
    w->listed = before.listed;
    w->depth = before.depth;
    stoa_layout_names_clear(&names);
    return status;
}

/* --- groups and datasets --------------------------------------------------------------------- */

static stoa_status push(walker *w, const char *path, const H5O_token_t *token, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const waiting group = {stoa_strdup(path), *token};

    STOA_TRY(group.path != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_append(&w->stack, &group, sizeof group, err));
    return STOA_OK;

done:
    free(group.path);
    return status;
}

/* The layout that has a word for a group of other objects; *of is NULL if there is none. */
static stoa_status name_group(hid_t group, const stoa_layout **of, const char **kind,
                              stoa_error *err)
{
    *of = NULL;
    *kind = NULL;
    for (size_t i = 0; stoa_layouts[i] != NULL && *kind == NULL; i++) {
        if (stoa_layouts[i]->members != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->members->name_group(group, kind, err));
        }
        *of = *kind != NULL ? stoa_layouts[i] : NULL;
    }
    return STOA_OK;
}

/* A group of other objects is reported only for its own attributes. */
static stoa_status see_group(walker *w, hid_t group, const char *path, const H5O_info2_t *info,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5G_info_t about = {.nlinks = 0};
    const stoa_layout *of = NULL;
    const char *kind = NULL;
    char *text = NULL;
    char *words = NULL;
    char *attributes = NULL;

    STOA_HDF(err, H5Gget_info(group, &about), "look into '%s'", path);
    STOA_TRY(name_group(group, &of, &kind, err));
    STOA_TRY(stoa_unconverted_name_attributes(group, of, &attributes, err));
    if (attributes != NULL || (about.nlinks == 0 && strcmp(path, "/") != 0)) {
        STOA_TRY(of != NULL ? of->members->read(group, &text, err) : STOA_OK);
        STOA_TRY(stoa_unconverted_describe(group, text, &words, err));
        char *const names = attributes;
        attributes = NULL;
        STOA_TRY(add_item(w->plan, path, kind != NULL ? kind : "group", words, names, NULL, err));
    }
    STOA_TRY(push(w, path, &info->token, err));

done:
    free(attributes);
    free(text);
    return status;
}

/* A matrix that is a group. Others than its parts may lie in it. */
static stoa_status see_matrix(walker *w, hid_t group, const char *path, const H5O_info2_t *info,
                              const stoa_array_object *shown, stoa_error *err)
{
    const char *const *const parts = stoa_layout_parts_of_array(group);
    stoa_buffer words = {0};
    stoa_status status = STOA_OK;
    uint32_t unused = 0;
    H5O_info2_t part;

    STOA_TRY(stoa_buffer_print(&words, err, "%s %s", shown->layout, shown->kind));
    for (unsigned i = 0; i < shown->rank; i++) {
        STOA_TRY(stoa_buffer_print(&words, err, "%s%llu", i == 0 ? " · " : " x ",
                                   (unsigned long long)shown->extent[i]));
    }
    STOA_TRY(add_item(w->plan, path, "matrix", stoa_buffer_detach(&words), NULL, NULL, err));
    for (size_t i = 0; parts != NULL && parts[i] != NULL; i++) {
        if (stoa_object_exists(group, parts[i]) && stoa_info_here(group, parts[i], &part) >= 0) {
            STOA_TRY(stoa_string_set_add(&w->parts, &part.token, sizeof part.token, &unused, err));
        }
    }
    STOA_TRY(parts != NULL ? push(w, path, &info->token, err) : STOA_OK);

done:
    stoa_buffer_clear(&words);
    return status;
}

static stoa_status see_new(walker *w, hid_t object, const char *path, const H5O_info2_t *info,
                           stoa_error *err)
{
    stoa_status status = STOA_OK;
    const H5I_type_t type = H5Iget_type(object);
    const stoa_layout_class *class = NULL;
    stoa_object shown = {.path = path};
    stoa_array_object array = {.path = path};
    char *said = NULL;
    char *words = NULL;

    if (type == H5I_GROUP && stoa_layout_is_array(object, &array)) {
        return see_matrix(w, object, path, info, &array, err);
    }
    STOA_TRY(stoa_layout_find_class(object, &class, &shown, err));
    if (type == H5I_GROUP && (class == NULL || class->is_open)) {
        return see_group(w, object, path, info, err);
    }
    STOA_TRY(read_said(object, &said, err));
    STOA_TRY(stoa_unconverted_describe(object, said, &words, err));
    status = add_item(w->plan, path,
                      class != NULL          ? shown.kind
                      : type == H5I_DATATYPE ? "datatype"
                                             : "dataset",
                      words, NULL, NULL, err);

done:
    free(said);
    return status;
}

/* Visit the target of a hard link. */
static stoa_status see_object(walker *w, hid_t group, const char *name, const char *path,
                              const H5O_info2_t *info, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const uint32_t n = w->seen.count;
    uint32_t number = 0;
    size_t table = 0;
    hid_t object = H5I_INVALID_HID;
    const bool is_table = find_table(w->plan, &info->token, &table);

    if (stoa_layout_is_hidden(path)) {
        return stoa_string_set_add(&w->plan->left, &info->token, sizeof info->token, &number, err);
    }
    if (!is_table && stoa_unconverted_plan_leaves(w->plan, &info->token)) {
        return STOA_OK; /* a part of a table */
    }
    if (stoa_string_set_find(&w->parts, &info->token, sizeof info->token, &number)) {
        return STOA_OK;
    }
    if (is_table && strcmp(w->plan->tables[table], path) != 0) {
        return add_name(w->plan, path, w->plan->tables[table], err);
    }
    STOA_TRY(stoa_string_set_add(&w->seen, &info->token, sizeof info->token, &number, err));
    if (number < n) {
        return add_item(w->plan, path, "hard link", stoa_strdup("to an object with another name"),
                        NULL, NULL, err);
    }
    STOA_HDF(err, object = stoa_open_here(group, name), "open '%s'", path);
    STOA_TRY(is_table ? visit_table(w, object, path, err) : see_new(w, object, path, info, err));

done:
    return stoa_hdf_close(&object, status, err);
}

/* --- links ----------------------------------------------------------------------------------- */

static stoa_status see(walker *w, hid_t group, const char *name, const H5L_info2_t *info,
                       stoa_error *err)
{
    stoa_status status = STOA_OK;
    H5O_info2_t target;
    char *path = join(w->path, name);

    STOA_TRY(path != NULL ? STOA_OK : stoa_fail_memory(err));
    if (info->type != H5L_TYPE_HARD) {
        if (!is_way_to_table(w->plan, path)) {
            STOA_TRY(add_item(w->plan, path,
                              info->type == H5L_TYPE_SOFT       ? "soft link"
                              : info->type == H5L_TYPE_EXTERNAL ? "external link"
                                                                : "link",
                              stoa_unconverted_target(group, name, info), NULL, NULL, err));
        }
    } else {
        const stoa_error_stack errors = stoa_error_stack_begin();
        const bool is_whole = stoa_info_here(group, name, &target) >= 0;
        stoa_error_stack_discard(&errors);
        if (!is_whole) { /* a listing names it and says why */
            goto done;
        }
        STOA_TRY(see_object(w, group, name, path, &target, err));
    }

done:
    free(path);
    return status;
}

static herr_t see_link(hid_t group, const char *name, const H5L_info2_t *info, void *context)
{
    walker *const w = context;

    w->status = see(w, group, name, info, w->err);
    return w->status == STOA_OK ? 0 : -1;
}

static bool pop(walker *w, waiting *group)
{
    if (w->stack.size == 0) {
        return false;
    }
    w->stack.size -= sizeof *group;
    memcpy(group, w->stack.data + w->stack.size, sizeof *group);
    return true;
}

static stoa_status visit_object(walker *w, const waiting *place, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = H5I_INVALID_HID;

    STOA_HDF(err, group = H5Oopen_by_token(w->root, place->token), "open '%s'", place->path);
    w->path = place->path;
    status = stoa_links_visit(group, see_link, w, err);
    STOA_TRY(w->status != STOA_OK ? w->status : status);

done:
    return stoa_hdf_close(&group, status, err);
}

stoa_status stoa_unconverted_plan_make(stoa_unconverted_plan *plan, hid_t root, stoa_error *err)
{
    stoa_status status = STOA_OK;
    walker w = {.plan = plan, .root = root, .err = err};
    waiting group = {.path = NULL};
    H5O_info2_t info;
    uint32_t unused = 0;

    stoa_error_printing_off();
    STOA_TRY(note_tables(&w, err));
    STOA_HDF(err, H5Oget_info3(root, &info, H5O_INFO_BASIC), "look at '/'");
    STOA_TRY(stoa_string_set_add(&w.seen, &info.token, sizeof info.token, &unused, err));
    STOA_TRY(see_group(&w, root, "/", &info, err));
    while (pop(&w, &group)) {
        STOA_TRY(visit_object(&w, &group, err));
        free(group.path);
        group.path = NULL;
    }
    if (plan->items.size > 0) {
        qsort(plan->items.data, plan->items.size / sizeof(stoa_unconverted_item),
              sizeof(stoa_unconverted_item), by_path);
    }

done:
    free(group.path);
    while (pop(&w, &group)) {
        free(group.path);
    }
    stoa_buffer_clear(&w.stack);
    stoa_string_set_clear(&w.seen);
    stoa_string_set_clear(&w.parts);
    stoa_error_printing_on();
    return status;
}
