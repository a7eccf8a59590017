/* Goes through a schema and its arrays from the leaves up: a level sees parts that are normal. */
#include "arrow/cast/normalize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/cast/normalize_values.h"
#include "arrow/cast/original.h"
#include "arrow/metadata.h"
#include "arrow/take.h"

enum { MAX_DEPTH = 64 };

/* --- schemas ---------------------------------------------------------------------------------- */

typedef enum form {
    FORM_NORMAL,
    FORM_VIEWS,
    FORM_LIST_VIEWS,
    FORM_RUNS,
    FORM_DAYS,
    FORM_TIMES,
    FORM_DECIMALS,
    FORM_INTERVALS,
    FORM_MAPS,
    FORM_NULLS
} form;

static bool is_label(const struct ArrowSchema *schema)
{
    stoa_type type;

    return stoa_type_of(schema, &type, NULL) == STOA_OK &&
           (stoa_kind_is_string(type.kind) || stoa_kind_is_integer(type.kind) ||
            stoa_kind_is_float(type.kind) || stoa_kind_is_ticks(type.kind) ||
            type.kind == STOA_KIND_BOOL);
}

static form form_of(const struct ArrowSchema *schema)
{
    static const struct {
        const char *format;
        form form;
    } all[] = {
        {"vu", FORM_VIEWS},  {"vz", FORM_VIEWS},  {"+vl", FORM_LIST_VIEWS},
        {"+r", FORM_RUNS},   {"tdm", FORM_DAYS},  {"+vL", FORM_LIST_VIEWS},
        {"tts", FORM_TIMES}, {"ttm", FORM_TIMES}, {"ttu", FORM_TIMES},
        {"ttn", FORM_TIMES}, {"n", FORM_NULLS},   {"tin", FORM_INTERVALS},
        {"+m", FORM_MAPS},
    };
    stoa_decimal decimal;
    const char *const format = schema->format != NULL ? schema->format : "";

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(format, all[i].format) == 0) {
            return all[i].form;
        }
    }
    if (stoa_decimal_of(format, &decimal)) {
        return FORM_DECIMALS;
    }
    return FORM_NORMAL;
}

/* How to cast a type that is refused, and what it is called; NULL if it is not. */
static const char *way_out(const char *format, const char **name)
{
    static const struct {
        const char *format;
        const char *name;
        const char *way;
    } all[] = {
        {"+ud", "union", "make a column of each type"},
        {"+us", "union", "make a column of each type"},
        {"tiM", "interval", "make durations, or integers"},
        {"tiD", "interval", "make durations, or integers"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strncmp(format, all[i].format, strlen(all[i].format)) == 0) {
            *name = all[i].name;
            return all[i].way;
        }
    }
    return NULL;
}

static stoa_status check_type(const struct ArrowSchema *schema, const char *column, int depth,
                              stoa_error *err)
{
    const char *name = NULL;
    const int64_t n_children = form_of(schema) == FORM_RUNS ? 2 : 1;
    stoa_type type;

    if (depth > MAX_DEPTH || schema->release == NULL || schema->format == NULL) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s': the Arrow schema is malformed, or nested more than %d deep",
                         column, MAX_DEPTH);
    }
    const char *const way = way_out(schema->format, &name);
    if (way != NULL) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' has the Arrow type %s, which HEP001 cannot hold; %s", column,
                         name, way);
    }
    const form f = form_of(schema);
    if (f == FORM_NORMAL && stoa_type_of(schema, &type, NULL) != STOA_OK) {
        return stoa_fail(err, STOA_ETYPE,
                         "column '%s' has the Arrow format '%s', which HEP001 cannot hold; cast it "
                         "to another type",
                         column, schema->format);
    }
    if ((f == FORM_RUNS || f == FORM_LIST_VIEWS) && schema->n_children != n_children) {
        return stoa_fail(err, STOA_ETYPE, "column '%s': the Arrow format '%s' has %lld children",
                         column, schema->format, (long long)schema->n_children);
    }
    return STOA_OK;
}

static bool is_normal(const struct ArrowSchema *schema)
{
    const char *name = NULL;
    stoa_type type;

    if (schema->format == NULL || form_of(schema) != FORM_NORMAL ||
        way_out(schema->format, &name) != NULL || stoa_type_of(schema, &type, NULL) != STOA_OK ||
        (schema->dictionary != NULL && !is_label(schema->dictionary))) {
        return false;
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (!is_normal(schema->children[i])) {
            return false;
        }
    }
    return schema->dictionary == NULL || is_normal(schema->dictionary);
}

bool stoa_schema_is_normal(const struct ArrowSchema *rows)
{
    bool is = is_normal(rows);

    for (int64_t i = 0; is && i < rows->n_children; i++) {
        is = !stoa_original_is_needed(rows->children[i]);
    }
    return is;
}

/* The format of one level. */
static const char *normal_format(const struct ArrowSchema *schema, char *room)
{
    stoa_decimal decimal;

    switch (form_of(schema)) {
    case FORM_VIEWS:
        return schema->format[1] == 'u' ? "U" : "Z";
    case FORM_LIST_VIEWS:
        return "+L";
    case FORM_DAYS:
        return "tdD";
    case FORM_TIMES:
        (void)snprintf(room, 4, "tD%c", schema->format[2]);
        return room;
    case FORM_DECIMALS:
        return stoa_decimal_of(schema->format, &decimal) && decimal.scale > 0 ? "g" : "l";
    case FORM_INTERVALS:
        return "tDu";
    case FORM_MAPS:
        return "+l";
    default:
        return schema->format;
    }
}

typedef struct keeping {
    struct ArrowSchema *to;
    bool keeps_extension;
} keeping;

static stoa_status keep_one(void *context, const char *key, const char *value, stoa_error *err)
{
    static const char extension[] = "ARROW:extension:";
    const keeping *const k = context;

    return k->keeps_extension || strncmp(key, extension, sizeof extension - 1) != 0
               ? stoa_schema_set(k->to, key, value, err)
               : STOA_OK;
}

/* Name, flags and metadata; an extension stays where the values are read as before. */
static stoa_status keep_rest(const struct ArrowSchema *from, struct ArrowSchema *to,
                             stoa_error *err)
{
    const form f = form_of(from);
    keeping k = {to, f == FORM_NORMAL || f == FORM_VIEWS || f == FORM_LIST_VIEWS};

    to->flags = from->flags;
    STOA_RETURN_NOT_OK(stoa_schema_rename(to, from->name != NULL ? from->name : "", err));
    return stoa_metadata_visit(from->metadata, keep_one, &k, err);
}

typedef struct scheming {
    const char *column;
    bool keeps_nulls;
} scheming;

static stoa_status make_schema(const scheming *s, const struct ArrowSchema *from, int depth,
                               struct ArrowSchema *to, stoa_error *err);

static stoa_status make_level(const scheming *s, const struct ArrowSchema *from, int depth,
                              struct ArrowSchema *to, stoa_error *err)
{
    char room[8];

    STOA_RETURN_NOT_OK(stoa_schema_make(to, "", normal_format(from, room), err));
    if (from->n_children > 0) {
        STOA_RETURN_NOT_OK(stoa_schema_children(to, from->n_children, err));
    }
    for (int64_t i = 0; i < from->n_children; i++) {
        STOA_RETURN_NOT_OK(make_schema(s, from->children[i], depth + 1, to->children[i], err));
    }
    if (from->dictionary != NULL) {
        STOA_RETURN_NOT_OK(stoa_schema_dictionary(to, "n", err));
        stoa_schema_release(to->dictionary);
        STOA_RETURN_NOT_OK(make_schema(s, from->dictionary, depth + 1, to->dictionary, err));
    }
    return STOA_OK;
}

static stoa_status make_schema(const scheming *s, const struct ArrowSchema *from, int depth,
                               struct ArrowSchema *to, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema labels = {.release = NULL};

    to->release = NULL;
    STOA_TRY(check_type(from, s->column, depth, err));
    if (form_of(from) == FORM_NULLS) {
        STOA_TRY(stoa_schema_make(to, "", s->keeps_nulls ? "n" : "U", err));
    } else if (form_of(from) == FORM_RUNS) {
        STOA_TRY(make_schema(s, from->children[1], depth + 1, to, err));
    } else if (from->dictionary != NULL) {
        STOA_TRY(make_schema(s, from->dictionary, depth + 1, &labels, err));
        if (is_label(&labels) && !stoa_original_is_needed(from->dictionary)) {
            STOA_TRY(make_level(s, from, depth, to, err));
        } else {
            stoa_schema_move(&labels, to);
        }
    } else {
        STOA_TRY(make_level(s, from, depth, to, err));
    }
    STOA_TRY(keep_rest(from, to, err));

done:
    stoa_schema_release(&labels);
    if (status != STOA_OK) {
        stoa_schema_release(to);
    }
    return status;
}

/* --- arrays ----------------------------------------------------------------------------------- */

typedef struct changing {
    const char *column;
    const struct ArrowSchema *from;
    const struct ArrowSchema *to;
    const stoa_around *around;
} changing;

/* The run of each row, by the ends of the runs. */
static stoa_status runs_of(const changing *c, const struct ArrowArray *array, int64_t *at,
                           stoa_error *err)
{
    stoa_view ends;
    int64_t run = 0;

    STOA_RETURN_NOT_OK(stoa_view_of(c->from->children[0], array->children[0], &ends, err));
    for (int64_t i = 0; i < array->length; i++) {
        while (run < ends.length && stoa_view_i64(&ends, run) <= array->offset + i) {
            run++;
        }
        if (run >= ends.length || run >= array->children[1]->length) {
            return stoa_fail(err, STOA_EDATA, "column '%s': row %lld of an Arrow array has no run",
                             c->column, (long long)i);
        }
        at[i] = run;
    }
    return STOA_OK;
}

static stoa_status take_runs(const changing *c, const struct ArrowArray *array,
                             struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    int64_t *const at = stoa_alloc((size_t)array->length + 1, sizeof *at);
    stoa_view values;

    STOA_TRY(at != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(runs_of(c, array, at, err));
    STOA_TRY(stoa_view_of(c->to, array->children[1], &values, err));
    STOA_TRY(stoa_take_rows(&values, at, array->length, out, err));

done:
    free(at);
    return status;
}

/* The values of codes whose dictionary holds no labels. */
static stoa_status take_codes(const changing *c, const struct ArrowArray *array,
                              struct ArrowArray *out, stoa_error *err)
{
    stoa_view values;

    STOA_RETURN_NOT_OK(stoa_view_of(c->to, array->dictionary, &values, err));
    return stoa_take_labels(c->from, array, &values, c->column, out, err);
}

/* Lists whose items may lie anywhere, also more than once. */
typedef struct listing {
    bool is_wide;
    const struct ArrowArray *array;
    uint8_t *bits;
    int64_t *offsets;
    int64_t *at; /* of the items */
    int64_t n_missing;
} listing;

/* Entry i of the buffer of offsets or of sizes. */
static int64_t entry_of(const listing *l, int buffer, int64_t i)
{
    const int64_t at = l->array->offset + i;

    return l->is_wide ? ((const int64_t *)l->array->buffers[buffer])[at]
                      : ((const int32_t *)l->array->buffers[buffer])[at];
}

static stoa_status measure_lists(const changing *c, listing *l, stoa_error *err)
{
    const uint8_t *const valid = l->array->buffers[0];
    const int64_t n_items = l->array->children[0]->length;

    for (int64_t i = 0; i < l->array->length; i++) {
        l->offsets[i + 1] = l->offsets[i];
        if (valid != NULL && !stoa_bit_get(valid, (uint64_t)(l->array->offset + i))) {
            l->n_missing++;
            continue;
        }
        const int64_t first = entry_of(l, 1, i);
        const int64_t count = entry_of(l, 2, i);
        if (first < 0 || count < 0 || count > n_items || first > n_items - count ||
            l->offsets[i] > INT64_MAX / 16 - count) {
            return stoa_fail(err, STOA_EDATA,
                             "column '%s': a view of Arrow points beyond its items", c->column);
        }
        l->offsets[i + 1] += count;
        stoa_bit_set(l->bits, (uint64_t)i);
    }
    return STOA_OK;
}

static void place_items(const listing *l)
{
    int64_t n = 0;

    for (int64_t i = 0; i < l->array->length; i++) {
        for (int64_t k = 0; n < l->offsets[i + 1]; k++) {
            l->at[n++] = entry_of(l, 1, i) + k;
        }
    }
}

static stoa_status take_list_views(const changing *c, const struct ArrowArray *array,
                                   struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray items = {.release = NULL};
    listing l = {.is_wide = c->from->format[2] == 'L', .array = array};
    stoa_view view;

    if (array->length < 0 || array->offset < 0 || array->n_buffers != 3 ||
        (array->length > 0 && (array->buffers[1] == NULL || array->buffers[2] == NULL))) {
        STOA_FAIL(err, STOA_EDATA, "column '%s': an Arrow array has not the buffers of its type",
                  c->column);
    }
    l.bits = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)array->length) + 1, 1);
    l.offsets = stoa_alloc_zero((size_t)array->length + 1, sizeof *l.offsets);
    STOA_TRY(l.bits != NULL && l.offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(measure_lists(c, &l, err));
    l.at = stoa_alloc((size_t)l.offsets[array->length] + 1, sizeof *l.at);
    STOA_TRY(l.at != NULL ? STOA_OK : stoa_fail_memory(err));
    place_items(&l);
    STOA_TRY(stoa_view_of(c->to->children[0], array->children[0], &view, err));
    STOA_TRY(stoa_take_rows(&view, l.at, l.offsets[array->length], &items, err));
    void *const taken[] = {l.bits, l.offsets};
    l.bits = NULL;
    l.offsets = NULL;
    STOA_TRY(stoa_array_list(out, array->length, l.n_missing, 2, taken, &items, err));

done:
    free(l.bits);
    free(l.offsets);
    free(l.at);
    stoa_array_release(&items);
    return status;
}

/* Make an array of the normal type; `out` stays released if this level has it already. */
static stoa_status change_level(const changing *c, const struct ArrowArray *array,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_decimal decimal = {0, 0, 0};

    switch (form_of(c->from)) {
    case FORM_VIEWS:
        return stoa_normalize_views(array, c->column, out, err);
    case FORM_LIST_VIEWS:
        return take_list_views(c, array, out, err);
    case FORM_RUNS:
        return take_runs(c, array, out, err);
    case FORM_DAYS:
        return stoa_normalize_days(array, c->around, c->column, out, err);
    case FORM_TIMES: /* those of 64 bits are durations already */
        return c->from->format[2] == 's' || c->from->format[2] == 'm'
                   ? stoa_normalize_short_times(array, c->around, c->column, out, err)
                   : STOA_OK;
    case FORM_DECIMALS:
        (void)stoa_decimal_of(c->from->format, &decimal);
        return stoa_normalize_decimals(array, &decimal, c->around, c->column, out, err);
    case FORM_INTERVALS:
        return stoa_normalize_intervals(array, c->around, c->column, out, err);
    case FORM_NULLS:
        return c->to->format[0] == 'n' ? STOA_OK
                                       : stoa_array_missing(c->to, array->length, out, err);
    default:
        return c->from->dictionary != NULL && c->to->dictionary == NULL
                   ? take_codes(c, array, out, err)
                   : STOA_OK;
    }
}

static stoa_status change_array(const changing *c, struct ArrowArray *array, stoa_error *err);

static stoa_status change_part(const changing *c, const struct ArrowSchema *from,
                               const struct ArrowSchema *to, const stoa_around *around,
                               struct ArrowArray *array, stoa_error *err)
{
    const changing part = {c->column, from, to, around};

    if (array == NULL || array->release == NULL) {
        return stoa_fail(err, STOA_EDATA, "column '%s': a nested Arrow array is missing",
                         c->column);
    }
    return change_array(&part, array, err);
}

static stoa_status change_parts(const changing *c, struct ArrowArray *array, stoa_error *err)
{
    const stoa_around around = stoa_around_of(c->from->format, array, c->around);

    if (array->n_children != c->from->n_children ||
        (array->dictionary == NULL) != (c->from->dictionary == NULL)) {
        return stoa_fail(err, STOA_EDATA,
                         "column '%s': an Arrow batch has other parts than its "
                         "schema",
                         c->column);
    }
    if (form_of(c->from) == FORM_RUNS) {
        return change_part(c, c->from->children[1], c->to, NULL, array->children[1], err);
    }
    for (int64_t i = 0; i < array->n_children; i++) {
        STOA_RETURN_NOT_OK(change_part(c, c->from->children[i], c->to->children[i], &around,
                                       array->children[i], err));
    }
    return c->from->dictionary == NULL
               ? STOA_OK
               : change_part(c, c->from->dictionary,
                             c->to->dictionary != NULL ? c->to->dictionary : c->to, NULL,
                             array->dictionary, err);
}

/* Parts are moved out of their batch, as the C data interface allows, and others are put there. */
static stoa_status change_array(const changing *c, struct ArrowArray *array, stoa_error *err)
{
    struct ArrowArray made = {.release = NULL};

    if (is_normal(c->from)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(change_parts(c, array, err));
    STOA_RETURN_NOT_OK(change_level(c, array, &made, err));
    if (made.release != NULL) {
        stoa_array_release(array);
        stoa_array_move(&made, array);
    }
    return STOA_OK;
}

/* --- streams ---------------------------------------------------------------------------------- */

typedef struct normalizing {
    struct ArrowArrayStream *stream; /* borrowed */
    struct ArrowSchema from;
    struct ArrowSchema to;
} normalizing;

static stoa_status write_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    return stoa_schema_copy(&((normalizing *)self)->to, out, err);
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    const normalizing *const n = self;

    STOA_RETURN_NOT_OK(stoa_stream_next(n->stream, out, err));
    if (out->release != NULL && out->n_children != n->from.n_children) {
        return stoa_fail(err, STOA_EDATA, "an Arrow batch has %lld columns, its schema %lld",
                         (long long)out->n_children, (long long)n->from.n_children);
    }
    for (int64_t i = 0; out->release != NULL && i < out->n_children; i++) {
        const struct ArrowSchema *const from = n->from.children[i];
        const changing c = {from->name != NULL ? from->name : "", from, n->to.children[i], NULL};

        STOA_RETURN_NOT_OK(change_part(&c, c.from, c.to, NULL, out->children[i], err));
    }
    return STOA_OK;
}

static void end(void *self)
{
    normalizing *const n = self;

    stoa_schema_release(&n->from);
    stoa_schema_release(&n->to);
    free(n);
}

static stoa_status make_rows(normalizing *n, const struct ArrowSchema *rows, bool keeps_nulls,
                             stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_schema_copy(rows, &n->from, err));
    STOA_RETURN_NOT_OK(stoa_schema_make(&n->to, rows->name, "+s", err));
    STOA_RETURN_NOT_OK(keep_rest(rows, &n->to, err));
    STOA_RETURN_NOT_OK(stoa_schema_children(&n->to, rows->n_children, err));
    for (int64_t i = 0; i < rows->n_children; i++) {
        const char *const name = n->from.children[i]->name;
        const scheming s = {name, keeps_nulls};

        STOA_RETURN_NOT_OK(make_schema(&s, n->from.children[i], 1, n->to.children[i], err));
        STOA_RETURN_NOT_OK(stoa_original_note(n->from.children[i], n->to.children[i], err));
    }
    return STOA_OK;
}

stoa_status stoa_stream_normalize(struct ArrowArrayStream *stream, const struct ArrowSchema *rows,
                                  bool keeps_nulls, struct ArrowArrayStream *out, stoa_error *err)
{
    static const stoa_producer producer = {write_schema, next_batch, end};
    stoa_status status = STOA_OK;
    normalizing *const n = stoa_alloc_zero(1, sizeof *n);

    *out = (struct ArrowArrayStream){.release = NULL};
    STOA_RETURN_NO_MEMORY(err, n);
    n->stream = stream;
    STOA_TRY(make_rows(n, rows, keeps_nulls, err));
    return stoa_stream_make(out, &producer, n, err);

done:
    end(n);
    return status;
}

stoa_status stoa_stream_make_normal(struct ArrowArrayStream **stream, bool keeps_nulls,
                                    struct ArrowArrayStream *normal, struct ArrowSchema *rows,
                                    stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_stream_schema(*stream, rows, err));
    if (stoa_schema_is_normal(rows)) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_stream_normalize(*stream, rows, keeps_nulls, normal, err));
    *stream = normal;
    stoa_schema_release(rows);
    return stoa_stream_schema(normal, rows, err);
}
