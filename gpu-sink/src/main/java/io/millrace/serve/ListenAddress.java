package io.millrace.serve;

import org.jspecify.annotations.Nullable;

/**
 * The TCP address at which an endpoint listens.
 *
 * @param host the name or address of this machine, as clients use it
 * @param port the port, or 0 for a free one
 * @param tls the certificate; null for connections without encryption
 */
public record ListenAddress(String host, int port, @Nullable Tls tls) {
    /** Returns the address as text, with this port. */
    String text(int actual) {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + actual;
    }

    /** Returns the address as text. */
    @Override
    public String toString() {
        return text(port);
    }
}
