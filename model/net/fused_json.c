#include "core/json.h"
#include "model/net/evaluation.h"

/* Where a tensor lives, as a word. */
static const char *home_of(const sc_evaluation *e, size_t tensor, size_t reads, size_t served)
{
    const sc_fusion_choice *c = &e->fused->solution.choice;
    const size_t op = tensor - e->n_inputs;
    const sc_cascade_chain *chain =
        tensor < e->n_inputs ? NULL : sc_cascades_chain(e->cascades, op);
    if (chain && chain->av != op)
        return "tiles"; /* of a cascade: never whole */
    if (c->unwritten[tensor])
        return "buffer";
    if (served == 0)
        return "memory";
    return served == reads ? "both" : "partly";
}

static const char *op_name(const sc_evaluation *e, size_t i)
{
    return e->ops[i].row.name;
}

/* Readers that find it in the buffer, and how many readers there are. */
static json_t *readers(size_t *reads, const sc_evaluation *e, const sc_fusion_problem *p,
                       size_t tensor, bool *ok)
{
    const bool *served = e->fused->solution.choice.from_buffer;
    json_t *list = json_array();
    *reads = 0;
    for (size_t i = 0; i < p->n_steps; i++)
        for (size_t r = p->step[i].first_read; r < p->step[i].first_read + p->step[i].n_reads; r++)
            if (p->read[r].tensor == tensor) {
                ++*reads;
                if (served[r])
                    sc_json_append(list, json_string(op_name(e, i)), ok);
            }
    return list;
}

static json_t *tensor_json(const sc_evaluation *e, const sc_fusion_problem *p, size_t t, bool *ok)
{
    size_t reads;
    json_t *o = json_object(), *from_buffer = readers(&reads, e, p, t, ok);
    const size_t served = json_array_size(from_buffer);
    sc_json_set(o, "tensor",
                json_string(t < e->n_inputs ? e->input_names[t] : op_name(e, t - e->n_inputs)), ok);
    sc_json_set(o, "bytes", sc_json_real(p->tensor[t].bytes), ok);
    sc_json_set(o, "home", json_string(home_of(e, t, reads, served)), ok);
    sc_json_set(o, "readers", sc_json_count(reads), ok);
    sc_json_set(o, "read_from_buffer_by", from_buffer, ok);
    return o;
}

static json_t *weights_json(const sc_evaluation *e, const sc_fusion_problem *p, bool *ok)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_steps; i++) {
        if (!e->fused->solution.choice.pinned[i])
            continue;
        json_t *o = json_object();
        sc_json_set(o, "op", json_string(op_name(e, i)), ok);
        sc_json_set(o, "bytes", sc_json_real(p->step[i].weight_bytes), ok);
        sc_json_append(list, o, ok);
    }
    return list;
}

static void set_certificate(json_t *o, const sc_evaluation *e, bool *ok)
{
    const sc_fusion_solution *s = &e->fused->solution;
    sc_json_set(o, "cycles_before", sc_json_real(s->plain_cycles), ok);
    sc_json_set(o, "cycles_after", sc_json_real(s->value.cycles), ok);
    sc_json_set(o, "bound_cycles", sc_json_real(s->bound_cycles), ok);
    sc_json_set(o, "gap", sc_json_real(s->gap), ok);
    sc_json_set(o, "proved", json_boolean(s->proved), ok);
    sc_json_set(o, "binaries", sc_json_count(s->binaries), ok);
    sc_json_set(o, "work", sc_json_count(s->work), ok);
    sc_json_set(o, "pinned_bytes", sc_json_real(s->value.pinned_bytes), ok);
    sc_json_set(o, "peak_bytes", sc_json_real(s->value.peak_bytes), ok);
    sc_json_set(o, "dram_bytes_spared", sc_json_real(s->value.dram_bytes), ok);
}

json_t *sc_fused_json(const sc_evaluation *e, bool *ok)
{
    const sc_fusion_problem *p = e->fused ? e->fused->problem : NULL;
    if (!e->fused)
        return json_null();
    json_t *o = json_object(), *tensors = json_array();
    sc_json_set(o, "level", p ? json_string(e->level_names[1]) : json_null(), ok);
    sc_json_set(o, "capacity_bytes", p ? sc_json_real(p->capacity_bytes) : json_null(), ok);
    if (p) {
        set_certificate(o, e, ok);
        sc_json_set(o, "pinned", weights_json(e, p, ok), ok);
    }
    for (size_t t = 0; p && t < p->n_tensors; t++)
        sc_json_append(tensors, tensor_json(e, p, t, ok), ok);
    sc_json_set(o, "tensors", tensors, ok);
    return o;
}
