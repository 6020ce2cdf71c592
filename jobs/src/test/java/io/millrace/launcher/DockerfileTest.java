package io.millrace.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The checks of the Dockerfile that need no Docker. {@link DistributionE2E} runs its commands that create links. */
class DockerfileTest {
    @Test
    void everyInstructionIsOneOfDockersAndTheFirstNamesAVersion() throws Exception {
        Dockerfile dockerfile = Dockerfile.read();
        assertThat(dockerfile.instructions()).allMatch(line -> List.of("FROM", "COPY", "RUN", "ENV", "USER")
                .contains(line.substring(0, line.indexOf(' '))));
        assertThat(dockerfile.instructions().get(0)).isEqualTo("FROM flink:2.3-java17");
        assertThat(dockerfile.of("USER")).containsExactly("flink", "root");
    }

    @Test
    void everyCommandHasTheSyntaxOfTheShell() throws Exception {
        for (String command : Dockerfile.read().runs()) {
            Process shell =
                    new ProcessBuilder("sh", "-n", "-c", command).inheritIO().start();
            assertThat(shell.waitFor()).as(command).isZero();
        }
    }

    @Test
    void theEnvironmentIsThatOfTheLauncher() throws Exception {
        String launcher = Files.readString(Path.of("..", "millrace"));
        Dockerfile.read().environment().forEach((name, value) -> {
            if (!name.equals("DJL_CACHE_DIR")) {
                assertThat(launcher).contains("export " + name + "=\"${" + name + ":-" + value + "}\"");
            }
        });
    }
}
