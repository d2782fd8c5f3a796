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
    const sc_limits *limits; /* NULL: none */
    int array_level;
    uint16_t
        asked_on_x[SC_MAX_LEVELS]; /* of the grid's factors that are asked for, those along X */
} enumeration;

/* ---- what is asked for ---- */

static uint64_t asked(const enumeration *en, int level, unsigned dim)
{
    return en->limits ? en->limits->least[level][SC_IN_SPACE][dim] : 1;
}

static bool on_y(const enumeration *en, const sc_spatial *s, int level, unsigned dim)
{
    if (level == en->array_level)
        return sc_array_place_of(en->e, s->dataflow, dim) == SC_PLACE_ROWS;
    return !(en->asked_on_x[level] >> dim & 1);
}

static int loop_of(const sc_loops *loops, unsigned dim)
{
    for (int i = 0; i < loops->n; i++)
        if (loops->dim[i] == dim)
            return i;
    return -1;
}

static void append(sc_loops *loops, unsigned dim, uint64_t factor)
{
    loops->dim[loops->n] = (uint8_t)dim;
    loops->factor[loops->n++] = factor;
}

/* Whether order and split allow one more dimension along an axis, beside those that lie there and
 * those that are asked for and still to come. */
static bool may_lie(const enumeration *en, const sc_spatial *s, int level, unsigned dim, bool y)
{
    const sc_loops *loops = &s->loops[level];
    const sc_level_limits *limits = &en->limits->c->level[level];
    sc_block b = {.keep = 0};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < loops->n; i++) {
            const bool is_y = level == en->array_level ? on_y(en, s, level, loops->dim[i])
                                                       : y && i >= s->split[level];
            if (is_y == side)
                append(&b.spatial, loops->dim[i], 2);
        }
        if (y == side)
            append(&b.spatial, dim, 2);
        for (unsigned d = 0; d < en->e->n_dims; d++)
            if (d != dim && asked(en, level, d) > 1 && loop_of(loops, d) < 0 &&
                on_y(en, s, level, d) == side)
                append(&b.spatial, d, 2);
        if (side == 0)
            b.split = b.spatial.n;
    }
    for (int i = 0; level == en->array_level && i < b.spatial.n; i++)
        if (sc_array_place_of(en->e, s->dataflow, b.spatial.dim[i]) == SC_PLACE_DIAGONAL)
            b.diagonal |= (uint8_t)(1u << i);
    sc_limits_sort_sides(&b, limits);
    return sc_map_constraints_places(limits, &b, en->e);
}

/* Lanes that a dimension may still take along an axis; `has` of them it was asked to take. */
static uint64_t lanes_left(const enumeration *en, const sc_spatial *s, int level, unsigned dim,
                           bool y, uint64_t has, uint64_t room)
{
    const uint64_t most = en->limits->most[level][SC_IN_SPACE][dim] / has;
    if (has == 1 && !may_lie(en, s, level, dim, y))
        return 0;
    return room < most ? room : most;
}

/* Lay as much of a dimension as fits into room, evenly. */
static void lay(const enumeration *en, sc_spatial *s, int level, unsigned dim, bool y,
                uint64_t *room)
{
    sc_loops *loops = &s->loops[level];
    uint64_t lanes = *room;
    if (*room < 2 || s->steps[dim] < 2)
        return;
    const int at = loop_of(loops, dim);
    const uint64_t has = asked(en, level, dim);
    if (at < 0 ? has > 1
               : has == 1 || loops->factor[at] != has ||
                     (level != en->array_level && y && at < s->split[level]))
        return; /* a block names a dimension once, where it was asked for or was laid first */
    if (en->limits)
        lanes = lanes_left(en, s, level, dim, y, has, *room);
    if (lanes < 2)
        return;
    const uint64_t factor = sc_factor_even(s->steps[dim], lanes, s->divisors);
    if (factor == 1)
        return;
    if (at >= 0)
        loops->factor[at] *= factor;
    else
        append(loops, dim, factor);
    s->steps[dim] = sc_factor_rounds(s->steps[dim], factor);
    *room /= factor;
}

/* Lay the factors that are asked for. @param place  of an array; SC_PLACE_NONE: of a grid. */
static void lay_asked(const enumeration *en, sc_spatial *s, int level, bool y, sc_array_place place,
                      uint64_t *room)
{
    for (unsigned d = 0; en->limits && d < en->e->n_dims; d++) {
        const uint64_t factor = asked(en, level, d);
        const bool here = level == en->array_level
                              ? sc_array_place_of(en->e, s->dataflow, d) == place
                              : on_y(en, s, level, d) == y;
        if (factor == 1 || !here)
            continue;
        if (factor > *room) {
            s->broken = true;
            return;
        }
        append(&s->loops[level], d, factor);
        *room /= factor;
    }
}

static void lay_place(const enumeration *en, sc_spatial *s, int level, sc_array_place place,
                      int lead, uint64_t room)
{
    const bool y = place == SC_PLACE_ROWS;
    lay_asked(en, s, level, y, place, &room);
    if (lead >= 0)
        lay(en, s, level, (unsigned)lead, y, &room);
    for (unsigned d = 0; d < en->e->n_dims; d++)
        if (sc_array_place_of(en->e, s->dataflow, d) == place)
            lay(en, s, level, d, y, &room);
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
static void lay_array(const enumeration *en, sc_spatial *s, int level, uint64_t cols, uint64_t rows,
                      const int lead[2], int diagonal_first)
{
    const sc_einsum *e = en->e;
    sc_loops *loops = &s->loops[level];
    sc_loops rows_only = {0};
    uint64_t groups = 1;

    if (diagonal_first) {
        lay_place(en, s, level, SC_PLACE_DIAGONAL, -1, cols < rows ? cols : rows);
        groups = laid(loops, 0, loops->n);
    }
    const int first_column = loops->n;
    lay_place(en, s, level, SC_PLACE_COLUMNS, lead[0], cols / groups);
    const int first_row = loops->n;
    lay_place(en, s, level, SC_PLACE_ROWS, lead[1], rows / groups);
    if (!diagonal_first) {
        const uint64_t free_cols = cols / laid(loops, first_column, first_row);
        const uint64_t free_rows = rows / laid(loops, first_row, loops->n);
        /* the diagonal must stand before the split: set the rows aside, then put them back */
        for (int i = first_row; i < loops->n; i++) {
            rows_only.dim[rows_only.n] = loops->dim[i];
            rows_only.factor[rows_only.n++] = loops->factor[i];
        }
        loops->n = (uint8_t)first_row;
        lay_place(en, s, level, SC_PLACE_DIAGONAL, -1,
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

/* Put the loops of all levels into the order asked for. @return false where none will do. */
static bool obey(const enumeration *en, sc_spatial *s)
{
    for (int level = 0; level < (int)en->a->n_levels; level++) {
        const sc_level_limits *limits = &en->limits->c->level[level];
        sc_block b = {
            .spatial = s->loops[level], .split = s->split[level], .diagonal = s->diagonal[level]};
        for (unsigned d = 0; d < en->e->n_dims; d++)
            if (asked(en, level, d) > 1 && loop_of(&b.spatial, d) < 0)
                return false;
        sc_limits_sort_sides(&b, limits);
        if (!sc_map_constraints_places(limits, &b, en->e))
            return false;
        s->loops[level] = b.spatial;
        s->diagonal[level] = b.diagonal;
    }
    return !s->broken;
}

static void offer(enumeration *en, sc_spatial *s)
{
    uint64_t extent[SC_MAX_DIMS];
    double steps = 1.0, words = 0.0;

    if (en->limits && !obey(en, s))
        return;
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
static void lay_axis(const enumeration *en, sc_spatial *s, const axis *x, int lead)
{
    const sc_einsum *e = en->e;
    const sc_arch *a = en->a;
    const bool no_sums = a->level[x->level].no_reduction;
    const int wanted = sc_level_lead(&a->level[x->level], e, x->is_y ? SC_LEAD_Y : SC_LEAD_X);
    uint64_t room = x->room;
    lay_asked(en, s, x->level, x->is_y, SC_PLACE_NONE, &room);
    if (wanted >= 0)
        lay(en, s, x->level, (unsigned)wanted, x->is_y, &room);
    if (lead >= 0 && !(no_sums && !sc_einsum_relevant(e, e->output, (unsigned)lead)))
        lay(en, s, x->level, (unsigned)lead, x->is_y, &room);
    unsigned tried = 0; /* a dimension that limits keep off the axis has most steps for ever */
    for (int tries = 0; tries < e->n_dims && room > 1; tries++) {
        int most = -1;
        for (int d = 0; d < e->n_dims; d++) {
            if (!sc_einsum_relevant(e, e->output, (unsigned)d) || tried >> d & 1)
                continue; /* sums across the grid only where the lead asks for them */
            bool used = false;
            for (int i = 0; i < s->loops[x->level].n; i++)
                used |= s->loops[x->level].dim[i] == d;
            if (!used && s->steps[d] > 1 && (most < 0 || s->steps[d] > s->steps[most]))
                most = d;
        }
        if (most < 0)
            break;
        lay(en, s, x->level, (unsigned)most, x->is_y, &room);
        tried |= 1u << most;
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
            lay_axis(en, &s, &en->axes[i], lead[i]);
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

/* Every way to lay the factors that are asked for along X and Y of the levels from this one on,
 * the array's aside. */
static void over_sides(enumeration *en, const sc_spatial *array, int level)
{
    const sc_level *l = &en->a->level[level];
    unsigned wanted = 0;
    if (level == (int)en->a->n_levels || !en->limits) {
        over_grid(en, array);
        return;
    }
    for (unsigned d = 0; level != en->array_level && d < en->e->n_dims; d++)
        wanted |= asked(en, level, d) > 1 ? 1u << d : 0;
    for (unsigned x = wanted;; x = (x - 1) & wanted) {
        double side[2] = {1.0, 1.0};
        for (unsigned d = 0; d < en->e->n_dims; d++)
            if (wanted >> d & 1)
                side[!(x >> d & 1)] *= (double)asked(en, level, d);
        en->asked_on_x[level] = (uint16_t)x;
        if (side[0] <= (double)l->fanout_x && side[1] <= (double)l->fanout_y)
            over_sides(en, array, level + 1);
        if (x == 0)
            return;
    }
}

/* The smallest tile at the innermost buffer is what the array works on at once. */
static sc_misfit smallest_fit(const enumeration *en, const sc_spatial *s)
{
    uint64_t extent[SC_MAX_DIMS];
    const int buffer = sc_inner_buffer(en->a);
    uint8_t keep = sc_keepable(&en->a->level[buffer], en->e);
    spatial_extent(extent, en->e, s, buffer);
    if (en->limits) {
        keep = sc_limits_keepable(en->limits, buffer, keep);
        for (unsigned d = 0; d < en->e->n_dims; d++)
            for (int level = buffer; level < (int)en->a->n_levels; level++)
                extent[d] *= en->limits->least[level][SC_IN_TIME][d];
    }
    return sc_footprint_fit(en->a, buffer, en->e, keep, extent);
}

static sc_spatial fresh(const enumeration *en, sc_dataflow f)
{
    sc_spatial s = {.dataflow = f, .divisors = en->divisors};
    memcpy(s.steps, en->e->bound, sizeof s.steps);
    for (unsigned d = 0; en->limits && d < en->e->n_dims; d++)
        s.steps[d] = sc_limits_left(en->limits, en->e, d);
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
            lay_array(en, &s, level, c, r, lead, diagonal_first);
            if (s.broken)
                continue;
            const sc_misfit misfit = smallest_fit(en, &s);
            if (misfit.code != SC_FITS) {
                en->misfit = misfit;
                continue;
            }
            over_sides(en, &s, 0);
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

/* Whether limits let the registers keep the tensor alone, and the array take what is asked of it.
 */
static bool may_stay(const enumeration *en, sc_dataflow f, int level, int stationary)
{
    const sc_level_limits *registers = &en->limits->c->level[level + 1];
    for (unsigned d = 0; d < en->e->n_dims; d++)
        if (asked(en, level, d) > 1 && sc_array_place_of(en->e, f, d) == SC_PLACE_NONE)
            return false;
    return !(registers->must_bypass >> stationary & 1) &&
           !(registers->must_keep & ~(1u << stationary));
}

static void with_dataflow(enumeration *en, sc_dataflow f, int level)
{
    int cols[MAX_ARRAY_LEADS], rows[MAX_ARRAY_LEADS];
    const int stationary = sc_array_stationary(en->e, f);
    if (stationary < 0 || (en->limits && !may_stay(en, f, level, stationary)))
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

bool sc_spatial_same(const sc_spatial *x, const sc_spatial *y, const sc_einsum *e)
{
    if (x->dataflow != y->dataflow || memcmp(x->steps, y->steps, e->n_dims * sizeof *x->steps) != 0)
        return false;
    for (int level = 0; level < SC_MAX_LEVELS; level++) {
        const sc_loops *a = &x->loops[level], *b = &y->loops[level];
        if (a->n != b->n || x->split[level] != y->split[level] ||
            x->diagonal[level] != y->diagonal[level] || memcmp(a->dim, b->dim, a->n) != 0 ||
            memcmp(a->factor, b->factor, a->n * sizeof *a->factor) != 0)
            return false;
    }
    return true;
}

int sc_spatial_choices(sc_spatial out[SC_MAX_SPATIAL], sc_misfit *misfit, const sc_einsum *e,
                       const sc_arch *a, double floor_cycles, bool divisors,
                       const sc_limits *limits)
{
    const int array_level = sc_array_level(a);
    enumeration en = {.e = e,
                      .a = a,
                      .floor_cycles = floor_cycles,
                      .divisors = divisors,
                      .room = SC_MAX_SPATIAL,
                      .limits = limits,
                      .array_level = array_level};
    int n = 0;
    find_axes(&en, array_level);
    en.best = out;
    if (array_level < 0) {
        const sc_spatial s = fresh(&en, SC_DATAFLOWS);
        over_sides(&en, &s, 0);
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
