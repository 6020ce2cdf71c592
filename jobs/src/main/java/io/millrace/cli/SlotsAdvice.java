package io.millrace.cli;

import io.millrace.sample.Counted;
import java.util.Optional;

/** Advice on a number of slots that the machine can hardly use. Pure. */
final class SlotsAdvice {
    /** The number of slots for each core from which even stages that only wait gain little. */
    private static final int MOST_FOR_EACH_CORE = 16;

    private SlotsAdvice() {}

    /** Returns a sentence about too many slots; empty when there are not too many. */
    static Optional<String> of(int parallelism, int cores) {
        return parallelism <= MOST_FOR_EACH_CORE * cores
                ? Optional.empty()
                : Optional.of("parallelism is " + parallelism + ", and this machine has " + Counted.of(cores, "core")
                        + ": every slot needs memory and threads of its own, and more slots than cores only help stages"
                        + " that wait, for example for storage");
    }
}
