"""stoa index add, list, drop, verify (src/cli/edit/cmd_index_*.c, HEP001 §10 and §16)."""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Index(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.env = {"XDG_STATE_HOME": str(self.dir / "state")}
        self.stranger = {"XDG_STATE_HOME": str(self.dir / "stranger")}
        rows = "".join(f"{i},{i / 4},w{i % 3}\n" for i in range(1000))
        self.stoa("import", self.write("a.csv", "i,x,w\n" + rows), self.place, "--chunk", "100")

    def index(self, *words, env=None, **how):
        return self.stoa("index", *words, env=env or self.env, **how)

    def listed(self, env=None):
        """Columns with an index, and their states."""
        lines = self.index("list", self.place, env=env).stdout.splitlines()[2:]
        return {line.split()[0]: line.split("  ")[-1].strip() for line in lines}

    def test_add_builds_one_on_each_column_and_trusts_them(self):
        done = self.index("add", self.place, "i", "x")
        self.assertEqual(done.stdout, "")
        self.assertEqual(
            done.stderr,
            f"{self.place}: minmax index on i added\n{self.place}: minmax index on x added\n",
        )
        self.assertEqual(self.listed(), {"i": "trusted", "x": "trusted"})
        self.assertEqual(self.listed(self.stranger), {"i": "not verified", "x": "not verified"})

    def test_an_index_has_one_entry_a_chunk(self):
        self.index("add", self.place, "i")
        self.assertRegex(self.index("list", self.place).stdout, r"(?m)^i +CHUNK_MINMAX +10 ")

    def kinds(self):
        """Columns with an index, and the KINDs."""
        lines = self.index("list", self.place).stdout.splitlines()[2:]
        return sorted(tuple(line.split()[:2]) for line in lines)

    def test_auto_takes_columns_that_have_none(self):
        self.index("add", self.place, "x", "--kind", "bloom")
        done = self.index("add", self.place, "--auto")
        self.assertEqual(
            done.stderr,
            f"{self.place}: minmax index on i added\n{self.place}: bitmap index on w added\n",
        )
        self.assertEqual(
            self.kinds(), [("i", "CHUNK_MINMAX"), ("w", "BITMAP"), ("x", "CHUNK_BLOOM")]
        )
        done = self.index("add", self.place, "--auto")
        self.assertIn("no column needs another index", done.stderr)

    def test_a_column_may_have_several_kinds_and_lose_one(self):
        for kind in ("minmax", "bitmap", "bloom"):
            done = self.index("add", self.place, "w", "--kind", kind)
            self.assertEqual(done.stderr, f"{self.place}: {kind} index on w added\n")
        self.assertEqual(
            self.kinds(), [("w", "BITMAP"), ("w", "CHUNK_BLOOM"), ("w", "CHUNK_MINMAX")]
        )
        self.assertEqual(
            self.index("verify", self.place).stdout, "w: describes its column\n"
        )
        self.stoa("check", self.file, "--strict", "--indexes")
        self.index("drop", self.place, "w", "--kind", "bitmap")
        self.assertEqual(self.kinds(), [("w", "CHUNK_BLOOM"), ("w", "CHUNK_MINMAX")])
        self.stoa("check", self.file, "--strict", "--indexes")

    def test_a_bitmap_and_a_bloom_index_answer_as_no_index_does(self):
        wheres = ("w = 'w1' and i < 50", "w <> 'w1' and i > 990", "i in (5, 7, 700)", "x = 2.25")
        plain = [self.stoa("query", self.place, "-w", w, "-c", "i").stdout for w in wheres]
        self.index("add", self.place, "w", "--kind", "bitmap")
        self.index("add", self.place, "i", "x", "--kind", "bloom")
        for where, rows in zip(wheres, plain):
            done = self.stoa("query", self.place, "-w", where, "-c", "i", env=self.env)
            self.assertEqual(done.stdout, rows, where)

    def test_bitmap_entries_are_values_and_bloom_entries_chunks(self):
        self.index("add", self.place, "w", "--kind", "bitmap")
        self.index("add", self.place, "i", "--kind", "bloom")
        listed = self.index("list", self.place).stdout
        self.assertRegex(listed, r"(?m)^w +BITMAP +3 ")
        self.assertRegex(listed, r"(?m)^i +CHUNK_BLOOM +10 ")

    def test_bloom_takes_a_rate_and_a_seed(self):
        words = ("--kind", "bloom", "--false-positives", "0.2", "--seed", "41")
        self.index("add", self.place, "i", *words)
        header = self.hdf5("h5dump", "-A", self.file)
        self.assertRegex(header, r'"seed" \{\s+DATATYPE  H5T_STD_U32LE(.|\n)*?\(0\): 41')
        self.assertIn("seed = 41, false positives = 0.2", header)
        # 100 values in 512 bits: k = 1 gives 1 - exp(-100/512) = 0.18.
        self.assertIn("k = 1, m_bits = 512", header)
        for rate in ("0", "1", "1.5", "-1", "nan", "few"):
            self.fails(
                "index", "add", self.place, "x", "--kind", "bloom", "--false-positives", rate,
                status=2, says=rate,
            )  # fmt: skip
        self.fails("index", "add", self.place, "x", "--seed", "3", status=2, says="--kind bloom")
        self.fails(
            "index", "add", self.place, "x", "--kind", "bloom", "--seed", "4294967296",
            status=2, says="2^32",
        )  # fmt: skip

    def test_auto_chooses_the_kinds_itself(self):
        self.fails("index", "add", self.place, "--auto", "--kind", "bloom", status=2, says="--kind")

    def test_a_bitmap_that_cannot_help_says_how_many_values_there_are(self):
        rows = "".join(f"{i}\n" for i in range(30000))
        place = f"{self.file}:/many"
        self.stoa("import", self.write("b.csv", "n\n" + rows), place)
        done = self.fails(
            "index", "add", place, "n", "--kind", "bitmap", env=self.env,
            says="30000 distinct values in 30000 rows",
        )  # fmt: skip
        self.assertIn("§10.6", done.stderr)

    def test_a_type_without_canonical_bytes_is_named(self):
        place = f"{self.file}:/flags"
        self.stoa("import", self.write("c.csv", "b\ntrue\nfalse\n"), place)
        self.index("add", place, "b", "--kind", "bloom")  # booleans have some
        self.index("add", place, "b", "--kind", "bitmap")
        self.assertIn("b: describes its column", self.index("verify", place).stdout)

    def test_import_and_append_bring_every_kind_along(self):
        place = f"{self.file}:/all"
        rows = "".join(f"{i},w{i % 3}\n" for i in range(500))
        more = "".join(f"{i},w{i % 5}\n" for i in range(500, 900))
        self.stoa(
            "import", self.write("d.csv", "i,w\n" + rows), place,
            "--chunk", "64", "--index", "i:bloom,w:bitmap,i",
        )  # fmt: skip
        self.stoa("append", self.write("e.csv", "i,w\n" + more), place)
        listed = self.index("list", place).stdout
        self.assertRegex(listed, r"(?m)^w +BITMAP +5 ")
        self.assertRegex(listed, r"(?m)^i +CHUNK_BLOOM +15 ")
        self.assertEqual(
            self.index("verify", place).stdout,
            "i: describes its column\nw: describes its column\n",
        )

    def test_a_second_index_of_a_kind_is_refused_and_nothing_is_written(self):
        self.index("add", self.place, "i")
        before = self.file.read_bytes()
        self.fails("index", "add", self.place, "x", "i", env=self.env, says="i")
        self.assertEqual(self.file.read_bytes(), before)
        self.assertEqual(self.listed(), {"i": "trusted"})

    def test_a_column_that_is_not_there_is_named(self):
        self.fails("index", "add", self.place, "nope", says="nope")
        self.fails("index", "drop", self.place, "nope", says="nope")
        self.fails("index", "verify", self.place, "nope", says="nope")

    def test_list_without_indexes_is_empty_and_fine(self):
        done = self.index("list", self.place)
        self.assertEqual((done.stdout, done.stderr), ("", f"{self.place}: no index\n"))

    def test_drop_removes_the_index_and_its_traces(self):
        self.index("add", self.place, "i", "x")
        done = self.index("drop", self.place, "i")
        self.assertEqual(done.stderr, f"{self.place}: index on i dropped\n")
        self.assertEqual(self.listed(), {"x": "trusted"})
        self.index("drop", self.place, "x", "--kind", "minmax")
        header = self.hdf5("h5dump", "-A", self.file)
        self.assertNotIn("SEARCH_INDEX", header)
        self.stoa("check", self.file, "--strict", "--indexes")

    def test_verify_earns_the_trust_of_a_stranger(self):
        self.index("add", self.place, "i", "x")
        done = self.index("verify", self.place, env=self.stranger)
        self.assertEqual(done.stdout, "i: describes its column\nx: describes its column\n")
        self.assertEqual(self.listed(self.stranger), {"i": "trusted", "x": "trusted"})

    def hint(self, place):
        """What a query that an index could help says on stderr."""
        return self.stoa("query", place, "-w", "i = 5", "-a", "count()", env=self.env).stderr

    def test_a_change_of_the_same_size_with_the_time_put_back_is_seen(self):
        self.index("add", self.place, "i", "--kind", "minmax")
        self.assertEqual(self.hint(self.place), "")
        times = os.stat(self.file)
        self.tamper()
        os.utime(self.file, ns=(times.st_atime_ns, times.st_mtime_ns))
        self.assertEqual(self.listed(), {"i": "not verified"})
        self.assertEqual(len(self.hint(self.place).splitlines()), 1)
        self.assertIn(f"'stoa index verify {self.place}' tells", self.hint(self.place))
        self.index("verify", self.place, status=1)

    def test_a_file_that_was_moved_says_so_and_how_to_verify(self):
        self.index("add", self.place, "i")
        other = self.dir / "other.h5"
        os.rename(self.file, other)
        self.assertIn("it was moved, linked or given other rights", self.hint(f"{other}:/t"))
        self.index("verify", f"{other}:/t")
        self.assertEqual(self.hint(f"{other}:/t"), "")

    def test_a_file_that_changed_says_so(self):
        self.index("add", self.place, "i")
        with open(self.file, "ab") as file:
            file.write(b"\0")
        self.assertIn("the file changed since they were trusted", self.hint(self.place))

    def test_edits_of_our_own_keep_trust_in_place_and_on_a_copy(self):
        self.index("add", self.place, "i")
        more = self.write("more.csv", "i,x,w\n5,1.5,w0\n")
        for safe in ((), ("--safe",)):
            self.stoa("append", more, self.place, *safe, env=self.env)
            self.assertEqual(self.listed(), {"i": "trusted"})
        self.stoa("repack", self.file, env=self.env)
        self.assertEqual(self.listed(), {"i": "trusted"})

    def test_a_ledger_that_cannot_be_written_is_named_by_verify(self):
        self.index("add", self.place, "i")
        ledger = self.dir / "no" / "stoa" / "ledger"
        ledger.mkdir(parents=True)
        done = self.index("verify", self.place, env={"XDG_STATE_HOME": self.dir / "no"}, status=3)
        self.assertEqual(done.stdout, "i: describes its column\n")
        self.assertIn(f"the ledger of trusted files '{ledger}' cannot be written", done.stderr)

    def test_verifying_one_of_two_is_not_enough_for_trust(self):
        self.index("add", self.place, "i", "x")
        done = self.index("verify", self.place, "i", env=self.stranger)
        self.assertEqual(done.stdout, "i: describes its column\n")
        self.assertEqual(self.listed(self.stranger), {"i": "not verified", "x": "not verified"})

    def test_adding_does_not_lend_trust_to_older_indexes(self):
        self.index("add", self.place, "i")
        done = self.index("add", self.place, "x", env=self.stranger)
        self.assertIn(f"stoa index verify {self.place}", done.stderr)
        self.assertEqual(self.listed(self.stranger), {"i": "not verified", "x": "not verified"})

    def test_a_wrong_index_fails_verification_and_earns_no_trust(self):
        self.index("add", self.place, "i", "--kind", "minmax")
        self.tamper()
        done = self.stoa("index", "verify", self.place, env=self.stranger, status=1)
        self.assertRegex(done.stdout, r"^i: does NOT describe its column: .*\n$")
        self.assertEqual(self.listed(self.stranger), {"i": "not verified"})

    def tamper(self):
        """Change the bounds of the index's third chunk, [200, 299], in the file's bytes."""
        data = self.file.read_bytes()
        entry = b"".join(int(v).to_bytes(2, "little") for v in (200, 299))
        self.assertEqual(data.count(entry), 1)
        wrong = b"".join(int(v).to_bytes(2, "little") for v in (200, 250))
        self.file.write_bytes(data.replace(entry, wrong))

    def test_verify_without_indexes_is_fine(self):
        done = self.index("verify", self.place)
        self.assertEqual((done.stdout, done.stderr), ("", f"{self.place}: no index\n"))

    def storage(self, *options):
        """Chunk length and filters of the columns of a table that is made with these options."""
        rows = "".join(f"{i},{i / 3},name{i % 7919}\n" for i in range(10000))
        self.stoa("import", self.write("b.csv", "n,x,s\n" + rows), f"{self.dir}/b.h5:/t", "--force", *options)
        info = self.stoa("info", f"{self.dir}/b.h5:/t").stdout
        return {m[1]: (int(m[2]), m[3]) for m in re.finditer(r"(?m)^(\w+) .* chunked +(\d+) +(\S+) ", info)}

    def test_import_stores_the_column_of_a_sorted_index_for_look_ups(self):
        usual = self.storage()
        self.assertEqual({filters for _, filters in usual.values()}, {"shuffle,deflate:1", "shuffle,deflate:3"})
        self.assertEqual(self.storage("--index", "n,x,s:bloom"), usual)
        kept = self.storage("--index", "n:sorted,x:sorted,s:sorted", "--codec", "deflate:1")
        self.assertEqual(kept, {name: (rows, "shuffle,deflate:1") for name, (rows, _) in usual.items()})
        self.assertEqual(self.storage("--index", "n:sorted", "--chunk", "n=8192")["n"], (8192, "shuffle,deflate:1"))
        found = self.storage("--index", "n:sorted,x:sorted,s:sorted")
        self.assertEqual(found["n"], (usual["n"][0], "scaleoffset"))
        self.assertEqual(found["x"], (2048, "shuffle,deflate:1"))
        self.assertEqual(found["s"], (2048, "shuffle,deflate:3"))
        found = self.storage("--index", "n:sorted", "--portable")
        self.assertEqual(found["n"], (2048, "shuffle,deflate:4"))
        self.assertLess(2048, found["x"][0])
        self.stoa("check", f"{self.dir}/b.h5:/t")
        answer = self.stoa("query", f"{self.dir}/b.h5:/t", "-w", "n in (3, 9999)", "-c", "x", "-f", "csv", "--trust")
        self.assertEqual(answer.stdout, "x\n1.0\n3333.0\n")

    def test_a_column_that_would_be_decoded_for_each_key_is_scanned(self):
        """A search reads some twelve rows of the column, each with its chunk if that is of deflate."""
        rows = self.write("d.csv", "i\n" + "".join(f"{i * 7919 % 20011}\n" for i in range(20000)))
        for codec in ("deflate", "scaleoffset", "none"):
            place = f"{self.dir}/d.h5:/{codec}"
            self.stoa("import", rows, place, "--codec", codec, "--chunk", "1000", "--index", "i:sorted",
                      env=self.env)  # fmt: skip
            two = "passed over" if codec == "deflate" else "2 rows"
            for where, said in (("i = 5", "1 rows"), ("i in (5, 9000)", two)):
                done = self.stoa("query", place, "-w", where, "-c", "i", "--explain", env=self.env)
                self.assertIn(f"SORTED_ROWS: {said}", done.stdout + done.stderr)

    def test_a_sorted_index_lives_through_appends_and_passes_the_checker(self):
        for column, more in (("i", []), ("x", ["--bare"]), ("w", ["--memory", "1M"])):
            self.index("add", self.place, column, "--kind", "sorted", *more)
        self.stoa("check", self.file, "--strict", "--indexes")
        rows = "".join(f"{500 - i},{-i},v{i % 5}\n" for i in range(300))
        self.stoa("append", self.write("b.csv", "i,x,w\n" + rows), self.place, env=self.env)
        done = self.index("verify", self.place)
        self.assertEqual(
            done.stdout, "".join(f"{column}: describes its column\n" for column in "ixw")
        )
        self.stoa("check", self.file, "--strict", "--indexes")
        self.index("drop", self.place, "i", "x", "w")
        self.assertNotIn("SEARCH_INDEX", self.hdf5("h5dump", "-A", self.file))

    def test_sizes_of_memory_are_sizes(self):
        for size in ("", "M", "1T", "-1", "17179869185G"):
            self.fails(
                "index", "add", self.place, "i", "--memory", size, says="--memory", status=2
            )

    def test_no_damage_of_an_index_keeps_rows_from_being_appended(self):
        for kind in ("sorted", "minmax"):
            self.index("add", self.place, "i", "x", "w", "--kind", kind)
        more = self.write("b.csv", "i,x,w\n1,2,v1\n2,3,w1\n")
        whole = self.file.read_bytes()
        n_appended = 0
        # Directories of chunks: B-tree nodes of type 1.
        at = whole.find(b"TREE\x01")
        while at >= 0:
            self.file.write_bytes(whole[:at] + b"EERT" + whole[at + 4 :])
            asked = self.stoa("query", self.place, "-a", "sum(i), sum(x), max(w)", status=None)
            if asked.returncode == 0:
                self.stoa("append", more, self.place, env=self.env)
                self.index("verify", self.place)
                n_appended += 1
            at = whole.find(b"TREE\x01", at + 1)
        self.assertGreaterEqual(n_appended, 6)


if __name__ == "__main__":
    stoa_test.main()
