package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Observed;
import io.millrace.diagnosis.Verdict;
import io.millrace.sequence.PackFill;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A pipeline with a known culprit, and its fix.
 *
 * <p>Tested by {@code PlantsTest}.
 *
 * @param name the name of the case, and of its folder
 * @param culprit what the diagnosis must name
 * @param setting the pipeline with the culprit
 * @param fix what removes the culprit
 */
record Plant(String name, Culprit culprit, Setting setting, Fix fix) {
    /** The placeholder for the folder of the data in {@link Setting#pipeline} and {@link Fix#settings}. */
    static final String DATA = "DATA";

    /**
     * What the diagnosis must name.
     *
     * @param kind the kind of limit
     * @param name the culprit
     * @param then the limit after that; empty when the diagnosis may name any
     * @param beside what the diagnosis must name beside the limit
     * @param others whether the other programs of a busy machine may be named instead: they have the cores of a culprit that
     *     computes
     */
    record Culprit(Limit.Kind kind, String name, Optional<String> then, Beside beside, boolean others) {
        /** Creates the culprit of a case with one. */
        Culprit(Limit.Kind kind, String name) {
            this(kind, name, Optional.empty(), Beside.NOTHING, false);
        }
    }

    /** A culprit that does not limit the number of samples per second. */
    enum Beside {
        NOTHING(""),
        /** The storage of checkpoints is slow. */
        CHECKPOINT_STORAGE(", checkpoint (storage)"),
        /** Sequences are filled badly, so that a fix raises the number of tokens per second alone. */
        FILL(", pack_sequences (fill)");

        private final String text;

        Beside(String text) {
            this.text = text;
        }

        private static Beside of(Verdict verdict) {
            PackFill packs = verdict.observed().packs();
            return verdict.storesCheckpointsSlowly()
                    ? CHECKPOINT_STORAGE
                    : packs != null && packs.fuller() != null ? FILL : NOTHING;
        }
    }

    /**
     * A pipeline with a culprit.
     *
     * @param pipeline the text of the pipeline file, with {@link #DATA} for the folder of its data
     * @param data writes the data that the pipeline reads
     * @param disturbance the activity beside the pipeline that is part of the culprit
     * @param load the activity beside the pipeline that also remains after the fix
     */
    record Setting(String pipeline, Data data, Disturbance disturbance, Disturbance load) {
        /** Creates the setting of a case on a machine that does nothing else. */
        Setting(String pipeline, Data data) {
            this(pipeline, data, Disturbance.NONE, Disturbance.NONE);
        }
    }

    /**
     * A fix.
     *
     * @param settings the settings of the pipeline file that remove the culprit, each {@code key=value}
     * @param least the settings with which a training step computes almost nothing; empty when the fix leaves the step alone
     * @param fixed the effect of the fix on the costs
     */
    record Fix(List<String> settings, List<String> least, Fixed fixed) {
        Fix {
            settings = List.copyOf(settings);
            least = List.copyOf(least);
        }
    }

    /** The data of a case. */
    interface Data {
        /** No data, for datasets that are computed. */
        Data NONE = folder -> {};

        /** Writes the data into an existing, empty folder. */
        void write(Path folder) throws IOException;
    }

    /** The effect of a fix on the costs. */
    interface Fixed {
        /**
         * Returns the model of the pipeline after the fix.
         *
         * @param known further facts about the case
         */
        CapacityModel of(CapacityModel model, Known known);
    }

    /**
     * Facts about a case that the measurement with the culprit does not contain.
     *
     * @param freedCores the number of cores that the disturbance used before the fix, at least 0
     * @param leastStepSeconds the time of a training step that computes almost nothing, for each sample; 0 for a case whose
     *     fix leaves the step alone
     */
    record Known(double freedCores, double leastStepSeconds) {}

    /** An activity beside the pipeline. */
    interface Disturbance {
        /** No activity. */
        Disturbance NONE = () -> new Running() {
            @Override
            public double cores() {
                return 0;
            }

            @Override
            public void close() {}
        };

        /** Starts the activity. The caller closes it. */
        Running start() throws IOException;

        /** A running activity, which lasts until it is closed. */
        interface Running extends AutoCloseable {
            /** Returns the mean number of cores that the activity has used since it started. */
            double cores();

            @Override
            void close();
        }
    }

    /** Creates a case without data and without disturbance. */
    Plant(String name, Limit.Kind kind, String culprit, String pipeline, List<String> fix, Fixed fixed) {
        this(name, new Culprit(kind, culprit), new Setting(pipeline, Data.NONE), new Fix(fix, List.of(), fixed));
    }

    /** Returns the case with data that is written before it runs. */
    Plant with(Data written) {
        return new Plant(name, culprit, new Setting(setting.pipeline, written, setting.disturbance, setting.load), fix);
    }

    /** Returns the case with an activity beside the pipeline. */
    Plant beside(Disturbance others) {
        return new Plant(name, culprit, new Setting(setting.pipeline, setting.data, others, setting.load), fix);
    }

    /** Returns the case on a machine on which a busy loop for each core runs all the time. */
    Plant onBusyMachine() {
        Disturbance loops = () -> BusyProcesses.start(Runtime.getRuntime().availableProcessors());
        return new Plant(
                name + "-on-busy-machine",
                culprit,
                new Setting(setting.pipeline, setting.data, setting.disturbance, loops),
                fix);
    }

    /** Returns the case with settings with which a training step computes almost nothing. */
    Plant withLeastStep(List<String> settings) {
        return new Plant(name, culprit, setting, new Fix(fix.settings, settings, fix.fixed));
    }

    /** Returns the case with a second culprit, which is the limit after the fix of the first one. */
    Plant then(Limit.Kind nextKind, String next) {
        Optional<String> second = Optional.of(describe(nextKind, next));
        return new Plant(
                name, new Culprit(culprit.kind, culprit.name, second, culprit.beside, culprit.others), setting, fix);
    }

    /** Returns the case with a slow storage of checkpoints, which does not limit the throughput. */
    Plant withSlowCheckpoints() {
        return with(Beside.CHECKPOINT_STORAGE);
    }

    /** Returns the case with badly filled sequences, whose speeds are in tokens per second. */
    Plant withBadFill() {
        return with(Beside.FILL);
    }

    private Plant with(Beside beside) {
        return new Plant(
                name, new Culprit(culprit.kind, culprit.name, culprit.then, beside, culprit.others), setting, fix);
    }

    /**
     * Returns how much of what the speeds of the case count is in a sample: its tokens if sequences are filled badly, and otherwise 1 for
     * the sample itself.
     *
     * @param measured the observation of a pipeline of the case
     */
    double perSample(Observed measured) {
        return culprit.beside == Beside.FILL
                ? Objects.requireNonNull(measured.packs(), "the samples are packed")
                        .tokens()
                : 1;
    }

    /** Returns the same for samples after the fix, as the observation with the culprit predicts it. */
    double predictedPerSample(Observed measured) {
        PackFill packs = measured.packs();
        return culprit.beside == Beside.FILL && packs != null && packs.fuller() != null
                ? packs.tokens() / packs.fuller().steps()
                : perSample(measured);
    }

    /** Returns the case with a culprit that computes, beside which other programs may be named. */
    Plant orOtherPrograms() {
        return new Plant(
                name, new Culprit(culprit.kind, culprit.name, culprit.then, culprit.beside, true), setting, fix);
    }

    /** Returns the planted culprits and kinds in the form of {@link CaseResult#named}. */
    String planted() {
        return describe(culprit.kind, culprit.name)
                + culprit.then.map(next -> THEN + next).orElse("")
                + culprit.beside.text
                + (culprit.others ? OR + describe(Limit.Kind.OTHERS, CapacityModel.OTHERS) : "");
    }

    /** Returns what a verdict names, in the form of {@link CaseResult#named}. */
    String named(Verdict verdict) {
        Optional<Limit> second = culprit.then.isEmpty() ? Optional.empty() : verdict.next();
        return verdict.limit().map(Plant::describe).orElse("unknown")
                + second.map(next -> THEN + describe(next)).orElse("")
                + Beside.of(verdict).text;
    }

    private static String describe(Limit limit) {
        return describe(limit.kind(), limit.culprit());
    }

    private static final String THEN = ", then ";

    /** The word between two names of which each is right. */
    static final String OR = " or ";

    /** Returns a culprit and kind as text, such as {@code decode (slots)}. */
    static String describe(Limit.Kind kind, String culprit) {
        return culprit + " " + word(kind);
    }

    static String word(Limit.Kind kind) {
        return "(" + kind.name().toLowerCase(Locale.ROOT) + ")";
    }
}
