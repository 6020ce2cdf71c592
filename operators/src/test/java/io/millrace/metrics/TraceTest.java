package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TraceTest {
    private static final long SECOND = Trace.PERIOD_NANOS;

    private final Track track = new Track(new Trace(0), "thread");

    @Test
    void whatReachesIntoAWindowIsKept() {
        track.add("in", 10, 20);
        track.add("between", SECOND / 2, SECOND / 2 + 10);
        track.add("into the next", SECOND - 10, SECOND + 1);
        track.add("over several", SECOND / 2, 5 * SECOND / 2);
        track.add("before the recording", -10, 10);
        assertThat(track.events(1))
                .extracting(Track.Event::name)
                .containsExactly("in", "into the next", "over several");
    }

    @Test
    void longRunKeepsFewerWindowsFromItsBeginningToItsEnd() {
        int seconds = 4_000;
        for (long second = 0; second < seconds; second++) {
            for (int i = 0; i < 100; i++) {
                track.add("event", second * SECOND + i, second * SECOND + i + 1);
            }
        }
        List<Track.Event> events = track.events(track.stride());
        assertThat(events).hasSizeBetween(Trace.MOST_EVENTS / 4, Trace.MOST_EVENTS);
        assertThat(events.get(0).beganNanos()).isLessThan(100);
        assertThat(events.get(events.size() - 1).beganNanos()).isGreaterThan((seconds - track.stride()) * SECOND - 1);
        assertThat(events).allSatisfy(event -> assertThat(event.beganNanos() / SECOND % track.stride())
                .isZero());
    }

    @Test
    void oneWindowOfTooManyEventsIsCutOff() {
        for (int i = 0; i < 10 * Trace.MOST_EVENTS; i++) {
            track.add("event", i, i + 1);
        }
        assertThat(track.events(track.stride())).hasSizeBetween(1, Trace.MOST_EVENTS);
    }

    private static Track mine() {
        return Objects.requireNonNull(Trace.track());
    }

    @Test
    void threadsHaveATrackEachWhileARecordingGoesOn() throws Exception {
        assertThat(Trace.track()).isNull();
        Trace trace = Trace.begin();
        try {
            Track mine = mine();
            assertThat(Trace.track()).isSameAs(mine);
            Thread other = new Thread(() -> mine().add("work", System.nanoTime(), System.nanoTime()), "other");
            other.start();
            other.join();
            assertThat(trace.tracks()).extracting(Track::thread).containsExactly(mine.thread(), "other");
        } finally {
            Trace.end();
        }
        assertThat(Trace.track()).isNull();
    }
}
