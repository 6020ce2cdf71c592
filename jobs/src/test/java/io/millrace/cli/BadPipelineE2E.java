package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.run.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a process loads before it reports a mistake in a pipeline file. Most of the time of such a process is spent on classes. */
@Tag("processes")
class BadPipelineE2E {
    private static final String MISTAKE = """
            dataset: { format: folder, path: data }
            transforms:
              - decode
              - RandomResizedCrop: { size: [64, 64] }
              - Resize: { size: 32 }
              - ColorJitter: { brightness: 0.1 }
              - RandomGrayscale: { p: 0.1 }
              - RandAugment
            device: { transforms: [ToFloat: { scale: 255 }] }
            train: { model: none }
            ordre: { seed: 1 }
            """;

    @TempDir
    Path folder;

    @Test
    void aMistakeIsReportedWithoutEnginesCodecsAndLogging() throws Exception {
        Path classes = folder.resolve("classes");
        Path output = folder.resolve("output");
        Path pipeline = Files.writeString(folder.resolve("x.yaml"), MISTAKE);
        List<String> command = JavaCommand.of(
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "256m",
                folder.resolve("log"),
                List.of("train", pipeline.toString()));
        command.add(command.indexOf("-cp"), "-Xlog:class+load:file=" + classes + ":none");

        int exitCode = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();

        assertThat(exitCode).as("%s", Files.readAllLines(output)).isEqualTo(ExitCode.USAGE);
        assertThat(output).content().contains("x.yaml:11: ordre: unknown key, did you mean 'order'?");
        assertThat(Files.readAllLines(classes))
                .as("the options of transforms are checked")
                .anyMatch(line -> line.startsWith("io.millrace.transform.ColorJitter "))
                .noneMatch(
                        line -> line.matches(
                                "(org\\.bytedeco|org\\.apache\\.logging|org\\.apache\\.flink|org\\.slf4j|com\\.fasterxml|ai\\.djl\\.engine)\\..*"));
    }

    @Test
    void whatATerminalObeysIsEscapedInMessagesAboutFilesAndKeys() throws Exception {
        Path output = folder.resolve("output");
        Path pipeline =
                Files.writeString(folder.resolve("x\u001b[2J.yaml"), "\"ord\\u202ere\\e]0;t\\a\": { seed: 1 }\n");
        ProcessBuilder program = new ProcessBuilder(JavaCommand.of(
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "256m",
                folder.resolve("log"),
                List.of("train", pipeline.toString())));
        program.environment().put("LC_ALL", "C.UTF-8");

        int exitCode = program.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();

        assertThat(exitCode).as("%s", Files.readAllLines(output)).isEqualTo(ExitCode.USAGE);
        assertThat(output)
                .content()
                .contains("x\\u001b[2J.yaml", "ord\\u202ere\\u001b]0;t\\u0007")
                .doesNotContainPattern("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e]");
    }
}
