#include "cli/common/source.h"

#include <hdf5.h>
#include <limits.h>
#include <stoa/jsonl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrow/build.h"
#include "core/file_names.h"
#include "core/text.h"
#include "layout/input/arrow_file.h"
#include "layout/input/arrow_labels.h"
#include "layout/input/input.h"
#include "layout/registry.h"
#include "sql/parquet.h"

/* Positions in the choices of --format. */
enum { BY_NAME, AS_CSV, AS_TSV, AS_JSONL, AS_ARROW };

static bool is_regular(const char *name)
{
    struct stat file;

    return stat(name, &file) == 0 && S_ISREG(file.st_mode);
}

static stoa_status open_arrow(const char *const *names, size_t n, bool by_name,
                              const stoa_listener *listener, struct ArrowArrayStream *stream,
                              stoa_error *err)
{
    (void)n;
    (void)by_name;
    return stoa_arrow_open(names[0], listener, stream, err);
}

static bool is_arrow(const char *name)
{
    return is_regular(name) && stoa_arrow_is_one(name);
}

/* DuckDB finds the files of a pattern. */
static bool is_parquet(const char *name)
{
    return is_regular(name)
               ? stoa_parquet_is_one(name)
               : stoa_file_is_pattern(name) && stoa_ends_with(name, strlen(name), ".parquet");
}

static stoa_status open_parquet(const char *const *names, size_t n, bool by_name,
                                const stoa_listener *listener, struct ArrowArrayStream *stream,
                                stoa_error *err)
{
    (void)listener;
    return stoa_parquet_open(&(stoa_parquet_files){names, n, by_name}, stream, err);
}

static const cli_typed_file arrow = {"an Arrow file", false, is_arrow, open_arrow};
static const cli_typed_file parquet = {"a Parquet file", true, is_parquet, open_parquet};

const cli_typed_file *cli_typed_file_of(const char *name)
{
    static const cli_typed_file *const kinds[] = {&arrow, &parquet};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i]->is_one(name)) {
            return kinds[i];
        }
    }
    return NULL;
}

/* The layout of a file whose rows have types of their own; NULL for others. */
static const stoa_layout *rows_of(const char *name)
{
    for (size_t i = 0; is_regular(name) && stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->rows != NULL && stoa_layouts[i]->rows->is_one(name)) {
            return stoa_layouts[i];
        }
    }
    return NULL;
}

void cli_source_options(cli_args *args, cli_source *source, bool types_too)
{
    static const char *const reactions[] = {"stop", "skip", "null", NULL};
    static const char *const formats[] = {"auto", "csv", "tsv", "jsonl", "arrow", NULL};

    cli_choice(
        args, &source->format, formats, "-f, --format FORMAT",
        "csv, tsv, jsonl, or arrow, also as a stream; auto, the default, goes by INPUT and takes "
        "stdin for csv");
    cli_list(args, &source->types, "--type COL=TYPE",
             "int8 ... uint64, float32, float64, bool, string, category, date or timestamp; may be "
             "repeated");
    cli_list(args, &source->null_texts, "--null TEXT",
             "TEXT means missing, as the empty field does; may be repeated");
    cli_text(
        args, &source->delimiter, "--delimiter C",
        "between fields: a character, or tab; by default what the first lines have, in .tsv a tab");
    cli_flag(args, &source->csv_options.no_header, "--no-header",
             "the first row has values; columns are called column_1, column_2 ...");
    cli_number(args, &source->csv_options.n_skipped, "--skip N", "leave out the first N lines");
    cli_text(args, &source->comment, "--comment C", "leave out lines that begin with C");
    cli_text(args, &source->csv_options.encoding, "--encoding NAME",
             "of the text: utf-16, latin1, cp1252 ...; by default utf-8");
    cli_text(args, &source->decimal, "--decimal C", "the decimal point: , or . (the default)");
    cli_text(args, &source->csv_options.date_format, "--date-format FORMAT",
             "of times that are not ISO 8601, such as %d.%m.%Y or '%m/%d/%y %H:%M'");
    cli_choice(args, &source->on_error, reactions, "--on-error WHAT",
               "at a bad row: stop (the default), skip the row, or null the value");
    cli_follow_option(args, &source->place.follows);
    cli_number(args, &source->n_threads, "--threads N",
               "threads at most, to read and to pack; by default one a processor");
    if (types_too) {
        cli_list(args, &source->category, "--category A,B",
                 "keep these strings as categories; with --type, values of that type");
        cli_list(args, &source->no_category, "--no-category A,B",
                 "never keep these strings as categories; '*' for none");
        cli_list(args, &source->units, "--units COL=TEXT", "units of a column; may be repeated");
    }
}

/* A character, or 0 without one; false after a message. */
static bool set_character(cli_args *args, const char *text, const char *option, const char *allowed,
                          char *to)
{
    const bool is_one = text == NULL || (strlen(text) == 1 && (uint8_t)text[0] < 0x80 &&
                                         (allowed == NULL || strchr(allowed, text[0]) != NULL) &&
                                         strchr("\"\r\n", text[0]) == NULL);

    if (!is_one) {
        cli_misused(args, "%s '%s': it takes one character%s%s", option, text,
                    allowed != NULL ? " of " : "", allowed != NULL ? allowed : "");
    } else if (text != NULL) {
        *to = text[0];
    }
    return is_one;
}

/* Split "a=b" pairs; false after a message. */
static bool split_pairs(cli_args *args, const cli_texts *from, const char *option,
                        stoa_csv_pair **to)
{
    stoa_csv_pair *const pairs = cli_keep(args, cli_resize(NULL, from->n, sizeof *pairs));

    for (size_t i = 0; i < from->n; i++) {
        pairs[i].column = cli_cut(args, from->items[i], '=', &pairs[i].value);
        if (pairs[i].value == NULL) {
            cli_misused(args, "%s '%s': it takes COLUMN=VALUE", option, from->items[i]);
            return false;
        }
    }
    *to = pairs;
    return true;
}

static bool set_delimiter(cli_args *args, cli_source *source)
{
    const char *const text = source->delimiter;

    if (text == NULL) {
        source->csv_options.delimiter = source->format == AS_TSV   ? '\t'
                                        : source->format == AS_CSV ? ','
                                                                   : 0;
        return true;
    }
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) {
        source->csv_options.delimiter = '\t';
    } else if (strlen(text) == 1 && strchr("\"\r\n", text[0]) == NULL) {
        source->csv_options.delimiter = text[0];
    } else {
        cli_misused(args, "'%s' cannot stand between fields; give one character, or tab", text);
        return false;
    }
    return true;
}

/* A file of exactly that name is text, even if the name looks like a place. */
static bool looks_like_table(const cli_source *source)
{
    if (source->place.place.path != NULL) {
        return access(source->name, F_OK) != 0;
    }
    return H5Fis_accessible(source->place.place.file, H5P_DEFAULT) > 0;
}

/* Whether the name ends as files of JSON lines do, also before .gz and .zst. */
static bool has_json_name(const char *name)
{
    static const char *const suffixes[] = {".jsonl", ".ndjson", ".json"};
    const size_t length = stoa_input_stem(name);
    bool has = false;

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        has |= stoa_ends_with(name, length, suffixes[i]);
    }
    return has;
}

/* JSON lines have no use for some of the options for CSV. */
static bool json_accepted(cli_args *args, const cli_source *source)
{
    const stoa_csv_options *const o = &source->csv_options;
    const char *const stray = source->delimiter != NULL           ? "--delimiter"
                              : o->no_header                      ? "--no-header"
                              : o->n_skipped > 0                  ? "--skip"
                              : source->comment != NULL           ? "--comment"
                              : o->encoding != NULL               ? "--encoding"
                              : source->decimal != NULL           ? "--decimal"
                              : o->date_format != NULL            ? "--date-format"
                              : source->more.n > 0                ? "a list of files"
                              : source->on_error != STOA_CSV_STOP ? "--on-error"
                                                                  : NULL;

    if (stray != NULL) {
        cli_misused(args, "%s is JSON lines: %s is for CSV", source->name, stray);
    }
    return stray == NULL;
}

bool cli_source_accepted(cli_args *args, cli_source *source, const char *name)
{
    const bool is_told_how =
        source->types.n + source->null_texts.n + source->category.n + source->no_category.n +
                source->units.n >
            0 ||
        source->delimiter != NULL || (source->format != BY_NAME && source->format != AS_ARROW) ||
        source->comment != NULL || source->decimal != NULL || source->csv_options.no_header ||
        source->csv_options.n_skipped > 0 || source->csv_options.encoding != NULL ||
        source->csv_options.date_format != NULL;
    const stoa_csv_options given = source->csv_options;
    stoa_csv_options *const o = &source->csv_options;
    stoa_error err = STOA_ERROR_INIT;
    cli_texts category = {0};
    cli_texts no_category = {0};
    stoa_csv_pair *types = NULL;
    stoa_csv_pair *units = NULL;

    *o = (stoa_csv_options)STOA_CSV_OPTIONS_INIT;
    o->no_header = given.no_header;
    o->n_skipped = given.n_skipped;
    o->encoding = given.encoding;
    o->date_format = given.date_format;
    o->more = source->more.items;
    o->n_more = source->more.n;
    o->by_name = source->place.by_name;
    o->strict = source->place.is_strict;
    source->name = name;
    if (strcmp(name, "-") != 0) {
        if (cli_place_parse(&source->place, name, &err) != STOA_OK ||
            cli_place_find_file(&source->place, &err) != STOA_OK) {
            args->status = cli_fail(name, &err);
            return false;
        }
        source->is_table = looks_like_table(source);
        source->typed = source->is_table ? NULL : cli_typed_file_of(name);
        source->rows = !source->is_table ? rows_of(name) : NULL;
    }
    if (source->format == AS_ARROW) {
        source->is_table = false;
        source->typed = &arrow;
        source->rows = NULL;
    }
    const bool has_types = source->is_table || source->typed != NULL || source->rows != NULL;
    const bool is_one_of_many =
        source->more.n > 0 && (source->typed == NULL || !source->typed->takes_several);
    if (has_types && (is_told_how || is_one_of_many)) {
        cli_misused(args, "%s is %s%s: options that say how to read text do not apply", name,
                    source->is_table        ? "a table"
                    : source->typed != NULL ? source->typed->title
                                            : "a file of ",
                    source->rows != NULL ? source->rows->title : "");
        return false;
    }
    source->is_json = source->format == AS_JSONL ||
                      (source->format == BY_NAME && !has_types && has_json_name(name));
    if (source->is_json && !json_accepted(args, source)) {
        return false;
    }
    if (!set_character(args, source->comment, "--comment", NULL, &o->comment) ||
        !set_character(args, source->decimal, "--decimal", ",.", &o->decimal) ||
        !set_delimiter(args, source) || !split_pairs(args, &source->types, "--type", &types) ||
        !split_pairs(args, &source->units, "--units", &units)) {
        return false;
    }
    cli_split_names(args, &source->category, &category);
    cli_split_names(args, &source->no_category, &no_category);
    o->null_texts = source->null_texts.items;
    o->n_null_texts = source->null_texts.n;
    o->types = types;
    o->n_types = source->types.n;
    o->units = units;
    o->n_units = source->units.n;
    o->category = category.items;
    o->n_category = category.n;
    o->no_category = no_category.items;
    o->n_no_category = no_category.n;
    o->on_error = (stoa_csv_on_error)source->on_error;
    o->threads = cli_source_threads(source);
    return true;
}

unsigned cli_source_threads(const cli_source *source)
{
    return source->n_threads < UINT_MAX ? (unsigned)source->n_threads : UINT_MAX;
}

bool cli_source_is_in(const cli_source *source, const char *file)
{
    return source->is_table && cli_is_same_file(source->place.place.file, file);
}

/* The user's types, then those the caller knows for other columns. */
static void add_types(cli_args *args, stoa_csv_options *o, const stoa_csv_pair *types,
                      size_t n_types)
{
    const size_t n_given = o->n_types;
    stoa_csv_pair *const all = cli_keep(args, cli_resize(NULL, n_given + n_types, sizeof *all));

    for (size_t i = 0; i < n_given; i++) {
        all[i] = o->types[i];
    }
    for (size_t i = 0; i < n_types; i++) {
        bool is_given = false;

        for (size_t j = 0; j < n_given && !is_given; j++) {
            is_given = strcmp(all[j].column, types[i].column) == 0;
        }
        if (!is_given) {
            all[o->n_types++] = types[i];
            o->n_known_types++;
        }
    }
    o->types = all;
}

/* Keep a line until the rows are read. */
static void keep_remark(void *context, const char *text)
{
    stoa_error unused = STOA_ERROR_INIT;

    (void)stoa_string_set_add(context, text, strlen(text), &(uint32_t){0}, &unused);
}

/* Open the text and its stream. */
static stoa_status open_rows(cli_source *source, const stoa_csv_options *options, stoa_error *err)
{
    if (source->is_json) {
        return stoa_jsonl_open(source->name, options, &source->stream, err);
    }
    STOA_RETURN_NOT_OK(stoa_csv_open(source->name, options, &source->csv, err));
    return stoa_csv_stream(source->csv, &source->stream, err);
}

static stoa_status open_text(cli_args *args, cli_source *source, const stoa_csv_pair *types,
                             size_t n_types, const stoa_listener *listener, stoa_error *err)
{
    stoa_csv_options options = source->csv_options;

    options.listener = *listener;
    options.on_remark = keep_remark;
    options.remark_context = &source->remarks;
    add_types(args, &options, types, n_types);
    return open_rows(source, &options, err);
}

static stoa_status open_table(cli_args *args, cli_source *source, stoa_file *written,
                              const stoa_listener *listener, stoa_error *err)
{
    stoa_query_options options = STOA_QUERY_OPTIONS_INIT;
    stoa_status status = STOA_OK;

    source->is_shared = written != NULL;
    if (written != NULL) {
        source->place.file = written;
    } else {
        STOA_TRY(cli_place_open_file(&source->place, STOA_FILE_READ, err));
    }
    STOA_TRY(cli_place_find_table(&source->place, err));
    options.listener = *listener;
    options.threads = cli_source_threads(source);
    if (source->skips_damage && cli_place_columns(args, &source->place, &options.columns) > 0) {
        args->status = CLI_NO;
    }
    STOA_TRY(stoa_query_open(source->place.table, &options, &source->query, err));
    STOA_TRY(stoa_query_run(source->query, &source->stream, err));
done:
    return stoa_at(err, status, "%s", source->name);
}

stoa_status cli_source_open(cli_args *args, cli_source *source, const stoa_csv_pair *types,
                            size_t n_types, stoa_file *written, const stoa_listener *listener,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (source->is_table) {
        return open_table(args, source, written, listener, err);
    }
    if (source->typed != NULL) {
        cli_texts names = {0};
        cli_texts_add(args, &names, source->name);
        for (size_t i = 0; i < source->more.n; i++) {
            cli_texts_add(args, &names, source->more.items[i]);
        }
        STOA_TRY(source->typed->open(names.items, names.n, source->place.by_name, listener,
                                     &source->stream, err));
        goto done;
    }
    if (source->rows != NULL) {
        STOA_TRY(source->rows->rows->open(source->name, listener, &source->stream, err));
        goto done;
    }
    STOA_TRY(open_text(args, source, types, n_types, listener, err));
done:
    return stoa_at(err, status, "%s", source->name);
}

stoa_status cli_typed_row_labels(cli_args *args, struct ArrowArrayStream *stream, cli_texts *names,
                                 stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_string_set found = {0};
    struct ArrowSchema schema = {.release = NULL};

    STOA_TRY(stoa_stream_schema(stream, &schema, err));
    STOA_TRY(stoa_arrow_row_labels(&schema, &found, err));
    for (uint32_t i = 0; i < found.count; i++) {
        size_t length = 0;
        const char *const name = stoa_string_set_get(&found, i, &length);
        cli_texts_add(args, names, cli_keep(args, cli_sprintf("%.*s", (int)length, name)));
    }

done:
    stoa_schema_release(&schema);
    stoa_string_set_clear(&found);
    return status;
}

void cli_source_close(cli_source *source)
{
    stoa_stream_release(&source->stream);
    stoa_query_close(source->query);
    source->query = NULL;
    if (source->csv != NULL) {
        source->n_errors = stoa_csv_n_errors(source->csv);
    }
    stoa_csv_close(source->csv);
    source->csv = NULL;
    stoa_string_set_clear(&source->remarks);
    if (source->is_shared) {
        source->place.file = NULL; /* its owner closes it */
        source->is_shared = false;
        stoa_table_close(source->place.table);
        source->place.table = NULL;
    }
    cli_place_close(&source->place);
}

void cli_source_tell_remarks(const cli_source *source)
{
    const char *text = NULL;

    for (size_t i = 0; source->csv != NULL && (text = stoa_csv_remark(source->csv, i)) != NULL;
         i++) {
        cli_remark("%s: %s", source->name, text);
    }
    for (uint32_t i = 0; i < source->remarks.count; i++) {
        size_t length = 0;
        text = stoa_string_set_get(&source->remarks, i, &length);
        cli_remark("%s: %.*s", source->name, (int)length, text);
    }
}

void cli_source_tell_errors(const cli_source *source)
{
    const unsigned long long n = source->n_errors;

    if (n > 0 && source->on_error == STOA_CSV_SKIP) {
        cli_remark("%s: %llu bad %s left out", source->name, n, cli_plural(n, "row", "rows"));
    } else if (n > 0) {
        cli_remark("%s: %llu bad %s set missing", source->name, n,
                   cli_plural(n, "value", "values"));
    }
}
