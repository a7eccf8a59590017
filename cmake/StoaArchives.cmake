# Static libraries that a program takes instead of shared ones.

option(STOA_ARCHIVES "Take codecs in as static libraries, where these are there" ON)

# stoa_link_archive(<target> <library> [<libraries that it may need> ...])
#
# Link lib<library>.a where it is there and all that it needs is: liblz4 of Debian takes its hashes
# from libxxhash from 1.10 on, which need not be installed. Otherwise nothing is linked, and the
# shared library, which knows what it needs, stays the target's.
function(stoa_link_archive target library)
    if(NOT STOA_ARCHIVES)
        return()
    endif()
    find_library(archive lib${library}.a NO_CACHE)
    if(NOT archive)
        return()
    endif()
    set(wanted "")
    foreach(name IN LISTS ARGN)
        unset(found)
        find_library(found lib${name}.a NO_CACHE)
        if(found)
            list(APPEND wanted "${found}")
        endif()
    endforeach()
    set(dir "${CMAKE_BINARY_DIR}/CMakeFiles/archives")
    file(WRITE "${dir}/empty.c" "int main(void) { return 0; }\n")
    foreach(with IN ITEMS "" "${wanted}")
        unset(links CACHE)
        try_compile(links "${dir}/${library}" SOURCES "${dir}/empty.c"
            LINK_OPTIONS LINKER:--whole-archive "${archive}" LINKER:--no-whole-archive
            LINK_LIBRARIES ${with} Threads::Threads)
        if(links)
            target_link_libraries(${target} PRIVATE "${archive}" ${with})
            unset(links CACHE)
            return()
        endif()
    endforeach()
    unset(links CACHE)
    message(STATUS "${archive} needs a library that is not there; ${target} uses the shared one")
endfunction()
