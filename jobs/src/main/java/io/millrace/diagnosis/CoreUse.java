package io.millrace.diagnosis;

import io.millrace.rest.MachinesReading;
import org.jspecify.annotations.Nullable;

/**
 * The use of the machines' cores while a pipeline was measured.
 *
 * @param all the number of cores of the machines, above 0
 * @param own the cores that the job's processes used, at least 0
 * @param others the cores that other programs used, at least 0
 * @param slowdown the slowdown of a core when all others are busy too
 */
public record CoreUse(double all, double own, double others, CoreSlowdown slowdown) {
    public CoreUse {
        if (!(all > 0 && own >= 0 && others >= 0)) {
            throw new IllegalArgumentException(
                    "expected cores above 0, and a use of at least 0, found " + all + ", " + own + ", " + others);
        }
    }

    /** Returns the use of the cores at the time of a reading; null when it is unknown. */
    static @Nullable CoreUse of(MachinesReading machines) {
        Integer all = machines.cores();
        Double busy = machines.busyCores();
        Double own = machines.taskManagerCores();
        return all == null || all < 1 || busy == null || own == null
                ? null
                : new CoreUse(all, own, Math.max(0, busy - own), CoreSlowdown.UNKNOWN);
    }

    /** Returns this use with a slowdown that was measured. */
    CoreUse with(CoreSlowdown measured) {
        return new CoreUse(all, own, others, measured);
    }

    private static final double LEAST_CORES = 0.1;

    /**
     * Returns the number of cores that are left to the job's stages. If {@code shared} is false, other programs keep
     * the cores that they use. If it is true, all ready threads get equal shares of the cores, and the job has one
     * ready thread for each core.
     *
     * @param most the largest number of cores for the stages and the overhead together
     * @param using the number of cores that other programs use
     * @param overhead the number of cores that the job uses outside of its stages
     */
    double left(double most, double using, double overhead, boolean shared) {
        double kept = all - using;
        double part = all * all / (all + using);
        return Math.max(LEAST_CORES, Math.min(most, shared ? Math.max(kept, part) : kept) - overhead);
    }

    /** Returns the CPU time of work relative to a machine with only one busy core. */
    double slowness(double busyCores, double whenAllAreBusy) {
        double beside = Math.min(all, Math.max(1, busyCores)) - 1;
        return all <= 1 ? 1 : 1 + whenAllAreBusy * beside / (all - 1);
    }
}
