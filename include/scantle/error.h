#ifndef SCANTLE_ERROR_H
#define SCANTLE_ERROR_H
/**
 * @file scantle/error.h
 * @brief Status codes, the failure message, and the macros every public header uses.
 */
#ifdef __GNUC__
#define SC_MUST_USE     __attribute__((warn_unused_result))
#define SC_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define SC_API          __attribute__((visibility("default")))
#else
#define SC_MUST_USE
#define SC_PRINTF(f, a)
#define SC_API
#endif
#ifdef __cplusplus
extern "C" {
#endif

/** Failure classes. Zero is success; every failure is negative. That a design is infeasible or a
 *  run was stopped is an outcome, never one of these. */
typedef enum sc_status {
    SC_OK = 0,
    SC_ENOMEM = -1,   /**< allocation failed */
    SC_EINVAL = -2,   /**< an argument is outside its documented domain */
    SC_EPARSE = -3,   /**< input does not follow its schema; the message has file:line:column */
    SC_EIO = -4,      /**< the operating system refused a read or write */
    SC_ESTORE = -5,   /**< the database is locked, full, corrupt or newer; the message says which */
    SC_ERANGE = -6,   /**< arithmetic left the representable range (count overflow, NaN) */
    SC_ECANCEL = -7,  /**< the caller asked to stop before any result existed */
    SC_EBUG = -8,     /**< an internal invariant broke; please report */
    SC_ENOTFOUND = -9 /**< the thing named does not exist (a built-in, an ID, a study) */
} sc_status;

SC_API const char *sc_status_name(sc_status s);

/** Text of the calling thread's last failure, "" if none; may hold several lines, one error each.
 *  Valid until the thread's next sc_* failure. */
SC_API const char *sc_error_message(void);

/** Record a failure and return @p s, so that `return sc_fail(...)` is one statement.
 *  The message is cut at 8 KiB. Never allocates. */
SC_API sc_status sc_fail(sc_status s, const char *fmt, ...) SC_PRINTF(2, 3);
#ifdef __clang_analyzer__ /* which looks at one file at a time: tell it what is returned */
void sc_fail_says(const char *fmt, ...) SC_PRINTF(1, 2);
#define sc_fail(s, ...) (sc_fail_says(__VA_ARGS__), (s))
#endif

/** Free a text or array that a function of this library handed over. NULL is fine. */
SC_API void sc_release(void *p);
#ifdef __cplusplus
}
#endif
#endif
