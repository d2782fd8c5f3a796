#ifndef MODEL_NET_TILE_SEARCH_H
#define MODEL_NET_TILE_SEARCH_H
/** The tiles of a group that no others beat in room, time of the chip and traffic at once. */
#include "model/net/tile_group.h"

/** Prices of parts on one design, each worked out once. */
typedef struct sc_tile_prices sc_tile_prices;

sc_status sc_tile_prices_create(sc_tile_prices **out) SC_MUST_USE;
void sc_tile_prices_destroy(sc_tile_prices *p); /* NULL is fine */
/** Forget all: another design. */
void sc_tile_prices_clear(sc_tile_prices *p);
/** One call of a member. @return SC_OK; SC_ENOMEM; SC_ERANGE. */
sc_status sc_tile_prices_get(sc_tile_cost *out, sc_tile_prices *p, const sc_tile_group *g,
                             uint32_t member, uint64_t batch,
                             const uint64_t extent[SC_TILE_AXES]) SC_MUST_USE;
/** Parts priced so far. */
uint64_t sc_tile_prices_count(const sc_tile_prices *p);

enum { SC_TILE_POINTS = 48, SC_TILE_SIZES = 64, SC_TILE_SMALL = 128 };

typedef struct sc_tile_point {
    sc_tile_choice choice;
    sc_tile_lines lines;
    double cycles; /* with nothing resident */
} sc_tile_point;

typedef struct sc_tile_front {
    uint32_t n;
    uint64_t choices, priced; /* tiles and modes of the space; those whose tiles may fit */
    double least_chip;        /* cycles of the chip, of all that fit */
    uint64_t dropped;         /* points that found no place: 0 in practice */
    sc_tile_point point[SC_TILE_POINTS];
} sc_tile_front;

/** Sizes that halving an extent gives, from all of it to 1. @return how many. */
int sc_tile_sizes(uint64_t size[SC_TILE_SIZES], uint64_t extent);

/**
 * All of: samples of a tile by halving, or of one sample rows and columns by halving; halos of
 * either axis kept or made again; weights of each member that stay or come again. Columns are cut
 * only where all of them do not fit. Weights are joined member by member, and partial choices that
 * another one beats in room, chip and traffic are dropped: what each member adds depends on no
 * other's choice. Weights whose stay takes at most 1 / SC_TILE_SMALL of the buffer stay wherever
 * that spares traffic. So for each choice of that space that fits there is a point that needs no
 * more of any of the three.
 * @param room  bytes of the buffer.
 * @param limit  points whose chip alone takes so many cycles are left out.
 * @return SC_OK; SC_ENOMEM; SC_ERANGE.
 */
sc_status sc_tile_search(sc_tile_front *out, const sc_tile_group *g, sc_tile_prices *p, double room,
                         double limit) SC_MUST_USE;
#endif
