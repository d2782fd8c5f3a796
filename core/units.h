#ifndef CORE_UNITS_H
#define CORE_UNITS_H
/** Quantities with units as users write them ("2 MiB", "1.4 GHz", "448 GB/s", "250 W"): public, as
 *  programs over the library read and print them too. */
#include "scantle/text.h"
#endif
