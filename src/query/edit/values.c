#include "query/edit/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/take.h"

/* Plain values ------------------------------------------------------------------------------ */

stoa_status stoa_value_to_ticks(stoa_arena *arena, const stoa_scope_column *column,
                                stoa_expr *value, stoa_error *err)
{
    int64_t *ticks = stoa_arena_alloc(arena, 1, sizeof *ticks);
    char source[STOA_SOURCE_SIZE];
    stoa_time time;

    STOA_RETURN_NO_MEMORY(err, ticks);
    if (!stoa_expr_ticks(value, &column->plain, &time)) {
        const size_t size = strlen(column->name) + sizeof "''";
        char *what = stoa_arena_alloc(arena, size, 1);
        STOA_RETURN_NO_MEMORY(err, what);
        (void)snprintf(what, size, "'%s'", column->name);
        return stoa_fail_ticks(value->syntax, what, &column->plain, err);
    }
    if (!stoa_time_ticks(&time, column->value.unit, ticks)) {
        return STOA_FAIL_SYNTAX(err, STOA_ELOSS, value->syntax,
                                "%s is finer than the %ss of '%s', or out of their range",
                                stoa_syntax_source(value->syntax, source),
                                column->plain.kind == STOA_KIND_DURATION ? "duration" : "time",
                                column->name);
    }
    value->type = column->value;
    value->value.type = column->value;
    value->value.as.i64 = ticks;
    return STOA_OK;
}

stoa_type stoa_value_type_for(stoa_kind kind, const stoa_vector *values, stoa_type type)
{
    if (type.kind != STOA_KIND_FLOAT64 ||
        (kind != STOA_KIND_FLOAT32 && kind != STOA_KIND_FLOAT16)) {
        return type;
    }
    for (int64_t i = 0; i < (values->constant ? 1 : values->n); i++) {
        if (!stoa_vector_is_null(values, i) && isfinite(values->as.f64[i]) &&
            isinf((float)values->as.f64[i])) {
            return type;
        }
    }
    return (stoa_type){.kind = STOA_KIND_FLOAT32, .width = sizeof(float)};
}

/* Lists ------------------------------------------------------------------------------------- */

/* The lists of a level that each row has. */
typedef struct level {
    stoa_type type;   /* of the column's lists there */
    int32_t *lengths; /* -1: missing */
    size_t n;
} level;

/* All rows have lists of the same lengths. So the items of a row are numbered, and offsets repeat.
 */
struct stoa_list_value {
    const stoa_scope_column *item; /* name and types of the column's items */
    size_t n_levels;               /* 1 for plain lists */
    level *levels;
    stoa_expr **items;
    size_t n_items;
    stoa_type type; /* in which items are computed */
};

/* What the column's lists are, from outside in. */
static stoa_status find_levels(const stoa_binder *binder, const stoa_syntax *syntax,
                               const stoa_scope_column *column, stoa_list_value *list,
                               stoa_error *err)
{
    const struct ArrowSchema *field = column->schema;
    stoa_scope_column *const item = stoa_arena_zero(binder->arena, 1, sizeof *item);
    char name[64];

    list->levels = stoa_arena_zero(binder->arena, STOA_MAX_DEPTH, sizeof *list->levels);
    STOA_RETURN_NO_MEMORY(err, item != NULL && list->levels != NULL);
    item->name = column->name;
    STOA_RETURN_NOT_OK(stoa_type_of(field, &item->type, err));
    for (; stoa_kind_is_list(item->type.kind); field = field->children[0]) {
        if (list->n_levels == STOA_MAX_DEPTH) {
            return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax, "'%s' has too many levels of lists",
                                    column->name);
        }
        list->levels[list->n_levels++].type = item->type;
        STOA_RETURN_NOT_OK(stoa_type_of(field->children[0], &item->type, err));
    }
    if (list->n_levels == 0) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "'%s' is %s, and a list in brackets goes into a list column",
                                column->name, stoa_type_name(&column->type, name));
    }
    item->plain = item->type;
    item->value = stoa_value_type_of(&item->type, false);
    list->item = item;
    return STOA_OK;
}

/* Count the lists at each level, and the items. */
static void count(const stoa_syntax *syntax, stoa_list_value *list, size_t depth)
{
    if (depth == list->n_levels) {
        list->n_items++;
        return;
    }
    list->levels[depth].n++;
    for (const stoa_syntax *arg = syntax->kind == STOA_SYNTAX_LIST ? syntax->first : NULL;
         arg != NULL; arg = arg->next) {
        count(arg, list, depth + 1);
    }
}

static stoa_status bind_item(const stoa_binder *binder, const stoa_syntax *syntax,
                             stoa_list_value *list, stoa_error *err)
{
    const stoa_scope_column *const item = list->item;
    stoa_expr *value = NULL;

    if (syntax->kind == STOA_SYNTAX_LIST) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax, "the items of '%s' are no lists",
                                item->name);
    }
    STOA_RETURN_NOT_OK(stoa_bind(binder, syntax, &value, err));
    if (stoa_domain_is_ticks(item->value.domain) && stoa_expr_is_constant(value) &&
        (value->type.domain == STOA_DOMAIN_TEXT || value->type.domain == item->value.domain)) {
        STOA_RETURN_NOT_OK(stoa_value_to_ticks(binder->arena, item, value, err));
    }
    list->items[list->n_items++] = value;
    return STOA_OK;
}

static stoa_status bind_list(const stoa_binder *binder, const stoa_syntax *syntax,
                             stoa_list_value *list, size_t depth, stoa_error *err)
{
    level *const l = &list->levels[depth];
    char source[STOA_SOURCE_SIZE];

    if (depth == list->n_levels) {
        return bind_item(binder, syntax, list, err);
    }
    const bool is_fixed = l->type.kind == STOA_KIND_FIXED_LIST;
    const bool is_missing = syntax->kind == STOA_SYNTAX_NULL && !is_fixed;
    if (syntax->kind != STOA_SYNTAX_LIST && !is_missing) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax, "'%s' has a list where %s stands",
                                list->item->name, stoa_syntax_source(syntax, source));
    }
    if (is_fixed && syntax->n_args != (size_t)l->type.width) {
        return STOA_FAIL_SYNTAX(err, STOA_ETYPE, syntax,
                                "lists of '%s' have %d items here, not %zu", list->item->name,
                                (int)l->type.width, syntax->n_args);
    }
    l->lengths[l->n++] = is_missing ? -1 : (int32_t)syntax->n_args;
    for (const stoa_syntax *arg = syntax->first; arg != NULL; arg = arg->next) {
        STOA_RETURN_NOT_OK(bind_list(binder, arg, list, depth + 1, err));
    }
    return STOA_OK;
}

/* Whether a value goes into one type with others of the domain. */
static bool is_in_domain(const stoa_expr *value, stoa_value_domain domain)
{
    return value->type.domain == domain || value->type.domain == STOA_DOMAIN_NULL ||
           (domain == STOA_DOMAIN_F64 && stoa_domain_is_number(value->type.domain)) ||
           (domain == STOA_DOMAIN_U64 && value->type.domain == STOA_DOMAIN_I64 &&
            stoa_expr_is_constant(value) && value->value.as.i64[0] >= 0);
}

/* Give all items one type. */
static stoa_status join_types(const stoa_binder *binder, stoa_list_value *list, stoa_error *err)
{
    stoa_value_type type = {.domain = STOA_DOMAIN_NULL};
    char name[64];

    for (size_t i = 0; i < list->n_items; i++) {
        const stoa_value_type *const other = &list->items[i]->type;
        const bool is_wider = other->domain == STOA_DOMAIN_F64 ||
                              (other->domain == STOA_DOMAIN_U64 && type.domain == STOA_DOMAIN_I64);
        type = type.domain == STOA_DOMAIN_NULL || is_wider ? *other : type;
    }
    for (size_t i = 0; i < list->n_items; i++) {
        stoa_expr **const item = &list->items[i];
        if (!is_in_domain(*item, type.domain) || type.domain == STOA_DOMAIN_OTHER ||
            type.domain == STOA_DOMAIN_BYTES ||
            ((*item)->type.domain != STOA_DOMAIN_NULL && (*item)->type.unit != type.unit)) {
            char source[STOA_SOURCE_SIZE];
            return STOA_FAIL_SYNTAX(err, STOA_ETYPE, (*item)->syntax,
                                    "%s is %s, and cannot stand in a list with the other items",
                                    stoa_syntax_source((*item)->syntax, source),
                                    stoa_expr_type_name(binder, *item, name));
        }
        STOA_RETURN_NOT_OK(stoa_expr_cast(binder, type.domain, item, err));
    }
    /* Without a single value, a list fits any column. */
    list->type = type.domain != STOA_DOMAIN_NULL ? stoa_type_of_values(&type)
                 : list->item->value.domain == STOA_DOMAIN_OTHER
                     ? (stoa_type){.kind = STOA_KIND_NULL}
                     : stoa_type_of_values(&list->item->value);
    return STOA_OK;
}

stoa_status stoa_list_value_bind(const stoa_binder *binder, const stoa_syntax *syntax,
                                 const stoa_scope_column *column, stoa_list_value **out,
                                 stoa_error *err)
{
    stoa_list_value *const list = stoa_arena_zero(binder->arena, 1, sizeof *list);

    STOA_RETURN_NO_MEMORY(err, list);
    STOA_RETURN_NOT_OK(find_levels(binder, syntax, column, list, err));
    count(syntax, list, 0);
    list->items = stoa_arena_alloc(binder->arena, list->n_items, sizeof *list->items);
    STOA_RETURN_NO_MEMORY(err, list->items);
    list->n_items = 0;
    for (size_t i = 0; i < list->n_levels; i++) {
        level *const l = &list->levels[i];
        l->lengths = stoa_arena_alloc(binder->arena, l->n, sizeof *l->lengths);
        STOA_RETURN_NO_MEMORY(err, l->lengths);
        l->n = 0;
    }
    STOA_RETURN_NOT_OK(bind_list(binder, syntax, list, 0, err));
    *out = list;
    return join_types(binder, list, err);
}

void stoa_list_value_columns(const stoa_list_value *list, stoa_use *uses)
{
    for (size_t i = 0; i < list->n_items; i++) {
        stoa_expr_columns(list->items[i], uses);
    }
}

/* Arrays ------------------------------------------------------------------------------------ */

/* Evaluate all items. Missing ones have no values of their own. */
static stoa_status eval_items(const stoa_list_value *list, stoa_evaluation *ev, int64_t n,
                              stoa_vector *vectors, stoa_type *type, stoa_error *err)
{
    static const uint8_t nothing[sizeof(stoa_bytes)];

    *type = list->type;
    for (size_t i = 0; i < list->n_items; i++) {
        stoa_vector *const vector = &vectors[i];
        STOA_RETURN_NOT_OK(stoa_eval(ev, list->items[i], vector, err));
        if (vector->type.domain == STOA_DOMAIN_NULL) {
            *vector = (stoa_vector){
                .type = list->item->value, .n = n, .constant = true, .validity = nothing};
            vector->as.bits = nothing;
        }
    }
    bool are_short = list->n_items > 0;
    for (size_t i = 0; i < list->n_items; i++) {
        are_short &= stoa_value_type_for(list->item->type.kind, &vectors[i], list->type).kind ==
                     STOA_KIND_FLOAT32;
    }
    if (are_short) {
        *type = (stoa_type){.kind = STOA_KIND_FLOAT32, .width = sizeof(float)};
    }
    return STOA_OK;
}

/* Make the array of all items: those of the first row, then those of the second ... */
static stoa_status emit_items(const stoa_list_value *list, const stoa_vector *vectors, int64_t n,
                              const struct ArrowSchema *field, const stoa_type *type,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t k = list->n_items;
    struct ArrowArray *const arrays = stoa_alloc_zero(k, sizeof *arrays);
    stoa_view *const views = stoa_alloc(k, sizeof *views);
    const stoa_view **const sources = stoa_alloc(k, sizeof *sources);
    stoa_row_source *const picks = stoa_alloc((size_t)n * k, sizeof *picks);

    STOA_TRY(arrays != NULL && views != NULL && sources != NULL && picks != NULL
                 ? STOA_OK
                 : stoa_fail_memory(err));
    if (k == 0) {
        STOA_TRY(stoa_emit(&(stoa_vector){.type = list->item->value}, type, out, err));
        goto done;
    }
    for (size_t j = 0; j < k; j++) {
        STOA_TRY(stoa_emit(&vectors[j], type, &arrays[j], err));
        STOA_TRY(stoa_view_of(field, &arrays[j], &views[j], err));
        sources[j] = &views[j];
        for (int64_t i = 0; i < n; i++) {
            picks[(size_t)i * k + j] = (stoa_row_source){.row = i, .source = (uint32_t)j};
        }
    }
    STOA_TRY(stoa_take(sources, k, picks, n * (int64_t)k, out, err));

done:
    for (size_t j = 0; arrays != NULL && j < k; j++) {
        stoa_array_release(&arrays[j]);
    }
    free(arrays);
    free(views);
    free(sources);
    free(picks);
    return status;
}

/* Make the lists of a level of their items, which are moved from in every case. */
static stoa_status emit_level(const level *l, int64_t n, struct ArrowArray *items,
                              struct ArrowArray *out, stoa_error *err)
{
    const int64_t n_lists = n * (int64_t)l->n;
    int32_t *const offsets = stoa_alloc_zero((size_t)n_lists + 1, sizeof *offsets);
    uint8_t *const validity = stoa_alloc_zero(stoa_bit_bytes((uint64_t)n_lists), 1);
    int64_t n_missing = 0;

    if (offsets == NULL || validity == NULL) {
        free(offsets);
        free(validity);
        stoa_array_release(items);
        return stoa_fail_memory(err);
    }
    for (int64_t i = 0; i < n_lists; i++) {
        const int32_t length = l->lengths[(size_t)i % l->n];
        offsets[i + 1] = offsets[i] + (length > 0 ? length : 0);
        n_missing += length < 0;
        if (length >= 0) {
            stoa_bit_set(validity, (uint64_t)i);
        }
    }
    if (l->type.kind == STOA_KIND_FIXED_LIST) {
        free(offsets);
        return stoa_array_list(out, n_lists, n_missing, 1, (void *[]){validity}, items, err);
    }
    return stoa_array_list(out, n_lists, n_missing, 2, (void *[]){validity, offsets}, items, err);
}

static stoa_status make_schema(const stoa_list_value *list, const stoa_type *type, size_t depth,
                               struct ArrowSchema *field, struct ArrowSchema **items,
                               stoa_error *err)
{
    char format[32] = "+l";

    if (depth == list->n_levels) {
        *items = field;
        return stoa_schema_make_type(field, "item", type, err);
    }
    const stoa_type *const lists = &list->levels[depth].type;
    if (lists->kind == STOA_KIND_FIXED_LIST) {
        (void)snprintf(format, sizeof format, "+w:%d", (int)lists->width);
    }
    STOA_RETURN_NOT_OK(
        stoa_schema_make(field, depth == 0 ? list->item->name : "item", format, err));
    STOA_RETURN_NOT_OK(stoa_schema_children(field, 1, err));
    return make_schema(list, type, depth + 1, field->children[0], items, err);
}

stoa_status stoa_list_value_emit(const stoa_list_value *list, stoa_evaluation *ev, int64_t n,
                                 struct ArrowSchema *schema, struct ArrowArray *out,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema *field = NULL;
    stoa_vector *const vectors = stoa_alloc(list->n_items, sizeof *vectors);
    stoa_type type;

    *schema = (struct ArrowSchema){.release = NULL};
    *out = (struct ArrowArray){.release = NULL};
    STOA_TRY(vectors != NULL ? STOA_OK : stoa_fail_memory(err));
    if (n * (int64_t)(list->n_items + 1) > INT32_MAX) {
        STOA_FAIL(err, STOA_ERANGE, "a list of %zu items is too long to be set in %lld rows",
                  list->n_items, (long long)n);
    }
    STOA_TRY(eval_items(list, ev, n, vectors, &type, err));
    STOA_TRY(make_schema(list, &type, 0, schema, &field, err));
    STOA_TRY(emit_items(list, vectors, n, field, &type, out, err));
    for (size_t i = list->n_levels; i-- > 0;) {
        struct ArrowArray items = *out;
        out->release = NULL;
        STOA_TRY(emit_level(&list->levels[i], n, &items, out, err));
    }

done:
    free(vectors);
    if (status != STOA_OK) {
        stoa_array_release(out);
        stoa_schema_release(schema);
    }
    return status;
}
