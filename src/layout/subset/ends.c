/* The datasets that say where lists end, of which a subset keeps some (plan.h). */
#include <stdlib.h>

#include "core/memory.h"
#include "hdf/chunk/chunk_writer.h"
#include "hdf/read/checked_reader.h"
#include "layout/subset/ends.h"
#include "layout/subset/plan.h"

enum {
    MAX_LISTS = 1 << 16, /* read at a time */
    MAX_MEMORY = 4 << 20 /* of decoded chunks */
};

stoa_status stoa_ends_open(stoa_ends *r, hid_t ends, uint64_t n, bool has_start, stoa_error *err)
{
    *r = (stoa_ends){.ends = STOA_CHECKED_READER_INIT, .n = n, .has_start = has_start};
    r->at = stoa_alloc(MAX_LISTS + 1, sizeof *r->at);
    STOA_RETURN_NO_MEMORY(err, r->at);
    STOA_RETURN_NOT_OK(stoa_read_context_open(&r->context, err));
    stoa_read_context_limit(r->context, MAX_MEMORY);
    return stoa_checked_reader_open(&r->ends, ends, H5T_NATIVE_INT64, r->context, err);
}

void stoa_ends_close(stoa_ends *r)
{
    stoa_checked_reader_close(&r->ends);
    stoa_read_context_close(r->context);
    free(r->at);
}

/* Read the block that has a list, and check it. */
static stoa_status load(stoa_ends *r, uint64_t list, stoa_error *err)
{
    if (list >= r->first && list < r->first + r->count) {
        return STOA_OK;
    }
    r->first = list / MAX_LISTS * MAX_LISTS;
    r->count = r->n - r->first < MAX_LISTS ? r->n - r->first : MAX_LISTS;
    const bool is_begun = r->has_start || r->first > 0; /* what lies before the block is stored */
    r->at[0] = 0;
    STOA_RETURN_NOT_OK(stoa_checked_reader_read(
        &r->ends, r->first - (!r->has_start && is_begun ? 1 : 0), r->count + (is_begun ? 1 : 0),
        NULL, NULL, r->at + (is_begun ? 0 : 1), err));
    for (uint64_t i = 0; i < r->count; i++) {
        if (r->at[i] < 0 || r->at[i + 1] < r->at[i]) {
            return stoa_fail(err, STOA_EDATA, "list %llu ends at %lld, and begins at %lld",
                             (unsigned long long)(r->first + i), (long long)r->at[i + 1],
                             (long long)r->at[i]);
        }
    }
    return STOA_OK;
}

stoa_status stoa_ends_read(stoa_ends *r, stoa_range run, uint64_t *n, const int64_t **at,
                           stoa_error *err)
{
    STOA_RETURN_NOT_OK(load(r, run.first, err));
    const uint64_t rest = r->first + r->count - run.first;
    *n = run.count < rest ? run.count : rest;
    *at = r->at + (run.first - r->first);
    return STOA_OK;
}

stoa_status stoa_subset_find_elements(hid_t ends, const stoa_axis_lines *rows, bool has_start,
                                      stoa_axis_lines *elements, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_ends r;

    STOA_TRY(stoa_ends_open(&r, ends, rows->n, has_start, err));
    for (size_t i = 0; i < rows->kept.n_ranges; i++) {
        for (stoa_range run = rows->kept.ranges[i]; run.count > 0;) {
            const int64_t *at = NULL;
            uint64_t n = 0;
            STOA_TRY(stoa_ends_read(&r, run, &n, &at, err));
            status =
                stoa_axis_lines_keep(elements, (uint64_t)at[0], (uint64_t)(at[n] - at[0]), err);
            STOA_TRY(status);
            run = (stoa_range){run.first + n, run.count - n};
        }
    }

done:
    stoa_ends_close(&r);
    return status;
}

/* Ends in the copy, which are written many at a time. */
typedef struct made_ends {
    stoa_chunk_writer writer;
    uint64_t n_written;
    size_t n; /* in `at` */
    int64_t last;
    int64_t at[1 << 10];
} made_ends;

static stoa_status write_made(made_ends *made, stoa_error *err)
{
    if (made->n > 0) {
        STOA_RETURN_NOT_OK(
            stoa_chunk_writer_write(&made->writer, made->n_written, made->n, made->at, err));
    }
    made->n_written += made->n;
    made->n = 0;
    return STOA_OK;
}

static stoa_status add_end(made_ends *made, int64_t length, stoa_error *err)
{
    made->at[made->n++] = made->last += length;
    return made->n == sizeof made->at / sizeof *made->at ? write_made(made, err) : STOA_OK;
}

static stoa_status copy_run(stoa_ends *r, stoa_range run, made_ends *made, stoa_error *err)
{
    while (run.count > 0) {
        const int64_t *at = NULL;
        uint64_t n = 0;
        STOA_RETURN_NOT_OK(stoa_ends_read(r, run, &n, &at, err));
        for (uint64_t i = 0; i < n; i++) {
            STOA_RETURN_NOT_OK(add_end(made, at[i + 1] - at[i], err));
        }
        run = (stoa_range){run.first + n, run.count - n};
    }
    return STOA_OK;
}

stoa_status stoa_subset_copy_ends(const stoa_subset_item *item, hid_t source, hid_t copy,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    made_ends made = {.writer = STOA_CHUNK_WRITER_INIT};
    stoa_ends r;

    STOA_TRY(stoa_ends_open(&r, source, item->rows->n, item->has_start, err));
    STOA_TRY(stoa_chunk_writer_open(&made.writer, copy, H5T_NATIVE_INT64, err));
    STOA_TRY(item->has_start ? add_end(&made, 0, err) : STOA_OK);
    for (size_t i = 0; i < item->rows->kept.n_ranges; i++) {
        STOA_TRY(copy_run(&r, item->rows->kept.ranges[i], &made, err));
    }
    STOA_TRY(write_made(&made, err));
    STOA_TRY(stoa_chunk_writer_flush(&made.writer, err));

done:
    stoa_chunk_writer_close(&made.writer);
    stoa_ends_close(&r);
    return status;
}
