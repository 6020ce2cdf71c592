package io.millrace.train;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.Form;
import io.millrace.sample.DType;
import io.millrace.train.input.ClassRange;
import io.millrace.train.input.DeviceTransforms;
import io.millrace.train.loss.Losses;
import io.millrace.train.network.Models;
import io.millrace.train.spec.Component;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FieldUseTest {
    private static final Roles ROLES = new Roles(List.of("image", "text"), "mask");
    private static final Component CROSS_ENTROPY = part(Losses.all(), "cross_entropy", Map.of());
    private static final Component MLP = part(Models.all(), "mlp", Map.of("classes", 3L));
    private static final Component NORMALIZE =
            part(DeviceTransforms.all(), "Normalize", Map.of("mean", List.of(0.5), "std", List.of(0.5)));

    private static FieldUse use(String field, DType from, Form form, Component... transforms) {
        return FieldUse.of(field, from, form, ROLES, List.of(transforms), CROSS_ENTROPY, List.of(MLP));
    }

    @Test
    void inputsAreFloatsWithTheirTransformsOrUnchanged() {
        assertThat(use("image", DType.UINT8, Form.DENSE, NORMALIZE))
                .isEqualTo(new FieldUse(FieldUse.Kind.FLOATS, DType.FLOAT32, Optional.empty(), List.of("Normalize")));
        assertThat(use("text", DType.UINT8, Form.RAGGED).type()).isEqualTo(DType.UINT8);
        assertThat(use("text", DType.INT64, Form.DENSE).kind()).isEqualTo(FieldUse.Kind.UNCHANGED);
        Component toFloat = part(DeviceTransforms.all(), "ToFloat", Map.of("field", "text"));
        assertThat(use("text", DType.INT64, Form.DENSE, toFloat).type()).isEqualTo(DType.FLOAT32);
        assertThat(use("boxes", DType.FLOAT32, Form.RAGGED).kind()).isEqualTo(FieldUse.Kind.UNUSED);
    }

    @Test
    void targetsOfALossOfClassesAreClassNumbersOfTheLargestModel() {
        Component larger = part(Models.all(), "mlp", Map.of("classes", 700L));
        Component ignoring = part(Losses.all(), "cross_entropy", Map.of("ignore_index", -100L));

        FieldUse use = FieldUse.of("mask", DType.INT64, Form.DENSE, ROLES, List.of(), ignoring, List.of(MLP, larger));

        assertThat(use.classes()).contains(new ClassRange(700, OptionalLong.of(-100)));
        assertThat(use.classes().orElseThrow().least()).isEqualTo(-100);
        assertThat(use.classes().orElseThrow().most()).isEqualTo(699);
        assertThat(new ClassRange(3, OptionalLong.of(255)).most()).isEqualTo(255);
        assertThat(use("mask", DType.FLOAT32, Form.DENSE).kind())
                .as("shares of classes")
                .isEqualTo(FieldUse.Kind.FLOATS);
    }

    @Test
    void targetsOfOtherLossesAreFloatsAndUnusedWithoutAModel() {
        Component squared = part(Losses.all(), "mean_squared_error", Map.of());
        Component none = part(Models.all(), "none", Map.of());

        assertThat(FieldUse.of("mask", DType.INT64, Form.DENSE, ROLES, List.of(), squared, List.of(MLP))
                        .kind())
                .isEqualTo(FieldUse.Kind.FLOATS);
        assertThat(FieldUse.of("mask", DType.INT64, Form.DENSE, ROLES, List.of(), CROSS_ENTROPY, List.of(none))
                        .kind())
                .isEqualTo(FieldUse.Kind.UNUSED);
    }

    @Test
    void encodedFieldHasTheClassesOfItsEncoding() {
        Component multiHot = part(DeviceTransforms.all(), "MultiHot", Map.of("classes", 9L));

        assertThat(use("mask", DType.INT64, Form.RAGGED, multiHot).classes())
                .contains(new ClassRange(9, OptionalLong.empty()));
        assertThatThrownBy(() -> use(
                        "image",
                        DType.UINT8,
                        Form.DENSE,
                        part(DeviceTransforms.all(), "ToFloat", Map.of("field", "nothing"))))
                .isInstanceOf(TrainSpecException.class)
                .hasMessageContaining("changes 'nothing'");
    }
}
