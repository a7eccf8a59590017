/* DuckDB's arrow_scan() reads the stream, and its COPY writes the file. */
#include <errno.h>
#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrow/read.h"
#include "sql/parquet.h"
#include "sql/parquet_schema.h"
#include "sql/session.h"

#define ROWS "stoa_rows"

/* --- codecs ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *duckdb;
} codecs[] = {{"zstd", "zstd"},         {"snappy", "snappy"}, {"gzip", "gzip"},
              {"deflate", "gzip"},      {"lz4", "lz4_raw"},   {"brotli", "brotli"},
              {"none", "uncompressed"}, {"auto", "zstd"}};

enum { N_CODECS = sizeof codecs / sizeof *codecs, ZSTD_MAX_LEVEL = 22 };

/* The codec's name for DuckDB, and its level, or 0; NULL if there is no such codec. */
static const char *codec_of(const char *text, int *level)
{
    const char *const colon = strchr(text, ':');
    const size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    char *end = NULL;

    *level = 0;
    if (colon != NULL) {
        const long given = strtol(colon + 1, &end, 10);
        if (strncmp(text, "zstd:", 5) != 0 || colon[1] < '1' || colon[1] > '9' || *end != '\0' ||
            given > ZSTD_MAX_LEVEL) {
            return NULL;
        }
        *level = (int)given;
    }
    for (size_t i = 0; i < N_CODECS; i++) {
        if (strlen(codecs[i].name) == length && strncasecmp(codecs[i].name, text, length) == 0) {
            return codecs[i].duckdb;
        }
    }
    return NULL;
}

bool stoa_parquet_has_codec(const char *codec)
{
    int level = 0;

    return codec_of(codec, &level) != NULL;
}

/* --- the rows, as DuckDB sees them ----------------------------------------------------------- */

/* Reads the caller's stream for DuckDB, and keeps its failure. */
typedef struct source {
    struct ArrowArrayStream *from;
    struct ArrowSchema shown;
    uint64_t n_rows;
    stoa_status status;
    stoa_error err;
} source;

static void release_lent(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

/* The schema is lent: arrow_scan() of DuckDB does not release what it gets. */
static stoa_status source_schema(void *self, struct ArrowSchema *out, stoa_error *err)
{
    (void)err;
    *out = ((source *)self)->shown;
    out->release = release_lent;
    return STOA_OK;
}

static stoa_status source_next(void *self, struct ArrowArray *out, stoa_error *err)
{
    source *const s = self;

    s->status = stoa_stream_next(s->from, out, &s->err);
    if (s->status != STOA_OK) {
        return stoa_fail(err, s->status, "%s", s->err.message);
    }
    s->n_rows += out->release != NULL ? (uint64_t)out->length : 0;
    return STOA_OK;
}

/* Show types that DuckDB would change as what they are stored as: durations become integers, and
 * nanoseconds have no time zone. */
static stoa_status show(struct ArrowSchema *field, bool *loses_zone, stoa_error *err)
{
    const char *const format = field->format;

    field->metadata = NULL; /* DuckDB refuses extension types that it does not know */
    if (strncmp(format, "tD", 2) == 0) {
        STOA_RETURN_NOT_OK(stoa_schema_retype(field, "l", err));
    } else if (strncmp(format, "tsn:", 4) == 0 && format[4] != '\0') {
        STOA_RETURN_NOT_OK(stoa_schema_retype(field, "tsn:", err));
        *loses_zone = true;
    }
    for (int64_t i = 0; i < field->n_children; i++) {
        STOA_RETURN_NOT_OK(show(field->children[i], loses_zone, err));
    }
    return field->dictionary != NULL ? show(field->dictionary, loses_zone, err) : STOA_OK;
}

/* A type that DuckDB does not take, and which is cast without loss; NULL for others. */
static const char *cast_before(const char *format)
{
    return strcmp(format, "e") == 0 ? "f" : strcmp(format, "ttn") == 0 ? "ttu" : NULL;
}

static stoa_status cast(struct ArrowArrayStream *stream, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowSchema given = {.release = NULL};
    struct ArrowSchema rows = {.release = NULL};
    bool has = false;

    STOA_TRY(stoa_stream_schema(stream, &given, err));
    STOA_TRY(stoa_schema_copy(&given, &rows, err));
    for (int64_t i = 0; i < rows.n_children; i++) {
        const char *const to = cast_before(rows.children[i]->format);
        has |= to != NULL;
        STOA_TRY(to != NULL ? stoa_schema_retype(rows.children[i], to, err) : STOA_OK);
    }
    STOA_TRY(has ? stoa_stream_cast(stream, &rows, err) : STOA_OK);

done:
    stoa_schema_release(&given);
    stoa_schema_release(&rows);
    return status;
}

/* DuckDB does not tell names apart that differ in case alone. */
static stoa_status check_names(const struct ArrowSchema *rows, stoa_error *err)
{
    for (int64_t i = 0; i < rows->n_children; i++) {
        for (int64_t j = 0; j < i; j++) {
            if (strcasecmp(rows->children[i]->name, rows->children[j]->name) == 0) {
                return stoa_fail(err, STOA_EINVAL,
                                 "columns '%s' and '%s' differ in case alone, and DuckDB writes no "
                                 "Parquet file of both; name others with -c",
                                 rows->children[j]->name, rows->children[i]->name);
            }
        }
    }
    return STOA_OK;
}

/* --- the statement --------------------------------------------------------------------------- */

static stoa_status put_columns(stoa_buffer *sql, const struct ArrowSchema *rows, stoa_error *err)
{
    for (int64_t i = 0; i < rows->n_children; i++) {
        /* pyarrow refuses missing lists of a fixed size as DuckDB writes them. */
        const bool is_cast = stoa_sql_has_fixed_list(rows->children[i]);
        STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, "%s%sc%lld", i > 0 ? ", " : "",
                                             is_cast ? "CAST(" : "", (long long)i));
        if (is_cast) {
            STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, " AS "));
            STOA_RETURN_NOT_OK(stoa_sql_type(sql, rows->children[i], false, err));
            STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, ")"));
        }
        STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, " AS "));
        STOA_RETURN_NOT_OK(stoa_buffer_quote(sql, '"', rows->children[i]->name,
                                             strlen(rows->children[i]->name), err));
    }
    return STOA_OK;
}

/* The metadata of the schema, as other programs look for it, and the schema as a whole. */
static stoa_status put_metadata(stoa_buffer *sql, const struct ArrowSchema *rows, stoa_error *err)
{
    const char *at = rows->metadata;
    int32_t n = 0;

    STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, "KV_METADATA {"));
    if (at != NULL) {
        memcpy(&n, at, sizeof n);
        at += sizeof n;
    }
    for (int32_t i = 0; i < n; i++) {
        char *texts[2] = {NULL, NULL};
        bool is_text = true;
        for (size_t k = 0; k < 2; k++) {
            int32_t length = 0;
            memcpy(&length, at, sizeof length);
            at += sizeof length;
            texts[k] = stoa_format("%.*s", (int)length, at);
            is_text = is_text && texts[k] != NULL && strlen(texts[k]) == (size_t)length &&
                      stoa_is_utf8(texts[k]);
            at += length;
        }
        stoa_status status = STOA_OK;
        if (is_text && texts[0][0] != '\0' && strcmp(texts[0], STOA_PARQUET_SCHEMA) != 0) {
            status = stoa_buffer_quote(sql, '\'', texts[0], strlen(texts[0]), err);
            status = status == STOA_OK ? stoa_buffer_print(sql, err, ": ") : status;
            status = status == STOA_OK
                         ? stoa_buffer_quote(sql, '\'', texts[1], strlen(texts[1]), err)
                         : status;
            status = status == STOA_OK ? stoa_buffer_print(sql, err, ", ") : status;
        }
        free(texts[0]);
        free(texts[1]);
        STOA_RETURN_NOT_OK(status);
    }
    STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, "'" STOA_PARQUET_SCHEMA "': '"));
    STOA_RETURN_NOT_OK(stoa_parquet_encode_schema(rows, sql, err));
    return stoa_buffer_print(sql, err, "'}");
}

static stoa_status put_copy(stoa_buffer *sql, const struct ArrowSchema *rows, const char *codec,
                            int descriptor, stoa_error *err)
{
    int level = 0;
    const char *const name = codec_of(codec != NULL ? codec : "zstd", &level);

    STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, "COPY (SELECT "));
    STOA_RETURN_NOT_OK(put_columns(sql, rows, err));
    STOA_RETURN_NOT_OK(stoa_buffer_print(
        sql, err, " FROM " ROWS ") TO '/dev/fd/%d' (FORMAT parquet, USE_TMP_FILE false, ",
        descriptor));
    STOA_RETURN_NOT_OK(
        stoa_buffer_print(sql, err, "COMPRESSION '%s', ", name != NULL ? name : "zstd"));
    if (level > 0) {
        STOA_RETURN_NOT_OK(stoa_buffer_print(sql, err, "COMPRESSION_LEVEL %d, ", level));
    }
    STOA_RETURN_NOT_OK(put_metadata(sql, rows, err));
    return stoa_buffer_append(sql, ")", 2, err);
}

/* DuckDB names the descriptor, which means nothing to the user. */
static void tell_plainly(stoa_error *err)
{
    static const char descriptor[] = "\"/dev/fd/";
    const char *const name = err != NULL ? strstr(err->message, descriptor) : NULL;
    const char *const why = name != NULL ? strstr(name, ": ") : NULL;

    if (why != NULL) {
        char *const copy = stoa_strdup(why);
        if (copy != NULL) {
            (void)snprintf(err->message, sizeof err->message, "cannot be written%s", copy);
        }
        free(copy);
    }
}

static stoa_status run(stoa_sql *sql, const char *statement, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArrayStream answer = {.release = NULL};
    struct ArrowArray batch = {.release = NULL};

    STOA_TRY(stoa_sql_run(sql, statement, &answer, err));
    do {
        stoa_array_release(&batch);
        STOA_TRY(stoa_stream_next(&answer, &batch, err));
    } while (batch.release != NULL);

done:
    stoa_stream_release(&answer);
    return status;
}

/* --- the file -------------------------------------------------------------------------------- */

/* DuckDB writes to a descriptor from its start. */
static bool is_written_in_place(FILE *out)
{
    struct stat about;
    const int descriptor = fileno(out);

    return fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) &&
           lseek(descriptor, 0, SEEK_CUR) == 0 && about.st_size == 0;
}

static stoa_status copy_bytes(FILE *from, FILE *to, stoa_error *err)
{
    char bytes[1 << 16];
    size_t n = 0;

    rewind(from);
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0) {
        if (fwrite(bytes, 1, n, to) != n) {
            return stoa_fail_errno(err, errno, "cannot write the output");
        }
    }
    return ferror(from) == 0 ? STOA_OK
                             : stoa_fail_errno(err, errno, "cannot read the temporary file");
}

/* Let DuckDB read the rows, and tell what it cannot write. */
static stoa_status open_source(stoa_sql *sql, source *s, const struct ArrowSchema *rows,
                               stoa_parquet_remark *remark, void *context,
                               struct ArrowArrayStream *stream, stoa_error *err)
{
    static const stoa_producer producer = {source_schema, source_next, NULL};
    const stoa_duckdb *const duckdb = sql->duckdb;

    STOA_RETURN_NOT_OK(stoa_schema_copy(rows, &s->shown, err));
    for (int64_t i = 0; i < rows->n_children; i++) {
        struct ArrowSchema *const field = s->shown.children[i];
        char name[32];
        bool loses_zone = false;

        STOA_RETURN_NOT_OK(show(field, &loses_zone, err));
        (void)snprintf(name, sizeof name, "c%lld", (long long)i);
        STOA_RETURN_NOT_OK(stoa_schema_rename(field, name, err));
        if (loses_zone && remark != NULL) {
            remark(context, rows->children[i]->name,
                   "is written without its time zone, which DuckDB does not write for "
                   "nanoseconds; the times are in UTC");
        }
    }
    STOA_RETURN_NOT_OK(stoa_stream_make(stream, &producer, s, err));
    if (duckdb->arrow_scan == NULL ||
        duckdb->arrow_scan(sql->connection, ROWS, (duck_object)stream) != 0) {
        return stoa_fail(err, STOA_ETYPE, "DuckDB does not read Arrow streams of these types");
    }
    return STOA_OK;
}

stoa_status stoa_parquet_write(struct ArrowArrayStream *stream, const char *codec, FILE *out,
                               stoa_parquet_remark *remark, void *context, uint64_t *n_rows,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_sql sql = {.duckdb = NULL};
    source s = {.from = stream, .err = STOA_ERROR_INIT};
    struct ArrowArrayStream shown = {.release = NULL};
    struct ArrowSchema rows = {.release = NULL};
    stoa_buffer statement = {0};
    FILE *whole = NULL;

    STOA_TRY(stoa_sql_open(&sql, NULL, err));
    STOA_TRY(cast(stream, err));
    STOA_TRY(stoa_stream_schema(stream, &rows, err));
    STOA_TRY(check_names(&rows, err));
    if (!is_written_in_place(out)) {
        whole = tmpfile();
        STOA_TRY(whole != NULL ? STOA_OK
                               : stoa_fail_errno(err, errno, "no temporary file can be made"));
    }
    STOA_TRY(open_source(&sql, &s, &rows, remark, context, &shown, err));
    STOA_TRY(put_copy(&statement, &rows, codec, fileno(whole != NULL ? whole : out), err));
    status = run(&sql, (const char *)statement.data, err);
    if (s.status != STOA_OK) { /* what DuckDB says is about this failure */
        status = s.status;
        if (err != NULL) {
            *err = s.err;
        }
    } else if (status == STOA_EIO) {
        tell_plainly(err);
    }
    STOA_TRY(status);
    STOA_TRY(whole != NULL ? copy_bytes(whole, out, err) : STOA_OK);
    if (n_rows != NULL) {
        *n_rows = s.n_rows;
    }

done:
    stoa_sql_close(&sql);
    stoa_stream_release(&shown);
    stoa_schema_release(&rows);
    stoa_schema_release(&s.shown);
    stoa_buffer_clear(&statement);
    if (whole != NULL) {
        (void)fclose(whole);
    }
    return status;
}
