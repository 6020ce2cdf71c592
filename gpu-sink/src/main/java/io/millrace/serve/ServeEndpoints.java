package io.millrace.serve;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The endpoints of this process, one for each run. The command {@code serve} opens the endpoint of a run in its process. In
 * another process, the first sink of the run opens one, and the last one closes it. Any thread may call the methods.
 */
public final class ServeEndpoints {
    private static final Map<String, Shared> SHARED = new HashMap<>();

    private ServeEndpoints() {}

    private static final class Shared {
        private final ServeEndpoint endpoint;
        private int leases;

        private Shared(ServeEndpoint endpoint) {
            this.endpoint = endpoint;
        }
    }

    /** The use of an endpoint until it is closed. */
    public static final class Lease implements AutoCloseable {
        private final String run;
        private final ServeEndpoint endpoint;
        private boolean closed;

        private Lease(String run, ServeEndpoint endpoint) {
            this.run = run;
            this.endpoint = endpoint;
        }

        /** Returns the endpoint, which is open until this and all other leases are closed. */
        public ServeEndpoint endpoint() {
            return endpoint;
        }

        /** Ends the use; closing again does nothing. */
        @Override
        public void close() {
            synchronized (SHARED) {
                Shared shared = SHARED.get(run);
                if (closed || shared == null) {
                    return;
                }
                closed = true;
                shared.leases--;
                if (shared.leases > 0) {
                    return;
                }
                SHARED.remove(run);
            }
            endpoint.close();
        }
    }

    /**
     * Opens the endpoint of a run at an address, which it closes: with the last lease, or at once if it cannot be opened.
     */
    public static Lease open(ServeSpec spec, BoundAddress address) throws IOException {
        synchronized (SHARED) {
            Shared shared = new Shared(ServeEndpoint.open(spec, address));
            SHARED.put(spec.run(), shared);
            return lease(spec.run(), shared);
        }
    }

    /** The source of the address of a new endpoint. */
    public interface AddressSource {
        /** Returns the address at which this process listens. */
        ListenAddress address() throws IOException;
    }

    /** Returns the endpoint of a run. If this process has none yet, it listens at the address of the source. */
    public static Lease lease(ServeSpec spec, AddressSource source) throws IOException {
        synchronized (SHARED) {
            Shared shared = SHARED.get(spec.run());
            return shared == null ? open(spec, BoundAddress.bind(source.address())) : lease(spec.run(), shared);
        }
    }

    private static Lease lease(String run, Shared shared) {
        shared.leases++;
        return new Lease(run, shared.endpoint);
    }
}
