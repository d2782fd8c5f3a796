#include "core/json.h"
#include "model/net/evaluation.h"

static const char *op_name(const sc_evaluation *e, size_t i)
{
    return e->ops[i].row.name;
}

static json_t *tiles_json(const sc_evaluation *e, const sc_cascade_best *b, bool *ok)
{
    json_t *o = json_object();
    sc_json_set(o, "queries", sc_json_count(b->choice.queries), ok);
    sc_json_set(o, "keys", sc_json_count(b->choice.keys), ok);
    sc_json_set(o, "units_beside", sc_json_count(b->choice.beside), ok);
    sc_json_set(o, "stages", json_integer(b->choice.stages), ok);
    sc_json_set(o, "keys_from", json_string(e->level_names[b->choice.home]), ok);
    return o;
}

/* time_s is with what is resident, the other two are of the ops with nothing resident. */
static json_t *chain_json(const sc_evaluation *e, const sc_cascade_chain *chain, bool *ok)
{
    const sc_cascade_shape *s = &e->cascades->shape[chain->shape];
    const size_t op[] = {chain->qk, chain->softmax, chain->av};
    json_t *o = json_object(), *ops = json_array();
    double time_s = 0.0;
    for (int i = 0; i < 3; i++) {
        sc_json_append(ops, json_string(op_name(e, op[i])), ok);
        time_s += e->ops[op[i]].row.time_s;
    }
    sc_json_set(o, "ops", ops, ok);
    sc_json_set(o, "cascade", json_boolean(s->taken), ok);
    sc_json_set(o, "time_s", sc_json_real(time_s), ok);
    sc_json_set(o, "apart_time_s", sc_json_real(s->apart_cycles / e->clock_hz), ok);
    sc_json_set(o, "cascade_time_s",
                s->possible ? sc_json_real(s->best.cost.cycles / e->clock_hz) : json_null(), ok);
    sc_json_set(o, "tiles", s->possible ? tiles_json(e, &s->best, ok) : json_null(), ok);
    sc_json_set(o, "choices", sc_json_count(s->best.choices), ok);
    sc_json_set(o, "priced", sc_json_count(s->best.priced), ok);
    return o;
}

json_t *sc_cascades_json(const sc_evaluation *e, bool *ok)
{
    json_t *list = json_array();
    if (!e->cascades || !e->result.feasible) {
        json_decref(list);
        return json_null();
    }
    for (size_t i = 0; i < e->cascades->n_chains; i++)
        sc_json_append(list, chain_json(e, &e->cascades->chain[i], ok), ok);
    return list;
}
