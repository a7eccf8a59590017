class Stoa < Formula
  desc "Columnar tables and sparse arrays inside HDF5 files"
  homepage "https://stoa.example"
  url "https://stoa.example/releases/stoa-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "BSD-3-Clause"

  depends_on "cmake" => :build
  depends_on "hdf5"
  depends_on "libdeflate"
  depends_on "lz4"
  depends_on "zstd"

  uses_from_macos "python" => :build
  uses_from_macos "zlib"

  def install
    args = %W[
      -DCMAKE_INSTALL_RPATH=#{HOMEBREW_PREFIX}/lib
      -DHDF5_ROOT=#{Formula["hdf5"].opt_prefix}
      -DSTOA_BUNDLE_HDF5=OFF
      -DSTOA_EXAMPLES=OFF
      -DSTOA_PYTHON=OFF
      -DSTOA_WERROR=OFF
    ]
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"t.csv").write "x\n1\n2\n3\n"
    system bin/"stoa", "import", "t.csv", "t.h5:/t"
    assert_equal "sum(x)\n6\n", shell_output("#{bin}/stoa query t.h5:/t -a 'sum(x)' -f csv")

    (testpath/"t.c").write <<~C
      #include <stdio.h>
      #include <stoa/version.h>
      int main(void) { return puts(stoa_version()) < 0; }
    C
    system ENV.cc, "t.c", "-I#{include}", "-I#{Formula["hdf5"].opt_include}", "-L#{lib}", "-lstoa", "-o", "t"
    assert_equal version.to_s, shell_output("./t").chomp
  end
end
