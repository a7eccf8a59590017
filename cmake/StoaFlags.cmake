# How every C file of Stoa is compiled: the interface target stoa_flags, and stoa_select_simd().

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(stoa_flags INTERFACE)

# POSIX and what each system adds to it (pread, mkstemp, O_CLOEXEC), in spite of -std=c11.
if(APPLE)
    target_compile_definitions(stoa_flags INTERFACE _DARWIN_C_SOURCE=)
else()
    target_compile_definitions(stoa_flags INTERFACE _GNU_SOURCE= _FILE_OFFSET_BITS=64)
endif()

target_compile_options(stoa_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
    -Wcast-qual -Wpointer-arith -Wwrite-strings
    # Nobody reads errno after sqrt(); no multiply is fused with an add, so that scalar, AVX2 and
    # NEON code give the same bits.
    -fno-math-errno -ffp-contract=off)
if(STOA_WERROR)
    target_compile_options(stoa_flags INTERFACE -Werror)
endif()

if(STOA_SANITIZE)
    target_compile_options(stoa_flags INTERFACE -fsanitize=${STOA_SANITIZE}
                           -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    target_link_options(stoa_flags INTERFACE -fsanitize=${STOA_SANITIZE})
endif()
if(STOA_FUZZ) # libFuzzer counts the edges of everything but itself
    target_compile_options(stoa_flags INTERFACE -fsanitize=fuzzer-no-link)
    target_link_options(stoa_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(STOA_COVERAGE)
    target_compile_options(stoa_flags INTERFACE --coverage -O0 -g)
    target_link_options(stoa_flags INTERFACE --coverage)
endif()

# stoa_select_simd(LIST): a file <name>_avx2.c, _avx512.c or _neon.c is compiled with the flags of
# its instruction set, on the processors that have one, and left out on the others. Which of them
# runs is decided when the program runs.
function(stoa_select_simd list)
    set(kept "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        set(family x86)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        set(family arm)
    else()
        set(family other)
    endif()
    foreach(source IN LISTS ${list})
        if(source MATCHES "_(avx2|avx512)\\.c$")
            set(set_name ${CMAKE_MATCH_1})
            if(NOT family STREQUAL x86)
                continue()
            endif()
            set(avx2 -mavx2 -mbmi -mbmi2 -mpopcnt)
            set(avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi -mavx512vbmi2
                -mgfni -mavx2 -mbmi -mbmi2 -mpopcnt)
            set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${${set_name}}")
        elseif(source MATCHES "_neon\\.c$" AND NOT family STREQUAL arm)
            continue()
        elseif(source MATCHES "query/functions/")
            # Nobody reads the flags of exceptions, so that loops of floor() become vectors.
            set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -fno-trapping-math)
        endif()
        list(APPEND kept "${source}")
    endforeach()
    set(${list} "${kept}" PARENT_SCOPE)
endfunction()
