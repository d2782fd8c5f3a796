#include "model/mapper/spatial.h"

#include <math.h>
#include <string.h>

#include "model/mapper/factor.h"
#include "model/mapper/footprint.h"

enum { MAX_AXES = 6, MAX_ARRAY_LEADS = SC_MAX_DIMS + 1 };

/* One direction of a fan-out that the grid offers. */
typedef struct axis {
    int level;
    int is_y;
    uint64_t room;
} axis;

typedef struct enumeration {
    const sc_einsum *e;
    const sc_arch *a;
    double floor_cycles;
    bool divisors;
    int n_axes;
    axis axes[MAX_AXES];
    sc_spatial *best; /* [room] of the dataflow at hand, best first */
    int n_best, room;
    sc_misfit misfit;
} enumeration;

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Lay as much of a dimension as fits into room, evenly. */
static void lay(sc_spatial *s, int level, unsigned dim, uint64_t *room)
{
    sc_loops *loops = &s->loops[level];
    if (*room < 2 || s->steps[dim] < 2 || loops->n == SC_MAX_DIMS)
        return;
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return; /* a block names a dimension once */
    const uint64_t factor = sc_factor_even(s->steps[dim], *room, s->divisors);
    if (factor == 1)
        return;
    loops->dim[loops->n] = (uint8_t)dim;
    loops->factor[loops->n++] = factor;
    s->steps[dim] = ceil_div(s->steps[dim], factor);
    *room /= factor;
}

static void lay_place(sc_spatial *s, const sc_einsum *e, int level, sc_array_place place, int lead,
                      uint64_t room)
{
    if (lead >= 0)
        lay(s, level, (unsigned)lead, &room);
    for (unsigned d = 0; d < e->n_dims; d++)
        if (sc_array_place_of(e, s->dataflow, d) == place)
            lay(s, level, d, &room);
}

static uint64_t laid(const sc_loops *loops, int from, int to)
{
    uint64_t product = 1;
    for (int i = from; i < to; i++)
        product *= loops->factor[i];
    return product;
}

/* Columns first (X), then the diagonal, then rows (Y). The diagonal takes room on both; laid first
 * it leaves the rest of each to columns and rows. */
static void lay_array(sc_spatial *s, const sc_einsum *e, int level, uint64_t cols, uint64_t rows,
                      const int lead[2], int diagonal_first)
{
    sc_loops *loops = &s->loops[level];
    sc_loops rows_only = {0};
    uint64_t groups = 1;

    if (diagonal_first) {
        lay_place(s, e, level, SC_PLACE_DIAGONAL, -1, cols < rows ? cols : rows);
        groups = laid(loops, 0, loops->n);
    }
    const int first_column = loops->n;
    lay_place(s, e, level, SC_PLACE_COLUMNS, lead[0], cols / groups);
    const int first_row = loops->n;
    lay_place(s, e, level, SC_PLACE_ROWS, lead[1], rows / groups);
    if (!diagonal_first) {
        const uint64_t free_cols = cols / laid(loops, first_column, first_row);
        const uint64_t free_rows = rows / laid(loops, first_row, loops->n);
        /* the diagonal must stand before the split: set the rows aside, then put them back */
        for (int i = first_row; i < loops->n; i++) {
            rows_only.dim[rows_only.n] = loops->dim[i];
            rows_only.factor[rows_only.n++] = loops->factor[i];
        }
        loops->n = (uint8_t)first_row;
        lay_place(s, e, level, SC_PLACE_DIAGONAL, -1,
                  free_cols < free_rows ? free_cols : free_rows);
        s->split[level] = loops->n;
        for (int i = 0; i < rows_only.n; i++) {
            loops->dim[loops->n] = rows_only.dim[i];
            loops->factor[loops->n++] = rows_only.factor[i];
        }
    } else {
        s->split[level] = (uint8_t)first_row;
    }
    for (int i = 0; i < s->split[level]; i++)
        if (sc_array_place_of(e, s->dataflow, loops->dim[i]) == SC_PLACE_DIAGONAL)
            s->diagonal[level] |= (uint8_t)(1u << i);
}

static void spatial_extent(uint64_t *extent, const sc_einsum *e, const sc_spatial *s,
                           int from_level)
{
    for (int d = 0; d < e->n_dims; d++)
        extent[d] = 1;
    for (int level = from_level; level < SC_MAX_LEVELS; level++)
        for (int i = 0; i < s->loops[level].n; i++)
            extent[s->loops[level].dim[i]] *= s->loops[level].factor[i];
}

/* Least cycles of the choice: every step of the moving loops runs in passes at least a column long.
 */
static double least_cycles(const sc_einsum *e, const sc_arch *a, const sc_spatial *s)
{
    double steps = 1.0, pass = 1.0;
    const int stationary = sc_array_stationary(e, s->dataflow);
    for (unsigned d = 0; d < e->n_dims; d++) {
        steps *= (double)s->steps[d];
        if (stationary >= 0 && !sc_einsum_relevant(e, (unsigned)stationary, d))
            pass *= (double)s->steps[d];
    }
    if (stationary < 0)
        return steps;
    const double rows = (double)a->compute.rows;
    return a->compute.double_buffered ? steps / pass * fmax(pass, rows)
                                      : steps / pass * (pass + 2.0 * rows);
}

static void offer(enumeration *en, sc_spatial *s)
{
    uint64_t extent[SC_MAX_DIMS];
    double steps = 1.0, words = 0.0;

    spatial_extent(extent, en->e, s, 0);
    for (int d = 0; d < en->e->n_dims; d++)
        steps *= (double)s->steps[d];
    for (int t = 0; t < en->e->n_tensors; t++)
        words += sc_footprint_words(&en->e->tensor[t], extent);
    s->words = words * steps;
    s->cycles = fmax(least_cycles(en->e, en->a, s), en->floor_cycles);

    int at = en->n_best;
    while (at > 0 && (s->cycles < en->best[at - 1].cycles ||
                      (s->cycles == en->best[at - 1].cycles && s->words < en->best[at - 1].words)))
        at--;
    if (at == en->room)
        return;
    if (at > 0 && s->cycles == en->best[at - 1].cycles && s->words == en->best[at - 1].words)
        return; /* the same or a mirrored choice */
    const int keep = en->n_best < en->room ? en->n_best : en->room - 1;
    memmove(&en->best[at + 1], &en->best[at], (size_t)(keep - at) * sizeof *en->best);
    en->best[at] = *s;
    en->n_best = keep + 1;
}

/* Fill one grid axis: the dimension that the design wants there, the leading one of this choice,
 * then whatever still has most steps. */
static void lay_axis(sc_spatial *s, const sc_einsum *e, const sc_arch *a, const axis *x, int lead)
{
    const bool no_sums = a->level[x->level].no_reduction;
    const int wanted = sc_level_lead(&a->level[x->level], e, x->is_y ? SC_LEAD_Y : SC_LEAD_X);
    uint64_t room = x->room;
    if (wanted >= 0)
        lay(s, x->level, (unsigned)wanted, &room);
    if (lead >= 0 && !(no_sums && !sc_einsum_relevant(e, e->output, (unsigned)lead)))
        lay(s, x->level, (unsigned)lead, &room);
    for (int tries = 0; tries < e->n_dims && room > 1; tries++) {
        int most = -1;
        for (int d = 0; d < e->n_dims; d++) {
            if (!sc_einsum_relevant(e, e->output, (unsigned)d))
                continue; /* sums across the grid only where the lead asks for them */
            bool used = false;
            for (int i = 0; i < s->loops[x->level].n; i++)
                used |= s->loops[x->level].dim[i] == d;
            if (!used && s->steps[d] > 1 && (most < 0 || s->steps[d] > s->steps[most]))
                most = d;
        }
        if (most < 0)
            break;
        lay(s, x->level, (unsigned)most, &room);
    }
    if (!x->is_y)
        s->split[x->level] = s->loops[x->level].n;
}

/* Every leading dimension on every axis, as an odometer whose digits run from -1 (none). */
static void over_grid(enumeration *en, const sc_spatial *array)
{
    int lead[MAX_AXES];
    for (int i = 0; i < MAX_AXES; i++)
        lead[i] = -1;
    for (;;) {
        sc_spatial s = *array;
        for (int i = 0; i < en->n_axes; i++)
            lay_axis(&s, en->e, en->a, &en->axes[i], lead[i]);
        offer(en, &s);
        int digit = 0;
        while (digit < en->n_axes) {
            do
                lead[digit]++;
            while (lead[digit] < en->e->n_dims && en->e->bound[lead[digit]] < 2);
            if (lead[digit] < en->e->n_dims)
                break;
            lead[digit++] = -1;
        }
        if (digit == en->n_axes)
            return;
    }
}

/* The smallest tile at the innermost buffer is what the array works on at once. */
static sc_misfit smallest_fit(const enumeration *en, const sc_spatial *s)
{
    uint64_t extent[SC_MAX_DIMS];
    const int buffer = sc_inner_buffer(en->a);
    spatial_extent(extent, en->e, s, buffer);
    return sc_footprint_fit(en->a, buffer, en->e, sc_keepable(&en->a->level[buffer], en->e),
                            extent);
}

static sc_spatial fresh(const enumeration *en, sc_dataflow f)
{
    sc_spatial s = {.dataflow = f, .divisors = en->divisors};
    memcpy(s.steps, en->e->bound, sizeof s.steps);
    return s;
}

/* Lay the array with these leads, on as much of it as the innermost buffer can feed. */
static void with_leads(enumeration *en, sc_dataflow f, int level, const int lead[2],
                       int diagonal_first)
{
    const uint64_t cols = en->a->level[level].fanout_x, rows = en->a->level[level].fanout_y;
    for (int halvings = 0; halvings < 32; halvings++) {
        int found = 0;
        for (int of_cols = 0; of_cols <= halvings; of_cols++) {
            const uint64_t c = cols >> of_cols, r = rows >> (halvings - of_cols);
            if (c == 0 || r == 0)
                continue;
            sc_spatial s = fresh(en, f);
            lay_array(&s, en->e, level, c, r, lead, diagonal_first);
            const sc_misfit misfit = smallest_fit(en, &s);
            if (misfit.code != SC_FITS) {
                en->misfit = misfit;
                continue;
            }
            over_grid(en, &s);
            found = 1;
        }
        if (found)
            return;
    }
}

static int leads_of(int lead[MAX_ARRAY_LEADS], const sc_einsum *e, sc_dataflow f,
                    sc_array_place place)
{
    int n = 0;
    for (unsigned d = 0; d < e->n_dims; d++)
        if (e->bound[d] > 1 && sc_array_place_of(e, f, d) == place)
            lead[n++] = (int)d;
    if (n == 0)
        lead[n++] = -1;
    return n;
}

static int has_diagonal(const sc_einsum *e, sc_dataflow f)
{
    for (unsigned d = 0; d < e->n_dims; d++)
        if (e->bound[d] > 1 && sc_array_place_of(e, f, d) == SC_PLACE_DIAGONAL)
            return 1;
    return 0;
}

static void with_dataflow(enumeration *en, sc_dataflow f, int level)
{
    int cols[MAX_ARRAY_LEADS], rows[MAX_ARRAY_LEADS];
    if (sc_array_stationary(en->e, f) < 0)
        return;
    const int n_cols = leads_of(cols, en->e, f, SC_PLACE_COLUMNS);
    const int n_rows = leads_of(rows, en->e, f, SC_PLACE_ROWS);
    for (int c = 0; c < n_cols; c++)
        for (int r = 0; r < n_rows; r++)
            for (int first = 0; first <= has_diagonal(en->e, f); first++) {
                const int lead[2] = {cols[c], rows[r]};
                with_leads(en, f, level, lead, first);
            }
}

static void find_axes(enumeration *en, int array_level)
{
    for (int level = 0; level < (int)en->a->n_levels; level++) {
        if (level == array_level)
            continue;
        const uint64_t room[2] = {en->a->level[level].fanout_x, en->a->level[level].fanout_y};
        for (int y = 0; y < 2; y++)
            if (room[y] > 1 && en->n_axes < MAX_AXES)
                en->axes[en->n_axes++] = (axis){level, y, room[y]};
    }
}

static bool faster(const sc_spatial *x, const sc_spatial *y)
{
    return x->cycles < y->cycles || (x->cycles == y->cycles && x->words < y->words);
}

/* By insertion: equal ones stay in the order they were found. */
static void sort_choices(sc_spatial *choice, int n)
{
    for (int i = 1; i < n; i++) {
        const sc_spatial s = choice[i];
        int at = i;
        for (; at > 0 && faster(&s, &choice[at - 1]); at--)
            choice[at] = choice[at - 1];
        choice[at] = s;
    }
}

int sc_spatial_choices(sc_spatial out[SC_MAX_SPATIAL], sc_misfit *misfit, const sc_einsum *e,
                       const sc_arch *a, double floor_cycles, bool divisors)
{
    const int array_level = sc_array_level(a);
    enumeration en = {
        .e = e, .a = a, .floor_cycles = floor_cycles, .divisors = divisors, .room = SC_MAX_SPATIAL};
    int n = 0;
    find_axes(&en, array_level);
    en.best = out;
    if (array_level < 0) {
        const sc_spatial s = fresh(&en, SC_DATAFLOWS);
        over_grid(&en, &s);
        n = en.n_best;
    } else {
        en.room = SC_SPATIAL_OF_DATAFLOW;
        for (int f = 0; f < SC_DATAFLOWS; f++) {
            if (!(a->compute.dataflows & 1u << f))
                continue;
            en.best = out + n;
            en.n_best = 0;
            with_dataflow(&en, (sc_dataflow)f, array_level);
            n += en.n_best;
        }
        sort_choices(out, n);
    }
    *misfit = en.misfit;
    return n;
}
