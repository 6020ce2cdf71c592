package io.millrace.rpc;

import java.util.ServiceLoader;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.runtime.rpc.RpcSystemLoader;
import org.apache.flink.runtime.rpc.exceptions.RpcLoaderException;

/**
 * A loader of Flink's remote procedure calls from the class path.
 *
 * <p>Flink's own loader copies a jar of 22 MB to the folder for temporary files and loads 1,500 classes from it, which costs
 * each process about a second of CPU time. If the same jar (flink-rpc-akka) is on the class path, the classes can come from
 * the archive of classes that the launcher makes. If it is not, for example in a Flink installation, this loader fails, and
 * Flink uses its own one.
 */
public final class ClassPathRpcLoader implements RpcSystemLoader {
    /** Returns a number below that of Flink's loader, which is 0: Flink asks the loaders in ascending order. */
    @Override
    public int getLoadPriority() {
        return -1;
    }

    @Override
    public RpcSystem loadRpcSystem(Configuration configuration) {
        return ServiceLoader.load(RpcSystem.class, ClassPathRpcLoader.class.getClassLoader())
                .findFirst()
                .orElseThrow(() -> new RpcLoaderException("the class path contains no flink-rpc-akka"));
    }
}
