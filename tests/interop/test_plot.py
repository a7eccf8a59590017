"""stoa plot beside NumPy: what is counted, and where (src/cli/plot)."""

import csv
import io
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as Xml
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test
from stoa_test import SharedPeersTestCase

SVG = "{http://www.w3.org/2000/svg}"

MAKE = """
import h5py, numpy as np, pyarrow as pa, pyarrow.feather as feather
r = np.random.default_rng(7)
n = 20000
skewed = r.lognormal(1, 1, n)
skewed[:12] = 1e6 * np.arange(1, 13)
normal = r.normal(20, 3, n)
normal[5], normal[6], normal[7] = np.nan, np.inf, -np.inf
few = r.integers(0, 6, n).astype("i2")
big = r.integers(2**62, 2**62 + 1000, n)
label = np.array(["alpha", "beta", "a,b \\"<&>\\x1b[31m"])[r.choice(3, n, p=[0.6, 0.3, 0.1])]
weight = r.random(n)
times = np.datetime64("2026-03-01T10:00:00", "ns") + np.cumsum(r.integers(1, 10**9, n)).astype("m8[ns]")
holes = pa.array(np.arange(n) % 100, mask=np.arange(n) % 10 == 0)
table = pa.table({"skewed": skewed, "normal": normal, "few": few, "big": big, "weight": weight,
                  "label": pa.array(label).dictionary_encode(), "time": pa.array(times), "holes": holes,
                  "near": normal * 0.5 + r.normal(0, 1, n)})
feather.write_feather(table, "t.arrow", compression="uncompressed")
np.savez("t.npz", skewed=skewed, normal=normal, few=few, big=big, weight=weight, label=label,
         times=times.view("i8"), near=np.asarray(table["near"]))
with h5py.File("list.h5", "w") as file:
    file["w"] = r.normal(size=(50, 40))
"""


# Answers a line of JSON, an expression and its values, with one of what NumPy says.
SERVE = """
import json, sys, h5py, numpy as np
t = dict(np.load("t.npz"))
w = h5py.File("list.h5")["w"][:]
for line in sys.stdin:
    expression, v = json.loads(line)
    print(json.dumps(np.asarray(eval(expression)).tolist()), flush=True)
"""


class Plot(SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        shared.peer_python(MAKE)
        cls.place = f"{shared.dir}/t.h5:/t"
        shared.stoa("import", shared.dir / "t.arrow", cls.place)
        shared.write("serve.py", SERVE)
        cls.peer_numpy = subprocess.Popen(shared.peer_command("python3", "serve.py"), text=True,
                                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
        cls.addClassCleanup(cls.peer_numpy.communicate)

    def rows(self, *options, place=None):
        text = self.stoa("plot", place or self.place, *options, "-o", "-", "-f", "csv").stdout
        return [{k: float(v) if re.fullmatch(r"-?[0-9.e+-]+|inf", v) else v for k, v in row.items()}
                for row in csv.DictReader(io.StringIO(text))]  # fmt: skip

    def numpy(self, expression, **values):
        """JSON of an expression over the columns, computed by NumPy."""
        print(json.dumps([expression, values]), file=self.peer_numpy.stdin, flush=True)
        return json.loads(self.peer_numpy.stdout.readline())

    def edges(self, rows):
        self.assertEqual([row["high"] for row in rows[:-1]], [row["low"] for row in rows[1:]])
        return [row["low"] for row in rows] + [rows[-1]["high"]]

    def same_counts(self, rows, column, more=""):
        counted = self.numpy(f"np.histogram({column}, bins=np.array(v['edges']){more})[0]", edges=self.edges(rows))
        self.assertEqual([row["height"] for row in rows], counted)
        self.assertGreater(sum(counted), 0)
        return counted

    def test_every_value_is_in_the_bin_that_numpy_finds(self):
        for column, more in (("normal", "[np.isfinite(t['normal'])]"), ("skewed", ""), ("few", "")):
            for options in ((), ("--bins", "17"), ("--x-range", "1:19.5", "--bins", "37")):
                rows = self.rows("-c", column, *options)
                self.same_counts(rows, f"t['{column}']{more}")
                self.assertEqual(len(rows), int(options[-1]) if "--bins" in options else len(rows))

    def test_bins_of_equal_width_are_those_of_numpy(self):
        rows = self.rows("-c", "weight", "--bins", "20")
        counts, edges = (self.numpy(f"np.histogram(t['weight'], 20)[{i}]") for i in range(2))
        self.assertEqual([row["height"] for row in rows], counts)
        for ours, theirs in zip(self.edges(rows), edges, strict=True):
            self.assertAlmostEqual(ours, theirs, places=14)

    def test_integers_above_two_to_the_53rd_are_counted_exactly(self):
        text = self.stoa("plot", self.place, "-c", "big - 4611686018427387904", "-f", "csv", "--bins", "10").stdout
        heights = [int(row["height"]) for row in csv.DictReader(io.StringIO(text))]
        self.assertEqual(heights, self.numpy("np.histogram(t['big'] - 2**62, 10)[0]"))
        text = self.stoa("plot", self.place, "-c", "big", "-f", "csv", "--bins", "10").stdout
        self.assertEqual([int(row["height"]) for row in csv.DictReader(io.StringIO(text))], heights)

    def test_far_tails_are_cut_off_and_said(self):
        drawn = self.draw("-c", "skewed")
        rows = self.rows("-c", "skewed")
        top = rows[-1]["high"]
        above = self.numpy(f"np.sum(t['skewed'] > {top!r})")
        self.assertLess(top, 1000)
        self.assertGreater(len([row for row in rows if row["height"] > 20]), 10)
        note = drawn.find(SVG + "text[@class='note']").text
        self.assertRegex(note, rf"^{above} above [0-9.]+ \(to 1\.2e\+07\)$")
        self.assertEqual(sum(row["height"] for row in rows) + above, 20000)

    def test_what_has_no_place_is_said(self):
        note = self.draw("-c", "normal").find(SVG + "text[@class='note']").text
        self.assertEqual(note, "3 NaN or infinite")
        for options in ((), ("--bins", "5", "--x-range", "0:99")):  # two passes over the rows, and one
            note = self.draw("-c", "holes", *options).find(SVG + "text[@class='note']").text
            self.assertEqual(note, "2000 missing")
        note = self.draw("-c", "few", "--bins", "2", "--x-range", "0:2").find(SVG + "text[@class='note']").text
        above = self.numpy("np.sum(t['few'] > 2)")
        self.assertEqual(note, f"{above} above 2 (to 5)")

    def test_weights_are_summed(self):
        rows = self.rows("-c", "few", "--weights", "weight")
        sums = self.numpy("np.bincount(t['few'], t['weight'])")
        self.assertEqual([row["low"] for row in rows], [i - 0.5 for i in range(6)])
        for row, total in zip(rows, sums, strict=True):
            self.assertAlmostEqual(row["height"], total, places=8)

    def test_groups_are_series(self):
        rows = self.rows("-c", "near", "--by", "few", "--bins", "12", "--x-range", "5:15")
        self.assertEqual(sorted({row["series"] for row in rows}), [0, 1, 2, 3, 4, 5])
        for key in range(6):
            part = [row for row in rows if row["series"] == key]
            self.same_counts(part, f"t['near'][t['few'] == {key}]")
        names = [text.text for text in self.draw("-c", "near", "--by", "label").findall(SVG + "text[@class='name']")]
        self.assertEqual(names, ["alpha", "beta", 'a,b "<&>\\x1b[31m'])

    def test_bars_are_the_most_frequent_values(self):
        expected = self.numpy("np.unique(t['label'], return_counts=True)[1]")
        rows = self.rows("-c", "label")
        self.assertEqual([row["value"] for row in rows], ["alpha", "beta", 'a,b "<&>\x1b[31m'])
        self.assertEqual([row["height"] for row in rows], sorted(expected, reverse=True))
        two = self.draw("-c", "label", "--bins", "2")
        self.assertEqual(two.find(SVG + "text[@class='note']").text, f"{min(expected)} in 1 other values")

    def test_boxes_have_the_quartiles_and_whiskers_of_tukey(self):
        rows = self.rows("-c", "near", "--by", "label", "--kind", "box", "-w", "is_finite(normal)")
        for row in rows:
            name = {"a": 'a,b "<&>\x1b[31m'}.get(row["value"][:1] if "," in row["value"] else "", row["value"])
            values = "t['near'][(t['label'] == v['name']) & np.isfinite(t['normal'])]"
            q1, median, q3 = self.numpy(f"np.quantile({values}, [0.25, 0.5, 0.75])", name=name)
            low, high = self.numpy(
                f"[f({values}[({values} >= v['q1'] - 1.5 * (v['q3'] - v['q1'])) & "
                f"({values} <= v['q3'] + 1.5 * (v['q3'] - v['q1']))]) for f in (np.min, np.max)]",
                name=name, q1=q1, q3=q3)
            for key, value in zip(("q1", "median", "q3", "low", "high"), (q1, median, q3, low, high), strict=True):
                self.assertAlmostEqual(row[key], value, places=12)
            self.assertEqual(row["n"], self.numpy(f"len({values})", name=name))

    def test_a_map_counts_as_histogram2d_does(self):
        rows = self.rows("-c", "near", "--x", "weight", "--bins", "13x7", "--y-range", "5:15")
        self.assertEqual(len(rows), 13 * 7)
        counts = self.numpy("np.histogram2d(t['weight'][np.isfinite(t['near'])], t['near'][np.isfinite(t['near'])], "
                            "bins=[13, np.linspace(5, 15, 8)])[0].ravel()")  # fmt: skip
        self.assertEqual([row["height"] or 0 for row in rows], counts)

    def test_a_line_over_times_has_dates(self):
        drawn = self.draw("-c", "weight", "--x", "time")
        ticks = [text.text for text in drawn.findall(SVG + "text[@class='x tick']")]
        self.assertTrue(all(re.fullmatch(r"[0-9]{2}:[0-9]{2}", tick) for tick in ticks), ticks)
        self.assertEqual(drawn.find(SVG + "text[@class='x common']").text, "2026-03-01")
        self.assertEqual(len(drawn.findall(f".//{SVG}polyline")), 1)
        rows = self.rows("-c", "time", "--bins", "4")
        self.assertTrue(rows[0]["low"].startswith("2026-03-01T10:00:0"))
        self.assertEqual([row["height"] for row in rows], self.numpy("np.histogram(t['times'], 4)[0]"))

    def test_points_are_a_sample_of_many_rows(self):
        rows = self.rows("-c", "near", "--x", "weight", "--kind", "scatter", "-w", "few = 1 and is_finite(near)")
        expected = self.numpy("np.sum((t['few'] == 1) & np.isfinite(t['near']))")
        self.assertEqual(len(rows), expected)
        found = self.numpy("np.isin(v['x'], t['weight'])", x=[row["x"] for row in rows])
        self.assertTrue(all(found))

    def test_items_of_lists_are_counted(self):
        rows = self.rows("-c", "w", "--kind", "hist", "--bins", "9", place=f"{self.shared.dir}/list.h5:/w")
        self.assertEqual([row["height"] for row in rows], self.numpy("np.histogram(w, 9)[0]"))

    def test_a_log_axis_has_edges_in_powers(self):
        rows = self.rows("-c", "skewed", "--log", "x", "--bins", "10")
        self.same_counts(rows, "t['skewed']")
        edges = self.edges(rows)
        ratios = [b / a for a, b in zip(edges, edges[1:])]
        self.assertAlmostEqual(max(ratios), min(ratios), places=9)
        ticks = [text.text for text in self.draw("-c", "skewed", "--log", "xy").findall(SVG + "text[@class='x tick']")]
        self.assertIn("10⁵", ticks)

    def test_json_has_the_same_numbers(self):
        text = self.stoa("plot", self.place, "-c", "few", "-f", "json").stdout
        self.assertEqual([row["height"] for row in json.loads(text)],
                         [row["height"] for row in self.rows("-c", "few")])  # fmt: skip

    def draw(self, *options, place=None):
        self.stoa("plot", place or self.place, *options, "-o", self.dir / "p.svg")
        return Xml.parse(self.dir / "p.svg").getroot()

    def test_title_and_size_are_those_asked_for(self):
        drawn = self.draw("-c", "few", "--title", "<b>&", "--size", "300x200")
        self.assertEqual((drawn.get("width"), drawn.get("height")), ("300", "200"))
        self.assertEqual(drawn.find(SVG + "text[@class='title']").text, "<b>&")

    def test_a_png_has_the_pixels_of_the_size(self):
        self.stoa("plot", self.place, "-c", "near", "--x", "weight", "--size", "321x234", "-o", self.dir / "p.png")
        data = (self.dir / "p.png").read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", data[16:24]), (321, 234))
        at, packed = 8, b""
        while at < len(data):
            (length,) = struct.unpack(">I", data[at : at + 4])
            self.assertEqual(struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0],
                             zlib.crc32(data[at + 4 : at + 8 + length]))  # fmt: skip
            packed += data[at + 8 : at + 8 + length] if data[at + 4 : at + 8] == b"IDAT" else b""
            at += 12 + length
        raw = zlib.decompress(packed)
        self.assertEqual(len(raw), 234 * (3 * 321 + 1))
        self.assertGreater(len(set(raw)), 20)

    def test_what_does_not_go_together_is_refused(self):
        for options, says in ((("-c", "near", "--kind", "scatter"), "needs the column of the x axis"),
                              (("-c", "label", "--kind", "line"), "holds no numbers"),
                              (("-c", "nothing"), "nothing"),
                              (("-c", "near", "--x-range", "3:1"), "is empty"),
                              (("-c", "near", "--x-range", "3"), "is no range"),
                              (("-c", "skewed", "--log", "x", "--x-range", "0:1"), "not above 0"),
                              (("-c", "near", "--x", "weight", "--bins", "9999x9999"), "more than the"),
                              (("-c", "near,weight", "--by", "few"), "one column can be drawn so"),
                              (("-c", "label", "--by", "few"), "--by goes with")):  # fmt: skip
            self.fails("plot", self.place, *options, says=says)
        for options in (("--size", "5x5"), ("--size", "800"), ("--bins", "0"), ("--bins", "1x2x3"), ("--log", "q"),
                        ("--kind", "pie")):  # fmt: skip
            self.fails("plot", self.place, *options, status=2)


if __name__ == "__main__":
    stoa_test.main()
