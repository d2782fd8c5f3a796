#ifndef MODEL_ARCH_PARTS_H
#define MODEL_ARCH_PARTS_H
/**
 * What a design consists of on the die: its chain of levels with the area and the width of the port
 * of one instance, arrays, lanes and the rest. For those who place it; areas add up to the
 * design's.
 */
#include "model/arch/template.h"

typedef enum sc_storage {
    SC_STORAGE_DRAM, /* on the die: controllers and PHYs */
    SC_STORAGE_SRAM,
    SC_STORAGE_REGISTER,
    SC_STORAGE_NONE /* fan-out alone */
} sc_storage;

typedef struct sc_part {
    char name[SC_NAME_LEN];
    sc_storage storage;
    uint64_t instances, fanout_x, fanout_y; /* as sc_level */
    uint32_t buffers;                       /* of one instance: one a role that has room, or one */
    uint64_t bytes[SC_ROLES];               /* [buffers] */
    double channels;                        /* of one instance; DRAM */
    double area_mm2;                        /* of one instance */
    double bytes_per_cycle;                 /* in and out of one instance at its peak */
} sc_part;

typedef struct sc_parts {
    uint32_t n_levels;
    sc_part level[SC_MAX_LEVELS]; /* outermost first */
    char compute[SC_NAME_LEN];
    uint64_t macs, rows, cols; /* rows, cols: of one array; 0: plain MACs */
    uint32_t mac_bits;         /* of one operand */
    double mac_mm2;            /* of one */
    uint64_t lanes;            /* vector lanes on the chip */
    double lane_mm2;           /* of one */
    uint32_t n_extra;
    sc_item extra[SC_MAX_ITEMS]; /* what the template adds beside the chain */
    double overhead_mm2;         /* control, interconnect and I/O */
    double area_mm2;             /* of all */
    double clock_hz;
    double wire_pj_per_bit_mm; /* with the supply's share; 0: the table has none */
} sc_parts;

/** @return SC_OK; what sc_template_budget() returns for a point without a chip, which no design
 *  is. Allocates nothing. */
sc_status sc_design_parts(sc_parts *out, const sc_design *d) SC_MUST_USE;
#endif
