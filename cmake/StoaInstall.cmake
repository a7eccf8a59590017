# make install: headers, both libraries, the command, stoa.pc and the CMake package, and HDF5's
# library where the loader would not find it (StoaLoad.cmake).

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Stoa")
get_filename_component(STOA_HDF5_LIBNAME "${STOA_HDF5_LIBRARY}" NAME_WE)
string(REGEX REPLACE "^lib" "" STOA_HDF5_LIBNAME "${STOA_HDF5_LIBNAME}")

# Whoever finds Stoa should find the HDF5 it was linked with.
get_filename_component(STOA_HDF5_PREFIX "${STOA_HDF5_INCLUDE_DIR}" DIRECTORY)

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

# The loader must be told of an HDF5 that lies outside the system's own directories.
set(STOA_PC_HDF5_LIBS "-L${STOA_HDF5_LIBDIR} -l${STOA_HDF5_LIBNAME}")
if(NOT STOA_HDF5_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND STOA_PC_HDF5_LIBS "-Wl,-rpath,${STOA_HDF5_LIBDIR} ")
endif()

configure_file(cmake/stoa.pc.in stoa.pc @ONLY)
configure_package_config_file(cmake/StoaConfig.cmake.in StoaConfig.cmake
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(StoaConfigVersion.cmake COMPATIBILITY SameMinorVersion)

stoa_install(stoa_shared LIBRARY "${CMAKE_INSTALL_LIBDIR}" EXPORT StoaTargets)
install(TARGETS stoa_static EXPORT StoaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET stoa)
    stoa_install(stoa RUNTIME "${CMAKE_INSTALL_BINDIR}")
endif()
if(STOA_HDF5_IS_BROUGHT) # the library and the link that is its soname
    file(GLOB files "${STOA_HDF5_LIBDIR}/lib${STOA_HDF5_LIBNAME}.so.*")
    install(FILES ${files} DESTINATION "${CMAKE_INSTALL_LIBDIR}/stoa")
    install(FILES ${files} DESTINATION "${CMAKE_INSTALL_LIBDIR}/stoa"
            COMPONENT plugins EXCLUDE_FROM_ALL)
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
