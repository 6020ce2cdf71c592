package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.sample.Field;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RandomApplyTest {
    private static final List<Object> TRANSFORMS = List.of(
            Map.of("RandomRotation", Map.of("degrees", List.of(90L, 90L))),
            "RandomMask",
            Map.of("RandomApply", Map.of("transforms", List.of(Map.of("Pad", Map.of("padding", 1L))), "p", 1L)));

    @Test
    void appliesAllOrNoneWithItsProbability() throws Exception {
        TransformFixture apply = TransformFixture.of("RandomApply", Map.of("transforms", TRANSFORMS, "p", 0.3));
        int draws = 5000;
        int applied = 0;
        for (int draw = 0; draw < draws; draw++) {
            Field result = apply.apply(TransformFixture.noise(4, 6, 1));
            boolean changed = result.height() == 6;
            applied += changed ? 1 : 0;
            assertThat(result.shape()).containsExactly(changed ? 6 : 4, changed ? 8 : 6, 1);
            assertThat(apply.drawn())
                    .startsWith(changed ? "RandomRotation: turned 90.0 degrees; RandomMask: masked" : "as is");
        }
        assertThat((double) applied / draws).isCloseTo(0.3, within(4 * Math.sqrt(0.3 * 0.7 / draws)));
    }

    @Test
    void randomNumbersOfATransformDoNotDependOnThoseBeforeIt() throws Exception {
        Object rotation = Map.of("RandomRotation", Map.of("degrees", 180L));
        TransformFixture one =
                TransformFixture.of("RandomApply", Map.of("p", 1L, "transforms", List.of("RandomMask", rotation)));
        TransformFixture other = TransformFixture.of(
                "RandomApply", Map.of("p", 1L, "transforms", List.of("RandomVerticalFlip", rotation)));
        double angle = one.nextNumbers().part(1).nextDouble(-180, 180);
        one.apply(TransformFixture.noise(9, 9, 3));
        other.apply(TransformFixture.noise(9, 9, 3));
        String turned = String.format(Locale.ROOT, "RandomRotation: turned %.1f degrees", angle);
        assertThat(one.drawn()).endsWith(turned);
        assertThat(other.drawn()).endsWith(turned);
    }

    @Test
    void badNestedTransformsAreRefused() {
        assertThatThrownBy(() -> TransformFixture.of("RandomApply", Map.of("transforms", List.of())))
                .hasMessage("'transforms': expected a list of at least one transform, found []");
        assertThatThrownBy(() -> TransformFixture.of("RandomApply", Map.of("transforms", List.of("Turn"))))
                .hasMessage("'transforms': no transform 'Turn' on the class path");
        assertThatThrownBy(() -> TransformFixture.of(
                        "RandomApply", Map.of("transforms", List.of(Map.of("RandomHorizontalFlip", Map.of("p", 2L))))))
                .hasMessage("'transforms': 'p': expected a number from 0 to 1, found 2");
        assertThatThrownBy(() -> TransformFixture.of("RandomApply", Map.of("transforms", List.of(5L))))
                .hasMessage("'transforms': expected a transform as name or {name: {options}}, found '5'");
    }
}
