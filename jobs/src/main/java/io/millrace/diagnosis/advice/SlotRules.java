package io.millrace.diagnosis.advice;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Task;
import io.millrace.diagnosis.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** More threads where threads run out, and more machines where cores do: DS2's numbers. */
final class SlotRules {
    private static final String READ = "read";

    /** More would be another design. */
    private static final int MOST = 64;

    private SlotRules() {}

    /** More slots for the task that limits, as many as whatever comes next needs. */
    static List<Advice> slots(Situation situation) {
        if (!situation.limitedBy(Limit.Kind.SLOTS)) {
            return List.of();
        }
        String culprit = situation.limit().orElseThrow().culprit();
        Optional<Task> task = situation.task(culprit);
        if (task.isEmpty() || readsAside(situation, culprit) || culprit.equals(CapacityModel.ASSEMBLE)) {
            return List.of();
        }
        int slots = wanted(situation, task.get());
        if (slots <= task.get().slots()) {
            return List.of();
        }
        boolean own = situation.config().slots().stages().separate(culprit);
        String reason = String.format(
                Locale.ROOT,
                "%s has the time of its %d slots used up",
                culprit,
                task.get().slots());
        if (own && situation.config().slots().stages().parallelism().containsKey(culprit)) {
            return List.of(Advice.set(
                    reason, List.of("stages." + culprit + "=" + slots), model -> model.withSlots(culprit, slots)));
        }
        return List.of(Advice.set(reason, List.of("parallelism=" + slots), everywhere(situation, slots)));
    }

    /** Reading that waits is hidden by more threads. */
    static List<Advice> readThreads(Situation situation) {
        Optional<Task> task = situation.task(READ);
        if (!situation.culprit(READ) || task.isEmpty() || !readsAside(situation, READ) || !waits(situation)) {
            return List.of();
        }
        int slots = situation
                .config()
                .slots()
                .stages()
                .parallelism(READ, situation.config().slots().parallelism());
        int threads = Math.min(MOST, (wanted(situation, task.get()) + slots - 1) / slots);
        if (threads <= situation.setting().readThreads()) {
            return List.of();
        }
        return List.of(Advice.set(
                "reading waits for storage more than it computes: more reads at a time hide that",
                List.of("read.threads=" + threads, "read.read_ahead=" + threads),
                model -> model.withSlots(READ, threads * slots)));
    }

    /** Whether it is reading, on threads of its own beside the chain's. */
    private static boolean readsAside(Situation situation, String stage) {
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

    /** More machines for the data stages, each as this one. */
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

    /** So many that the rest of the pipeline is the limit. */
    private static int wanted(Situation situation, Task task) {
        CapacityModel without = situation.model();
        for (var stage : task.stages()) {
            without = without.scaled(stage.name(), 0);
        }
        // The cores stay what they are: the stage goes on taking its share of them.
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

    /** Another parallelism for all tasks that have none of their own. */
    private static UnaryOperator<CapacityModel> everywhere(Situation situation, int slots) {
        return model -> {
            CapacityModel changed = model;
            for (Task task : model.tasks()) {
                boolean own = situation.config().slots().stages().parallelism().containsKey(task.name());
                if (!own && !task.name().equals(CapacityModel.ASSEMBLE)) {
                    int threads = readsAside(situation, task.name())
                            ? situation.setting().readThreads()
                            : 1;
                    changed = changed.withSlots(task.name(), slots * threads);
                }
            }
            return changed;
        };
    }
}
