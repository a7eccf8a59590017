# make install: headers, both libraries, the command, stoa.pc, the CMake package and the licence. Where
# the loader would not find HDF5 (StoaLoad.cmake), lib/stoa has a copy of its library, with its headers
# and licence: programs that use Stoa compile and link with that one.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Stoa")
get_filename_component(STOA_HDF5_LIBNAME "${STOA_HDF5_LIBRARY}" NAME_WE)
string(REGEX REPLACE "^lib" "" STOA_HDF5_LIBNAME "${STOA_HDF5_LIBNAME}")

# stoa.pc finds its prefix from its own place, so that an installed tree may be moved; packagers who
# give absolute directories get those.
foreach(dir IN ITEMS INCLUDEDIR LIBDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(STOA_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(STOA_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(STOA_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(STOA_PC_PREFIX "\${pcfiledir}/${up}")
endif()

# Whoever finds Stoa should find the HDF5 it was linked with. The loader must be told of one that lies
# outside the system's own directories.
set(bundle_dir "${CMAKE_INSTALL_LIBDIR}/stoa")
set(STOA_HDF5_ROOT "") # PACKAGE_STOA_HDF5_ROOT of the package: the copy, and no other
get_filename_component(STOA_HDF5_HINT "${STOA_HDF5_INCLUDE_DIR}" DIRECTORY)
set(STOA_PC_HDF5_INCLUDEDIR "${STOA_HDF5_INCLUDE_DIR}")
set(STOA_PC_HDF5_LIBDIR "${STOA_HDF5_LIBDIR}")
if(STOA_HDF5_IS_BROUGHT)
    set(STOA_HDF5_ROOT "${bundle_dir}")
    set(STOA_HDF5_HINT "")
    set(STOA_PC_HDF5_INCLUDEDIR "\${libdir}/stoa/include")
    set(STOA_PC_HDF5_LIBDIR "\${libdir}/stoa")
endif()
set(STOA_PC_HDF5_LIBS "-L${STOA_PC_HDF5_LIBDIR} -l${STOA_HDF5_LIBNAME}")
if(NOT STOA_HDF5_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND STOA_PC_HDF5_LIBS "-Wl,-rpath,${STOA_PC_HDF5_LIBDIR} ")
endif()

# And of libstoa, by the same rule.
set(STOA_PC_RPATH "")
if(NOT CMAKE_INSTALL_FULL_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(STOA_PC_RPATH "-Wl,-rpath,\${libdir} ")
endif()

configure_file(cmake/stoa.pc.in stoa.pc @ONLY)
configure_package_config_file(cmake/StoaConfig.cmake.in StoaConfig.cmake
                              INSTALL_DESTINATION "${package_dir}" PATH_VARS STOA_HDF5_ROOT)
write_basic_package_version_file(StoaConfigVersion.cmake COMPATIBILITY SameMinorVersion)

if(STOA_SHARED)
    stoa_install(stoa_shared LIBRARY "${CMAKE_INSTALL_LIBDIR}" EXPORT StoaTargets)
endif()
install(TARGETS stoa_static EXPORT StoaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET stoa)
    stoa_install(stoa RUNTIME "${CMAKE_INSTALL_BINDIR}")
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT filter EXCLUDE_FROM_ALL)
if(STOA_MANUAL)
    install(DIRECTORY "${STOA_MANUAL}/" DESTINATION "${CMAKE_INSTALL_MANDIR}" OPTIONAL)
endif()
install(FILES completions/stoa.bash RENAME stoa
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES completions/_stoa DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES completions/stoa.fish DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
if(STOA_HDF5_IS_BROUGHT)
    file(GLOB files "${STOA_HDF5_LIBDIR}/lib${STOA_HDF5_LIBNAME}.so*") # with the links to it
    install(FILES ${files} DESTINATION "${bundle_dir}")
    install(FILES ${files} DESTINATION "${bundle_dir}" COMPONENT connector EXCLUDE_FROM_ALL)
    file(GLOB files "${STOA_HDF5_INCLUDE_DIR}/H5*.h" "${STOA_HDF5_INCLUDE_DIR}/hdf5.h")
    install(FILES ${files} DESTINATION "${bundle_dir}/include")
    find_file(licence NAMES LICENSE COPYING copyright NO_DEFAULT_PATH NO_CACHE
              PATHS "${STOA_HDF5_INCLUDE_DIR}/../share" "${STOA_HDF5_INCLUDE_DIR}/../share/doc/hdf5")
    if(licence)
        install(FILES "${licence}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME LICENSE.hdf5)
    endif()
endif()
install(DIRECTORY include/stoa DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
install(EXPORT StoaTargets NAMESPACE Stoa:: DESTINATION "${package_dir}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/StoaConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/StoaConfigVersion.cmake"
              cmake/StoaHDF5.cmake cmake/StoaDependencies.cmake
        DESTINATION "${package_dir}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stoa.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
