# How libstoa, the plugins and the command find libhdf5 when they are loaded.
#
# An HDF5 in one of the system's directories is found by the loader itself: no run path then. Of
# another one, the build tree knows the absolute path. An installed tree brings a copy in lib/stoa,
# and knows it relative to itself: it may be moved, and the cache that it was built with may go.
# With STOA_BUNDLE_HDF5=OFF there is no copy, and the installed tree knows the absolute path, too.
# A run path never has an empty element, which would be the working directory of the program
# (tests/house/test_load.py). CMake's own way from the build's run path to the installed one puts
# such elements into the build's, so the installed one is set here.

get_filename_component(STOA_HDF5_LIBDIR "${STOA_HDF5_LIBRARY}" DIRECTORY)
set(STOA_HDF5_IS_BROUGHT OFF)
set(STOA_HDF5_IS_ELSEWHERE OFF)
if(NOT APPLE AND NOT STOA_HDF5_LIBRARY MATCHES "\\.a$" AND
   NOT STOA_HDF5_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    set(STOA_HDF5_IS_ELSEWHERE ON)
    set(STOA_HDF5_IS_BROUGHT ${STOA_BUNDLE_HDF5})
endif()

# stoa_install(<target> <LIBRARY | RUNTIME> <directory> [EXPORT <name>] [COMPONENT <name>])
function(stoa_install target kind directory)
    install(TARGETS ${target} ${ARGN} ${kind} DESTINATION "${directory}")
    cmake_parse_arguments(PARSE_ARGV 3 of "" "EXPORT;COMPONENT" "")
    set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    if(APPLE) # libraries are named by their paths there
        return()
    endif()
    set(from "${directory}")
    if(NOT IS_ABSOLUTE "${directory}")
        set(from "${CMAKE_INSTALL_PREFIX}/${directory}")
        string(PREPEND directory "\${CMAKE_INSTALL_PREFIX}/")
    endif()
    set(installed ${CMAKE_INSTALL_RPATH}) # what a packager wants besides
    get_target_property(libraries ${target} LINK_LIBRARIES)
    if(STOA_HDF5_IS_ELSEWHERE AND NOT Stoa::HDF5_static IN_LIST libraries)
        set(place "${STOA_HDF5_LIBDIR}")
        if(STOA_HDF5_IS_BROUGHT)
            file(RELATIVE_PATH up "${from}" "${CMAKE_INSTALL_FULL_LIBDIR}/stoa")
            set(place "$ORIGIN/${up}")
        endif()
        list(PREPEND installed "${place}")
    endif()
    if(installed) # takes the place of a longer one
        set(room "${CMAKE_BINARY_DIR};${CMAKE_INSTALL_RPATH}")
    endif()
    set_target_properties(${target} PROPERTIES
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${room}")
    list(JOIN installed ":" installed)
    if(NOT of_COMPONENT)
        set(of_COMPONENT Unspecified) # as install() calls it
    endif()
    install(CODE "file(RPATH_SET FILE \"\$ENV{DESTDIR}${directory}/$<TARGET_FILE_NAME:${target}>\"
     NEW_RPATH [[${installed}]])" COMPONENT ${of_COMPONENT})
endfunction()
