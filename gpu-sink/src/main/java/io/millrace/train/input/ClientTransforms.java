package io.millrace.train.input;

import io.millrace.image.FloatStep;
import io.millrace.sample.Split;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.RowStage;
import io.millrace.train.spec.TrainData;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The device's transforms of training batches, as a client receives them that applies them itself. They are numbers, so a client
 * needs no list of names:
 * <ul>
 *   <li>A {@link FloatStep} is {@code {name, field, mean, std}}, and {@code matrix} if it has one.
 *   <li>An encoding is {@code {name, field, classes}}, and {@code ragged: true} if it is one of the class numbers of a ragged field.
 *   <li>Any other transform is {@code {name}}. A client cannot apply it.
 * </ul>
 *
 * <p>The names are for messages. Stateless.
 */
public final class ClientTransforms {
    private ClientTransforms() {}

    /** Returns the transforms, in order. */
    public static List<Map<String, Object>> of(TrainData data) {
        List<Map<String, Object>> transforms = new ArrayList<>();
        for (RowStage stage : data.rowStages().of(Split.TRAIN)) {
            transforms.add(of(stage.part(), data.roles()));
        }
        for (Component part : data.transforms()) {
            transforms.add(of(part, data.roles()));
        }
        return transforms;
    }

    private static Map<String, Object> of(Component part, Roles roles) {
        Map<String, Object> transform = new LinkedHashMap<>();
        transform.put("name", part.name());
        DeviceTransforms.field(part, roles).ifPresent(field -> transform.put("field", field));
        DeviceTransforms.Maker maker = DeviceTransforms.maker(part);
        if (maker instanceof DeviceTransforms.FloatMaker floats) {
            FloatStep step = floats.factory().step(part.options());
            if (step.mixes()) {
                transform.put("matrix", step.matrix());
            }
            transform.put("mean", step.mean());
            transform.put("std", step.std());
        } else if (maker instanceof DeviceTransforms.EncodingMaker encoding) {
            Encoding made = encoding.make(part.options());
            transform.put("classes", made.classes());
            if (made.kind() == Encoding.Kind.MULTI_HOT) {
                transform.put("ragged", true);
            }
        }
        return transform;
    }
}
