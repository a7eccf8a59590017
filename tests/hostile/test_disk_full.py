"""A disk that fills up in the middle of a change: the old file is whole, and no stray file remains.

The disk is a small tmpfs, which needs root. Every command runs on disks of many sizes, from too
small for the first block to large enough.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


def mount(directory, kilobytes):
    """Mount a tmpfs of that size; whether that was allowed."""
    options = f"size={kilobytes}k,nr_inodes=64"
    return stoa_test.run("mount", "-t", "tmpfs", "-o", options, "none", directory).returncode == 0


def rows(first, last):
    """Numbers without a pattern, which take their room on disk."""
    return "".join(f"{i},{i * 7919 % 65521 / 7},w{i * 31 % 97}\n" for i in range(first, last))


HEAD = "i,x,w\n"
LAYOUTS = ("pytables", "h5tb", "pandas-table", "pandas-fixed", "anndata")


class DiskFull(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.disk = self.dir / "disk"
        self.disk.mkdir()
        self.csv = self.write("a.csv", HEAD + rows(0, 20000))
        self.more = self.write("b.csv", HEAD + rows(20000, 40000))
        self.before = self.dir / "before.h5"
        self.stoa("import", self.csv, f"{self.before}:/t", "--chunk", "4096", "--index", "i")
        done = self.dir / "after.h5"
        shutil.copy(self.before, done)
        self.stoa("append", self.more, f"{done}:/t")
        self.reader = None
        self.size = done.stat().st_size // 1024

    def reads(self, file):
        """A command that finds every fault in the file."""
        return self.reader(file) if self.reader else ("check", file, "--indexes")

    def sizes(self, least, most):
        """From `least` to `most` kilobytes, in pages of four."""
        n = stoa_test.effort(24)
        return sorted({(least + (most - least) * i // n) // 4 * 4 for i in range(n + 1)})

    def on_disks(self, sizes, old, *arguments):
        """Run a command on a file (or none) on disks of those sizes; both ends must be seen."""
        seen = set()
        for kilobytes in sizes:
            self.assertTrue(mount(self.disk, kilobytes))
            try:
                file = self.disk / "a.h5"
                if old is not None:
                    shutil.copy(old, file)
                done = self.stoa(*arguments, status=None)
                seen.add(done.returncode)
                with self.subTest(kilobytes=kilobytes, status=done.returncode):
                    self.assertIn(done.returncode, (0, 3), done.stderr)
                    if done.returncode == 3:
                        self.assert_untouched(done, file, old)
                    else:
                        self.assertEqual(os.listdir(self.disk), ["a.h5"])
                        self.assert_whole(file)
            finally:
                subprocess.run(["umount", self.disk], check=True)
        self.assertEqual(seen, {0, 3})

    def assert_untouched(self, done, file, old):
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("No space left", done.stderr)
        self.assertIn("a.h5", done.stderr)
        if old is None:
            self.assertEqual(os.listdir(self.disk), [])
        else:
            self.assertEqual(os.listdir(self.disk), ["a.h5"])
            self.assertTrue(file.read_bytes() == old.read_bytes(), "the old bytes have changed")
            self.assert_whole(file)

    def assert_whole(self, file):
        self.stoa(*self.reads(file))

    def test_import_into_a_new_file(self):
        self.on_disks(
            self.sizes(4, 4 * self.size), None, "import", self.csv, f"{self.disk}/a.h5:/t"
        )

    def test_import_into_an_old_file(self):
        least = self.before.stat().st_size // 1024 + 8
        self.on_disks(
            self.sizes(least, least + 4 * self.size),
            self.before,
            "import",
            self.more,
            f"{self.disk}/a.h5:/u",
        )

    def test_append(self):
        least = self.before.stat().st_size // 1024 + 8
        self.on_disks(
            self.sizes(least, least + 4 * self.size),
            self.before,
            "append",
            self.more,
            f"{self.disk}/a.h5:/t",
        )

    def size_as(self, layout):
        file = self.dir / f"{layout}.h5"
        self.stoa("convert", self.before, file, "--to", layout)
        return file.stat().st_size // 1024

    def test_convert_into_a_new_file(self):
        self.reader = lambda file: ("query", f"{file}:/t", "-a", "count(), sum(i)")
        for layout in LAYOUTS:
            with self.subTest(layout):
                self.on_disks(
                    self.sizes(4, 4 * self.size_as(layout)), None, "convert", self.before,
                    f"{self.disk}/a.h5:/t", "--to", layout,
                )  # fmt: skip

    def test_convert_within_a_file(self):
        for layout in LAYOUTS:
            with self.subTest(layout):
                most = self.least() + 4 * self.size_as(layout)
                self.on_disks(
                    self.sizes(self.least(), most), self.before, "convert",
                    f"{self.disk}/a.h5:/t", f"{self.disk}/a.h5:/p", "--to", layout,
                )  # fmt: skip

    def arkouda_on(self, kilobytes):
        """All files of a set on a disk of that size, or none of it; whether it was written."""
        self.assertTrue(mount(self.disk, kilobytes))
        try:
            done = self.stoa("convert", self.before, f"{self.disk}/a.h5", "--to", "arkouda",
                             "--locales", 3, status=None)  # fmt: skip
            self.assertIn(done.returncode, (0, 3), done.stderr)
            names = [f"a_LOCALE000{k}.h5" for k in range(3)] if done.returncode == 0 else []
            self.assertEqual(sorted(os.listdir(self.disk)), names, done.stderr)
            if names:
                rows = ("query", f"{self.disk}/{names[1]}:/", "-a", "count()", "-f", "csv")
                self.assertEqual(self.stoa(*rows).stdout, "count()\n20000\n")
            return done.returncode == 0
        finally:
            subprocess.run(["umount", self.disk], check=True)

    def test_a_set_of_arkoudas_files_is_there_or_is_not(self):
        seen = {self.arkouda_on(kilobytes) for kilobytes in self.sizes(4, 12 * self.size)}
        self.assertEqual(seen, {True, False})

    def test_objects_are_added_to_a_file_of_arkouda(self):
        old = self.dir / "old.h5"
        self.stoa("import", self.write("c.csv", "y\n" + "1\n" * 20000), f"{self.dir}/y.h5:/t")
        self.stoa("convert", f"{self.dir}/y.h5", old, "--to", "arkouda")
        self.reader = lambda file: ("query", f"{file}:/y", "-a", "count(), sum(y)")
        least = old.stat().st_size // 1024 + 8
        self.on_disks(
            self.sizes(least, least + 6 * self.size), old, "convert", self.before,
            f"{self.disk}/a.h5", "--to", "arkouda",
        )  # fmt: skip

    def append_to(self, layout, *options):
        place = f"{self.disk}/a.h5:/t"
        self.reader = lambda file: ("query", f"{file}:/t", "-a", "count(), sum(i)")
        table = self.dir / "p.h5"
        self.stoa("convert", f"{self.before}:/t", f"{table}:/t", "--to", layout, *options)
        least = table.stat().st_size // 1024 + 8
        self.on_disks(
            self.sizes(least, least + 6 * max(self.size, least)), table, "append", self.csv, place
        )

    def test_append_to_a_table_of_pytables(self):
        self.append_to("pytables")

    def test_append_to_a_frame_of_pandas(self):
        self.append_to("pandas-table")

    def test_append_to_a_frame_of_anndata(self):
        self.stoa("import", self.csv, f"{self.before}:/t", "--row-index", "i", "--force")
        self.append_to("anndata")

    def test_append_to_a_frame_of_arkouda(self):
        self.append_to("arkouda", "--as", "dataframe")

    def test_index_add(self):
        least = self.before.stat().st_size // 1024 + 8
        self.on_disks(
            self.sizes(least, least + 200), self.before, "index", "add", f"{self.disk}/a.h5:/t", "x"
        )

    def least(self):
        return self.before.stat().st_size // 1024 + 8

    def test_copy(self):
        self.on_disks(
            self.sizes(self.least(), self.least() + 2 * self.size),
            self.before,
            "copy",
            f"{self.disk}/a.h5:/t",
            f"{self.disk}/a.h5:/u",
        )

    def test_repack(self):
        self.on_disks(
            self.sizes(self.least(), 3 * self.least()), self.before, "repack", f"{self.disk}/a.h5"
        )

    def test_repack_into_other_storage(self):
        """A dense dataset, onto itself and into a new file beside it."""
        dense = self.dir / "dense.h5"
        numbers = " ".join(str(i * 7919 % 65521) for i in range(20000))
        config = self.write("d.conf", "PATH x\nINPUT-CLASS TEXTIN\nRANK 1\nDIMENSION-SIZES 20000\n")
        self.hdf5("h5import", self.write("d.txt", numbers), "-c", config, "-o", dense)
        size = dense.stat().st_size // 1024
        options = ["-l", "x:SPARSECHUNK=100", "--exclude", "0"]
        self.assert_whole = lambda file: self.stoa("diff", dense, file)
        self.on_disks(self.sizes(4, 3 * size), None, "repack", *options, dense,
                      f"{self.disk}/a.h5")  # fmt: skip
        self.on_disks(self.sizes(size + 8, 4 * size), dense, "repack", *options,
                      f"{self.disk}/a.h5")  # fmt: skip

    def test_edits_of_a_copy(self):
        place = f"{self.disk}/a.h5:/t"
        sizes = self.sizes(self.least(), self.least() + 4 * self.size)
        for edit in (
            ("append", self.more, place),
            ("update", place, "-w", "i % 2 = 0", "--set", "x=x/3"),
            ("move", place, f"{self.disk}/a.h5:/u"),
        ):
            with self.subTest(edit=edit[0]):
                self.on_disks(sizes[:-1:2] + sizes[-1:], self.before, *edit, "--safe")

    def test_query_into_a_file(self):
        for kilobytes in (16, 64):
            self.assertTrue(mount(self.disk, kilobytes))
            try:
                out = self.disk / "out.csv"
                out.write_text("precious")
                self.fails("query", self.before, "-o", out, says=["No space left", "out.csv"])
                self.assertEqual(os.listdir(self.disk), ["out.csv"])
                self.assertEqual(out.read_text(), "precious")
            finally:
                subprocess.run(["umount", self.disk], check=True)


def may_mount():
    with tempfile.TemporaryDirectory() as directory:
        if not shutil.which("mount") or not mount(directory, 64):
            return False
        subprocess.run(["umount", directory], check=True)
        return True


if __name__ == "__main__":
    if not may_mount():
        stoa_test.skip("a tmpfs cannot be mounted here; that needs root")
    stoa_test.main()
