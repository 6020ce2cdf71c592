package io.millrace.train.input;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
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
 * What is done to which field of a batch on the device.
 *
 * @param pictures by split, what is done to the bytes of inputs that are pictures, before all else
 * @param rows by split and input, what is done to each row's values, in order
 * @param encodings by field, how its class numbers are written
 * @param mixes what is done to inputs and targets of training batches, in order, after all else
 */
public record DevicePlan(
        Map<Split, List<RowStage>> pictures,
        Map<Split, Map<String, List<Component>>> rows,
        Map<String, Encoding> encodings,
        List<Mix> mixes) {
    /**
     * Sorts the device's transforms by what they change.
     *
     * @throws TrainSpecException when one is unknown, changes a field that is neither input nor target, or stands where it
     *     cannot work
     */
    public static DevicePlan of(TrainSpec spec) {
        DevicePlan plan =
                of(spec.data().roles(), spec.data().rowStages(), spec.data().transforms());
        plan.requireSteadyTarget(spec);
        return plan;
    }

    /** The same where no transform for samples is on the device. */
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
                throw new TrainSpecException("device.transforms: '" + field + "' is written as zeros and ones by "
                        + plan.encodings.get(field).told() + ", which nothing else may change");
            }
        }
        return plan;
    }

    private void add(RowStage stage, Split split, Roles roles) {
        Component part = stage.part();
        DeviceTransforms.Maker maker = DeviceTransforms.maker(part);
        if (maker instanceof DeviceTransforms.RowMaker) {
            addRows(part, split, roles);
        } else if (maker instanceof PictureTransforms.Kind) {
            Map<String, List<Component>> before = rows(split);
            if (!before.isEmpty()) {
                throw new TrainSpecException(part.name() + " on the device changes bytes, but stands behind "
                        + before.values().iterator().next().get(0).name()
                        + ", which makes floats of them: put it before");
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
            throw new TrainSpecException("device.transforms: " + part.name() + " stands behind "
                    + mixes.get(0).told() + ", which mixes rows that are ready: put it before");
        }
        if (maker instanceof DeviceTransforms.EncodingMaker encoding) {
            String field = part.options().find(DeviceTransforms.ENCODED_FIELD).orElse(roles.target());
            requireRole(part, field, roles, !field.equals(roles.target()));
            encodings.put(field, encoding.make(part.options()));
        } else if (maker instanceof DeviceTransforms.RowMaker) {
            for (Split split : Split.values()) {
                addRows(part, split, roles);
            }
        } else {
            throw new TrainSpecException("device.transforms: " + part.name()
                    + " has no place among the samples' transforms, which its random numbers go by");
        }
    }

    private void addRows(Component part, Split split, Roles roles) {
        String field = part.options()
                .find(DeviceTransforms.FIELD)
                .orElse(roles.inputs().get(0));
        requireRole(part, field, roles, true);
        rows(split).computeIfAbsent(field, f -> new ArrayList<>()).add(part);
    }

    private static void requireRole(Component part, String field, Roles roles, boolean asInput) {
        if (asInput && !roles.inputs().contains(field)) {
            throw new TrainSpecException("device.transforms: " + part.name() + " changes '" + field
                    + "', which is no input of the model: expected one of " + roles.inputs() + ", see train.input");
        }
    }

    /** Targets are not changed here: a picture among them would no longer be that of its input. */
    private void requireSteadyTarget(TrainSpec spec) {
        BatchSpec.Column target =
                Fields.find(spec.data().input(), spec.data().roles().target());
        if (target == null || !target.pictures()) {
            return;
        }
        for (Split split : Split.values()) {
            for (RowStage stage : pictures(split)) {
                if (DeviceTransforms.maker(stage.part()) instanceof PictureTransforms.Kind kind
                        && kind.changes(target.kind())) {
                    throw new TrainSpecException(stage.part().name() + " cannot be on the device: it would change the"
                            + " inputs there and leave the target '" + target.name()
                            + "', which is a picture, as it is; its place is the server");
                }
            }
        }
    }

    /** What is done to the bytes of inputs that are pictures, in batches of that split, in order. */
    List<RowStage> pictures(Split split) {
        return Objects.requireNonNull(pictures.get(split));
    }

    private Map<String, List<Component>> rows(Split split) {
        return Objects.requireNonNull(rows.get(split));
    }

    /** Whether the values of a field's rows are changed, in batches of any split. */
    boolean changesRows(String field) {
        return rows.values().stream().anyMatch(fields -> fields.containsKey(field));
    }

    /** Whether pictures change, or what is done to a field differs from split to split: beyond passes over its floats. */
    boolean needsTensors(String field) {
        return pictures.values().stream().anyMatch(stages -> !stages.isEmpty())
                || !parts(field, Split.TRAIN).equals(parts(field, Split.EVALUATE));
    }

    /** What is done to a field's values as floats. */
    public List<Component> parts(String field, Split split) {
        return rows(split).getOrDefault(field, List.of());
    }

    /** Makes what changes the rows of an input, of whichever split. */
    List<DeviceTransform> rowTransforms(BatchSpec.Column column, PtNDManager manager) {
        return DeviceTransforms.open(parts(column.name(), Split.TRAIN), column, manager);
    }
}
