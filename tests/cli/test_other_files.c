/*
 * Other files: whatever a file says, no command opens one that it leads to, unless
 * --follow-external asks for it, and none writes to one (docs/security.md).
 *
 * The kernel is asked who opens the files that are led to (inotify): that they are opened is seen
 * wherever in libhdf5 or Stoa it happens. A FIFO, too, may be led to, where an open would
 * wait for ever.
 */
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "support/check.h"

enum { N_ROWS = 1000 };

/* Values that no other file, and no message, has: 7654300 and so on. */
static const char *const secret = "76543";

/* --- the commands ---------------------------------------------------------------------------- */

static char said[1 << 16]; /* what the last command printed */

/* In the test's directory; 124 where it had to be ended. */
static int stoa(const char *words)
{
    char line[4096];
    const char *const command = getenv("STOA");
    FILE *output;

    CHECK(command != NULL);
    (void)snprintf(line, sizeof line,
                   "cd '%s' && XDG_STATE_HOME=. timeout -k 5 60 '%s' %s 2>&1 </dev/null",
                   check_path("."), command, words);
    output = popen(line, "r");
    CHECK(output != NULL);
    const size_t n = fread(said, 1, sizeof said - 1, output);
    said[n] = '\0';
    const int status = pclose(output);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* --- the files ------------------------------------------------------------------------------- */

/* other/src.h5 has /y, a table /t with column y, and /p, a table of PyTables; other/raw.bin the
 * same values bare. */
static void make_values(int32_t *values)
{
    for (int i = 0; i < N_ROWS; i++) {
        values[i] = 7654300 + i % 100;
    }
}

static void put_dataset(hid_t file, const char *path, hid_t dcpl, const int32_t *values)
{
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, NULL));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    if (values != NULL) {
        CHECK_H5(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Sclose(space));
}

static void make_others(void)
{
    int32_t values[N_ROWS];
    FILE *stream;

    make_values(values);
    CHECK(mkdir(check_path("other"), 0777) == 0);
    stream = fopen(check_path("other/raw.bin"), "wb");
    CHECK(stream != NULL && fwrite(values, sizeof values, 1, stream) == 1 && fclose(stream) == 0);
    stream = fopen(check_path("src.csv"), "w");
    CHECK(stream != NULL);
    (void)fprintf(stream, "x,y\n");
    for (int i = 0; i < N_ROWS; i++) {
        (void)fprintf(stream, "%d,%d\n", i, values[i]);
    }
    CHECK(fclose(stream) == 0);
    CHECK(stoa("import src.csv other/src.h5:/t --type x=int32 --type y=int32 --codec none") == 0);
    const hid_t file = CHECK_H5(H5Fopen(check_path("other/src.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    put_dataset(file, "/y", H5P_DEFAULT, values);
    CHECK_H5(H5Fclose(file));
}

static void append_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = CHECK_H5(H5Tcopy(H5T_C_S1));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));

    CHECK_H5(H5Tset_size(type, strlen(text) + 1));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Awrite(attribute, type, text));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* A table of PyTables whose rows are in other/raw.bin, and can become more. */
static void put_pytable(hid_t file, const char *path, const char *raw)
{
    const hid_t space =
        CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, &(hsize_t){H5S_UNLIMITED}));
    const hid_t type = CHECK_H5(H5Tcreate(H5T_COMPOUND, 4));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Tinsert(type, "y", 0, H5T_STD_I32LE));
    CHECK_H5(H5Pset_external(dcpl, raw, 0, H5F_UNLIMITED));
    const hid_t dataset =
        CHECK_H5(H5Dcreate2(file, path, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    append_text(dataset, "CLASS", "TABLE");
    append_text(dataset, "VERSION", "2.7");
    append_text(dataset, "TITLE", "");
    append_text(dataset, "FIELD_0_NAME", "y");
    CHECK_H5(H5Dclose(dataset));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Tclose(type));
    CHECK_H5(H5Sclose(space));
}

static void take_attribute(hid_t from, hid_t to, const char *name)
{
    const hid_t old = CHECK_H5(H5Aopen(from, name, H5P_DEFAULT));
    const hid_t type = CHECK_H5(H5Aget_type(old));
    const hid_t space = CHECK_H5(H5Aget_space(old));
    const hid_t made = CHECK_H5(H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    H5R_ref_t references[4];

    CHECK(H5Sget_simple_extent_npoints(space) <= 4);
    CHECK_H5(H5Aread(old, H5T_STD_REF, references));
    CHECK_H5(H5Awrite(made, H5T_STD_REF, references));
    for (hssize_t i = 0; i < H5Sget_simple_extent_npoints(space); i++) {
        CHECK_H5(H5Rdestroy(&references[i]));
    }
    CHECK_H5(H5Aclose(made));
    CHECK_H5(H5Aclose(old));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Tclose(type));
}

/* How a.h5 leads to another file. In each, "/t" is what commands are given. */
typedef struct kind {
    const char *name;
    void (*put)(hid_t file, const char *other);
    const char *other; /* the file it leads to */
    bool is_column;    /* "/t" is a table with a column x of its own, and y of the other's */
} kind;

static void put_external(hid_t file, const char *other)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_external(dcpl, other, 0, N_ROWS * sizeof(int32_t)));
    CHECK_H5(H5Ldelete(file, "/t/y", H5P_DEFAULT));
    put_dataset(file, "/t/y", dcpl, NULL);
    CHECK_H5(H5Pclose(dcpl));
}

static void put_virtual(hid_t file, const char *other)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, NULL));

    CHECK_H5(H5Pset_virtual(dcpl, space, other, "/y", space));
    CHECK_H5(H5Ldelete(file, "/t/y", H5P_DEFAULT));
    put_dataset(file, "/t/y", dcpl, NULL);
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

/* As many blocks as there are files, which libhdf5 finds out when it is asked for the extent. */
static void put_blocks(hid_t file, const char *other)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, NULL));
    const hid_t whole =
        CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, &(hsize_t){H5S_UNLIMITED}));
    char pattern[PATH_MAX];

    (void)snprintf(pattern, sizeof pattern, "%s%%b", other);
    CHECK_H5(H5Sselect_hyperslab(whole, H5S_SELECT_SET, &(hsize_t){0}, &(hsize_t){N_ROWS},
                                 &(hsize_t){H5S_UNLIMITED}, &(hsize_t){N_ROWS}));
    CHECK_H5(H5Pset_virtual(dcpl, whole, pattern, "/y", space));
    CHECK_H5(H5Ldelete(file, "/t/y", H5P_DEFAULT));
    CHECK_H5(H5Dclose(
        CHECK_H5(H5Dcreate2(file, "/t/y", H5T_STD_I32LE, whole, H5P_DEFAULT, dcpl, H5P_DEFAULT))));
    CHECK_H5(H5Sclose(whole));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
}

static void put_link(hid_t file, const char *other)
{
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external(other, "/t", file, "/t", H5P_DEFAULT, H5P_DEFAULT));
}

static void put_soft_link(hid_t file, const char *other)
{
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external(other, "/", file, "/far", H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lcreate_soft("/far/t", file, "/t", H5P_DEFAULT, H5P_DEFAULT));
}

static void put_linked_column(hid_t file, const char *other)
{
    CHECK_H5(H5Ldelete(file, "/t/y", H5P_DEFAULT));
    CHECK_H5(H5Lcreate_external(other, "/y", file, "/t/y", H5P_DEFAULT, H5P_DEFAULT));
}

static void put_rows(hid_t file, const char *other)
{
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));
    put_pytable(file, "/t", other);
}

/* A reference says in which file its object is. */
static void put_reference(hid_t file, const char *other)
{
    const hid_t source =
        CHECK_H5(H5Fopen(other[0] == '/' ? other : check_path(other), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate(H5S_SCALAR));
    const hid_t column = CHECK_H5(H5Dopen2(file, "/t/y", H5P_DEFAULT));
    const hid_t attribute =
        CHECK_H5(H5Acreate2(column, "categories", H5T_STD_REF, space, H5P_DEFAULT, H5P_DEFAULT));
    H5R_ref_t reference;

    CHECK_H5(H5Rcreate_object(source, "/y", H5P_DEFAULT, &reference));
    CHECK_H5(H5Awrite(attribute, H5T_STD_REF, &reference));
    CHECK_H5(H5Rdestroy(&reference));
    CHECK_H5(H5Aclose(attribute));
    CHECK_H5(H5Dclose(column));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(source));
}

static const kind kinds[] = {
    {"external storage", put_external, "other/raw.bin", true},
    {"a virtual dataset", put_virtual, "other/src.h5", true},
    {"a virtual dataset of blocks", put_blocks, "other/src.h5", true},
    {"an external link", put_link, "other/src.h5", false},
    {"a soft link through an external one", put_soft_link, "other/src.h5", false},
    {"a column that is an external link", put_linked_column, "other/src.h5", true},
    {"external rows of PyTables", put_rows, "other/raw.bin", false},
    {"a reference", put_reference, "other/src.h5", true},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* a.h5: a table with columns x and y of its own, of which `one` takes the place. */
static void make_file(const kind *one, const char *other)
{
    check_copy_file(check_path("own.h5"), check_path("a.h5"));
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    one->put(file, other);
    CHECK_H5(H5Fclose(file));
}

/* --- who opens them -------------------------------------------------------------------------- */

#ifdef __linux__
static int watch(void)
{
    const int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    CHECK(queue >= 0);
    CHECK(inotify_add_watch(queue, check_path("other"), IN_OPEN | IN_CREATE | IN_MODIFY) >= 0);
    return queue;
}

/* Since it was asked last. */
static bool was_touched(int queue)
{
    char events[4096];
    bool is = false;

    while (read(queue, events, sizeof events) > 0) {
        is = true;
    }
    return is;
}
#else
static int watch(void)
{
    SKIP("only Linux tells who opens a file");
    return -1;
}

static bool was_touched(int queue)
{
    (void)queue;
    return false;
}
#endif

/* What is run on a.h5; `edits` changes it. */
typedef struct run {
    const char *words;
    bool edits;
} run;

static const run runs[] = {
    {"ls a.h5", false},
    {"ls --long a.h5", false},
    {"ls --tree a.h5", false},
    {"ls a.h5:/t", false},
    {"info a.h5:/t", false},
    {"query a.h5:/t", false},
    {"query a.h5:/t -c y", false},
    {"query a.h5:/t -a \"sum(y)\"", false},
    {"query a.h5:/t -w \"y > 0\" --threads 1", false},
    {"query b.h5:/t -c x --rows-of a.h5:/t:y", false},
    {"plot a.h5:/t -c y", false},
    {"report a.h5 -o out.html", false},
    {"export a.h5:/t out.csv", false},
    {"export a.h5:/t out.arrow", false},
    {"convert a.h5 out.h5 --to pytables", false},
    {"convert a.h5 out.h5 --to hep001 --keep-rest", false},
    {"convert a.h5:/t out.h5:/t --to h5tb", false},
    {"import a.h5:/t out.h5:/t", false},
    {"append a.h5:/t b.h5:/t", false},
    {"index list a.h5:/t", false},
    {"index verify a.h5:/t", false},
    {"check a.h5", false},
    {"check a.h5 --indexes --strict", false},
    {"stat a.h5", false},
    {"dump a.h5", false},
    {"dump a.h5:/t", false},
    {"diff a.h5 b.h5", false},
    {"diff a.h5:/t/y b.h5:/t/y", false},
    {"attr a.h5:/t", false},
    {"copy a.h5:/t out.h5:/t", false},
    {"repack a.h5 out.h5", false},
    {"index add a.h5:/t y", true},
    {"append mine.csv a.h5:/t", true},
    {"append y.csv a.h5:/t", true},
    {"append mine.csv a.h5:/t --safe", true},
    {"update a.h5:/t --all --set y=1", true},
    {"update a.h5:/t -w \"x > 5\" --set y=1 --safe", true},
    {"delete a.h5:/t -w \"y > 0\"", true},
    {"delete a.h5:/t -w \"x = 7\"", true},
    {"truncate a.h5:/t 5", true},
    {"preallocate a.h5:/t 5000", true},
    {"column add a.h5:/t --set \"z=y + 1\"", true},
    {"column storage a.h5:/t y --codec zstd", true},
    {"column rename a.h5:/t y w", true},
    {"attr a.h5:/t -c y units=m", true},
    {"copy a.h5:/t a.h5:/u", true},
    {"move a.h5:/t a.h5:/u", true},
    {"move a.h5:/t out.h5:/u", true},
    {"column drop a.h5:/t y", true},
    {"remove a.h5:/t", true},
    {"repack a.h5", true},
};

enum { N_RUNS = sizeof runs / sizeof *runs };

static void remove_outputs(void)
{
    static const char *const names[] = {"out.csv", "out.arrow", "out.h5"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)unlink(check_path(names[i]));
    }
}

static bool file_holds(const char *name, const char *text)
{
    static char bytes[1 << 20];
    FILE *const stream = fopen(check_path(name), "rb");
    const size_t length = strlen(text);
    bool holds = false;

    if (stream == NULL) {
        return false;
    }
    const size_t n = fread(bytes, 1, sizeof bytes, stream);
    (void)fclose(stream);
    for (size_t i = 0; i + length <= n && !holds; i++) {
        holds = memcmp(bytes + i, text, length) == 0;
    }
    return holds;
}

static void make_mine(void)
{
    FILE *stream = fopen(check_path("y.csv"), "w");

    CHECK(stream != NULL && fprintf(stream, "y\n1\n2\n") > 0 && fclose(stream) == 0);
    stream = fopen(check_path("mine.csv"), "w");
    CHECK(stream != NULL);
    (void)fprintf(stream, "x,y\n");
    for (int i = 0; i < N_ROWS; i++) {
        (void)fprintf(stream, "%d,%d\n", i, i % 7);
    }
    CHECK(fclose(stream) == 0);
    CHECK(stoa("import mine.csv own.h5:/t --type x=int32 --type y=int32 --codec none") == 0);
}

static void make_all(void)
{
    make_others();
    make_mine();
    check_copy_file(check_path("own.h5"), check_path("b.h5"));
}

/* One command, on a file that is made anew after an edit. */
static void try_run(const kind *one, const run *what, int queue)
{
    (void)was_touched(queue);
    const int status = stoa(what->words);
    if (was_touched(queue)) {
        FAIL("%s: %s opened another file:\n%s", one->name, what->words, said);
    }
    if (status == 2 || status == 124 || status > 128) {
        FAIL("%s: %s ended with %d:\n%s", one->name, what->words, status, said);
    }
    if (strstr(said, secret) != NULL || file_holds("out.csv", secret)) {
        FAIL("%s: %s shows what is in another file:\n%s", one->name, what->words, said);
    }
    remove_outputs();
    check_copy_file(check_path("own.h5"), check_path("b.h5"));
}

static void try_kind(const kind *one, bool is_absolute, int queue)
{
    const char *const prefixes[] = {"HDF5_EXT_PREFIX", "HDF5_VDS_PREFIX", "HDF5_EXTFILE_PREFIX"};

    char whole[PATH_MAX];

    (void)snprintf(whole, sizeof whole, "%s", check_path(one->other));
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        CHECK(setenv(prefixes[i], is_absolute ? "/" : check_path("."), 1) == 0);
    }
    for (size_t i = 0; i < N_RUNS; i++) {
        if (i == 0 || runs[i].edits) {
            make_file(one, is_absolute ? whole : one->other);
        }
        try_run(one, &runs[i], queue);
    }
}

static void no_command_opens_another_file(void)
{
    int queue;

    make_all();
    queue = watch();
    for (size_t i = 0; i < N_KINDS; i++) {
        try_kind(&kinds[i], i % 2 == 0, queue);
    }
    (void)close(queue);
}

/* --- where it is asked for -------------------------------------------------------------------- */

static const kind *kind_of(void (*put)(hid_t, const char *))
{
    for (size_t i = 0; i < N_KINDS; i++) {
        if (kinds[i].put == put) {
            return &kinds[i];
        }
    }
    FAIL("no such kind");
}

static void expect(const char *words, int status, const char *part)
{
    const int found = stoa(words);

    if (found != status || strstr(said, part) == NULL) {
        FAIL("%s: %d instead of %d, or no '%s' in:\n%s", words, found, status, part, said);
    }
}

/* The sum of y: of N_ROWS values, all hundred ten times. */
static const char *const sum = "7654349500";

static void unset_prefixes(void)
{
    (void)unsetenv("HDF5_EXT_PREFIX");
    (void)unsetenv("HDF5_VDS_PREFIX");
    (void)unsetenv("HDF5_EXTFILE_PREFIX");
}

static void values_in_other_files_are_read_where_that_is_asked_for(void)
{
    make_all();
    unset_prefixes();
    for (size_t i = 0; i < N_KINDS; i++) {
        const kind *const one = &kinds[i];
        if (one->put == put_reference || one->put == put_linked_column) {
            continue; /* a table has no such columns (HEP001 §7.6), and such references are null */
        }
        make_file(one, one->other);
        expect("query a.h5:/t -a 'sum(y)' -f csv", 3, "--follow-external");
        CHECK_CONTAINS(said, one->other);
        if (one->put == put_blocks) {
            continue; /* there is no other/src.h50 */
        }
        expect("query a.h5:/t -a 'sum(y)' -f csv --follow-external", 0, sum);
        expect("convert a.h5:/t out.h5:/t --to hep001 --follow-external", 0, "");
        expect("query out.h5:/t -a 'sum(y)' -f csv", 0, sum);
        remove_outputs();
    }
}

static void blocks_in_many_files_are_read_where_that_is_asked_for(void)
{
    make_all();
    check_copy_file(check_path("other/src.h5"), check_path("other/src.h50"));
    check_copy_file(check_path("other/src.h5"), check_path("other/src.h51"));
    make_file(kind_of(put_blocks), "other/src.h5");
    expect("query a.h5:/t -a 'sum(y)' -f csv", 3, "other/src.h5%b");
    expect("query a.h5:/t -a 'sum(y)' -f csv --follow-external", 0, sum);
    CHECK(unlink(check_path("other/src.h51")) == 0);
    CHECK(mkfifo(check_path("other/src.h51"), 0600) == 0);
    expect("query a.h5:/t -a 'sum(y)' -f csv --follow-external", 3, "no regular file");
}

/* Nothing waits for the other end of a FIFO. */
static void only_regular_files_below_the_directory_are_read(void)
{
    make_all();
    unset_prefixes();
    CHECK(mkdir(check_path("deep"), 0777) == 0);
    CHECK(mkfifo(check_path("deep/fifo"), 0600) == 0);
    CHECK(mkdir(check_path("deep/directory"), 0777) == 0);
    check_copy_file(check_path("other/raw.bin"), check_path("deep/raw.bin"));
    CHECK(symlink("../other/raw.bin", check_path("deep/out")) == 0);
    CHECK(symlink("../other/src.h5", check_path("deep/out.h5")) == 0);
    CHECK(symlink("raw.bin", check_path("deep/in")) == 0);
    CHECK(symlink("../other", check_path("deep/way")) == 0);
    const struct {
        void (*put)(hid_t, const char *);
        const char *other;
        bool is_read;
    } cases[] = {
        {put_external, "deep/raw.bin", true},
        {put_external, "deep/in", true},
        {put_external, "deep/out", false},
        {put_external, "deep/way/raw.bin", false},
        {put_external, "deep/../other/raw.bin", false},
        {put_external, "deep/fifo", false},
        {put_external, "deep/directory", false},
        {put_external, "/etc/passwd", false},
        {put_external, "/dev/zero", false},
        {put_external, "deep/gone", false},
        {put_virtual, "out.h5", false},
        {put_virtual, "fifo", false},
        {put_virtual, "../other/src.h5", false},
        {put_virtual, "way/src.h5", false},
        {put_virtual, "gone.h5", false},
        {put_link, "out.h5", false},
        {put_link, "fifo", false},
        {put_link, "../other/src.h5", false},
        {put_soft_link, "way/src.h5", false},
        {put_link, "/dev/zero", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_file(kind_of(cases[i].put), cases[i].other);
        check_copy_file(check_path("a.h5"), check_path("deep/a.h5"));
        expect("query deep/a.h5:/t -a 'sum(y)' -f csv --follow-external", cases[i].is_read ? 0 : 3,
               cases[i].is_read ? sum : cases[i].other);
        CHECK(strstr(said, sum) != NULL || !cases[i].is_read);
    }
    /* Wherever the environment says that they are. */
    CHECK(setenv("HDF5_VDS_PREFIX", check_path("other"), 1) == 0);
    CHECK(setenv("HDF5_EXT_PREFIX", check_path("other"), 1) == 0);
    CHECK(setenv("HDF5_EXTFILE_PREFIX", check_path("other"), 1) == 0);
    make_file(kind_of(put_virtual), "src.h5");
    check_copy_file(check_path("a.h5"), check_path("deep/a.h5"));
    expect("query deep/a.h5:/t -c y --follow-external", 3, "src.h5");
    make_file(kind_of(put_link), "src.h5");
    check_copy_file(check_path("a.h5"), check_path("deep/a.h5"));
    expect("query deep/a.h5:/t -c y --follow-external", 3, "src.h5");
    make_file(kind_of(put_external), "raw.bin");
    check_copy_file(check_path("a.h5"), check_path("deep/a.h5"));
    expect("query deep/a.h5:/t -c y --follow-external", 3, "raw.bin");
    unset_prefixes();
}

/* --- one's own file --------------------------------------------------------------------------- */

static void a_virtual_dataset_of_the_same_file_is_read_and_never_written(void)
{
    make_all();
    make_file(kind_of(put_virtual), ".");
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    int32_t values[N_ROWS];
    make_values(values);
    put_dataset(file, "/y", H5P_DEFAULT, values);
    CHECK_H5(H5Fclose(file));
    expect("query a.h5:/t -a 'sum(y)' -f csv", 0, sum);
    expect("update a.h5:/t --all --set y=1", 3, "never writes");
    expect("append mine.csv a.h5:/t", 3, "never writes");
    expect("index add a.h5:/t y", 3, "can have no index");
    expect("copy a.h5:/t a.h5:/u", 0, "");
    expect("query a.h5:/u -a 'sum(y)' -f csv", 0, sum);
    expect("copy a.h5:/t out.h5:/t", 0, "");
    expect("query out.h5:/t -a 'sum(y)' -f csv", 0, sum);
    expect("move a.h5:/t out.h5:/u", 0, "");
    expect("query out.h5:/u -a 'sum(y)' -f csv", 0, sum);
}

/* libhdf5 would ask the program that defined their class where they lead. */
static hid_t follow_mine(const char *name, hid_t group, const void *data, size_t size, hid_t lapl,
                         hid_t dxpl)
{
    (void)name;
    (void)group;
    (void)data;
    (void)size;
    (void)lapl;
    (void)dxpl;
    return -1;
}

static void user_defined_links_are_named_and_not_followed(void)
{
    const H5L_class_t mine = {.version = H5L_LINK_CLASS_T_VERS,
                              .id = (H5L_type_t)187,
                              .comment = "mine",
                              .trav_func = follow_mine};

    make_all();
    make_file(kind_of(put_rows), "other/raw.bin");
    const hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    CHECK_H5(H5Ldelete(file, "/t", H5P_DEFAULT));
    CHECK_H5(H5Lregister(&mine));
    CHECK_H5(H5Lcreate_ud(file, "/t", mine.id, "other/src.h5", 13, H5P_DEFAULT, H5P_DEFAULT));
    CHECK_H5(H5Lunregister(mine.id));
    CHECK_H5(H5Fclose(file));
    const int queue = watch();
    for (size_t i = 0; i < N_RUNS; i++) {
        const int status = stoa(runs[i].words);
        if (was_touched(queue) || (status != 0 && status != 1 && status != 3)) {
            FAIL("%s ended with %d:\n%s", runs[i].words, status, said);
        }
        remove_outputs();
    }
    expect("ls a.h5", 0, "/t -> (user-defined link, class 187)");
    expect("query a.h5:/t", 3, "'/t' is a user-defined link (class 187)");
    expect("check a.h5:/t", 3, "'/t' is a user-defined link (class 187)");
    (void)close(queue);
}

/* The option that lets them be read would not let them be edited. */
static void an_edit_of_values_in_another_file_is_told_what_to_do(void)
{
    const char *const way_out = "where Stoa never writes; 'stoa convert --follow-external'";

    make_all();
    unset_prefixes();
    for (size_t i = 0; i < N_KINDS; i++) {
        const bool is_column = kinds[i].put == put_external || kinds[i].put == put_virtual;
        if (!is_column && kinds[i].put != put_rows) {
            continue;
        }
        make_file(&kinds[i], kinds[i].other);
        expect(is_column ? "append mine.csv a.h5:/t" : "append y.csv a.h5:/t", 3, way_out);
        CHECK_CONTAINS(said, kinds[i].other);
        expect("delete a.h5:/t -w 'y > 0'", 3, way_out);
    }
    make_file(kind_of(put_external), "other/raw.bin");
    expect("update a.h5:/t --all --set y=1", 3, "'stoa convert --follow-external'");
    expect("truncate a.h5:/t 5", 0, "");
}

static void values_of_another_file_are_copied_or_refused(void)
{
    void (*const puts[])(hid_t, const char *) = {put_external, put_virtual};

    make_all();
    unset_prefixes();
    for (size_t i = 0; i < 2; i++) {
        make_file(kind_of(puts[i]), kind_of(puts[i])->other);
        expect("copy a.h5:/t out.h5:/t", 3, kind_of(puts[i])->other);
        CHECK(access(check_path("out.h5"), F_OK) != 0);
        expect("move a.h5:/t out.h5:/t", 3, kind_of(puts[i])->other);
        expect("convert a.h5 out.h5 --to h5tb --keep-rest", 3, kind_of(puts[i])->other);
        CHECK(access(check_path("out.h5"), F_OK) != 0);
        expect("copy a.h5:/t out.h5:/t --follow-external", 0, "");
        expect("query out.h5:/t -a 'sum(y)' -f csv", 0, sum);
        remove_outputs();
        expect("repack a.h5", 0, ""); /* keeps what it says */
        expect("query a.h5:/t -a 'sum(y)' -f csv --follow-external", 0, sum);
        expect("update a.h5:/t --all --set x=1 --safe", 0, "");
        expect("query a.h5:/t -a 'sum(y)' -f csv --follow-external", 0, sum);
        expect("column drop a.h5:/t y", 0, "");
    }
}

/* An index of values that may change on their own says nothing about them, whoever trusts it. */
static void an_index_on_values_elsewhere_is_not_used(void)
{
    int32_t values[N_ROWS];

    make_all();
    unset_prefixes();
    expect("index add own.h5:/t y --kind sorted", 0, "");
    check_copy_file(check_path("own.h5"), check_path("a.h5"));
    make_values(values);
    hid_t file = CHECK_H5(H5Fopen(check_path("a.h5"), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t space = CHECK_H5(H5Screate_simple(1, &(hsize_t){N_ROWS}, NULL));
    CHECK_H5(H5Pset_virtual(dcpl, space, "other/src.h5", "/y", space));
    const hid_t old = CHECK_H5(H5Dopen2(file, "/t/y", H5P_DEFAULT));
    CHECK_H5(H5Ldelete(file, "/t/y", H5P_DEFAULT));
    put_dataset(file, "/t/y", dcpl, NULL);
    const hid_t now = CHECK_H5(H5Dopen2(file, "/t/y", H5P_DEFAULT));
    take_attribute(old, now, "SEARCH_INDEX_LIST");
    CHECK_H5(H5Dclose(now));
    CHECK_H5(H5Dclose(old));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Pclose(dcpl));
    CHECK_H5(H5Fclose(file));
    expect("query a.h5:/t -w 'y = 7654301' -a 'count()' -f csv --follow-external --trust", 0, "10");
    CHECK_CONTAINS(said, "may have changed");
    expect("query a.h5:/t -w 'y = 3' -a 'count()' -f csv --follow-external --trust", 0, "\n0\n");
}

TEST_MAIN(TEST(no_command_opens_another_file),
          TEST(values_in_other_files_are_read_where_that_is_asked_for),
          TEST(blocks_in_many_files_are_read_where_that_is_asked_for),
          TEST(only_regular_files_below_the_directory_are_read),
          TEST(a_virtual_dataset_of_the_same_file_is_read_and_never_written),
          TEST(user_defined_links_are_named_and_not_followed),
          TEST(an_edit_of_values_in_another_file_is_told_what_to_do),
          TEST(values_of_another_file_are_copied_or_refused),
          TEST(an_index_on_values_elsewhere_is_not_used))
