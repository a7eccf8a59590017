#include "cli/transfer/relayout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "codec/pipeline.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "hdf/metadata/other_files.h"
#include "table/open/table.h"

void cli_relayout_options(cli_args *args, cli_relayout *relayout)
{
    cli_list(args, &relayout->layouts, "-l, --layout NAMES:LAYOUT",
             "store these datasets (of a file) as SPARSECHUNK=RxC, CHUNK=RxC, CONTI or COMPA; may "
             "be repeated");
    cli_list(
        args, &relayout->filters, "-f, --filter NAMES:[SECTIONn:]FILTER",
        "pass them through GZIP=1-9, SHUF, FLET, ZSTD=1-19, LZ4, "
        "UD=ID,FLAG,N[,VALUE...] or NONE, in this order, in place of what they pass; of sparse "
        "ones every section, or one");
    cli_text(args, &relayout->defined, "--defined-elements LIST",
             "of those, what is defined: 'BLOCK (2,2)-(4,7) POINT (5,9), (11,1)', or a file with "
             "what 'stoa dump --sparse-locations' prints");
    cli_text(args, &relayout->exclude, "--exclude VALUE",
             "elements equal to VALUE are not defined");
}

bool cli_relayout_is_wanted(const cli_relayout *relayout)
{
    return relayout->layouts.n + relayout->filters.n > 0 || relayout->defined != NULL ||
           relayout->exclude != NULL;
}

/* --- names ----------------------------------------------------------------------------------- */

/* Find or add the entry of a dataset. */
static stoa_relayout *entry_of(cli_relayout *relayout, const char *name, size_t length)
{
    stoa_relayouts *const all = &relayout->all;
    char *const path = cli_sprintf("%s%.*s", name[0] == '/' ? "" : "/", (int)length, name);

    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->items[i].path, path) == 0) {
            free(path);
            return &all->items[i];
        }
    }
    all->items = cli_one_more(all->items, all->n, sizeof *all->items);
    all->items[all->n] = (stoa_relayout){.path = path};
    return &all->items[all->n++];
}

/* Apply `give` to each of the names, which end at `end`. */
typedef void (*give_entry)(stoa_relayout *entry, const stoa_relayout *given);

static bool give_all(cli_relayout *relayout, const char *names, const char *end, give_entry give,
                     const stoa_relayout *given)
{
    while (names < end) {
        const char *const comma = memchr(names, ',', (size_t)(end - names));
        const char *const stop = comma != NULL ? comma : end;

        if (stop == names) {
            return false;
        }
        give(entry_of(relayout, names, (size_t)(stop - names)), given);
        names = comma != NULL ? comma + 1 : end;
    }
    return true;
}

/* --- layouts --------------------------------------------------------------------------------- */

/* Parse "5x4". */
static bool read_chunk(const char *text, stoa_relayout *given)
{
    for (given->rank = 0; given->rank < H5S_MAX_RANK; text++) {
        const size_t length = strcspn(text, "x");
        uint64_t n = 0;

        if (!stoa_parse_u64(text, length, &n) || n == 0) {
            return false;
        }
        given->chunk[given->rank++] = n;
        text += length;
        if (*text == '\0') {
            return true;
        }
    }
    return false;
}

static bool read_layout(const char *text, stoa_relayout *given)
{
    static const struct {
        const char *name;
        stoa_new_layout layout;
    } names[] = {{"SPARSECHUNK=", STOA_LAYOUT_SPARSE},
                 {"CHUNK=", STOA_LAYOUT_CHUNKED},
                 {"CONTI", STOA_LAYOUT_CONTIGUOUS},
                 {"COMPA", STOA_LAYOUT_COMPACT}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i].name);

        if (strncmp(text, names[i].name, length) == 0) {
            given->layout = names[i].layout;
            return names[i].name[length - 1] == '=' ? read_chunk(text + length, given)
                                                    : text[length] == '\0';
        }
    }
    return false;
}

static void give_layout(stoa_relayout *entry, const stoa_relayout *given)
{
    entry->layout = given->layout;
    entry->rank = given->rank;
    memcpy(entry->chunk, given->chunk, sizeof entry->chunk);
}

static bool accept_layout(cli_args *args, cli_relayout *relayout, const char *text)
{
    const char *const colon = strrchr(text, ':');
    stoa_relayout given = {.layout = STOA_LAYOUT_AS_IS};

    if (colon == NULL || colon == text || !read_layout(colon + 1, &given) ||
        !give_all(relayout, text, colon, give_layout, &given)) {
        cli_misused(args,
                    "-l '%s': it takes NAMES:LAYOUT, as Sparse:SPARSECHUNK=5x4, x,y:CHUNK=64, "
                    "x:CONTI or x:COMPA",
                    text);
        return false;
    }
    return true;
}

/* --- filters --------------------------------------------------------------------------------- */

/* Parse "=9"; the level is optional if there is a default. */
static bool read_level(const char *text, uint64_t most, uint32_t usual, uint32_t *level)
{
    uint64_t n = usual;

    if (*text != '\0' && (*text != '=' || !stoa_parse_u64(text + 1, strlen(text + 1), &n))) {
        return false;
    }
    *level = (uint32_t)n;
    return n >= 1 && n <= most;
}

/* Parse "=ID,FLAG,N,VALUE,...", as h5repack does; FLAG 1: optional. */
static bool read_own(const char *text, stoa_filter *filter, bool *is_optional)
{
    uint64_t numbers[3 + STOA_MAX_FILTER_VALUES];
    size_t n = 0;

    do {
        const size_t length = strcspn(++text, ",");
        if (n == sizeof numbers / sizeof *numbers || !stoa_parse_u64(text, length, &numbers[n]) ||
            numbers[n++] > UINT32_MAX) {
            return false;
        }
        text += length;
    } while (*text == ',');
    if (n < 3 || numbers[0] == 0 || numbers[0] > UINT16_MAX || numbers[1] > 1 ||
        numbers[2] != n - 3) {
        return false;
    }
    *is_optional = numbers[1] == H5Z_FLAG_OPTIONAL;
    *filter = (stoa_filter){.id = (uint32_t)numbers[0], .n_values = (uint32_t)numbers[2]};
    for (size_t i = 0; i < filter->n_values; i++) {
        filter->values[i] = (uint32_t)numbers[3 + i];
    }
    return true;
}

/* Parse one filter; id 0 means NONE. */
static bool read_filter(const char *text, stoa_filter *filter, bool *is_optional)
{
    *filter = (stoa_filter){.n_values = 1};
    *is_optional = true;
    if (strncmp(text, "GZIP", 4) == 0) {
        filter->id = STOA_FILTER_DEFLATE;
        return read_level(text + 4, 9, 6, &filter->values[0]);
    }
    if (strncmp(text, "ZSTD", 4) == 0) {
        filter->id = STOA_FILTER_ZSTD;
        return read_level(text + 4, 19, 3, &filter->values[0]);
    }
    if (strncmp(text, "UD=", 3) == 0) {
        return read_own(text + 2, filter, is_optional);
    }
    filter->n_values = 0;
    filter->id = strcmp(text, "SHUF") == 0   ? STOA_FILTER_SHUFFLE
                 : strcmp(text, "FLET") == 0 ? STOA_FILTER_FLETCHER32
                 : strcmp(text, "LZ4") == 0  ? STOA_FILTER_LZ4
                                             : 0;
    *is_optional = filter->id != STOA_FILTER_FLETCHER32;
    return filter->id != 0 || strcmp(text, "NONE") == 0;
}

/* Append the first filter of `given`, if any, to the sections that it applies to. */
static void give_filter(stoa_relayout *entry, const stoa_relayout *given)
{
    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        stoa_section_filters *const filters = &entry->filters[i];

        if (!given->has_filters[i]) {
            continue;
        }
        entry->has_filters[i] = true;
        if (given->filters[i].n == 0) {
            *filters = (stoa_section_filters){.n = 0};
        } else if (filters->n < STOA_MAX_FILTERS) {
            filters->optional |= given->filters[i].optional << filters->n;
            filters->filters[filters->n++] = given->filters[i].filters[0];
        }
    }
}

/* If NAMES end in "NAMES:SECTION1", return the end of NAMES and set the section; else return
 * `end`. */
static const char *cut_section(const char *text, const char *end, unsigned *section)
{
    static const char word[] = ":SECTION";
    const size_t length = sizeof word - 1 + 1;

    if ((size_t)(end - text) > length && memcmp(end - length, word, sizeof word - 1) == 0 &&
        end[-1] >= '0' && end[-1] < '0' + STOA_MAX_SECTIONS) {
        *section = (unsigned)(end[-1] - '0');
        return end - length;
    }
    return end;
}

static bool accept_filter(cli_args *args, cli_relayout *relayout, const char *text)
{
    const char *const colon = strrchr(text, ':');
    unsigned section = STOA_MAX_SECTIONS; /* all sections */
    stoa_relayout given = {.layout = STOA_LAYOUT_AS_IS};
    stoa_filter filter;
    bool is_optional = false;

    if (colon == NULL || colon == text || !read_filter(colon + 1, &filter, &is_optional)) {
        goto misused;
    }
    const char *const end = cut_section(text, colon, &section);
    for (unsigned i = 0; i < STOA_MAX_SECTIONS; i++) {
        given.has_filters[i] = section == STOA_MAX_SECTIONS || section == i;
        given.filters[i] = (stoa_section_filters){.n = filter.id != 0, .optional = is_optional};
        given.filters[i].filters[0] = filter;
    }
    if (!give_all(relayout, text, end, give_filter, &given)) {
        goto misused;
    }
    return true;

misused:
    cli_misused(args,
                "-f '%s': it takes NAMES:FILTER or NAMES:SECTIONn:FILTER, as x:GZIP=9, "
                "x:SECTION1:SHUF or x:NONE",
                text);
    return false;
}

/* --- entry points ---------------------------------------------------------------------------- */

bool cli_relayout_accepted(cli_args *args, cli_relayout *relayout)
{
    for (size_t i = 0; i < relayout->layouts.n; i++) {
        if (!accept_layout(args, relayout, relayout->layouts.items[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < relayout->filters.n; i++) {
        if (!accept_filter(args, relayout, relayout->filters.items[i])) {
            return false;
        }
    }
    if (relayout->all.n == 0) {
        cli_misused(args, "say which datasets are meant, as -l Sparse:SPARSECHUNK=5x4");
        return false;
    }
    return true;
}

static stoa_status read_file(const char *name, stoa_buffer *text, stoa_error *err)
{
    FILE *in = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    uint8_t piece[1 << 14];
    size_t n = 1;
    stoa_status status = STOA_OK;

    if (in == NULL) {
        STOA_TRY(stoa_at(err, stoa_fail_errno(err, errno, "cannot be opened"), "%s", name));
    }
    while (n > 0) {
        n = fread(piece, 1, sizeof piece, in);
        STOA_TRY(stoa_buffer_append(text, piece, n, err));
    }
    if (ferror(in) != 0) {
        STOA_TRY(stoa_at(err, stoa_fail(err, STOA_EIO, "cannot be read"), "%s", name));
    }

done:
    if (in != NULL && in != stdin) {
        (void)fclose(in);
    }
    return status;
}

/* A list begins with a word of its language or a parenthesis; a file of that name takes
 * precedence. */
static bool is_list(const char *text)
{
    struct stat about;

    text += strspn(text, " \t\n");
    return (text[0] == '(' || strncmp(text, "BLOCK", 5) == 0 || strncmp(text, "POINT", 5) == 0 ||
            strncmp(text, "REGION_TYPE", 11) == 0 || strncmp(text, "DATASET", 7) == 0) &&
           stat(text, &about) != 0;
}

static stoa_status read_defined(cli_relayout *relayout, stoa_error *err)
{
    const char *const text = relayout->defined;
    stoa_buffer content = {NULL, 0, 0};
    stoa_status status = STOA_OK;

    if (text == NULL) {
        return STOA_OK;
    }
    if (is_list(text)) {
        status = stoa_regions_parse(text, strlen(text), &relayout->regions, err);
        STOA_TRY(stoa_at(err, status, "--defined-elements"));
    } else {
        STOA_TRY(read_file(text, &content, err));
        status = stoa_regions_parse(content.data != NULL ? (const char *)content.data : "",
                                    content.size, &relayout->regions, err);
        STOA_TRY(stoa_at(err, status, "%s", text));
    }
    relayout->all.defined = &relayout->regions;

done:
    stoa_buffer_clear(&content);
    return status;
}

/* A table column must not be changed here, because columns share their chunk rows and have
 * indexes. */
static stoa_status check_is_no_column(const stoa_relayout *one, hid_t file, stoa_error *err)
{
    char *const parent = cli_copy(one->path);
    char *const slash = strrchr(parent, '/');
    hid_t group = H5I_INVALID_HID;
    bool is_table = false;
    stoa_status status = STOA_OK;

    slash[slash == parent ? 1 : 0] = '\0';
    const stoa_error_stack errors = stoa_error_stack_begin();
    group = H5Gopen2(file, parent, H5P_DEFAULT);
    stoa_error_stack_discard(&errors);
    if (group < 0) {
        group = H5I_INVALID_HID;
        STOA_TRY(stoa_object_not_found(file, parent, "no such object", NULL, err));
    }
    STOA_TRY(stoa_table_probe(group, &is_table, err));
    if (is_table) {
        STOA_FAIL(err, STOA_EINVAL,
                  "it belongs to a table; 'stoa column storage' rewrites its columns");
    }

done:
    free(parent);
    return stoa_hdf_close(&group, status, err);
}

stoa_status cli_relayout_resolve(cli_relayout *relayout, hid_t file, stoa_error *err)
{
    stoa_relayouts *const all = &relayout->all;
    stoa_status status = STOA_OK;

    all->exclude = relayout->exclude;
    STOA_RETURN_NOT_OK(read_defined(relayout, err));
    for (size_t i = 0; i < all->n; i++) {
        status = check_is_no_column(&all->items[i], file, err);
        STOA_RETURN_NOT_OK(stoa_at(err, status, "%s:%s", all->file, all->items[i].path));
    }
    return stoa_relayout_resolve(all, file, err);
}

void cli_relayout_clear(cli_relayout *relayout)
{
    for (size_t i = 0; i < relayout->all.n; i++) {
        free(relayout->all.items[i].path);
    }
    free(relayout->all.items);
    stoa_regions_clear(&relayout->regions);
    relayout->all = (stoa_relayouts){.items = NULL};
}
