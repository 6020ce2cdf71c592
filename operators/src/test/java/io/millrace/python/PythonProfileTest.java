package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.metrics.CodeLine;
import io.millrace.metrics.CodeProfile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The profile of user code in real workers. */
@Timeout(120)
class PythonProfileTest {
    private static final int ENOUGH = 40;

    @TempDir
    Path folder;

    /** Calls the function until there are enough samples. */
    private static CodeProfile profile(PythonFixture python) throws Exception {
        for (int i = 0; ; i++) {
            python.apply(PythonFixture.sample(i));
            CodeProfile profile = Objects.requireNonNull(python.transform().code());
            if (profile.samples() >= ENOUGH) {
                return profile;
            }
        }
    }

    @Test
    void slowLineIsTheFirst() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import json
                import time

                def helper():
                    time.sleep(0.03)

                def slow(sample):
                    for i in range(100):
                        json.loads("[1]")
                    helper()
                """, "slow")) {
            CodeProfile profile = profile(python);
            CodeLine first = profile.lines().get(0);
            assertThat(first.place()).isEqualTo("augment.py:5");
            assertThat(first.function()).isEqualTo("helper");
            assertThat(first.text()).isEqualTo("time.sleep(0.03)");
            assertThat(profile.share(first)).isGreaterThan(0.5);
            assertThat(profile.call()).isEqualTo("augment:slow");
            assertThat(profile.costliestLine()).contains("line 5");
        }
    }

    /** A thread gets the interpreter late from code that computes in Python alone: the call may have ended by then. */
    @Test
    void shortCallThatComputesInPythonIsFound() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                def slow(sample):
                    total = 0
                    for i in range(30_000):
                        total += i
                """, "slow")) {
            assertThat(profile(python).lines().get(0).line()).isBetween(3, 4);
        }
    }

    @Test
    void lineOfALibraryStandsForCodeThatIsNotTheUsers() throws Exception {
        Path library = Files.createDirectories(folder.resolve("lib/site-packages/slowness"));
        Files.writeString(library.resolve("__init__.py"), """
                import time

                class Slow:
                    def __call__(self, sample):
                        time.sleep(0.03)
                """);
        try (PythonFixture python = PythonFixture.of(folder, """
                import sys
                sys.path.append("%s")
                from slowness import Slow
                slow = Slow()
                """.formatted(library.getParent()), "slow")) {
            assertThat(profile(python).costliestLine()).contains("slowness/__init__.py line 5");
        }
    }

    /** The worker's own work, and its waits for samples, are no time of the user's code. */
    @Test
    void nothingIsCountedBetweenCalls() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import time

                def slow(sample):
                    time.sleep(0.03)
                """, "slow")) {
            CodeProfile profile = profile(python);
            assertThat(profile.lines()).extracting(CodeLine::file).doesNotContain("millrace_worker/transform.py");
            assertThat(profile.lines().get(0).samples()).isGreaterThan(profile.samples() / 2);
        }
    }

    /** The profile draws random numbers of its own, and not from the generators that are seeded for the user. */
    @Test
    void randomNumbersOfTheUserStayAsTheyAre() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import random
                import time

                def slow(sample):
                    before = random.getstate()
                    time.sleep(0.06)
                    assert random.getstate() == before
                """, "slow")) {
            assertThat(profile(python).samples()).isPositive();
        }
    }

    @Test
    void malformedSamplesAreRefused() {
        CodeSamples samples = new CodeSamples("augment:noise");
        byte[] json = "no JSON".getBytes(StandardCharsets.UTF_8);

        assertThatThrownBy(() -> samples.add(ByteBuffer.wrap(json)))
                .isInstanceOf(MalformedReplyException.class)
                .hasMessageStartingWith("expected the samples of lines, found: ");
    }
}
