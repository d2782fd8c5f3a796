#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
/**
 * Commands as static tables. One table a command drives parsing, usage text, the manual and shell
 * completion, so that none of them can disagree with another.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scantle/error.h"
#include "scantle/text.h"

/** What an option takes, and the type of the field it fills. */
typedef enum sc_cli_kind {
    SC_CLI_FLAG,     /* nothing; bool */
    SC_CLI_COUNT,    /* nothing, each use adds one; int */
    SC_CLI_TEXT,     /* const char *, NULL if absent */
    SC_CLI_FILE,     /* as text; completes file names */
    SC_CLI_OUTPUT,   /* as file, to write or - for standard output: tried before the command runs */
    SC_CLI_FOLDER,   /* as text; completes folder names */
    SC_CLI_INTEGER,  /* whole number within [min, max]; sc_cli_integer */
    SC_CLI_QUANTITY, /* number with a unit; sc_cli_number */
    SC_CLI_CHOICE,   /* one of `choices`; int, an index, -1 if absent */
    SC_CLI_LIST      /* text, may be given again; sc_cli_list */
} sc_cli_kind;

typedef struct sc_cli_integer {
    bool given;
    uint64_t value;
} sc_cli_integer;

typedef struct sc_cli_number {
    bool given;
    double value; /* SI base units */
} sc_cli_number;

typedef struct sc_cli_list {
    const char **item; /* [n] */
    size_t n;
} sc_cli_list;

/** One option; a table ends with a NULL name. */
typedef struct sc_cli_option {
    const char *name; /* long form without the dashes */
    char letter;      /* short form, 0 = none */
    sc_cli_kind kind;
    const char *argument; /* how usage names the value: "N", "FILE"; NULL for flags */
    size_t offset;        /* of the field in the values */
    const char *help;
    const char *fallback;       /* the default as a user would write it, or NULL */
    const char *const *choices; /* NULL-terminated, of a choice */
    uint64_t min, max;          /* of an integer; max 0 = no limit */
    sc_unit unit;               /* of a quantity */
} sc_cli_option;

/** What a positional argument names; drives completion. */
typedef enum sc_cli_operand_kind {
    SC_CLI_OPERAND_FILE,
    SC_CLI_OPERAND_DESIGN,
    SC_CLI_OPERAND_WORKLOAD,
    SC_CLI_OPERAND_STUDY,
    SC_CLI_OPERAND_CHOICE,
    SC_CLI_OPERAND_TEXT
} sc_cli_operand_kind;

/** One positional argument; a table ends with a NULL name. Optional ones come last. */
typedef struct sc_cli_operand {
    const char *name;
    sc_cli_operand_kind kind;
    bool optional;
    bool many; /* the last of a table: takes all words that are left, one at least */
    const char *help;
    const char *const *choices; /* NULL-terminated, of a choice */
} sc_cli_operand;

/** One line to copy and what it does; a table ends with a NULL line. */
typedef struct sc_cli_example {
    const char *line, *about;
} sc_cli_example;

typedef struct sc_cli sc_cli;
typedef struct sc_cli_command sc_cli_command;
struct sc_cli_command {
    const char *name;
    const char *summary; /* one line without a full stop */
    const char *about;   /* paragraphs for --help, or NULL */
    const sc_cli_example *examples;
    const sc_cli_example *sample;         /* a whole file to copy (line: its lines), or NULL */
    const sc_cli_operand *operands;       /* NULL = none */
    const sc_cli_option *options;         /* NULL = none of its own */
    size_t values_size;                   /* of the struct that the options fill */
    const sc_cli_command *const *members; /* NULL-terminated subcommands, or NULL */
    const char *other_form;               /* a second way to call it, as usage shows it, or NULL */
    int (*run)(const sc_cli *cli);        /* exit code; NULL: a subcommand is needed */
};

enum { SC_CLI_MAX_OPERANDS = 128, SC_CLI_MAX_DEPTH = 4 };

/** Values of the options that every command takes. */
typedef struct sc_cli_globals {
    bool json, quiet, no_progress, help, version;
    int verbose;
    int color; /* sc_cli_color */
    sc_cli_integer threads, seed;
    const char *db, *folder;
} sc_cli_globals;

extern const sc_cli_option sc_cli_global_options[];

/** One call of the program, parsed. */
struct sc_cli {
    const sc_cli_command *path[SC_CLI_MAX_DEPTH]; /* root first */
    size_t depth;                                 /* entries of path, >= 1 */
    const sc_cli_command *command;                /* the last of them */
    sc_cli_globals globals;
    void *values; /* the command's own options */
    const char *operand[SC_CLI_MAX_OPERANDS];
    size_t n_operands;
    int argc; /* the words as they came */
    char **argv;
};

/**
 * Parse a command line against the tree of commands under root. Every mistake is printed, not only
 * the first. With --help or --version a missing operand is no mistake.
 * @return false after printing; the call must be cleared in either case.
 */
bool sc_cli_parse(sc_cli *cli, const sc_cli_command *root, int argc, char **argv);
void sc_cli_clear(sc_cli *cli);

/** Whether an option is followed by a value. */
bool sc_cli_takes_value(const sc_cli_option *o);
/** Entries of a table; it may be NULL. */
size_t sc_cli_count_options(const sc_cli_option *options);
size_t sc_cli_count_operands(const sc_cli_operand *operands);
/** A whole number as users write it, digits only. @return false if it is none or over 2^64 - 1. */
bool sc_cli_whole(uint64_t *out, const char *text);
#endif
