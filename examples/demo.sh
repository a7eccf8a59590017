#!/usr/bin/env bash
# Show stoa at work on real data. Run it as `make demo`, or by hand once Stoa is built.
#
# usage: examples/demo.sh [DIRECTORY]
#
# It makes files in DIRECTORY (build/demo), and leaves them there.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
stoa=$(realpath "${STOA:-$root/build/stoa}")
place=${1:-$root/build/demo}
if [[ ! -x $stoa ]]; then
    echo "demo: $stoa is not there; run 'make' first, or set STOA to the command" >&2
    exit 1
fi
mkdir -p "$place"
cp "$root/examples/data/flights-2001.csv.gz" "$place"
cd "$place"
rm -f us.h5 delays.svg
state=$(mktemp -d) # what this teaches stoa to trust, it forgets
trap 'rm -rf "$state"' EXIT
mkdir "$state/bin"
ln -s "$stoa" "$state/bin/stoa"
PATH=$state/bin:$(dirname "$stoa"):$PATH
export PATH XDG_STATE_HOME=$state

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' plain=$'\e[0m'
fi

run() { # show a command, then run it
    printf '%s$ %s%s\n' "$bold" "$1" "$plain"
    (set +o pipefail && eval "$1") 2>&1
}

echo "A CSV file of 200,000 flights becomes a table in an HDF5 file, and is asked:"
run "stoa import flights-2001.csv.gz us.h5:/flights --units delay=minute --units distance=mile"
run "stoa query us.h5 --by origin -a 'count() as flights, mean(delay) as late' --sort flights:desc -n 4"
run "stoa plot us.h5 -c destination --bins 6 --title 'Flights to'"
echo "An index finds single rows without reading the others:"
run "stoa index add us.h5:/flights delay --kind sorted"
run "stoa query us.h5 -w 'delay > 1000'"
echo "Every column is a plain HDF5 dataset with units. A picture, and a check by the specification:"
run "stoa plot us.h5 -c delay --log y -o delays.svg"
run "stoa check us.h5 --indexes"
cat <<END

${bold}$place${plain} has us.h5 and delays.svg. Try next:
    alias stoa=$stoa
    stoa us.h5:/flights                          what is in it
    stoa import YOUR.csv yours.h5:/table         a table of yours
    stoa help query                              what a query can be; docs/tutorial.md takes 15 minutes
END
