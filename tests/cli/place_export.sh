#!/usr/bin/env bash
# place export: corners and orientations by hand; Tcl as Tcl's own rules read it; names that a format
# cannot hold.
source "$(dirname "$0")/common.sh"

macro() {
    printf 'node { name: "%s" attr { key: "type" value { placeholder: "%s" } }\n' "$1" "$2"
    printf '  attr { key: "width" value { f: %s } } attr { key: "height" value { f: %s } } }\n' "$3" "$4"
}
heading() {
    printf '# Columns : 4  Rows : 4\n# Width : 200  Height : 200\n'
    printf '# Routes per micron, hor : 2  ver : 4\n# Routes used by macros, hor : 1  ver : 3\n'
}

# One macro of 30 x 14 um an orientation: E, FE, W and FW take 14 x 30.
{
    echo 'node { name: "p" attr { key: "type" value { placeholder: "PORT" } } }'
    for i in 0 1 2 3 4 5 6 7; do macro "u/m[$i]" MACRO 30 14; done
    macro s macro 5 3
} >n.pb.txt
{
    heading
    echo '0 0 7 - 1'
    i=1
    for o in N FN S FS E FE W FW; do
        echo "$i $((20 * i)) 50.25 $o $((i % 2))"
        i=$((i + 1))
    done
    echo '9 100 150 N 0'
} >p.plc

openroad=(R0 MY R180 MX R270 MYR90 R90 MXR90)
innovus=(R0 MY R180 MX R270 MY90 R90 MX90)
def=(N FN S FS E FE W FW)
echo '# Hard macros, lower left corners in um' | tee want.openroad >want.innovus
printf 'UCLA pl 1.0\n\np 0 7 : N /FIXED\n' >want.pl
for i in 0 1 2 3 4 5 6 7; do
    x=$((20 * i + 20 - 15)) y=43.25
    [ "$i" -lt 4 ] || { x=$((20 * i + 20 - 7)) y=35.25; }
    fixed=" /FIXED"
    [ $((i % 2)) -eq 0 ] || fixed=""
    echo "place_macro -macro_name {u/m[$i]} -location {$x $y} -orientation ${openroad[$i]} -exact" >>want.openroad
    echo "placeInstance {u/m[$i]} $x $y ${innovus[$i]} -fixed" >>want.innovus
    echo "u/m[$i] $x $y : ${def[$i]}$fixed" >>want.pl
done
echo 's 97.5 148.5 : N' >>want.pl
for f in openroad innovus pl; do
    run place export n.pb.txt --placement p.plc -f $f -o got.$f
    expect 0
    cmp got.$f want.$f || fail "$f: another file than by hand"
done

# A name with a brace and a backslash is one word of Tcl; blanks are, too, but not in a .pl.
{
    macro 'a{b\\c' MACRO 10 10
    macro 'd e' MACRO 10 10
} >odd.pb.txt
{
    heading
    printf '0 20 20 N 0\n1 40 40 N 0\n'
} >odd.plc
run place export odd.pb.txt --placement odd.plc -f innovus -o odd.tcl
expect 0
grep -qxF 'placeInstance a\{b\\c 15 15 R0 -fixed' odd.tcl || fail "an odd name is not escaped"
grep -qxF 'placeInstance {d e} 35 35 R0 -fixed' odd.tcl || fail "a name with a blank"
run place export odd.pb.txt --placement odd.plc -f pl -o odd.pl
expect 4
says err "'d e' is no name that a Bookshelf file can hold"
[ ! -e odd.pl ] || fail "a part of a file was written"

run place export n.pb.txt --placement p.plc
expect 4
says err "needs --placement"
run place export n.pb.txt --placement none.plc -o x.tcl
expect 4
says err "none.plc"
[ ! -e x.tcl ] || fail "a file without a placement"
finish
