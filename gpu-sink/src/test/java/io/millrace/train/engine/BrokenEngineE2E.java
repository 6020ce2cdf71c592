package io.millrace.train.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.device.DeviceException;
import io.millrace.device.JavaProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The error for an engine whose libraries are damaged, in a separate process: this process may have loaded the engine. */
class BrokenEngineE2E {
    @TempDir
    Path folder;

    /** Loads the engine twice, and prints the results. */
    static final class LoadTwice {
        public static void main(String[] args) {
            for (int i = 0; i < 2; i++) {
                try {
                    System.out.println("loaded " + TrainingRuntime.version());
                } catch (DeviceException e) {
                    System.out.println("refused: " + e.getMessage());
                }
            }
        }
    }

    @Test
    void damagedLibraryIsReportedEachTime() throws IOException, InterruptedException {
        for (String library : new String[] {"c10", "torch_cpu", "torch", "djl_torch"}) {
            Files.writeString(folder.resolve(System.mapLibraryName(library)), "not a library");
        }
        String output =
                JavaProgram.output(Map.of("LC_ALL", "C", "PYTORCH_LIBRARY_PATH", folder.toString()), LoadTwice.class);

        assertThat(output.lines().filter(line -> line.startsWith("refused: ")))
                .as(output)
                .hasSize(2)
                .allSatisfy(line -> assertThat(line)
                        .contains("PyTorch's libraries cannot be loaded from PYTORCH_LIBRARY_PATH, which is " + folder)
                        .contains(folder + "/lib"));
    }
}
