package io.millrace.generate.photos;

import io.millrace.file.WholeFiles;
import io.millrace.generate.Generation;
import io.millrace.generate.Generation.BadFile;
import io.millrace.generate.Generator;
import io.millrace.generate.ParallelDrawing;
import io.millrace.generate.ProgressListener;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** The generator of JPEG scenes in class folders, {@code <class>/<number>.jpg}; image i has class i modulo the classes. */
public final class PhotosGenerator implements Generator {
    /** The version of the drawing, which is increased when images change, so that older folders are not reused. */
    private static final int VERSION = 1;

    private static final int CHUNK = 4;

    /**
     * Broken files are made from the images whose index is at least this number times the number of classes. No good
     * file has such an index.
     */
    private static final long BAD_IMAGES = 1L << 40;

    /** The kinds of damage in the order in which broken files get them. */
    private static final List<BadKind> KINDS = List.of(BadKind.values());

    private static final Pattern FILE_NAME = Pattern.compile("[0-9]{6,}[.]jpg|bad-[a-z-]+-[0-9]+[.]jpg");

    static final Option<Integer> COUNT = Option.of(
                    "count",
                    OptionType.integers(1, 10_000_000),
                    "The number of images of all classes together, without the bad files.")
            .orElse(2000);
    static final Option<ImageSize> SIZE = Option.of(
                    "size", ImageSize.TYPE, "The width and height of each image in pixels.")
            .orElse(new ImageSize(500, 375));
    static final Option<Integer> CLASSES = Option.of(
                    "classes",
                    OptionType.integers(1, Scene.ALL.size()),
                    "The number of classes, each with its own folder; at most count.")
            .orElse(Scene.ALL.size());
    static final Option<Integer> QUALITY = Option.of(
                    "quality", OptionType.integers(1, 100), "JPEG quality as libjpeg counts it.")
            .orElse(90);
    static final Option<Long> SEED = Option.of(
                    "seed",
                    OptionType.LONG,
                    "The seed of the generator: with the same seed, the images are the same; with another seed, they"
                            + " are different images of the same classes.")
            .orElse(1L);
    static final Option<Integer> BAD = Option.of(
                    "bad",
                    OptionType.integers(0, 1_000_000),
                    "The number of bad files to add; in turn they are truncated, corrupt, empty, text, JPEGs of 12 bits, and files with a huge header.")
            .orElse(0);
    static final Option<Integer> RESTART = Option.of(
                    "restart",
                    OptionType.integers(1, 65_535),
                    "The number of coded units (blocks of 16x16 pixels) after which a restart marker follows, where a decoder can jump to. Without it, the images have no restart markers.")
            .optional();

    @Override
    public String name() {
        return "photos";
    }

    @Override
    public String help() {
        return "Natural-looking JPEG scenes in class folders, optionally also broken files.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(COUNT, SIZE, CLASSES, QUALITY, SEED, BAD, RESTART);
    }

    @Override
    public Generation request(OptionValues values) {
        int count = values.get(COUNT);
        int classes = values.get(CLASSES);
        if (classes > count) {
            throw new IllegalArgumentException(
                    "'classes': expected at most as many as count, " + count + ", found " + classes);
        }
        return described(values, 0);
    }

    @Override
    public boolean owns(Path relative) {
        return relative.getNameCount() == 2
                && Scene.ALL.stream()
                        .anyMatch(s -> s.name().equals(relative.getName(0).toString()))
                && FILE_NAME.matcher(relative.getName(1).toString()).matches();
    }

    @Override
    public Generation draw(OptionValues values, Path folder, int threads, ProgressListener progress)
            throws IOException {
        request(values);
        int classes = values.get(CLASSES);
        for (Scene scene : Scene.ALL.subList(0, classes)) {
            Files.createDirectories(folder.resolve(scene.name()));
        }
        AtomicLong bytes = new AtomicLong();
        ParallelDrawing.draw(
                values.get(COUNT), CHUNK, threads, () -> new Artist(folder, classes, studio(values), bytes), progress);
        plantBad(values, folder, bytes);
        return described(values, bytes.get());
    }

    private static PhotoStudio studio(OptionValues values) {
        return new PhotoStudio(
                values.get(SEED),
                values.get(CLASSES),
                values.get(SIZE),
                values.get(QUALITY),
                values.find(RESTART).orElse(0));
    }

    private static void plantBad(OptionValues values, Path folder, AtomicLong bytes) throws IOException {
        List<BadFile> files = badFiles(values);
        try (PhotoStudio studio = studio(values)) {
            for (int i = 0; i < files.size(); i++) {
                long image = BAD_IMAGES * values.get(CLASSES) + i;
                byte[] file = BadPhotos.make(kind(i), studio, image);
                WholeFiles.write(folder.resolve(files.get(i).file()), file);
                bytes.addAndGet(file.length);
            }
        }
    }

    private static List<BadFile> badFiles(OptionValues values) {
        List<BadFile> files = new ArrayList<>();
        for (int i = 0; i < values.get(BAD); i++) {
            String folder = PhotoStudio.scene(i, values.get(CLASSES)).name();
            String kind = kind(i).word();
            files.add(new BadFile(folder + "/bad-" + kind + "-" + i + ".jpg", kind));
        }
        return files;
    }

    private static BadKind kind(int badFile) {
        return KINDS.get(badFile % KINDS.size());
    }

    private static Generation described(OptionValues values, long bytes) {
        int count = values.get(COUNT);
        int classes = values.get(CLASSES);
        Map<String, Long> counts = new HashMap<>();
        for (int i = 0; i < classes; i++) {
            counts.put(PhotoStudio.scene(i, classes).name(), (long) (count - i + classes - 1) / classes);
        }
        Map<String, Object> options = new HashMap<>(Map.of(
                "count", count,
                "size", values.get(SIZE).toString(),
                "classes", classes,
                "quality", values.get(QUALITY),
                "seed", values.get(SEED),
                "bad", values.get(BAD)));
        values.find(RESTART).ifPresent(units -> options.put("restart", units));
        return new Generation("photos", VERSION, options, counts, bytes, badFiles(values));
    }

    /** A drawer of ranges of images. */
    private record Artist(Path folder, int classes, PhotoStudio studio, AtomicLong bytes)
            implements ParallelDrawing.Artist {
        @Override
        public void draw(long from, long to) throws IOException {
            for (long index = from; index < to; index++) {
                byte[] jpeg = studio.photograph(index);
                String name = String.format(Locale.ROOT, "%06d.jpg", index);
                WholeFiles.write(
                        folder.resolve(PhotoStudio.scene(index, classes).name()).resolve(name), jpeg);
                bytes.addAndGet(jpeg.length);
            }
        }

        @Override
        public void close() {
            studio.close();
        }
    }
}
