#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

/* Only what is safe inside a signal handler. */
static void on_signal(int number)
{
    static const char text[] =
        "\nscantle: finishing what is in flight; once more to stop at once\n";
    int kept = errno;

    (void)number;
    interrupted = 1;
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        errno = 0; /* nobody is there to read it */
    errno = kept;
}

void sc_cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    (void)sigemptyset(&action.sa_mask);
    (void)sigaddset(&action.sa_mask, SIGINT);
    (void)sigaddset(&action.sa_mask, SIGTERM);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool sc_cli_interrupted(void)
{
    return interrupted != 0;
}
