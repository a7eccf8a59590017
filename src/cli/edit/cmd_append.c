/* stoa append: more rows for a table (HEP001 §11.2). */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/type.h"
#include "cli/common/args.h"
#include "cli/common/layouts.h"
#include "cli/common/missing.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/common/source.h"
#include "cli/edit/edit.h"
#include "layout/registry.h"

static bool has_text_labels(const struct ArrowSchema *schema)
{
    stoa_error unused = STOA_ERROR_INIT;
    stoa_type labels;

    return stoa_type_of(schema->dictionary, &labels, &unused) == STOA_OK &&
           stoa_kind_is_string(labels.kind);
}

/*
 * The type that text for a column, or for the items of its lists, is parsed as; NULL to infer it.
 * Labels that are no strings are looked up by value.
 *
 * It is the widest of its kind: the column's current width must not refuse a larger number. The
 * table widens a column as needed.
 */
static const char *text_type(const struct ArrowSchema *schema)
{
    stoa_error unused = STOA_ERROR_INIT;
    stoa_type type;

    if (stoa_type_of(schema, &type, &unused) != STOA_OK) {
        return NULL;
    }
    switch (type.kind) {
    case STOA_KIND_BOOL:
        return "bool";
    case STOA_KIND_FLOAT16:
    case STOA_KIND_FLOAT32:
        return "float32";
    case STOA_KIND_FLOAT64:
        return "float64";
    case STOA_KIND_UINT64:
        return "uint64";
    case STOA_KIND_STRING:
    case STOA_KIND_LARGE_STRING:
        return "string";
    case STOA_KIND_DICTIONARY:
        return has_text_labels(schema) ? "category" : text_type(schema->dictionary);
    case STOA_KIND_DATE:
        return "date";
    case STOA_KIND_TIMESTAMP:
        return "timestamp";
    case STOA_KIND_DURATION:
        return "duration";
    case STOA_KIND_LIST:
    case STOA_KIND_LARGE_LIST:
        return text_type(schema->children[0]);
    default:
        return stoa_kind_is_integer(type.kind) ? "int64" : NULL;
    }
}

static stoa_status types_of(cli_args *args, const stoa_table *table, stoa_csv_pair **types,
                            size_t *n, stoa_error *err)
{
    const size_t n_columns = stoa_table_n_columns(table);

    *types = cli_keep(args, cli_resize(NULL, n_columns, sizeof **types));
    for (size_t i = 0; i < n_columns; i++) {
        const stoa_column *const column = stoa_table_column(table, i);
        struct ArrowSchema schema = {0};
        const stoa_status status = stoa_column_schema(column, &schema, err);
        const char *type;

        if (status != STOA_OK) {
            return status;
        }
        type = text_type(&schema);
        stoa_schema_release(&schema);
        if (type != NULL) {
            const char *const name = cli_keep(args, cli_copy(stoa_column_name(column)));
            (*types)[(*n)++] = (stoa_csv_pair){name, type};
        }
    }
    return STOA_OK;
}

static stoa_status append_rows(cli_args *args, cli_source *source, cli_edit *edit, stoa_error *err)
{
    cli_place *const place = edit->place;
    const stoa_edit_options *const options = &edit->options;
    const bool inside = cli_source_is_in(source, place->place.file);
    stoa_csv_pair *types = NULL;
    size_t n_types = 0;
    uint64_t n_rows = 0;

    if (cli_is_home(place->table) && options->n_missing > 0) {
        return stoa_fail(
            err, STOA_EINVAL,
            "missing values stay what they are in HEP001 (§8.5): nothing stands for them");
    }
    STOA_RETURN_NOT_OK(types_of(args, place->table, &types, &n_types, err));
    STOA_RETURN_NOT_OK(cli_source_open(args, source, types, n_types, inside ? place->file : NULL,
                                       &options->listener, err));
    if (inside && strcmp(source->place.place.path, place->place.path) == 0) {
        return stoa_fail(err, STOA_EINVAL, "a table cannot be appended to itself; export it first");
    }
    STOA_RETURN_NOT_OK(
        cli_is_home(place->table)
            ? stoa_table_append(place->table, &source->stream, options, &n_rows, err)
            : stoa_layout_append(place->table, &source->stream, options, &n_rows, err));
    cli_source_tell_remarks(source);
    cli_source_close(source);
    STOA_RETURN_NOT_OK(cli_edit_commit(edit, err));
    cli_source_tell_errors(source);
    cli_remark("%s: %llu %s appended from %s", place->name, (unsigned long long)n_rows,
               cli_plural(n_rows, "row", "rows"), source->name);
    return STOA_OK;
}

/* The same for a layout with files of its own, which it opens itself. */
static stoa_status append_to_files(cli_args *args, cli_source *source, cli_edit *edit,
                                   stoa_error *err)
{
    cli_place *const place = edit->place;
    const char *const file = cli_keep(args, cli_copy(stoa_file_name(place->file)));
    const char *const path = cli_keep(args, cli_copy(place->place.path));
    const char *const name = cli_keep(args, cli_copy(place->name));
    const bool safe = place->safe;
    stoa_csv_pair *types = NULL;
    size_t n_types = 0;
    uint64_t n_rows = 0;

    STOA_RETURN_NOT_OK(types_of(args, place->table, &types, &n_types, err));
    if (cli_source_is_in(source, place->place.file)) {
        return stoa_fail(err, STOA_EINVAL, "rows of the file itself; export them first");
    }
    cli_place_close(place);
    STOA_RETURN_NOT_OK(
        cli_source_open(args, source, types, n_types, NULL, &edit->options.listener, err));
    STOA_RETURN_NOT_OK(stoa_layout_append_files(file, path, &source->stream, &edit->options, safe,
                                                cli_patience(), &n_rows, err));
    cli_progress_clear();
    cli_source_tell_remarks(source);
    cli_source_tell_errors(source);
    cli_remark("%s: %llu %s appended from %s", name, (unsigned long long)n_rows,
               cli_plural(n_rows, "row", "rows"), source->name);
    return STOA_OK;
}

/* The name may be that of a set of files. */
static stoa_status open_table(cli_args *args, cli_edit *edit, stoa_error *err)
{
    STOA_RETURN_NOT_OK(cli_place_parse(edit->place, args->subject, err));
    STOA_RETURN_NOT_OK(cli_place_find_file(edit->place, err));
    return cli_edit_open_place(edit, err);
}

/* Files that are one object have no table that grows by itself. */
static void refuse_whole(const cli_edit *edit, const char *input, stoa_error *err)
{
    const cli_place *const place = edit->place;

    if (place->file != NULL && place->place.path == NULL &&
        stoa_layout_is_whole(stoa_file_id(place->file))) {
        *err = (stoa_error)STOA_ERROR_INIT;
        (void)stoa_fail(err, STOA_ELAYOUT,
                        "is a file whose members belong together; make a new one of both: "
                        "stoa concat %s %s NEW",
                        place->place.file, input);
    }
}

static stoa_status append(cli_args *args, stoa_error *err)
{
    cli_source source = {.on_error = STOA_CSV_STOP};
    const char *input = NULL;
    cli_edit edit = {0};
    cli_texts missing = {0};
    stoa_status status = STOA_OK;

    cli_source_options(args, &source, false);
    cli_missing_option(args, &missing);
    cli_operand(args, &input, "INPUT", CLI_SOURCE_HELP);
    cli_edit_options(args, &edit);
    if (cli_accepted(args) && cli_source_accepted(args, &source, input)) {
        edit.options.missing = cli_missing_values(args, &missing);
        edit.options.n_missing = missing.n;
        edit.options.threads = cli_source_threads(&source);
        status = open_table(args, &edit, err);
        if (status != STOA_OK) {
            refuse_whole(&edit, input, err);
            goto done;
        }
        STOA_TRY(stoa_layout_has_files(edit.place->table)
                     ? append_to_files(args, &source, &edit, err)
                     : append_rows(args, &source, &edit, err));
    }
done:
    cli_source_close(&source);
    return status;
}

const cli_command cmd_append = {"append", "add rows to a table, matching columns by name",
                                "stoa append tuesday.csv run.h5:/events", append};
