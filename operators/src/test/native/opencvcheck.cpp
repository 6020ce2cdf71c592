/*
 * Decodes files with OpenCV as ImageDecoder does, to run under valgrind. It reports each file for which OpenCV reads or writes outside
 * of its memory, depends on memory that it has not written, or returns pixels that it has not written. Its libraries and headers are
 * in the jars of JavaCPP's presets, so that it is the OpenCV of Millrace that is examined. In the folder operators:
 *
 *     find ~/.m2/repository/org/bytedeco -name 'op*-linux-x86_64.jar' -exec unzip -qo {} -d /tmp/opencv \;
 *     libraries=/tmp/opencv/org/bytedeco
 *     g++ -std=c++17 -O1 -g -isystem $libraries/opencv/linux-x86_64/include/opencv4 src/test/native/opencvcheck.cpp \
 *         -L$libraries/opencv/linux-x86_64 -Wl,--allow-shlib-undefined -l:libopencv_imgcodecs.so.413 -l:libopencv_core.so.413 \
 *         -o /tmp/opencvcheck
 *     export LD_LIBRARY_PATH=$libraries/opencv/linux-x86_64:$libraries/openblas/linux-x86_64
 *     valgrind -q --error-limit=no /tmp/opencvcheck files FILE...            # each file
 *     valgrind -q --error-limit=no /tmp/opencvcheck damaged 5000 1 FILE...   # 5,000 damaged files, from seed 1
 *     valgrind -q --error-limit=no /tmp/opencvcheck animated 5000 1 FILE...  # the same, and PNGs keep the chunks of animations
 *
 * As in Millrace, the checksums of a damaged PNG's chunks are right, and its chunks of animations are left out. The line of a damaged
 * file contains its number; `damaged 1 NUMBER` makes it again, and `save 1 NUMBER FILE...` writes it to standard output.
 *
 * Valgrind takes some bytes for undefined that are not, for example the green of a row's last pixels, which instructions for vectors
 * compute together with unused numbers behind the row. The sum of such pixels is the same with --malloc-fill=aa and --malloc-fill=55.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <valgrind/memcheck.h>

using Bytes = std::vector<uint8_t>;

namespace {

/* Larger images take too long under valgrind. */
constexpr const char *MOST_PIXELS = "1048576";
constexpr size_t MOST_FILE_BYTES = 1 << 20;

uint64_t state;

void seed(uint64_t number)
{
    state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

size_t below(size_t end)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<size_t>((state * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % std::max<size_t>(end, 1);
}

/* ---- PNG ---- */

const uint8_t SIGNATURE[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

bool is_png(const Bytes &file)
{
    return file.size() > sizeof SIGNATURE && std::equal(std::begin(SIGNATURE), std::end(SIGNATURE), file.begin());
}

uint32_t big(const Bytes &file, size_t at)
{
    return static_cast<uint32_t>(file[at]) << 24 | static_cast<uint32_t>(file[at + 1]) << 16
        | static_cast<uint32_t>(file[at + 2]) << 8 | file[at + 3];
}

void put_big(Bytes &file, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++) {
        file[at + i] = static_cast<uint8_t>(value >> (24 - 8 * i));
    }
}

uint32_t checksum(const Bytes &file, size_t from, size_t end)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = from; i < end; i++) {
        crc ^= file[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
        }
    }
    return ~crc;
}

/* Returns the chunks whose lengths fit into the file. The rest of the file is lost. */
std::vector<Bytes> chunks(const Bytes &file)
{
    std::vector<Bytes> found;
    for (size_t at = sizeof SIGNATURE; at + 12 <= file.size();) {
        size_t bytes = size_t{12} + big(file, at);
        if (bytes > file.size() - at) {
            break;
        }
        found.emplace_back(file.begin() + static_cast<ptrdiff_t>(at), file.begin() + static_cast<ptrdiff_t>(at + bytes));
        at += bytes;
    }
    return found;
}

bool is_animation(const Bytes &chunk)
{
    std::string type(chunk.begin() + 4, chunk.begin() + 8);
    return type == "acTL" || type == "fcTL" || type == "fdAT";
}

Bytes png(const std::vector<Bytes> &chunks, bool animated)
{
    Bytes file(std::begin(SIGNATURE), std::end(SIGNATURE));
    for (Bytes chunk : chunks) {
        if (animated || !is_animation(chunk)) {
            put_big(chunk, 0, static_cast<uint32_t>(chunk.size() - 12));
            put_big(chunk, chunk.size() - 4, checksum(chunk, 4, chunk.size() - 4));
            file.insert(file.end(), chunk.begin(), chunk.end());
        }
    }
    return file;
}

/* ---- Damage ---- */

void damage_bytes(Bytes &file, size_t first)
{
    if (file.size() <= first) {
        return;
    }
    size_t length = file.size() - first;
    size_t at = first + below(length);
    size_t other = first + below(length);
    size_t count = std::min(1 + below(below(4) == 0 ? length : 16), file.size() - std::max(at, other));
    switch (below(8)) {
    case 0:
        file.resize(at);
        break;
    case 1:
        file.erase(file.begin() + static_cast<ptrdiff_t>(at), file.begin() + static_cast<ptrdiff_t>(at + count));
        break;
    case 2: {
        Bytes copied(file.begin() + static_cast<ptrdiff_t>(at), file.begin() + static_cast<ptrdiff_t>(at + count));
        file.insert(file.begin() + static_cast<ptrdiff_t>(other), copied.begin(), copied.end());
        break;
    }
    case 3:
        std::fill_n(file.begin() + static_cast<ptrdiff_t>(at), count, static_cast<uint8_t>(below(2) == 0 ? 0 : 0xff));
        break;
    default:
        /* The header decides on more than the data, so it is damaged more often. */
        for (size_t changes = 1 + below(6); changes > 0; changes--) {
            size_t place = first + below(below(2) == 0 ? std::min<size_t>(length, 64) : length);
            file[place] = static_cast<uint8_t>(below(3) == 0 ? file[place] ^ 1 << below(8) : below(256));
        }
    }
}

Bytes damaged_png(const Bytes &file, bool animated)
{
    std::vector<Bytes> all = chunks(file);
    for (size_t changes = 1 + below(3); changes > 0 && !all.empty(); changes--) {
        size_t one = below(all.size());
        size_t other = below(all.size());
        switch (below(6)) {
        case 0:
            std::swap(all[one], all[other]);
            break;
        case 1: {
            Bytes copied = all[one];
            all.insert(all.begin() + static_cast<ptrdiff_t>(other), copied);
            break;
        }
        case 2:
            all.erase(all.begin() + static_cast<ptrdiff_t>(one));
            break;
        default: {
            Bytes content(all[one].begin() + 8, all[one].end() - 4);
            damage_bytes(content, 0);
            Bytes chunk(all[one].begin(), all[one].begin() + 8);
            chunk.insert(chunk.end(), content.begin(), content.end());
            chunk.resize(chunk.size() + 4);
            all[one] = chunk;
        }
        }
    }
    return png(all, animated);
}

Bytes damaged(const std::vector<Bytes> &files, uint64_t number, bool animated, size_t &chosen)
{
    seed(number);
    for (int i = 0; i < 8; i++) {
        below(2);
    }
    chosen = below(files.size());
    Bytes file = files[chosen];
    if (is_png(file)) {
        return damaged_png(file, animated);
    }
    for (size_t changes = 1 + below(3); changes > 0; changes--) {
        damage_bytes(file, std::min<size_t>(2, file.size()));
    }
    return file;
}

/* ---- Decoding ---- */

struct Counts {
    int decoded = 0, refused = 0, faults = 0, undefined = 0;
};

void decode(const Bytes &file, const std::string &name, Counts &counts)
{
    if (file.empty()) {
        return;
    }
    /* A copy of exactly this size, so that valgrind sees a read behind its end. */
    auto *copy = static_cast<uint8_t *>(malloc(file.size()));
    std::copy(file.begin(), file.end(), copy);
    unsigned before = VALGRIND_COUNT_ERRORS;
    cv::Mat pixels;
    try {
        cv::Mat source(1, static_cast<int>(file.size()), CV_8UC1, copy);
        cv::Mat target;
        /* After a failure, the target still looks complete. */
        pixels = cv::imdecode(source, cv::IMREAD_COLOR_RGB | cv::IMREAD_IGNORE_ORIENTATION, &target);
    } catch (const cv::Exception &) {
        pixels.release();
    }
    unsigned after = VALGRIND_COUNT_ERRORS;
    if (after != before) {
        counts.faults++;
        printf("%s: %u faults\n", name.c_str(), after - before);
    }
    if (pixels.empty()) {
        counts.refused++;
    } else {
        counts.decoded++;
        size_t bytes = pixels.total() * pixels.elemSize();
        Bytes bits(bytes);
        VALGRIND_GET_VBITS(pixels.data, bits.data(), bytes);
        size_t unknown = static_cast<size_t>(std::count_if(bits.begin(), bits.end(), [](uint8_t b) { return b != 0; }));
        if (RUNNING_ON_VALGRIND && unknown > 0) {
            counts.undefined++;
            VALGRIND_MAKE_MEM_DEFINED(pixels.data, bytes);
            uint32_t sum = checksum(Bytes(pixels.data, pixels.data + bytes), 0, bytes);
            printf("%s: %zu of %zu bytes of pixels are not defined, sum %08x\n", name.c_str(), unknown, bytes, sum);
        }
    }
    fflush(stdout);
    pixels.release();
    free(copy);
}

}  // namespace

int main(int argc, char **argv)
{
    std::string mode = argc > 2 ? argv[1] : "";
    bool random = mode == "damaged" || mode == "animated" || mode == "save";
    if ((!random && mode != "files") || (random && argc < 5)) {
        fprintf(stderr, "expected files FILE..., or damaged, animated or save, a number of files, a seed and FILE...\n");
        return 2;
    }
    setenv("OPENCV_IO_MAX_IMAGE_PIXELS", MOST_PIXELS, 1);
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::setNumThreads(0);
    std::vector<Bytes> files;
    std::vector<std::string> names;
    for (int i = random ? 4 : 2; i < argc; i++) {
        std::ifstream in(argv[i], std::ios::binary);
        Bytes file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        if (file.size() <= MOST_FILE_BYTES) {
            files.push_back(file);
            names.emplace_back(argv[i]);
        }
    }
    Counts counts;
    for (size_t i = 0; !random && i < files.size(); i++) {
        decode(is_png(files[i]) ? png(chunks(files[i]), false) : files[i], names[i], counts);
    }
    uint64_t first = random ? strtoull(argv[3], nullptr, 10) : 0;
    uint64_t end = random ? first + strtoull(argv[2], nullptr, 10) : 0;
    for (uint64_t number = first; number < end && !files.empty(); number++) {
        size_t chosen = 0;
        Bytes file = damaged(files, number, mode == "animated", chosen);
        if (mode == "save") {
            fwrite(file.data(), 1, file.size(), stdout);
        } else {
            decode(file, "number " + std::to_string(number) + " of " + names[chosen], counts);
        }
    }
    if (mode != "save") {
        printf("%d decoded, %d refused, %d with faults, %d with pixels that are not defined\n", counts.decoded, counts.refused,
               counts.faults, counts.undefined);
    }
    return counts.faults + counts.undefined > 0;
}
