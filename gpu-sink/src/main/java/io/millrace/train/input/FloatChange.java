package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.image.FloatFormula;
import java.util.List;
import java.util.Optional;

/** A change of each pixel's floats, as numbers that need no engine. Immutable. */
sealed interface FloatChange {
    /** Returns the formula followed by this change; empty when a formula cannot express it. */
    Optional<FloatFormula> appendedTo(FloatFormula formula);

    /** Returns the operations of the engine for this change. The manager owns their constants. */
    DeviceTransform on(PtNDManager manager);

    /** A division by a number. */
    record Scale(float divisor) implements FloatChange {
        @Override
        public Optional<FloatFormula> appendedTo(FloatFormula formula) {
            return formula.divided(divisor);
        }

        @Override
        public DeviceTransform on(PtNDManager manager) {
            return DeviceTransform.Scale.of(divisor, manager);
        }
    }

    /**
     * A subtraction of a mean followed by a division by a deviation, per channel, as in torchvision.
     *
     * @param period the number of values after which the channels of the operations' constants begin anew
     */
    record Standardize(List<Float> means, List<Float> deviations, int period) implements FloatChange {
        public Standardize {
            means = List.copyOf(means);
            deviations = List.copyOf(deviations);
        }

        @Override
        public Optional<FloatFormula> appendedTo(FloatFormula formula) {
            return formula.standardized(means, deviations);
        }

        @Override
        public DeviceTransform on(PtNDManager manager) {
            return DeviceTransform.Standardize.of(means, deviations, period, manager);
        }
    }

    /** A multiplication of each pixel's three channels by a matrix, row by row, and an addition of an offset. */
    record Color(List<Float> matrix, List<Float> added) implements FloatChange {
        public Color {
            matrix = List.copyOf(matrix);
            added = List.copyOf(added);
        }

        @Override
        public Optional<FloatFormula> appendedTo(FloatFormula formula) {
            return formula.converted(matrix, added);
        }

        @Override
        public DeviceTransform on(PtNDManager manager) {
            return DeviceTransform.Color.of(matrix, added, manager);
        }
    }
}
