"""stoa check against tables that h5py and anndata wrote: programs that know nothing of Stoa."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

# Fixed-length attributes and explicit fill values, by h5py's low-level interface. h5py has no
# H5T_STD_REF, so there are no references in these tables.
WRITER = """
import h5py, numpy
from h5py import h5a, h5d, h5p, h5s, h5t

def text(obj, name, value, cset=h5t.CSET_UTF8, size=None, pad=h5t.STR_NULLTERM):
    kind = h5t.C_S1.copy()
    kind.set_size(size or len(value.encode()) + 1)
    kind.set_cset(cset)
    kind.set_strpad(pad)
    attr = h5a.create(obj.id, name.encode(), kind, h5s.create(h5s.SCALAR))
    attr.write(numpy.array(value.encode(), dtype='S%d' % kind.get_size()), mtype=kind)

def names(obj, name, values):
    data = numpy.array([v.encode() for v in values])
    kind = h5t.C_S1.copy()
    kind.set_size(data.dtype.itemsize)
    kind.set_cset(h5t.CSET_UTF8)
    kind.set_strpad(h5t.STR_NULLPAD)
    attr = h5a.create(obj.id, name.encode(), kind, h5s.create_simple((len(values),)))
    attr.write(data, mtype=kind)

def table(file, path, n_rows):
    group = file.create_group(path)
    text(group, 'CLASS', 'COLUMN_TABLE', h5t.CSET_ASCII)
    text(group, 'VERSION', '1.0', h5t.CSET_ASCII)
    group.attrs.create('NROWS', n_rows, dtype='<u8')
    return group

def column(group, name, data, fill, chunk=4):
    plist = h5p.create(h5p.DATASET_CREATE)
    plist.set_chunk((chunk,))
    plist.set_fill_value(numpy.array(fill, dtype=data.dtype))
    kind = h5t.py_create(data.dtype, logical=True)
    space = h5s.create_simple(data.shape, (h5s.UNLIMITED,))
    dataset = h5d.create(group.id, name.encode(), kind, space, plist)
    dataset.write(h5s.ALL, h5s.ALL, data)
    return group[name]
"""


class Check(stoa_test.PeersTestCase):
    def findings(self, script):
        """(path, rule) of each finding on the file that `script` writes as a.h5."""
        self.peer_python(WRITER + script)
        done = self.stoa("check", self.dir / "a.h5", "--strict", "--indexes", "-f", "json", status=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return sorted((f["path"], f["rule"]) for f in json.loads(done.stdout) if "rule" in f)

    def test_a_careful_table_of_h5py_has_no_finding(self):
        found = self.findings(
            "with h5py.File('a.h5', 'w') as file:\n"
            "    t = table(file, 't', 10)\n"
            "    text(t, 'TITLE', 'made by h5py, \\u00fc')\n"
            "    names(t, 'column-order', ['i', 'x', 's'])\n"
            "    text(column(t, 'x', numpy.arange(10.0), 9.969209968386869e+36), 'units', 'MeV')\n"
            "    column(t, 'i', numpy.arange(10, dtype='>i2'), -32767)\n"
            "    column(t, 's', numpy.array([b'a', b'bc'] * 5), b'')\n"
        )
        self.assertEqual(found, [])

    def test_the_usual_table_of_h5py_breaks_what_h5py_cannot_know(self):
        found = self.findings(
            "with h5py.File('a.h5', 'w') as file:\n"
            "    t = file.create_group('t')\n"
            "    t['i'] = numpy.arange(10)\n"
            "    t['x'] = numpy.arange(10.0)\n"
            "    t.attrs['CLASS'] = 'COLUMN_TABLE'\n"
            "    t.attrs['VERSION'] = numpy.bytes_('1.0')\n"
            "    t.attrs['NROWS'] = 10\n"
            "    t.attrs['column-order'] = ['i', 'x']\n"
            "    t.attrs['_index'] = numpy.bytes_('i')\n"
            "    t.attrs.create('INDEX_COLUMNS', [t['i'].ref], dtype=h5py.ref_dtype)\n"
        )
        self.assertEqual(
            found,
            [
                ("/t", "5-REF-TYPE"),
                ("/t", "7.1-CLASS-CHARSET"),
                ("/t", "7.1-CLASS-TYPE"),
                ("/t", "7.3-NROWS-TYPE"),
                ("/t", "7.4-COLUMN-ORDER-TYPE"),
                ("/t", "7.4-TEXT-CHARSET"),
                ("/t/i", "8.5-FILL-DEFINED"),
                ("/t/x", "8.5-FILL-DEFINED"),
            ],
        )

    def test_a_boolean_of_h5py_is_an_enumeration_that_must_not_be_filled_with_false(self):
        found = self.findings(
            "with h5py.File('a.h5', 'w') as file:\n"
            "    t = table(file, 't', 10)\n"
            "    column(t, 'b', numpy.array([True, False] * 5), False)\n"
        )
        self.assertEqual(found, [("/t/b", "8.5-ENUM-FILL")])

    def test_an_image_and_a_group_inside_the_table_are_strangers(self):
        found = self.findings(
            "with h5py.File('a.h5', 'w') as file:\n"
            "    t = table(file, 't', 0)\n"
            "    t['image'] = numpy.zeros((3, 4))\n"
            "    t.create_group('more')\n"
            "    t['soft'] = h5py.SoftLink('/t/image')\n"
            "    t['far'] = h5py.ExternalLink('b.h5', '/x')\n"
        )
        self.assertEqual(
            found,
            [
                ("/t/far", "7.6-EXTERNAL-LINK"),
                ("/t/image", "8.1-RANK"),
                ("/t/more", "7.6-GROUP"),
                ("/t/soft", "7.6-SOFT-LINK"),
            ],
        )

    def test_files_of_the_newest_format_are_read_too(self):
        found = self.findings(
            "with h5py.File('a.h5', 'w', libver='v110') as file:\n"
            "    t = table(file, 't', 10)\n"
            "    for i in range(20):\n"
            "        text(t, 'user %d' % i, 'dense attributes')\n"
            "    column(t, 'i', numpy.arange(10, dtype='u1'), 9)\n"
            "    del t.attrs['NROWS']\n"
        )
        self.assertEqual(found, [("/t", "7.3-NROWS-PRESENT")])


if __name__ == "__main__":
    stoa_test.main()
