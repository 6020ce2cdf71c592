package io.millrace.diagnosis;

import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stages cost between two readings. Pure.
 *
 * @param before empty where the job began in between
 * @param samples that these stages have handed on for training, by which their records are counted
 */
record Costs(List<StageReading> before, List<StageReading> after, double samples) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /**
     * The stages of one thread. A thread that waits for a core does not work, but its stages' clocks go on: that time is
     * taken off, from each stage down to what it had of the processor. First by the processor's time, as it is computing that
     * waits for a core; what is left of it by own time, as also who wakes up has to wait for one.
     *
     * @param names the stages that share the threads
     */
    List<StageCost> ofThread(List<String> names) {
        double cpu = 0;
        double coreWait = 0;
        for (String name : names) {
            cpu += zero(difference(name, Figure.CPU));
            coreWait = Math.max(coreWait, zero(difference(name, Figure.CORE_WAIT)));
        }
        double perCpu = cpu <= 0 ? 0 : coreWait / cpu;
        double left = coreWait;
        double slack = 0;
        for (String name : names) {
            double waited = Math.min(idle(name), perCpu * zero(difference(name, Figure.CPU)));
            left -= waited;
            slack += idle(name) - waited;
        }
        double perSlack = slack <= 0 ? 0 : Math.min(1, left / slack);
        return names.stream().map(name -> stage(name, perCpu, perSlack)).toList();
    }

    /** The stage's own time without the processor's. */
    private double idle(String name) {
        return Math.max(0, zero(difference(name, Figure.OWN)) - zero(difference(name, Figure.CPU)));
    }

    /**
     * A stage's costs.
     *
     * @param perCpu how long the thread waited for a core, for each millisecond of the processor's time
     * @param perSlack how long beside, for each millisecond of own time that is then left
     */
    private StageCost stage(String name, double perCpu, double perSlack) {
        Double records = difference(name, Figure.RECORDS);
        Double own = difference(name, Figure.OWN);
        Double cpu = difference(name, Figure.CPU);
        if (records == null) {
            return new StageCost(name, 0, null, null);
        }
        if (records <= 0) {
            return new StageCost(name, 0, 0.0, 0.0);
        }
        double slack = Math.max(0, idle(name) - perCpu * zero(cpu));
        Double worked = own == null ? null : Double.valueOf(Math.min(own, zero(cpu)) + slack * (1 - perSlack));
        return new StageCost(name, records / samples, per(worked, records), per(cpu, records), usualSeconds(name));
    }

    private static double zero(@Nullable Double millis) {
        return millis == null ? 0 : millis;
    }

    /** The median of a record's own time, where the slowest took very much longer. */
    private @Nullable Double usualSeconds(String name) {
        StageReading stage = reading(after, name);
        Double median = stage == null ? null : stage.ownP50Millis();
        Double slowest = stage == null ? null : stage.ownMaxMillis();
        return median == null || slowest == null || slowest < FAR * median
                ? null
                : Double.valueOf(median / MILLIS_PER_SECOND);
    }

    /** So many times the median is not a sample like others. */
    private static final double FAR = 20;

    /** For how many seconds each of the stage's threads, on average, could not hand on. */
    double waitedOut(String name) {
        StageReading stage = reading(after, name);
        Double waited = difference(name, Figure.WAIT_OUT);
        Integer slots = stage == null ? null : stage.parallelism();
        return waited == null || slots == null ? 0 : waited / MILLIS_PER_SECOND / Math.max(1, slots);
    }

    /**
     * Of the time of a task that reads, the share in which its threads neither worked nor lacked something to emit, 0 to 1: a
     * source is kept from emitting outside of all clocks. 0 where that is unknown, or it does not read.
     */
    double keptFromEmitting(TaskReading task, double seconds) {
        Double lacking = task.stages().contains(TaskLimits.READ) ? difference(TaskLimits.READ, Figure.WAIT_IN) : null;
        if (lacking == null) {
            return 0;
        }
        double used = lacking;
        for (String stage : task.stages()) {
            Double own = difference(stage, Figure.OWN);
            used += own == null ? 0 : own;
        }
        return Math.max(0, 1 - used / MILLIS_PER_SECOND / seconds / task.parallelism());
    }

    /** Whether this is a stage with figures of its own. */
    boolean knows(String name) {
        return reading(after, name) != null;
    }

    /** Of the time for which the tasks' threads could run, the share in which they had no core, 0 to 1. */
    double contention(List<TaskReading> tasks) {
        double ran = 0;
        double waited = 0;
        for (TaskReading task : tasks) {
            double longest = 0;
            for (String stage : task.stages()) {
                Double cpu = difference(stage, Figure.CPU);
                Double wait = difference(stage, Figure.CORE_WAIT);
                ran += cpu == null ? 0 : cpu;
                longest = Math.max(longest, wait == null ? 0 : wait);
            }
            waited += longest;
        }
        return waited <= 0 ? 0 : waited / (ran + waited);
    }

    private static @Nullable Double per(@Nullable Double millis, double records) {
        return millis == null ? null : Double.valueOf(Math.max(0, millis) / MILLIS_PER_SECOND / records);
    }

    /**
     * The task with its slow threads told apart, where they cost much: the costs are then those on its fastest thread, and
     * its speed is that of all. Small differences are the machine's, or of the samples that each happened to get.
     */
    Task evenOut(Task task) {
        StageCost costliest = task.costliest().orElse(null);
        if (costliest == null) {
            return task;
        }
        StageReading stage = reading(after, costliest.name());
        Double own = costliest.ownSeconds();
        if (stage == null || own == null || own <= 0) {
            return task;
        }
        Double fastest = stage.recordsPerOwnSecondMax();
        Double all = stage.recordsPerOwnSecondSum();
        if (fastest == null || all == null || fastest <= 0 || all / fastest >= TaskLimits.SLOW * task.slots()) {
            return task;
        }
        double faster = Math.min(1, 1 / fastest / own);
        return new Task(
                task.name(),
                task.slots(),
                all / fastest,
                task.stages().stream().map(cost -> cost.times(faster)).toList());
    }

    private enum Figure {
        RECORDS,
        OWN,
        CPU,
        WAIT_IN,
        WAIT_OUT,
        CORE_WAIT;

        @Nullable
        Double of(StageReading stage) {
            Long records = stage.records();
            return switch (this) {
                case RECORDS -> records == null ? null : Double.valueOf(records);
                case OWN -> stage.ownMillis();
                case CPU -> stage.cpuMillis();
                case WAIT_IN -> stage.waitInMillis();
                case WAIT_OUT -> stage.waitOutMillis();
                case CORE_WAIT -> stage.coreWaitMillis();
            };
        }
    }

    /** Null when unknown now; what was unknown before had not begun. A counter that fell began anew. */
    private @Nullable Double difference(String name, Figure figure) {
        StageReading now = reading(after, name);
        Double value = now == null ? null : figure.of(now);
        if (value == null) {
            return null;
        }
        StageReading then = reading(before, name);
        Double earlier = then == null ? null : figure.of(then);
        return earlier == null || earlier > value ? value : Double.valueOf(value - earlier);
    }

    private static @Nullable StageReading reading(List<StageReading> stages, String name) {
        return stages.stream()
                .filter(stage -> stage.name().equals(name))
                .findFirst()
                .orElse(null);
    }
}
