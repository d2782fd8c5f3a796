/* Time to open each built-in network, and to write and read it as YAML. Run by hand. */
#include <stdio.h>
#include <string.h>

#include "core/run.h"
#include "workloads/yaml_form.h"

enum { REPEATS = 20 };

static double best_open_ms(const char *name)
{
    double best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        sc_workload *w = NULL;
        const double start = sc_now();
        if (sc_workload_open(&w, name) != SC_OK)
            return -1;
        const double ms = 1e3 * (sc_now() - start);
        best = ms < best ? ms : best;
        sc_workload_destroy(w);
    }
    return best;
}

static double read_ms(const char *name)
{
    sc_workload *w = NULL, *back = NULL;
    sc_yaml *doc = NULL;
    char *text = NULL;
    double ms = -1;
    if (sc_workload_open(&w, name) != SC_OK || sc_workload_yaml(&text, w) != SC_OK)
        goto done;
    const double start = sc_now();
    if (sc_yaml_parse(&doc, name, text, strlen(text)) == SC_OK &&
        sc_workload__yaml_read(&back, doc) == SC_OK)
        ms = 1e3 * (sc_now() - start);
done:
    sc_yaml_close(doc);
    sc_workload_destroy(back);
    sc_workload_destroy(w);
    sc_release(text);
    return ms;
}

int main(void)
{
    const char *name;
    double worst = 0;
    printf("%-24s %10s %14s\n", "network", "open, ms", "from YAML, ms");
    for (size_t i = 0; (name = sc_workload_builtin(i)) != NULL; i++) {
        const double open = best_open_ms(name), read = read_ms(name);
        printf("%-24s %10.3f %14.3f\n", name, open, read);
        worst = open > worst ? open : worst;
    }
    printf("slowest to open: %.3f ms\n", worst);
    return 0;
}
