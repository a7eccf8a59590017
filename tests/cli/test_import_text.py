"""How the text of a CSV file is read, and what an import says about it (docs/csv.md)."""

import datetime
import os
import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

SEED = int(os.environ.get("STOA_SEED", "1"))


class ImportText(stoa_test.TestCase):
    def bring(self, text, *options, name="a.csv", more=(), status=0):
        """What an import of a text says, and the table as CSV."""
        path = self.dir / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        target = f"{self.dir}/t.h5:/t"
        said = self.stoa("import", path, *more, target, "--force", *options, status=status).stderr
        return said, self.stoa("query", target, "-f", "csv").stdout if status == 0 else None

    def rows(self, text, *options, **named):
        return self.bring(text, *options, **named)[1]

    def types(self):
        said = self.stoa("info", f"{self.dir}/t.h5:/t").stdout.split("\n\n")[1]
        return [line.split()[1] for line in said.splitlines()[2:]]

    # --- delimiters ------------------------------------------------------------------------------

    def test_the_delimiter_is_what_all_lines_have(self):
        for delimiter in ",;\t|":
            text = f"a{delimiter}b\n1{delimiter}x\n2{delimiter}\n"
            self.assertEqual(self.rows(text), "a,b\n1,x\n2,\n", repr(delimiter))
        self.assertEqual(self.rows("a;b\n1,5;2,5\n"), 'a,b\n"1,5","2,5"\n')
        self.assertEqual(self.rows('a,b\n"x;y;z",1\n'), "a,b\nx;y;z,1\n")
        self.assertEqual(self.rows("a,;b;\n1,;2;\n"), "a,;b;\n1,;2;\n")  # the comma before others
        self.assertEqual(self.rows("a b\nx|y\n"), "a b\nx|y\n")
        self.assertEqual(self.rows("\n\na|b|c\n1|2|3"), "a,b,c\n1,2,3\n")
        self.assertEqual(self.rows("a;b\n1;2\n", "--delimiter", ","), "a;b\n1;2\n")
        self.assertEqual(self.rows("a;b\tc\n1;2\t3\n", name="a.tsv"), "a;b,c\n1;2,3\n")
        said, _ = self.bring("a;b\n1;2\n3\n", status=3)
        self.assertIn("line 3: 1 field where the header has 2", said)

    # --- lines -----------------------------------------------------------------------------------

    def test_a_file_without_a_header(self):
        self.assertEqual(self.rows("1,x\n2,y\n", "--no-header"), "column_1,column_2\n1,x\n2,y\n")
        self.assertEqual(self.rows("\n5\n", "--no-header"), "column_1\n5\n")
        self.assertEqual(self.rows("1,x\n", "--no-header", "--type", "column_1=float64"),
                         "column_1,column_2\n1.0,x\n")  # fmt: skip

    def test_lines_are_left_out(self):
        text = '# from "a\n# detector\na,b\n1,x\n#2,y\n3,"z\n# no comment"\n'
        self.assertEqual(self.rows(text, "--comment", "#"), 'a,b\n1,x\n3,"z\n# no comment"\n')
        self.assertEqual(self.rows("x\ny\na,b\n1,2\n", "--skip", "2"), "a,b\n1,2\n")
        self.assertEqual(self.rows("x\na\n1\n#\n\n3\n", "--skip", "1", "--comment", "#"), "a\n1\n\n3\n")
        many = "a,b\n" + "".join(f"{i},{i}\n# {i}\n" for i in range(50000))
        self.assertEqual(self.rows(many, "--comment", "#").count("\n"), 50001)
        for options, line in ((["--comment", "#"], 6), (["--skip", "3", "--comment", "#"], 6)):
            said, _ = self.bring("#1\n#2\n#3\na,b\n1,2\n3\n", *options, status=3)
            self.assertIn(f"a.csv: line {line}: 1 field", said)
        self.assertIn("no header row", self.bring("a,b\n1,2\n", "--skip", "9", status=3)[0])

    def test_characters_are_checked(self):
        for option in ("--comment", "--decimal"):
            for text in ("", "ab", '"', "ä"):
                self.assertIn(option, self.bring("a\n1\n", option, text, status=2)[0])
        self.assertIn("--skip", self.bring("a\n1\n", "--skip", "-1", status=2)[0])
        self.assertIn("--decimal", self.bring("a\n1\n", "--decimal", ";", status=2)[0])
        self.assertIn("delimiter", self.bring("a\n1\n", "--decimal", ",", "--delimiter", ",", status=3)[0])
        for option in (["--skip", "1"], ["--comment", "#"], ["--encoding", "latin1"], ["--no-header"]):
            self.write("a.jsonl", '{"a": 1}\n')
            self.fails("import", f"{self.dir}/a.jsonl", f"{self.dir}/j.h5:/t", *option, status=2,
                       says=[option[0], "CSV"])  # fmt: skip

    # --- encodings -------------------------------------------------------------------------------

    def test_other_encodings_are_read(self):
        text = "größe,straße\n1,Łódź\n" + "2,€uro\n" * 30000
        for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-32", "utf-8-sig"):
            name = {"utf-16-le": "UTF-16LE", "utf-8-sig": "UTF-8"}.get(encoding, encoding)
            self.assertEqual(self.rows(text.encode(encoding), "--encoding", name), text, encoding)
        for encoding in ("latin1", "cp1252", "iso8859-15"):
            text = "größe\nä\n" + ("€\n" if encoding != "latin1" else "")
            self.assertEqual(self.rows(text.encode(encoding), "--encoding", encoding), text)

    def test_bytes_that_an_encoding_does_not_have_are_refused(self):
        before = list(self.dir.iterdir())
        for data, encoding, says in (
            (b"a\n\xff\n", "utf-8", "byte 2, 0xff, is not utf-8"),
            ("a\n1".encode("utf-16") + b"\x00", "utf-16", "is not utf-16"),
            (b"a\n1\n", "klingon", "the encoding 'klingon' is not known"),
            (b"a\n1\n", "", "encoding"),
        ):
            if encoding:
                said, _ = self.bring(data, "--encoding", encoding, status=3)
                self.assertIn(says, said)
        self.assertIn("--encoding utf-16", self.bring("a\n1\n".encode("utf-16"), status=3)[0])
        self.assertIn("--encoding latin1", self.bring(b"\xe4\n1\n", status=3)[0])
        self.assertEqual(len(list(self.dir.iterdir())), len(before) + 1)  # the text alone

    # --- numbers and times -----------------------------------------------------------------------

    def test_numbers_with_a_decimal_comma(self):
        text = 'x;n;t;m\n1,5;2;a 1,5 b;1,5\n-2,25e3;3;c;1.5\n;;;"0,5"\n'
        self.assertEqual(self.rows(text, "--decimal", ","),
                         'x,n,t,m\n1.5,2,"a 1,5 b","1,5"\n-2250.0,3,c,1.5\n,,,"0,5"\n')  # fmt: skip
        self.assertEqual(self.types()[:2], ["float64", "int8"])
        self.assertEqual(self.rows("x\n1,5\n", "--decimal", ",", "--type", "x=float32"), "x\n1.5\n")
        self.assertEqual(self.rows("x,y\n1.5,2\n", "--decimal", "."), "x,y\n1.5,2\n")
        said, _ = self.bring("x;y\n1.5;2\n", "--decimal", ",", "--type", "x=float64", status=3)
        self.assertIn("line 2, column 'x': '1.5' is no float64", said)

    def test_times_of_a_format_are_those_of_strptime(self):
        rng = random.Random(SEED)
        formats = ["%d.%m.%Y", "%m/%d/%y", "%Y%m%d", "%d-%b-%Y", "%A, %d %B %Y", "%Y-%j",
                   "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M:%S %p", "%Y%m%dT%H%M%S", "%d %b %y %H:%M:%S.%f",
                   "%H:%M %d.%m.%Y", "%Y/%m/%d %H:%M:%S%z", "100%% %d.%m.%Y"]  # fmt: skip
        for form in formats:
            zone = datetime.timezone.utc if "%z" in form else None
            times = [datetime.datetime(1970, 1, 1, tzinfo=zone)
                     + datetime.timedelta(microseconds=rng.randrange(int(3e15))) for _ in range(20)]  # fmt: skip
            texts = [time.strftime(form) for time in times]
            said = self.rows("t|n\n" + "".join(f"{t}|{i}\n" for i, t in enumerate(texts)),
                             "--date-format", form, "--delimiter", "|")  # fmt: skip
            got = [line.split(",")[0] for line in said.splitlines()[1:]]
            wanted = [datetime.datetime.strptime(text, form) for text in texts]
            self.assertEqual([datetime.datetime.fromisoformat(t) for t in got], wanted, form)
            self.assertIn(self.types()[0].split("[")[0], ("date", "timestamp"), form)

    def test_what_a_format_does_not_give_stays_text(self):
        self.assertEqual(self.rows("t\n31.02.2024\n", "--date-format", "%d.%m.%Y"), "t\n31.02.2024\n")
        self.assertEqual(self.rows("t\n2024-05-01\n", "--date-format", "%d.%m.%Y"), "t\n2024-05-01\n")
        self.assertEqual(self.types(), ["date"])
        said, _ = self.bring("t\n1.2.24\n", "--date-format", "%d.%m.%Y", "--type", "t=date", status=3)
        self.assertIn("line 2, column 't': '1.2.24' is no date", said)
        for form, says in (("%q", "'%q'"), ("%d.%m.", "gives no date"), ("%", "'% '"), ("", "gives no date"),
                           ("%H:%M", "gives no date")):  # fmt: skip
            self.assertIn(says, self.bring("t\n1\n", "--date-format", form, status=3)[0])

    # --- what an import says ---------------------------------------------------------------------

    def test_a_few_values_that_spoil_a_type_are_named(self):
        good = {"n": lambda i: str(i), "c": lambda i: str(i % 7), "x": lambda i: f"{i}.5",
                "d": lambda i: f"2024-01-{i % 28 + 1:02}", "b": lambda i: "true" if i % 3 else "false"}  # fmt: skip
        kinds = {"n": "number", "c": "number", "x": "number", "d": "time", "b": "boolean"}
        types = {"n": "int16", "c": "int8", "x": "float64", "d": "date", "b": "bool"}
        for column in good:
            for bad in ([0], [2999], [17, 1500], [2000]):  # 2000: where a sample is taken
                rows = [[("oops" if i in bad and name == column else make(i)) for name, make in good.items()]
                        for i in range(3000)]  # fmt: skip
                text = ",".join(good) + "\n" + "".join(",".join(row) + "\n" for row in rows)
                said, _ = self.bring(text)
                remarks = [line for line in said.splitlines() if "oops" in line]
                self.assertEqual(len(remarks), 1, said)
                self.assertIn(f"column '{column}'", remarks[0])
                self.assertIn(f"{len(bad)} of its 3000 values", remarks[0])
                self.assertIn(f"no {kinds[column]}", remarks[0])
                self.assertIn(f"'oops' in line {bad[0] + 2};", remarks[0])
                self.assertIn(f"--type '{column}={types[column]}' --on-error null", remarks[0])
                self.assertNotIn("column", self.bring(text, "--type", f"{column}={types[column]}",
                                                      "--on-error", "null")[0])  # fmt: skip
        self.assertEqual(self.types(), list(types.values()))

    def test_the_type_offered_holds_every_good_number(self):
        low, high = 1 << 31, 10**14
        for rows, kind in (([low - 9, 5, low - 1, low - 5], "int32"), ([low - 9, 5, low - 1, low - 8, low], "int64"),
                           ([300, 7, 99, 127], "int16"), ([100, 7, 99, 127], "int8"), ([100, 7, 99, -129], "int16"),
                           ([5, 7, high, high + 1], "int64"), ([5, 7, 6, 10**17], "int64"), ([5, 7, "6.5"], "float64"),
                           ([5, 7, "06"], None), ([5, 7, "+6"], None), ([10**7, 9, 99999999], "int32")):  # fmt: skip
            text = "n\n" + "".join(f"{row}\n" for row in rows * 600) + "oops\n"
            said, _ = self.bring(text)
            if kind is None:
                self.assertNotIn("column '", said, rows)
            else:
                self.assertIn(f"--type 'n={kind}' --on-error null", said, rows)
                done, _ = self.bring(text, "--type", f"n={kind}", "--on-error", "null")
                self.assertIn("1 bad value set", done, rows)

    def test_the_line_is_that_of_the_file(self):
        rows = [f"{i},v{i}" for i in range(200000)]
        rows[150000] = "oops,v"
        rows[3] = '3,"two\nlines"'
        said, _ = self.bring("n,v\n" + "\n".join(rows) + "\n", "--comment", "#")
        self.assertIn("1 of its 200000 values is no number; the first is 'oops' in line 150003;", said)
        text = "# x\nn,v\n# y\n" + "\n".join(rows[:2000]) + "\nbad,1\n"
        self.assertIn("'bad' in line 2005;", self.bring(text, "--comment", "#")[0])

    def test_text_and_many_bad_values_are_no_remark(self):
        for values in ("abc", "a1b", "1a"):
            text = "n\n" + "".join(f"{values}{i}\n" for i in range(2000))
            self.assertNotIn("column '", self.bring(text)[0])
        text = "n\n" + "".join(f"{i}\n" if i % 100 else "oops\n" for i in range(5000))
        self.assertNotIn("column '", self.bring(text)[0])
        self.assertNotIn("column '", self.bring("n\n1\noops\n")[0])
        text = "n\n" + "1\n" * 4000 + "oops\n"
        self.assertNotIn("column '", self.bring(text, "--type", "n=string")[0])
        self.assertNotIn("column '", self.bring(text, "--category", "n")[0])

    def test_words_for_missing_values_are_offered(self):
        for word in ("NA", "N/A", "null", "NULL", "-", "None", "?", "#N/A", "n/a", "."):
            text = "i,n\n" + "".join(f"{i},{i if i % 3 else word}\n" for i in range(300))
            said, _ = self.bring(text)
            self.assertIn(f"100 of its 300 values are no numbers; the first is '{word}' in line 2", said)
            self.assertIn(f"--null '{word}'", said)
            said, rows = self.bring(text, "--null", word)
            self.assertNotIn("column 'n'", said)
            self.assertEqual(rows.splitlines()[1:4], ["0,", "1,1", "2,2"])
        said, _ = self.bring("n\n" + "NA\nnull\n5\n" * 5)
        self.assertIn("--null 'NA' --null 'null'", said)
        self.assertNotIn("column '", self.bring("n\nNA\nann\nbob\n")[0])

    def test_names_that_the_header_repeats_get_a_number(self):
        said, rows = self.bring("a,b,a,a\n1,2,3,4\n")
        self.assertEqual(rows, "a,b,a_2,a_3\n1,2,3,4\n")
        remarks = [line for line in said.splitlines() if "repeats" in line]
        self.assertEqual(len(remarks), 1)
        self.assertIn("'a' in column 3 is 'a_2', 'a' in column 4 is 'a_3'", remarks[0])

    def test_blanks_in_quoted_names_stay(self):
        self.assertEqual(self.rows('" a ","b  c"\n1,2\n'), " a ,b  c\n1,2\n")

    def test_a_dry_run_shows_the_columns_and_writes_nothing(self):
        path = self.write("a.csv", "n,x,c\n1,2.5,a\n2,,a\n3,1,a\n4,1,a\n")
        done = self.stoa("import", path, f"{self.dir}/t.h5:/t", "--dry-run", "--units", "x=keV")
        words = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(words[2:], [["n", "int8"], ["x", "float64", "keV"], ["c", "category"]])
        self.assertIn("4 rows would be imported", done.stderr)
        self.assertFalse((self.dir / "t.h5").exists())
        self.write("b.csv", "n\n1\n2,3\n")
        self.fails("import", f"{self.dir}/b.csv", f"{self.dir}/t.h5:/t", "--dry-run", says="line 3")

    # --- several files ---------------------------------------------------------------------------

    def test_several_files_are_one_table_with_types_over_all(self):
        more = [self.write("b.csv", "\nn,v\n300,x\n"), self.write("c.csv", "n,v\n1.5,\n4,y"),
                self.write("d.csv", "n,v\n")]  # fmt: skip
        said, rows = self.bring("n,v\n1,a", more=more)
        self.assertEqual(rows, "n,v\n1.0,a\n300.0,x\n1.5,\n4.0,y\n")
        self.assertIn("4 rows imported", said)
        self.assertEqual(self.rows("1;2", "--no-header", more=[self.write("b.csv", "3;4\n")]),
                         "column_1,column_2\n1,2\n3,4\n")  # fmt: skip
        os.system(f"gzip -kf {self.dir}/c.csv")
        more = [f"{self.dir}/c.csv.gz"]
        self.assertEqual(self.rows("n,v\n1,a\n", more=more), "n,v\n1.0,a\n1.5,\n4.0,y\n")

    def test_a_file_that_does_not_fit_is_named(self):
        more = [self.write("b.csv", "# one\n\n# two\nn,v\n# three\n3,c\n")]
        self.assertEqual(self.rows("n,v\n1,a\n", "--comment", "#", more=more), "n,v\n1,a\n3,c\n")
        (self.dir / "t.h5").unlink()
        for text, says in (("n,w\n1,2\n", ["b.csv", "header"]), ("v,n\n1,2\n", ["b.csv", "header"]),
                           ("", ["b.csv", "header"]), ("n,v\n\n1\n", ["b.csv", "line 3: 1 field"]),
                           ('n,v\n1,"x\n', ["line 2"])):  # fmt: skip
            more = [self.write("b.csv", text)] if text else [f"{self.dir}/none.csv"]
            said, _ = self.bring("n,v\n1,a\n2,b\n", more=more, status=3)
            for word in says if text else ["none.csv"]:
                self.assertIn(word, said)
            self.assertFalse((self.dir / "t.h5").exists())
        rows = "".join(f"{i},{i}\n" for i in range(2000))
        more = [self.write("b.csv", "n,v\n" + rows + "oops,1\n")]
        said, _ = self.bring("n,v\n" + rows, more=more)
        self.assertIn("'oops' in line 2002;", said)
        self.assertIn("b.csv", said.splitlines()[0])
        self.stoa("import", f"{self.dir}/a.csv", f"{self.dir}/t.h5:/u")
        self.fails("import", f"{self.dir}/t.h5:/u", *more, f"{self.dir}/t.h5:/v", status=2, says="a table")
        self.fails("import", f"{self.dir}/a.csv", status=2, says="PLACE is missing")

    def test_columns_are_matched_by_name_by_choice(self):
        """What pandas.concat() of the files gives: the union of the columns, in order of their first occurrence."""
        more = [self.write("b.csv", 'v,w,n\nq,0.5,3\nr,,4\n'), self.write("c.csv", "n\n7\n\n8"),
                self.write("d.csv", "w\r\n1\r\n2\r\n"), self.write("e.csv", "n,v\n")]  # fmt: skip
        said, rows = self.bring('n,v\n1,a\n2,"b,\n""x"\n', "--by-name", more=more)
        self.assertEqual(rows, 'n,v,w\n1,a,\n2,"b,\n""x",\n3,q,0.5\n4,r,\n7,,\n,,\n8,,\n,,1.0\n,,2.0\n')
        self.assertIn("9 rows imported", said)
        # Repeated names are matched in their order; delimiters, comments and skipped lines are those of all files.
        more = [self.write("b.csv", "# no\n\nb|a|a|c\n1|2|3|4\n# no\n5|6|7|8\n")]
        said, rows = self.bring("\na|b|a\n1|2|3\n", "--by-name", "--comment", "#", more=more)
        self.assertEqual(rows, "a,b,a_2,c\n1,2,3,\n2,1,3,4\n6,5,7,8\n")
        rows = "".join(f"{i},{i * 0.5}\n" for i in range(50000))
        turned = "x,n\n" + "".join(f"{i * 0.5},{i}\n" for i in range(50000))
        for pack in (lambda name: name, lambda name: os.system(f"gzip -f {name}") or f"{name}.gz"):
            _, found = self.bring("n,x\n" + rows, "--by-name", more=[pack(self.write("b.csv", turned))])
            self.assertEqual(found.splitlines()[1:50001], found.splitlines()[50001:])
            self.assertEqual(found.splitlines()[2], "1,0.5")

    def test_files_that_no_name_joins_are_named(self):
        for text, says in (("x,y\n1,2\n", ["b.csv", "no column"]), ("", ["b.csv", "no header"]),
                           ("v,n\n1,2\n3\n", ["b.csv", "line 3: 1 field"]), ('w,n,v\n1,2,3\n"o,2\n', ["b.csv", "line 3", "closing"]),
                           ("v,w,n\n1,2\n", ["b.csv", "line 2: 2 fields"])):  # fmt: skip
            said, _ = self.bring("n,v\n1,a\n2,b\n", "--by-name", more=[self.write("b.csv", text)], status=3)
            for word in says:
                self.assertIn(word, said)
            self.assertFalse((self.dir / "t.h5").exists())
        said, rows = self.bring("n,v\n1,2\n", "--by-name", "--on-error", "skip", more=[self.write("b.csv", "v,n\n1,2,3\n4,5\n")])
        self.assertEqual(rows, "n,v\n1,2\n5,4\n")
        self.fails("import", f"{self.dir}/a.csv", f"{self.dir}/b.csv", f"{self.dir}/u.h5", "--by-name", "--no-header",
                   says="cannot be matched by name")  # fmt: skip

    def test_strict_refuses_a_column_of_two_types(self):
        more = [self.write("b.csv", "n,v\n300,\n"), self.write("c.csv", "n,v\n-7,b\n")]
        self.assertEqual(self.bring("n,v\n1,a\n", "--strict", more=more)[1], "n,v\n1,a\n300,\n-7,b\n")
        for text, says in (("n\n1.5\n", "column 'n' has floats, and integers in"), ("n\nx\n", "has text, and integers"),
                           ("v\n2020-01-01\n", "column 'v' has dates, and text in")):  # fmt: skip
            more[1] = self.write("c.csv", text)
            said, _ = self.bring("n,v\n1,a\n", "--strict", "--by-name", more=more, status=3)
            self.assertIn(f"c.csv: {says}" if "column" in says else says, said)
            self.bring("n,v\n1,a\n", "--by-name", more=more)
        more[1] = self.write("c.csv", "n,v\nx,1\n")
        self.bring("n,v\n1,a\n", "--strict", "--type", "n=string", "--type", "v=string", more=more)


if __name__ == "__main__":
    unittest.main()
