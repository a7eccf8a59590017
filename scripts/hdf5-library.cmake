# A faster build of HDF5's library, with the same content. scripts/setup appends this file to the
# src/CMakeLists.txt of the one source whose version it knows by checksum (2.2.0).

# The shared library takes the objects of the static one, which are position-independent anyway.
if(TARGET "${HDF5_LIBSH_TARGET}")
    set_target_properties(${HDF5_LIBSH_TARGET} PROPERTIES SOURCES "$<TARGET_OBJECTS:${HDF5_LIB_TARGET}>")
endif()

# The files of a module are compiled as one: parsing HDF5's headers is half of the work. Left out are
# files that use names of others in their module. Conversions take longest and are on their own.
set(apart H5Aint H5B2test H5EAsblock H5EAtest H5FAtest H5FDmulti H5FDstdio H5FSdbg H5FSsection H5Ftest
    H5Odtype H5Ofill H5Omessage H5Opline H5Osdspace H5Tprecis H5Zscaleoffset)
get_cmake_property(variables VARIABLES)
foreach(variable IN LISTS variables)
    if(variable MATCHES "^(H5[A-Z0-9]*)_SOURCES$")
        set_source_files_properties(${${variable}} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
    endif()
endforeach()
foreach(name IN LISTS apart)
    set_source_files_properties(${HDF5_SRC_DIR}/${name}.c PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()
foreach(name IN ITEMS H5Tconv_complex H5Tconv_float H5Tconv_integer)
    set_source_files_properties(${HDF5_SRC_DIR}/${name}.c PROPERTIES UNITY_GROUP ${name})
endforeach()
set_target_properties(${HDF5_LIB_TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
