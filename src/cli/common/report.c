/* Error messages of one line, and memory of the program itself. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/allocations.h"
#include "cli/common/cli.h"
#include "cli/common/interrupt.h"
#include "cli/common/pager.h"
#include "cli/common/progress.h"
#include "cli/common/terminal.h"
#include "core/exit_cleanup.h"
#include "core/memory.h"
#include "hdf/journal/disk.h"

/* Text from a file must not break the line or control the terminal, in a log as well. */
static void put_tame(FILE *out, const char *text)
{
    stoa_sink sink = {.out = out};

    cli_escaped(&sink, text, strlen(text));
    if (stoa_sink_flush(&sink) == STOA_ENOMEM) {
        for (; *text != '\0'; text++) {
            fputc((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f ? '?' : *text, out);
        }
    }
    stoa_sink_clear(&sink);
}

static void print_line(bool failure, const char *format, va_list values)
{
    char text[2048];

    vsnprintf(text, sizeof text, format, values);
    cli_progress_clear();
    FILE *const to = cli_pager_messages();
    if (failure) {
        cli_paint(to, "31");
        fputs("stoa:", to);
        cli_paint(to, "0");
        fputc(' ', to);
    }
    put_tame(to, text);
    fputc('\n', to);
    fflush(to);
}

void cli_complain(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    print_line(true, format, values);
    va_end(values);
}

void cli_remark(const char *format, ...)
{
    va_list values;

    if (cli_is_quiet()) {
        return;
    }
    va_start(values, format);
    print_line(false, format, values);
    va_end(values);
}

const char *cli_plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

stoa_status cli_refused(stoa_error *err)
{
    const int unread = stoa_disk_refused_read();

    if (cli_memory_ran_out()) {
        return stoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    return unread == 0 ? STOA_OK : stoa_fail_errno(err, unread, "a read of a file failed");
}

/* Whether a message already describes the refusal. */
static bool tells_of(const stoa_error *err, const stoa_error *refused)
{
    return strstr(err->message,
                  refused->status == STOA_ENOMEM ? "memory" : strerror(stoa_disk_refused_read())) !=
           NULL;
}

int cli_fail(const char *name, const stoa_error *err)
{
    const char *const where = err->where[0] != '\0' ? err->where : name;
    stoa_error refused = STOA_ERROR_INIT;
    const char *message = err->message;

    if (cli_interrupted() != 0) {
        cli_complain(name != NULL ? "interrupted; %s is unchanged" : "interrupted%s",
                     name != NULL ? name : "");
        return 128 + cli_interrupted();
    }
    if (cli_pager_was_left() && strstr(message, strerror(EPIPE)) != NULL) {
        return CLI_DONE; /* the reader has seen enough */
    }
    if (cli_refused(&refused) != STOA_OK && !tells_of(err, &refused)) {
        message = refused.message; /* the original message may be a consequence */
    }
    if (where == NULL || where[0] == '\0') {
        cli_complain("%s", message);
    } else {
        cli_complain("%s: %s", where, message);
    }
    return CLI_FAILED;
}

static void end_for_memory(void)
{
    cli_complain("memory ran out");
    stoa_exit_cleanup_undo();
    exit(CLI_FAILED);
}

static void *or_end(void *block)
{
    if (block == NULL) {
        end_for_memory();
    }
    return block;
}

void *cli_resize(void *block, size_t n, size_t size)
{
    return or_end(stoa_realloc(block, n, size));
}

void *cli_one_more(void *block, size_t n, size_t size)
{
    return or_end(stoa_one_more(block, n, size));
}

char *cli_copy(const char *text)
{
    return cli_sprintf("%s", text);
}

char *cli_vsprintf(const char *format, va_list values)
{
    char *text = NULL;

    if (vasprintf(&text, format, values) < 0) {
        end_for_memory();
    }
    return text;
}

char *cli_sprintf(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *const text = cli_vsprintf(format, values);
    va_end(values);
    return text;
}

void cli_append(char **text, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *const more = cli_vsprintf(format, values);
    va_end(values);
    char *const longer = cli_sprintf("%s%s", *text, more);
    free(more);
    free(*text);
    *text = longer;
}

char *cli_join(const char *const *items, size_t n, const char *last)
{
    char *all = cli_copy("");

    for (size_t i = 0; i < n; i++) {
        cli_append(&all, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : last, items[i]);
    }
    return all;
}

char *cli_extent(unsigned rank, const uint64_t *extent)
{
    char *text = cli_copy("");

    for (unsigned i = 0; i < rank; i++) {
        cli_append(&text, "%s%llu", i > 0 ? " x " : "", (unsigned long long)extent[i]);
    }
    return text;
}
