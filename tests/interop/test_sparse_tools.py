"""HDF5's own tools on sparse arrays, by the filter plugin (sparse fact sheet §2.8)."""

import itertools
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

MAKER = stoa_test.BUILD / "examples" / "sparse_matrix"
WORDS_MAKER = stoa_test.BUILD / "examples" / "sparse_words"
PLUGINS = stoa_test.BUILD / "plugins"
ROWS, COLUMNS = 70, 45


@unittest.skipUnless(MAKER.exists() and PLUGINS.is_dir(), "the examples or plugins are not built")
@unittest.skipIf(os.environ.get("STOA_SANITIZE"), "HDF5's tools are built without the sanitizer")
class Tools(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        random = stoa_test.rng()
        places = random.sample(list(itertools.product(range(ROWS), range(COLUMNS))), 400)
        places += [(r, c) for r in range(30, 40) for c in range(10, 30) if (r, c) not in places]
        # Every fifth is an explicit 0: defined, and the fill value.
        self.truth = {p: i % 5 and random.randint(-(2**31), 2**31 - 1) for i, p in enumerate(places)}
        self.file = self.dir / "sparse.h5"
        text = "".join(f"{r} {c} {v}\n" for (r, c), v in self.truth.items())
        done = stoa_test.run(MAKER, self.file, ROWS, COLUMNS, 16, 20, input=text)
        self.assertEqual(done.returncode, 0, done.stderr)

    def tool(self, name, *arguments, plugin=True, status=0):
        path = str(PLUGINS if plugin else self.dir)
        done = stoa_test.run(
            f"{stoa_test.HDF5_BIN}/{name}", *arguments, env={"HDF5_PLUGIN_PATH": path}
        )
        if status is not None:
            self.assertEqual(done.returncode, status, f"{name}: {done.stdout} {done.stderr[-2000:]}")
        return done

    def dense(self):
        """The truth as a contiguous dataset, made by h5import."""
        rows = [[self.truth.get((r, c), 0) for c in range(COLUMNS)] for r in range(ROWS)]
        text = self.write("dense.txt", "\n".join(" ".join(map(str, row)) for row in rows) + "\n")
        config = self.write(
            "dense.conf",
            f"PATH Sparse\nINPUT-CLASS TEXTIN\nRANK 2\nDIMENSION-SIZES {ROWS} {COLUMNS}\n"
            "OUTPUT-ARCHITECTURE STD\nOUTPUT-BYTE-ORDER LE\n",
        )
        file = self.dir / "dense.h5"
        file.unlink(missing_ok=True)
        self.hdf5("h5import", text, "-c", config, "-o", file)
        return file

    def values(self, file):
        said = self.tool("h5dump", "-y", "-w", "0", "-d", "/Sparse", file).stdout
        data = said.split("DATA {")[1].split("}")[0]
        return [int(value) for value in re.findall(r"-?\d+", data)]

    def regions(self, file):
        return self.stoa("dump", "--sparse", f"{file}:/Sparse").stdout

    def wanted(self):
        return [self.truth.get((r, c), 0) for r in range(ROWS) for c in range(COLUMNS)]

    def assert_values(self, file):
        self.assertEqual(self.values(file), self.wanted())

    def n_defined(self, file):
        """Elements that stoa dump --sparse prints a value of."""
        return len(re.findall(r"(?m)(?<=[ ,])-?\d+(?=,|$)", "\n".join(
            line.split(")", 1)[1] for line in self.regions(file).splitlines()
            if re.match(r"    \(\d+,\d+\) +-?\d", line)
        )))  # fmt: skip

    def test_h5dump_prints_the_dense_truth(self):
        self.assert_values(self.file)
        self.assertIn("FILTER_ID 53131", self.tool("h5dump", "-p", "-H", self.file).stdout)

    def test_h5dump_prints_a_part(self):
        said = self.tool("h5dump", "-y", "-w", "0", "-d", "/Sparse", "-s", "29,9", "-c", "3,25",
                         self.file).stdout  # fmt: skip
        data = said.split("DATA {")[1].split("}")[0]
        wanted = [self.truth.get((r, c), 0) for r in range(29, 32) for c in range(9, 34)]
        self.assertEqual([int(v) for v in re.findall(r"-?\d+", data)], wanted)

    def test_h5diff_finds_no_difference_from_the_dense_truth_and_finds_one(self):
        dense = self.dense()
        self.tool("h5diff", self.file, dense)
        place, value = next((p, v) for p, v in self.truth.items() if v)
        self.truth[place] = value ^ 1
        self.tool("h5diff", self.file, self.dense(), status=1)

    def test_h5ls_and_h5stat_show_an_ordinary_chunked_dataset(self):
        said = self.tool("h5ls", "-v", self.file).stdout
        self.assertRegex(said, r"Chunks: +\{16, 20\} 1280 bytes")
        self.assertRegex(said, r"Filter-0: +stoa-sparse-53131")
        listed = self.tool("h5ls", "-d", "-w", "80", f"{self.file}/Sparse").stdout
        found = [int(value) for value in re.findall(r"-?\d+", listed.split("Data:")[1])]
        self.assertEqual(found, self.wanted())
        said = self.tool("h5stat", self.file).stdout
        self.assertIn("Dataset layout counts[CHUNKED]: 1", said)
        self.assertIn("USER-DEFINED filter: 1", said)

    def test_h5copy_and_h5repack_keep_what_is_defined_even_without_the_plugin(self):
        wanted = self.regions(self.file)
        self.assertEqual(self.n_defined(self.file), len(self.truth))
        for i, plugin in enumerate((True, False)):
            copy = self.dir / f"copy{i}.h5"
            self.tool("h5copy", "-i", self.file, "-o", copy, "-s", "/Sparse", "-d", "/Sparse",
                      plugin=plugin)  # fmt: skip
            repacked = self.dir / f"repacked{i}.h5"
            self.tool("h5repack", self.file, repacked, plugin=plugin)
            for file in (copy, repacked):
                self.assertEqual(self.regions(file), wanted)
                self.assert_values(file)

    def test_h5repack_to_other_chunks_keeps_values_and_loses_explicit_fill_values(self):
        file = self.dir / "chunks.h5"
        self.tool("h5repack", "-l", "/Sparse:CHUNK=7x11", self.file, file)
        self.assert_values(file)
        self.assertIn("SPARSE_CHUNK ( 7, 11 )", self.stoa("dump", file).stdout)
        self.assertEqual(self.n_defined(file), sum(value != 0 for value in self.truth.values()))

    def test_h5repack_without_the_filter_makes_a_dense_dataset(self):
        file = self.dir / "none.h5"
        self.tool("h5repack", "-f", "NONE", self.file, file)
        self.tool("h5diff", file, self.dense(), plugin=False)
        self.fails("dump", file, says="no sparse array")

    def test_without_the_plugin_reading_fails_and_all_else_is_there(self):
        self.assertNotEqual(
            self.tool("h5dump", self.file, plugin=False, status=None).returncode, 0
        )
        said = self.tool("h5dump", "-H", self.file, plugin=False).stdout
        self.assertIn(f"( {ROWS}, {COLUMNS} )", said)
        self.assertIn("Sparse", self.tool("h5ls", "-v", self.file, plugin=False).stdout)
        self.tool("h5stat", self.file, plugin=False)

    def test_a_damaged_chunk_is_a_read_error(self):
        content = bytearray(self.file.read_bytes())
        content[content.index(b"SCH\x01") + 20] ^= 0x10
        damaged = self.write("damaged.h5", bytes(content))
        self.assertEqual(self.tool("h5dump", damaged, status=None).returncode, 1)


WORDS = "0 1 walk 1 2 3\n0 2 - 4\n3 0 of 5\n1 4 columns\n"


@unittest.skipUnless(WORDS_MAKER.exists() and PLUGINS.is_dir(), "examples or plugins are not built")
@unittest.skipIf(os.environ.get("STOA_SANITIZE"), "HDF5's tools are built without the sanitizer")
class Words(stoa_test.TestCase):
    """Strings and sequences: everybody reads those in the global heap, the connector the others."""

    def make(self, name, *options):
        file = self.dir / name
        done = stoa_test.run(WORDS_MAKER, file, 5, 6, *options, input=WORDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return file

    def tool(self, name, *arguments, connector=False, status=0):
        env = {"HDF5_PLUGIN_PATH": str(PLUGINS)}
        if connector:
            env["HDF5_VOL_CONNECTOR"] = "stoa under_vol=0;under_info={}"
        done = stoa_test.run(f"{stoa_test.HDF5_BIN}/{name}", *arguments, env=env)
        if status is not None:
            self.assertEqual(done.returncode, status, f"{name}: {done.stdout} {done.stderr[-2000:]}")
        return done

    def data(self, file, dataset, **options):
        said = self.tool("h5dump", "-y", "-w", "0", "-d", dataset, file, **options).stdout
        return re.sub(r"\s+", " ", said.split("DATA {")[1].split("}")[0]).strip()

    def words(self):
        cells = ["NULL"] * 30
        cells[1], cells[18], cells[10] = '"walk"', '"of"', '"columns"'
        return ", ".join(cells)

    def numbers(self):
        cells = ["()"] * 30
        cells[1], cells[2], cells[18] = "(1, 2, 3)", "(4)", "(5)"
        return ", ".join(cells)

    def test_in_the_global_heap_h5dump_reads_them_and_h5copy_and_h5repack_carry_them(self):
        file = self.make("heap.h5", "heap")
        copy, packed, dense = (self.dir / f"{name}.h5" for name in ("copy", "packed", "dense"))
        self.tool("h5copy", "-i", file, "-o", copy, "-s", "/words", "-d", "/words")
        self.tool("h5repack", file, packed)
        self.tool("h5repack", "-f", "NONE", file, dense)
        for one in (file, copy, packed, dense):
            self.assertEqual(self.data(one, "/words"), self.words())
        for one in (file, packed, dense):
            self.assertEqual(self.data(one, "/numbers"), self.numbers())

    def test_in_the_chunks_h5dump_reads_them_under_the_connector_alone(self):
        file = self.make("section.h5")
        self.assertEqual(self.data(file, "/words", connector=True), self.words())
        self.assertEqual(self.data(file, "/numbers", connector=True), self.numbers())
        packed, dense = self.dir / "packed.h5", self.dir / "dense.h5"
        self.tool("h5repack", file, packed, connector=True)
        self.assertEqual(self.data(packed, "/words", connector=True), self.words())
        copy = self.dir / "copy.h5"
        for name in ("words", "numbers", "both"):
            self.tool("h5copy", "-i", file, "-o", copy, "-s", name, "-d", name, connector=True)
            said = self.stoa("diff", "--defined", f"{file}:/{name}", f"{copy}:/{name}").stdout
            self.assertEqual(said, "")
        self.assertEqual(self.data(copy, "/words", connector=True), self.words())
        self.tool("h5copy", "-p", "-i", file, "-o", copy, "-s", "/", "-d", "/deep/all", connector=True)
        for name in ("words", "numbers", "both"):
            said = self.stoa("diff", "--defined", f"{file}:/{name}", f"{copy}:/deep/all/{name}")
            self.assertEqual(said.stdout, "")
        self.tool("h5repack", "-f", "NONE", file, dense, connector=True)
        self.assertEqual(self.data(dense, "/numbers"), self.numbers())
        other = self.make("other.h5")
        self.tool("h5diff", file, other, "/words", connector=True)
        self.tool("h5diff", file, packed, "/words", connector=True)
        before = file.read_bytes()
        for arguments in (("h5dump", "-d", "/words", file),
                          ("h5dump", "-d", "/both", file),
                          ("h5copy", "-i", file, "-o", self.dir / "c.h5", "-s", "/words", "-d", "/w"),
                          ("h5repack", "-f", "NONE", file, self.dir / "r.h5")):  # fmt: skip
            self.assertGreater(self.tool(*arguments, status=None).returncode, 0, arguments)
        # Killed by its own H5Treclaim() of what it could not read; no difference it must not say.
        self.assertNotEqual(self.tool("h5diff", file, other, "/words", status=None).returncode, 0)
        self.tool("h5dump", "-H", "-p", file)
        self.tool("h5ls", "-rv", file)
        self.tool("h5stat", file)
        self.assertEqual(file.read_bytes(), before)


if __name__ == "__main__":
    stoa_test.main()
