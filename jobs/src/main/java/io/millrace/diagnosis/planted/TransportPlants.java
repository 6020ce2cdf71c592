package io.millrace.diagnosis.planted;

import io.millrace.diagnosis.Limit;
import java.util.List;

/**
 * The cases with slow transport: the network, and the link to the device. The network is simulated, because the test runs in
 * one process: rows are slowed down where they arrive.
 */
final class TransportPlants {
    private static final Plant NETWORK = new Plant(
            "network",
            Limit.Kind.NETWORK,
            "network",
            """
            dataset: { format: synthetic, size: 4096, shape: [64, 64, 3], epochs: endless }
            parallelism: 2
            transforms: [ Delay: { ms: 2, mode: sleep } ]
            batch: { size: 8 }
            device: { simulated_network: 3MB/s }
            train: { model: none }
            """,
            List.of("device.simulated_network=null"),
            (model, freed) -> model.without(new Limit(Limit.Kind.NETWORK, "network", 1)));

    private static final Plant DEVICE = new Plant(
            "host-to-device",
            Limit.Kind.LINK,
            "transfer",
            """
            dataset: { format: synthetic, size: 4096, shape: [64, 64, 3], epochs: endless }
            parallelism: 2
            transforms: [ Delay: { ms: 1, mode: sleep } ]
            batch: { size: 8 }
            device: { simulated_bandwidth: 5MB/s, simulated_latency: 4ms }
            train: { model: none }
            """,
            List.of("device.simulated_bandwidth=10MB/s", "device.simulated_latency=2ms"),
            (model, freed) -> model.scaled("transfer", 0.5));

    private TransportPlants() {}

    static List<Plant> all() {
        return List.of(NETWORK, DEVICE);
    }
}
