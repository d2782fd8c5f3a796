/* Expressions: what compiles is evaluated; what does not has its fault within the text. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const labels[] = {"private", "shared", "a b"};
    static const sc_symbol symbols[] = {
        {"x", NULL, 0}, {"mode", labels, 3}, {"pes_x", NULL, 0}, {"l2.size", NULL, 0}};
    static const double values[2][4] = {{3, 1, 128, 0}, {0, 2, -1.5, 1e300}};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    sc_expr *e = NULL;
    size_t at = 0;
    if (sc_expr_compile(&e, text, symbols, 4, &at) == SC_OK) {
        for (int i = 0; i < 2; i++)
            if (isinf(sc_expr_eval(e, values[i])))
                abort();
        if (strcmp(sc_expr_text(e), text) != 0)
            abort();
        sc_expr_destroy(e);
    } else if (at > strlen(text)) {
        abort();
    }
    free(text);
    return 0;
}
