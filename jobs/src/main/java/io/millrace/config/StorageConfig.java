package io.millrace.config;

import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StorageOptions.CacheOptions;
import io.millrace.option.ByteSize;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a pipeline file says {@link StorageOptions}. */
final class StorageConfig {
    private static final StorageOptions STANDARD = StorageOptions.STANDARD;

    static final Option<Integer> REQUESTS = Option.of(
                    "requests",
                    Types.between(1, StorageOptions.MOST_REQUESTS),
                    "How many requests are on their way at once, in each process.")
            .orElse(STANDARD.requests());
    static final Option<ByteSize> CHUNK = Option.of(
                    "chunk",
                    ByteSize.between(
                            new ByteSize(StorageOptions.SMALLEST_CHUNK), new ByteSize(StorageOptions.LARGEST_CHUNK)),
                    "Larger reads are divided into requests of this size, and the cache keeps pieces of it.")
            .orElse(new ByteSize(STANDARD.chunkBytes()));
    static final Option<Integer> RETRIES = Option.of(
                    "retries",
                    Types.between(0, 1_000_000),
                    "How often a request is sent again that failed in a way that may pass, after growing pauses of up"
                            + " to 5 s.")
            .orElse(STANDARD.retries());
    static final Option<TimeSpan> TIMEOUT = Option.of(
                    "timeout",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofHours(24))),
                    "A request without a whole answer for so long has failed.")
            .orElse(new TimeSpan(STANDARD.timeout()));
    static final Option<Object> CACHE = Option.of(
                    "cache",
                    Types.structure("section"),
                    "A folder of this machine that keeps what was read; absent: none.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(REQUESTS, CHUNK, RETRIES, TIMEOUT, CACHE);

    static final Option<String> CACHE_FOLDER = Option.of("folder", OptionType.TEXT, "Where the copies lie.");
    static final Option<ByteSize> CACHE_SIZE = Option.of(
            "size",
            ByteSize.TYPE.where(size -> size.bytes() > 0, "more than nothing"),
            "The most that the copies may take, for each process; what was used longest ago goes first.");
    static final List<Option<?>> CACHE_OPTIONS = List.of(CACHE_FOLDER, CACHE_SIZE);

    private StorageConfig() {}

    static StorageOptions read(Section section) {
        Optional<Section> cache = section.findSection(CACHE, CACHE_OPTIONS);
        return new StorageOptions(
                section.get(REQUESTS),
                (int) section.get(CHUNK).bytes(),
                section.get(RETRIES),
                section.get(TIMEOUT).duration(),
                cache.map(StorageConfig::cache).orElse(null));
    }

    /** Null where one of the two is missing, which has been reported. */
    private static @Nullable CacheOptions cache(Section section) {
        Optional<String> folder = section.find(CACHE_FOLDER);
        Optional<ByteSize> size = section.find(CACHE_SIZE);
        return folder.isPresent() && size.isPresent()
                ? new CacheOptions(folder.get(), size.get().bytes())
                : null;
    }

    /** As a pipeline file has it. */
    static Map<String, Object> written(StorageOptions options) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put(REQUESTS.key(), options.requests());
        map.put(CHUNK.key(), new ByteSize(options.chunkBytes()).toString());
        map.put(RETRIES.key(), options.retries());
        map.put(TIMEOUT.key(), new TimeSpan(options.timeout()).toString());
        CacheOptions cache = options.cache();
        if (cache != null) {
            map.put(
                    CACHE.key(),
                    Map.of(
                            CACHE_FOLDER.key(), cache.folder(),
                            CACHE_SIZE.key(), new ByteSize(cache.bytes()).toString()));
        }
        return map;
    }
}
