#!/usr/bin/env bash
# map --timeloop and systolic: files of other tools, counted by hand.
source "$(dirname "$0")/common.sh"

# ---- systolic
# fr = ceil(Sr / R), fc = ceil(Sc / C); os: Sr, Sc, T = M, N, K; ws: K, N, M; is: K, M, N
cat >products.csv <<'END'
M,N,K,R,C,dataflow,note
7,5,11,3,2,os,"a, b"
7,5,11,3,2,ws,c
7,5,11,3,2,is,d
END
run systolic products.csv
expect 0
quiet err
# os: ceil(7/3) * ceil(5/2) * (11 + 3 + 2 - 2) = 3 * 3 * 14
says out '7,5,11,3,2,os,"a, b",126'
# ws: ceil(11/3) * ceil(5/2) * (7 + 2 * 3 + 2 - 2) = 4 * 3 * 13
says out '7,5,11,3,2,ws,c,156'
# is: ceil(11/3) * ceil(7/2) * (5 + 2 * 3 + 2 - 2) = 4 * 4 * 11
says out '7,5,11,3,2,is,d,176'
[[ $(head -n 1 out) == M,N,K,R,C,dataflow,note,cycles ]] || fail "$what: header $(head -n 1 out)"
run systolic products.csv -o cycles.csv
expect 0
quiet out
run systolic products.csv --json
expect 0
is '#' 3
is 0.note "a, b"
is 0.cycles 126
is 1.dataflow ws
is 2.cycles 176
printf '7,5,11,3,2,os,007\n' >bare.csv # no header; a cell that is no JSON number stays a text
run systolic bare.csv --json
is 0.M 7
is 0.column_7 007
is 0.cycles 126
printf '7,5,11,3,2,os\n7,5,x,3,2,os\n7,5,11,0,2,sw\n' >bad.csv
run systolic bad.csv
expect 4
quiet out
says err "bad.csv:2:5: error:"
says err "bad.csv:3:"
run systolic nowhere.csv
expect 4

# ---- map --timeloop: a product of 3 x 7 and 7 x 5 from a memory, with a register a MAC
cat >arch.yaml <<'END'
architecture:
  subtree:
  - name: system
    local:
    - {name: DRAM, class: DRAM, attributes: {word_bits: 8, block_size: 1, width: 8}}
    - {name: RF, class: regfile, attributes: {word_bits: 8, block_size: 1, width: 8, depth: 3}}
    - {name: MAC, class: intmac, attributes: {datawidth: 8}}
END
cat >problem.yaml <<'END'
problem:
  shape:
    name: GEMM
    dimensions: [M, K, N]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 3, K: 7, N: 5}
END
cat >mapping.yaml <<'END'
mapping:
- {target: RF, type: temporal, factors: K=7, permutation: KMN}
- {target: DRAM, type: temporal, factors: M=3 N=5, permutation: MNK}
END
# The register file holds a row of A, a column of B and one sum: 7 + 7 + 1 words, not 3.
run map --timeloop arch.yaml problem.yaml mapping.yaml --json
expect 2
is feasible false
is cycles null
run map --timeloop arch.yaml problem.yaml mapping.yaml
expect 2
says out "Why it does not fit"
run map --timeloop arch.yaml problem.yaml mapping.yaml --picture none.svg
expect 2
[[ ! -e none.svg ]] || fail "$what: a picture of what does not fit"
sed -i 's/depth: 3/depth: 15/' arch.yaml
run map --timeloop arch.yaml problem.yaml mapping.yaml --json
expect 0
is feasible true
is cycles 105
# M runs inside N: a column of B stays for three steps, a row of A is read anew in each of the 15.
is levels.0.name DRAM
is levels.0.tensors.0.name A
is levels.0.tensors.0.reads 105
is levels.0.tensors.1.name B
is levels.0.tensors.1.reads 35
is levels.0.tensors.2.name Z
is levels.0.tensors.2.updates 15
is levels.1.tensors.0.fills 105
is levels.1.tensors.1.fills 35
for key in instances energy_pj; do value levels.0.tensors.0.$key >/dev/null; done
value energy_pj >/dev/null
run map --timeloop arch.yaml problem.yaml mapping.yaml
expect 0
says out "Words of one used instance, energy of all"
says out "MAC energy (pJ)"
run map --timeloop arch.yaml problem.yaml mapping.yaml --picture ours.svg
expect 0
says ours.svg "A, DRAM to RF: 105 words read, 105 taken in"
says ours.svg "Z at RF: tile 1 words, 1 bytes, of capacity 6.67 %; 15 tiles, 15 words moved, 105 served"
says ours.svg "for N in 0..5"
run map --timeloop arch.yaml problem.yaml mapping.yaml --loops
expect 0
says out "for N in 0..5"
says out "B: tile 7 words, 7 B, 46.7 % of capacity; loaded 5 times, 35 words; reuse 3"
run map --timeloop arch.yaml problem.yaml mapping.yaml --loops --json
expect 0
is cycles 105

# ---- remainders: 100 as 3 tiles of 32 and one of 4 along each dimension. M outside N outside K: both
# operands pass 4 times, the output once; every MAC is counted, once.
sed 's/M: 3, K: 7, N: 5/M: 100, K: 100, N: 100/' problem.yaml >hundred.yaml
sed 's/depth: 15/depth: 3072/' arch.yaml >large.yaml
cat >tiles.yaml <<'END'
mapping:
- {target: RF, type: temporal, factors: "M=32,4 N=32,4 K=32,4", permutation: KMN}
- {target: DRAM, type: temporal, factors: M=4 N=4 K=4, permutation: KNM}
END
run map --timeloop large.yaml hundred.yaml tiles.yaml --json
expect 0
is macs 1000000
is compute_cycles 1000000
is levels.0.tensors.0.reads 40000
is levels.0.tensors.1.reads 40000
is levels.0.tensors.2.updates 10000
is levels.1.tensors.0.tile 1024
sed -i 's/M=32,4/M=32,5/' tiles.yaml
run map --timeloop large.yaml hundred.yaml tiles.yaml
expect 4
says err "tiles.yaml:2:1: error: dimension M: the factors and remainders of all levels make 101, its bound is 100"
sed -i 's/M=32,5/M=32/' tiles.yaml
run map --timeloop large.yaml hundred.yaml tiles.yaml
expect 4
says err "dimension M: the factors of all levels multiply to 128, its bound is 100"
sed -i 's/M=32/M=32,33/' tiles.yaml
run map --timeloop large.yaml hundred.yaml tiles.yaml
expect 4
says err "tiles.yaml:2:47: error: a remainder is from 1 to its factor, 32"

# ---- usage
run map --timeloop arch.yaml problem.yaml mapping.yaml --objective energy
expect 4
says err "leave MAPPING out"
for option in "--op x" --timing; do
    run map --timeloop arch.yaml problem.yaml mapping.yaml $option
    expect 4
done
run map tpu-v3 resnet50 mapping.yaml
expect 4
run map tpu-v3 resnet50 --reuse pre-2025
expect 4
run map --timeloop arch.yaml problem.yaml mapping.yaml --reuse pre-2026
expect 4
says err "did you mean 'pre-2025'"
sed -i 's/K=7/K=6/' mapping.yaml
run map --timeloop arch.yaml problem.yaml mapping.yaml
expect 4
says err "mapping.yaml:"

# ---- the published figure: sliding reuse is lost around a stationary loop by the older rule
data=${SCANTLE_DATA:-$source_dir/../shared/data}/timeloop/published/eyeriss_like
if [[ -d $data ]]; then
    files=("$data/parsed-processed-input.yaml" "$data/parsed-processed-input.yaml"
        "$data/timeloop-mapper.map.yaml")
    run map --timeloop "${files[@]}" --json -q
    expect 0
    is levels.0.tensors.1.reads 156600
    run map --timeloop "${files[@]}" --json -q --reuse pre-2025
    expect 0
    quiet err
    is levels.0.tensors.1.reads 157296
else
    echo "SKIPPED: no reference data (SCANTLE_DATA)"
fi

finish
