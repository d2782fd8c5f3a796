/* A configuration and a topology of the systolic simulator from one input, cut at its first NUL. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "fuzz.h"
#include "workloads/scalesim.h"

static void read_both(const char *config, const char *topology)
{
    sc_scalesim_log log = {.n_errors = 0};
    sc_scalesim_config c;
    sc_builder *b = NULL;
    sc_workload *w = NULL;
    sc_buf platform;
    sc_buf_init(&platform);
    sc_scalesim_read_config(&c, &log, "c", config);
    sc_scalesim_platform(&platform, &c);
    if (sc_builder_create(&b, "fuzz", 1, 8) == SC_OK) {
        sc_scalesim_read_topology(b, &log, "t", topology);
        if (sc_builder_finish(&w, b) == SC_OK)
            sc_workload_destroy(w);
    }
    sc_builder_destroy(b);
    for (size_t i = 0; i < log.n_notes; i++)
        sc_free(log.note[i]);
    sc_buf_clear(&log.errors);
    sc_buf_clear(&platform);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 2);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = text[size + 1] = '\0';
    read_both(text, text + strlen(text) + 1);
    free(text);
    return 0;
}
