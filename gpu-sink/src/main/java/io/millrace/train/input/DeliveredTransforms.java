package io.millrace.train.input;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.image.FloatStep;
import io.millrace.lifecycle.Handles;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import io.millrace.train.engine.TrainingRuntime;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpec;
import io.millrace.train.spec.TrainSpecException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The device's transforms of batches that go to another process, and the columns that they leave there. The transformed
 * columns have the same bytes as the inputs and targets of a training on the host with the same transforms; images stay
 * [height, width, channels]. Columns that no transform changes stay as they are. Any thread may call the methods.
 */
public final class DeliveredTransforms {
    private final TrainSpec spec;
    private final DevicePlan plan;
    private final Map<String, BatchSpec.Column> floats = new LinkedHashMap<>();
    private final Map<String, List<FloatStep>> steps = new LinkedHashMap<>();
    private final Map<String, Encoding> encodings;
    private final Map<String, BatchSpec.Column> encoded = new LinkedHashMap<>();

    private DeliveredTransforms(TrainSpec spec, DevicePlan plan) {
        this.spec = spec;
        this.plan = plan;
        this.encodings = new LinkedHashMap<>(plan.encodings());
    }

    /** Returns the transforms that change nothing. */
    public static DeliveredTransforms none(TrainSpec spec) {
        return new DeliveredTransforms(spec, DevicePlan.of(spec.data().roles(), List.of()));
    }

    /**
     * Returns the device's transforms of a training.
     *
     * @param spec the training; its model and its loss are not used
     * @param classes the number of classes of the labels if it is known, otherwise 0. Mixed labels become shares of the
     *     classes, unless the labels are encoded
     * @throws TrainSpecException when a transform does not fit the batches, or a batch could not be mixed consistently
     */
    public static DeliveredTransforms of(TrainSpec spec, int classes) {
        DeliveredTransforms made = new DeliveredTransforms(spec, DevicePlan.of(spec));
        made.requireWholeBatches();
        spec.data().roles().inputs().forEach(made::addFloats);
        if (!made.plan.mixes().isEmpty()) {
            made.mixLabels(classes);
        }
        made.encodings.forEach(made::addEncoded);
        made.requireMixable();
        return made;
    }

    private void requireWholeBatches() {
        if (!plan.pictures(Split.TRAIN).isEmpty()) {
            throw new TrainSpecException(
                    plan.pictures(Split.TRAIN).get(0).part().name()
                            + " runs on a device, and changes bytes there: expected 'place: server'");
        }
    }

    private void addFloats(String field) {
        boolean changed = plan.changesRows(field);
        if (encodings.containsKey(field) || (!changed && plan.mixes().isEmpty())) {
            return;
        }
        BatchSpec.Column column = BatchFields.column(spec.data().input(), field);
        if (PlainInput.takes(column) && !changed) {
            draws(column).requireMixable(column, false, false);
        }
        if (column.form() == Form.RAGGED) {
            throw new TrainSpecException(plan.parts(field, Split.TRAIN).get(0).name()
                    + " needs rows of one length, found '" + field + "' as " + column.describe());
        }
        steps.put(field, plan.floatSteps(column));
        floats.put(field, made(field, column.shape(), column.kind(), column.from()));
    }

    private static BatchSpec.Column made(String field, List<Integer> shape, FieldKind kind, DType from) {
        return new BatchSpec.Column(field, DType.FLOAT32, shape, kind, Form.DENSE, from);
    }

    /** Encodes the labels if they are not encoded, because rows cannot be mixed without their labels. */
    private void mixLabels(int classes) {
        String target = spec.data().roles().target();
        if (encodings.containsKey(target)) {
            return;
        }
        if (classes < 1 || BatchFields.find(spec.data().input(), target) != null) {
            throw new TrainSpecException(
                    plan.mixes().get(0).describe() + " mixes labels, and the number of classes of '" + target
                            + "' is unknown: put {OneHot: {classes: number}} before it");
        }
        encodings.put(target, new Encoding(Encoding.Kind.ONE_HOT, classes));
    }

    private void addEncoded(String field, Encoding encoding) {
        BatchSpec batch = spec.data().input();
        BatchSpec.Column column = BatchFields.find(batch, field);
        List<Integer> shape = EncodedRows.shape(EncodedRows.numbers(batch, field, encoding), encoding);
        if (field.equals(spec.data().roles().target())) {
            plan.requireMixable(field, shape.size() == 1);
        }
        encoded.put(field, made(field, shape, FieldKind.TENSOR, column == null ? DType.INT64 : column.from()));
    }

    private void requireMixable() {
        if (plan.mixes().isEmpty()) {
            return;
        }
        List<String> inputs = spec.data().roles().inputs();
        MixDraws draws = draws(column(inputs.get(0)));
        inputs.forEach(field -> draws.requireMixable(column(field), true, floats.containsKey(field)));
        for (BatchSpec.Column column : spec.data().input().columns()) {
            if (column.pictures() && !inputs.contains(column.name())) {
                throw new TrainSpecException(plan.mixes().get(0).describe() + " mixes " + inputs + ", but not '"
                        + column.name() + "', " + column.describe()
                        + ", which would no longer match: leave that field out with batch.fields");
            }
        }
    }

    private BatchSpec.Column column(String field) {
        return Objects.requireNonNull(encoded.containsKey(field) ? encoded.get(field) : floats.get(field), field);
    }

    private MixDraws draws(BatchSpec.Column first) {
        return new MixDraws(plan.mixes(), spec.recipe().seed(), first);
    }

    /** Returns the columns of the batches after the transforms, in their order. */
    public BatchSpec columns() {
        return new BatchSpec(spec.data().input().columns().stream()
                .map(column -> changes(column.name()) ? column(column.name()) : column)
                .toList());
    }

    /** Returns the labels after the transforms: int64, or float32 [classes]. */
    public BatchSpec.Column label() {
        return changes(Roles.LABEL)
                ? column(Roles.LABEL)
                : new BatchSpec.Column(Roles.LABEL, DType.INT64, List.of(), FieldKind.TENSOR, Form.DENSE);
    }

    /** Returns whether a transform changes a field. */
    public boolean changes(String field) {
        return floats.containsKey(field) || encoded.containsKey(field);
    }

    /**
     * Loads the engine, if the transforms need it.
     *
     * @throws io.millrace.device.DeviceException when its libraries cannot be loaded
     */
    public void requireEngine() {
        BatchSpec batch = spec.data().input();
        boolean needed = steps.keySet().stream().anyMatch(field -> FloatRows.needEngine(batch.column(field)));
        if (needed || !plan.mixes().isEmpty()) {
            TrainingRuntime.preload();
        }
    }

    /** Prepares for batches of up to {@code capacity} rows. The thread that applies the transforms calls it. */
    public DeliveredRows open(int capacity) {
        String first = spec.data().roles().inputs().get(0);
        DeliveredRows rows =
                new DeliveredRows(spec.tuning().threads(), plan.mixes().isEmpty() ? null : draws(column(first)));
        try {
            BatchSpec batch = spec.data().input();
            steps.forEach((field, each) -> {
                BatchSpec.Column column = batch.column(field);
                rows.addFloats(column, batch.columns().indexOf(column), each, capacity);
            });
            encodings.forEach(
                    (field, encoding) -> rows.addEncoded(field, new HostEncodedRows(batch, field, encoding, capacity)));
            return rows;
        } catch (RuntimeException | Error e) {
            Handles.closeAfter(e, rows);
            throw e;
        }
    }
}
