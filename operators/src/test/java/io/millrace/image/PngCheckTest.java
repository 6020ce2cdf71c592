package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code src/test/native/pngcheck.c}, which decodes random and damaged PNGs with the native decoder (see {@link
 * SanitizedProgram}).
 */
class PngCheckTest {
    @TempDir
    Path folder;

    @BeforeEach
    void requireSanitizers() throws Exception {
        assumeTrue(NativeKernels.obstacle() == null, "no native kernels in this build");
        assumeTrue(NativeImages.hasPngs(), "this build has no libdeflate");
        assumeTrue(SanitizedProgram.canBeBuilt(folder), "gcc has no libraries of the sanitizers");
    }

    @Test
    void pixelsOfRandomPngsAreThoseThatWereWrittenAndDamagedPngsDoNoHarm() throws Exception {
        Path sources = SanitizedProgram.SOURCES;
        SanitizedProgram checker = SanitizedProgram.build(
                folder,
                "pngcheck",
                List.of(
                        Path.of("src", "test", "native", "pngcheck.c").toString(),
                        sources.resolve("png.c").toString(),
                        sources.resolve("png_filter.c").toString(),
                        "-l:libdeflate.a"));
        assertThat(checker.run(List.of("20000", "1")))
                .contains("20000 files: 0 different,")
                .doesNotContain(" 0 damaged ones decoded");
    }
}
