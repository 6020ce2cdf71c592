package io.millrace.cli;

import io.millrace.run.RunSummaryPrinter.Detail;
import picocli.CommandLine.Option;

/** The option {@code --verbose} of commands that print the end of a run. */
final class DetailArgument {
    @Option(
            names = "--verbose",
            description = "Print at the end also the table of the stages, and the verdict with all its figures."
                    + " The report has them in any case.")
    private boolean verbose;

    /** Returns the amount of text at the end of a run. */
    Detail detail() {
        return verbose ? Detail.VERBOSE : Detail.SHORT;
    }
}
