#include "scantle/error.h"

#include <stdarg.h>
#include <stdio.h>

/* Fixed buffer: recording an out-of-memory failure must not itself allocate. */
static _Thread_local char message[8192];

const char *sc_status_name(sc_status s)
{
    switch (s) { /* no default: -Wswitch then flags a status added without a name */
    case SC_OK: return "ok";
    case SC_ENOMEM: return "out of memory";
    case SC_EINVAL: return "invalid argument";
    case SC_EPARSE: return "parse error";
    case SC_EIO: return "i/o error";
    case SC_ESTORE: return "store error";
    case SC_ERANGE: return "out of range";
    case SC_ECANCEL: return "cancelled";
    case SC_EBUG: return "internal error";
    case SC_ENOTFOUND: return "not found";
    }
    return "unknown status";
}

const char *sc_error_message(void)
{
    return message;
}

sc_status sc_fail(sc_status s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    return s;
}
