#include "model/mapper/array.h"

#include <string.h>

int sc_array_level(const sc_arch *a)
{
    return a->compute.rows > 0 && a->n_levels >= 2 ? (int)a->n_levels - 2 : -1;
}

int sc_inner_buffer(const sc_arch *a)
{
    int level = sc_array_level(a) >= 0 ? (int)a->n_levels - 2 : (int)a->n_levels - 1;
    while (level > 0 && a->level[level].bounded && a->level[level].may_keep == 0)
        level--; /* structural levels hold nothing */
    return level;
}

int sc_level_lead(const sc_level *l, const sc_einsum *e, int place)
{
    for (int d = 0; l->lead[place][0] && d < e->n_dims; d++)
        if (strcmp(e->dim_name[d], l->lead[place]) == 0)
            return d;
    return -1;
}

static int tensor_of_role(const sc_einsum *e, sc_role role)
{
    for (int t = 0; t < e->n_tensors; t++)
        if (e->tensor[t].role == role)
            return t;
    return -1;
}

int sc_array_stationary(const sc_einsum *e, sc_dataflow f)
{
    switch (f) {
    case SC_OS: return e->output;
    case SC_WS: return tensor_of_role(e, SC_ROLE_WEIGHT);
    case SC_IS: return tensor_of_role(e, SC_ROLE_INPUT);
    case SC_DATAFLOWS: break;
    }
    return -1;
}

/* Rows carry the operand that streams in and is shared by all columns; columns carry the one that
 * is distinct per column. WS and IS add up along a column, so rows take reductions. */
sc_array_place sc_array_place_of(const sc_einsum *e, sc_dataflow f, unsigned dim)
{
    const int in = tensor_of_role(e, SC_ROLE_INPUT), w = tensor_of_role(e, SC_ROLE_WEIGHT);
    const int moves_in = in >= 0 && sc_einsum_relevant(e, (unsigned)in, dim);
    const int moves_w = w >= 0 && sc_einsum_relevant(e, (unsigned)w, dim);
    const int moves_out = sc_einsum_relevant(e, e->output, dim);

    if (moves_in && moves_w && moves_out)
        return SC_PLACE_DIAGONAL;
    switch (f) {
    case SC_OS:
        if (moves_out && moves_in)
            return SC_PLACE_ROWS;
        return moves_out && moves_w ? SC_PLACE_COLUMNS : SC_PLACE_NONE;
    case SC_WS:
        if (moves_in && moves_w)
            return SC_PLACE_ROWS;
        return moves_out && moves_w ? SC_PLACE_COLUMNS : SC_PLACE_NONE;
    case SC_IS:
        if (moves_in && moves_w)
            return SC_PLACE_ROWS;
        return moves_out && moves_in ? SC_PLACE_COLUMNS : SC_PLACE_NONE;
    case SC_DATAFLOWS: break;
    }
    return SC_PLACE_NONE;
}

sc_dataflow sc_array_dataflow(const sc_einsum *e, const sc_arch *a, const sc_mapping *m)
{
    if (sc_array_level(a) < 0)
        return SC_DATAFLOWS;
    const uint8_t kept = m->level[a->n_levels - 1].keep;
    for (int f = 0; f < SC_DATAFLOWS; f++) {
        const int t = sc_array_stationary(e, (sc_dataflow)f);
        if (t >= 0 && kept == 1u << t)
            return (sc_dataflow)f;
    }
    return SC_DATAFLOWS;
}

/* Steps of each dimension in a pass; T is their product. Loops are walked inner to outer until the
 * first that moves the stationary tensor. */
static uint64_t pass_length(uint64_t inside[SC_MAX_DIMS], const sc_einsum *e, const sc_mapping *m,
                            int stationary)
{
    uint64_t length = 1;
    for (int d = 0; d < e->n_dims; d++)
        inside[d] = 1;
    for (int level = m->n_levels - 1; level >= 0; level--) {
        const sc_loops *loops = &m->level[level].temporal;
        for (int i = 0; i < loops->n; i++) {
            if (loops->factor[i] == 1)
                continue;
            if (sc_einsum_relevant(e, (unsigned)stationary, loops->dim[i]))
                return length;
            length *= loops->factor[i];
            inside[loops->dim[i]] *= loops->factor[i];
        }
    }
    return length;
}

/* Passes of an op, by dimension: all but the last are `full` steps long. */
typedef struct pass_set {
    int n_dims;
    double number[SC_MAX_DIMS], full[SC_MAX_DIMS], last[SC_MAX_DIMS];
} pass_set;

/* Sum over all passes of their lengths, each `least` cycles at least, from dimension d on. */
static double sum_of_passes(const pass_set *p, int d, double length, double least)
{
    if (d == p->n_dims)
        return length > least ? length : least;
    double sum = sum_of_passes(p, d + 1, length * p->last[d], least);
    if (p->number[d] > 1.0)
        sum += (p->number[d] - 1.0) * sum_of_passes(p, d + 1, length * p->full[d], least);
    return sum;
}

static bool is_ragged(const sc_einsum *e, const sc_mapping *m)
{
    for (int d = 0; d < e->n_dims; d++)
        if (sc_mapping_dim(m, (unsigned)d, e->bound[d]).product != e->bound[d])
            return true;
    return false;
}

static double clipped_cycles(const sc_einsum *e, const sc_mapping *m,
                             const uint64_t inside[SC_MAX_DIMS], double ramp, double least)
{
    pass_set p = {.n_dims = e->n_dims};
    double number = 1.0, last = 1.0;
    for (int d = 0; d < e->n_dims; d++) {
        const uint64_t steps = sc_mapping_dim(m, (unsigned)d, e->bound[d]).steps;
        const uint64_t before = (steps - 1) / inside[d];
        p.number[d] = (double)before + 1.0;
        p.full[d] = (double)inside[d];
        p.last[d] = (double)(steps - before * inside[d]);
        number *= p.number[d];
        last *= p.last[d];
    }
    const double sum = sum_of_passes(&p, 0, 1.0, least);
    if (least <= 0.0)
        return sum + number * ramp;
    return sum - (last > least ? last : least) + last + ramp;
}

double sc_array_cycles(const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                       uint64_t compute_cycles, bool clip)
{
    uint64_t inside[SC_MAX_DIMS];
    const sc_dataflow f = sc_array_dataflow(e, a, m);
    if (f == SC_DATAFLOWS)
        return (double)compute_cycles;
    const double rows = (double)a->compute.rows, cols = (double)a->compute.cols;
    const double length = (double)pass_length(inside, e, m, sc_array_stationary(e, f));
    const double passes = (double)compute_cycles / length;
    const double ramp = (f == SC_OS ? rows : 2.0 * rows) + cols - 2.0;
    if (clip && is_ragged(e, m))
        return clipped_cycles(e, m, inside, ramp, a->compute.double_buffered ? rows : 0.0);
    if (!a->compute.double_buffered)
        return passes * (length + ramp);
    return (passes - 1.0) * (length > rows ? length : rows) + length + ramp;
}

double sc_array_ramped(const sc_arch *a, sc_dataflow f, double steps, double pass)
{
    const double rows = (double)a->compute.rows, cols = (double)a->compute.cols;
    if (f == SC_DATAFLOWS)
        return steps;
    const double ramp = (f == SC_OS ? rows : 2 * rows) + cols - 2;
    pass = pass < steps ? pass : steps;
    if (!a->compute.double_buffered)
        return steps + steps / pass * ramp;
    return pass >= rows ? steps + ramp : (steps / pass - 1) * rows + pass + ramp;
}
