#include "core/library.h"

#include <dlfcn.h>
#include <string.h>

void *stoa_library_find(const char *const *files, const char *const *calls, size_t n,
                        stoa_library_call *found)
{
    void *handle = NULL;

    for (size_t i = 0; handle == NULL && files[i] != NULL; i++) {
        /* Never unloaded: the next column would have to load it again. Lazy, since a large library
         * has many more functions than are called. */
        handle = dlopen(files[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    }
    for (size_t i = 0; handle != NULL && i < n; i++) {
        void *const symbol = dlsym(handle, calls[i]);

        if (symbol == NULL) {
            (void)dlclose(handle);
            handle = NULL;
        } else { /* the way to get a function from dlsym() that POSIX gives */
            memcpy(&found[i], &symbol, sizeof symbol);
        }
    }
    return handle;
}

bool stoa_library_open(stoa_library *library, const stoa_library_name *name)
{
    size_t n = 0;

    while (name->calls[n] != NULL) {
        n++;
    }
    if (library->handle == NULL) {
        library->handle = stoa_library_find(name->files, name->calls, n, library->calls);
    }
    if (library->handle == NULL) {
        stoa_library_close(library);
    }
    return library->handle != NULL;
}

bool stoa_library_is_there(const stoa_library_name *name)
{
    stoa_library library = {.handle = NULL};
    const bool is_there = stoa_library_open(&library, name);

    stoa_library_close(&library);
    return is_there;
}

void stoa_library_close(stoa_library *library)
{
    if (library->handle != NULL) {
        (void)dlclose(library->handle);
    }
    *library = (stoa_library){.handle = NULL};
}
