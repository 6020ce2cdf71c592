package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model of a pipeline's throughput. With {@code V} records per sample, {@code t} own seconds and {@code c} CPU seconds
 * per record, the throughput in samples per second is
 *
 * <pre>X = min( G, bounds, min over tasks of speed / sum(V t), cores / sum(V c) )</pre>
 *
 * where {@code G} is the throughput of the trainer alone, and {@code speed} is that of a task's threads together: the number
 * of slots, or less if some threads are slow. For tasks of one stage this is the rule of DS2 (Kalavri et al., "Three steps
 * is all you need", OSDI 2018): the true rate of an instance is the number of records that it handles in a second of work.
 * Immutable and pure.
 *
 * @param tasks the tasks on the data servers, and the task that assembles batches
 * @param trainer the trainer's task; its stage {@link #STEP} is the training step
 * @param cores the number of cores that other programs leave to the job; null when unknown
 * @param allCores the number of cores of the machines, including those that other programs use; null when unknown
 * @param bounds further limits, such as those of the storage or of the link to the device
 * @param collecting the share of the time in which garbage collections stop all threads, 0 to less than 1
 */
public record CapacityModel(
        List<Task> tasks,
        Task trainer,
        @Nullable Double cores,
        @Nullable Double allCores,
        List<Limit> bounds,
        double collecting) {
    /** The name of the trainer's stage that cannot be removed. */
    public static final String STEP = "train";

    /** The name of the task that copies rows into batches, on the trainer's machine. */
    public static final String ASSEMBLE = "assemble";

    /** The culprit of a limit that exists because other programs use the cores. */
    public static final String OTHERS = "other programs";

    /** The culprit of a limit that exists because garbage collections stop the threads. */
    public static final String COLLECTIONS = "garbage collection";

    public CapacityModel {
        tasks = List.copyOf(tasks);
        bounds = List.copyOf(bounds);
        if (cores != null && !(cores > 0)) {
            throw new IllegalArgumentException("cores: expected more than 0, found " + cores);
        }
        if (!(collecting >= 0 && collecting < 1)) {
            throw new IllegalArgumentException("collecting: expected 0 to less than 1, found " + collecting);
        }
        if (!trainer.has(STEP)) {
            throw new IllegalArgumentException("the trainer has no stage '" + STEP + "'");
        }
    }

    /** Creates a model of a pipeline on machines whose total number of cores is unknown. */
    public CapacityModel(List<Task> tasks, Task trainer, @Nullable Double cores, List<Limit> bounds) {
        this(tasks, trainer, cores, null, bounds);
    }

    /** Creates a model of a pipeline whose threads are not stopped by garbage collections. */
    public CapacityModel(
            List<Task> tasks, Task trainer, @Nullable Double cores, @Nullable Double allCores, List<Limit> bounds) {
        this(tasks, trainer, cores, allCores, bounds, 0);
    }

    /** Returns all known limits, the tightest first. */
    public List<Limit> limits() {
        List<Limit> limits = limitsOfWork();
        if (collecting == 0 || limits.isEmpty()) {
            return limits;
        }
        double now = limits.get(0).samplesPerSecond();
        double without = withoutCollections().limitsOfWork().get(0).samplesPerSecond();
        return without < MUCH_FASTER * now
                ? limits
                : Stream.concat(Stream.of(new Limit(Limit.Kind.COLLECTIONS, COLLECTIONS, now)), limits.stream())
                        .toList();
    }

    /** Returns the limits that are not garbage collections, the tightest first. */
    private List<Limit> limitsOfWork() {
        Stream<Limit> slots = tasks.stream().flatMap(task -> TaskLimits.ofData(task).stream());
        return Stream.of(slots, TaskLimits.ofTrainer(trainer).stream(), coreLimit().stream(), bounds.stream())
                .flatMap(limits -> limits)
                .sorted(Comparator.comparingDouble(Limit::samplesPerSecond))
                .toList();
    }

    private Optional<Limit> coreLimit() {
        List<StageCost> stages = stages().toList();
        if (cores == null || stages.stream().anyMatch(stage -> stage.cpuSeconds() == null)) {
            return Optional.empty();
        }
        double sum = stages.stream().mapToDouble(CapacityModel::cpu).sum();
        return sum == 0
                ? Optional.empty()
                : stages.stream()
                        .max(Comparator.comparingDouble(CapacityModel::cpu))
                        .map(stage -> ofCores(stage.name(), cores * (1 - collecting) / sum));
    }

    /**
     * Returns the limit of the cores. Other programs are the culprit when the pipeline would be much faster without them;
     * otherwise the stage with the largest CPU time is.
     */
    private Limit ofCores(String stage, double rate) {
        boolean others = cores != null
                && allCores != null
                && allCores > cores
                && withCores(allCores)
                        .limit()
                        .filter(limit -> limit.samplesPerSecond() > MUCH_FASTER * rate)
                        .isPresent();
        return others ? new Limit(Limit.Kind.OTHERS, OTHERS, rate) : new Limit(Limit.Kind.CORES, stage, rate);
    }

    private static final double MUCH_FASTER = 1.25;

    private static double cpu(StageCost stage) {
        return Objects.requireNonNull(stage.cpuSecondsPerSample());
    }

    private Stream<StageCost> stages() {
        return Stream.concat(tasks.stream(), Stream.of(trainer)).flatMap(task -> task.stages().stream());
    }

    /** Returns the tightest limit; empty when no limit is known. */
    public Optional<Limit> limit() {
        return limits().stream().findFirst();
    }

    /** Returns the limits in the order in which they must be removed, until only training is left. */
    public List<Limit> path() {
        List<Limit> path = new ArrayList<>();
        CapacityModel model = this;
        for (Optional<Limit> next = model.limit(); next.isPresent(); next = model.limit()) {
            path.add(next.get());
            if (isTraining(next.get())) {
                break;
            }
            model = model.without(next.get());
        }
        return path;
    }

    private static boolean isTraining(Limit limit) {
        return limit.culprit().equals(STEP) || limit.culprit().equals(TaskLimits.CLIENTS);
    }

    /** Returns the throughput of training alone, with batches that are always ready, in samples per second. */
    public Optional<Double> ceiling() {
        Task alone = new Task(
                trainer.name(),
                trainer.slots(),
                trainer.speed(),
                trainer.stages().stream()
                        .filter(stage -> stage.name().equals(STEP))
                        .toList());
        return new CapacityModel(List.of(), alone, cores, allCores, List.of())
                .limit()
                .map(Limit::samplesPerSecond);
    }

    /**
     * Returns the pipeline without the cause of a limit: the stage costs nothing, or slow threads are as fast as the others.
     */
    public CapacityModel without(Limit limit) {
        List<Limit> left = bounds.stream()
                .filter(bound ->
                        bound.kind() != limit.kind() || !bound.culprit().equals(limit.culprit()))
                .toList();
        return switch (limit.kind()) {
            case NETWORK -> of(tasks, trainer, left);
            case COLLECTIONS -> withoutCollections();
            case OTHERS -> allCores == null ? this : withCores(allCores);
            case STRAGGLER -> changed(task -> task.has(limit.culprit()) ? task.evened() : task);
            case SAMPLES -> changed(task -> task.with(limit.culprit(), StageCost::evened));
            case EVALUATION ->
                limit.culprit().equals(TaskLimits.EVALUATION)
                        ? evaluating(0)
                        : changed(task -> task.without(limit.culprit()));
            case SLOTS, CORES, TRAINER, TRAINING, LINK, STORAGE ->
                of(tasks, trainer, left).changed(task -> task.without(limit.culprit()));
        };
    }

    /** Returns the pipeline with one more external limit. */
    public CapacityModel with(Limit bound) {
        List<Limit> more = new ArrayList<>(bounds);
        more.add(bound);
        return of(tasks, trainer, more);
    }

    /** Returns the pipeline with the cost of a stage multiplied by a factor. */
    public CapacityModel scaled(String stage, double factor) {
        List<Limit> scaled = bounds.stream()
                .map(bound -> bound.culprit().equals(stage)
                        ? new Limit(bound.kind(), stage, bound.samplesPerSecond() / factor)
                        : bound)
                .toList();
        return of(tasks, trainer, scaled).changed(task -> task.with(stage, cost -> cost.times(factor)));
    }

    /** Returns the pipeline with all CPU times multiplied by a factor, and with the own times that follow from them. */
    CapacityModel withCpuTimes(double factor) {
        return changed(task -> task.with(stage -> stage.withCpuTime(factor)));
    }

    /** Returns the pipeline with additional CPU time for each sample, in seconds, which belongs to no stage. */
    CapacityModel withOverhead(double cpuSeconds) {
        List<Task> more = new ArrayList<>(tasks);
        more.add(new Task(OVERHEAD, 1, List.of(new StageCost(OVERHEAD, 1, 0.0, cpuSeconds))));
        return of(more, trainer, bounds);
    }

    private static final String OVERHEAD = "Flink and the JVM";

    /** Returns the time of the training step for each sample, in seconds; empty when it is unknown. */
    public OptionalDouble stepSecondsPerSample() {
        return trainer.stages().stream()
                .filter(stage -> stage.name().equals(STEP))
                .map(StageCost::ownSecondsPerSample)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .findFirst();
    }

    /** Returns the known CPU time of all stages for a sample, in seconds. */
    double cpuSecondsPerSample() {
        return stages().map(StageCost::cpuSecondsPerSample)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .sum();
    }

    /** Returns the largest throughput if each thread has one core for its computing; infinite without CPU times. */
    double mostPerCore() {
        return Stream.concat(tasks.stream(), Stream.of(trainer))
                .mapToDouble(Task::mostPerCore)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /** Returns the pipeline with another number of threads for the task that has the stage. */
    public CapacityModel withSlots(String stage, int slots) {
        return changed(task -> task.has(stage) ? task.withSlots(slots) : task);
    }

    /** Returns the pipeline without garbage collections. A stage's own time does not become less than its CPU time. */
    private CapacityModel withoutCollections() {
        // A collection does not stop the device or native code, where the trainer spends its time.
        List<Task> running = tasks.stream()
                .map(task -> task.with(stage -> stage.withoutPauses(collecting)))
                .toList();
        return new CapacityModel(running, trainer, cores, allCores, bounds);
    }

    /** Returns the pipeline on machines that leave it the given number of cores. */
    public CapacityModel withCores(double count) {
        return new CapacityModel(tasks, trainer, count, allCores, bounds, collecting);
    }

    /** Returns the pipeline with additional cores, which other programs use now. */
    public CapacityModel withMoreCores(double more) {
        return cores == null ? this : withCores(allCores == null ? cores + more : Math.min(allCores, cores + more));
    }

    /** Returns the pipeline with another frequency of evaluation: 0.5 is half as often. */
    public CapacityModel evaluating(double factor) {
        UnaryOperator<StageCost> rarer = stage -> TaskLimits.evaluates(stage)
                ? stage.times(factor)
                // A stage with more records than are trained on also handles the records of the evaluation.
                : stage.withRecords(
                        Math.min(stage.recordsPerSample(), 1) + factor * Math.max(0, stage.recordsPerSample() - 1));
        return changed(task -> task.with(rarer));
    }

    private CapacityModel changed(UnaryOperator<Task> change) {
        return of(tasks.stream().map(change).toList(), change.apply(trainer), bounds);
    }

    /** Returns other work on the same machines. */
    private CapacityModel of(List<Task> others, Task training, List<Limit> limits) {
        return new CapacityModel(others, training, cores, allCores, limits, collecting);
    }

    /**
     * Returns the number of threads that each task on the data servers needs for a throughput, by the name of its first
     * stage. The rule is that of DS2: the target throughput divided by the throughput of one thread, rounded up. Tasks
     * with unknown costs are left out.
     */
    public Map<String, Integer> slotsFor(double samplesPerSecond) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        for (Task task : tasks) {
            if (task.known()) {
                double each = task.speed() / task.slots();
                double needed = samplesPerSecond * task.ownSecondsPerSample() / each;
                // When the threads reach the rate exactly, a rounding error must not add a thread.
                slots.put(task.name(), Math.max(1, (int) Math.ceil(needed - 1e-9)));
            }
        }
        return slots;
    }

    /** Returns the names of the stages with unknown costs, which may hide a limit. */
    public List<String> unknown() {
        return stages().filter(stage -> stage.ownSeconds() == null || stage.cpuSeconds() == null)
                .map(StageCost::name)
                .toList();
    }
}
