package io.millrace.metrics;

import static io.millrace.metrics.Figure.Owner.DATA_STAGE;
import static io.millrace.metrics.Figure.Owner.DEVICE;
import static io.millrace.metrics.Figure.Owner.MACHINE;
import static io.millrace.metrics.Figure.Owner.TRAINER;
import static io.millrace.metrics.Statistic.OverSlots.GREATEST;
import static io.millrace.metrics.Statistic.OverSlots.LEAST;
import static io.millrace.metrics.Statistic.OverSlots.MEAN;
import static io.millrace.metrics.Statistic.OverSlots.SUM;
import static io.millrace.metrics.Statistic.Unit.BYTES;
import static io.millrace.metrics.Statistic.Unit.CORES;
import static io.millrace.metrics.Statistic.Unit.COUNT;
import static io.millrace.metrics.Statistic.Unit.GIGABYTES_PER_SECOND;
import static io.millrace.metrics.Statistic.Unit.NANOSECONDS;
import static io.millrace.metrics.Statistic.Unit.NUMBER;
import static io.millrace.metrics.Statistic.Unit.PER_SECOND;
import static io.millrace.metrics.Statistic.Unit.SHARE;
import static io.millrace.metrics.Statistic.Unit.WATTS;

import io.millrace.metrics.Figure.Owner;
import io.millrace.metrics.Statistic.Column;
import io.millrace.metrics.Statistic.OverSlots;
import io.millrace.metrics.Statistic.Part;
import io.millrace.metrics.Statistic.Unit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All figures: the one place that declares their names, units, statistics and help texts. What is read over REST, the tables
 * of stages, {@code summary.json} and {@code docs/diagnose/metrics.md} follow the order of these declarations.
 */
public final class Figures {
    private static final List<Figure> ALL = new ArrayList<>();
    private static final Set<Figure> NOT_ON_DASHBOARD = new HashSet<>();

    public static final Figure RECORDS = notOnDashboard(add(
            stage("records", COUNT, "Samples that the stage handled.").read(SUM, "records", new Column("samples", 1))));

    public static final Figure OWN_NANOS = add(stage(
                    "ownNanos",
                    NANOSECONDS,
                    "Time in which the stage worked on samples. Waiting for input, and waiting until the next stage"
                            + " accepts a sample, are not included. The own time is the cost of the stage. A resize that `decode` does for"
                            + " the next stage counts as the next stage's work.")
            .read(SUM, "own_ms", new Column("own ms", 2)));

    public static final Figure CPU_NANOS = notOnDashboard(add(stage(
                    "cpuNanos",
                    NANOSECONDS,
                    "CPU time of the stage's own work, measured on one call in 16 and scaled up. If it is well below"
                            + " the own time, the stage waited for a disk or for a core. If it equals the own time, the"
                            + " stage computed all the time.")
            .read(SUM, "cpu_ms", new Column("CPU ms", 4))));

    public static final Figure WAIT_IN_NANOS = add(stage(
                    "waitInNanos",
                    NANOSECONDS,
                    "Time between passing on one sample and receiving the next. A high value means that the previous"
                            + " stage is slow. At `train`, it is the same as `starvedNanos`.")
            .read(SUM, "wait_in_ms", new Column("wait in ms", 5)));

    public static final Figure WAIT_OUT_NANOS = add(gauge(
                    "waitOutNanos",
                    NANOSECONDS,
                    "Time spent in passing on samples. Before a network edge, a high value means that the following"
                            + " stage is slow. Within a chain it includes the work of the following stages.",
                    DATA_STAGE)
            .read(SUM, "wait_out_ms", new Column("wait out ms", 6)));

    public static final Figure BYTES_PRODUCED =
            notOnDashboard(add(stage("bytes", BYTES, "Bytes of field data that the stage produced.")
                    .read(SUM, "bytes", null)));

    public static final Figure FAILURES = add(stage(
                    "failures",
                    COUNT,
                    "Bad samples that the stage found and quarantined, once in each epoch. Later stages do not count them"
                            + " again. At `train`, the rows that were missing from batches, which the tables leave out.")
            .read(SUM, "failures", new Column("bad", 1)));

    public static final Figure CORE_WAIT_NANOS = add(stage(
                    "coreWaitNanos",
                    NANOSECONDS,
                    "Time for which the stage's thread was ready to run while other threads had the cores, as Linux counts"
                            + " it. NaN where the system does not count it.")
            .read(SUM, "core_wait_ms", new Column("no core ms", Column.REPORT_ONLY)));

    public static final Figure CACHE_HITS = notOnDashboard(add(gauge(
                    "cacheHits",
                    SHARE,
                    "Share of the words and other pieces of text whose ids `tokenize` had in its cache, 0 to 1: those that were repeated"
                            + " lately. Other stages, and the engine `tokenizers`, do not report it.",
                    DATA_STAGE)
            .read(MEAN, "cache_hits", null)));

    public static final Figure RECORDS_PER_OWN_SECOND = add(stage(
                    "recordsPerOwnSecond",
                    PER_SECOND,
                    "Samples per second of own time: the throughput of a slot that never waits. NaN before the first sample.")
            .read(SUM)
            .read(GREATEST));

    public static final Figure OWN_NANOS_PER_RECORD =
            add(Figure.histogram("ownNanosPerRecord", NANOSECONDS, "Own time of each sample.", DATA_STAGE)
                    .read(Part.MEDIAN, MEAN, "own_p50_ms", new Column("own p50 ms", Column.REPORT_ONLY))
                    .read(Part.P99, MEAN, "own_p99_ms", new Column("own p99 ms", Column.REPORT_ONLY))
                    .read(Part.MAX, GREATEST, "own_max_ms", new Column("own max ms", Column.REPORT_ONLY)));

    public static final Figure MACHINE_CORES = machine("machineCores", "Cores that the process may use.");

    public static final Figure MACHINE_BUSY_CORES = machine(
            "machineBusyCores", "Cores that were busy since the last measurement, no matter which program used them.");

    public static final Figure PROCESS_BUSY_CORES =
            machine("processBusyCores", "Cores that this TaskManager's process used since the last measurement.");

    public static final Figure COLLECTION_NANOS = notOnDashboard(add(Figure.gauge(
                    "collectionNanos",
                    NANOSECONDS,
                    "Time in which garbage collections stopped this TaskManager's process, since it started, at most the"
                            + " collectors' CPU time.",
                    MACHINE)
            .read(MEAN)));

    public static final Figure STEPS = notOnDashboard(trainer("steps", COUNT, LEAST, "Training steps done."));

    public static final Figure SAMPLES = trainer("samples", COUNT, SUM, "Samples trained on.");

    public static final Figure EPOCH = trainer("epoch", COUNT, LEAST, "The epoch that is being trained, from 0.");

    public static final Figure LOSS = trainer("loss", NUMBER, MEAN, "Mean loss of the latest step.");

    public static final Figure ACCURACY =
            trainer("accuracy", SHARE, MEAN, "Accuracy of the latest evaluation. NaN before the first.");

    public static final Figure STARVED_NANOS = trainerTime(
            "starvedNanos",
            "Time in which the trainer waited for a whole batch. On an asynchronous device, such as a GPU: the time"
                    + " from the end of a step to the start of the next, by the device's clock.");

    public static final Figure STEP_NANOS = trainerTime(
            "stepNanos",
            "Time in forward, backward and optimizer. On an asynchronous device, by its clock and with its"
                    + " transforms.");

    public static final Figure TRANSFER_NANOS = trainerTime(
            "transferNanos",
            "Time in moving batches to the device and transforming them there. On an asynchronous device: the part of"
                    + " `starvedNanos` in which the device waited for the copies of a batch.");

    public static final Figure EVALUATION_NANOS = trainerTime(
            "evaluationNanos",
            "Time in evaluation batches. On an asynchronous device, by its clock and with the idle time before"
                    + " these batches.");

    public static final Figure ASSEMBLE_NANOS = notOnDashboard(
            trainer(
                    "assembleNanos",
                    NANOSECONDS,
                    SUM,
                    "Time in which the training operator put rows into their batches. In a served run it includes the device transforms that the server applies."));

    public static final Figure CLOCK_NANOS = trainerTime(
            "clockNanos",
            "The trainer's clock, with an arbitrary origin, when the trainer last updated its figures, which it does"
                    + " after each batch. To get a rate, divide the difference of a figure by the difference of this"
                    + " clock: then neither the delay of a reading nor an unfinished batch distorts the result. On an"
                    + " asynchronous device, the clock shows the end of the latest step that the figures count. NaN"
                    + " before the first batch.");

    public static final Figure STEP_TIME_NANOS = add(Figure.histogram(
            "stepTimeNanos",
            NANOSECONDS,
            "Time of each training step, including transfer and device transforms.",
            TRAINER));

    public static final Figure WAIT_TIME_NANOS = add(Figure.histogram(
            "waitTimeNanos",
            NANOSECONDS,
            "Time in which the trainer waited for each batch except the first. On an asynchronous device: the idle time before"
                    + " each step.",
            TRAINER));

    public static final Figure WAITING_ROWS = trainer(
            "waitingRows",
            COUNT,
            SUM,
            "Rows whose batch is not whole yet. A high value means that some slots are ahead of others.");

    public static final Figure PARKED_ROWS =
            notOnDashboard(trainer("parkedRows", COUNT, SUM, "Waiting rows whose batch is not in the batch ring yet."));

    public static final Figure PARKED_BYTES =
            trainer("parkedBytes", BYTES, SUM, "Memory of the micro-batches that hold the parked rows.");

    public static final Figure MOST_WAITING_ROWS = trainer(
            "mostWaitingRows",
            COUNT,
            GREATEST,
            "The highest number of waiting rows since the training operator was started or restarted.");

    public static final Figure MOST_PARKED_BYTES = trainer(
            "mostParkedBytes",
            BYTES,
            GREATEST,
            "The largest memory of parked rows since the training operator was started or restarted.");

    public static final Figure SLOT_WAIT_NANOS = notOnDashboard(trainer(
            "slotWaitNanos",
            NANOSECONDS,
            SUM,
            "Time in which rows waited for memory of a batch, because every batch of the ring was in training."));

    public static final Figure RESTARTS =
            trainer("restarts", COUNT, GREATEST, "The number of restarts of the training from a checkpoint.");

    public static final Figure CHECKPOINTS = trainer(
            "checkpoints", COUNT, LEAST, "Checkpoints of the training operator, including those before restarts.");

    public static final Figure CHECKPOINT_BYTES =
            trainer("checkpointBytes", BYTES, SUM, "Size of the training operator's state in the latest checkpoint.");

    public static final Figure CHECKPOINT_COPY_NANOS = trainerTime(
            "checkpointCopyNanos",
            "Time, over all checkpoints, in which the trainer's state was copied in memory and no step was made. On an"
                    + " asynchronous device, by its clock.");

    public static final Figure CHECKPOINT_DRAIN_NANOS = trainerTime(
            "checkpointDrainNanos",
            "Time, over all checkpoints, in which the trainer finished whole batches before its state was copied.");

    public static final Figure CHECKPOINT_REFILL_NANOS = notOnDashboard(trainerTime(
            "checkpointRefillNanos",
            "Time, since the latest start, for which the trainer waited after the copies of its state until the next batch"
                    + " had arrived, beyond its wait before the previous step. It had trained on all complete batches"
                    + " before. No part of starvedNanos."));

    public static final Figure CHECKPOINT_WRITE_NANOS = notOnDashboard(trainerTime(
            "checkpointWriteNanos",
            "Time, over the checkpoints since the latest start, from the copy of the trainer's state until Flink has stored the"
                    + " checkpoint. Training continues during this time."));

    public static final Figure TRANSFER_GIGABYTES_PER_SECOND = notOnDashboard(device(
            "transferGigabytesPerSecond",
            GIGABYTES_PER_SECOND,
            "Throughput of the copies to the device that were timed. NaN before the first."));

    public static final Figure COPY_OVERLAP = notOnDashboard(device(
            "copyOverlap",
            SHARE,
            "Share of the copies' time that passed while the engine worked. NaN before the first copy."));

    public static final Figure ENGINE_NANOS = notOnDashboard(device(
            "engineNanos", NANOSECONDS, "Time in which the device's engine worked on batches, by the device's clock."));

    public static final Figure COPY_WAIT_NANOS = notOnDashboard(trainerTime(
            "copyWaitNanos",
            "On an asynchronous device, time in which the engine had finished all earlier work and waited for the copies of a"
                    + " training batch, except the first batch; a part of starvedNanos. 0 on the host."));

    public static final Figure DEVICE_MEMORY_BYTES = notOnDashboard(device(
            "deviceMemoryBytes", BYTES, "Used memory of the device, by all processes. NaN when it is not known."));

    public static final Figure DEVICE_MEMORY_TOTAL_BYTES =
            notOnDashboard(device("deviceMemoryTotalBytes", BYTES, "Memory of the device. NaN when it is not known."));

    public static final Figure GPU_UTILIZATION = notOnDashboard(device(
            "gpuUtilization",
            SHARE,
            "Share of the time in which the GPU computed anything, as NVML reports it. NaN when it is not known."));

    public static final Figure GPU_WATTS =
            notOnDashboard(device("gpuWatts", WATTS, "Power of the GPU. NaN when it is not known."));

    public static final Figure PINNED_BYTES = notOnDashboard(device(
            "pinnedBytes",
            BYTES,
            "Page-locked memory that micro-batches use. Absent where training runs on the host."));

    public static final Figure PAGEABLE_BUFFERS = notOnDashboard(device(
            "pageableBuffers",
            COUNT,
            "Buffers of micro-batches for which no page-locked memory was free; copies from them are slower. Absent where"
                    + " training runs on the host."));

    private Figures() {}

    /** Returns all figures, in the order of their declarations. */
    public static List<Figure> all() {
        return Collections.unmodifiableList(ALL);
    }

    /** Returns whether the dashboard in {@code conf/watching} has a panel for a figure. */
    public static boolean isOnDashboard(Figure figure) {
        return !NOT_ON_DASHBOARD.contains(figure);
    }

    /** Returns the figures that an owner registers, in the order of their declarations. */
    public static List<Figure> of(Owner owner) {
        return ALL.stream().filter(figure -> figure.owners().contains(owner)).toList();
    }

    /** Returns the statistics of an owner's figures, in the order of their declarations. */
    public static List<Statistic> statistics(Owner owner) {
        return of(owner).stream()
                .flatMap(figure -> figure.statistics().stream())
                .toList();
    }

    private static Figure add(Figure figure) {
        ALL.add(figure);
        return figure;
    }

    private static Figure notOnDashboard(Figure figure) {
        NOT_ON_DASHBOARD.add(figure);
        return figure;
    }

    private static Figure gauge(String name, Unit unit, String help, Owner owner) {
        return Figure.gauge(name, unit, help, owner);
    }

    /** A figure of every stage, {@code train} included. */
    private static Figure stage(String name, Unit unit, String help) {
        return Figure.gauge(name, unit, help, DATA_STAGE, TRAINER);
    }

    private static Figure machine(String name, String help) {
        return add(Figure.gauge(name, CORES, help, MACHINE).read(MEAN));
    }

    private static Figure trainer(String name, Unit unit, OverSlots overSlots, String help) {
        return add(Figure.gauge(name, unit, help, TRAINER).read(overSlots));
    }

    private static Figure trainerTime(String name, String help) {
        return trainer(name, NANOSECONDS, MEAN, help);
    }

    private static Figure device(String name, Unit unit, String help) {
        return add(Figure.gauge(name, unit, help, DEVICE));
    }
}
