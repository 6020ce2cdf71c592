package io.millrace.served;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cli.SmallData;
import io.millrace.pipeline.web.OwnWeb;
import io.millrace.pipeline.web.RawHttp;
import io.millrace.rest.ClusterJob;
import io.millrace.rest.ClusterRest;
import io.millrace.run.ExitCode;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of the command {@code serve} while requests at Flink's REST interface are under way. */
class ServedEndITCase {
    /** The end takes a few seconds. Flink would wait 5 minutes for somebody who asks for the result of the savepoint. */
    private static final long MOST_SECONDS = 60;

    @TempDir
    Path folder;

    @Test
    void aSavepointOfWhichNobodyAsksTheResultDoesNotDelayTheEnd() throws Exception {
        Path digits = SmallData.digits(folder.resolve("digits"));
        Path pipeline = SmallData.servedPipeline(folder.resolve("digits.yaml"), digits, folder.resolve("runs"), 200);
        ServedRun run = new ServedRun(pipeline, folder, 1);
        URI web = URI.create(run.ready().required("web").asText());
        String job = runningJob(new ClusterRest(web));
        Map.Entry<String, String> own = OwnWeb.header(web).orElseThrow();
        List<String> headers = List.of(
                "Host: " + web.getAuthority(), own.getKey() + ": " + own.getValue(), "Content-Type: application/json");

        String target = "{\"target-directory\":\"" + folder.resolve("savepoint") + "\",\"cancel-job\":false}";
        assertThat(RawHttp.send(
                        web, "POST /jobs/" + job + "/savepoints", headers, target.getBytes(StandardCharsets.UTF_8)))
                .contains("202 Accepted", "request-id");
        long began = System.nanoTime();
        assertThat(RawHttp.send(web, "PATCH /jobs/" + job + "?mode=cancel", headers, new byte[0]))
                .contains("202 Accepted");

        assertThat(run.ended(ExitCode.FAILED).err()).contains("the job was cancelled");
        assertThat(System.nanoTime() - began).isLessThan(TimeUnit.SECONDS.toNanos(MOST_SECONDS));
    }

    private static String runningJob(ClusterRest rest) throws Exception {
        while (true) {
            for (ClusterJob job : rest.jobs()) {
                if (rest.tasks(job.id()).state().equals("RUNNING")) {
                    return job.id();
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
