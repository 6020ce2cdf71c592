package io.millrace.config;

import io.millrace.dataset.StorageOptions;
import io.millrace.dataset.StorageOptions.CacheOptions;
import io.millrace.option.ByteSize;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The section {@code storage} of a pipeline file, read into {@link StorageOptions}. */
final class StorageConfig {
    private static final StorageOptions STANDARD = StorageOptions.STANDARD;

    static final Option<Object> SECTION = Option.of(
                    "storage",
                    Types.structure("section"),
                    "The reading of files that are not on this machine, such as those of s3://.")
            .optional();
    static final Option<Integer> REQUESTS = Option.of(
                    "requests",
                    Types.between(1, StorageOptions.MOST_REQUESTS),
                    "The number of requests at the same time, in each process.")
            .orElse(STANDARD.requests())
            .decides(Identity.NOTHING);
    static final Option<ByteSize> CHUNK = Option.of(
                    "chunk",
                    ByteSize.between(
                            new ByteSize(StorageOptions.SMALLEST_CHUNK), new ByteSize(StorageOptions.LARGEST_CHUNK)),
                    "Larger reads are divided into requests of this size. The cache stores chunks of this size.")
            .orElse(new ByteSize(STANDARD.chunkBytes()))
            .decides(Identity.NOTHING);
    static final Option<Integer> RETRIES = Option.of(
                    "retries",
                    Types.between(0, 1_000_000),
                    "The number of times that a request is repeated after a temporary failure, with growing pauses of up"
                            + " to 5 s.")
            .orElse(STANDARD.retries())
            .decides(Identity.NOTHING);
    static final Option<TimeSpan> TIMEOUT = Option.of(
                    "timeout",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofHours(24))),
                    "The time after which a request without a complete answer has failed.")
            .orElse(new TimeSpan(STANDARD.timeout()))
            .decides(Identity.NOTHING);
    static final Option<Object> CACHE = Option.of(
                    "cache", Types.structure("section"), "A cache in a folder of this machine; absent: no cache.")
            .optional();
    static final List<Option<?>> OPTIONS = List.of(REQUESTS, CHUNK, RETRIES, TIMEOUT, CACHE);

    static final Option<String> CACHE_FOLDER = Option.of("folder", OptionType.TEXT, "The folder of the cached copies.")
            .decides(Identity.NOTHING);
    static final Option<ByteSize> CACHE_SIZE = Option.of(
                    "size",
                    ByteSize.TYPE.where(size -> size.bytes() > 0, "above 0"),
                    "The limit of the disk space of the copies, for each process; the least recently used copies are deleted"
                            + " first.")
            .decides(Identity.NOTHING);
    static final List<Option<?>> CACHE_OPTIONS = List.of(CACHE_FOLDER, CACHE_SIZE);

    private StorageConfig() {}

    static StorageOptions read(Section root) {
        Section section = root.section(SECTION, OPTIONS);
        Optional<Section> cache = section.findSection(CACHE, CACHE_OPTIONS);
        return new StorageOptions(
                section.get(REQUESTS),
                (int) section.get(CHUNK).bytes(),
                section.get(RETRIES),
                section.get(TIMEOUT).duration(),
                cache.map(StorageConfig::cache).orElse(null));
    }

    /** Returns null when one of the two keys is missing, which has been reported. */
    private static @Nullable CacheOptions cache(Section section) {
        Optional<String> folder = section.find(CACHE_FOLDER);
        Optional<ByteSize> size = section.find(CACHE_SIZE);
        return folder.isPresent() && size.isPresent()
                ? new CacheOptions(folder.get(), size.get().bytes())
                : null;
    }

    static void write(StorageOptions options, WrittenConfig section) {
        section.put(REQUESTS, options.requests())
                .put(CHUNK, new ByteSize(options.chunkBytes()))
                .put(RETRIES, options.retries())
                .put(TIMEOUT, options.timeout());
        CacheOptions cache = options.cache();
        if (cache != null) {
            section.section(CACHE, cache, StorageConfig::writeCache);
        }
    }

    private static void writeCache(CacheOptions cache, WrittenConfig section) {
        section.put(CACHE_FOLDER, cache.folder()).put(CACHE_SIZE, new ByteSize(cache.bytes()));
    }
}
