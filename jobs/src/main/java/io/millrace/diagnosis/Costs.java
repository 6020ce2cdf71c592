package io.millrace.diagnosis;

import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The costs of stages between two readings. Pure.
 *
 * <p>Tested by {@code AdvisorTest} and {@code MeasurementTest}.
 *
 * @param before the earlier reading; empty when the job started after it
 * @param samples the number of samples for training that the stages emitted between the readings
 */
record Costs(List<StageReading> before, List<StageReading> after, double samples) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /**
     * Returns the costs of the stages that share a thread. While a thread waits for a core it does not work, but the
     * clocks of its stages continue. This wait is subtracted from the stages' own times, but no own time becomes less
     * than the CPU time. The wait is distributed first in proportion to CPU time, because a thread waits for a core
     * mainly while it computes. The rest is distributed in proportion to the own time that is left without CPU time,
     * because a thread that wakes up also waits for a core.
     *
     * @param names the names of the stages that share the thread
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

    /** Returns the part of a stage's own time in which it did not use a CPU, in milliseconds. */
    private double idle(String name) {
        return Math.max(0, zero(difference(name, Figure.OWN)) - zero(difference(name, Figure.CPU)));
    }

    /**
     * Returns the costs of a stage.
     *
     * @param perCpu the milliseconds for which the thread waited for a core, for each millisecond of CPU time
     * @param perSlack the further milliseconds of this wait, for each millisecond of own time that remains after CPU
     *     time and the wait of {@code perCpu} are subtracted
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

    /** Returns the median own time of a record when the slowest record took much longer, otherwise null. */
    private @Nullable Double usualSeconds(String name) {
        StageReading stage = reading(after, name);
        Double median = stage == null ? null : stage.ownP50Millis();
        Double slowest = stage == null ? null : stage.ownMaxMillis();
        return median == null || slowest == null || slowest < FAR * median
                ? null
                : Double.valueOf(median / MILLIS_PER_SECOND);
    }

    /** A record whose own time is this many times the median counts as an exception. */
    private static final double FAR = 20;

    /** Returns the seconds for which a thread of the stage could not emit, as the mean over the threads. */
    double waitedOut(String name) {
        StageReading stage = reading(after, name);
        Double waited = difference(name, Figure.WAIT_OUT);
        Integer slots = stage == null ? null : stage.parallelism();
        return waited == null || slots == null ? 0 : waited / MILLIS_PER_SECOND / Math.max(1, slots);
    }

    /**
     * Returns the share of time, 0 to 1, in which the threads of a reading task neither worked nor waited for data. In this
     * time Flink kept the source from emitting, which no clock of the source measures. The result is 0 when it is unknown,
     * or when the task does not read.
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

    /** Returns whether the stage has figures of its own. */
    boolean hasFigures(String name) {
        return reading(after, name) != null;
    }

    /** Returns the share, 0 to 1, of the time in which the tasks' threads were ready to run but had no core. */
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
     * Returns the task with the costs on its fastest thread and the speed of all threads together, if slow threads
     * reduce this speed much; otherwise the same task. Small differences are ignored, because they come from the
     * machine or from the samples that a thread happened to get.
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

    /**
     * Returns the increase of a figure between the readings, or null when it is unknown now. A figure that is unknown
     * in the earlier reading began after that reading, and a figure that has decreased was restarted. Both are counted
     * from 0.
     */
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
