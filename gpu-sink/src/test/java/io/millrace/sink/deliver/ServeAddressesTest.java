package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.serve.Machine;
import io.millrace.serve.SinkPlace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServeAddressesTest {
    private static final SinkPlace FIRST =
            new SinkPlace(List.of("unix:/tmp/a", "127.0.0.1:4711"), new Machine("worker-1", "boot-1 net:[1]"));
    private static final SinkPlace SECOND =
            new SinkPlace(List.of("unix:/tmp/b", "10.0.0.7:4712"), new Machine("worker-2", "boot-2 net:[1]"));

    @Test
    void textOfTheMergedAccumulatorHasThePlacesOfAllRanks() throws Exception {
        ServeAddresses merged = ServeAddresses.of(0, FIRST);
        merged.merge(ServeAddresses.of(1, SECOND).clone());
        String text = merged.getLocalValue().toString();
        assertThat(text).startsWith("{\"0\":[\"unix:/tmp/a\",\"127.0.0.1:4711\"],\"1\":[");
        assertThat(ServeAddresses.parse(text)).isEqualTo(Map.of(0, FIRST, 1, SECOND));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"machines\": {\"0\": {\"name\": \"a\", \"id\": \"b\"}}}",
                "{\"machines\": {\"x\": 1}}"
            })
    void otherTextIsRefused(String text) {
        assertThatThrownBy(() -> ServeAddresses.parse(text))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the addresses of the sinks cannot be read");
    }
}
