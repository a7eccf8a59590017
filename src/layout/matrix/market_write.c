/* Writes sparse arrays as Matrix Market files (market.h). */
#include "core/progress.h"
#include "core/text.h"
#include "hdf/ids.h"
#include "hdf/metadata/attributes.h"
#include "layout/matrix/market.h"
#include "layout/text/sink.h"
#include "sparse/store/numbers.h"

typedef struct writing {
    stoa_sink sink;
    stoa_number_form form;
    const stoa_listener *listener;
    uint64_t n_written;
    uint64_t n;
} writing;

static void put_real(stoa_sink *sink, double value)
{
    char text[STOA_NUMBER_SIZE];

    stoa_sink_char(sink, ' ');
    stoa_sink_put(sink, text, stoa_format_f64(value, text));
}

static void put_index(stoa_sink *sink, uint64_t index)
{
    char text[STOA_NUMBER_SIZE];

    stoa_sink_put(sink, text, stoa_format_u64(index + 1, text));
}

static void put_value(writing *w, const void *values, uint64_t i)
{
    char text[STOA_NUMBER_SIZE];
    size_t length = 0;

    if (w->form.lanes == 2) {
        put_real(&w->sink, ((const stoa_complex *)values)[i].r);
        put_real(&w->sink, ((const stoa_complex *)values)[i].i);
        return;
    }
    if (w->form.class == STOA_NUMBER_FLOAT && w->form.size == sizeof(double)) {
        put_real(&w->sink, ((const double *)values)[i]);
        return;
    }
    if (w->form.class == STOA_NUMBER_FLOAT) {
        length = stoa_format_f32(((const float *)values)[i], text);
    } else if (w->form.class == STOA_NUMBER_SIGNED) {
        length = stoa_format_i64(((const int64_t *)values)[i], text);
    } else {
        length = stoa_format_u64(((const uint64_t *)values)[i], text);
    }
    stoa_sink_char(&w->sink, ' ');
    stoa_sink_put(&w->sink, text, length);
}

static bool put_part(void *context, const stoa_sparse_part *part)
{
    writing *w = context;

    for (uint64_t i = 0; i < part->n; i++) {
        put_index(&w->sink, part->coordinates[2 * i]);
        stoa_sink_char(&w->sink, ' ');
        put_index(&w->sink, part->coordinates[2 * i + 1]);
        put_value(w, part->values, i);
        stoa_sink_char(&w->sink, '\n');
    }
    w->n_written += part->n;
    const stoa_progress progress = {.stage = "writing", .rows = w->n_written, .total_rows = w->n};
    if (w->sink.status == STOA_OK) {
        w->sink.status = stoa_report_progress(w->listener, &progress, w->sink.err);
    }
    return w->sink.status == STOA_OK;
}

/* The type of values in memory. */
static hid_t memory_type(const stoa_number_form *form)
{
    if (form->lanes == 2) {
        return stoa_complex_type(H5T_NATIVE_DOUBLE);
    }
    return H5Tcopy(form->class == STOA_NUMBER_SIGNED     ? H5T_NATIVE_INT64
                   : form->class == STOA_NUMBER_UNSIGNED ? H5T_NATIVE_UINT64
                   : form->size == sizeof(double)        ? H5T_NATIVE_DOUBLE
                                                         : H5T_NATIVE_FLOAT);
}

static void put_head(writing *w, const stoa_sparse_info *info)
{
    stoa_sink_text(&w->sink, "%%MatrixMarket matrix coordinate ");
    stoa_sink_text(&w->sink, w->form.lanes == 2                   ? "complex"
                             : w->form.class == STOA_NUMBER_FLOAT ? "real"
                                                                  : "integer");
    stoa_sink_text(&w->sink, " general\n");
    put_index(&w->sink, info->extent[0] - 1);
    stoa_sink_char(&w->sink, ' ');
    put_index(&w->sink, info->extent[1] - 1);
    stoa_sink_char(&w->sink, ' ');
    put_index(&w->sink, info->n_defined - 1);
    stoa_sink_char(&w->sink, '\n');
}

stoa_status stoa_mtx_write(stoa_sparse *array, stoa_matrix_form form, FILE *out,
                           const stoa_listener *listener, uint64_t *n, stoa_error *err)
{
    (void)form;
    writing w = {.sink = {.out = out, .err = err}, .listener = listener};
    hid_t type = H5I_INVALID_HID;
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_sparse_describe(array, &info, err));
    if (info.rank != 2) {
        STOA_FAIL(err, STOA_EINVAL, "a matrix has 2 dimensions, this array %u", info.rank);
    }
    STOA_TRY(stoa_number_form_of(info.type, &w.form, err));
    STOA_HDF(err, type = memory_type(&w.form), "make the type of entries");
    w.n = info.n_defined;
    put_head(&w, &info);
    STOA_TRY(stoa_sparse_visit(array, NULL, NULL, type, put_part, &w, err));
    STOA_TRY(stoa_sink_flush(&w.sink));
    *n = w.n_written;

done:
    if (w.sink.status != STOA_OK) {
        status = w.sink.status;
    }
    stoa_sink_clear(&w.sink);
    return stoa_hdf_close(&type, status, err);
}
