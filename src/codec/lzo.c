/*
 * The lzo filter of PyTables (305): one LZO1X stream and nothing around it.
 *
 * The only library that unpacks it, liblzo2, is GPL: Stoa neither links nor ships it, and calls it
 * where the system has it. Chunks are never written with it.
 */
#include <dlfcn.h>
#include <string.h>

#include "codec/filter.h"

/* lzo1x.h's lzo1x_decompress_safe(); 0 where all went well. */
typedef int (*unlzo)(const unsigned char *in, unsigned long n_in, unsigned char *out,
                     unsigned long *n_out, void *work);

/* NULL: it is not there. Each that is got is closed with dlclose(). */
static void *open_library(void)
{
    return dlopen("liblzo2.so.2", RTLD_NOW | RTLD_LOCAL);
}

static unlzo find_unlzo(void *library)
{
    void *const symbol = library != NULL ? dlsym(library, "lzo1x_decompress_safe") : NULL;
    unlzo found = NULL;

    memcpy(&found, &symbol, sizeof found); /* POSIX's way from an object to a function */
    return found;
}

static bool lzo_is_known(const stoa_pipeline *pipeline, const stoa_filter *filter)
{
    void *const library = open_library();
    const bool is_there = find_unlzo(library) != NULL;

    (void)pipeline;
    (void)filter;
    if (library != NULL) {
        (void)dlclose(library);
    }
    return is_there;
}

static size_t lzo_bound(const stoa_filter *filter, size_t n)
{
    (void)filter;
    return stoa_packed_bound(n);
}

static stoa_status lzo_undo(stoa_step *step)
{
    stoa_coders *coders = stoa_scratch_coders(step->scratch);
    unsigned long n = step->room;

    if (coders == NULL) {
        return STOA_ENOMEM;
    }
    if (coders->lzo == NULL) {
        coders->lzo = open_library();
    }
    const unlzo undo = find_unlzo(coders->lzo);
    if (undo == NULL || undo(step->in, step->n_in, step->out, &n, NULL) != 0) {
        return STOA_EDATA;
    }
    return stoa_step_done(step, step->out, n);
}

static stoa_status lzo_apply(stoa_step *step)
{
    (void)step;
    return STOA_ERANGE;
}

void stoa_lzo_end(stoa_coders *coders)
{
    if (coders->lzo != NULL) {
        (void)dlclose(coders->lzo);
    }
}

const stoa_codec stoa_codec_lzo = {
    .id = STOA_FILTER_LZO,
    .name = "lzo",
    .is_known = lzo_is_known,
    .bound = lzo_bound,
    .undo = lzo_undo,
    .apply = lzo_apply,
};
