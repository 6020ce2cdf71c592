package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Task;
import io.millrace.diagnosis.Verdict;
import io.millrace.python.PythonDatasetFormat;
import io.millrace.sample.Counted;
import io.millrace.source.ReadOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The rules that add threads when their time is used up, and machines when the cores are used up, by the formula of DS2.
 *
 * <p>Tested by {@code AdvisorTest}.
 */
final class SlotRules {
    private static final String READ = "read";

    /** The largest number of threads, and of data servers, that is proposed. */
    private static final int MOST = 64;

    private SlotRules() {}

    /** Proposes more slots for the task that limits the pipeline, as many as the next limit allows. */
    static List<Advice> slots(Situation situation) {
        return situation.limitedBy(Limit.Kind.SLOTS)
                ? slots(situation, situation.limit().orElseThrow().culprit(), MOST, "%s uses all the time of %s")
                : List.of();
    }

    /** Proposes a slot for each core when other programs use the cores too: each slot has a share of them. */
    static List<Advice> shareOfCores(Situation situation) {
        Double cores = situation.model().allCores();
        Optional<Limit> alone = situation.model().withCores(Double.MAX_VALUE).limit();
        return situation.limitedBy(Limit.Kind.OTHERS)
                        && cores != null
                        && alone.isPresent()
                        && alone.get().kind() == Limit.Kind.SLOTS
                ? slots(
                        situation,
                        alone.get().culprit(),
                        (int) Math.round(cores),
                        "other programs use the cores too, and %s has the share of %s")
                : List.of();
    }

    private static List<Advice> slots(Situation situation, String culprit, int most, String reason) {
        Optional<Task> task = situation.task(culprit);
        if (task.isEmpty() || readsBesideChain(situation, culprit) || culprit.equals(CapacityModel.ASSEMBLE)) {
            return List.of();
        }
        int slots = Math.min(most, slotsForNextLimit(situation, task.get()));
        if (slots <= task.get().slots()) {
            return List.of();
        }
        boolean own = situation.config().slots().stages().separate(culprit);
        String why = String.format(reason, culprit, Counted.of(task.get().slots(), "slot"));
        if (own && situation.config().slots().stages().parallelism().containsKey(culprit)) {
            return List.of(Advice.set(
                    why, List.of("stages." + culprit + "=" + slots), model -> model.withSlots(culprit, slots)));
        }
        return List.of(Advice.set(why, List.of("parallelism=" + slots), everywhere(situation, slots)));
    }

    /** Proposes more threads for reading that waits for storage. */
    static List<Advice> readThreads(Situation situation) {
        if (!waits(situation) || readsPython(situation)) {
            return List.of();
        }
        return moreReaders(situation)
                .map(threads -> Advice.set(
                        "reading waits for storage longer than it computes: more reads at the same time hide the wait",
                        readers(threads),
                        withReaders(situation, threads)))
                .stream()
                .toList();
    }

    /** Proposes more worker processes for a Python dataset that limits the pipeline, and as many threads that use them. */
    static List<Advice> datasetWorkers(Situation situation) {
        if (!readsPython(situation)) {
            return List.of();
        }
        Optional<Integer> workers = moreReaders(situation);
        if (workers.isEmpty()) {
            return List.of();
        }
        int more = workers.get();
        List<String> settings = new ArrayList<>();
        if (more > situation.config().data().dataset().spec().options().get(PythonDatasetFormat.WORKERS)) {
            settings.add("dataset.workers=" + more);
        }
        int threads = situation.config().data().read().threads().orElse(ReadOptions.THREADS);
        if (more > threads) {
            settings.addAll(readers(more));
        }
        return List.of(Advice.set(
                waits(situation)
                        ? "the items of the Python dataset wait longer than they compute: more workers hide the wait, each a"
                                + " process of each slot"
                        : "the workers of the Python dataset are at work all the time: more of them use more cores",
                settings,
                withReaders(situation, more)));
    }

    /** Returns the number of readers of each slot with which the rest is the limit; empty when there are as many. */
    private static Optional<Integer> moreReaders(Situation situation) {
        Optional<Task> task = situation.task(READ);
        if (!situation.culprit(READ) || task.isEmpty() || !readsBesideChain(situation, READ)) {
            return Optional.empty();
        }
        int slots = slotsOfRead(situation);
        int readers = Math.min(MOST, (slotsForNextLimit(situation, task.get()) + slots - 1) / slots);
        return readers <= situation.setting().readThreads() ? Optional.empty() : Optional.of(readers);
    }

    private static int slotsOfRead(Situation situation) {
        var slots = situation.config().slots();
        return slots.stages().parallelism(READ, slots.parallelism());
    }

    private static List<String> readers(int threads) {
        return List.of("read.threads=" + threads, "read.read_ahead=" + threads);
    }

    private static UnaryOperator<CapacityModel> withReaders(Situation situation, int readers) {
        return model -> model.withSlots(READ, readers * slotsOfRead(situation));
    }

    private static boolean readsPython(Situation situation) {
        return situation.config().data().mix().isEmpty()
                && situation.config().data().dataset().spec().format().equals(PythonDatasetFormat.NAME);
    }

    /** Returns whether the stage is reading, and has separate threads beside the chain. */
    private static boolean readsBesideChain(Situation situation, String stage) {
        return stage.equals(READ) && situation.setting().readThreads() > 0;
    }

    private static boolean waits(Situation situation) {
        return situation
                .cost(READ)
                .filter(cost -> cost.ownSeconds() != null
                        && cost.cpuSeconds() != null
                        && cost.ownSeconds() > 2 * cost.cpuSeconds())
                .isPresent();
    }

    /** Proposes more machines for the data stages, each like this one. */
    static List<Advice> dataServers(Situation situation) {
        Double cores = situation.model().cores();
        if (!situation.limitedBy(Limit.Kind.CORES) || cores == null) {
            return List.of();
        }
        CapacityModel endless = situation.model().withCores(Double.MAX_VALUE);
        double target = endless.ceiling().orElse(0.0);
        double now = situation.limit().orElseThrow().samplesPerSecond();
        int machines = (int) Math.min(MOST, Math.ceil(target / now - 1e-9));
        if (machines < 2) {
            return List.of();
        }
        int slots = Math.min(
                MOST * situation.config().slots().parallelism(),
                machines * situation.config().slots().parallelism());
        return List.of(Advice.act(
                Verdict.cores(cores) + (Math.round(cores) > 1 ? " are used up" : " is used up"),
                String.format(
                        Locale.ROOT,
                        "run on a cluster with %d data servers of %.0f cores: --cluster host:port --set parallelism=%d",
                        machines,
                        Math.max(1, cores),
                        slots),
                model -> everywhere(situation, slots).apply(model.withCores(cores * machines))));
    }

    /** Returns the number of slots with which the rest of the pipeline becomes the limit. */
    private static int slotsForNextLimit(Situation situation, Task task) {
        CapacityModel without = situation.model();
        for (var stage : task.stages()) {
            without = without.scaled(stage.name(), 0);
        }
        // The limit of the cores stays, because the stage still uses its share of them.
        double others = without.limit().map(Limit::samplesPerSecond).orElse(Double.POSITIVE_INFINITY);
        double cores = situation.model().limits().stream()
                .filter(limit -> limit.kind() == Limit.Kind.CORES)
                .mapToDouble(Limit::samplesPerSecond)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        double target = Math.min(others, cores);
        if (!Double.isFinite(target)) {
            return Math.min(MOST, 2 * task.slots());
        }
        Integer slots = situation.model().slotsFor(target).get(task.name());
        return Math.min(MOST, Objects.requireNonNullElse(slots, 0));
    }

    /** Returns the effect of another parallelism on all tasks that have no parallelism of their own. */
    private static UnaryOperator<CapacityModel> everywhere(Situation situation, int slots) {
        return model -> {
            CapacityModel changed = model;
            for (Task task : model.tasks()) {
                boolean own = situation.config().slots().stages().parallelism().containsKey(task.name());
                if (!own && !task.name().equals(CapacityModel.ASSEMBLE)) {
                    int threads = readsBesideChain(situation, task.name())
                            ? situation.setting().readThreads()
                            : 1;
                    changed = changed.withSlots(task.name(), slots * threads);
                }
            }
            return changed;
        };
    }
}
