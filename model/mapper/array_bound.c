#include <string.h>

#include "model/mapper/array_search.h"
#include "model/mapper/footprint.h"

/* Of the i-th level outside, on the whole chip. */
static double instances_of(const sc_array_space *s, unsigned i)
{
    double instances = 1;
    for (unsigned j = s->scope[i]; j < s->n_grids; j++)
        instances *= (double)s->grid[j].children;
    return instances;
}

/* Traffic of one way to keep tensors, linear in the words that come in and in what is `needed`: the
 * words that MACs need, times it. A level's instances share those at best. */
static sc_traffic traffic_of(const sc_array_search *q, const sc_keeping *k, const sc_scoped *words,
                             double output, double needed)
{
    const sc_array_space *s = &q->space;
    sc_traffic f = {{0}, {0}};
    const unsigned last = s->n_outer - 1;
    for (unsigned t = 0; t < s->n_tensors; t++) {
        const bool is_output = t == s->e->output;
        bool inside = false; /* a level further in keeps it */
        for (unsigned i = 0; i < last; i++) {
            const double unit = s->units[s->outer[i]][t];
            const double least = s->compulsory[t] * needed / instances_of(s, i);
            const double moved = inside ? least : words->of[s->scope[i]][t];
            if (!(k->at[t] >> i & 1))
                continue;
            const bool counted = !(is_output && s->gaps); /* else what is read may all be first */
            f.read[i] += (counted ? moved : sc_larger(0, moved - output)) * unit;
            f.write[i] += (is_output ? moved : least) * unit;
            inside = true;
        }
        const double unit = s->units[0][t];
        const double moved = inside ? s->compulsory[t] * needed : words->of[s->n_grids][t];
        if (is_output) {
            f.write[last] += moved * unit;
            f.read[last] += sc_larger(0, moved - output) * unit;
        } else {
            f.read[last] += moved * unit;
        }
    }
    return f;
}

double sc_array_memory_of(const sc_array_search *q, const sc_keeping *k, double mac_cycles,
                          const sc_scoped *words, double output)
{
    const sc_traffic f = traffic_of(q, k, words, output, 1);
    return sc_array_time(&q->space, mac_cycles, &f);
}

double sc_array_memory(const sc_array_search *q, double mac_cycles, const sc_scoped *words,
                       double output)
{
    double best = HUGE_VAL;
    for (unsigned i = 0; i < q->n_keepings; i++)
        best = sc_smaller(best, sc_array_memory_of(q, &q->keeping[i], mac_cycles, words, output));
    return best;
}

/* Units through one bandwidth of a level: shared, read, write. */
static double units_of(const sc_traffic *f, unsigned level, unsigned bandwidth)
{
    return (bandwidth != 2 ? f->read[level] : 0) + (bandwidth != 1 ? f->write[level] : 0);
}

static void list_level(sc_keeping_forms *out, const sc_array_search *q, const sc_keeping *k,
                       unsigned i)
{
    const sc_array_space *s = &q->space;
    const sc_level *v = &s->a->level[s->outer[i]];
    const double rate[] = {v->shared_bw, v->read_bw, v->write_bw};
    const sc_scoped none = {{{0}}};
    out->n[i] = 0;
    for (unsigned b = 0; b < SC_BANDWIDTHS; b++) {
        if (rate[b] <= 0)
            continue;
        sc_traffic_form *form = &out->form[i][out->n[i]++];
        sc_traffic f = traffic_of(q, k, &none, HUGE_VAL, 1);
        const double slack = 1 - 1e-12; /* sums in another order than the engine's */
        form->fixed = units_of(&f, i, b) / rate[b] * slack;
        for (unsigned t = 0; t < s->n_tensors; t++) {
            sc_scoped one = none;
            one.of[s->scope[i]][t] = 1;
            f = traffic_of(q, k, &one, HUGE_VAL, 0);
            form->each[t] = units_of(&f, i, b) / rate[b] * slack;
        }
    }
}

void sc_array_list_forms(sc_array_search *q)
{
    memset(q->forms, 0, sizeof q->forms[0] * q->n_keepings);
    for (unsigned k = 0; k < q->n_keepings; k++)
        for (unsigned i = 0; i < q->space.n_outer; i++)
            list_level(&q->forms[k], q, &q->keeping[k], i);
}

double sc_array_memory_any(const sc_array_search *q, double mac_cycles, const sc_scoped *words)
{
    const sc_array_space *s = &q->space;
    const double slack = 1 - 1e-12; /* as in the forms */
    const double least = mac_cycles * slack;
    double best = HUGE_VAL;
    for (unsigned k = 0; k < q->n_keepings && best > least; k++) { /* none takes less than MACs */
        double longest = least, serial = 0;
        for (unsigned i = 0; i < s->n_outer; i++) {
            const double *moved = words->of[s->scope[i]];
            double most = 0;
            for (unsigned b = 0; b < q->forms[k].n[i]; b++) {
                const sc_traffic_form *f = &q->forms[k].form[i][b];
                double cycles = f->fixed;
                for (unsigned t = 0; t < SC_MAX_TENSORS; t++)
                    cycles += f->each[t] * moved[t];
                most = sc_larger(most, cycles);
            }
            if (s->a->level[s->outer[i]].no_overlap)
                serial += ceil(most);
            else
                longest = sc_larger(longest, most);
        }
        best = sc_smaller(best, serial > 0 ? ceil(longest) + serial : longest);
    }
    return ceil(best); /* once: rounding up keeps the order */
}

double sc_array_busy_at(const sc_array_search *q, const double at[SC_PLACE_DIAGONAL + 1])
{
    const double rows = (double)q->rows, cols = (double)q->cols;
    double most = sc_smaller(rows, at[SC_PLACE_ROWS]) * sc_smaller(cols, at[SC_PLACE_COLUMNS]);
    const double groups = sc_smaller(at[SC_PLACE_DIAGONAL], sc_smaller(rows, cols));
    for (unsigned g = 2; g <= groups; g++) {
        const double along = sc_smaller(q->rows_of[g], at[SC_PLACE_ROWS]);
        const double across = sc_smaller(q->cols_of[g], at[SC_PLACE_COLUMNS]);
        most = sc_larger(most, g * along * across);
    }
    return most;
}

double sc_array_busy(const sc_array_search *q, sc_dataflow f, const sc_extents *extent)
{
    double at[SC_PLACE_DIAGONAL + 1] = {1, 1, 1, 1};
    for (unsigned i = 0; i < q->n_order; i++)
        at[q->place[f][q->order[i]]] *= (double)extent->of[q->order[i]];
    return sc_array_busy_at(q, at);
}

double sc_array_sharing(const sc_array_search *q, sc_dataflow f, unsigned tensor,
                        const sc_extents *extent)
{
    double rows = 1, cols = 1;
    for (unsigned i = 0; i < q->n_order; i++) {
        const unsigned d = q->order[i];
        if (!(q->shared[tensor] >> d & 1))
            continue;
        if (q->place[f][d] == SC_PLACE_ROWS)
            rows *= (double)extent->of[d];
        if (q->place[f][d] == SC_PLACE_COLUMNS)
            cols *= (double)extent->of[d];
    }
    return sc_smaller(rows, (double)q->rows) * sc_smaller(cols, (double)q->cols) *
           sc_array_sharers(&q->space, tensor, &q->space.arrays);
}

bool sc_array_could_fit(const sc_array_search *q, unsigned set, const double *over)
{
    for (unsigned part = set; part > 0; part = (part - 1) & set) {
        double excess = 0;
        for (unsigned t = 0; t < q->space.n_tensors; t++)
            excess += part >> t & 1 ? over[t] : 0;
        if (excess > q->divided[part] + 1e-9)
            return false;
    }
    return true;
}

uint32_t sc_array_could_hold(const sc_array_search *q, const double *words, double children)
{
    const sc_array_space *s = &q->space;
    const sc_level *inner = &s->a->level[s->inner];
    double need[SC_MAX_TENSORS];
    uint32_t hold = 0;
    for (unsigned t = 0; t < s->n_tensors; t++)
        need[t] =
            sc_footprint_units(inner, &s->e->tensor[t], ceil(words[t] / children * (1 - 1e-12)));
    for (unsigned set = 0; set < 1u << s->n_tensors; set++) {
        double shared = 0;
        bool fits = true;
        for (unsigned t = 0; t < s->n_tensors; t++) {
            fits &= !(set >> t & 1) || !inner->partitioned || need[t] <= q->room[t];
            shared += set >> t & 1 ? need[t] : 0;
        }
        fits &= inner->partitioned || shared <= q->room[0];
        hold |= (uint32_t)(fits || !inner->bounded) << set;
    }
    return hold;
}

double sc_array_macs(const sc_array_search *q, sc_dataflow f, const sc_extents *extent,
                     const sc_extents *steps, double n_steps, double inside, bool ends)
{
    double pass = 1;
    for (unsigned i = 0; i < q->n_order; i++) {
        const unsigned d = q->order[i];
        if (!(q->ends_pass[f] >> d & 1))
            pass *= (double)(extent->of[d] * (ends ? 1 : steps->of[d]));
    }
    const double lanes = sc_smaller(
        sc_array_busy(q, f, extent) * q->children * (double)q->space.arrays.children, inside);
    const double all = n_steps * ceil(inside / lanes * (1 - 1e-12));
    return sc_array_ramped(q->space.a, f, all, pass);
}
