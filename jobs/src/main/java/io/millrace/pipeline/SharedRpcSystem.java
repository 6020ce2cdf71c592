package io.millrace.pipeline;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rpc.RpcSystem;

/**
 * Flink's remote procedure calls for all clusters in this process. Flink would load their classes anew for each cluster: it
 * copies a jar of 22 MB to the folder for temporary files, and the JVM verifies and compiles the classes again.
 */
final class SharedRpcSystem {
    private static final RpcSystem SHARED = load();

    private SharedRpcSystem() {}

    /** Returns the system. It is closed when the JVM ends, and not by a cluster. Any thread may call this. */
    static RpcSystem get() {
        return SHARED;
    }

    private static RpcSystem load() {
        RpcSystem loaded = RpcSystem.load(new Configuration());
        // Closing it deletes the copy of the jar.
        Runtime.getRuntime().addShutdownHook(new Thread(loaded::close, "millrace-rpc-close"));
        return loaded;
    }
}
