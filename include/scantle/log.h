#ifndef SCANTLE_LOG_H
#define SCANTLE_LOG_H
/**
 * @file scantle/log.h
 * @brief Where the library's messages go: nowhere, until the program sets a sink.
 */
#include "scantle/error.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef enum sc_log_level { SC_LOG_WARNING, SC_LOG_INFO, SC_LOG_DEBUG } sc_log_level;

/** Takes one message: a line without its end, free of control characters. May be called from
 *  several threads at once. */
typedef void (*sc_log_fn)(sc_log_level level, const char *line, void *payload);

/** Set the sink for the whole process; NULL = silence. Call before any thread is started. */
SC_API void sc_log_set(sc_log_fn sink, void *payload);
#ifdef __cplusplus
}
#endif
#endif
