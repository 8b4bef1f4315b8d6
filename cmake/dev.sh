# shellcheck shell=bash disable=SC2154
# Commands of ./dev that build for other systems. What they need comes from PyPI, pinned, into build-tools/.

tools=build-tools/venv/bin
islpy=$(sed -n 's/^set(isl_version \(.*\))/islpy-\1/p' cmake/isl.cmake)
archive=build-tools/$islpy.tar.gz

install_tools() {
    cmp -s cmake/requirements.txt build-tools/requirements.txt && $tools/python -c '' 2>/dev/null && return 0
    local python
    python=$(python_with_venv) || die "no python3 (3.9 or later) that can make a virtual environment"
    say "installing $(tr '\n' ' ' <cmake/requirements.txt)into build-tools"
    "$python" -m venv --clear build-tools/venv || die "could not make the virtual environment build-tools/venv"
    $tools/python -m pip install -q --disable-pip-version-check -r cmake/requirements.txt || die "could not install from PyPI"
    cp cmake/requirements.txt build-tools/requirements.txt
}

# The sources of isl; cmake/isl.cmake compares their digest.
get_isl() {
    [ ! -f $archive ] || return 0
    $tools/python -m pip download -q --disable-pip-version-check --no-deps --no-binary islpy -d build-tools islpy==${islpy#*-} ||
        die "could not get the sources of islpy from PyPI"
}

# imath_build FOLDER [OPTION...]: configures a build without tests whose isl has imath.
imath_build() {
    local folder=$1
    shift
    [ -f "$folder/build.ninja" ] || cmake -S . -B "$folder" -G Ninja -DTCPC_TESTS=OFF -DTCPC_ISL_ARCHIVE="$root/$archive" "$@" >/dev/null ||
        die "cmake failed for $folder"
}

cmd_imath() {
    cmd_build
    install_tools
    get_isl
    imath_build build-imath
    ninja -C build-imath --quiet tcpc tcpc_static tcpc_shared || die "the build of build-imath failed"
    .venv/bin/python tests/tools/same_output.py -j "$jobs" --generator build/bin/gen_plans --seeds "${1:-20}" build/bin/tcpc build-imath/bin/tcpc
}

# A source distribution has isl, the scanner and the parser as they are made, so that it needs none of the tools for them.
stage_source() {
    local to=$1
    rm -rf "$to"
    mkdir -p "$to/third_party" "$to/grammar/made"
    git ls-files -z -co --exclude-standard -- CMakeLists.txt pyproject.toml LICENSE README.md CHANGELOG.md cmake compiler docs examples grammar python runtime |
        xargs -0 cp --parents -t "$to"
    cp $archive "$to/third_party"
    cp build-wheel/parser/generated/tcp.{tab.c,tab.h,lex.c} "$to/grammar/made"
    local library
    for library in isl isl/imath; do
        tar -xOf $archive "$islpy/$library/LICENSE" | cmp - "python/licenses/${library#*/}.txt" || die "the licence of $library has changed"
    done
}

# Builds the source distribution, from what it holds the wheel, for glibc 2.17, and runs what that installs.
cmd_wheel() {
    install_packages
    install_tools
    get_isl
    imath_build build-wheel/parser
    ninja -C build-wheel/parser --quiet parser || die "the parser could not be made"
    stage_source build-wheel/source
    rm -rf build-wheel/dist build-wheel/wheel build-wheel/unpacked build-wheel/build
    local zig=$root/$tools/python-zig target="-target x86_64-linux-gnu.2.17" build=($tools/python -m build --no-isolation -o build-wheel/dist)
    say "building the source distribution and the wheel"
    "${build[@]}" --sdist build-wheel/source >build-wheel/log || die "the source distribution could not be built"
    mkdir build-wheel/unpacked
    tar -xf build-wheel/dist/*.tar.gz -C build-wheel/unpacked --strip-components=1
    # Without the tools that only a clone needs.
    CC="$zig cc $target" CXX="$zig c++ $target" "${build[@]}" --wheel -C build-dir="$root/build-wheel/build" \
        -C cmake.define.CMAKE_DISABLE_FIND_PACKAGE_BISON=ON -C cmake.define.CMAKE_DISABLE_FIND_PACKAGE_FLEX=ON \
        build-wheel/unpacked >>build-wheel/log || die "the wheel could not be built; see build-wheel/log"
    PATH=$root/$tools:$PATH auditwheel repair --only-plat --plat manylinux_2_17_x86_64 -w build-wheel/wheel build-wheel/dist/*.whl >>build-wheel/log 2>&1 ||
        die "the wheel needs more than manylinux_2_17 has"
    $tools/python tests/tools/wheel.py build-wheel || die "the wheel is not what it should be"
    say "$(ls build-wheel/wheel/*.whl build-wheel/dist/*.tar.gz | tr '\n' ' ')"
}

# The tests of the Python package, with those that need PyTorch.
cmd_torch() {
    cmd_build
    local there=$root/build-tools/torch python
    if ! "$there/bin/python" -c 'import pytest, torch' 2>/dev/null; then
        python=$(python_with_venv) || die "no python3 (3.9 or later) that can make a virtual environment"
        say "installing PyTorch into build-tools/torch"
        "$python" -m venv --clear "$there" || die "could not make the virtual environment build-tools/torch"
        "$there/bin/python" -m pip install -q --disable-pip-version-check -r tests/requirements.txt torch || die "could not install PyTorch from PyPI"
    fi
    TCPC_HOST_LIBRARY=$root/build/tests/python/libtcp_host_shared.so CXX=g++ "$there/bin/python" -m pytest -q -p no:cacheprovider tests/python "$@"
}

# Builds the library for WebAssembly, and a program that says of plans what the native one says of them.
cmd_wasm() {
    cmd_build
    install_tools
    get_isl
    local zig="$root/$tools/python-zig cc -target wasm32-wasi"
    CC=$zig CXX=${zig/ cc / c++ } imath_build build-wasm -DCMAKE_SYSTEM_NAME=Generic "-DCMAKE_C_FLAGS=-I$root/cmake/wasm"
    ninja -C build-wasm --quiet tcpc_static isl_imath || die "the build of build-wasm failed"
    $zig -O1 -Wl,-z,stack-size=4194304 -Icompiler/lib -Icompiler/launch tests/lib/each.c build-wasm/compiler/libtcpc.a build-wasm/compiler/libisl_imath.a \
        -o build-wasm/each.wasm || die "the program for WebAssembly could not be linked"
    ninja -C build --quiet lib_each gen_plans || die "the build failed"
    say "comparing; this takes minutes"
    $tools/python tests/tools/wasm.py build/bin/lib_each build-wasm/each.wasm --generator build/bin/gen_plans --seeds "${1:-4}"
}
