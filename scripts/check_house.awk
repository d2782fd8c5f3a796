# House rules that can be seen in one C file at a time; prints file:line: what is wrong.
# A function's braces stand alone in the first column (clang-format sees to it).

# The line without comments and with emptied string and character literals.
function code_of(line,    out, i, c, two, quote)
{
    out = ""
    quote = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                i++
            }
        } else if (quote != "") {
            if (c == "\\")
                i++
            else if (c == quote) {
                quote = ""
                out = out c
            }
        } else if (two == "/*") {
            in_comment = 1
            i++
        } else if (two == "//") {
            break
        } else {
            if (c == "\"" || c == "'")
                quote = c
            out = out c
        }
    }
    return out
}

function wrong(what) { printf "%s:%d: %s\n", FILENAME, FNR, what; bad = 1 }

# Is `name` called in the code, as a plain function?
function calls(code, name) { return code ~ ("(^|[^A-Za-z0-9_.>])" name "[ ]*[(]") }

FNR == 1 {
    in_comment = 0
    library = FILENAME ~ /^\.\/(core|workloads|surrogate|store|model|placement|search|flow|report)\//
    allocator = FILENAME == "./core/mem.c"
    public_header = FILENAME ~ /^\.\/include\//
}

FNR == 601 { wrong("file passes 600 lines") }

{
    columns = $0
    gsub(/[\200-\277]/, "", columns) # continuation bytes of UTF-8 take no column
    if (length(columns) > 100)
        wrong("line passes 100 columns")
    code = code_of($0)
}

$0 == "{" { opened = FNR }
$0 == "}" && opened {
    if (FNR - opened - 1 > 60)
        printf "%s:%d: function of %d lines passes 60\n", FILENAME, opened, FNR - opened - 1
    if (FNR - opened - 1 > 60)
        bad = 1
    opened = 0
}

# `house: why` in a comment on the line lets an exception stand, and says why.
library && !allocator && code != "" && $0 !~ /\/\* house: [a-z]/ {
    split("malloc calloc realloc free strdup strndup aligned_alloc posix_memalign asprintf", raw, " ")
    for (k in raw)
        if (calls(code, raw[k]))
            wrong(raw[k] "() outside core/mem.c: allocate through sc_malloc and its family")
    split("printf puts putchar perror vprintf exit _exit abort assert getenv secure_getenv setenv " \
          "signal sigaction atexit setlocale system", banned, " ")
    for (k in banned)
        if (calls(code, banned[k]))
            wrong(banned[k] "() in the library, which never prints, exits, aborts or reads its environment")
    if (code ~ /(^|[^A-Za-z0-9_])(stdout|stderr|environ)([^A-Za-z0-9_]|$)/)
        wrong("the library never prints or reads its environment")
    split("rand srand random srandom drand48 arc4random", unseeded, " ")
    for (k in unseeded)
        if (calls(code, unseeded[k]))
            wrong(unseeded[k] "() in the library: random numbers come from core/rng.h")
    if (code ~ /#pragma omp.*reduction/)
        wrong("an OpenMP reduction depends on the thread count: combine in index order")
}

public_header && code ~ /^#include/ &&
    $0 !~ /^#include (<(stddef|stdint|stdbool)\.h>|"scantle\/[a-z_]+\.h")/ {
    wrong("a public header includes only <stddef.h>, <stdint.h>, <stdbool.h> and scantle/")
}

END { exit bad }
