/* Any bytes as a study file: what is accepted has a space whose size and hash can be asked for. */
#include <stdlib.h>

#include "flow/study.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sc_study *s = NULL;
    char *json = NULL, id[33];
    if (sc_data_dir_set(SCANTLE_SOURCE_DIR "/configs") != SC_OK)
        abort();
    if (sc_study_parse(&s, "fuzz", (const char *)data, size) != SC_OK)
        return 0;
    sc_study_id(id, s);
    if (sc_study_space_json(&json, s) == SC_OK)
        sc_release(json);
    sc_study_close(s);
    return 0;
}
