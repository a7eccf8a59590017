"""What pip compiles: python/CMakeLists.txt, configured as pip does."""

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


class Build(stoa_test.TestCase):
    def test_kernels_are_optimized_and_other_rooms_compile_soon(self):
        build = self.dir / "build"
        options = ["-DCMAKE_BUILD_TYPE=Release"]
        if os.environ.get("STOA_CC"):
            options.append(f"-DCMAKE_C_COMPILER={os.environ['STOA_CC']}")
        done = stoa_test.run("cmake", "-S", stoa_test.SOURCE / "python", "-B", build, *options)
        if "Development.Module" in done.stderr:
            self.skipTest("Python's headers are not there")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

        levels = {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            name = os.path.relpath(entry["file"], stoa_test.SOURCE)
            levels[name] = re.findall(r" -O(\d)", entry["command"])[-1]  # the last one counts
        for name in ("src/query/eval/filter.c", "src/codec/lz4.c", "src/column/read/validity_scalar.c"):
            self.assertEqual(levels[name], "3", name)
        for name in ("src/layout/registry.c", "src/table/open/open.c", "src/check/rules.c"):
            self.assertEqual(levels[name], "1", name)


if __name__ == "__main__":
    stoa_test.main()
