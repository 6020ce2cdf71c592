package io.millrace.report.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.order.SourceShares;
import io.millrace.report.RunReports;
import io.millrace.report.SummaryFile;
import io.millrace.sample.SampleUnit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnwatchedRunTest {
    @TempDir
    Path folder;

    private UnwatchedRun run(int trainers) {
        return new UnwatchedRun(
                new SummaryFile(
                        folder.resolve("summary.json").toString(),
                        folder.toString(),
                        trainers,
                        "host",
                        "digits",
                        2,
                        Map.of("read", 2),
                        100_000,
                        RunReports.SENT,
                        SampleUnit.IMAGES,
                        List.of(),
                        SourceShares.NONE),
                "name: digits\n");
    }

    @Test
    void jobReportsTheDataOfTheTrainersMachine() throws Exception {
        Files.writeString(folder.resolve("steps.csv"), """
                step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms
                0,0,32,2.25,900.0,0.5,9.5
                1,0,32,2.0,10.0,0.5,9.5
                """);
        Files.writeString(folder.resolve("quarantine.jsonl"), "{\"file\":\"bad.jpg\",\"index\":7}\n");

        run(1).ended(0, RunReports.FINISHED, null);

        assertThat(folder.resolve("summary.json")).exists();
        String page = Files.readString(folder.resolve("report.html"));
        assertThat(page)
                .contains("id=\"chart-course\"", "id=\"chart-loss\"", "id=\"chart-times\"", "bad.jpg", "name: digits")
                .contains("limit unknown: the times of the stages are not known")
                .contains("that of the trainer; the data stages may have run on others")
                .contains("No figures of read are known where this report was written.")
                .contains("<tr><td>train</td>")
                .doesNotContain("nothing was trained on", "<td>read</td>");
    }

    @Test
    void damagedStepsChangeNeitherSummaryNorRun() throws Exception {
        Files.writeString(folder.resolve("steps.csv"), "no,steps\n");
        run(1).ended(0, RunReports.FINISHED, null);
        assertThat(folder.resolve("summary.json")).exists();
        assertThat(folder.resolve("report.html")).doesNotExist();
    }

    @Test
    void lastOfSeveralTrainersWritesTheReportOfAll() throws Exception {
        for (String rank : new String[] {"", "rank-1"}) {
            Path of = Files.createDirectories(folder.resolve(rank));
            Files.writeString(of.resolve("quarantine.jsonl"), "");
            Files.writeString(of.resolve("steps.csv"), """
                    step,epoch,rows,loss,wait_ms,transfer_ms,compute_ms
                    0,0,32,2.25,900.0,0.5,9.5
                    """);
        }
        run(2).ended(1, RunReports.FINISHED, null);
        assertThat(folder.resolve("report.html")).doesNotExist();
        run(2).ended(0, RunReports.FINISHED, null);
        assertThat(Files.readString(folder.resolve("report.html"))).contains("\"rank 0\"", "\"rank 1\"");
    }
}
