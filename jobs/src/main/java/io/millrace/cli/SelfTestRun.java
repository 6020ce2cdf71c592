package io.millrace.cli;

import io.millrace.diagnosis.PlantedBottlenecks;
import io.millrace.run.ExitCode;
import io.millrace.run.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.flink.util.FileUtils;

/** The self-test {@code diagnose --selftest}, which checks that the diagnosis finds planted bottlenecks on this machine. */
final class SelfTestRun {
    private SelfTestRun() {}

    /**
     * Runs the cases and prints their results.
     *
     * @param names the names of the cases; empty for all cases
     * @return {@link ExitCode#OK} when every planted bottleneck was named, and each outcome was in the predicted range
     * @throws UsageException when there is no case with a given name, or the jar with the cases is not on the class path
     */
    static int run(List<String> names, Output output) throws Exception {
        PlantedBottlenecks planted = ServiceLoader.load(PlantedBottlenecks.class)
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        "--selftest: its pipelines are in the jar millrace-jobs-<version>-selftest.jar, which ./millrace adds"
                                + " to the class path: expected this jar there"));
        List<String> known = planted.names();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new UsageException("--selftest: no planted bottleneck '" + name + "', expected one of " + known);
            }
        }
        Path folder = Files.createTempDirectory("millrace-selftest");
        try {
            PlantedBottlenecks.Results results = planted.run(folder, names.isEmpty() ? known : names, output.text());
            output.result(Map.of("cases", results.cases()));
            return results.passed() ? ExitCode.OK : ExitCode.FAILED;
        } finally {
            FileUtils.deleteDirectory(folder.toFile());
        }
    }
}
