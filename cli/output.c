#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "scantle/text.h"
#include "text.h"

static bool color_out;

void sc_cli_guard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
            continue;
        /* opened against its use: reading or writing still fails, as on the closed stream */
        if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(SC_EXIT_INTERNAL);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a write past `ulimit -f` fails as on a full disk */
}

static bool wants_color(int when, int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (when != SC_CLI_COLOR_AUTO)
        return when == SC_CLI_COLOR_ALWAYS;
    if (no_color != NULL && *no_color != '\0')
        return false;
    return isatty(fd) == 1 && term != NULL && strcmp(term, "dumb") != 0;
}

void sc_cli_setup_streams(const sc_cli_globals *globals)
{
    color_out = wants_color(globals->color, STDOUT_FILENO);
    sc_cli_message_setup(wants_color(globals->color, STDERR_FILENO),
                         globals->quiet ? -1 : globals->verbose);
    sc_log_set(sc_cli_log, NULL);
}

bool sc_cli_color_out(void)
{
    return color_out;
}

bool sc_cli_progress_wanted(const sc_cli_globals *globals)
{
    return !globals->no_progress && !globals->quiet && isatty(STDERR_FILENO) == 1;
}

void sc_cli_put_line(const char *text)
{
    size_t n = strlen(text);
    fputs(text, stdout);
    if (n == 0 || text[n - 1] != '\n')
        fputc('\n', stdout);
}

void sc_cli_put_lines(const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        sc_cli_put_safe_n(stdout, text, n);
        fputc('\n', stdout);
        text += n + (text[n] == '\n');
    }
}

int sc_cli_write(const char *path, const char *text)
{
    if (path == NULL || strcmp(path, "-") == 0) {
        sc_cli_put_line(text);
        return SC_EXIT_OK; /* what was lost shows in sc_cli_finish */
    }
    sc_status st = sc_file_write(path, text, strlen(text));
    return st == SC_OK ? SC_EXIT_OK : sc_cli_fail(st);
}

static bool is_same_file(const struct stat *output, const char *path)
{
    struct stat other;
    return path != NULL && stat(path, &other) == 0 && other.st_dev == output->st_dev &&
           other.st_ino == output->st_ino;
}

static const char *text_of(const sc_cli *cli, const sc_cli_option *o)
{
    return *(const char *const *)((const char *)cli->values + o->offset);
}

/* The input that an output file would take the place of: an argument, the file of an option, the
 * database; NULL if none. */
static const char *input_at(const sc_cli *cli, const char *path, const char *database)
{
    struct stat output;
    if (stat(path, &output) != 0)
        return NULL;
    for (size_t i = 0; i < cli->n_operands; i++)
        if (is_same_file(&output, cli->operand[i]))
            return "an argument";
    for (const sc_cli_option *o = cli->command->options; o->name != NULL; o++)
        if (o->kind == SC_CLI_FILE && is_same_file(&output, text_of(cli, o)))
            return "the file of another option";
    return is_same_file(&output, database) ? "the database" : NULL;
}

int sc_cli_try_outputs(const sc_cli *cli, const char *database)
{
    for (const sc_cli_option *o = cli->command->options; o != NULL && o->name != NULL; o++) {
        const char *path = o->kind == SC_CLI_OUTPUT ? text_of(cli, o) : NULL;
        if (path == NULL || strcmp(path, "-") == 0)
            continue;
        const char *input = input_at(cli, path, database);
        if (input != NULL) {
            sc_cli_error("--%s: '%s' is %s, which would be lost: write to another file", o->name,
                         path, input);
            return SC_EXIT_USAGE;
        }
        const sc_status st = sc_file_may_write(path);
        if (st != SC_OK)
            return sc_cli_fail(st);
    }
    return SC_EXIT_OK;
}

/* Whether the other end of the pipe on standard output is closed, as `| head` leaves it. */
static bool reader_left(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* End as a program that has no SIGPIPE handler: whoever closed the pipe wants no more, and nothing
 * is said. Only here, so that a search goes on whose messages nobody reads any more. */
static int end_by_signal(void)
{
    (void)signal(SIGPIPE, SIG_DFL);
    (void)raise(SIGPIPE);
    return 128 + SIGPIPE; /* the signal is blocked */
}

int sc_cli_finish(int code)
{
    sc_cli_status_line(NULL);
    bool lost = ferror(stdout) != 0; /* the reason is gone by now */
    bool claims = code == SC_EXIT_OK || code == SC_EXIT_INFEASIBLE;
    errno = 0;
    bool failed = fflush(stdout) != 0 || (!lost && fclose(stdout) != 0);
    if (!lost && !failed)
        return code;
    int reason = errno;
    if (reader_left())
        return claims ? end_by_signal() : code;
    if (failed && reason != 0)
        sc_cli_error("cannot write to standard output: %s", strerror(reason));
    else
        sc_cli_error("cannot write to standard output");
    return claims ? SC_EXIT_INTERNAL : code;
}
