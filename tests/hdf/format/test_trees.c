/* B-trees to their bounds, and down to their leaves: src/hdf/format/trees.c. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdf/block_file.h"

/* --- version 2: down to the leaves ----------------------------------------------------------- */

enum { RECORD = 17, FLAG_AT = 8, ROOM = 1 << 19, HEADER_AT = 64, FIRST_NODE = 4096 };

/* Records of attributes' names in a tree of nodes; one of them may be shared. */
typedef struct made_tree {
    uint8_t *file;
    size_t end;
    uint64_t node; /* bytes */
    uint64_t n_records;
    uint64_t n_nodes;
    uint64_t shared; /* the record that is; UINT64_MAX: none */
    stoa_superblock how;
} made_tree;

static unsigned bytes_of(uint64_t most)
{
    unsigned n = 1;

    for (; most > 255; most /= 256) {
        n++;
    }
    return n;
}

static uint64_t in_leaf(const made_tree *t)
{
    return (t->node - 10) / RECORD;
}

/* Bytes of a pointer to a node of `level`, and records in all below it at most. */
static unsigned pointer_bytes(const made_tree *t, unsigned level, uint64_t *most)
{
    uint64_t below = in_leaf(t);
    unsigned pointer = 0;

    for (unsigned i = 1; i <= level; i++) {
        pointer = t->how.address_size + bytes_of(in_leaf(t)) + (i > 1 ? bytes_of(below) : 0);
        const uint64_t n = (t->node - 10 - pointer) / (RECORD + pointer);
        below = (n + 1) * below + n;
    }
    *most = below;
    return pointer;
}

/* A node with some records, and below it others; its records come before those of its children. */
static size_t put_node(made_tree *t, unsigned level, uint64_t *n)
{
    const size_t at = t->end;
    uint64_t unused = 0;
    const unsigned pointer = pointer_bytes(t, level, &unused);
    const uint64_t most = level == 0 ? in_leaf(t) : 1 + check_random_below(2);

    *n = level == 0 && check_random_below(3) == 0 ? most : 1 + check_random_below(most);
    t->end += t->node;
    t->n_nodes++;
    CHECK(t->end <= ROOM);
    memcpy(t->file + at, level == 0 ? "BTLF\0\10" : "BTIN\0\10", 6);
    for (uint64_t i = 0; i < *n; i++) {
        uint8_t *const record = t->file + at + 6 + i * RECORD;
        memset(record, 0xff, RECORD);
        record[FLAG_AT] = t->n_records++ == t->shared ? 0xff : 0xfd;
    }
    for (uint64_t i = 0; level > 0 && i <= *n; i++) {
        uint8_t *const to = t->file + at + 6 + *n * RECORD + i * pointer;
        uint64_t n_there = 0;
        const size_t child = put_node(t, level - 1, &n_there);
        memset(to, 0xff, pointer);
        put(to, child, t->how.address_size);
        put(to + t->how.address_size, n_there, bytes_of(in_leaf(t)));
    }
    return at;
}

static bool sets(const made_tree *t, uint8_t bits)
{
    stoa_journal *journal = NULL;
    const int fd = block_file(t->file, t->end);

    CHECK_OK(stoa_journal_plain(fd, &journal, NULL));
    const stoa_block block = {.file = &t->how, .journal = journal, .bytes = t->file, .n = 8};
    const bool is_set = stoa_tree_sets(&block, HEADER_AT, FLAG_AT, bits);
    stoa_journal_end_transaction(journal);
    CHECK(close(fd) == 0);
    return is_set;
}

/* The same tree each time a seed is the same. */
static void make_tree(made_tree *t, unsigned depth)
{
    uint64_t n = 0;
    uint8_t *const header = t->file + HEADER_AT;

    memset(t->file, 0, ROOM);
    t->end = FIRST_NODE;
    t->n_records = 0;
    t->n_nodes = 0;
    const size_t root = put_node(t, depth, &n);
    memcpy(header, "BTHD\0\10", 6);
    put(header + 6, t->node, 4);
    put(header + 10, RECORD, 2);
    put(header + 12, depth, 2);
    put(header + 16, root, t->how.address_size);
    put(header + 16 + t->how.address_size, n, 2);
}

static void a_bit_is_found_in_whatever_record_it_is_set(void)
{
    static const uint64_t nodes[] = {256, 512, 2048, 6000};
    made_tree t = {.file = malloc(ROOM)};

    CHECK(t.file != NULL);
    for (uint64_t i = check_n_cases(150); i > 0; i--) {
        const unsigned depth = (unsigned)check_random_below(3);
        t.node = nodes[check_random_below(depth == 2 ? 2 : 4)];
        t.how =
            (stoa_superblock){.length_size = 8, .address_size = check_random_below(2) == 0 ? 4 : 8};
        t.shared = UINT64_MAX;
        make_tree(&t, depth);
        CHECK(!sets(&t, 2));
        CHECK(sets(&t, 1)); /* which all have */
        t.shared = check_random_below(20);
        make_tree(&t, depth);
        CHECK(sets(&t, 2) == (t.shared < t.n_records));
    }
    free(t.file);
}

/* Every node of a tree takes up room in the file: one that has more leads round. */
static void a_tree_that_leads_round_is_none(void)
{
    made_tree t = {.file = malloc(ROOM), .node = 512, .shared = UINT64_MAX, .how = wide};

    CHECK(t.file != NULL);
    make_tree(&t, 2);
    uint8_t *const root = t.file + FIRST_NODE;
    const uint64_t n = stoa_little_endian(t.file + HEADER_AT + 24, 2);
    put(t.file + HEADER_AT + 12, 40, 2); /* of forty levels, all of them the root */
    for (uint64_t i = 0; i <= n; i++) {
        put(root + 6 + n * RECORD + i * 11, FIRST_NODE, 8);
    }
    CHECK(sets(&t, 2));
    put(t.file + HEADER_AT + 16, UINT64_MAX, 8); /* there is no root: no records */
    CHECK(!sets(&t, 2));
    memset(t.file + HEADER_AT, 0, 40); /* nor a tree */
    CHECK(!sets(&t, 2));
    free(t.file);
}

static void a_child_that_says_more_than_fits_is_none(void)
{
    made_tree t = {.file = malloc(ROOM), .node = 512, .shared = UINT64_MAX, .how = wide};

    CHECK(t.file != NULL);
    make_tree(&t, 1);
    const uint64_t n = stoa_little_endian(t.file + HEADER_AT + 24, 2);
    uint8_t *const pointer = t.file + FIRST_NODE + 6 + n * RECORD;
    const uint8_t kept = pointer[8];
    pointer[8] = 30; /* 29 of 17 bytes are 493 of 502 */
    CHECK(sets(&t, 2));
    pointer[8] = kept;
    CHECK(!sets(&t, 2));
    put(pointer, UINT64_MAX - 100, 8); /* it cannot be read: who reads it will tell */
    pointer[8] = 0;
    CHECK(!sets(&t, 2));
    free(t.file);
}

/* --- version 2: headers ---------------------------------------------------------------------- */

static bool header_is_sound(unsigned address_size, unsigned kind, uint64_t node, uint64_t record,
                            uint64_t depth, uint64_t n_records, size_t n)
{
    const stoa_superblock how = {.length_size = 8, .address_size = address_size};
    uint8_t header[64] = "BTHD";

    header[5] = (uint8_t)kind;
    put(header + 6, node, 4);
    put(header + 10, record, 2);
    put(header + 12, depth, 2);
    put(header + 16 + address_size, n_records, 2);
    return is_fit(header, sizeof header, 0, n, &how, false);
}

/* Records of every kind are of one size where addresses have four bytes, too. */
static void records_have_the_size_of_their_kind(void)
{
    static const struct {
        unsigned kind, size, short_size;
    } kinds[] = {{1, 24, 20}, {2, 36, 32}, {3, 16, 12}, {4, 28, 24}, {5, 11, 11},
                 {6, 15, 15}, {7, 17, 17}, {8, 17, 17}, {9, 13, 13}};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (unsigned size = 1; size < 60; size++) {
            CHECK(header_is_sound(8, kinds[i].kind, 512, size, 0, 1, 38) ==
                  (size == kinds[i].size));
            CHECK(header_is_sound(4, kinds[i].kind, 512, size, 0, 1, 34) ==
                  (size == kinds[i].short_size));
        }
    }
    for (unsigned size = 1; size < 400; size++) { /* of chunks: an address, up to 32 numbers */
        CHECK(header_is_sound(8, 10, 4096, size, 0, 1, 38) ==
              (size > 8 && size % 8 == 0 && size <= 8 + 32 * 8));
        CHECK(header_is_sound(4, 10, 4096, size, 0, 1, 34) ==
              (size > 4 && size % 8 == 4 && size <= 4 + 32 * 8));
        CHECK(header_is_sound(8, 11, 4096, size, 0, 1, 38) == (size > 20 && size <= 12 + 33 * 8));
        CHECK(header_is_sound(4, 11, 4096, size, 0, 1, 34) == (size > 16 && size <= 8 + 33 * 8));
    }
}

/* What libhdf5 read is too short to say anything. */
static void a_header_that_is_cut_short_says_nothing(void)
{
    for (size_t n = 8; n < 40; n++) {
        CHECK(header_is_sound(8, 0, 512, 17, 0, 1, n) == (n < 26));
        CHECK(header_is_sound(4, 0, 512, 17, 0, 1, n) == (n < 22));
    }
}

static void large_nodes_are_in_the_file(void)
{
    CHECK(header_is_sound(8, 8, 65536, 17, 0, 1, 38)); /* of a file of 64 bytes */
    CHECK(!header_is_sound(8, 8, 65537, 17, 0, 1, 38));
    uint8_t *file = calloc(1, 70000);
    CHECK(file != NULL);
    memcpy(file, "BTHD\0\10", 6);
    put(file + 10, RECORD, 2);
    for (uint64_t node = 69999; node <= 70001; node++) {
        put(file + 6, node, 4);
        CHECK(is_fit(file, 70000, 0, 38, &wide, false) == (node <= 70000));
    }
    free(file);
}

static void levels_are_64_at_most(void)
{
    CHECK(header_is_sound(8, 8, 60000, 17, 64, 1, 38));
    CHECK(!header_is_sound(8, 8, 60000, 17, 65, 1, 38));
}

/* A node above the leaves holds two pointers and a record; the root no more than fits. */
static void the_root_holds_what_its_level_lets_it(void)
{
    for (unsigned depth = 0; depth <= 3; depth++) {
        for (uint64_t node = 30; node < 3000; node += 1 + node / 9) {
            made_tree t = {.node = node, .how = wide};
            uint64_t below = 0;
            const unsigned pointer = in_leaf(&t) > 0 ? pointer_bytes(&t, depth, &below) : 0;
            const bool has_room = node >= 10 + 2 * (uint64_t)pointer + RECORD;
            const uint64_t most =
                depth == 0 ? in_leaf(&t) : (node - 10 - pointer) / (RECORD + pointer);
            CHECK(header_is_sound(8, 8, node, RECORD, depth, 0, 38) == has_room);
            if (has_room) {
                CHECK(header_is_sound(8, 8, node, RECORD, depth, most, 38));
                CHECK(!header_is_sound(8, 8, node, RECORD, depth, most + 1, 38));
            }
        }
    }
}

/* --- version 1 ------------------------------------------------------------------------------- */

enum { LEAF_AT = 20000, OLD_ROOM = 40000 };

/* A node of `n` children, the last of which is of level `child`. */
static bool old_is_sound(const stoa_superblock *how, unsigned kind, size_t key, unsigned level,
                         unsigned n, unsigned child, size_t cut)
{
    uint8_t *file = calloc(1, OLD_ROOM);
    const unsigned address = how->address_size;
    const size_t fixed = 8 + 2 * (size_t)address;
    const size_t room = 2 * (size_t)how->chunk_tree_k;
    const size_t size = fixed + room * (address + key) + key - cut;

    CHECK(file != NULL && size < LEAF_AT);
    memcpy(file, "TREE", 4);
    file[4] = (uint8_t)kind;
    file[5] = (uint8_t)level;
    put(file + 6, n, 2);
    for (unsigned i = 0; i < n && i < room; i++) {
        uint8_t *const leaf = file + LEAF_AT + 10 * (size_t)i;
        put(file + fixed + i * (address + key) + key, (uint64_t)(leaf - file), address);
        put(file + fixed + i * (address + key) + 8, i, kind == 1 && key > 16 ? 8 : 0);
        memcpy(leaf, "TREE", 4);
        leaf[5] = (uint8_t)(i + 1 == n ? child : level - 1);
    }
    const bool is_sound = is_fit(file, OLD_ROOM, 0, size, how, false);
    free(file);
    return is_sound;
}

static void the_last_child_of_an_old_tree_is_looked_at(void)
{
    static const stoa_superblock narrow = {.length_size = 8, .address_size = 4, .chunk_tree_k = 16};
    const stoa_superblock *const hows[] = {&wide, &narrow};

    for (size_t i = 0; i < 2; i++) {
        const unsigned most = 2 * hows[i]->chunk_tree_k;
        for (unsigned rank = 2; rank <= 33; rank += rank == 3 ? 15 : rank == 18 ? 15 : 1) {
            const size_t key = 8 + 8 * (size_t)rank;
            for (unsigned n = 1; n <= most; n += n == 1 ? most / 2 : most - n > 0 ? most - n : 1) {
                CHECK(old_is_sound(hows[i], 1, key, 3, n, 2, 0));
                CHECK(!old_is_sound(hows[i], 1, key, 3, n, 3, 0));
                CHECK(!old_is_sound(hows[i], 1, key, 3, n, 1, 0));
            }
            CHECK(!old_is_sound(hows[i], 1, key, 3, most + 1, 2,
                                0)); /* more than there is room for */
        }
        CHECK(old_is_sound(hows[i], 1, 8 + 8, 3, 2, 3, 0)); /* of one dimension there is none */
        CHECK(old_is_sound(hows[i], 1, 8 + 8 * 34, 3, 2, 3, 0));
        CHECK(old_is_sound(hows[i], 1, 24, 0, 2, 0, 0)); /* a leaf leads to no node */
        CHECK(
            old_is_sound(hows[i], 1, 24, 3, 2, 3, 1)); /* of another length it is none of chunks */
        CHECK(old_is_sound(hows[i], 2, 24, 3, 2, 3, 0));
        CHECK(!old_is_sound(hows[i], 0, 8, 3, 2, 3, 0)); /* of a group: a key is a length */
        CHECK(old_is_sound(hows[i], 0, 8, 3, 2, 2, 0));
    }
}

static void an_old_tree_that_is_cut_short_says_nothing(void)
{
    uint8_t file[200] = "TREE";

    file[5] = 1;
    put(file + 6, 1, 2);
    put(file + 24 + 8, 100, 8);
    memcpy(file + 100, "TREE\0\5", 6);
    for (size_t n = 8; n < 60; n++) {
        /* From 24 bytes on it has a head; with no room for an entry it is refused. */
        CHECK(is_fit(file, sizeof file, 0, n, &wide, false) == (n < 24));
    }
}

/* --- chunks in version 1 trees --------------------------------------------------------------- */

enum { EDGE = 13 };

/* A dataset of `rank` dimensions whose chunks came in any order, in the earliest format. */
static void make_chunks(const char *path, int rank)
{
    const hid_t dcpl = CHECK_H5(H5Pcreate(H5P_DATASET_CREATE));
    const uint8_t byte = 1;
    hsize_t extent[3];
    hsize_t most[3];
    hsize_t chunk[3];
    hsize_t at[3];

    for (int i = 0; i < rank; i++) {
        extent[i] = rank == 1 ? EDGE * EDGE * EDGE : EDGE;
        most[i] = H5S_UNLIMITED;
        chunk[i] = 1;
    }
    CHECK_H5(H5Pset_chunk(dcpl, rank, chunk));
    const hid_t file = CHECK_H5(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t space = CHECK_H5(H5Screate_simple(rank, extent, most));
    const hid_t x =
        CHECK_H5(H5Dcreate2(file, "x", H5T_STD_U8LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    for (int round = 0; round < 2; round++) {
        for (int n = (int)check_random_below(1500); n > 0; n--) {
            for (int i = 0; i < rank; i++) {
                at[i] = check_random_below(extent[i]);
            }
            CHECK_H5(H5Dwrite_chunk(x, H5P_DEFAULT, 0, at, 1, &byte));
        }
        for (int i = 0; round == 0 && i < rank; i++) { /* some go, and others come */
            at[i] = extent[i] - check_random_below(extent[i]);
        }
        CHECK_H5(round == 0 ? H5Dset_extent(x, at) : 0);
        CHECK_H5(round == 0 ? H5Dset_extent(x, extent) : 0);
    }
    CHECK_H5(H5Dclose(x));
    CHECK_H5(H5Sclose(space));
    CHECK_H5(H5Fclose(file));
    CHECK_H5(H5Pclose(dcpl));
}

static void keys_that_libhdf5_wrote_rise(void)
{
    static uint8_t bytes[1 << 22];
    uint64_t n_nodes = 0;

    for (int rank = 1; rank <= 3; rank++) {
        const char *const path = check_path("chunks.h5");
        const size_t key = 8 + 8 * (size_t)(rank + 1);
        const size_t node = 24 + 64 * (8 + key) + key;
        make_chunks(path, rank);
        FILE *const stream = fopen(path, "rb");
        CHECK(stream != NULL);
        const size_t size = fread(bytes, 1, sizeof bytes, stream);
        CHECK(size < sizeof bytes && fclose(stream) == 0);
        for (size_t at = 0; at + node <= size; at++) {
            if (memcmp(bytes + at, "TREE\1", 5) == 0) {
                CHECK(is_fit(bytes, size, at, node, &wide, false));
                n_nodes++;
            }
        }
    }
    CHECK(n_nodes >= 3);
}

static void keys_of_chunks_rise_and_name_whole_elements(void)
{
    enum { RANK = 3, KEY = 8 + 8 * RANK, STEP = KEY + 8, NODE = 24 + 64 * STEP + KEY };
    static const uint64_t keys[][RANK] = {{0, 0, 0}, {0, 256, 0}, {2, 0, 0}, {2, 1, 0}, {1, 0, 1}};
    static const struct {
        size_t which;
        size_t dimension;
        uint64_t value;
        bool is_sound;
    } changes[] = {{0, 0, 0, true},  {1, 1, 255, true},  {0, 2, 1, false},
                   {3, 2, 1, false}, {4, 2, 0, true}, /* behind the last one */
                   {1, 1, 0, false}, {2, 0, 0, false},   {3, 1, 0, false},
                   {0, 0, 1, false}, {0, 1, 256, false}, {3, 0, UINT64_MAX, true}};
    stoa_superblock extended = wide;

    extended.is_extended = true;
    for (unsigned level = 0; level < 2; level++) {
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
            static uint8_t file[2 * NODE];
            memset(file, 0, sizeof file);
            memcpy(file, "TREE\1", 5);
            file[5] = (uint8_t)level;
            file[6] = sizeof keys / sizeof *keys - 1;
            for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
                put(file + 24 + i * STEP + KEY, UINT64_MAX, 8); /* to no node */
                for (size_t k = 0; k < RANK; k++) {
                    const bool is_it = i == changes[c].which && k == changes[c].dimension;
                    put(file + 24 + i * STEP + 8 + 8 * k, is_it ? changes[c].value : keys[i][k], 8);
                }
            }
            CHECK(is_fit(file, sizeof file, 0, NODE, &wide, false) == changes[c].is_sound);
            CHECK(is_fit(file, sizeof file, 0, NODE, &extended, false));
        }
    }
}

TEST_MAIN(TEST(a_bit_is_found_in_whatever_record_it_is_set), TEST(a_tree_that_leads_round_is_none),
          TEST(a_child_that_says_more_than_fits_is_none), TEST(records_have_the_size_of_their_kind),
          TEST(a_header_that_is_cut_short_says_nothing), TEST(large_nodes_are_in_the_file),
          TEST(levels_are_64_at_most), TEST(the_root_holds_what_its_level_lets_it),
          TEST(keys_that_libhdf5_wrote_rise), TEST(keys_of_chunks_rise_and_name_whole_elements),
          TEST(the_last_child_of_an_old_tree_is_looked_at),
          TEST(an_old_tree_that_is_cut_short_says_nothing))
