#ifndef CORE_UNITS_H
#define CORE_UNITS_H
/** Quantities with units as users write them: "2 MiB", "1.4 GHz", "448 GB/s", "250 W". */
#include <stddef.h>

#include "scantle/error.h"

typedef enum sc_unit {
    SC_UNIT_NONE,        /* a plain number */
    SC_UNIT_BYTES,       /* B, kB, KiB, MB, MiB, ... ; bit, Kibit, ... too */
    SC_UNIT_HZ,          /* Hz .. GHz */
    SC_UNIT_BYTES_PER_S, /* B/s .. TB/s, GiB/s */
    SC_UNIT_WATT,
    SC_UNIT_JOULE, /* J, mJ, uJ, nJ, pJ, fJ */
    SC_UNIT_SECOND,
    SC_UNIT_AREA_M2, /* mm2, um2 */
    SC_UNIT_METRE
} sc_unit;

/**
 * Parse a number with an optional unit of the given kind into SI base units (bytes, Hz, B/s, W, J,
 * s, m2, m). A number without a unit is taken in base units. Finite only; decimal or 1e3 forms; one
 * blank or none before the unit.
 * @return SC_OK; SC_EINVAL with a message that names the accepted units (wrong kind, unknown
 *         prefix, trailing text, NaN, infinity, overflow). *si untouched on failure.
 */
sc_status sc_quantity_parse(double *si, const char *text, sc_unit unit) SC_MUST_USE;

/** Write a base-unit value for people, three significant digits: "1.40 GHz", "2.00 MiB". */
void sc_quantity_format(char *out, size_t size, double si, sc_unit unit);
#endif
