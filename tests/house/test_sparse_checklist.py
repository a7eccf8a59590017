"""Each item of the sparse fact sheet's checklist (§11) has its tests, by these names."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

# Item: what of it, the file below tests/, the tests.
CHECKLIST = {
    1: (
        ("the same chunks with the connector and without", "sparse/test_checklist.c",
         "a_plain_program_writes_the_same_chunks_with_and_without_the_connector"),
        ("explicit fill values", "sparse/test_checklist.c",
         "explicit_fill_values_are_kept_with_the_connector_alone"),
        ("the same by h5py of 2.x", "interop/test_other_hdf5.py",
         "test_what_h5py_writes_is_defined_where_it_differs_from_the_fill_value",
         "test_what_h5py_writes_under_the_connector_is_defined_where_it_was_written"),
    ),
    2: (
        ("edge chunks, 1 to 4 dimensions, extents of 0, growth, shrinking, growth again",
         "sparse/connector/prop_connector.c", "whatever_is_done_is_as_with_an_array_and_a_mask"),
        ("the same without libhdf5", "sparse/store/prop_store.c", "a_store_is_a_dense_array_and_a_mask"),
        ("what lies outside", "sparse/store/test_store.c", "elements_outside_of_the_extent_are_never_seen"),
    ),
    3: (
        ("points in any order and twice, strided and united hyperslabs, H5S_BLOCK, other shapes in "
         "memory, none, scalars", "sparse/connector/prop_connector.c",
         "whatever_is_done_is_as_with_an_array_and_a_mask",
         "many_elements_here_and_there_are_read_into_any_memory"),
        ("each kind of selection, walked", "sparse/store/prop_selection.c",
         "a_walk_sees_what_libhdf5_sees", "an_offset_moves_the_walk"),
    ),
    4: (
        ("types of either order and size", "sparse/connector/prop_connector.c",
         "whatever_is_done_is_as_with_an_array_and_a_mask"),
        ("a part of a compound", "sparse/connector/prop_connector.c",
         "a_member_written_alone_leaves_the_others"),
        ("many datasets in a call", "sparse/connector/prop_connector.c",
         "one_call_may_mix_sparse_and_dense_datasets_of_two_files"),
    ),
    5: (
        ("every filter", "sparse/test_checklist.c", "every_filter_acts_on_every_section",
         "an_optional_filter_that_fails_is_left_out", "a_mandatory_filter_that_fails_is_an_error",
         "a_mandatory_filter_that_is_not_there_makes_no_dataset",
         "a_filter_that_is_gone_is_named_by_who_reads"),
        ("every format", "sparse/format/prop_chunk.c", "every_chunk_comes_back"),
    ),
    6: (
        ("every truncation and bit", "fuzz/prop_sparse.c", "no_bit_and_no_length_misleads",
         "damage_under_true_checksums_is_survived"),
        ("the codec", "sparse/format/prop_chunk.c", "damage_is_an_error"),
        ("the filter", "sparse/format/prop_filter.c", "damaged_chunks_are_errors"),
        ("the library", "sparse/store/test_store.c", "every_damage_to_a_chunk_is_an_error_that_names_it"),
        ("strings and sequences", "sparse/format/prop_vlen.c",
         "damage_is_an_error_or_other_values_and_no_more"),
        ("the same, by coordinates", "sparse/array/test_array_vlen.c",
         "sections_that_contradict_each_other_are_refused"),
    ),
    7: (
        ("when and which", "sparse/test_checklist.c",
         "every_state_of_the_fill_value_is_as_in_a_dense_dataset"),
        ("longer than the parameters", "sparse/format/prop_filter.c", "programs_see_a_dense_dataset"),
        ("strings", "sparse/rfc/test_rfc_vlen.c", "early_allocation_with_a_fill_value_works"),
    ),
    8: (
        ("the order of closing, and none", "sparse/connector/prop_connector.c",
         "nothing_is_lost_in_any_order_of_closing",
         "a_program_that_ends_without_closing_loses_nothing",
         "a_file_open_for_reading_takes_no_writes"),
        ("two handles", "sparse/test_shared.c",
         "two_handles_share_edits_and_what_is_closed_last_writes_them"),
        ("flushed, then read by others", "sparse/test_checklist.c",
         "a_stock_reader_sees_what_was_flushed"),
    ),
    9: (
        ("all directions", "interop/test_other_hdf5.py",
         "test_files_of_the_trees_hdf5_are_read_everywhere",
         "test_files_of_the_older_hdf5_are_read_everywhere"),
        ("h5dump, h5diff, h5repack, h5copy", "interop/test_sparse_tools.py",
         "test_h5dump_prints_the_dense_truth",
         "test_h5diff_finds_no_difference_from_the_dense_truth_and_finds_one",
         "test_h5copy_and_h5repack_keep_what_is_defined_even_without_the_plugin"),
    ),
    10: (
        ("found, read, erased", "sparse/test_checklist.c",
         "a_million_scattered_elements_are_found_read_and_erased"),
    ),
}  # fmt: skip


class Checklist(stoa_test.TestCase):
    def test_every_item_names_tests_that_are_there(self):
        self.assertEqual(list(CHECKLIST), list(range(1, 11)))
        for item, parts in CHECKLIST.items():
            for what, file, *names in parts:
                source = (stoa_test.SOURCE / "tests" / file).read_text()
                self.assertTrue(names, what)
                for name in names:
                    pattern = rf"TEST\({name}\)" if file.endswith(".c") else rf"def {name}\("
                    self.assertRegex(source, pattern, f"{item}: {what}")


if __name__ == "__main__":
    stoa_test.main()
