# Shared by ./run and ./test: what Millrace needs, how a missing piece gets installed,
# and the build. Sourced, with `root` set to the top of the tree.

# One line for each package, with a test after the colon that tells whether it is there. The test looks for the program
# and not for the package, so that a compiler or a cmake from elsewhere is accepted.
run_packages=(
  "g++: command -v ${CXX:-g++}"
  "cmake: command -v cmake"
  "ninja-build: command -v ninja"
  "make: command -v make" # by which g++ optimizes the module on all cores when it links it
  "libboost-dev: has_header boost/beast/http/parser.hpp"
  "libcli11-dev: has_header CLI/CLI.hpp"
  "libsodium-dev: has_header sodium.h"
  "libhiredis-dev: has_header hiredis/hiredis.h"
  "libre2-dev: has_header re2/re2.h"
  "libsimdjson-dev: has_header simdjson.h"
  "libssl-dev: has_header openssl/ssl.h"
  "libtomlplusplus-dev: has_header toml++/toml.h"
  "libwslay-dev: has_header wslay/wslay.h"
  "libzstd-dev: has_header zstd.h"
  "zlib1g-dev: has_header zlib.h"
  "redis-server: find_server"
)
# Only for the console, whose packages npm downloads: without these, the build leaves it out.
console_packages=(
  "nodejs: command -v node"
  "npm: command -v npm"
)
# For tests and checks of style that are skipped without them: not every distribution has them.
optional_test_packages=(
  "chromium: command -v chromium"
  "caddy: command -v caddy"
  "clang-format-14: has_clang_format"
  "clang-tidy-16: find_clang_tidy"
)
test_packages=(
  "libgtest-dev: has_header gtest/gtest.h"
  "dpkg-dev: command -v dpkg-shlibdeps"
  "file: command -v file"
  "python3: test -x /usr/bin/python3"
  "openssl: command -v openssl"
  "zstd: command -v zstd"
  "zsh: command -v zsh"
  "groff-base: command -v groff"
  "python3-pytest: /usr/bin/python3 -c 'import pytest'"
  "python3-pytest-xdist: /usr/bin/python3 -c 'import xdist'"
  "python3-redis: /usr/bin/python3 -c 'import redis'"
  "python3-zstandard: /usr/bin/python3 -c 'import zstandard'"
  "python3-setuptools: /usr/bin/python3 -c 'import setuptools'"
  "python3-wheel: /usr/bin/python3 -c 'import wheel'"
  "python3-venv: /usr/bin/python3 -c 'import ensurepip'"
  "mypy: command -v mypy"
  "python3-websockets: /usr/bin/python3 -c 'import websockets'"
  "python3-cryptography: /usr/bin/python3 -c 'import cryptography'"
  "python3-jwt: /usr/bin/python3 -c 'import jwt'"
  "python3-jsonschema: /usr/bin/python3 -c 'import jsonschema'"
  "curl: command -v curl"
  "iproute2: command -v ip"
  "nginx: test -x /usr/sbin/nginx || command -v nginx"
  "clang-N libclang-rt-N-dev: find_clang" # N: one of clang_versions
)
# The first of these that is installed, else the first that the distribution has: first those of Debian 12 and 13, whose
# warnings and checks were tried on this tree.
clang_versions=(16 19 18 17)
# How long an installation waits for other programs that install something.
lock_wait_s=600

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# Prints the server program this machine has.
find_server() {
  command -v redis-server || command -v valkey-server
}

# Prints the clang++ for the presets sanitize and clang.
find_clang() {
  local clang
  for clang in "${clang_versions[@]/#/clang++-}" clang++; do
    if is_clang "$clang"; then
      echo "$clang"
      return
    fi
  done
  return 1
}

# Prints the clang-tidy that belongs to it, if it is of version 16: .clang-tidy names checks by pattern, and each version
# adds some that this tree was not tried with.
find_clang_tidy() {
  local clang
  clang=$(find_clang) && [[ $("$clang" -dumpversion) = 16.* ]] && command -v "${clang/clang++/clang-tidy}"
}

# Whether the program given is a clang++ of a sufficient version, with the libraries of its sanitizers, that can compile
# this machine's libstdc++: clang 17 and that of g++ 14 have no std::thread with the definition of CMakeLists.txt, without
# which they have no <expected>.
is_clang() {
  local version
  version=$("$1" -dumpversion 2>/dev/null) && [ "${version%%.*}" -ge 16 ] &&
    "$1" -std=c++2b -U__cpp_concepts -D__cpp_concepts=202002L -Wno-builtin-macro-redefined \
      -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null <<'END'
#include <expected>
#include <thread>
int main() { std::thread([] { static_assert(__cpp_lib_expected); }).join(); }
END
}

# The version that tools/check_format.py requires.
has_clang_format() {
  command -v clang-format-14 || clang-format --version | grep -F ' version 14.'
}

has_header() {
  "${CXX:-g++}" -E -x c++ - >/dev/null <<<"#include <$1>"
}

# Prints those of the packages given that are not there.
missing_packages() {
  local entry
  for entry in "$@"; do
    eval "${entry#*: }" >/dev/null 2>&1 </dev/null || echo "${entry%%: *}"
  done
}

# Prints the names given on one line, with the version of clang in place of N.
package_names() {
  local names=$* version known=${clang_versions[0]}
  if [[ $names = *-N* ]]; then
    for version in "${clang_versions[@]}"; do
      if apt-cache show "clang-$version" >/dev/null 2>&1; then
        known=$version
        break
      fi
    done
  fi
  echo "${names//-N/-$known}"
}

# apt_get WORDS...: apt-get by way of the words in as_root. While another program installs something, as a fresh machine
# does for minutes, it waits. apt-get itself would wait for dpkg's locks only, and not for that of the package lists.
apt_get() {
  local errors status lock='' quiet=() end=$((SECONDS + lock_wait_s))
  while true; do
    { errors=$("${as_root[@]}" LC_ALL=C apt-get "${quiet[@]}" "$@" 2>&1 >&3 </dev/null) && status=0 || status=$?; } 3>&1
    if [ $status -eq 0 ] || [[ $errors != *'Could not get lock'* && $errors != *'locked by another process'* ]]; then
      break
    fi
    if [ $SECONDS -ge $end ]; then
      errors+=$'\n'"${0##*/}: gave up after waiting $lock_wait_s seconds for a lock that another program holds"
      break
    fi
    if [ -z "$lock" ]; then
      quiet=(-qq) # otherwise each attempt would print a line
      lock=${errors#*E: }
      echo "${0##*/}: waits for another installation on this machine: ${lock%%$'\n'*}"
    fi
    sleep 1
  done
  if [ -n "$errors" ]; then echo "$errors"; fi
  return $status
}

# Installs those of the packages given that are missing. If none is missing, it needs neither a network nor rights.
install_missing() {
  local missing packages by_hand as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0

  read -ra packages < <(package_names "${missing[@]}")
  by_hand="as root, run: apt-get update && apt-get install --yes --no-install-recommends"
  command -v apt-get >/dev/null ||
    fail "needs, and cannot install without apt-get: ${packages[*]} (the names of Debian's packages)"
  if [ "$(id -u)" -ne 0 ]; then
    # Without a terminal sudo's question for a password cannot be answered.
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      fail "needs packages that only root may install; $by_hand ${packages[*]}"
    fi
    as_root=(sudo)
  fi
  echo "Installing ${packages[*]}"
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  {
    apt_get update &&
      read -ra packages < <(package_names "${missing[@]}") && # again: before the update apt-cache may have no data
      apt_get install --yes --no-install-recommends "${packages[@]}"
  } >&2 || fail "could not install; $by_hand ${packages[*]}"

  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] || fail "still missing after the installation: $(package_names "${missing[@]}")"
}

# Installs those of the packages given that are missing and that the distribution has, and names the others.
# REQUIRES: something was installed before, or nothing else was missing, so that apt-cache has its data.
install_optional() {
  local entry package
  for entry in "$@"; do
    package=$(missing_packages "$entry")
    [ -n "$package" ] || continue
    package=$(package_names "$package")
    if ! apt-cache show "$package" >/dev/null 2>&1; then
      echo "${0##*/}: goes on without $package, which this distribution does not have; what needs it is skipped" >&2
    elif ! (install_missing "$entry"); then
      echo "${0##*/}: goes on without $package; what needs it is skipped" >&2
    fi
  done
}

require_compiler() {
  local compiler=${CXX:-g++}
  "$compiler" -std=c++23 -fsyntax-only -x c++ - 2>/dev/null <<<$'#include <expected>\nstatic_assert(__cpp_lib_expected);' ||
    fail "$compiler $("$compiler" -dumpfullversion -dumpversion) is too old, g++ 12 or later is needed:" \
      "install one and set CXX, as in: CXX=g++-12 $0"
}

# Dies unless the server given is Redis 7.0, Valkey 7.2 or later.
require_server() {
  local version
  version=$("$1" --version | sed -n 's/.*v=\([0-9][0-9.]*\).*/\1/p')
  [ "${version%%.*}" -ge 7 ] 2>/dev/null ||
    fail "$1 is version ${version:-unknown}, but Redis 7.0 or Valkey 7.2 or later is needed"
}

# configure PRESET: see CMakePresets.json.
configure() {
  local preset=$1 cache=$root/build-$1/CMakeCache.txt fresh=()
  if [ "$preset" = release ]; then cache=$root/build/CMakeCache.txt; fi
  # A tree that was copied or moved together with its build directory is configured from the beginning.
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then fresh=(--fresh); fi
  # cmake takes its presets from the directory it is called in.
  (cd "$root" && CXX=${CXX:-g++} cmake --preset "$preset" "${fresh[@]}" --log-level=WARNING >/dev/null)
}

# Waits for the descriptor's lock, which another build may have. The wait is bounded, because processes that a build
# started may outlive it.
take_build_lock() {
  flock --nonblock "$1" && return
  echo "${0##*/}: waits for another build in $root/build" >&2
  flock --wait 1200 "$1" || {
    echo "${0##*/}: a program has held $root/build/.lock for 20 minutes; fuser $root/build/.lock names it" >&2
    return 1
  }
}

# build PRESET [--target ...]: two builds at the same time, as when ./run is started twice, would damage each other's
# files.
build() {
  local preset=$1
  shift
  mkdir -p "$root/build" && (
    exec {held}>"$root/build/.lock" && take_build_lock "$held" && configure "$preset" &&
      cd "$root" && cmake --build --preset "$preset" "$@"
  )
}
