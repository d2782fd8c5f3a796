#include "search/problem.h"

const char *sc_problem_check(const sc_problem *p)
{
    if (p->n_params < 1 || p->n_params > SC_MAX_PARAMS)
        return "a problem has 1 to 256 parameters";
    if (p->n_objectives < 1 || p->n_objectives > SC_MAX_OBJECTIVES)
        return "a problem has 1 to 16 objectives";
    if (!p->cardinality || !p->categorical)
        return "cardinality and categorical are arrays of n_params";
    for (size_t i = 0; i < p->n_params; i++)
        if (p->cardinality[i] < 1 || p->cardinality[i] > SC_MAX_VALUES)
            return "a parameter has 1 to 1048576 values";
    return NULL;
}

const char *sc_trial_state_name(sc_trial_state s)
{
    switch (s) {
    case SC_TRIAL_FEASIBLE: return "feasible";
    case SC_TRIAL_INFEASIBLE: return "infeasible";
    case SC_TRIAL_FAILED: return "failed";
    }
    return "unknown";
}
