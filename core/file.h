#ifndef CORE_FILE_H
#define CORE_FILE_H
/** Whole files: bounded reading with gzip unpacked, and writing that is all or nothing. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#include "scantle/text.h" /* sc_file_write, which is public */

/**
 * Whole file, gunzipped if it is gzip (by its first bytes, whatever its name), NUL appended.
 * @param[out] out     free with sc_free.
 * @param[out] length  bytes without the NUL.
 * @param max_bytes    cap on the file and on what it unpacks to, so gzip bombs are refused.
 * @return SC_OK; SC_ENOTFOUND if there is no such file; SC_EPARSE as `path:1:1: error: ...` for a
 *         directory, FIFO, device or socket, a file over the cap, broken gzip; SC_EIO if the
 *         system refuses, naming path and reason; SC_ENOMEM.
 */
sc_status sc_file_read(char **out, size_t *length, const char *path, size_t max_bytes) SC_MUST_USE;

/**
 * Open a file for reading in pieces, so that a file larger than memory can be looked through.
 * @param[out] fd    to be closed with sc_file_close().
 * @param[out] size  bytes it has now.
 * @return SC_OK; SC_ENOTFOUND; SC_EPARSE for what is no regular file; SC_EIO.
 */
sc_status sc_file_open(int *fd, uint64_t *size, const char *path) SC_MUST_USE;
/** Read n bytes at an offset. @return SC_OK; SC_EIO, also for a file that ends before. */
sc_status sc_file_read_at(void *out, size_t n, int fd, uint64_t offset,
                          const char *path) SC_MUST_USE;
void sc_file_close(int fd); /**< a negative one is fine */

/** Whether something stands under that name, of whatever kind. */
bool sc_file_exists(const char *path);

/** Join folder and name; an absolute name, or a folder of "", gives the name alone. NULL on out of
 *  memory. Free with sc_free. */
char *sc_path_join(const char *folder, const char *name);

/** Folder of a path as sc_path_join takes it: "a/b" for "a/b/c.yaml", "" for "c.yaml", "/" for
 *  "/c". NULL on out of memory. Free with sc_free. */
char *sc_path_folder(const char *path);
#endif
