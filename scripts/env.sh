# Sourced by the scripts beside it: makes the project's own environment, once, and leaves its interpreter in $python.
#
# What comes in: requirements.lock (every package with its hashes) and pyproject.toml. What is promised: `.venv` beside
# the project holds exactly what the lock names, the project itself, editable, and, if scripts/native was ever run here,
# the extension that it built. It is made again when the lock, this file, its interpreter or the project's place changes,
# and the extension comes along; a changed pyproject.toml only installs the project again. Two
# scripts that start at once make it once; an interrupted making counts for nothing, since the stamps are written last.
# Silent but for one note on stderr when there is work.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
python=$venv/bin/python

fail() {
    printf 'gossamer: %s\n' "$*" >&2
    exit 1
}

# The first Python on the PATH that is new enough, as the path of the binary itself: that one vanishes when the system
# goes on to another version, where `python3` would stay and no longer find the packages. A name may exist and still
# not run (pyenv's shims).
find_python() {
    local name
    for name in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if "$name" -c 'import os, sys
if sys.version_info < (3, 11): sys.exit(1)
print(os.path.realpath(sys.executable))' 2>/dev/null; then
            return
        fi
    done
    fail "needs Python 3.11 or newer; none was found (PYTHON=/path/to/python3 names one)"
}

packages_stamp() {
    printf '%s\n' "$root"
    cat -- "$root/requirements.lock" "$root/scripts/env.sh" | cksum
}

project_stamp() {
    cksum <"$root/pyproject.toml"
}

has_packages() {
    [ -x "$python" ] && [ -f "$venv/.packages" ] && [ "$(<"$venv/.packages")" = "$(packages_stamp)" ]
}

has_project() {
    [ -f "$venv/.project" ] && [ "$(<"$venv/.project")" = "$(project_stamp)" ]
}

run_pip() {
    # These of the caller's shell would put packages elsewhere or take them from elsewhere.
    env -u PIP_USER -u PIP_TARGET -u PIP_PREFIX -u PYTHONPATH -u PYTHONHOME \
        "$python" -m pip --quiet --disable-pip-version-check --no-input "$@" >&2
}

# The lines of one package in the lock: from its name to the first that is not continued.
locked_package() {
    awk -v start="$1==" 'index($0, start) == 1 {on = 1} on {print} on && !/\\$/ {exit}' "$root/requirements.lock"
}

install_locked() {
    run_pip install --no-compile --require-hashes --no-build-isolation --use-pep517 --requirement "$1" ||
        fail "could not install the packages of requirements.lock, see above; the next start tries again"
}

# The wheel that scripts/native left, if any. It names no other package. One that no longer fits the source is known by
# its protocol and not used.
install_native() {
    local wheel
    for wheel in "$root"/native/target/wheels/gossamer_native-*.whl; do
        if [ -f "$wheel" ]; then
            run_pip install --no-compile --no-deps --no-index --force-reinstall "$wheel"
        fi
    done
}

write_stamp() {
    cat >"$1.new"
    mv -f -- "$1.new" "$1"
}

install_packages() {
    local base
    base=$(find_python)
    "$base" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "$base has no venv module (on Debian: apt-get install python3-venv)"
    printf 'gossamer: making its environment in %s (once; takes a minute or two)\n' "$venv" >&2
    "$base" -m venv --clear -- "$venv" >&2 || fail "could not make $venv"
    # What is published as source only is built with the setuptools of the lock, so that is installed first.
    locked_package setuptools >"$venv/.build.lock"
    if [ -s "$venv/.build.lock" ]; then
        install_locked "$venv/.build.lock"
    fi
    install_locked "$root/requirements.lock"
    install_native ||
        printf 'gossamer: the native extension that was built before does not go with this Python; see scripts/native\n' >&2
    packages_stamp | write_stamp "$venv/.packages"
}

install_project() {
    run_pip install --no-deps --no-build-isolation --editable "$root" ||
        fail "could not install the project itself, see above; the next start tries again"
    project_stamp | write_stamp "$venv/.project"
}

install_missing() {
    if ! has_packages; then
        install_packages
    fi
    if ! has_project; then
        install_project
    fi
}

# flock(2) is held by the open file description, so this shell keeps what Python took on its descriptor. It is let go
# before anything runs from the environment: a crawl of weeks must not hold up the next script.
ensure_env() {
    local base
    if has_packages && has_project; then
        return
    fi
    base=$(find_python)
    exec 9>"$root/.env-lock"
    "$base" -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' || fail "could not lock $root/.env-lock"
    install_missing 9>&-
    exec 9>&-
}

ensure_env
