package io.millrace.s3;

import io.millrace.cluster.FreePorts;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** An S3Proxy in a process of its own, on loopback. It keeps objects in memory. */
public final class S3Server implements Closeable {
    public static final String ACCESS_KEY = "access";
    public static final String SECRET_KEY = "secret-of-the-test";
    private static final long START_SECONDS = 300;

    private final Process process;
    private final int port;

    private S3Server(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts the server.
     *
     * @param jars the folder with the jars of its class path
     * @param folder the folder for its settings and log
     */
    public static S3Server start(Path jars, Path folder) throws IOException {
        int port = FreePorts.any();
        Path settings =
                Files.writeString(folder.resolve("s3proxy.properties"), """
                s3proxy.endpoint=http://127.0.0.1:%d
                s3proxy.authorization=aws-v2-or-v4
                s3proxy.identity=%s
                s3proxy.credential=%s
                jclouds.provider=transient-nio2
                jclouds.identity=remote
                jclouds.credential=remote
                """.formatted(port, ACCESS_KEY, SECRET_KEY));
        Path quiet = Files.writeString(
                folder.resolve("logback.xml"), "<configuration><root level=\"OFF\"/></configuration>");
        Process process = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dlogback.configurationFile=" + quiet,
                        "-cp",
                        jars + "/*",
                        "org.gaul.s3proxy.Main",
                        "--properties",
                        settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("s3proxy.log").toFile())
                .start();
        // An interrupted test does not close the server.
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        S3Server server = new S3Server(process, port);
        server.awaitPort(folder.resolve("s3proxy.log"));
        return server;
    }

    private void awaitPort(Path log) throws IOException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > giveUp) {
                    process.destroyForcibly();
                    throw new IOException("the S3 server does not start: " + Files.readString(log), e);
                }
                LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
            }
        }
    }

    /** Returns the port of the server. */
    public int port() {
        return port;
    }

    /** Creates a bucket. */
    public void bucket(String name) throws Exception {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
        Mac mac = Mac.getInstance("HmacSHA1");
        mac.init(new SecretKeySpec(SECRET_KEY.getBytes(StandardCharsets.UTF_8), "HmacSHA1"));
        byte[] signature =
                mac.doFinal(("PUT\n\n\n\nx-amz-date:" + date + "\n/" + name).getBytes(StandardCharsets.UTF_8));
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + name))
                .header("x-amz-date", date)
                .header(
                        "Authorization",
                        "AWS " + ACCESS_KEY + ":" + Base64.getEncoder().encodeToString(signature))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException("no bucket " + name + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
