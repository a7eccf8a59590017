/* Which columns are packed by waveform codecs, and how other columns are stored (docs/layouts). */
#include <stdlib.h>
#include <string.h>

#include "layout/lh5/write/writer.h"

static const char *const names[] = {
    [STOA_LH5_NOT_PACKED] = "none",
    [STOA_LH5_ULEB128] = "uleb128_zigzag_diff",
    [STOA_LH5_SIGCOMPRESS] = "radware_sigcompress",
};
#define N_NAMES (sizeof names / sizeof names[0])

const char *stoa_lh5_codec_name(stoa_lh5_codec codec)
{
    return names[codec];
}

static bool find_codec(const char *text, size_t length, stoa_lh5_codec *codec)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) {
            *codec = (stoa_lh5_codec)i;
            return true;
        }
    }
    return false;
}

/* --- codec text ------------------------------------------------------------------------------- */

/* One clause: 'COLUMN=CODEC', or a codec for all other columns if `column_length` is 0. */
typedef struct clause {
    const char *column;
    size_t column_length;
    const char *codec;
    size_t codec_length;
} clause;

/* Parse the next clause; false at the end. */
static bool next_clause(const char **text, clause *out)
{
    const char *const from = *text;
    const size_t length = from != NULL ? strcspn(from, ",") : 0;
    size_t before = length;

    if (from == NULL || *from == '\0') {
        return false;
    }
    while (before > 0 && from[before - 1] != '=') {
        before--;
    }
    *out = (clause){from, before > 0 ? before - 1 : 0, from + before, length - before};
    *text = from + length + (from[length] == ',');
    return true;
}

static bool is_word(const clause *c, const char *word)
{
    return strlen(word) == c->codec_length && strncmp(c->codec, word, c->codec_length) == 0;
}

static bool take_storage(const clause *c, stoa_lh5_storage *storage)
{
    storage->shuffle = !is_word(c, "none");
    if (!storage->shuffle) {
        storage->level = 0;
        return true;
    }
    if (c->codec_length == 9 && strncmp(c->codec, "deflate:", 8) == 0 && c->codec[8] >= '1' &&
        c->codec[8] <= '9') {
        storage->level = c->codec[8] - '0';
        return true;
    }
    return is_word(c, "deflate");
}

stoa_status stoa_lh5_storage_of(const char *codec, stoa_lh5_storage *storage, stoa_error *err)
{
    clause c;

    *storage = (stoa_lh5_storage){.shuffle = true, .level = 4};
    while (next_clause(&codec, &c)) {
        stoa_lh5_codec ignored;
        if (c.column_length > 0 ? !find_codec(c.codec, c.codec_length, &ignored)
                                : !take_storage(&c, storage)) {
            return stoa_fail(err, STOA_EINVAL, "no codec '%.*s' is written there; there are %s",
                             (int)c.codec_length, c.codec,
                             c.column_length > 0 ? "none, uleb128_zigzag_diff, radware_sigcompress"
                                                 : "none, deflate[:1-9], COLUMN=CODEC");
        }
    }
    return STOA_OK;
}

/* Whether a field, or a nested one, has the path. */
static bool has_path(const struct ArrowSchema *schema, const char *path, size_t length)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const struct ArrowSchema *const field = schema->children[i];
        const size_t n = strlen(field->name);
        if (n > length || strncmp(field->name, path, n) != 0) {
            continue;
        }
        if (n == length || (path[n] == '.' && has_path(field, path + n + 1, length - n - 1))) {
            return true;
        }
    }
    return false;
}

stoa_status stoa_lh5_check_packed(const char *codec, const struct ArrowSchema *schema,
                                  stoa_error *err)
{
    clause c;

    while (next_clause(&codec, &c)) {
        if (c.column_length > 0 && !has_path(schema, c.column, c.column_length)) {
            return stoa_fail(err, STOA_ENOTFOUND, "codec: there is no column '%.*s'",
                             (int)c.column_length, c.column);
        }
    }
    return STOA_OK;
}

/* --- columns ---------------------------------------------------------------------------------- */

static bool is_said(const char *codec, const char *path, stoa_lh5_packing *packing)
{
    clause c;
    bool found = false;

    while (next_clause(&codec, &c)) {
        if (c.column_length == strlen(path) && strncmp(c.column, path, c.column_length) == 0) {
            found = find_codec(c.codec, c.codec_length, &packing->codec);
        }
    }
    return found;
}

/* Read the packing from the field's metadata. If the codec text decides (`is_free` is false), only
 * a matching shift is used. */
static stoa_status read_packing(const struct ArrowSchema *field, bool is_free,
                                stoa_lh5_packing *packing, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_lh5_codec known = STOA_LH5_NOT_PACKED;
    char *codec = NULL;
    char *shift = NULL;
    double number = 0;

    STOA_TRY(stoa_schema_get_text(field, "lh5.codec", &codec, err));
    STOA_TRY(stoa_schema_get_text(field, "lh5.codec_shift", &shift, err));
    if (codec == NULL) {
        goto done;
    }
    if (!find_codec(codec, strlen(codec), &known) && strcmp(codec, "varlend_diff1") == 0) {
        known = STOA_LH5_ULEB128;
    }
    packing->codec = is_free ? known : packing->codec;
    if (packing->codec == known && shift != NULL && stoa_parse_f64(shift, strlen(shift), &number) &&
        number >= INT32_MIN && number <= INT32_MAX) {
        packing->has_shift = true;
        packing->shift = (int32_t)number;
    }

done:
    free(codec);
    free(shift);
    return status;
}

/* Whether all values plus the shift are within the bounds. */
static bool fits(const stoa_domain *domain, int64_t shift, int64_t low, int64_t high)
{
    const int64_t most = domain->has_positive ? (int64_t)domain->high : -1;

    if (domain->n_values == 0) {
        return true;
    }
    return !(domain->has_positive && domain->high > INT32_MAX) && domain->low >= INT32_MIN &&
           domain->low + shift >= low && most + shift <= high;
}

static stoa_status choose_shift(const char *path, const stoa_domain *domain,
                                stoa_lh5_packing *packing, stoa_error *err)
{
    if (packing->codec == STOA_LH5_ULEB128) {
        return fits(domain, 0, INT32_MIN, INT32_MAX)
                   ? STOA_OK
                   : stoa_fail(err, STOA_ELOSS,
                               "column '%s' has values beyond the 32 bits of uleb128_zigzag_diff",
                               path);
    }
    if (!packing->has_shift) {
        packing->shift = fits(domain, 0, INT16_MIN, INT16_MAX) ? 0 : INT16_MIN;
        packing->has_shift = true;
    }
    return fits(domain, packing->shift, INT16_MIN, INT16_MAX)
               ? STOA_OK
               : stoa_fail(err, STOA_ELOSS,
                           "column '%s' has values beyond the 16 bits of radware_sigcompress, of "
                           "codec_shift %d",
                           path, (int)packing->shift);
}

stoa_status stoa_lh5_packing_of(const char *codec, const char *path,
                                const struct ArrowSchema *field, const stoa_column_stats *stats,
                                stoa_lh5_packing *packing, stoa_error *err)
{
    stoa_type list;
    stoa_type item = {.kind = STOA_KIND_OTHER};
    char text[64];

    *packing = (stoa_lh5_packing){.codec = STOA_LH5_NOT_PACKED};
    const bool is_named = is_said(codec, path, packing);
    STOA_RETURN_NOT_OK(read_packing(field, !is_named, packing, err));
    if (packing->codec == STOA_LH5_NOT_PACKED) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_type_of(field, &list, err));
    if (field->n_children == 1) {
        STOA_RETURN_NOT_OK(stoa_type_of(field->children[0], &item, err));
    }
    if (!stoa_kind_is_integer(item.kind) ||
        (list.kind != STOA_KIND_FIXED_LIST && list.kind != STOA_KIND_LIST &&
         list.kind != STOA_KIND_LARGE_LIST)) {
        if (!is_named) { /* the metadata are from an earlier type of the column */
            *packing = (stoa_lh5_packing){.codec = STOA_LH5_NOT_PACKED};
            return STOA_OK;
        }
        return stoa_fail(err, STOA_ETYPE, "column '%s' is of %s, and %s packs lists of integers",
                         path, stoa_type_name(&list, text), names[packing->codec]);
    }
    return choose_shift(path, &stats->fields[0].domain, packing, err);
}
