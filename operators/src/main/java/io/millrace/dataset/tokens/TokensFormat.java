package io.millrace.dataset.tokens;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.RemarkedDataset;
import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.files.DataFiles;
import io.millrace.dataset.shard.IndexCache;
import io.millrace.dataset.shard.Shards;
import io.millrace.lifecycle.Handles;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import java.io.IOException;
import java.util.List;

/** The format of arrays of token ids, as nanoGPT and llm.c write them, and of .npy files with one extent. */
public final class TokensFormat implements DatasetFormat {
    private static final List<String> EXTENSIONS = List.of("bin", "npy");

    private static final Option<TokenType> DTYPE = Option.of(
                    "dtype",
                    OptionType.choice(TokenType.class),
                    "The type of the ids in files without a header, little-endian. Files .npy and those of llm.c state it.")
            .optional()
            .decides(Identity.BATCHES);

    @Override
    public String name() {
        return "tokens";
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("tokens", "nanogpt", "llmc", "token_ids", "tokenized");
    }

    @Override
    public String help() {
        return "Arrays of token ids, one document after another: files .bin of nanoGPT and llm.c, and .npy files. The field"
                + " tokens holds the ids of a document as int32. One of document_end, document_start and length is needed.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DataFiles.PATH, DTYPE, TokenCut.END, TokenCut.START, TokenCut.LENGTH, IndexCache.FOLDER);
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        TokenCut cut = TokenCut.of(options);
        Shards<TokenIndex> shards = Shards.open(
                DataFiles.find(options.get(DataFiles.PATH), EXTENSIONS, storage),
                new TokenIndexer(options.find(DTYPE), cut),
                IndexCache.of(options.get(IndexCache.FOLDER)));
        try {
            return RemarkedDataset.of(new TokenDataset(new ArrayStore(shards)), TokenRemarks.of(shards, cut));
        } catch (IOException | RuntimeException e) {
            Handles.closeAfter(e, shards);
            throw e;
        }
    }
}
