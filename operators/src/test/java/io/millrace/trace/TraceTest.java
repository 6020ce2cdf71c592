package io.millrace.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
    @TempDir
    Path run;

    private Recording recording() {
        return Recording.begin(run, 1);
    }

    private static Track mine() {
        return Objects.requireNonNull(Trace.track());
    }

    private static void work(String name) {
        long now = System.nanoTime();
        mine().addRare(name, now, now + 1_000);
    }

    private List<Path> parts() throws Exception {
        if (!Files.exists(run.resolve(TraceFolder.NAME))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(run.resolve(TraceFolder.NAME))) {
            return files.toList();
        }
    }

    @Test
    void eachThreadHasATrackAndTheLastTaskToLeaveWritesThem() throws Exception {
        assertThat(Trace.track()).isNull();
        Recording recording = recording();
        Trace.Share first = Trace.join(recording, "worker");
        Trace.Share second = Trace.join(recording, "worker");
        assertThat(mine()).isSameAs(mine());
        work("mine");
        Thread other = new Thread(() -> work("other's"), "other");
        other.start();
        other.join();

        first.close();
        first.close();
        assertThat(parts()).isEmpty();
        second.close();

        assertThat(Trace.track()).isNull();
        assertThat(parts()).hasSize(1);
        assertThat(TraceRules.check(Files.readAllBytes(parts().get(0)))).containsExactlyInAnyOrder("mine", "other's");
        Optional<TraceFolder.MergedTrace> whole = TraceFolder.merge(run);
        assertThat(whole.orElseThrow().parts()).isEqualTo(1);
        assertThat(whole.orElseThrow().file())
                .isEqualTo(run.resolve("trace.json"))
                .exists();
        assertThat(run.resolve(TraceFolder.NAME)).doesNotExist();
    }

    @Test
    void restartedTaskIsInAnotherPartOfTheSameProcess() throws Exception {
        Recording recording = recording();
        for (int attempt = 0; attempt < 2; attempt++) {
            try (Trace.Share share = Trace.join(recording, "worker")) {
                assertThat(share).isNotNull();
                work("attempt " + attempt);
            }
        }
        assertThat(parts()).hasSize(2);
        TraceFolder.MergedTrace whole = TraceFolder.merge(run).orElseThrow();
        assertThat(whole.parts()).isEqualTo(2);
        assertThat(TraceRules.check(Files.readAllBytes(whole.file())))
                .containsExactlyInAnyOrder("attempt 0", "attempt 1");
        assertThat(Files.readString(whole.file()).split("\"process_name\"", -1)).hasSize(2);
    }

    @Test
    void taskOfAnotherJobIsNotRecordedOnAnInheritedThread() throws Exception {
        try (Trace.Share share = Trace.join(recording(), "worker")) {
            assertThat(share).isNotNull();
            boolean[] recorded = new boolean[1];
            Thread other = new Thread(() -> {
                Trace.join(null, "worker").close();
                recorded[0] = Trace.track() != null;
            });
            other.start();
            other.join();
            assertThat(recorded[0]).isFalse();
            assertThat(Trace.track()).isNotNull();
        }
    }

    @Test
    void runGoesOnWhenItsFolderCannotBeWritten() throws Exception {
        Path blocked = Files.writeString(run.resolve("blocked"), "a file");
        Trace.join(Recording.begin(blocked, 1), "worker").close();
        assertThat(blocked).content().isEqualTo("a file");
    }

    @Test
    void runWithoutPartsHasNoTrace() throws Exception {
        assertThat(TraceFolder.merge(run)).isEmpty();
    }
}
