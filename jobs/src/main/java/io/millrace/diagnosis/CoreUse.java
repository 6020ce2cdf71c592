package io.millrace.diagnosis;

import io.millrace.rest.MachinesReading;
import org.jspecify.annotations.Nullable;

/**
 * The use of the machines' cores while a pipeline was measured.
 *
 * @param all the number of cores of the machines, above 0
 * @param own the cores that the job's processes used, at least 0
 * @param others the cores that other programs used, at least 0
 * @param share the part of the time in which a thread of the job was ready that it had a core, above 0 to 1
 * @param slowdown the slowdown of a core when all others are busy too
 */
public record CoreUse(double all, double own, double others, double share, CoreSlowdown slowdown) {
    public CoreUse {
        if (!(all > 0 && own >= 0 && others >= 0 && share > 0 && share <= 1)) {
            throw new IllegalArgumentException(
                    "expected cores above 0, a use of at least 0, and a share above 0 to 1, found " + all + ", " + own
                            + ", " + others + ", " + share);
        }
    }

    /**
     * Returns the use of the cores at the time of a reading; null when it is unknown.
     *
     * @param contention the part of the time in which a thread of the job was ready that it had no core, 0 to 1
     */
    static @Nullable CoreUse of(MachinesReading machines, double contention) {
        Integer all = machines.cores();
        Double busy = machines.busyCores();
        Double own = machines.taskManagerCores();
        return all == null || all < 1 || busy == null || own == null
                ? null
                : new CoreUse(
                        all, own, Math.max(0, busy - own), Math.max(LEAST_SHARE, 1 - contention), CoreSlowdown.UNKNOWN);
    }

    /** A smaller share is not measurable. */
    private static final double LEAST_SHARE = 0.01;

    /** Returns this use with a slowdown that was measured. */
    CoreUse with(CoreSlowdown measured) {
        return new CoreUse(all, own, others, share, measured);
    }

    /** The fewest cores that are assumed to be left to the job. */
    static final double LEAST_CORES = 0.1;

    /**
     * Returns the number of cores that are left to the job's stages when other programs keep those that they use.
     *
     * @param most the largest number of cores for the stages and the overhead together
     * @param using the number of cores that other programs use
     * @param overhead the number of cores that the job uses outside of its stages
     */
    double left(double most, double using, double overhead) {
        return Math.max(LEAST_CORES, Math.min(most, all - using) - overhead);
    }

    /** Returns how many threads of other programs are ready all the time, if they use the given number of cores. */
    double threads(double using) {
        return using / share;
    }

    /** Returns the CPU time of work relative to a machine with only one busy core. */
    double slowness(double busyCores, double whenAllAreBusy) {
        double beside = Math.min(all, Math.max(1, busyCores)) - 1;
        return all <= 1 ? 1 : 1 + whenAllAreBusy * beside / (all - 1);
    }
}
