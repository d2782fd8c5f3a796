/* One file of the reference tool with a problem and an architecture: a mapping that is found, and
 * one that merely fits, are well formed, fit and obey; if nothing fits, limits are named. Problems
 * of many tiles are passed over, and a budget ends the search. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/count/reference_case.h"
#include "model/mapper/exact_fit.h"

enum { MOST_TILES = 2000, NODES = 2000 };

static void require(int condition)
{
    if (!condition)
        abort();
}

static int is_small(const sc_reference_case *c)
{
    double tiles = c->arch.n_levels;
    for (unsigned d = 0; d < c->problem.n_dims; d++) {
        unsigned divisors = 0;
        if (c->problem.bound[d] > 1 << 16)
            return 0;
        for (uint64_t k = 1; k <= c->problem.bound[d]; k++)
            divisors += c->problem.bound[d] % k == 0;
        tiles *= divisors;
    }
    return tiles <= MOST_TILES;
}

static void check(const sc_mapping *m, const sc_reference_case *c)
{
    require(sc_mapping_check(m, &c->problem, &c->arch) == SC_OK);
    require(sc_mapping_fit(m, &c->problem, &c->arch).code == SC_FITS);
    require(sc_map_constraints_check(&c->constraints, m, &c->problem).code == SC_OBEYS);
}

static void find(sc_reference_case *c)
{
    sc_exact_options o = SC_EXACT_OPTIONS_INIT;
    sc_blocker blocker[SC_MAX_BLOCKERS];
    unsigned n;
    sc_fit fit;
    sc_exact best;
    o.node_budget = NODES;
    o.constraints = &c->constraints;
    sc_reference_case_rules(c, &o.count);
    if (sc_fit_any(&fit, &c->problem, &c->arch, o.constraints) != SC_OK ||
        sc_exact_map(&best, &c->problem, &c->arch, &o) != SC_OK ||
        sc_exact_blockers(blocker, &n, &c->problem, &c->arch, o.constraints) != SC_OK)
        return;
    if (fit.fits)
        check(&fit.mapping, c);
    if (best.found) {
        check(&best.mapping, c);
        require(best.bound <= best.value * (1 + 1e-9));
        require(fit.fits || !fit.decided);
    }
    require((n > 0) == (fit.decided && !fit.fits));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_reference_case *c = malloc(sizeof *c);
    char *text = malloc(size + 1);
    if (c && text) {
        if (size > 0)
            memcpy(text, data, size);
        text[size] = '\0';
        if (sc_reference_case_read_text(c, "fuzz", text, size) == SC_OK && is_small(c))
            find(c);
    }
    free(text);
    free(c);
    return 0;
}
