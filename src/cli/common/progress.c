/* There is one progress bar per process, because there is one stderr. */
#include "cli/common/progress.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/common/interrupt.h"
#include "cli/common/pager.h"

static struct {
    bool visible;      /* stderr is a terminal that can show the bar */
    bool drawn;        /* the line is not empty */
    const char *stage; /* current stage of the job, and its start */
    double began;
    double last_drawn;
} bar;

double cli_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Scale by `step` while that leaves a unit. */
static void human(double value, double step, const char *const units[5], char out[16])
{
    size_t unit = 0;

    while (value >= step - 0.5 && unit < 4) {
        value /= step;
        unit++;
    }
    snprintf(out, 16, unit == 0 || value >= 99.95 ? "%.0f%s" : "%.1f%s", value, units[unit]);
}

void cli_human_count(double value, char out[16])
{
    static const char *const units[] = {"", " k", " M", " G", " T"};

    human(value, 1000, units, out);
}

void cli_human_bytes(uint64_t bytes, char out[16])
{
    static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};

    human((double)bytes, 1024, units, out);
}

/* A bar drawn in eighths of a cell looks smooth. */
static void draw_blocks(double fraction, int width)
{
    static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int filled = (int)(fraction * width * 8);

    for (int cell = 0; cell < width; cell++) {
        const int left = filled - cell * 8;

        fputs(left >= 8 ? "█" : eighths[left > 0 ? left : 0], stderr);
    }
}

static void draw(const stoa_progress *p, double elapsed)
{
    const bool known = p->total_rows > 0 || p->total_bytes > 0;
    const double part = p->total_rows > 0    ? (double)p->rows / (double)p->total_rows
                        : p->total_bytes > 0 ? (double)p->bytes / (double)p->total_bytes
                                             : 0;
    const double fraction = part > 1 ? 1 : part;
    char rows[16];
    char rate[16];

    fprintf(stderr, "\r\033[K%-10s ", p->stage != NULL ? p->stage : "working");
    if (known) {
        draw_blocks(fraction, 24);
        fprintf(stderr, " %3d%%", (int)(fraction * 100));
    }
    if (p->rows > 0) {
        cli_human_count((double)p->rows, rows);
        cli_human_count((double)p->rows / elapsed, rate);
        fprintf(stderr, "  %s rows  %s rows/s", rows, rate);
    } else if (p->bytes > 0) {
        cli_human_bytes(p->bytes, rows);
        cli_human_bytes((uint64_t)((double)p->bytes / elapsed), rate);
        fprintf(stderr, "  %s  %s/s", rows, rate);
    }
    if (known && fraction > 0.01) {
        const long left = (long)(elapsed / fraction * (1 - fraction) + 0.5);

        fprintf(stderr, "  %ld:%02ld left", left / 60, left % 60);
    }
    fflush(stderr);
    bar.drawn = true;
}

/* Draws at most ten times a second, and not at all for very short jobs. */
static bool listen(void *context, const stoa_progress *progress)
{
    (void)context;
    if (cli_interrupted() != 0) {
        return false;
    }
    if (bar.visible && !cli_pager_runs()) {
        const double t = cli_clock();

        if (progress->stage != bar.stage) {
            bar.stage = progress->stage;
            bar.began = t;
        }
        if (t - bar.last_drawn >= 0.1 && t - bar.began >= 0.3) {
            bar.last_drawn = t;
            draw(progress, t - bar.began);
        }
    }
    return true;
}

void cli_progress_clear(void)
{
    if (bar.drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        bar.drawn = false;
    }
}

static bool wants_quiet;

void cli_be_quiet(bool is_quiet)
{
    wants_quiet = is_quiet;
}

bool cli_is_quiet(void)
{
    return wants_quiet;
}

stoa_listener cli_listener(bool quiet)
{
    const char *const term = getenv("TERM");

    cli_interrupt_listen();
    bar.visible = !quiet && !cli_is_quiet() && isatty(STDERR_FILENO) && term != NULL &&
                  strcmp(term, "dumb") != 0;
    bar.began = cli_clock();
    return (stoa_listener){.on_progress = listen};
}
