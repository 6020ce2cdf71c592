package io.millrace.diagnosis;

import io.millrace.report.RunSummary;
import io.millrace.rest.JobReading;
import io.millrace.rest.MachinesReading;
import io.millrace.rest.StageReading;
import io.millrace.rest.TaskReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What was measured of a job between two readings. Pure.
 *
 * @param seconds between them, of training
 * @param contradictions where Flink's own figures and ours do not go together, a sentence each
 */
public record Measurement(double seconds, CapacityModel model, Observed observed, List<String> contradictions) {
    private static final double MILLIS_PER_SECOND = 1e3;

    /** Of a core's time, what Flink's and our figures may differ by before it is told. */
    private static final double MOST_DIFFERENCE = 0.3;

    private static final String PACK = "pack";

    /** A task that hands on nothing for so much of its time is held up by what follows. */
    private static final double HELD_UP = 0.5;

    /** A trainer that waits this much of its time waits for something. */
    private static final double STARVED = 0.3;

    /** Of one that does not, the stages before it are fast enough. */
    private static final double AT_WORK = 0.5;

    /** Of the time for which threads could run, waiting for cores takes less than this where cores are not short. */
    private static final double CONTENTION = 0.1;

    public Measurement {
        contradictions = List.copyOf(contradictions);
    }

    /** What limits, as far as this tells. */
    public Verdict verdict() {
        return Verdict.of(model, observed);
    }

    /**
     * What the pipeline would reach after a change. What the model leaves out takes its share also after it, as {@link
     * Verdict#of} has it; empty when nothing limits that is known.
     */
    public Optional<Double> predicted(UnaryOperator<CapacityModel> change) {
        return change.apply(model).limit().map(limit -> limit.samplesPerSecond() * Verdict.scale(model, observed));
    }

    /** What limits, as a summary has it. */
    public RunSummary.Verdict summary() {
        Verdict verdict = verdict();
        Optional<Limit> limit = verdict.limit();
        Optional<Limit> next = verdict.next();
        Double measured = observed.samplesPerSecond();
        return new RunSummary.Verdict(
                limit.map(Limit::culprit).orElse(null),
                limit.map(l -> l.kind().name().toLowerCase(Locale.ROOT)).orElse(null),
                measured,
                next.map(Limit::samplesPerSecond).orElse(null),
                next.map(Limit::culprit).orElse(null),
                verdict.ceiling(),
                verdict.confidence().level().word(),
                verdict.confidence().reason(),
                verdict.line(),
                contradictions);
    }

    /** As below, between the times at which the trainers' figures were taken; empty also where these are unknown. */
    public static Optional<Measurement> of(JobReading before, JobReading after, Setting setting) {
        Double began = before.trainer().clockMillis();
        Double ended = after.trainer().clockMillis();
        return began == null || ended == null
                ? Optional.empty()
                : of(before, after, (ended - began) / MILLIS_PER_SECOND, setting);
    }

    /**
     * Measures.
     *
     * @param before a reading of the same attempt of the job; what was unknown then had not begun
     * @param after a later one
     * @param seconds of training between them
     * @return empty when nothing was trained on in between
     */
    public static Optional<Measurement> of(JobReading before, JobReading after, double seconds, Setting setting) {
        Double samples = difference(before.trainer().samples(), after.trainer().samples());
        if (samples == null || samples <= 0 || !(seconds > 0)) {
            return Optional.empty();
        }
        double handedOn = handedOn(before, after, samples, setting);
        Costs costs = new Costs(before.stages(), after.stages(), handedOn);
        TrainerCosts trainers = new TrainerCosts(before.trainer(), after.trainer(), samples, setting);
        List<Task> tasks = new ArrayList<>();
        for (TaskReading task : after.tasks()) {
            tasks.addAll(tasks(task, costs, setting));
        }
        Task assembly = trainers.assembly();
        tasks.add(assembly);
        double rate = samples / seconds;
        Observed observed = new Observed(rate, trainers.starvation(seconds));
        // Stages on busy machines tell their figures late: what they handed on shows of how long these are.
        double told = seconds * handedOn / samples;
        double heldUp = costs.waitedOut(PACK) / told;
        for (TaskReading task : after.tasks()) {
            heldUp = task.stages().contains(PACK) ? Math.max(heldUp, costs.keptFromEmitting(task, told)) : heldUp;
        }
        Integer all = after.machines().cores();
        CapacityModel model = new CapacityModel(
                tasks,
                trainers.trainer(),
                cores(after.machines(), costs.contention(after.tasks()) > CONTENTION),
                all == null || all < 1 ? null : Double.valueOf(all),
                List.of());
        // Where all have to wait for one slot or one sample, stages are held up and the trainer waits, too.
        Optional<Limit> network =
                model.limit().filter(Limit::isUneven).isPresent() ? Optional.empty() : network(heldUp, tasks, observed);
        model = network.isEmpty() ? model : model.with(network.get());
        return Optional.of(new Measurement(seconds, model, observed, contradictions(after.tasks(), model, rate)));
    }

    /**
     * What was packed, where all of that is trained on, sooner or later: between two readings more or less of it than before may
     * lie on its way, and that is no work of a stage. Else what was trained on.
     */
    private static double handedOn(JobReading before, JobReading after, double samples, Setting setting) {
        Double packed = difference(packed(before), packed(after));
        Double evaluated = after.trainer().evaluationMillis();
        boolean allTrained = setting.ranks() == 1 && evaluated != null && evaluated == 0;
        return allTrained && packed != null && packed > 0 ? packed : samples;
    }

    private static @Nullable Long packed(JobReading reading) {
        return reading.stages().stream()
                .filter(stage -> stage.name().equals(PACK))
                .map(StageReading::records)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** The threads of one of Flink's tasks: reading has its own beside the chain's. */
    private static List<Task> tasks(TaskReading task, Costs costs, Setting setting) {
        List<Task> tasks = new ArrayList<>();
        boolean readers = setting.readThreads() > 0 && task.stages().contains(TaskLimits.READ);
        if (readers) {
            tasks.add(new Task(
                    TaskLimits.READ,
                    task.parallelism() * setting.readThreads(),
                    costs.ofThread(List.of(TaskLimits.READ))));
        }
        // Of an operator without figures of ours nothing is to be known.
        List<String> chain = task.stages().stream()
                .filter(stage -> !(readers && stage.equals(TaskLimits.READ))
                        && !stage.equals(CapacityModel.STEP)
                        && costs.knows(stage))
                .toList();
        if (!chain.isEmpty()) {
            tasks.add(costs.evenOut(new Task(chain.get(0), task.parallelism(), costs.ofThread(chain))));
        }
        return tasks;
    }

    /**
     * What other programs leave. Where nobody waits for a core they leave what is needed, however much they take beside.
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
     * Where the data stages wait for room behind them, while the trainer waits for data and the thread between them has
     * little to do, it is the way between that takes the time. No clock of ours sees it.
     */
    private static Optional<Limit> network(double heldUp, List<Task> tasks, Observed observed) {
        Double rate = observed.samplesPerSecond();
        Double starvation = observed.starvation();
        if (rate == null || starvation == null || starvation < STARVED) {
            return Optional.empty();
        }
        // Whoever hands on to the network, or takes from it, and works all the time is not held up by it.
        boolean idle = tasks.stream()
                .filter(task -> task.has(PACK) || task.name().equals(CapacityModel.ASSEMBLE))
                .allMatch(task -> task.known() && task.share(rate) < AT_WORK);
        return heldUp > HELD_UP && idle
                ? Optional.of(new Limit(Limit.Kind.NETWORK, "network", rate))
                : Optional.empty();
    }

    private static List<String> contradictions(List<TaskReading> tasks, CapacityModel model, double rate) {
        List<String> told = new ArrayList<>();
        for (TaskReading task : tasks) {
            Double busy = task.busyMillisPerSecond();
            // Of sources Flink does not count the reading threads (FLINK-33306), and training has a thread of its own.
            if (busy == null
                    || task.stages().contains(TaskLimits.READ)
                    || task.stages().contains(CapacityModel.STEP)) {
                continue;
            }
            model.tasks().stream()
                    .filter(ours -> task.stages().contains(ours.name()) && ours.known())
                    .findFirst()
                    .ifPresent(ours -> {
                        double share = ours.share(rate);
                        if (Math.abs(share - busy / MILLIS_PER_SECOND) > MOST_DIFFERENCE) {
                            told.add(String.format(
                                    Locale.ROOT,
                                    "task '%s': Flink says busy %.0f %%, its stages account for %.0f %%",
                                    task.name(),
                                    busy / 10,
                                    100 * share));
                        }
                    });
        }
        return told;
    }

    private static @Nullable Double difference(@Nullable Long before, @Nullable Long after) {
        if (after == null) {
            return null;
        }
        return (double) (before == null || before > after ? after : after - before);
    }
}
