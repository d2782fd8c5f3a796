#ifndef STORE_SUPPORT_H
#define STORE_SUPPORT_H
/** A scratch folder, a study and its trials for the tests of the store. */
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/** cmocka group fixtures: *state is the path of a new folder, removed with its files afterwards. */
int support_folder(void **state);
int support_remove_folder(void **state);

/** Path of a file in that folder; one static buffer of eight, in turn. An old file of the name and
 *  what SQLite puts beside it is removed. */
const char *support_path(void **state, const char *name);
/** The same without removing. */
const char *support_old_path(void **state, const char *name);

/** "alpha", two parameters, objectives perf (max) and energy_j (min), recorded area_mm2. */
sc_store_study support_study(sc_store_keep keep);

/** Trial i of that study: a pure function of i, some of each state. Pointers live until the next
 *  call. */
enum { SUPPORT_VALUES = 3 };
const sc_store_trial *support_trial(uint64_t i);
/** A cached result, a pure function of i. */
const sc_store_result *support_result(uint64_t i);

sc_store *support_open(const char *path, sc_store_mode mode);
sc_store_writer *support_writer(sc_store *s, sc_store_keep keep);
/** One batch with the trials first .. end - 1, their results and a checkpoint. */
void support_tell(sc_store *s, sc_store_writer *w, uint64_t first, uint64_t end);

/** Export of the study as text; free with sc_release. */
char *support_export(sc_store *s, sc_store_format format);
/** Run SQL with a plain handle, past the store. */
void support_sql(const char *path, const char *sql);
/** Number of faults that verify reports. */
uint64_t support_faults(sc_store *s);

#define assert_ok(call) assert_int_equal(call, SC_OK)
/** The call fails with that status and a message that contains text. */
#define assert_fails(call, status, text)                                                           \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        if (!strstr(sc_error_message(), text))                                                     \
            fail_msg("'%s' is not in '%s'", text, sc_error_message());                             \
    } while (0)
#endif
