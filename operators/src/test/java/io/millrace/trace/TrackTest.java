package io.millrace.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TrackTest {
    private static final long SECOND = Windows.PERIOD_NANOS;

    private final Track track = new Track("thread", 0);

    @Test
    void eventThatReachesIntoAWindowIsKept() {
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
    void longRunKeepsFewerWindowsOverItsWholeLength() {
        int seconds = 4_000;
        for (long second = 0; second < seconds; second++) {
            for (int i = 0; i < 100; i++) {
                track.add("event", second * SECOND + i, second * SECOND + i + 1);
            }
        }
        List<Track.Event> events = track.events(track.stride());
        assertThat(events).hasSizeBetween(Track.MOST_EVENTS / 4, Track.MOST_EVENTS);
        assertThat(events.get(0).beganNanos()).isLessThan(100);
        assertThat(events.get(events.size() - 1).beganNanos()).isGreaterThan((seconds - track.stride()) * SECOND - 1);
        assertThat(events).allSatisfy(event -> assertThat(event.beganNanos() / SECOND % track.stride())
                .isZero());
    }

    @Test
    void windowWithTooManyEventsIsTruncated() {
        for (int i = 0; i < 10 * Track.MOST_EVENTS; i++) {
            track.add("event", i, i + 1);
        }
        assertThat(track.events(track.stride())).hasSizeBetween(1, Track.MOST_EVENTS);
    }

    @Test
    void rareEventsAreAlwaysKeptAndOthersMakeRoom() {
        for (long i = 0; i < 3L * Track.MOST_EVENTS; i++) {
            track.add("event", i / 100 * SECOND + i % 100, i / 100 * SECOND + i % 100 + 1);
            if (i % 1000 == 0) {
                track.addRare("checkpoint", i / 100 * SECOND + SECOND / 2, i / 100 * SECOND + SECOND / 2 + 1);
            }
        }
        assertThat(track.stride()).isGreaterThan(1);
        assertThat(track.events(track.stride()).stream()
                        .filter(event -> event.name().equals("checkpoint")))
                .hasSize(3 * Track.MOST_EVENTS / 1000 + 1);
    }

    @Test
    void bothEndsOfAMicroBatchAreKeptOrNeither() {
        Track other = new Track("other", 0);
        for (long batch = 0; batch < 2L * Track.MOST_EVENTS; batch++) {
            long at = SECOND / 2 + batch * SECOND;
            track.addForMicroBatch(batch * 64, TraceFile.PASS_ON, at, at + 10);
            other.addForMicroBatch(batch * 64, TraceFile.ASSEMBLE, at + SECOND / 4, at + SECOND / 4 + 10);
        }
        assertThat(track.stride()).isGreaterThan(1);
        List<Long> sent = track.events(8).stream().map(Track.Event::mark).toList();
        assertThat(other.events(8)).extracting(Track.Event::mark).isEqualTo(sent);
        assertThat(sent).hasSizeBetween(Track.MOST_EVENTS / 8, Track.MOST_EVENTS / 2);
    }
}
