#!/usr/bin/env bash
# Compiles DJL's bridge between Java and libtorch, for the libtorch of an installed Python package and with g++ alone. These
# are the commands of docs/use/gpu-pytorch.md ("A newer PyTorch").
#
# Usage: bridge.sh <sources> <headers> <torch> <output>
#   sources  the folder with DJL's sources: native/*.cc and djl/utils.h
#   headers  the folder with jni.h and jni_md.h and the one with the header that javac -h made, separated by ':'
#   torch    the folder of the Python package torch, as /opt/torch/lib/python3.12/site-packages/torch
#   output   the library to write; object files are in a folder beside it until it is written
#
# Environment:
#   CUDA_HOME   an installed CUDA toolkit, whose headers are used after those of the Python packages; default: that of the nvcc on the
#               PATH, or else /usr/local/cuda
#   JOBS        the number of compilers at a time; default: the number of cores
set -euo pipefail

fail() {
    printf 'bridge.sh: %s\n' "$*" >&2
    exit 1
}

[ $# = 4 ] || fail "expected 4 arguments (sources, headers, torch, output), found $#"
sources=$1
torch=$3
output=$4
IFS=: read -r -a headers <<<"$2"
[ -f "$torch/lib/libtorch.so" ] || fail "$torch is no package of PyTorch: it has no lib/libtorch.so"
compgen -G "$sources/native/*.cc" >/dev/null || fail "$sources has no native/*.cc: expected the sources of DJL's bridge"
command -v g++ >/dev/null || fail "g++ was not found"

cuda=${CUDA_HOME:-/usr/local/cuda}
if [ -z "${CUDA_HOME:-}" ] && nvcc=$(command -v nvcc); then
    cuda=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
fi

includes=(-I"$torch/include" -I"$torch/include/torch/csrc/api/include" -I"$sources" -I"$sources/native")
for folder in "${headers[@]}"; do
    includes+=(-I"$folder")
done
defines=(-D_GLIBCXX_USE_CXX11_ABI=1)
libraries=(-lc10 -ltorch_cpu -ltorch)
if [ -f "$torch/lib/libtorch_cuda.so" ]; then
    defines+=(-DUSE_CUDA)
    libraries+=(-lc10_cuda -ltorch_cuda)
    # The wheels for CUDA 13 share one folder (nvidia/cu13); those for CUDA 12 have a folder each.
    for folder in "$torch"/../nvidia/*/include "$torch"/../nvidia/*/include/cccl "$cuda/include" "$cuda/include/cccl"; do
        [ ! -d "$folder" ] || includes+=(-I"$folder")
    done
    # PyTorch's headers call the CUDA runtime, which libtorch has loaded: the wheels', that of the archive, or the toolkit's.
    runtime=$(compgen -G "$torch/../nvidia/*/lib/libcudart.so.*" || compgen -G "$torch/lib/libcudart*.so*" ||
        compgen -G "$cuda/lib64/libcudart.so" || compgen -G "$cuda/lib/*/libcudart.so") || fail "libcudart.so was found neither beside $torch nor in $cuda"
    libraries+=("${runtime%%$'\n'*}")
fi

# A call that was ended continues with the files that are not compiled yet, unless its options were others.
objects=$output.objects
compile=(g++ -std=c++20 -O1 -fPIC -w "${defines[@]}" "${includes[@]}")
mkdir -p "$objects"
if [ "$(cat "$objects/options" 2>/dev/null)" != "${compile[*]}" ]; then
    rm -f "$objects"/*.o
    printf '%s\n' "${compile[*]}" >"$objects/options"
fi
# shellcheck disable=SC2016 # the inner shell expands its arguments
printf '%s\n' "$sources"/native/*.cc |
    xargs -P "${JOBS:-$(nproc)}" -I '{}' bash -c \
        'object=$0/$(basename "$1" .cc).o; [ ! -f "$object" ] || exit 0; "${@:2}" -c "$1" -o "$object.new" && mv "$object.new" "$object"' \
        "$objects" '{}' "${compile[@]}" ||
    fail "the sources do not compile; the messages are above"
# Undefined names are errors, because they would end the JVM when they are first used.
g++ -shared -o "$output" "$objects"/*.o -L"$torch/lib" "${libraries[@]}" -Wl,-z,defs -Wl,-rpath,"\$ORIGIN"
rm -rf "$objects"
printf '%s\n' "$output"
