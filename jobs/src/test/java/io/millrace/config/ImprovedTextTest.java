package io.millrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImprovedTextTest {
    private static final String TEXT = """
            # digits for everybody
            dataset: { format: idx, path: data }   # made on first use
            parallelism: 2

            # what is done
            transforms:
              - RandomMask: { ratio: 0.05 }  # a quarter would be too much
              - RandomHorizontalFlip
            # how it is trained
            train: { model: { mlp: { hidden: [16] } } }
            """;

    @TempDir
    Path folder;

    private String improved(String text, String... settings) throws Exception {
        return ImprovedText.of(Files.writeString(folder.resolve("a.yaml"), text), List.of(settings));
    }

    private void sameAs(String improved, String original, String... settings) throws Exception {
        PipelineConfig expected =
                ConfigReader.read(Files.writeString(folder.resolve("a.yaml"), original), List.of(settings));
        PipelineConfig found = ConfigReader.read(Files.writeString(folder.resolve("a.yaml"), improved), List.of());
        assertThat(found).as(improved).isEqualTo(expected);
    }

    @Test
    void unchangedSectionsKeepTheirTextAndComments() throws Exception {
        String improved = improved(TEXT, "parallelism=8", "batch.size=32");

        assertThat(improved).contains("parallelism: 8\n", "  # made on first use", "# a quarter would be too much");
        assertThat(improved).startsWith("# digits").doesNotContain("parallelism: 2");
        sameAs(improved, TEXT, "parallelism=8", "batch.size=32");
    }

    @Test
    void changedSectionIsRewrittenAndTheNextSectionKeepsItsComment() throws Exception {
        String setting = "transforms=[RandomHorizontalFlip, {RandomMask: {ratio: 0.05}}]";
        String improved = improved(TEXT, setting);

        assertThat(improved).contains("# what is done\ntransforms:", "# how it is trained\ntrain:");
        sameAs(improved, TEXT, setting);
    }

    @Test
    void removedKeyIsGone() throws Exception {
        String improved = improved(TEXT, "transforms=null");

        assertThat(improved).doesNotContain("transforms:");
        sameAs(improved, TEXT, "transforms=null");
    }

    @Test
    void fileOnOneLineIsRewritten() throws Exception {
        String text = "{dataset: {format: idx, path: data}, train: {model: {mlp: {hidden: [16]}}}}";

        sameAs(improved(text, "parallelism=3"), text, "parallelism=3");
    }
}
