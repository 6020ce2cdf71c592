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
 * A Flink cluster elsewhere, reached over its REST interface. What that needs beside the address, as for TLS, is in the
 * {@code config.yaml} of the folder that FLINK_CONF_DIR names, as for Flink's own client.
 */
public final class RemoteFlink implements AutoCloseable {
    private final RestClusterClient<StandaloneClusterId> client;
    private final FlinkJobs jobs;

    private RemoteFlink(RestClusterClient<StandaloneClusterId> client, FlinkJobs jobs) {
        this.client = client;
        this.jobs = jobs;
    }

    /**
     * A way to the cluster; whether anything answers is seen when it is used.
     *
     * @param jars what jobs need of their classes and the cluster does not have
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

    /** Its jobs; of use until this is closed. */
    public FlinkJobs jobs() {
        return jobs;
    }

    /** Leaves; jobs go on. */
    @Override
    public void close() {
        client.close();
    }
}
