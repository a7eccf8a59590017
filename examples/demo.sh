#!/usr/bin/env bash
# A short tour of stoa on real data. Run it as `make demo`, or by hand once Stoa is built.
#
# It works in a temporary directory, which it removes, and changes nothing else.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stoa=$(realpath "${STOA:-$here/../build/stoa}")
data=$here/data
if [[ ! -x $stoa ]]; then
    echo "demo: $stoa is not there; run 'make' first, or set STOA to the command" >&2
    exit 1
fi

# STOA_HDF5_BIN, the HDF5 that scripts/setup made, or whichever the PATH holds.
if [[ -z ${STOA_HDF5_BIN:-} && -x $here/../scripts/setup ]]; then
    STOA_HDF5_BIN=$("$here/../scripts/setup" --print-hdf5 2>/dev/null || true)
    STOA_HDF5_BIN=${STOA_HDF5_BIN:+$STOA_HDF5_BIN/bin}
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin" "$place/state"
ln -s "$stoa" "$place/bin/stoa"
tools=$(dirname "$stoa") # what was built beside it
cp "$data/flights-2001.csv.gz" "$data/birdstrikes.csv" "$place"
cd "$place"
export PATH=$place/bin:${STOA_HDF5_BIN:+$STOA_HDF5_BIN:}$PATH
export XDG_STATE_HOME=$place/state # what this tour teaches stoa to trust, it forgets

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
fi

tell() { # a paragraph of the guide
    fold -s -w 88 <<<"$1" | sed 's/ *$//'
    printf '\n'
}

run() { # show a command, then run it; what it reports on the side appears in its place
    printf '%s$ %s%s\n' "$bold" "$1" "$plain"
    (set +o pipefail && eval "$1") 2>&1
    printf '\n'
}

tell "Two files of real data: 200,000 flights in the US in the first half of 2001, in order of \
time, and 10,000 collisions of aircraft with animals. Types are found by reading each file to its \
end; text that repeats becomes categories. Both tables go into one HDF5 file."

run "stoa import flights-2001.csv.gz us.h5:/flights --chunk 8192 \\
      --title 'US flights, January to June 2001' --units delay=minute --units distance=mile"
run "stoa import birdstrikes.csv us.h5:/strikes --title 'FAA wildlife strikes'"
run "ls -sh1 *.csv* us.h5"
run "stoa ls us.h5"
run "stoa info us.h5:/flights"

tell "Now some questions. Of the large airports, where did flights leave latest in May?"
run "stoa query us.h5:/flights \\
      -w \"date between '2001-05-01' and '2001-05-31T23:59:59'
          and origin in ('ATL', 'ORD', 'DFW', 'LAX', 'PHX', 'DEN', 'DTW', 'MSP', 'IAH', 'SFO')\" \\
      -a 'count() as flights, mean(delay) as mean, max(delay) as worst' --by origin \\
      --sort mean:desc -n 6"

tell "The longest delays between Los Angeles and Las Vegas, either way:"
run "stoa query us.h5:/flights \\
      -w \"(origin = 'LAX' and destination = 'LAS') or (origin = 'LAS' and destination = 'LAX')\" \\
      -c date,origin,destination,delay --sort delay:desc -n 5"

tell "Which animals cost the most? Names with blanks stand in double quotes."
run "stoa query us.h5:/strikes -w '\"Cost Total \$\" > 0' \\
      -a 'count() as strikes, sum(\"Cost Total \$\") as dollars, max(\"Cost Total \$\") as dearest' \\
      --by '\"Wildlife Species\"' --sort dollars:desc -n 6"

tell "Not every report gives a speed. count(column) counts what is there, count() all rows:"
run "stoa query us.h5:/strikes --by '\"Phase of flight\"' --sort strikes:desc \\
      -a 'count() as strikes, count(\"Speed IAS in knots\") as with_speed,
          median(\"Speed IAS in knots\") as median_knots'"

tell "And who hits a deer? (The blank in the pattern keeps killdeer out, which are birds.)"
run "stoa query us.h5:/strikes -w \"\\\"Wildlife Species\\\" like '% deer'\" \\
      -c '\"Flight Date\", \"Airport Name\", \"Wildlife Species\", \"Phase of flight\"' \\
      --sort '\"Flight Date\"' -n 5"

tell "How long are delays, for those flights that are neither very early nor hours late?"
run "stoa query us.h5:/flights -w 'delay between -30 and 119' --histogram delay:15"

tell "The flights stand in order of time, in chunks of 8192 rows. An index of each chunk's first \
and last date lets a query for one day look at one or two chunks of 25 and skip the rest:"
run "stoa index add us.h5:/flights date"
run "stoa query us.h5:/flights -w \"date >= '2001-05-17' and date < '2001-05-18'\" \\
      -a 'count(), mean(delay)' --explain"

tell "Delays are in no order at all. A sorted index knows it nevertheless, and the five longest \
delays are five rows to look at; a bitmap of the airports counts without looking at any:"
run "stoa index add us.h5:/flights delay --kind sorted"
run "stoa index add us.h5:/flights origin --kind bitmap"
run "stoa query us.h5:/flights --sort delay:desc -n 5 --explain"
run "stoa query us.h5:/flights -w \"origin = 'SFO'\" -a 'count()' --explain"

tell "A new day arrives: its rows go to the end, the indexes grow with them. Killed halfway, the \
append would leave the old table."
run "{ zcat flights-2001.csv.gz | head -n 1
    printf '2001-07-01T%s\n' 06:10:00,12,447,SFO,LAX 06:25:00,-3,1846,SFO,ORD
  } > july.csv"
run "stoa append july.csv us.h5:/flights"
run "stoa query us.h5:/flights -w \"date > '2001-07-01'\""

tell "Nobody arrives more than an hour early: such delays become missing, and the indexes follow."
run "stoa update us.h5:/flights -w 'delay < -60' --set delay=null"

tell "Is it what the specification of such tables, HEP001, demands?"
run "stoa check us.h5 --strict --indexes"

if command -v h5dump >/dev/null; then
    tell "Nothing of this is private: any HDF5 tool reads the file. This is HDF5's own h5dump, on \
one column:"
    run "h5dump -H -p -d /flights/delay us.h5"
    run "h5dump -H us.h5 | head -n 20"
else
    tell "(h5dump is not on this machine; it would show the same file to any HDF5 user.)"
fi

if [[ -x $tools/examples/sparse_matrix ]]; then
    ln -s "$tools/examples/sparse_matrix" bin
    tell "Most pairs of airports have no flight between them: how many each has is a sparse matrix. \
Airports get numbers, and a small program of examples/ writes the matrix, which has no room for \
what is not there."
    run "stoa query us.h5:/flights -a 'count() as n' --by origin,destination -o pairs.csv"
    run "awk -F, 'NR > 1 { for (i = 1; i < 3; i++) if (!(\$i in n)) { n[\$i] = k++; print \$i > \"airports\" }
                 print n[\$1], n[\$2], \$3 }' pairs.csv > triples"
    run "sparse_matrix network.h5 \$(wc -l < airports) \$(wc -l < airports) 64 64 < triples"
    run "stoa ls -l network.h5"
    run "stoa dump network.h5"
    run "stoa dump --sparse-locations network.h5 | head -n 8"
    tell "Its elements go out as rows, and rows can be asked: which airports lead to the most others?"
    run "stoa export network.h5:/Sparse links.csv"
    run "stoa import links.csv links.h5:/links"
    run "stoa query links.h5:/links -a 'count() as destinations, sum(value) as flights' --by row \\
      --sort destinations:desc -n 4"
    export HDF5_PLUGIN_PATH=$tools/plugins # for the libhdf5 that Stoa was built with
    if h5dump -d /Sparse -s 0,0 -c 1,1 network.h5 >/dev/null 2>&1; then
        tell "To a program that finds Stoa's filter, it is a dataset as any other; this is h5dump \
again, on the flights among the first ten airports:"
        run "h5dump -d /Sparse -s 0,0 -c 10,10 -y network.h5"
    fi
fi

tell "Now yours:"
cat <<END
    ${bold}$stoa import YOUR.csv yours.h5${plain}      (or .tsv, .csv.gz, .csv.zst)
    ${bold}$stoa info yours.h5${plain}
    ${bold}$stoa query yours.h5 -n 10${plain}
    ${bold}$stoa help query${plain}                    ${dim}what else a query can be${plain}
END
