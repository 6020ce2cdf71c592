package io.millrace.sink.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.Sources;
import io.millrace.sample.BadSample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuarantineLogTest {
    private static final BadSample BAD = new BadSample(
            "decode", "data/photos", "cat/7.jpg", 123, "expected an end marker, found the end of the file");

    @TempDir
    Path folder;

    @Test
    void sampleThatIsBadInEveryEpochHasOneLineAndOneRowPerEpoch() throws IOException {
        QuarantineLog log = new QuarantineLog(folder, 0.5, 10);
        log.add(Split.TRAIN, 7, BAD);
        log.add(Split.TRAIN, 3, new BadSample("read", "data/photos", "cat/3.jpg", -1, "empty"));
        log.add(Split.TRAIN, 7, BAD);
        log.add(Split.EVALUATE, 7, BAD);
        log.write();

        assertThat(log.distinct()).isEqualTo(3);
        assertThat(log.rows()).isEqualTo(4);
        assertThat(Files.readAllLines(folder.resolve("quarantine.jsonl")))
                .containsExactly(
                        "{\"dataset\":\"data/photos\",\"file\":\"cat/3.jpg\",\"offset\":null,\"index\":3,"
                                + "\"reason\":\"empty\",\"stage\":\"read\",\"split\":\"train\"}",
                        "{\"dataset\":\"data/photos\",\"file\":\"cat/7.jpg\",\"offset\":123,\"index\":7,"
                                + "\"reason\":\"expected an end marker, found the end of the file\","
                                + "\"stage\":\"decode\",\"split\":\"train\"}",
                        "{\"dataset\":\"data/photos\",\"file\":\"cat/7.jpg\",\"offset\":123,\"index\":7,"
                                + "\"reason\":\"expected an end marker, found the end of the file\","
                                + "\"stage\":\"decode\",\"split\":\"evaluate\"}");
    }

    @Test
    void aTrainingSampleOfAMixtureAlsoHasItsDatasetAndItsIndexThere() throws IOException {
        Sources sources =
                new Sources(List.of(new Sources.Source("web", 5, 0, 5), new Sources.Source("code", 20, 5, 20)));
        QuarantineLog log = new QuarantineLog(folder, 1, 25, sources);
        log.add(Split.TRAIN, 7, BAD);
        log.add(Split.EVALUATE, 7, BAD);
        log.write();

        String line = "{\"dataset\":\"data/photos\",\"file\":\"cat/7.jpg\",\"offset\":123,\"index\":7,"
                + "\"reason\":\"expected an end marker, found the end of the file\",\"stage\":\"decode\",";
        assertThat(Files.readAllLines(folder.resolve("quarantine.jsonl")))
                .containsExactly(
                        line + "\"split\":\"train\",\"source\":\"code\",\"source_index\":2}",
                        line + "\"split\":\"evaluate\"}");
        QuarantineLog continued = new QuarantineLog(folder, 1, 25, sources);
        continued.resume();
        assertThat(continued.distinct()).isEqualTo(2);
    }

    @Test
    void oneBadSampleTooManyFailsWithItsReasonAfterTheListIsWritten() throws IOException {
        QuarantineLog log = new QuarantineLog(folder, 0.01, 250);
        log.add(Split.TRAIN, 1, BAD);
        log.add(Split.TRAIN, 2, BAD);

        assertThatThrownBy(() -> log.add(Split.TRAIN, 3, BAD))
                .isInstanceOf(QuarantineLog.TooManyBadSamplesException.class)
                .hasMessageContaining("3 of 250 samples are bad, more than batch.max_quarantined = 1% allows (2)")
                .hasMessageContaining("cat/7.jpg: expected an end marker");
        assertThat(Files.readAllLines(folder.resolve("quarantine.jsonl"))).hasSize(3);
    }

    /** The advised share allows twice the bad samples so far, and never more than all. */
    @Test
    void aFailureNamesAShareThatContinues() throws IOException {
        String[][] cases = {{"230", "1%"}, {"18", "20%"}, {"1", "100%"}, {"100000", "0.1%"}};
        for (String[] each : cases) {
            QuarantineLog log = new QuarantineLog(folder, 0, Long.parseLong(each[0]));

            assertThatThrownBy(() -> log.add(Split.TRAIN, 1, BAD))
                    .hasMessageEndingWith(
                            ". Those found so far are listed in " + folder.resolve("quarantine.jsonl")
                                    + "; to continue without bad samples, write batch: { max_quarantined: " + each[1]
                                    + " } in the pipeline file (a served evaluation is counted by itself; few samples may need a larger share);"
                                    + " './millrace inspect' with the pipeline file and --scan lists all bad samples before a run");
            double advised = Double.parseDouble(each[1].replace("%", "")) / 100;
            new QuarantineLog(folder, advised, Long.parseLong(each[0])).add(Split.TRAIN, 1, BAD);
        }
    }

    @Test
    void aShareThatAllowsNoneOfFewSamplesIsNamed() {
        assertThatThrownBy(() -> new QuarantineLog(folder, 0.05, 18).add(Split.EVALUATE, 1, BAD))
                .hasMessageContaining("1 of 18 samples are bad, more than batch.max_quarantined = 5% allows"
                        + " (0 of so few samples)");
    }

    @Test
    void runWithoutBadSamplesHasAnEmptyFile() throws IOException {
        new QuarantineLog(folder, 0, 10).write();

        assertThat(folder.resolve("quarantine.jsonl")).isEmptyFile();
    }
}
