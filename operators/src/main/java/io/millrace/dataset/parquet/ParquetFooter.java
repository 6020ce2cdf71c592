package io.millrace.dataset.parquet;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.RangedFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;

/** The reader of a file's footer, which holds the schema and the positions of the columns. */
final class ParquetFooter {
    private static final String MAGIC = "PAR1";
    private static final String ENCRYPTED = "PARE";
    private static final int TAIL_BYTES = 8;

    private ParquetFooter() {}

    /**
     * Reads the footer.
     *
     * @throws DatasetException when the file is no Parquet file, is cut off or encrypted, or its footer is damaged
     */
    static FileMetaData read(RangedFile file) throws IOException {
        if (file.size() < MAGIC.length() + TAIL_BYTES) {
            throw new DatasetException(file.name() + " is no Parquet file: expected at least "
                    + (MAGIC.length() + TAIL_BYTES) + " bytes, found " + file.size());
        }
        String head = text(file.read(0, MAGIC.length()), 0);
        byte[] tail = file.read(file.size() - TAIL_BYTES, TAIL_BYTES);
        String end = text(tail, Integer.BYTES);
        if (end.equals(ENCRYPTED) || head.equals(ENCRYPTED)) {
            throw new DatasetException(file.name() + " is encrypted, which is not supported");
        }
        if (!head.equals(MAGIC)) {
            throw new DatasetException(
                    file.name() + " is no Parquet file: at offset 0 expected PAR1, found other bytes");
        }
        if (!end.equals(MAGIC)) {
            throw new DatasetException(
                    file.name() + " is cut off: expected a Parquet file to end with PAR1, found the end"
                            + " of the file at offset " + file.size() + " without it");
        }
        int length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
        long most = file.size() - TAIL_BYTES - MAGIC.length();
        if (length <= 0 || length > most) {
            throw new DatasetException(file.name() + ": at offset " + (file.size() - TAIL_BYTES)
                    + " expected the length of the footer, at most " + most + ", found " + length);
        }
        return parse(file, file.size() - TAIL_BYTES - length, length);
    }

    private static String text(byte[] bytes, int from) {
        return new String(bytes, from, MAGIC.length(), StandardCharsets.ISO_8859_1);
    }

    private static FileMetaData parse(RangedFile file, long position, int length) throws IOException {
        byte[] bytes = file.read(position, length);
        try {
            FileMetaData footer = Util.readFileMetaData(new ByteArrayInputStream(bytes), length);
            if (footer.getSchema() == null || footer.getRow_groups() == null) {
                throw new IllegalArgumentException("schema or row groups are missing");
            }
            long rows = 0;
            for (RowGroup group : footer.getRow_groups()) {
                if (group.getNum_rows() < 0 || group.getNum_rows() > 1L << 40 || group.getColumns() == null) {
                    throw new IllegalArgumentException("a row group states " + group.getNum_rows() + " rows");
                }
                rows += group.getNum_rows();
            }
            // Some writers state 0 rows in the footer, and the right number in each row group.
            if (rows != footer.getNum_rows() && footer.getNum_rows() != 0) {
                throw new IllegalArgumentException(
                        "the file states " + footer.getNum_rows() + " rows, but its row groups have " + rows);
            }
            return footer;
        } catch (IOException | RuntimeException | StackOverflowError e) { // unknown fields may be nested to any depth
            throw new DatasetException(
                    file.name() + ": the footer at offset " + position + " is damaged: "
                            + (e instanceof StackOverflowError ? "it is nested too deeply" : e.getMessage()),
                    e);
        }
    }
}
