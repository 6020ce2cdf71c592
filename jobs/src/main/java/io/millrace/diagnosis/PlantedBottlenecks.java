package io.millrace.diagnosis;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * A test of the diagnosis on pipelines with a planted bottleneck. Its implementation is a service in a jar of its own, which only
 * {@code diagnose --selftest} has on its class path.
 */
public interface PlantedBottlenecks {
    /** Returns the names of the cases. */
    List<String> names();

    /**
     * Runs cases one after another, and prints the result of each when it ends, and a summary.
     *
     * @param folder an existing folder for the data and the files of the runs
     * @param names some of {@link #names}
     * @throws java.io.IOException when the data cannot be written or a pipeline ends too early; other exceptions are the causes of
     *     failed pipelines
     */
    Results run(Path folder, List<String> names, PrintStream text) throws Exception;

    /**
     * The results of the cases.
     *
     * @param cases the results for JSON, in the order of the names
     * @param passed whether the diagnosis named every planted bottleneck, and each outcome was in the predicted range
     */
    record Results(List<?> cases, boolean passed) {
        public Results {
            cases = List.copyOf(cases);
        }
    }
}
