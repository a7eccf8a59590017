# Find HDF5 for Stoa; gives the imported target Stoa::HDF5, where it is static, or our own build, the target
# Stoa::HDF5_static too (of others it is not known what they need), and these variables:
#
#   STOA_HDF5_VERSION      as H5public.h says it
#   STOA_HDF5_INCLUDE_DIR  where hdf5.h is
#   STOA_HDF5_LIBRARY      the library's file
#   STOA_HDF5_BIN          where h5dump is, or empty
#
# Asked in this order: HDF5_ROOT (alone, when given), CMAKE_PREFIX_PATH, the cache that
# scripts/setup keeps, the system. This file is installed too: Stoa's package config includes it,
# with STOA_HDF5_ONLY set to the HDF5 that was installed with Stoa, or STOA_HDF5_HINT to the place of
# the one that Stoa was built with.
#
# It looks for files instead of calling find_package(HDF5), because that module asks compiler
# wrappers, whose answers differ between HDF5 1.14, 2.x, Debian's flavours and Homebrew.

set(STOA_HDF5_MINIMUM 1.14.0)

# The newest complete HDF5 that scripts/setup has built, or nothing.
function(stoa_cached_hdf5 out)
    if(DEFINED ENV{STOA_CACHE_DIR})
        set(cache "$ENV{STOA_CACHE_DIR}")
    elseif(DEFINED ENV{XDG_CACHE_HOME})
        set(cache "$ENV{XDG_CACHE_HOME}/stoa")
    else()
        set(cache "$ENV{HOME}/.cache/stoa")
    endif()
    file(GLOB stamps "${cache}/hdf5-*/.complete")
    set(best_version 0)
    set(best "")
    foreach(stamp IN LISTS stamps)
        get_filename_component(prefix "${stamp}" DIRECTORY)
        string(REGEX REPLACE ".*/hdf5-" "" version "${prefix}")
        if(version VERSION_GREATER best_version)
            set(best_version ${version})
            set(best "${prefix}")
        endif()
    endforeach()
    set(${out} "${best}" PARENT_SCOPE)
endfunction()

# Debian keeps the serial flavour's headers and library in places of their own.
set(_stoa_include_suffixes include include/hdf5/serial hdf5/serial)
set(_stoa_library_names hdf5 hdf5_serial)
if(STOA_FUZZ) # the fuzz targets stand between libhdf5's own calls
    set(_stoa_library_names libhdf5.a)
endif()

if(STOA_HDF5_ONLY)
    set(_stoa_where PATHS "${STOA_HDF5_ONLY}" NO_DEFAULT_PATH)
elseif(HDF5_ROOT)
    set(_stoa_where PATHS "${HDF5_ROOT}" NO_DEFAULT_PATH)
elseif(DEFINED ENV{HDF5_ROOT} AND NOT "$ENV{HDF5_ROOT}" STREQUAL "")
    set(_stoa_where PATHS "$ENV{HDF5_ROOT}" NO_DEFAULT_PATH)
else()
    stoa_cached_hdf5(_stoa_cached)
    set(_stoa_where HINTS ${STOA_HDF5_HINT} ${_stoa_cached})
endif()

# NO_CACHE: the answer is made anew at each configuration, so that a cache that was moved or a new
# HDF5_ROOT is seen.
unset(STOA_HDF5_INCLUDE_DIR)
unset(STOA_HDF5_LIBRARY)
unset(_stoa_h5dump)
find_path(STOA_HDF5_INCLUDE_DIR hdf5.h ${_stoa_where} PATH_SUFFIXES ${_stoa_include_suffixes}
          NO_CACHE)
find_library(STOA_HDF5_LIBRARY NAMES ${_stoa_library_names} ${_stoa_where}
             PATH_SUFFIXES lib lib64 "lib/${CMAKE_LIBRARY_ARCHITECTURE}" NO_CACHE)

set(STOA_HDF5_PROBLEM "")
set(STOA_HDF5_VERSION 0)
if(NOT STOA_HDF5_INCLUDE_DIR OR NOT STOA_HDF5_LIBRARY)
    set(STOA_HDF5_PROBLEM "HDF5 was not found")
else()
    file(STRINGS "${STOA_HDF5_INCLUDE_DIR}/H5public.h" _stoa_lines
         REGEX "^#define +H5_VERS_(MAJOR|MINOR|RELEASE) ")
    string(REGEX REPLACE ".*H5_VERS_MAJOR +([0-9]+).*H5_VERS_MINOR +([0-9]+).*H5_VERS_RELEASE +([0-9]+).*"
           "\\1.\\2.\\3" STOA_HDF5_VERSION "${_stoa_lines}")
    if(STOA_HDF5_VERSION VERSION_LESS STOA_HDF5_MINIMUM)
        set(STOA_HDF5_PROBLEM
            "HDF5 ${STOA_HDF5_VERSION} in ${STOA_HDF5_INCLUDE_DIR} is older than ${STOA_HDF5_MINIMUM}")
    endif()
endif()

if(STOA_HDF5_PROBLEM STREQUAL "" AND NOT TARGET Stoa::HDF5)
    add_library(Stoa::HDF5 UNKNOWN IMPORTED)
    set_target_properties(Stoa::HDF5 PROPERTIES
        IMPORTED_LOCATION "${STOA_HDF5_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${STOA_HDF5_INCLUDE_DIR}")
    if(STOA_HDF5_LIBRARY MATCHES "\\.a$") # a static one brings its own needs
        set_target_properties(Stoa::HDF5 PROPERTIES
            INTERFACE_LINK_LIBRARIES "ZLIB::ZLIB;m;${CMAKE_DL_LIBS}") # StoaDependencies.cmake finds it
        if(NOT STOA_FUZZ) # those stand between the calls of malloc, too
            add_library(Stoa::HDF5_static ALIAS Stoa::HDF5)
        endif()
    endif()
    if(_stoa_cached AND STOA_HDF5_LIBRARY STREQUAL "${_stoa_cached}/lib/libhdf5.so" AND
       EXISTS "${_stoa_cached}/lib/libhdf5.a")
        add_library(Stoa::HDF5_static STATIC IMPORTED)
        set_target_properties(Stoa::HDF5_static PROPERTIES
            IMPORTED_LOCATION "${_stoa_cached}/lib/libhdf5.a"
            INTERFACE_INCLUDE_DIRECTORIES "${STOA_HDF5_INCLUDE_DIR}"
            INTERFACE_LINK_LIBRARIES "m;${CMAKE_DL_LIBS}") # and zlib, as Stoa itself
    endif()
endif()

if(STOA_HDF5_LIBRARY)
    get_filename_component(_stoa_libdir "${STOA_HDF5_LIBRARY}" DIRECTORY)
    find_program(_stoa_h5dump h5dump HINTS "${_stoa_libdir}/../bin" "${_stoa_libdir}/../../bin"
                 NO_CACHE)
endif()
set(STOA_HDF5_BIN "")
if(_stoa_h5dump)
    get_filename_component(_stoa_h5dump "${_stoa_h5dump}" ABSOLUTE)
    get_filename_component(STOA_HDF5_BIN "${_stoa_h5dump}" DIRECTORY)
endif()
