package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.run.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pipeline files and command lines with mistakes. Nothing is started, and the exit code is 2. */
class BadPipelineTest {
    @TempDir
    Path folder;

    private CommandRun train(String yaml, String... more) throws IOException {
        Path file = Files.writeString(folder.resolve("x.yaml"), yaml);
        String[] arguments = new String[2 + more.length];
        arguments[0] = "train";
        arguments[1] = file.toString();
        System.arraycopy(more, 0, arguments, 2, more.length);
        return CommandRun.of(arguments);
    }

    private static final String SOUND = """
            dataset: { format: synthetic, size: 100, shape: [8, 8, 3] }
            parallelism: 2
            train: { model: none }
            """;

    @Test
    void parallelismOfZeroIsReportedWithLineAndKey() throws IOException {
        train(SOUND.replace("parallelism: 2", "parallelism: 0"))
                .fails(ExitCode.USAGE, "x.yaml:2: parallelism:", "1 to", "0");
        train(SOUND, "--set", "parallelism=0").fails(ExitCode.USAGE, "--set parallelism=0", "1 to");
    }

    @Test
    void misspeltKeyIsAnsweredWithASuggestion() throws IOException {
        train(SOUND.replace("parallelism:", "paralelism:"))
                .fails(ExitCode.USAGE, "x.yaml:2: paralelism: unknown key", "did you mean 'parallelism'?");
    }

    @Test
    void allProblemsAreReportedTogether() throws IOException {
        CommandRun run = train(SOUND.replace("parallelism: 2", "parallelism: 0").replace("none", "nonne"));
        run.fails(ExitCode.USAGE, "x.yaml:2: parallelism:");
        assertThat(run.err().lines()).hasSize(2).anyMatch(line -> line.contains("x.yaml:3: train.model"));
    }

    @Test
    void missingFileIsNamed() {
        CommandRun.of("train", folder.resolve("none.yaml").toString())
                .fails(ExitCode.USAGE, "none.yaml", "there is no such file");
    }

    @Test
    void unknownPlantedBottleneckIsAnsweredWithTheKnownOnes() {
        CommandRun.of("diagnose", "--selftest", "nosuch")
                .fails(ExitCode.USAGE, "--selftest", "'nosuch'", "slow-storage");
    }

    @Test
    void fileThatIsNotYamlIsReportedWithItsLine() throws IOException {
        train("dataset: {{ format\n  - ]").fails(ExitCode.USAGE, "x.yaml:");
        train("just a sentence").fails(ExitCode.USAGE, "x.yaml:1: expected the keys of a pipeline");
        train("\u0000\u0001\u0002").fails(ExitCode.USAGE, "x.yaml:");
    }

    @Test
    void unknownCommandIsAnsweredWithASuggestion() {
        CommandRun.of("trani").fails(ExitCode.USAGE, "unknown command 'trani', did you mean 'train'?");
    }
}
