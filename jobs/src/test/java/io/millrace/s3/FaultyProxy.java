package io.millrace.s3;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An HTTP proxy on loopback that causes faults which a test determines. It uses real sockets with one request per connection,
 * and counts the requests and the bytes of the response bodies.
 */
public final class FaultyProxy implements Closeable {
    /** The treatment of a request. */
    public enum Fate {
        /** The request is served. */
        SERVED,
        /** The request is served after {@link #LATENCY}. */
        LATE,
        /** The response is 500, without a request to the server. */
        ERROR,
        /** The response is 503, like that of an overloaded server. */
        SLOW_DOWN,
        /** The connection ends in the middle of the response. */
        DROPPED,
        /** The connection is closed without a response. */
        REFUSED,
        /** The client receives half of the response and then nothing until the proxy is closed. */
        STALLED
    }

    /** A function that chooses the treatment of a request from its number (from 0), method and path. */
    @FunctionalInterface
    public interface Faults {
        Fate fate(int number, String method, String path);
    }

    /** The time before a request is served late. */
    public static final Duration LATENCY = Duration.ofMillis(60);

    private final ServerSocket server;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** Tests replace this object as a whole, so that a response keeps counting where its request was counted. */
    private volatile Tally tally = new Tally((number, method, path) -> Fate.SERVED);

    /** The faults of requests, and the counts of these requests. */
    private static final class Tally {
        private final Faults faults;
        private final AtomicInteger requests = new AtomicInteger();
        private final AtomicInteger failed = new AtomicInteger();
        private final AtomicLong bodyBytes = new AtomicLong();
        private final AtomicInteger gets = new AtomicInteger();

        private Tally(Faults faults) {
            this.faults = faults;
        }

        private Fate fate(String method, String path) {
            int number = requests.getAndIncrement();
            if (method.equals("GET") && !path.contains("?")) {
                gets.incrementAndGet();
            }
            Fate fate = faults.fate(number, method, path);
            if (fate != Fate.SERVED && fate != Fate.LATE) {
                failed.incrementAndGet();
            }
            return fate;
        }
    }

    /** Starts a proxy for the server on this port. */
    public FaultyProxy(int target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** Returns the port of the proxy. */
    public int port() {
        return server.getLocalPort();
    }

    /** Sets the faults of all further requests and resets the counts. */
    public void faults(Faults next) {
        tally = new Tally(next);
    }

    /** Returns the number of all requests. */
    public int requests() {
        return tally.requests.get();
    }

    /** Returns the number of requests that were not served. */
    public int failed() {
        return tally.failed.get();
    }

    /** Returns the number of requests for the content of objects. */
    public int gets() {
        return tally.gets.get();
    }

    /** Returns the number of bytes in response bodies. */
    public long bodyBytes() {
        return tally.bodyBytes.get();
    }

    private static void daemon(Runnable run) {
        Thread thread = new Thread(run, "faulty-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                sockets.add(client);
                daemon(() -> serve(client));
            } catch (IOException e) {
                return; // the proxy is closed
            }
        }
    }

    private void serve(Socket client) {
        boolean stalled = false;
        try {
            InputStream in = new BufferedInputStream(client.getInputStream());
            String head = head(in);
            if (!head.isEmpty()) {
                String[] line = head.lines().findFirst().orElse("").split(" ", -1);
                Tally counts = tally;
                Fate fate = counts.fate(line[0], line[1]);
                stalled = fate == Fate.STALLED;
                answer(fate, head, in, client.getOutputStream(), counts.bodyBytes);
            }
        } catch (IOException e) {
            // The client has disconnected, or the proxy is closed. In both cases the connection ends.
            stalled = false;
        } finally {
            if (!stalled) {
                end(client);
            }
        }
    }

    private void answer(Fate fate, String head, InputStream in, OutputStream out, AtomicLong bodyBytes)
            throws IOException {
        switch (fate) {
            case ERROR -> refuse(head, in, out, "500 Internal Server Error", "InternalError");
            case SLOW_DOWN -> refuse(head, in, out, "503 Slow Down", "SlowDown");
            case REFUSED -> in.readNBytes(contentLength(head));
            case LATE -> {
                LockSupport.parkNanos(LATENCY.toNanos());
                forward(Fate.SERVED, head, in, out, bodyBytes);
            }
            case SERVED, DROPPED, STALLED -> forward(fate, head, in, out, bodyBytes);
        }
    }

    private static void refuse(String head, InputStream in, OutputStream out, String status, String code)
            throws IOException {
        in.readNBytes(contentLength(head));
        boolean empty = head.startsWith("HEAD ");
        String body =
                "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>fault of the test</Message></Error>";
        out.write(("HTTP/1.1 " + status + "\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: "
                        + (empty ? 0 : body.length()) + "\r\n\r\n" + (empty ? "" : body))
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private void forward(Fate fate, String head, InputStream in, OutputStream out, AtomicLong bodyBytes)
            throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), target)) {
            OutputStream toServer = socket.getOutputStream();
            toServer.write(closing(head).getBytes(StandardCharsets.ISO_8859_1));
            toServer.write(in.readNBytes(contentLength(head)));
            toServer.flush();
            InputStream fromServer = new BufferedInputStream(socket.getInputStream());
            String answer = head(fromServer);
            int length = head.startsWith("HEAD ") ? 0 : contentLength(answer);
            boolean chunked = answer.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked");
            int most = fate == Fate.SERVED ? Integer.MAX_VALUE : chunked ? 20 : length / 2;
            out.write(closing(answer).getBytes(StandardCharsets.ISO_8859_1));
            copy(fromServer, out, most, bodyBytes);
            out.flush();
        }
    }

    private static void copy(InputStream in, OutputStream out, int most, AtomicLong bodyBytes) throws IOException {
        byte[] buffer = new byte[1 << 16];
        int left = most;
        int count = in.read(buffer, 0, Math.min(buffer.length, left));
        while (left > 0 && count >= 0) {
            out.write(buffer, 0, count);
            bodyBytes.addAndGet(count);
            left -= count;
            count = left == 0 ? -1 : in.read(buffer, 0, Math.min(buffer.length, left));
        }
    }

    /** Reads the lines before the first empty line; empty at the end of the stream. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            head.append((char) next);
            if (head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
                return head.toString();
            }
        }
        return "";
    }

    /** Returns the head for a connection with a single request, without the header that waits for a confirmation. */
    private static String closing(String head) {
        return head.replaceAll("(?im)^(connection|keep-alive|expect):.*\r\n", "")
                .replaceFirst("\r\n", "\r\nConnection: close\r\n");
    }

    private static int contentLength(String head) {
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .mapToInt(Integer::parseInt)
                .findFirst()
                .orElse(0);
    }

    private void end(Socket socket) {
        sockets.remove(socket);
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is closed already, as intended.
            sockets.remove(socket);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        sockets.forEach(this::end);
    }
}
