/*
 * Awkward arrays of a subset (subset.h). Rows are selected down the tree of nodes: lists by their
 * offsets, records in all fields. What an index, or starts and stops, point to stays whole.
 */
#include <stdlib.h>
#include <string.h>

#include "hdf/chunk/chunk_writer.h"
#include "hdf/metadata/attributes.h"
#include "hdf/read/checked_reader.h"
#include "layout/anndata/awkward/form.h"
#include "layout/anndata/subset/subset.h"
#include "layout/common/extent.h"
#include "layout/common/writer.h"

typedef struct tree {
    stoa_subset_plan *plan;
    hid_t group;
    const char *path;
} tree;

/* --- buffers --------------------------------------------------------------------------------- */

/* Open the dataset of a buffer. */
static stoa_status open_buffer(const tree *t, const stoa_awkward_form *form, const char *part,
                               hid_t *dataset, uint64_t *n, stoa_error *err)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    int rank = 0;

    if (form->key == NULL) {
        return stoa_fail(err, STOA_EDATA, "its form has a node without form_key");
    }
    char *const name = stoa_format("%s-%s", form->key, part);
    STOA_RETURN_NO_MEMORY(err, name);
    *dataset = stoa_object_open(t->group, name);
    const stoa_status status = *dataset >= 0 && H5Iget_type(*dataset) == H5I_DATASET
                                   ? stoa_extent_read(*dataset, &rank, extent, err)
                                   : stoa_fail(err, STOA_EDATA, "the buffer '%s' is missing", name);
    free(name);
    *n = rank > 0 ? extent[0] : 0;
    return status;
}

/* The same lines of an axis with another length; each stands for `times` lines there. */
static stoa_status of_length(const tree *t, const stoa_axis_lines *lines, uint64_t times,
                             uint64_t n, const stoa_axis_lines **made, stoa_error *err)
{
    *made = lines;
    if (times == 1 && n == lines->n) {
        return STOA_OK;
    }
    stoa_axis_lines *const own = stoa_subset_lines(t->plan, n);
    STOA_RETURN_NO_MEMORY(err, own);
    *made = own;
    for (size_t i = 0; i < lines->kept.n_ranges; i++) {
        const stoa_range range = lines->kept.ranges[i];
        if (times > 0 && range.first + range.count > UINT64_MAX / times) {
            return stoa_fail(err, STOA_EDATA, "its lists are longer than a file");
        }
        STOA_RETURN_NOT_OK(
            stoa_axis_lines_keep(own, range.first * times, range.count * times, err));
    }
    return STOA_OK;
}

/* A buffer that has `times` elements for a row. */
static stoa_status select_buffer(const tree *t, const stoa_awkward_form *form, const char *part,
                                 const stoa_axis_lines *rows, uint64_t times, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_axis_lines *lines = NULL;
    hid_t dataset = H5I_INVALID_HID;
    uint64_t n = 0;

    STOA_TRY(open_buffer(t, form, part, &dataset, &n, err));
    STOA_TRY(of_length(t, rows, times, n, &lines, err));
    STOA_TRY(stoa_subset_select(t->plan, dataset, lines, NULL, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* --- bits ------------------------------------------------------------------------------------ */

typedef struct bits {
    char *path; /* of the dataset */
    const stoa_axis_lines *rows;
    bool lsb_order;
} bits;

static void clear_bits(void *context)
{
    bits *const b = context;

    free(b->path);
    free(b);
}

static unsigned bit_of(const bits *b, uint64_t i)
{
    return b->lsb_order ? (unsigned)(i % 8) : 7 - (unsigned)(i % 8);
}

/* A stoa_subset_step.run. The mask is in memory meanwhile: a bit for each row. */
static stoa_status write_bits(void *context, hid_t from, hid_t to, stoa_error *err)
{
    const bits *const b = context;
    const uint64_t n = stoa_bit_bytes(b->rows->n);
    const uint64_t n_made = stoa_bit_bytes(b->rows->n_kept);
    stoa_status status = STOA_OK;
    hid_t source = stoa_object_open(from, b->path);
    hid_t copy = stoa_object_open(to, b->path);
    stoa_checked_reader reader = STOA_CHECKED_READER_INIT;
    stoa_chunk_writer writer = STOA_CHUNK_WRITER_INIT;
    uint8_t *const mask = stoa_alloc((size_t)n + 1, 1);
    uint8_t *const made = stoa_alloc_zero((size_t)n_made + 1, 1);
    uint64_t row = 0;

    STOA_TRY(mask != NULL && made != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_checked_reader_open(&reader, source, H5T_NATIVE_UINT8, NULL, err));
    STOA_TRY(n > 0 ? stoa_checked_reader_read(&reader, 0, n, NULL, NULL, mask, err) : STOA_OK);
    for (size_t i = 0; i < b->rows->kept.n_ranges; i++) {
        const stoa_range run = b->rows->kept.ranges[i];
        for (uint64_t k = run.first; k < run.first + run.count; k++, row++) {
            made[row / 8] |= (uint8_t)((mask[k / 8] >> bit_of(b, k) & 1) << bit_of(b, row));
        }
    }
    STOA_TRY(stoa_chunk_writer_open(&writer, copy, H5T_NATIVE_UINT8, err));
    STOA_TRY(n_made > 0 ? stoa_chunk_writer_write(&writer, 0, n_made, made, err) : STOA_OK);
    STOA_TRY(stoa_chunk_writer_flush(&writer, err));

done:
    stoa_checked_reader_close(&reader);
    stoa_chunk_writer_close(&writer);
    free(mask);
    free(made);
    status = stoa_hdf_close(&copy, status, err);
    status = stoa_hdf_close(&source, status, err);
    return stoa_layout_error_at(from, b->path, status, err);
}

static stoa_status select_bits(const tree *t, const stoa_awkward_form *form,
                               const stoa_axis_lines *rows, stoa_error *err)
{
    const stoa_subset_item item = {.is_written = true, .extent = stoa_bit_bytes(rows->n_kept)};
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    uint64_t n = 0;
    bits *b = NULL;

    STOA_TRY(open_buffer(t, form, "mask", &dataset, &n, err));
    if (n < stoa_bit_bytes(rows->n)) {
        STOA_FAIL(err, STOA_EDATA, "the mask of '%s' has %llu bytes", form->key,
                  (unsigned long long)n);
    }
    STOA_TRY(stoa_subset_add(t->plan, dataset, &item, err));
    b = stoa_alloc_zero(1, sizeof *b);
    STOA_TRY(b != NULL ? STOA_OK : stoa_fail_memory(err));
    *b = (bits){stoa_format("%s/%s-mask", t->path, form->key), rows, form->lsb_order};
    const stoa_subset_step step = {write_bits, clear_bits, b};
    b = NULL;
    STOA_TRY(stoa_subset_add_step(t->plan, step, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

/* --- nodes ----------------------------------------------------------------------------------- */

static stoa_status select_node(const tree *t, const stoa_awkward_form *form,
                               const stoa_axis_lines *rows, stoa_error *err);

static stoa_status select_contents(const tree *t, const stoa_awkward_form *form,
                                   const stoa_axis_lines *rows, stoa_error *err)
{
    for (size_t i = 0; i < form->n_contents; i++) {
        STOA_RETURN_NOT_OK(select_node(t, &form->contents[i], rows, err));
    }
    return STOA_OK;
}

static stoa_status select_lists(const tree *t, const stoa_awkward_form *form,
                                const stoa_axis_lines *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_axis_lines *lists = NULL;
    const stoa_axis_lines *elements = NULL;
    hid_t offsets = H5I_INVALID_HID;
    uint64_t n = 0;

    STOA_TRY(open_buffer(t, form, "offsets", &offsets, &n, err));
    STOA_TRY(of_length(t, rows, 1, n > 0 ? n - 1 : 0, &lists, err));
    STOA_TRY(stoa_subset_select_lists(t->plan, offsets, lists, true, INT64_MAX, &elements, err));
    STOA_TRY(select_contents(t, form, elements, err));

done:
    return stoa_hdf_close(&offsets, status, err);
}

static stoa_status select_fixed(const tree *t, const stoa_awkward_form *form,
                                const stoa_axis_lines *rows, stoa_error *err)
{
    const stoa_axis_lines *elements = NULL;

    STOA_RETURN_NOT_OK(of_length(t, rows, form->size, INT64_MAX, &elements, err));
    return select_contents(t, form, elements, err);
}

static stoa_status select_numbers(const tree *t, const stoa_awkward_form *form,
                                  const stoa_axis_lines *rows, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dataset = H5I_INVALID_HID;
    uint64_t times = 1;
    uint64_t n = 0;

    STOA_TRY(open_buffer(t, form, "data", &dataset, &n, err));
    for (size_t i = 0; i < form->rank && stoa_extent_rank(dataset) == 1; i++) {
        times *= form->shape[i];
    }
    STOA_TRY(select_buffer(t, form, "data", rows, times, err));

done:
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status select_node(const tree *t, const stoa_awkward_form *form,
                               const stoa_axis_lines *rows, stoa_error *err)
{
    switch (form->class) {
    case STOA_AWKWARD_EMPTY:
        return STOA_OK;
    case STOA_AWKWARD_NUMBERS:
        return select_numbers(t, form, rows, err);
    case STOA_AWKWARD_LISTS:
        return select_lists(t, form, rows, err);
    case STOA_AWKWARD_RANGES:
        STOA_RETURN_NOT_OK(select_buffer(t, form, "starts", rows, 1, err));
        return select_buffer(t, form, "stops", rows, 1, err);
    case STOA_AWKWARD_FIXED:
        return select_fixed(t, form, rows, err);
    case STOA_AWKWARD_INDEXED:
    case STOA_AWKWARD_OPTIONS:
        return select_buffer(t, form, "index", rows, 1, err);
    case STOA_AWKWARD_BYTE_MASKED:
        STOA_RETURN_NOT_OK(select_buffer(t, form, "mask", rows, 1, err));
        return select_contents(t, form, rows, err);
    case STOA_AWKWARD_BIT_MASKED:
        STOA_RETURN_NOT_OK(select_bits(t, form, rows, err));
        return select_contents(t, form, rows, err);
    case STOA_AWKWARD_RECORDS:
    case STOA_AWKWARD_UNMASKED:
        break;
    }
    return select_contents(t, form, rows, err);
}

stoa_status stoa_anndata_select_awkward(stoa_subset_plan *plan, hid_t group, const char *path,
                                        const stoa_axis_lines *rows, stoa_error *err)
{
    const tree t = {plan, group, path};
    stoa_status status = STOA_OK;
    stoa_awkward_form form = {0};
    char *text = NULL;
    bool is_there = false;
    uint64_t n = 0;

    STOA_TRY(stoa_attribute_read_u64(group, "length", &n, &is_there, err));
    if (!is_there || n != rows->n) {
        STOA_FAIL(err, STOA_EDATA, "has %llu rows; %llu are needed", (unsigned long long)n,
                  (unsigned long long)rows->n);
    }
    STOA_TRY(stoa_attribute_read_text(group, "form", &text, err));
    if (text == NULL) {
        STOA_FAIL(err, STOA_EDATA, "attribute 'form' does not say what the array is made of");
    }
    STOA_TRY(stoa_awkward_form_parse(text, &form, err));
    STOA_TRY(select_node(&t, &form, rows, err));
    STOA_TRY(stoa_subset_set_attribute(plan, path, "length", &rows->n_kept, 1, err));

done:
    stoa_awkward_form_clear(&form);
    free(text);
    return status;
}
