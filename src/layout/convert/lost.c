#include "layout/convert/lost.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <stoa/edit.h>
#include <stoa/index.h>

#include "column/type/tensor.h"
#include "core/string_set.h"
#include "layout/registry.h"

/* --- what a table says ----------------------------------------------------------------------- */

/* Facts are found by their key, "what" NUL "column". Of one `what` they follow each other. */
typedef struct facts {
    const stoa_table *table;
    stoa_string_set keys;
    stoa_buffer values; /* char *, one for each key */
} facts;

static void clear(facts *f)
{
    char **const values = (char **)(void *)f->values.data;

    for (uint32_t i = 0; i < f->keys.count; i++) {
        free(values[i]);
    }
    stoa_string_set_clear(&f->keys);
    stoa_buffer_clear(&f->values);
}

static stoa_status make_key(stoa_buffer *key, const char *what, const char *column, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_buffer_append(key, what, strlen(what) + 1, err));
    return stoa_buffer_append(key, column, strlen(column), err);
}

/* Takes ownership of `value`. */
static stoa_status add_owned(facts *f, const char *what, const char *column, char *value,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer key = {0};
    const uint32_t n = f->keys.count;
    uint32_t number = 0;

    STOA_TRY(value != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_buffer_reserve(&f->values, sizeof value, err));
    STOA_TRY(make_key(&key, what, column, err));
    STOA_TRY(stoa_string_set_add(&f->keys, key.data, key.size, &number, err));
    if (number == n) {
        STOA_TRY(stoa_buffer_append(&f->values, &value, sizeof value, err));
        value = NULL;
    }

done:
    stoa_buffer_clear(&key);
    free(value);
    return status;
}

static stoa_status add(void *context, const char *what, const char *column, const char *value,
                       stoa_error *err)
{
    return add_owned(context, what, column != NULL ? column : "", stoa_strdup(value), err);
}

/* --- types ----------------------------------------------------------------------------------- */

static stoa_status print_type(stoa_buffer *out, const struct ArrowSchema *field, int depth,
                              stoa_error *err);

/* Lists of a fixed size are printed with their shape, whether they are nested or declare it. */
static stoa_status print_box(stoa_buffer *out, const struct ArrowSchema *field,
                             const stoa_type *list, int depth, stoa_error *err)
{
    hsize_t shape[H5S_MAX_RANK];
    stoa_type type = *list;
    int rank = 0;

    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "fixed_list["));
    for (const char *between = ""; type.kind == STOA_KIND_FIXED_LIST; between = " x ") {
        STOA_RETURN_NOT_OK(stoa_tensor_shape(field, (uint64_t)type.width, shape, &rank, err));
        for (int i = 0; i < rank || i == 0; i++) {
            STOA_RETURN_NOT_OK(
                stoa_buffer_print(out, err, "%s%llu", i > 0 ? " x " : between,
                                  (unsigned long long)(rank > 0 ? shape[i] : (hsize_t)type.width)));
        }
        field = field->children[0];
        STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "]<"));
    STOA_RETURN_NOT_OK(print_type(out, field, depth + 1, err));
    return stoa_buffer_print(out, err, ">");
}

static stoa_status print_type(stoa_buffer *out, const struct ArrowSchema *field, int depth,
                              stoa_error *err)
{
    enum { MAX_DEPTH = 16 };
    stoa_type type;
    char text[64];
    const char *narrower = NULL;
    size_t length = 0;

    STOA_RETURN_NOT_OK(stoa_type_of(field, &type, err));
    if (type.kind == STOA_KIND_DICTIONARY) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(
            out, err, "%scategories of ",
            (field->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0 ? "ordered " : ""));
        return print_type(out, field->dictionary, depth + 1, err);
    }
    if (stoa_schema_get(field, "stoa_arrow_type", &narrower, &length)) {
        return stoa_buffer_append(out, narrower, length, err);
    }
    if (type.kind == STOA_KIND_FIXED_LIST) {
        return print_box(out, field, &type, depth, err);
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s",
                                         type.kind == STOA_KIND_LARGE_LIST ? "list"
                                         : stoa_kind_is_string(type.kind)
                                             ? "string"
                                             : stoa_type_name(&type, text)));
    for (int64_t i = 0; depth < MAX_DEPTH && i < field->n_children; i++) {
        const bool is_struct = type.kind == STOA_KIND_STRUCT;
        STOA_RETURN_NOT_OK(stoa_buffer_print(out, err, "%s%s%s", i == 0 ? "<" : ", ",
                                             is_struct ? field->children[i]->name : "",
                                             is_struct ? ": " : ""));
        STOA_RETURN_NOT_OK(print_type(out, field->children[i], depth + 1, err));
    }
    return field->n_children > 0 ? stoa_buffer_print(out, err, ">") : STOA_OK;
}

static stoa_status add_type(facts *f, const struct ArrowSchema *field, stoa_error *err)
{
    stoa_buffer text = {0};
    char *words = NULL;

    if (stoa_type_of(field, &(stoa_type){0}, NULL) != STOA_OK) {
        return STOA_OK;
    }
    const stoa_status status = print_type(&text, field, 0, err);
    if (status != STOA_OK || stoa_buffer_detach_text(&text, &words, err) != STOA_OK) {
        stoa_buffer_clear(&text);
        return status != STOA_OK ? status : STOA_ENOMEM;
    }
    return add_owned(f, "type", field->name, words, err);
}

/* Zones by name, of times that are UTC. */
static stoa_status add_zone(facts *f, const struct ArrowSchema *field, stoa_error *err)
{
    const bool is_time = strncmp(field->format, "ts", 2) == 0 && field->format[2] != '\0';
    const char *const zone = is_time && field->format[3] == ':' ? field->format + 4 : "";

    return zone[0] != '\0' && strcmp(zone, "UTC") != 0 && strcmp(zone, "+00:00") != 0
               ? add(f, "time zone", field->name, zone, err)
               : STOA_OK;
}

static stoa_status add_key(facts *f, const struct ArrowSchema *field, const char *key,
                           const char *what, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *value = NULL;

    STOA_TRY(stoa_schema_get_text(field, key, &value, err));
    STOA_TRY(value != NULL ? add(f, what, field->name, value, err) : STOA_OK);

done:
    free(value);
    return status;
}

static stoa_status add_extension(facts *f, const struct ArrowSchema *field, stoa_error *err)
{
    return add_key(f, field, "ARROW:extension:name", "extension type", err);
}

/* Those of times are in the type. */
static stoa_status add_units(facts *f, const struct ArrowSchema *field, stoa_error *err)
{
    return field->format[0] == 't' ? STOA_OK : add_key(f, field, "units", "units", err);
}

static stoa_status add_description(facts *f, const struct ArrowSchema *field, stoa_error *err)
{
    return add_key(f, field, "description", "description", err);
}

/* "t0: ns, dt: ns", the units of the parts of a struct. */
static stoa_status print_parts(stoa_buffer *out, const struct ArrowSchema *field,
                               const char *before, int depth, stoa_error *err)
{
    enum { MAX_DEPTH = 16 };

    for (int64_t i = 0; depth < MAX_DEPTH && i < field->n_children; i++) {
        const struct ArrowSchema *const part = field->children[i];
        const char *units = NULL;
        size_t length = 0;
        char *const name = stoa_format("%s%s%s", before, before[0] != '\0' ? "." : "", part->name);
        stoa_status status = name != NULL ? STOA_OK : stoa_fail_memory(err);

        if (status == STOA_OK && part->format[0] != 't' &&
            stoa_schema_get(part, "units", &units, &length)) {
            status = stoa_buffer_print(out, err, "%s%s: %.*s", out->size > 0 ? ", " : "", name,
                                       (int)length, units);
        }
        if (status == STOA_OK && strcmp(part->format, "+s") == 0) {
            status = print_parts(out, part, name, depth + 1, err);
        }
        free(name);
        STOA_RETURN_NOT_OK(status);
    }
    return STOA_OK;
}

static stoa_status add_parts(facts *f, const struct ArrowSchema *field, stoa_error *err)
{
    stoa_buffer text = {0};
    char *words = NULL;

    if (strcmp(field->format, "+s") != 0) {
        return STOA_OK;
    }
    const stoa_status status = print_parts(&text, field, "", 0, err);
    if (status != STOA_OK || text.size == 0) {
        stoa_buffer_clear(&text);
        return status;
    }
    STOA_RETURN_NOT_OK(stoa_buffer_detach_text(&text, &words, err));
    return add_owned(f, "units of the parts", field->name, words, err);
}

static stoa_status add_fields(facts *f, const struct ArrowSchema *schema, stoa_error *err)
{
    static stoa_status (*const each[])(facts *, const struct ArrowSchema *, stoa_error *) = {
        add_units, add_parts, add_description, add_type, add_zone, add_extension};
    const size_t n = f->table != NULL ? sizeof each / sizeof *each : 3; /* of a stream's rows */

    for (size_t k = 0; k < n; k++) {
        for (int64_t i = 0; i < schema->n_children; i++) {
            STOA_RETURN_NOT_OK(each[k](f, schema->children[i], err));
        }
    }
    return STOA_OK;
}

/* --- attributes and labels ------------------------------------------------------------------- */

typedef struct attributes {
    facts *facts;
    const char *column;
    stoa_status status;
    stoa_error *err;
} attributes;

static stoa_status add_named(facts *f, const char *name, const char *column, stoa_error *err)
{
    char *const what = stoa_format("attribute '%s'", name);
    const stoa_status status = what != NULL ? add(f, what, column, "", err) : stoa_fail_memory(err);

    free(what);
    return status;
}

static stoa_status add_user_attribute(void *context, const stoa_user_attribute *note,
                                      stoa_error *err)
{
    return strcmp(note->name, "FLAVOR") == 0 ? STOA_OK : add_named(context, note->name, NULL, err);
}

/* Of a column of HEP001. Those of Stoa's own are what a layout keeps there, and facts of that
 * layout. Units and the description are told of all layouts, and a range follows from the values.
 */
static bool add_attribute(void *context, const stoa_attribute *attribute)
{
    static const char *const told[] = {"units",     "description", "units_vocabulary",
                                       "valid_min", "valid_max",   NULL};
    attributes *const a = context;

    a->status = strncmp(attribute->name, "stoa_", 5) == 0 ||
                        stoa_is_listed(attribute->name, told) ||
                        stoa_is_listed(attribute->name, stoa_attribute_encodings)
                    ? STOA_OK
                    : add_named(a->facts, attribute->name, a->column, a->err);
    return a->status == STOA_OK;
}

static stoa_status add_attributes(facts *f, stoa_error *err)
{
    const stoa_table *const table = f->table;
    attributes a = {f, NULL, STOA_OK, err};

    STOA_RETURN_NOT_OK(stoa_layout_visit_user_attributes(table, add_user_attribute, f, err));
    for (size_t i = 0; table->layout == NULL && a.status == STOA_OK && i < table->n_columns; i++) {
        a.column = table->columns[i]->name;
        STOA_RETURN_NOT_OK(stoa_attribute_visit(table, a.column, add_attribute, &a, err));
    }
    return a.status;
}

static bool add_index(void *context, const stoa_index_info *info)
{
    attributes *const a = context;

    /* Every table has the others, which are made of its chunks. */
    a->status = strcmp(info->kind, "CHUNK_MINMAX") == 0
                    ? STOA_OK
                    : add(a->facts, "search index", info->column, "", a->err);
    return a->status == STOA_OK;
}

static stoa_status collect(facts *f, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error why = STOA_ERROR_INIT;
    struct ArrowSchema schema = {.release = NULL};
    attributes a = {f, NULL, STOA_OK, err};

    status = stoa_table_schema(f->table, &schema, &why);
    if (status != STOA_OK) { /* a damaged column was named when it was left out */
        return status == STOA_ENOMEM ? stoa_fail_memory(err) : STOA_OK;
    }
    STOA_TRY(add_fields(f, &schema, err));
    STOA_TRY(f->table->title != NULL && f->table->title[0] != '\0' ? add(f, "title", NULL, "", err)
                                                                   : STOA_OK);
    STOA_TRY(add_attributes(f, err));
    for (size_t i = 0; i < f->table->n_index_columns; i++) {
        STOA_TRY(add(f, "row label", f->table->index_columns[i]->name, "", err));
    }
    if (f->table->layout == NULL) {
        STOA_TRY(stoa_index_visit(f->table, add_index, &a, err));
        STOA_TRY(a.status);
    }
    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->visit_facts != NULL) {
            STOA_TRY(stoa_layouts[i]->visit_facts(f->table, add, f, err));
        }
    }

done:
    stoa_schema_release(&schema);
    return status;
}

/* --- the difference -------------------------------------------------------------------------- */

/* Whether columns that both tables have, other than row labels, come in another order. */
static bool is_in_other_order(const stoa_table *from, const stoa_table *to)
{
    size_t last = 0;
    bool is = false;

    for (size_t i = 0; i < from->n_columns && !is; i++) {
        const char *const name = from->columns[i]->name;
        const size_t at = stoa_table_number_of(to, name, strlen(name));
        bool labels_rows = false;
        for (size_t k = 0; k < from->n_index_columns; k++) {
            labels_rows = labels_rows || from->index_columns[k] == from->columns[i];
        }
        is = at != SIZE_MAX && !labels_rows && at < last;
        last = at != SIZE_MAX && !labels_rows ? at : last;
    }
    return is;
}

/* What is lost of one kind: "the type of a (int8 becomes int64), b (...)". */
typedef struct telling {
    stoa_buffer words;
    const char *what; /* of the last one */
    size_t n_columns; /* of that kind */
} telling;

enum { MAX_NAMED = 3 };

static stoa_status end_kind(telling *t, stoa_error *err)
{
    return t->n_columns > MAX_NAMED
               ? stoa_buffer_print(&t->words, err, " and %zu more", t->n_columns - MAX_NAMED)
               : STOA_OK;
}

static stoa_status tell(telling *t, const char *what, const char *column, const char *was,
                        const char *becomes, stoa_error *err)
{
    const bool is_new = t->what == NULL || strcmp(t->what, what) != 0;

    if (is_new) {
        STOA_RETURN_NOT_OK(end_kind(t, err));
        STOA_RETURN_NOT_OK(stoa_buffer_print(&t->words, err, "%sthe %s%s",
                                             t->what == NULL ? "" : "; ", what,
                                             column[0] != '\0' ? " of " : ""));
        t->what = what;
        t->n_columns = 0;
    }
    t->n_columns += column[0] != '\0';
    if (column[0] == '\0' || t->n_columns > MAX_NAMED) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(
        stoa_buffer_print(&t->words, err, "%s'%s'", t->n_columns > 1 ? ", " : "", column));
    if (was[0] == '\0') {
        return STOA_OK;
    }
    return becomes == NULL ? stoa_buffer_print(&t->words, err, " (%s)", was)
                           : stoa_buffer_print(&t->words, err, " (%s becomes %s)", was, becomes);
}

/* Whether a title became the description of the table, where the layout has no titles. */
static bool is_title(const stoa_table *to, const char *what, const char *title)
{
    return strcmp(what, "title") == 0 && to->description != NULL &&
           strcmp(to->description, title) == 0;
}

/* The next character of a type's family, without what a wider type changes: the width and sign of
 * numbers, the unit of times and durations. */
static const char *next_of_family(const char *at, const char *begin)
{
    static const char *const units[] = {"timestamp[", "duration["};

    if (at > begin && isdigit((unsigned char)*at) && at[-1] == 't') {
        at += strspn(at, "0123456789");
    }
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        const size_t n = strlen(units[k]);
        if ((size_t)(at - begin) >= n && strncmp(at - n, units[k], n) == 0) {
            at += strcspn(at, ",]");
        }
    }
    return strncmp(at, "uint", 4) == 0 ? at + 1 : at;
}

/* Whether a fact is the same. A type may be wider, which changes no value. */
static bool is_alike(const char *what, const char *was, const char *is)
{
    const char *a = was;
    const char *b = is;

    for (; strcmp(what, "type") == 0 && *a != '\0' && *b != '\0'; a++, b++) {
        a = next_of_family(a, was);
        b = next_of_family(b, is);
        if (*a != *b || *a == '\0') {
            break;
        }
    }
    return strcmp(a, b) == 0;
}

static stoa_status compare(const facts *from, const facts *to, telling *t, stoa_error *err)
{
    char **const values = (char **)(void *)from->values.data;
    char **const others = (char **)(void *)to->values.data;

    for (uint32_t i = 0; i < from->keys.count; i++) {
        stoa_status status = STOA_OK;
        size_t length = 0;
        uint32_t at = 0;
        const char *const what = stoa_string_set_get(&from->keys, i, &length);
        const size_t name = strlen(what) + 1;
        const bool is_there = stoa_string_set_find(&to->keys, what, length, &at);
        /* A column that is not there has another name, which its layout tells. */
        const bool is_same =
            is_there ? is_alike(what, values[i], others[at])
                     : is_title(to->table, what, values[i]) ||
                           (name < length && stoa_table_number_of(to->table, what + name,
                                                                  length - name) == SIZE_MAX);
        char *const column =
            is_same ? NULL : stoa_format("%.*s", (int)(length - name), what + name);
        if (!is_same) {
            status = column != NULL
                         ? tell(t, what, column, values[i], is_there ? others[at] : NULL, err)
                         : stoa_fail_memory(err);
        }
        free(column);
        STOA_RETURN_NOT_OK(status);
    }
    return from->table != NULL && is_in_other_order(from->table, to->table)
               ? tell(t, "order of the columns", "", "", NULL, err)
               : STOA_OK;
}

/* Report what is in `was`, which is cleared, and not in a table. */
static stoa_status tell_difference(facts *was, const stoa_table *to, const char *path,
                                   const stoa_layout *layout, stoa_layout_remark *remark,
                                   void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    facts is = {.table = to};
    telling t = {.what = NULL};
    char *lost = NULL;
    char *words = NULL;

    STOA_TRY(collect(&is, err));
    STOA_TRY(compare(was, &is, &t, err));
    if (t.what != NULL) {
        STOA_TRY(end_kind(&t, err));
        STOA_TRY(stoa_buffer_detach_text(&t.words, &lost, err));
        words = stoa_format("loses in %s: %s", layout->title, lost);
        STOA_TRY(words != NULL ? STOA_OK : stoa_fail_memory(err));
        remark(context, path, words);
    }

done:
    free(words);
    free(lost);
    stoa_buffer_clear(&t.words);
    clear(&is);
    return status;
}

stoa_status stoa_layout_tell_lost(const stoa_table *from, const stoa_table *to, const char *path,
                                  const stoa_layout *layout, stoa_layout_remark *remark,
                                  void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    facts was = {.table = from};

    STOA_TRY(collect(&was, err));
    STOA_TRY(tell_difference(&was, to, path, layout, remark, context, err));

done:
    clear(&was);
    return status;
}

stoa_status stoa_layout_tell_lost_of(const struct ArrowSchema *rows, const char *file,
                                     const char *name, const stoa_layout *layout,
                                     stoa_layout_remark *remark, void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_error ignored = STOA_ERROR_INIT;
    facts was = {.table = NULL};
    stoa_table *to = NULL;

    STOA_TRY(add_fields(&was, rows, err));
    if (was.keys.count > 0 && stoa_table_open_file(file, name, NULL, &to, &ignored) == STOA_OK) {
        STOA_TRY(tell_difference(&was, to, "", layout, remark, context, err));
    }

done:
    clear(&was);
    stoa_table_close(to);
    return status;
}
