package io.millrace.sink.progress;

import io.millrace.sink.files.StateRefusedException;
import io.millrace.train.state.ModelState;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The state of a run that ended, in its folder {@code model/state}. A later run can continue from it without a Flink
 * checkpoint. The state contains no waiting rows, because the source reads them again, from {@link Place#firstPosition}
 * on.
 *
 * <p>The state can be read without the training engine. The files are {@code progress.json}, {@code quarantine.state}
 * (the number of pieces, then each piece after its length, 4 bytes big-endian) and {@code model.state}.
 */
public final class SavedRun implements AutoCloseable {
    private static final String PROGRESS = "progress.json";
    private static final String QUARANTINE = "quarantine.state";
    private static final String MODEL = "model.state";

    private final Progress progress;
    private final List<byte[]> quarantine;
    private final ModelState model;

    /** Takes ownership of the model. */
    public SavedRun(Progress progress, List<byte[]> quarantine, ModelState model) {
        this.progress = progress;
        this.quarantine = List.copyOf(quarantine);
        this.model = model;
    }

    /**
     * The place at which a run ended.
     *
     * @param nextBatch the first batch that the run did not train on
     * @param firstPosition the first position of that batch: the start for a source that continues
     * @param folder the run's folder, as its path was when the run ended
     */
    public record Place(long nextBatch, long firstPosition, String folder) {}

    /**
     * Reads from a folder {@code model/state} only the place at which the run ended.
     *
     * @throws IOException with a message for the user when there is no such state, or it has another version or is
     *     damaged
     */
    public static Place place(Path state) throws IOException {
        Progress progress = progress(state);
        return new Place(progress.nextBatch(), progress.firstPosition(), progress.folder());
    }

    /**
     * Reads a folder {@code model/state}; the caller closes the result.
     *
     * @throws IOException with a message for the user when there is no such state, or it has another version or is
     *     damaged
     */
    public static SavedRun read(Path state) throws IOException {
        return new SavedRun(progress(state), quarantine(state), ModelState.read(state.resolve(MODEL)));
    }

    private static Progress progress(Path state) throws IOException {
        try {
            return Progress.read(Files.readAllBytes(state.resolve(PROGRESS)));
        } catch (NoSuchFileException e) {
            throw new StateRefusedException(
                    state + " has no state of a finished run: expected the folder model/state of such a run, with "
                            + PROGRESS,
                    e);
        }
    }

    private static List<byte[]> quarantine(Path state) throws IOException {
        Path file = state.resolve(QUARANTINE);
        List<byte[]> pieces = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            for (int left = in.readInt(); left > 0; left--) {
                int length = in.readInt();
                byte[] piece = in.readNBytes(Math.max(0, length));
                if (piece.length != length) {
                    throw new StateRefusedException(
                            file + " is damaged: expected a piece of " + length + " bytes, found " + piece.length);
                }
                pieces.add(piece);
            }
        } catch (EOFException e) {
            throw new StateRefusedException(file + " is damaged: it is too short", e);
        }
        return pieces;
    }

    /** Writes the state into an empty folder. */
    public void write(Path state) throws IOException {
        Files.write(state.resolve(PROGRESS), progress.json());
        try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(state.resolve(QUARANTINE)))) {
            out.writeInt(quarantine.size());
            for (byte[] piece : quarantine) {
                out.writeInt(piece.length);
                out.write(piece);
            }
        }
        model.write(state.resolve(MODEL));
    }

    /** Returns the state for a trainer, which closes the model. */
    public RestoredState restored() {
        return new RestoredState(progress, quarantine, List.of(), model.chunks());
    }

    @Override
    public void close() {
        model.close();
    }
}
