/* Checks whether the values of a dataset in other files or datasets may be read or written. */
#include "hdf/metadata/other_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "hdf/file/driver.h"
#include "hdf/metadata/libhdf5_checks.h"

#define THE_OPTION "--follow-external"
#define THE_WAY_OUT "'stoa convert " THE_OPTION "' makes a table that holds them"

/* ---- Properties of a dataset ---------------------------------------------------------------- */

bool stoa_values_are_elsewhere(hid_t dcpl)
{
    return H5Pget_layout(dcpl) == H5D_VIRTUAL || H5Pget_external_count(dcpl) > 0;
}

static bool is_virtual(hid_t dcpl)
{
    return H5Pget_layout(dcpl) == H5D_VIRTUAL;
}

/* Whether a predicate is true of a dataset's creation properties. */
static bool test_properties(hid_t dataset, bool (*so)(hid_t dcpl))
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t dcpl = stoa_dataset_properties(dataset);
    const bool is = dcpl >= 0 && so(dcpl);

    (void)stoa_hdf_close(&dcpl, STOA_OK, NULL);
    stoa_error_stack_discard(&errors);
    return is;
}

bool stoa_dataset_is_elsewhere(hid_t dataset)
{
    return test_properties(dataset, stoa_values_are_elsewhere);
}

/* False if a program opened the file itself: its driver does not know `elsewhere`. */
static bool ask_of(hid_t object, stoa_other_files *elsewhere)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t file = H5Iget_file_id(object);
    const bool is_own = file >= 0 && stoa_driver_other_files(file, elsewhere);

    (void)stoa_hdf_close(&file, STOA_OK, NULL);
    stoa_error_stack_end(&errors);
    return is_own;
}

bool stoa_is_in_own_file(hid_t object)
{
    stoa_other_files unused = STOA_OTHER_FILES_INIT;

    return ask_of(object, &unused);
}

herr_t stoa_flush(hid_t object)
{
    return stoa_is_in_own_file(object) ? 0 : H5Fflush(object, H5F_SCOPE_LOCAL);
}

bool stoa_follows_elsewhere(hid_t object)
{
    stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;

    (void)ask_of(object, &elsewhere);
    return elsewhere.is_followed;
}

stoa_file_patience stoa_patience_of(hid_t object)
{
    stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;

    (void)ask_of(object, &elsewhere);
    return elsewhere.patience;
}

bool stoa_is_in_mapped_file(hid_t object)
{
    stoa_other_files elsewhere = STOA_OTHER_FILES_INIT;

    (void)ask_of(object, &elsewhere);
    return elsewhere.maps;
}

/* libhdf5 calls this before it follows an external link. */
static herr_t never(const char *parent, const char *group, const char *file, const char *object,
                    unsigned *flags, hid_t access, void *context)
{
    (void)parent;
    (void)group;
    (void)object;
    (void)flags;
    (void)access;
    (void)context;
    (void)H5Epush2(H5E_DEFAULT, __FILE__, "stoa_access_here", __LINE__, H5E_ERR_CLS, H5E_LINK,
                   H5E_TRAVERSE, "another file, '%s', is not opened", file);
    return -1;
}

hid_t stoa_access_here(hid_t loc)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    hid_t access = stoa_is_in_own_file(loc) ? H5P_DEFAULT : H5Pcreate(H5P_LINK_ACCESS);

    if (access != H5P_DEFAULT && access >= 0 && H5Pset_elink_cb(access, never, NULL) < 0) {
        (void)stoa_hdf_close(&access, STOA_OK, NULL);
    }
    stoa_error_stack_end(&errors);
    return access;
}

void stoa_access_close(hid_t access)
{
    if (access != H5P_DEFAULT) { /* the caller needs the error stack */
        const hid_t errors = H5Eget_current_stack();
        (void)stoa_hdf_close(&access, STOA_OK, NULL);
        (void)H5Eset_current_stack(errors);
    }
}

bool stoa_extent_is_here(hid_t dataset)
{
    return stoa_is_in_own_file(dataset) || !test_properties(dataset, is_virtual) ||
           stoa_dataset_may_be_read(dataset, NULL) == STOA_OK;
}

hid_t stoa_open_with(hid_t loc, const char *path, hid_t access)
{
    hid_t object = H5Oopen(loc, path, access);

    if (access != H5P_DEFAULT && object >= 0 && H5Iget_type(object) == H5I_DATASET &&
        !stoa_extent_is_here(object)) {
        stoa_error why = STOA_ERROR_INIT;
        (void)stoa_dataset_may_be_read(object, &why);
        (void)stoa_hdf_close(&object, STOA_OK, NULL);
        (void)H5Epush2(H5E_DEFAULT, __FILE__, "stoa_open_with", __LINE__, H5E_ERR_CLS, H5E_DATASET,
                       H5E_CANTOPENOBJ, "%s", why.message);
    }
    return object;
}

/* For an edit the option would not help. */
static stoa_status refuse(hid_t file, const char *name, stoa_error *err)
{
    unsigned intent = H5F_ACC_RDONLY;
    const bool is_edit = H5Fget_intent(file, &intent) >= 0 && (intent & H5F_ACC_RDWR) != 0;

    return stoa_fail(err, STOA_EIO, "its values lie in another file, '%s', %s", name,
                     is_edit ? "where Stoa never writes; " THE_WAY_OUT
                             : "which is opened only with " THE_OPTION);
}

static stoa_status cannot_follow(const char *name, int failed, stoa_error *err)
{
    if (failed == EACCES) {
        return stoa_fail(err, STOA_EIO,
                         "its values lie in '%s', which is no regular file below the directory of "
                         "this one: " THE_OPTION " does not open it",
                         name);
    }
    return stoa_fail_errno(err, failed, "its values lie in '%s', which cannot be opened", name);
}

/* ---- External storage ----------------------------------------------------------------------- */

/* Complete the name as libhdf5 does. */
static stoa_status complete(hid_t dataset, const char *name, char **whole, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t access = H5I_INVALID_HID;
    char prefix[PATH_MAX] = "";

    if (name[0] != '/') {
        STOA_HDF(err, access = H5Dget_access_plist(dataset), "get the access properties");
        STOA_HDF(err, H5Pget_efile_prefix(access, prefix, sizeof prefix), "get the prefix");
    }
    *whole = stoa_format("%s%s%s", prefix, prefix[0] != '\0' ? "/" : "", name);
    STOA_TRY(*whole != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    return stoa_hdf_close(&access, status, err);
}

/* Name of a part of external storage; NULL if unknown. The caller frees it. libhdf5 does not tell
 * its length, and does not terminate a truncated name. */
static char *part_name(hid_t dcpl, unsigned i)
{
    for (size_t room = 256; room <= (size_t)1 << 20; room *= 16) {
        char *const name = stoa_alloc_zero(1, room);
        off_t offset = 0;
        hsize_t size = 0;

        if (name != NULL && H5Pget_external(dcpl, i, room, name, &offset, &size) >= 0 &&
            name[room - 1] == '\0') {
            return name;
        }
        free(name);
    }
    return NULL;
}

static stoa_status check_parts(hid_t dataset, hid_t file, hid_t dcpl, int n,
                               const stoa_other_files *elsewhere, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *name = NULL;
    char *whole = NULL;

    for (int i = 0; i < n; i++) {
        int fd = -1;
        STOA_HDF(err, (name = part_name(dcpl, (unsigned)i)) != NULL ? 0 : -1,
                 "get the name of a file of its values");
        if (!elsewhere->is_followed) {
            STOA_TRY(refuse(file, name, err));
        }
        STOA_TRY(complete(dataset, name, &whole, err));
        const int failed = stoa_other_files_open(elsewhere, whole, &fd);
        if (failed != 0) {
            STOA_TRY(cannot_follow(whole, failed, err));
        }
        (void)close(fd);
        free(name);
        free(whole);
        name = NULL;
        whole = NULL;
    }

done:
    free(name);
    free(whole);
    return status;
}

/* ---- Virtual datasets ----------------------------------------------------------------------- */

/* A virtual dataset whose sources are checked. */
typedef struct sources {
    const stoa_other_files *elsewhere;
    hid_t access;    /* access properties with which libhdf5 opens a source */
    char *directory; /* of the dataset's file, with a slash; or "" */
    char *before;    /* the source that was checked last, or NULL */
} sources;

/* Try to open a source at those places where both libhdf5 and Stoa allow it: as given, and in the
 * directory of the file. Returns 0 or an errno value. */
static int try_source(const sources *s, const char *name)
{
    const char *const slash = strrchr(name, '/');
    char *const beside = stoa_format("%s%s", s->directory, name[0] == '/' ? slash + 1 : name);
    const char *const places[] = {beside, name};
    int reason = ENOENT;
    bool is_open = false;

    for (size_t i = 0; beside != NULL && !is_open && i < 2; i++) {
        int fd = -1;
        const int failed = stoa_other_files_open(s->elsewhere, places[i], &fd);
        if (failed == 0) {
            (void)close(fd);
            hid_t file = H5Fopen(places[i], H5F_ACC_RDONLY, s->access);
            is_open = file >= 0;
            reason = is_open ? 0 : EIO;
            (void)stoa_hdf_close(&file, STOA_OK, NULL);
        } else if (failed != ENOENT) {
            reason = failed;
        }
    }
    free(beside);
    return beside == NULL ? ENOMEM : is_open ? 0 : reason;
}

/* Name of the source of block n: "%b" stands for n, "%%" for a percent sign. The caller frees
 * it. */
static char *name_of_block(const char *pattern, unsigned long long n)
{
    stoa_buffer text = {0};
    stoa_status status = STOA_OK;

    for (const char *p = pattern; *p != '\0' && status == STOA_OK; p++) {
        if (p[0] == '%' && p[1] == 'b') {
            status = stoa_buffer_print(&text, NULL, "%llu", n);
            p++;
        } else {
            p += p[0] == '%' && p[1] == '%';
            status = stoa_buffer_append(&text, p, 1, NULL);
        }
    }
    if (status == STOA_OK) {
        status = stoa_buffer_append(&text, "", 1, NULL);
    }
    if (status != STOA_OK) {
        stoa_buffer_clear(&text);
        return NULL;
    }
    return stoa_buffer_detach(&text);
}

/* Check the blocks in order. libhdf5 reads none after the first that is missing. */
static stoa_status check_source(const sources *s, const char *pattern, stoa_error *err)
{
    const bool is_one = strstr(pattern, "%b") == NULL;
    stoa_status status = STOA_OK;
    int failed = 0;

    for (unsigned long long n = 0; failed == 0 && (n == 0 || !is_one); n++) {
        char *const name = name_of_block(pattern, n);
        failed = name != NULL ? try_source(s, name) : ENOMEM;
        if (failed == ENOMEM) {
            status = stoa_fail_memory(err);
        } else if (failed != 0 && (failed != ENOENT || is_one)) {
            status = cannot_follow(name, failed, err);
        }
        free(name);
    }
    return status;
}

static stoa_status open_sources(sources *s, hid_t file, stoa_error *err)
{
    stoa_status status = STOA_OK;
    char *const name = stoa_hdf_name(file, H5Fget_name);
    char *const slash = name != NULL ? strrchr(name, '/') : NULL;

    STOA_HDF(err, s->access = H5Fget_access_plist(file), "get the access properties");
    STOA_HDF(err, H5Pset_fclose_degree(s->access, H5F_CLOSE_WEAK), "choose how a file closes");
    s->directory =
        name != NULL ? stoa_strndup(name, slash != NULL ? (size_t)(slash + 1 - name) : 0) : NULL;
    STOA_TRY(s->directory != NULL ? STOA_OK : stoa_fail_memory(err));

done:
    free(name);
    return status;
}

/* "." is the dataset's own file. */
static stoa_status check_mapping(sources *s, hid_t file, hid_t dcpl, size_t i, stoa_error *err)
{
    stoa_status status = STOA_OK;
    ssize_t length = 0;
    char *name = NULL;

    STOA_HDF(err, length = H5Pget_virtual_filename(dcpl, i, NULL, 0), "get the name of a source");
    name = stoa_alloc_zero(1, (size_t)length + 1);
    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_HDF(err, H5Pget_virtual_filename(dcpl, i, name, (size_t)length + 1),
             "get the name of a source");
    if (strcmp(name, ".") == 0 || (s->before != NULL && strcmp(name, s->before) == 0)) {
        goto done;
    }
    if (!s->elsewhere->is_followed) {
        STOA_TRY(refuse(file, name, err));
    }
    if (s->directory == NULL) {
        STOA_TRY(open_sources(s, file, err));
    }
    const stoa_error_stack errors = stoa_error_stack_begin();
    status = check_source(s, name, err);
    stoa_error_stack_discard(&errors);
    STOA_TRY(status);
    free(s->before);
    s->before = name;
    name = NULL;

done:
    free(name);
    return status;
}

static stoa_status check_sources(hid_t file, hid_t dcpl, const stoa_other_files *elsewhere,
                                 stoa_error *err)
{
    sources s = {.elsewhere = elsewhere, .access = H5I_INVALID_HID};
    stoa_status status = STOA_OK;
    size_t n = 0;

    STOA_HDF(err, H5Pget_virtual_count(dcpl, &n), "count its sources");
    for (size_t i = 0; i < n; i++) {
        STOA_TRY(check_mapping(&s, file, dcpl, i, err));
    }

done:
    free(s.before);
    free(s.directory);
    return stoa_hdf_close(&s.access, status, err);
}

/* ---- Checks --------------------------------------------------------------------------------- */

stoa_status stoa_values_may_be_read(hid_t dataset, hid_t dcpl, stoa_error *err)
{
    stoa_status status = STOA_OK;
    stoa_other_files elsewhere = {.is_followed = false};
    hid_t file = H5I_INVALID_HID;

    if (!stoa_values_are_elsewhere(dcpl)) {
        return STOA_OK;
    }
    STOA_HDF(err, file = H5Iget_file_id(dataset), "find the dataset's file");
    (void)stoa_driver_other_files(file, &elsewhere);
    const int n_parts = H5Pget_external_count(dcpl);
    STOA_TRY(n_parts > 0 ? check_parts(dataset, file, dcpl, n_parts, &elsewhere, err)
                         : check_sources(file, dcpl, &elsewhere, err));

done:
    return stoa_hdf_close(&file, status, err);
}

stoa_status stoa_dataset_may_be_read(hid_t dataset, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t dcpl = H5I_INVALID_HID;

    STOA_HDF(err, dcpl = stoa_dataset_properties(dataset), "get the creation properties");
    STOA_TRY(stoa_values_may_be_read(dataset, dcpl, err));

done:
    return stoa_hdf_close(&dcpl, status, err);
}

stoa_status stoa_values_may_be_written(hid_t dataset, stoa_error *err)
{
    return !stoa_dataset_is_elsewhere(dataset)
               ? STOA_OK
               : stoa_fail(err, STOA_EINVAL,
                           "its values lie in other files or datasets (external storage, or a "
                           "virtual dataset), where Stoa never writes; " THE_WAY_OUT);
}

stoa_status stoa_creation_here(hid_t *creation, hid_t type, stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t made = H5I_INVALID_HID;
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    void *fill = NULL;
    unsigned order = 0;
    bool fits = false;

    STOA_HDF(err, made = H5Pcreate(H5P_DATASET_CREATE), "make creation properties");
    STOA_HDF(err, H5Pget_attr_creation_order(*creation, &order), "get the order of attributes");
    STOA_HDF(err, H5Pset_attr_creation_order(made, order), "set the order of attributes");
    STOA_HDF(err, H5Pfill_value_defined(*creation, &defined), "look for the fill value");
    STOA_TRY(stoa_fill_fits(*creation, type, &fits, err));
    if (defined == H5D_FILL_VALUE_USER_DEFINED && fits) {
        fill = stoa_alloc_zero(1, H5Tget_size(type));
        STOA_TRY(fill != NULL ? STOA_OK : stoa_fail_memory(err));
        STOA_HDF(err, H5Pget_fill_value(*creation, type, fill), "get the fill value");
        STOA_HDF(err, H5Pset_fill_value(made, type, fill), "set the fill value");
    }
    (void)stoa_hdf_close(creation, STOA_OK, NULL);
    *creation = made;
    made = H5I_INVALID_HID;

done:
    free(fill);
    return stoa_hdf_close(&made, status, err);
}
