"""The recipes of packaging/ parse, agree with the source in version and licence, and pass options that it knows.

Each recipe runs with stand-ins for the functions of its package manager, which note what they are given. None of them
builds anything here. packaging/README.md says what else was checked, and what never ran.
"""

import importlib.util
import json
import re
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

RECIPES = stoa_test.SOURCE / "packaging"
FILES = ("conda/recipe.yaml", "spack/package.py", "homebrew/stoa.rb", "vcpkg/vcpkg.json", "vcpkg/portfile.cmake",
         "nix/package.nix")  # fmt: skip
VERSION = re.search(r'STOA_VERSION "(.*)"', (stoa_test.SOURCE / "include/stoa/stoa.h").read_text())[1]

HOMEBREW = """
HOMEBREW_PREFIX = "/brew"
Kept = Struct.new(:opt_prefix)
class Formula
  def self.test = nil
  def self.[](name) = Kept.new("/brew/opt/#{name}")
  def self.method_missing(name, *given)
    $given[name] = given if %i[url sha256 license].include?(name)
    ($given[:depends_on] ||= []) << Array(given[0]).flatten[0] if name == :depends_on
  end
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=/brew/stoa"]
  def system(*words) = (($given[:run] ||= []) << words)
end
require "json"
$given = {}
load ARGV[0]
Stoa.new.install
puts JSON.generate($given)
"""

VCPKG = """
function(vcpkg_download_distfile out)
    set(${out} kept PARENT_SCOPE)
    message("URLS ${ARGN}")
endfunction()
function(vcpkg_extract_source_archive out)
    set(${out} /source PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
    message("OPTIONS ${ARGN}")
endfunction()
foreach(name IN ITEMS vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_copy_tools
                      vcpkg_replace_string vcpkg_install_copyright file)
    cmake_language(EVAL CODE "function(${name})\\nendfunction()")
endforeach()
"""

NIX = """
let
  file = FILE;
  flag = name: value: "-D${name}=${toString value}";
  lib = { cmakeFeature = flag; cmakeBool = name: value: flag name (if value then "ON" else "OFF");
          makeLibraryPath = builtins.concatStringsSep ":"; licenses.bsd3 = "BSD-3-Clause"; platforms.unix = [ ]; };
  stdenv.mkDerivation = of: let it = of it; in it;
  names = builtins.listToAttrs (map (name: { inherit name; value = name; })
          (builtins.filter (name: ! builtins.elem name [ "lib" "stdenv" "fetchurl" ])
          (builtins.attrNames (builtins.functionArgs (import file)))));
in builtins.toJSON (import file (names // { inherit lib stdenv; fetchurl = from: from; }))
"""


def text(name):
    return (RECIPES / name).read_text("utf-8")


class Recipes(stoa_test.TestCase):
    def must(self, *command, **env):
        done = stoa_test.run(*command, env=env)
        self.assertEqual(done.returncode, 0, f"{done.stdout}\n{done.stderr}")
        return done

    def assertKnown(self, options):
        """The options of a recipe are some that CMakeLists.txt has."""
        given = {re.match(r"-D(\w+)=", one)[1] for one in options if one.startswith(("-DSTOA_", "-DHDF5_"))}
        lists = (stoa_test.SOURCE / "CMakeLists.txt").read_text("utf-8")
        self.assertGreaterEqual(given, {"STOA_BUNDLE_HDF5", "STOA_EXAMPLES", "STOA_PYTHON", "STOA_WERROR"})
        self.assertLessEqual(given, set(re.findall(r"(?m)^(?:option|set)\((\w+)", lists)))

    def test_all_are_for_this_version_and_carry_no_checksum_of_another(self):
        for name in FILES:
            self.assertNotRegex(text(name), r"\b0\.(?!2\.0\b)\d+\.\d+\b" if VERSION == "0.2.0" else r"\b0\.2\.0\b", name)
            for checksum in re.findall(r"\b[0-9a-f]{64,128}\b", text(name)):
                self.assertEqual(checksum.strip("0"), "", name)  # README.md says who fills them in
        self.assertEqual(json.loads(text("vcpkg/vcpkg.json"))["version"], VERSION)
        self.assertIn(f'version("{VERSION}"', text("spack/package.py"))
        self.assertIn(f"stoa-{VERSION}.tar.gz", text("homebrew/stoa.rb"))
        self.assertIn(f'version: "{VERSION}"', text("conda/recipe.yaml"))
        self.assertIn(f'version = "{VERSION}"', text("nix/package.nix"))

    def test_all_need_what_the_build_looks_for(self):
        for name in set(FILES) - {"vcpkg/portfile.cmake"}:
            for library in ("hdf5", "libdeflate", "lz4", "zlib", "zstd"):
                self.assertIn(library, text(name), name)

    def test_conda(self):
        script = text("conda/recipe.yaml")
        self.assertKnown(re.findall(r"-D\S+", script))

    def test_spack(self):
        given = {"depends_on": []}
        package = types.ModuleType("spack.package")
        for name in ("license", "version", "variant"):
            setattr(package, name, lambda *words, name=name, **_: given.setdefault(name, words[0]))
        package.depends_on = lambda spec, **_: given["depends_on"].append(spec)
        package.which = None
        cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        cmake.CMakePackage = type("CMakePackage", (), {
            "define": staticmethod(lambda name, value: f"-D{name}={'OFF' if value is False else value}"),
            "define_from_variant": staticmethod(lambda name, _: f"-D{name}=ON"),
        })  # fmt: skip
        for name in ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
            sys.modules.setdefault(name, types.ModuleType(name))
        sys.modules |= {"spack.package": package, "spack_repo.builtin.build_systems.cmake": cmake}
        spec = importlib.util.spec_from_file_location("stoa_package", RECIPES / "spack/package.py")
        recipe = importlib.util.module_from_spec(spec)
        sys.dont_write_bytecode = True
        spec.loader.exec_module(recipe)
        stoa = recipe.Stoa()
        stoa.spec = {"hdf5": types.SimpleNamespace(prefix="/spack/hdf5")}
        self.assertEqual((given["version"], given["license"]), (VERSION, "BSD-3-Clause"))
        self.assertKnown(stoa.cmake_args())

    def test_homebrew(self):
        self.need("ruby")
        said = self.must("ruby", "-W", self.write("stand_in.rb", HOMEBREW), RECIPES / "homebrew/stoa.rb")
        given = json.loads(said.stdout)
        self.assertEqual(given["license"], ["BSD-3-Clause"])
        self.assertKnown(given["run"][0][1:])

    def test_vcpkg(self):
        script = self.write("vcpkg.cmake", f'{VCPKG}\ninclude("{RECIPES}/vcpkg/portfile.cmake")\n')
        said = self.must("cmake", f"-DVERSION={VERSION}", "-DPORT=stoa", "-DVCPKG_LIBRARY_LINKAGE=static", "-P", script)
        options = re.search(r"OPTIONS (.*)", said.stderr)[1].split(";")
        self.assertIn("-DSTOA_SHARED=0", options)
        self.assertIn(f"stoa-{VERSION}.tar.gz", said.stderr)
        self.assertKnown(options)

    def test_nix(self):
        self.need("nix-instantiate")
        env = {"NIX_STATE_DIR": str(self.dir / "nix"), "NIX_STORE_DIR": str(self.dir / "nix"), "HOME": str(self.dir)}
        self.must("nix-instantiate", "--parse", RECIPES / "nix/flake.nix", **env)
        said = self.must("nix-instantiate", "--eval", "--strict", "--json", "--store", "dummy://", "-E",
                         NIX.replace("FILE", str(RECIPES / "nix/package.nix")), **env)  # fmt: skip
        given = json.loads(json.loads(said.stdout))
        self.assertEqual((given["version"], given["src"]["url"].rsplit("/")[-1]), (VERSION, f"stoa-{VERSION}.tar.gz"))
        self.assertKnown(given["cmakeFlags"])


if __name__ == "__main__":
    stoa_test.main()
