/* A saved state of an optimiser. Identity and checksum are put right first, since no fuzzer guesses
 * them; what is then accepted must be usable and save to the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "../search_cases.h"
#include "core/hash.h"
#include "core/mem.h"
#include "fuzz.h"

/* Holds in every build, other than assert(). */
static void must(bool holds)
{
    if (!holds)
        abort();
}

enum { HEAD = 28, CHECKSUM = 8, MOST = 1 << 16 };

static void put_checksum(unsigned char *bytes, size_t n)
{
    const uint64_t sum = sc_hash64_of(bytes, n - CHECKSUM);
    for (size_t i = 0; i < CHECKSUM; i++)
        bytes[n - CHECKSUM + i] = (unsigned char)(sum >> 8 * i);
}

/* The told points of light inputs: always the same five. */
static sc_status get(void *payload, uint64_t i, sc_trial *trial)
{
    static const uint32_t told[5][CASE_PARAMS] = {
        {0, 0, 0, 0, 0, 2}, {1, 1, 0, 0, 1, 2}, {2, 2, 0, 0, 2, 2}, {3, 3, 1, 1, 2, 1}, {3, 4}};
    *trial = case_trial(told[i], payload);
    return SC_OK;
}

static void use(sc_optimizer *o, sc_save what, const sc_history *history)
{
    uint32_t points[CASE_BATCH * CASE_PARAMS];
    unsigned char *bytes = NULL, *again = NULL;
    size_t n = 0, m = 0;
    sc_stop why;

    if (sc_optimizer_save(o, what, &bytes, &n) != SC_OK)
        return;
    const sc_status st = sc_optimizer_load(o, bytes, n, history);
    must(st == SC_OK);
    if (sc_optimizer_save(o, what, &again, &m) == SC_OK)
        must(n == m && memcmp(bytes, again, n) == 0);
    for (int i = 0; i < 3; i++) {
        const sc_status told = case_tell(o, points, case_ask(o, CASE_BATCH, points, &why));
        must(told == SC_OK);
    }
    sc_free(bytes);
    sc_free(again);
}

static void load(const char *name, const uint8_t *data, size_t size)
{
    double objectives[CASE_OBJECTIVES];
    const sc_history five = {5, get, objectives};
    unsigned char *bytes = sc_malloc(size), *head = NULL;
    sc_optimizer *o = NULL;
    size_t n = 0;

    if (bytes && sc_optimizer_create(&o, name, &case_problem, 1, NULL) == SC_OK &&
        sc_optimizer_save(o, SC_SAVE_WHOLE, &head, &n) == SC_OK) {
        memcpy(bytes, data, size);
        const uint32_t what = bytes[8] % 2;
        memcpy(bytes, head, HEAD);
        bytes[8] = (unsigned char)what;
        put_checksum(bytes, size);
        const sc_history *history = what == SC_SAVE_LIGHT ? &five : NULL;
        if (sc_optimizer_load(o, bytes, size, history) == SC_OK)
            use(o, (sc_save)what, history);
    }
    sc_optimizer_destroy(o);
    sc_free(bytes);
    sc_free(head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"random",    "sobol",   "grid", "nsga2", "cmaes",    "tpe",
                                        "evolution", "firefly", "lcs",  "gp",    "portfolio"};
    sc_optimizer *o = NULL;

    /* as it is: never accepted without the right identity, never harmful */
    if (sc_optimizer_create(&o, "nsga2", &case_problem, 1, NULL) == SC_OK)
        (void)!sc_optimizer_load(o, data, size, NULL);
    sc_optimizer_destroy(o);
    if (size > HEAD + CHECKSUM && size < MOST)
        load(names[data[0] % (sizeof names / sizeof *names)], data, size);
    must(sc_mem_live() == 0);
    return 0;
}
