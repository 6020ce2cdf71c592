package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code src/test/native/pngcheck.c}, which decodes random and damaged PNGs with the native decoder, under
 * AddressSanitizer and UndefinedBehaviorSanitizer. These stop the program at a read or a write outside of its memory.
 */
class PngCheckTest {
    private static final Path SOURCES = Path.of("src", "main", "native");

    @TempDir
    Path folder;

    /** A program without the sanitizers' libraries does not link. */
    @BeforeEach
    void requireSanitizers() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeImages.hasPngs(), "this build has no libdeflate");
        Path empty = Files.writeString(folder.resolve("empty.c"), "int main(void) { return 0; }");
        assumeTrue(gcc(List.of(empty.toString()), "empty").code() == 0, "gcc has no libraries of the sanitizers");
    }

    @Test
    void pixelsOfRandomPngsAreThoseThatWereWrittenAndDamagedPngsDoNoHarm() throws Exception {
        String checker = Path.of("src", "test", "native", "pngcheck.c").toString();
        List<String> sources = new ArrayList<>(List.of(checker));
        sources.addAll(List.of(
                SOURCES.resolve("png.c").toString(),
                SOURCES.resolve("png_filter.c").toString(),
                "-l:libdeflate.a"));
        Ended compiled = gcc(sources, "pngcheck");
        assertThat(compiled.code()).as(compiled.output()).isZero();
        Ended ended = run(List.of(folder.resolve("pngcheck").toString(), "20000", "1"));
        assertThat(ended.code()).as(ended.output()).isZero();
        assertThat(ended.output()).contains("20000 files: 0 different,").doesNotContain(" 0 damaged ones decoded");
    }

    private record Ended(int code, String output) {}

    private Ended gcc(List<String> arguments, String program) throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("gcc", "-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined"));
        command.addAll(List.of("-fno-sanitize-recover=all", "-I", SOURCES.toString()));
        command.addAll(List.of("-o", folder.resolve(program).toString()));
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
}
