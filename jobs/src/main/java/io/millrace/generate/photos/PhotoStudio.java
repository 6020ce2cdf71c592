package io.millrace.generate.photos;

import io.millrace.generate.GeneratorRandom;

/**
 * A maker of the images of a generation. It makes each image from its index alone. Owns native memory; not thread-safe.
 */
final class PhotoStudio implements AutoCloseable {
    private final long seed;
    private final int classes;
    private final Painter painter;
    private final JpegEncoder encoder;
    private final byte[] pixels;

    PhotoStudio(long seed, int classes, ImageSize size, int quality) {
        this(seed, classes, size, quality, 0);
    }

    /** Creates a studio whose JPEGs have a restart marker after every {@code restart} coded units; 0 for none. */
    PhotoStudio(long seed, int classes, ImageSize size, int quality, int restart) {
        this.seed = seed;
        this.classes = classes;
        this.painter = new Painter(size.width(), size.height());
        this.encoder = new JpegEncoder(size.width(), size.height(), quality, restart);
        this.pixels = new byte[3 * size.width() * size.height()];
    }

    /** Returns the scene of image {@code index}; consecutive images show different classes. */
    static Scene scene(long index, int classes) {
        return Scene.ALL.get((int) (index % classes));
    }

    /** Returns the JPEG file of image {@code index}. */
    byte[] photograph(long index) {
        return encoder.encode(paint(index));
    }

    /** Returns image {@code index} as blue, green and red of each pixel; the next call overwrites it. */
    byte[] paint(long index) {
        GeneratorRandom random = new GeneratorRandom(seed, 0, index);
        painter.start(random);
        scene(index, classes).subject().paint(painter);
        Colour light = new Colour(1, 1, 1)
                .times(random.uniform(0.7, 1.15))
                .mix(new Colour((float) random.uniform(0.75, 1.2), 1, (float) random.uniform(0.75, 1.2)), 0.6);
        painter.canvas.develop(random, light, random.uniform(2, 6), pixels);
        return pixels;
    }

    @Override
    public void close() {
        encoder.close();
    }
}
