package io.millrace.diagnosis.ladder;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetFormat;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.StorageOptions;
import io.millrace.diagnosis.ladder.CachedDataset.Use;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** The dataset format of samples that are cached in this process. Pipeline files cannot name it. */
public final class CachedFormat implements DatasetFormat {
    private static final String NAME = "cached";

    private static final Option<String> CACHE = Option.of(
                    "cache", OptionType.TEXT, "The name of the cache in this process.")
            .decides(Identity.NOTHING);
    private static final Option<Long> SIZE = Option.of("size", OptionType.LONG, "The number of samples of the dataset.")
            .decides(Identity.BATCHES);
    private static final Option<Integer> CLASSES =
            Option.of("classes", OptionType.INTEGER, "The number of classes.").decides(Identity.BATCHES);
    private static final Option<Use> USE = Option.of(
                    "use", OptionType.choice(Use.class), "Whether later stages change the samples or only read them.")
            .decides(Identity.BATCHES);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean offered() {
        return false;
    }

    @Override
    public String help() {
        return "Samples in the memory of this process, for the ladder.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CACHE, SIZE, CLASSES, USE);
    }

    /** Returns a dataset that repeats the cached samples up to {@code size}. */
    static DatasetSpec spec(SampleCaches.Lease cache, long size, int classes, Use use) {
        return new DatasetSpec(
                NAME,
                OptionValues.of(
                        List.of(CACHE, SIZE, CLASSES, USE),
                        Map.of(
                                CACHE.key(),
                                cache.name(),
                                SIZE.key(),
                                size,
                                CLASSES.key(),
                                (long) classes,
                                USE.key(),
                                use.name().toLowerCase(Locale.ROOT))));
    }

    @Override
    public Dataset open(OptionValues options, StorageOptions storage) throws IOException {
        String name = options.get(CACHE);
        List<CachedSample> cache = SampleCaches.find(name)
                .orElseThrow(() -> new DatasetException("there is no cache '" + name + "' in this process"));
        List<String> classes = IntStream.range(0, options.get(CLASSES))
                .mapToObj(Integer::toString)
                .toList();
        return new CachedDataset(cache, options.get(SIZE), classes, options.get(USE));
    }
}
