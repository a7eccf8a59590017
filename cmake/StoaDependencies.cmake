# What Stoa stands on besides HDF5, as imported targets, and Stoa::needs, which is all of them.
# Installed with the package config, because a program that links libstoa.a needs them too.
# libblosc, libbz2 and liblzo2 are not among them: src/core/library.h opens them when wanted.

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

# stoa_find_library(<target> <header> <library> <Debian package>)
function(stoa_find_library name header library package)
    if(TARGET Stoa::${name})
        return()
    endif()
    find_path(include_dir ${header} NO_CACHE)
    find_library(file ${library} NO_CACHE)
    if(NOT include_dir OR NOT file)
        message(FATAL_ERROR "${name} was not found (<${header}>, lib${library}); "
                            "run scripts/setup, or install ${package}.")
    endif()
    add_library(Stoa::${name} UNKNOWN IMPORTED)
    set_target_properties(Stoa::${name} PROPERTIES
        IMPORTED_LOCATION "${file}" INTERFACE_INCLUDE_DIRECTORIES "${include_dir}")
endfunction()

stoa_find_library(zstd zstd.h zstd libzstd-dev)
stoa_find_library(deflate libdeflate.h deflate libdeflate-dev)
stoa_find_library(lz4 lz4.h lz4 liblz4-dev)

if(NOT TARGET Stoa::needs)
    add_library(Stoa::needs INTERFACE IMPORTED)
    target_link_libraries(Stoa::needs INTERFACE Stoa::zstd Stoa::deflate Stoa::lz4
                          ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)
endif()
