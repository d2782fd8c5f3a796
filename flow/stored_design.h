#ifndef FLOW_STORED_DESIGN_H
#define FLOW_STORED_DESIGN_H
/** What the file of a stored study says of its trials. */
#include "core/yaml.h"

/** The i-th network as the study's file names it; NULL past the last. */
const char *sc_stored_network_name(const sc_yaml *config, size_t i);
#endif
