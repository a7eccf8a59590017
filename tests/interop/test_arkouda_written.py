"""Tables that Stoa writes for Arkouda are what Arkouda demands, and hold what they held."""

import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase, csv_rows

TYPED = """i,x,s,b,t,c,u
1,1.5,ab,true,2020-01-01T00:00:00Z,x,18446744073709551615
2,,"",false,2021-01-01T00:00:00Z,y,1
3,2.5,éé,true,2020-01-05T00:00:00Z,,2
-4,-2.5,zz,true,,x,3
1,1.5,ab,true,2020-01-01T00:00:00Z,x,18446744073709551615
"""
NAN = float("nan")
SECOND = 10**9
EXPECTED = {
    "i": [1, 2, 3, -4, 1],
    "x": [1.5, NAN, 2.5, -2.5, 1.5],
    "s": ["ab", "", "éé", "zz", "ab"],
    "b": [True, False, True, True, True],
    "t": [1577836800 * SECOND, 1609459200 * SECOND, 1578182400 * SECOND, -(2**63),
          1577836800 * SECOND],
    "c": ["x", "y", None, "x", "x"],
    "u": [2**64 - 1, 1, 2, 3, 2**64 - 1],
}  # fmt: skip
# What one thing wrong makes of a sound file; each must be found.
MUTATIONS = """
import sys, h5py, numpy as np
how, name = sys.argv[1:]
with h5py.File(name, "r+") as f:
    if how == "isBool": f["b"].attrs["isBool"] = np.int64(2)
    if how == "width": f["i"].attrs.create("ObjType", 1, dtype="<i4")
    if how == "format": del f["/"].attrs["File_Format"]
    if how == "version": del f["s/values"].attrs["arkouda_version"]
    if how == "nul": f["s/values"][-1] = 65
    if how == "segments": f["s/segments"][1] = 4
    if how == "codes": f["c/codes"][0] = 99
    if how == "na": f["c/NA_Codes"][0] = 7
    if how == "stranger": f.create_group("plain")
    if how == "chunks":
        v = f["x"][()]; a = dict(f["x"].attrs); del f["x"]
        f.create_dataset("x", data=v, chunks=(2,)).attrs.update(a)
"""


def locale_files(n):
    return [f"out_LOCALE{k:04}.h5" for k in range(n)] if n else ["out.h5"]


class ArkoudaTestCase(PeerTestCase):
    def table(self, text=TYPED, *options):
        """A HEP001 table of CSV."""
        place = self.dir / "own.h5"
        place.unlink(missing_ok=True)
        self.stoa("import", self.write("own.csv", text), f"{place}:/t", "--category", "c",
                  "--type", "x=float64", "--type", "u=uint64", *options)  # fmt: skip
        return place

    def plain(self, text, *options):
        place = self.dir / "own.h5"
        place.unlink(missing_ok=True)
        self.stoa("import", self.write("own.csv", text), f"{place}:/t", *options)
        return place

    def convert(self, source, n, *options, status=0, name=""):
        locales = ("--locales", n) if n else ()
        return self.stoa("convert", source, f"{self.dir}/out.h5{name}", "--to", "arkouda", *locales,
                         *options, status=status)  # fmt: skip

    def job(self, n, expect=None, **more):
        job = {"files": locale_files(n), "distributed": n > 0, **more}
        return {**job, "expect": expect} if expect is not None else job

    def assert_verified(self, *jobs):
        self.write("jobs.json", json.dumps(jobs))
        self.assert_says_nothing("arkouda_verify.py", "jobs.json")

    def forget(self):
        for file in self.dir.glob("out*.h5"):
            file.unlink()


class Forms(ArkoudaTestCase):
    def test_columns_are_objects_of_their_own(self):
        source = self.table()
        for n in (0, 1, 2, 3, 7):
            with self.subTest(locales=n):
                self.forget()
                self.convert(source, n)
                self.assert_verified(self.job(n, {k: {"": v} for k, v in EXPECTED.items()}))

    def test_a_frame_has_an_index_and_its_columns(self):
        source = self.table()
        for n in (0, 3, 7):
            with self.subTest(locales=n):
                self.forget()
                self.convert(source, n, "--as", "dataframe")
                self.assert_verified(
                    self.job(n, {"DataFrame": {**EXPECTED, "Index": [0, 1, 2, 3, 4]}})
                )

    def test_the_label_of_the_rows_is_the_index_of_a_frame(self):
        source = self.table()
        self.stoa("column", "row-index", f"{source}:/t", "s")
        self.convert(source, 2, "--as", "dataframe", name=":/f")
        rest = {k: v for k, v in EXPECTED.items() if k != "s"}
        self.assert_verified(self.job(2, {"f": {**rest, "Index": EXPECTED["s"]}}))

    def test_levels_and_keys_are_numbered(self):
        source = self.table()
        for n in (0, 2, 7):
            with self.subTest(locales=n):
                self.forget()
                self.convert(source, n, "--as", "index")
                self.convert(source, n, "--as", "groupby")
                # NaN, and rows that are missing, are groups as well: rows 0 and 4 are alike.
                self.assert_verified(self.job(n, {
                    "index": {f"IDX_{i}": v for i, v in enumerate(EXPECTED.values())},
                    "groupby": {**{f"KEY_{i}": v for i, v in enumerate(EXPECTED.values())},
                                "permutation": [3, 0, 4, 1, 2], "segments": [0, 1, 3, 4],
                                "unique_key_idx": [3, 0, 1, 2]},
                }))  # fmt: skip

    def test_more_than_ten_levels_are_all_there(self):
        names = [f"n{i}" for i in range(12)]
        csv = ",".join(["c", *names]) + "\nx" + ",1" * 12 + "\n"
        done = self.convert(self.plain(csv), 0, "--as", "index")
        self.assertIn("more than ten", done.stderr)
        self.assert_verified(self.job(0))

    def test_views_are_flat_and_only_made_when_asked_for(self):
        source = self.plain("v\n" + "\n".join(map(str, range(10))) + "\n")
        for n in (0, 3):
            self.forget()
            done = self.convert(source, n, "--as", "arrayview")
            self.assertIn("up to v2024.06.21", done.stderr)
            self.assert_verified(self.job(n, {"ArrayView": {"": list(range(10))}}))

    def test_strings_go_without_offsets_in_one_file(self):
        source = self.plain("s,i\nab,1\nc,2\n")
        self.convert(source, 0, "--no-offsets")
        self.assert_verified(self.job(0, {"s": {"": ["ab", "c"]}, "i": {"": [1, 2]}},
                                      offsets=False))  # fmt: skip
        said = self.stoa("ls", f"{self.dir}/out.h5").stdout
        self.assertIn("strings", said)
        self.convert(source, 2, "--no-offsets")
        self.assert_verified(self.job(2, {"s": {"": ["ab", "c"]}, "i": {"": [1, 2]}}))

    def test_no_rows_are_empty_arrays(self):
        source = self.table(TYPED.splitlines()[0] + "\n", "--type", "i=int64", "--type", "b=bool",
                            "--type", "t=timestamp")  # fmt: skip
        for n in (0, 1, 3):
            self.forget()
            self.convert(source, n)
            self.convert(source, n, "--as", "dataframe")
            self.convert(source, n, "--as", "groupby")
            self.convert(source, n, "--as", "index")
            self.assert_verified(self.job(n))

    def test_the_verifier_finds_what_is_wrong(self):
        source = self.table()
        self.convert(source, 0)
        sound = self.dir / "sound.h5"
        shutil.copy(self.dir / "out.h5", sound)
        self.write("jobs.json", json.dumps([self.job(0, {k: {"": v} for k, v in EXPECTED.items()})]))
        for how in ("isBool", "width", "format", "version", "nul", "segments", "codes", "na",
                    "stranger", "chunks"):  # fmt: skip
            shutil.copy(sound, self.dir / "out.h5")
            self.peer("python3", "-c", MUTATIONS, how, "out.h5")
            with self.subTest(how=how):
                said = self.peer("python3", "arkouda_verify.py", "jobs.json", status=None)
                self.assertNotEqual(said, "")


class Server(ArkoudaTestCase):
    """What Arkouda's server and client make of the files, by their own rules (arkouda_server.py)."""

    def assert_read(self, jobs):
        self.write("jobs.json", json.dumps(jobs))
        self.assert_says_nothing("arkouda_server.py", "jobs.json")

    def test_every_form_is_read_of_one_file_and_of_locales(self):
        source = self.table()
        columns = list(EXPECTED.values())
        sorted_columns = [EXPECTED[name] for name in sorted(EXPECTED)]
        for n in (0, 1, 3):
            with self.subTest(locales=n):
                self.forget()
                for form in ("columns", "dataframe", "index", "groupby"):
                    self.convert(source, n, "--as", form)
                expect = {"index": columns, "groupby": columns,
                          "DataFrame": [list(range(5)), *sorted_columns],
                          **{name: [values] for name, values in EXPECTED.items()}}  # fmt: skip
                self.assert_read([{"files": locale_files(n), "expect": expect}])

    def test_an_index_of_one_level_is_read(self):
        """Also one of labels that are `NA` and `N/A`, with a missing one, and with fewer rows than locales."""
        for text, values in (("l\nNA\nN/A\n,\nNA\n", ["NA", "N/A", None, "NA"]),
                             ("l\nN/A\n", ["N/A"]), ("l\n3\n1\n", [3, 1])):  # fmt: skip
            is_text = isinstance(values[0], str)
            source = self.plain(text.replace("\n,\n", "\n\n"), *(("--category", "l") if is_text else ()))
            for n in (0, 1, 3):
                with self.subTest(locales=n, values=values):
                    self.forget()
                    self.convert(source, n, "--as", "index")
                    self.convert(source, n)
                    self.assert_read([{"files": locale_files(n),
                                       "expect": {"index": [values], "l": [values]}}])  # fmt: skip

    def test_the_reader_finds_what_is_wrong(self):
        source = self.table()
        self.convert(source, 0)
        sound = self.dir / "sound.h5"
        shutil.copy(self.dir / "out.h5", sound)
        jobs = [{"files": ["out.h5"], "expect": {k: [v] for k, v in EXPECTED.items()}}]
        self.write("jobs.json", json.dumps(jobs))
        for how in ("segments", "codes", "na"):
            shutil.copy(sound, self.dir / "out.h5")
            self.peer("python3", "-c", MUTATIONS, how, "out.h5")
            self.assertNotEqual(self.peer("python3", "arkouda_server.py", "jobs.json"), "", how)


class Random(ArkoudaTestCase):
    def test_random_tables_are_what_they_were(self):
        n = stoa_test.effort(150)  # of 3.5 objects each
        for first in range(0, n, 100):
            count = min(100, n - first)
            for file in self.dir.glob("*.h5"):
                file.unlink()
            self.peer("python3", "arkouda_tables.py", str(count), str(first))
            tables = json.loads((self.dir / "expected.json").read_text())
            jobs = [self.convert_table(i, table) for i, table in enumerate(tables)]
            self.assert_verified(*jobs)

    def convert_table(self, i, table):
        """HEP001, Arkouda, HEP001, Arkouda: the last is verified, and says the same as the first."""
        locales = (0, 1, 2, 3, 7)[i % 5]
        how = ("--locales", locales) if locales else ()
        own, back = self.dir / f"{i}.h5", self.dir / f"back{i}.h5"
        self.stoa("import", self.dir / f"{i}.arrow", f"{own}:/t")
        if table["categories"]:
            self.stoa("column", "categories", f"{own}:/t", *table["categories"])
        prefix = f"first{i}"
        self.stoa("convert", own, self.dir / f"{prefix}.h5", "--to", "arkouda", *how)
        member = f"{prefix}_LOCALE0000.h5" if locales else f"{prefix}.h5"
        place = f"{self.dir / member}:/"
        columns = ",".join(f'"{name}"' for name in table["expect"])
        csv = self.stoa("query", place, "-c", columns, "-f", "csv").stdout
        self.check_texts(csv, table)
        self.stoa("convert", place, f"{back}:/t", "--to", "hep001")
        self.assertEqual(self.stoa("query", back, "-c", columns, "-f", "csv").stdout, csv)
        again = f"again{i}"
        self.stoa("convert", back, self.dir / f"{again}.h5", "--to", "arkouda", *how)
        files = [f"{again}_LOCALE{k:04}.h5" for k in range(locales)] or [f"{again}.h5"]
        return {"files": files, "distributed": locales > 0, "expect": table["expect"]}

    def check_texts(self, csv, table):
        """All other types have a test of their values in test_arkouda_kinds.py."""
        head, *rows = csv_rows(csv)
        self.assertEqual([name for name, _ in head], list(table["expect"]))
        for i, values in enumerate(part[""] for part in table["expect"].values()):
            if all(value is None or isinstance(value, str) for value in values):
                found = [row[i][0] if row[i][0] or row[i][1] else None for row in rows]
                self.assertEqual(found, values)

MORE = """i,x,s,b,t,c,u
7,0.25,"new, and longer",false,2022-01-01T00:00:00,z,5
8,,,true,,,6
"""
MORE_EXPECTED = {
    "i": [7, 8],
    "x": [0.25, NAN],
    "s": ["new, and longer", "none"],
    "b": [False, True],
    "t": [1640995200 * SECOND, -(2**63)],
    "c": ["z", None],
    "u": [5, 6],
}
BOTH = {name: [*values, *MORE_EXPECTED[name]] for name, values in EXPECTED.items()}


class Appended(ArkoudaTestCase):
    """stoa append writes the objects anew: as if all rows had been written at once."""

    def append(self, path):
        self.stoa("append", self.write("more.csv", MORE), f"{self.dir}/out.h5:{path}",
                  "--missing", "s=none")  # fmt: skip

    def test_columns_and_frames_get_rows_in_as_many_files(self):
        source = self.table()
        for n in (0, 1, 3):
            with self.subTest(locales=n):
                self.forget()
                self.convert(source, n)
                self.append("/")
                self.assert_verified(self.job(n, {k: {"": v} for k, v in BOTH.items()}))
                self.forget()
                self.convert(source, n, "--as", "dataframe", name=":/f")
                self.append("/f")
                self.assert_verified(self.job(n, {"f": {**BOTH, "Index": list(range(7))}}))

    def test_files_of_two_writes_are_refused(self):
        """As a process leaves them that is killed while it renames the files of an append."""
        self.convert(self.table(), 3, "--as", "dataframe", name=":/f")
        names = locale_files(3)
        old = {name: (self.dir / name).read_bytes() for name in names}
        self.append("/f")
        new = {name: (self.dir / name).read_bytes() for name in names}
        for n_new in (1, 2):
            mixed = {name: (new if k < n_new else old)[name] for k, name in enumerate(names)}
            for name in names:
                (self.dir / name).write_bytes(mixed[name])
            for name in names:
                self.fails("query", f"{self.dir / name}:/f", says=(f"{names[n_new]} is of another write", "LOCALE0000"))
            self.fails("append", self.write("more.csv", MORE), f"{self.dir}/out.h5:/f", says="another write")
            self.fails("convert", self.plain("v\n1\n2\n3\n"), f"{self.dir}/out.h5", "--to", "arkouda",
                       "--locales", "3", says="another write")  # fmt: skip
            self.assertEqual({name: (self.dir / name).read_bytes() for name in names}, mixed)
        self.convert(self.plain("v\n1\n2\n3\n"), 3, "--mode", "truncate")
        self.assertIn("3", self.stoa("query", f"{self.dir / names[0]}:/v", "-a", "count()").stdout)

    def test_lists_and_levels_get_rows(self):
        for n in (0, 3):
            with self.subTest(locales=n):
                self.forget()
                rows = self.write("l.jsonl", '{"l": [1, 2]}\n{"l": []}\n{"l": [3]}\n')
                (self.dir / "own.h5").unlink(missing_ok=True)
                self.stoa("import", rows, f"{self.dir}/own.h5:/t")
                self.convert(f"{self.dir}/own.h5:/t", n)
                more = self.write("more.jsonl", '{"l": [4, 5, 6]}\n{"l": [7]}\n')
                self.stoa("append", more, f"{self.dir}/out.h5:/l")
                wanted = [[1, 2], [], [3], [4, 5, 6], [7]]
                self.assert_verified(self.job(n, {"l": {"": wanted}}))
                self.convert(self.plain("a,b\n1,x\n2,y\n"), n, "--as", "index")
                self.stoa("append", self.write("more.csv", "IDX_0,IDX_1\n3,z\n"),
                          f"{self.dir}/out.h5:/index")  # fmt: skip
                self.assert_verified(self.job(n, {"l": {"": wanted},
                                                  "index": {"IDX_0": [1, 2, 3],
                                                            "IDX_1": ["x", "y", "z"]}}))  # fmt: skip

    def test_what_gets_no_rows_leaves_the_files_as_they_were(self):
        for n in (0, 3):
            with self.subTest(locales=n):
                self.forget()
                self.convert(self.table(), n)
                self.convert(self.plain("v\n1\n2\n2\n"), n, "--as", "groupby")
                before = {name: (self.dir / name).read_bytes() for name in locale_files(n)}
                for text, path, says in (
                    ("i\n1.5\n", "/i", "'1.5' is no int64"),
                    ("i\n\n", "/i", "missing"),
                    ("KEY_0\n1\n", "/groupby", "is a groupby, which gets no rows"),
                    (MORE.replace("i,", "q,"), "/", "q"),
                ):
                    done = self.stoa("append", self.write("bad.csv", text),
                                     f"{self.dir}/out.h5:{path}", status=3)  # fmt: skip
                    self.assertIn(says, done.stderr)
                    after = {name: (self.dir / name).read_bytes() for name in locale_files(n)}
                    self.assertEqual(after, before)
                    self.assertEqual(sorted(p.name for p in self.dir.glob("out*")), sorted(before))


if __name__ == "__main__":
    stoa_test.main()
