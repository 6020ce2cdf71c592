package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TerminalTest {
    @Test
    void missingWidthMeansNoTerminal() {
        assertThat(Terminal.of(null, "true")).isEmpty();
    }

    @Test
    void terminalWithoutAValidSizeHasTheUsualWidth() {
        assertThat(Terminal.of("0", null)).hasValue(new Terminal(80, false));
        assertThat(Terminal.of("wide", null)).hasValue(new Terminal(80, false));
    }

    @Test
    void widthAndCharactersAreThoseThatTheLauncherDetected() {
        assertThat(Terminal.of("132", "true")).hasValue(new Terminal(132, true));
    }
}
