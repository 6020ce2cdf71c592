package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import io.millrace.diagnosis.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A pipeline with a known culprit, and its fix.
 *
 * <p>Tested by {@code PlantsTest}.
 *
 * @param name the name of the case, and of its folder
 * @param kind the kind of limit that the diagnosis must name
 * @param culprit the culprit that the diagnosis must name
 * @param then the limit after that, which the diagnosis must name too; empty when it may name any
 * @param storage whether the storage of checkpoints is slow, which the diagnosis must name too
 * @param pipeline the text of the pipeline file, with {@link #DATA} for the folder of its data
 * @param data writes the data that the pipeline reads
 * @param disturbance the activity beside the pipeline that is part of the culprit
 * @param fix the settings of the pipeline file that remove the culprit, each {@code key=value}
 * @param least the settings with which a training step computes almost nothing; empty when the fix leaves the step alone
 * @param fixed the effect of the fix on the costs
 */
record Plant(
        String name,
        Limit.Kind kind,
        String culprit,
        Optional<String> then,
        boolean storage,
        String pipeline,
        Data data,
        Disturbance disturbance,
        List<String> fix,
        List<String> least,
        Fixed fixed) {
    /** The placeholder for the folder of the data in {@link #pipeline} and {@link #fix}. */
    static final String DATA = "DATA";

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

    Plant {
        fix = List.copyOf(fix);
        least = List.copyOf(least);
    }

    /** Creates a case without data and without disturbance. */
    Plant(String name, Limit.Kind kind, String culprit, String pipeline, List<String> fix, Fixed fixed) {
        this(
                name,
                kind,
                culprit,
                Optional.empty(),
                false,
                pipeline,
                Data.NONE,
                Disturbance.NONE,
                fix,
                List.of(),
                fixed);
    }

    /** Returns the case with data that is written before it runs. */
    Plant with(Data written) {
        return new Plant(name, kind, culprit, then, storage, pipeline, written, disturbance, fix, least, fixed);
    }

    /** Returns the case with settings with which a training step computes almost nothing. */
    Plant withLeastStep(List<String> settings) {
        return new Plant(name, kind, culprit, then, storage, pipeline, data, disturbance, fix, settings, fixed);
    }

    /** Returns the case with a second culprit, which is the limit after the fix of the first one. */
    Plant then(Limit.Kind nextKind, String next) {
        Optional<String> second = Optional.of(describe(nextKind, next));
        return new Plant(name, kind, culprit, second, storage, pipeline, data, disturbance, fix, least, fixed);
    }

    /** Returns the case with a slow storage of checkpoints, which does not limit the throughput. */
    Plant withSlowCheckpoints() {
        return new Plant(name, kind, culprit, then, true, pipeline, data, disturbance, fix, least, fixed);
    }

    /** Returns the case with an activity beside the pipeline. */
    Plant beside(Disturbance others) {
        return new Plant(name, kind, culprit, then, storage, pipeline, data, others, fix, least, fixed);
    }

    /** Returns the planted culprits and kinds in the form of {@link CaseResult#named}. */
    String planted() {
        return describe(kind, culprit) + then.map(next -> THEN + next).orElse("") + (storage ? STORAGE : "");
    }

    /** Returns what a verdict names, in the form of {@link CaseResult#named}. */
    String named(Verdict verdict) {
        Optional<Limit> second = then.isEmpty() ? Optional.empty() : verdict.next();
        return verdict.limit().map(Plant::describe).orElse("unknown")
                + second.map(next -> THEN + describe(next)).orElse("")
                + (verdict.storesCheckpointsSlowly() ? STORAGE : "");
    }

    private static String describe(Limit limit) {
        return describe(limit.kind(), limit.culprit());
    }

    private static final String THEN = ", then ";
    private static final String STORAGE = ", checkpoint (storage)";

    /** Returns a culprit and kind as text, such as {@code decode (slots)}. */
    static String describe(Limit.Kind kind, String culprit) {
        return culprit + " " + word(kind);
    }

    static String word(Limit.Kind kind) {
        return "(" + kind.name().toLowerCase(Locale.ROOT) + ")";
    }
}
