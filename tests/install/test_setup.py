"""scripts/setup: which HDF5 it takes, where it looks for one, and what it says. Programs of the machine
that would fetch or build are replaced by shell scripts, which log how they are called."""

import ctypes
import hashlib
import io
import json
import os
import re
import shutil
import sys
import tarfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SETUP = stoa_test.SOURCE / "scripts/setup"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
CRATE = "hdf5-metno-src-0.10.4"
ASKED = 'cargo hdf5-metno-src = "=0.10.4"'
LESS = "HDF5 2 could not be had, so 1.14 is used. It does not read compounds and enumerations"

# A mirror with the versions of $HELD, "SUITE=VERSION"; the rest answers nothing.
APT_GET = r"""
suite=$(sed -n 's/.* \([a-z]*\) main/\1/p' "${APT_CONFIG%/*}/sources.list" 2> /dev/null)
case $1 in
    indextargets) [ -z "$HELD" ] || echo "Debian|a-mirror" ;;
    update) echo "apt $suite" >> "$LOG"; [[ " $HELD " == *" $suite="* ]] ;;
    source) touch a.dsc ;;
esac
"""
APT_CACHE = r"""
suite=$(sed -n 's/.* \([a-z]*\) main/\1/p' "${APT_CONFIG%/*}/sources.list")
for held in $HELD; do [ "${held%=*}" != "$suite" ] || echo "Version: ${held#*=}"; done
"""
CARGO = r"""
echo "cargo $(sed -n 's/^hdf5.*/&/p' Cargo.toml)" >> "$LOG"
[ -z "$CRATE" ] || { mkdir -p "$CARGO_HOME/registry/cache/x" && cp "$CRATE" "$CARGO_HOME/registry/cache/x"; }
"""
DPKG_SOURCE = 'mkdir -p "${@: -1}/tools" && touch "${@: -1}/tools/h5dump.c"'
CMAKE = r"""
case $1 in
    --version) echo "cmake version 3.30.0" ;;
    -S) echo "configure $(ls "$2" | tr '\n' ' ')" >> "$LOG"
        for word; do case $word in
            -DCMAKE_INSTALL_PREFIX=*) echo "${word#*=}" > "$4.prefix" ;;
            -DHDF5_BUILD_TOOLS=ON) touch "$4.tools" ;;
        esac; done ;;
    --build) [ -z "$BROKEN" ] || ! grep -q "$BROKEN" "$2.prefix" ;;
    --install) to=$DESTDIR$(cat "$2.prefix"); mkdir -p "$to/bin" "$to/lib"; touch "$to/lib/libhdf5.a"
        [ ! -e "$2.tools" ] || { printf '#!/bin/sh\n' > "$to/bin/h5dump"; chmod +x "$to/bin/h5dump"; } ;;
esac
"""
STUBS = {
    "apt-get": APT_GET, "apt-cache": APT_CACHE, "dpkg": "", "dpkg-source": DPKG_SOURCE, "xz": "",
    "patch": "", "cargo": CARGO, "cmake": CMAKE, "pkg-config": "exit 1", "h5cc": "exit 1",
    "sleep": "",
}  # fmt: skip


class Setup(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which("flock") or not os.path.exists(KEYRING):
            self.skipTest("flock and the keys of Debian's archive are not there")
        self.cache = self.dir / "cache"
        for name, script in STUBS.items():
            self.write(f"bin/{name}", f"#!/bin/bash\n{script}\n").chmod(0o755)

    def have(self, version):
        self.write(f"cache/hdf5-{version}/.complete", "")

    def run_setup(self, *arguments, status=0, says=(), setup=SETUP, **env):
        """What the programs log, and what it prints."""
        log = self.dir / "log"
        log.write_text("")
        env = {
            "STOA_CACHE_DIR": str(self.cache), "HDF5_ROOT": "", "STOA_DEBIAN_MIRROR": "",
            "LOG": str(log), "HELD": "", "CRATE": "", "BROKEN": "", "CARGO_HOME": str(self.dir / "cargo"),
            "PATH": f"{self.dir}/bin:{os.environ['PATH']}", **env,
        }  # fmt: skip
        done = stoa_test.run(setup, *arguments, env=env)
        printed = done.stdout + done.stderr
        self.assertEqual(done.returncode, status, printed)
        for words in says:
            self.assertIn(words, printed)
        return log.read_text().splitlines(), printed

    def made(self):
        return sorted(path.parent.name for path in self.cache.glob("hdf5-*/.complete"))

    def crate(self):
        """A crate with a source of HDF5, and a copy of the scripts that knows its checksum."""
        path = self.dir / f"{CRATE}.crate"
        with tarfile.open(path, "w:gz") as tar:
            tar.addfile(tarfile.TarInfo(f"{CRATE}/ext/hdf5/src/H5.c"), io.BytesIO())
        text = (SETUP.parent / "common.sh").read_text()
        known = re.search(r"hdf5_crate=\(.* ([0-9a-f]{64})\)", text).group(1)
        ours = hashlib.sha256(path.read_bytes()).hexdigest()
        scripts = self.write("scripts/common.sh", text.replace(known, ours)).parent
        for other in ("setup", "hdf5-library.cmake", "hdf5-tools.cmake"):
            shutil.copy(SETUP.parent / other, scripts)
        return path, scripts / "setup"

    def test_a_cache_with_2_is_all_that_is_wanted(self):
        self.have("2.2.0")
        self.assertEqual(self.run_setup(), ([], ""))

    def test_a_machine_that_can_have_no_2_goes_on_with_1_14_and_tries_again_a_day_later(self):
        self.have("1.14.5")
        self.run_setup("--check")
        log, _ = self.run_setup(says=[LESS])
        self.assertEqual(log[0], ASKED)
        self.assertNotIn("apt trixie", log)
        self.assertEqual(self.run_setup(), ([], ""))
        old = (self.cache / ".settled-for-1.14").stat().st_mtime - 25 * 3600
        os.utime(self.cache / ".settled-for-1.14", (old, old))
        self.run_setup(says=[LESS])
        self.run_setup("--hdf5", "2", status=1, HELD="trixie=1.14.5+repack-3",
                       says=["no HDF5 2 could be made"])  # fmt: skip
        self.assertEqual(self.made(), ["hdf5-1.14.5"])

    def test_a_1_14_in_the_cache_does_not_keep_2_away(self):
        self.have("1.14.5")
        log, _ = self.run_setup(HELD="testing=1.14.6+repack-2 sid=2.2.0+repack-6")
        self.assertEqual(log[1:3], ["apt testing", "apt sid"])
        self.assertEqual(self.made(), ["hdf5-1.14.5", "hdf5-2.2.0"])
        self.assertEqual(self.run_setup("--print-hdf5")[1], f"{self.cache}/hdf5-2.2.0\n")
        self.assertEqual(
            self.run_setup("--print-hdf5", "--hdf5", "1.14")[1], f"{self.cache}/hdf5-1.14.5\n"
        )

    def test_a_fresh_machine_gets_stables_where_2_is_nowhere(self):
        log, printed = self.run_setup(HELD="trixie=1.14.5+repack-3", says=[LESS])
        self.assertEqual(log[:4], [ASKED, "apt testing", "apt sid",
                                   "apt trixie"])  # fmt: skip
        self.assertEqual(printed.count(LESS), 1)
        self.assertEqual(self.made(), ["hdf5-1.14.5"])

    def test_a_2_that_cannot_be_built_is_left_for_1_14(self):
        _, printed = self.run_setup(
            HELD="sid=2.2.0+repack-6 trixie=1.14.5+repack-3", BROKEN="2.2.0", says=[LESS]
        )
        self.assertIn("HDF5 2.2.0 could not be built", printed)
        self.assertEqual(self.made(), ["hdf5-1.14.5"])

    def test_a_series_is_had_from_stable_or_not_at_all(self):
        self.have("2.2.0")
        held = "testing=1.14.6+repack-2 trixie=1.14.5+repack-3"
        log, _ = self.run_setup("--hdf5", "1.14", HELD=held)
        self.assertEqual(log[0], "apt trixie")
        self.assertEqual(self.made(), ["hdf5-1.14.5", "hdf5-2.2.0"])
        self.assertEqual(self.run_setup("--hdf5", "1.14"), ([], ""))
        self.run_setup("--hdf5", "1.12", HELD=held, status=1, says=["no HDF5 1.12 could be made"])

    def test_another_crate_than_the_known_one_is_not_used(self):
        crate, _ = self.crate()
        log, printed = self.run_setup(CRATE=str(crate), HELD="trixie=1.14.5+repack-3")
        self.assertIn(f"the crate {CRATE} is not the one that is known", printed)
        self.assertEqual(log[1], "apt testing")
        self.assertEqual(self.made(), ["hdf5-1.14.5"])

    def test_the_crate_is_built_with_the_tools_of_stable(self):
        crate, setup = self.crate()
        log, _ = self.run_setup("--tools", setup=setup, CRATE=str(crate), HELD="trixie=1.14.5+repack-3")
        self.assertEqual(log, [ASKED, "apt trixie",
                               "configure src tools "])  # fmt: skip
        self.assertEqual(self.made(), ["hdf5-2.2.0"])
        self.assertTrue((self.cache / "hdf5-2.2.0/bin/h5dump").exists())

    def test_the_library_alone_is_built_unless_tools_are_asked_for(self):
        crate, setup = self.crate()
        held = "trixie=1.14.5+repack-3"
        log, _ = self.run_setup(setup=setup, CRATE=str(crate), HELD=held)
        self.assertEqual(log, [ASKED, "configure src "])
        library = self.cache / "hdf5-2.2.0/lib/libhdf5.a"
        self.assertFalse((self.cache / "hdf5-2.2.0/bin/h5dump").exists())
        self.assertEqual(self.run_setup(setup=setup), ([], ""))
        self.run_setup("--check", "--tools", setup=setup, status=1, says=["missing: HDF5"])

        # The tools come to the library that programs were built with.
        os.utime(library, (1, 1))
        log, _ = self.run_setup("--tools", setup=setup, CRATE=str(crate), HELD=held)
        self.assertEqual(log, ["apt trixie", "configure src tools "])
        self.assertTrue((self.cache / "hdf5-2.2.0/bin/h5dump").exists())
        self.assertEqual(library.stat().st_mtime, 1)
        self.assertEqual(self.run_setup("--tools", setup=setup), ([], ""))

    def test_tools_that_cannot_be_had_leave_the_library(self):
        self.have("2.2.0")
        self.have("1.14.5")
        self.write("cache/hdf5-1.14.5/bin/h5dump", "#!/bin/sh\n").chmod(0o755)
        _, printed = self.run_setup("--tools", HELD="testing=1.14.6", says=["HDF5 2 is there without its tools"])
        self.assertNotIn(LESS, printed)
        self.assertEqual(self.run_setup("--print-hdf5")[1], f"{self.cache}/hdf5-2.2.0\n")

    def test_each_file_of_the_library_is_compiled_once(self):
        """scripts/hdf5-library.cmake: modules as one file each, and both libraries from the same objects."""
        self.write("hdf5/H5A.c", "int H5A(void) { return 1; }\n")
        self.write("hdf5/H5Adense.c", "int H5Adense(void) { return 2; }\n")
        self.write("hdf5/H5Aint.c", "int H5Aint(void) { return 3; }\n")
        self.write("hdf5/H5D.c", "int H5D(void) { return 4; }\n")
        self.write("hdf5/CMakeLists.txt", """
cmake_minimum_required(VERSION 3.25)
project(hdf5 C)
set(HDF5_SRC_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
set(HDF5_LIB_TARGET hdf5-static)
set(HDF5_LIBSH_TARGET hdf5-shared)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(H5A_SOURCES ${HDF5_SRC_DIR}/H5A.c ${HDF5_SRC_DIR}/H5Adense.c ${HDF5_SRC_DIR}/H5Aint.c)
set(H5D_SOURCES ${HDF5_SRC_DIR}/H5D.c)
add_library(hdf5-static STATIC ${H5A_SOURCES} ${H5D_SOURCES})
add_library(hdf5-shared SHARED ${H5A_SOURCES} ${H5D_SOURCES})
""" + (SETUP.parent / "hdf5-library.cmake").read_text())  # fmt: skip
        build = self.dir / "build"
        for command in (["-S", self.dir / "hdf5", "-B", build], ["--build", build]):
            done = stoa_test.run("cmake", *command)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        compiled = json.loads((build / "compile_commands.json").read_text())
        names = sorted(os.path.basename(entry["file"]) for entry in compiled)
        self.assertEqual(names, ["H5Aint.c", "unity_H5A_c.c", "unity_H5D_c.c"])
        shared = ctypes.CDLL(str(next(build.glob("*.so"))))
        self.assertEqual([shared.H5A(), shared.H5Adense(), shared.H5Aint(), shared.H5D()], [1, 2, 3, 4])

    def test_who_names_an_hdf5_is_asked_for_no_other(self):
        for name in ("h5cc", "h5dump"):
            script = "#!/bin/sh\necho ' HDF5 Version: 1.14.3'\n"
            self.write(f"named/bin/{name}", script).chmod(0o755)
        self.assertEqual(self.run_setup(HDF5_ROOT=str(self.dir / "named")), ([], ""))


if __name__ == "__main__":
    stoa_test.main()
