# Tests of the repository itself: walls, house rules, public headers, installed tree.
add_test(NAME repo_layers COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/repo/layers.sh
                                  ${PROJECT_SOURCE_DIR})
add_test(NAME repo_house COMMAND bash ${PROJECT_SOURCE_DIR}/scripts/check_house.sh)
add_test(NAME repo_house_finds COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/repo/house.sh
                                       ${PROJECT_SOURCE_DIR})
add_test(NAME repo_install
         COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/repo/install.sh ${PROJECT_SOURCE_DIR}
                 ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} "${CMAKE_C_FLAGS}")
add_test(NAME repo_readme COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/repo/readme.sh
                                  ${PROJECT_SOURCE_DIR} $<TARGET_FILE:scantle_program>)
set(repo_tests repo_readme repo_layers repo_house repo_house_finds repo_install)
if(BUILD_SHARED_LIBS)
  add_test(NAME repo_symbols COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/repo/symbols.sh
                                     ${PROJECT_SOURCE_DIR} $<TARGET_FILE:scantle>)
  list(APPEND repo_tests repo_symbols)
endif()
set_tests_properties(${repo_tests} PROPERTIES LABELS repo TIMEOUT 400)

# scantle_header_test(name "c;cpp" header...): a source a header and language that includes it alone.
function(scantle_header_test name languages)
  foreach(header ${ARGN})
    string(MAKE_C_IDENTIFIER ${header} id)
    foreach(language ${languages})
      set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${id}.${language})
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\nextern int alone;\n" @ONLY)
      list(APPEND sources ${source})
    endforeach()
  endforeach()
  add_library(${name} OBJECT ${sources})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wundef -Werror)
endfunction()

# Public headers compile as strict C17 and as C++ and see nothing of ours; our own compile as C17.
include(CheckLanguage)
check_language(CXX)
set(public_languages c)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  list(APPEND public_languages cpp)
endif()
file(GLOB public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
     ${PROJECT_SOURCE_DIR}/include/scantle/*.h)
scantle_header_test(header_test_public "${public_languages}" ${public_headers})
target_include_directories(header_test_public PRIVATE ${PROJECT_SOURCE_DIR}/include)

get_property(layers GLOBAL PROPERTY SCANTLE_LAYERS)
list(TRANSFORM layers PREPEND ${PROJECT_SOURCE_DIR}/)
list(TRANSFORM layers APPEND /*.h)
file(GLOB own_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${layers})
scantle_header_test(header_test_own c ${own_headers})
target_include_directories(header_test_own PRIVATE ${PROJECT_SOURCE_DIR}
                                                   ${PROJECT_SOURCE_DIR}/include)
scantle_compile_flags(header_test_own)
