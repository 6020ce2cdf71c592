package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PieceIndexerTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\n\n", "\r\n", "aa", "aba", "\n\n\n\n\n", "ab\n"})
    void rangesOfAnySizeFindThePiecesOfTheWhole(String separator) throws IOException {
        Random random = new Random(separator.hashCode());
        for (int round = 0; round < 20; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(400); i >= 0; i--) {
                text.append("\n\r\n ab".charAt(random.nextInt(6)));
            }
            List<String> expected = pieces(text.toString(), separator);
            for (int range : new int[] {1, 2, 3, 5, 7, 64, 1 << 20}) {
                assertThat(found(text.toString(), separator, range))
                        .as("ranges of %d bytes", range)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void piecesAcrossReadsAreWhole() throws IOException {
        String first = "x".repeat((1 << 20) - 1);
        String second = "y".repeat(3 << 20);
        String text = first + "\r\n" + second + "\n \n\nz";
        assertThat(found(text, "\n", 1 << 24)).containsExactly("1 " + first, "2 " + second, "5 z");
        assertThat(found(text, "\n", 1 << 20)).containsExactly("1 " + first, "2 " + second, "5 z");
    }

    private static String[] divided(String text, String separator) {
        return text.split(separator.replaceAll("(?<!\r)\n", "\r?\n"), -1);
    }

    /** Returns the pieces with content that the format's users expect, each with its number. */
    private static List<String> pieces(String text, String separator) {
        List<String> pieces = new ArrayList<>();
        String[] all = divided(text, separator);
        for (int i = 0; i < all.length; i++) {
            if (!all[i].isBlank()) {
                pieces.add((i + 1) + " " + all[i]);
            }
        }
        return pieces;
    }

    private List<String> found(String text, String separator, int range) throws IOException {
        Path file = Files.writeString(folder.resolve("a.txt"), text);
        PieceIndexer indexer = new PieceIndexer("test", new Separator(separator), (name, start) -> {}, range);
        List<String> pieces = new ArrayList<>();
        try (RangedFile ranged = Storage.of(file.toString()).ranged("")) {
            PieceIndex index = copy(indexer, indexer.scan(ScanWindow.local(ranged)));
            assertThat(index.separated()).isEqualTo(divided(text, separator).length > 1);
            for (int sample = 0; sample < index.samples(); sample++) {
                byte[] bytes =
                        ranged.read(index.offset(sample), (int) (index.offset(sample + 1) - index.offset(sample)));
                PieceIndexer.Content content = indexer.content(bytes);
                pieces.add(index.number(sample) + " "
                        + new String(bytes, content.from(), content.to() - content.from(), StandardCharsets.US_ASCII));
            }
        }
        return pieces;
    }

    /** Returns an index after it was kept. */
    private static PieceIndex copy(PieceIndexer indexer, PieceIndex index) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        indexer.write(index, new DataOutputStream(bytes));
        return indexer.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }
}
