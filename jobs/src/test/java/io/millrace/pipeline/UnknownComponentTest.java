package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.option.OptionValues;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import io.millrace.transform.TransformSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the errors for components that do not exist. */
class UnknownComponentTest {
    @Test
    void unknownModelIsNamedWithTheKnownOnes() {
        Component model = new Component("resnet9000", OptionValues.none());

        assertThatThrownBy(() -> Sinks.model(model, new Roles(List.of("image"), Roles.LABEL), 10))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageStartingWith("no model 'resnet9000', expected one of [")
                .hasMessageContaining("mlp");
    }

    @Test
    void unknownDeviceTransformIsNamedWithTheKnownOnes() {
        TransformSpec transform = new TransformSpec("Sharpen9000", OptionValues.none());

        assertThatThrownBy(() -> PlaceableTransform.onDevice(transform))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageStartingWith("no device transform 'Sharpen9000', expected one of [")
                .hasMessageContaining("Normalize");
    }
}
