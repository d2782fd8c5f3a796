/* The file of a surrogate. The heading and the checksum are put right first, since no fuzzer
 * guesses them; what is then accepted must forecast, and save to bytes that are read back the same.
 *
 * Even first byte: the rest stands between heading and checksum as it is. Odd: a good file with
 * bytes changed, four bytes of input each (offset in three, lowest first, and the value); a fifth
 * of the offsets' range past the end cuts the file. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/mem.h"
#include "fuzz.h"
#include "surrogate/ensemble.h"

enum { ROWS = 40, CHECKSUM = 8, MOST = 1 << 20, EDIT = 4, EDITS = 256 };

/* Made once: a file that learning wrote. malloc'ed, so that the count of live memory stays 0. */
static unsigned char *good;
static size_t good_size, heading;
static char folder[64], path[sizeof folder + 8];

/* Holds in every build, other than assert(). */
static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Every kind of feature; a fifth of the rows infeasible. */
static sc_dataset *make_log(void)
{
    static const sc_column columns[] = {{"real", SC_COLUMN_REAL},     {"log", SC_COLUMN_LOG},
                                        {"level", SC_COLUMN_ORDINAL}, {"label", SC_COLUMN_LABEL},
                                        {"time", SC_COLUMN_TARGET},   {"ok", SC_COLUMN_FEASIBLE}};
    sc_dataset *d = NULL;
    must(sc_dataset_create(&d, columns, sizeof columns / sizeof *columns, 0) == SC_OK);
    for (int i = 0; i < ROWS; i++) {
        const double cells[] = {i % 7, 1 << i % 5, i % 3, i % 4, 1 + i % 7 * (i % 5), i % 5 > 0};
        must(sc_dataset_add(d, cells, 1) == SC_OK);
    }
    return d;
}

static void number_rows(uint32_t *row)
{
    for (uint32_t i = 0; i < ROWS; i++)
        row[i] = i;
}

static void forget(void)
{
    (void)unlink(path);
    (void)rmdir(folder);
    free(good);
}

/* Learn the good file and keep its bytes; its heading ends with the first line. */
static void make_good(void)
{
    sc_ensemble_options o = SC_ENSEMBLE_OPTIONS_INIT;
    sc_ensemble_report report;
    sc_ensemble *e = NULL;
    sc_dataset *d = make_log();
    char *bytes = NULL;
    uint32_t row[ROWS];

    /* saving waits for the disk: 60 inputs a second instead of thousands where it is a real one */
    (void)snprintf(folder, sizeof folder, "%s/fuzz_surrogate_XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    must(mkdtemp(folder) != NULL);
    (void)snprintf(path, sizeof path, "%s/model", folder);
    (void)atexit(forget);
    number_rows(row);
    o.fit.width = 4;
    o.fit.epochs = 2;
    o.members = 2;
    o.folds = 2;
    o.threads = 1;
    must(sc_ensemble_learn(&e, &report, d, row, ROWS, &o) == SC_OK);
    must(sc_ensemble_save(e, path) == SC_OK);
    must(sc_file_read(&bytes, &good_size, path, MOST) == SC_OK);
    good = malloc(good_size);
    must(good != NULL);
    memcpy(good, bytes, good_size);
    const unsigned char *end = memchr(good, '\n', good_size);
    must(end != NULL);
    heading = (size_t)(end - good) + 1;
    sc_free(bytes);
    sc_ensemble_destroy(e);
    sc_dataset_destroy(d);
}

/* Write n bytes as the file, without the steps that make sc_file_write() outlast a loss of power.
 */
static void put_file(const unsigned char *bytes, size_t n)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    must(close(fd) == 0);
}

static void use(const sc_ensemble *e)
{
    sc_forecast forecast[ROWS];
    uint32_t row[ROWS];
    sc_ensemble *again = NULL;
    char *first = NULL, *second = NULL;
    size_t n = 0, m = 0;
    sc_dataset *d = make_log();

    number_rows(row);
    (void)!sc_ensemble_predict(forecast, e, d, row, ROWS, 1);
    must(sc_ensemble_save(e, path) == SC_OK);
    must(sc_file_read(&first, &n, path, 2 * MOST) == SC_OK);
    must(sc_ensemble_open(&again, path) == SC_OK);
    must(sc_ensemble_save(again, path) == SC_OK);
    must(sc_file_read(&second, &m, path, 2 * MOST) == SC_OK);
    must(n == m && memcmp(first, second, n) == 0);
    sc_free(first);
    sc_free(second);
    sc_ensemble_destroy(again);
    sc_dataset_destroy(d);
}

/* The file that the input means, without its checksum; its length. */
static size_t compose(unsigned char *out, const uint8_t *data, size_t size)
{
    const size_t most = good_size - CHECKSUM;
    size_t n = most;
    memcpy(out, good, most);
    if (data[0] % 2 == 0) {
        n = size - 1 < MOST - heading ? size - 1 : MOST - heading;
        memcpy(out + heading, data + 1, n);
        return heading + n;
    }
    for (size_t i = 1, k = 0; i + EDIT <= size && k < EDITS; i += EDIT, k++) {
        const size_t offset = data[i] + ((size_t)data[i + 1] << 8) + ((size_t)data[i + 2] << 16);
        const size_t at = offset % (most + most / 5 + 1);
        if (at < most)
            out[at] = data[i + 3];
        else
            n = heading + (at - most) * 5 % (most - heading);
    }
    memcpy(out, good, heading);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char bytes[MOST + CHECKSUM];
    sc_ensemble *e = NULL;

    if (!good)
        make_good();
    if (size == 0 || size > MOST)
        return 0;
    put_file(data, size); /* as it is: hardly ever with the right checksum */
    if (sc_ensemble_open(&e, path) == SC_OK)
        use(e);
    sc_ensemble_destroy(e);
    e = NULL;
    const size_t n = compose(bytes, data, size);
    const uint64_t sum = sc_hash64_of(bytes, n);
    for (size_t i = 0; i < CHECKSUM; i++)
        bytes[n + i] = (unsigned char)(sum >> 8 * i);
    put_file(bytes, n + CHECKSUM);
    if (sc_ensemble_open(&e, path) == SC_OK)
        use(e);
    sc_ensemble_destroy(e);
    must(sc_mem_live() == 0);
    return 0;
}
