/* Creation lists as the revisions of the RFC spell them (RFC §2.1, §2.3; fact sheet §10). */
#include <stdlib.h>
#include <stoa/h5sparse.h>
#include <string.h>

#include "sparse/fails.h"
#include "support/check.h"

static const hsize_t shape[2] = {4, 5};

static hid_t structured(void)
{
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, shape, H5D_SPARSE_CHUNK));
    return dcpl;
}

static void check_structured(hid_t dcpl, unsigned flag_expected)
{
    hsize_t dim[4] = {0};
    unsigned flag = 0;

    CHECK(H5Pget_layout(dcpl) == H5D_STRUCT_CHUNK);
    CHECK_I64(H5Pget_struct_chunk(dcpl, 4, dim, &flag), 2);
    CHECK_U64(dim[0], 4);
    CHECK_U64(dim[1], 5);
    CHECK_U64(flag, flag_expected);
}

static void every_spelling_makes_a_structured_list(void)
{
    hid_t dcpl = structured();
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, shape, H5D_VL_CHUNK)); /* changes its mind */
    check_structured(dcpl, H5D_VL_CHUNK);
    CHECK_H5(H5Pclose(dcpl));

    CHECK_H5(dcpl = H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, shape, H5D_SPARSE_DATA | H5D_VL_DATA, 0, NULL));
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pclose(dcpl));

    CHECK_H5(dcpl = H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_sparse_chunk(dcpl, 2, shape));
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pclose(dcpl));

    CHECK_H5(dcpl = H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_layout(dcpl, H5D_STRUCT_CHUNK));
    CHECK(H5Pget_layout(dcpl) == H5D_STRUCT_CHUNK);
    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, shape, H5D_SPARSE_CHUNK));
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pclose(dcpl));

    /* RFC §2.1.3: the model without new calls. */
    CHECK_H5(dcpl = H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_layout(dcpl, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_chunk(dcpl, 2, shape));
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pclose(dcpl));

    /* The shape first. */
    CHECK_H5(dcpl = H5Pcreate(H5P_DATASET_CREATE));
    CHECK_H5(H5Pset_chunk(dcpl, 2, shape));
    CHECK(H5Pget_layout(dcpl) == H5D_CHUNKED);
    CHECK_H5(H5Pset_layout(dcpl, H5D_STRUCT_CHUNK));
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pclose(dcpl));
}

static void a_list_survives_copies_and_encoding(void)
{
    const unsigned level = 7;
    const hid_t dcpl = structured();
    size_t n_bytes = 0;
    unsigned char bytes[8192];
    unsigned flags = 99;
    unsigned found = 0;
    size_t n = 1;

    CHECK_H5(
        H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, &level));
    const hid_t copy = (hid_t)CHECK_H5(H5Pcopy(dcpl));
    CHECK_H5(H5Pencode2(dcpl, NULL, &n_bytes, H5P_DEFAULT));
    CHECK(n_bytes <= sizeof bytes);
    CHECK_H5(H5Pencode2(dcpl, bytes, &n_bytes, H5P_DEFAULT));
    const hid_t decoded = (hid_t)CHECK_H5(H5Pdecode(bytes));
    CHECK_H5(H5Pclose(dcpl));
    const hid_t lists[2] = {copy, decoded};
    for (int i = 0; i < 2; i++) {
        check_structured(lists[i], H5D_SPARSE_CHUNK);
        CHECK_I64(H5Pget_nfilters2(lists[i], H5_SECTION_SELECTION), 0);
        CHECK_I64(H5Pget_nfilters2(lists[i], H5_SECTION_FIXED), 1);
        CHECK_I64(H5Pget_filter3(lists[i], H5_SECTION_FIXED, 0, &flags, &n, &found, 0, NULL, NULL),
                  H5Z_FILTER_DEFLATE);
        CHECK_U64(flags, H5Z_FLAG_OPTIONAL);
        CHECK_U64(n, 1);
        CHECK_U64(found, 7);
        CHECK_H5(H5Pclose(lists[i]));
    }
}

static void leaving_the_layout_leaves_the_sections(void)
{
    const hid_t dcpl = structured();
    hsize_t dim[2];

    CHECK_H5(H5Pset_layout(dcpl, H5D_CONTIGUOUS));
    CHECK(H5Pget_layout(dcpl) == H5D_CONTIGUOUS);
    CHECK_I64(H5Pget_nfilters(dcpl), 0);
    CHECK_FAILS(H5Pget_struct_chunk(dcpl, 2, dim, NULL));
    CHECK_H5(H5Pclose(dcpl));
}

static void what_makes_no_sense_is_refused(void)
{
    const hsize_t zero[2] = {4, 0};
    const hid_t dcpl = structured();
    const hid_t fapl = (hid_t)CHECK_H5(H5Pcreate(H5P_FILE_ACCESS));

    CHECK_FAILS(H5Pset_struct_chunk(dcpl, 2, shape, 0));
    CHECK_FAILS(H5Pset_struct_chunk(dcpl, 2, shape, 64));
    CHECK_FAILS(H5Pset_struct_chunk(dcpl, 2, zero, H5D_SPARSE_CHUNK));
    CHECK_FAILS(H5Pset_struct_chunk(dcpl, 0, shape, H5D_SPARSE_CHUNK));
    CHECK_FAILS(H5Pset_struct_chunk(fapl, 2, shape, H5D_SPARSE_CHUNK));
    CHECK_FAILS(H5Pset_filter2(dcpl, 7, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK_FAILS(H5Pset_filter2(dcpl, H5_SECTION_UNKNOWN, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK_FAILS(H5Pset_filter2(fapl, 0, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK_FAILS(H5Pget_nfilters2(dcpl, 3));
    CHECK_FAILS(H5Pget_filter3(dcpl, 0, 0, (unsigned *)NULL, NULL, NULL, 0, NULL, NULL));
    CHECK_FAILS(H5Pmodify_filter2(dcpl, 0, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK_FAILS(H5Premove_filter2(dcpl, 0, H5Z_FILTER_SHUFFLE));
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_H5(H5Pclose(fapl));
    CHECK_H5(H5Pclose(dcpl));
}

/* Upstream's tests set it. */
static void an_option_for_partial_chunks_is_given_back(void)
{
    const hid_t dcpl = structured();
    const hid_t plain = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    unsigned options = 1;

    CHECK_H5(H5Pget_chunk_opts(dcpl, &options));
    CHECK_U64(options, 0);
    CHECK_H5(H5Pset_chunk_opts(dcpl, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    CHECK_H5(H5Pget_chunk_opts(dcpl, &options));
    CHECK_U64(options, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    CHECK_H5(H5Pset_chunk_opts(dcpl, 0));
    CHECK_H5(H5Pget_chunk_opts(dcpl, &options));
    CHECK_U64(options, 0);
    check_structured(dcpl, H5D_SPARSE_CHUNK);
    CHECK_FAILS(H5Pset_chunk_opts(dcpl, 64));
    CHECK_FAILS(H5Pget_chunk_opts(plain, &options)); /* it has no chunks */
    CHECK_H5(H5Pclose(plain));
    CHECK_H5(H5Pclose(dcpl));
}

/* Each of a section's filters by number. */
static void check_filters(hid_t dcpl, uint64_t section, int n, const H5Z_filter_t *expected)
{
    int found = -1;

    CHECK_I64(H5Pget_nfilters2(dcpl, section), n);
    CHECK_I64(H5Pget_nfilter2(dcpl, section), n);
    CHECK_H5(H5Pget_nfilter2(dcpl, section, &found));
    CHECK_I64(found, n);
    for (int i = 0; i < n; i++) {
        CHECK_I64(
            H5Pget_filter3(dcpl, section, (unsigned)i, (uint64_t *)NULL, NULL, NULL, 0, NULL, NULL),
            expected[i]);
    }
}

static void hdf5s_own_calls_act_on_every_section_in_any_order(void)
{
    static const H5Z_filter_t both[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
    const hid_t before = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t after = structured();
    const hid_t vl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_shuffle(before));
    CHECK_H5(H5Pset_deflate(before, 3));
    CHECK_H5(H5Pset_struct_chunk(before, 2, shape, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_shuffle(after));
    CHECK_H5(H5Pset_deflate(after, 3));
    CHECK_H5(H5Pset_struct_chunk(vl, 2, shape, H5D_VL_CHUNK));
    CHECK_H5(H5Pset_shuffle(vl));
    CHECK_H5(H5Pset_deflate(vl, 3));
    const hid_t lists[3] = {before, after, vl};
    for (int i = 0; i < 3; i++) {
        int n_sections = 0;
        H5_section_type_t sections[3];
        CHECK_H5(H5Pget_struct_chunk_sections(lists[i], &n_sections, sections));
        CHECK_I64(n_sections, 3); /* elements may turn out to be of variable length */
        CHECK_I64((H5Pget_nfilters)(lists[i]), 1); /* what a stock program sees */
        for (int k = 0; k < n_sections; k++) {
            unsigned value = 0;
            size_t n = 1;
            unsigned flags = 0;
            CHECK_I64(sections[k], k);
            check_filters(lists[i], (uint64_t)k, 2, both);
            CHECK_H5(H5Pget_filter_by_id3(lists[i], k, H5Z_FILTER_DEFLATE, &flags, &n, &value, 0,
                                          NULL, NULL));
            CHECK_U64(value, 3);
        }
    }
    CHECK_H5(H5Premove_filter(after, H5Z_FILTER_SHUFFLE));
    check_filters(after, 0, 1, both + 1);
    check_filters(after, 1, 1, both + 1);
    CHECK_H5(H5Premove_filter2(after, H5_SECTION_FIXED, H5Z_FILTER_ALL));
    check_filters(after, 1, 0, NULL);
    check_filters(after, 0, 1, both + 1);
    CHECK_H5(H5Pset_fletcher32(after));
    CHECK_H5(H5Pset_nbit(after));
    CHECK_H5(H5Pset_scaleoffset(after, H5Z_SO_INT, 0));
    CHECK_I64(H5Pget_nfilters2(after, 0), 4);
    CHECK_I64(H5Pget_nfilters2(after, 1), 3);
    check_structured(after, H5D_SPARSE_CHUNK);
    for (int i = 0; i < 3; i++) {
        CHECK_H5(H5Pclose(lists[i]));
    }
}

/* The count is of bytes or of values; a filter that is known decides. */
static void values_of_filters_may_be_counted_either_way(void)
{
    const unsigned level = 9;
    const unsigned packing[2] = {H5_SZIP_NN_OPTION_MASK, 4};
    const unsigned others[3] = {11, 12, 13};
    const uint64_t flags64 = H5Z_FLAG_OPTIONAL;
    const unsigned flags32 = H5Z_FLAG_OPTIONAL;

    for (int i = 0; i < 4; i++) {
        const hid_t dcpl = structured();
        unsigned values[8] = {0};
        uint64_t flags = 0;
        size_t n = 8;
        switch (i) {
        case 0: /* revision 22, and the example of 18 */
            CHECK_H5(H5Pset_filter2(dcpl, 0, H5Z_FILTER_DEFLATE, flags32, 1, &level));
            CHECK_H5(H5Pset_filter2(dcpl, 1, 300, flags32, 3, others));
            break;
        case 1: /* revision 18 by its text */
            CHECK_H5(H5Pset_filter2(dcpl, 0, H5Z_FILTER_DEFLATE, flags64, sizeof level,
                                    (const void *)&level));
            CHECK_H5(H5Pset_filter2(dcpl, 1, 300, flags64, sizeof others, (const void *)others));
            break;
        case 2:
            CHECK_H5(H5Pset_filter2(dcpl, 0, H5Z_FILTER_DEFLATE, flags64, sizeof level, &level));
            CHECK_H5(H5Pset_filter2(dcpl, 1, 300, flags64, 3, others));
            break;
        default:
            CHECK_H5(H5Pset_filter2(dcpl, 0, H5Z_FILTER_DEFLATE, flags64, 1, (const void *)&level));
            CHECK_H5(H5Pset_filter2(dcpl, 1, 300, flags64, 3, others));
            break;
        }
        CHECK_I64(H5Pget_filter3(dcpl, 0, 0, &flags, &n, values, 0, NULL, NULL),
                  H5Z_FILTER_DEFLATE);
        CHECK_U64(n, 1);
        CHECK_U64(values[0], 9);
        CHECK_U64(flags, H5Z_FLAG_OPTIONAL);
        n = sizeof values; /* bytes of what has no type */
        CHECK_I64(H5Pget_filter3(dcpl, 1, 0, &flags, &n, (void *)values, 0, NULL, NULL), 300);
        CHECK_U64(n, 12);
        CHECK_MEM(values, others, sizeof others);
        CHECK_H5(H5Pset_filter2(dcpl, 0, H5Z_FILTER_SZIP, flags32, i % 2 == 0 ? 2 : 8, packing));
        n = 8;
        CHECK_H5(H5Pget_filter_by_id3(dcpl, 0, H5Z_FILTER_SZIP, &flags, &n, values, 0, NULL, NULL));
        CHECK_U64(n, 2);
        CHECK_MEM(values, packing, sizeof packing);
        CHECK_H5(H5Pclose(dcpl));
    }
}

/* RFC §2.4.1, as it stands there. */
static void the_questions_of_example_1_are_answered(void)
{
    H5Z_filter_t filter_type;
    uint64_t flags;
    size_t nelmts = 1;
    unsigned int data = 9;
    unsigned filter_info = 0;
    unsigned idx = 0;
    char name[16] = "";
    const hid_t dcpl = structured();

    flags = H5Z_FLAG_OPTIONAL;
    CHECK_H5(
        H5Pset_filter2(dcpl, H5Z_FLAG_SPARSE_SELECTION, H5Z_FILTER_DEFAULT, flags, nelmts, &data));
    CHECK_I64(H5Pget_nfilters2(dcpl, H5Z_FLAG_SPARSE_SELECTION), 1);
    nelmts = 0;
    flags = 0;
    filter_type = H5Pget_filter2(dcpl, H5Z_FLAG_SPARSE_SELECTION, idx, &flags, &nelmts, NULL, 0,
                                 NULL, &filter_info);
    CHECK_I64(filter_type, H5Z_FILTER_DEFLATE);
    CHECK_U64(flags, H5Z_FLAG_OPTIONAL);
    CHECK_U64(nelmts, 4); /* bytes, as nothing says otherwise */
    CHECK_U64(filter_info, H5Z_FILTER_CONFIG_ENCODE_ENABLED | H5Z_FILTER_CONFIG_DECODE_ENABLED);
    CHECK_H5(H5Pget_filter_by_id3(dcpl, 0, H5Z_FILTER_DEFLATE, &flags, NULL, NULL, sizeof name,
                                  name, NULL));
    CHECK_STR(name, "deflate");
    CHECK_H5(H5Pclose(dcpl));
}

static void filters_may_come_before_the_layout(void)
{
    static const H5Z_filter_t expected[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE};
    unsigned level = 5;
    const hid_t dcpl = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));

    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    CHECK(H5Pget_layout(dcpl) == H5D_CONTIGUOUS);
    CHECK_H5(H5Pset_struct_chunk(dcpl, 2, shape, H5D_SPARSE_CHUNK));
    CHECK_H5(H5Pset_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, 0, 1, &level));
    check_filters(dcpl, H5_SECTION_FIXED, 2, expected);
    check_filters(dcpl, H5_SECTION_SELECTION, 0, NULL);
    level = 2;
    CHECK_H5(H5Pmodify_filter2(dcpl, H5_SECTION_FIXED, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1,
                               &level));
    unsigned value = 0;
    unsigned flags = 0;
    size_t n = 1;
    CHECK_I64(H5Pget_filter2(dcpl, H5_SECTION_FIXED, 1, &flags, &n, &value, 0, NULL, NULL),
              H5Z_FILTER_DEFLATE);
    CHECK_U64(value, 2);
    CHECK_U64(flags, H5Z_FLAG_OPTIONAL);
    CHECK_H5(H5Pclose(dcpl));
}

/* RFC §2.3: ordinary chunks, and groups, have one section. */
static void other_lists_have_one_section(void)
{
    const unsigned level = 6;
    const hid_t dense = (hid_t)CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const hid_t group = (hid_t)CHECK_H5(H5Pcreate(H5P_GROUP_CREATE));
    unsigned value = 0;
    unsigned flags = 0;
    size_t n = 1;

    CHECK_H5(H5Pset_chunk(dense, 2, shape));
    CHECK_H5(H5Pset_filter2(dense, 0, H5Z_FILTER_DEFLATE, 0, 1, &level));
    CHECK_H5(H5Pset_filter2(group, 0, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, &level));
    CHECK(H5Pget_layout(dense) == H5D_CHUNKED);
    CHECK_I64(H5Pget_filter2(dense, 0, &flags, &n, &value, 0, NULL, NULL), H5Z_FILTER_DEFLATE);
    CHECK_U64(value, 6);
    CHECK_I64(H5Pget_nfilters2(dense, 0), 1);
    CHECK_I64(H5Pget_nfilters2(group, 0), 1);
    CHECK_H5(H5Premove_filter2(dense, 0, H5Z_FILTER_DEFLATE));
    CHECK_I64(H5Pget_nfilters(dense), 0);
    CHECK_H5(H5Pset_shuffle(dense));
    CHECK_H5(H5Pset_deflate(dense, 1));
    CHECK_I64(H5Pget_nfilters(dense), 2);
    CHECK_H5(H5Pclose(group));
    CHECK_H5(H5Pclose(dense));
}

/* As libhdf5's own: in the stack, for the program to print. */
static void a_failure_is_in_the_error_stack(void)
{
    const hid_t dcpl = structured();

    CHECK_FAILS(H5Pset_filter2(dcpl, 9, H5Z_FILTER_SHUFFLE, 0, 0, NULL));
    H5E_BEGIN_TRY
    {
        (void)H5Pset_filter2(dcpl, 9, H5Z_FILTER_SHUFFLE, 0, 0, NULL);
    }
    H5E_END_TRY
    CHECK_I64(H5Eget_num(H5E_DEFAULT), 1);
    CHECK_H5(H5Eclear2(H5E_DEFAULT));
    CHECK_H5(H5Pclose(dcpl));
}

TEST_MAIN(TEST(every_spelling_makes_a_structured_list), TEST(a_list_survives_copies_and_encoding),
          TEST(leaving_the_layout_leaves_the_sections), TEST(what_makes_no_sense_is_refused),
          TEST(an_option_for_partial_chunks_is_given_back),
          TEST(hdf5s_own_calls_act_on_every_section_in_any_order),
          TEST(values_of_filters_may_be_counted_either_way),
          TEST(the_questions_of_example_1_are_answered), TEST(filters_may_come_before_the_layout),
          TEST(other_lists_have_one_section), TEST(a_failure_is_in_the_error_stack))
