package io.millrace.diagnosis;

import io.millrace.metrics.CodeProfile;
import io.millrace.report.VerdictSummary;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import io.millrace.rest.TrainerReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A measurement of a job between two readings. Pure.
 *
 * @param seconds the seconds of training between the readings
 * @param model the capacity model with the measured costs
 * @param observed the measured throughput and starvation
 * @param contradictions the contradictions between Flink's figures and those of the stages, one sentence for each
 * @param use the use of the machines' cores; null when unknown
 * @param code the profiles of the user's code, by stage
 * @param cacheHits the share of its pieces of text that a tokenizer had in its cache, 0 to 1; null when no stage reports it
 */
public record Measurement(
        double seconds,
        CapacityModel model,
        Observed observed,
        List<String> contradictions,
        @Nullable CoreUse use,
        Map<String, CodeProfile> code,
        @Nullable Double cacheHits) {
    private static final double MILLIS_PER_SECOND = 1e3;

    private static final String PACK = "pack";

    /** A task counts as held up by the stages after it when it cannot emit for more than this share of its time. */
    private static final double HELD_UP = 0.5;

    /** From this starvation on, the trainer counts as waiting for data. */
    private static final double STARVED = 0.3;

    /** A task counts as working all the time when it works for at least this share of the time. */
    private static final double AT_WORK = 0.5;

    /** There are enough cores when ready threads are without a core for at most this share of the time. */
    private static final double CONTENTION = 0.1;

    /** A smaller share of the time in garbage collections is no limit: without it a run is faster by less than a quarter. */
    static final double COLLECTING = 0.2;

    /** The largest share of the time in garbage collections with which a pipeline still works. */
    private static final double MOST_COLLECTING = 0.99;

    public Measurement {
        contradictions = List.copyOf(contradictions);
        code = Map.copyOf(code);
    }

    /** Creates a measurement of a job on machines whose use is unknown. */
    public Measurement(double seconds, CapacityModel model, Observed observed, List<String> contradictions) {
        this(seconds, model, observed, contradictions, null, Map.of(), null);
    }

    /** Returns this measurement with a slowdown that was measured on the machines. */
    Measurement with(CoreSlowdown slowdown) {
        CoreUse slowed = use == null ? null : use.with(slowdown);
        return new Measurement(seconds, model, observed, contradictions, slowed, code, cacheHits);
    }

    /** Returns this measurement with the profiles of the user's code, and the use of caches, that the stages have. */
    public Measurement with(List<StageReading> stages) {
        return new Measurement(
                seconds,
                model,
                observed,
                contradictions,
                use,
                StageReading.codeOf(stages),
                StageReading.cacheHits(stages));
    }

    /** Returns the predictor of the throughput after changes. */
    public Predictor predictor() {
        return new Predictor(model, observed, use);
    }

    /** Returns the verdict on this measurement. */
    public Verdict verdict() {
        return Verdict.of(predictor()).with(code);
    }

    /** Returns the verdict in one sentence; empty when it cannot be relied on. */
    public Optional<String> certainSentence() {
        return VerdictSentence.certain(verdict(), use);
    }

    /** Returns the throughput that the pipeline would reach after a change; empty when no limit is known. */
    public Optional<Prediction> predicted(UnaryOperator<CapacityModel> change) {
        return predictor().predict(change.apply(model));
    }

    /**
     * Returns the verdict in the form of the summary.
     *
     * @param steady the throughput of the run without its start; null when only this measurement is known
     */
    public VerdictSummary summary(@Nullable Double steady) {
        Verdict verdict = verdict();
        Optional<Limit> limit = verdict.limit();
        Optional<Limit> next = verdict.next();
        Double measured = observed.samplesPerSecond();
        Optional<Prediction> fixed = Optional.ofNullable(verdict.fixed());
        return new VerdictSummary(
                limit.map(Limit::culprit).orElse(null),
                limit.map(l -> code.get(l.culprit())).map(CodeProfile::limit).orElse(null),
                limit.map(l -> l.kind().name().toLowerCase(Locale.ROOT)).orElse(null),
                measured,
                fixed.map(Prediction::likely).orElse(null),
                fixed.map(Prediction::low).orElse(null),
                fixed.map(Prediction::high).orElse(null),
                next.map(Limit::culprit).orElse(null),
                verdict.ceiling(),
                verdict.confidence().level().word(),
                verdict.confidence().reason(),
                VerdictSentence.of(verdict, steady, use),
                verdict.line(),
                contradictions,
                VerdictSummary.Packs.of(observed.packs(), steady == null ? measured : steady, cacheHits));
    }

    /**
     * Returns the measurement between two readings, over the time between the trainers' clocks in these readings; empty
     * when a clock is unknown, or when nothing was trained on.
     */
    public static Optional<Measurement> of(JobReading before, JobReading after, Setting setting) {
        Double began = before.trainer().clockMillis();
        Double ended = after.trainer().clockMillis();
        return began == null || ended == null
                ? Optional.empty()
                : of(
                        before,
                        after,
                        (ended - began) / MILLIS_PER_SECOND,
                        trainingSeconds(before.trainer(), after.trainer()),
                        setting);
    }

    private static double trainingSeconds(TrainerReading before, TrainerReading after) {
        Double began = before.trainingMillis();
        Double ended = after.trainingMillis();
        return began == null || ended == null ? Double.NaN : (ended - began) / MILLIS_PER_SECOND;
    }

    /** Returns the measurement between two readings with {@code seconds} of training between them, and nothing else. */
    public static Optional<Measurement> of(JobReading before, JobReading after, double seconds, Setting setting) {
        return of(before, after, seconds, seconds, setting);
    }

    /**
     * Returns the measurement between two readings.
     *
     * @param before a reading of the same attempt of the job; a stage without figures in it had not started
     * @param after a later reading
     * @param seconds the seconds between the readings
     * @param trainingSeconds the part of these seconds without evaluations and checkpoints
     * @return the measurement; empty when nothing was trained on between the readings, or when the stages, which report
     *     late on a busy machine, have reported nothing since the first one
     */
    private static Optional<Measurement> of(
            JobReading before, JobReading after, double seconds, double trainingSeconds, Setting setting) {
        Double samples = difference(before.trainer().samples(), after.trainer().samples());
        Double packed = difference(packed(before), packed(after));
        boolean stale = packed != null && packed <= 0;
        if (samples == null || samples <= 0 || stale || !(seconds > 0)) {
            return Optional.empty();
        }
        double emitted = emitted(packed, after.trainer(), samples, setting);
        Costs costs = new Costs(before.stages(), after.stages(), emitted);
        TrainerCosts trainers = new TrainerCosts(before.trainer(), after.trainer(), samples, setting);
        List<Task> tasks = new ArrayList<>();
        for (TaskReading task : after.tasks()) {
            tasks.addAll(tasks(task, costs, setting));
        }
        Task assembly = trainers.assembly();
        boolean together =
                after.tasks().stream().anyMatch(task -> task.stages().containsAll(List.of(PACK, CapacityModel.STEP)));
        if (together) {
            tasks.replaceAll(task -> task.has(PACK) ? task.with(assembly.stages()) : task);
        } else {
            tasks.add(assembly);
        }
        double rate = samples / seconds;
        Observed observed =
                new Observed(rate, trainers.starvation(trainingSeconds), trainers.storing(seconds), setting);
        // Stages on busy machines report their figures late. The number of emitted samples shows how long a time they
        // cover.
        double covered = seconds * emitted / samples;
        double heldUp = costs.waitedOut(PACK) / covered;
        for (TaskReading task : after.tasks()) {
            heldUp = task.stages().contains(PACK) ? Math.max(heldUp, costs.keptFromEmitting(task, covered)) : heldUp;
        }
        Integer all = after.machines().cores();
        double contention = costs.contention(after.tasks());
        CapacityModel model = new CapacityModel(
                tasks,
                trainers.trainer(tasks, seconds),
                cores(after.machines(), contention > CONTENTION),
                all == null || all < 1 ? null : Double.valueOf(all),
                trainers.link().map(List::of).orElse(List.of()),
                collecting(before.machines(), after.machines(), seconds));
        // When everything waits for one slot or one sample, stages are held up and the trainer waits too; that is no
        // network limit. There is no network when packing and assembly are in one task.
        Optional<Limit> network =
                together || model.limit().filter(Limit::isUneven).isPresent()
                        ? Optional.empty()
                        : network(heldUp, tasks, rate, trainers.rowStarvation(trainingSeconds));
        model = network.isEmpty() ? model : model.with(network.get());
        return Optional.of(new Measurement(
                seconds,
                model,
                observed,
                Contradictions.of(after.tasks(), model, rate),
                CoreUse.of(after.machines(), contention),
                StageReading.codeOf(after.stages()),
                StageReading.cacheHits(after.stages())));
    }

    /**
     * Returns the number of samples by which the work of the stages is divided. When all packed samples are trained on,
     * this is the number of packed samples, because the number of samples between packing and training may differ at
     * the two readings. Otherwise it is the number of samples trained on.
     */
    private static double emitted(@Nullable Double packed, TrainerReading trainer, double samples, Setting setting) {
        Double evaluated = trainer.evaluationMillis();
        boolean allTrained = setting.ranks() == 1 && evaluated != null && evaluated == 0;
        return allTrained && packed != null ? packed : samples;
    }

    private static @Nullable Long packed(JobReading reading) {
        return reading.stages().stream()
                .filter(stage -> stage.name().equals(PACK))
                .map(StageReading::records)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns the tasks of the model for one of Flink's tasks: the reading threads, and the thread of the chain. */
    private static List<Task> tasks(TaskReading task, Costs costs, Setting setting) {
        List<Task> tasks = new ArrayList<>();
        boolean readers = setting.readThreads() > 0 && task.stages().contains(TaskLimits.READ);
        if (readers) {
            tasks.add(new Task(
                    TaskLimits.READ,
                    task.parallelism() * setting.readThreads(),
                    costs.ofThread(List.of(TaskLimits.READ))));
        }
        // Operators without figures of a stage have unknown costs.
        List<String> chain = task.stages().stream()
                .filter(stage -> !(readers && stage.equals(TaskLimits.READ))
                        && !stage.equals(CapacityModel.STEP)
                        && costs.hasFigures(stage))
                .toList();
        if (!chain.isEmpty()) {
            tasks.add(costs.evenOut(new Task(chain.get(0), task.parallelism(), costs.ofThread(chain))));
        }
        return tasks;
    }

    /**
     * Returns the share of the time in which garbage collections stopped the data servers, from {@link #COLLECTING} to less
     * than 1; 0 when it is smaller or unknown.
     */
    private static double collecting(MachinesReading before, MachinesReading after, double seconds) {
        Double began = before.collectionMillis();
        Double ended = after.collectionMillis();
        double share = began == null || ended == null ? 0 : (ended - began) / MILLIS_PER_SECOND / seconds;
        return share < COLLECTING ? 0 : Math.min(MOST_COLLECTING, share);
    }

    /**
     * Returns the number of cores that other programs leave to the job. When threads hardly wait for a core, this is
     * the number of all cores, because the other programs do not disturb the job.
     */
    private static @Nullable Double cores(MachinesReading machines, boolean contended) {
        Integer cores = machines.cores();
        if (cores == null || !contended) {
            return cores == null || cores < 1 ? null : Double.valueOf(cores);
        }
        Double busy = machines.busyCores();
        Double ours = machines.taskManagerCores();
        double others = busy == null || ours == null ? 0 : Math.max(0, busy - ours);
        return Math.max(1.0 * Math.max(1, cores) / 10, cores - others);
    }

    /**
     * Returns the limit of the network. The network is the limit when the data stages wait until it accepts more, the
     * trainer waits for data, and the thread that receives rows has little to do. No clock of a stage measures this directly.
     */
    private static Optional<Limit> network(
            double heldUp, List<Task> tasks, double rate, @Nullable Double rowStarvation) {
        if (rowStarvation == null || rowStarvation < STARVED) {
            return Optional.empty();
        }
        // A task that emits into the network, or receives from it, and works all the time is not held up by it.
        boolean idle = tasks.stream()
                .filter(task -> task.has(PACK) || task.name().equals(CapacityModel.ASSEMBLE))
                .allMatch(task -> task.known() && task.share(rate) < AT_WORK);
        return heldUp > HELD_UP && idle
                ? Optional.of(new Limit(Limit.Kind.NETWORK, "network", rate))
                : Optional.empty();
    }

    private static @Nullable Double difference(@Nullable Long before, @Nullable Long after) {
        if (after == null) {
            return null;
        }
        return (double) (before == null || before > after ? after : after - before);
    }
}
