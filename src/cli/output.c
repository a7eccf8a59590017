/* See output.h. */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrow/ipc.h"
#include "cli/show.h"
#include "core/unfinished.h"

const char *const cli_formats[] = {"table", "csv", "tsv", "jsonl", "json", "arrow", NULL};

cli_format cli_format_of(const char *name)
{
    const char *const dot = name != NULL ? strrchr(name, '.') : NULL;

    if (dot == NULL || strchr(dot, '/') != NULL) {
        return CLI_FORMAT_BY_NAME;
    }
    if (strcmp(dot, ".ndjson") == 0) {
        return CLI_JSONL;
    }
    if (strcmp(dot, ".feather") == 0) {
        return CLI_ARROW;
    }
    for (int i = CLI_CSV; cli_formats[i] != NULL; i++) {
        if (strcmp(dot + 1, cli_formats[i]) == 0) {
            return (cli_format)i;
        }
    }
    return CLI_FORMAT_BY_NAME;
}

/* A new file beside `output->name`, with the rights the finished one shall have. */
static stoa_status open_beside(cli_output *output, const struct stat *old, stoa_error *err)
{
    const char *const slash = strrchr(output->name, '/');
    const int directory = slash == NULL ? 0 : (int)(slash - output->name + 1);
    const mode_t mask = umask(0);
    int file;

    umask(mask);
    output->temporary = cli_sprintf("%.*s.%s.XXXXXX", directory, output->name,
                                    slash == NULL ? output->name : slash + 1);
    stoa_unfinished_note(output->temporary); /* the name is filled in where it stands */
    file = mkstemp(output->temporary);
    if (file < 0) {
        const int number = errno;

        stoa_unfinished_forget(output->temporary);
        free(output->temporary);
        output->temporary = NULL;
        return stoa_fail_errno(err, number, "cannot be written");
    }
    if (fchmod(file, old != NULL ? old->st_mode & 07777 : 0666 & ~mask) != 0 ||
        (output->file = fdopen(file, "w")) == NULL) {
        const int number = errno;

        close(file);
        return stoa_fail_errno(err, number, "cannot be written");
    }
    return STOA_OK;
}

stoa_status cli_output_open(cli_output *output, const char *name, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct stat old;
    bool exists;

    *output = (cli_output){.file = stdout};
    if (name == NULL || strcmp(name, "-") == 0) {
        return STOA_OK;
    }
    output->file = NULL;
    output->name = realpath(name, NULL); /* a link stays a link */
    if (output->name == NULL) {
        output->name = cli_copy(name);
    }
    exists = stat(output->name, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        status = stoa_fail(err, STOA_EIO, "is a directory; name a file");
    } else if (exists && !S_ISREG(old.st_mode)) {
        output->file = fopen(output->name, "w");
        status = output->file != NULL ? STOA_OK : stoa_fail_errno(err, errno, "cannot be written");
    } else {
        status = open_beside(output, exists ? &old : NULL, err);
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
    if (fflush(stdout) != 0 || ferror(stdout)) {
        const int number = errno;

        stoa_at(err, stoa_fail_errno(err, number, "cannot be written"), "standard output");
        return STOA_EIO;
    }
    return STOA_OK;
}

stoa_status cli_output_finish(cli_output *output, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bool written;

    if (output->name == NULL) {
        return cli_flush_stdout(err);
    }
    written = fflush(output->file) == 0 && !ferror(output->file) &&
              (output->temporary == NULL || fsync(fileno(output->file)) == 0);
    if (!written) {
        status = stoa_fail_errno(err, errno, "cannot be written");
        goto done;
    }
    stoa_unfinished_enter(STOA_CHANGED);
    if (output->temporary != NULL && rename(output->temporary, output->name) != 0) {
        status = stoa_fail_errno(err, errno, "cannot be put in place");
    } else {
        stoa_unfinished_forget(output->temporary);
        free(output->temporary);
        output->temporary = NULL;
    }
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
    if (output->temporary != NULL) {
        unlink(output->temporary);
        stoa_unfinished_forget(output->temporary);
    }
    free(output->temporary);
    free(output->name);
    *output = (cli_output){0};
}

stoa_status cli_output_write(const cli_output *output, struct ArrowArrayStream *stream,
                             cli_format format, uint64_t *n_rows, stoa_error *err)
{
    static const stoa_text_format formats[] = {[CLI_CSV] = STOA_TEXT_CSV,
                                               [CLI_TSV] = STOA_TEXT_TSV,
                                               [CLI_JSONL] = STOA_TEXT_JSONL,
                                               [CLI_JSON] = STOA_TEXT_JSON};
    const stoa_status status =
        format == CLI_TABLE ? cli_show(stream, output->file, n_rows, err)
        : format == CLI_ARROW
            ? stoa_ipc_write(stream, output->file, NULL, n_rows, err)
            : stoa_text_write(stream, formats[format], output->file, NULL, n_rows, err);

    /* Failures to read name their file; what is left is a failure to write. */
    return status == STOA_EIO ? stoa_at(err, status, "%s", shown_name(output)) : status;
}
