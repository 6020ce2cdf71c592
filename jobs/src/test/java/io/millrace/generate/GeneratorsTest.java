package io.millrace.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratorsTest {
    private static final String TRAIN_IMAGES = "train-images-idx3-ubyte";

    @TempDir
    Path root;

    private static OptionValues digits(long train, long seed) {
        return OptionValues.of(Generators.options("digits"), Map.of("train", train, "test", 10L, "seed", seed));
    }

    private Generators.Outcome make(OptionValues values, Path folder) throws IOException {
        return Generators.generate("digits", values, folder, ProgressListener.silent());
    }

    @Test
    void aFinishedFolderIsCompleteAndKept() throws IOException {
        Path folder = root.resolve("a/b");
        assertThat(Generators.state("digits", digits(50, 1), folder)).isEqualTo(FolderState.ABSENT);

        assertThat(make(digits(50, 1), folder).made()).isTrue();
        byte[] written = Files.readAllBytes(folder.resolve(TRAIN_IMAGES));
        Files.write(folder.resolve("notes.txt"), new byte[1]);

        assertThat(Generators.state("digits", digits(50, 1), folder)).isEqualTo(FolderState.COMPLETE);
        Generators.Outcome second = make(digits(50, 1), folder);
        assertThat(second.made()).isFalse();
        assertThat(second.generation().counts()).containsEntry("train", 50L).containsEntry("test", 10L);
        assertThat(second.generation().bytes()).isEqualTo(60 * 785 + 2 * 24);
        assertThat(Files.readAllBytes(folder.resolve(TRAIN_IMAGES))).isEqualTo(written);
    }

    @Test
    void aFolderWithOtherOptionsIsRefusedWithItsContent() throws IOException {
        make(digits(50, 1), root);
        assertThat(Generators.state("digits", digits(50, 2), root)).isEqualTo(FolderState.OTHER);
        assertThatThrownBy(() -> make(digits(50, 2), root))
                .isInstanceOf(GenerationException.class)
                .hasMessageContaining("contains 'digits seed=1 test=10 train=50'")
                .hasMessageContaining("expected 'digits seed=2 test=10 train=50'")
                .hasMessageContaining("--force");
    }

    @Test
    void foreignFilesAreRefusedAndSurviveReplacement() throws IOException {
        Files.write(root.resolve("thesis.txt"), new byte[] {42});
        Files.write(root.resolve(TRAIN_IMAGES), new byte[] {1});
        assertThatThrownBy(() -> make(digits(50, 1), root))
                .isInstanceOf(GenerationException.class)
                .hasMessageContaining("thesis.txt");

        Generators.generate("digits", digits(50, 1), root, ExistingFiles.REPLACE, ProgressListener.silent());
        assertThat(root.resolve("thesis.txt")).hasBinaryContent(new byte[] {42});
        assertThat(root.resolve(TRAIN_IMAGES)).hasSize(50 * 784 + 16);
    }

    @Test
    void replacementRemovesFilesOfAnotherGenerator() throws IOException {
        OptionValues photos =
                OptionValues.of(Generators.options("photos"), Map.of("count", 2L, "classes", 2L, "size", "32x24"));
        Generators.generate("photos", photos, root, ProgressListener.silent());
        Generators.generate("digits", digits(50, 1), root, ExistingFiles.REPLACE, ProgressListener.silent());
        assertThat(root.toFile().list())
                .containsExactlyInAnyOrder(
                        ".millrace-generated.json",
                        TRAIN_IMAGES,
                        "train-labels-idx1-ubyte",
                        "t10k-images-idx3-ubyte",
                        "t10k-labels-idx1-ubyte");
    }

    @Test
    void anInterruptedGenerationIsDetectedAndRepeated() throws IOException {
        Path whole = root.resolve("whole");
        Path broken = root.resolve("broken");
        make(digits(1500, 1), whole);
        assertThatThrownBy(() -> Generators.generate("digits", digits(1500, 1), broken, (done, total) -> {
                    throw new IllegalStateException("the plug was pulled");
                }))
                .hasMessageContaining("the plug was pulled");
        assertThat(Generators.state("digits", digits(1500, 1), broken)).isEqualTo(FolderState.UNFINISHED);
        assertThat(broken.resolve(TRAIN_IMAGES)).doesNotExist();

        assertThat(make(digits(1500, 1), broken).made()).isTrue();
        assertThat(Generators.state("digits", digits(1500, 1), broken)).isEqualTo(FolderState.COMPLETE);
        assertThat(broken.toFile().list()).hasSize(5);
        assertThat(broken.resolve(TRAIN_IMAGES)).hasSameBinaryContentAs(whole.resolve(TRAIN_IMAGES));
    }

    @Test
    void unreadableMarkerIsReported() throws IOException {
        Files.writeString(root.resolve(GenerationMarker.FILE), "{ half a mark");
        assertThatThrownBy(() -> make(digits(50, 1), root))
                .isInstanceOf(GenerationException.class)
                .hasMessageContaining(GenerationMarker.FILE);
    }

    @Test
    void folderUnderAFileIsReported() throws IOException {
        Path file = Files.write(root.resolve("file"), new byte[1]);
        assertThatThrownBy(() -> make(digits(50, 1), file.resolve("below")))
                .isInstanceOf(GenerationException.class)
                .hasMessageContaining("cannot write to");
        assertThatThrownBy(() -> make(digits(50, 1), file))
                .isInstanceOf(GenerationException.class)
                .hasMessageContaining("is a file");
    }

    @Test
    void anUnknownGeneratorIsReportedWithTheKnownOnes() {
        assertThatThrownBy(() -> Generators.named("paintings"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unknown generator 'paintings', expected one of [digits, photos, text]");
    }
}
