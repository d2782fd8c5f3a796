# Tests of the program: its parts in C, and the whole by scripts of cli/.
set(cli ${PROJECT_SOURCE_DIR}/cli)
set(cli_text ${cli}/message.c ${cli}/text.c)
scantle_test(cli_options USES core SOURCES ${cli}/options.c ${cli_text})
scantle_test(cli_text USES core
             SOURCES ${cli}/progress.c ${cli}/interrupt.c ${cli}/output.c ${cli}/show.c ${cli}/table.c
                     ${cli_text})

add_executable(cli_json cli/json.c)
target_link_libraries(cli_json PRIVATE PkgConfig::JANSSON)

# scantle_cli_test(unit usage): cli/usage.sh with the program, the JSON reader and the source folder.
function(scantle_cli_test label)
  foreach(name ${ARGN})
    add_test(NAME cli_${name}
             COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.sh $<TARGET_FILE:scantle_program>
                     $<TARGET_FILE:cli_json> ${PROJECT_SOURCE_DIR})
    set_tests_properties(cli_${name} PROPERTIES LABELS ${label} TIMEOUT 300)
  endforeach()
endfunction()
scantle_cli_test(unit usage streams completion manual bad_input networks evaluate explain import reference best_mapping ask_tell examples ladder attention tiles roi place place_export floorplan edge_log surrogate
                 database table study_log)
scantle_cli_test(slow study interrupt terminal) # they run searches
