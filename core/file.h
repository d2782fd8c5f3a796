#ifndef CORE_FILE_H
#define CORE_FILE_H
#include <stdbool.h>
#include <stddef.h>

#include "scantle/error.h"
#include "scantle/text.h" /* sc_file_write */

/** Whole file, gunzipped if it is gzip, NUL appended. Directories, FIFOs and files over max_bytes
 *  (after unpacking, so gzip bombs too) are refused. Free with sc_free.
 *  @return SC_OK; SC_EIO naming the path and reason; SC_ENOMEM. */
sc_status sc_file_read(char **out, size_t *length, const char *path, size_t max_bytes) SC_MUST_USE;

bool sc_file_exists(const char *path);
/** Join folder and a relative name; NULL on out of memory. Free with sc_free. */
char *sc_path_join(const char *folder, const char *name);
#endif
