# One OBJECT target per folder. The direction between folders is a configure-time error, not a
# convention: a folder declares the folders it USES, each must stand on a lower LEVEL, and every
# #include of another folder's header in its files must name a declared one.
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
  set_property(GLOBAL PROPERTY SCANTLE_LINK_${name} "${A_LINK}")
endfunction()

# The folders given and all that they use, in `out`.
function(scantle_layer_closure out)
  set(open ${ARGN})
  set(closed)
  while(open)
    list(POP_FRONT open folder)
    if(NOT folder IN_LIST closed)
      list(APPEND closed ${folder})
      string(REPLACE "/" "_" name ${folder})
      get_property(uses GLOBAL PROPERTY SCANTLE_USES_${name})
      list(APPEND open ${uses})
    endif()
  endwhile()
  set(${out} ${closed} PARENT_SCOPE)
endfunction()

function(scantle_check_layers)
  get_property(layers GLOBAL PROPERTY SCANTLE_LAYERS)
  foreach(folder ${layers})
    string(REPLACE "/" "_" name ${folder})
    get_property(level GLOBAL PROPERTY SCANTLE_LEVEL_${name})
    get_property(uses GLOBAL PROPERTY SCANTLE_USES_${name})
    foreach(dep ${uses})
      if(NOT dep IN_LIST layers)
        message(FATAL_ERROR "${folder}/ declares USES ${dep}, which is no layer")
      endif()
      string(REPLACE "/" "_" dep_name ${dep})
      get_property(dep_level GLOBAL PROPERTY SCANTLE_LEVEL_${dep_name})
      if(NOT dep_level LESS level)
        message(FATAL_ERROR "${folder}/ (level ${level}) may not use ${dep}/ (level ${dep_level})")
      endif()
    endforeach()
    scantle_check_includes(${folder} "${uses}")
  endforeach()
  scantle_check_includes(cli "")            # the program sees the public headers alone,
  scantle_check_includes(include/scantle "") # and those see nothing of ours but each other
endfunction()

# Every #include of a header of ours must be the folder's own, public, or of a folder it declares.
function(scantle_check_includes folder uses)
  file(GLOB_RECURSE sources ${PROJECT_SOURCE_DIR}/${folder}/*.[ch])
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  foreach(source ${sources})
    file(STRINGS ${source} includes REGEX "^[ \t]*#[ \t]*include[ \t]*[\"<]")
    foreach(line ${includes})
      scantle_check_include(${source} "${line}" ${folder} "${uses}")
    endforeach()
  endforeach()
endfunction()

function(scantle_check_include source line folder uses)
  string(REGEX MATCH "([\"<])([^\">]+)[\">]" _ "${line}")
  set(quoted ${CMAKE_MATCH_1})
  set(header ${CMAKE_MATCH_2})
  get_filename_component(used "${header}" DIRECTORY)
  if(header MATCHES "[.][.]")
    message(FATAL_ERROR "${source}: includes ${header}: name headers by folder, without ..")
  endif()
  get_property(ours GLOBAL PROPERTY SCANTLE_LAYERS)
  list(APPEND ours cli tests bench)
  if(quoted STREQUAL "<" AND NOT used IN_LIST ours)
    return() # a system or third-party header
  endif()
  if(NOT used STREQUAL "" AND NOT used STREQUAL folder AND NOT used STREQUAL "scantle"
     AND NOT used IN_LIST uses)
    message(FATAL_ERROR "${source}: includes ${used}/ but ${folder}/ does not declare USES ${used}")
  endif()
  # An optimiser knows the problem and the tools beside it, never spaces or studies, so that each can
  # be read and replaced alone.
  if(source MATCHES "/search/opt_[a-z0-9_]+[.]c$" AND used STREQUAL "search"
     AND NOT header MATCHES "^search/(problem|opt|opt_[a-z0-9_]+|pareto|pool)[.]h$")
    message(FATAL_ERROR "${source}: includes ${header}: an optimiser sees the problem, not ${header}")
  endif()
endfunction()

# The one installed library: every layer's objects, only SC_API symbols visible.
function(scantle_library)
  get_property(layers GLOBAL PROPERTY SCANTLE_LAYERS)
  add_library(scantle)
  add_library(scantle::scantle ALIAS scantle)
  foreach(folder ${layers})
    string(REPLACE "/" "_" name ${folder})
    target_sources(scantle PRIVATE $<TARGET_OBJECTS:scantle_${name}>)
    get_property(links GLOBAL PROPERTY SCANTLE_LINK_${name})
    target_link_libraries(scantle PRIVATE ${links})
  endforeach()
  target_include_directories(scantle PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(BUILD_SHARED_LIBS)
    set(map ${PROJECT_SOURCE_DIR}/cmake/scantle.map)
    target_link_options(scantle PRIVATE LINKER:--no-undefined LINKER:--version-script=${map})
    set_property(TARGET scantle PROPERTY LINK_DEPENDS ${map})
  endif()
  set_target_properties(scantle PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
endfunction()
