#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
/** The commands, each in its cmd_<name>.c, and the tree that main hands to the parser. */
#include "options.h"

extern const sc_cli_command sc_cli_root;

extern const sc_cli_command sc_cmd_ask;
extern const sc_cli_command sc_cmd_best;
extern const sc_cli_command sc_cmd_calibrate;
extern const sc_cli_command sc_cmd_completion;
extern const sc_cli_command sc_cmd_db;
extern const sc_cli_command sc_cmd_design;
extern const sc_cli_command sc_cmd_diff;
extern const sc_cli_command sc_cmd_evaluate;
extern const sc_cli_command sc_cmd_explain;
extern const sc_cli_command sc_cmd_export;
extern const sc_cli_command sc_cmd_manual;
extern const sc_cli_command sc_cmd_import;
extern const sc_cli_command sc_cmd_map;
extern const sc_cli_command sc_cmd_pareto;
extern const sc_cli_command sc_cmd_train;
extern const sc_cli_command sc_cmd_predict;
extern const sc_cli_command sc_cmd_propose;
extern const sc_cli_command sc_cmd_place;
extern const sc_cli_command sc_cmd_place_export;
extern const sc_cli_command sc_cmd_place_floorplan;
extern const sc_cli_command sc_cmd_place_score;
extern const sc_cli_command sc_cmd_report;
extern const sc_cli_command sc_cmd_roi;
extern const sc_cli_command sc_cmd_search;
extern const sc_cli_command sc_cmd_space;
extern const sc_cli_command sc_cmd_study;
extern const sc_cli_command sc_cmd_study_compare;
extern const sc_cli_command sc_cmd_study_share;
extern const sc_cli_command sc_cmd_study_log;
extern const sc_cli_command sc_cmd_sweep;
extern const sc_cli_command sc_cmd_systolic;
extern const sc_cli_command sc_cmd_tell;
extern const sc_cli_command sc_cmd_trials;
extern const sc_cli_command sc_cmd_validate;
extern const sc_cli_command sc_cmd_whatif;
extern const sc_cli_command sc_cmd_workload;
#endif
