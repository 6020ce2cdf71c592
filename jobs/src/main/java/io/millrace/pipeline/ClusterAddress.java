package io.millrace.pipeline;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * The address of a Flink cluster: the JobManager's REST interface.
 *
 * @param web the URL, such as http://localhost:8081
 */
public record ClusterAddress(URI web) {
    /** Flink's default port. */
    private static final int USUAL_PORT = 8081;

    /**
     * Reads an address as users write it: {@code host}, {@code host:port} or a URL.
     *
     * @throws IllegalArgumentException when the text is not an address; the message is for the user
     */
    public static ClusterAddress parse(String text) {
        String trimmed = text.strip().replaceAll("/+$", "");
        try {
            URI uri = new URI(trimmed.contains("://") ? trimmed : "http://" + trimmed);
            boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (known && uri.getHost() != null && uri.getPort() < 65_536 && uri.getPort() != 0) {
                int port = uri.getPort() < 0 ? USUAL_PORT : uri.getPort();
                return new ClusterAddress(new URI(uri.getScheme(), null, uri.getHost(), port, null, null, null));
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(sentence(text), e);
        }
        throw new IllegalArgumentException(sentence(text));
    }

    private static String sentence(String text) {
        return "expected the address of a Flink cluster as host:port, found '" + text + "'";
    }

    /** Returns whether the cluster's REST interface uses TLS. */
    public boolean secure() {
        return "https".equals(web.getScheme());
    }

    @Override
    public String toString() {
        return web.getHost() + ":" + web.getPort();
    }
}
