package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code src/test/native/pixelcheck.c}, which resizes, mirrors, converts and colours random pixels with the native code (see
 * {@link SanitizedProgram}).
 */
class PixelCheckTest {
    @TempDir
    Path folder;

    @Test
    void randomPixelsBecomeThoseOfTheSimplestCode() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(SanitizedProgram.canBeBuilt(folder), "gcc has no libraries of the sanitizers");
        boolean vectors = NativeCode.hasAvx2();
        List<String> arguments = new ArrayList<>(
                vectors ? List.of("-ffp-contract=off", "-mavx2", "-mfma") : List.of("-DMILLRACE_PLAIN"));
        arguments.add(Path.of("src", "test", "native", "pixelcheck.c").toString());
        arguments.add(SanitizedProgram.SOURCES.resolve("resize.c").toString());
        if (vectors) {
            for (String name : List.of("resize_avx2.c", "mirror_avx2.c", "floats_avx2.c", "color.c", "color_avx2.c")) {
                arguments.add(SanitizedProgram.SOURCES.resolve(name).toString());
            }
        }
        arguments.add("-lm");
        SanitizedProgram checker = SanitizedProgram.build(folder, "pixelcheck", arguments);

        assertThat(checker.run(List.of("1000", "1")))
                .contains(": 0 different resizes, 0 different mirrors, 0 different floats, 0 different colours")
                .doesNotContain(" with 0 resizes");
    }
}
