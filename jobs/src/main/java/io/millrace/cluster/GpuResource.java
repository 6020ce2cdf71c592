package io.millrace.cluster;

import java.util.List;
import java.util.Optional;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalResourceOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.IllegalConfigurationException;

/**
 * The GPUs in Flink's configuration.
 *
 * @param folder the folder of the configuration
 * @param resources the names of the external resources that a TaskManager with this configuration offers
 * @param amount the amount of the resource "gpu"; 0 when it is not among the resources
 */
public record GpuResource(String folder, List<String> resources, long amount) {
    private static final String NAME = "gpu";

    public GpuResource {
        resources = List.copyOf(resources);
    }

    /**
     * Reads the configuration in the folder that FLINK_CONF_DIR names; empty when the variable is not set.
     *
     * @throws IllegalConfigurationException when the folder contains no configuration
     */
    public static Optional<GpuResource> here() {
        String folder = System.getenv(ConfigConstants.ENV_FLINK_CONF_DIR);
        return folder == null
                ? Optional.empty()
                : Optional.of(of(folder, GlobalConfiguration.loadConfiguration(folder)));
    }

    static GpuResource of(String folder, Configuration configuration) {
        List<String> resources = configuration.get(ExternalResourceOptions.EXTERNAL_RESOURCE_LIST);
        List<String> named = resources == null ? List.of() : resources;
        String key = ExternalResourceOptions.getAmountConfigOptionForResource(NAME);
        String amount = configuration.toMap().getOrDefault(key, "0");
        return new GpuResource(folder, named, named.contains(NAME) ? Long.parseLong(amount) : 0);
    }
}
