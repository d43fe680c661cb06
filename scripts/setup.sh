#!/usr/bin/env bash
# Sees that the tools and libraries cake is built and tested with are there, and installs what is missing where that is
# allowed (Debian 12, root or sudo without a password). Does nothing and prints nothing when all is there.
# Exit status 3: something is missing and could not be installed; the message says what to do.
set -euo pipefail

# The Debian packages whose probe fails, one a line.
missing_packages() {
    local package probe
    while IFS='|' read -r package probe; do
        bash -c "$probe" </dev/null >/dev/null 2>&1 || echo "$package"
    done <<'PROBES'
gcc|command -v cc && echo 'int main(void) { return 0; }' | cc -x c -o /dev/null -
libc6-dev|echo '#include <stdlib.h>' | cc -x c -fsyntax-only -
cmake|cmake --version
ninja-build|ninja --version
pkg-config|pkg-config --version
python3|python3 --version
libjansson-dev|pkg-config --exists 'jansson >= 2.14'
libcmocka-dev|pkg-config --exists 'cmocka >= 1.1.5'
llvm-22-dev|llvm-config-22 --libdir && test -e "$(llvm-config-22 --includedir)/llvm-c/Core.h"
llvm-22-tools|command -v FileCheck-22 && lit-22 --version
PROBES
}

give_up() {
    printf 'setup: %s\n' "$@" >&2
    exit 3
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

has_candidate() {
    [[ $(apt-cache policy "$1") == *"Candidate: "[^\(]* ]]
}

install_packages() {
    local package
    command -v apt-get >/dev/null || give_up "missing: $*" "this is no Debian: install what these packages hold by hand"
    if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
        give_up "missing: $*" "not root, and sudo asks for a password; run: sudo apt-get install $*"
    fi
    echo "setup: installing $*" >&2
    as_root apt-get update -q >&2 || give_up "apt-get update failed"
    for package in "$@"; do
        has_candidate "$package" && continue
        case $package in
        llvm-22-*) give_up "apt knows no package $package" \
            "LLVM 22 is in Debian 12's security suite: enable 'bookworm-security main' in apt's sources" ;;
        *) give_up "apt knows no package $package: enable Debian 12's suite 'bookworm main' in apt's sources" ;;
        esac
    done
    as_root apt-get install -q -y --no-install-recommends "$@" >&2 || give_up "apt-get install $* failed"
}

mapfile -t packages < <(missing_packages)
if [ ${#packages[@]} -gt 0 ]; then
    install_packages "${packages[@]}"
    mapfile -t packages < <(missing_packages)
    [ ${#packages[@]} -eq 0 ] || give_up "still missing after installing: ${packages[*]}"
fi
