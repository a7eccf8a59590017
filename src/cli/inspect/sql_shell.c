#include "cli/inspect/sql_shell.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/common/interrupt.h"
#include "cli/common/line_editor.h"
#include "cli/common/terminal.h"
#include "sql/split.h"

/* Completion ------------------------------------------------------------------------------------
 */

static const char *const keywords[] = {
    "all",       "and",       "as",       "asc",        "avg(",   "between", "by",
    "case",      "cast(",     "copy",     "count(",     "create", "cross",   "desc",
    "describe",  "distinct",  "else",     "end",        "except", "exists",  "explain",
    "filter",    "from",      "full",     "group",      "having", "in",      "inner",
    "insert",    "intersect", "interval", "into",       "is",     "join",    "left",
    "like",      "limit",     "max(",     "median(",    "min(",   "natural", "not",
    "null",      "offset",    "on",       "or",         "order",  "outer",   "over",
    "partition", "pivot",     "qualify",  "read_stoa(", "right",  "sample",  "select",
    "set",       "show",      "sum(",     "summarize",  "table",  "then",    "union",
    "unpivot",   "using",     "values",   "view",       "when",   "where",   "window",
    "with",      NULL,
};

typedef struct objects {
    const char *start;
    char **found;
    size_t n;
} objects;

static void add_object(objects *o, const char *file, size_t length, const char *path)
{
    char *const place = cli_sprintf("%.*s:%s", (int)length, file, path);

    if (strncmp(place, o->start, strlen(o->start)) == 0) {
        o->found = cli_one_more(o->found, o->n, sizeof *o->found);
        o->found[o->n++] = place;
    } else {
        free(place);
    }
}

static bool add_table(void *context, const stoa_object *object)
{
    objects *const o = context;
    add_object(o, o->start, (size_t)(strrchr(o->start, ':') - o->start), object->path);
    return true;
}

/* The tables of the file that a word begins with, as "run.h5:/ev". */
static void find_objects(objects *o)
{
    const char *const colon = strrchr(o->start, ':');
    stoa_error ignored = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    if (colon == NULL) {
        return;
    }
    char *const name = cli_sprintf("%.*s", (int)(colon - o->start), o->start);
    if (stoa_file_open(name, STOA_FILE_READ, &file, &ignored) == STOA_OK) {
        (void)!stoa_layout_visit(stoa_file_id(file), add_table, o, &ignored);
    }
    stoa_file_close(file);
    free(name);
}

static char *complete(const char *start, int state)
{
    static objects all;
    static size_t at;

    if (state == 0) {
        for (size_t i = at; i < all.n; i++) {
            free(all.found[i]);
        }
        free(all.found);
        all = (objects){.start = start};
        at = 0;
        find_objects(&all);
        for (size_t i = 0; start[0] != '\0' && keywords[i] != NULL; i++) {
            if (strncasecmp(keywords[i], start, strlen(start)) == 0) {
                all.found = cli_one_more(all.found, all.n, sizeof *all.found);
                all.found[all.n++] = cli_copy(keywords[i]);
            }
        }
    }
    return at < all.n ? all.found[at++] : NULL;
}

/* Commands --------------------------------------------------------------------------------------
 */

static bool show_table(void *context, const stoa_object *object)
{
    printf("'%s:%s'\n", (const char *)context, object->path);
    return true;
}

static void show_tables(const char *name)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_file *file = NULL;

    if (stoa_file_open(name, STOA_FILE_READ, &file, &err) != STOA_OK ||
        stoa_layout_visit(stoa_file_id(file), show_table, (void *)(uintptr_t)name, &err) !=
            STOA_OK) {
        (void)cli_fail(name, &err);
    }
    stoa_file_close(file);
}

/* False for the one that ends the shell. */
static bool run_command(const char *line, cli_sql_runner *run, void *context)
{
    const size_t length = strcspn(line, " \t");
    const char *const rest = line + length + strspn(line + length, " \t");

    if (strncmp(line, ".quit", length) == 0 || strncmp(line, ".exit", length) == 0) {
        return false;
    }
    if (length > 1 && strncmp(line, ".tables", length) == 0) {
        if (*rest != '\0') {
            show_tables(rest);
        } else {
            run(context, "show tables");
        }
    } else {
        printf("A statement ends with ';'. 'FILE[:PATH]' in quotes is a table, as in\n"
               "  from 'run.h5:/events' where energy > 5 limit 10;\n"
               ".tables        tables and views that statements have made\n"
               ".tables FILE   tables of an HDF5 file\n"
               ".quit          ends, as Ctrl-D does\n"
               "Ctrl-C ends a statement, or clears the line.\n");
    }
    return true;
}

/* Lines -----------------------------------------------------------------------------------------
 */

/* Run the statements that are whole, and keep the rest. */
static void run_whole(char *text, cli_sql_runner *run, void *context)
{
    size_t whole = 0;

    for (size_t n = 0; (n = stoa_sql_first(text + whole)) > 0;) {
        whole += n;
    }
    if (whole > 0) {
        char *const statements = cli_sprintf("%.*s", (int)whole, text);

        cli_line_editor_remember(statements);
        run(context, statements);
        free(statements);
        whole += strspn(text + whole, " \t\n");
        memmove(text, text + whole, strlen(text + whole) + 1);
    }
}

void cli_sql_shell(cli_sql_runner *run, void *context)
{
    char *text = cli_copy("");
    bool goes_on = true;

    cli_line_editor_open("sql_history", complete);
    printf("SQL by DuckDB; .help shows the commands\n");
    while (goes_on) {
        const bool is_first = stoa_sql_is_blank(text);

        fflush(stdout);
        char *const line = cli_line_editor_read(is_first ? "stoa> " : "  ... ");
        if (line == NULL && cli_interrupted() == 0) {
            printf("\n");
            goes_on = false;
        } else if (line == NULL) {
            cli_interrupt_forget();
            printf("\n");
            text[0] = '\0';
        } else if (is_first && line[0] == '.') {
            cli_line_editor_remember(line);
            goes_on = run_command(line, run, context);
            text[0] = '\0';
        } else {
            cli_append(&text, "%s\n", line);
            run_whole(text, run, context);
        }
        free(line);
    }
    if (!stoa_sql_is_blank(text)) { /* the end of the input ends a statement, too */
        run(context, text);
    }
    free(text);
}
