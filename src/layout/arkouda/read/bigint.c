/* Integers of any number of 64-bit limbs, shown as bytes, least significant first (Arkouda notes
 * §E.3, §F.4). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/arkouda/read/node.h"

typedef struct bigint {
    stoa_arkouda_node node;
    stoa_arkouda_array **limbs;
    size_t n_limbs;   /* maximum over the files */
    int64_t max_bits; /* -1: no limit */
    uint64_t *masks;  /* for each limb, by max_bits */
} bigint;

/* Bytes of limbs that are converted at a time, so that they stay in the L2 cache. */
enum { BLOCK = 1 << 17 };

/* --- reading --------------------------------------------------------------------------------- */

static stoa_status bigint_schema(const stoa_arkouda_node *node, const char *name,
                                 struct ArrowSchema *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bigint *const is = (const bigint *)node;
    char text[32];

    (void)snprintf(text, sizeof text, "w:%zu", is->n_limbs * sizeof(uint64_t));
    STOA_TRY(stoa_schema_make(out, name, text, err));
    (void)snprintf(text, sizeof text, "%lld", (long long)is->max_bits);
    STOA_TRY(stoa_schema_set(out, "ARROW:extension:name", STOA_ARKOUDA_EXTENSION_BIGINT, err));
    STOA_TRY(stoa_schema_set(out, "ARROW:extension:metadata", text, err));

done:
    if (status != STOA_OK) {
        stoa_schema_release(out);
    }
    return status;
}

/* The bits of a limb that Arkouda keeps: those below MaxBits. */
static uint64_t mask_of(int64_t max_bits, size_t limb)
{
    const int64_t left = max_bits - (int64_t)limb * 64;

    return max_bits < 0 || left >= 64 ? UINT64_MAX : left <= 0 ? 0 : (UINT64_C(1) << left) - 1;
}

/* The number of rows whose limbs fill a block. */
static uint64_t block_rows(const bigint *is)
{
    const uint64_t n = BLOCK / (is->n_limbs * sizeof(uint64_t));

    return n > 64 ? n : 64;
}

/* Read one block of rows: the limbs of each place, which are then interleaved. */
static stoa_status read_block(const bigint *is, uint64_t first, uint64_t n, uint64_t *limbs,
                              uint8_t *values, stoa_error *err)
{
    for (size_t l = 0; l < is->n_limbs; l++) {
        STOA_RETURN_NOT_OK(stoa_arkouda_array_read(is->limbs[l], first, n, limbs + l * n, err));
    }
    is->limbs[0]->turn->weave(limbs, n, is->n_limbs, is->masks, n, values);
    return STOA_OK;
}

static stoa_status bigint_read(const stoa_arkouda_node *node, uint64_t first, uint64_t count,
                               struct ArrowArray *out, stoa_error *err)
{
    stoa_status status = STOA_OK;
    const bigint *const is = (const bigint *)node;
    const size_t size = is->n_limbs * sizeof(uint64_t);
    const uint64_t most = block_rows(is);
    stoa_read_context *const read_context = is->limbs[0]->set->read_context;
    stoa_scratch scratch = stoa_read_context_borrow(read_context);
    uint64_t *limbs = (uint64_t *)(void *)stoa_scratch_block(&scratch, 0, (size_t)most * size);
    uint8_t *values = stoa_alloc((size_t)count, size);

    STOA_TRY(limbs != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (uint64_t at = 0, n; at < count; at += n) {
        n = count - at < most ? count - at : most;
        STOA_TRY(read_block(is, first + at, n, limbs, values + at * size, err));
    }
    void *const buffers[] = {NULL, values};
    values = NULL;
    STOA_TRY(stoa_array_make(out, (int64_t)count, 0, 2, buffers, err));

done:
    stoa_read_context_return(read_context, &scratch);
    free(values);
    return status;
}

/* --- opening --------------------------------------------------------------------------------- */

static void bigint_close(stoa_arkouda_node *node)
{
    bigint *const is = (bigint *)node;

    for (size_t l = 0; is->limbs != NULL && l < is->n_limbs; l++) {
        stoa_arkouda_array_close(is->limbs[l]);
    }
    free(is->limbs);
    free(is->masks);
}

/* Read NumLimbs of one file. A file without values may hold an object of another kind here. */
static stoa_status count_limbs(const stoa_arkouda_set *set, size_t k, const char *path, bigint *is,
                               stoa_error *err)
{
    stoa_status status = STOA_OK;
    hid_t group = stoa_arkouda_set_object(set, k, path);

    if (group >= 0 && H5Iget_type(group) == H5I_GROUP) {
        const int64_t n = stoa_arkouda_number(group, STOA_ARKOUDA_NUM_LIMBS, -1);
        const bool is_empty = n < 0 && !stoa_object_exists(group, STOA_ARKOUDA_LIMB "0");
        if (!is_empty && (n < 1 || n > STOA_ARKOUDA_MAX_PARTS)) {
            STOA_FAIL(err, STOA_EDATA, "is a bigint without a NumLimbs that makes sense");
        }
        is->n_limbs = n > (int64_t)is->n_limbs ? (size_t)n : is->n_limbs;
        if (is->max_bits < 0) {
            is->max_bits = stoa_arkouda_number(group, STOA_ARKOUDA_MAX_BITS, -1);
        }
    }

done:
    (void)stoa_arkouda_set_at(set, k, path, status, err);
    return stoa_hdf_close(&group, status, err);
}

/* Open a limb in all files. A file with fewer limbs has zeros for the rest. A limb that NumLimbs
 * declares must exist. */
static stoa_status open_limb(stoa_arkouda_set *set, const char *path, bigint *is, size_t l,
                             stoa_error *err)
{
    stoa_status status = STOA_OK;
    const stoa_arkouda_requirements wish = {.may_lack = true, .like = l > 0 ? is->limbs[0] : NULL};
    char *name = stoa_format("%s/%s%zu", path, STOA_ARKOUDA_LIMB, l);

    STOA_TRY(name != NULL ? STOA_OK : stoa_fail_memory(err));
    STOA_TRY(stoa_arkouda_array_open(set, name, &wish, &is->limbs[l], err));
    for (size_t k = 0; k < set->n; k++) {
        hid_t group = stoa_arkouda_set_object(set, k, path);
        const int64_t n = group >= 0 ? stoa_arkouda_number(group, STOA_ARKOUDA_NUM_LIMBS, 0) : 0;
        (void)stoa_hdf_close(&group, STOA_OK, NULL);
        if ((int64_t)l < n && is->limbs[l]->pieces[k].dataset < 0) {
            status = stoa_fail(err, STOA_EDATA, "is missing, which NumLimbs counts");
            STOA_TRY(stoa_arkouda_set_at(set, k, name, status, err));
        }
    }
    if (stoa_arkouda_array_length(is->limbs[l]) > 0 &&
        is->limbs[l]->element.kind != STOA_KIND_UINT64) {
        STOA_FAIL(err, STOA_EDATA, "holds %s where the limbs of a bigint belong",
                  is->limbs[l]->element.text);
    }

done:
    status = name != NULL ? stoa_arkouda_set_at(set, 0, name, status, err) : status;
    free(name);
    return status;
}

static stoa_status open_limbs(stoa_arkouda_set *set, const char *path, bigint *is, stoa_error *err)
{
    is->limbs = stoa_alloc_zero(is->n_limbs, sizeof(stoa_arkouda_array *));
    is->masks = stoa_alloc(is->n_limbs, sizeof *is->masks);
    STOA_RETURN_NO_MEMORY(err, is->limbs != NULL && is->masks != NULL);
    is->node.is_free = true;
    for (size_t l = 0; l < is->n_limbs; l++) {
        is->masks[l] = mask_of(is->max_bits, l);
        STOA_RETURN_NOT_OK(open_limb(set, path, is, l, err));
        is->node.is_free = is->node.is_free && is->limbs[l]->is_free;
    }
    return STOA_OK;
}

stoa_status stoa_arkouda_bigint_open(stoa_arkouda_set *set, const char *path,
                                     stoa_arkouda_node **node, stoa_error *err)
{
    stoa_status status = STOA_OK;
    bigint *made = NULL;

    *node = NULL;
    STOA_TRY(stoa_arkouda_node_make(sizeof *made, set, bigint_close, &made, err));
    made->max_bits = -1;
    for (size_t k = 0; k < set->n; k++) {
        STOA_TRY(count_limbs(set, k, path, made, err));
    }
    if (made->n_limbs == 0) {
        STOA_FAIL(err, STOA_EDATA, "%s: is a bigint without limbs", path);
    }
    STOA_TRY(open_limbs(set, path, made, err));
    memcpy(made->node.starts, made->limbs[0]->starts, (set->n + 1) * sizeof *made->node.starts);
    made->node.schema = bigint_schema;
    made->node.read = bigint_read;
    *node = &made->node;
    made = NULL;

done:
    stoa_arkouda_node_close((stoa_arkouda_node *)made);
    return status;
}
