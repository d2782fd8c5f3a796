/* JSON: an accepted value is written and must come back equal. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *v = NULL, *again = NULL;
    char *text = NULL;
    if (sc_json_parse(&v, "fuzz.json", (const char *)data, size) != SC_OK)
        return 0;
    for (int pretty = 0; pretty < 2; pretty++) {
        if (sc_json_write(&text, v, pretty) != SC_OK ||
            sc_json_parse(&again, "again.json", text, strlen(text)) != SC_OK ||
            !json_equal(v, again))
            abort();
        sc_free(text);
        json_decref(again);
    }
    json_decref(v);
    return 0;
}
