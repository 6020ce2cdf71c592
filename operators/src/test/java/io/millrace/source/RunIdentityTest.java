package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The Python client has the same rule, which {@code python/tests/test_future.py} compares with the same cases. */
class RunIdentityTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern FROM = Pattern.compile("differs from step (\\d+) on");

    private static RunIdentity identity(JsonNode settings) {
        return new RunIdentity(JSON.convertValue(settings, new TypeReference<Map<String, String>>() {}), "");
    }

    /** Returns a difference as {@code key} or {@code key from step}. */
    private static String named(String sentence) {
        Matcher from = FROM.matcher(sentence);
        String key = sentence.substring(0, sentence.indexOf(": "));
        return from.find() ? key + " from " + from.group(1) : key;
    }

    @Test
    void onlyStepsFromTheStateOnAndAddedDatasetsMayDiffer() throws Exception {
        List<String> cases = new ArrayList<>();
        try (InputStream file = RunIdentityTest.class.getResourceAsStream("futures.json")) {
            for (JsonNode one : JSON.readTree(file)) {
                String name = one.required("name").asText();
                List<String> expected = new ArrayList<>();
                for (JsonNode difference : one.required("differences")) {
                    JsonNode step = difference.required("step");
                    expected.add(difference.required("key").asText() + (step.isNull() ? "" : " from " + step.asText()));
                }
                assertThat(identity(one.required("run"))
                                .differencesTo(
                                        identity(one.required("saved")),
                                        one.required("step").asLong()))
                        .as(name)
                        .extracting(RunIdentityTest::named)
                        .containsExactlyElementsOf(expected);
                cases.add(name);
            }
        }
        assertThat(cases).hasSizeGreaterThan(30).doesNotHaveDuplicates();
    }
}
