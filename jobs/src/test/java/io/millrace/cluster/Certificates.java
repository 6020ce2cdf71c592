package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A self-signed certificate for 127.0.0.1, made with the commands of docs/cluster/cluster.md, and Flink's options for TLS with it.
 *
 * @param keys the key store
 * @param trust the trust store
 * @param password the password of both stores
 */
public record Certificates(Path keys, Path trust, String password) {
    /** Makes both stores with the JDK's keytool. */
    public static Certificates make(Path folder, String password) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path certificate = folder.resolve("flink.cer");
        Certificates made = new Certificates(folder.resolve("key.p12"), folder.resolve("trust.p12"), password);
        made.keytool(
                "-genkeypair",
                made.keys,
                "-keyalg",
                "RSA",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=dns:localhost,ip:127.0.0.1");
        made.keytool("-exportcert", made.keys, "-file", certificate.toString());
        made.keytool("-importcert", made.trust, "-noprompt", "-file", certificate.toString());
        return made;
    }

    private void keytool(String command, Path store, String... more) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        words.addAll(List.of(command, "-alias", "flink", "-storetype", "PKCS12", "-storepass", password));
        words.addAll(List.of("-keystore", store.toString()));
        words.addAll(List.of(more));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool " + command + ": " + output);
        }
    }

    /** Returns the certificate as a file that programs other than Java's can read. */
    public Path pem() throws IOException, InterruptedException {
        Path pem = keys.resolveSibling("flink.pem");
        keytool("-exportcert", keys, "-rfc", "-file", pem.toString());
        return pem;
    }

    /** Returns a client that trusts this certificate. */
    public HttpClient client() throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(trust)) {
            trusted.load(in, password.toCharArray());
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    /** Returns Flink's options for TLS between the processes and for REST. */
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String where : List.of("internal", "rest")) {
            String prefix = "security.ssl." + where + ".";
            settings.put(prefix + "enabled", "true");
            settings.put(prefix + "keystore", keys.toString());
            settings.put(prefix + "keystore-password", password);
            settings.put(prefix + "key-password", password);
            settings.put(prefix + "truststore", trust.toString());
            settings.put(prefix + "truststore-password", password);
        }
        return settings;
    }
}
