package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How fast a pipeline can be. With {@code V} records per sample, {@code t} own and {@code c} CPU seconds per record,
 *
 * <pre>X = min( G, bounds, min over tasks of speed / sum(V t), cores / sum(V c) )</pre>
 *
 * where {@code G} is the trainer with nothing but its steps. For tasks of one stage this is the rule of DS2 (Kalavri et
 * al., "Three steps is all you need", OSDI 2018): the true rate of an instance is what it handles in a second of work.
 * Pure values.
 *
 * @param tasks on the data servers, and the one that assembles batches
 * @param trainer its stage {@link #STEP} is the training step
 * @param cores that the job has for itself; null when unknown
 * @param allCores of the machines, those included that other programs use; null when unknown
 * @param bounds other limits, as of storage or of the way to the device
 */
public record CapacityModel(
        List<Task> tasks,
        Task trainer,
        @Nullable Double cores,
        @Nullable Double allCores,
        List<Limit> bounds) {
    /** The stage of the trainer that cannot be removed. */
    public static final String STEP = "train";

    /** The thread that puts rows at their place in batches, on the trainer's machine. */
    public static final String ASSEMBLE = "assemble";

    /** The culprit where programs beside the job take the cores. */
    public static final String OTHERS = "other programs";

    public CapacityModel {
        tasks = List.copyOf(tasks);
        bounds = List.copyOf(bounds);
        if (cores != null && !(cores > 0)) {
            throw new IllegalArgumentException("cores: expected more than 0, found " + cores);
        }
        if (!trainer.has(STEP)) {
            throw new IllegalArgumentException("the trainer has no stage '" + STEP + "'");
        }
    }

    /** A pipeline of which is not known what other programs leave it. */
    public CapacityModel(List<Task> tasks, Task trainer, @Nullable Double cores, List<Limit> bounds) {
        this(tasks, trainer, cores, null, bounds);
    }

    /** All limits that are known, the tightest first. */
    public List<Limit> limits() {
        Stream<Limit> slots = tasks.stream().flatMap(task -> TaskLimits.ofData(task).stream());
        return Stream.of(slots, TaskLimits.ofTrainer(trainer).stream(), processors().stream(), bounds.stream())
                .flatMap(limits -> limits)
                .sorted(Comparator.comparingDouble(Limit::samplesPerSecond))
                .toList();
    }

    private Optional<Limit> processors() {
        List<StageCost> stages = stages().toList();
        if (cores == null || stages.stream().anyMatch(stage -> stage.cpuSeconds() == null)) {
            return Optional.empty();
        }
        double sum = stages.stream().mapToDouble(CapacityModel::cpu).sum();
        return sum == 0
                ? Optional.empty()
                : stages.stream()
                        .max(Comparator.comparingDouble(CapacityModel::cpu))
                        .map(stage -> ofCores(stage.name(), cores / sum));
    }

    /** Other programs are to blame where it would be much faster without them; else whoever takes most of what is left. */
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

    /** The tightest limit; empty when nothing is known. */
    public Optional<Limit> limit() {
        return limits().stream().findFirst();
    }

    /** What is to be removed in turn, and what each removal gives, until nothing but training is left. */
    public List<Limit> path() {
        List<Limit> path = new ArrayList<>();
        CapacityModel model = this;
        for (Optional<Limit> next = model.limit(); next.isPresent(); next = model.limit()) {
            path.add(next.get());
            if (next.get().culprit().equals(STEP)) {
                break;
            }
            model = model.without(next.get());
        }
        return path;
    }

    /** What the device could take: training alone, with batches that are there already. */
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

    /** The pipeline after a limit's cause is gone: the stage costs nothing, slow threads are as fast as the others. */
    public CapacityModel without(Limit limit) {
        List<Limit> left = bounds.stream()
                .filter(bound ->
                        bound.kind() != limit.kind() || !bound.culprit().equals(limit.culprit()))
                .toList();
        return switch (limit.kind()) {
            case NETWORK -> new CapacityModel(tasks, trainer, cores, allCores, left);
            case OTHERS -> allCores == null ? this : withCores(allCores);
            case STRAGGLER -> changed(task -> task.has(limit.culprit()) ? task.evened() : task);
            case SAMPLES -> changed(task -> task.with(limit.culprit(), StageCost::evened));
            case EVALUATION -> evaluating(0);
            case SLOTS, CORES, TRAINER, TRAINING, LINK, STORAGE -> changed(task -> task.without(limit.culprit()));
        };
    }

    /** The pipeline with one more limit from outside. */
    public CapacityModel with(Limit bound) {
        List<Limit> more = new ArrayList<>(bounds);
        more.add(bound);
        return new CapacityModel(tasks, trainer, cores, allCores, more);
    }

    /** The pipeline with another cost of a stage: 0.5 is half of it. */
    public CapacityModel scaled(String stage, double factor) {
        return changed(task -> task.with(stage, cost -> cost.times(factor)));
    }

    /** The pipeline with another number of threads for the task that has this stage. */
    public CapacityModel withSlots(String stage, int slots) {
        return changed(task -> task.has(stage) ? task.withSlots(slots) : task);
    }

    /** The pipeline on machines with so many cores. */
    public CapacityModel withCores(double wanted) {
        return new CapacityModel(tasks, trainer, wanted, allCores, bounds);
    }

    /** The pipeline with cores that others have used until now. */
    public CapacityModel withMoreCores(double more) {
        return cores == null ? this : withCores(allCores == null ? cores + more : Math.min(allCores, cores + more));
    }

    /** The pipeline evaluating more or less often: 0.5 is half as often. */
    public CapacityModel evaluating(double factor) {
        UnaryOperator<StageCost> rarer = stage -> TaskLimits.evaluates(stage)
                ? stage.times(factor)
                // What has more records than are trained on handles those of the evaluation too.
                : stage.withRecords(
                        Math.min(stage.recordsPerSample(), 1) + factor * Math.max(0, stage.recordsPerSample() - 1));
        return changed(task -> task.with(rarer));
    }

    private CapacityModel changed(UnaryOperator<Task> change) {
        return new CapacityModel(tasks.stream().map(change).toList(), change.apply(trainer), cores, allCores, bounds);
    }

    /**
     * The threads that each task on the data servers needs for a rate, by the name of its first stage: DS2's {@code p* =
     * ceil(p target / (p r))}. Tasks of which something is unknown are not in it.
     */
    public Map<String, Integer> slotsFor(double samplesPerSecond) {
        Map<String, Integer> slots = new LinkedHashMap<>();
        for (Task task : tasks) {
            if (task.known()) {
                double each = task.speed() / task.slots();
                double needed = samplesPerSecond * task.ownSecondsPerSample() / each;
                // A rate that the threads reach exactly must not need one more for a rounding error.
                slots.put(task.name(), Math.max(1, (int) Math.ceil(needed - 1e-9)));
            }
        }
        return slots;
    }

    /** The stages of which something is unknown, so that a limit may have been overlooked. */
    public List<String> unknown() {
        return stages().filter(stage -> stage.ownSeconds() == null || stage.cpuSeconds() == null)
                .map(StageCost::name)
                .toList();
    }
}
