#ifndef FLOW_STUDY_READ_H
#define FLOW_STUDY_READ_H
/** The sections of a study file. Each reader records what is wrong at its node and returns false.
 */
#include "core/yaml.h"
#include "flow/study.h"

/** `template:` or `space:`: the space, restricted and constrained. */
bool sc_study_read_space(sc_study *s, const sc_node *root);
/** Whether the evaluator is a recorded table. */
bool sc_study_names_table(const sc_node *root);
/** `networks:` and `aggregate:`. */
bool sc_study_read_networks(sc_study *s, const sc_node *root);
/** `objectives:`, `limits:` and the recorded values. */
bool sc_study_read_values(sc_study *s, const sc_node *root);
/** `optimizer:`, `batch:`, `seed:`, `budget:`, `keep:`, `map_budget:`, `rules:`, `baseline_rules:`,
 * `rung:`, `calibration:`, `warm_start:`, `points:`. */
bool sc_study_read_search(sc_study *s, const sc_node *root);

/** A template, design or network as the file names it: a path that is not absolute is meant from
 * where the study file lies (if there is such a file; else from the current folder). In the arena;
 * NULL after recording that memory is out. */
const char *sc_study_reference(sc_study *s, const sc_node *at, const char *text);

/** A failure of a called function, recorded at a node: its message, or out of memory as itself. */
bool sc_study_fault(const sc_node *at, sc_status st);
/** Copy into the study's arena; NULL after recording that memory is out. */
char *sc_study_text(sc_study *s, const sc_node *at, const char *text);
void *sc_study_array(sc_study *s, const sc_node *at, size_t count, size_t size);
#endif
