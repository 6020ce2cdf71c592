#!/bin/sh
# Builds the native kernels: build.sh <sources> <folder for libraries> <folder for object files> <JDK> <true to skip it>.
#
# It never fails a build. If the compiler or the JDK's headers are missing, it prints one line and builds no library, and Millrace
# uses its Java kernels. If only libjpeg-turbo is missing, the library lacks it, and OpenCV decodes the JPEGs that our own decoder
# does not support. If only libdeflate is missing, Java decodes PNGs. The output of the compiler is in build.log beside the object files.
set -u
sources=$1
target=$2/linux-$(uname -m)
objects=$3
jdk=$4
library=$target/libmillrace.so
compiler=${CC:-gcc}

skip() {
    rm -f "$library"
    echo "native kernels: not built, $1"
    exit 0
}

[ "$5" = false ] || skip "millrace.native.skip is $5"
[ "$(uname -s)" = Linux ] || skip "only Linux is supported, this is $(uname -s)"
command -v "$compiler" >/dev/null 2>&1 || skip "there is no $compiler"
[ -f "$jdk/include/jni.h" ] || skip "$jdk/include has no jni.h"

# libjpeg-turbo is optional. It is linked statically, so that the library runs where no libjpeg is installed.
archive=$("$compiler" -print-file-name=libjpeg.a)
if ! printf '#include <stdio.h>\n#include <jpeglib.h>\n#if LIBJPEG_TURBO_VERSION_NUMBER < 2000000\n#error old\n#endif\n' |
    "$compiler" -fsyntax-only -xc - >/dev/null 2>&1; then
    missing="the headers of libjpeg-turbo 2 or newer (libjpeg-dev)"
    archive=
elif [ ! -f "$archive" ]; then
    missing=libjpeg.a
    archive=
fi
with=${archive:+-DMILLRACE_LIBJPEG}

# libdeflate is optional, too.
deflate=$("$compiler" -print-file-name=libdeflate.a)
printf '#include <libdeflate.h>\n' | "$compiler" -fsyntax-only -xc - >/dev/null 2>&1 && [ -f "$deflate" ] || deflate=
with="$with ${deflate:+-DMILLRACE_LIBDEFLATE}"

# Nothing to do if the library is newer than all of its sources and was built with the same libraries.
if [ -f "$library" ] && [ "$(cat "$objects/with" 2>/dev/null)" = "with $archive $deflate" ] &&
    [ -z "$(find "$sources" ${archive:+"$archive"} ${deflate:+"$deflate"} -newer "$library" -print | head -n 1)" ]; then
    exit 0
fi

mkdir -p "$target" "$objects" || skip "cannot write to $target"
log=$objects/build.log
: >"$log"
rm -f "$library"
set -- # the object files
flags="-std=gnu11 -O3 -fPIC -fvisibility=hidden -ffp-contract=off -fno-strict-aliasing -Wall -Wextra -Wno-clobbered"
for file in "$sources"/*.c; do
    name=$(basename "$file" .c)
    special=
    case $name:$(uname -m) in
    color_avx2:x86_64 | floats_avx2:x86_64) special="-mavx2 -mfma" ;;
    *_avx2:x86_64) special="-mavx2 -mbmi2" ;;
    esac
    [ "$name" != jpeg ] || [ -n "$archive" ] || continue
    [ "$name" != png ] || [ -n "$deflate" ] || continue
    # shellcheck disable=SC2086 # the flags are words
    "$compiler" $flags $with $special -I"$jdk/include" -I"$jdk/include/linux" -c "$file" -o "$objects/$name.o" >>"$log" 2>&1 ||
        skip "$name.c does not compile, see $log"
    set -- "$@" "$objects/$name.o"
done
# The library gets another name first, so that an interrupted build leaves no incomplete library.
"$compiler" -shared -pthread -Wl,-z,defs -Wl,-z,noexecstack -Wl,--version-script="$sources/exports.map" -s \
    "$@" ${archive:+"$archive"} ${deflate:+"$deflate"} -lm -o "$library.new" >>"$log" 2>&1 || skip "it does not link, see $log"
mv "$library.new" "$library"
echo "with $archive $deflate" >"$objects/with"
[ -n "$archive" ] || echo "native kernels: without libjpeg-turbo, because it lacks $missing; OpenCV decodes rare JPEGs, more slowly"
[ -n "$deflate" ] || echo "native kernels: without libdeflate (libdeflate-dev); Java decodes PNGs, more slowly"
# A library requires a C library with its newest symbol: CentOS 7 and all later systems have 2.17.
if command -v objdump >/dev/null 2>&1; then
    newest=$(objdump -T "$library" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
    echo "native kernels: built for $(uname -m), C library $newest or newer"
else
    echo "native kernels: built for $(uname -m)"
fi
