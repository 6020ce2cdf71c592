package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageVectors;
import io.millrace.image.ImageVectors.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AutoAugmentPolicyTest {
    @ParameterizedTest
    @EnumSource
    void pairsAreThoseOfTorchvision(AutoAugmentPolicy policy) {
        List<AutoAugmentPolicy.Step> expected = new ArrayList<>();
        for (Row row : ImageVectors.tableAt("/vectors/transform/colour/policies.csv")) {
            if (row.text("policy").equals(policy.name().toLowerCase(Locale.ROOT))) {
                expected.add(new AutoAugmentPolicy.Step(
                        AugmentationSpaceTest.named(row.text("operation")),
                        row.real("probability"),
                        row.number("bin")));
            }
        }
        List<AutoAugmentPolicy.Step> steps = new ArrayList<>();
        for (AutoAugmentPolicy.Pair pair : policy.pairs()) {
            steps.add(pair.first());
            steps.add(pair.second());
        }
        assertThat(steps).hasSize(50).isEqualTo(expected);
    }
}
