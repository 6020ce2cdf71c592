package io.millrace.cluster;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.configuration.BlobServerOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;

/** The options that a cluster on one machine needs besides its configuration: loopback, free ports, its own folders. */
final class ClusterDefaults {
    private static final String LOOPBACK = "127.0.0.1";

    /** The range of ports whose first free port is used when the configuration names no port. */
    private static final String WEB_PORTS = "8081-8180";

    private ClusterDefaults() {}

    /**
     * Returns the settings with default values for the options that they leave open.
     *
     * @throws ClusterException when another program uses the port of the web UI
     */
    static ClusterSettings complete(ClusterFolder folder, ClusterSettings settings)
            throws IOException, ClusterException {
        Map<String, String> defaults = new LinkedHashMap<>();
        for (ConfigOption<?> address : new ConfigOption<?>[] {
            JobManagerOptions.ADDRESS,
            JobManagerOptions.BIND_HOST,
            RestOptions.ADDRESS,
            RestOptions.BIND_ADDRESS,
            TaskManagerOptions.HOST,
            TaskManagerOptions.BIND_HOST
        }) {
            defaults.put(address.key(), LOOPBACK);
        }
        defaults.put(WebOptions.SUBMIT_ENABLE.key(), "false");
        defaults.put(CoreOptions.TMP_DIRS.key(), folder.temporary().toString());
        defaults.put(
                BlobServerOptions.STORAGE_DIRECTORY.key(), folder.temporary().toString());
        defaults.put(WebOptions.UPLOAD_DIR.key(), folder.temporary().toString());
        ClusterSettings complete = settings.over(defaults);
        return complete.with(ports(complete));
    }

    private static Map<String, String> ports(ClusterSettings settings) throws IOException, ClusterException {
        Map<String, String> options = settings.options();
        String allowed = options.getOrDefault(
                RestOptions.BIND_PORT.key(), options.getOrDefault(RestOptions.PORT.key(), WEB_PORTS));
        String web = Integer.toString(FreePorts.first(allowed)
                .orElseThrow(() -> new ClusterException("the web UI's port " + allowed
                        + " is taken by another program; choose one with -D rest.port=<port>, or 0 for any")));
        String jobManager = Integer.toString(FreePorts.first(options.getOrDefault(
                        JobManagerOptions.PORT.key(),
                        JobManagerOptions.PORT.defaultValue().toString()))
                .orElse(FreePorts.any()));
        return Map.of(
                RestOptions.PORT.key(), web,
                RestOptions.BIND_PORT.key(), web,
                JobManagerOptions.PORT.key(), jobManager);
    }
}
