/** A user of the installed library: install.sh builds and runs it by CMake and by pkg-config. */
#include <stdio.h>
#include <string.h>

#include <scantle/design.h>
#include <scantle/error.h>

int main(void)
{
    sc_design *design = NULL;
    if (strcmp(sc_status_name(SC_EPARSE), "parse error") != 0) {
        fprintf(stderr, "unexpected name: %s\n", sc_status_name(SC_EPARSE));
        return 1;
    }
    /* the data was moved together with the library, and is found without being told */
    if (sc_design_open(&design, "fast") != SC_OK) {
        fprintf(stderr, "%s\n", sc_error_message());
        return 1;
    }
    sc_design_destroy(design);
    return 0;
}
