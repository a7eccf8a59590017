#include "layout/numpy/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "core/text.h"
#include "layout/numpy/column.h"

enum { MOST_ROWS = 1 << 16, MOST_BYTES = 1 << 24, MOST_FORTRAN = 1 << 30 };

/* An array that is read. */
typedef struct source {
    char *name; /* of its column; NULL for a structure */
    stoa_bytes *bytes;
    stoa_npy npy;
    stoa_npy_field whole; /* the elements of a row, if it is no structure */
    uint8_t *all;         /* all rows of an array in Fortran's order, in C's order */
} source;

typedef struct reading {
    stoa_zip *zip;
    source *sources;
    size_t n;
    uint64_t n_rows;
    uint64_t at;
    uint64_t n_batch;
    char *file;
    stoa_listener listener;
} reading;

/* --- opening --------------------------------------------------------------------------------- */

bool stoa_numpy_is_one(const char *name)
{
    return stoa_npy_is_one(name) || stoa_zip_is_one(name);
}

/* Put an array in C's order. It is read whole. */
static stoa_status turn(source *s, stoa_error *err)
{
    const stoa_npy *const npy = &s->npy;
    const uint64_t n = stoa_npy_n(npy);
    uint64_t at[STOA_NPY_MAX_RANK] = {0};
    uint8_t *from = NULL;
    stoa_status status = STOA_OK;

    if (n > MOST_FORTRAN / (npy->item_size > 0 ? npy->item_size : 1)) {
        return stoa_fail(err, STOA_ERANGE,
                         "an array of more than 1 GiB in Fortran's order; save "
                         "numpy.ascontiguousarray() of it");
    }
    from = stoa_alloc((size_t)n + 1, npy->item_size);
    s->all = stoa_alloc((size_t)n + 1, npy->item_size);
    STOA_TRY(from != NULL && s->all != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_bytes_read(s->bytes, from, (size_t)n * npy->item_size, err));
    for (uint64_t i = 0; i < n; i++) { /* in the order of the file: the first index runs fastest */
        uint64_t place = 0;
        for (unsigned k = 0; k < npy->rank; k++) {
            place = place * npy->shape[k] + at[k];
        }
        memcpy(s->all + place * npy->item_size, from + i * npy->item_size, npy->item_size);
        for (unsigned k = 0; k < npy->rank && ++at[k] == npy->shape[k]; k++) {
            at[k] = 0;
        }
    }

done:
    free(from);
    return status;
}

/* Read the header, and note what a row is. */
static stoa_status begin(source *s, stoa_error *err)
{
    stoa_npy *const npy = &s->npy;

    STOA_RETURN_NOT_OK(stoa_npy_read(s->bytes, npy, err));
    if (npy->rank == 0) {
        return stoa_fail(err, STOA_ETYPE, "is a scalar, which has no rows");
    }
    if (npy->is_struct && npy->rank > 1) {
        return stoa_fail(err, STOA_ETYPE, "is a structured array of %u dimensions; rows have one",
                         npy->rank);
    }
    if (!npy->is_struct) {
        s->whole = npy->fields[0];
        s->whole.rank = npy->rank - 1;
        for (unsigned i = 1; i < npy->rank; i++) {
            s->whole.shape[i - 1] = npy->shape[i];
            s->whole.n *= npy->shape[i];
        }
    }
    return npy->is_fortran && npy->rank > 1 ? turn(s, err) : STOA_OK;
}

/* "dir/events.npy" names the column "events". */
static char *stem_of(const char *name)
{
    const char *const slash = strrchr(name, '/');
    const char *const base = slash != NULL ? slash + 1 : name;
    const size_t n = strlen(base);

    return stoa_strndup(base, stoa_ends_with(base, n, ".npy") && n > 4 ? n - 4 : n);
}

static stoa_status add_source(reading *r, const char *name, size_t member, stoa_error *err)
{
    source *const s = &r->sources[r->n];
    stoa_status status = STOA_OK;

    *s = (source){.name = stem_of(name)};
    r->n++;
    STOA_RETURN_NO_MEMORY(err, s->name);
    STOA_TRY(r->zip != NULL ? stoa_bytes_open_member(r->zip, member, &s->bytes, err)
                            : stoa_bytes_open_file(name, &s->bytes, err));
    STOA_TRY(begin(s, err));
    if (r->n == 1) {
        r->n_rows = s->npy.shape[0];
    } else if (s->npy.shape[0] != r->n_rows) {
        STOA_FAIL(
            err, STOA_EDATA, "has %llu rows, and '%s' %llu: arrays of one length make a table",
            (unsigned long long)s->npy.shape[0], r->sources[0].name, (unsigned long long)r->n_rows);
    }

done:
    return r->zip != NULL ? stoa_within(err, status, "%s", name) : status;
}

static stoa_status open_sources(reading *r, const char *name, stoa_error *err)
{
    size_t row_size = 1;

    if (stoa_npy_is_one(name)) {
        r->sources = stoa_alloc_zero(1, sizeof *r->sources);
        STOA_RETURN_NO_MEMORY(err, r->sources);
        STOA_RETURN_NOT_OK(add_source(r, name, 0, err));
    } else {
        STOA_RETURN_NOT_OK(stoa_zip_open(name, &r->zip, err));
        const size_t n = stoa_zip_n_members(r->zip);
        r->sources = stoa_alloc_zero(n + 1, sizeof *r->sources);
        STOA_RETURN_NO_MEMORY(err, r->sources);
        for (size_t i = 0; i < n; i++) {
            STOA_RETURN_NOT_OK(add_source(r, stoa_zip_member_name(r->zip, i), i, err));
        }
        if (n == 0) {
            return stoa_fail(err, STOA_EDATA, "has no arrays");
        }
    }
    for (size_t i = 0; i < r->n; i++) {
        const source *const s = &r->sources[i];
        row_size += s->npy.is_struct ? s->npy.item_size : s->whole.size * (size_t)s->whole.n;
    }
    r->n_batch = MOST_BYTES / row_size < MOST_ROWS ? MOST_BYTES / row_size : MOST_ROWS;
    r->n_batch = r->n_batch > 0 ? r->n_batch : 1;
    return STOA_OK;
}

/* --- the stream ------------------------------------------------------------------------------ */

static size_t n_columns(const source *s)
{
    return s->npy.is_struct ? s->npy.n_fields : 1;
}

static stoa_status make_fields(const reading *r, struct ArrowSchema *out, stoa_error *err)
{
    int64_t n = 0;

    for (size_t i = 0; i < r->n; i++) {
        n += (int64_t)n_columns(&r->sources[i]);
    }
    STOA_RETURN_NOT_OK(stoa_schema_make(out, "", "+s", err));
    STOA_RETURN_NOT_OK(stoa_schema_children(out, n, err));
    n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const source *const s = &r->sources[i];
        for (size_t k = 0; k < n_columns(s); k++) {
            const stoa_npy_field *const f = s->npy.is_struct ? &s->npy.fields[k] : &s->whole;
            STOA_RETURN_NOT_OK(
                stoa_npy_schema(f, s->npy.is_struct ? f->name : s->name, out->children[n++], err));
        }
    }
    return STOA_OK;
}

static stoa_status make_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    const reading *const r = self;

    return stoa_within(err, make_fields(r, out, err), "%s", r->file);
}

static stoa_status read_source(source *s, uint64_t at, uint64_t n, struct ArrowArray **columns,
                               stoa_error *err)
{
    const size_t stride = s->npy.is_struct ? s->npy.item_size : s->whole.size * (size_t)s->whole.n;
    uint8_t *rows = NULL;
    stoa_status status = STOA_OK;

    if (s->all == NULL) {
        rows = stoa_alloc((size_t)n + 1, stride);
        STOA_TRY(rows != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_TRY(stoa_bytes_read(s->bytes, rows, (size_t)n * stride, err));
    }
    for (size_t k = 0; k < n_columns(s); k++) {
        STOA_TRY(stoa_npy_column(s->npy.is_struct ? &s->npy.fields[k] : &s->whole,
                                 s->all != NULL ? s->all + at * stride : rows, stride, n,
                                 columns[k], err));
    }

done:
    free(rows);
    return stoa_within(err, status, "%s", s->name);
}

static stoa_status next_batch(void *self, struct ArrowArray *out, stoa_error *err)
{
    reading *const r = self;
    const uint64_t left = r->n_rows - r->at;
    const uint64_t n = left < r->n_batch ? left : r->n_batch;
    size_t n_all = 0;
    size_t k = 0;
    stoa_status status = STOA_OK;

    if (n == 0) {
        return STOA_OK;
    }
    for (size_t i = 0; i < r->n; i++) {
        n_all += n_columns(&r->sources[i]);
    }
    STOA_TRY(stoa_array_struct(out, (int64_t)n, (int64_t)n_all, err));
    for (size_t i = 0; i < r->n; i++) {
        STOA_TRY(read_source(&r->sources[i], r->at, n, out->children + k, err));
        k += n_columns(&r->sources[i]);
    }
    r->at += n;
    STOA_TRY(stoa_report_progress(
        &r->listener, &(stoa_progress){.stage = "reading", .rows = r->at, .total_rows = r->n_rows},
        err));

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return stoa_within(err, status, "%s", r->file);
}

static void end(void *self)
{
    reading *const r = self;

    for (size_t i = 0; i < r->n; i++) {
        free(r->sources[i].name);
        free(r->sources[i].all);
        stoa_bytes_close(r->sources[i].bytes);
        stoa_npy_clear(&r->sources[i].npy);
    }
    free(r->sources);
    stoa_zip_close(r->zip);
    free(r->file);
    free(r);
}

stoa_status stoa_numpy_open(const char *name, const stoa_listener *listener,
                            struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {make_schema, next_batch, end};
    reading *const r = stoa_alloc_zero(1, sizeof *r);
    stoa_status status = STOA_OK;

    *stream = (struct ArrowArrayStream){.release = NULL};
    STOA_RETURN_NO_MEMORY(err, r);
    r->file = stoa_strndup(name, strlen(name));
    STOA_TRY(r->file != NULL ? STOA_OK : stoa_fail_memory(err));
    if (listener != NULL) {
        r->listener = *listener;
    }
    STOA_TRY(open_sources(r, name, err));
    return stoa_stream_make(stream, &producer, r, err);

done:
    end(r);
    return stoa_within(err, status, "%s", name);
}
