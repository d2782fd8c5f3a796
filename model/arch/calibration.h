#ifndef MODEL_ARCH_CALIBRATION_H
#define MODEL_ARCH_CALIBRATION_H
/** What a machine's data sheet does not say, measured: the free factors of the tiled-run model
 * (model/count/tiled_run.h), read from the file that `scantle calibrate` writes. Form:
 * docs/algorithms/calibration.md. */
#include "core/hash.h"
#include "scantle/error.h"

/** What drives the array, and how it departs from the mapping it is given. */
typedef enum sc_tiled_driver {
    SC_TILED_PLAIN,  /* nothing departs; the array has the side it is declared with */
    SC_TILED_GEMMINI /* Gemmini's library, which has habits of its own: see the page */
} sc_tiled_driver;

/** The free factors. */
typedef enum sc_tiled_factor {
    SC_TILED_HOST_WINDOW,  /* cycles of the host for a tile of a convolution */
    SC_TILED_HOST_PRODUCT, /* the same of a matrix product */
    SC_TILED_PASS,         /* shortest pass, cycles: this much ... */
    SC_TILED_PASS_SIDE,    /* ... and this much for each PE of the side */
    SC_TILED_ROW,          /* cycles for a scratchpad row loaded: this much ... */
    SC_TILED_ROW_SIDE,     /* ... and this much for each element of the row */
    SC_TILED_BUS,          /* bytes a cycle from the cache */
    SC_TILED_LINE,         /* cycles for a line from DRAM */
    SC_TILED_OVERLAP,      /* 1: host, array and memory take turns; large: perfect overlap */
    SC_TILED_START,        /* cycles before and after the run */
    SC_TILED_FACTORS
} sc_tiled_factor;

const char *sc_tiled_factor_name(sc_tiled_factor f); /* "host_window", ... */
const char *sc_tiled_factor_unit(sc_tiled_factor f);

enum { SC_CALIBRATION_NAME = 65 };

typedef struct sc_calibration {
    char name[SC_CALIBRATION_NAME]; /* "" = none */
    sc_tiled_driver driver;
    double factor[SC_TILED_FACTORS];
} sc_calibration;

/** Index of a driver's name. @return SC_OK; SC_EINVAL with a suggestion. */
sc_status sc_calibration_driver(sc_tiled_driver *out, const char *name) SC_MUST_USE;
/** "plain" or "gemmini". */
const char *sc_calibration_driver_name(sc_tiled_driver driver);

/** Whether a name is 1 to 64 letters, digits, '-', '_' or '.'. @return SC_OK or SC_EINVAL. */
sc_status sc_calibration_check_name(const char *name) SC_MUST_USE;

/** @return SC_OK; SC_EPARSE with every error as file:line:column; SC_ENOTFOUND, SC_EIO; SC_ENOMEM.
 */
sc_status sc_calibration_read(sc_calibration *out, const char *path) SC_MUST_USE;

/** By the name of a shipped one, or the path of a file. *out is zeroed first where it is padding,
 * so that it can be hashed as bytes. @return as sc_calibration_read(); SC_ENOTFOUND with a
 * suggestion for a name that is unknown. */
sc_status sc_calibration_open(sc_calibration *out, const char *reference) SC_MUST_USE;

/** Of the driver and the factors; the name is not in it. */
sc_hash128 sc_calibration_hash(const sc_calibration *c);
#endif
