"""LH5 files as people look at them: trees, binning, drawings (src/cli/inspect/tree.c, cmd_plot.c)."""

import os
import re
import sys
import xml.etree.ElementTree as Xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

TREE = """/
├── circle · struct{again}
│   └── again · struct{again} · shown above as /circle
├── geds · struct{det1}
│   ├── det1 · table{energy,hits} · 2 rows
│   │   ├── energy · array<1>{real} · 2 · in keV
│   │   └── hits · array<1>{array<1>{real}} · 2 rows · in ns
│   └── unlisted · float64 · 3 x 4
├── hists
│   ├── one · struct{binning,isdensity,weights} · 4 bins · axis_0 in keV
│   └── two · struct{binning,isdensity,weights} · 2 x 3 bins · axis_0 in mm · axis_1 in s
├── link -> /geds/det1
├── lost -> /nowhere · leads nowhere
├── other -> other.h5:/x
├── short · table{a,b} · 2 rows
│   ├── b · listed in the datatype, but not there
│   └── a · array<1>{real} · 2
├── wf · table{coded,dt,plain,t0,values} · 3 rows
│   ├── coded · array_of_encoded_equalsized_arrays<1,1>{real} · 3 x 4 · codec radware_sigcompress, shift -2.0
│   ├── dt · array<1>{real} · 3 · in ns
│   ├── plain · array<1>{real} · 3
│   ├── t0 · array<1>{real} · 3 · in ns
│   └── values · array_of_equalsized_arrays<1,1>{real} · 3 x 4 · in ADC
└── wrong · array<2>{real} · cannot be read: its datatype says 'array<2>{real}', but it has 1 dimensions (LH5)
"""


class Look(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "lh5_look.py")
        self.file = f"{self.dir}/look.lh5"


class Tree(Look):
    def test_every_object_has_a_line_with_its_type_and_units(self):
        self.assertEqual(self.stoa("ls", "--tree", self.file).stdout, TREE)

    def test_depth_is_bounded(self):
        said = self.stoa("ls", "-t", "--depth", "1", f"{self.file}:/geds").stdout
        self.assertEqual(said, "/geds · struct{det1}\n├── det1 · table{energy,hits} · 2 rows\n"
                               "│   └── …\n└── unlisted · float64 · 3 x 4\n")  # fmt: skip

    def test_a_long_list_of_fields_is_cut_at_a_name(self):
        self.peer_python(
            "import h5py\nfile = h5py.File('long.lh5', 'w')\n"
            "file.attrs['datatype'] = 'struct{' + ','.join(f'field{i}' for i in range(40)) + '}'\n"
        )
        first = self.stoa("ls", "-t", f"{self.dir}/long.lh5").stdout.splitlines()[0]
        self.assertEqual(
            first, "/ · struct{field0,field1,field2,field3,field4,field5,field6,…}")


class Binning(Look):
    def test_info_shows_each_axis(self):
        one = self.stoa("info", f"{self.file}:/hists/one").stdout
        two = self.stoa("info", f"{self.file}:/hists/two").stdout
        self.assertRegex(one, r"weights +counts, no density\n")
        self.assertRegex(one, r"axis_0 +4 +0 +4 +1 each +\[low, high\) +keV\n")
        self.assertRegex(two, r"weights +a density\n")
        self.assertRegex(two, r"axis_0 +2 +0 +4 +2 each +\(low, high\] +mm\n")
        self.assertRegex(two, r"axis_1 +3 +0 +100 +edges of their own +\[low, high\) +s\n")

    def test_other_tables_have_none(self):
        self.assertNotIn("axis", self.stoa("info", f"{self.file}:/geds/det1").stdout)


class Drawing:
    """An SVG file as the ticks on its axes say what lies where."""

    SPACE = "{http://www.w3.org/2000/svg}"

    def __init__(self, path):
        self.root = Xml.parse(path).getroot()

    def found(self, tag, word):
        return [node for node in self.root.iter(self.SPACE + tag) if node.get("class") == word]

    def text(self, word):
        return [node.text for node in self.found("text", word)]

    def scale(self, axis):
        """From a coordinate of the page to a value, by the first and the last tick. Labels of the y
        axis stand 4 below their tick."""
        ticks = self.found("text", f"{axis} tick")
        lower = 4 if axis == "y" else 0
        at = [float(tick.get(axis)) - lower for tick in (ticks[0], ticks[-1])]
        values = [float(tick.text) for tick in (ticks[0], ticks[-1])]
        slope = (values[1] - values[0]) / (at[1] - at[0])
        return lambda place: values[0] + (place - at[0]) * slope

    def lines(self):
        x, y = self.scale("x"), self.scale("y")
        pairs = [line.get("points").split() for line in self.found("polyline", "line")]
        return [[(x(float(p.split(",")[0])), y(float(p.split(",")[1]))) for p in line] for line in pairs]


class Plot(Look):
    def draw(self, place, *options):
        self.stoa("plot", f"{self.file}:{place}", *options, "-o", f"{self.dir}/x.svg")
        return Drawing(f"{self.dir}/x.svg")

    def assert_near(self, found, expected, room):
        self.assertEqual(len(found), len(expected))
        for (x, y), (u, v) in zip(found, expected, strict=True):
            self.assertLess(abs(x - u), room[0])
            self.assertLess(abs(y - v), room[1])

    def test_a_histogram_is_drawn_as_steps(self):
        drawn = self.draw("/hists/one")
        steps = [(0, 0), (0, 1), (1, 1), (1, 3), (2, 3), (2, 0), (3, 0), (3, 2), (4, 2), (4, 0)]
        self.assert_near(drawn.lines()[0], steps, (0.01, 0.01))
        self.assertEqual(drawn.text("x label"), ["axis_0 [keV]"])
        self.assertEqual(drawn.text("y label"), ["weight"])
        self.assertEqual(drawn.text("title"), [f"{self.file}:/hists/one"])
        self.assertEqual(drawn.text("x tick")[0], "0")

    def test_a_histogram_of_two_axes_is_a_map_with_a_scale(self):
        drawn = self.draw("/hists/two")
        x, y = drawn.scale("x"), drawn.scale("y")
        cells = {}
        for cell in drawn.found("rect", "cell"):
            left, top, wide, high = (float(cell.get(key)) for key in ("x", "y", "width", "height"))
            box = (round(x(left)), round(x(left + wide)), round(y(top + high)), round(y(top)))
            cells[box] = (cell.find(Drawing.SPACE + "title").text, cell.get("fill"))
        at = [(0, 1), (1, 10), (10, 100)]
        expected = {(2 * i, 2 * i + 2, *at[j]): str(1 + 3 * i + j) for i in range(2) for j in range(3)}
        self.assertEqual({box: value for box, (value, _) in cells.items()}, expected)
        self.assertEqual(cells[0, 2, 0, 1][1], "#440154")
        self.assertEqual(cells[2, 4, 10, 100][1], "#fde725")
        self.assertEqual(drawn.text("scale label"), ["density"])
        self.assertEqual(drawn.text("scale tick"), ["1", "2", "3", "4", "5", "6"])
        self.assertEqual(drawn.text("y label"), ["axis_1 [s]"])

    def test_waveforms_are_drawn_over_their_time(self):
        for column in ("values", "coded"):
            drawn = self.draw("/wf", "-c", column, "--rows", "0,1,2")
            first, second, third = drawn.lines()
            self.assert_near(first, [(100, 0), (110, 5), (120, -3), (130, 2)], (0.3, 0.03))
            self.assert_near(second, [(0, 7), (20, 7), (40, 7), (60, 7)], (0.3, 0.03))
            self.assert_near(third, [(-50, 1), (-40, 2), (-30, 3), (-20, 4)], (0.3, 0.03))
            self.assertEqual(drawn.text("x label"), ["time [ns]"])
            self.assertEqual(drawn.text("name"), ["row 0", "row 1", "row 2"])
        self.assertEqual(drawn.text("y label"), ["coded"])

    def test_without_times_samples_are_counted(self):
        drawn = self.draw("/geds/det1")
        self.assert_near(drawn.lines()[0], [(0, 1), (1, 2)], (0.01, 0.01))
        self.assertEqual(drawn.text("x label"), ["sample"])
        self.assertEqual(drawn.text("y label"), ["hits [ns]"])

    def test_names_cannot_break_the_page(self):
        self.peer_python(
            "import h5py, numpy as np\nfile = h5py.File('odd.lh5', 'w')\n"
            "d = file.create_dataset('<a & \"b\">\\x07', data=np.ones((1, 3)))\n"
            "d.attrs['datatype'] = 'array_of_equalsized_arrays<1,1>{real}'\n"
            "d.attrs['units'] = ']]><x>\\x01'\n"
        )
        self.stoa("plot", f"{self.dir}/odd.lh5", "-o", f"{self.dir}/odd.svg")
        drawn = Drawing(f"{self.dir}/odd.svg")
        self.assertEqual(drawn.text("y label"), ['<a & "b">\\x07 []]><x>\\x01]'])

    def test_a_long_line_keeps_its_extremes(self):
        self.peer_python(
            "import h5py, numpy as np\nfile = h5py.File('long.lh5', 'w')\n"
            "rows = np.zeros((1, 100003))\nrows[0, 777] = 5\nrows[0, 99999] = -5\n"
            "d = file.create_dataset('w', data=rows)\n"
            "d.attrs['datatype'] = 'array_of_equalsized_arrays<1,1>{real}'\n"
        )
        self.stoa("plot", f"{self.dir}/long.lh5", "-o", f"{self.dir}/long.svg")
        (line,) = Drawing(f"{self.dir}/long.svg").lines()
        self.assertLessEqual(len(line), 4000)
        peaks = sorted((round(y), x) for x, y in line if abs(y) > 1)
        self.assertEqual([y for y, _ in peaks], [-5, 5])
        self.assertLess(abs(peaks[0][1] - 99999), 100)
        self.assertLess(abs(peaks[1][1] - 777), 100)

    def test_without_a_file_it_is_text(self):
        said = self.stoa("plot", f"{self.file}:/hists/one").stdout.splitlines()
        self.assertEqual(said[0], f"{self.file}:/hists/one")
        self.assertEqual(said[-1].strip(), "axis_0 [keV]")
        self.assertEqual(said[-2].split(), ["0", "1", "2", "3", "4"])
        rows = [re.split("[│┤]", line)[-1] for line in said if "│" in line or "┤" in line]
        self.assertEqual(len(rows), 20)
        plane = next(row for row in rows if row.strip())  # the roof of bin 1 covers the second quarter
        roof = [i for i, c in enumerate(plane) if c != " "]
        self.assertEqual((round(roof[0] * 4 / 67), round(roof[-1] * 4 / 67)), (1, 2))

    def test_what_cannot_be_drawn_says_so(self):
        self.fails("plot", f"{self.file}:/wf", says="say which to draw: -c COL")
        self.fails("plot", f"{self.file}:/wf", "-c", "none", says="no column 'none'")
        self.fails("plot", f"{self.file}:/wf", "-c", "values", "--rows", "3", says="there is no row 3")
        self.fails("plot", f"{self.file}:/wf", "--rows", "1,x", status=2, says="no list of")
        self.fails("plot", f"{self.file}:/wf", "-c", "values", "-o", f"{self.dir}/a.GIF", status=2,
                   says="a.GIF' does not say in which format")  # fmt: skip
        self.assertFalse((self.dir / "a.GIF").exists())


if __name__ == "__main__":
    stoa_test.main()
