"""LH5 files as people look at them: trees, binning, drawings (src/cli/tree.c, cmd_plot.c)."""

import os
import sys

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
│   └── unlisted · no datatype · 3 x 4
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
│   ├── coded · array_of_encoded_equalsized_arrays<1,1>{real} · 3 x 4 · codec radware_sigcompress, shift -32768.0
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
                               "│   └── …\n└── unlisted · no datatype · 3 x 4\n")  # fmt: skip

    def test_a_long_list_of_fields_is_cut_at_a_name(self):
        self.peer_python(
            "import h5py\nfile = h5py.File('long.lh5', 'w')\n"
            "file.attrs['datatype'] = 'struct{' + ','.join(f'field{i}' for i in range(40)) + '}'\n"
        )
        first = self.stoa("ls", "-t", f"{self.dir}/long.lh5").stdout.splitlines()[0]
        self.assertEqual(
            first, "/ · struct{field0,field1,field2,field3,field4,field5,field6,…}")


if __name__ == "__main__":
    stoa_test.main()
