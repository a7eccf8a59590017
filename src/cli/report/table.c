#include "cli/report/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "arrow/read.h"
#include "cli/common/layouts.h"
#include "cli/common/progress.h"
#include "cli/edit/indexes.h"
#include "cli/inspect/column_summary.h"
#include "cli/output/cell.h"
#include "cli/output/grid.h"
#include "cli/output/markup.h"
#include "cli/output/type_name.h"
#include "cli/report/sample.h"

/* Cells of a table that is read whole, columns of a fold, and columns that are asked which index
 * suits them. */
enum { SMALL_TABLE_CELLS = 10000000, FOLD = 100, MOST_ADVISED = 200 };
/* Bars of a histogram, their pixels, and labels that are named. */
enum { BARS = 24, BAR = 5, HEIGHT = 28, LABELS = 4, LABEL_WIDTH = 24 };
/* What makes a hint: rows of a table worth an index, bytes of a column, and how much smaller. */
enum { INDEXED_ROWS = 100000, LARGE_BYTES = 1 << 20, FEW_LABELS = 256 };
static const double worth_packing = 1.3;

typedef struct section {
    cli_args *args;
    cli_place *place;
    const cli_report_options *options;
    FILE *out;
    cli_contents contents;
    cli_indexes indexes;
    bool is_trusted;
    bool is_home;
    bool is_scanned;              /* ranges and missing values are of all rows */
    stoa_column_storage *storage; /* of each column; owned */
    uint64_t n_raw;
    uint64_t n_stored;
    char *unindexed; /* "det (bitmap), time (sorted)"; owned, as are: */
    char *unpacked;
    char *uncategorized;
    uint64_t n_without_units;
    uint64_t n_numbers;
    bool is_whole; /* all could be read */
} section;

void cli_spaced_count(uint64_t n, char out[CLI_COUNT_SIZE])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);

    out[0] = '\0';
    for (int i = 0; i < length; i++) {
        const char digit[] = {digits[i], '\0'};
        (void)strcat(out, i > 0 && (length - i) % 3 == 0 ? "\u202f" : ""); /* narrow, no break */
        (void)strcat(out, digit);
    }
}

/* --- hints ----------------------------------------------------------------------------------- */

static void add_hint(cli_hints *hints, const char *html)
{
    hints->all = cli_one_more(hints->all, hints->n, sizeof *hints->all);
    hints->all[hints->n++] = cli_copy(html);
}

void cli_hints_clear(cli_hints *hints)
{
    for (size_t i = 0; i < hints->n; i++) {
        free(hints->all[i]);
    }
    free(hints->all);
    *hints = (cli_hints){.n = 0};
}

/* A word of a shell's command line. */
static char *word_of(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-,=";
    char *word = NULL;

    if (name[0] != '\0' && strspn(name, plain) == strlen(name)) {
        return cli_copy(name);
    }
    word = cli_copy("'");
    for (; *name != '\0'; name++) {
        if (*name == '\'') {
            cli_append(&word, "'\\''");
        } else {
            cli_append(&word, "%c", *name);
        }
    }
    cli_append(&word, "'");
    return word;
}

static void list_name(char **list, const char *name, const char *what)
{
    enum { MOST = 400 };

    if (*list == NULL) {
        *list = cli_copy("");
    }
    if (strlen(*list) < MOST) {
        cli_append(list, "%s%s%s%s%s", (*list)[0] != '\0' ? ", " : "", name,
                   what != NULL ? " (" : "", what != NULL ? what : "", what != NULL ? ")" : "");
    } else if (strcmp(*list + strlen(*list) - 3, "...") != 0) {
        cli_append(list, ", ...");
    }
}

/* Add a hint: what was seen, of which columns, and the command that mends it. */
static void hint(const section *s, cli_hints *hints, const char *seen, const char *columns,
                 const char *command, const char *after)
{
    char *const place = word_of(s->place->name);
    char *bytes = NULL;
    size_t n = 0;
    FILE *const out = open_memstream(&bytes, &n);

    if (out != NULL) {
        cli_put_markup(out, seen);
        cli_put_markup(out, columns != NULL ? columns : "");
        fputs(": <code>stoa ", out);
        cli_put_markup(out, command);
        fputc(' ', out);
        cli_put_markup(out, place);
        cli_put_markup(out, after);
        fputs("</code>", out);
        (void)fclose(out);
        add_hint(hints, bytes);
    }
    free(bytes);
    free(place);
}

static void add_hints(const section *s, cli_hints *hints)
{
    char *units = NULL;

    if (s->unindexed != NULL) {
        hint(s, hints, "An index would let queries skip rows by ", s->unindexed, "index add",
             " --auto");
    }
    if (s->indexes.n_usable > 0 && !s->is_trusted) {
        hint(s, hints, "Queries do not use the indexes until they are verified", NULL,
             "index verify", "");
    }
    if (s->indexes.n > s->indexes.n_usable) {
        hint(s, hints, "Some indexes cannot be used as they are", NULL, "index verify",
             " --repair");
    }
    if (s->unpacked != NULL && s->is_home) {
        hint(s, hints, "Packed anew, these columns would be smaller: ", s->unpacked,
             "column storage", " COLUMN... --codec auto");
    } else if (s->unpacked != NULL) {
        hint(s, hints, "As a table of HEP001, these columns would be smaller: ", s->unpacked,
             "convert", " OUTPUT.h5:/table --to hep001");
    }
    if (s->uncategorized != NULL && s->is_home) {
        hint(s, hints, "Texts that repeat are smaller and faster as categories: ", s->uncategorized,
             "column categories", " COLUMN...");
    }
    if (s->n_without_units > 0 && s->is_home) {
        units =
            cli_sprintf("%llu of %llu columns of numbers have no units",
                        (unsigned long long)s->n_without_units, (unsigned long long)s->n_numbers);
        hint(s, hints, units, NULL, "attr", " -c COLUMN units=STR");
    }
    free(units);
}

/* --- small pictures -------------------------------------------------------------------------- */

/* Draw a histogram of a sample: a path of bars. */
static void put_histogram(FILE *out, const cli_sample *sample)
{
    cli_spread spread = {.is_log = false};
    cli_edges edges = {.n = 0};
    cli_bins_wanted wanted = {.about = BARS};
    uint64_t counts[BARS + 2] = {0};
    uint64_t most = 1;

    for (size_t i = 0; i < sample->n_numbers; i++) {
        cli_spread_add(&spread, sample->numbers[i]);
    }
    if (spread.n > 0) {
        cli_edges_choose(&edges, &spread, &sample->type, &wanted);
    }
    for (size_t i = 0; i < sample->n_numbers && edges.n > 0; i++) {
        const size_t bin = cli_edges_find(&edges, sample->numbers[i]);
        if (bin < edges.n && bin < BARS + 2) {
            counts[bin]++;
            most = counts[bin] > most ? counts[bin] : most;
        }
    }
    if (edges.n > 0) {
        const size_t n = edges.n < BARS + 2 ? edges.n : BARS + 2;
        fprintf(out, "<svg class=h viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\"><path d=\"",
                n * BAR, HEIGHT);
        for (size_t i = 0; i < n; i++) {
            const double share = (double)counts[i] / (double)most;
            const int high = counts[i] > 0 ? 1 + (int)lround(share * (HEIGHT - 1)) : 0;
            if (high > 0) {
                fprintf(out, "M%zu %dv-%dh%dv%dz", i * BAR, HEIGHT, high, BAR - 1, high);
            }
        }
        fputs("\"/></svg>", out);
    }
    cli_edges_clear(&edges);
    cli_spread_clear(&spread);
}

/* Name the most frequent labels of a sample, with their shares. */
static void put_labels(FILE *out, const cli_sample *sample)
{
    const uint64_t n = sample->n_rows - sample->n_missing;
    bool *const is_shown = cli_resize(NULL, sample->labels.count + 1, sizeof *is_shown);

    memset(is_shown, 0, (sample->labels.count + 1) * sizeof *is_shown);
    for (int k = 0; k < LABELS; k++) {
        uint32_t best = sample->labels.count;
        for (uint32_t i = 0; i < sample->labels.count; i++) {
            if (!is_shown[i] &&
                (best == sample->labels.count || sample->counts[i] > sample->counts[best])) {
                best = i;
            }
        }
        if (best < sample->labels.count) {
            size_t length = 0;
            const char *const label = stoa_string_set_get(&sample->labels, best, &length);
            char *const copy = cli_sprintf("%.*s", (int)(length < 200 ? length : 200), label);
            char *const shown = cli_sprintf("%.*s%s", (int)cli_fitting(copy, LABEL_WIDTH), copy,
                                            cli_width(copy) > LABEL_WIDTH ? "…" : "");
            fprintf(out, "<span class=l style=\"--p:%.0f%%\">",
                    100.0 * (double)sample->counts[best] / (double)(n > 0 ? n : 1));
            cli_put_markup(out, shown[0] != '\0' ? shown : "\"\"");
            fprintf(out, " <i>%.3g %%</i></span>",
                    100.0 * (double)sample->counts[best] / (double)(n > 0 ? n : 1));
            is_shown[best] = true;
            free(shown);
            free(copy);
        }
    }
    if (sample->labels.count > LABELS) {
        fprintf(out, "<small>%u more</small>", (unsigned)sample->labels.count - LABELS);
    }
    free(is_shown);
}

/* --- columns --------------------------------------------------------------------------------- */

/* Open a cell; its name is shown where a row is a card. */
static void cell(FILE *out, const char *class, const char *name)
{
    fprintf(out, "<td%s%s data-n=\"%s\">", class[0] != '\0' ? " class=" : "", class, name);
}

static void text_cell(FILE *out, const char *class, const char *name, const char *shown)
{
    cell(out, class, name);
    cli_put_markup(out, shown != NULL ? shown : "");
    fputs("</td>", out);
}

static void put_missing(const section *s, const cli_content *content, const cli_sample *sample)
{
    const uint64_t n_rows = stoa_table_n_rows(s->place->table);

    cell(s->out, "n", "missing");
    if (content->missing != NULL && strcmp(content->missing, "0") != 0) {
        const double share = strtod(content->missing, NULL) / (double)n_rows;
        fprintf(s->out, "%s <small>%.3g&nbsp;%%</small>", content->missing, 100 * share);
    } else if (content->missing != NULL) {
        fputs("0", s->out);
    } else if (sample->n_rows > 0) {
        fprintf(s->out, "≈ %.3g&nbsp;%%",
                100.0 * (double)sample->n_missing / (double)sample->n_rows);
    }
    fputs("</td>", s->out);
}

static void put_stored(const section *s, const stoa_column_storage *storage)
{
    char bytes[16];

    cell(s->out, "n", "stored");
    cli_human_bytes(storage->n_stored_bytes, bytes);
    fputs(bytes, s->out);
    if (storage->n_stored_bytes > 0 && storage->n_raw_bytes > 0) {
        fprintf(s->out, "<br><small>ratio %.2g</small>",
                (double)storage->n_raw_bytes / (double)storage->n_stored_bytes);
    }
    fputs("</td>", s->out);
    cell(s->out, "", "packed by");
    if (storage->filters[0] == '\0') {
        fputs("<small>not packed</small>", s->out);
    }
    for (const char *at = storage->filters; *at != '\0'; at++) {
        fprintf(s->out, "%s%c", at > storage->filters && at[-1] == ',' ? "<wbr>" : "", *at);
    }
    fputs("</td>", s->out);
}

/* A bound, with as many digits as people read. Of a sample it is only near. */
static void put_bound(const section *s, const stoa_type *type, const char *name, const char *known,
                      const cli_range *sampled, bool is_least)
{
    char shown[STOA_NUMBER_SIZE] = "";
    const long double value = is_least ? sampled->least : sampled->greatest;
    const bool is_near = known == NULL && sampled->any;

    cell(s->out, "n", name);
    if (is_near && stoa_kind_is_ticks(type->kind)) {
        (void)stoa_type_format_ticks(type, (int64_t)value, shown);
        if (stoa_kind_is_time(type->kind)) {
            shown[strcspn(shown, ".")] = '\0'; /* parts of seconds are not near */
        }
    } else if (is_near) {
        (void)snprintf(shown, sizeof shown, "%.6Lg", value);
    } else if (known != NULL && stoa_kind_is_float(type->kind)) {
        (void)snprintf(shown, sizeof shown, "%.6g", strtod(known, NULL));
    }
    fputs(is_near ? "<small>≈</small> " : "", s->out);
    cli_put_markup(s->out, shown[0] != '\0' ? shown : known != NULL ? known : "");
    fputs("</td>", s->out);
}

static cli_range range_of(const cli_sample *sample)
{
    cli_range range = {.any = false};

    for (size_t i = 0; i < sample->n_numbers; i++) {
        if (isfinite((double)sample->numbers[i])) {
            cli_range_add(&range, sample->numbers[i]);
        }
    }
    return range;
}

/* The column's indexes, and whether queries use them. Returns whether it has one. */
static bool put_indexes(const section *s, const char *name)
{
    bool has = false;

    cell(s->out, "", "index");
    for (size_t i = 0; i < s->indexes.n; i++) {
        const cli_index *const index = &s->indexes.items[i];
        if (strcmp(index->column, name) == 0) {
            fputs(has ? "<br>" : "", s->out);
            fprintf(s->out, "<b class=%s>", !index->usable ? "bad" : s->is_trusted ? "ok" : "so");
            cli_put_markup(s->out, index->kind);
            fputs("</b> <small>", s->out);
            cli_put_markup(s->out, !index->usable  ? index->problem
                                   : s->is_trusted ? "trusted"
                                                   : "not verified");
            fputs("</small>", s->out);
            has = true;
        }
    }
    fputs("</td>", s->out);
    return has;
}

/* Whether neighbouring rows have near values, so that least and greatest of chunks skip some. */
static bool is_clustered(const cli_sample *sample)
{
    enum { PARTS = 16 };
    const size_t each = sample->n_numbers / PARTS;
    const cli_range all = range_of(sample);
    long double sum = 0;

    for (size_t part = 0; part < PARTS && each > 0; part++) {
        const cli_sample one = {.numbers = sample->numbers + part * each, .n_numbers = each};
        const cli_range range = range_of(&one);
        sum += range.greatest - range.least;
    }
    return each > 0 && sum / PARTS < (all.greatest - all.least) / 4;
}

static void learn(section *s, const stoa_column *column, size_t i, const cli_sample *sample,
                  bool has_index, bool has_units)
{
    const char *const name = stoa_column_name(column);
    const stoa_column_storage *const storage = &s->storage[i];
    const char *kind = NULL;

    if (s->is_home && !has_index && i < MOST_ADVISED &&
        stoa_table_n_rows(s->place->table) >= INDEXED_ROWS &&
        stoa_index_advise(s->place->table, name, &kind, NULL) == STOA_OK && kind != NULL &&
        (strcmp(kind, "minmax") != 0 || is_clustered(sample))) {
        list_name(&s->unindexed, name, kind);
    }
    const double ratio = storage->n_raw_bytes >= LARGE_BYTES ? cli_sample_ratio(sample) : 0;
    if (ratio > worth_packing * (double)storage->n_raw_bytes /
                    (double)(storage->n_stored_bytes > 0 ? storage->n_stored_bytes : 1)) {
        char share[32];
        (void)snprintf(share, sizeof share, "to about 1/%.2g", ratio);
        list_name(&s->unpacked, name, share);
    }
    if (stoa_kind_is_string(sample->type.kind) && sample->labels.count > 0 &&
        sample->labels.count <= FEW_LABELS && sample->n_rows >= 4096) {
        list_name(&s->uncategorized, name, NULL);
    }
    if (stoa_kind_is_integer(sample->type.kind) || stoa_kind_is_float(sample->type.kind)) {
        s->n_numbers++;
        s->n_without_units += !has_units;
    }
}

static stoa_status put_column(section *s, size_t i, const cli_sample *sample, stoa_error *err)
{
    const stoa_column *const column = stoa_table_column(s->place->table, i);
    const cli_content *const content = &s->contents.items[i];
    struct ArrowSchema schema = {.release = NULL};
    char *units = NULL;
    char *description = NULL;
    char *type = NULL;
    stoa_status status = STOA_OK;

    fputs("<tr>", s->out);
    cell(s->out, "name", "column");
    cli_put_markup(s->out, stoa_column_name(column));
    if (content->is_unreadable) {
        fputs("</td><td colspan=8 class=bad>cannot be read</td></tr>\n", s->out);
        return STOA_OK;
    }
    STOA_TRY(stoa_column_schema(column, &schema, err));
    STOA_TRY(stoa_schema_get_text(&schema, "units", &units, err));
    STOA_TRY(stoa_schema_get_text(&schema, "description", &description, err));
    const bool has_units = units != NULL && units[0] != '\0';
    if (has_units && !stoa_kind_is_ticks(sample->type.kind)) { /* those of times are in the type */
        fputs(" <small>[", s->out);
        cli_put_markup(s->out, units);
        fputs("]</small>", s->out);
    }
    if (description != NULL && description[0] != '\0') {
        fputs("<br><small>", s->out);
        cli_put_markup(s->out, description);
        fputs("</small>", s->out);
    }
    fputs("</td>", s->out);
    type = cli_type_name(&schema);
    text_cell(s->out, "", "type", type);
    put_missing(s, content, sample);
    const cli_range range = range_of(sample);
    put_bound(s, &sample->type, "least", content->least, &range, true);
    put_bound(s, &sample->type, "greatest", content->greatest, &range, false);
    cell(s->out, "d", "values");
    (sample->n_numbers > 0 ? put_histogram : put_labels)(s->out, sample);
    fputs("</td>", s->out);
    put_stored(s, &s->storage[i]);
    const bool has_index = put_indexes(s, stoa_column_name(column));
    fputs("</tr>\n", s->out);
    learn(s, column, i, sample, has_index, has_units);

done:
    free(type);
    stoa_free(units);
    stoa_free(description);
    stoa_schema_release(&schema);
    return status;
}

/* Read the sample of columns [first, first + n). One that cannot be read does not stop the others.
 */
static void read_samples(section *s, size_t first, size_t n, cli_sample *samples)
{
    stoa_error ignored = STOA_ERROR_INIT;
    size_t n_readable = 0;
    cli_sample *const readable = cli_resize(NULL, n + 1, sizeof *readable);

    memset(samples, 0, n * sizeof *samples);
    memset(readable, 0, (n + 1) * sizeof *readable);
    for (size_t i = 0; i < n; i++) {
        if (!s->contents.items[first + i].is_unreadable) {
            readable[n_readable++].name = stoa_table_column_name(s->place->table, first + i);
        }
    }
    if (cli_sample_read(s->place->table, readable, n_readable, &s->options->listener, &ignored) !=
        STOA_OK) {
        for (size_t i = 0; i < n_readable; i++) {
            const char *const name = readable[i].name;
            cli_sample_clear(&readable[i]);
            readable[i].name = name;
            if (cli_sample_read(s->place->table, &readable[i], 1, &s->options->listener,
                                &ignored) != STOA_OK) {
                s->is_whole = false;
                cli_remark("%s: %s", s->place->name, ignored.message);
            }
        }
    }
    n_readable = 0;
    for (size_t i = 0; i < n; i++) {
        if (!s->contents.items[first + i].is_unreadable) {
            samples[i] = readable[n_readable++];
        }
    }
    free(readable);
}

static stoa_status put_columns(section *s, stoa_error *err)
{
    const size_t n_all = stoa_table_n_columns(s->place->table);
    const size_t n = n_all < *s->options->n_left ? n_all : *s->options->n_left;
    cli_sample samples[CLI_SAMPLE_COLUMNS];
    stoa_status status = STOA_OK;

    for (size_t first = 0; first < n && status == STOA_OK; first += CLI_SAMPLE_COLUMNS) {
        const size_t count = n - first < CLI_SAMPLE_COLUMNS ? n - first : CLI_SAMPLE_COLUMNS;
        read_samples(s, first, count, samples);
        for (size_t i = 0; i < count && status == STOA_OK; i++) {
            if ((first + i) % FOLD == 0) {
                const bool is_first = first + i == 0;
                const size_t last = first + i + FOLD < n ? first + i + FOLD : n;
                fputs(is_first ? "" : "</tbody></table></div></details>", s->out);
                fprintf(s->out,
                        "<details%s><summary>Columns %zu to %zu</summary><div class=scroll>"
                        "<table class=columns><thead><tr><th>column<th>type<th class=n>"
                        "missing<th class=n>least<th class=n>greatest<th>values"
                        "<th class=n>stored<th>packed by<th>index</tr></thead><tbody>\n",
                        is_first ? " open" : "", first + i + 1, last);
            }
            status = put_column(s, first + i, &samples[i], err);
        }
        for (size_t i = 0; i < count; i++) {
            cli_sample_clear(&samples[i]);
        }
    }
    fputs(n > 0 ? "</tbody></table></div></details>\n" : "", s->out);
    *s->options->n_left -= n;
    if (n < n_all) {
        fprintf(s->out, "<p class=dim>%zu more columns; <code>stoa info</code> lists them.</p>\n",
                n_all - n);
    }
    return status;
}

/* --- the section ----------------------------------------------------------------------------- */

static stoa_status load(section *s, stoa_error *err)
{
    stoa_table *const table = s->place->table;
    const uint64_t n_columns = stoa_table_n_columns(table);
    const bool is_small =
        n_columns == 0 || stoa_table_n_rows(table) <= SMALL_TABLE_CELLS / n_columns;

    STOA_RETURN_NOT_OK(cli_contents_check(&s->contents, table, err));
    s->is_whole = s->contents.n_unreadable == 0;
    s->storage = cli_resize(NULL, (size_t)n_columns + 1, sizeof *s->storage);
    for (size_t i = 0; i < n_columns; i++) {
        s->storage[i] = (stoa_column_storage)STOA_COLUMN_STORAGE_INIT;
        if (!s->contents.items[i].is_unreadable) {
            STOA_RETURN_NOT_OK(
                stoa_column_storage_of(stoa_table_column(table, i), &s->storage[i], err));
        }
        s->n_raw += s->storage[i].n_raw_bytes;
        s->n_stored += s->storage[i].n_stored_bytes;
    }
    STOA_RETURN_NOT_OK(cli_indexes_load(s->args, &s->indexes, table, err));
    s->is_trusted = cli_place_is_trusted(s->place);
    s->is_home = cli_is_home(table);
    s->is_scanned = s->options->scans || is_small;
    /* A value that cannot be read leaves the ranges out, and no more. */
    stoa_error why = STOA_ERROR_INIT;
    if (cli_contents_load(&s->contents, table, s->is_scanned, &s->options->listener, &why) !=
        STOA_OK) {
        STOA_RETURN_NOT_OK(cli_refused(err));
        s->is_whole = false;
        s->is_scanned = false;
        cli_remark("%s: %s", s->place->name, why.message);
    }
    return STOA_OK;
}

static void put_fact(FILE *out, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0') {
        fprintf(out, "<dt>%s</dt><dd>", name);
        cli_put_markup(out, value);
        fputs("</dd>", out);
    }
}

static void put_facts(const section *s)
{
    const stoa_table *const table = s->place->table;
    const char *const version = stoa_table_version(table);
    char *const layout = s->is_home ? cli_sprintf("HEP001 %s", version != NULL ? version : "?")
                                    : cli_copy(stoa_table_layout(table));
    char rows[CLI_COUNT_SIZE];
    char stored[16];
    char raw[16];

    cli_spaced_count(stoa_table_n_rows(table), rows);
    cli_human_bytes(s->n_stored, stored);
    cli_human_bytes(s->n_raw, raw);
    char *const bytes = cli_sprintf("%s of %s", stored, raw);
    fputs("<dl>", s->out);
    put_fact(s->out, "title", stoa_table_title(table));
    put_fact(s->out, "description", stoa_table_description(table));
    put_fact(s->out, "layout", layout);
    put_fact(s->out, "rows", rows);
    put_fact(s->out, "stored", bytes);
    put_fact(s->out, "units from", stoa_table_units_vocabulary(table));
    fputs("</dl>\n", s->out);
    if (stoa_table_n_rows(table) > CLI_SAMPLE_ROWS || !s->is_scanned) {
        fprintf(s->out,
                "<p class=dim>Histograms are of %d rows, from all parts of the table%s.</p>\n",
                CLI_SAMPLE_ROWS,
                s->is_scanned
                    ? ""
                    : ", as are what is missing and ranges; <code>stoa report --scan</code> reads "
                      "all rows");
    }
    free(bytes);
    free(layout);
}

bool cli_report_table(cli_args *args, cli_place *place, const cli_report_options *options,
                      cli_hints *hints, FILE *out, stoa_error *err)
{
    section s = {.args = args, .place = place, .options = options, .out = out, .is_whole = true};
    const stoa_table *const table = place->table;
    char rows[CLI_COUNT_SIZE];
    stoa_status status = STOA_OK;

    fprintf(out, "<details class=table%s><summary><h3>", options->is_open ? " open" : "");
    cli_put_markup(out, place->place.path);
    cli_spaced_count(stoa_table_n_rows(table), rows);
    fprintf(out, "</h3> <span class=dim>%s rows, %llu columns</span></summary>\n", rows,
            (unsigned long long)stoa_table_n_columns(table));
    STOA_TRY(load(&s, err));
    put_facts(&s);
    STOA_TRY(put_columns(&s, err));
    add_hints(&s, hints);

done:
    if (status != STOA_OK) {
        fputs("<p class=bad>", out);
        cli_put_markup(out, err->message);
        fputs("</p>", out);
    }
    fputs("</details>\n", out);
    cli_contents_clear(&s.contents);
    free(s.storage);
    free(s.unindexed);
    free(s.unpacked);
    free(s.uncategorized);
    return status == STOA_OK && s.is_whole;
}
