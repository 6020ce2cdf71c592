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
            (model, known) -> model.without(new Limit(Limit.Kind.NETWORK, "network", 1)));

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
            (model, known) -> model.scaled("transfer", 0.5));

    /** Images as float32 on a slow network. After the fix they are float16 on the wire, which is half of the bytes. */
    private static final Plant WIDE_ROWS = new Plant(
            "wide-rows",
            Limit.Kind.NETWORK,
            "network",
            """
            dataset: { format: synthetic, size: 4096, shape: [64, 64, 3], epochs: endless }
            parallelism: 2
            transforms: [ Delay: { ms: 2, mode: sleep }, Cast: { dtype: float32 } ]
            batch: { size: 8, wire: { image: float32 } }
            device: { simulated_network: 8MB/s }
            train: { model: none }
            """,
            List.of("batch.wire={image: float16}"),
            (model, known) -> model.scaled("network", 0.5));

    /** A device that copies and computes at the same time, but the copy of a batch takes longer than its step. */
    private static final Plant ASYNCHRONOUS_DEVICE = new Plant(
            "asynchronous-link",
            Limit.Kind.LINK,
            "transfer",
            """
            dataset: { format: synthetic, size: 4096, shape: [64, 64, 3], epochs: endless }
            parallelism: 2
            transforms: [ Delay: { ms: 1, mode: sleep } ]
            batch: { size: 8 }
            device: { simulated_asynchronous: true, simulated_bandwidth: 4MB/s, simulated_step: 5ms }
            train: { model: none }
            """,
            List.of("device.simulated_bandwidth=8MB/s"),
            (model, known) -> model.scaled("transfer", 0.5));

    private TransportPlants() {}

    static List<Plant> all() {
        return List.of(NETWORK, DEVICE, WIDE_ROWS, ASYNCHRONOUS_DEVICE);
    }
}
