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
 * @param name the name of the case, and of its folder
 * @param kind the kind of limit that the diagnosis must name
 * @param culprit the culprit that the diagnosis must name
 * @param then the limit after that, which the diagnosis must name too, in the form of {@link #describe}; empty when it may
 *     name any
 * @param pipeline the text of the pipeline file, with {@link #DATA} for the folder of its data
 * @param data writes the data that the pipeline reads
 * @param disturbance the activity beside the pipeline that is part of the culprit
 * @param fix the settings of the pipeline file that remove the culprit, each {@code key=value}
 * @param fixed the effect of the fix on the costs
 */
record Plant(
        String name,
        Limit.Kind kind,
        String culprit,
        Optional<String> then,
        String pipeline,
        Data data,
        Disturbance disturbance,
        List<String> fix,
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
         * @param freed the number of cores that the disturbance used before the fix, at least 0
         */
        CapacityModel of(CapacityModel model, double freed);
    }

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
    }

    /** Creates a case without data and without disturbance. */
    Plant(String name, Limit.Kind kind, String culprit, String pipeline, List<String> fix, Fixed fixed) {
        this(name, kind, culprit, Optional.empty(), pipeline, Data.NONE, Disturbance.NONE, fix, fixed);
    }

    /** Returns the case with data that is written before it runs. */
    Plant with(Data written) {
        return new Plant(name, kind, culprit, then, pipeline, written, disturbance, fix, fixed);
    }

    /** Returns the case with a second culprit, which is the limit after the fix of the first one. */
    Plant then(Limit.Kind nextKind, String next) {
        return new Plant(
                name, kind, culprit, Optional.of(describe(nextKind, next)), pipeline, data, disturbance, fix, fixed);
    }

    /** Returns the case with an activity beside the pipeline. */
    Plant beside(Disturbance others) {
        return new Plant(name, kind, culprit, then, pipeline, data, others, fix, fixed);
    }

    /** Returns the planted culprits and kinds in the form of {@link CaseResult#named}. */
    String planted() {
        return then.map(next -> describe(kind, culprit) + THEN + next).orElseGet(() -> describe(kind, culprit));
    }

    /** Returns what a verdict names, in the form of {@link CaseResult#named}. */
    String named(Verdict verdict) {
        Optional<String> next = then.isEmpty() ? then : verdict.next().map(Plant::describe);
        return verdict.limit()
                .map(limit -> next.map(second -> describe(limit) + THEN + second).orElseGet(() -> describe(limit)))
                .orElse("unknown");
    }

    private static String describe(Limit limit) {
        return describe(limit.kind(), limit.culprit());
    }

    private static final String THEN = ", then ";

    /** Returns a culprit and kind as text, such as {@code decode (slots)}. */
    static String describe(Limit.Kind kind, String culprit) {
        return culprit + " " + word(kind);
    }

    static String word(Limit.Kind kind) {
        return "(" + kind.name().toLowerCase(Locale.ROOT) + ")";
    }
}
