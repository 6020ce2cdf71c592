package io.millrace.dataset.columns;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;

/** The option {@code cache_mib}: the memory for parts of files that can only be decompressed as a whole. */
public final class CacheOption {
    /** The option. Its limit applies to each open dataset, which the reading tasks of a process share. */
    public static final Option<Integer> CACHE_MIB = Option.of(
                    "cache_mib",
                    OptionType.INTEGER.where(mib -> mib >= 1, "1 or more"),
                    "The memory of each reading process, in MiB, for parts of the files that can only be read as a whole.")
            .orElse(256)
            .decides(Identity.NOTHING);

    private static final int MIB_SHIFT = 20;

    private CacheOption() {}

    /** Returns the value in bytes. */
    public static long bytes(int mib) {
        return (long) mib << MIB_SHIFT;
    }
}
