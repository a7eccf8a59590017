"""Files that are made to lie (tests/hostile/files): every command ends soon, with an answer or one line.

Some are damaged here, in files that Stoa has just written: where a block has no checksum, its bytes
are changed in place.
"""

import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

FILES = Path(__file__).resolve().parent / "files"
SECONDS = 60  # catches what does not end, on a loaded machine too
COMMANDS = (
    ("ls", "{file}"), ("ls", "-l", "{file}"), ("stat", "{file}"), ("dump", "{file}"),
    ("check", "{file}"), ("diff", "{file}", "{good}"), ("diff", "{file}", "{file}"),
    ("repack", "{file}", "{out}"),
    ("convert", "--to", "hep001", "{file}", "{out}"),
)  # fmt: skip
OBJECT_COMMANDS = (
    ("info", "{file}:{path}"), ("query", "{file}:{path}"), ("plot", "{file}:{path}"),
    ("export", "{file}:{path}", "{csv}"), ("copy", "{file}:{path}", "{out}:/copy"),
    ("attr", "{file}:{path}"), ("repack", "-l", "{path}:CONTI", "{file}", "{out}"),
    ("move", "{file}:{path}", "{file}:/moved"), ("remove", "{file}:{path}"),
)  # fmt: skip


class Files(stoa_test.TestCase):
    def run_on(self, words, **places):
        """One command on a copy of the file: it neither crashes nor goes on for ever."""
        out = self.dir / "out.h5"
        out.unlink(missing_ok=True)
        shutil.copy(places["file"], self.dir / "in.h5")
        places.update(file=self.dir / "in.h5", out=out, csv=self.dir / "out.csv", good=FILES / "good.h5")
        arguments = [word.format(**places) for word in words]
        done = self.stoa(*arguments, status=None, timeout=SECONDS)
        self.assertIn(done.returncode, (0, 1, 2, 3), (arguments, done.stderr))
        if done.returncode == 3:
            # Whole files: what cannot be opened is named before the failure.
            names = r"(?:/[^\n]+: cannot open it: [^\n]+\n)*"
            self.assertRegex(done.stderr, rf"\A{names}stoa: [^\n]+\n\Z", arguments)
        return done

    def run_all(self, file, *paths):
        for words in COMMANDS:
            with self.subTest(words, file=file.name):
                self.run_on(words, file=file)
        for path in paths:
            for words in OBJECT_COMMANDS:
                with self.subTest(words, file=file.name, path=path):
                    self.run_on(words, file=file, path=path)

    def test_every_command_ends_on_a_tree_of_no_kind(self):
        self.run_all(FILES / "btree2_type.h5", "/filled", "/onecol")

    def test_every_command_ends_on_a_datatype_with_a_layout(self):
        file = FILES / "committed_type_with_layout.h5"
        self.run_all(file, "/cat", "/cat/codes", "/Index")
        said = self.fails("repack", file, self.dir / "out.h5", says="an object header is damaged")
        self.assertIn("/cat/codes", said.stderr)

    def test_every_command_ends_on_chunks_over_the_superblock(self):
        file = FILES / "earray_huge_count.h5"
        self.run_all(file, "/t")
        shutil.copy(file, self.dir / "in.h5")
        self.fails("remove", f"{self.dir}/in.h5:/t", says="outside of the file")
        self.assertEqual((self.dir / "in.h5").read_bytes(), file.read_bytes())

    def test_every_command_ends_on_a_sparse_chunk_that_is_larger_than_the_file(self):
        self.run_all(FILES / "sparse_copy_double_free.h5", "/z", "/m")

    def test_a_root_that_cannot_be_read_is_not_taken_for_an_empty_file(self):
        whole = (FILES / "good.h5").read_bytes()
        header, tree, heap = (struct.unpack_from("<Q", whole, at)[0] for at in (64, 80, 88))
        for at in (header, tree, heap):
            file = self.write("root.h5", whole[:at] + b"\x99" + whole[at + 1 :])
            for words in (["ls"], ["ls", "--tree"], ["check"], ["info"], ["query"]):
                said = self.fails(*words, file, says="root.h5").stderr
                self.assertRegex(said, "cannot|damaged", words)
                self.assertNotRegex(said, "no such|no table in it|holds no", words)

    def test_an_object_that_cannot_be_opened_is_not_called_missing(self):
        file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", "x\n1\n"), f"{file}:/t")
        whole = file.read_bytes()
        headers = [at for at in range(len(whole)) if whole[at : at + 4] == b"OHDR"]
        for at in headers:
            file.write_bytes(whole[: at + 8] + b"\x99" + whole[at + 9 :])
            for words in (["ls"], ["check"], ["info"], ["query"]):
                said = self.stoa(*words, f"{file}:/t", status=None).stderr
                self.assertNotIn("no such", said, (words, at))

    def test_chunks_that_are_too_short_are_refused_by_all_that_read_them(self):
        short, good, out = FILES / "short_chunk.h5", FILES / "good.h5", self.dir / "out.h5"
        self.fails("diff", f"{short}:/d", f"{good}:/d", says="shorter than its rows")
        self.fails("diff", f"{good}:/d", f"{short}:/d", says="shorter than its rows")
        for path in ("/d", "/s", "/c"):
            self.fails("repack", "-l", f"{path}:CONTI", short, out, says="shorter than its rows")
            self.fails("repack", "-f", f"{path}:GZIP=1", short, out, says="shorter than its rows")
        names = ",".join(f"/d{i}" for i in range(8))
        self.fails("repack", "-l", f"{names}:CONTI", FILES / "short_chunks_8.h5", out,
                   says="shorter than its rows")  # fmt: skip
        self.assertFalse(out.exists())
        for file in (short, good, FILES / "short_chunks_8.h5"):
            self.run_all(file, "/d", "/s")
        self.stoa("repack", "-l", "/d:CONTI", good, out)
        self.stoa("diff", good, out)

    # --- blocks without checksums ----------------------------------------------------------------

    def make(self, rows=100):
        lines = "".join(f"{k},{k % 7}\n" for k in range(rows))
        csv = self.write("in.csv", f"a,b\n{lines}")
        file = self.dir / "made.h5"
        self.stoa("import", csv, f"{file}:/deep/t", "--chunk", "1", "--codec", "none")
        return file, bytearray(file.read_bytes())

    def test_a_tree_that_leads_round_is_refused(self):
        file, image = self.make()
        at, found = -1, 0
        while (at := image.find(b"TREE\1\1", at + 1)) >= 0:  # of chunks, one level above the leaves
            struct.pack_into("<Q", image, at + 24 + 24, at)  # the first child: itself
            found += 1
        self.assertGreater(found, 0)
        file = self.write("round.h5", image)
        self.run_all(file, "/deep/t")
        self.fails("query", f"{file}:/deep/t", says="a B-tree is damaged")

    def test_free_blocks_of_a_local_heap_that_lead_round_are_refused(self):
        file, image = self.make(rows=3)
        at, found = -1, 0
        while (at := image.find(b"HEAP\0", at + 1)) >= 0:
            size, data = struct.unpack_from("<Q8xQ", image, at + 8)
            free = size - 16
            struct.pack_into("<Q", image, at + 16, free)
            struct.pack_into("<QQ", image, data + free, free, 16)  # the next one: itself
            found += 1
        if found == 0:
            self.skipTest("Stoa writes groups without local heaps")
        file = self.write("round.h5", image)
        self.run_all(file, "/deep/t")
        self.fails("ls", file, says="a local heap is damaged")


if __name__ == "__main__":
    stoa_test.main()
