#ifndef MODEL_COUNT_REFERENCE_FILES_H
#define MODEL_COUNT_REFERENCE_FILES_H
/** Inside the counting room: the reference tool's files of one input, whose sections may stand in
 *  any of them. */
#include <sys/types.h>

#include "core/buf.h"
#include "core/yaml.h"

enum { SC_REFERENCE_FILES = 128 };

/** Files that are open. Zero it, add paths, close it. */
typedef struct sc_reference_files {
    size_t n;
    char *path[SC_REFERENCE_FILES];
    sc_yaml *doc[SC_REFERENCE_FILES]; /* NULL: could not be read */
    dev_t device[SC_REFERENCE_FILES]; /* with inode: which file it is, whatever its path; 0: none */
    ino_t inode[SC_REFERENCE_FILES];
    sc_buf errors;    /* of what could not be read */
    sc_status status; /* of the first failure */
} sc_reference_files;

/**
 * Open a file, or every .yaml and .yml file in and below a folder, in the order of their names. A
 * file that is open already, under this path or another, is not opened again. What fails is kept in
 * the set, for sc_reference_files_end(): files that a template engine (Jinja, ERB, Mako) has to
 * expand first and libconfig files are told by name, with the place.
 * @return index of the file, SIZE_MAX for a folder or a failure.
 */
size_t sc_reference_files_add(sc_reference_files *f, const char *path);

/** The same for a text in memory, of length bytes with a NUL behind; name stands in messages. */
size_t sc_reference_files_add_text(sc_reference_files *f, const char *name, const char *text,
                                   size_t length);

/** The section under the first of n names that any file has, - and _ alike, files first to last
 *  beginning with `first` (SIZE_MAX: none), which goes over all others; NULL if there is none. If
 *  `once`, a second one, in the same file under another of the names or in another file, is
 * recorded as an error, and empty ones count for nothing. @param[out] doc  its document. */
const sc_node *sc_reference_section(const sc_yaml **doc, const sc_reference_files *f, size_t first,
                                    const char *const *names, size_t n, bool once);

/** Whether every file could be read and is a map of sections: whether a section that is not found
 *  is really missing. */
bool sc_reference_files_whole(const sc_reference_files *f);

/** Check the tags and the sections of all files: those that mean nothing here are warned of,
 * unknown ones are errors. */
void sc_reference_files_check(const sc_reference_files *f);

/** Log the warnings of all files, each text once a file.
 *  @return SC_OK, or the first failure, with every error of every file as the message. */
sc_status sc_reference_files_end(sc_reference_files *f) SC_MUST_USE;

/** Call note on each such warning, as `file:line:column: warning: text`. */
void sc_reference_warnings(const sc_reference_files *f,
                           void (*note)(void *context, const char *line, size_t length),
                           void *context);

void sc_reference_files_close(sc_reference_files *f);
#endif
