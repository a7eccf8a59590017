"""The rooms of src/ stand on each other in one direction, and only some of them know HDF5."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

# A room, and the rooms it stands on directly; what those stand on, it stands on too.
STANDS_ON = {
    "core": (),
    "arrow": ("core",),
    "codec": ("core",),
    "hdf": ("arrow", "codec"),
    "column": ("hdf",),
    "index": ("column",),
    "table": ("index",),
    "check": ("table",),
    "query": ("table",),
    "sparse": ("hdf",),
    "layout": ("query", "sparse"),
    "sql": ("layout",),
    "cli": ("sql", "check"),
}
KNOW_NO_HDF5 = ("core", "arrow", "codec")

# A folder of layout/ is one layout, but for these; which others it stands on.
LAYOUTS_SHARE = set("common convert input open subset text".split())
LAYOUTS_STAND_ON = {
    "anndata": ("hep001", "pandas", "pytables"),
    "arkouda": (),
    "binsparse": (),
    "csv": (),
    "hep001": ("pytables",),
    "jsonl": ("csv",),
    "lh5": (),
    "matrix": (),
    "numpy": (),
    "pandas": ("pickle", "pytables"),
    "pickle": (),
    "plain": ("pytables",),
    "pytables": ("pickle",),
}

# Who may call H5Dread() outside of hdf/, and has looked at the chunks before; else see hdf/read/checked_reader.h.
READS = {
    "sparse/array/array_vlen.c",  # structured chunks, through the filter
    "sparse/format/libhdf5_filter.c",  # a dataset in memory, made for one chunk
    "sparse/tools/relayout_buffer.c",  # points
}
# Calls that believe the file, and who may make them: see hdf/copy/object_storage.h, hdf/metadata/libhdf5_checks.h.
DOORS = (
    (re.compile(r"\bH5Dread(_multi)?\("), READS),
    # A copy of a sparse array is looked at by connector_copy_check.c.
    (re.compile(r"\bH5Ocopy\("), {"sparse/tools/copy.c"}),
    (re.compile(r"\bH5Dget_create_plist\("), set()),
    (re.compile(r"\b(H5Ldelete|H5Ldelete_by_idx)\("), set()),
)

# A label that cleans nothing up.
ONLY_RETURNS = re.compile(r"^done:\n +return status;$", re.M)

# Calls that open what a path names may be led into another file (stoa_open_here() is not). Who may
# make them: cli/ has files that Stoa opened, whose driver refuses; and these.
OPENS = re.compile(r"\b(H5Oopen|H5Gopen2|H5Dopen2)\((?![^;]{0,80}\"[/.]\",)")
MAY_OPEN = {
    "column/open.c",  # hard links
    "layout/anndata/file.c",  # these open what they have just written
    "layout/anndata/root_members.c",
    "layout/arkouda/write/write.c",
    "layout/hep001/hep001.c",
    "layout/lh5/write/lists.c",
    "layout/lh5/write/nested.c",
    "layout/pandas/categories_write.c",
    "layout/convert/conversion_steps.c",
    "table/open/unknown_objects.c",  # hard links, too
    "table/open/open.c",  # the same
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def below(room):
    rooms = {room}
    for neighbour in STANDS_ON[room]:
        rooms |= below(neighbour)
    return rooms


def includes():
    """Every #include of src/: (file, room, quote, what)."""
    src = stoa_test.SOURCE / "src"
    for path in sorted([*src.rglob("*.c"), *src.rglob("*.h")]):
        file = path.relative_to(src)
        for quote, what in INCLUDE.findall(path.read_text()):
            yield str(file), file.parts[0], quote, what


class Rooms(stoa_test.TestCase):
    def test_what_believes_a_file_is_called_where_the_file_was_looked_at(self):
        src = stoa_test.SOURCE / "src"
        wrong = []
        for path in sorted(src.rglob("*.c")):
            file = str(path.relative_to(src))
            text = stoa_test.without_comments(path.read_text())
            wrong += [(file, call.pattern) for call, allowed in DOORS
                      if not file.startswith("hdf/") and file not in allowed and call.search(text)]  # fmt: skip
        self.assertEqual(wrong, [])

    def test_paths_are_opened_so_that_they_lead_into_no_other_file(self):
        src = stoa_test.SOURCE / "src"
        wrong = []
        for path in sorted(src.rglob("*.c")):
            file = str(path.relative_to(src))
            if not file.startswith(("hdf/", "cli/")):
                if OPENS.search(stoa_test.without_comments(path.read_text())):
                    wrong.append(file)
        self.assertEqual(set(wrong), MAY_OPEN)

    def test_a_function_that_owns_nothing_returns_early(self):
        src = stoa_test.SOURCE / "src"
        files = sorted([*src.rglob("*.c"), *src.rglob("*.h")])
        wrong = [str(f.relative_to(src)) for f in files if ONLY_RETURNS.search(f.read_text())]
        self.assertEqual(wrong, [])

    def test_every_room_has_its_place(self):
        rooms = {p.name for p in (stoa_test.SOURCE / "src").iterdir() if any(p.rglob("*.[ch]"))}
        self.assertEqual(rooms - set(STANDS_ON), set())

    def test_a_room_includes_only_what_it_stands_on(self):
        wrong = [
            f"{file} includes {what}"
            for file, room, quote, what in includes()
            if quote == '"' and what.split("/")[0] not in below(room)
        ]
        self.assertEqual(wrong, [])

    def test_private_headers_are_named_by_their_room(self):
        src = stoa_test.SOURCE / "src"
        wrong = [
            f"{file} includes {what}"
            for file, _, quote, what in includes()
            if quote == '"' and not ("/" in what and (src / what).is_file())
        ]
        self.assertEqual(wrong, [])

    def test_a_layout_includes_only_the_layouts_it_stands_on(self):
        layout = stoa_test.SOURCE / "src" / "layout"
        folders = {p.name for p in layout.iterdir() if p.is_dir()} - LAYOUTS_SHARE
        self.assertEqual(folders, set(LAYOUTS_STAND_ON))
        wrong = []
        for file, _, quote, what in includes():
            here, there = file.split("/"), what.split("/")
            if quote != '"' or here[0] != "layout" or there[0] != "layout":
                continue
            if here[1] in folders and there[1] in folders:
                if there[1] not in (here[1], *LAYOUTS_STAND_ON[here[1]]):
                    wrong.append(f"{file} includes {what}")
        self.assertEqual(wrong, [])

    def test_the_ground_floor_knows_nothing_of_hdf5(self):
        wrong = [
            f"{file} includes {what}"
            for file, room, _, what in includes()
            if room in KNOW_NO_HDF5 and re.match(r"(hdf5|H5.*public)\.h$", what)
        ]
        self.assertEqual(wrong, [])

    def test_chunks_are_listed_in_one_place(self):
        """libhdf5 lists some at wrong coordinates; src/hdf/chunk/chunk_list.c puts them right."""
        src = stoa_test.SOURCE / "src"
        calls = re.compile(r"\bH5D(chunk_iter|get_chunk_info(_by_coord)?)\([a-z]")
        wrong = [str(path.relative_to(src)) for path in sorted(src.rglob("*.c"))
                 if calls.search(path.read_text())]  # fmt: skip
        # rfc_dense.c hands on what a program asks of dense datasets.
        self.assertEqual(wrong, ["hdf/chunk/chunk_list.c", "sparse/rfc/rfc_dense.c"])


if __name__ == "__main__":
    stoa_test.main()
