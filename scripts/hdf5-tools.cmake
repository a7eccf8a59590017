# HDF5's tools of 1.14, built with the library of 2.x. scripts/setup puts this file in their place as
# tools/CMakeLists.txt where a source of 2.x brings the library alone.

# The tools include H5Eprivate.h first, which 2.x does not stand, name variables as <complex.h> names
# its unit, and use macros that 2.x renamed.
set(before "${CMAKE_CURRENT_BINARY_DIR}/before.h")
file(WRITE "${before}" "#include \"H5private.h\"\n"
                       "#undef I\n"
                       "#define H5_GCC_CLANG_DIAG_OFF(x)\n"
                       "#define H5_GCC_CLANG_DIAG_ON(x)\n")
add_compile_options(-w -include "${before}")
include_directories(lib ${HDF5_SRC_INCLUDE_DIRS} ${HDF5_SRC_BINARY_DIR})

file(GLOB shared lib/*.c)
add_library(tools STATIC ${shared})
target_link_libraries(tools PUBLIC ${HDF5_LIBSH_TARGET})

foreach(tool IN ITEMS h5clear h5copy h5diff h5dump h5import h5ls h5repack h5stat)
    file(GLOB sources src/${tool}/*.c src/misc/${tool}.c)
    list(FILTER sources EXCLUDE REGEX "/ph5diff|/testh5repack|/h5importtest")
    add_executable(${tool} ${sources})
    target_link_libraries(${tool} PRIVATE tools)
    set_target_properties(${tool} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
    install(TARGETS ${tool} RUNTIME DESTINATION bin)
endforeach()
