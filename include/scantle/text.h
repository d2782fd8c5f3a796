#ifndef SCANTLE_TEXT_H
#define SCANTLE_TEXT_H
/**
 * @file scantle/text.h
 * @brief Talking to people the way scantle does: quantities with units, suggestions for mistyped
 * names, files that are never half written.
 */
#include <stddef.h>

#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif

/** Kinds, with the units each takes. Letter case counts: m is milli, M is mega. Decimal prefixes
 *  are f p n u (or the micro sign) m k M G T; binary ones Ki Mi Gi Ti. */
typedef enum sc_unit {
    SC_UNIT_NONE,        /* a plain number; Ki, Mi, Gi, Ti alone multiply */
    SC_UNIT_BYTES,       /* B .. TB, KiB .. TiB, Ki .. Ti; bit .. Tbit, Kibit .. Tibit */
    SC_UNIT_HZ,          /* Hz .. THz */
    SC_UNIT_BYTES_PER_S, /* B/s .. TB/s, KiB/s .. TiB/s; bit/s .. Tbit/s, Kibit/s .. Tibit/s */
    SC_UNIT_WATT,        /* nW .. MW */
    SC_UNIT_JOULE,       /* fJ .. kJ */
    SC_UNIT_SECOND,      /* ps .. s, min, h */
    SC_UNIT_AREA_M2,     /* nm2, um2, mm2, cm2, m2 */
    SC_UNIT_METRE        /* nm, um, mm, cm, m */
} sc_unit;

/**
 * Parse a number with an optional unit of the given kind into SI base units (bytes, Hz, B/s, W, J,
 * s, m2, m). A number without a unit is taken in base units. Finite only; decimal or 1e3 forms; one
 * blank or none before the unit. The result is the double nearest to the quantity: "5 pJ" is 5e-12
 * and "2 MiB" is 2097152 exactly (min and h: the rounded product).
 * @return SC_OK; SC_EINVAL with a message that names the accepted units (wrong kind, unknown
 *         prefix, trailing text, NaN, infinity, overflow). *si untouched on failure.
 */
SC_API sc_status sc_quantity_parse(double *si, const char *text, sc_unit unit) SC_MUST_USE;

/** Write a base-unit value for people, three significant digits: "1.40 GHz", "2.00 MiB" (bytes in
 *  binary units, bytes a second in decimal ones, areas in um2 to m2, lengths in nm to m), "nan" and
 * "inf" as they are. Cut to size; 32 is enough. */
SC_API void sc_quantity_format(char *out, size_t size, double si, sc_unit unit);

/** The same in every digit, so that sc_quantity_parse() gives the value back: in the largest unit
 *  that leaves a whole number ("48 KiB", "1500 MHz"), else in the base unit ("0.5 s"). */
SC_API void sc_quantity_exact(char *out, size_t size, double si, sc_unit unit);

/** Symbol of the base unit of a kind: "B", "Hz", ...; "" for SC_UNIT_NONE. */
SC_API const char *sc_unit_symbol(sc_unit unit);
/** The kind that has this base unit; SC_UNIT_NONE if none has. */
SC_API sc_unit sc_unit_of_symbol(const char *symbol);

/** The name nearest to word by edit distance (insert, delete, replace, swap of neighbours), if near
 *  enough to suggest (<= 1/3 of its length, at least 1); else NULL. Ties go to the first. Words
 *  over 63 bytes get no suggestion. Cost: O(total length * word length). */
SC_API const char *sc_nearest(const char *word, const char *const *names, size_t n);

/** Length (1 to 4) of the well-formed UTF-8 character at text, which has n >= 1 bytes; else 0.
 *  Overlong forms, surrogates and values over U+10FFFF are not well-formed. */
SC_API size_t sc_utf8_span(const char *text, size_t n);

/**
 * Write to a temporary name in the same folder, fsync, rename, fsync the folder: readers and a
 * crash see the old file or the new one, never half. An existing file keeps its permissions, a new
 * one gets 0666 less the umask; a symbolic link is followed.
 * @return SC_OK; SC_ENOTFOUND if the folder does not exist; SC_EIO naming the path and reason;
 *         SC_ENOMEM. On failure the old file is untouched, unless it is the folder's own fsync that
 *         fails: then the new one is in place, but a crash may bring the old one back.
 */
SC_API sc_status sc_file_write(const char *path, const void *bytes, size_t n) SC_MUST_USE;

/** Whether sc_file_write() could write there now, to be known before work whose result goes there:
 *  the temporary file is made and removed, what stands at path is left as it is.
 *  @return SC_OK; else as sc_file_write() and its message. */
SC_API sc_status sc_file_may_write(const char *path) SC_MUST_USE;
#ifdef __cplusplus
}
#endif
#endif
