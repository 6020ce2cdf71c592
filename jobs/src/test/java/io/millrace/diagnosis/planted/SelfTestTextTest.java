package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.diagnosis.Prediction;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SelfTestTextTest {
    private static CaseResult result(String planted, String named, @Nullable Double predicted) {
        return new CaseResult(
                "some-case",
                planted,
                named,
                100,
                predicted == null ? null : new Prediction(0.9 * predicted, predicted, 1.1 * predicted),
                400);
    }

    @Test
    void summaryContainsCountMedianAndLargestError() {
        List<CaseResult> results = List.of(
                result("decode (slots)", "decode (slots)", 400.0),
                result("decode (slots)", "decode (cores)", 440.0),
                result("decode (slots)", "pack (slots)", 320.0),
                result("read (storage)", "read (slots)", null));

        assertThat(SelfTestText.summary(results).strip())
                .isEqualTo(
                        "2 of 4 culprits named; prediction error: median 10.0 %, most 20.0 %; 2 of 3 outcomes in the predicted range");
    }

    @Test
    void secondCulpritMustBeNamedToo() {
        assertThat(result("read (storage), then a (slots)", "read (storage), then a (cores)", 300.0)
                        .found())
                .isTrue();
        assertThat(result("read (storage), then a (slots)", "read (storage)", 300.0)
                        .found())
                .isFalse();
        assertThat(result("evaluate-decode (evaluation)", "evaluate-decode (cores)", 300.0)
                        .found())
                .isTrue();
    }

    @Test
    void missedCulpritAndMissingPredictionAreMarked() {
        assertThat(SelfTestText.line(result("read (storage)", "unknown", null)))
                .contains("unknown !")
                .endsWith("-");
    }

    @Test
    void outcomeOutsideTheRangeIsMarked() {
        assertThat(SelfTestText.line(result("read (storage)", "read (storage)", 300.0)))
                .contains("270 to 330 !");
        assertThat(SelfTestText.line(result("read (storage)", "read (storage)", 420.0)))
                .contains("378 to 462  ");
    }

    @Test
    void jsonHasTheKeysThatScriptsUse() throws Exception {
        ObjectMapper mapper = new ObjectMapper();

        JsonNode json = mapper.readTree(mapper.writeValueAsString(result("a (slots)", "a (slots)", 300.0)));

        assertThat(json.fieldNames())
                .toIterable()
                .containsExactlyInAnyOrder(
                        "name",
                        "planted",
                        "named",
                        "before_images_per_s",
                        "predicted_images_per_s",
                        "predicted_low_images_per_s",
                        "predicted_high_images_per_s",
                        "in_range",
                        "achieved_images_per_s",
                        "prediction_error");
        assertThat(json.path("prediction_error").asDouble()).isCloseTo(0.25, within(1e-9));
    }
}
