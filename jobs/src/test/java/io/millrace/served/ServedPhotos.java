package io.millrace.served;

import io.millrace.cli.SmallData;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code serve} with photos, some of which are bad, in 12 steps of 8 rows. The last step of an epoch has one row. */
public abstract class ServedPhotos {
    public static final int PHOTOS = 35;
    public static final int BAD = 6;
    public static final int STEPS = 12;

    @TempDir
    static Path shared;

    private static Path photos;

    @TempDir
    Path folder;

    @BeforeAll
    public static void draw() throws IOException {
        photos = SmallData.photos(shared.resolve("photos"), PHOTOS, BAD, 1);
    }

    /** Starts the command, and waits until clients can connect. */
    public ServedRun serve(int world, String... settings) throws IOException {
        return new ServedRun(
                SmallData.photosPipeline(folder.resolve("photos.yaml"), photos, folder.resolve("runs")),
                folder,
                world,
                settings);
    }
}
