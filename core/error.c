#include "scantle/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/locale.h"
#include "core/text.h"

enum { MESSAGE_BYTES = 8192 };

/* Fixed buffers: recording an out-of-memory failure must not itself allocate. */
static _Thread_local char message[MESSAGE_BYTES];

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

sc_status(sc_fail)(sc_status s, const char *fmt, ...) /* the analyser has a macro of that name */
{
    static _Thread_local char fresh[MESSAGE_BYTES]; /* the arguments may include the old message */
    const sc_locale locale = sc_locale_enter_c();
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(fresh, sizeof fresh, fmt, ap);
    va_end(ap);
    sc_locale_leave(locale);
    sc_text_defuse(fresh, "\n"); /* several errors stand on a line each */
    memcpy(message, fresh, strlen(fresh) + 1);
    return s;
}
