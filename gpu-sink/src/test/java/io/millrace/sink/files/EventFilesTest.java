package io.millrace.sink.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sink.progress.Curves;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventFilesTest {
    @TempDir
    Path from;

    @TempDir
    Path folder;

    @Test
    void namesAreInOrderWithinASecondAndWhenTheClockGoesBack() {
        List<String> names = new ArrayList<>();
        for (long millis :
                new long[] {1_700_000_005_000L, 1_700_000_005_100L, 1_699_999_999_000L, 1_700_000_009_000L}) {
            names.add(EventFiles.next(names, millis));
        }

        assertThat(names).isSorted().doesNotHaveDuplicates().allMatch(name -> name.contains("tfevents"));
        assertThat(names.get(0)).isEqualTo("events.out.tfevents.1700000005.millrace.0000");
    }

    @Test
    void onlyEventFilesOfTheEarlierRunAreCopied() throws Exception {
        String first = EventFiles.next(List.of(), 1_700_000_000_000L);
        Files.writeString(from.resolve(first), "a");
        Files.writeString(from.resolve("steps.csv"), "b");

        EventFiles.copy(from, folder);
        EventFiles.copy(folder, folder);

        assertThat(EventFiles.names(folder)).containsExactly(first);
        assertThat(folder.resolve(first)).hasContent("a");
        assertThat(folder.resolve("steps.csv")).doesNotExist();
    }

    @Test
    void pointsBecomeRarerInLongRuns() {
        assertThat(points(0, 10_000)).isEqualTo(10_000);
        assertThat(points(10_000, 100_000)).isEqualTo(9_000);
        assertThat(points(100_000, 1_000_000)).isEqualTo(9_000);
    }

    private static long points(long from, long to) {
        long points = 0;
        for (long step = from; step < to; step++) {
            points += Curves.hasPoint(step) ? 1 : 0;
        }
        return points;
    }
}
