/* One file of the reference tool with any sections, imported: read, counted, reported and written
 * in our forms. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "model/count/reference_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_reference_files f = {.n = 0};
    sc_reference_export e;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    (void)sc_reference_files_add_text(&f, "fuzz", text, size);
    if (sc_reference_import_files(&e, &f) == SC_OK)
        sc_reference_export_clear(&e);
    sc_reference_files_close(&f);
    free(text);
    return 0;
}
