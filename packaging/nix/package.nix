{
  lib,
  stdenv,
  fetchurl,
  cmake,
  python3,
  hdf5,
  libdeflate,
  lz4,
  zlib,
  zstd,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "stoa";
  version = "0.2.0";

  src = fetchurl {
    url = "https://stoa.example/releases/stoa-${finalAttrs.version}.tar.gz";
    sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
  };

  nativeBuildInputs = [
    cmake
    python3
  ];

  buildInputs = [
    libdeflate
    lz4
    zlib
    zstd
  ];

  # Its header is included by Stoa's.
  propagatedBuildInputs = [ hdf5 ];

  cmakeFlags = [
    # The install step writes the run path itself (cmake/StoaLoad.cmake).
    (lib.cmakeFeature "CMAKE_INSTALL_RPATH" (
      lib.makeLibraryPath (finalAttrs.buildInputs ++ finalAttrs.propagatedBuildInputs)
    ))
    (lib.cmakeBool "STOA_BUNDLE_HDF5" false)
    (lib.cmakeBool "STOA_EXAMPLES" false)
    (lib.cmakeBool "STOA_PYTHON" false)
    (lib.cmakeBool "STOA_WERROR" false)
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    runHook preInstallCheck
    printf 'x\n1\n2\n3\n' > t.csv
    $out/bin/stoa import t.csv t.h5:/t
    test "$($out/bin/stoa query t.h5:/t -a 'sum(x)' -f csv | tail -n 1)" = 6
    runHook postInstallCheck
  '';

  meta = {
    description = "Columnar tables and sparse arrays inside HDF5 files";
    homepage = "https://stoa.example";
    license = lib.licenses.bsd3;
    mainProgram = "stoa";
    platforms = lib.platforms.unix;
  };
})
