# Install: program, library, public headers, data files, CMake export and pkg-config file.
install(TARGETS scantle EXPORT scantle-targets)
install(TARGETS scantle_program)
install(DIRECTORY include/scantle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/scantle)
install(EXPORT scantle-targets NAMESPACE scantle::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/scantle)
configure_package_config_file(cmake/scantle-config.cmake.in scantle-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/scantle)
write_basic_package_version_file(scantle-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/scantle.pc.in scantle.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scantle-config.cmake
              ${PROJECT_BINARY_DIR}/scantle-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/scantle)
install(FILES ${PROJECT_BINARY_DIR}/scantle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the scantle developers")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
include(CPack)
