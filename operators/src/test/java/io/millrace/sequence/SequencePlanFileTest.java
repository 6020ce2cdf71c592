package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.order.EpochOrder;
import io.millrace.order.Shuffle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SequencePlanFileTest {
    private static final byte[] KEY = {1, 2, 3};

    /** More windows than are read at a time. */
    private static final int DOCUMENTS = 100_000;

    private static final PackRule RULE = new PackRule(512, PackPolicy.BEST_FIT, 1, Overlong.SPLIT);

    private final EpochOrder documents = new EpochOrder(42, DOCUMENTS, Shuffle.FULL);
    private final SequencePlan plan =
            new PackCounter(documents, RULE, new ArrayLengths(LengthSamples.WEB.lengths(DOCUMENTS, 1))).count();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writePlan() throws IOException {
        file = folder.resolve("web.packs");
        SequencePlanFile.write(file, plan, KEY);
    }

    @Test
    void planIsReadBack() throws IOException {
        assertThat(SequencePlanFile.read(file, documents, RULE, KEY)).isEqualTo(plan);
        assertThat(Files.size(file)).isEqualTo(64 + 40 + 4 * DOCUMENTS);
    }

    @Test
    void runsThatPlanAtTheSameTimeWriteTheSameFile() {
        IntStream.range(0, 64).parallel().forEach(number -> {
            try {
                SequencePlanFile.write(file, plan, KEY);
                assertThat(SequencePlanFile.read(file, documents, RULE, KEY)).isEqualTo(plan);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(folder).isDirectoryNotContaining(each -> !each.equals(file));
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> SequencePlanFile.read(folder.resolve("none"), documents, RULE, KEY))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void planOfOtherLengthsOrderOrRuleIsRefused() {
        PackRule longer = new PackRule(1024, RULE.policy(), RULE.window(), RULE.overlong());
        EpochOrder stored = new EpochOrder(42, DOCUMENTS, Shuffle.NONE);
        EpochOrder more = new EpochOrder(42, DOCUMENTS + 1, Shuffle.FULL);
        requireRefused(documents, RULE, new byte[] {1, 2});
        requireRefused(documents, longer, KEY);
        requireRefused(stored, RULE, KEY);
        requireRefused(more, RULE, KEY);
    }

    private void requireRefused(EpochOrder order, PackRule rule, byte[] key) {
        assertThatThrownBy(() -> SequencePlanFile.read(file, order, rule, key))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(file + " belongs to other data or other options: expected the key ");
    }

    @Test
    void damageIsNoticed() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        for (int at : new int[] {0, 9, 13, 20, 30, 58, 63, 64, 100, whole.length - 1}) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 1;
            Files.write(file, damaged);
            assertThatThrownBy(() -> SequencePlanFile.read(file, documents, RULE, KEY))
                    .as("byte %d", at)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file.toString());
        }
        Files.write(file, java.util.Arrays.copyOf(whole, whole.length - 1));
        assertThatThrownBy(() -> SequencePlanFile.read(file, documents, RULE, KEY))
                .hasMessageContaining("is not whole");
    }
}
