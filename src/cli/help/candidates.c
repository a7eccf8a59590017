#include "cli/help/candidates.h"

#include <ctype.h>
#include <stdlib.h>
#include <stoa/version.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/common/terminal.h"
#include "cli/output/type_name.h"
#include "core/text.h"
#include "hdf/metadata/links.h"
#include "layout/registry.h"
#include "query/parse/lex.h"
#include "table/open/table.h"

/* --- words ----------------------------------------------------------------------------------- */

/* Whether a terminal shows the text as it is. */
static bool is_harmless(const char *text)
{
    stoa_sink sink = {.out = NULL};

    cli_escaped(&sink, text, strlen(text));
    const bool is = sink.text.size == 0 || (sink.text.size == strlen(text) &&
                                            memcmp(sink.text.data, text, sink.text.size) == 0);
    stoa_sink_clear(&sink);
    return is;
}

/* Whether the word may become one with this text. */
static bool is_begun(const cli_candidates *c, const char *text)
{
    const char *const typed = c->word + c->n_before;

    return stoa_starts_with(text, typed) ||
           /* a name in quotes, which need not be typed */
           (text[0] == '"' && typed[0] != '\0' && stoa_starts_with(text + 1, typed));
}

void cli_candidate(cli_candidates *c, const char *text, const char *help)
{
    if (is_begun(c, text) && text[0] != '\0' && is_harmless(text) && is_harmless(c->word)) {
        printf("%.*s%s\t%s\n", (int)c->n_before, c->word, text,
               help != NULL && is_harmless(help) ? help : "");
        c->n++;
    }
}

void cli_candidates_of_list(cli_candidates *c, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        cli_candidate(c, names[i], NULL);
    }
}

void cli_candidates_of_call(cli_candidates *c, const char *(*name)(size_t i))
{
    for (size_t i = 0; name(i) != NULL; i++) {
        cli_candidate(c, name(i), NULL);
    }
}

void cli_candidates_of_functions(cli_candidates *c, bool takes_aggregates, const char *behind)
{
    const stoa_function_text *text;
    const char *last = "";

    for (size_t i = 0; (text = stoa_function_text_at(i, NULL)) != NULL; i++) {
        bool is_aggregate = false;

        for (size_t k = 0; stoa_aggregate_name(k) != NULL && !is_aggregate; k++) {
            is_aggregate = strcmp(stoa_aggregate_name(k), text->name) == 0;
        }
        if (strcmp(text->name, last) != 0 && (takes_aggregates || !is_aggregate)) {
            char *const word = cli_sprintf("%s%s", text->name, behind);
            cli_candidate(c, word, text->help);
            free(word);
        }
        last = text->name; /* one of several forms */
    }
}

/* --- columns --------------------------------------------------------------------------------- */

/* As queries and lists take a name: in double quotes unless it is a plain word. */
static char *name_of(const char *name)
{
    bool is_plain =
        !isdigit((unsigned char)name[0]) && name[0] != '\0' && !stoa_is_keyword(name, strlen(name));

    for (const char *at = name; *at != '\0' && is_plain; at++) {
        is_plain = isalnum((unsigned char)*at) || *at == '_' || (unsigned char)*at >= 0x80;
    }
    return is_plain ? cli_copy(name) : cli_quoted(name);
}

enum { MAX_TYPES = 100 }; /* that are said, since each column must be opened */

static void put_column(cli_candidates *c, const stoa_column *column, const char *behind)
{
    struct ArrowSchema schema = {0};
    stoa_error ignored = STOA_ERROR_INIT;
    char *const name = name_of(stoa_column_name(column));
    char *const word = cli_sprintf("%s%s", name, behind);

    if (is_begun(c, word)) {
        const bool is_known =
            c->n < MAX_TYPES && stoa_column_schema(column, &schema, &ignored) == STOA_OK;
        char *const type = is_known ? cli_type_name(&schema) : NULL;
        cli_candidate(c, word, type);
        free(type);
        stoa_schema_release(&schema);
    }
    free(word);
    free(name);
}

void cli_candidates_of_columns(cli_candidates *c, const char *behind)
{
    bool is_found = false;

    for (size_t i = 0; i < c->args->n && !is_found && cli_begin_hdf5(); i++) {
        cli_place place = {.file = NULL};
        stoa_error ignored = STOA_ERROR_INIT;

        is_found =
            cli_place_open_table(&place, c->args->items[i], STOA_FILE_READ, &ignored) == STOA_OK;
        for (size_t k = 0; is_found && k < stoa_table_n_columns(place.table); k++) {
            put_column(c, stoa_table_column(place.table, k), behind);
        }
        cli_place_close(&place);
    }
}

/* --- expressions ----------------------------------------------------------------------------- */

/* The byte where the last name of a text begins; NULL within a string. */
static const char *last_name(const char *text)
{
    const char *start = text;
    char quote = '\0';

    for (const char *at = text; *at != '\0'; at++) {
        const bool is_part =
            isalnum((unsigned char)*at) || *at == '_' || (unsigned char)*at >= 0x80;

        if (quote != '\0') {
            quote = *at == quote ? '\0' : quote;
            start = quote == '\0' ? at + 1 : start;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
            start = at;
        } else if (!is_part) {
            start = at + 1;
        }
    }
    return quote == '\'' ? NULL : start;
}

void cli_candidates_of_expression(cli_candidates *c, bool takes_aggregates)
{
    static const char *const keywords[] = {"and", "or",   "not",  "in",    "between", "like",
                                           "is",  "null", "true", "false", NULL};
    const char *const start = last_name(c->word + c->n_before);

    c->goes_on = true;
    if (start == NULL) {
        return;
    }
    c->n_before = (size_t)(start - c->word);
    cli_candidates_of_columns(c, "");
    if (*start != '\0') { /* else there would be hundreds */
        cli_candidates_of_functions(c, takes_aggregates, "(");
        cli_candidates_of_list(c, keywords);
    }
}

/* --- places ---------------------------------------------------------------------------------- */

enum { PROBE_SECONDS = 20 }; /* thousandths, to tell tables from other groups */

typedef struct group {
    cli_candidates *c;
    clock_t began;
} group;

/* What is at a link. Tables are not looked for in many groups. */
static const char *kind_of(const group *g, hid_t parent, const char *name)
{
    const stoa_layout_class *class = NULL;
    stoa_object shown = {0};
    stoa_error ignored = STOA_ERROR_INIT;
    hid_t object = H5Oopen(parent, name, H5P_DEFAULT);
    const H5I_type_t type = object >= 0 ? H5Iget_type(object) : H5I_BADID;
    const bool has_time = clock() - g->began < PROBE_SECONDS * (CLOCKS_PER_SEC / 1000);
    const char *kind = type == H5I_DATASET ? "dataset" : type == H5I_GROUP ? "group" : NULL;

    bool is_table = false;

    if (kind != NULL && has_time) {
        is_table =
            (type == H5I_GROUP && stoa_table_probe(object, &is_table, &ignored) == STOA_OK &&
             is_table) ||
            (stoa_layout_find_class(object, &class, &shown, &ignored) == STOA_OK && class != NULL);
    }
    kind = is_table ? "table" : kind;
    (void)stoa_hdf_close(&object, STOA_OK, NULL);
    return kind;
}

static herr_t put_link(hid_t parent, const char *name, const H5L_info2_t *info, void *context)
{
    group *const g = context;
    const char *const typed = g->c->word + g->c->n_before;
    const bool is_near = info->type == H5L_TYPE_HARD || info->type == H5L_TYPE_SOFT;

    if (strncmp(name, typed, strlen(typed)) != 0 || !is_near) {
        return 0;
    }
    const char *const kind = kind_of(g, parent, name);
    char *const word = cli_sprintf("%s%s", name, kind != NULL && kind[0] == 'g' ? "/" : "");
    if (kind != NULL) {
        cli_candidate(g->c, word, kind);
    }
    free(word);
    return 0;
}

/* The objects of the group that the word has begun to name, at `colon`. */
static void put_objects(cli_candidates *c, const char *colon)
{
    const char *const slash = strrchr(colon, '/');
    char *const file = cli_sprintf("%.*s", (int)(colon - c->word), c->word);
    char *const path = cli_sprintf("%.*s", (int)(slash - colon), colon + 1);
    cli_place place = {.file = NULL};
    stoa_error ignored = STOA_ERROR_INIT;
    hid_t parent = H5I_INVALID_HID;
    group g = {c, clock()};

    c->n_before = (size_t)(slash + 1 - c->word);
    if (cli_place_parse(&place, file, &ignored) == STOA_OK &&
        cli_place_open_file(&place, STOA_FILE_READ, &ignored) == STOA_OK) {
        const stoa_error_stack errors = stoa_error_stack_begin();
        parent = H5Gopen2(stoa_file_id(place.file), path, H5P_DEFAULT);
        if (parent >= 0) {
            (void)!stoa_links_visit(parent, put_link, &g, &ignored);
        }
        (void)stoa_hdf_close(&parent, STOA_OK, NULL);
        stoa_error_stack_discard(&errors);
    }
    cli_place_close(&place);
    free(path);
    free(file);
}

static bool is_hdf5(const char *name)
{
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    char begin[sizeof signature];
    struct stat about;
    FILE *const file = stat(name, &about) == 0 && S_ISREG(about.st_mode) ? fopen(name, "rb") : NULL;
    bool is = false;

    if (file != NULL) {
        is = fread(begin, 1, sizeof begin, file) == sizeof begin &&
             memcmp(begin, signature, sizeof begin) == 0;
        fclose(file);
    }
    return is;
}

void cli_candidates_of_place(cli_candidates *c)
{
    const char *colon = strstr(c->word + c->n_before, ":/");
    char *file = NULL;

    if (colon != NULL && cli_begin_hdf5()) {
        c->goes_on = true;
        put_objects(c, colon);
        return;
    }
    /* A file that is named, but for the slash of its path. */
    const size_t length = strlen(c->word);
    const bool has_colon = length > 0 && c->word[length - 1] == ':';
    file = cli_sprintf("%.*s", (int)(length - has_colon), c->word);
    if (is_hdf5(file)) {
        char *const word = cli_sprintf("%s:/", file);
        c->n_before = 0;
        c->goes_on = has_colon;
        cli_candidate(c, word, "what is in it");
        free(word);
    }
    c->takes_files = true;
    free(file);
}
