package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.config.OptionsPage;
import io.millrace.run.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class OptionsCommandTest {
    private static String standardOutput(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, UTF_8));
        System.setErr(new PrintStream(OutputStream.nullOutputStream(), true, UTF_8));
        try {
            assertThat(Main.run(Main.commandLine(Main.commands()), arguments)).isEqualTo(ExitCode.OK);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return bytes.toString(UTF_8);
    }

    @Test
    void standardOutputIsThePageAndNothingElse() {
        assertThat(standardOutput("options")).isEqualTo(OptionsPage.render()).startsWith("# Options\n");
    }

    @Test
    void pageIsInTheJsonResult() throws IOException {
        String line = standardOutput("options", "--json");

        assertThat(line.lines()).hasSize(1);
        assertThat(new ObjectMapper().readTree(line).get("markdown").asText()).isEqualTo(OptionsPage.render());
    }
}
