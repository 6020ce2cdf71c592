package io.millrace.dataset.jsonl;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldSources;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.TextErrors;
import io.millrace.dataset.fields.Utf8;
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
import io.millrace.lifecycle.Handles;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The format of files with a JSON object in each line. */
public final class JsonlFormat implements DatasetFormat {
    /** The name of the field that holds the document. */
    private static final String TEXT_FIELD = "text";

    private static final List<String> EXTENSIONS =
            List.of("jsonl", "ndjson", "jsonl.gz", "ndjson.gz", "jsonl.zst", "ndjson.zst");

    private static final Option<String> TEXT = Option.of(
                    "text",
                    OptionType.TEXT,
                    "The member that holds the document, with slashes for members within members: message/content. The field"
                            + " text holds its text.")
            .orElse(TEXT_FIELD)
            .alsoCalled("text_field", "text_column", "text_key", "json_key", "json_keys")
            .decides(Identity.BATCHES);

    private static final PieceIndexer LINES = new PieceIndexer("jsonl", Separator.LINE, JsonlFormat::requireLines);

    /** The number of samples at the beginning that are examined. A member that none of them has is probably misspelt. */
    private static final int PROBES = 16;

    @Override
    public String name() {
        return "jsonl";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("jsonl", "ndjson", "json", "jsonlines", "json_lines");
    }

    @Override
    public String help() {
        return "Files with a JSON object in each line, plain, .gz or .zst, for texts and chats. By default the field text holds the"
                + " member text. Compressed files are inflated once, into the folder index_cache.";
    }

    @Override
    public List<String> extensions() {
        return EXTENSIONS;
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, TEXT, TextErrors.OPTION, FieldSources.FIELDS, Labels.CLASSES, IndexCache.FOLDER);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        List<DataFile> found = DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage);
        IndexCache cache = IndexCache.of(options.get(IndexCache.FOLDER));
        List<DataFile> files = ParallelTasks.map(found, file -> InflatedFiles.of(file, cache));
        String text = options.get(TEXT);
        FieldSelection selection = FieldSelection.of(options, List.of(new FieldSource(TEXT_FIELD, text, As.TEXT)));
        LineReader reader = new LineReader(options.get(TextErrors.OPTION), text);
        Shards<PieceIndex> shards = Shards.open(files, LINES, cache);
        try {
            JsonlDataset dataset = new JsonlDataset(shards, selection, Labels.of(options.find(Labels.CLASSES)), reader);
            requireMembers(dataset, selection, found.get(0).name());
            return RemarkedDataset.of(dataset, SplitNames.remarkOnFiles(options.get(DataFiles.PATH), found));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, shards);
            throw e;
        }
    }

    /** Refuses the beginning of a file that is one JSON text over several lines. */
    private static void requireLines(String name, byte[] start) throws DatasetException {
        int at = Utf8.markBytes(start);
        while (at < start.length && PieceIndexer.isBlank(start[at])) {
            at++;
        }
        if (at < start.length && start[at] == '[') {
            throw new DatasetException(
                    name + ": at offset " + at + " expected a JSON object in each line, found '[', the"
                            + " beginning of a list: a file that is one JSON list is divided into lines by jq -c '.[]'");
        }
        if (at < start.length && start[at] == '{' && isLineEnd(start, at + 1)) {
            throw new DatasetException(
                    name + ": at offset " + at + " expected a JSON object in each line, found '{' alone in a line,"
                            + " the beginning of an object over several lines: jq -c . writes each object in one line,"
                            + " and jq -c '.data[]' those of a list in the member data");
        }
    }

    private static boolean isLineEnd(byte[] text, int from) {
        int at = from;
        while (at < text.length && text[at] != '\n' && PieceIndexer.isBlank(text[at])) {
            at++;
        }
        return at < text.length && text[at] == '\n';
    }

    /** Refuses a member that none of the first good lines has. */
    private static void requireMembers(JsonlDataset dataset, FieldSelection selection, String file) throws IOException {
        Set<String> names = new TreeSet<>();
        for (long index = 0; index < Math.min(PROBES, dataset.size()); index++) {
            try {
                names.addAll(dataset.members(index));
            } catch (BadSampleException e) {
                // The sample will be quarantined when the run reads it.
            }
        }
        for (FieldSource source : Stream.concat(selection.fields().stream(), selection.label().stream())
                .toList()) {
            String member = source.from().split("/", 2)[0];
            if (!names.isEmpty() && !names.contains(member)) {
                throw new DatasetException("no member '" + member + "' for the field '" + source.name()
                        + "' in the first lines of " + file + "; found " + String.join(", ", names)
                        + (names.contains(member.split("\\.", 2)[0])
                                ? ". A member within a member is written with a slash: "
                                        + source.from().replace('.', '/')
                                : "")
                        + (source.name().equals(TEXT_FIELD)
                                ? ". Set text to the member that holds the document, or fields to the members to read"
                                : ""));
            }
        }
    }
}
