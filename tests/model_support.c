#include "model_support.h"

#include <stdio.h>
#include <string.h>

static sc_tensor tensor(const char *name, sc_role role)
{
    sc_tensor t = {.role = role, .bits = 16};
    (void)snprintf(t.name, sizeof t.name, "%s", name);
    return t;
}

static void add_rank(sc_tensor *t, int n, const int *dims)
{
    sc_rank *r = &t->rank[t->n_ranks++];
    r->n_terms = (uint8_t)n;
    for (int i = 0; i < n; i++) {
        r->dim[i] = (uint8_t)dims[i];
        r->coef[i] = 1;
    }
}

static void add_dim(sc_einsum *e, const char *name, uint64_t bound)
{
    (void)snprintf(e->dim_name[e->n_dims], SC_NAME_LEN, "%s", name);
    e->bound[e->n_dims++] = bound;
}

sc_einsum gemm_einsum(uint64_t m, uint64_t n, uint64_t k)
{
    sc_einsum e = {.name = "gemm", .n_tensors = 3, .output = 2};
    add_dim(&e, "M", m);
    add_dim(&e, "N", n);
    add_dim(&e, "K", k);
    e.tensor[0] = tensor("in", SC_ROLE_INPUT);
    e.tensor[1] = tensor("weight", SC_ROLE_WEIGHT);
    e.tensor[2] = tensor("out", SC_ROLE_OUTPUT);
    add_rank(&e.tensor[0], 1, (int[]){0});
    add_rank(&e.tensor[0], 1, (int[]){2});
    add_rank(&e.tensor[1], 1, (int[]){2});
    add_rank(&e.tensor[1], 1, (int[]){1});
    add_rank(&e.tensor[2], 1, (int[]){0});
    add_rank(&e.tensor[2], 1, (int[]){1});
    return e;
}

sc_einsum depthwise_einsum(uint64_t g, uint64_t p, uint64_t q, uint64_t r, uint64_t s)
{
    sc_einsum e = {.name = "depthwise", .n_tensors = 3, .output = 2};
    add_dim(&e, "G", g);
    add_dim(&e, "P", p);
    add_dim(&e, "Q", q);
    add_dim(&e, "R", r);
    add_dim(&e, "S", s);
    e.tensor[0] = tensor("in", SC_ROLE_INPUT);
    e.tensor[1] = tensor("weight", SC_ROLE_WEIGHT);
    e.tensor[2] = tensor("out", SC_ROLE_OUTPUT);
    add_rank(&e.tensor[0], 1, (int[]){0});
    add_rank(&e.tensor[0], 2, (int[]){1, 3});
    add_rank(&e.tensor[0], 2, (int[]){2, 4});
    add_rank(&e.tensor[1], 1, (int[]){0});
    add_rank(&e.tensor[1], 1, (int[]){3});
    add_rank(&e.tensor[1], 1, (int[]){4});
    add_rank(&e.tensor[2], 1, (int[]){0});
    add_rank(&e.tensor[2], 1, (int[]){1});
    add_rank(&e.tensor[2], 1, (int[]){2});
    return e;
}

enum { ALL_ROLES = 7 };

static sc_level level(const char *name, uint64_t instances, uint64_t fan_x, uint64_t fan_y)
{
    sc_level l = {.instances = instances,
                  .fanout_x = fan_x,
                  .fanout_y = fan_y,
                  .buffers = 1.0,
                  .block_bits = 64,
                  .cluster_size = 1,
                  .may_keep = ALL_ROLES,
                  .read_pj = 3.0,
                  .write_pj = 5.0,
                  .update_pj = 7.0};
    (void)snprintf(l.name, sizeof l.name, "%s", name);
    return l;
}

static sc_level dram(uint64_t fan_x, uint64_t fan_y)
{
    sc_level l = level("DRAM", 1, fan_x, fan_y);
    l.must_keep = ALL_ROLES;
    l.read_pj = l.write_pj = l.update_pj = 400.0;
    return l;
}

static sc_level buffer(const char *name, uint64_t instances, uint64_t fan_x, uint64_t fan_y,
                       uint64_t bytes)
{
    sc_level l = level(name, instances, fan_x, fan_y);
    l.bounded = true;
    l.capacity[0] = bytes;
    return l;
}

sc_arch array_arch(uint64_t rows, uint64_t cols, uint64_t buffer_bytes)
{
    sc_arch a = {.n_levels = 3, .clock_hz = 1e9, .native_batch = 1};
    a.level[0] = dram(1, 1);
    a.level[1] = buffer("L1", 1, cols, rows, buffer_bytes);
    a.level[2] = buffer("REG", rows * cols, 1, 1, 2);
    a.compute = (sc_compute){.name = "MAC",
                             .instances = rows * cols,
                             .mac_pj = 1.0,
                             .rows = rows,
                             .cols = cols,
                             .dataflows = ALL_ROLES};
    a.vector = (sc_vector_unit){.lanes = cols, .op_pj = 1.0, .special_pj = 4.0};
    return a;
}

sc_arch grid_arch(uint64_t x, uint64_t y, uint64_t buffer_bytes, double bw)
{
    sc_arch a = {.n_levels = 2, .clock_hz = 1e9, .native_batch = 1};
    a.level[0] = dram(x, y);
    a.level[0].shared_bw = bw;
    a.level[1] = buffer("L1", x * y, 1, 1, buffer_bytes);
    a.compute = (sc_compute){.name = "MAC", .instances = x * y, .mac_pj = 1.0};
    a.vector = (sc_vector_unit){.lanes = 8, .op_pj = 1.0, .special_pj = 4.0};
    return a;
}

sc_arch buffered_arch(double capacity, double dram_bw, double port_bw)
{
    sc_arch a = grid_arch(1, 1, 1 << 20, dram_bw);
    memmove(&a.level[2], &a.level[1], (a.n_levels - 1) * sizeof *a.level);
    a.n_levels++;
    a.level[1] = a.level[0];
    a.level[1].bounded = true;
    a.level[1].capacity[0] = (uint64_t)capacity;
    a.level[1].shared_bw = port_bw;
    a.level[0].fanout_x = a.level[0].fanout_y = 1;
    for (int l = 0; l < 2; l++) {
        a.level[l].block_bits = 8;
        a.level[l].read_pj = l == 0 ? 100.0 : 1.0;
        a.level[l].write_pj = a.level[l].update_pj = a.level[l].read_pj;
    }
    a.vector.lanes = 1000;
    return a;
}
