vcpkg_download_distfile(ARCHIVE
    URLS "https://stoa.example/releases/stoa-${VERSION}.tar.gz"
    FILENAME "stoa-${VERSION}.tar.gz"
    SHA512 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" is_shared)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DSTOA_BUNDLE_HDF5=OFF
        -DSTOA_EXAMPLES=OFF
        -DSTOA_PYTHON=OFF
        -DSTOA_SHARED=${is_shared}
        -DSTOA_WERROR=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/Stoa)
vcpkg_replace_string("${CURRENT_PACKAGES_DIR}/share/${PORT}/StoaConfig.cmake"
    "${CURRENT_INSTALLED_DIR}" [[${PACKAGE_PREFIX_DIR}]] IGNORE_UNCHANGED)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES stoa AUTO_CLEAN)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
