package io.millrace.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.SampleUnit;
import java.io.StringWriter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressViewTest {
    private static final String REDRAW = "\r\u001b[K";
    private static final String UP = "\u001b[1A";
    private static final String END = System.lineSeparator();

    private final StringWriter out = new StringWriter();
    private final AtomicLong clock = new AtomicLong();

    private static ProgressReading at(long epoch, long samples) {
        return new ProgressReading(epoch, 2L, samples, 100, SampleUnit.SAMPLES, null, null, null, "", null);
    }

    private ProgressView view(Optional<Terminal> terminal) {
        return new ProgressView(out, terminal, clock::get);
    }

    @Test
    void terminalRedrawsInPlace() {
        try (ProgressView view = view(Optional.of(new Terminal(80, false)))) {
            view.show(at(1, 50));
            view.show(at(1, 60));
            view.message("epoch 1/2  12.4 s");
            view.show(at(2, 0));
        }
        assertThat(out.toString())
                .isEqualTo(REDRAW + "epoch 1/2  [#####.....]  50 %"
                        + REDRAW + "epoch 1/2  [######....]  60 %"
                        + REDRAW + "epoch 1/2  12.4 s" + END
                        + REDRAW + "epoch 1/2  [######....]  60 %"
                        + REDRAW + "epoch 2/2  [..........]   0 %" + END);
    }

    @Test
    void completedTrainingLeavesNoBar() {
        try (ProgressView view = view(Optional.of(new Terminal(80, false)))) {
            view.show(at(2, 90));
            view.completed();
            view.message("epoch 2/2  12.4 s");
        }
        assertThat(out.toString()).endsWith("90 %" + REDRAW + "epoch 2/2  12.4 s" + END);
    }

    @Test
    void withoutATerminalALineIsPrintedAfterHalfAMinuteWithoutOne() {
        try (ProgressView view = view(Optional.empty())) {
            view.show(at(1, 1));
            clock.addAndGet(TimeUnit.SECONDS.toNanos(29));
            view.show(at(1, 20));
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            view.show(at(1, 30));
            clock.addAndGet(TimeUnit.SECONDS.toNanos(29));
            view.message("epoch 1/2  59 s");
            clock.addAndGet(TimeUnit.SECONDS.toNanos(29));
            view.show(at(2, 5));
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            view.show(at(2, 6));
        }
        assertThat(out.toString().lines())
                .containsExactly(
                        "epoch 1/2: 30 of 100 samples (30 %)", "epoch 1/2  59 s", "epoch 2/2: 6 of 100 samples (6 %)");
    }

    @Test
    void verdictIsBelowTheBarAndBothAreRedrawn() {
        try (ProgressView view = view(Optional.of(new Terminal(40, false)))) {
            view.show(at(1, 50).limitedBy("limited by decode"));
            view.show(at(1, 60).limitedBy("limited by a stage whose name is longer than the line"));
            view.completed();
        }
        assertThat(out.toString())
                .isEqualTo(REDRAW + "epoch 1/2  [####....]  50 %" + END + REDRAW + "limited by decode"
                        + REDRAW + UP + REDRAW + "epoch 1/2  [####....]  60 %" + END
                        + REDRAW + "limited by a stage whose name is longer"
                        + REDRAW + UP + REDRAW);
    }

    @Test
    void withoutATerminalTheVerdictFollowsItsLine() {
        try (ProgressView view = view(Optional.empty())) {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(30));
            view.show(at(1, 50).limitedBy("limited by decode"));
        }
        assertThat(out.toString().lines())
                .containsExactly("epoch 1/2: 50 of 100 samples (50 %)", "  limited by decode");
    }

    @Test
    void messageIsPrintedAboveTheBar() {
        try (ProgressView view = view(Optional.of(new Terminal(80, false)))) {
            view.show(at(1, 0));
            view.message("web UI: http://localhost:8081");
        }
        assertThat(out.toString()).contains(REDRAW + "web UI: http://localhost:8081" + END + REDRAW + "epoch 1/2");
    }
}
