# What scripts/setup and scripts/peers share: talking to people, apt with a root of its own, and
# building beside a place before renaming into it. Sourced by bash, never run.
# shellcheck shell=bash

cache=${STOA_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/stoa}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
work= # the place of things half made, once begin_work has run

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# Fail with the words of the step that failed, kept in $work/log.
fail_with_log() {
    grep -i -E '(^|[^a-z])(error|fatal|err|e):' "$work/log" | tail -n 3 >&2 || tail -n 5 "$work/log" >&2
    fail "$1"
}

# Stoa's version, in the folder of its source.
stoa_version() { sed -n 's/^#define STOA_VERSION "\(.*\)"$/\1/p' include/stoa/stoa.h; }

have() { command -v "$1" > /dev/null 2>&1; }

# version_ge A B: is version A at least B?
version_ge() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

is_debian() { have apt-get && have dpkg; }

# need_root WHAT: say so, before anything is begun, where WHAT cannot be done.
need_root() { [ "$(id -u)" = 0 ] || have sudo || fail "$1 needs root: run this as root, or install sudo"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# --- sources -------------------------------------------------------------------------------------

# A crate that has the source of HDF5's library, of version crate_hdf5, without that of its tools: name, version, SHA-256.
readonly hdf5_crate=(hdf5-metno-src 0.10.4 69c883c565498492954e344c482f8622525e58c7a71100dd9498c4940da82885)
# shellcheck disable=SC2034 # scripts/setup uses it
readonly crate_hdf5=2.2.0

# unpack_crate NAME VERSION SHA256 PLACE: what a crate of Rust has, which is fetched if it is not there.
unpack_crate() {
    local file
    file=$(crate_file "$1-$2") || { download_crate "$1" "$2" > "$work/log" 2>&1 && file=$(crate_file "$1-$2"); } || return 1
    sha256sum -c <<< "$3  $file" > "$work/log" 2>&1 || { say "the crate $1-$2 is not the one that is known" && return 1; }
    rm -rf "$4" "$work/crate" && mkdir -p "$work/crate" && tar -xzf "$file" -C "$work/crate" && mv "$work/crate/$1-$2" "$4"
}

crate_file() {
    local file
    for file in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$1.crate"; do
        [ ! -f "$file" ] || { echo "$file" && return 0; }
    done
    return 1
}

# cargo fetches what a package needs, so one that needs the crate is made.
download_crate() (
    mkdir -p "$work/cargo" && cd "$work/cargo" && touch lib.rs && cat > Cargo.toml <<EOF && cargo fetch
[package]
name = "needs-a-source"
version = "0.0.0"
[lib]
path = "lib.rs"
[dependencies]
$1 = "=${2%%+*}"
EOF
)

# unpack_hdf5 PLACE: the source of HDF5's library.
unpack_hdf5() {
    unpack_crate "${hdf5_crate[@]}" "$work/hdf5-crate" && rm -rf "$1" && mv "$work/hdf5-crate/ext/hdf5" "$1" &&
        cat "$(dirname "${BASH_SOURCE[0]}")/hdf5-library.cmake" >> "$1/src/CMakeLists.txt"
}

# prepare_hdf5 SOURCE: change what keeps HDF5 from being built here, or the same wherever it is built.
prepare_hdf5() {
    local -r of_host='Configured on|Host system|Uname information|Installation point|Extra libraries|Module Directory'
    local -r of_tools='C Compiler|.* Flags|Archiver|Ranlib|AR_FLAGS|LDFLAGS'
    local -r text=$1/src/H5build_settings.cmake.c.in
    # 2.2 asks for CMake 3.26 and needs nothing that the 3.25 of Debian 12 lacks.
    find "$1" -name CMakeLists.txt -exec sed -i -E 's/(cmake_minimum_required *\(VERSION) 3\.26/\1 3.25/' {} + || return 1
    # It has a text inside about its build, which it prints beside an error.
    [ ! -f "$text" ] || sed -i -E "/ ($of_host|$of_tools): @/d" "$text"
}

# --- packages ------------------------------------------------------------------------------------
# A list is lines "package|reason|probe"; the probe says what the package must give: a program
# (bin:), a header (inc:), a file (file:), a library to load (lib:), a module of Python (py:), a header of Python (pyinc:), or one of the
# words of is_there.

compiler() {
    local c
    for c in "${CC:-}" cc gcc clang; do
        if [ -n "$c" ] && have "${c%% *}"; then
            echo "$c"
            return 0
        fi
    done
    return 1
}

is_there() {
    local cc version
    case $1 in
        bin:*) have "${1#bin:}" || [ -x "/usr/sbin/${1#bin:}" ] ;;
        file:*) [ -e "${1#file:}" ] ;;
        lib:*) python3 -c "import ctypes; ctypes.CDLL('${1#lib:}')" > /dev/null 2>&1 ;;
        py:*) python3 -c "import ${1#py:}" > /dev/null 2>&1 ;;
        pyinc:*)
            [ -f "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/${1#pyinc:}" ]
            ;;
        compiler) compiler > /dev/null ;;
        cmake:*)
            have cmake || return 1
            version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
            version_ge "$version" "${1#cmake:}"
            ;;
        inc:*)
            cc=$(compiler) || return 1
            # Asked of the compiler, since not all have a .pc file; Homebrew keeps its headers apart.
            # shellcheck disable=SC2086 # CC and CPPFLAGS may be several words
            echo "#include <${1#inc:}>" |
                $cc ${CPPFLAGS:-} -I/opt/homebrew/include -E -x c - > /dev/null 2>&1
            ;;
    esac
}

# missing_of LIST: the lines "package|reason" whose gift is not there.
missing_of() {
    local package reason probe
    "$1" | while IFS='|' read -r package reason probe; do
        is_there "$probe" || echo "$package|$reason"
    done
}

names_of() { cut -d'|' -f1 | paste -s -d ' '; }

# install_missing LIST: install what it names and this machine lacks; one line each.
install_missing() {
    local missing names package reason log
    missing=$(missing_of "$1")
    [ -n "$missing" ] || return 0
    names=$(names_of <<< "$missing")
    is_debian || fail "please install, by this system's package manager (names are Debian's): $names"
    need_root "installing $names"
    while IFS='|' read -r package reason; do
        say "installing $package: $reason"
    done <<< "$missing"

    log=$(mktemp)
    # Without lists apt knows no package; with old ones it asks for files that are gone.
    # shellcheck disable=SC2086 # names is several words
    if ! apt_install $names > "$log" 2>&1 &&
        ! { as_root apt-get update -q > "$log" 2>&1 && apt_install $names >> "$log" 2>&1; }; then
        grep -E '^(E|Err)' "$log" | tail -n 3 >&2
        rm -f "$log"
        fail "apt-get could not install: $names"
    fi
    rm -f "$log"
    hash -r
    missing=$(missing_of "$1")
    [ -z "$missing" ] || fail "installed, but too old or not usable: $(names_of <<< "$missing")"
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# --- apt with a root of its own ------------------------------------------------------------------
# State, cache and sources are private, so the system's apt neither changes nor has a say in what is
# fetched. Signatures are verified by apt against `keyring`.

# The mirrors of Debian's archive that this machine's apt knows, one a line.
mirrors() {
    local known pause
    if [ -n "${STOA_DEBIAN_MIRROR:-}" ]; then
        echo "$STOA_DEBIAN_MIRROR"
        return 0
    fi
    known=$(known_mirrors)
    # Beside other programs that use it, apt was seen to know none for a moment.
    for pause in 0 5 15; do
        [ -z "$known" ] || break
        sleep "$pause"
        as_root apt-get update -q > /dev/null 2>&1 || true
        known=$(known_mirrors)
    done
    [ -z "$known" ] || echo "$known"
}

known_mirrors() {
    # shellcheck disable=SC2016 # apt expands these
    apt-get indextargets --format '$(ORIGIN)|$(SITE)' 'Created-By: Packages' 2> /dev/null |
        sed -n 's/^Debian|//p' | grep -v -- '-security' | awk '!seen[$0]++' || true
}

# make_apt_root ROOT TYPE MIRROR SUITE: TYPE is deb or deb-src.
make_apt_root() {
    local root=$1 type=$2 mirror=$3 suite=$4
    rm -rf "$root"
    mkdir -p "$root/state/lists/partial" "$root/cache/archives/partial"
    echo "$type [signed-by=$keyring] $mirror $suite main" > "$root/sources.list"
    cat > "$root/apt.conf" <<EOF
Dir::State "$root/state";
Dir::State::status "/dev/null";
Dir::Cache "$root/cache";
Dir::Etc::SourceList "$root/sources.list";
Dir::Etc::SourceParts "-";
Dir::Etc::Preferences "-";
Dir::Etc::PreferencesParts "-";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "";
APT::Get::AllowUnauthenticated "false";
APT::Update::Error-Mode "any";
EOF
}

# in_apt_root ROOT COMMAND...
in_apt_root() { APT_CONFIG=$1/apt.conf "${@:2}"; }

# --- Debian in a directory ------------------------------------------------------------------------

# begin_roots: `work` is a directory for roots, which goes away with this process.
begin_roots() {
    have debootstrap || fail "debootstrap is not there; install it"
    [ "$(id -u)" = 0 ] || fail "a root of another system needs root; run this as root, or with sudo"
    work=$(mktemp -d "${TMPDIR:-/var/tmp}/stoa-roots-XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}

# make_root ROOT SUITE [PACKAGE...]: a Debian in ROOT, with these packages and what they need. Messages go to $work/log.
make_root() {
    local mirror
    mirror=$(mirrors | head -n 1)
    [ -n "$mirror" ] || fail "apt knows no mirror of Debian's archive; give STOA_DEBIAN_MIRROR"
    proxy=$(apt-config dump --format '%v%n' Acquire::http::Proxy | head -n 1)
    say "making a root of Debian $2"
    env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase --keyring="$keyring" "$2" "$1" "$mirror" \
        < /dev/null > "$work/log" 2>&1 || fail_with_log "debootstrap could not make a root of Debian $2"
    [ $# -eq 2 ] || install_in_root "$1" "${@:3}"
}

install_in_root() {
    { in_root "$1" apt-get update -q && in_root "$1" apt-get install -y -q --no-install-recommends "${@:2}"; } \
        > "$work/log" 2>&1 || fail_with_log "the root could not install: ${*:2}"
}

# in_root ROOT COMMAND...: run it there, with processes and an environment of its own. If `alone` is set, there is no
# network.
in_root() {
    unshare ${alone:+--net} --mount --pid --fork --kill-child --mount-proc="$1/proc" chroot "$1" \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${proxy:+http_proxy="$proxy"} "${@:2}"
}

# As an ordinary user, who is called someone, in a shell that ends when a command fails.
as_user_in_root() {
    in_root "$1" sh -c 'id someone > /dev/null 2>&1 || useradd --create-home --shell /bin/bash someone'
    in_root "$1" runuser -u someone -- env HOME=/home/someone bash -euc "cd; $2"
}

# --- half-made things ----------------------------------------------------------------------------

# begin_work NAME: take the lock NAME of the cache and make `work`, a directory that goes away with
# this process. What an interrupted run left is removed: we hold its lock.
begin_work() {
    mkdir -p "$cache"
    exec 9> "$cache/.$1.lock"
    flock 9
    local left
    for left in "$cache/.$1"-??????; do
        [ ! -d "$left" ] || rm -rf "$left"
    done
    work=$(mktemp -d "$cache/.$1-XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}
