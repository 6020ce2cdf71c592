package io.millrace.pipeline.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests as an attacker writes them: with any method, path and headers. */
public final class RawHttp {
    private RawHttp() {}

    /** Sends a request on a connection of its own, and returns the head and the content of the answer as text. */
    public static String send(URI address, String line, List<String> headers, byte[] content) throws IOException {
        try (Socket socket = new Socket(address.getHost(), address.getPort());
                InputStream answer = socket.getInputStream()) {
            StringBuilder head = new StringBuilder(line + " HTTP/1.1\r\nConnection: close\r\n");
            headers.forEach(header -> head.append(header).append("\r\n"));
            head.append("Content-Length: ").append(content.length).append("\r\n\r\n");
            socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().write(content);
            socket.getOutputStream().flush();
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Sends a request without content that names the address as its host. */
    public static String send(URI address, String line, String... headers) throws IOException {
        List<String> all = new ArrayList<>(List.of(headers));
        all.add("Host: " + address.getAuthority());
        return send(address, line, all, new byte[0]);
    }
}
