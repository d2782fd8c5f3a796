#ifndef MODEL_NET_RULES_H
#define MODEL_NET_RULES_H
/** The switches of an evaluation as a table: their names, and the names of their choices. */
#include <stddef.h>

#include "core/json.h"
#include "core/yaml.h"
#include "scantle/error.h"
#include "scantle/rules.h"

enum { SC_RULES = 6, SC_MOST_CHOICES = 3, SC_RULES_LEN = 128, SC_RUNGS = 7 };

typedef struct sc_rule {
    const char *name;
    size_t n_choices;
    const char *choices[SC_MOST_CHOICES]; /* [n_choices], in the order of the enum */
} sc_rule;

/** The i-th switch, i < SC_RULES. */
const sc_rule *sc_rule_at(size_t i);
/** What it is set to: an index into its choices, if the rules are sound. */
size_t sc_rules_get(const sc_rules *r, size_t i);
/** Set it. @param choice  below n_choices. */
void sc_rules_set(sc_rules *r, size_t i, size_t choice);

/** @return SC_OK; SC_EINVAL naming a switch that is set to none of its choices. */
sc_status sc_rules_check(const sc_rules *r) SC_MUST_USE;

/** Read a map of switches and choices; switches that it does not name stay as they are. Faults are
 *  recorded in the document. @return false if any was; *out is then undefined. */
bool sc_rules_read(sc_rules *out, const sc_node *map);

/** Read the name of a rung of the ladder (sc_rung_at()). An unknown one is recorded with a
 * suggestion.
 *  @return false if it is none; *out is then untouched. */
bool sc_rung_read(const sc_rung **out, const sc_node *at);

/** `,mapping=plain,padding=off`: every switch that is not at its default; "" if all are. What keys
 *  of stored results end in. @return out. */
const char *sc_rules_text(char out[SC_RULES_LEN], const sc_rules *r);

/** {"mapping": "search", ...}, all switches. */
json_t *sc_rules_json(const sc_rules *r, bool *ok);
#endif
