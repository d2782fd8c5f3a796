#ifndef SEARCH_PARETO_H
#define SEARCH_PARETO_H
/**
 * Pareto dominance: comparison, sorting into fronts, crowding, an archive, hypervolume. All
 * objectives are minimised; values are [n][m] row-major and finite; ties go to the lowest index.
 * m is 1 .. SC_MAX_OBJECTIVES. Safe on distinct outputs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#include "search/problem.h"

/** -1: a dominates b; 1: b dominates a; 0: neither (equal vectors included). */
int sc_pareto_compare(const double *a, const double *b, size_t m);

/**
 * Constrained dominance, same result values: a feasible solution beats an infeasible one; of two
 * infeasible ones the smaller violation wins; two feasible ones compare by dominance.
 * Violations: 0 = feasible, > 0 = infeasible, INFINITY = failed.
 * Reference: Deb, Pratap, Agarwal, Meyarivan, IEEE Trans. Evol. Comput. 6(2) 2002,
 * doi:10.1109/4235.996017, definition 1 (section VI).
 */
int sc_pareto_compare_constrained(const double *a, double violation_a, const double *b,
                                  double violation_b, size_t m);

/** Scratch of the sorts below for up to n items, allocated once. */
typedef struct sc_pareto_work sc_pareto_work;
sc_status sc_pareto_work_create(sc_pareto_work **out, size_t n) SC_MUST_USE;
void sc_pareto_work_destroy(sc_pareto_work *w); /* NULL is fine */

/**
 * Front number of every item, 0 = best, by constrained dominance.
 * Method: m <= 2, lexicographic order, then each item to the first front whose last member does not
 * dominate it, by binary search: O(n log n) (Jensen, IEEE Trans. Evol. Comput. 7(5) 2003,
 * doi:10.1109/TEVC.2003.817234). m > 2: ENS-BS, O(m n sqrt n) typically, O(m n^2) at worst (Zhang,
 * Tian, Cheng, Jin, IEEE Trans. Evol. Comput. 19(2) 2015, doi:10.1109/TEVC.2014.2308305).
 * Infeasible items follow the feasible fronts, one front for each distinct violation.
 * @param[out] rank   [n].
 * @param violation   [n] or NULL = all feasible; values of infeasible items are not read.
 * @param w           for at least n items.
 * @return number of fronts. Allocates nothing.
 */
size_t sc_pareto_sort(uint32_t *rank, const double *values, const double *violation, size_t n,
                      size_t m, sc_pareto_work *w);

/**
 * Crowding distance of the items of one front: sum over objectives of the gap between the two
 * neighbours over the range of the front, INFINITY at the ends (Deb et al. 2002, section III-B).
 * An objective without range adds nothing.
 * @param[out] distance [n], slot of item[k] is distance[k].
 * @param item          [n] rows of values that form the front.
 */
void sc_pareto_crowding(double *distance, const double *values, const uint32_t *item, size_t n,
                        size_t m, sc_pareto_work *w);

/** Archive of non-dominated points, each with a number of the caller's. */
typedef struct sc_archive sc_archive;
sc_status sc_archive_create(sc_archive **out, size_t m) SC_MUST_USE;
void sc_archive_destroy(sc_archive *a); /* NULL is fine */
/** Offer a point: *added = it entered (members it dominates are gone). A point equal to a member
 *  does not enter: the first stays. Cost: m = 2, O(log n) and a shift; else O(m n).
 *  @return SC_OK; SC_ENOMEM; SC_EINVAL for a value that is not finite. */
sc_status sc_archive_add(sc_archive *a, const double *values, uint64_t number,
                         bool *added) SC_MUST_USE;
size_t sc_archive_count(const sc_archive *a);
/** Members ascending by first objective, then the others, for m = 2; by entry for other m. */
const double *sc_archive_values(const sc_archive *a, size_t i); /* [m], until the next add */
uint64_t sc_archive_number(const sc_archive *a, size_t i);

/**
 * Exact hypervolume: the measure of what the points dominate within the box below ref. Points that
 * do not lie strictly below ref in every objective add nothing.
 * Method: m = 1 length; m = 2 sweep, O(n log n); m = 3 sweep over a staircase (Beume, Fonseca,
 * Lopez-Ibanez, Paquete, Vahrenhold, IEEE Trans. Evol. Comput. 13(5) 2009,
 * doi:10.1109/TEVC.2009.2015575), O(n^2) at worst here; m > 3 slices by the last objective (While,
 * Hingston, Barone, Huband, IEEE Trans. Evol. Comput. 10(1) 2006, doi:10.1109/TEVC.2005.851275),
 * O(n^(m-1)): meant for fronts of a few hundred points and m <= 5.
 * @param[out] out volume in the product of the objectives' units.
 * @return SC_OK; SC_EINVAL (m, a value that is not finite); SC_ENOMEM.
 */
sc_status sc_hypervolume(double *out, const double *values, size_t n, size_t m,
                         const double *ref) SC_MUST_USE;
#endif
