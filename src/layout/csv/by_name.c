#include "layout/csv/by_name.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"

static stoa_buffer *file_of(const stoa_csv_by_name *columns, size_t i)
{
    return (stoa_buffer *)(void *)columns->files.data + i;
}

static size_t n_files(const stoa_csv_by_name *columns)
{
    return columns->files.size / sizeof(stoa_buffer);
}

/* The first column of that name which no earlier field of the file is; columns->n for none. */
static size_t find(const stoa_csv_by_name *columns, const stoa_buffer *file, const char *name,
                   size_t length)
{
    const size_t *const taken = (const size_t *)(const void *)file->data;
    const size_t n_taken = file->size / sizeof *taken;

    for (size_t i = 0; i < columns->n; i++) {
        bool is_free =
            strlen(columns->names[i]) == length && memcmp(columns->names[i], name, length) == 0;
        for (size_t k = 0; k < n_taken && is_free; k++) {
            is_free = taken[k] != i;
        }
        if (is_free) {
            return i;
        }
    }
    return columns->n;
}

stoa_status stoa_csv_by_name_add(stoa_csv_by_name *columns, const char *header, size_t length,
                                 char delimiter, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const size_t n_before = columns->n;
    stoa_csv_rows rows = {.p = NULL};
    stoa_buffer file = {0};
    stoa_csv_row row;
    bool has_row = false;
    bool is_known = false;

    stoa_csv_rows_begin(&rows, header, length, 1, delimiter, length);
    STOA_TRY(stoa_csv_rows_next(&rows, true, &row, &has_row, err));
    if (!has_row) {
        STOA_FAIL(err, STOA_EDATA, "it has no header");
    }
    for (size_t i = 0; i < row.n_fields; i++) {
        const stoa_csv_field *const field = &row.fields[i];
        const char *const name = stoa_csv_row_text(&row, field);
        const size_t at = find(columns, &file, name, field->length);
        if (at == columns->n) {
            char **const names = stoa_one_more(columns->names, columns->n, sizeof *names);
            STOA_TRY(names != NULL ? STOA_OK : stoa_fail_memory(err));
            columns->names = names;
            names[at] = stoa_format("%.*s", (int)field->length, name);
            STOA_TRY(names[at] != NULL ? STOA_OK : stoa_fail_memory(err));
            columns->n++;
        }
        is_known = is_known || at < n_before;
        STOA_TRY(stoa_buffer_append(&file, &at, sizeof at, err));
    }
    if (!is_known && n_before > 0) {
        STOA_FAIL(err, STOA_EDATA, "its header has no column of the files before");
    }
    STOA_TRY(stoa_buffer_append(&columns->files, &file, sizeof file, err));
    file = (stoa_buffer){0};

done:
    stoa_buffer_clear(&file);
    stoa_csv_rows_end(&rows);
    return status;
}

/* The names as a header, in quotes unless they are empty. */
static stoa_status make_header(const stoa_csv_by_name *columns, char delimiter, stoa_buffer *text,
                               stoa_error *err)
{
    for (size_t i = 0; i < columns->n; i++) {
        const char *const name = columns->names[i];
        const bool is_quoted = name[0] != '\0';
        STOA_RETURN_NOT_OK(stoa_buffer_append(text, &delimiter, i > 0, err));
        STOA_RETURN_NOT_OK(stoa_buffer_append(text, "\"", is_quoted, err));
        for (const char *at = name; *at != '\0'; at++) {
            STOA_RETURN_NOT_OK(stoa_buffer_append(text, "\"", *at == '"', err));
            STOA_RETURN_NOT_OK(stoa_buffer_append(text, at, 1, err));
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(text, "\"", is_quoted, err));
    }
    return stoa_buffer_append(text, "", 1, err);
}

stoa_status stoa_csv_by_name_use(const stoa_csv_by_name *columns, size_t file, char delimiter,
                                 stoa_input *input, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_buffer *const own = file_of(columns, file);
    const size_t *const of = (const size_t *)(const void *)own->data;
    stoa_buffer header = {0};
    size_t *const from = stoa_alloc(columns->n, sizeof *from);
    stoa_field_order order = {
        .delimiter = delimiter, .n_own = own->size / sizeof *of, .n = columns->n, .from = from};
    bool is_same = order.n_own == columns->n;

    STOA_TRY(from != NULL ? STOA_OK : stoa_fail_memory(err));
    for (size_t i = 0; i < columns->n; i++) {
        from[i] = SIZE_MAX;
    }
    for (size_t i = 0; i < order.n_own; i++) {
        from[of[i]] = i;
        is_same = is_same && of[i] == i;
    }
    if (file == 0) {
        STOA_TRY(make_header(columns, delimiter, &header, err));
        order.header = (const char *)header.data;
    }
    STOA_TRY(is_same ? STOA_OK : stoa_input_use_fields(input, &order, err));

done:
    stoa_buffer_clear(&header);
    free(from);
    return status;
}

void stoa_csv_by_name_clear(stoa_csv_by_name *columns)
{
    for (size_t i = 0; i < columns->n; i++) {
        free(columns->names[i]);
    }
    free(columns->names);
    for (size_t i = 0; i < n_files(columns); i++) {
        stoa_buffer_clear(file_of(columns, i));
    }
    stoa_buffer_clear(&columns->files);
    *columns = (stoa_csv_by_name){.n = 0};
}
