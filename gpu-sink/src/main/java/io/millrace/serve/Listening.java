package io.millrace.serve;

import io.millrace.file.OwnedFolder;
import io.millrace.file.Swept;
import io.millrace.file.TemporaryFolder;
import io.millrace.lifecycle.Handles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLSocketFactory;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two sockets at which clients connect: a Unix socket for processes of this user on this machine, and TCP. Each
 * connection has a thread of its own.
 *
 * <p>Tested by {@code ServeEndpointTest}.
 */
final class Listening implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Listening.class);

    /** The beginning of the names of the folders with a Unix socket, in the folder for temporary files. */
    private static final String FOLDERS = "millrace-serve-";

    private static final String SOCKET = "socket";

    /** The most bytes of the folder for temporary files: the system takes 107 for the socket, with the names below. */
    private static final int MOST_BYTES =
            107 - ("/" + FOLDERS + Integer.MAX_VALUE + "-" + Long.toUnsignedString(-1) + "/" + SOCKET).length();

    /** The receiver of connections, called on a thread of the connection, which it may keep. */
    interface Receiver {
        /**
         * Receives a connection and closes it.
         *
         * @param trusted whether the operating system has confirmed that the client is a process of this user
         * @param stranger the limits of the connection until the client is known
         */
        void connected(Link link, boolean trusted, Strangers.Stranger stranger);
    }

    private final ListenAddress address;
    private final @Nullable SSLSocketFactory tls;
    private final ServerSocketChannel tcp;
    private final ServerSocketChannel unix;
    private final Path socket;

    /** The user who owns the Unix socket. */
    private final String user;

    private final Handles handles;
    private final AtomicInteger connections = new AtomicInteger();

    /** The strangers of each socket. Those at one socket, to which others may connect, do not hinder the clients at the other. */
    private final Strangers tcpStrangers = new Strangers();

    private final Strangers unixStrangers = new Strangers();

    private Listening(
            ListenAddress address,
            @Nullable SSLSocketFactory tls,
            ServerSocketChannel tcp,
            ServerSocketChannel unix,
            Path socket,
            String user,
            Handles handles) {
        this.address = address;
        this.tls = tls;
        this.tcp = tcp;
        this.unix = unix;
        this.socket = socket;
        this.user = user;
        this.handles = handles;
    }

    /** Deletes the folders of sockets of servers that were killed. */
    static Swept sweep() {
        return OwnedFolder.sweep(folder(), FOLDERS);
    }

    /** Returns the folder of the sockets' folders: that for temporary files, or {@code /tmp} where its path is too long for a socket. */
    private static Path folder() {
        Path temporary = TemporaryFolder.path();
        return temporary.toString().getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES ? temporary : Path.of("/tmp");
    }

    /** Opens both sockets; see {@link ServeEndpoint#open}. */
    static Listening open(BoundAddress bound) throws IOException {
        Handles opened = new Handles();
        return opened.closeOnFailure(() -> {
            ServerSocketChannel tcp = opened.add(bound).channel();
            ListenAddress address = bound.address();
            Tls certificate = address.tls();
            SSLSocketFactory tls = certificate == null ? null : certificate.sockets();
            // The folder and the socket can be used by this user alone.
            OwnedFolder folder = opened.add(OwnedFolder.create(
                    folder(), FOLDERS + ProcessHandle.current().pid() + "-"));
            Path socket = folder.path().resolve(SOCKET);
            ServerSocketChannel unix = opened.add(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
            unix.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            return new Listening(
                    address, tls, tcp, unix, socket, Files.getOwner(socket).getName(), opened);
        });
    }

    List<String> addresses() throws IOException {
        int port = ((InetSocketAddress) tcp.getLocalAddress()).getPort();
        return List.of("unix:" + socket, address.text(port));
    }

    void start(Receiver receiver) {
        start("serve-unix", () -> acceptUnix(receiver));
        start("serve-tcp", () -> acceptTcp(receiver));
    }

    /** The acceptance of one client. */
    private interface Accepting {
        void run() throws IOException;
    }

    private static void start(String name, Accepting accepting) {
        Thread thread = new Thread(
                () -> {
                    try {
                        acceptAll(name, accepting);
                    } catch (ClosedChannelException e) {
                        LOG.debug("{} is closed", name);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Accepts clients until the socket is closed. A lack of files, threads or memory may pass, so that only the next second is lost. */
    private static void acceptAll(String name, Accepting accepting) throws ClosedChannelException {
        while (true) {
            try {
                accepting.run();
            } catch (ClosedChannelException e) {
                throw e;
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                LOG.error("{} cannot accept a client and tries again in 1 s", name, e);
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
        }
    }

    private void acceptUnix(Receiver receiver) throws IOException {
        SocketChannel channel = unix.accept();
        receive(
                channel,
                unixStrangers,
                stranger -> receiver.connected(
                        new ChannelLink(channel, null, "the Unix socket"), isOwnUser(channel), stranger));
    }

    /** Returns whether the client's process is one of the user who owns the socket. */
    private boolean isOwnUser(SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED)
                .user()
                .getName()
                .equals(user);
    }

    private void acceptTcp(Receiver receiver) throws IOException {
        SocketChannel channel = tcp.accept();
        receive(channel, tcpStrangers, stranger -> {
            TcpPeer peer = TcpPeer.of(channel);
            String name = String.valueOf(channel.getRemoteAddress());
            receiver.connected(
                    tls == null ? new ChannelLink(channel, peer, name) : TlsLink.over(channel, peer, name, tls),
                    false,
                    stranger);
        });
    }

    /** Closes the connections that have not shown the token in time. */
    void closeOverdue() {
        tcpStrangers.closeOverdue();
        unixStrangers.closeOverdue();
    }

    /** The work on one connection. */
    private interface Work {
        void run(Strangers.Stranger stranger) throws IOException;
    }

    private void receive(SocketChannel channel, Strangers strangers, Work work) throws IOException {
        Strangers.Stranger stranger;
        try {
            stranger = strangers.admit(channel);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            channel.close();
            throw new ClosedChannelException();
        }
        Thread thread = new Thread(
                () -> {
                    try (stranger;
                            channel) {
                        work.run(stranger);
                    } catch (IOException e) {
                        LOG.debug("a connection is lost", e);
                    } catch (RuntimeException | OutOfMemoryError e) {
                        LOG.error("a connection has ended with an error of the server", e);
                    }
                },
                "serve-client-" + connections.getAndIncrement());
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // the system has no thread left
            stranger.close();
            channel.close();
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        handles.close();
    }
}
