#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static struct {
    bool color;
    int verbose;
    bool line_open; /* a progress line stands on the terminal */
} state;

void sc_cli_message_setup(bool color, int verbose)
{
    state.color = color;
    state.verbose = verbose;
}

void sc_cli_status_line(const char *text)
{
    if (text == NULL && !state.line_open)
        return;
    fputs("\r\033[K", stderr);
    if (text != NULL)
        sc_cli_put_safe(stderr, text);
    fflush(stderr);
    state.line_open = text != NULL;
}

/* The ": error: " or ": warning: " of a line that says where (file:line:column or file), else NULL.
 */
static const char *placed_word(const char *line, size_t n)
{
    static const char *const words[] = {": error: ", ": warning: "};
    for (size_t w = 0; w < 2; w++) {
        size_t length = strlen(words[w]);
        for (size_t i = 1; i + length <= n; i++)
            if (strncmp(line + i, words[w], length) == 0)
                return line + i;
    }
    return NULL;
}

static void put_label(const char *label)
{
    bool bad = strcmp(label, "error") == 0;
    if (state.color)
        fputs(bad ? "\033[1;31m" : "\033[1;33m", stderr);
    fprintf(stderr, "%s:", label);
    if (state.color)
        fputs("\033[0m", stderr);
    fputc(' ', stderr);
}

/* "scantle: error: text" */
static void put_own(const char *label, const char *text, size_t n)
{
    fputs("scantle: ", stderr);
    put_label(label);
    sc_cli_put_safe_n(stderr, text, n);
    fputc('\n', stderr);
}

/* A line of the library that says where, as it is but for colour and escapes. @return false if it
 * says no place. */
static bool put_placed(const char *line, size_t n)
{
    const char *word = placed_word(line, n);
    if (word == NULL)
        return false;
    const char *rest = strchr(word + 2, ':') + 2;
    sc_cli_put_safe_n(stderr, line, (size_t)(word - line));
    fputs(": ", stderr);
    put_label(word[2] == 'e' ? "error" : "warning");
    sc_cli_put_safe_n(stderr, rest, n - (size_t)(rest - line));
    fputc('\n', stderr);
    return true;
}

/* A line that says no place: the message begins with it, or it goes on with the line before. */
static void put_plain(const char *label, const char *line, size_t n, bool first)
{
    if (first) {
        put_own(label, line, n);
        return;
    }
    sc_cli_put_safe_n(stderr, line, n);
    fputc('\n', stderr);
}

/* The library reports every mistake of a file in one message, one a line. */
static void put_lines(const char *label, const char *text)
{
    const char *line = text;
    sc_cli_status_line(NULL);
    while (*line != '\0') {
        size_t n = strcspn(line, "\n");
        if (!put_placed(line, n))
            put_plain(label, line, n, line == text);
        line += n + (line[n] == '\n');
    }
}

enum { MESSAGE_BYTES = 16384 }; /* twice the library's longest */

#define FORMAT_INTO(buffer, fmt)                                                                   \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, fmt);                                                                       \
        (void)vsnprintf(buffer, sizeof(buffer), fmt, args);                                        \
        va_end(args);                                                                              \
    } while (0)

void sc_cli_error(const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    FORMAT_INTO(text, fmt);
    sc_cli_status_line(NULL);
    put_own("error", text, strlen(text));
}

void sc_cli_warning(const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    if (state.verbose < 0)
        return;
    FORMAT_INTO(text, fmt);
    sc_cli_status_line(NULL);
    put_own("warning", text, strlen(text));
}

void sc_cli_note(const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    if (state.verbose < 0)
        return;
    FORMAT_INTO(text, fmt);
    sc_cli_status_line(NULL);
    sc_cli_put_safe(stderr, text);
    fputc('\n', stderr);
}

void sc_cli_log(sc_log_level level, const char *line, void *payload)
{
    (void)payload;
    if (level == SC_LOG_WARNING && state.verbose >= 0)
        put_lines("warning", line);
    else if (state.verbose >= (level == SC_LOG_INFO ? 1 : 2))
        sc_cli_note("%s", line);
}

static int exit_code(sc_status st, bool reading_input)
{
    switch (st) {
    case SC_OK: return SC_EXIT_OK;
    case SC_ENOMEM:
    case SC_EBUG: return SC_EXIT_INTERNAL;
    case SC_EIO: return reading_input ? SC_EXIT_USAGE : SC_EXIT_INTERNAL;
    case SC_EINVAL:
    case SC_EPARSE:
    case SC_ERANGE:
    case SC_ENOTFOUND: return SC_EXIT_USAGE;
    case SC_ESTORE: return SC_EXIT_STORE;
    case SC_ECANCEL: return SC_EXIT_STOPPED;
    }
    return SC_EXIT_INTERNAL;
}

static int fail(sc_status st, bool reading_input)
{
    const char *text = sc_error_message();
    if (*text != '\0')
        put_lines("error", text);
    else
        sc_cli_error("%s", sc_status_name(st));
    return exit_code(st, reading_input);
}

int sc_cli_fail(sc_status st)
{
    return fail(st, false);
}

int sc_cli_fail_input(sc_status st)
{
    return fail(st, true);
}
