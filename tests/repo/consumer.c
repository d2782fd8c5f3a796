/** A user of the installed library: install.sh builds and runs it by CMake and by pkg-config. */
#include <stdio.h>
#include <string.h>

#include <scantle/design.h>
#include <scantle/error.h>

/* argv[1]: the data folder, for a static library, which cannot find itself. */
int main(int argc, char **argv)
{
    sc_design *design = NULL;
    if (argc > 1 && sc_data_dir_set(argv[1]) != SC_OK)
        return 1;
    if (strcmp(sc_status_name(SC_EPARSE), "parse error") != 0) {
        fprintf(stderr, "unexpected name: %s\n", sc_status_name(SC_EPARSE));
        return 1;
    }
    /* the data was moved together with a shared library, and is found without being told */
    if (sc_design_open(&design, "fast") != SC_OK) {
        fprintf(stderr, "%s\n", sc_error_message());
        return 1;
    }
    sc_design_destroy(design);
    return 0;
}
