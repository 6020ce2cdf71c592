package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A class number has one meaning in all datasets of a mixture. */
class MixedClassesTest {
    @TempDir
    Path folder;

    private RunPlan plan(String... labels) throws Exception {
        StringBuilder datasets = new StringBuilder("datasets:\n");
        StringBuilder weights = new StringBuilder();
        for (int i = 0; i < labels.length; i++) {
            datasets.append("  d%d: { format: csv, path: %s }\n".formatted(i, table("d" + i, labels[i])));
            weights.append(i == 0 ? "" : ", ").append("d").append(i).append(": 1");
        }
        Path file = Files.writeString(
                folder.resolve("mix.yaml"),
                datasets + "mix: [{ steps: 4, weights: {" + weights + "} }]\nbatch: { size: 2 }\n"
                        + "train: { model: none, input: features }\n");
        return RunPlanner.plan(ConfigReader.read(file, List.of()));
    }

    private Path table(String name, String labels) throws IOException {
        StringBuilder rows = new StringBuilder("a,label\n");
        for (String label : labels.split(" ", -1)) {
            rows.append("1.5,").append(label).append('\n');
        }
        return Files.writeString(folder.resolve(name + ".csv"), rows);
    }

    @Test
    void aDatasetMayHaveFewerOrMoreOfTheSameClasses() throws Exception {
        assertThat(plan("x y", "x y z", "x").classes()).containsExactly("x", "y", "z");
    }

    @Test
    void classesThatDifferInLaterDatasetsAreRefused() {
        assertThatThrownBy(() -> plan("x", "x y", "x z"))
                .isInstanceOf(PipelineException.class)
                .hasMessageMatching(
                        "(?s)class 1 is 'y' in .*d1.csv, but 'z' in .*d2.csv: expected the same classes in all datasets"
                                + " of a mixture");
    }

    @Test
    void classesWithAndWithoutNamesAreRefused() {
        assertThatThrownBy(() -> plan("0 1", "x y"))
                .isInstanceOf(PipelineException.class)
                .hasMessageMatching(
                        "the datasets of a mixture must all have names of classes, or none of them, but .*d1.csv has"
                                + " some and .*d0.csv has none");
    }
}
