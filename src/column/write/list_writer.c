#include "column/write/list_writer.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/decode_dictionary.h"
#include "arrow/gather.h"
#include "column/list/create.h"
#include "column/list/list.h"
#include "core/memory.h"
#include "hdf/copy/object_storage.h"

/* A member and what is written to it. */
typedef struct part {
    stoa_column_writer writer; /* column NULL: there is no such member */
    stoa_column_batch batch;
} part;

/* Lists or strings at one depth. */
typedef struct level {
    stoa_column *column;
    part offsets;
    part mask;
    bool is_mask_new;  /* the MASK was made here, or was to be */
    uint64_t n_values; /* values that its entries have, uncommitted ones included */
    uint64_t end;      /* the same with the batch */
    stoa_buffer ends;  /* of the batch: where each entry ends, as uint64_t */
    stoa_buffer bits;  /* of the batch: which entries are present, if any may be missing */
    uint64_t length;   /* of the batch: entries */
    bool has_missing;  /* of the batch */
} level;

struct stoa_list_writer {
    stoa_column *column;
    level *levels; /* the rows' first */
    size_t n_levels;
    part values; /* the innermost */
    /* Values of the batch that are not in one piece, or not as they are stored. */
    struct ArrowArray decoded;
    struct ArrowSchema decoded_schema;
    struct ArrowArray gathered;
    stoa_buffer ranges[2]; /* where entries lie in the view of their level */
};

/* The fields of views that no Arrow data belongs to. */
static const struct ArrowSchema no_field = {.name = ""};

/* --- opening --------------------------------------------------------------------------------- */

static bool is_list(const stoa_column *column)
{
    return stoa_column_is_list_group(column);
}

static part part_of(stoa_column *member, const stoa_column *of)
{
    return (part){.writer = {.column = member,
                             .group = of->dataset,
                             .n_rows = member != NULL ? member->n_rows : 0}};
}

static stoa_status check_leaf(const stoa_column *of, const stoa_column *leaf, stoa_error *err)
{
    if (stoa_column_is_categorical(leaf)) {
        return stoa_fail(err, STOA_ELAYOUT,
                         "its values have categories, which HEP001 knows of columns only; append "
                         "with the program that wrote it");
    }
    if (of->list->is_text && leaf->element.kind != STOA_KIND_UINT8) {
        return stoa_fail(err, STOA_EDATA, "%s is of %s, not uint8 (HEP001-2026-07 §9.4)",
                         leaf->name, leaf->element.text);
    }
    return STOA_OK;
}

stoa_status stoa_list_writer_open(stoa_column *column, stoa_list_writer **writer, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_list_writer *w = stoa_alloc_zero(1, sizeof *w);
    stoa_column *of = column;

    *writer = NULL;
    STOA_RETURN_NO_MEMORY(err, w);
    w->column = column;
    for (;; of = of->list->values) {
        level *const more = stoa_one_more(w->levels, w->n_levels, sizeof *more);
        STOA_TRY(more != NULL ? STOA_OK : stoa_fail_memory(err));
        w->levels = more;
        more[w->n_levels++] = (level){.column = of,
                                      .offsets = part_of(of->list->offsets, of),
                                      .mask = part_of(of->list->mask, of),
                                      .n_values = of->list->values->n_rows};
        if (!is_list(of->list->values)) {
            break;
        }
    }
    w->values = part_of(of->list->values, of);
    STOA_TRY(check_leaf(of, of->list->values, err));
    *writer = w;
    w = NULL;

done:
    stoa_list_writer_close(w);
    return stoa_at(err, status, "%s", column->name);
}

/* What has a second link may be part of another column, whose rows would be lost. */
static stoa_status check_links(const stoa_column *column, stoa_error *err)
{
    bool has_more = false;

    STOA_RETURN_NOT_OK(stoa_column_has_more_links(column, &has_more, err));
    if (has_more) {
        return stoa_fail(err, STOA_ELAYOUT,
                         "%s has a second link and may be part of another column; write the table "
                         "anew with stoa convert, and append to that",
                         column->name);
    }
    return STOA_OK;
}

stoa_status stoa_list_writer_check_own(const stoa_list_writer *writer, stoa_error *err)
{
    stoa_members members;

    for (size_t i = 0; i < writer->n_levels; i++) {
        STOA_RETURN_NOT_OK(check_links(writer->levels[i].column, err));
    }
    stoa_members_of(writer->column, &members);
    for (size_t i = 0; i < members.n; i++) {
        STOA_RETURN_NOT_OK(check_links(members.items[i].column, err));
    }
    return STOA_OK;
}

void stoa_list_writer_close(stoa_list_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    for (size_t i = 0; i < writer->n_levels; i++) {
        stoa_buffer_clear(&writer->levels[i].ends);
        stoa_buffer_clear(&writer->levels[i].bits);
    }
    stoa_buffer_clear(&writer->ranges[0]);
    stoa_buffer_clear(&writer->ranges[1]);
    stoa_array_release(&writer->gathered);
    stoa_array_release(&writer->decoded);
    stoa_schema_release(&writer->decoded_schema);
    free(writer->levels);
    free(writer);
}

void stoa_list_writer_keep_fill(stoa_list_writer *writer)
{
    writer->values.writer.keeps_fill = true;
}

/* Do something with every member in the order of writing. */
typedef stoa_status (*part_step)(part *p, void *context, stoa_error *err);

static stoa_status each_part(stoa_list_writer *writer, part_step step, void *context,
                             stoa_error *err)
{
    stoa_status status = step(&writer->values, context, err);

    for (size_t i = writer->n_levels; status == STOA_OK && i-- > 0;) {
        level *const l = &writer->levels[i];
        if (l->mask.writer.column != NULL) {
            status = step(&l->mask, context, err);
        }
        if (status == STOA_OK) {
            status = step(&l->offsets, context, err);
        }
    }
    return stoa_within(err, status, "%s", writer->column->name);
}

/* --- cutting --------------------------------------------------------------------------------- */

static size_t n_ranges(const stoa_buffer *ranges)
{
    return ranges->size / sizeof(stoa_row_range);
}

/* Add a range, which continues the last one if it can. */
static stoa_status add_range(stoa_buffer *ranges, int64_t first, int64_t count, stoa_error *err)
{
    const stoa_row_range range = {first, count};
    stoa_row_range *const each = (stoa_row_range *)(void *)ranges->data;
    const size_t n = n_ranges(ranges);

    if (count == 0) {
        return STOA_OK;
    }
    if (n > 0 && each[n - 1].first + each[n - 1].count == first) {
        each[n - 1].count += count;
        return STOA_OK;
    }
    return stoa_buffer_append(ranges, &range, sizeof range, err);
}

/* Whether a view can be the entries of a level. Entries that are all missing are of any type. */
static stoa_status check_kind(const level *l, const stoa_view *view, stoa_error *err)
{
    const stoa_kind kind = view->type.kind;
    const int32_t width = l->column->list->width;
    const stoa_column *const values = l->column->list->values;
    const bool is_bytes = kind == STOA_KIND_BINARY || kind == STOA_KIND_LARGE_BINARY;
    char name[64];

    if (view->null_count == view->length ||
        (l->column->list->is_text ? stoa_kind_is_string(kind)
         : width > 0              ? kind == STOA_KIND_FIXED_LIST && view->type.width == width
                     : stoa_kind_is_list(kind) || (is_bytes && stoa_column_is_dataset(values) &&
                                                   values->type.kind == STOA_KIND_UINT8))) {
        return STOA_OK;
    }
    return stoa_fail(err, STOA_ETYPE, "it is a %s; %s does not go into it", l->column->element.text,
                     stoa_type_name(&view->type, name));
}

/* Note where the entries of one range end, and where their values lie. */
static stoa_status cut_range(level *l, const stoa_view *view, const stoa_row_range *range,
                             uint64_t *at, stoa_buffer *below, stoa_error *err)
{
    uint64_t *const ends = (uint64_t *)(void *)l->ends.data;

    for (int64_t i = range->first; i < range->first + range->count; i++, (*at)++) {
        int64_t first = 0;
        int64_t count = 0;
        if (stoa_view_is_null(view, i)) {
            l->has_missing = true;
            stoa_bit_clear(l->bits.data, *at);
        } else {
            stoa_view_range(view, i, &first, &count);
        }
        if ((uint64_t)count > INT64_MAX - l->end) {
            return stoa_fail(err, STOA_ERANGE, "more than 2^63 values");
        }
        l->end += (uint64_t)count;
        ends[*at] = l->end;
        STOA_RETURN_NOT_OK(add_range(below, first, count, err));
    }
    return STOA_OK;
}

/* The same where no entry is missing: their values are one range. */
static stoa_status cut_whole(level *l, const stoa_view *view, const stoa_row_range *range,
                             uint64_t *at, stoa_buffer *below, stoa_error *err)
{
    uint64_t *const ends = (uint64_t *)(void *)l->ends.data + *at;
    const int64_t first = stoa_view_offset(view, range->first);
    const int64_t count = stoa_view_offset(view, range->first + range->count) - first;

    if ((uint64_t)count > INT64_MAX - l->end) {
        return stoa_fail(err, STOA_ERANGE, "more than 2^63 values");
    }
    for (int64_t i = 0; i < range->count; i++) {
        ends[i] = l->end + (uint64_t)(stoa_view_offset(view, range->first + i + 1) - first);
    }
    l->end += (uint64_t)count;
    *at += (uint64_t)range->count;
    return add_range(below, first, count, err);
}

/* Cut the entries of a level.
 *
 * @param above  ranges of the view that hold them
 * @param below  ranges of the view's values */
static stoa_status cut(level *l, const stoa_view *view, const stoa_buffer *above,
                       stoa_buffer *below, stoa_error *err)
{
    const stoa_row_range *const ranges = (const stoa_row_range *)(const void *)above->data;
    const bool is_whole = view->null_count == 0 && view->offsets != NULL;
    uint64_t at = 0;

    l->length = 0;
    l->end = l->n_values;
    l->has_missing = false;
    l->ends.size = l->bits.size = below->size = 0;
    for (size_t k = 0; k < n_ranges(above); k++) {
        l->length += (uint64_t)ranges[k].count;
    }
    STOA_RETURN_NOT_OK(check_kind(l, view, err));
    STOA_RETURN_NOT_OK(
        l->length <= SIZE_MAX / 16
            ? stoa_buffer_reserve(&l->ends, ((size_t)l->length + 1) * sizeof(uint64_t), err)
            : stoa_fail_memory(err));
    STOA_RETURN_NOT_OK(stoa_buffer_reserve(&l->bits, (size_t)stoa_bit_bytes(l->length) + 1, err));
    memset(l->bits.data, UINT8_MAX, (size_t)stoa_bit_bytes(l->length) + 1);
    for (size_t k = 0; k < n_ranges(above); k++) {
        STOA_RETURN_NOT_OK(
            (is_whole ? cut_whole : cut_range)(l, view, &ranges[k], &at, below, err));
    }
    return STOA_OK;
}

/* --- views of members ------------------------------------------------------------------------ */

static stoa_view offsets_view(const level *l)
{
    return (stoa_view){.type = {.kind = STOA_KIND_UINT64, .width = sizeof(uint64_t)},
                       .length = (int64_t)l->length,
                       .values = l->ends.data,
                       .schema = &no_field};
}

static stoa_view mask_view(const level *l)
{
    return (stoa_view){.type = {.kind = STOA_KIND_BOOL},
                       .length = (int64_t)l->length,
                       .values = l->bits.data,
                       .schema = &no_field};
}

static stoa_view bytes_view(const stoa_view *view)
{
    return (stoa_view){
        .type = {.kind = STOA_KIND_UINT8, .width = 1}, .values = view->values, .schema = &no_field};
}

/* Dictionaries are written as what they stand for. The ranges of the codes become those of the
 * values. */
static stoa_status decode(stoa_list_writer *writer, stoa_view *view, stoa_buffer *ranges,
                          stoa_error *err)
{
    stoa_row_range *const each = (stoa_row_range *)(void *)ranges->data;
    const size_t n = n_ranges(ranges);
    const int64_t first = n > 0 ? each[0].first : 0;
    const int64_t end = n > 0 ? each[n - 1].first + each[n - 1].count : 0;
    const stoa_view codes = stoa_view_slice(view, first, end - first);
    const struct ArrowSchema *schema = &writer->decoded_schema;
    char name[64];
    stoa_view labels;

    STOA_RETURN_NOT_OK(stoa_view_dictionary(view, &labels, err));
    if (stoa_kind_is_string(labels.type.kind)) {
        STOA_RETURN_NOT_OK(stoa_schema_make(&writer->decoded_schema, "", "U", err));
        STOA_RETURN_NOT_OK(
            stoa_decode_dictionary(&codes, &labels, STOA_KIND_LARGE_STRING, &writer->decoded, err));
    } else if (labels.type.kind == STOA_KIND_BOOL || stoa_kind_width(labels.type.kind) > 0) {
        schema = labels.schema;
        STOA_RETURN_NOT_OK(stoa_decode_values(&codes, &labels, &writer->decoded, err));
    } else {
        return stoa_fail(err, STOA_ETYPE, "labels of %s do not go into it",
                         stoa_type_name(&labels.type, name));
    }
    for (size_t i = 0; i < n; i++) {
        each[i].first -= first;
    }
    return stoa_view_of_sound(schema, &writer->decoded, view, err);
}

/* Find the view of the values of a level. */
static stoa_status descend(stoa_list_writer *writer, stoa_view *view, stoa_buffer *ranges,
                           stoa_error *err)
{
    const stoa_view above = *view;

    if (ranges->size == 0) {
        *view = (stoa_view){.type = {.kind = STOA_KIND_NULL}, .schema = &no_field};
        return STOA_OK;
    }
    if (stoa_kind_is_bytes(above.type.kind)) {
        *view = bytes_view(&above);
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_view_child(&above, 0, view, err));
    return view->type.kind == STOA_KIND_DICTIONARY ? decode(writer, view, ranges, err) : STOA_OK;
}

/* Bring the innermost values into one piece. */
static stoa_status join(stoa_list_writer *writer, stoa_view *view, const stoa_buffer *ranges,
                        stoa_error *err)
{
    const stoa_row_range *const each = (const stoa_row_range *)(const void *)ranges->data;
    const stoa_view parts = *view;

    if (ranges->size == 0) {
        return STOA_OK;
    }
    if (n_ranges(ranges) > 1) {
        return stoa_view_gather(&parts, each, n_ranges(ranges), &writer->gathered, view, err);
    }
    *view = stoa_view_slice(&parts, each->first, each->count);
    return STOA_OK;
}

stoa_status stoa_list_writer_check(stoa_list_writer *writer, const stoa_view *view, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_buffer *above = &writer->ranges[0];
    stoa_buffer *below = &writer->ranges[1];
    stoa_view values = *view;

    above->size = 0;
    STOA_TRY(add_range(above, 0, view->length, err));
    for (size_t i = 0; i < writer->n_levels; i++) {
        level *const l = &writer->levels[i];
        stoa_buffer *const taken = above;
        STOA_TRY(cut(l, &values, above, below, err));
        const stoa_view ends = offsets_view(l);
        STOA_TRY(stoa_column_batch_check(&l->offsets.writer, &ends, &l->offsets.batch, err));
        STOA_TRY(descend(writer, &values, below, err));
        above = below;
        below = taken;
    }
    STOA_TRY(join(writer, &values, above, err));
    STOA_TRY(stoa_column_batch_check(&writer->values.writer, &values, &writer->values.batch, err));

done:
    return stoa_within(err, status, "%s", writer->column->name);
}

/* --- writing --------------------------------------------------------------------------------- */

/* Every element of OFFSETS, MASK and CHARS is a value. If such a member cannot grow, it is copied
 * as it is to one that can. */
static stoa_status copy_numbers(part *p, const stoa_storage *storage, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_column *const column = p->writer.column;
    stoa_column *fresh = NULL;
    hid_t dataset = H5I_INVALID_HID;

    STOA_TRY(stoa_column_flush(column, err)); /* it will be read */
    STOA_TRY(stoa_column_rewrite_storage(column, p->writer.n_rows, storage, NULL, &dataset, err));
    STOA_HDF(err, H5Iinc_ref(dataset), "hold %s", column->name);
    STOA_TRY(stoa_column_open(dataset, column->name, 0, NULL, &fresh, err));
    fresh->outer_units = column->outer_units;
    STOA_TRY(stoa_column_publish(p->writer.group, column, fresh, err));

done:
    stoa_column_close(fresh);
    return stoa_hdf_close(&dataset, status, err);
}

static stoa_status fit_numbers(part *p, stoa_error *err)
{
    const uint64_t end = p->writer.n_rows + (uint64_t)p->batch.length;
    bool can = true;

    STOA_RETURN_NOT_OK(stoa_column_can_resize(p->writer.column, end, &can, err));
    if (end > p->writer.column->extent && !can) {
        const stoa_storage storage = {.extent = p->writer.n_rows, .chunk_rows = STOA_CHUNK_ROWS};
        STOA_RETURN_NOT_OK(copy_numbers(p, &storage, err));
        stoa_list_ignore_fill(p->writer.column);
    }
    return stoa_column_batch_fit(&p->writer, &p->batch, err);
}

static stoa_status fit_mask(level *l, stoa_error *err)
{
    const stoa_view present = mask_view(l);

    if (l->mask.writer.column == NULL && l->has_missing) {
        const uint64_t n = l->offsets.writer.n_rows - 1;
        l->is_mask_new = true;
        STOA_RETURN_NOT_OK(stoa_list_add_mask(l->column, n, err));
        l->mask = part_of(l->column->list->mask, l->column);
    }
    if (l->mask.writer.column == NULL) {
        return STOA_OK;
    }
    STOA_RETURN_NOT_OK(stoa_column_batch_check(&l->mask.writer, &present, &l->mask.batch, err));
    return fit_numbers(&l->mask, err);
}

stoa_status stoa_list_writer_fit(stoa_list_writer *writer, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const level *const last = &writer->levels[writer->n_levels - 1];

    STOA_TRY(last->column->list->is_text
                 ? fit_numbers(&writer->values, err)
                 : stoa_column_batch_fit(&writer->values.writer, &writer->values.batch, err));
    for (size_t i = writer->n_levels; i-- > 0;) {
        STOA_TRY(fit_mask(&writer->levels[i], err));
        STOA_TRY(fit_numbers(&writer->levels[i].offsets, err));
    }

done:
    return stoa_within(err, status, "%s", writer->column->name);
}

static stoa_status pack_part(part *p, void *context, stoa_error *err)
{
    return stoa_column_batch_pack(&p->writer, &p->batch, context, err);
}

stoa_status stoa_list_writer_pack(stoa_list_writer *writer, stoa_scratch *scratch, stoa_error *err)
{
    return each_part(writer, pack_part, scratch, err);
}

static stoa_status put_part(part *p, void *context, stoa_error *err)
{
    (void)context;
    return stoa_column_batch_put(&p->writer, &p->batch, err);
}

stoa_status stoa_list_writer_put(stoa_list_writer *writer, stoa_error *err)
{
    STOA_RETURN_NOT_OK(each_part(writer, put_part, NULL, err));
    for (size_t i = 0; i < writer->n_levels; i++) {
        writer->levels[i].n_values = writer->levels[i].end;
    }
    return STOA_OK;
}

static stoa_status clear_part(part *p, void *context, stoa_error *err)
{
    (void)context;
    (void)err;
    stoa_column_batch_clear(&p->writer, &p->batch);
    return STOA_OK;
}

void stoa_list_writer_clear(stoa_list_writer *writer)
{
    (void)!each_part(writer, clear_part, NULL, NULL);
    stoa_array_release(&writer->gathered);
    stoa_array_release(&writer->decoded);
    stoa_schema_release(&writer->decoded_schema);
}

static stoa_status flush_part(part *p, void *context, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_column_flush(p->writer.column, err));
    if (context != NULL) {
        stoa_column_close_writer(p->writer.column);
    }
    return STOA_OK;
}

stoa_status stoa_list_writer_flush(stoa_list_writer *writer, stoa_error *err)
{
    return each_part(writer, flush_part, NULL, err);
}

stoa_status stoa_list_writer_let_go(stoa_list_writer *writer, stoa_error *err)
{
    return each_part(writer, flush_part, writer, err);
}

static stoa_status store_part(part *p, void *context, stoa_error *err)
{
    stoa_storage storage = *(const stoa_storage *)context;

    storage.extent = p->writer.n_rows;
    return copy_numbers(p, &storage, err);
}

stoa_status stoa_list_writer_store(stoa_list_writer *writer, const stoa_storage *storage,
                                   stoa_error *err)
{
    stoa_storage own = *storage;

    return each_part(writer, store_part, &own, err);
}

/* --- failures -------------------------------------------------------------------------------- */

static stoa_status undo_part(part *p, void *context, stoa_error *err)
{
    stoa_column *const column = p->writer.column;
    bool can = false;

    (void)context;
    stoa_column_discard(column);
    if (p->writer.n_rows != column->n_rows &&
        stoa_column_can_resize(column, column->n_rows, &can, err) == STOA_OK && can) {
        p->writer.n_rows = column->n_rows;
        (void)!stoa_column_resize(&p->writer, column->n_rows, err);
    }
    return STOA_OK;
}

void stoa_list_writer_abort(stoa_list_writer *writer)
{
    stoa_error ignored = STOA_ERROR_INIT;

    for (size_t i = 0; i < writer->n_levels; i++) {
        level *const l = &writer->levels[i];
        if (l->is_mask_new) {
            stoa_column_close(l->column->list->mask);
            l->column->list->mask = l->mask.writer.column = NULL;
            if (stoa_object_exists(l->column->dataset, STOA_LIST_MASK)) {
                (void)stoa_unlink(l->column->dataset, STOA_LIST_MASK);
            }
        }
    }
    (void)!each_part(writer, undo_part, NULL, &ignored);
}
