/* Parse the filters of a section by name, with the names of docs/codecs.md. */
#include <stdlib.h>
#include <string.h>

#include "sparse/array/array.h"

static void add(stoa_section_filters *filters, uint32_t id, uint32_t n_values, uint32_t value)
{
    filters->filters[filters->n++] =
        (stoa_filter){.id = id, .n_values = n_values, .values = {value}};
}

/* Match "name" or "name:level". */
static bool is_named(const char *codec, const char *name, unsigned highest, unsigned *level)
{
    const size_t length = strlen(name);
    char *end = NULL;

    if (strncmp(codec, name, length) != 0 || (codec[length] != '\0' && codec[length] != ':')) {
        return false;
    }
    if (codec[length] == '\0') {
        return true;
    }
    const char *digits = codec + length + 1;
    if (*digits < '1' || *digits > '9' || strlen(digits) > 2) {
        return false;
    }
    *level = (unsigned)strtoul(digits, &end, 10);
    return *end == '\0' && *level <= highest;
}

stoa_status stoa_section_codec(const char *codec, bool shuffles, stoa_section_filters *filters,
                               stoa_error *err)
{
    unsigned deflate = 4;
    unsigned zstd = 3;

    *filters = (stoa_section_filters){.n = 0};
    if (codec == NULL || strcmp(codec, "none") == 0) {
        return STOA_OK;
    }
    if (shuffles) {
        add(filters, STOA_FILTER_SHUFFLE, 0, 0);
    }
    if (is_named(codec, "deflate", 9, &deflate)) {
        add(filters, STOA_FILTER_DEFLATE, 1, deflate);
    } else if (is_named(codec, "zstd", 19, &zstd)) {
        add(filters, STOA_FILTER_ZSTD, 1, zstd);
    } else if (strcmp(codec, "small") == 0) {
        add(filters, STOA_FILTER_ZSTD, 1, 19);
    } else if (strcmp(codec, "lz4") == 0) {
        add(filters, STOA_FILTER_LZ4, 0, 0);
    } else {
        filters->n = 0;
        return stoa_fail(err, STOA_EINVAL,
                         "'%s' is no codec of a section; there are none, deflate[:1-9], "
                         "zstd[:1-19], lz4 and small",
                         codec);
    }
    return STOA_OK;
}
