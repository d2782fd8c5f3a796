# Install: program, library, public headers, data files, CMake export and pkg-config file.
install(TARGETS scantle EXPORT scantle-targets)
install(TARGETS scantle_program)
install(DIRECTORY include/scantle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/scantle)

# An installed tree can be moved: the program finds the library, and scantle.pc its prefix, from
# where they themselves lie.
file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(scantle_program PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH SCANTLE_PREFIX_FROM_PC ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/scantle.pc.in scantle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scantle.pc DESTINATION ${pkgconfig_dir})

set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scantle)
install(EXPORT scantle-targets NAMESPACE scantle:: DESTINATION ${cmake_dir})
configure_package_config_file(cmake/scantle-config.cmake.in scantle-config.cmake
                              INSTALL_DESTINATION ${cmake_dir})
write_basic_package_version_file(scantle-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/scantle-config.cmake
              ${PROJECT_BINARY_DIR}/scantle-config-version.cmake
        DESTINATION ${cmake_dir})
install(FILES cmake/Dependencies.cmake DESTINATION ${cmake_dir} RENAME scantle-dependencies.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the scantle developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/COPYING)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# The library knows where its data files were to be installed, so the package goes there too.
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
include(CPack)
