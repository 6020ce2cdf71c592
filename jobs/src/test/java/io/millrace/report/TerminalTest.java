package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TerminalTest {
    @Test
    void noColumnsIsNoTerminal() {
        assertThat(Terminal.of(null, "true")).isEmpty();
    }

    @Test
    void sizelessAndSenselessTerminalsAreOfTheUsualWidth() {
        assertThat(Terminal.of("0", null)).hasValue(new Terminal(80, false));
        assertThat(Terminal.of("wide", null)).hasValue(new Terminal(80, false));
    }

    @Test
    void widthAndCharactersAreAsTheLauncherFoundThem() {
        assertThat(Terminal.of("132", "true")).hasValue(new Terminal(132, true));
    }
}
