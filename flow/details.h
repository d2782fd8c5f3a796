#ifndef FLOW_DETAILS_H
#define FLOW_DETAILS_H
/**
 * What a report shows beyond the rows: the baseline's figures and, for the designs on the front,
 * every op. Kept in the database as texts, so that a report needs no model.
 *
 * Keys and kinds: (study ID, "baseline") holds `{"spec","values":{name: figure}}`; the hash of
 * (study ID, trial index) holds one text a network, kind "evaluation.K", in the form of `evaluate
 * --json`. (study ID, "form") holds what the names of the rows do not say:
 * `{"units":{parameter: unit},"limits":[{"name","bound","value","of_baseline"}]}`: units of the
 * parameters that have one, as sc_study_space_json() names them; bound is "max" or "min".
 */
#include "flow/session.h"

enum { SC_DETAILED_DESIGNS = 16 }; /* of the front, best first by the first objective */

/** Evaluate what is not there yet and put it: opens and commits a batch of its own.
 *  @param threads  0 = all cores. @return SC_OK; SC_ESTORE; SC_ENOMEM; SC_ERANGE. */
sc_status sc_details_keep(sc_session *x, int threads) SC_MUST_USE;
/** Put the form of the study if it is not there yet, inside the store's batch. */
sc_status sc_details_keep_form(sc_session *x) SC_MUST_USE;
#endif
