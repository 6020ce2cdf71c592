package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.run.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class BenchDeviceCommandTest {
    @ParameterizedTest
    @CsvSource({
        "--batch, 32GiB, '--batch: expected at most 1073741824 bytes, found 32GiB'",
        "--micro-batch, 2GiB, '--micro-batch: expected at most 1073741824 bytes, found 2GiB'",
        "--batch, much, --batch: expected",
        "--step, long, --step: expected",
    })
    void sizeThatNoBlockOfMemoryHoldsIsRefusedAsItWasWritten(String option, String value, String message) {
        StringWriter err = new StringWriter();
        CommandLine commandLine =
                Main.commandLine(List.of(new CommandGroup("Measure", List.of(new BenchDeviceCommand()))));
        commandLine.setErr(new PrintWriter(err));

        int exitCode = Main.run(commandLine, "bench-device", option, value);

        assertThat(exitCode).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).contains(message);
    }
}
