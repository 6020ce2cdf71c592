package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.RowStore;
import io.millrace.sample.Split;
import io.millrace.sink.SinkFixture;
import io.millrace.sink.files.QuarantinePieces;
import io.millrace.sink.files.StateBytes;
import io.millrace.sink.files.StateBytes.Kind;
import io.millrace.sink.files.StateRefusedException;
import io.millrace.sink.progress.Progress;
import io.millrace.sink.progress.RestoredState;
import io.millrace.sink.progress.SavedRun;
import io.millrace.train.state.StateChunk;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that the stored state of each version can still be read. */
class StoredStateTest {
    @TempDir
    Path folder;

    @Test
    void progressOfVersion1IsRead() throws Exception {
        Progress read = Progress.read(StateBytes.unwrap(Kind.PROGRESS, StoredState.bytes("progress-v1.bin")));

        assertThat(read).isEqualTo(StoredState.progress());
    }

    @Test
    void badSamplesOfVersion1AreRead() throws Exception {
        List<String> found = new ArrayList<>();
        QuarantinePieces.read(
                StoredState.bytes("quarantine-v1.bin"),
                (split, index, failure) -> found.add(split + " " + index + " " + failure));

        assertThat(found)
                .containsExactly(
                        Split.TRAIN + " 7 " + StoredState.FAILURE, Split.EVALUATE + " 8 " + StoredState.FAILURE);
    }

    @Test
    void rowsOfVersion1AreRead() throws Exception {
        requireRows(StoredState.bytes("rows-v1.bin"));
    }

    private static void requireRows(byte[] piece) throws Exception {
        try (MicroBatch rows = RowStore.read(SinkFixture.ROWS, StateBytes.unwrap(Kind.ROWS, piece))) {
            assertThat(LongStream.range(0, rows.rows()).map(row -> rows.position((int) row)))
                    .containsExactlyInAnyOrderElementsOf(StoredState.WAITING);
            for (int row = 0; row < rows.rows(); row++) {
                assertThat(rows.index(row)).isEqualTo(SinkFixture.index(StoredState.PLAN, rows.position(row)));
                assertThat(rows.isQuarantined(row)).isEqualTo(StoredState.BAD.contains(rows.index(row)));
            }
        }
    }

    @Test
    void operatorStateOfVersion1IsRead() throws Exception {
        Path file = folder.resolve("operator.state");
        Files.write(file, StoredState.bytes("operator-v1.state"));

        RestoredState restored =
                Objects.requireNonNull(StoredState.restored(OperatorSnapshotUtil.readStateHandle(file.toString())));

        assertThat(restored.progress()).isEqualTo(StoredState.progress());
        assertThat(restored.quarantine()).hasSize(1);
        requireRows(restored.rows().get(0));
        assertThat(restored.model()).hasSize(1);
        try (StateChunk chunk = restored.model().get(0)) {
            ByteBuffer content = ByteBuffer.allocate(chunk.bytes());
            chunk.copy(0, content);
            assertThat(content.array()).isEqualTo(StoredState.MODEL);
        }
    }

    @ParameterizedTest
    @EnumSource
    void pieceOfALaterVersionIsRefused(Kind kind) {
        byte[] piece = StateBytes.wrap(kind, new byte[] {1, 2, 3});
        piece[1] = 99;

        assertThatThrownBy(() -> StateBytes.unwrap(kind, piece))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("in version 99, this Millrace reads versions 1 to 1")
                .hasMessageContaining("start a new run");
    }

    @ParameterizedTest
    @EnumSource
    void pieceWithAWrongBitAnywhereIsRefused(Kind kind) {
        byte[] piece = StateBytes.wrap(kind, new byte[] {1, 2, 3});
        for (int bit = 0; bit < piece.length * Byte.SIZE; bit++) {
            byte[] wrong = piece.clone();
            wrong[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
            assertThatThrownBy(() -> StateBytes.unwrap(kind, wrong)).isInstanceOf(StateRefusedException.class);
        }
    }

    @Test
    void truncatedPieceIsRefused() {
        byte[] piece = StateBytes.wrap(Kind.PROGRESS, new byte[] {1, 2, 3});

        assertThatThrownBy(() -> StateBytes.unwrap(Kind.PROGRESS, Arrays.copyOf(piece, 4)))
                .hasMessage("the checkpoint is damaged, in the trainer's progress: it has 4 bytes, expected at least"
                        + " 6");
    }

    @Test
    void progressWithOtherContentIsRefused() {
        assertThatThrownBy(() -> Progress.read("{\"version\": 1}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageStartingWith("the trainer's progress in the checkpoint is damaged: ");
        assertThatThrownBy(() -> Progress.read("{\"version\": 2}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("in version 2, this Millrace reads version 1");
        assertThatThrownBy(() -> Progress.read("{\"vers".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(StateRefusedException.class);
    }

    @Test
    void folderWithoutAStateIsRefused() {
        assertThatThrownBy(() -> SavedRun.place(folder))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageStartingWith(folder + " has no state of a finished run");
    }
}
