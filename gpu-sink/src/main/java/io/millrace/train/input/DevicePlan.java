package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.image.FloatStep;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.RowStages;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The plan of a batch's transforms on the device, field by field.
 *
 * <p>Tested by {@code DeliveredTransformsTest} and {@code MixturesTest}.
 *
 * @param pictures for each split, the transforms of the bytes of inputs that are pictures; they come first
 * @param rows for each split and input, the transforms of each row's values, in order
 * @param encodings for each field, the encoding of its class numbers
 * @param mixes the mixing of inputs and targets of training batches, in order; it comes last
 */
public record DevicePlan(
        Map<Split, List<RowStage>> pictures,
        Map<Split, Map<String, List<Component>>> rows,
        Map<String, Encoding> encodings,
        List<Mix> mixes) {
    /**
     * Sorts the device's transforms by the values that they change.
     *
     * @throws TrainSpecException when a transform is unknown, changes a field that is neither input nor target, or is
     *     at a place in the list where it cannot work
     */
    public static DevicePlan of(TrainSpec spec) {
        DevicePlan plan =
                of(spec.data().roles(), spec.data().rowStages(), spec.data().transforms());
        plan.requireUnchangedTarget(spec);
        return plan;
    }

    /** Sorts the device's transforms for a run in which all transforms of the samples' list run on the data servers. */
    public static DevicePlan of(Roles roles, List<Component> transforms) {
        return of(roles, RowStages.NONE, transforms);
    }

    private static DevicePlan of(Roles roles, RowStages stages, List<Component> transforms) {
        DevicePlan plan = new DevicePlan(
                new EnumMap<>(Split.class), new EnumMap<>(Split.class), new LinkedHashMap<>(), new ArrayList<>());
        for (Split split : Split.values()) {
            plan.pictures.put(split, new ArrayList<>());
            plan.rows.put(split, new LinkedHashMap<>());
            for (RowStage stage : stages.of(split)) {
                plan.add(stage, split, roles);
            }
        }
        for (Component part : transforms) {
            plan.add(part, roles);
        }
        for (String field : plan.encodings.keySet()) {
            if (plan.changesRows(field)) {
                throw new TrainSpecException("device.transforms: '" + field + "' is encoded as zeros and ones by "
                        + plan.encodings.get(field).describe() + ", so no other transform may change it");
            }
        }
        return plan;
    }

    private void add(RowStage stage, Split split, Roles roles) {
        Component part = stage.part();
        DeviceTransforms.Maker maker = DeviceTransforms.maker(part);
        if (maker instanceof DeviceTransforms.FloatMaker) {
            addRows(part, split, roles);
        } else if (maker instanceof DeviceTransforms.PictureMaker) {
            Map<String, List<Component>> before = rows(split);
            if (!before.isEmpty()) {
                throw new TrainSpecException(part.name() + " on the device changes bytes, but comes after "
                        + before.values().iterator().next().get(0).name()
                        + ", which turns the bytes into floats: put it before that transform");
            }
            pictures(split).add(stage);
        } else {
            throw new TrainSpecException(part.name() + " is no transform for samples: put it into device.transforms");
        }
    }

    private void add(Component part, Roles roles) {
        DeviceTransforms.Maker maker = DeviceTransforms.maker(part);
        if (maker instanceof DeviceTransforms.MixMaker mix) {
            mixes.add(mix.make(part.options()));
            return;
        }
        if (!mixes.isEmpty()) {
            throw new TrainSpecException("device.transforms: " + part.name() + " comes after "
                    + mixes.get(0).describe() + ", which mixes finished rows: put it before that transform");
        }
        if (maker instanceof DeviceTransforms.EncodingMaker encoding) {
            String field = DeviceTransforms.field(part, roles).orElseThrow();
            requireRole(part, field, roles, !field.equals(roles.target()));
            encodings.put(field, encoding.make(part.options()));
        } else if (maker instanceof DeviceTransforms.FloatMaker) {
            for (Split split : Split.values()) {
                addRows(part, split, roles);
            }
        } else {
            throw new TrainSpecException(
                    "device.transforms: " + part.name()
                            + " needs a place in the samples' list of transforms, because its random numbers depend on that place");
        }
    }

    private void addRows(Component part, Split split, Roles roles) {
        String field = DeviceTransforms.field(part, roles).orElseThrow();
        requireRole(part, field, roles, true);
        rows(split).computeIfAbsent(field, f -> new ArrayList<>()).add(part);
    }

    private static void requireRole(Component part, String field, Roles roles, boolean asInput) {
        if (asInput && !roles.inputs().contains(field)) {
            throw new TrainSpecException("device.transforms: " + part.name() + " changes '" + field
                    + "', which is no input of the model: expected one of " + roles.inputs() + ", see train.input");
        }
    }

    /**
     * Checks that no transform on the device would also have to change the target. Only inputs are changed on the
     * device, so a target that is a picture would no longer match its input.
     */
    private void requireUnchangedTarget(TrainSpec spec) {
        BatchSpec batch = spec.data().input();
        String name = spec.data().roles().target();
        BatchSpec.Column target = BatchFields.isComputed(batch, name) ? null : BatchFields.find(batch, name);
        if (target == null || !target.pictures()) {
            return;
        }
        for (Split split : Split.values()) {
            for (RowStage stage : pictures(split)) {
                if (DeviceTransforms.maker(stage.part()) instanceof DeviceTransforms.PictureMaker maker
                        && maker.factory().changes(target.kind())) {
                    throw new TrainSpecException(stage.part().name() + " cannot run on the device: it would change the"
                            + " inputs there, but not the target '" + target.name()
                            + "', which is an image; let it run on the server");
                }
            }
        }
    }

    /**
     * Checks that the rows of a target can be mixed, if the plan mixes rows.
     *
     * @param oneValue whether a row of the target has one label, or one share for each class
     * @throws TrainSpecException when it cannot
     */
    void requireMixable(String target, boolean oneValue) {
        if (!mixes.isEmpty() && !oneValue) {
            throw new TrainSpecException(mixes.get(0).describe()
                    + " mixes labels, one or several for a row; it does not fit a target for each pixel, like '"
                    + target + "'");
        }
    }

    /** Returns whether the plan leaves every batch as it arrives. */
    public boolean isEmpty() {
        return encodings.isEmpty()
                && mixes.isEmpty()
                && pictures.values().stream().allMatch(List::isEmpty)
                && rows.values().stream().allMatch(Map::isEmpty);
    }

    /** Returns the transforms of the bytes of inputs that are pictures, in batches of a split, in order. */
    List<RowStage> pictures(Split split) {
        return Objects.requireNonNull(pictures.get(split));
    }

    private Map<String, List<Component>> rows(Split split) {
        return Objects.requireNonNull(rows.get(split));
    }

    /** Returns whether transforms change the values of a field's rows, in batches of any split. */
    boolean changesRows(String field) {
        return rows.values().stream().anyMatch(fields -> fields.containsKey(field));
    }

    /**
     * Returns whether the transforms of a field need operations on whole tensors, because the bytes of pictures change,
     * or because the transforms differ between splits. Otherwise passes over the field's floats suffice.
     */
    boolean needsTensors(String field) {
        return pictures.values().stream().anyMatch(stages -> !stages.isEmpty())
                || !parts(field, Split.TRAIN).equals(parts(field, Split.EVALUATE));
    }

    /** Returns the transforms of a field's values as floats. */
    public List<Component> parts(String field, Split split) {
        return rows(split).getOrDefault(field, List.of());
    }

    /** Returns the arithmetic of the rows of an input whose transforms are the same in both splits. */
    List<FloatStep> floatSteps(BatchSpec.Column column) {
        return DeviceTransforms.floatSteps(parts(column.name(), Split.TRAIN), column.shape());
    }
}
