#include <math.h>

#include "core/units.h"
#include "model/count/view.h"

static void indent(sc_buf *b, int depth)
{
    sc_buf_printf(b, "%*s", 2 * depth + 2, "");
}

static void write_tile(sc_buf *b, const sc_mapping_view *v, int level, int tensor)
{
    sc_tile_view tile;
    char bytes[32], share[32];
    sc_tile_view_of(&tile, v, level, tensor);
    sc_quantity_format(bytes, sizeof bytes, (double)tile.bytes, SC_UNIT_BYTES);
    sc_buf_printf(b, "%s: tile %llu word%s, %s", v->einsum->tensor[tensor].name,
                  (unsigned long long)tile.words, tile.words == 1 ? "" : "s", bytes);
    if (isfinite(tile.share))
        sc_buf_printf(b, ", %s of capacity", sc_share_text(share, tile.share));
    if (sc_next_keeper(v, -1, tensor) == level)
        sc_buf_puts(b, "; held from the start");
    else
        sc_buf_printf(b, "; %s %llu time%s, %llu word%s",
                      tensor == v->einsum->output ? "handed on" : "loaded",
                      (unsigned long long)tile.loads, tile.loads == 1 ? "" : "s",
                      (unsigned long long)tile.moved, tile.moved == 1 ? "" : "s");
    sc_buf_printf(b, "; reuse %.4g\n", tile.reuse);
}

static void write_level(sc_buf *b, const sc_mapping_view *v, int level, int depth)
{
    char energy[32];
    const sc_level *l = &v->arch->level[level];
    sc_quantity_format(energy, sizeof energy, 1e-12 * sc_level_energy(v, level), SC_UNIT_JOULE);
    indent(b, depth);
    sc_buf_printf(b, "[%s] %llu of %llu used, %.0f cycles, %s\n", l->name,
                  (unsigned long long)v->counts->used_instances[level],
                  (unsigned long long)l->instances, v->cost->level_cycles[level], energy);
    for (int t = 0; t < v->einsum->n_tensors; t++)
        if (v->mapping->level[level].keep >> t & 1) {
            indent(b, depth + 1);
            write_tile(b, v, level, t);
        }
}

/* One block's loops, outermost first, each a step further in. */
static void write_loops(sc_buf *b, const sc_mapping_view *v, const sc_block *block, int *depth)
{
    for (int i = block->temporal.n; i-- > 0;)
        if (block->temporal.factor[i] > 1) {
            indent(b, (*depth)++);
            sc_buf_printf(b, "for %s in 0..%llu\n", v->einsum->dim_name[block->temporal.dim[i]],
                          (unsigned long long)block->temporal.factor[i]);
        }
    for (int i = block->spatial.n; i-- > 0;)
        if (block->spatial.factor[i] > 1) {
            indent(b, (*depth)++);
            sc_buf_printf(b, "parallel-for %s in 0..%llu on %s\n",
                          v->einsum->dim_name[block->spatial.dim[i]],
                          (unsigned long long)block->spatial.factor[i], sc_spatial_axis(block, i));
        }
}

void sc_view_loops(sc_buf *b, const sc_mapping_view *v)
{
    char energy[32];
    int depth = 0;
    for (int level = 0; level < v->mapping->n_levels; level++) {
        write_level(b, v, level, depth);
        write_loops(b, v, &v->mapping->level[level], &depth);
    }
    sc_quantity_format(energy, sizeof energy, 1e-12 * v->cost->mac_pj, SC_UNIT_JOULE);
    indent(b, depth);
    sc_buf_printf(b, "[%s] %llu of %llu used, %.0f cycles, %s: %llu multiply-accumulates\n",
                  v->arch->compute.name, (unsigned long long)v->counts->used_macs,
                  (unsigned long long)v->arch->compute.instances, v->compute_cycles, energy,
                  (unsigned long long)v->counts->macs);
    for (unsigned d = 0; d < v->einsum->n_dims; d++)
        if (sc_mapping_dim(v->mapping, d, v->einsum->bound[d]).product > v->einsum->bound[d])
            sc_buf_printf(b, "  %s ends at %llu: last iterations are smaller\n",
                          v->einsum->dim_name[d], (unsigned long long)v->einsum->bound[d]);
}
