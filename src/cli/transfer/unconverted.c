#include "cli/transfer/unconverted.h"
#include "layout/registry.h"

#include <stdlib.h>

#include "cli/output/json.h"
#include "cli/output/output.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL };

void cli_unconverted_options(cli_args *args, cli_unconverted *rest)
{
    static const char *const formats[] = {"text", "json", "jsonl", NULL};

    cli_flag(args, &rest->is_kept, "--keep-rest",
             "copy what no table holds as it is, where all of a file becomes a new one");
    cli_choice(args, &rest->format, formats, "-f, --format FORMAT",
               "of the report on what no table holds: text on stderr (the default); on stdout "
               "json, one array, or jsonl, one object a line");
}

/* --- finding --------------------------------------------------------------------------------- */

typedef struct finding {
    cli_unconverted *rest;
    cli_args *args;
    const char *path; /* that remarks are about; NULL: the one that they say */
} finding;

static bool add(void *context, const stoa_unconverted *found)
{
    const finding *const f = context;
    cli_unconverted *const rest = f->rest;

    rest->items = cli_one_more(rest->items, rest->n_items, sizeof *rest->items);
    rest->items[rest->n_items++] =
        (stoa_unconverted){cli_kept(f->args, found->path), cli_kept(f->args, found->kind),
                           cli_kept(f->args, found->datatype), cli_kept(f->args, found->attributes),
                           cli_kept(f->args, found->why)};
    return true;
}

stoa_status cli_unconverted_find(cli_unconverted *rest, cli_args *args, const cli_place *from,
                                 const stoa_layout_step *steps, size_t n_steps, stoa_error *err)
{
    finding f = {rest, args, NULL};

    for (size_t i = 0; i < n_steps; i++) {
        cli_texts_add(args, &rest->tables, steps[i].path);
    }
    return stoa_layout_visit_unconverted(stoa_file_id(from->file), rest->tables.items, n_steps, add,
                                         &f, err);
}

void cli_unconverted_clear(cli_unconverted *rest)
{
    free(rest->items);
}

static void tell(void *context, const char *path, const char *words)
{
    finding *const f = context;

    (void)add(f, &(stoa_unconverted){.path = f->path != NULL ? f->path : path, .why = words});
}

void cli_unconverted_remark(cli_unconverted *rest, cli_args *args, const char *path,
                            const char *why)
{
    tell(&(finding){rest, args, NULL}, path, why);
}

stoa_status cli_unconverted_tell_names(cli_unconverted *rest, cli_args *args, hid_t into,
                                       const stoa_layout_step *step, stoa_error *err)
{
    finding f = {rest, args, step->path};

    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        if (stoa_layouts[i]->tell_renamed != NULL) {
            STOA_RETURN_NOT_OK(stoa_layouts[i]->tell_renamed(into, step->target, tell, &f, err));
        }
    }
    return STOA_OK;
}

static bool is_any_at(const stoa_layout *layout, hid_t file, const stoa_layout_step *steps,
                      size_t n_steps)
{
    bool is = false;

    for (size_t i = 0; i < n_steps && !is; i++) {
        is = layout->is_at(file, steps[i].path);
    }
    return is;
}

stoa_status cli_unconverted_tell_unread(cli_unconverted *rest, cli_args *args,
                                        const cli_place *from, const stoa_layout_step *steps,
                                        size_t n_steps, const cli_texts *paths, stoa_error *err)
{
    const hid_t file = stoa_file_id(from->file);
    finding f = {rest, args, NULL};

    for (size_t i = 0; stoa_layouts[i] != NULL; i++) {
        const stoa_layout *const layout = stoa_layouts[i];
        const bool is_here = layout->tell_unread != NULL && is_any_at(layout, file, steps, n_steps);
        for (size_t k = 0; is_here && k < paths->n; k++) {
            STOA_RETURN_NOT_OK(layout->tell_unread(file, paths->items[k], tell, &f, err));
        }
    }
    return STOA_OK;
}

/* --- report ---------------------------------------------------------------------------------- */

static bool is_kept(const cli_unconverted *rest, const stoa_unconverted *item)
{
    return rest->is_kept && item->why == NULL;
}

static void put_line(const cli_unconverted *rest, const stoa_unconverted *item, const char *file)
{
    if (item->kind == NULL) {
        cli_remark("%s:%s %s", file, item->path, item->why);
        return;
    }
    cli_remark("%s:%s: %s%s%s: %s%s%s", file, item->path, item->datatype,
               item->attributes != NULL ? " · attributes " : "",
               item->attributes != NULL ? item->attributes : "",
               is_kept(rest, item) ? "kept as it is" : "left out",
               item->why != NULL ? ", since " : "", item->why != NULL ? item->why : "");
}

static void put_json(cli_json *json, const cli_unconverted *rest, const stoa_unconverted *item)
{
    const char *const state = is_kept(rest, item) ? "kept" : "left out";
    const cli_field fields[] = {{"path", item->path},
                                {"kind", item->kind},
                                {"datatype", item->datatype},
                                {"attributes", item->attributes},
                                {"state", item->kind != NULL ? state : NULL},
                                {"why", item->why}};

    cli_json_put(json, fields, sizeof fields / sizeof *fields);
}

stoa_status cli_unconverted_show(const cli_unconverted *rest, const char *file, stoa_error *err)
{
    cli_json json = {stdout, .is_array = rest->format == FORMAT_JSON};

    for (size_t i = 0; i < rest->n_items; i++) {
        if (rest->format == FORMAT_TEXT) {
            put_line(rest, &rest->items[i], file);
        } else {
            put_json(&json, rest, &rest->items[i]);
        }
    }
    if (rest->format == FORMAT_JSON) {
        cli_json_end(&json);
    }
    return cli_flush_stdout(err);
}

const char *cli_unconverted_count(const cli_unconverted *rest, cli_args *args)
{
    size_t n_kept = 0;
    size_t n = 0;
    char *text = NULL;

    for (size_t i = 0; i < rest->n_items; i++) {
        n += rest->items[i].kind != NULL;
        n_kept += rest->items[i].kind != NULL && is_kept(rest, &rest->items[i]);
    }
    if (n == 0) {
        return "";
    }
    if (!rest->is_kept) {
        text =
            cli_sprintf(", %zu %s left out (--keep-rest)", n, cli_plural(n, "object", "objects"));
    } else if (n_kept == n) {
        text = cli_sprintf(", %zu %s kept", n, cli_plural(n, "object", "objects"));
    } else {
        text = cli_sprintf(", %zu %s kept, %zu left out", n_kept,
                           cli_plural(n_kept, "object", "objects"), n - n_kept);
    }
    return cli_keep(args, text);
}
