/* Any file, however damaged, answers what a reader asks, or says why not. */
#include <stdio.h>
#include <stdlib.h>
#include <stoa/memory.h>
#include <stoa/stoa.h>
#include <string.h>

#include "arrow/build.h"
#include "fuzz/fuzz.h"
#include "layout/registry.h"

#define MAX_COLUMNS 8
#define MAX_ROWS 1000 /* of one read */
#define MAX_STEPS 16  /* of one long job: a table may say that it has 2^60 rows */
#define N_ASKED 6     /* predicates to each column, of those below */

/* The questions to each column; %s is its name. */
static const char *const predicates[] = {
    "%s = 1",
    "%s > -0.5 and %s <= 1e9",
    "%s != 300",
    "not (%s >= 2)",
    "%s in (1, 7.5)",
    "%s is null",
    "%s = 'low'",
    "%s < 'mid'",
    "%s like 'a%%'",
    "%s in ('b', null)",
    "%s = X'00ff'",
    "%s > '2001-05-01'",
    "%s = true",
    "%s",
    "isnan(%s)",
    "%s is not null",
    "%s % 2 = 1",
    "length(%s) > 2",
    "%s + 1 > %s",
    "%s between -5 and 5",
    "list_contains(%s, 1)",
    "length(list_slice(%s, -3, 2)) > 0",
    "list_extract(%s, 1) = 5",
    "case when %s is null then true else %s = 2 end",
};

/* And with values, any of which may be of another type than the column. */
static const char *const bound[] = {
    "%s > ? or %s = ?",       "%s in (?2, :x, ?1)", "%s between ? and ?",
    "%s like ?2 or %s >= ?1", "%s + ?1 < ?2",       "%s = :x",
};
static const stoa_parameter values[][2] = {
    {{.name = "x", .kind = STOA_VALUE_INT64, .as.int64 = INT64_MIN},
     {.kind = STOA_VALUE_UINT64, .as.uint64 = UINT64_MAX}},
    {{.name = "x", .kind = STOA_VALUE_FLOAT64, .as.float64 = -0.5},
     {.kind = STOA_VALUE_FLOAT64, .as.float64 = 1e300}},
    {{.name = "x", .kind = STOA_VALUE_TEXT, .length = 3, .as.text = "low"},
     {.kind = STOA_VALUE_TEXT, .length = 3, .as.text = "a'%"}},
    {{.name = "x", .kind = STOA_VALUE_TIMESTAMP, .unit = STOA_TIME_NANO, .as.int64 = INT64_MAX},
     {.kind = STOA_VALUE_TIMESTAMP, .unit = STOA_TIME_SECOND, .as.int64 = INT64_MIN}},
    {{.name = "x", .kind = STOA_VALUE_DURATION, .unit = STOA_TIME_MILLI, .as.int64 = -1},
     {.kind = STOA_VALUE_DURATION, .unit = STOA_TIME_DAY, .as.int64 = 1}},
    {{.name = "x", .kind = STOA_VALUE_BYTES, .length = 2, .as.bytes = "\0\xff"},
     {.kind = STOA_VALUE_NULL}},
};

static bool count_steps(void *context, const stoa_progress *progress)
{
    unsigned *n_steps = context;

    (void)progress;
    return ++*n_steps < MAX_STEPS;
}

/* Everything a stream holds, as text to nowhere. */
static void write_out(struct ArrowArrayStream *stream, stoa_text_format format)
{
    static FILE *nowhere;
    unsigned n_steps = 0;
    const stoa_listener listener = {count_steps, &n_steps};

    if (nowhere == NULL) {
        nowhere = fopen("/dev/null", "w");
    }
    (void)!stoa_text_write(stream, format, nowhere, &listener, NULL, NULL);
}

static void ask(stoa_table *table, stoa_query_options *options, stoa_text_format format)
{
    struct ArrowArrayStream stream = {.release = NULL};
    stoa_query *query = NULL;
    unsigned n_steps = 0;
    char *text = NULL;

    options->listener = (stoa_listener){count_steps, &n_steps};
    if (stoa_query_open(table, options, &query, NULL) == STOA_OK) {
        if (stoa_query_run(query, &stream, NULL) == STOA_OK) {
            write_out(&stream, format);
        }
        stoa_stream_release(&stream);
        if (stoa_query_explain(query, &text, NULL) == STOA_OK) {
            stoa_free(text);
        }
    }
    stoa_query_close(query);
}

/* A name as queries quote it; false if it is too long. */
static bool quote(const char *name, char *quoted, size_t size)
{
    size_t at = 0;

    quoted[at++] = '"';
    for (; *name != '\0'; name++) {
        if (at + 4 > size) {
            return false;
        }
        if (*name == '"') {
            quoted[at++] = '"';
        }
        quoted[at++] = *name;
    }
    quoted[at++] = '"';
    quoted[at] = '\0';
    return true;
}

/* Each %s of a predicate by the column; %% by %. */
static void fill_in(const char *predicate, const char *column, char *text, size_t size)
{
    size_t at = 0;

    for (const char *p = predicate; *p != '\0' && at + 1 < size; p++) {
        if (p[0] == '%' && p[1] == 's') {
            at += (size_t)snprintf(text + at, size - at, "%s", column);
            at = at < size ? at : size - 1;
            p++;
        } else {
            text[at++] = *p;
            p += p[0] == '%' && p[1] == '%';
        }
    }
    text[at] = '\0';
}

/* FNV-1a: which predicates are asked is a matter of chance, but the file's, not the run's. */
static uint64_t hash_of(const uint8_t *bytes, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void ask_bound(stoa_table *table, const char *column, uint64_t chance)
{
    const size_t n_values = sizeof values / sizeof values[0];
    const size_t n_bound = sizeof bound / sizeof bound[0];
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    char text[1024];

    fill_in(bound[chance / n_values % n_bound], column, text, sizeof text);
    options.where = text;
    options.use_indexes = true;
    options.parameters = values[chance % n_values];
    options.n_parameters = sizeof values[0] / sizeof values[0][0];
    ask(table, &options, STOA_TEXT_CSV);
}

static void ask_about(stoa_table *table, const char *name, uint64_t first)
{
    const size_t n_predicates = sizeof predicates / sizeof predicates[0];
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    char column[256];
    char text[1024];
    char aggregates[1024];

    if (!quote(name, column, sizeof column)) {
        return;
    }
    for (size_t i = 0; i < N_ASKED; i++) {
        fill_in(predicates[(first + i) % n_predicates], column, text, sizeof text);
        options = (stoa_query_options)STOA_QUERY_OPTIONS_INIT;
        options.where = text;
        options.use_indexes = true;
        options.row_numbers = i % 2 == 0;
        ask(table, &options, i % 4 == 1 ? STOA_TEXT_JSON : STOA_TEXT_CSV);
    }
    ask_bound(table, column, first);
    options = (stoa_query_options)STOA_QUERY_OPTIONS_INIT;
    options.use_indexes = true;
    options.sort = column;
    options.limit = 3;
    ask(table, &options, STOA_TEXT_JSONL);
    fill_in("count(), count(%s), min(%s), max(%s), distinct(%s)", column, aggregates,
            sizeof aggregates);
    options.sort = NULL;
    options.limit = -1;
    options.aggregates = aggregates;
    ask(table, &options, STOA_TEXT_JSON);
    fill_in("mode(%s), histogram(%s), arg_min(%s, %s), string_agg(%s order by %s)", column,
            aggregates, sizeof aggregates);
    options.sample = MAX_ROWS;
    ask(table, &options, STOA_TEXT_JSON);
    options.by = column;
    options.aggregates = "count()";
    ask(table, &options, STOA_TEXT_TSV);
}

static void read_ends(stoa_table *table, stoa_column *column)
{
    const uint64_t n_rows = stoa_table_n_rows(table);
    const uint64_t n = n_rows < MAX_ROWS ? n_rows : MAX_ROWS;
    stoa_column_storage storage = STOA_COLUMN_STORAGE_INIT;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};

    (void)!stoa_column_storage_of(column, &storage, NULL);
    if (stoa_column_schema(column, &schema, NULL) == STOA_OK) {
        stoa_schema_release(&schema);
    }
    if (stoa_column_read(column, 0, n, &array, NULL) == STOA_OK) {
        stoa_array_release(&array);
    }
    if (stoa_column_read(column, n_rows - n, n, &array, NULL) == STOA_OK) {
        stoa_array_release(&array);
    }
}

static bool look_at_index(void *context, const stoa_index_info *info)
{
    size_t *n_bytes = context;

    *n_bytes += strlen(info->column) + strlen(info->kind) + strlen(info->path) +
                strlen(info->description) + strlen(info->problem);
    return true;
}

static stoa_status look_at_note(void *context, const stoa_user_attribute *note, stoa_error *err)
{
    (void)err;
    *(size_t *)context += strlen(note->name) + (note->text != NULL ? strlen(note->text) : 0);
    return STOA_OK;
}

static void look_at_table(stoa_table *table, uint64_t chance)
{
    stoa_query_options all = STOA_QUERY_OPTIONS_INIT;
    struct ArrowSchema schema = {.release = NULL};
    size_t n_bytes = 0;

    if (stoa_table_schema(table, &schema, NULL) == STOA_OK) {
        stoa_schema_release(&schema);
    }
    (void)!stoa_index_visit(table, look_at_index, &n_bytes, NULL);
    (void)!stoa_layout_visit_user_attributes(table, look_at_note, &n_bytes, NULL);
    for (size_t i = 0; i < stoa_table_n_columns(table) && i < MAX_COLUMNS; i++) {
        stoa_column *column = stoa_table_column(table, i);
        read_ends(table, column);
        ask_about(table, stoa_column_name(column), chance + i * N_ASKED);
        if (stoa_table_n_rows(table) <= MAX_ROWS) {
            bool same = false;
            (void)!stoa_index_verify(table, stoa_column_name(column), NULL, &same, NULL);
        }
    }
    ask(table, &all, STOA_TEXT_CSV);
    ask(table, &all, STOA_TEXT_JSON);
}

typedef struct paths {
    char *paths[32];
    size_t n;
} paths;

static bool keep_path(void *context, const stoa_object *object)
{
    paths *kept = context;

    if (kept->n < sizeof kept->paths / sizeof kept->paths[0]) {
        kept->paths[kept->n] = strdup(object->path);
        kept->n += kept->paths[kept->n] != NULL;
    }
    return true;
}

/* Tables as one of the two listings finds them, and the root. */
static void look_at_file(hid_t file, uint64_t chance,
                         stoa_status (*list)(hid_t, stoa_object_visitor, void *, stoa_error *),
                         stoa_status (*open)(hid_t, const char *, stoa_table **, stoa_error *))
{
    paths tables = {.n = 0};

    if (file >= 0) {
        (void)!list(file, keep_path, &tables, NULL);
        for (size_t i = 0; i < tables.n; i++) {
            stoa_table *table = NULL;
            if (open(file, tables.paths[i], &table, NULL) == STOA_OK) {
                look_at_table(table, chance);
                stoa_table_close(table);
            }
            free(tables.paths[i]);
        }
        stoa_table *root = NULL;
        if (open(file, "/", &root, NULL) == STOA_OK) {
            look_at_table(root, 0);
            stoa_table_close(root);
        }
    }
    fuzz_close(file);
}

void fuzz_query(const uint8_t *bytes, size_t n)
{
    look_at_file(fuzz_open(bytes, n), hash_of(bytes, n) % 1024, stoa_place_visit, stoa_hep001_open);
}

void fuzz_layout(const uint8_t *bytes, size_t n)
{
    look_at_file(fuzz_open(bytes, n), hash_of(bytes, n) % 1024, stoa_layout_visit, stoa_table_open);
}

void fuzz_set(const uint8_t *bytes, size_t n)
{
    look_at_file(fuzz_open_set(bytes, n), hash_of(bytes, n) % 1024, stoa_layout_visit,
                 stoa_table_open);
}
