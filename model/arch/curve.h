#ifndef MODEL_ARCH_CURVE_H
#define MODEL_ARCH_CURVE_H
/**
 * A quantity by the size of a memory: straight lines through the table's points on logarithmic
 * axes. docs/algorithms/area_power.md.
 */
#include "core/mem.h"
#include "core/yaml.h"

enum { SC_MAX_CURVE_POINTS = 32, SC_CURVE_EXPONENTS = 64 };

typedef struct sc_curve {
    const char *name, *unit;
    size_t n;
    double size[SC_MAX_CURVE_POINTS];  /* bytes, ascending */
    double value[SC_MAX_CURVE_POINTS]; /* > 0 */
    const char *source[SC_MAX_CURVE_POINTS];
    double slope[SC_MAX_CURVE_POINTS];   /* of log2 value over log2 size, from point i to i + 1 */
    bool flat_above;                     /* past the last point: its value, not the last slope */
    double at_power[SC_CURVE_EXPONENTS]; /* value at 2^i bytes: most sizes, without logarithms */
} sc_curve;

/**
 * Read the i-th entry of `curves:`. An energy (`..._pj`) must not fall with size and goes on with
 * the first and last slope beyond the points; a density (`..._mm2_per_mib`) may fall, as long as
 * the area it gives does not, goes on with its first slope below and stays level above.
 * @return false after recording errors.
 */
bool sc_curve__read(sc_curve *out, sc_arena *arena, const sc_node *curves, size_t i);

/** Whether a name is that of an energy ("..._pj") or a density ("..._mm2_per_mib"). */
bool sc_curve__is_energy(const char *name);
bool sc_curve__is_density(const char *name);

/** What a larger memory must not do at point i, which stands behind i - 1: NULL, or what is wrong:
 *  "takes less area", "costs less an access". */
const char *sc_curve__fault(const sc_curve *c, size_t i);

/** Make a curve whose name, sizes and values (which pass sc_curve__fault) are there fit for use. */
void sc_curve__prepare(sc_curve *c);

/** Value at a size in bytes; 0 at 0 bytes (a memory that is not there). No allocation. */
double sc_curve__at(const sc_curve *c, double bytes);
#endif
