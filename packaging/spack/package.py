# SPDX-License-Identifier: BSD-3-Clause

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Stoa(CMakePackage):
    """Columnar tables and sparse arrays that live inside HDF5 files: a C library, a command and HDF5 plugins."""

    homepage = "https://stoa.example"
    url = "https://stoa.example/releases/stoa-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("shared", default=True, description="Build the shared library beside the static one")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("python@3.9:", type="build")  # writes the manual pages

    depends_on("hdf5@1.14: ~mpi")
    depends_on("libdeflate")
    depends_on("lz4")
    depends_on("zlib-api")
    depends_on("zstd")

    def cmake_args(self):
        return [
            self.define("HDF5_ROOT", self.spec["hdf5"].prefix),
            self.define("STOA_BUNDLE_HDF5", False),
            self.define("STOA_EXAMPLES", False),
            self.define("STOA_PYTHON", False),
            self.define("STOA_WERROR", False),
            self.define_from_variant("STOA_SHARED", "shared"),
        ]

    def test_query(self):
        """import a table and ask it"""
        stoa = which(self.prefix.bin.stoa, required=True)
        with open("t.csv", "w", encoding="utf-8") as csv:
            csv.write("x\n1\n2\n3\n")
        stoa("import", "t.csv", "t.h5:/t")
        answer = stoa("query", "t.h5:/t", "-a", "sum(x)", "-f", "csv", output=str.split, error=str.split)
        assert answer.split() == ["sum(x)", "6"], answer
