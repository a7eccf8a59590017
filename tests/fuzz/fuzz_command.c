/*
 * Any file, however damaged, is what a command line is about.
 *
 * The last bytes of the input choose the line and the object; the rest is the file. The commands
 * run in this process, in a directory of their own, with their words going nowhere. What is looked
 * at afterwards is what all of them promise: an edit that failed changed nothing, what only reads
 * changed nothing either, and no id is left open.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/args.h"
#include "fuzz/fuzz.h"
#include "hdf/journal/superblock.h"
#include "layout/text/sink.h"
#include "support/check.h"
#include "support/open_ids.h"

enum { MAX_WORDS = 24, MAX_NAME = 4200 };

/* %p is the file with the object's path, %f the file, %d the directory, where a table of text is
 * and all else that is made goes. */
static const struct line {
    const cli_command *command;
    const char *words;
    bool edits;
} lines[] = {
    {&cmd_ls, "%f", false},
    {&cmd_ls, "-l %f", false},
    {&cmd_ls, "-t %f", false},
    {&cmd_info, "%p", false},
    {&cmd_info, "--scan %p", false},
    {&cmd_check, "--strict --indexes -f json %p", false},
    {&cmd_stat, "%f", false},
    {&cmd_dump, "%f", false},
    {&cmd_dump, "--sparse-locations %p", false},
    {&cmd_dump, "--sparse %p", false},
    {&cmd_diff, "%p %f:/t", false},
    {&cmd_diff, "--defined %f %f", false},
    {&cmd_query, "%p", false},
    {&cmd_query, "%p --trust -w a>1 -f jsonl", false},
    {&cmd_query, "%p -a count(),min(a),max(b),distinct(b) --by a -f csv", false},
    {&cmd_query, "%p --sort b:desc -n 3 --explain", false},
    {&cmd_query, "%p -w length(b)>0 -o %d/o.h5:/t", false},
    {&cmd_query, "%p --histogram a:4 -f json", false},
    {&cmd_plot, "%p -o %d/o.svg", false},
    {&cmd_plot, "%p -c a --by b -f csv", false},
    {&cmd_report, "%f -o %d/o.html", false},
    {&cmd_export, "%p %d/o.csv --no-formulas", false},
    {&cmd_export, "%p %d/o.arrow", false},
    {&cmd_export, "%p %d/o.mtx", false},
    {&cmd_export, "-f csr %p %d/o.h5:/m", false},
    {&cmd_convert, "%p %d/o.h5:/u --to hep001 --chunk 4", false},
    {&cmd_convert, "%f %d/o.h5 --to hep001 --keep-rest -f json", false},
    {&cmd_convert, "%p %d/o.h5:/u --to pytables --missing 0", false},
    {&cmd_convert, "%p %d/o.h5:/u --to h5tb --missing nan", false},
    {&cmd_convert, "%p %d/o.h5:/u --to pandas-table --missing 0", false},
    {&cmd_convert, "%p %d/o.h5:/u --to pandas-fixed --missing 0", false},
    {&cmd_convert, "%p %d/o.h5:/u --to anndata --missing 0", false},
    {&cmd_convert, "%p %d/o.h5:/u --to arkouda --locales 2 --missing mask", false},
    {&cmd_convert, "%p %d/o.h5:/u --to arkouda --as dataframe --missing drop", false},
    {&cmd_convert, "%p %d/o.lh5:/u --to lh5 --missing drop", false},
    {&cmd_convert, "%f %d/o.lh5 --to lh5 --no-flatten --keep-rest --missing 0", false},
    {&cmd_convert, "%p %f:/u --to pytables --missing 0", true},
    {&cmd_import, "%p %d/o.h5:/u --index a,b:bloom", false},
    {&cmd_import, "%d/in.csv %f:/t --force --category b", true},
    {&cmd_append, "%d/in.csv %p --missing 0", true},
    {&cmd_append, "%f:/t %p --missing 0", true},
    {&cmd_update, "%p -w a>1 --set a=a+1", true},
    {&cmd_update, "%p --all --set b=null --on-index drop", true},
    {&cmd_delete, "%p -w a=1", true},
    {&cmd_truncate, "%p 2", true},
    {&cmd_preallocate, "%p 20", true},
    {&cmd_index_add, "%p --auto", true},
    {&cmd_index_add, "%p a b --kind sorted", true},
    {&cmd_index_add, "%p a b --kind bitmap --safe", true},
    {&cmd_index_list, "%p", false},
    {&cmd_index_drop, "%p a b", true},
    {&cmd_index_verify, "%p", false},
    {&cmd_column_add, "%p --set c=a", true},
    {&cmd_column_drop, "%p b", true},
    {&cmd_column_rename, "%p a c", true},
    {&cmd_column_order, "%p b a", true},
    {&cmd_column_storage, "%p a b --codec deflate --chunk 5", true},
    {&cmd_column_categories, "%p b", true},
    {&cmd_column_categories, "%p a b --plain", true},
    {&cmd_column_row_index, "%p b", true},
    {&cmd_attr, "%p", false},
    {&cmd_attr, "%p -c a units=m x=1", true},
    {&cmd_attr, "%p --remove TITLE", true},
    {&cmd_copy, "%p %d/o.h5:/u", false},
    {&cmd_copy, "%p %f:/u", true},
    {&cmd_move, "%p %f:/u", true},
    {&cmd_move, "%p %d/o.h5:/u", true},
    {&cmd_remove, "%p", true},
    {&cmd_remove, "%p --safe", true},
    {&cmd_repack, "%f", true},
    {&cmd_repack, "%f %d/o.h5", false},
    {&cmd_repack, "-l /t:SPARSECHUNK=3x2 --exclude 0 %f %d/o.h5", false},
    {&cmd_repack, "-l /t:CONTI -f /t:NONE %f %d/o.h5", false},
    {&cmd_repack, "-l /t:CHUNK=2x2 -f /t:SHUF -f /t:GZIP=1 %f %d/o.h5", false},
    {&cmd_repack, "-f /t:SECTION1:ZSTD=3 %f %d/o.h5", false},
    {&cmd_repack, "%p", true},
};

enum { N_LINES = sizeof lines / sizeof lines[0] };

/* Where the seeds have what they hold (driver/seeds.c). */
static const char *const paths[] = {":/t", "",        ":/",    ":/t/a", ":/lists",
                                    ":/i", ":/texts", ":/seg", ":/c",   ":/s"};

enum { N_PATHS = sizeof paths / sizeof paths[0] };

void fuzz_command_reduce(uint8_t *tail)
{
    tail[0] = (uint8_t)(tail[0] % N_LINES);
    tail[1] = (uint8_t)(tail[1] % N_PATHS);
}

/* --- the directory --------------------------------------------------------------------------- */

static char directory[4000];
static char file[MAX_NAME];

/* All that lies in it, which is little; and itself, if that is asked for. */
static void empty(const char *place, bool goes)
{
    DIR *const list = opendir(place);

    for (const struct dirent *entry = NULL; list != NULL && (entry = readdir(list)) != NULL;) {
        char name[MAX_NAME + 256];
        (void)snprintf(name, sizeof name, "%s/%s", place, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            unlink(name) != 0) {
            empty(name, true);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
    if (goes) {
        (void)rmdir(place);
    }
}

static void remove_directory(void)
{
    empty(directory, true);
}

/* Once. A process that crashes leaves it: whoever expects that says where, by TMPDIR. The ledger of
 * trusted files goes there, too. */
static void make_directory(void)
{
    const char *const places[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
    bool is_made = directory[0] != '\0';

    for (size_t i = 0; !is_made && i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(directory, sizeof directory, "%s/stoa-fuzz-XXXXXX",
                       places[i] != NULL ? places[i] : "/nowhere");
        is_made = mkdtemp(directory) != NULL && atexit(remove_directory) == 0 &&
                  setenv("XDG_STATE_HOME", directory, 1) == 0;
    }
    (void)snprintf(file, sizeof file, "%s/a.h5", directory);
    /* libhdf5 keeps what it frees until the end of the line. */
    if (!is_made || H5set_free_list_limits(-1, -1, -1, -1, -1, -1) < 0) {
        abort();
    }
}

static void put(const char *name, const void *bytes, size_t n)
{
    FILE *const out = fopen(name, "wb");

    if (out == NULL || fwrite(bytes, 1, n, out) != n || fclose(out) != 0) {
        abort();
    }
}

/* A file is as it was up to where its superblock says that it ends: what lies behind is not of it,
 * and an edit cuts it off. */
static bool holds(const char *name, const uint8_t *bytes, size_t n)
{
    static uint8_t there[1 << 16];
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    stoa_superblock superblock;
    struct stat about;
    bool is_same = fd >= 0 && fstat(fd, &about) == 0;

    if (is_same && (size_t)about.st_size < n &&
        stoa_superblock_read_fd(fd, (uint64_t)about.st_size, &superblock, NULL) == STOA_OK) {
        n = (size_t)about.st_size;
    }
    is_same = is_same && (size_t)about.st_size == n;
    for (size_t at = 0; is_same && at < n; at += sizeof there) {
        const size_t length = n - at < sizeof there ? n - at : sizeof there;
        is_same = pread(fd, there, length, (off_t)at) == (ssize_t)length &&
                  memcmp(there, bytes + at, length) == 0;
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_same;
}

/* --- a line ---------------------------------------------------------------------------------- */

static char *fill_in(const char *word, size_t length, const char *path)
{
    stoa_sink sink = {.out = NULL};

    for (size_t i = 0; i < length; i++) {
        if (word[i] != '%') {
            stoa_sink_char(&sink, word[i]);
        } else {
            i++;
            stoa_sink_text(&sink, word[i] == 'd' ? directory : file);
            stoa_sink_text(&sink, word[i] == 'p' ? path : "");
        }
    }
    stoa_sink_char(&sink, '\0');
    char *const whole = stoa_buffer_detach(&sink.text);
    stoa_sink_clear(&sink);
    if (whole == NULL) {
        abort();
    }
    return whole;
}

static int run(const struct line *line, const char *path)
{
    static char at_once[] = "--no-wait";
    static FILE *nowhere;
    FILE *const out = stdout;
    FILE *const err = stderr;
    char *words[MAX_WORDS] = {at_once};
    size_t n = 1;

    nowhere = nowhere != NULL ? nowhere : fopen("/dev/null", "w");
    if (nowhere == NULL) {
        abort();
    }
    for (const char *word = line->words; *word != '\0' && n < MAX_WORDS;) {
        const size_t length = strcspn(word, " ");
        words[n++] = fill_in(word, length, path);
        word += length + strspn(word + length, " ");
    }
    if (getenv("STOA_FUZZ_SHOW") == NULL) {
        stdout = nowhere;
        stderr = nowhere;
    }
    const int status = cli_run(line->command, words, n);
    stdout = out;
    stderr = err;
    while (n > 1) {
        free(words[--n]);
    }
    return status;
}

/* Objects that are open, but for files. */
typedef struct open_objects {
    hid_t ids[64];
    size_t n;
} open_objects;

static open_objects list_open(void)
{
    open_objects open;
    const ssize_t n = H5Fget_obj_ids((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL & ~H5F_OBJ_FILE,
                                     sizeof open.ids / sizeof open.ids[0], open.ids);

    open.n = n < 0 ? 0 : (size_t)n;
    return open;
}

static bool is_among(const open_objects *open, hid_t id)
{
    bool is = false;

    for (size_t i = 0; i < open->n; i++) {
        is = is || open->ids[i] == id;
    }
    return is;
}

/* What libhdf5 could not close stays open: a file of which a damaged block is still in its hands,
 * or an object that it could not delete. That is its own, and will not be closed now either; what
 * was forgotten will. */
static bool is_forgotten(const open_objects *before)
{
    const size_t n_left = check_n_open_ids();
    const open_objects left = list_open();
    bool is_so = false;

    if (n_left == 0) {
        return false;
    }
    for (size_t i = 0; i < left.n; i++) {
        is_so = is_so || (!is_among(before, left.ids[i]) && H5Idec_ref(left.ids[i]) >= 0);
    }
    return is_so;
}

/* ... but for the bar that a writer left which died: an edit that is refused later has lifted it.
 */
static bool holds_unbarred(const char *name, const uint8_t *bytes, size_t n)
{
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    uint8_t *const unbarred = malloc(n);
    uint64_t base;
    bool is_same = false;

    if (unbarred == NULL) {
        abort();
    }
    memcpy(unbarred, bytes, n);
    if (fd >= 0 && stoa_superblock_find(fd, n, &base)) {
        is_same = stoa_superblock_unbar(unbarred + base, n - base) && holds(name, unbarred, n);
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    free(unbarred);
    return is_same;
}

static void look_after(const struct line *line, int status, const open_objects *before,
                       const uint8_t *bytes, size_t n)
{
    const char *fault = NULL;

    if (status < CLI_DONE || status > CLI_FAILED) {
        fault = "that is no status";
    } else if (is_forgotten(before)) {
        fault = "an id is left open";
    } else if ((!line->edits || status >= CLI_USAGE) && !holds(file, bytes, n) &&
               !holds_unbarred(file, bytes, n)) {
        fault = "the file has changed";
    }
    if (fault != NULL) {
        (void)fprintf(stderr, "stoa %s %s: status %d, and %s\n", line->command->name, line->words,
                      status, fault);
        abort();
    }
}

void fuzz_command(const uint8_t *bytes, size_t n)
{
    static const char text[] = "a,b\n1,2\n,x\n";
    char name[MAX_NAME + 8];

    if (n < FUZZ_COMMAND_TAIL) {
        return;
    }
    n -= FUZZ_COMMAND_TAIL;
    const struct line *const line = &lines[bytes[n] % N_LINES];
    make_directory();
    put(file, bytes, n);
    (void)snprintf(name, sizeof name, "%s/in.csv", directory);
    put(name, text, sizeof text - 1);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    check_forget_ids();
    const open_objects before = list_open();
    const int status = run(line, paths[bytes[n + 1] % N_PATHS]);
    look_after(line, status, &before, bytes, n);
    (void)H5garbage_collect(); /* where a sanitizer sees what libhdf5 has freed twice */
    empty(directory, false);
}
