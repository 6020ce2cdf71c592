package io.millrace.pipeline;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.ipc.ArrowFileWriter;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * An Arrow file of samples with several fields: an image, a mask with the colour of each pixel, a text of letters, the classes
 * of these letters, and a vector. The mask follows from the image and the classes from the text, so a model can learn them only
 * if the fields of a sample stay together.
 */
public final class ManyFields {
    public static final int EDGE = 20;
    public static final int CLASSES = 4;

    /** The colour of a pixel of each class. */
    private static final int[] COLORS = {0x202020, 0xE02020, 0x20E020, 0x2020E0};

    private ManyFields() {}

    /** Writes a file with this many samples. The sample with number {@code bad} has an image that cannot be decoded. */
    public static Path write(Path file, int samples, int bad, long seed) throws IOException {
        Random random = new Random(seed);
        try (RootAllocator allocator = new RootAllocator();
                VectorSchemaRoot root = VectorSchemaRoot.create(schema(), allocator);
                FileChannel channel = FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
                ArrowFileWriter writer = new ArrowFileWriter(root, null, channel)) {
            root.allocateNew();
            for (int i = 0; i < samples; i++) {
                fill(root, i, i == bad, random);
            }
            root.setRowCount(samples);
            writer.writeBatch();
        }
        return file;
    }

    private static Schema schema() {
        ArrowType whole = new ArrowType.Int(64, true);
        ArrowType real = new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
        return new Schema(List.of(
                Field.nullable("photo", ArrowType.Binary.INSTANCE),
                Field.nullable("colors", ArrowType.Binary.INSTANCE),
                Field.nullable("caption", ArrowType.Utf8.INSTANCE),
                new Field(
                        "tags",
                        FieldType.nullable(ArrowType.List.INSTANCE),
                        List.of(new Field("item", FieldType.notNullable(whole), null))),
                new Field(
                        "place",
                        FieldType.nullable(new ArrowType.FixedSizeList(2)),
                        List.of(new Field("item", FieldType.notNullable(real), null)))));
    }

    private static void fill(VectorSchemaRoot root, int row, boolean bad, Random random) throws IOException {
        BufferedImage photo = new BufferedImage(EDGE, EDGE, BufferedImage.TYPE_3BYTE_BGR);
        BufferedImage colors = new BufferedImage(EDGE, EDGE, BufferedImage.TYPE_BYTE_GRAY);
        int split = 4 + random.nextInt(EDGE - 8);
        int first = random.nextInt(CLASSES);
        int second = (first + 1 + random.nextInt(CLASSES - 1)) % CLASSES;
        for (int y = 0; y < EDGE; y++) {
            for (int x = 0; x < EDGE; x++) {
                int number = x < split ? first : second;
                photo.setRGB(x, y, COLORS[number]);
                colors.getRaster().setSample(x, y, 0, number);
            }
        }
        byte[] encoded = bad ? new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0} : png(photo);
        ((VarBinaryVector) root.getVector("photo")).setSafe(row, encoded);
        ((VarBinaryVector) root.getVector("colors")).setSafe(row, png(colors));

        StringBuilder caption = new StringBuilder();
        ListVector tags = (ListVector) root.getVector("tags");
        BigIntVector numbers = (BigIntVector) tags.getDataVector();
        int at = tags.startNewValue(row);
        int count = 0;
        for (int number = 0; number < CLASSES; number++) {
            if (random.nextBoolean()) {
                caption.append((char) ('a' + number));
                numbers.setSafe(at + count, number);
                count++;
            }
        }
        tags.endValue(row, count);
        byte[] utf8 = caption.toString().getBytes(StandardCharsets.UTF_8);
        ((VarCharVector) root.getVector("caption")).setSafe(row, utf8);
        FixedSizeListVector place = (FixedSizeListVector) root.getVector("place");
        Float4Vector values = (Float4Vector) place.getDataVector();
        place.setNotNull(row);
        values.setSafe(2 * row, random.nextFloat());
        values.setSafe(2 * row + 1, random.nextFloat());
    }

    private static byte[] png(BufferedImage image) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageIO.write(image, "png", bytes);
        return bytes.toByteArray();
    }
}
