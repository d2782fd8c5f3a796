#ifndef MODEL_ARCH_DATA_DIR_H
#define MODEL_ARCH_DATA_DIR_H
/** Where templates, platforms and technology tables are found. */
#include <stdbool.h>
#include <stddef.h>

#include "scantle/error.h"

/** Whether a reference names a file (it has a slash or ends in .yaml or .yml), not a built-in. */
bool sc_data__is_path(const char *reference);

/** A kind of file: what to call it, the data folder's subfolders it lies in, and the built-in names
 *  to suggest. */
typedef struct sc_data_kind {
    const char *what;
    const char *const *folders;
    size_t n_folders;
    const char *const *known;
    size_t n_known;
} sc_data_kind;

/**
 * Path of a referenced YAML file: a path as it is (a relative one as seen from the folder of
 * `beside`, if that is given), a name as NAME.yaml in the first folder that has it. Names hold
 * letters, digits, '-', '_' and '.' only: they cannot leave the folder.
 * @param beside   path of the file that refers, or NULL.
 * @param[out] out free with sc_free.
 * @return SC_OK; SC_ENOTFOUND with a suggestion and the folder looked in; SC_ENOMEM. Whether a path
 *         exists is not looked at.
 */
sc_status sc_data__find(char **out, const char *reference, const sc_data_kind *kind,
                        const char *beside) SC_MUST_USE;
#endif
