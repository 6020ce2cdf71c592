package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.metrics.Trace;
import io.millrace.metrics.Track;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceFileTest {
    @Test
    void nestedEventsOfNamedThreadsFollowTheRules() throws Exception {
        byte[] json = TraceFile.json(recorded(1, track -> {
            long now = System.nanoTime();
            track.add("transfer", now, now + 1_000);
            track.add("forward", now + 1_000, now + 2_000);
            track.add("step", now + 1_000, now + 5_000);
            track.add("optimizer", now + 2_000, now + 5_000);
        }));
        assertThat(TraceRules.check(json)).containsExactlyInAnyOrder("transfer", "forward", "step", "optimizer");
        assertThat(new String(json, StandardCharsets.UTF_8))
                .contains("\"name\":\"worker-0 \\\"quoted\\\"\"", "\"dur\":1.000");
    }

    @Test
    void manyThreadsOfManyEventsStayUnderFiftyMegabytes() throws Exception {
        List<Track> tracks = recorded(24, track -> {
            long now = System.nanoTime();
            for (int i = 0; i < 40_000; i++) {
                // Ten a second, for an hour: what a busy trainer leaves.
                long at = now + i * 100_000_000L;
                track.add("a name of a transform that is rather long", at, at + 99_000_000L);
            }
        });
        byte[] json = TraceFile.json(tracks);
        assertThat(json.length).isBetween(1_000_000, 50_000_000);
        TraceRules.check(json);
    }

    private interface Work {
        void on(Track track);
    }

    private static List<Track> recorded(int threads, Work work) throws InterruptedException {
        Trace trace = Trace.begin();
        try {
            List<Thread> started = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(
                        () -> {
                            Track track = Trace.track();
                            if (track != null) {
                                work.on(track);
                            }
                        },
                        "worker-" + i + " \"quoted\"");
                thread.start();
                started.add(thread);
            }
            for (Thread thread : started) {
                thread.join();
            }
            return trace.tracks();
        } finally {
            Trace.end();
        }
    }
}
