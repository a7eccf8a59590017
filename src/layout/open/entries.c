/* Arrays as tables of their entries: coordinates and value (stoa_layout_open_entries()). */
#include <stdlib.h>
#include <string.h>

#include "arrow/build.h"
#include "core/memory.h"
#include "hdf/metadata/links.h"
#include "layout/common/block_table.h"
#include "layout/common/slice.h"
#include "layout/registry.h"
#include "sparse/array/arrow.h"
#include "sparse/tools/storage.h"

/* --- sparse arrays --------------------------------------------------------------------------- */

typedef struct sparse_entries {
    stoa_sparse *array;
    stoa_sparse_rows *rows;
    stoa_buffer chunks; /* size_t: the chunk that each block begins with */
} sparse_entries;

static stoa_status read_block(void *context, size_t i, struct ArrowArray *out, stoa_error *err)
{
    const sparse_entries *const e = context;

    return stoa_sparse_rows_read(e->rows, ((const size_t *)(const void *)e->chunks.data)[i], out,
                                 err);
}

static void close_entries(void *context)
{
    sparse_entries *const e = context;

    if (e->rows != NULL) {
        stoa_sparse_rows_close(e->rows);
    }
    stoa_sparse_close(e->array); /* nothing was changed */
    stoa_buffer_clear(&e->chunks);
    free(e);
}

static stoa_status find_blocks(sparse_entries *e, stoa_blocks *blocks, stoa_error *err)
{
    size_t at = 0;

    for (;;) {
        const size_t first = at;
        uint64_t n = 0;
        STOA_RETURN_NOT_OK(stoa_sparse_rows_count(e->rows, &at, &n, err));
        if (n == 0) {
            return STOA_OK;
        }
        STOA_RETURN_NOT_OK(stoa_buffer_append(&e->chunks, &first, sizeof first, err));
        STOA_RETURN_NOT_OK(stoa_blocks_add(blocks, n, err));
    }
}

/* Takes ownership of `object`, also on failure. */
static stoa_status open_sparse(hid_t object, const char *path, const char *file, const char *text,
                               stoa_array_box *box, stoa_table **table, stoa_error *err)
{
    stoa_sparse_info info = STOA_SPARSE_INFO_INIT;
    stoa_blocks blocks = {.n = 0};
    stoa_status status = STOA_OK;
    sparse_entries *const e = stoa_alloc_zero(1, sizeof *e);

    STOA_TRY(e != NULL ? STOA_OK : stoa_fail_memory(err));
    blocks.read = read_block;
    blocks.close = close_entries;
    blocks.context = e;
    STOA_TRY(stoa_sparse_open(object, ".", NULL, &e->array, err));
    STOA_TRY(stoa_sparse_describe(e->array, &info, err));
    *box = (stoa_array_box){.rank = info.rank};
    memcpy(box->extent, info.extent, info.rank * sizeof *box->extent);
    STOA_TRY(stoa_array_box_parse(text, box, err));
    STOA_TRY(stoa_sparse_rows_open(e->array, box->start, box->count, &e->rows, err));
    STOA_TRY(stoa_sparse_rows_schema(e->rows, &blocks.schema, err));
    STOA_TRY(find_blocks(e, &blocks, err));
    const hid_t taken = object;
    object = H5I_INVALID_HID;
    STOA_TRY(stoa_block_table_open(taken, path, file, "entries", &blocks, table, err));

done:
    stoa_blocks_clear(&blocks);
    return stoa_hdf_close(&object, status, err);
}

/* --- all arrays ------------------------------------------------------------------------------ */

static const stoa_layout *layout_of_array(hid_t object)
{
    const stoa_error_stack errors = stoa_error_stack_begin();
    const stoa_layout *found = NULL;
    stoa_array_object shown = {.path = NULL};

    for (size_t i = 0; stoa_layouts[i] != NULL && found == NULL; i++) {
        const stoa_layout *const layout = stoa_layouts[i];
        if (layout->open_entries != NULL && layout->identify_array(object, &shown)) {
            found = layout;
        }
    }
    stoa_error_stack_discard(&errors);
    return found;
}

/* The box behind a path, without its bracket at the end, which is cut off; NULL if it has none. */
static char *cut_box(char *path)
{
    const size_t length = strlen(path);
    char *const open = length > 0 && path[length - 1] == ']' ? strrchr(path, '[') : NULL;

    if (open == NULL || open == path) {
        return NULL;
    }
    path[length - 1] = '\0';
    *open = '\0';
    return open + 1;
}

stoa_status stoa_layout_open_entries(hid_t loc, const char *path, const char *file, bool *is_one,
                                     stoa_array_box *box, stoa_table **table, stoa_error *err)
{
    char *own = stoa_strndup(path, strlen(path));
    const char *text = NULL;
    stoa_array_box unused;
    stoa_status status = STOA_OK;
    hid_t object = H5I_INVALID_HID;

    *is_one = false;
    STOA_TRY(own != NULL ? STOA_OK : stoa_fail_memory(err));
    object = stoa_object_open(loc, own);
    if (object < 0) {
        text = cut_box(own);
        object = text != NULL ? stoa_object_open(loc, own) : object;
    }
    if (object < 0) {
        goto done;
    }
    const bool is_sparse = H5Iget_type(object) == H5I_DATASET && stoa_is_structured(object);
    const stoa_layout *const layout = is_sparse ? NULL : layout_of_array(object);
    if (is_sparse || layout != NULL) {
        const hid_t taken = object;
        object = H5I_INVALID_HID;
        *is_one = true;
        STOA_TRY((is_sparse ? open_sparse : layout->open_entries)(
            taken, path, file, text, box != NULL ? box : &unused, table, err));
    }

done:
    free(own);
    return stoa_hdf_close(&object, status, err);
}
