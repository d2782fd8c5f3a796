#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H
/**
 * Ctrl-C in two stages, for runs that can go on later. The first SIGINT or SIGTERM lets what is in
 * flight finish; the second one ends the process as if nothing were caught, which loses nothing
 * that was committed.
 */
#include <stdbool.h>

void sc_cli_catch_interrupts(void);
/** Whether the first one came. */
bool sc_cli_interrupted(void);
#endif
