package io.millrace.serve;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import org.jspecify.annotations.Nullable;

/**
 * The memory in which a client wants to receive batches.
 *
 * @param kind {@code memfd}, {@code file} or {@code inline}
 * @param path the memory file; null unless the kind is {@code memfd}
 * @param bytes the size of the memory file
 * @param buffers the number of buffers
 * @param nonce the first bytes of the memory file in hexadecimal; null unless the kind is {@code memfd}
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record MemoryWish(
        @Nullable String kind,
        @Nullable String path,
        long bytes,
        int buffers,
        @Nullable String nonce) {}
