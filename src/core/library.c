#include "core/library.h"

#include <dlfcn.h>
#include <string.h>

bool stoa_library_open(stoa_library *library, const stoa_library_name *name)
{
    if (library->handle != NULL) {
        return true;
    }
    for (size_t i = 0; library->handle == NULL && name->files[i] != NULL; i++) {
        /* Never unloaded: the next column would have to load it again. */
        library->handle = dlopen(name->files[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    for (size_t i = 0; library->handle != NULL && name->calls[i] != NULL; i++) {
        void *const symbol = dlsym(library->handle, name->calls[i]);

        if (symbol == NULL) {
            stoa_library_close(library);
        } else { /* the way to get a function from dlsym() that POSIX gives */
            memcpy(&library->calls[i], &symbol, sizeof symbol);
        }
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
