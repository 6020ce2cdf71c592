package io.millrace.dataset.arrow;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.arrow.IpcField.Dictionary;
import io.millrace.dataset.storage.RangedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.Schema;

/**
 * A reader of a file's structure. It reads the footer if the file has one, and otherwise one message after another. It
 * does not read the bodies of messages.
 *
 * <p>Tested by {@code ArrowDatasetTest}.
 */
final class IpcFileReader {
    private static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);
    private static final int MAGIC_BYTES = 8;
    private static final int BLOCK_BYTES = 24;
    private static final byte[] FEATHER = "FEA1".getBytes(StandardCharsets.US_ASCII);

    private final RangedFile file;
    private final IpcSchema schema;
    private final Map<Long, IpcField> dictionaryTypes = new HashMap<>();
    private final IpcBatchReader rowsReader;
    private final List<IpcBatch> batches = new ArrayList<>();

    /**
     * The dictionaries after the messages read so far. The map is replaced and never changed, because batches keep it.
     */
    private Map<Long, IpcDictionary> dictionaries = Map.of();

    private IpcFileReader(RangedFile file, IpcSchema schema) throws DatasetException {
        this.file = file;
        this.schema = schema;
        this.rowsReader = new IpcBatchReader(file, schema.fields());
        for (IpcField field : schema.fields()) {
            collectDictionaries(field);
        }
    }

    private void collectDictionaries(IpcField field) {
        field.dictionary().ifPresent(d -> dictionaryTypes.put(d.id(), d.values()));
        field.dictionary().map(Dictionary::values).ifPresent(this::collectDictionaries);
        field.children().forEach(this::collectDictionaries);
    }

    /**
     * Reads the structure of a file.
     *
     * @throws DatasetException when the file is neither an Arrow file nor a stream, or is damaged or cut off
     */
    static IpcFile read(RangedFile file) throws IOException {
        if (startsWith(file, FEATHER)) {
            throw new DatasetException(
                    file.name() + " is a Feather file of version 1; expected Arrow IPC or Feather 2");
        }
        return startsWith(file, MAGIC) ? byFooter(file) : byMessages(file);
    }

    private static boolean startsWith(RangedFile file, byte[] magic) throws IOException {
        return file.size() >= MAGIC_BYTES && Arrays.equals(file.read(0, magic.length), magic);
    }

    private static IpcFile byMessages(RangedFile file) throws IOException {
        IpcMessage first = IpcMessage.at(file, 0)
                .filter(m -> m.body() > 0)
                .orElseThrow(
                        () -> new DatasetException(file.name() + " is empty; expected an Arrow IPC file or stream"));
        byte kind = IpcMessage.checked(file, 0, () -> first.message().headerType());
        if (kind != MessageHeader.Schema) {
            throw new DatasetException(file.name() + " is no Arrow IPC file or stream: at offset 0 expected a schema,"
                    + " found a message of kind " + kind);
        }
        IpcFileReader reader = new IpcFileReader(
                file, schema(file, 0, () -> (Schema) first.message().header(new Schema())));
        Optional<IpcMessage> next = IpcMessage.at(file, first.end());
        while (next.isPresent()) {
            reader.add(next.get());
            next = IpcMessage.at(file, next.get().end());
        }
        return reader.finish();
    }

    private static IpcFile byFooter(RangedFile file) throws IOException {
        int tailBytes = Integer.BYTES + MAGIC.length;
        long end = file.size() - tailBytes;
        byte[] tail = end < MAGIC_BYTES ? new byte[tailBytes] : file.read(end, tailBytes);
        if (!Arrays.equals(tail, Integer.BYTES, tailBytes, MAGIC, 0, MAGIC.length)) {
            throw new DatasetException(file.name() + " is cut off: expected an Arrow file to end with ARROW1, found the"
                    + " end of the file at offset " + file.size() + " without it");
        }
        int length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (length <= 0 || length > end - MAGIC_BYTES) {
            throw new DatasetException(file.name() + ": at offset " + end
                    + " expected the length of the footer, at most " + (end - MAGIC_BYTES) + ", found " + length);
        }
        long position = end - length;
        byte[] bytes = file.read(position, length);
        Footer footer = IpcMessage.checked(file, position, () -> Footer.getRootAsFooter(ByteBuffer.wrap(bytes)));
        IpcFileReader reader = new IpcFileReader(file, schema(file, position, footer::schema));
        long[] dictionaryOffsets = IpcMessage.checked(
                file, position, () -> offsets(footer.dictionariesLength(), length, footer::dictionaries));
        long[] batchOffsets = IpcMessage.checked(
                file, position, () -> offsets(footer.recordBatchesLength(), length, footer::recordBatches));
        for (long offset : dictionaryOffsets) {
            reader.add(message(file, offset));
        }
        for (long offset : batchOffsets) {
            reader.add(message(file, offset));
        }
        return reader.finish();
    }

    private interface Blocks {
        Block at(int number);
    }

    private static long[] offsets(int count, int footerBytes, Blocks blocks) {
        if (count < 0 || count > footerBytes / BLOCK_BYTES) {
            throw new IllegalArgumentException("it states " + count + " batches");
        }
        long[] offsets = new long[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = blocks.at(i).offset();
        }
        return offsets;
    }

    private static IpcMessage message(RangedFile file, long offset) throws IOException {
        if (offset < MAGIC_BYTES || offset >= file.size()) {
            throw new DatasetException(file.name() + ": the footer names a batch at offset " + offset
                    + "; expected an offset below " + file.size());
        }
        return IpcMessage.at(file, offset)
                .orElseThrow(() ->
                        new DatasetException(file.name() + ": at offset " + offset + " expected a batch, found none"));
    }

    private interface SchemaRead {
        Schema read();
    }

    private static IpcSchema schema(RangedFile file, long position, SchemaRead read) throws DatasetException {
        Schema schema = IpcMessage.checked(file, position, read::read);
        if (IpcMessage.checked(file, position, schema::endianness) == Endianness.Big) {
            throw new DatasetException(file.name() + " is big-endian, which is not supported");
        }
        return IpcMessage.checked(file, position, () -> IpcSchema.of(schema));
    }

    private void add(IpcMessage message) throws IOException {
        byte kind = IpcMessage.checked(
                file, message.position(), () -> message.message().headerType());
        switch (kind) {
            case MessageHeader.RecordBatch -> batches.add(rowsReader.rows(message, dictionaries));
            case MessageHeader.DictionaryBatch -> addDictionary(message);
            default ->
                throw new DatasetException(file.name() + ": at offset " + message.position()
                        + " expected a batch of rows or of a dictionary, found a message of kind " + kind);
        }
    }

    private void addDictionary(IpcMessage message) throws IOException {
        DictionaryBatch header = IpcMessage.checked(file, message.position(), () ->
                (DictionaryBatch) message.message().header(new DictionaryBatch()));
        long id = IpcMessage.checked(file, message.position(), header::id);
        IpcField type = dictionaryTypes.get(id);
        if (type == null) {
            throw new DatasetException(file.name() + ": at offset " + message.position()
                    + " expected values of a dictionary that a column uses, found values of the dictionary " + id);
        }
        IpcBatch values = new IpcBatchReader(file, List.of(type)).values(message, header, dictionaries);
        IpcDictionary before = dictionaries.get(id);
        boolean more = IpcMessage.checked(file, message.position(), header::isDelta);
        Map<Long, IpcDictionary> after = new HashMap<>(dictionaries);
        after.put(id, more && before != null ? before.withMore(values) : new IpcDictionary(List.of(values)));
        dictionaries = Map.copyOf(after);
    }

    private IpcFile finish() {
        return new IpcFile(file, schema, List.copyOf(batches));
    }
}
