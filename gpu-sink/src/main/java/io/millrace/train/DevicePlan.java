package io.millrace.train;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is done to which field of a batch on the device.
 *
 * @param rows by input, what is done to each row's values, in order
 * @param encodings by field, how its class numbers are written
 * @param mixes what is done to inputs and targets of training batches, in order, after all else
 */
record DevicePlan(Map<String, List<TrainSpec.Part>> rows, Map<String, Encoding> encodings, List<Mix> mixes) {
    /**
     * Sorts the device's transforms by what they change.
     *
     * @throws TrainSpecException when one is unknown, changes a field that is neither input nor target, or stands where it
     *     cannot work
     */
    static DevicePlan of(Roles roles, List<TrainSpec.Part> transforms) {
        DevicePlan plan = new DevicePlan(new LinkedHashMap<>(), new LinkedHashMap<>(), new ArrayList<>());
        for (TrainSpec.Part part : transforms) {
            plan.add(part, roles);
        }
        for (String field : plan.rows.keySet()) {
            if (plan.encodings.containsKey(field)) {
                throw new TrainSpecException("device.transforms: '" + field + "' is written as zeros and ones by "
                        + plan.encodings.get(field).told() + ", which nothing else may change");
            }
        }
        return plan;
    }

    private void add(TrainSpec.Part part, Roles roles) {
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
        } else {
            String field = part.options()
                    .find(DeviceTransforms.FIELD)
                    .orElse(roles.inputs().get(0));
            requireRole(part, field, roles, true);
            rows.computeIfAbsent(field, f -> new ArrayList<>()).add(part);
        }
    }

    private static void requireRole(TrainSpec.Part part, String field, Roles roles, boolean asInput) {
        if (asInput && !roles.inputs().contains(field)) {
            throw new TrainSpecException("device.transforms: " + part.name() + " changes '" + field
                    + "', which is no input of the model: expected one of " + roles.inputs() + ", see train.input");
        }
    }

    /** Makes what changes the rows of an input. */
    List<DeviceTransform> rowTransforms(BatchSpec.Column column, PtNDManager manager) {
        return DeviceTransforms.open(rows.getOrDefault(column.name(), List.of()), column, manager);
    }
}
