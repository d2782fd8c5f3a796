#include <math.h>
#include <string.h>

#include "core/order.h"
#include "model/mapper/array_flat.h"
#include "model/mapper/factor.h"

/* ---- classes ---- */

/* Is a rank no more than one dimension, step by step? Those of one iteration do not count. */
static bool is_flat_rank(const sc_rank *r, const sc_einsum *e)
{
    unsigned n = 0;
    for (unsigned k = 0; k < r->n_terms; k++) {
        if (e->bound[r->dim[k]] == 1)
            continue;
        if (n++ > 0 || r->coef[k] != 1)
            return false;
    }
    return true;
}

static bool is_flat(const sc_array_space *s)
{
    if (s->gaps || s->plain || s->n_grids > 1 || s->arrays.children > 1 || s->n_tensors > 3)
        return false;
    for (unsigned t = 0; t < s->n_tensors; t++)
        for (unsigned r = 0; r < s->e->tensor[t].n_ranks; r++)
            if (!is_flat_rank(&s->e->tensor[t].rank[r], s->e))
                return false;
    return true;
}

/* Tensors that a dimension moves: bit 1 << tensor. */
static unsigned moved_by(const sc_array_space *s, unsigned d)
{
    unsigned moved = 0;
    for (unsigned t = 0; t < s->n_tensors; t++)
        moved |= (unsigned)(s->moves[t] >> d & 1) << t;
    return moved;
}

void sc_flat_init(sc_flat *f, const sc_array_space *s, const unsigned *dim, unsigned n)
{
    f->space = s;
    f->n_classes = f->n_lanes = f->n_vectors = 0;
    f->is = is_flat(s);
    memset(f->n_lists, 0, sizeof f->n_lists);
    sc_flat_forget_splits(f, false);
    for (unsigned i = 0; f->is && i < n; i++) {
        unsigned c = 0;
        while (c < f->n_classes && moved_by(s, f->dim[c][0]) != moved_by(s, dim[i]))
            c++;
        f->is = moved_by(s, dim[i]) != 0 && (c == f->n_classes || f->n_dims[c] < SC_FLAT_DIMS);
        if (!f->is)
            return;
        if (c == f->n_classes)
            f->n_dims[f->n_classes++] = 0;
        f->dim[c][f->n_dims[c]++] = dim[i];
        f->class_of[dim[i]] = c;
    }
}

/* ---- lanes ---- */

/* A list of a class's ways while it is made. */
typedef struct making {
    sc_flat *f;
    unsigned c;
    uint64_t array, x, y;           /* lanes of the place, of the axes */
    double most;                    /* steps times lanes */
    double bound[SC_FLAT_DIMS + 1]; /* product of the bounds from a dimension on */
} making;

static bool list_vectors(const making *m, const sc_flat_vector *before, unsigned i);

/* Dimension i on one axis of the grid. Dimensions of one bound may change places: the later has no
 * more steps. */
static bool list_axis(const making *m, const sc_flat_vector *before, unsigned i, bool on_y)
{
    sc_flat *f = m->f;
    const sc_array_space *s = f->space;
    const uint64_t bound = s->e->bound[f->dim[m->c][i]];
    sc_way grid[SC_MAX_LANES], array[SC_MAX_LANES];
    uint32_t most = UINT32_MAX;
    for (unsigned k = 0; k < i; k++)
        if (s->e->bound[f->dim[m->c][k]] == bound)
            most = before->steps[k];
    const uint64_t along = on_y ? m->y : m->x, taken = on_y ? before->y : before->x;
    const unsigned n = sc_array_ways(grid, bound, taken > 0 ? along / taken : 0);
    for (unsigned g = 0; g < n; g++) {
        if (on_y && grid[g].lanes == 1)
            continue; /* as on X */
        const unsigned k = sc_array_ways(array, grid[g].steps, m->array / before->all_array);
        for (unsigned a = 0; a < k; a++) {
            sc_flat_vector v = *before;
            if (array[a].steps > most)
                continue;
            v.array[i] = array[a].lanes;
            v.grid[i] = grid[g].lanes;
            v.steps[i] = array[a].steps;
            v.all_array *= v.array[i];
            v.x *= on_y ? 1 : v.grid[i];
            v.y *= on_y ? v.grid[i] : 1;
            v.on_y = (uint8_t)(v.on_y | (unsigned)on_y << i);
            v.all_steps *= (double)v.steps[i];
            if (v.all_steps * v.all_array * v.x * v.y * m->bound[i + 1] > m->most)
                continue;
            if (v.grid[i] > 1 &&
                sc_factor_rounds(bound, (uint64_t)v.array[i] * (v.grid[i] - 1u)) <= v.steps[i])
                continue; /* fewer children do */
            if (!list_vectors(m, &v, i + 1))
                return false;
        }
    }
    return true;
}

static bool list_vectors(const making *m, const sc_flat_vector *before, unsigned i)
{
    sc_flat *f = m->f;
    if (i < f->n_dims[m->c])
        return list_axis(m, before, i, false) && list_axis(m, before, i, true);
    if (f->n_vectors == SC_FLAT_VECTORS)
        return false;
    f->vector[f->n_vectors++] = *before;
    return true;
}

static int compare(double x, double y)
{
    return (x > y) - (x < y);
}

/* Alike in products next to each other, fewest steps first. */
static bool vector_before(const void *context, uint32_t a, uint32_t b)
{
    const sc_flat_vector *x = &((const sc_flat_vector *)context)[a];
    const sc_flat_vector *y = &((const sc_flat_vector *)context)[b];
    int order = compare(x->all_array, y->all_array);
    order = order ? order : compare(x->x, y->x);
    order = order ? order : compare(x->y, y->y);
    return (order ? order : compare(x->all_steps, y->all_steps)) < 0;
}

/* Does a way of the same products leave each dimension as many steps as another, or more? */
static bool stands_for(const sc_flat *f, unsigned c, const sc_flat_vector *x,
                       const sc_flat_vector *y)
{
    for (unsigned i = 0; i < f->n_dims[c]; i++)
        if (x->steps[i] > y->steps[i])
            return false;
    return true;
}

/* Sort the vectors from `first` on and make one sc_flat_lanes of those alike. */
static bool group(sc_flat *f, unsigned c, unsigned first)
{
    const unsigned n = f->n_vectors - first;
    memcpy(f->spare_vector, &f->vector[first], n * sizeof *f->vector);
    for (unsigned i = 0; i < n; i++)
        f->item[i] = i;
    sc_order_sort(f->item, f->scratch, n, vector_before, f->spare_vector);
    f->n_vectors = first;
    sc_flat_lanes *l = NULL;
    for (unsigned i = 0; i < n; i++) {
        const sc_flat_vector *v = &f->spare_vector[f->item[i]];
        if (!l || l->array != v->all_array || l->x != v->x || l->y != v->y) {
            if (f->n_lanes == SC_FLAT_LANES)
                return false;
            l = &f->lanes[f->n_lanes++];
            *l = (sc_flat_lanes){.array = v->all_array,
                                 .x = v->x,
                                 .y = v->y,
                                 .steps = v->all_steps,
                                 .first = f->n_vectors};
        }
        bool needed = true;
        for (unsigned k = 0; k < l->n && needed; k++)
            needed = !stands_for(f, c, &f->vector[l->first + k], v);
        if (!needed)
            continue;
        f->vector[f->n_vectors++] = *v;
        l->n++;
    }
    return true;
}

/* Least padding first. */
static bool lanes_before(const void *context, uint32_t a, uint32_t b)
{
    const sc_flat_lanes *x = &((const sc_flat_lanes *)context)[a];
    const sc_flat_lanes *y = &((const sc_flat_lanes *)context)[b];
    return x->steps * x->array * x->x * x->y < y->steps * y->array * y->x * y->y;
}

static void sort_lanes(sc_flat *f, unsigned first)
{
    const unsigned n = f->n_lanes - first;
    memcpy(f->spare_lanes, &f->lanes[first], n * sizeof *f->lanes);
    for (unsigned i = 0; i < n; i++)
        f->item[i] = i;
    sc_order_sort(f->item, f->scratch, n, lanes_before, f->spare_lanes);
    for (unsigned i = 0; i < n; i++)
        f->lanes[first + i] = f->spare_lanes[f->item[i]];
}

/* Lanes of the array that dimensions of a place may take. */
static uint64_t lanes_of(const sc_arch *a, sc_array_place place)
{
    const uint64_t rows = a->compute.rows, cols = a->compute.cols;
    switch (place) {
    case SC_PLACE_ROWS: return rows;
    case SC_PLACE_COLUMNS: return cols;
    case SC_PLACE_DIAGONAL: return rows < cols ? rows : cols;
    case SC_PLACE_NONE: break;
    }
    return 1;
}

const sc_flat_list *sc_flat_list_lanes(sc_flat *f, unsigned c, sc_array_place place, double padding)
{
    const sc_array_space *s = f->space;
    making m = {
        .f = f, .c = c, .array = lanes_of(s->a, place), .x = s->grid[0].x, .y = s->grid[0].y};
    const sc_flat_vector none = {.all_array = 1, .x = 1, .y = 1, .all_steps = 1};
    const unsigned first = f->n_vectors;
    unsigned i = 0;
    while (i < f->n_lists[c] && f->list[c][i].array != m.array)
        i++;
    sc_flat_list *l = &f->list[c][i];
    if (i < f->n_lists[c])
        return l;
    m.bound[f->n_dims[c]] = 1;
    for (i = f->n_dims[c]; i-- > 0;)
        m.bound[i] = m.bound[i + 1] * (double)s->e->bound[f->dim[c][i]];
    m.most = m.bound[0] * padding * (1 + 1e-9);
    l->array = m.array;
    l->first = f->n_lanes;
    if (!list_vectors(&m, &none, 0) || !group(f, c, first))
        return NULL;
    sort_lanes(f, l->first);
    l->n = f->n_lanes - l->first;
    f->n_lists[c]++;
    return l;
}

/* ---- splits ---- */

void sc_flat_forget_splits(sc_flat *f, bool all)
{
    f->all = all;
    f->n_splits = 0;
    for (unsigned i = 0; i < f->n_lanes; i++)
        f->lanes[i].n_splits = 0;
}

/* Fewest steps outside first; of as many the fewest inside. */
static bool split_before(const void *context, uint32_t a, uint32_t b)
{
    const sc_flat_split *x = &((const sc_flat_split *)context)[a];
    const sc_flat_split *y = &((const sc_flat_split *)context)[b];
    const int order = compare(x->outer, y->outer);
    return (order ? order : compare(x->inner, y->inner)) < 0;
}

/* Sort splits; those stay that none has as few steps outside and in as, unless all are wanted. One
 * without steps outside stands for itself alone. @return how many. */
static unsigned sort_splits(sc_flat *f, sc_flat_split *split, unsigned n)
{
    unsigned kept = 0;
    double least = HUGE_VAL;
    memcpy(f->spare_split, split, n * sizeof *split);
    for (unsigned i = 0; i < n; i++)
        f->item[i] = i;
    sc_order_sort(f->item, f->scratch, n, split_before, f->spare_split);
    for (unsigned i = 0; i < n; i++) {
        const sc_flat_split *s = &f->spare_split[f->item[i]];
        if (!f->all && s->inner >= least)
            continue;
        if (s->outer > 1)
            least = s->inner;
        split[kept++] = *s;
    }
    return kept;
}

/* Splits of one vector, dimension by dimension: those of the ones before times those of the next.
 * @return how many; 0: there is no room. */
static unsigned list_of(sc_flat *f, sc_flat_split *list, unsigned room, unsigned vector,
                        unsigned n_dims)
{
    unsigned had = 1;
    if (room == 0)
        return 0;
    list[0] = (sc_flat_split){1, 1, {1, 1, 1, 1}, vector};
    for (unsigned i = 0; i < n_dims; i++) {
        const uint64_t steps = f->vector[vector].steps[i];
        unsigned n = had; /* new ones stand behind the old */
        for (uint64_t outer = 1;;) {
            const uint64_t inner = sc_factor_rounds(steps, outer);
            if (n + had > room)
                return 0;
            for (unsigned k = 0; k < had; k++) {
                list[n] = list[k];
                list[n].outer *= (double)outer;
                list[n].inner *= (double)inner;
                list[n++].of[i] = (uint32_t)outer;
            }
            if (inner == 1)
                break;
            outer = sc_factor_rounds(steps, inner - 1);
        }
        memmove(list, list + had, (n - had) * sizeof *list);
        had = sort_splits(f, list, n - had);
    }
    return had;
}

static bool list_splits(sc_flat *f, sc_flat_lanes *l, unsigned n_dims)
{
    sc_flat_split *list = &f->split[f->n_splits];
    unsigned n = 0;
    if (l->n_splits > 0)
        return true;
    for (unsigned i = 0; i < l->n; i++) {
        const unsigned more =
            list_of(f, list + n, SC_FLAT_SPLITS - f->n_splits - n, l->first + i, n_dims);
        if (more == 0)
            return false;
        n += more;
    }
    l->split = f->n_splits;
    l->n_splits = sort_splits(f, list, n);
    f->n_splits += l->n_splits;
    return true;
}

bool sc_flat_list_splits(sc_flat *f, sc_flat_lanes *const *lanes, unsigned n)
{
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        unsigned c = 0;
        while (c < n && list_splits(f, lanes[c], f->n_dims[c]))
            c++;
        if (c == n)
            return true;
        sc_flat_forget_splits(f, f->all);
    }
    return false;
}
