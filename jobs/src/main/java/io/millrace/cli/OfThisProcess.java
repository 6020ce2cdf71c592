package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.run.KernelsInUse;
import java.io.PrintStream;

/** The lines about a run whose tasks are in this process. */
final class OfThisProcess {
    private OfThisProcess() {}

    /** Prints the image kernels that the run uses, and advice on them and on the number of slots. */
    static void print(PrintStream text, PipelineConfig config) {
        SlotsAdvice.of(config.slots().parallelism(), Runtime.getRuntime().availableProcessors())
                .ifPresent(advice -> text.println("note    " + advice));
        text.println("kernels " + KernelsInUse.description());
        KernelsInUse.advice().ifPresent(advice -> text.println("note    " + advice));
    }
}
