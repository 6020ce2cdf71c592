package io.millrace.train;

import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.sample.Split;
import io.millrace.train.input.ClassRange;
import io.millrace.train.input.DevicePlan;
import io.millrace.train.input.Encoding;
import io.millrace.train.input.PlainInput;
import io.millrace.train.loss.Loss;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The use of a field in training.
 *
 * @param type the element type in which the model or the loss reads the values: float32, int64 for class numbers, or
 *     the samples' own type
 * @param classes the range of the values, if they are class numbers
 * @param transforms the names of the device transforms that change the values as floats, in order
 */
public record FieldUse(Kind kind, DType type, Optional<ClassRange> classes, List<String> transforms) {
    /** The meaning of the values in training. */
    public enum Kind {
        FLOATS,
        CLASSES,
        /** Whole numbers and ragged rows that the model reads unchanged. */
        UNCHANGED,
        /** The field is neither an input nor the target. */
        UNUSED
    }

    public FieldUse {
        transforms = List.copyOf(transforms);
    }

    /**
     * Determines the use of a field.
     *
     * @param from the element type of the samples' field
     * @param models the models that are trained on the same rows, at least one
     * @throws TrainSpecException when a transform or the loss is unknown, or a transform is at a place in the list
     *     where it cannot work
     */
    public static FieldUse of(
            String field,
            DType from,
            Form form,
            Roles roles,
            List<Component> deviceTransforms,
            Component loss,
            Collection<Component> models) {
        DevicePlan plan = DevicePlan.of(roles, deviceTransforms);
        Encoding encoding = plan.encodings().get(field);
        if (encoding != null) {
            return classes(new ClassRange(encoding.classes(), OptionalLong.empty()));
        }
        if (roles.inputs().contains(field)) {
            List<String> transforms =
                    plan.parts(field, Split.TRAIN).stream().map(Component::name).toList();
            return transforms.isEmpty() && PlainInput.takes(from, form)
                    ? new FieldUse(Kind.UNCHANGED, from, Optional.empty(), List.of())
                    : new FieldUse(Kind.FLOATS, DType.FLOAT32, Optional.empty(), transforms);
        }
        OptionalInt classes = models.stream()
                .map(Models::classes)
                .filter(OptionalInt::isPresent)
                .mapToInt(OptionalInt::getAsInt)
                .max();
        if (!field.equals(roles.target()) || classes.isEmpty()) {
            return new FieldUse(Kind.UNUSED, from, Optional.empty(), List.of());
        }
        Loss compared = Losses.create(loss);
        return compared.takesClasses() && !from.isFloat()
                ? classes(new ClassRange(classes.getAsInt(), compared.ignored()))
                : new FieldUse(Kind.FLOATS, DType.FLOAT32, Optional.empty(), List.of());
    }

    private static FieldUse classes(ClassRange range) {
        return new FieldUse(Kind.CLASSES, DType.INT64, Optional.of(range), List.of());
    }
}
