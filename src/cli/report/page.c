#include "cli/report/page.h"

#include <stdlib.h>
#include <stoa/check.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/progress.h"
#include "cli/inspect/tree.h"
#include "cli/output/markup.h"
#include "layout/registry.h"

/* What a page has at most, so that browsers show it. Columns take about 700 bytes each. Up to FEW
 * tables are unfolded. */
enum { MOST_COLUMNS = 20000, MOST_TABLES = 100, MOST_OBJECTS = 2000, MOST_LINES = 2000 };
enum { MOST_FINDINGS = 200, FEW = 3 };

/* Colours are those of the Python package's notebooks. */
static const char *const style =
    ":root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--line:#d8dee4;--back:#ffffff;"
    "--head:#f6f8fa;--bar:#3b7dd8;--soft:#dbe9fb;--ok:#1a7f37;--so:#9a6700;--bad:#cf222e}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9198a1;--line:#30363d;"
    "--back:#14181d;--head:#1c2128;--bar:#6ea8fe;--soft:#22385a;--ok:#3fb950;--so:#d29922;"
    "--bad:#ff7b72}}"
    "*{box-sizing:border-box}"
    "body{margin:0 auto;max-width:1360px;padding:20px;color:var(--ink);background:var(--back);"
    "font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}"
    "h1{font-size:24px;margin:0 0 4px}h2{font-size:19px;margin:32px 0 8px}"
    "h3{font-size:16px;margin:0;display:inline}"
    ".dim,small{color:var(--dim)}small{font-size:12px}"
    "a{color:var(--bar)}code{font:13px ui-monospace,monospace;background:var(--head);"
    "padding:1px 5px;border-radius:4px}"
    "pre{font:12px/1.45 ui-monospace,monospace;background:var(--head);padding:10px 14px;margin:0;"
    "border-radius:6px;overflow-x:auto}"
    ".scroll{overflow-x:auto}"
    "table{border-collapse:collapse;width:100%;font-size:13px;font-variant-numeric:tabular-nums}"
    "th,td{padding:5px 8px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}"
    "th{background:var(--head);font-weight:600;white-space:nowrap}"
    "th.n,td.n{text-align:right}td.n{white-space:nowrap}td.name{font-weight:600;min-width:9em}"
    "td:not(:first-child):not(.d){overflow-wrap:normal}"
    "td.name small{font-weight:400}"
    "details{margin:8px 0}summary{cursor:pointer}"
    "details.table{border:1px solid var(--line);border-radius:8px;padding:10px 14px}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:10px 0}"
    "dt{color:var(--dim)}dd{margin:0}ul{padding-left:20px}li{margin:4px 0}"
    ".ok{color:var(--ok)}.so{color:var(--so)}.bad{color:var(--bad)}b{font-weight:600}"
    "svg.h{display:block;width:130px;height:28px}svg.h path{fill:var(--bar)}"
    "td.d{min-width:150px}"
    ".l{display:block;font-size:12px;padding:0 4px;margin-bottom:1px;white-space:nowrap;"
    "background:linear-gradient(to right,var(--soft) var(--p),transparent var(--p))}"
    ".l i{color:var(--dim);font-style:normal}"
    /* On a phone, a row of columns is a card. */
    "@media(max-width:720px){body{padding:12px}table.columns thead{display:none}"
    "table.columns tr{display:grid;grid-template-columns:1fr 1fr;padding:8px 0;"
    "border-bottom:1px solid var(--line)}table.columns td{border:0;padding:2px 4px;"
    "text-align:left;white-space:normal;min-width:0}"
    "table.columns td.name,table.columns td.d{grid-column:1/3}"
    "table.columns td:empty{display:none}"
    "table.columns td:not(.name):not(.d)::before{content:attr(data-n) \" \";color:var(--dim);"
    "font-size:12px}details.table{padding:8px}}";

/* --- objects --------------------------------------------------------------------------------- */

typedef struct object {
    char *path; /* owned, as are all texts */
    char *layout;
    char *kind;
    char *shape; /* of an array; NULL: a table */
    uint64_t n_rows;
    uint64_t n_columns;
    uint64_t n_bytes;
} object;

typedef struct objects {
    cli_unopened unopened; /* first, since a walk's context is one */
    object *all;
    size_t n;
    size_t n_tables;
    char *problems; /* HTML; owned; NULL: none */
    size_t problems_size;
    FILE *problems_out;
} objects;

static bool add_table(void *context, const stoa_object *shown)
{
    objects *const o = context;

    o->all = cli_one_more(o->all, o->n, sizeof *o->all);
    o->all[o->n++] = (object){.path = cli_copy(shown->path),
                              .layout = cli_copy(shown->layout),
                              .kind = cli_copy(shown->kind),
                              .n_rows = shown->n_rows,
                              .n_columns = shown->n_columns,
                              .n_bytes = shown->n_bytes};
    o->n_tables++;
    return true;
}

static bool add_array(void *context, const stoa_array_object *array)
{
    objects *const o = context;

    o->all = cli_one_more(o->all, o->n, sizeof *o->all);
    o->all[o->n++] = (object){.path = cli_copy(array->path),
                              .layout = cli_copy(array->layout),
                              .kind = cli_copy(array->kind),
                              .shape = cli_extent(array->rank, array->extent),
                              .n_bytes = array->n_bytes};
    return true;
}

static void add_problem(void *context, const char *path, const char *why)
{
    objects *const o = context;

    cli_tell_unopened(&o->unopened, path, why);
    if (o->problems_out != NULL && o->unopened.n <= MOST_FINDINGS) {
        fputs("<li class=bad>", o->problems_out);
        cli_put_markup(o->problems_out, path);
        fputs(": ", o->problems_out);
        cli_put_markup(o->problems_out, why);
        fputs("</li>\n", o->problems_out);
    }
}

static void clear_objects(objects *o)
{
    for (size_t i = 0; i < o->n; i++) {
        free(o->all[i].path);
        free(o->all[i].layout);
        free(o->all[i].kind);
        free(o->all[i].shape);
    }
    free(o->all);
    if (o->problems_out != NULL) {
        (void)fclose(o->problems_out);
    }
    free(o->problems);
}

static void put_objects(const objects *o, FILE *out)
{
    char bytes[16];
    char rows[CLI_COUNT_SIZE];

    fputs("<h2>Objects</h2>\n<div class=scroll><table><thead><tr><th>path<th>layout<th>kind"
          "<th class=n>rows or shape<th class=n>columns<th class=n>stored</tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < o->n && i < MOST_OBJECTS; i++) {
        const object *const one = &o->all[i];
        fputs("<tr><td>", out);
        cli_put_markup(out, one->path);
        fputs("<td>", out);
        cli_put_markup(out, one->layout);
        fputs("<td>", out);
        cli_put_markup(out, one->kind);
        cli_human_bytes(one->n_bytes, bytes);
        if (one->shape != NULL) {
            fprintf(out, "<td class=n>%s<td class=n><td class=n>%s</tr>\n", one->shape, bytes);
        } else {
            cli_spaced_count(one->n_rows, rows);
            fprintf(out, "<td class=n>%s<td class=n>%llu<td class=n>%s</tr>\n", rows,
                    (unsigned long long)one->n_columns, bytes);
        }
    }
    fputs("</tbody></table></div>\n", out);
    if (o->n > MOST_OBJECTS) {
        fprintf(out, "<p class=dim>%zu more; <code>stoa ls</code> lists all of them.</p>\n",
                o->n - MOST_OBJECTS);
    }
    if (o->n == 0) {
        fputs("<p>Nothing in it that Stoa knows.</p>\n", out);
    }
}

/* --- tree ------------------------------------------------------------------------------------ */

static stoa_status put_tree(const cli_place *place, FILE *out, stoa_error *err)
{
    cli_unopened unopened = {.file = place->place.file};
    char *tree = NULL;
    size_t size = 0;
    size_t n_lines = 0;
    hid_t root = H5I_INVALID_HID;
    FILE *const memory = open_memstream(&tree, &size);
    stoa_status status = STOA_OK;

    if (memory == NULL) {
        return stoa_fail(err, STOA_ENOMEM, "no memory for the tree of its objects");
    }
    root = H5Gopen2(stoa_file_id(place->file), "/", H5P_DEFAULT);
    status = cli_tree_print(root, "/", CLI_MAX_TREE_DEPTH, &unopened, memory, err);
    (void)stoa_hdf_close(&root, STOA_OK, NULL);
    (void)fclose(memory);
    if (status != STOA_OK || tree == NULL) {
        free(tree);
        return status;
    }
    char *end = tree;
    while (*end != '\0' && n_lines < MOST_LINES) {
        n_lines += *end++ == '\n';
    }
    const bool is_cut = *end != '\0';
    *end = '\0';
    fprintf(out, "<h2>Tree</h2>\n<details%s><summary>Groups and datasets</summary><pre>",
            n_lines <= 40 ? " open" : "");
    for (char *line = tree; *line != '\0';) { /* line ends stay line ends */
        const size_t length = strcspn(line, "\n");
        const bool has_more = line[length] == '\n';
        line[length] = '\0';
        cli_put_markup(out, line);
        fputc('\n', out);
        line += length + has_more;
    }
    fprintf(out, "%s</pre></details>\n", is_cut ? "...\n" : "");
    free(tree);
    return STOA_OK;
}

/* --- conformance ----------------------------------------------------------------------------- */

typedef struct findings {
    FILE *out;
    uint64_t n;
} findings;

static bool put_finding(void *context, const stoa_finding *finding)
{
    findings *const f = context;

    if (cli_refused(NULL) != STOA_OK) {
        return false;
    }
    if (strcmp(finding->level, "INFO") == 0) {
        return true;
    }
    f->n++;
    if (f->n <= MOST_FINDINGS) {
        fprintf(f->out, "%s<li><b class=%s>%s</b> ", f->n == 1 ? "<ul>\n" : "",
                strcmp(finding->level, "MUST") == 0 ? "bad" : "so", finding->level);
        cli_put_markup(f->out, finding->path);
        fputs(": ", f->out);
        cli_put_markup(f->out, finding->message);
        fprintf(f->out, " <small>HEP001 §%s</small></li>\n", finding->section);
    }
    return true;
}

static stoa_status put_findings(const cli_place *place, const cli_report_options *options,
                                FILE *out, stoa_error *err)
{
    stoa_check_options check = STOA_CHECK_OPTIONS_INIT;
    findings f = {.out = out};
    stoa_error why = STOA_ERROR_INIT;
    uint64_t n_tables = 0;

    check.listener = options->listener;
    fputs("<h2>Conformance</h2>\n", out);
    const stoa_status status =
        stoa_check(stoa_file_id(place->file), NULL, &check, put_finding, &f, NULL, &n_tables, &why);
    STOA_RETURN_NOT_OK(cli_refused(err));
    fputs(f.n > 0 ? "</ul>\n" : "", out);
    if (status != STOA_OK) {
        fputs("<p class=bad>", out);
        cli_put_markup(out, why.message);
        fputs("</p>\n", out);
    } else if (n_tables == 0) {
        fputs("<p class=dim>It has no table of HEP001, whose rules <code>stoa check</code> "
              "knows.</p>\n",
              out);
    } else {
        fprintf(out, "<p class=%s>%llu %s of HEP001 checked, %llu %s.</p>\n",
                f.n == 0 ? "ok" : "dim", (unsigned long long)n_tables,
                cli_plural(n_tables, "table", "tables"), (unsigned long long)f.n,
                cli_plural(f.n, "finding", "findings"));
    }
    return STOA_OK;
}

/* --- tables ---------------------------------------------------------------------------------- */

/* Write the sections of tables, with hints. Returns whether all could be read. */
static bool put_tables(cli_args *args, cli_place *place, const objects *o,
                       const cli_report_options *options, cli_hints *hints, FILE *out)
{
    size_t n_shown = 0;
    bool is_whole = true;

    fputs(o->n_tables > 0 ? "<h2>Tables</h2>\n" : "", out);
    for (size_t i = 0; i < o->n && n_shown < MOST_TABLES; i++) {
        stoa_error why = STOA_ERROR_INIT;
        bool is_read = false;

        if (o->all[i].shape != NULL) {
            continue;
        }
        n_shown++;
        cli_place_set_path(place, o->all[i].path);
        if (cli_place_find_table(place, &why) == STOA_OK) {
            is_read = cli_report_table(args, place, options, hints, out, &why);
        } else {
            fputs("<p class=bad>", out);
            cli_put_markup(out, o->all[i].path);
            fputs(": ", out);
            cli_put_markup(out, why.message);
            fputs("</p>\n", out);
        }
        if (!is_read && why.status != STOA_OK) {
            cli_remark("%s: %s", place->name, why.message);
        }
        is_whole = is_whole && is_read;
        stoa_table_close(place->table);
        place->table = NULL;
    }
    if (o->n_tables > n_shown) {
        fprintf(out, "<p class=dim>%zu more tables; <code>stoa info</code> describes them.</p>\n",
                o->n_tables - n_shown);
    }
    return is_whole;
}

static void put_hints(const cli_hints *hints, FILE *out)
{
    fputs("<h2>Suggestions</h2>\n", out);
    if (hints->n == 0) {
        fputs("<p class=dim>None.</p>\n", out);
        return;
    }
    fputs("<ul>\n", out);
    for (size_t i = 0; i < hints->n; i++) {
        fprintf(out, "<li>%s</li>\n", hints->all[i]);
    }
    fputs("</ul>\n", out);
}

static void put_head(const cli_place *place, const objects *o, FILE *out)
{
    struct stat about;
    char bytes[16] = "";

    if (stat(place->place.file, &about) == 0) {
        cli_human_bytes((uint64_t)about.st_size, bytes);
    }
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<title>",
          out);
    cli_put_markup(out, place->place.file);
    fprintf(out, "</title>\n<style>%s</style></head>\n<body>\n<h1>", style);
    cli_put_markup(out, place->place.file);
    fprintf(out, "</h1>\n<p class=dim>%s, %zu %s, %zu %s. Written by stoa %s.</p>\n", bytes,
            o->n_tables, cli_plural(o->n_tables, "table", "tables"), o->n - o->n_tables,
            cli_plural(o->n - o->n_tables, "array", "arrays"), stoa_version());
}

stoa_status cli_report_page(cli_args *args, cli_place *place, cli_report_options options, FILE *out,
                            bool *is_whole, stoa_error *err)
{
    static const stoa_layout_visitors visitors = {sizeof visitors, add_table, add_array, NULL,
                                                  add_problem};
    objects o = {.unopened = {.file = place->place.file}};
    cli_hints hints = {.n = 0};
    size_t n_left = MOST_COLUMNS;
    char *tables = NULL;
    size_t tables_size = 0;
    FILE *const sections = open_memstream(&tables, &tables_size);
    stoa_status status = STOA_OK;

    options.n_left = &n_left;
    if (sections == NULL) {
        return stoa_fail(err, STOA_ENOMEM, "no memory for the page");
    }
    o.problems_out = open_memstream(&o.problems, &o.problems_size);
    STOA_TRY(stoa_layout_visit_all(stoa_file_id(place->file), &visitors, &o, err));
    options.is_open = o.n_tables <= FEW;
    put_head(place, &o, out);
    if (o.problems_out != NULL && fflush(o.problems_out) == 0 && o.problems_size > 0) {
        fprintf(out, "<h2>What cannot be read</h2>\n<ul>\n%s</ul>\n", o.problems);
    }
    put_objects(&o, out);
    STOA_TRY(put_findings(place, &options, out, err));
    /* What they suggest comes before them. */
    *is_whole = put_tables(args, place, &o, &options, &hints, sections) && o.unopened.n == 0;
    STOA_TRY(cli_refused(err));
    put_hints(&hints, out);
    if (fflush(sections) != 0) {
        STOA_FAIL(err, STOA_ENOMEM, "no memory for the page");
    }
    (void)fwrite(tables, 1, tables_size, out);
    STOA_TRY(put_tree(place, out, err));
    fputs("</body></html>\n", out);

done:
    (void)fclose(sections);
    free(tables);
    cli_hints_clear(&hints);
    clear_objects(&o);
    return status;
}
