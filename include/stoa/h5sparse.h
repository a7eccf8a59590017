/*
 * The names of the RFC "Programming Model to Support Sparse Data in HDF5" for a standard libhdf5,
 * as macros over functions of Stoa (docs/sparse.md).
 *
 * The RFC has had several revisions. If their calls differ in the number or types of arguments, all
 * forms compile. If they differ in a name, all names exist. Every function follows HDF5's
 * conventions: it returns a negative value after a failure, and HDF5's error stack has the reason.
 *
 * This header is not part of stoa.h, because it redefines some names of HDF5:
 *
 * - H5Fcreate() and H5Fopen() put Stoa's connector on the file access list.
 * - H5Pset_deflate() and similar calls apply to every section of a structured chunk.
 * - H5Pset_layout() and H5Pget_layout() know structured chunks.
 * - The calls on dense chunks fail for structured ones, as RFC §2.2.7 requires.
 *
 * (H5Fopen)(...) is HDF5's own.
 */
#ifndef STOA_H5SPARSE_H
#define STOA_H5SPARSE_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>
#include <stoa/error.h>

STOA_BEGIN_DECLS

/** The layout of structured chunks (RFC §2.1.1). */
#define H5D_STRUCT_CHUNK ((H5D_layout_t)4)

/* The content of structured chunks: flags of H5Pset_struct_chunk(). They also work as a layout, for
 * the model of RFC §2.1.3, H5Pset_layout() and H5Pset_chunk(). */
#define H5D_SPARSE_CHUNK 4u /**< sparse data of any datatype */
#define H5D_VL_CHUNK 8u     /**< dense data of variable length */
#define H5D_SPARSE_DATA H5D_SPARSE_CHUNK
#define H5D_VL_DATA H5D_VL_CHUNK /* with H5D_SPARSE_DATA: sparse data of variable length */

/** A section of a structured chunk. For calls that change filters, H5_SECTION_NUM means all
 * sections. */
typedef enum H5_section_type_t {
    H5_SECTION_UNKNOWN = -1,
    H5_SECTION_SELECTION = 0, /**< which elements are defined */
    H5_SECTION_FIXED = 1,     /**< their values */
    H5_SECTION_VL = 2,        /**< their data of variable length */
    H5_SECTION_NUM = 3
} H5_section_type_t;

#define H5Z_FLAG_SPARSE_SELECTION H5_SECTION_SELECTION
#define H5Z_FLAG_SPARSE_FIXED_DATA H5_SECTION_FIXED
#define H5Z_FLAG_SPARSE_VL_DATA H5_SECTION_VL
/* As in the RFC's example 1. */
#ifndef H5Z_FILTER_DEFAULT
#define H5Z_FILTER_DEFAULT H5Z_FILTER_DEFLATE
#endif

/** A structured chunk. For H5Dread_struct_chunk() and H5Dwrite_struct_chunk() you provide the
 * arrays. Calls that describe chunks return arrays owned by Stoa. In H5Dstruct_chunk_iter() they
 * are valid until the callback returns. Arrays of H5Dget_struct_chunk_info() and
 * H5Dget_struct_chunk_info_by_coord() are valid until the sixteenth following call in the
 * thread. */
typedef struct H5D_struct_chunk_info_t {
    H5D_layout_t type;         /**< H5D_STRUCT_CHUNK; H5D_SPARSE_CHUNK has the same value */
    uint8_t num_sections;      /**< 2, or 3 with data of variable length */
    uint16_t *filter_mask;     /**< bit i: filter i of the section was skipped */
    size_t *section_size;      /**< bytes after the section's filters; 0 if no element is defined */
    size_t *section_orig_size; /**< bytes before the section's filters */
} H5D_struct_chunk_info_t;

/** RFC §2.2.6; `size` is in bytes. A value other than 0 ends the iteration, which returns it. */
typedef int (*H5D_struct_chunk_iter_op_t)(const hsize_t *offset,
                                          H5D_struct_chunk_info_t *chunk_info, haddr_t *addr,
                                          hsize_t *size, void *op_data);

/* --- the functions of the macros -------------------------------------------------------------- */

STOA_API hid_t stoa_h5f_create(const char *name, unsigned flags, hid_t fcpl, hid_t fapl);
STOA_API hid_t stoa_h5f_open(const char *name, unsigned flags, hid_t fapl);

STOA_API herr_t stoa_h5p_set_struct_chunk(hid_t plist, int ndims, const hsize_t *dim,
                                          unsigned flag);
STOA_API int stoa_h5p_get_struct_chunk(hid_t plist, int max_ndims, hsize_t *dim, unsigned *flag);
STOA_API herr_t stoa_h5p_get_struct_chunk_sections(hid_t plist, int *num,
                                                   H5_section_type_t *sections);
STOA_API herr_t stoa_h5p_set_layout(hid_t plist, int layout);
STOA_API H5D_layout_t stoa_h5p_get_layout(hid_t plist);
STOA_API herr_t stoa_h5p_set_chunk_opts(hid_t plist, unsigned options);
STOA_API herr_t stoa_h5p_get_chunk_opts(hid_t plist, unsigned *options);

/** Where strings and sequences of variable length are stored. docs/sparse.md helps to choose. */
typedef enum stoa_vl_storage {
    STOA_VL_SECTION,    /**< in section 2: compact, with its filters; the default */
    STOA_VL_GLOBAL_HEAP /**< in the file's global heap, where programs without Stoa's connector find
                             them, too */
} stoa_vl_storage;

STOA_API herr_t stoa_h5p_set_vl_storage(hid_t plist, stoa_vl_storage storage);
STOA_API herr_t stoa_h5p_get_vl_storage(hid_t plist, stoa_vl_storage *storage);

/* Filters of one section. `n` counts 32-bit words if `is_words` is set, else bytes. For a filter of
 * HDF5's own, `n` is reinterpreted if the number fits only the other unit. */
STOA_API herr_t stoa_h5p_set_section_filter(hid_t plist, uint64_t section, H5Z_filter_t filter,
                                            uint64_t flags, size_t n, const void *values,
                                            int is_words);
STOA_API herr_t stoa_h5p_modify_section_filter(hid_t plist, uint64_t section, H5Z_filter_t filter,
                                               uint64_t flags, size_t n, const void *values,
                                               int is_words);
STOA_API herr_t stoa_h5p_remove_section_filter(hid_t plist, uint64_t section, H5Z_filter_t filter);
STOA_API int stoa_h5p_count_section_filters(hid_t plist, uint64_t section);
STOA_API herr_t stoa_h5p_get_section_nfilters(hid_t plist, uint64_t section, int *n);
/* `flags` is an unsigned if `is_unsigned` is set, else a uint64_t. `is_words` is 1 if `values` are
 * words, 0 for bytes. If `values` is NULL, the type of `flags` decides, by the RFC's revision. */
STOA_API H5Z_filter_t stoa_h5p_get_section_filter(hid_t plist, uint64_t section, unsigned idx,
                                                  void *flags, int is_unsigned, size_t *n,
                                                  void *values, int is_words, size_t n_name,
                                                  char *name, unsigned *config);
STOA_API H5Z_filter_t stoa_h5p_get_section_filter_by_id(hid_t plist, uint64_t section,
                                                        H5Z_filter_t filter, void *flags,
                                                        int is_unsigned, size_t *n, void *values,
                                                        int is_words, size_t n_name, char *name,
                                                        unsigned *config);

/* HDF5's own calls, which apply to every section of a structured list (RFC §2.3.3). */
STOA_API herr_t stoa_h5p_set_filter(hid_t plist, H5Z_filter_t filter, unsigned flags, size_t n,
                                    const unsigned *values);
STOA_API herr_t stoa_h5p_modify_filter(hid_t plist, H5Z_filter_t filter, unsigned flags, size_t n,
                                       const unsigned *values);
STOA_API herr_t stoa_h5p_remove_filter(hid_t plist, H5Z_filter_t filter);
STOA_API herr_t stoa_h5p_set_deflate(hid_t plist, unsigned level);
STOA_API herr_t stoa_h5p_set_shuffle(hid_t plist);
STOA_API herr_t stoa_h5p_set_fletcher32(hid_t plist);
STOA_API herr_t stoa_h5p_set_nbit(hid_t plist);
STOA_API herr_t stoa_h5p_set_scaleoffset(hid_t plist, H5Z_SO_scale_type_t type, int factor);
STOA_API herr_t stoa_h5p_set_szip(hid_t plist, unsigned options, unsigned pixels_per_block);

/** A filter's set_local() with a parameter for the section. It changes the filter's parameters in
 * the creation list with H5Pmodify_filter2() for that section. `space` has the shape of a chunk. */
typedef herr_t (*stoa_h5z_section_set_local)(hid_t dcpl, hid_t type, hid_t space,
                                             H5_section_type_t section);
/** Upstream's H5Z_class3_t: the class of a filter with such a set_local(). */
typedef struct stoa_h5z_class3 {
    int version; /**< H5Z_CLASS_T_VERS, or 3 as in upstream */
    H5Z_filter_t id;
    unsigned encoder_present;
    unsigned decoder_present;
    const char *name;
    H5Z_can_apply_func_t can_apply;       /**< may be NULL */
    stoa_h5z_section_set_local set_local; /**< may be NULL */
    H5Z_func_t filter;
} stoa_h5z_class3;

/** H5Zregister() for such a class. Its set_local() is known only in this process. */
STOA_API herr_t stoa_h5z_register3(const stoa_h5z_class3 *cls);
STOA_API herr_t stoa_h5z_unregister(H5Z_filter_t id);

/** Upstream's H5SC__cache_config_t: memory for decoded chunks. */
typedef struct stoa_h5sc_config {
    int version;       /**< H5SC__CURR_SCC_VERSION */
    size_t max_q_size; /**< bytes of a dataset's chunks that are cached between calls */
    size_t max_a_size; /**< bytes during a call; at least max_q_size. Stoa uses max_q_size
                            instead */
} stoa_h5sc_config;

/** Set on a file access list; applies to files that are created or opened with it. */
STOA_API herr_t stoa_h5p_set_scc_config(hid_t fapl, const stoa_h5sc_config *config);
STOA_API herr_t stoa_h5p_get_scc_config(hid_t fapl, stoa_h5sc_config *config);

/** The form of the selection that H5Dget_defined() returns. */
typedef enum stoa_defined_kind {
    STOA_DEFINED_BEST,   /**< hyperslabs if few suffice, else points */
    STOA_DEFINED_BLOCKS, /**< hyperslabs, which can be combined with others; slow if many */
    STOA_DEFINED_POINTS
} stoa_defined_kind;

/** H5Dget_defined() with a choice of form. The order is row-major in each form. */
STOA_API hid_t stoa_h5d_get_defined(hid_t dset, hid_t file_space, hid_t dxpl,
                                    stoa_defined_kind kind);
STOA_API herr_t stoa_h5d_erase(hid_t dset, hid_t file_space, hid_t dxpl);

STOA_API herr_t stoa_h5d_write_struct_chunk(hid_t dset, hid_t dxpl, const hsize_t *offset,
                                            const H5D_struct_chunk_info_t *chunk_info,
                                            const void *buf);
/* Revision 18 has offset and chunk_info in reverse order. */
STOA_API herr_t stoa_h5d_write_struct_chunk_r18(hid_t dset, hid_t dxpl,
                                                const H5D_struct_chunk_info_t *chunk_info,
                                                const hsize_t *offset, const void *buf);
STOA_API herr_t stoa_h5d_read_struct_chunk(hid_t dset, hid_t dxpl, const hsize_t *offset,
                                           H5D_struct_chunk_info_t *chunk_info, void *buf);
STOA_API herr_t stoa_h5d_get_struct_chunk_info(hid_t dset, hid_t fspace, hsize_t chunk_idx,
                                               hsize_t *offset, H5D_struct_chunk_info_t *chunk_info,
                                               haddr_t *addr, hsize_t *chunk_size);
STOA_API herr_t stoa_h5d_get_struct_chunk_info_by_coord(hid_t dset, const hsize_t *offset,
                                                        H5D_struct_chunk_info_t *chunk_info,
                                                        haddr_t *addr, hsize_t *chunk_size);
STOA_API herr_t stoa_h5d_struct_chunk_iter(hid_t dset, hid_t dxpl, H5D_struct_chunk_iter_op_t cb,
                                           void *op_data);

/* HDF5's own calls on dense chunks, which fail for structured ones. */
STOA_API herr_t stoa_h5d_write_chunk(hid_t dset, hid_t dxpl, uint32_t mask, const hsize_t *offset,
                                     size_t n_bytes, const void *buf);
STOA_API herr_t stoa_h5d_get_chunk_info(hid_t dset, hid_t fspace, hsize_t chunk_idx,
                                        hsize_t *offset, unsigned *mask, haddr_t *addr,
                                        hsize_t *size);
STOA_API herr_t stoa_h5d_get_chunk_info_by_coord(hid_t dset, const hsize_t *offset, unsigned *mask,
                                                 haddr_t *addr, hsize_t *size);
STOA_API herr_t stoa_h5d_chunk_iter(hid_t dset, hid_t dxpl, H5D_chunk_iter_op_t cb, void *op_data);

STOA_END_DECLS

/* --- the names ------------------------------------------------------------------------------- */

#if !defined(STOA_H5SPARSE_DECLARATIONS_ONLY)

#if defined(__cplusplus)
#include <type_traits>
namespace stoa_h5sparse
{
template <class T> struct is_unsigned {
    enum { value = 0 };
};
template <> struct is_unsigned<unsigned *> {
    enum { value = 1 };
};
template <> struct is_unsigned<const unsigned *> {
    enum { value = 1 };
};
inline herr_t write_struct_chunk(hid_t dset, hid_t dxpl, const hsize_t *offset,
                                 const H5D_struct_chunk_info_t *info, const void *buf)
{
    return stoa_h5d_write_struct_chunk(dset, dxpl, offset, info, buf);
}
inline herr_t write_struct_chunk(hid_t dset, hid_t dxpl, const H5D_struct_chunk_info_t *info,
                                 const hsize_t *offset, const void *buf)
{
    return stoa_h5d_write_struct_chunk(dset, dxpl, offset, info, buf);
}
} /* namespace stoa_h5sparse */
#define STOA_H5_IS_UNSIGNED(pointer)                                                               \
    (int)stoa_h5sparse::is_unsigned<std::decay<decltype(pointer)>::type>::value
#define H5Dwrite_struct_chunk(dset, dxpl, one, other, buf)                                         \
    stoa_h5sparse::write_struct_chunk((dset), (dxpl), (one), (other), (buf))
#else
#define STOA_H5_IS_UNSIGNED(pointer)                                                               \
    _Generic((pointer), unsigned * : 1, const unsigned * : 1, default : 0)
#define H5Dwrite_struct_chunk(dset, dxpl, one, other, buf)                                         \
    _Generic((one),                                                                                \
        H5D_struct_chunk_info_t *: stoa_h5d_write_struct_chunk_r18,                                \
        const H5D_struct_chunk_info_t *: stoa_h5d_write_struct_chunk_r18,                          \
        default: stoa_h5d_write_struct_chunk)((dset), (dxpl), (one), (other),                      \
                                              (const void *)(buf))
#endif

/* As in upstream's feature branch. They are macros, because HDF5 plans a different H5Z_class3_t. */
#define H5Z_class3_t stoa_h5z_class3
#define H5SC__cache_config_t stoa_h5sc_config
#define H5SC__CURR_SCC_VERSION 0
#define H5Pset_scc_config(fapl, config) stoa_h5p_set_scc_config((fapl), (config))
#define H5Pget_scc_config(fapl, config) stoa_h5p_get_scc_config((fapl), (config))
#define H5Zunregister(id) stoa_h5z_unregister(id)
#if defined(__cplusplus)
namespace stoa_h5sparse
{
inline herr_t register_filter(const void *cls)
{
    return H5Zregister(cls);
}
inline herr_t register_filter(const stoa_h5z_class3 *cls)
{
    return stoa_h5z_register3(cls);
}
} /* namespace stoa_h5sparse */
#define H5Zregister(cls) stoa_h5sparse::register_filter(cls)
#else
#define H5Zregister(cls)                                                                           \
    _Generic((cls),                                                                                \
        stoa_h5z_class3 *: stoa_h5z_register3,                                                     \
        const stoa_h5z_class3 *: stoa_h5z_register3,                                               \
        default: (H5Zregister))(cls)
#endif

#define STOA_H5_4TH(a, b, c, d, ...) d
#define STOA_H5_7TH(a, b, c, d, e, f, g, ...) g
#define STOA_H5_10TH(a, b, c, d, e, f, g, h, i, j, ...) j

#define H5Fcreate(name, flags, fcpl, fapl) stoa_h5f_create((name), (flags), (fcpl), (fapl))
#define H5Fopen(name, flags, fapl) stoa_h5f_open((name), (flags), (fapl))

/* 4 arguments, or the 6 of a later revision, whose last two have no meaning yet. */
#define H5Pset_struct_chunk(...)                                                                   \
    STOA_H5_7TH(__VA_ARGS__, STOA_H5_SET_STRUCT_CHUNK_6, 0, STOA_H5_SET_STRUCT_CHUNK_4, 0, 0, 0)   \
    (__VA_ARGS__)
#define STOA_H5_SET_STRUCT_CHUNK_4(plist, ndims, dim, flag)                                        \
    stoa_h5p_set_struct_chunk((plist), (ndims), (dim), (flag))
#define STOA_H5_SET_STRUCT_CHUNK_6(plist, ndims, dim, flag, data_size, data)                       \
    ((void)(data_size), (void)(data), stoa_h5p_set_struct_chunk((plist), (ndims), (dim), (flag)))
#define H5Pset_sparse_chunk(plist, ndims, dim)                                                     \
    stoa_h5p_set_struct_chunk((plist), (ndims), (dim), H5D_SPARSE_CHUNK)
#define H5Pget_struct_chunk(plist, max_ndims, dim, flag)                                           \
    stoa_h5p_get_struct_chunk((plist), (max_ndims), (dim), (flag))
#define H5Pget_struct_chunk_sections(plist, num, sections)                                         \
    stoa_h5p_get_struct_chunk_sections((plist), (num), (sections))
#define H5Pset_layout(plist, layout) stoa_h5p_set_layout((plist), (int)(layout))
#define H5Pget_layout(plist) stoa_h5p_get_layout(plist)
#define H5Pset_chunk_opts(plist, options) stoa_h5p_set_chunk_opts((plist), (options))
#define H5Pget_chunk_opts(plist, options) stoa_h5p_get_chunk_opts((plist), (options))

#define H5Pset_filter2(plist, section, filter, flags, n, values)                                   \
    stoa_h5p_set_section_filter((plist), (uint64_t)(section), (filter), (flags), (n), (values),    \
                                STOA_H5_IS_UNSIGNED(values))
#define H5Pmodify_filter2(plist, section, filter, flags, n, values)                                \
    stoa_h5p_modify_section_filter((plist), (uint64_t)(section), (filter), (flags), (n), (values), \
                                   STOA_H5_IS_UNSIGNED(values))
#define H5Premove_filter2(plist, section, filter)                                                  \
    stoa_h5p_remove_section_filter((plist), (uint64_t)(section), (filter))
/* With 2 arguments the number is returned; with 3 it is stored in the last. */
#define H5Pget_nfilters2(...)                                                                      \
    STOA_H5_4TH(__VA_ARGS__, STOA_H5_NFILTERS_3, STOA_H5_NFILTERS_2, 0, 0)(__VA_ARGS__)
#define H5Pget_nfilter2(...) H5Pget_nfilters2(__VA_ARGS__)
#define STOA_H5_NFILTERS_2(plist, section)                                                         \
    stoa_h5p_count_section_filters((plist), (uint64_t)(section))
#define STOA_H5_NFILTERS_3(plist, section, n)                                                      \
    stoa_h5p_get_section_nfilters((plist), (uint64_t)(section), (n))
#define H5Pget_filter3(plist, section, idx, flags, n, values, n_name, name, config)                \
    stoa_h5p_get_section_filter((plist), (uint64_t)(section), (idx), (flags),                      \
                                STOA_H5_IS_UNSIGNED(flags), (n), (values),                         \
                                STOA_H5_IS_UNSIGNED(values), (n_name), (name), (config))
#define H5Pget_filter_by_id3(plist, section, filter, flags, n, values, n_name, name, config)       \
    stoa_h5p_get_section_filter_by_id((plist), (uint64_t)(section), (filter), (flags),             \
                                      STOA_H5_IS_UNSIGNED(flags), (n), (values),                   \
                                      STOA_H5_IS_UNSIGNED(values), (n_name), (name), (config))
/* HDF5's own function has 8 arguments. The RFC's example 1 uses this name for H5Pget_filter3(). */
#define H5Pget_filter2(...)                                                                        \
    STOA_H5_10TH(__VA_ARGS__, STOA_H5_GET_FILTER_9, STOA_H5_GET_FILTER_8, 0, 0, 0, 0, 0, 0, 0)     \
    (__VA_ARGS__)
#define STOA_H5_GET_FILTER_8(plist, idx, flags, n, values, n_name, name, config)                   \
    (H5Pget_filter2)((plist), (idx), (flags), (n), (values), (n_name), (name), (config))
#define STOA_H5_GET_FILTER_9 H5Pget_filter3

#define H5Pset_filter(plist, filter, flags, n, values)                                             \
    stoa_h5p_set_filter((plist), (filter), (flags), (n), (values))
#define H5Pmodify_filter(plist, filter, flags, n, values)                                          \
    stoa_h5p_modify_filter((plist), (filter), (flags), (n), (values))
#define H5Premove_filter(plist, filter) stoa_h5p_remove_filter((plist), (filter))
#define H5Pset_deflate(plist, level) stoa_h5p_set_deflate((plist), (level))
#define H5Pset_shuffle(plist) stoa_h5p_set_shuffle(plist)
#define H5Pset_fletcher32(plist) stoa_h5p_set_fletcher32(plist)
#define H5Pset_nbit(plist) stoa_h5p_set_nbit(plist)
#define H5Pset_scaleoffset(plist, type, factor) stoa_h5p_set_scaleoffset((plist), (type), (factor))
#define H5Pset_szip(plist, options, pixels) stoa_h5p_set_szip((plist), (options), (pixels))

#define H5Dget_defined(dset, file_space, dxpl)                                                     \
    stoa_h5d_get_defined((dset), (file_space), (dxpl), STOA_DEFINED_BEST)
#define H5Derase(dset, file_space, dxpl) stoa_h5d_erase((dset), (file_space), (dxpl))
#define H5Dread_struct_chunk(dset, dxpl, offset, chunk_info, buf)                                  \
    stoa_h5d_read_struct_chunk((dset), (dxpl), (offset), (chunk_info), (void *)(buf))
#define H5Dget_struct_chunk_info(dset, fspace, chunk_idx, offset, chunk_info, addr, chunk_size)    \
    stoa_h5d_get_struct_chunk_info((dset), (fspace), (chunk_idx), (hsize_t *)(offset),             \
                                   (chunk_info), (addr), (chunk_size))
#define H5Dget_struct_chunk_info_by_coord(dset, offset, chunk_info, addr, chunk_size)              \
    stoa_h5d_get_struct_chunk_info_by_coord((dset), (offset), (chunk_info), (addr), (chunk_size))
#define H5Dstruct_chunk_iter(dset, dxpl, cb, op_data)                                              \
    stoa_h5d_struct_chunk_iter((dset), (dxpl), (cb), (op_data))

#define H5Dwrite_chunk(dset, dxpl, mask, offset, n_bytes, buf)                                     \
    stoa_h5d_write_chunk((dset), (dxpl), (mask), (offset), (n_bytes), (buf))
#define H5Dget_chunk_info(dset, fspace, chunk_idx, offset, mask, addr, size)                       \
    stoa_h5d_get_chunk_info((dset), (fspace), (chunk_idx), (offset), (mask), (addr), (size))
#define H5Dget_chunk_info_by_coord(dset, offset, mask, addr, size)                                 \
    stoa_h5d_get_chunk_info_by_coord((dset), (offset), (mask), (addr), (size))
#define H5Dchunk_iter(dset, dxpl, cb, op_data) stoa_h5d_chunk_iter((dset), (dxpl), (cb), (op_data))

#endif

#endif
