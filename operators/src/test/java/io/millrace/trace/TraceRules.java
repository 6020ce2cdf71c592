package io.millrace.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The rules of Chrome's trace-event format in its object form, as far as this project uses it. */
public final class TraceRules {
    private TraceRules() {}

    /**
     * Checks a file's content.
     *
     * @return the names of the complete events
     */
    public static Set<String> check(byte[] content) throws IOException {
        JsonNode json = new ObjectMapper()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readTree(content);
        assertThat(json.path("displayTimeUnit").asText()).isIn("ms", "ns");
        assertThat(json.path("traceEvents").isArray()).isTrue();
        Set<String> named = new HashSet<>();
        Set<String> names = new HashSet<>();
        Map<String, Deque<BigDecimal>> open = new HashMap<>();
        Map<String, BigDecimal> latest = new HashMap<>();
        Set<Integer> processes = new HashSet<>();
        Map<Long, BigDecimal> begun = new HashMap<>();
        for (JsonNode event : json.path("traceEvents")) {
            assertThat(event.path("pid").isIntegralNumber()).isTrue();
            assertThat(event.path("tid").isIntegralNumber()).isTrue();
            assertThat(event.path("name").isTextual()).isTrue();
            String thread = event.path("pid").asLong() + "/" + event.path("tid").asLong();
            switch (event.path("ph").asText()) {
                case "M" -> {
                    assertThat(event.path("name").asText()).isIn("process_name", "thread_name");
                    assertThat(event.at("/args/name").asText()).isNotEmpty();
                    if (event.path("name").asText().equals("process_name")) {
                        assertThat(processes.add(event.path("pid").asInt()))
                                .as("each process has one name")
                                .isTrue();
                    }
                    if (event.path("name").asText().equals("thread_name")) {
                        assertThat(named.add(thread))
                                .as("each thread has one name")
                                .isTrue();
                    }
                }
                case "X" -> {
                    assertThat(named).as("the thread has a name").contains(thread);
                    names.add(event.path("name").asText());
                    BigDecimal from = event.path("ts").decimalValue();
                    BigDecimal took = event.path("dur").decimalValue();
                    assertThat(from).isNotNegative();
                    assertThat(took).isNotNegative();
                    assertThat(from).isGreaterThanOrEqualTo(latest.getOrDefault(thread, BigDecimal.ZERO));
                    latest.put(thread, from);
                    Deque<BigDecimal> ends = open.computeIfAbsent(thread, any -> new ArrayDeque<>());
                    while (!ends.isEmpty() && ends.peek().compareTo(from) <= 0) {
                        ends.pop();
                    }
                    BigDecimal to = from.add(took);
                    if (!ends.isEmpty()) {
                        assertThat(to)
                                .as("%s lies within the event that encloses it", event)
                                .isLessThanOrEqualTo(ends.peek());
                    }
                    ends.push(to);
                }
                case "b" -> {
                    assertThat(processes).contains(event.path("pid").asInt());
                    assertThat(event.path("cat").asText()).isNotEmpty();
                    assertThat(begun.put(
                                    event.required("id").asLong(),
                                    event.path("ts").decimalValue()))
                            .isNull();
                }
                case "e" -> {
                    names.add(event.path("name").asText());
                    assertThat(event.path("ts").decimalValue())
                            .as("%s ends after it began", event)
                            .isGreaterThanOrEqualTo(
                                    begun.remove(event.required("id").asLong()));
                }
                default -> throw new AssertionError("unexpected phase: " + event);
            }
        }
        assertThat(begun).as("spans that began and did not end").isEmpty();
        assertThat(named)
                .allSatisfy(thread -> assertThat(processes).contains(Integer.valueOf(thread.split("/", -1)[0])));
        return names;
    }
}
