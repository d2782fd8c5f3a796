#ifndef CORE_LOCALE_H
#define CORE_LOCALE_H
/** Numbers must look the same whatever the program set with setlocale(): the text of a result or a
 *  config is no place for a decimal comma. */
#include <locale.h>

/** The calling thread's formatting locale, put aside while the C locale is in force. */
typedef struct sc_locale {
    locale_t c, before;
} sc_locale;

/** Enter the C locale in this thread. If the system cannot make one, nothing changes. */
sc_locale sc_locale_enter_c(void);
void sc_locale_leave(sc_locale l);
#endif
