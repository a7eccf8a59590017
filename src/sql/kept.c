#include "sql/kept.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "hdf/file/lock.h"

stoa_status stoa_sql_handle_note(stoa_sql_handle *handle, const char *name, const char *path,
                                 stoa_error *err)
{
    handle->name = strdup(name);
    handle->path = strdup(path);
    (void)clock_gettime(CLOCK_MONOTONIC, &handle->at);
    return handle->name != NULL && handle->path != NULL ? STOA_OK : stoa_fail_memory(err);
}

void stoa_sql_handle_close(stoa_sql_handle *handle)
{
    stoa_table_close(handle->table);
    stoa_file_close(handle->file);
    free(handle->name);
    free(handle->path);
    *handle = (stoa_sql_handle){.file = NULL};
}

/* Whether it was opened less than a second ago. */
static bool is_fresh(const stoa_sql_handle *handle)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t seconds = now.tv_sec - handle->at.tv_sec;
    return seconds == 0 || (seconds == 1 && now.tv_nsec < handle->at.tv_nsec);
}

static void take_at(stoa_sql_kept *kept, size_t i, stoa_sql_handle *out)
{
    *out = kept->handles[i];
    kept->handles[i] = kept->handles[--kept->n];
}

bool stoa_sql_kept_take(stoa_sql_kept *kept, const char *name, const char *path,
                        stoa_sql_handle *out)
{
    struct stat now;
    bool is_found = false;

    (void)pthread_mutex_lock(kept->lock);
    for (size_t i = 0; i < kept->n && !is_found; i++) {
        const stoa_sql_handle *const handle = &kept->handles[i];

        if (strcmp(handle->name, name) == 0 &&
            (path != NULL ? strcmp(handle->path, path) == 0 : handle->is_only)) {
            take_at(kept, i, out);
            is_found = stat(name, &now) == 0 && stoa_lock_is_untouched(&out->about, &now);
            if (!is_found) {
                stoa_sql_handle_close(out);
                i--;
            }
        }
    }
    (void)pthread_mutex_unlock(kept->lock);
    return is_found;
}

void stoa_sql_kept_give(stoa_sql_kept *kept, stoa_sql_handle *handle)
{
    (void)pthread_mutex_lock(kept->lock);
    if (handle->path != NULL && kept->n < STOA_SQL_KEPT_MOST && is_fresh(handle)) {
        kept->handles[kept->n++] = *handle;
        *handle = (stoa_sql_handle){.file = NULL};
    }
    (void)pthread_mutex_unlock(kept->lock);
    stoa_sql_handle_close(handle);
}

void stoa_sql_kept_age(stoa_sql_kept *kept)
{
    stoa_sql_handle old;

    (void)pthread_mutex_lock(kept->lock);
    for (size_t i = 0; i < kept->n;) {
        if (is_fresh(&kept->handles[i])) {
            i++;
        } else {
            take_at(kept, i, &old);
            stoa_sql_handle_close(&old);
        }
    }
    (void)pthread_mutex_unlock(kept->lock);
}

void stoa_sql_kept_clear(stoa_sql_kept *kept)
{
    (void)pthread_mutex_lock(kept->lock);
    while (kept->n > 0) {
        stoa_sql_handle_close(&kept->handles[--kept->n]);
    }
    (void)pthread_mutex_unlock(kept->lock);
}
