package io.millrace.dataset.idx;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.SegmentRows;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.StoredRows;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** A dataset of the images in one IDX file and the labels in another. */
final class IdxDataset implements Dataset {
    /**
     * The largest number of classes with names. A file with larger labels contains targets to predict and not classes.
     */
    private static final int MAX_NAMED_CLASSES = 1 << 16;

    private final IdxFile images;
    private final IdxFile labels;
    private final int height;
    private final int width;
    private final int channels;
    private final List<String> classes;

    private IdxDataset(IdxFile images, IdxFile labels, List<String> classes) {
        List<Integer> extents = images.header().extents();
        this.images = images;
        this.labels = labels;
        this.height = extents.get(1);
        this.width = extents.get(2);
        this.channels = extents.size() == 4 ? extents.get(3) : 1;
        this.classes = classes;
    }

    /**
     * Joins a file of images and a file of labels into a dataset.
     *
     * @throws DatasetException when the files do not contain images and labels, or when there are not as many labels as
     *     images
     */
    static IdxDataset of(IdxFile images, IdxFile labels) throws DatasetException {
        requireImages(images);
        IdxHeader header = labels.header();
        if (header.extents().size() != 1) {
            throw new DatasetException(labels.display() + ": at offset 2 expected labels, "
                    + IdxHeader.describe(IdxHeader.Type.UBYTE, 1) + ", found "
                    + IdxHeader.describe(header.type(), header.extents().size()));
        }
        if (images.items() != labels.items()) {
            throw new DatasetException("at offset 4, " + images.display() + " has " + images.items()
                    + " images: expected as many labels in " + labels.display() + ", found " + labels.items());
        }
        return new IdxDataset(images, labels, classes(labels));
    }

    private static void requireImages(IdxFile images) throws DatasetException {
        IdxHeader header = images.header();
        List<Integer> extents = header.extents();
        if (header.type() != IdxHeader.Type.UBYTE || (extents.size() != 3 && extents.size() != 4)) {
            throw new DatasetException(images.display() + ": at offset 2 expected images, "
                    + IdxHeader.describe(IdxHeader.Type.UBYTE, 3) + " (or 4 with channels), found "
                    + IdxHeader.describe(header.type(), extents.size()));
        }
        if (extents.size() == 4 && extents.get(3) != 1 && extents.get(3) != 3) {
            throw new DatasetException(
                    images.display() + ": at offset 16 expected 1 or 3 channels, found " + extents.get(3));
        }
        if (header.itemBytes() == 0) {
            throw new DatasetException(images.display() + ": at offset 8 expected images with rows and columns, found "
                    + header.describe());
        }
        if (images.items() == 0) {
            throw new DatasetException(images.display() + ": at offset 4 expected at least 1 image, found 0");
        }
    }

    private static List<String> classes(IdxFile labels) throws DatasetException {
        int most = 0;
        for (int i = 0; i < labels.items(); i++) {
            int label = label(labels, i);
            if (label < 0) {
                throw new DatasetException(labels.display() + ": at offset "
                        + (labels.header().bytes() + (long) i * Integer.BYTES)
                        + " expected a label of 0 or more, found "
                        + label);
            }
            most = Math.max(most, label);
        }
        return most < MAX_NAMED_CLASSES
                ? IntStream.rangeClosed(0, most).mapToObj(Integer::toString).toList()
                : List.of();
    }

    private static int label(IdxFile labels, long index) {
        byte[] item = labels.item(index);
        return labels.header().type() == IdxHeader.Type.UBYTE
                ? item[0] & 0xFF
                : ByteBuffer.wrap(item).getInt();
    }

    @Override
    public long size() {
        return images.items();
    }

    @Override
    public Sample read(long index) {
        Objects.checkIndex(index, size());
        return new Sample(index, images.name() + "#" + index, label(labels, index)).put(Sample.IMAGE, image(index));
    }

    private Field image(long index) {
        ByteBuffer stored = images.storedItem(index);
        return stored == null
                ? Field.image(height, width, channels, images.item(index))
                : Field.stored(DType.UINT8, new int[] {height, width, channels}, stored)
                        .as(FieldKind.IMAGE);
    }

    @Override
    public long label(long index) {
        return label(labels, Objects.checkIndex(index, size()));
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(images.bytes() + labels.bytes());
    }

    @Override
    public List<String> classes() {
        return classes;
    }

    @Override
    public boolean resident() {
        return true;
    }

    @Override
    public StoredRows rows() {
        StoredRows.Column column = new StoredRows.Column(Sample.IMAGE, DType.UINT8, List.of(height, width, channels));
        return new SegmentRows(images.name(), List.of(column), List.of(images.elements()));
    }

    @Override
    public void close() {
        // The JVM releases a mapping when nothing refers to it any more. Unmapping it here would crash the JVM while
        // another thread reads.
    }
}
