package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.diagnosis.PlantedBottlenecks;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs cases that wait and hardly compute, so that the culprits are the same on a loaded machine. It does not check
 * speeds.
 */
@Tag("measurements")
class SelfTestITCase {
    @TempDir
    Path folder;

    @Test
    void waitingCulpritsAreNamed() throws Exception {
        List<CaseResult> received = new ArrayList<>();

        List<CaseResult> results = new SelfTest()
                .run(
                        folder,
                        List.of("slow-storage", "host-to-device", "straggling-slot", "two-culprits"),
                        received::add,
                        SelfTestITCase::mustRun);

        assertThat(results)
                .extracting(CaseResult::named)
                .containsExactly(
                        "read (storage)", "transfer (link)", "Delay (straggler)", "read (storage), then Delay (slots)");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.before()).isPositive();
            assertThat(result.predicted()).isGreaterThan(result.before());
        });
        assertThat(received).isEqualTo(results);
    }

    @Test
    void slowStorageOfCheckpointsIsNamed() throws Exception {
        List<CaseResult> results =
                new SelfTest().run(folder, List.of("slow-checkpoint-storage"), result -> {}, SelfTestITCase::mustRun);

        assertThat(results).extracting(CaseResult::named).containsExactly("Delay (slots), checkpoint (storage)");
    }

    @Test
    void badlyFilledSequencesAreNamedBesideTheTrainingThatTheyWaste() throws Exception {
        List<CaseResult> results =
                new SelfTest().run(folder, List.of("badly-filled-sequences"), result -> {}, SelfTestITCase::mustRun);

        assertThat(results).extracting(CaseResult::named).containsExactly("train (training), pack_sequences (fill)");
        assertThat(results.get(0).predicted()).isGreaterThan(2 * results.get(0).before());
    }

    /** The other case runs, whether there is a Python or not. */
    @Test
    void caseWhosePythonIsMissingIsNamedAndTheOthersRun() throws Exception {
        List<String> notRun = new ArrayList<>();

        List<CaseResult> results = new SelfTest()
                .run(
                        folder,
                        List.of("python-items-wait", "too-few-slots"),
                        result -> {},
                        (name, reason) -> notRun.add(name + " " + reason));

        assertThat(results).extracting(CaseResult::name).contains("too-few-slots");
        if (notRun.isEmpty()) {
            assertThat(results).extracting(CaseResult::named).containsExactly("read (storage)", "Delay (slots)");
        } else {
            assertThat(notRun)
                    .singleElement()
                    .asString()
                    .startsWith("python-items-wait ")
                    .contains("Python");
        }
    }

    @Test
    void selfTestWithoutACaseDoesNotPass() throws Exception {
        PlantedBottlenecks.Results results =
                new SelfTest().run(folder, List.of(), new PrintStream(new ByteArrayOutputStream()));

        assertThat(results.cases()).isEmpty();
        assertThat(results.passed()).isFalse();
    }

    private static void mustRun(String name, String reason) {
        throw new AssertionError(name + " was not run: " + reason);
    }
}
