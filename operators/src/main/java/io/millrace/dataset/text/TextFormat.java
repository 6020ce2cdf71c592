package io.millrace.dataset.text;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.fields.TextErrors;
import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.files.ParallelTasks;
import io.millrace.dataset.files.SplitNames;
import io.millrace.dataset.shard.IndexCache;
import io.millrace.dataset.shard.InflatedFiles;
import io.millrace.dataset.shard.PieceIndex;
import io.millrace.dataset.shard.PieceIndexer;
import io.millrace.dataset.shard.Separator;
import io.millrace.dataset.shard.Shards;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.sample.Counted;
import io.millrace.sample.VisibleText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The format of plain text files. */
public final class TextFormat implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("txt", "text", "txt.gz", "txt.zst", "text.gz", "text.zst");

    private static final int MOST_SEPARATOR_CHARACTERS = 1000;

    private static final Option<String> SEPARATOR = Option.of(
                    "separator",
                    OptionType.TEXT.where(
                            text -> text.length() <= MOST_SEPARATOR_CHARACTERS,
                            "up to " + MOST_SEPARATOR_CHARACTERS + " characters"),
                    "The characters between two documents of a file, in double quotes: \"\\n\" for a document in each line,"
                            + " \"\\n\\n\" for paragraphs, \"<|endoftext|>\". A line feed also stands for CR LF. Without it, each file"
                            + " is one document.")
            .optional()
            .alsoCalled("delimiter", "document_separator", "split_on")
            .decides(Identity.BATCHES);

    /** The number of bytes that are looked at for JSON. */
    private static final long START_BYTES = 256;

    /** The beginning of a JSON object: a brace and the quote of a name. */
    private static final Pattern JSON_OBJECT = Pattern.compile("\\s*\\{\\s*\"");

    /** A document from this size on is probably a whole corpus. */
    private static final long LARGE_BYTES = 10_000_000;

    /** The largest number of files whose sizes are looked at. */
    private static final int MOST_SIZES = 16;

    @Override
    public String name() {
        return "text";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("text", "txt", "plain_text", "plaintext");
    }

    @Override
    public String help() {
        return "Plain text files in UTF-8, plain, .gz or .zst. Each file is a document, or is divided at separator. The field text"
                + " holds the document.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, SEPARATOR, TextErrors.OPTION, IndexCache.FOLDER);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        List<DataFile> files = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage);
        TextErrors errors = options.get(TextErrors.OPTION);
        List<String> remarks = new ArrayList<>();
        SplitNames.remarkOnFiles(options.get(DataFiles.PATH), files).ifPresent(remarks::add);
        Optional<String> separator = options.find(SEPARATOR);
        if (separator.isEmpty()) {
            largeDocument(files).ifPresent(remarks::add);
            if (!InflatedFiles.isCompressed(files.get(0).name())) {
                jsonObject(files.get(0)).ifPresent(remarks::add);
            }
            return RemarkedDataset.of(new TextFiles(files, errors), remarks);
        }
        IndexCache cache = IndexCache.of(options.get(IndexCache.FOLDER));
        List<DataFile> plain = ParallelTasks.map(files, file -> InflatedFiles.of(file, cache));
        PieceIndexer indexer = PieceIndexer.of("text", new Separator(separator.get()));
        Shards<PieceIndex> shards = Shards.open(plain, indexer, cache);
        if (shards.indexes().stream().noneMatch(PieceIndex::separated)) {
            remarks.add(neverFound(separator.get(), files));
        }
        jsonObject(plain.get(0)).ifPresent(remarks::add);
        return RemarkedDataset.of(new SeparatedTexts(shards, indexer, errors), remarks);
    }

    /** Returns the sentence for a file that is probably not one document. */
    private static Optional<String> largeDocument(List<DataFile> files) {
        for (DataFile file : files.subList(0, Math.min(files.size(), MOST_SIZES))) {
            long bytes;
            try {
                bytes = file.state().size();
            } catch (IOException e) {
                continue; // the sample of this file is bad, as the link to a file that does not exist; reading it
                // states the reason
            }
            if (bytes > LARGE_BYTES) {
                return Optional.of(
                        file.name() + " is one document of " + bytes
                                + " bytes, because dataset.separator is not set; separator: \"\\n\" reads a document from each line");
            }
        }
        return Optional.empty();
    }

    /** Returns the sentence for a file that is probably JSON. */
    private static Optional<String> jsonObject(DataFile file) {
        String start;
        try (RangedFile open = file.open()) {
            start = new String(open.read(0, (int) Math.min(START_BYTES, open.size())), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return Optional.empty(); // reading the sample states the reason
        }
        return JSON_OBJECT.matcher(start).lookingAt()
                ? Optional.of(
                        file.name() + " begins with a JSON object, which is read as text; format: jsonl reads the text"
                                + " of a member of the object in each line")
                : Optional.empty();
    }

    private static String neverFound(String separator, List<DataFile> files) {
        String others = files.size() == 1 ? "" : " and in " + Counted.of(files.size() - 1, "more file");
        return "the separator '" + VisibleText.line(separator) + "' does not occur in "
                + files.get(0).name() + others + ", so each file is one document"
                + (separator.matches(".*\\\\[nrt].*")
                        ? "; for a line end, write separator: \"\\n\" in double quotes, because YAML reads \\n outside of"
                                + " them as two characters"
                        : "");
    }
}
