#include "model/net/memo.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/mem.h"

enum { SHARDS = 64 };

typedef struct entry {
    struct entry *next;
    sc_hash128 key;
    sc_op_cost cost;
    uint8_t blocks; /* of the mapping; 0: not asked for, or none */
    sc_block block[];
} entry;

typedef struct shard {
    pthread_mutex_t lock;
    entry **bucket; /* [buckets] */
    size_t kept;
} shard;

struct sc_memo {
    size_t buckets, capacity; /* of one shard */
    atomic_uint_fast64_t hits;
    shard shards[SHARDS];
};

sc_status sc_memo_create(sc_memo **out, size_t capacity)
{
    sc_memo *m = sc_calloc(1, sizeof *m);
    if (!m)
        return SC_ENOMEM;
    m->capacity = (capacity + SHARDS - 1) / SHARDS;
    m->buckets = m->capacity ? m->capacity : 1;
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&m->shards[i].lock, NULL);
    for (int i = 0; i < SHARDS; i++) {
        m->shards[i].bucket = sc_calloc(m->buckets, sizeof(entry *));
        if (!m->shards[i].bucket) {
            sc_memo_destroy(m);
            return SC_ENOMEM;
        }
    }
    *out = m;
    return SC_OK;
}

void sc_memo_destroy(sc_memo *m)
{
    if (!m)
        return;
    for (int i = 0; i < SHARDS; i++) {
        for (size_t b = 0; m->shards[i].bucket && b < m->buckets; b++)
            for (entry *e = m->shards[i].bucket[b], *next; e; e = next) {
                next = e->next;
                sc_free(e);
            }
        sc_free(m->shards[i].bucket);
        pthread_mutex_destroy(&m->shards[i].lock);
    }
    sc_free(m);
}

uint64_t sc_memo_hits(const sc_memo *m)
{
    return m ? atomic_load(&m->hits) : 0;
}

static uint64_t bits_of(double v)
{
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static uint64_t letters_of(const char name[SC_LEAD_LEN])
{
    uint64_t b = 0;
    for (int i = 0; i < SC_LEAD_LEN && name[i]; i++)
        b = b << 8 | (unsigned char)name[i];
    return b;
}

sc_hash128 sc_memo_arch_hash(const sc_arch *a)
{
    uint64_t word[11 + SC_MAX_LEVELS * 32];
    size_t n = 0;
    word[n++] = a->n_levels;
    word[n++] = a->compute.instances;
    word[n++] = bits_of(a->compute.mac_pj);
    word[n++] = bits_of(a->compute.gated);
    word[n++] = a->compute.rows;
    word[n++] = a->compute.cols;
    word[n++] = (uint64_t)a->compute.dataflows << 1 | a->compute.double_buffered;
    word[n++] = a->compute.operand_bits;
    for (uint32_t i = 0; i < a->n_levels; i++) {
        const sc_level *l = &a->level[i];
        const uint64_t fields[] = {l->instances,
                                   l->fanout_x,
                                   l->fanout_y,
                                   l->bounded,
                                   l->partitioned,
                                   l->capacity[0],
                                   l->capacity[1],
                                   l->capacity[2],
                                   bits_of(l->buffers),
                                   l->word_bits,
                                   l->block_bits,
                                   l->block_words,
                                   l->cluster_size,
                                   l->output_bits,
                                   bits_of(l->read_bw),
                                   bits_of(l->write_bw),
                                   bits_of(l->shared_bw),
                                   (uint64_t)l->may_keep << 8 | l->must_keep,
                                   (uint64_t)l->no_overlap << 2 | (uint64_t)l->no_multicast << 1 |
                                       l->no_reduction,
                                   bits_of(l->compression[0]),
                                   bits_of(l->compression[1]),
                                   bits_of(l->compression[2]),
                                   bits_of(l->gated[0]),
                                   bits_of(l->gated[1]),
                                   bits_of(l->gated[2]),
                                   letters_of(l->lead[SC_LEAD_X]),
                                   letters_of(l->lead[SC_LEAD_Y]),
                                   letters_of(l->lead[SC_LEAD_TILE]),
                                   bits_of(l->read_pj),
                                   bits_of(l->write_pj),
                                   bits_of(l->update_pj),
                                   bits_of(l->leak_pj)};
        memcpy(&word[n], fields, sizeof fields);
        n += sizeof fields / sizeof *fields;
    }
    if (a->calibration.name[0]) {
        const sc_hash128 h = sc_calibration_hash(&a->calibration);
        word[n++] = h.hi;
        word[n++] = h.lo;
    }
    return sc_hash128_of(word, n * sizeof *word);
}

static bool look_up(sc_op_cost *out, sc_mapping *mapping, shard *s, size_t bucket, sc_hash128 key)
{
    bool found = false;
    pthread_mutex_lock(&s->lock);
    for (const entry *e = s->bucket[bucket]; e && !found; e = e->next)
        if (sc_hash_equal(e->key, key)) {
            *out = e->cost;
            if (mapping && e->blocks > 0) {
                mapping->n_levels = e->blocks;
                memcpy(mapping->level, e->block, e->blocks * sizeof *e->block);
            }
            found = true;
        }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* A full memo or a failed allocation only means that the op is computed again next time. Two
 * threads may keep the same key: both costs are equal. */
static void keep(sc_memo *m, shard *s, size_t bucket, sc_hash128 key, const sc_op_cost *cost,
                 const sc_mapping *mapping)
{
    const uint8_t blocks = mapping && cost->misfit.code == SC_FITS ? mapping->n_levels : 0;
    pthread_mutex_lock(&s->lock);
    entry *e = s->kept < m->capacity ? sc_malloc(sizeof *e + blocks * sizeof *e->block) : NULL;
    if (e) {
        *e = (entry){.next = s->bucket[bucket], .key = key, .cost = *cost, .blocks = blocks};
        if (blocks > 0)
            memcpy(e->block, mapping->level, blocks * sizeof *e->block);
        s->bucket[bucket] = e;
        s->kept++;
    }
    pthread_mutex_unlock(&s->lock);
}

sc_status sc_memo_cost(sc_op_cost *out, sc_memo *memo, sc_hash128 arch_hash, const sc_op *op,
                       const sc_arch *a, const sc_cost_options *o)
{
    return sc_memo_cost_with_mapping(out, NULL, memo, arch_hash, op, a, o);
}

sc_status sc_memo_cost_with_mapping(sc_op_cost *out, sc_mapping *mapping, sc_memo *memo,
                                    sc_hash128 arch_hash, const sc_op *op, const sc_arch *a,
                                    const sc_cost_options *o)
{
    sc_hash128 shape;
    if (!memo || !sc_op_is_mac(op))
        return sc_op_cost_with_mapping(out, mapping, op, a, o);
    sc_status st = sc_op_shape_hash(&shape, op);
    if (st != SC_OK)
        return st;
    const uint64_t rules = (uint64_t)(mapping != NULL) << 8 | (uint64_t)o->rules.mapping << 1 |
                           (uint64_t)o->rules.padding;
    const uint64_t parts[] = {arch_hash.hi,  arch_hash.lo, shape.hi, shape.lo,
                              o->map_budget, o->map_nodes, rules};
    const sc_hash128 key = sc_hash128_of(parts, sizeof parts);
    shard *s = &memo->shards[key.hi % SHARDS];
    const size_t bucket = (size_t)(key.lo % memo->buckets);
    if (look_up(out, mapping, s, bucket, key)) {
        atomic_fetch_add(&memo->hits, 1);
        return SC_OK;
    }
    if ((st = sc_op_cost_with_mapping(out, mapping, op, a, o)) == SC_OK)
        keep(memo, s, bucket, key, out, mapping);
    return st;
}
