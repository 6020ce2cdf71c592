package io.millrace.pipeline;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address of this machine's own name. Flink asks for it when it starts in this process, although it then uses the loopback
 * interface only. In containers and on machines without a network, the name often leads to no address.
 */
final class MachineName {
    private static final Logger LOG = LoggerFactory.getLogger(MachineName.class);

    /** The time for which the JVM uses the address; longer than any start of Flink. */
    private static final long NANOS = TimeUnit.HOURS.toNanos(1);

    private MachineName() {}

    /**
     * Lets the name stand for the loopback interface in this process where it leads to no address.
     *
     * @throws IOException when this JVM does not allow it; the message is for the user
     */
    static void makeKnown() throws IOException {
        try {
            InetAddress.getLocalHost();
        } catch (UnknownHostException unknown) {
            try {
                remember();
                LOG.info("the name of this machine leads to no address: {}", unknown.getMessage());
            } catch (ReflectiveOperationException | RuntimeException e) {
                unknown.addSuppressed(e);
                throw new IOException(
                        "the name of this machine leads to no address (" + unknown.getMessage()
                                + "): add a line with 127.0.1.1 and the name to /etc/hosts",
                        unknown);
            }
        }
    }

    /** Puts the loopback address into the memory that {@link InetAddress#getLocalHost} has for some seconds. */
    private static void remember() throws ReflectiveOperationException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        Class<?> type = Class.forName("java.net.InetAddress$CachedLocalHost");
        Constructor<?> constructor = type.getDeclaredConstructor(String.class, InetAddress.class);
        constructor.setAccessible(true);
        Object remembered = constructor.newInstance(loopback.getHostName(), loopback);
        Field expiry = type.getDeclaredField("expiryTime");
        expiry.setAccessible(true);
        expiry.setLong(remembered, System.nanoTime() + NANOS);
        Field field = InetAddress.class.getDeclaredField("cachedLocalHost");
        field.setAccessible(true);
        field.set(null, remembered);
    }
}
