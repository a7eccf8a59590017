/* stoa check: check tables against HEP001. The rules are in src/check. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/args.h"
#include "cli/common/place.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "cli/output/json.h"
#include "layout/registry.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_JSONL };

typedef struct report {
    const char *file;
    bool several;   /* several files: findings name theirs */
    bool is_strict; /* show INFO */
    bool follows;
    int format;
    cli_json json;
    uint64_t n_shown;
    uint64_t n_refused;
    uint64_t n_before[2]; /* the same before the current table */
    bool judged_by[3];    /* by revision: tables of the current place */
    char *unread;         /* first remark (INFO) of a place on objects that are not checked; NULL:
                             none */
    char *strangers;      /* paths of objects of a place that are not examined; NULL: none */
} report;

static void put_json(report *r, const stoa_finding *f)
{
    const cli_field fields[] = {{"file", r->several ? r->file : NULL},
                                {"path", f->path},
                                {"level", f->level},
                                {"section", f->section},
                                {"rule", f->rule},
                                {"message", f->message},
                                {"column", f->column},
                                {"revision", stoa_revision_name(f->revision)}};

    cli_json_put(&r->json, fields, sizeof fields / sizeof *fields);
}

static void put_line(const report *r, const stoa_finding *f)
{
    const char *const colour = strcmp(f->level, "MUST") == 0     ? "31"
                               : strcmp(f->level, "SHOULD") == 0 ? "33"
                                                                 : "2";

    if (r->several) {
        printf("%s:", r->file);
    }
    fputs(f->path, stdout);
    if (f->column != NULL) {
        printf(" (of %s)", f->column);
    }
    fputs(": ", stdout);
    cli_paint(stdout, colour);
    fputs(f->level, stdout);
    cli_paint(stdout, "0");
    printf(" §%s [%s]: %s\n", f->section, f->rule, f->message);
}

/* In JSON each table has an object of its own, behind those of its findings. */
static void note_table(void *context, const stoa_checked *table)
{
    report *const r = context;
    const cli_field fields[] = {{"file", r->several ? r->file : NULL},
                                {"checked", table->path},
                                {"revision", stoa_revision_name(table->revision)},
                                {"stoa", stoa_version()},
                                {"indexes", table->indexes ? "compared" : "not compared"}};
    const cli_count counts[] = {{"rows", table->n_rows},
                                {"findings", r->n_shown - r->n_before[0]},
                                {"refused", r->n_refused - r->n_before[1]}};

    if (r->format != FORMAT_TEXT) {
        cli_json_put_counts(&r->json, fields, sizeof fields / sizeof *fields, counts,
                            sizeof counts / sizeof *counts);
    }
    r->judged_by[table->revision] = true;
    r->n_before[0] = r->n_shown;
    r->n_before[1] = r->n_refused;
}

/* " by 2026-06 and 2026-07", for the line of totals. */
static const char *revisions_of(const report *r)
{
    if (r->judged_by[STOA_REVISION_2026_06]) {
        return r->judged_by[STOA_REVISION_2026_07] ? " by 2026-06 and 2026-07" : " by 2026-06";
    }
    return r->judged_by[STOA_REVISION_2026_07] ? " by 2026-07" : "";
}

/* Note objects below a table that no rule examines. Tables inside tables are checked separately. */
static void note_stranger(report *r, const stoa_finding *f)
{
    if (strncmp(f->rule, "7.6-", 4) == 0 && strcmp(f->rule, "7.6-NESTED-TABLE") != 0) {
        r->strangers = r->strangers != NULL ? r->strangers : cli_copy("");
        cli_append(&r->strangers, "%s%s", r->strangers[0] != '\0' ? ", " : "", f->path);
    }
}

static bool print_findings(void *context, const stoa_finding *f)
{
    report *const r = context;

    if (cli_refused(NULL) != STOA_OK) {
        return false; /* a refused read is not damage */
    }
    note_stranger(r, f);
    if (strcmp(f->level, "INFO") == 0 && !r->is_strict) {
        if (r->unread == NULL && strcmp(f->rule, "2-NOT-READ") == 0) {
            r->unread = cli_sprintf("%s: %s", f->path, f->message);
        }
        return true;
    }
    cli_progress_clear();
    if (r->format == FORMAT_TEXT) {
        put_line(r, f);
    } else {
        put_json(r, f);
    }
    r->n_shown++;
    r->n_refused += f->refuses;
    return true;
}

static bool take_layout(void *context, const stoa_object *object)
{
    const stoa_layout *const layout = stoa_layout_find_listed(object->layout);
    const char **const title = context;

    *title = layout != NULL ? layout->title : object->layout;
    return false;
}

/* Nothing was checked: a file of another layout is sound or not by other rules. */
static stoa_status tell_nothing(const cli_place *place, stoa_error *err)
{
    stoa_error ignored = STOA_ERROR_INIT;
    const char *title = NULL;

    if (stoa_layout_visit(stoa_file_id(place->file), take_layout, &title, &ignored) == STOA_OK &&
        title != NULL) {
        return stoa_fail(err, STOA_ENOTFOUND,
                         "holds tables of %s, and 'stoa check' is about tables of HEP001; 'stoa "
                         "convert' makes such a table",
                         title);
    }
    return stoa_fail(err, STOA_ENOTFOUND, "there is no table in it; 'stoa ls' lists what there is");
}

static stoa_status check_place(report *r, const char *text, const stoa_check_options *options,
                               stoa_error *err)
{
    const uint64_t n_before = r->n_shown;
    bool none[3] = {false};
    cli_place place = {.follows = r->follows};
    uint64_t n_tables = 0;
    char count[24];
    stoa_status status = STOA_OK;

    STOA_TRY(cli_place_parse(&place, text, err));
    STOA_TRY(cli_place_open_file(&place, STOA_FILE_READ, err));
    r->file = place.place.file;
    memcpy(r->judged_by, none, sizeof none);
    status = stoa_check(stoa_file_id(place.file), place.place.path, options, print_findings, r,
                        NULL, &n_tables, err);
    cli_progress_clear();
    STOA_TRY(status);
    STOA_TRY(cli_refused(err));
    const uint64_t n = r->n_shown - n_before;

    if (n_tables == 0 && n == 0 && r->unread != NULL) {
        STOA_FAIL(err, STOA_EDATA, "there is no table in what can be read of it; %s", r->unread);
    }
    if (n_tables == 0 && n == 0) {
        STOA_TRY(tell_nothing(&place, err));
    }
    snprintf(count, sizeof count, "%llu", (unsigned long long)n);
    if (r->strangers != NULL) {
        cli_remark("%s: left out, since Stoa does not know it: %s (HEP001 §7.6)", place.place.file,
                   r->strangers);
    }
    cli_remark("%s: %llu %s checked%s, %s %s%s", place.name, (unsigned long long)n_tables,
               cli_plural(n_tables, "table", "tables"), revisions_of(r), n == 0 ? "no" : count,
               cli_plural(n, "finding", n == 0 ? "finding" : "findings"),
               r->unread != NULL ? "; not everything could be judged: --strict says why" : "");
done:
    stoa_at(err, status, "%s", place.name != NULL ? place.name : text);
    free(r->strangers);
    free(r->unread);
    r->strangers = NULL;
    r->unread = NULL;
    cli_place_close(&place);
    return status;
}

static stoa_status check(cli_args *args, stoa_error *err)
{
    static const char *const formats[] = {"text", "json", "jsonl", NULL};
    static const char *const revisions[] = {"told", "2026-06", "2026-07", NULL};
    int revision = STOA_REVISION_TOLD;
    uint64_t threads = 0;
    bool quiet = false;
    stoa_check_options options = STOA_CHECK_OPTIONS_INIT;
    report r = {.format = FORMAT_TEXT};
    cli_texts operands = {0};
    cli_texts places = {0};

    cli_flag(args, &r.is_strict, "--strict",
             "refuse a broken SHOULD and what is not described too, and show remarks (INFO)");
    cli_flag(args, &options.indexes, "--indexes", "compare index contents with their columns");
    cli_choice(args, &revision, revisions, "--revision REVISION",
               "judge by HEP001 as of 2026-06 or 2026-07, or (told) by what the table tells");
    cli_choice(args, &r.format, formats, "-f, --format FORMAT",
               "text (the default), json: one array, or jsonl: one object a line");
    cli_number(args, &threads, "--threads N", "threads at most; by default one a processor");
    cli_progress_option(args, &quiet);
    cli_follow_option(args, &r.follows);
    cli_operands(args, &operands, "PLACE...", "FILE for every table in it, or FILE:PATH");
    if (!cli_accepted(args)) {
        return STOA_OK;
    }
    args->subject = operands.items[0];
    STOA_RETURN_NOT_OK(cli_places_expand(args, &operands, &places, err));
    r.several = places.n > 1;
    r.json = (cli_json){stdout, .is_array = r.format == FORMAT_JSON};
    options.strict = r.is_strict;
    options.revision = (stoa_revision)revision;
    options.checked = note_table;
    options.threads = threads < UINT_MAX ? (unsigned)threads : UINT_MAX;
    options.listener = cli_listener(quiet);
    for (size_t i = 0; i < places.n; i++) {
        stoa_error why = STOA_ERROR_INIT;

        if (check_place(&r, places.items[i], &options, &why) != STOA_OK) {
            args->status = cli_fail(places.items[i], &why); /* continue with the other places */
        }
    }
    if (r.format == FORMAT_JSON) {
        cli_json_end(&r.json);
    }
    if (args->status == CLI_DONE && r.n_refused > 0) {
        args->status = CLI_NO;
    }
    return STOA_OK;
}

const cli_command cmd_check = {"check", "test tables against the HEP001 specification",
                               "stoa check run.h5 --strict --indexes", check};
