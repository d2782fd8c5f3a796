#ifndef CORE_JSON_H
#define CORE_JSON_H
/** JSON over jansson: bounded reading, fixed-form writing. Callers use json_t directly. */
#include <jansson.h>
#include <stddef.h>

#include "core/number.h"
#include "scantle/error.h"

/** Parse with duplicate keys, NaN and trailing text refused, depth and size capped.
 *  @return SC_OK; SC_EPARSE as `name:line:column: error: ...`; SC_ENOMEM. */
sc_status sc_json_parse(json_t **out, const char *name, const char *text, size_t n) SC_MUST_USE;
sc_status sc_json_open(json_t **out, const char *path) SC_MUST_USE;

/** Write with keys in insertion order, reals by %.17g shortened to the fewest digits that read back
 *  equal, NaN and infinity as null. Indented by 2 when pretty. Free with sc_free. */
sc_status sc_json_write(char **out, const json_t *value, int pretty) SC_MUST_USE;

/** json_real that yields null for NaN and infinity. */
json_t *sc_json_real(double v);
#endif
