"""h5py reads from Stoa's files what the CSV files held, each thing where HEP001 puts it."""

import gzip
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generated
import stoa_test
from interop_test import DATA, PeerTestCase

FLIGHTS = "flights-2001.csv.gz"
BIRDSTRIKES = "birdstrikes.csv"

# How a table may lie in its file; "I" stands for the columns of WORTH_INDEXING.
STORED = {
    "plain": [],
    "indexed": ["--index", "I"],
    "no_category": ["--no-category", "*"],
    "none": ["--codec", "none", "--index", "I"],
    "small": ["--codec", "small", "--chunk", "1000", "--index", "I"],
    "deflate": ["--codec", "deflate:6", "--chunk", "7777"],
    "contiguous": ["--codec", "none", "--chunk", "contiguous", "--index", "I"],
    "preallocated": ["--preallocate", "250001", "--chunk", "4096", "--index", "I"],
    "labelled": ["--row-index", "L", "--title", "Títle", "--description", "What it holds"],
}
WORTH_INDEXING = {
    FLIGHTS: "date,delay,distance,origin",
    BIRDSTRIKES: '"Flight Date","Speed IAS in knots","Wildlife Species","Cost Total $"',
}
LABELS = {FLIGHTS: "date,origin", BIRDSTRIKES: '"Flight Date"'}


class Examples(PeerTestCase):
    def check_stored(self, name):
        self.put(DATA / name)
        jobs = {}
        for how, options in STORED.items():
            words = {"I": WORTH_INDEXING[name], "L": LABELS[name]}
            arguments = [words.get(option, option) for option in options]
            self.stoa("import", DATA / name, f"{self.dir}/{how}.h5:/t", *arguments)
            jobs[f"{how}.h5"] = name
        self.assert_reads_back(jobs)
        self.assert_conformant(jobs)

    def test_every_value_of_flights_reads_back_however_it_is_stored(self):
        self.check_stored(FLIGHTS)

    def test_every_value_of_birdstrikes_reads_back_however_it_is_stored(self):
        self.check_stored(BIRDSTRIKES)

    def check_appended(self, name, cuts):
        """Import the first piece, append the others: the whole file must be there."""
        self.put(DATA / name)
        opened = gzip.open if name.endswith(".gz") else open
        with opened(DATA / name, "rt", encoding="utf-8", newline="") as file:
            header, *lines = file.readlines()
        cuts = [0, *cuts, len(lines)]
        pieces = [
            self.write(f"piece{i}.csv", header + "".join(lines[a:b]))
            for i, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False))
        ]
        jobs = {}
        for how in ("plain", "indexed", "no_category", "contiguous", "preallocated", "small"):
            options = [WORTH_INDEXING[name] if o == "I" else o for o in STORED[how]]
            self.stoa("import", pieces[0], f"{self.dir}/{how}.h5:/t", *options)
            for piece in pieces[1:]:
                self.stoa("append", piece, f"{self.dir}/{how}.h5:/t")
            jobs[f"{how}.h5"] = name
        self.assert_reads_back(jobs)
        self.assert_conformant(jobs)

    def test_every_value_of_flights_reads_back_after_appends(self):
        self.check_appended(FLIGHTS, [1000, 1001, 70_000])

    def test_every_value_of_birdstrikes_reads_back_after_appends(self):
        self.check_appended(BIRDSTRIKES, [100, 4096, 9999])


class Generated(PeerTestCase):
    """Sentinels, extremes, empty strings, Unicode, nothing at all, times of every unit."""

    def columns(self, random, n):
        kinds = random.sample(generated.KINDS, random.randint(4, 8))
        return {f"{k.__name__} {i}": k(random, n) for i, k in enumerate(kinds)}

    def options(self, random, columns):
        indexed = [name for name in columns if random.random() < 0.8]
        options = ["--chunk", random.choice(["1", "7", "64", "1000", "contiguous"])]
        if options[1] == "contiguous" or random.random() < 0.3:
            options += ["--codec", "none"]
        if indexed:
            options += ["--index", ",".join(f'"{name}"' for name in indexed)]
        if random.random() < 0.3:
            options += ["--no-category", "*"]
        if random.random() < 0.3:
            options += ["--preallocate", str(random.randint(1, 2000))]
        return options

    def test_generated_columns_read_back_with_the_entries_of_their_indexes(self):
        random = stoa_test.rng()
        jobs = {}
        for i in range(stoa_test.effort(40)):
            n = random.choice([1, 2, 30, 200, 500])
            columns = self.columns(random, n)
            csv = self.write(f"{i}.csv", generated.csv_of(columns, range(n)))
            options = self.options(random, columns)
            self.stoa("import", csv, f"{self.dir}/{i}.h5:/deep/er", *options)
            jobs[f"{i}.h5"] = generated.expected(columns)
        self.assert_reads_back(jobs)
        self.assert_conformant(jobs)

    def test_generated_columns_read_back_after_appends(self):
        random = stoa_test.rng()
        jobs = {}
        for i in range(stoa_test.effort(40)):
            n = random.choice([2, 30, 200, 500])
            columns = self.columns(random, n)
            first = random.randint(1, n - 1)
            cuts = [0, first, random.randint(first, n), n]
            for k, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False)):
                csv = self.write(f"{i}.{k}.csv", generated.csv_of(columns, range(a, b)))
                if k == 0:
                    options = self.options(random, columns)
                    self.stoa("import", csv, f"{self.dir}/{i}.h5:/t", *options)
                else:
                    self.stoa("append", csv, f"{self.dir}/{i}.h5:/t")
            jobs[f"{i}.h5"] = generated.expected(columns)
        self.assert_reads_back(jobs)
        self.assert_conformant(jobs)

    def test_a_table_without_rows_is_conformant(self):
        csv = self.write("none.csv", "a,b\n")
        for how, options in (("chunked", []), ("contiguous", ["--chunk", "contiguous"])):
            self.stoa("import", csv, f"{self.dir}/{how}.h5:/t", "--index", "a", *options)
        nothing = {name: {"values": [], "is_time": False} for name in "ab"}
        self.assert_reads_back({"chunked.h5": nothing, "contiguous.h5": nothing})
        self.assert_conformant(["chunked.h5", "contiguous.h5"])


class Audit(PeerTestCase):
    """The audit that the other tests rest on sees what is wrong."""

    def test_strings_of_another_kind_and_an_index_that_lies_are_found(self):
        self.peer("python3", "foreign.py")
        said = self.peer("python3", "audit.py", "loose.h5")
        for text in ("/@CLASS: variable length is True", "/@CLASS: character set is 1",
                     "/@NROWS: uint64 (§7.3) is False", "/@column-order: var"):  # fmt: skip
            self.assertIn(text, said)
        for index, lies in (("lies", ["min is np.float64(5.0), not 50.0 (§10.4)",
                                      "max is np.float64(7.0), not 70.0 (§10.4)"]),
                            ("is_right", [])):  # fmt: skip
            said = self.peer("python3", "audit.py", f"an_index_that_{index}.h5").splitlines()
            found = [line.partition("entry 1: ")[2] for line in said if "§10.4" in line]
            self.assertEqual(found, lies)


class Storage(PeerTestCase):
    """What the options of import ask for is what lies in the file."""

    def dcpl(self, *options):
        csv = self.write("a.csv", "x,s\n" + "".join(f"{i},w{i}\n" for i in range(1000)))
        self.stoa("import", csv, f"{self.dir}/a.h5:/t", "--force", *options)
        return self.peer_python(
            "import h5py\n"
            "d = h5py.File('a.h5')['t/x']\n"
            "p = d.id.get_create_plist()\n"
            "kind = {h5py.h5d.CHUNKED: 'chunked', h5py.h5d.CONTIGUOUS: 'contiguous'}\n"
            "print(kind[p.get_layout()], d.chunks, d.shape, d.maxshape,\n"
            "      [p.get_filter(i)[0::2] for i in range(p.get_nfilters())])\n"
        ).strip()

    def test_a_contiguous_column_is_contiguous(self):
        said = self.dcpl("--chunk", "contiguous", "--codec", "none")
        self.assertEqual(said, "contiguous None (1000,) (1000,) []")

    def test_chunks_have_the_rows_that_were_asked_for(self):
        said = self.dcpl("--chunk", "100", "--codec", "none")
        self.assertEqual(said, "chunked (100,) (1000,) (None,) []")

    def test_deflate_is_shuffle_and_deflate(self):
        said = self.dcpl("--chunk", "100", "--codec", "deflate:9")
        self.assertEqual(said, "chunked (100,) (1000,) (None,) [(2, (2,)), (1, (9,))]")

    def test_integers_are_packed_by_scale_offset(self):
        said = self.dcpl("--codec", "scaleoffset")
        self.assertIn("chunked (1024,) (1000,) (None,) [(6, (2, 0, 1024, 0, 2, 1,", said)

    def test_values_that_span_their_type_are_read_after_every_edit(self):
        file = f"{self.dir}/span.h5"
        rows = [(i * 37) % 256 - 128 for i in range(3000)]
        rows = [row if row != -128 else 127 for row in rows]
        csv = self.write("span.csv", "x,k\n" + "".join(f"{x},{i}\n" for i, x in enumerate(rows)))
        for codec in ("auto", "none", "small", "scaleoffset", "deflate:3"):
            self.stoa("import", csv, f"{file}:/t", "--force", "--codec", codec, "--chunk", "1000",
                      "--type", "x=int8")  # fmt: skip
            self.stoa("append", csv, f"{file}:/t")
            self.stoa("update", f"{file}:/t", "-w", "k = 1500", "--set", "x=-1")
            self.stoa("delete", f"{file}:/t", "-w", "k = 7")
            self.stoa("truncate", f"{file}:/t", "4500")
            kept = [(-1 if k == 1500 else x) for k, x in enumerate(rows) if k != 7]
            said = self.peer_python(
                "import h5py\n"
                "d = h5py.File('span.h5')['t/x']\n"
                "print(d.dtype, [int(v) for v in d[:4500]])\n"
            ).strip()
            self.assertEqual(said, f"int8 {(kept + kept)[:4500]}")

    def test_room_that_was_asked_for_is_there(self):
        said = self.dcpl("--chunk", "x=64", "--codec", "none", "--preallocate", "5000")
        self.assertEqual(said, "chunked (64,) (5000,) (None,) []")


if __name__ == "__main__":
    stoa_test.main()
