#include "core/locale.h"

sc_locale sc_locale_enter_c(void)
{
    sc_locale l = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (l.c)
        l.before = uselocale(l.c);
    return l;
}

void sc_locale_leave(sc_locale l)
{
    if (!l.c)
        return;
    (void)uselocale(l.before);
    freelocale(l.c);
}
