package io.millrace.diagnosis.planted;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;

/**
 * A writer of Parquet files with images and labels. A row group has one page for each column, without compression, as many
 * writers store columns of images.
 */
final class ParquetImages {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    private final ByteArrayOutputStream file = new ByteArrayOutputStream();

    private ParquetImages() {}

    /**
     * Writes one file into a new folder.
     *
     * @param rows the number of rows
     * @param groupRows the number of rows of each row group
     * @param edge the edge of the square images
     */
    static void write(Path folder, int rows, int groupRows, int edge) throws IOException {
        Files.createDirectories(folder);
        Files.write(folder.resolve("images.parquet"), new ParquetImages().bytes(rows, groupRows, edge));
    }

    private byte[] bytes(int rows, int groupRows, int edge) throws IOException {
        file.write(MAGIC);
        List<RowGroup> groups = new ArrayList<>();
        for (int first = 0; first < rows; first += groupRows) {
            int count = Math.min(groupRows, rows - first);
            ColumnChunk images = column("image", Type.BYTE_ARRAY, count, images(first, count, edge));
            ColumnChunk labels = column("label", Type.INT64, count, new byte[count * Long.BYTES]);
            groups.add(new RowGroup(List.of(images, labels), size(images) + size(labels), count));
        }
        int footer = file.size();
        Util.writeFileMetaData(new FileMetaData(1, schema(), rows, groups), file);
        int length = file.size() - footer;
        file.write(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .array());
        file.write(MAGIC);
        return file.toByteArray();
    }

    private static long size(ColumnChunk chunk) {
        return chunk.getMeta_data().getTotal_uncompressed_size();
    }

    private static List<SchemaElement> schema() {
        SchemaElement root = new SchemaElement("schema");
        root.setNum_children(2);
        return List.of(root, field("image", Type.BYTE_ARRAY), field("label", Type.INT64));
    }

    private static SchemaElement field(String name, Type type) {
        SchemaElement field = new SchemaElement(name);
        field.setType(type);
        field.setRepetition_type(FieldRepetitionType.REQUIRED);
        return field;
    }

    /** Returns the values of images: each is its length, and a PPM file with random colours. */
    private static byte[] images(int first, int count, int edge) {
        byte[][] files = IntStream.range(first, first + count)
                .mapToObj(number -> PlantData.ppm(number, edge))
                .toArray(byte[][]::new);
        ByteBuffer values = ByteBuffer.allocate(Stream.of(files)
                        .mapToInt(file -> Integer.BYTES + file.length)
                        .sum())
                .order(ByteOrder.LITTLE_ENDIAN);
        for (byte[] file : files) {
            values.putInt(file.length).put(file);
        }
        return values.array();
    }

    /** Writes a column as one page. */
    private ColumnChunk column(String name, Type type, int rows, byte[] values) throws IOException {
        int position = file.size();
        PageHeader header = new PageHeader(PageType.DATA_PAGE, values.length, values.length);
        header.setData_page_header(new DataPageHeader(rows, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        Util.writePageHeader(header, page);
        page.write(values);
        file.write(page.toByteArray());
        ColumnChunk chunk = new ColumnChunk(position);
        chunk.setMeta_data(new ColumnMetaData(
                type,
                List.of(Encoding.PLAIN),
                List.of(name),
                CompressionCodec.UNCOMPRESSED,
                rows,
                page.size(),
                page.size(),
                position));
        return chunk;
    }
}
