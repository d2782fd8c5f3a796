/* Constraint files: whatever the text, nothing but limits that a mapping can be held against. */
#include "count_make.h"
#include "fuzz.h"
#include "model/count/constraints_yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sc_einsum e = count_einsum("N8 K8 P8 C8", "I N,P,C", "W K,C", "O N,P,K");
    uint64_t seed = 1;
    const sc_arch a = count_random_arch(&seed, 3, 8);
    const sc_mapping m = count_random_mapping(&seed, &e, &a);
    sc_map_constraints c;
    sc_yaml *y = NULL;
    if (sc_yaml_parse(&y, "fuzz", (const char *)data, size) != SC_OK)
        return 0;
    if (sc_map_constraints_read(&c, sc_yaml_root(y), &e, &a))
        (void)sc_map_constraints_check(&c, &m, &e);
    sc_yaml_close(y);
    return 0;
}
