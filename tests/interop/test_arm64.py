"""The kernels on arm64: a cross compiler builds them and their unit tests, without HDF5, and qemu
runs these (src/core/cpu.h)."""

import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

CC = "aarch64-linux-gnu-gcc"
QEMU = "qemu-aarch64-static"
HDF5 = os.environ.get("STOA_HDF5_INCLUDE") or f"{stoa_test.HDF5_BIN}/../include"
# As cmake/StoaFlags.cmake has them.
FLAGS = ["-std=c11", "-O3", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror",
         "-fno-math-errno", "-ffp-contract=off"]  # fmt: skip

SOURCES = ["core/*.c", "arrow/type.c", "codec/kernels/shuffle*.c", "codec/kernels/byteswap*.c",
           "codec/kernels/scaleoffset_*.c", "codec/kernels/waveform*.c", "column/read/validity*.c",
           "query/eval/filter*.c", "query/eval/spans*.c", "query/aggregate/reduce*.c",
           "layout/csv/scan*.c"]  # fmt: skip
KIT = ["support/check.c", "interop/without_hdf5.c", "codec/kit.c"]
TESTS = ["core/test_cpu.c", "core/test_compact.c", "codec/kernels/test_shuffle.c",
         "codec/kernels/test_byteswap.c", "codec/kernels/test_waveform.c",
         "codec/kernels/prop_waveform.c", "column/read/test_validity.c", "query/eval/prop_within.c",
         "query/eval/test_sieve.c", "query/eval/prop_spans.c", "query/aggregate/prop_reduce.c",
         "layout/csv/test_csv_scan.c"]  # fmt: skip


class Arm64(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        lacking = [tool for tool in (CC, QEMU) if not shutil.which(tool)]
        if lacking:
            refuse = self.fail if stoa_test.MUST_HAVE_PEERS else self.skipTest
            refuse(f"{' and '.join(lacking)} not found; make peers")

    def compile(self, *arguments):
        include = [stoa_test.SOURCE / "src", stoa_test.SOURCE / "include",
                   stoa_test.SOURCE / "tests", HDF5]  # fmt: skip
        done = stoa_test.run(CC, *FLAGS, "-ffunction-sections", "-fdata-sections",
                             *(f"-I{path}" for path in include), *arguments, cwd=self.dir)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def test_every_kernel_does_as_the_scalar_one(self):
        found = [path for name in SOURCES for path in (stoa_test.SOURCE / "src").glob(name)]
        kernels = [path for path in found if not re.search(r"_avx\w*\.c$", path.name)]
        self.assertTrue([path for path in kernels if path.name.endswith("_neon.c")])
        self.compile("-c", *kernels, *(stoa_test.SOURCE / "tests" / name for name in KIT))
        objects = sorted(self.dir.glob("*.o"))
        for name in TESTS:
            with self.subTest(name):
                # What of a file a test does not reach may want what is not here.
                self.compile(stoa_test.SOURCE / "tests" / name, *objects, "-static",
                             "-Wl,--gc-sections", "-lm", "-o", "program")  # fmt: skip
                done = stoa_test.run(QEMU, self.dir / "program", env={"STOA_EFFORT": "0.1"})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"(?m)^[1-9]\d* passed, 0 failed")


if __name__ == "__main__":
    stoa_test.main()
