# Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What scripts/quickstart.sh and scripts/test.sh share: checks of the machine, installation of
# Debian packages, configuration and build. Sourced by scripts that run in the repository's root.

PACKAGES=(
  cmake ninja-build g++ ccache mold python3
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libzstd-dev
  nlohmann-json3-dev libcli11-dev libgtest-dev libboost-context-dev libsqlite3-dev
)

# The first toolkit whose ptxas knows every target, sm_120a being the newest.
MINIMUM_CUDA=12.8

say() { printf '\n==> %s\n' "$*"; }

die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Debian 12, or a derivative that says it is built on it. The GNU tools are those of Debian 12, and
# its security archive holds LLVM 22.
check_system() {
  local release=/etc/os-release
  [[ -r $release ]] || die "Debian 12 is needed, found a system without $release"
  local name codename
  name=$(. "$release" && echo "${PRETTY_NAME:-${ID:-unknown}}")
  codename=$(. "$release" && echo "${DEBIAN_CODENAME:-${VERSION_CODENAME:-}}")
  [[ $codename == bookworm ]] || die "Debian 12 (bookworm) or compatible is needed, found $name"
}

# Puts the directory of ptxas in PATH, where every tool of the project finds it.
check_cuda_toolkit() {
  local directory
  for directory in "${CUDA_HOME:+$CUDA_HOME/bin}" /usr/local/cuda/bin; do
    if ! command -v ptxas >/dev/null && [[ -n $directory && -x $directory/ptxas ]]; then
      export PATH="$PATH:$directory"
    fi
  done
  local install="install NVIDIA's CUDA Toolkit 13.0 (package cuda-toolkit-13-0) or set CUDA_HOME"
  command -v ptxas >/dev/null ||
    die "no ptxas in PATH, \$CUDA_HOME/bin or /usr/local/cuda/bin: $install"
  local version
  version=$(ptxas --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p') || true
  [[ -n $version ]] || die "$(command -v ptxas) --version names no release: $install"
  printf '%s\n%s\n' "$MINIMUM_CUDA" "$version" | sort --check=quiet --version-sort ||
    die "CUDA Toolkit $MINIMUM_CUDA or newer is needed, found $version: $install"
}

missing_packages() {
  local package
  for package in "${PACKAGES[@]}"; do
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
      echo "$package"
  done
}

# Runs a command as root, with its output in build/apt.log.
as_root() {
  local prefix=()
  ((EUID == 0)) || prefix=(sudo --)
  "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive "$@" >>build/apt.log 2>&1 </dev/null
}

# What apt said first, and where the rest is.
apt_error() {
  local line
  line=$(grep --max-count=1 '^[EW]: ' build/apt.log) || true
  printf ' (%s; see build/apt.log)' "${line:-apt reported no error}"
}

install_packages() {
  local missing package
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || command -v sudo >/dev/null ||
    die "root or sudo is needed to install: ${missing[*]}"
  ((EUID == 0)) || sudo --validate || die "sudo refused to install: ${missing[*]}"

  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  mkdir -p build
  : >build/apt.log
  # A failure to refresh one of several archives matters only if a package cannot be had.
  as_root apt-get update -o Acquire::Retries=3 || true
  for package in "${missing[@]}"; do
    [[ -n $(apt-cache show --no-all-versions "$package" 2>/dev/null) ]] ||
      die "apt knows no package $package: check the network, and that apt has Debian's bookworm and" \
        "bookworm-security archives$(apt_error)"
  done
  as_root apt-get install -o Acquire::Retries=3 --yes --no-install-recommends "${missing[@]}" ||
    die "apt-get could not install the packages: check the network$(apt_error)"
}

# configure_and_build [target...]: builds the targets, or everything, in build/release.
configure_and_build() {
  say "Configuring build/release"
  cmake --preset release
  say "Building build/release (minutes at first; CMAKE_BUILD_PARALLEL_LEVEL=N limits it to N jobs)"
  cmake --build --preset release ${1:+--target "$@"}
}

prepare() {
  check_system
  check_cuda_toolkit
  install_packages
}
