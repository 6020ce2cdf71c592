package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.CapacityModel;
import io.millrace.diagnosis.Limit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A pipeline with a known culprit, and how to fix it.
 *
 * @param name of the case, which is that of a folder
 * @param kind of limit that must be named
 * @param culprit that must be named
 * @param pipeline a pipeline file, with {@link #DATA} for the folder of its data
 * @param data writes what the pipeline reads
 * @param surroundings what else goes on while the culprit is there
 * @param fix settings of the pipeline file, {@code key=value} each, that make it faster
 * @param fixed what these do to the costs
 */
record Plant(
        String name,
        Limit.Kind kind,
        String culprit,
        String pipeline,
        Data data,
        Surroundings surroundings,
        List<String> fix,
        Fixed fixed) {
    /** Stands in {@link #pipeline} and {@link #fix} for the folder with the data. */
    static final String DATA = "DATA";

    /** Writes a case's data into a folder that exists and is empty. */
    interface Data {
        /** For datasets that are computed. */
        Data NONE = folder -> {};

        void write(Path folder) throws IOException;
    }

    /** What a fix does to the costs. */
    interface Fixed {
        /**
         * The pipeline afterwards.
         *
         * @param freed cores that what went on beside it had used
         */
        CapacityModel of(CapacityModel model, double freed);
    }

    /** What goes on beside the pipeline. */
    interface Surroundings {
        /** Nothing does. */
        Surroundings NONE = () -> new Going() {
            @Override
            public double cores() {
                return 0;
            }

            @Override
            public void close() {}
        };

        /** Begins; the caller closes. */
        Going begin() throws IOException;

        /** Goes on until it is closed. */
        interface Going extends AutoCloseable {
            /** How many cores it used since it began. */
            double cores();

            @Override
            void close();
        }
    }

    Plant {
        fix = List.copyOf(fix);
    }

    /** A case without data and surroundings. */
    Plant(String name, Limit.Kind kind, String culprit, String pipeline, List<String> fix, Fixed fixed) {
        this(name, kind, culprit, pipeline, Data.NONE, Surroundings.NONE, fix, fixed);
    }

    /** The same with data to be written. */
    Plant with(Data written) {
        return new Plant(name, kind, culprit, pipeline, written, surroundings, fix, fixed);
    }

    /** The same with something beside it. */
    Plant beside(Surroundings others) {
        return new Plant(name, kind, culprit, pipeline, data, others, fix, fixed);
    }

    /** What is planted, in the words for what is named. */
    String planted() {
        return told(kind, culprit);
    }

    /** As {@code decode (slots)}. */
    static String told(Limit.Kind kind, String culprit) {
        return culprit + " " + word(kind);
    }

    static String word(Limit.Kind kind) {
        return "(" + kind.name().toLowerCase(Locale.ROOT) + ")";
    }
}
