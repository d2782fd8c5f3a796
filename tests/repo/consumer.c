/** A user of the installed library: install.sh builds and runs it by CMake and by pkg-config. */
#include <stdio.h>
#include <string.h>

#include <scantle/error.h>

int main(void)
{
    if (strcmp(sc_status_name(SC_EPARSE), "parse error") != 0) {
        fprintf(stderr, "unexpected name: %s\n", sc_status_name(SC_EPARSE));
        return 1;
    }
    return 0;
}
