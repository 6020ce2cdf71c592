package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.sink.progress.StepLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepFileTest {
    @TempDir
    Path folder;

    @Test
    void writtenStepsAreRead() throws Exception {
        StepFile file = read("0,0,64,2.5,5000.000,1.000,9.000\n1,0,64,,10.000,2.000,28.000\n");
        assertThat(file.spans()).hasSize(2);
        assertThat(file.spans().get(0)).isEqualTo(new StepSpan(0.01, 0.01, 0, 64, 160, 64));
        assertThat(file.spans().get(1).rowsPerSecond()).isEqualTo(1_600);
        assertThat(file.spans().get(1).starvation()).isEqualTo(0.25);
        assertThat(file.spans().get(1).loss()).isNull();
        assertThat(file.stepNanos().getMaxValue() / 1e6).isBetween(30.0, 30.1);
        assertThat(file.waitNanos().getTotalCount()).as("the first is start-up").isEqualTo(1);
    }

    @Test
    void damagedLineIsNamed() {
        assertThatThrownBy(() -> read("0,0,64,2.5,1.0,1.0,9.0\n1,0,64,2.5,1"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("steps.csv is damaged in line 3: expected 7 values, found 1,0,64,2.5,1");
        assertThatThrownBy(() -> read("0,0,many,2.5,1.0,1.0,9.0\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 2: expected numbers, found 0,0,many");
    }

    @Test
    void missingFileIsEmpty() throws Exception {
        assertThat(StepFile.read(folder.resolve("missing.csv"))).isEmpty();
    }

    private StepFile read(String lines) throws IOException {
        Path file = folder.resolve("steps.csv");
        Files.writeString(file, StepLine.HEADER + lines);
        return StepFile.read(file).orElseThrow();
    }
}
