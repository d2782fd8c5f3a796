/* Any bytes as a mapping of a tiled run: what is accepted has a count and finite cycles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/count/tiled_run.h"

enum { MAX_TEXT = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_tiled_layer l = {.extent = {4, 3, 5, 2, 1, 1}, .stride_p = 2, .stride_q = 1};
    static char text[MAX_TEXT];
    sc_tiled_work w;
    if (size >= MAX_TEXT)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (sc_tiled_parse(&l, text) != SC_OK)
        return 0;
    for (int driver = SC_TILED_PLAIN; driver <= SC_TILED_GEMMINI; driver++) {
        if (sc_tiled_count(&w, &l, 0, (sc_tiled_driver)driver) != SC_OK)
            abort();
        const double cycles = sc_tiled_cycles(&w, sc_tiled_ideal);
        if (!isfinite(cycles) || cycles <= 0)
            abort();
    }
    return 0;
}
