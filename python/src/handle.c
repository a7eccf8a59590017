#include "handle.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"

struct pystoa_handle {
    atomic_size_t n_refs;
    atomic_size_t n_runs;
    atomic_bool is_closed;
    pid_t process;
    pthread_mutex_t lock; /* held while the table is used */
    stoa_table *table;
    stoa_file *file; /* the first one of a set; else NULL */
    char *path;      /* NULL for a set, whose queries look up the trust in each file */
};

static stoa_status open_set(pystoa_handle *handle, const pystoa_place *place,
                            const stoa_file_options *options, const char *object, stoa_error *err)
{
    stoa_files_options how = STOA_FILES_OPTIONS_INIT;
    const stoa_status status =
        stoa_file_open_with(place->path, STOA_FILE_READ, options, &handle->file, err);

    how.by_name = place->by_name;
    how.strict = place->strict;
    return status != STOA_OK
               ? status
               : stoa_table_open_files_with(stoa_file_id(handle->file), place->files,
                                            place->n_files, object, &how, &handle->table, err);
}

/* The path of the only table. */
static stoa_status find_only(const pystoa_place *place, const stoa_file_options *options,
                             char **object, stoa_error *err)
{
    stoa_file *file = NULL;
    stoa_status status = stoa_file_open_with(place->path, STOA_FILE_READ, options, &file, err);

    if (status == STOA_OK) {
        status = stoa_layout_only_table(stoa_file_id(file), object, err);
    }
    stoa_file_close(file);
    return status;
}

stoa_status pystoa_handle_open(const pystoa_place *place, stoa_file_patience patience,
                               pystoa_handle **out, stoa_error *err)
{
    stoa_file_options options = STOA_FILE_OPTIONS_INIT;
    pystoa_handle *const handle = calloc(1, sizeof *handle);
    const char *object = place->object;
    char *only = NULL;
    stoa_status status = STOA_OK;

    *out = NULL;
    if (handle == NULL) {
        return pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    handle->n_refs = 1;
    handle->process = getpid();
    (void)pthread_mutex_init(&handle->lock, NULL);
    options.follow_external = place->follow_external;
    options.map = place->map;
    options.patience = &patience;
    if (object == NULL) {
        status = find_only(place, &options, &only, err);
        object = only;
    }
    if (status == STOA_OK && place->n_files > 0) {
        status = open_set(handle, place, &options, object, err);
    } else if (status == STOA_OK) {
        status = stoa_table_open_file(place->path, object, &options, &handle->table, err);
        handle->path = strdup(place->path);
    }
    stoa_free(only);
    if (status == STOA_OK && place->n_files == 0 && handle->path == NULL) {
        status = pystoa_fail(err, STOA_ENOMEM, "memory ran out");
    }
    if (status != STOA_OK) {
        pystoa_handle_release(handle);
        return status;
    }
    *out = handle;
    return STOA_OK;
}

pystoa_handle *pystoa_handle_share(pystoa_handle *handle)
{
    handle->n_refs++;
    return handle;
}

bool pystoa_handle_is_ours(const pystoa_handle *handle)
{
    return handle->process == getpid();
}

bool pystoa_handle_is_closed(const pystoa_handle *handle)
{
    return handle->is_closed;
}

size_t pystoa_handle_n_runs(const pystoa_handle *handle)
{
    return handle->n_runs;
}

static void close_table(pystoa_handle *handle)
{
    stoa_table_close(handle->table);
    stoa_file_close(handle->file);
    handle->table = NULL;
    handle->file = NULL;
}

void pystoa_handle_close(pystoa_handle *handle)
{
    handle->is_closed = true;
    if (!pystoa_handle_is_ours(handle)) {
        return;
    }
    (void)pthread_mutex_lock(&handle->lock);
    if (handle->n_runs == 0) {
        close_table(handle);
    }
    (void)pthread_mutex_unlock(&handle->lock);
}

void pystoa_handle_release(pystoa_handle *handle)
{
    if (handle == NULL || --handle->n_refs > 0) {
        return;
    }
    if (pystoa_handle_is_ours(handle)) {
        close_table(handle);
        (void)pthread_mutex_destroy(&handle->lock);
    }
    free(handle->path);
    free(handle);
}

static stoa_status check(const pystoa_handle *handle, stoa_error *err)
{
    if (!pystoa_handle_is_ours(handle)) {
        return pystoa_fail(err, STOA_EINVAL,
                           "the table was opened before this process was forked; open it again, or "
                           "start processes by spawn");
    }
    return STOA_OK;
}

stoa_status pystoa_handle_enter_run(pystoa_handle *handle, stoa_error *err)
{
    const stoa_status status = check(handle, err);

    if (status == STOA_OK) {
        (void)pthread_mutex_lock(&handle->lock);
    }
    return status;
}

stoa_status pystoa_handle_enter(pystoa_handle *handle, stoa_table **table, stoa_error *err)
{
    stoa_status status = pystoa_handle_enter_run(handle, err);

    if (status == STOA_OK && handle->is_closed) {
        pystoa_handle_leave(handle);
        return pystoa_fail(err, STOA_EINVAL, "the table is closed");
    }
    *table = status == STOA_OK ? handle->table : NULL;
    return status;
}

void pystoa_handle_leave(pystoa_handle *handle)
{
    (void)pthread_mutex_unlock(&handle->lock);
}

void pystoa_handle_begin_run(pystoa_handle *handle)
{
    handle->n_runs++;
}

void pystoa_handle_end_run(pystoa_handle *handle)
{
    if (--handle->n_runs == 0 && handle->is_closed) {
        close_table(handle);
    }
}

stoa_trust pystoa_handle_trust(const pystoa_handle *handle)
{
    const char *const object = stoa_table_path(handle->table);
    uint64_t generation = 0;

    if (handle->path == NULL) {
        return STOA_TRUST_NONE;
    }
    const bool has = stoa_trust_generation(stoa_table_id(handle->table), object, &generation);
    return stoa_trust_get(handle->path, object, has ? &generation : NULL);
}
