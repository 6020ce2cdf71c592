package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OutputTest {
    /** Returns what was written to standard output. */
    private static String printed(Consumer<Output> work, String... arguments) {
        Output output = new Output();
        new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(output)).parseArgs(arguments);
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            work.accept(output);
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void valueIsOneLineOfJson() throws Exception {
        String text = printed(output -> output.result(Map.of("size", 3)), "--json");
        assertThat(text.lines()).hasSize(1);
        assertThat(new ObjectMapper().readTree(text).path("size").asInt()).isEqualTo(3);
    }

    @Test
    void lineOfJsonIsPrintedUnchanged() throws Exception {
        String text = printed(output -> output.resultLine("{\"steps\":7}"), "--json");
        assertThat(new ObjectMapper().readTree(text).isObject()).isTrue();
    }

    @Test
    void nothingIsPrintedWithoutTheJsonOption() {
        assertThat(printed(output -> output.result(Map.of("size", 3)))).isEmpty();
        assertThat(printed(output -> output.resultLine("{}"))).isEmpty();
    }
}
