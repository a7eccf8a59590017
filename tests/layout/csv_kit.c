#include "csv_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "support/check.h"

/* The last text that was shown. */
static char *shown;
static size_t n_shown;

const char *kit_file(const char *name, const void *bytes, size_t n)
{
    const char *path = check_path(name);
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL);
    CHECK_U64(fwrite(bytes, 1, n, file), n);
    CHECK(fclose(file) == 0);
    return path;
}

static FILE *show(void)
{
    free(shown);
    shown = NULL;
    FILE *out = open_memstream(&shown, &n_shown);
    CHECK(out != NULL);
    return out;
}

const char *kit_stream_text(struct ArrowArrayStream *stream, stoa_text_format format)
{
    stoa_error err = STOA_ERROR_INIT;
    FILE *out = show();
    const stoa_status status = stoa_text_write(stream, format, out, NULL, NULL, &err);

    stoa_stream_release(stream);
    CHECK(fclose(out) == 0);
    CHECK_OK(status, &err);
    return shown;
}

static stoa_csv *open_stream(const char *path, const stoa_csv_options *options,
                             struct ArrowArrayStream *stream)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv *csv;

    CHECK_OK(stoa_csv_open(path, options, &csv, &err), &err);
    CHECK_OK(stoa_csv_stream(csv, stream, &err), &err);
    return csv;
}

const char *kit_text(const char *path, const stoa_csv_options *options, stoa_text_format format)
{
    struct ArrowArrayStream stream;
    stoa_csv *csv = open_stream(path, options, &stream);
    const char *text = kit_stream_text(&stream, format);

    stoa_csv_close(csv);
    return text;
}

const char *kit_schema(const char *path, const stoa_csv_options *options)
{
    stoa_error err = STOA_ERROR_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    stoa_csv *csv = open_stream(path, options, &stream);
    FILE *out = show();

    CHECK_OK(stoa_stream_schema(&stream, &schema, &err), &err);
    for (int64_t k = 0; k < schema.n_children; k++) {
        const struct ArrowSchema *field = schema.children[k];
        (void)fprintf(out, "%s%s:%s%s%s", k > 0 ? " " : "", field->name, field->format,
                      field->dictionary != NULL ? "/" : "",
                      field->dictionary != NULL ? field->dictionary->format : "");
    }
    CHECK(fclose(out) == 0);
    stoa_schema_release(&schema);
    stoa_stream_release(&stream);
    stoa_csv_close(csv);
    return shown;
}

const char *kit_failure(const char *path, const stoa_csv_options *options, stoa_status expected)
{
    stoa_error err = STOA_ERROR_INIT;
    stoa_csv *csv;
    const char *slash;

    CHECK_STATUS(expected, stoa_csv_open(path, options, &csv, &err), &err);
    CHECK(csv == NULL);
    CHECK_U64(err.status, expected);
    slash = strrchr(err.where, '/');
    FILE *out = show();
    (void)fprintf(out, "%s: %s", slash != NULL ? slash + 1 : err.where, err.message);
    CHECK(fclose(out) == 0);
    return shown;
}
