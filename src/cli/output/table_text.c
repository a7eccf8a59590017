#include "cli/output/table_text.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "cli/common/terminal.h"
#include "cli/output/cell.h"
#include "cli/output/float_style.h"
#include "cli/output/grid.h"

enum { FIRST_ROWS = 1000 };

typedef struct shown {
    struct ArrowSchema schema;
    cli_grid grid;
    cli_float_style *styles; /* one per column */
    stoa_view *columns;      /* of the current batch */
    FILE *out;
    bool rounds; /* on a terminal; elsewhere floats are the shortest text that reads back */
    bool begun;  /* the head is printed, and widths are fixed */
    size_t n_in_grid;
    uint64_t n_rows;
    struct ArrowArray *held; /* the first batches */
    size_t n_held;
    int64_t n_held_rows;
} shown;

static bool is_number(stoa_kind kind)
{
    return stoa_kind_is_integer(kind) || stoa_kind_is_float(kind);
}

static stoa_status begin(shown *s, stoa_error *err)
{
    const struct ArrowSchema *const schema = &s->schema;
    const size_t n = (size_t)schema->n_children;
    const char **const titles = cli_resize(NULL, n, sizeof *titles);
    char *const sides = cli_resize(NULL, n, 1);
    stoa_status status = STOA_OK;

    s->styles = cli_resize(NULL, n, sizeof *s->styles);
    s->columns = cli_resize(NULL, n, sizeof *s->columns);
    for (size_t i = 0; i < n; i++) {
        stoa_type type;

        STOA_TRY(stoa_type_of(schema->children[i], &type, err));
        titles[i] = schema->children[i]->name != NULL ? schema->children[i]->name : "";
        sides[i] = is_number(type.kind) ? 'r' : 'l';
        s->styles[i] = (cli_float_style){.is_float = stoa_kind_is_float(type.kind)};
    }
    cli_grid_init(&s->grid, n, titles, sides);
done:
    free(sides);
    free(titles);
    return status;
}

static stoa_status put_cell(shown *s, size_t column, const stoa_view *view, int64_t i,
                            stoa_error *err)
{
    const cli_float_style *const style = &s->styles[column];
    const bool is_styled = s->rounds && style->is_float && !stoa_view_is_null(view, i);
    char *text = is_styled ? cli_float_text(style, stoa_view_f64(view, i)) : NULL;

    STOA_RETURN_NOT_OK(text == NULL ? cli_cell_text(view, i, &text, err) : STOA_OK);
    cli_grid_take(&s->grid, text);
    return STOA_OK;
}

static void flush_rows(shown *s)
{
    cli_grid_print(&s->grid, s->out, !s->begun);
    s->begun = true;
    s->n_in_grid = 0;
}

/* Make a view of each column of a batch; `columns` has an element for each. */
static stoa_status views_of(const shown *s, const struct ArrowArray *batch, stoa_view *columns,
                            stoa_error *err)
{
    stoa_view rows;

    STOA_RETURN_NOT_OK(stoa_view_of(&s->schema, batch, &rows, err));
    for (size_t c = 0; c < s->grid.n_columns; c++) {
        STOA_RETURN_NOT_OK(stoa_view_child(&rows, (int64_t)c, &columns[c], err));
    }
    return STOA_OK;
}

static stoa_status put_batch(shown *s, const struct ArrowArray *batch, stoa_error *err)
{
    STOA_RETURN_NOT_OK(views_of(s, batch, s->columns, err));
    for (int64_t row = 0; row < batch->length; row++) {
        for (size_t c = 0; c < s->grid.n_columns; c++) {
            STOA_RETURN_NOT_OK(put_cell(s, c, &s->columns[c], row, err));
        }
        s->n_rows++;
        if (++s->n_in_grid == FIRST_ROWS) {
            flush_rows(s);
        }
    }
    return STOA_OK;
}

/* Choose the formats from the batches held back, then print them. */
static stoa_status put_held(shown *s, stoa_error *err)
{
    int64_t left = FIRST_ROWS;

    for (size_t i = 0; i < s->n_held; i++) {
        const int64_t n = s->held[i].length < left ? s->held[i].length : left;

        STOA_RETURN_NOT_OK(views_of(s, &s->held[i], s->columns, err));
        for (size_t c = 0; c < s->grid.n_columns; c++) {
            for (int64_t row = 0; s->styles[c].is_float && row < n; row++) {
                cli_float_learn(&s->styles[c], &s->columns[c], row);
            }
        }
        left -= n;
    }
    for (size_t i = 0; i < s->n_held; i++) {
        STOA_RETURN_NOT_OK(put_batch(s, &s->held[i], err));
    }
    return STOA_OK;
}

/* Filtered batches may be short, so hold batches back until there are enough rows to learn from. */
static void hold(shown *s, struct ArrowArray *batch)
{
    s->held = cli_one_more(s->held, s->n_held, sizeof *s->held);
    s->n_held_rows += batch->length;
    stoa_array_move(batch, &s->held[s->n_held++]);
}

static void release_held(shown *s)
{
    for (size_t i = 0; i < s->n_held; i++) {
        stoa_array_release(&s->held[i]);
    }
    free(s->held);
    s->held = NULL;
    s->n_held = 0;
}

stoa_status cli_show(struct ArrowArrayStream *stream, FILE *out, uint64_t *n_rows, stoa_error *err)
{
    shown s = {.out = out, .rounds = cli_is_terminal(out)};
    struct ArrowArray batch = {0};
    stoa_status status = STOA_OK;
    bool holding = true;
    bool at_end = false;

    STOA_TRY(stoa_stream_schema(stream, &s.schema, err));
    STOA_TRY(begin(&s, err));
    while (!at_end) {
        STOA_TRY(stoa_stream_next(stream, &batch, err));
        at_end = batch.release == NULL;
        if (!at_end && holding) {
            hold(&s, &batch);
        } else if (!at_end) {
            STOA_TRY(put_batch(&s, &batch, err));
            stoa_array_release(&batch);
        }
        if (holding && (at_end || s.n_held_rows >= FIRST_ROWS)) {
            STOA_TRY(put_held(&s, err));
            release_held(&s);
            holding = false;
        }
    }
    if (s.n_in_grid > 0 || !s.begun) {
        flush_rows(&s);
    }
    *n_rows = s.n_rows;
    if (s.grid.hidden[1] > 0) {
        cli_remark("%zu of %zu columns do not fit; -c A,B chooses some",
                   s.grid.hidden[1] - s.grid.hidden[0], s.grid.n_columns);
    }
done:
    stoa_array_release(&batch);
    release_held(&s);
    cli_grid_clear(&s.grid);
    free(s.columns);
    free(s.styles);
    stoa_schema_release(&s.schema);
    return status;
}
