/** scantle: parse the command line, set the process up, run one command. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "inputs.h"
#include "message.h"
#include "output.h"
#include "scantle/design.h"
#include "usage.h"
#include "version.h"

/**
 * Where templates and tables lie: $SCANTLE_DATA_DIR; else beside the installed program, wherever
 * that was moved; else in the source tree this build came from; else where the library says.
 */
static sc_status find_data(void)
{
    const char *wanted = getenv("SCANTLE_DATA_DIR");
    char path[PATH_MAX];

    if (wanted != NULL && *wanted != '\0') {
        struct stat info;
        if (stat(wanted, &info) != 0 || !S_ISDIR(info.st_mode))
            return sc_fail(SC_ENOTFOUND, "SCANTLE_DATA_DIR: '%s' is no folder", wanted);
        return sc_data_dir_set(wanted);
    }
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = '\0';
        char *slash = strrchr(path, '/');
        size_t room = slash != NULL ? sizeof path - (size_t)(slash - path) : 0;
        int length = slash != NULL ? snprintf(slash, room, "/../share/scantle") : -1;
        if (length > 0 && (size_t)length < room && access(path, X_OK) == 0)
            return sc_data_dir_set(path);
    }
    if (access(SC_CLI_SOURCE_CONFIGS, X_OK) == 0)
        return sc_data_dir_set(SC_CLI_SOURCE_CONFIGS);
    return SC_OK;
}

static int run(const sc_cli *cli)
{
    if (cli->globals.help) {
        sc_cli_put_help(stdout, cli->path, cli->depth);
        return SC_EXIT_OK;
    }
    if (cli->globals.version)
        return sc_cli_put_version(cli);
    if (cli->globals.folder != NULL && chdir(cli->globals.folder) != 0) {
        sc_cli_error("cannot change to '%s': %s", cli->globals.folder, strerror(errno));
        return SC_EXIT_USAGE;
    }
    sc_status st = find_data();
    if (st != SC_OK)
        return sc_cli_fail_input(st);
    const int code = sc_cli_try_outputs(cli, sc_cli_database(cli));
    return code == SC_EXIT_OK ? cli->command->run(cli) : code;
}

static void hint(const sc_cli *cli)
{
    fputs("Try '", stderr);
    sc_cli_put_name(stderr, cli->path, cli->depth);
    fputs(" --help'.\n", stderr);
}

int main(int argc, char **argv)
{
    sc_cli cli;
    int code = SC_EXIT_USAGE;

    sc_cli_guard_streams();
    sc_cli_setup_streams(&(sc_cli_globals){0}); /* for what the parser has to say */
    bool understood = sc_cli_parse(&cli, &sc_cli_root, argc, argv);
    sc_cli_setup_streams(&cli.globals);
    if (understood)
        code = run(&cli);
    else
        hint(&cli);
    sc_cli_clear(&cli);
    return sc_cli_finish(code);
}
