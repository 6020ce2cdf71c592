package io.millrace.serve;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The first message of a client.
 *
 * @param protocol the version of the protocol
 * @param token the token of the run; null over a Unix socket
 * @param client a name of the client for messages
 * @param rank the client's rank, 0 to {@code world - 1}
 * @param world the number of ranks that the client expects
 * @param fingerprint the settings of the run that the client's saved state belongs to; null without such a state
 * @param transforms {@code client} if the client applies the device transforms, {@code server} if the server does
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Hello(
        int protocol,
        @Nullable String token,
        @Nullable String client,
        int rank,
        int world,
        @Nullable Map<String, String> fingerprint,
        @Nullable String transforms) {}
