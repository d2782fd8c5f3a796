#ifndef MODEL_COUNT_REFERENCE_IMPORT_H
#define MODEL_COUNT_REFERENCE_IMPORT_H
/** Inside the counting room: what was read from the reference tool's files, written in our forms.
 */
#include "core/buf.h"
#include "model/count/reference_arch.h"
#include "model/count/reference_case.h"
#include "model/count/reference_files.h"
#include "scantle/reference.h"

enum { SC_REFERENCE_NOTES = 64 };

/** Sentences on what was assumed, or could not be said in our forms. */
typedef struct sc_reference_notes {
    size_t n;
    char *text[SC_REFERENCE_NOTES];
    sc_status status; /* SC_OK, or SC_ENOMEM */
} sc_reference_notes;

void sc_reference_note(sc_reference_notes *notes, const char *fmt, ...) SC_PRINTF(2, 3);
void sc_reference_notes_clear(sc_reference_notes *notes);

/** Everything read. */
typedef struct sc_reference_input {
    bool has_architecture, has_problem;
    sc_reference_case c;
    sc_reference_origin origin;
    double
        area_um2[SC_MAX_LEVELS + 1]; /* by an area table, of one instance; last: a MAC; 0: none */
} sc_reference_input;

/** sc_reference_import() of files that are open; they stay the caller's to close. */
sc_status sc_reference_import_files(sc_reference_export *out, sc_reference_files *f) SC_MUST_USE;

/** A name that our forms take unquoted: other characters become _. */
void sc_reference_plain_name(char out[SC_NAME_LEN], const char *name);

/** The same for every level, each once; the last is the compute units'. */
typedef char sc_reference_names[SC_MAX_LEVELS + 1][SC_NAME_LEN];
void sc_reference_level_names(sc_reference_names names, const sc_arch *a);

/** Bits of an operand of the compute units. */
uint32_t sc_reference_precision(const sc_reference_input *in);

/** The architecture as a platform (docs/formats/template.md), and, where the file has an energy
 *  table, the energies as one of 64-bit accesses. @return false if our form cannot hold it; the
 *  notes say why. */
bool sc_reference_write_platform(sc_buf *platform, sc_buf *energies, const sc_reference_input *in,
                                 sc_reference_notes *notes);

/** The problem as a network of one op (docs/formats/workload.md), and, where they are there and can
 *  be said of that op, the mapping (docs/formats/mapping.md) and the constraints
 *  (docs/formats/constraints.md); empty otherwise. @return as above. */
bool sc_reference_write_network(sc_buf *network, sc_buf *mapping, sc_buf *constraints,
                                const sc_reference_input *in, sc_reference_notes *notes);
#endif
