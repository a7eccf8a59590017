/* Arrow arrays over malloc'ed buffers, and handles that share one array among batches. */
#include "arrow/build.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/buffer_pool.h"

enum { ARRAY_MAX_BUFFERS = 3, ARRAY_MAX_DEPTH = 64 };

/* An array that several handles share; released with the last of them. The count is atomic because
 * consumers may release batches on other threads. */
typedef struct array_shared {
    struct ArrowArray array;
    atomic_size_t n_handles;
} array_shared;

/* The private data of an array made here: its buffers, or, in a handle, a reference to a shared
 * array. */
typedef struct array_owner {
    const void *pointers[ARRAY_MAX_BUFFERS]; /* target of ArrowArray.buffers */
    void *buffers[ARRAY_MAX_BUFFERS];
    bool has_blocks;                 /* buffers from the second on return to their pool */
    void (*give_back)(void *lender); /* for borrowed values; NULL: all values are in `buffers` */
    void *lender;
    array_shared *shared; /* handles only; `buffers` is then empty */
    struct ArrowArray *children;
    struct ArrowArray **child_pointers;
    struct ArrowArray *dictionary;
} array_owner;

static void shared_drop(array_shared *shared)
{
    if (shared != NULL && atomic_fetch_sub(&shared->n_handles, 1) == 1) {
        stoa_array_release(&shared->array);
        free(shared);
    }
}

static void free_buffers(void *const *buffers, int64_t n, bool has_blocks)
{
    for (int64_t i = 0; i < n; i++) {
        if (has_blocks && i > 0) {
            stoa_buffer_pool_put(buffers[i]);
        } else {
            free(buffers[i]);
        }
    }
}

static void array_free(struct ArrowArray *array)
{
    array_owner *owner = array->private_data;

    for (int64_t i = 0; i < array->n_children; i++) {
        stoa_array_release(array->children[i]);
    }
    stoa_array_release(owner->dictionary);
    free_buffers(owner->buffers, ARRAY_MAX_BUFFERS, owner->has_blocks);
    free(owner->children);
    free(owner->child_pointers);
    free(owner->dictionary);
    shared_drop(owner->shared);
    if (owner->give_back != NULL) {
        owner->give_back(owner->lender);
    }
    free(owner);
    array->private_data = NULL;
    array->release = NULL;
}

/* Make an array without buffers or children, with the owner that will free them. */
static stoa_status array_bare(struct ArrowArray *array, array_owner **owner, stoa_error *err)
{
    *array = (struct ArrowArray){0};
    *owner = stoa_alloc_zero(1, sizeof **owner);
    STOA_RETURN_NO_MEMORY(err, *owner);
    array->private_data = *owner;
    array->release = array_free;
    return STOA_OK;
}

static stoa_status array_make(struct ArrowArray *array, int64_t length, int64_t null_count,
                              int64_t n_buffers, void *const *buffers, bool has_blocks,
                              stoa_error *err)
{
    stoa_status status = STOA_OK;
    array_owner *owner = NULL;

    *array = (struct ArrowArray){0};
    if (length < 0 || n_buffers < 0 || n_buffers > ARRAY_MAX_BUFFERS || null_count < -1 ||
        null_count > length || (null_count == -1 && (n_buffers == 0 || buffers[0] == NULL))) {
        STOA_FAIL(err, STOA_EINVAL,
                  "an Arrow array of %lld rows, %lld nulls and %lld buffers "
                  "cannot be made",
                  (long long)length, (long long)null_count, (long long)n_buffers);
    }
    STOA_TRY(array_bare(array, &owner, err));
    owner->has_blocks = has_blocks;
    for (int64_t i = 0; i < n_buffers; i++) {
        owner->buffers[i] = buffers[i];
        owner->pointers[i] = buffers[i];
    }
    array->length = length;
    array->null_count = null_count;
    array->n_buffers = n_buffers;
    array->buffers = owner->pointers;

done:
    if (status != STOA_OK) {
        free_buffers(buffers, n_buffers, has_blocks);
    }
    return status;
}

stoa_status stoa_array_make(struct ArrowArray *array, int64_t length, int64_t null_count,
                            int64_t n_buffers, void *const *buffers, stoa_error *err)
{
    return array_make(array, length, null_count, n_buffers, buffers, false, err);
}

stoa_status stoa_array_make_of_blocks(struct ArrowArray *array, int64_t length, int64_t null_count,
                                      int64_t n_buffers, void *const *buffers, stoa_error *err)
{
    return array_make(array, length, null_count, n_buffers, buffers, true, err);
}

stoa_status stoa_array_make_lent(struct ArrowArray *array, int64_t length, const void *values,
                                 void (*give_back)(void *lender), void *lender, stoa_error *err)
{
    stoa_status status = STOA_OK;
    array_owner *owner = NULL;

    STOA_TRY(array_make(array, length, 0, 2, (void *const[]){NULL, NULL}, false, err));
    owner = array->private_data;
    owner->pointers[1] = values;
    owner->give_back = give_back;
    owner->lender = lender;

done:
    if (status != STOA_OK) {
        give_back(lender);
    }
    return status;
}

/* Only arrays made by these functions can be changed. */
static stoa_status array_owner_of(struct ArrowArray *array, array_owner **owner, stoa_error *err)
{
    if (array->release != array_free) {
        return stoa_fail(err, STOA_EINVAL,
                         "an Arrow array that another program made cannot be edited");
    }
    *owner = array->private_data;
    return STOA_OK;
}

stoa_status stoa_array_put(struct ArrowArray *array, int64_t n, size_t width, stoa_value_put put,
                           const void *context, stoa_error *err)
{
    stoa_status status = STOA_OK;
    uint8_t *validity = stoa_alloc_zero((size_t)stoa_bit_bytes((uint64_t)n) + 1, 1);
    uint8_t *values = stoa_alloc_zero((size_t)n + 1, width);
    int64_t n_missing = 0;

    STOA_TRY(validity != NULL && values != NULL ? STOA_OK : stoa_fail_memory(err));
    for (int64_t i = 0; i < n; i++) {
        if (put(context, i, values)) {
            stoa_bit_set(validity, (uint64_t)i);
        } else {
            n_missing++;
        }
    }
    void *const buffers[] = {validity, values};
    validity = NULL;
    values = NULL;
    STOA_TRY(stoa_array_make(array, n, n_missing, 2, buffers, err));

done:
    free(validity);
    free(values);
    return status;
}

stoa_status stoa_array_children(struct ArrowArray *array, int64_t n, stoa_error *err)
{
    array_owner *owner = NULL;

    STOA_RETURN_NOT_OK(array_owner_of(array, &owner, err));
    if (n < 0 || owner->children != NULL) {
        return stoa_fail(err, STOA_EINVAL, "an Arrow array gets its children once, not %lld more",
                         (long long)n);
    }
    owner->children = stoa_alloc_zero((size_t)n, sizeof *owner->children);
    owner->child_pointers = stoa_alloc((size_t)n, sizeof *owner->child_pointers);
    if (owner->children == NULL || owner->child_pointers == NULL) {
        return stoa_fail_memory(err); /* the owner frees what there is */
    }
    for (int64_t i = 0; i < n; i++) {
        owner->child_pointers[i] = &owner->children[i];
    }
    array->children = owner->child_pointers;
    array->n_children = n;
    return STOA_OK;
}

stoa_status stoa_array_struct(struct ArrowArray *array, int64_t length, int64_t n, stoa_error *err)
{
    STOA_RETURN_NOT_OK(stoa_array_make(array, length, 0, 1, (void *const[]){NULL}, err));
    return stoa_array_children(array, n, err);
}

stoa_status stoa_array_list(struct ArrowArray *array, int64_t length, int64_t null_count,
                            int64_t n_buffers, void *const *buffers, struct ArrowArray *items,
                            stoa_error *err)
{
    stoa_status status = STOA_OK;

    STOA_TRY(stoa_array_make(array, length, null_count, n_buffers, buffers, err));
    STOA_TRY(stoa_array_children(array, 1, err));
    stoa_array_move(items, array->children[0]);

done:
    stoa_array_release(items);
    if (status != STOA_OK) {
        stoa_array_release(array);
    }
    return status;
}

stoa_status stoa_array_dictionary(struct ArrowArray *array, struct ArrowArray *dictionary,
                                  stoa_error *err)
{
    stoa_status status = STOA_OK;
    array_owner *owner = NULL;

    STOA_TRY(array_owner_of(array, &owner, err));
    if (owner->dictionary != NULL) {
        STOA_FAIL(err, STOA_EINVAL, "the Arrow array has a dictionary already");
    }
    owner->dictionary = stoa_alloc_zero(1, sizeof *owner->dictionary);
    STOA_TRY(owner->dictionary != NULL ? STOA_OK : stoa_fail_memory(err));
    stoa_array_move(dictionary, owner->dictionary);
    array->dictionary = owner->dictionary;

done:
    stoa_array_release(dictionary);
    return status;
}

/* Make a handle on `from` and all its children. Each nested handle holds a reference of its own,
 * because consumers may move children away from their parent. */
static stoa_status array_handle(const struct ArrowArray *from, array_shared *shared,
                                struct ArrowArray *out, int depth, stoa_error *err)
{
    stoa_status status = STOA_OK;
    array_owner *owner = NULL;

    *out = (struct ArrowArray){0};
    if (from->release == NULL) {
        return STOA_OK; /* a child that was moved away stays away */
    }
    if (depth > ARRAY_MAX_DEPTH) {
        STOA_FAIL(err, STOA_ETYPE, "an Arrow array is nested more than %d deep", ARRAY_MAX_DEPTH);
    }
    STOA_TRY(array_bare(out, &owner, err));
    atomic_fetch_add(&shared->n_handles, 1);
    owner->shared = shared;
    out->length = from->length;
    out->null_count = from->null_count;
    out->offset = from->offset;
    out->n_buffers = from->n_buffers;
    out->buffers = from->buffers;

    if (from->n_children > 0) {
        STOA_TRY(stoa_array_children(out, from->n_children, err));
    }
    for (int64_t i = 0; i < from->n_children; i++) {
        STOA_TRY(array_handle(from->children[i], shared, out->children[i], depth + 1, err));
    }
    if (from->dictionary != NULL) {
        struct ArrowArray dictionary = {0};
        STOA_TRY(array_handle(from->dictionary, shared, &dictionary, depth + 1, err));
        STOA_TRY(stoa_array_dictionary(out, &dictionary, err));
    }

done:
    if (status != STOA_OK) {
        stoa_array_release(out);
    }
    return status;
}

static array_shared *shared_of(const struct ArrowArray *array)
{
    if (array->release != array_free) {
        return NULL;
    }
    const array_owner *owner = array->private_data;
    return owner->shared;
}

/* Move the array where handles can share it, and make it the first handle itself. */
static stoa_status array_make_shared(struct ArrowArray *array, stoa_error *err)
{
    stoa_status status = STOA_OK;
    struct ArrowArray handle = {0};
    array_shared *shared = stoa_alloc_zero(1, sizeof *shared);

    STOA_RETURN_NO_MEMORY(err, shared);
    atomic_init(&shared->n_handles, 1); /* held until the end of this function */
    STOA_TRY(array_handle(array, shared, &handle, 0, err));
    /* The buffer lists are in the array's private data, so the move does not change them. */
    stoa_array_move(array, &shared->array);
    stoa_array_move(&handle, array);

done:
    shared_drop(shared);
    return status;
}

stoa_status stoa_array_share(struct ArrowArray *array, struct ArrowArray *out, stoa_error *err)
{
    *out = (struct ArrowArray){0};
    if (array->release == NULL) {
        return stoa_fail(err, STOA_EINVAL, "an Arrow array that is released cannot be shared");
    }
    if (shared_of(array) == NULL) {
        STOA_RETURN_NOT_OK(array_make_shared(array, err));
    }
    return array_handle(array, shared_of(array), out, 0, err);
}

stoa_status stoa_array_hide(struct ArrowArray *array, const uint8_t *valid, int64_t first,
                            stoa_error *err)
{
    array_owner *owner = NULL;
    const uint8_t *const before = array->n_buffers > 0 ? array->buffers[0] : NULL;
    uint8_t *bits = NULL;

    STOA_RETURN_NOT_OK(array_owner_of(array, &owner, err));
    if (array->n_buffers < 1) {
        return STOA_OK; /* the type is null: all are missing already */
    }
    bits = stoa_alloc_zero(stoa_bit_bytes((uint64_t)(array->offset + array->length)), 1);
    STOA_RETURN_NO_MEMORY(err, bits);
    for (int64_t i = 0; i < array->length; i++) {
        const uint64_t at = (uint64_t)(array->offset + i);
        if (stoa_bit_get(valid, (uint64_t)(first + i)) &&
            (before == NULL || stoa_bit_get(before, at))) {
            stoa_bit_set(bits, at);
        }
    }
    if (array->buffers != owner->pointers) { /* a handle's list is the shared one */
        memcpy(owner->pointers, array->buffers, (size_t)array->n_buffers * sizeof *owner->pointers);
    }
    free(owner->buffers[0]);
    owner->buffers[0] = bits;
    owner->pointers[0] = bits;
    array->buffers = owner->pointers;
    array->null_count = -1;
    return STOA_OK;
}
