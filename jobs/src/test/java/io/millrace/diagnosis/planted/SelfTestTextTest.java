package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SelfTestTextTest {
    private static CaseResult result(String planted, String named, @Nullable Double predicted) {
        return new CaseResult("some-case", planted, named, 100, predicted, 400);
    }

    @Test
    void summaryContainsCountMedianAndLargestError() {
        List<CaseResult> results = List.of(
                result("decode (slots)", "decode (slots)", 400.0),
                result("decode (slots)", "decode (cores)", 440.0),
                result("decode (slots)", "pack (slots)", 320.0),
                result("read (storage)", "read (slots)", null));

        assertThat(SelfTestText.summary(results).strip())
                .isEqualTo("2 of 4 culprits named; prediction error: median 10.0 %, most 20.0 %");
    }

    @Test
    void missedCulpritAndMissingPredictionAreMarked() {
        assertThat(SelfTestText.line(result("read (storage)", "unknown", null)))
                .contains("unknown !")
                .endsWith("-");
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
                        "achieved_images_per_s",
                        "prediction_error");
        assertThat(json.path("prediction_error").asDouble()).isCloseTo(0.25, within(1e-9));
    }
}
