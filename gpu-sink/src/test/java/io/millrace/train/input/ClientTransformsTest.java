package io.millrace.train.input;

import static io.millrace.train.Vectors.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.sample.DType;
import io.millrace.train.spec.Roles;
import io.millrace.train.spec.TrainData;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientTransformsTest {
    private static final BatchSpec BATCH =
            new BatchSpec(List.of(new BatchSpec.Column("photo", DType.UINT8, List.of(8, 8, 3))));

    @Test
    void transformsAreNumbersOfTheirFields() {
        List<Map<String, Object>> found = ClientTransforms.of(new TrainData(
                BATCH,
                new Roles(List.of("photo"), "tags"),
                List.of(
                        part(DeviceTransforms.all(), "ConvertColor", Map.of()),
                        part(DeviceTransforms.all(), "ToFloat", Map.of()),
                        part(
                                DeviceTransforms.all(),
                                "Normalize",
                                Map.of("mean", List.of(0.5), "std", List.of(1.0, 2.0, 4.0))),
                        part(DeviceTransforms.all(), "MultiHot", Map.of("classes", 7L)),
                        part(DeviceTransforms.all(), "OneHot", Map.of("classes", 3L, "field", "mask")),
                        part(DeviceTransforms.all(), "MixUp", Map.of()))));

        List<Float> matrix = List.of(0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f);
        assertThat(found)
                .containsExactly(
                        Map.of(
                                "name",
                                "ConvertColor",
                                "field",
                                "photo",
                                "matrix",
                                matrix,
                                "mean",
                                List.of(-0f, -128f, -128f),
                                "std",
                                List.of(1f)),
                        Map.of("name", "ToFloat", "field", "photo", "mean", List.of(0f), "std", List.of(255f)),
                        Map.of(
                                "name",
                                "Normalize",
                                "field",
                                "photo",
                                "mean",
                                List.of(0.5f),
                                "std",
                                List.of(1f, 2f, 4f)),
                        Map.of("name", "MultiHot", "field", "tags", "classes", 7, "ragged", true),
                        Map.of("name", "OneHot", "field", "mask", "classes", 3),
                        Map.of("name", "MixUp"));
    }
}
