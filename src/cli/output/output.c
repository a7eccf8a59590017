#include "cli/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <stoa/arrays.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrow/ipc.h"
#include "cli/common/pager.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "cli/output/table_text.h"
#include "layout/input/input.h"
#include "layout/text/export.h"
#include "layout/text/npy.h"
#include "layout/text/packed.h"
#include "sql/parquet.h"

const char *const cli_formats[] = {"table",  "csv", "tsv", "jsonl",    "json",    "arrow",
                                   "arrows", "npy", "npz", "markdown", "parquet", NULL};

/* How a format is recognised and written. */
typedef struct output_format {
    const char *suffixes[2]; /* beside its name */
    bool is_packable;        /* .gz and .zst may follow */
    stoa_text_format text;   /* for write_text(); the second keeps formulas out */
    stoa_text_format tame_text;
    stoa_status (*write)(const struct output_format *format, const cli_output *output,
                         struct ArrowArrayStream *stream, uint64_t *n_rows, stoa_error *err);
} output_format;

/* In the order of cli_format. */
static const output_format formats[CLI_FORMAT_BY_NAME];

static cli_format format_of_suffix(const char *suffix)
{
    for (int i = 0; cli_formats[i] != NULL; i++) {
        const char *const *const more = formats[i].suffixes;
        bool is = i != CLI_TABLE && strcasecmp(suffix, cli_formats[i]) == 0;

        for (size_t k = 0; k < sizeof formats->suffixes / sizeof *more; k++) {
            is = is || (more[k] != NULL && strcasecmp(suffix, more[k]) == 0);
        }
        if (is) {
            return (cli_format)i;
        }
    }
    return CLI_FORMAT_BY_NAME;
}

cli_format cli_format_of(const char *name)
{
    char *stem = NULL;
    struct stat about;

    if (name != NULL && stat(name, &about) == 0 && S_ISDIR(about.st_mode)) {
        return CLI_TABLE; /* unknown format; cli_output_open() reports it */
    }
    stem = name != NULL ? cli_sprintf("%.*s", (int)stoa_input_stem(name), name) : cli_copy("");
    const char *const dot = strrchr(stem, '.');
    const cli_format format =
        dot == NULL || strchr(dot, '/') != NULL ? CLI_FORMAT_BY_NAME : format_of_suffix(dot + 1);
    free(stem);
    const bool is_packable = format != CLI_FORMAT_BY_NAME && formats[format].is_packable;
    return name != NULL && stoa_packed_is_one(name) && !is_packable ? CLI_FORMAT_BY_NAME : format;
}

stoa_status cli_output_misnamed(cli_args *args, const char *name)
{
    return cli_misused(
        args,
        "the name '%s' does not say in which format; end it in .csv, .tsv, .jsonl, "
        ".json, .arrow, .arrows, .parquet, .npy, .npz or .txt, or add -f csv, for one; out.h5:/t "
        "makes a table",
        name);
}

/* STOA_EEXISTS if it is an HDF5 file. Its signature is at the start, or after a user block of 512
 * bytes or a larger power of two. */
static stoa_status refuse_hdf5(int file, off_t size, stoa_error *err)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    enum { LENGTH = sizeof signature - 1, FIRST_USER_BLOCK = 512 };
    char found[LENGTH];
    bool is_one = false;

    for (off_t at = 0; !is_one && at < size; at = at == 0 ? FIRST_USER_BLOCK : at * 2) {
        is_one = pread(file, found, LENGTH, at) == LENGTH && memcmp(found, signature, LENGTH) == 0;
    }
    return !is_one ? STOA_OK
                   : stoa_fail(err, STOA_EEXISTS,
                               "is an HDF5 file, which is not replaced by another format; give "
                               "another name");
}

/* Open a replacement of a file of `size` bytes, which must not be HDF5. */
static stoa_status open_successor(cli_output *output, off_t size, stoa_error *err)
{
    const int old = open(output->name, O_RDONLY | O_CLOEXEC);
    stoa_status status = STOA_OK;

    if (old < 0) {
        return stoa_fail_errno(err, errno, "cannot be looked at before it is replaced");
    }
    STOA_TRY(refuse_hdf5(old, size, err));
    STOA_TRY(stoa_new_file_open_successor(output->name, old, &output->newfile, err));

done:
    close(old);
    return status;
}

stoa_status cli_output_open(cli_output *output, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat old;
    bool exists;

    *output = (cli_output){.file = stdout, .newfile = STOA_NEW_FILE_INIT};
    if (name == NULL || strcmp(name, "-") == 0) {
        return STOA_OK;
    }
    output->file = NULL;
    output->name = stoa_new_file_name(name); /* a link is preserved */
    STOA_RETURN_NO_MEMORY(err, output->name);
    exists = stat(output->name, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        status = stoa_fail(err, STOA_EIO, "is a directory; name a file");
    } else if (!exists && errno == ELOOP) {
        status = stoa_fail_errno(err, ELOOP, "cannot be written");
    } else if (exists && !S_ISREG(old.st_mode)) {
        output->file = fopen(output->name, "w");
        status = output->file != NULL ? STOA_OK : stoa_fail_errno(err, errno, "cannot be written");
        output->file = output->file != NULL ? cli_terminal_guard(output->file) : NULL;
    } else {
        status = exists ? open_successor(output, old.st_size, err)
                        : stoa_new_file_open(output->name, &output->newfile, err);
        if (status == STOA_OK) {
            output->file = fdopen(fcntl(output->newfile.fd, F_DUPFD_CLOEXEC, 0), "w");
            status =
                output->file != NULL ? STOA_OK : stoa_fail_errno(err, errno, "cannot be written");
        }
    }
    if (status == STOA_OK && stoa_packed_is_one(name)) {
        output->unpacked = output->file;
        status = stoa_packed_open(output->unpacked, name, &output->file, err);
    }
    if (status != STOA_OK) {
        stoa_at(err, status, "%s", name);
        cli_output_discard(output);
    }
    return status;
}

static const char *shown_name(const cli_output *output)
{
    return output->name != NULL ? output->name : "standard output";
}

stoa_status cli_flush_stdout(stoa_error *err)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !cli_pager_was_left()) {
        const int number = errno;

        stoa_at(err, stoa_fail_errno(err, number, "cannot be written"), "standard output");
        return STOA_EIO;
    }
    return STOA_OK;
}

stoa_status cli_output_finish(cli_output *output, stoa_error *err)
{
    stoa_status status = STOA_OK;

    if (output->name == NULL) {
        return cli_flush_stdout(err);
    }
    const bool is_new = output->newfile.fd >= 0;
    if (output->unpacked != NULL) {
        const bool has_failed = ferror(output->file) != 0;
        const bool is_whole = fclose(output->file) == 0 && !has_failed;
        output->file = output->unpacked;
        output->unpacked = NULL;
        STOA_TRY(is_whole ? STOA_OK : stoa_fail_errno(err, errno, "cannot be written"));
    }
    if (fflush(output->file) != 0 || ferror(output->file) ||
        (is_new && fsync(output->newfile.fd) != 0)) {
        status = stoa_fail_errno(err, errno, "cannot be written");
        goto done;
    }
    STOA_TRY(cli_refused(err));
    STOA_TRY(is_new ? stoa_new_file_publish(&output->newfile, err) : STOA_OK);

done:
    stoa_at(err, status, "%s", output->name);
    cli_output_discard(output);
    return status;
}

void cli_output_discard(cli_output *output)
{
    if (output->name == NULL) {
        return;
    }
    if (output->file != NULL) {
        fclose(output->file);
    }
    if (output->unpacked != NULL) {
        fclose(output->unpacked);
    }
    stoa_new_file_close(&output->newfile);
    free(output->name);
    *output = (cli_output){.newfile = STOA_NEW_FILE_INIT};
}

void cli_formulas_option(cli_args *args, bool *no_formulas)
{
    cli_flag(args, no_formulas, "--no-formulas",
             "csv, tsv: an apostrophe before text that a spreadsheet would take for a formula, "
             "which begins with = + - @ or a tab; numbers stay numbers");
}

bool cli_formulas_accepted(cli_args *args, bool no_formulas, int format)
{
    if (no_formulas && format != CLI_CSV && format != CLI_TSV) {
        cli_misused(args, "--no-formulas is for csv and tsv");
        return false;
    }
    return true;
}

bool cli_codec_accepted(cli_args *args, const char *codec, int format)
{
    if (codec == NULL || format == CLI_STORED) {
        return true;
    }
    if (format != CLI_PARQUET) {
        cli_misused(args, "--codec is for tables in HDF5 files, as out.h5:/t, and for Parquet");
    } else if (!stoa_parquet_has_codec(codec)) {
        cli_misused(args, "--codec '%s': Parquet has " STOA_PARQUET_CODECS, codec);
    } else {
        return true;
    }
    return false;
}

/* --- formats --------------------------------------------------------------------------------- */

static stoa_status write_table(const output_format *format, const cli_output *output,
                               struct ArrowArrayStream *stream, uint64_t *n_rows, stoa_error *err)
{
    (void)format;
    return cli_show(stream, output->file, n_rows, err);
}

static stoa_status write_text(const output_format *format, const cli_output *output,
                              struct ArrowArrayStream *stream, uint64_t *n_rows, stoa_error *err)
{
    return stoa_text_write_by(stream, output->no_formulas ? format->tame_text : format->text,
                              output->file, output->n_threads, NULL, n_rows, err);
}

/* Only a regular file can have the form that is read from its end. */
static bool takes_arrow_file(const cli_output *output)
{
    struct stat about;

    return fstat(fileno(output->file), &about) == 0 && S_ISREG(about.st_mode);
}

/* Columns have the types that they had before HEP001 stored them: binary, decimals, times of day.
 */
static stoa_status write_arrow(const output_format *format, const cli_output *output,
                               struct ArrowArrayStream *stream, uint64_t *n_rows, stoa_error *err)
{
    const bool is_file = format == &formats[CLI_ARROW] && takes_arrow_file(output);

    STOA_RETURN_NOT_OK(stoa_stream_cast(stream, NULL, err));
    return (is_file ? stoa_ipc_write : stoa_ipc_write_stream)(stream, output->file, NULL, n_rows,
                                                              err);
}

static stoa_status write_npy(const output_format *format, const cli_output *output,
                             struct ArrowArrayStream *stream, uint64_t *n_rows, stoa_error *err)
{
    return (format == &formats[CLI_NPZ] ? stoa_npz_write : stoa_npy_write)(stream, output->file,
                                                                           n_rows, err);
}

static void tell(void *context, const char *column, const char *words)
{
    cli_remark("%s: column '%s' %s", (const char *)context, column, words);
}

static stoa_status write_parquet(const output_format *format, const cli_output *output,
                                 struct ArrowArrayStream *stream, uint64_t *n_rows, stoa_error *err)
{
    (void)format;
    STOA_RETURN_NOT_OK(stoa_stream_cast(stream, NULL, err));
    return stoa_parquet_write(stream, output->codec, output->file, tell,
                              (void *)(uintptr_t)shown_name(output), n_rows, err);
}

static const output_format formats[CLI_FORMAT_BY_NAME] = {
    [CLI_TABLE] = {.suffixes = {"txt"}, .write = write_table},
    [CLI_CSV] = {{NULL}, true, STOA_TEXT_CSV, STOA_TEXT_CSV_NO_FORMULAS, write_text},
    [CLI_TSV] = {{NULL}, true, STOA_TEXT_TSV, STOA_TEXT_TSV_NO_FORMULAS, write_text},
    [CLI_JSONL] = {{"ndjson"}, true, STOA_TEXT_JSONL, STOA_TEXT_JSONL, write_text},
    [CLI_JSON] = {{NULL}, true, STOA_TEXT_JSON, STOA_TEXT_JSON, write_text},
    [CLI_ARROW] = {.suffixes = {"feather", "ipc"}, .write = write_arrow},
    [CLI_ARROWS] = {.write = write_arrow},
    [CLI_NPY] = {.write = write_npy},
    [CLI_NPZ] = {.write = write_npy},
    [CLI_MARKDOWN] = {{"md"}, false, STOA_TEXT_MARKDOWN, STOA_TEXT_MARKDOWN, write_text},
    [CLI_PARQUET] = {.suffixes = {"pq"}, .write = write_parquet},
};

stoa_status cli_output_write(const cli_output *output, struct ArrowArrayStream *stream,
                             cli_format format, uint64_t *n_rows, stoa_error *err)
{
    const stoa_status status = formats[format].write(&formats[format], output, stream, n_rows, err);

    /* Read errors name their file; any other error is a write error. */
    return status == STOA_EIO ? stoa_at(err, status, "%s", shown_name(output)) : status;
}
