package io.millrace.cli;

import io.millrace.config.PipelineConfig;
import io.millrace.run.ServeDoor;
import io.millrace.run.Serving;
import io.millrace.run.Submission;
import io.millrace.run.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options for the address at which clients connect, and for its protection; a mixin. */
final class ListenArguments {
    private static final int MOST_PORT = 65_535;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "The address that clients connect to; with port 0, a free port. Default: 127.0.0.1:8815. With"
                    + " --detach nobody listens there: the host says whether clients of other machines may connect.")
    private String listen = "127.0.0.1:8815";

    @Option(
            names = "--insecure",
            description = "Accept clients of other machines without TLS. They still need the token.")
    private boolean insecure;

    /**
     * Returns the delivery of a run.
     *
     * @throws UsageException when the address is none, or when clients of other machines would have no encryption
     * @throws IOException when this process cannot listen there
     */
    Serving serving(PipelineConfig config, Submission.Client client, int world, Optional<Path> readyFile)
            throws IOException {
        int colon = listen.lastIndexOf(':');
        String host = colon < 0 ? "" : listen.substring(0, colon).replaceAll("^\\[|]$", "");
        int port = port(listen.substring(colon + 1));
        if (host.isEmpty() || port < 0) {
            throw new UsageException("--listen: expected host:port with a port from 0 to " + MOST_PORT
                    + ", such as 127.0.0.1:8815, found " + listen);
        }
        ServeDoor door = ServeDoor.of(
                host,
                port,
                insecure ? ServeDoor.Encryption.WAIVED : ServeDoor.Encryption.REQUIRED,
                config.run().flink());
        return new Serving(
                door.network(),
                client == Submission.Client.DETACHED ? Optional.empty() : Optional.of(door),
                world,
                readyFile);
    }

    /** Returns the port, or -1 when the text is no port. */
    private static int port(String text) {
        try {
            int port = Integer.parseInt(text);
            return port <= MOST_PORT ? port : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
