/*
 * Strings: the bytes of all strings, each followed by a NUL, and the start of each (Arkouda notes
 * §F.1).
 *
 * Bytes are read block by block, and their NULs are removed while they are copied (offsets_simd.h).
 * Each string has one NUL, so Arrow's offsets follow from Arkouda's. No string may contain a NUL.
 * This holds if there are as many NULs as strings, and each string ends with one.
 */
#include <stdlib.h>
#include <string.h>

#include "layout/arkouda/read/find_offsets.h"
#include "layout/arkouda/read/node.h"

/* Offsets and bytes that are converted at a time, so that they stay in the L2 cache. */
enum { PART = 1 << 13, BLOCK = 1 << 17 };
/* Scratch blocks for them. */
enum { STARTS = 0, BYTES = 1 };
/* Limit on memory that is allocated by a file's claim, before the data is read. */
static const uint64_t believed = UINT64_C(1) << 26;

typedef struct strings {
    stoa_arkouda_node node;
    stoa_arkouda_array *values;
    stoa_arkouda_array *segments; /* NULL if left out */
    stoa_arkouda_nuls nuls;       /* used if offsets are left out */
    const stoa_arkouda_offsets_simd *turn;
    bool is_large;
} strings;

/* The strings of one batch. */
typedef struct reading {
    const strings *is;
    stoa_scratch scratch;
    stoa_buffer text; /* grows as bytes are read, so that a false size is not allocated */
    void *offsets;    /* count + 1 of 32 or 64 bits */
} reading;

/* --- removing NULs --------------------------------------------------------------------------- */

/* The end of the strings from i on that fit into a block; at least one string. */
static uint64_t fitting(const int64_t *starts, uint64_t i, uint64_t count)
{
    uint64_t low = i + 1;
    uint64_t high = count;

    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (starts[middle] - starts[i] <= BLOCK) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static stoa_status find_offsets(const strings *is, uint64_t first, uint64_t count, int64_t *starts,
                                stoa_error *err)
{
    return is->segments != NULL
               ? stoa_arkouda_offsets_read(is->segments, is->values->starts, false, first, count,
                                           starts, err)
               : stoa_arkouda_nuls_read(&is->nuls, is->values, first, count, starts, err);
}

static stoa_status damaged(const strings *is, uint64_t first, uint64_t end, stoa_error *err)
{
    const size_t k = stoa_arkouda_file_of(is->node.starts, is->node.n_files, first);
    const stoa_status status =
        stoa_fail(err, STOA_EDATA,
                  "among strings %llu to %llu is one without its NUL, or with one inside, or an "
                  "offset that is wrong",
                  (unsigned long long)first, (unsigned long long)end);

    return stoa_arkouda_set_at(is->values->set, k, is->values->path, status, err);
}

/* Append the bytes of `count` strings that begin at `starts`. */
static stoa_status read_bytes(reading *r, uint64_t first, uint64_t count, const int64_t *starts,
                              stoa_error *err)
{
    const strings *const is = r->is;
    stoa_buffer *const text = &r->text;

    for (uint64_t i = 0, end; i < count; i = end) {
        end = fitting(starts, i, count);
        const uint64_t n = (uint64_t)(starts[end] - starts[i]);
        uint8_t *const block =
            stoa_scratch_block(&r->scratch, BYTES, (size_t)n + STOA_ARKOUDA_SLACK);
        STOA_RETURN_NO_MEMORY(err, block);
        STOA_RETURN_NOT_OK(stoa_arkouda_array_read(is->values, (uint64_t)starts[i], n, block, err));
        memset(block + n, 0, STOA_ARKOUDA_SLACK);
        STOA_RETURN_NOT_OK(stoa_buffer_reserve(text, n + STOA_ARKOUDA_SLACK, err));
        if (!is->turn->are_ended(starts + i, end - i, block) ||
            is->turn->strip_nul(block, starts + i, end - i, text->data + text->size) != end - i) {
            STOA_RETURN_NOT_OK(damaged(is, first + i, first + end, err));
        }
        text->size += (size_t)(n - (end - i));
    }
    return STOA_OK;
}

/* Compute where strings will lie in the text. */
static stoa_status place(reading *r, uint64_t at, uint64_t n, const int64_t *starts,
                         stoa_error *err)
{
    const strings *const is = r->is;
    const int64_t first = (int64_t)r->text.size;
    const uint64_t n_bytes = (uint64_t)(starts[n] - starts[0]) - n;

    if (is->is_large) {
        is->turn->place_large(starts, n + 1, 1, first, (int64_t *)r->offsets + at);
        return STOA_OK;
    }
    if ((uint64_t)starts[n] - (uint64_t)starts[0] >= n && n_bytes > INT32_MAX - r->text.size) {
        return stoa_fail(err, STOA_ERANGE, "%llu strings are over 2 GiB; read fewer rows at once",
                         (unsigned long long)(at + n));
    }
    is->turn->place_small(starts, n + 1, 1, first, (int32_t *)r->offsets + at);
    return STOA_OK;
}

static stoa_status reserve(stoa_buffer *text, uint64_t n_bytes, stoa_error *err)
{
    return stoa_buffer_reserve(text, (n_bytes < believed ? n_bytes : believed) + STOA_ARKOUDA_SLACK,
                               err);
}

/* Reserve memory for the text of a whole batch, if its first part does not tell the size. */
static stoa_status make_room(reading *r, uint64_t first, uint64_t count, stoa_error *err)
{
    int64_t low[2] = {0, 0};
    int64_t high[2] = {0, 0};

    if (r->is->segments != NULL && count > PART) {
        STOA_RETURN_NOT_OK(find_offsets(r->is, first, 1, low, err));
        STOA_RETURN_NOT_OK(find_offsets(r->is, first + count - 1, 1, high, err));
    }
    return reserve(&r->text, high[1] > low[0] ? (uint64_t)(high[1] - low[0]) : 0, err);
}

/* Read the strings in parts, so that their offsets stay in the cache. Without offsets, one scan of
 * all bytes finds them. */
static stoa_status read_parts(reading *r, uint64_t first, uint64_t count, stoa_error *err)
{
    const uint64_t part = r->is->segments != NULL && count > PART ? PART : count;
    int64_t *const starts = (int64_t *)(void *)stoa_scratch_block(
        &r->scratch, STARTS, ((size_t)part + 1) * sizeof *starts);

    STOA_RETURN_NO_MEMORY(err, starts);
    for (uint64_t at = 0, n; at < count; at += n) {
        n = count - at < part ? count - at : part;
        STOA_RETURN_NOT_OK(find_offsets(r->is, first + at, n, starts, err));
        STOA_RETURN_NOT_OK(place(r, at, n, starts, err));
        STOA_RETURN_NOT_OK(reserve(&r->text, (uint64_t)(starts[n] - starts[0]), err));
        STOA_RETURN_NOT_OK(read_bytes(r, first + at, n, starts, err));
    }
    return STOA_OK;
}

static stoa_status strings_read(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                                struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const strings *const is = (const strings *)node;
    const size_t width = is->is_large ? sizeof(int64_t) : sizeof(int32_t);
    stoa_read_context *const read_context = is->values->set->read_context;
    reading r = {.is = is, .scratch = stoa_read_context_borrow(read_context)};

    r.offsets = stoa_alloc((size_t)count + 1, width);
    STOA_TRY(r.offsets != NULL ? STOA_OK : stoa_fail_memory(err));
    memset(r.offsets, 0, width);
    STOA_TRY(make_room(&r, first, count, err));
    STOA_TRY(read_parts(&r, first, count, err));
    void *const buffers[] = {NULL, r.offsets, stoa_buffer_detach(&r.text)};
    r.offsets = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)count, 0, 3, buffers, err));

done:
    stoa_read_context_return(read_context, &r.scratch);
    stoa_buffer_clear(&r.text);
    free(r.offsets);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static stoa_status strings_schema(const stoa_arkouda_node *node, const char *name,
                                  struct ArrowSchema *out, stoa_error *err)
{
    const bool is_large = ((const strings *)node)->is_large;

    return stoa_schema_make(
        out, name, stoa_kind_format(is_large ? STOA_KIND_LARGE_STRING : STOA_KIND_STRING), err);
}

static void strings_close(stoa_arkouda_node *node)
{
    strings *const is = (strings *)node;

    stoa_arkouda_nuls_clear(&is->nuls);
    stoa_arkouda_array_close(is->segments);
    stoa_arkouda_array_close(is->values);
}

/* Whether every file with strings has offsets. If one lacks them, none are used. */
static bool has_offsets(const stoa_arkouda_array *values, const char *path)
{
    bool has = true;

    for (size_t k = 0; has && k < values->set->n; k++) {
        has = values->pieces[k].dataset < 0 || stoa_object_exists(values->set->roots[k], path);
    }
    return has;
}

static stoa_status find_rows(strings *is, stoa_arkouda_set *set, const char *segments,
                             stoa_error *err)
{
    static const stoa_arkouda_requirements integers = {.is_int64 = true, .may_lack = true};
    uint64_t *const starts = is->node.starts;

    if (!has_offsets(is->values, segments)) {
        STOA_RETURN_NOT_OK(stoa_arkouda_nuls_find(&is->nuls, is->values, starts, err));
        is->node.is_free = is->values->is_free;
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_arkouda_array_open(set, segments, &integers, &is->segments, err));
    STOA_RETURN_NOT_OK(stoa_arkouda_offsets_check(is->segments, is->values->starts, false, err));
    memcpy(starts, is->segments->starts, (set->n + 1) * sizeof *starts);
    is->node.is_free = is->values->is_free && is->segments->is_free;
    return STOA_OK;
}

/* 64-bit offsets are only used where a batch of rows may exceed 32 bits. */
static bool are_large(const strings *is)
{
    const uint64_t n_bytes = stoa_arkouda_array_length(is->values);

    return n_bytes > INT32_MAX &&
           n_bytes / stoa_arkouda_rows(&is->node) > INT32_MAX / STOA_DIRECT_ROWS / 4;
}

stoa_status stoa_arkouda_strings_open(stoa_arkouda_set *set, const char *path, bool may_lack,
                                      stoa_arkouda_node **node, stoa_error *err)
{
    const stoa_arkouda_requirements bytes = {.is_bytes = true, .may_lack = may_lack};
    stoa_status status = STOA_OK;
    strings *made = NULL;
    char *values = stoa_format("%s/%s", path, STOA_ARKOUDA_VALUES);
    char *segments = stoa_format("%s/%s", path, STOA_ARKOUDA_SEGMENTS);

    *node = NULL;
    STOA_TRY(values != NULL && segments != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_node_make(sizeof *made, set, strings_close, &made, err));
    STOA_TRY(stoa_arkouda_array_open(set, values, &bytes, &made->values, err));
    STOA_TRY(find_rows(made, set, segments, err));
    made->is_large = are_large(made);
    made->turn = stoa_arkouda_offsets_simd_of(stoa_simd_of_cpu());
    made->node.schema = strings_schema;
    made->node.read = strings_read;
    *node = &made->node;
    made = NULL;

done:
    stoa_arkouda_node_close((stoa_arkouda_node *)made);
    free(values);
    free(segments);
    return status;
}
