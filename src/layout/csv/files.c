#include "layout/csv/files.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "layout/csv/by_name.h"
#include "layout/csv/head.h"

/* The first lines of the first file, and of another one. */
typedef struct heads {
    char *first;
    size_t n_first;
    char *other;
    stoa_csv_by_name *by_name; /* NULL: all have the same header */
    const char *name;          /* of the first file */
    const stoa_csv_options *options;
} heads;

/* Compare the header of a further file with that of the first one. */
static stoa_status compare_header(const heads *h, size_t n, uint64_t *n_lines, stoa_error *err)
{
    size_t length = 0;
    size_t own_length = 0;
    const char *const header = stoa_csv_head_line(h->first, h->n_first, &length, n_lines);
    const char *const own = stoa_csv_head_line(h->other, n, &own_length, n_lines);

    if (h->by_name != NULL) {
        return stoa_csv_by_name_add(h->by_name, own, own_length, h->options->delimiter, err);
    }
    return length == own_length && memcmp(header, own, length) == 0
               ? STOA_OK
               : stoa_fail(err, STOA_EDATA,
                           "its header is not that of '%s'; --by-name matches columns by name",
                           h->name);
}

/* Let the rows of a further file follow, without its header. */
static stoa_status join_file(stoa_input *first, const char *name, const heads *h, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_input *input = NULL;
    const stoa_csv_options *const options = h->options;
    stoa_input_text text = {options->encoding, options->n_skipped, options->comment, 0};
    uint64_t n_lines = 0;
    size_t n = 0;

    STOA_TRY(stoa_input_open(name, &options->listener, &input, err));
    STOA_TRY(stoa_input_use_text(input, &text, err));
    STOA_TRY(stoa_csv_head_read(input, h->other, &n, err));
    if (!options->no_header && (n > 0 || h->by_name != NULL)) {
        STOA_TRY(compare_header(h, n, &n_lines, err));
        text.n_header = n_lines;
        STOA_TRY(stoa_input_use_text(input, &text, err));
    }
    stoa_input *const next = input;
    input = NULL;
    STOA_TRY(stoa_input_append(first, next, name, err));

done:
    stoa_input_close(input);
    return stoa_at(err, status, "%s", name);
}

/* Let the other files follow. */
static stoa_status join_files(stoa_input *first, heads *h, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_csv_options *const options = h->options;
    stoa_csv_by_name by_name = {.n = 0};
    uint64_t n_lines = 0;
    size_t length = 0;

    if (options->by_name) {
        const char *const header = stoa_csv_head_line(h->first, h->n_first, &length, &n_lines);
        h->by_name = &by_name;
        STOA_TRY(stoa_csv_by_name_add(&by_name, header, length, options->delimiter, err));
    }
    for (size_t i = 0; i < options->n_more; i++) {
        STOA_TRY(join_file(first, options->more[i], h, err));
    }
    stoa_input *input = first;
    for (size_t i = 0; options->by_name && i <= options->n_more; i++) {
        STOA_TRY(stoa_csv_by_name_use(&by_name, i, options->delimiter, input, err));
        input = stoa_input_next(input);
    }
    STOA_TRY(stoa_input_rewind(first, err));

done:
    stoa_csv_by_name_clear(&by_name);
    return status;
}

stoa_status stoa_csv_files_join(stoa_input *first, const char *name, stoa_csv_options *options,
                                stoa_error *err)
{
    const stoa_input_text text = {options->encoding, options->n_skipped, options->comment, 0};
    stoa_status status = STOA_OK;
    char *const head = stoa_alloc(2, STOA_CSV_HEAD_BYTES);
    size_t n = 0;

    STOA_TRY(head != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_input_use_text(first, &text, err));
    if (options->delimiter == 0 || options->n_more > 0) {
        STOA_TRY(stoa_csv_head_read(first, head, &n, err));
    }
    if (options->delimiter == 0) {
        options->delimiter = stoa_csv_head_delimiter(head, n, options->decimal == ',' ? ',' : 0);
    }
    heads h = {.first = head,
               .n_first = n,
               .other = head + STOA_CSV_HEAD_BYTES,
               .name = name,
               .options = options};
    STOA_TRY(options->n_more > 0 ? join_files(first, &h, err) : STOA_OK);

done:
    free(head);
    return status;
}
