# isl, which answers the questions of proofs.  Usually the system's libisl.  With TCPC_ISL_ARCHIVE it is built from the sources in that file,
# with imath for large integers, and becomes a hidden part of the program and of libtcpc.  Sets ISL_INCLUDE_DIRS, ISL_LIBRARY, and of these
# two the one that it is: ISL_SYSTEM, or the file ISL_BUILT.
set(isl_version 2026.2.2)
set(isl_hash c94383d6ffe725774b4839eb5b259565b828f972e9413a8dad677459a5dc5b5f)
set(archive ${CMAKE_SOURCE_DIR}/third_party/islpy-${isl_version}.tar.gz)  # only a source distribution has it
if(NOT EXISTS ${archive})
  set(archive "")
endif()
set(TCPC_ISL_ARCHIVE "${archive}" CACHE FILEPATH "Build isl with imath from PyPI's islpy-${isl_version}.tar.gz, instead of using the system's libisl")

if(NOT TCPC_ISL_ARCHIVE)
  find_path(ISL_INCLUDE_DIR isl/set.h REQUIRED)
  find_library(ISL_LIBRARY isl REQUIRED)
  set(ISL_INCLUDE_DIRS ${ISL_INCLUDE_DIR})
  set(ISL_SYSTEM ${ISL_LIBRARY})
  return()
endif()

file(SHA256 ${TCPC_ISL_ARCHIVE} hash)
if(NOT hash STREQUAL isl_hash)
  message(FATAL_ERROR "${TCPC_ISL_ARCHIVE} is not islpy-${isl_version}.tar.gz: its SHA-256 is ${hash}, not ${isl_hash}")
endif()
set(isl ${CMAKE_BINARY_DIR}/isl/islpy-${isl_version})
if(NOT EXISTS ${isl}/CMakeLists.txt)
  file(ARCHIVE_EXTRACT INPUT ${TCPC_ISL_ARCHIVE} DESTINATION ${CMAKE_BINARY_DIR}/isl)
endif()

# islpy's own build lists the sources; of those for integers the small ones in place, with imath for the others.
file(STRINGS ${isl}/CMakeLists.txt sources REGEX "^ +isl/.*[.]c$")
list(TRANSFORM sources STRIP)
list(REMOVE_ITEM sources isl/isl_val_gmp.c isl/isl_val_imath.c)
list(TRANSFORM sources PREPEND ${isl}/)
add_library(isl_imath STATIC EXCLUDE_FROM_ALL ${sources})
target_include_directories(isl_imath PRIVATE ${isl}/isl-supplementary ${isl}/isl/include ${isl}/isl ${isl}/isl/imath)
target_compile_definitions(isl_imath PRIVATE USE_IMATH_FOR_MP USE_SMALL_INT_OPT GIT_HEAD_ID="isl-0.28")
# A section a function, so that the linker leaves out what no proof uses.
target_compile_options(isl_imath PRIVATE -w -ffunction-sections -fdata-sections)
set_target_properties(isl_imath PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden C_STANDARD 99)
set(ISL_LIBRARY isl_imath)
set(ISL_BUILT $<TARGET_FILE:isl_imath>)
set(ISL_INCLUDE_DIRS ${isl}/isl-supplementary ${isl}/isl/include)
