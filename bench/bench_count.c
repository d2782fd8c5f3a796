/* Mappings a second of the counting engine on one core, and its time against the number of PEs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_clock.h"
#include "model/count/count.h"
#include "workloads/graph.h"

enum { N_MAPPINGS = 1024 };

static const sc_op gemm = {.name = "gemm",
                           .kind = SC_OP_MATMUL,
                           .batch = 1,
                           .m = 512,
                           .n = 1024,
                           .k = 1024,
                           .count = 1,
                           .sharing = 1,
                           .groups = 1,
                           .bits = 8};
static const sc_op conv = {.name = "conv",
                           .kind = SC_OP_CONV,
                           .batch = 1,
                           .cin = 256,
                           .cout = 256,
                           .d = 1,
                           .h = 16,
                           .w = 16,
                           .od = 1,
                           .oh = 14,
                           .ow = 14,
                           .t = 1,
                           .r = 3,
                           .s = 3,
                           .stride_d = 1,
                           .stride_h = 1,
                           .stride_w = 1,
                           .dilation_d = 1,
                           .dilation_h = 1,
                           .dilation_w = 1,
                           .groups = 1,
                           .sharing = 1,
                           .bits = 8};

/* Memory, a global buffer, an x by y array of PEs with a scratchpad and registers each. */
static sc_arch make_arch(uint64_t x, uint64_t y)
{
    static const char *const name[] = {"memory", "global", "scratchpad", "registers"};
    static const uint64_t capacity[] = {0, 1 << 22, 1 << 14, 64};
    static const double pj[] = {100, 10, 1, 0.1};
    sc_arch a = {.n_levels = 4, .clock_hz = 1e9, .native_batch = 1};
    for (unsigned l = 0; l < a.n_levels; l++) {
        sc_level *v = &a.level[l];
        snprintf(v->name, sizeof v->name, "%s", name[l]);
        v->instances = l < 2 ? 1 : x * y;
        v->fanout_x = l == 1 ? x : 1;
        v->fanout_y = l == 1 ? y : 1;
        v->bounded = l > 0;
        v->capacity[0] = capacity[l];
        v->buffers = 1;
        v->block_bits = l < 2 ? 128 : 16;
        v->cluster_size = 1;
        v->read_bw = v->write_bw = l < 2 ? 64 : 0;
        v->may_keep = (1 << SC_ROLES) - 1;
        v->read_pj = v->write_pj = v->update_pj = pj[l];
    }
    a.compute.instances = x * y;
    a.compute.mac_pj = 0.2;
    return a;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void put(sc_loops *loops, unsigned d, uint64_t factor)
{
    for (unsigned i = 0; i < loops->n; i++)
        if (loops->dim[i] == d) {
            loops->factor[i] *= factor;
            return;
        }
    loops->dim[loops->n] = (uint8_t)d;
    loops->factor[loops->n++] = factor;
}

/* Every prime of every bound goes to a random block; blocks are in random order. */
static sc_mapping make_mapping(const sc_einsum *e, const sc_arch *a, uint64_t *state)
{
    sc_mapping m = {.n_levels = (uint8_t)a->n_levels};
    uint64_t room[2] = {a->level[1].fanout_x, a->level[1].fanout_y};
    unsigned order[SC_MAX_DIMS];
    for (unsigned d = 0; d < e->n_dims; d++)
        order[d] = d;
    for (unsigned d = e->n_dims; d-- > 1;) {
        const unsigned other = (unsigned)(next_random(state) % (d + 1)), held = order[d];
        order[d] = order[other];
        order[other] = held;
    }
    for (unsigned l = 0; l < a->n_levels; l++)
        m.level[l].keep = (uint8_t)(l == 0 ? 7 : next_random(state) & 7);
    for (unsigned k = 0; k < e->n_dims; k++) {
        const unsigned d = order[k];
        uint64_t rest = e->bound[d];
        for (uint64_t p = 2; rest > 1; p += rest % p != 0) {
            if (rest % p)
                continue;
            rest /= p;
            const unsigned to = (unsigned)(next_random(state) % (a->n_levels + 1));
            const bool in_space = to == a->n_levels && room[0] >= p;
            if (in_space)
                room[0] /= p;
            put(in_space ? &m.level[1].spatial : &m.level[to % a->n_levels].temporal, d, p);
        }
        if (m.level[1].spatial.n > 0 && m.level[1].split == 0 && room[0] < 4) {
            m.level[1].split = m.level[1].spatial.n;
            room[0] = room[1];
        }
    }
    return m;
}

static double per_second(const sc_einsum *e, const sc_arch *a, const sc_mapping *m,
                         const sc_count_options *o, double seconds)
{
    sc_count_plan plan;
    sc_count_plan_init(&plan, e);
    const double start = cpu_seconds();
    double sum = 0;
    uint64_t done = 0;
    while (cpu_seconds() - start < seconds) {
        for (unsigned i = 0; i < N_MAPPINGS; i++) {
            sc_counts counts;
            sc_cost cost;
            const sc_misfit fit = sc_mapping_fit(&m[i], e, a);
            if (sc_count_with(&counts, &plan, a, &m[i], o) != SC_OK)
                exit(1);
            sc_cost_of(&cost, &counts, (double)counts.compute_cycles, e, a);
            sum += cost.energy_pj + (fit.code != SC_FITS);
        }
        done += N_MAPPINGS;
    }
    if (sum < 0)
        puts("");
    return (double)done / (cpu_seconds() - start);
}

static void run(const sc_op *op, uint64_t x, uint64_t y, sc_links links, double seconds)
{
    static sc_mapping m[N_MAPPINGS];
    sc_einsum e;
    uint64_t state = 1;
    const sc_arch a = make_arch(x, y);
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    o.links = links;
    if (sc_op_einsum(&e, op) != SC_OK)
        exit(1);
    for (unsigned i = 0; i < N_MAPPINGS; i++) {
        m[i] = make_mapping(&e, &a, &state);
        if (sc_mapping_check(&m[i], &e, &a) != SC_OK) {
            puts(sc_error_message());
            exit(1);
        }
    }
    printf("%-5s %6llu PEs, links %s: %8.0f mappings/s\n", op->name, (unsigned long long)(x * y),
           links == SC_LINKS_NONE   ? "none     "
           : links == SC_LINKS_TRUE ? "true     "
                                    : "reference",
           per_second(&e, &a, m, &o, seconds));
}

/* One window mapping over the whole array, its words handed on from neighbour to neighbour: the
 * cost of one count by the number of PEs. */
static void run_window(uint64_t side)
{
    enum { COUNTS = 200000 };
    sc_op op = conv;
    sc_einsum e;
    sc_counts counts;
    sc_count_plan plan;
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    const sc_arch a = make_arch(side, side);
    sc_mapping m = {.n_levels = 4};
    op.cout = op.oh = side;
    op.h = side + 2;
    if (sc_op_einsum(&e, &op) != SC_OK)
        exit(1);
    o.links = SC_LINKS_REFERENCE;
    /* N K C P Q R S are 0 to 6 */
    m.level[1].spatial = (sc_loops){2, {3, 1}, {side, side}};
    m.level[1].split = 1;
    m.level[1].temporal = (sc_loops){4, {5, 6, 2, 4}, {3, 3, op.cin, op.ow}};
    for (unsigned l = 0; l < 4; l++)
        m.level[l].keep = 7;
    sc_count_plan_init(&plan, &e);
    const double start = cpu_seconds();
    for (unsigned i = 0; i < COUNTS; i++)
        if (sc_count_with(&counts, &plan, &a, &m, &o) != SC_OK)
            exit(1);
    printf("window over %6llu PEs, links reference: %5.0f ns a count\n",
           (unsigned long long)(side * side), (cpu_seconds() - start) / COUNTS * 1e9);
}

/* Cut every bound by as much as the mapping allows: the cost of one count with remainders, by the
 * number of PEs. */
static void run_remainders(const sc_op *op, uint64_t side)
{
    enum { ROUNDS = 20 };
    static sc_mapping m[N_MAPPINGS];
    static sc_count_plan plan[N_MAPPINGS];
    sc_einsum e;
    uint64_t state = 1, done = 0;
    sc_count_options o = SC_COUNT_OPTIONS_INIT;
    const sc_arch a = make_arch(side, side);
    if (sc_op_einsum(&e, op) != SC_OK)
        exit(1);
    for (unsigned i = 0; i < N_MAPPINGS; i++) {
        sc_einsum cut = e;
        m[i] = make_mapping(&e, &a, &state);
        for (unsigned d = 0; d < e.n_dims; d++) {
            const uint64_t outer = sc_mapping_dim(&m[i], d, e.bound[d]).outer;
            cut.bound[d] -= e.bound[d] / outer - 1;
        }
        sc_count_plan_init(&plan[i], &cut);
    }
    const double start = cpu_seconds();
    for (unsigned k = 0; k < ROUNDS; k++)
        for (unsigned i = 0; i < N_MAPPINGS; i++) {
            sc_counts counts;
            done += sc_count_with(&counts, &plan[i], &a, &m[i], &o) == SC_OK;
        }
    printf("%-5s %6llu PEs, remainders: %8.0f mappings/s, %.1f %% counted\n", op->name,
           (unsigned long long)(side * side), ROUNDS * N_MAPPINGS / (cpu_seconds() - start),
           100.0 * (double)done / (ROUNDS * N_MAPPINGS));
}

int main(void)
{
    for (unsigned k = 0; k < 2; k++) {
        const sc_op *op = k ? &conv : &gemm;
        for (int links = SC_LINKS_NONE; links <= SC_LINKS_REFERENCE; links++)
            run(op, 16, 16, (sc_links)links, 1);
        for (uint64_t side = 8; side <= 256; side *= 2)
            run(op, side, side, SC_LINKS_REFERENCE, 0.5);
    }
    for (uint64_t side = 8; side <= 256; side *= 2)
        run_window(side);
    for (unsigned k = 0; k < 2; k++)
        for (uint64_t side = 8; side <= 256; side *= 2)
            run_remainders(k ? &conv : &gemm, side);
    return 0;
}
