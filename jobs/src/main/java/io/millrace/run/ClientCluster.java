package io.millrace.run;

import io.millrace.config.PipelineConfig;
import io.millrace.rest.ClusterRest;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.SecurityOptions;

/** The slots of a job that Flink's own client submits, or the web UI. The configuration of its environment names the cluster. */
final class ClientCluster {
    private ClientCluster() {}

    /**
     * Returns the pipeline with the free slots of the cluster, if its file has no {@code parallelism}. If the cluster cannot be
     * asked, the pipeline is unchanged, and the reason is printed.
     *
     * @param flink the configuration of the client's environment
     * @param text where the choice is printed
     */
    static PipelineConfig withFreeSlots(PipelineConfig config, ReadableConfig flink, PrintStream text)
            throws InterruptedException {
        if (!OpenSlots.leftBy(config)) {
            return config;
        }
        Optional<URI> web = web(flink);
        if (web.isEmpty()) {
            text.println(unknown("Flink's configuration has no rest.address that names the cluster", config));
            return config;
        }
        try {
            return OpenSlots.ofCluster(config, new ClusterRest(web.get()), text);
        } catch (IOException e) {
            text.println(unknown(String.valueOf(e.getMessage()), config));
            return config;
        }
    }

    /** Returns the address of the cluster's REST interface; empty when the configuration has none. */
    static Optional<URI> web(ReadableConfig flink) {
        String host = flink.get(RestOptions.ADDRESS);
        if (host == null || host.isBlank()) {
            return Optional.empty();
        }
        try {
            String scheme = flink.get(SecurityOptions.SSL_REST_ENABLED) ? "https" : "http";
            return Optional.of(new URI(scheme, null, host, flink.get(RestOptions.PORT), null, null, null));
        } catch (URISyntaxException e) {
            return Optional.empty(); // no host name: Flink's client fails with a message of its own
        }
    }

    private static String unknown(String reason, PipelineConfig config) {
        return "slots   the free slots of the cluster are unknown (" + reason + "): the job uses "
                + OpenSlots.coresOfClient(config);
    }
}
