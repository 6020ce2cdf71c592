package io.millrace.pipeline;

import java.nio.file.Path;
import java.util.List;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.SecurityOptions;

/**
 * A Flink cluster in other processes, reached over its REST interface. Other settings of the connection, such as TLS,
 * are read from {@code config.yaml} in the folder FLINK_CONF_DIR, as in Flink's own client.
 */
public final class RemoteFlink implements AutoCloseable {
    private final RestClusterClient<StandaloneClusterId> client;
    private final FlinkJobs jobs;

    private RemoteFlink(RestClusterClient<StandaloneClusterId> client, FlinkJobs jobs) {
        this.client = client;
        this.jobs = jobs;
    }

    /**
     * Creates a connection to a cluster. This sends no request, so an unreachable cluster is detected only by the first
     * request.
     *
     * @param jars the jars with the job's classes that are not installed on the cluster
     */
    public static RemoteFlink at(ClusterAddress address, List<Path> jars) throws Exception {
        String folder = System.getenv(ConfigConstants.ENV_FLINK_CONF_DIR);
        Configuration configuration =
                folder == null ? new Configuration() : GlobalConfiguration.loadConfiguration(folder);
        configuration.set(RestOptions.ADDRESS, address.web().getHost());
        configuration.set(RestOptions.PORT, address.web().getPort());
        configuration.set(SecurityOptions.SSL_REST_ENABLED, address.secure());
        RestClusterClient<StandaloneClusterId> client =
                new RestClusterClient<>(configuration, StandaloneClusterId.getInstance());
        return new RemoteFlink(client, new FlinkJobs(client, address.web(), jars));
    }

    /** Returns the cluster's jobs, which can be used until this is closed. */
    public FlinkJobs jobs() {
        return jobs;
    }

    /** Closes the connection. Jobs continue. */
    @Override
    public void close() {
        client.close();
    }
}
