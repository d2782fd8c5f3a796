# One OBJECT target per folder. The direction between folders is a configure-time error, not a
# convention: a folder declares the folders it USES, each must stand on a lower LEVEL, and every
# #include "folder/..." in its files must name a declared one.
#
# Levels are floats so that the rooms of model/ keep an order of their own (arch 2.0, count 2.1, ...).

set(SCANTLE_WARNINGS
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wundef -Wdouble-promotion -Wformat=2 -Wwrite-strings)

# Compile flags every target of ours shares: the layers, the program, tests and benches.
function(scantle_compile_flags target)
  target_compile_options(${target} PRIVATE ${SCANTLE_WARNINGS} $<$<BOOL:${SCANTLE_WERROR}>:-Werror>)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
endfunction()

# scantle_layer(model/arch LEVEL 2.0 SOURCES a.c b.c USES core workloads LINK GSL::gsl)
function(scantle_layer folder)
  cmake_parse_arguments(A "" "LEVEL" "SOURCES;USES;LINK" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  if(NOT A_SOURCES)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/empty_${name}.c CONTENT "typedef int sc_empty;\n")
    set(A_SOURCES ${PROJECT_BINARY_DIR}/empty_${name}.c)
  endif()
  add_library(scantle_${name} OBJECT ${A_SOURCES})
  add_library(scantle::${name} ALIAS scantle_${name})
  target_include_directories(scantle_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  scantle_compile_flags(scantle_${name})
  foreach(dep ${A_USES})
    string(REPLACE "/" "_" dep_name ${dep})
    target_link_libraries(scantle_${name} PUBLIC scantle_${dep_name})
  endforeach()
  target_link_libraries(scantle_${name} PUBLIC ${A_LINK})
  set_property(GLOBAL APPEND PROPERTY SCANTLE_LAYERS ${folder})
  set_property(GLOBAL PROPERTY SCANTLE_LEVEL_${name} ${A_LEVEL})
  set_property(GLOBAL PROPERTY SCANTLE_USES_${name} "${A_USES}")
endfunction()

function(scantle_check_layers)
  get_property(layers GLOBAL PROPERTY SCANTLE_LAYERS)
  foreach(folder ${layers})
    string(REPLACE "/" "_" name ${folder})
    get_property(level GLOBAL PROPERTY SCANTLE_LEVEL_${name})
    get_property(uses GLOBAL PROPERTY SCANTLE_USES_${name})
    foreach(dep ${uses})
      string(REPLACE "/" "_" dep_name ${dep})
      get_property(dep_level GLOBAL PROPERTY SCANTLE_LEVEL_${dep_name})
      if(NOT dep_level LESS level)
        message(FATAL_ERROR "${folder}/ (level ${level}) may not use ${dep}/ (level ${dep_level})")
      endif()
    endforeach()
    scantle_check_includes(${folder} "${uses}")
  endforeach()
endfunction()

# Every #include "x/y.h" of a folder's files must be its own, public, or in a folder it declares.
function(scantle_check_includes folder uses)
  file(GLOB sources ${PROJECT_SOURCE_DIR}/${folder}/*.[ch])
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  foreach(source ${sources})
    file(STRINGS ${source} includes REGEX "^#include \"[a-z_/]+/[a-z_0-9]+[.]h\"")
    foreach(line ${includes})
      string(REGEX MATCH "\"([a-z_/]+)/[a-z_0-9]+[.]h\"" _ "${line}")
      set(used ${CMAKE_MATCH_1})
      if(NOT used STREQUAL folder AND NOT used STREQUAL "scantle" AND NOT used IN_LIST uses)
        message(FATAL_ERROR "${source}: includes ${used}/ but ${folder}/ does not declare USES ${used}")
      endif()
    endforeach()
  endforeach()
endfunction()

# The one installed library: every layer's objects, only SC_API symbols visible.
function(scantle_library)
  get_property(layers GLOBAL PROPERTY SCANTLE_LAYERS)
  add_library(scantle)
  add_library(scantle::scantle ALIAS scantle)
  foreach(folder ${layers})
    string(REPLACE "/" "_" name ${folder})
    target_sources(scantle PRIVATE $<TARGET_OBJECTS:scantle_${name}>)
    target_link_libraries(scantle PRIVATE $<BUILD_INTERFACE:scantle_${name}>)
  endforeach()
  target_include_directories(scantle PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(scantle PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
endfunction()
