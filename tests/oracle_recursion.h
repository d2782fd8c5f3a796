#ifndef TESTS_ORACLE_RECURSION_H
#define TESTS_ORACLE_RECURSION_H
/**
 * The reference's delta recursion, literally: point sets as lists of boxes, every child's delta
 * made and compared with every other's. Slow, and shares no code with the engine.
 */
#include "model/count/count.h"

/**
 * Count. Whole-number averages are checked to be whole when links are none.
 * @param every_step  walk every iteration of every loop, not only the first two.
 */
void oracle_recursion(sc_counts *out, const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                      const sc_count_options *o, int every_step);
#endif
