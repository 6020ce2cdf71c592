package io.millrace.run;

import io.millrace.serve.BoundAddress;
import io.millrace.serve.ListenAddress;
import io.millrace.serve.ServeSpec;
import io.millrace.serve.Tls;
import io.millrace.sink.spec.SinkAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.configuration.ConfigConstants;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.SecurityOptions;

/**
 * The front door of a served run: its address, and the protection of all connections over TCP.
 *
 * @param network the machines whose clients can reach the sinks
 */
public record ServeDoor(ListenAddress address, ServeSpec.Network network) {
    /** The choice whether clients of other machines must use TLS. */
    public enum Encryption {
        REQUIRED,
        WAIVED
    }

    /**
     * Returns the front door at an address. Only clients of this machine reach an address of the loopback interface. Others
     * need a certificate, from the pipeline's section {@code flink} or from {@code config.yaml} in FLINK_CONF_DIR.
     *
     * @param flink the pipeline's settings of Flink
     * @throws UsageException when there is no certificate and encryption is required, or when encryption is waived without need
     * @throws IOException when the name of the host is unknown
     */
    public static ServeDoor of(String host, int port, Encryption encryption, Map<String, String> flink)
            throws IOException {
        if (isLoopback(host)) {
            if (encryption == Encryption.WAIVED) {
                throw new UsageException(
                        "--insecure is for clients of other machines, which cannot connect to --listen "
                                + new ListenAddress(host, port, null)
                                + ": leave it out, or listen at another address, such as"
                                + " 0.0.0.0:" + port);
            }
            return new ServeDoor(new ListenAddress(host, port, null), ServeSpec.Network.LOOPBACK);
        }
        if (encryption == Encryption.WAIVED) {
            return new ServeDoor(new ListenAddress(host, port, null), ServeSpec.Network.PLAIN);
        }
        Tls certificate = certificate(flink)
                .orElseThrow(() -> new UsageException("--listen: " + host
                        + " is no address of the loopback interface, so clients need TLS: set "
                        + SecurityOptions.SSL_REST_KEYSTORE.key()
                        + " and its passwords in the pipeline's section flink or in Flink's config.yaml, or pass"
                        + " --insecure"));
        return new ServeDoor(new ListenAddress(host, port, certificate), ServeSpec.Network.TLS);
    }

    /**
     * Begins to listen, before the work that a run begins with: the run's Flink could otherwise take the port.
     *
     * @throws IOException when this process cannot listen at the address; the message names it
     */
    public BoundAddress bind() throws IOException {
        try {
            return BoundAddress.bind(address);
        } catch (IOException e) {
            throw new IOException(
                    "--listen: expected a free port of this machine, or port 0 for any free one: " + e.getMessage(), e);
        }
    }

    /** Returns the same front door at any free port. */
    ServeDoor atAnyPort() {
        return new ServeDoor(new ListenAddress(address.host(), 0, address.tls()), network);
    }

    private static boolean isLoopback(String host) throws IOException {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IOException(
                    "--listen: expected a name or an address of this machine, found the unknown host " + host, e);
        }
    }

    private static Optional<Tls> certificate(Map<String, String> flink) {
        Optional<Tls> own = SinkAddress.certificate(Configuration.fromMap(flink));
        String folder = System.getenv(ConfigConstants.ENV_FLINK_CONF_DIR);
        return own.isPresent() || folder == null
                ? own
                : SinkAddress.certificate(GlobalConfiguration.loadConfiguration(folder));
    }
}
