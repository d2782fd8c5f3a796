#include "model/net/fusion_graph.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"

enum {
    MAX_STATES = 2048, /* of a layer, before those that cannot be */
    MAX_LIVE = 24,     /* activations followed at once */
    MAX_READS = 62,    /* of a step that can come from the buffer: bits of `taken` */
    FIRST_NODES = 1024,
    NEVER = -1
};

/* What a followed tensor is between two steps. */
enum { ABSENT, HELD, COMMITTED /* and every later read is served, so it is not written */ };

typedef enum fate { OUT, FREE, FOLLOWED } fate;

typedef struct alternative {
    bool served, stays;
    uint8_t next;   /* ABSENT, HELD, COMMITTED behind the step */
    uint64_t taken; /* bits of the arc */
} alternative;

/* One operand of a step, in the ways it may be run from one node. */
typedef struct use {
    const sc_fusion_gain *gain;
    double bytes; /* in the buffer if served or staying */
    size_t place; /* weight of its state in the code of a node behind the step */
    int n;
    alternative way[4];
} use;

typedef struct builder {
    const sc_fusion_problem *p;
    sc_fusion_graph *g;
    double slack;
    sc_fusion_spill spill;
    fate *fate;        /* [n_tensors] */
    int64_t *maker;    /* [n_tensors] step, NEVER */
    int64_t *last;     /* [n_tensors] step of the last read, NEVER */
    uint32_t *reads;   /* [n_tensors] still to come */
    size_t *place;     /* [n_tensors] in the codes behind the step */
    uint32_t *code;    /* [node_room] state of a node: digits of its layer's live list */
    uint32_t *node_of; /* [MAX_STATES] of a code behind the step */
    int n_live, n_next;
    uint32_t live[MAX_LIVE], next[MAX_LIVE]; /* tensors before and behind the step */
    uint8_t radix[MAX_LIVE], next_radix[MAX_LIVE];
    size_t next_states;
    double potential; /* of the step */
    use *uses;        /* [most operands of a step] */
    int n_uses;
} builder;

static double longest(const double *cycles, int n_lines)
{
    double t = cycles[0];
    for (int l = 1; l < n_lines; l++)
        t = cycles[l] > t ? cycles[l] : t;
    return t;
}

static void take_gain(double *best, int n_lines, const sc_fusion_gain *g)
{
    for (int l = 0; l < n_lines; l++)
        best[l] -= fmax(0.0, g->cycles[l]);
}

double sc_fusion_potential(const sc_fusion_problem *p, size_t step)
{
    const sc_fusion_step *s = &p->step[step];
    double best[SC_FUSION_MAX_LINES];
    memcpy(best, s->cycles, sizeof best);
    if (s->weight_bytes > 0.0)
        take_gain(best, p->n_lines, &s->weight);
    for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++)
        take_gain(best, p->n_lines, &p->read[r].gain);
    if (s->made >= 0)
        take_gain(best, p->n_lines, &s->made_gain);
    return longest(s->cycles, p->n_lines) - longest(best, p->n_lines);
}

sc_status sc_fusion_binaries(size_t *out, const sc_fusion_problem *p)
{
    size_t n = 0;
    enum { USED = 1, READ = 2 };
    uint8_t *seen = sc_calloc(p->n_tensors, sizeof *seen);
    if (!seen)
        return SC_ENOMEM;
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        n += s->weight_bytes > 0.0;
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
            n += seen[p->read[r].tensor] != 0;
            seen[p->read[r].tensor] |= USED | READ;
        }
        if (s->made >= 0)
            seen[s->made] |= USED;
    }
    for (size_t i = 0; i < p->n_steps; i++)
        n += p->step[i].made >= 0 && (seen[p->step[i].made] & READ) &&
             !p->tensor[p->step[i].made].leaves;
    sc_free(seen);
    *out = n;
    return SC_OK;
}

/* ---- which tensors are followed ---- */

/* Digits of a tensor's state behind a step with so many reads to come. */
static uint8_t radix_of(const builder *b, uint32_t t)
{
    const bool may_commit = b->maker[t] != NEVER && !b->p->tensor[t].leaves;
    return b->reads[t] >= 2 && may_commit ? 3 : 2;
}

static void count_reads(builder *b)
{
    const sc_fusion_problem *p = b->p;
    for (size_t t = 0; t < p->n_tensors; t++)
        b->reads[t] = 0;
    for (size_t r = 0; r < p->n_reads; r++)
        b->reads[p->read[r].tensor]++;
}

/* Fate of a tensor that the graph has no room for. */
static fate give_up(builder *b)
{
    b->g->narrowed = true;
    return b->spill == SC_FUSION_SPILL_FREE ? FREE : OUT;
}

/* A tensor is worth following if it fits, has a use to serve and some use of it can save time. */
static void decide_fates(builder *b, double *saves)
{
    const sc_fusion_problem *p = b->p;
    for (size_t t = 0; t < p->n_tensors; t++)
        b->maker[t] = b->last[t] = NEVER, b->fate[t] = FOLLOWED;
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        const double most = sc_fusion_potential(p, i);
        if (s->made >= 0) {
            b->maker[s->made] = (int64_t)i;
            saves[s->made] += most;
        }
        for (size_t r = s->first_read; r < s->first_read + s->n_reads; r++) {
            b->last[p->read[r].tensor] = (int64_t)i;
            saves[p->read[r].tensor] += most;
            if (r - s->first_read >= MAX_READS)
                b->fate[p->read[r].tensor] = give_up(b);
        }
    }
    count_reads(b);
    for (size_t t = 0; t < p->n_tensors; t++) {
        const size_t served = b->reads[t] - (b->maker[t] == NEVER && b->reads[t] > 0);
        if (served == 0 || saves[t] <= 0.0 || p->tensor[t].bytes > p->capacity_bytes)
            b->fate[t] = OUT;
    }
}

/* Leaves the live ones of the step as `next`, with reads counted down. */
static void advance(builder *b, size_t i)
{
    const sc_fusion_step *s = &b->p->step[i];
    bool fresh_read[MAX_READS] = {false};
    b->n_next = 0;
    for (size_t j = 0; j < s->n_reads && j < MAX_READS; j++)
        fresh_read[j] = true;
    for (size_t j = 0; j < s->n_reads; j++)
        b->reads[b->p->read[s->first_read + j].tensor]--;
    for (int k = 0; k < b->n_live; k++) {
        for (size_t j = 0; j < s->n_reads && j < MAX_READS; j++)
            if (b->p->read[s->first_read + j].tensor == b->live[k])
                fresh_read[j] = false;
        if (b->reads[b->live[k]] > 0)
            b->next[b->n_next++] = b->live[k];
    }
    for (size_t j = 0; j <= s->n_reads && j <= MAX_READS; j++) {
        const bool made = j == s->n_reads || j == MAX_READS;
        if (made ? s->made < 0 : !fresh_read[j])
            continue;
        const uint32_t t = made ? (uint32_t)s->made : b->p->read[s->first_read + j].tensor;
        if (b->fate[t] == FOLLOWED && b->reads[t] > 0 && b->n_next < MAX_LIVE)
            b->next[b->n_next++] = t;
        else if (b->fate[t] == FOLLOWED && b->reads[t] > 0)
            b->fate[t] = give_up(b);
    }
    b->next_states = 1;
    for (int k = 0; k < b->n_next; k++) {
        b->next_radix[k] = radix_of(b, b->next[k]);
        b->place[b->next[k]] = b->next_states;
        b->next_states *= b->next_radix[k];
    }
}

static void swap_live(builder *b)
{
    b->n_live = b->n_next;
    memcpy(b->live, b->next, sizeof b->live);
    memcpy(b->radix, b->next_radix, sizeof b->radix);
}

/* Walks all layers until none has too many states; each time one does, what lives longest there is
 * given up. */
static void narrow(builder *b)
{
    bool again = true;
    while (again) {
        again = false;
        b->n_live = 0;
        count_reads(b);
        for (size_t i = 0; i < b->p->n_steps && !again; i++) {
            advance(b, i);
            if (b->next_states > MAX_STATES) {
                int longest_lived = 0;
                for (int k = 1; k < b->n_next; k++)
                    if (b->last[b->next[k]] > b->last[b->next[longest_lived]])
                        longest_lived = k;
                b->fate[b->next[longest_lived]] = give_up(b);
                again = true;
            }
            swap_live(b);
        }
    }
    b->n_live = 0;
    count_reads(b);
}

/* ---- nodes and arcs ---- */

static sc_status more_nodes(builder *b)
{
    sc_fusion_graph *g = b->g;
    if (g->n_nodes < g->node_room)
        return SC_OK;
    const size_t room = 2 * g->node_room;
    uint32_t *code = sc_realloc_array(b->code, room, sizeof *code);
    if (!code)
        return SC_ENOMEM;
    b->code = code;
    g->node_room = room;
    return SC_OK;
}

static sc_status node_at(uint32_t *out, builder *b, size_t code)
{
    if (b->node_of[code] == UINT32_MAX) {
        const sc_status st = more_nodes(b);
        if (st != SC_OK)
            return st;
        b->code[b->g->n_nodes] = (uint32_t)code;
        b->node_of[code] = (uint32_t)b->g->n_nodes++;
    }
    *out = b->node_of[code];
    return SC_OK;
}

static sc_status more_arcs(sc_fusion_graph *g)
{
    if (g->n_arcs < g->arc_room)
        return SC_OK;
    const size_t room = g->arc_room ? 2 * g->arc_room : 4096;
    sc_fusion_arc *arc = sc_realloc_array(g->arc, room, sizeof *arc);
    if (arc)
        g->arc = arc;
    uint64_t *taken = arc ? sc_realloc_array(g->taken, room, sizeof *taken) : NULL;
    if (!taken)
        return SC_ENOMEM;
    g->taken = taken;
    g->arc_room = room;
    return SC_OK;
}

/* In whatever way both go on, a fits where b does and is no slower: pinned bytes count at all
 * steps, those used only at this one. */
static bool no_worse(const sc_fusion_arc *a, const sc_fusion_arc *b, double slack)
{
    return a->cycles <= b->cycles + slack && a->weight <= b->weight &&
           a->weight + a->use <= b->weight + b->use;
}

static sc_status add_arc(builder *b, const sc_fusion_arc *arc, uint64_t taken, size_t first)
{
    sc_fusion_graph *g = b->g;
    for (size_t k = first; k < g->n_arcs; k++) {
        if (g->arc[k].to != arc->to)
            continue;
        if (no_worse(&g->arc[k], arc, b->slack))
            return SC_OK;
        if (no_worse(arc, &g->arc[k], 0.0)) {
            g->arc[k] = *arc;
            g->taken[k] = taken;
            return SC_OK;
        }
    }
    const sc_status st = more_arcs(g);
    if (st != SC_OK)
        return st;
    g->arc[g->n_arcs] = *arc;
    g->taken[g->n_arcs++] = taken;
    return SC_OK;
}

/* A step half decided: operands before `k` have their way. */
typedef struct partial {
    double cycles[SC_FUSION_MAX_LINES], use, weight;
    size_t code;
    uint64_t taken;
} partial;

static sc_status combine(builder *b, int k, const partial *so_far, uint32_t from, size_t first)
{
    if (so_far->use + so_far->weight > b->p->capacity_bytes)
        return SC_OK; /* no operand makes it less */
    if (k == b->n_uses) {
        sc_fusion_arc arc = {from, 0, longest(so_far->cycles, b->p->n_lines), so_far->use,
                             so_far->weight};
        const sc_status st = node_at(&arc.to, b, so_far->code);
        return st == SC_OK ? add_arc(b, &arc, so_far->taken, first) : st;
    }
    const use *u = &b->uses[k];
    sc_status st = SC_OK;
    for (int w = 0; w < u->n && st == SC_OK; w++) {
        const alternative *a = &u->way[w];
        partial p = *so_far;
        const bool weight = a->taken & 1;
        for (int l = 0; a->served && l < b->p->n_lines; l++)
            p.cycles[l] -= u->gain->cycles[l];
        for (int l = 0; a->stays && !a->served && l < b->p->n_lines; l++)
            p.cycles[l] += u->gain->hold[l];
        if (weight)
            p.weight += u->bytes;
        if (a->served || a->stays)
            p.use += (weight ? 0.0 : u->bytes) - u->gain->block_bytes;
        p.code += a->next * u->place;
        p.taken |= a->taken;
        st = combine(b, k + 1, &p, from, first);
    }
    return st;
}

/* ---- ways of the operands ---- */

static void read_ways(use *u, int before, uint32_t left, uint64_t bit)
{
    u->n = 0;
    if (before == COMMITTED) {
        u->way[u->n++] = (alternative){true, true, left >= 2 ? COMMITTED : HELD, bit};
        return;
    }
    u->way[u->n++] = (alternative){before == HELD, false, ABSENT, before == HELD ? bit : 0};
    if (left > 0)
        u->way[u->n++] = (alternative){before == HELD, true, HELD, before == HELD ? bit : 0};
}

static void made_ways(use *u, uint32_t readers, bool leaves)
{
    u->n = 0;
    u->way[u->n++] = (alternative){false, false, ABSENT, 0};
    if (readers == 0)
        return;
    u->way[u->n++] = (alternative){false, true, HELD, 0};
    if (!leaves)
        u->way[u->n++] = (alternative){true, true, readers >= 2 ? COMMITTED : HELD, 2};
}

/* Operands that no state follows: nothing, or, for a bound, everything they could save. */
static void without(partial *base, int n_lines, fate f, const sc_fusion_gain *g)
{
    if (f != FREE)
        return;
    take_gain(base->cycles, n_lines, g);
    base->use -= g->block_bytes;
}

static void list_uses(builder *b, size_t i, const uint8_t *state, partial *base)
{
    const sc_fusion_problem *p = b->p;
    const sc_fusion_step *s = &p->step[i];
    b->n_uses = 0;
    for (size_t j = 0; j < s->n_reads; j++) {
        const sc_fusion_read *r = &p->read[s->first_read + j];
        int before = ABSENT;
        if (b->fate[r->tensor] != FOLLOWED || j >= MAX_READS) {
            without(base, p->n_lines, b->fate[r->tensor], &r->gain);
            continue;
        }
        for (int k = 0; k < b->n_live; k++)
            if (b->live[k] == r->tensor)
                before = state[k];
        use *u = &b->uses[b->n_uses++];
        *u = (use){&r->gain, p->tensor[r->tensor].bytes, b->place[r->tensor], 0, {{0}}};
        read_ways(u, before, b->reads[r->tensor], UINT64_C(4) << j);
    }
    if (s->made >= 0 && b->fate[s->made] == FOLLOWED) {
        use *u = &b->uses[b->n_uses++];
        *u = (use){&s->made_gain, p->tensor[s->made].bytes, b->place[s->made], 0, {{0}}};
        made_ways(u, b->reads[s->made], p->tensor[s->made].leaves);
    } else if (s->made >= 0) {
        without(base, p->n_lines, b->fate[s->made], &s->made_gain);
    }
    if (s->weight_bytes > 0.0 && b->potential > 0.0) {
        use *u = &b->uses[b->n_uses++];
        *u = (use){&s->weight, s->weight_bytes, 0, 2, {{0}, {true, false, ABSENT, 1}}};
    }
}

static bool reads_it(const sc_fusion_problem *p, const sc_fusion_step *s, uint32_t tensor)
{
    for (size_t j = 0; j < s->n_reads; j++)
        if (p->read[s->first_read + j].tensor == tensor)
            return true;
    return false;
}

static sc_status leave_node(builder *b, size_t i, uint32_t node)
{
    const sc_fusion_step *s = &b->p->step[i];
    uint8_t state[MAX_LIVE] = {0};
    size_t code = b->code[node];
    partial base = {.use = s->work_bytes};
    memcpy(base.cycles, s->cycles, sizeof base.cycles);
    for (int k = 0; k < b->n_live; k++) {
        state[k] = (uint8_t)(code % b->radix[k]);
        code /= b->radix[k];
        if (state[k] == ABSENT || reads_it(b->p, s, b->live[k]))
            continue;
        base.use += b->p->tensor[b->live[k]].bytes;
        base.code += state[k] * b->place[b->live[k]];
    }
    list_uses(b, i, state, &base);
    return combine(b, 0, &base, node, b->g->n_arcs);
}

static sc_status build(builder *b)
{
    sc_fusion_graph *g = b->g;
    uint32_t start;
    b->node_of[0] = UINT32_MAX;
    sc_status st = node_at(&start, b, 0);
    if (st != SC_OK)
        return st;
    g->first_node[0] = 0;
    g->first_node[1] = 1;
    for (size_t i = 0; i < b->p->n_steps; i++) {
        advance(b, i);
        b->potential = sc_fusion_potential(b->p, i);
        for (size_t c = 0; c < b->next_states; c++)
            b->node_of[c] = UINT32_MAX;
        for (size_t n = g->first_node[i]; n < g->first_node[i + 1]; n++)
            if ((st = leave_node(b, i, (uint32_t)n)) != SC_OK)
                return st;
        g->first_node[i + 2] = g->n_nodes;
        g->first_arc[i + 1] = g->n_arcs;
        swap_live(b);
    }
    return SC_OK;
}

static size_t most_operands(const sc_fusion_problem *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->n_steps; i++)
        most = p->step[i].n_reads > most ? p->step[i].n_reads : most;
    return most + 2;
}

sc_status sc_fusion_graph_create(sc_fusion_graph **out, const sc_fusion_problem *p, double slack,
                                 sc_fusion_spill spill)
{
    sc_status st = SC_ENOMEM;
    builder b = {.p = p, .slack = slack, .spill = spill};
    double *saves = sc_calloc(p->n_tensors, sizeof *saves);
    b.g = sc_calloc(1, sizeof *b.g);
    b.fate = sc_calloc(p->n_tensors, sizeof *b.fate);
    b.maker = sc_calloc(p->n_tensors, sizeof *b.maker);
    b.last = sc_calloc(p->n_tensors, sizeof *b.last);
    b.reads = sc_calloc(p->n_tensors, sizeof *b.reads);
    b.place = sc_calloc(p->n_tensors, sizeof *b.place);
    b.node_of = sc_calloc(MAX_STATES, sizeof *b.node_of);
    b.code = sc_calloc(FIRST_NODES, sizeof *b.code);
    b.uses = sc_calloc(most_operands(p), sizeof *b.uses);
    if (!saves || !b.g || !b.fate || !b.maker || !b.last || !b.reads || !b.place || !b.node_of ||
        !b.code || !b.uses)
        goto done;
    b.g->n_layers = p->n_steps;
    b.g->node_room = FIRST_NODES;
    b.g->first_node = sc_calloc(p->n_steps + 2, sizeof *b.g->first_node);
    b.g->first_arc = sc_calloc(p->n_steps + 1, sizeof *b.g->first_arc);
    if (!b.g->first_node || !b.g->first_arc)
        goto done;
    decide_fates(&b, saves);
    narrow(&b);
    if ((st = build(&b)) != SC_OK)
        goto done;
    *out = b.g;
    b.g = NULL;
done:
    sc_free(saves);
    sc_free(b.fate);
    sc_free(b.maker);
    sc_free(b.last);
    sc_free(b.reads);
    sc_free(b.place);
    sc_free(b.code);
    sc_free(b.node_of);
    sc_free(b.uses);
    sc_fusion_graph_destroy(b.g);
    return st;
}

void sc_fusion_graph_destroy(sc_fusion_graph *g)
{
    if (!g)
        return;
    sc_free(g->first_node);
    sc_free(g->first_arc);
    sc_free(g->arc);
    sc_free(g->taken);
    sc_free(g);
}

void sc_fusion_graph_choice(sc_fusion_choice *c, const sc_fusion_graph *g,
                            const sc_fusion_problem *p, const uint32_t *path)
{
    for (size_t i = 0; i < p->n_steps; i++) {
        const sc_fusion_step *s = &p->step[i];
        const uint64_t taken = g->taken[path[i]];
        c->pinned[i] = taken & 1;
        if (s->made >= 0)
            c->unwritten[s->made] = taken & 2;
        for (size_t j = 0; j < s->n_reads; j++)
            c->from_buffer[s->first_read + j] = j < MAX_READS && (taken >> (j + 2) & 1);
    }
}
