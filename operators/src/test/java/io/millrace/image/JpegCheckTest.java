package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
 * the same decoder in plain C (see {@link SanitizedProgram}).
 */
@Tag("slow")
class JpegCheckTest {
    private static final Path TEST_SOURCES = Path.of("src", "test", "native");

    /** Without AVX2, only the decoder in plain C is compared with libjpeg-turbo. */
    private static boolean vectors;

    @SuppressWarnings("NullAway.Init") // compile() creates it
    private static SanitizedProgram checker;

    @BeforeAll
    static void compile(@TempDir Path folder) throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        vectors = NativeCode.hasAvx2();
        assumeTrue(NativeCode.hasLibjpeg(), "this build has no libjpeg-turbo");
        assumeTrue(SanitizedProgram.canBeBuilt(folder), "gcc has no libraries of the sanitizers");
        List<String> sources = new ArrayList<>(List.of("-fno-strict-aliasing", "-pthread"));
        sources.addAll(vectors ? List.of("-mavx2", "-mbmi2") : List.of("-DMILLRACE_PLAIN"));
        for (String name : List.of("jpegcheck.c", "baseline_plain.c")) {
            sources.add(TEST_SOURCES.resolve(name).toString());
        }
        try (Stream<Path> files = Files.list(SanitizedProgram.SOURCES)) {
            files.filter(JpegCheckTest::isPartOfTheDecoders).map(Path::toString).forEach(sources::add);
        }
        sources.addAll(List.of("-l:libjpeg.a", "-lm"));
        checker = SanitizedProgram.build(folder, "jpegcheck", sources);
    }

    private static boolean isPartOfTheDecoders(Path file) {
        String name = file.getFileName().toString();
        boolean ofVectors = name.equals("baseline.c") || name.endsWith("_avx2.c");
        return name.endsWith(".c")
                && (vectors || !ofVectors)
                && (name.startsWith("jpeg")
                        || List.of("baseline.c", "entry_store.c", "huffman.c").contains(name));
    }

    private static void check(String mode, int number, List<String> arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(mode, "" + number));
        all.addAll(arguments);
        assertThat(checker.run(all))
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
