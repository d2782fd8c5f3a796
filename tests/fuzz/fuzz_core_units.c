/* Quantities, numbers and the words beside them: what is read is finite and prints within bounds.
 */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "core/text.h"
#include "core/units.h"

static void read_kinds(const char *text)
{
    char out[32], shown[SC_SHOWN_LEN];
    int64_t whole = 0;
    for (int unit = 0; unit <= SC_UNIT_METRE; unit++) {
        double v = 42, again = 42;
        if (sc_quantity_parse(&v, text, (sc_unit)unit) != SC_OK) {
            if (v != 42 || !*sc_error_message())
                abort();
            continue;
        }
        if (!isfinite(v))
            abort();
        sc_quantity_format(out, sizeof out, v, (sc_unit)unit);
        if (sc_quantity_parse(&again, out, (sc_unit)unit) != SC_OK ||
            fabs(again - v) > 0.0051 * fabs(v))
            abort();
        sc_double_text(out, sizeof out, v);
        if (strtod(out, NULL) != v)
            abort();
    }
    if (sc_integer_read(&whole, text) != SC_OK && whole != 0)
        abort();
    sc_text_show(shown, text);
    if (sc_utf8_span(shown, strlen(shown) + 1) == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    read_kinds(text);
    free(text);
    return 0;
}
