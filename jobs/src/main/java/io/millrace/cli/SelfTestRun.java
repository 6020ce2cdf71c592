package io.millrace.cli;

import io.millrace.diagnosis.planted.CaseResult;
import io.millrace.diagnosis.planted.SelfTest;
import io.millrace.diagnosis.planted.SelfTestText;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.flink.util.FileUtils;

/** The self-test {@code diagnose --selftest}, which checks that the diagnosis finds planted bottlenecks on this machine. */
final class SelfTestRun {
    private SelfTestRun() {}

    /**
     * Runs the cases and prints their results.
     *
     * @param names the names of the cases; empty for all cases
     * @return {@link ExitCode#OK} when every planted bottleneck was named
     * @throws UsageException when there is no case with a given name
     */
    static int run(List<String> names, Output output) throws Exception {
        PrintStream text = output.text();
        Path folder = Files.createTempDirectory("millrace-selftest");
        try {
            SelfTest test = test(folder, names);
            text.println(SelfTestText.header());
            List<CaseResult> results = test.run(result -> text.println(SelfTestText.line(result)));
            text.print(SelfTestText.summary(results));
            output.result(Map.of("cases", results));
            return results.stream().allMatch(CaseResult::found) ? ExitCode.OK : ExitCode.FAILED;
        } finally {
            FileUtils.deleteDirectory(folder.toFile());
        }
    }

    private static SelfTest test(Path folder, List<String> names) {
        try {
            return names.isEmpty() ? SelfTest.all(folder) : SelfTest.of(folder, names);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--selftest: " + e.getMessage());
        }
    }
}
