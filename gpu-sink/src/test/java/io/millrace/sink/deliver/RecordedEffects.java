package io.millrace.sink.deliver;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The effects of an agreement as texts, in their order, and the numbers of the requests that were answered. */
final class RecordedEffects implements AgreementEffects {
    final List<String> effects = new ArrayList<>();
    final List<Long> granted = new ArrayList<>();

    @Override
    public void seek(long generation, long step) {
        effects.add("seek " + generation + " to " + step);
    }

    @Override
    public void flush(int rank, long generation, long step, long request) {
        effects.add("flush " + rank + " " + generation + " " + step);
        granted.add(request);
    }

    @Override
    public void prepare(int rank, long generation) {
        effects.add("prepare " + rank + " " + generation);
    }

    @Override
    public void locate(int rank) {
        effects.add("locate " + rank);
    }

    @Override
    public void begin(long generation) {
        effects.add("begin " + generation);
    }

    @Override
    public void finish() {
        effects.add("finish");
    }

    @Override
    public void report(int rank, @Nullable String reason) {
        effects.add(rank + ": " + reason);
    }

    @Override
    public void disagree(int rank, String reason, long request) {
        effects.add(rank + "! " + reason);
        granted.add(request);
    }
}
