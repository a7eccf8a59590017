/*
 * The filter that replaces ours while libhdf5 copies datasets that the connector will fill
 * (connector_copy_tree.c).
 *
 * During a copy libhdf5 follows the references in dense chunks, but chunks with a section 2 cannot
 * be decoded to dense ones. This filter decodes them as empty, and encodes the result as a
 * placeholder, which the connector replaces by the chunk. All other chunks pass through the regular
 * filter.
 */
#include "hdf/ids.h"
#include "sparse/format/filter.h"

/* A dense chunk of empty references. */
static size_t make_dense(const stoa_sparse_format *format, size_t *size, void **buf)
{
    const size_t n_bytes = format->element_size * (size_t)format->n_elements;
    void *dense = H5allocate_memory(n_bytes, true);

    if (dense == NULL) {
        return 0;
    }
    (void)H5free_memory(*buf);
    *buf = dense;
    *size = n_bytes;
    return n_bytes;
}

/* A placeholder: short, and not a valid chunk. If it is not replaced, it cannot be mistaken for a
 * chunk. */
static size_t make_mark(size_t size, uint8_t *buf)
{
    if (size > 0) {
        buf[0] = 0;
    }
    return size > 0 ? 1 : 0;
}

static size_t filter_hollow(unsigned flags, size_t n_words, const unsigned words[], size_t n_bytes,
                            size_t *size, void **buf)
{
    stoa_sparse_format format;

    if (stoa_sparse_format_unpack(words, n_words, &format, NULL) != STOA_OK || !format.is_bound ||
        !format.has_heap) {
        return stoa_sparse_filter_class.filter(flags, n_words, words, n_bytes, size, buf);
    }
    return (flags & H5Z_FLAG_REVERSE) != 0 ? make_dense(&format, size, buf)
                                           : make_mark(*size, *buf);
}

herr_t stoa_sparse_filter_hollow(void)
{
    H5Z_class2_t hollow = stoa_sparse_filter_class;

    hollow.filter = filter_hollow;
    return H5Zregister(&hollow);
}
