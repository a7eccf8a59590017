/* Blanks, commas, line ends and closing braces between regions are ignored. */
#include "sparse/tools/regions.h"

#include <stdlib.h>
#include <string.h>

#include "hdf/hdf5.h"

typedef struct region_reader {
    const char *at;
    const char *end;
    size_t line;
    stoa_regions *regions;
    stoa_error *err;
} region_reader;

/* --- lines and tokens ------------------------------------------------------------------------ */

static void skip_blanks(region_reader *r, const char *others)
{
    for (; r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n' ||
                              (*r->at != '\0' && strchr(others, *r->at) != NULL));
         r->at++) {
        r->line += *r->at == '\n';
    }
}

static const char *end_of_line(const region_reader *r)
{
    const char *const end = memchr(r->at, '\n', (size_t)(r->end - r->at));

    return end != NULL ? end : r->end;
}

static bool begins_with(const region_reader *r, const char *word)
{
    const size_t length = strlen(word);

    return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

static bool accept(region_reader *r, const char *word)
{
    const bool is = begins_with(r, word);

    r->at += is ? strlen(word) : 0;
    return is;
}

/* Skip to the line that begins with `word` after blanks. That line is not consumed. */
static bool skip_lines_to(region_reader *r, const char *word)
{
    while (r->at < r->end) {
        r->at = end_of_line(r);
        skip_blanks(r, "");
        if (begins_with(r, word)) {
            return true;
        }
    }
    return false;
}

static stoa_status not_understood(const region_reader *r, const char *wanted)
{
    const size_t length = (size_t)(end_of_line(r) - r->at);

    return stoa_fail(r->err, STOA_EINVAL, "line %zu: %s expected at '%.*s'", r->line, wanted,
                     length > 40 ? 40 : (int)length, r->at);
}

/* --- coordinates ----------------------------------------------------------------------------- */

static bool parse_number(region_reader *r, uint64_t *number)
{
    const char *const first = r->at;

    *number = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        const uint64_t digit = (uint64_t)(*r->at - '0');
        if (*number > (UINT64_MAX - digit) / 10) {
            return false;
        }
        *number = *number * 10 + digit;
    }
    return r->at > first;
}

/* "(5, 9)" */
static stoa_status parse_element(region_reader *r, uint64_t *at, unsigned *rank)
{
    bool goes_on = accept(r, "(");

    if (!goes_on) {
        return not_understood(r, "coordinates in parentheses");
    }
    for (*rank = 0; goes_on;) {
        skip_blanks(r, "");
        if (*rank == H5S_MAX_RANK || !parse_number(r, &at[(*rank)++])) {
            return not_understood(r, "a coordinate");
        }
        skip_blanks(r, "");
        goes_on = accept(r, ",");
    }
    return accept(r, ")") ? STOA_OK : not_understood(r, "a closing parenthesis");
}

/* Parse "(2,2)-(4,7)", or a single element. */
static stoa_status parse_region(region_reader *r, stoa_region_list *list)
{
    uint64_t first[H5S_MAX_RANK];
    uint64_t last[H5S_MAX_RANK];
    unsigned rank = 0;
    unsigned last_rank = 0;

    STOA_RETURN_NOT_OK(parse_element(r, first, &rank));
    memcpy(last, first, sizeof last);
    last_rank = rank;
    const region_reader before = *r;
    skip_blanks(r, "");
    if (accept(r, "-")) {
        skip_blanks(r, "");
        STOA_RETURN_NOT_OK(parse_element(r, last, &last_rank));
    } else {
        *r = before;
    }
    list->rank = list->n == 0 ? rank : list->rank;
    if (rank != list->rank || last_rank != rank) {
        return stoa_fail(r->err, STOA_EINVAL, "line %zu: elements of %u and of %u coordinates",
                         r->line, list->rank, rank != list->rank ? rank : last_rank);
    }
    for (unsigned i = 0; i < rank; i++) {
        if (last[i] < first[i]) {
            return stoa_fail(r->err, STOA_EINVAL, "line %zu: a block ends before it begins",
                             r->line);
        }
    }
    STOA_RETURN_NOT_OK(stoa_buffer_append(&list->corners, first, rank * sizeof *first, r->err));
    STOA_RETURN_NOT_OK(stoa_buffer_append(&list->corners, last, rank * sizeof *last, r->err));
    list->n++;
    return STOA_OK;
}

/* --- datasets -------------------------------------------------------------------------------- */

static stoa_status add_list(region_reader *r, const char *name, size_t length)
{
    stoa_regions *const regions = r->regions;
    stoa_region_list *const lists =
        stoa_one_more(regions->lists, regions->n, sizeof *regions->lists);

    STOA_RETURN_NO_MEMORY(r->err, lists);
    regions->lists = lists;
    lists[regions->n] = (stoa_region_list){0};
    if (name != NULL) {
        lists[regions->n].name = stoa_strndup(name, length);
        STOA_RETURN_NO_MEMORY(r->err, lists[regions->n].name);
    }
    regions->n++;
    return STOA_OK;
}

/* Parse DATASET "name" {. The name extends from the first to the last quote of the line, because
 * quotes in it are not escaped. */
static stoa_status parse_dataset(region_reader *r)
{
    const char *const end = end_of_line(r);
    const char *const open = memchr(r->at, '"', (size_t)(end - r->at));
    const char *close = end;

    while (open != NULL && close > open && *--close != '"') {
    }
    if (open == NULL || close == open) {
        return not_understood(r, "the name of a dataset in quotes");
    }
    r->at = end;
    return add_list(r, open + 1, (size_t)(close - open - 1));
}

/* Parse a keyword that is not a region. *is_one is false if there is none. */
static stoa_status parse_word(region_reader *r, bool *is_one)
{
    *is_one = true;
    if (accept(r, "REGION_TYPE") || accept(r, "BLOCK") || accept(r, "POINT")) {
        return STOA_OK;
    }
    if (accept(r, "DATASET")) {
        return parse_dataset(r);
    }
    if (accept(r, "DATATYPE")) { /* the datatype of a compound spans several lines */
        return skip_lines_to(r, "DATASPACE") ? STOA_OK : not_understood(r, "DATASPACE");
    }
    if (accept(r, "DATASPACE")) {
        r->at = end_of_line(r);
        return STOA_OK;
    }
    if (accept(r, "DATA")) { /* a value never begins a line */
        return skip_lines_to(r, "}") ? STOA_OK : not_understood(r, "a closing brace");
    }
    *is_one = false;
    return STOA_OK;
}

stoa_status stoa_regions_parse(const char *text, size_t length, stoa_regions *regions,
                               stoa_error *err)
{
    region_reader r = {.at = text, .end = text + length, .line = 1, .regions = regions, .err = err};
    bool is_word = false;
    stoa_status status = STOA_OK;

    *regions = (stoa_regions){0};
    for (skip_blanks(&r, ",}"); r.at < r.end; skip_blanks(&r, ",}")) {
        STOA_TRY(parse_word(&r, &is_word));
        if (!is_word) {
            if (regions->n == 0) {
                STOA_TRY(add_list(&r, NULL, 0));
            }
            STOA_TRY(parse_region(&r, &regions->lists[regions->n - 1]));
        }
    }
    if (regions->n == 0) {
        STOA_TRY(add_list(&r, NULL, 0));
    }

done:
    if (status != STOA_OK) {
        stoa_regions_clear(regions);
    }
    return status;
}

void stoa_regions_clear(stoa_regions *regions)
{
    for (size_t i = 0; i < regions->n; i++) {
        free(regions->lists[i].name);
        stoa_buffer_clear(&regions->lists[i].corners);
    }
    free(regions->lists);
    *regions = (stoa_regions){0};
}

const stoa_region_list *stoa_regions_of(const stoa_regions *regions, const char *path)
{
    if (regions->n == 1) {
        return &regions->lists[0];
    }
    path += strspn(path, "/");
    for (size_t i = 0; i < regions->n; i++) {
        const char *const name = regions->lists[i].name;
        if (name != NULL && strcmp(name + strspn(name, "/"), path) == 0) {
            return &regions->lists[i];
        }
    }
    return NULL;
}

stoa_status stoa_region_list_check(const stoa_region_list *list, unsigned rank,
                                   const uint64_t *extent, stoa_error *err)
{
    const uint64_t *const corners = (const uint64_t *)(const void *)list->corners.data;

    if (list->n > 0 && list->rank != rank) {
        return stoa_fail(err, STOA_ERANGE,
                         "the list of elements has %u coordinates each, the array %u dimensions",
                         list->rank, rank);
    }
    for (uint64_t i = 0; i < list->n; i++) {
        for (unsigned d = 0; d < rank; d++) {
            const uint64_t last = corners[(2 * i + 1) * rank + d];
            if (last >= extent[d]) {
                return stoa_fail(err, STOA_ERANGE,
                                 "coordinate %llu in the list of elements is outside of the "
                                 "extent, %llu",
                                 (unsigned long long)last, (unsigned long long)extent[d]);
            }
        }
    }
    return STOA_OK;
}
