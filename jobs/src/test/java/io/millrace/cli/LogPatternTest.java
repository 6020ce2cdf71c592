package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Properties;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;

class LogPatternTest {
    /** Returns a line of the log file, as the pattern of Millrace's log writes it. */
    private static String logged(String message, Throwable thrown) throws IOException {
        Properties properties = new Properties();
        try (InputStream file = Main.class.getResourceAsStream("/log4j2.properties")) {
            properties.load(Objects.requireNonNull(file));
        }
        return PatternLayout.newBuilder()
                .setPattern(properties.getProperty("appender.file.layout.pattern"))
                .setAlwaysWriteExceptions(
                        Boolean.parseBoolean(properties.getProperty("appender.file.layout.alwaysWriteExceptions")))
                .build()
                .toSerializable(Log4jLogEvent.newBuilder()
                        .setLoggerName("io.millrace.X")
                        .setLevel(Level.INFO)
                        .setThreadName("main")
                        .setMessage(new SimpleMessage(message))
                        .setThrown(thrown)
                        .build());
    }

    @Test
    void passwordsAndAccessKeysAreMaskedAlsoInExceptions() throws IOException {
        String line = logged(
                "Loading configuration property: s3.access-key, hidden1, fs.s3a.access.key: hidden2 http://a:hidden3@host/x",
                new IOException(
                        "s3://b:hid@den4@bucket", new IOException("http://host:80/a@b\n\tof http://c:hidden5@d")));

        assertThat(line)
                .contains("INFO  [main] io.millrace.X - Loading", "s3.access-key, ******", "http://******@host/x")
                .contains(
                        "java.io.IOException: s3://******@bucket",
                        "Caused by:",
                        "http://host:80/a@b",
                        "\tat io.millrace")
                .doesNotContain("hidden", "den4");
        assertThat(line.lines().filter(each -> each.startsWith("java.io.IOException")))
                .as("the exception is written once")
                .hasSize(1);
    }

    @Test
    void charactersThatATerminalObeysAreReplaced() throws IOException {
        assertThat(logged("class \u001b[2J\u009b\u202e\u2066x\tü", new IOException("\u001b]0;t\u0007")))
                .contains("class ?[2J???x\tü", "?]0;t?")
                .doesNotContainPattern("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e]");
    }
}
