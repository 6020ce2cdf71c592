package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code src/test/native/jpegcheck.c}, which compares the native decoder of JPEGs with libjpeg-turbo, and with
 * the same decoder in plain C, under AddressSanitizer and UndefinedBehaviorSanitizer. These stop the program at a read or a write outside of its memory.
 */
@Tag("slow")
class JpegCheckTest {
    private static final Path SOURCES = Path.of("src", "main", "native");
    private static final Path TEST_SOURCES = Path.of("src", "test", "native");

    /** Without AVX2, only the decoder in plain C is compared with libjpeg-turbo. */
    private static boolean vectors;

    @TempDir
    static Path folder;

    /** A program without libjpeg-turbo's or the sanitizers' libraries does not link. */
    @BeforeAll
    static void compile() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        vectors = NativeCode.hasAvx2();
        assumeTrue(NativeCode.hasLibjpeg(), "this build has no libjpeg-turbo");
        Path empty = Files.writeString(folder.resolve("empty.c"), "int main(void) { return 0; }");
        assumeTrue(gcc(List.of(empty.toString()), "empty").code() == 0, "gcc has no libraries of the sanitizers");
        List<String> sources = new ArrayList<>();
        for (String name : List.of("jpegcheck.c", "baseline_plain.c")) {
            sources.add(TEST_SOURCES.resolve(name).toString());
        }
        try (Stream<Path> files = Files.list(SOURCES)) {
            files.filter(JpegCheckTest::isPartOfTheDecoders).map(Path::toString).forEach(sources::add);
        }
        sources.addAll(List.of("-l:libjpeg.a", "-lm"));
        Ended compiled = gcc(sources, "jpegcheck");
        assertThat(compiled.code()).as(compiled.output()).isZero();
    }

    private static boolean isPartOfTheDecoders(Path file) {
        String name = file.getFileName().toString();
        boolean ofVectors = name.equals("baseline.c") || name.endsWith("_avx2.c");
        return name.endsWith(".c")
                && (vectors || !ofVectors)
                && (name.startsWith("jpeg")
                        || List.of("baseline.c", "entry_store.c", "huffman.c").contains(name));
    }

    private record Ended(int code, String output) {}

    private static Ended gcc(List<String> arguments, String program) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("gcc", "-std=gnu11", "-O1", "-g", "-fno-strict-aliasing", "-pthread"));
        command.addAll(vectors ? List.of("-mavx2", "-mbmi2") : List.of("-DMILLRACE_PLAIN"));
        command.addAll(List.of("-fsanitize=address,undefined", "-fno-sanitize-recover=all"));
        command.addAll(
                List.of("-I", SOURCES.toString(), "-o", folder.resolve(program).toString()));
        command.addAll(arguments);
        return run(command);
    }

    private static Ended run(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("ASAN_OPTIONS", "detect_leaks=0"); // it needs ptrace, which containers may forbid
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output);
    }

    private static void check(String mode, int number, List<String> arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(folder.resolve("jpegcheck").toString(), mode, "" + number));
        command.addAll(arguments);
        Ended ended = run(command);
        assertThat(ended.code()).as(ended.output()).isZero();
        assertThat(ended.output())
                .contains(" 0 different,")
                .doesNotContain(" 0 with entry points", " 0 decoded without vectors");
    }

    @Test
    void randomJpegsHaveThePixelsOfLibjpeg() throws Exception {
        check("random", 1_000, List.of("1"));
    }

    /** Files of Pillow, ImageMagick and mozjpeg. */
    @Test
    void jpegsOfOtherProgramsHaveThePixelsOfLibjpeg() throws Exception {
        List<String> files = new ArrayList<>();
        for (String vectors : List.of("jpeg", "image/decode")) {
            try (Stream<Path> found = Files.list(Path.of("src/test/resources/vectors", vectors))) {
                found.map(Path::toString).filter(name -> name.endsWith(".jpg")).forEach(files::add);
            }
        }
        assertThat(files).hasSizeGreaterThan(70);
        check("files", 20, files);
    }

    @Test
    void damagedJpegsHaveThePixelsOfLibjpegOrAreLeftToIt() throws Exception {
        check("fuzz", 20_000, List.of("1"));
    }
}
