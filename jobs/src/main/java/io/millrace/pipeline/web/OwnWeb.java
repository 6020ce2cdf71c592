package io.millrace.pipeline.web;

import io.millrace.config.RunConfig;
import io.millrace.serve.TcpUsers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.io.network.netty.InboundChannelHandlerFactory;
import org.apache.flink.util.TemporaryClassLoaderContext;

/**
 * The REST interface of one Flink in this process, and the secret that its guard knows. Several threads may use it.
 */
public final class OwnWeb implements AutoCloseable {
    private static final int SECRET_BYTES = 16;

    /** The secret. Flink shows the values of options whose names contain "token" nowhere. */
    static final ConfigOption<String> SECRET = ConfigOptions.key("millrace.web.token")
            .stringType()
            .noDefaultValue()
            .withDescription("The secret of the REST interface of a run in a single process.");

    static final ConfigOption<WebRules.Pages> PAGES = ConfigOptions.key("millrace.web.pages")
            .enumType(WebRules.Pages.class)
            .defaultValue(WebRules.Pages.CLOSED)
            .withDescription("Whether the browser of the run's user may read.");

    /** The interfaces that are open now, by host and port. All clients in this process send their secrets. */
    private static final Map<String, OwnWeb> OPEN = new ConcurrentHashMap<>();

    private final URI address;
    private final String secret;
    private final RunConfig.Web web;
    private final boolean printsSecret;

    private OwnWeb(URI address, String secret, RunConfig.Web web, boolean printsSecret) {
        this.address = address;
        this.secret = secret;
        this.web = web;
        this.printsSecret = printsSecret;
    }

    /** Configures the guard of a Flink that is to be started. */
    public static void guard(Configuration flink, RunConfig.Web web) {
        byte[] random = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(random);
        flink.set(SECRET, HexFormat.of().formatHex(random));
        flink.set(PAGES, web == RunConfig.Web.ON ? WebRules.Pages.OPEN : WebRules.Pages.CLOSED);
        flink.set(WebOptions.SUBMIT_ENABLE, false);
        flink.set(WebOptions.CANCEL_ENABLE, false); // the guard refuses what these buttons send
        flink.set(WebOptions.RESCALE_ENABLE, false);
    }

    /** An action that starts Flink. */
    public interface Start<T> {
        T start() throws Exception;
    }

    /**
     * Starts Flink so that its HTTP server finds the guard.
     *
     * @throws IllegalStateException when the guard is not a service of this program: without it, Flink would admit everybody
     */
    @SuppressWarnings("try") // the class loader is set until the end of the block
    public static <T> T guarded(Start<T> start) throws Exception {
        try (TemporaryClassLoaderContext ours = TemporaryClassLoaderContext.of(OwnWeb.class.getClassLoader())) {
            // Flink's server loads them in the same way, but goes on without those that it cannot load.
            boolean found = ServiceLoader.load(InboundChannelHandlerFactory.class).stream()
                    .anyMatch(service -> service.type() == WebGuardFactory.class);
            if (!found) {
                throw new IllegalStateException("the class path has no service " + WebGuardFactory.class.getName()
                        + ", which guards Flink's REST interface: expected it in META-INF/services/"
                        + InboundChannelHandlerFactory.class.getName());
            }
            return start.start();
        }
    }

    /** Registers the interface of a Flink that was started with a {@linkplain #guard guard}. */
    public static OwnWeb open(URI address, Configuration flink, RunConfig.Web web) throws IOException {
        InetAddress bound = InetAddress.getByName(flink.get(RestOptions.BIND_ADDRESS));
        boolean known = TcpUsers.areShown() && bound.isLoopbackAddress();
        OwnWeb opened = new OwnWeb(address, flink.get(SECRET), web, !known);
        OPEN.put(address.getAuthority(), opened);
        return opened;
    }

    /**
     * Returns the header that requests of this process send to an address; empty for an interface of another process.
     */
    public static Optional<Map.Entry<String, String>> header(URI address) {
        return Optional.ofNullable(OPEN.get(address.getAuthority()))
                .map(open -> Map.entry(WebRules.HEADER, open.secret));
    }

    /**
     * Returns the address in the form in which it is printed for the user's browser. It contains the secret where the system does
     * not show whose requests arrive. The address of another process's interface is returned unchanged.
     */
    public static URI printed(URI address) {
        OwnWeb open = OPEN.get(address.getAuthority());
        return open == null || !open.printsSecret
                ? address
                : address.resolve("/?" + WebRules.PARAMETER + "=" + open.secret);
    }

    /** Returns the address; empty when the user's browser is not admitted. */
    public Optional<URI> shown() {
        return web == RunConfig.Web.ON ? Optional.of(address) : Optional.empty();
    }

    @Override
    public void close() {
        OPEN.remove(address.getAuthority(), this);
    }
}
