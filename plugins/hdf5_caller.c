#include "hdf5_caller.h"

#include <dlfcn.h>
#include <hdf5.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

enum {
#define CALL(name) AT_##name,
#define ID(name)
#include "hdf5_symbols.h"
#undef CALL
#undef ID
    N_CALLS,
    MAX_COPIES = 16, /* of libhdf5 in a process */
};

static const char *const call_names[] = {
#define CALL(name) #name,
#define ID(name)
#include "hdf5_symbols.h"
#undef CALL
#undef ID
};

static const char *const id_names[] = {
#define CALL(name)
#define ID(name) #name,
#include "hdf5_symbols.h"
#undef CALL
#undef ID
};

enum { N_IDS = sizeof id_names / sizeof *id_names };

/* Our own variables of these names, which the code of the filter reads. */
#define CALL(name)
#define ID(name) HIDDEN hid_t name = H5I_INVALID_HID;
#include "hdf5_symbols.h"
#undef CALL
#undef ID

static hid_t *const ids[] = {
#define CALL(name)
#define ID(name) &(name),
#include "hdf5_symbols.h"
#undef CALL
#undef ID
};

/* So that H5OPEN of HDF5 2 always calls H5open(). */
HIDDEN bool H5_libinit_g;
HIDDEN bool H5_libterm_g;

/* H5Dread_chunk() before HDF5 2, and as it is from then on. */
typedef herr_t read_chunk1(hid_t dataset, hid_t dxpl, const hsize_t *offset, uint32_t *mask,
                           void *bytes);
typedef herr_t read_chunk2(hid_t dataset, hid_t dxpl, const hsize_t *offset, uint32_t *mask,
                           void *bytes, size_t *n_bytes);

typedef struct copy {
    void *calls[N_CALLS];
    herr_t (*open)(void);
    read_chunk1 *read_chunk1; /* one of these is NULL before HDF5 2 */
    read_chunk2 *read_chunk2;
    hid_t (*native)(void); /* the native connector: 1.12 and 1.14. HDF5 2 has an id, 1.10 no VOL */
    /* Its own variable, and that of the program, which the linker may have put in its place. NULL:
     * there is none. */
    const hid_t *ids[N_IDS][2];
    const bool *is_closing[2];
    const void *base; /* of its object in memory */
} copy;

static copy copies[MAX_COPIES];
static size_t n_copies;

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The copy of the entry point that runs. The functions below jump to calls[AT_<name>]. */
HIDDEN copy *stoa_hdf5_caller = copies;

/* --- functions ------------------------------------------------------------------------------- */

/* Arguments stay where they are, also those of a function with a variable number of them. */
#if defined(__x86_64__)
#define JUMP                                                                                       \
    "endbr64\n"                                                                                    \
    "movq stoa_hdf5_caller(%rip), %r11\n"                                                          \
    "jmp *(8 * stoa_hdf5_call)(%r11)\n"
#elif defined(__aarch64__)
#define JUMP                                                                                       \
    "hint #34\n" /* bti c */                                                                       \
    "adrp x16, stoa_hdf5_caller\n"                                                                 \
    "ldr x16, [x16, :lo12:stoa_hdf5_caller]\n"                                                     \
    "ldr x16, [x16, #(8 * stoa_hdf5_call)]\n"                                                      \
    "br x16\n"
#else
#error "plugins/CMakeLists.txt links libhdf5 for other processors"
#endif

__asm__(".text\n"
        ".set stoa_hdf5_call, 0\n"
        ".macro stoa_hdf5_function name\n"
        ".globl \\name\n"
        ".hidden \\name\n"
        ".type \\name, %function\n"
        ".balign 16\n"
        "\\name:\n" JUMP ".size \\name, . - \\name\n"
        ".set stoa_hdf5_call, stoa_hdf5_call + 1\n"
        ".endm\n"
#define CALL(name) "stoa_hdf5_function " #name "\n"
#define ID(name)
#include "hdf5_symbols.h"
#undef CALL
#undef ID
);

static bool is_set(const bool *flag)
{
    return flag != NULL && *flag;
}

/* Of two variables, the one that is not in use stays invalid. */
static hid_t id_of(const hid_t *const places[2])
{
    const hid_t own = places[0] != NULL ? *places[0] : H5I_INVALID_HID;

    return own < 0 && places[0] != NULL && places[1] != NULL ? *places[1] : own;
}

HIDDEN herr_t H5open(void)
{
    const copy *const c = stoa_hdf5_caller;
    herr_t status = 0;

    if (c->open != NULL && !is_set(c->is_closing[0]) && !is_set(c->is_closing[1])) {
        status = c->open();
    }
    for (size_t i = 0; i < N_IDS; i++) {
        *ids[i] = id_of(c->ids[i]);
    }
    if (c->native != NULL) {
        H5VL_NATIVE_g = c->native();
    }
    return status;
}

#if !H5_VERSION_GE(2, 0, 0) /* what H5VL_NATIVE calls */
HIDDEN hid_t H5VL_native_register(void)
{
    (void)H5open();
    return H5VL_NATIVE_g;
}
#endif

/* The headers that the plugin was compiled with need not be those of the libhdf5. */
HIDDEN herr_t H5check_version(unsigned major, unsigned minor, unsigned release)
{
    (void)major;
    (void)minor;
    (void)release;
    return 0;
}

/* The two forms of this function, each by the one that there is. */
#if H5_VERSION_GE(2, 0, 0)
HIDDEN herr_t H5Dread_chunk2(hid_t dataset, hid_t dxpl, const hsize_t *offset, uint32_t *mask,
                             void *bytes, size_t *n_bytes)
{
    const copy *const c = stoa_hdf5_caller;
    hsize_t n = 0;

    if (c->read_chunk2 != NULL) {
        return c->read_chunk2(dataset, dxpl, offset, mask, bytes, n_bytes);
    }
    if (c->read_chunk1 == NULL || H5Dget_chunk_storage_size(dataset, offset, &n) < 0 ||
        *n_bytes < n) {
        return -1;
    }
    *n_bytes = (size_t)n;
    return c->read_chunk1(dataset, dxpl, offset, mask, bytes);
}
#else
HIDDEN herr_t H5Dread_chunk(hid_t dataset, hid_t dxpl, const hsize_t *offset, uint32_t *mask,
                            void *bytes)
{
    const copy *const c = stoa_hdf5_caller;

    return c->read_chunk1 != NULL ? c->read_chunk1(dataset, dxpl, offset, mask, bytes) : -1;
}
#endif

/* In the place of a function that the libhdf5 does not have: a negative herr_t or hid_t. */
static hid_t absent(void)
{
    return H5I_INVALID_HID;
}

/* H5Pset_vol() of 1.10, which has the native way alone. */
static herr_t needless(void)
{
    return 0;
}

/* --- copies of libhdf5 ----------------------------------------------------------------------- */

static void init_mutex(void)
{
    pthread_mutexattr_t kind;

    (void)pthread_mutexattr_init(&kind); /* a filter may read a dataset that has one, too */
    (void)pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(&mutex, &kind);
    (void)pthread_mutexattr_destroy(&kind);
}

static copy *find(const void *base)
{
    for (size_t i = 0; i < n_copies; i++) {
        if (copies[i].base == base) {
            return &copies[i];
        }
    }
    return NULL;
}

static const void *base_of(const void *address)
{
    Dl_info info = {0};

    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

/* A handle of the object that an address lies in, if it shows HDF5's functions; closed by
 * dlclose(). NULL for others. */
static void *open_object(const void *address)
{
    const void *const base = base_of(address);
    Dl_info info = {0};
    void *handle = NULL;

    if (dladdr(address, &info) == 0) {
        return NULL;
    }
    /* The second is the program itself, which may have libhdf5 inside. */
    for (int i = 0; i < 2; i++) {
        handle = dlopen(i == 0 ? info.dli_fname : NULL, RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL);
        const void *const call = handle != NULL ? dlsym(handle, "H5allocate_memory") : NULL;
        if (call != NULL && base_of(call) == base) {
            return handle;
        }
        if (handle != NULL) {
            (void)dlclose(handle);
        }
    }
    return NULL;
}

static void learn(copy *c, void *handle)
{
    static hid_t (*const missing)(void) = absent;
    static herr_t (*const nothing)(void) = needless;
    void *symbol = NULL;

    for (size_t i = 0; i < N_CALLS; i++) {
        c->calls[i] = dlsym(handle, call_names[i]);
        if (c->calls[i] == NULL) {
            memcpy(&c->calls[i], &missing, sizeof missing);
        }
    }
    if (dlsym(handle, "H5Pset_vol") == NULL) {
        memcpy(&c->calls[AT_H5Pset_vol], &nothing, sizeof nothing);
    }
    for (size_t i = 0; i < N_IDS; i++) {
        c->ids[i][0] = dlsym(handle, id_names[i]);
        c->ids[i][1] = dlsym(RTLD_DEFAULT, id_names[i]);
    }
    symbol = dlsym(handle, "H5VL_NATIVE_g") == NULL ? dlsym(handle, "H5VL_native_register") : NULL;
    memcpy(&c->native, &symbol, sizeof symbol);
    symbol = dlsym(handle, "H5Dread_chunk1");
    symbol = symbol != NULL ? symbol : dlsym(handle, "H5Dread_chunk");
    memcpy(&c->read_chunk1, &symbol, sizeof symbol);
    symbol = dlsym(handle, "H5Dread_chunk2");
    memcpy(&c->read_chunk2, &symbol, sizeof symbol);
    symbol = dlsym(handle, "H5open");
    memcpy(&c->open, &symbol, sizeof symbol);
    c->is_closing[0] = dlsym(handle, "H5_libterm_g");
    c->is_closing[1] = dlsym(RTLD_DEFAULT, "H5_libterm_g");
}

bool stoa_hdf5_caller_find(const void *address)
{
    const void *const base = base_of(address);
    void *const handle = open_object(address);
    bool is_found = false;

    (void)pthread_once(&once, init_mutex);
    (void)pthread_mutex_lock(&mutex);
    copy *const known = find(base);
    copy *const c = known != NULL ? known : n_copies < MAX_COPIES ? &copies[n_copies] : NULL;
    if (handle != NULL && c != NULL) {
        learn(c, handle); /* again if it is known: another libhdf5 may have come to its place */
        c->base = base;
        n_copies += known == NULL;
        is_found = true;
    }
    (void)pthread_mutex_unlock(&mutex);
    if (handle != NULL) {
        (void)dlclose(handle); /* it stays: we were called from it */
    }
    return is_found;
}

/* Nested entry points find what the outer one used in the caller they return to. */
static copy *outer[MAX_COPIES];
static size_t depth;

void stoa_hdf5_caller_begin(const void *address)
{
    (void)pthread_once(&once, init_mutex);
    (void)pthread_mutex_lock(&mutex);
    copy *const c = find(base_of(address));

    if (depth < MAX_COPIES) {
        outer[depth] = stoa_hdf5_caller;
    }
    depth++;
    stoa_hdf5_caller = c != NULL ? c : copies;
    (void)H5open(); /* its ids */
}

void stoa_hdf5_caller_end(void)
{
    depth--;
    if (depth < MAX_COPIES) {
        stoa_hdf5_caller = outer[depth];
    }
    (void)pthread_mutex_unlock(&mutex);
}
