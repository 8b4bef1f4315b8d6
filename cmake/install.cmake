# What `cmake --install` puts where, and the packages (`cpack -G DEB`).  The installed tree can be moved as a whole: tcpc looks
# for the runtime beside itself, and the CMake package computes its paths.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS tcpc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# lib/tcpc in any case: tcpc looks for it beside its own folder.
install(TARGETS tcp_host ARCHIVE DESTINATION lib/tcpc)
install(TARGETS tcpc_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tcpc_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES compiler/lib/tcpc.h compiler/lib/tcpc_lists.h compiler/launch/tcpc_launch.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tcpc)
# The documents lie as in the sources, with all that they lead to.
file(GLOB_RECURSE documents RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS docs/*.md docs/*.svg bench/*.md bench/*.csv bench/*.svg bench/*.tsv
  bench/results/*.txt bench/relayout/views.txt runtime/*.md tests/*.md tests/left_out/*.txt tests/cost/*.tsv)
foreach(document LICENSE README.md CONTRIBUTING.md CHANGELOG.md ${documents})
  get_filename_component(folder ${document} DIRECTORY)
  install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
configure_file(docs/man/tcpc.1 ${CMAKE_BINARY_DIR}/tcpc.1 @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tcpc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/completion/tcpc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tcpc)
install(FILES docs/completion/_tcpc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES docs/completion/tcpc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# What the Python package holds beside python/tcpc. A wheel has no links, so the library has one name.
install(PROGRAMS $<TARGET_FILE:tcpc> DESTINATION tcpc/bin COMPONENT python EXCLUDE_FROM_ALL)
install(PROGRAMS $<TARGET_FILE:tcpc_shared> DESTINATION tcpc/lib RENAME libtcpc.so COMPONENT python EXCLUDE_FROM_ALL)
install(FILES compiler/lib/tcpc.h compiler/lib/tcpc_lists.h compiler/launch/tcpc_launch.h DESTINATION tcpc/include/tcpc COMPONENT python EXCLUDE_FROM_ALL)
install(DIRECTORY runtime/ DESTINATION tcpc/include/tcpc COMPONENT python EXCLUDE_FROM_ALL
  FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh" PATTERN "*.cpp" PATTERN "*.cu")

# What a program needs that links with the static library.
if(TCPC_ISL_ARCHIVE)
  set(TCPC_STATIC_LIBRARIES m pthread)
else()
  set(TCPC_STATIC_LIBRARIES isl m pthread)
endif()
list(TRANSFORM TCPC_STATIC_LIBRARIES PREPEND -l OUTPUT_VARIABLE TCPC_LIBS_PRIVATE)
list(JOIN TCPC_LIBS_PRIVATE " " TCPC_LIBS_PRIVATE)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/tcpc)
set(TCPC_LIB_DIR lib/tcpc)
configure_package_config_file(cmake/tcpcConfig.cmake.in ${CMAKE_BINARY_DIR}/tcpcConfig.cmake INSTALL_DESTINATION ${package}
  PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR TCPC_LIB_DIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tcpcConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tcpcConfig.cmake ${CMAKE_BINARY_DIR}/tcpcConfigVersion.cmake DESTINATION ${package})

# The way from the file to the prefix, so that the tree can be moved.
file(RELATIVE_PATH TCPC_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/tcpc-runtime.pc.in ${CMAKE_BINARY_DIR}/tcpc-runtime.pc @ONLY)
configure_file(cmake/tcpc.pc.in ${CMAKE_BINARY_DIR}/tcpc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tcpc-runtime.pc ${CMAKE_BINARY_DIR}/tcpc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(CPACK_PACKAGE_NAME tcpc)
set(CPACK_PACKAGE_CONTACT "tcpc maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler for tiled copy plans on GPUs")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "g++")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_STRIP_FILES ON)
include(CPack)
