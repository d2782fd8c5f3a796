/* A table of products through the systolic command. */
#include <stdlib.h>
#include <unistd.h>

#include "core/file.h"
#include "fuzz.h"
#include "scantle/systolic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "fuzz_count_systolic_XXXXXX";
    char *csv = NULL;
    const int file = mkstemp(path);
    if (file < 0)
        return 0;
    const int whole = write(file, data, size) == (ssize_t)size;
    (void)close(file);
    if (whole && sc_systolic_csv(&csv, path, NULL) == SC_OK)
        sc_release(csv);
    (void)unlink(path);
    return 0;
}
